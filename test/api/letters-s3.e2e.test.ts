import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createS3BlobStore } from '../../infra/blobs/s3.ts';
import { goodLetter } from '../documents/preflight/samples.ts';
import { clientOf, expectProblem, letterTo, type Sent } from '../support/client.ts';
import { startDocumentServer } from '../support/document-server.ts';
import { printedLetter } from '../support/printed-letters.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { skip } from '../support/skip.ts';

const bucket = 'letters-e2e';

describe('PDF letters with the documents in S3', function () {
  this.timeout(180_000);
  let s3: S3Server | undefined;
  let service: TestService | undefined;
  let web: Awaited<ReturnType<typeof startDocumentServer>> | undefined;

  before(async function () {
    this.timeout(300_000);
    s3 = await startS3Server().catch((error: Error) =>
      skip(this, `there is no S3 server: ${error.message.split('\n')[0]}`),
    );
    await s3.createBucket(bucket);
    web = await startDocumentServer();
    service = await startTestService({
      ALLOW_PRIVATE_FETCH: 'true',
      BLOB_STORE: 's3',
      S3_ENDPOINT: s3.endpoint,
      S3_REGION: 'us-east-1',
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
      S3_FORCE_PATH_STYLE: 'true',
    });
  });
  after(async () => {
    await service?.stop();
    await web?.stop();
    await s3?.stop();
  });

  const started = () => {
    if (!s3 || !service || !web) throw new Error('all of them run while tests run');
    const { endpoint, accessKeyId, secretAccessKey } = s3;
    const place = { endpoint, region: 'us-east-1', bucket, forcePathStyle: true };
    const store = createS3BlobStore({ ...place, accessKeyId, secretAccessKey });
    return { service, web, stored: () => Array.fromAsync(store.list('')) };
  };
  const register = () => clientOf(() => started().service).register();
  const bodyOf = (url: string) => letterTo('DE', { content: undefined, document_url: url });

  it('are stored there, printed from there and deleted there', async () => {
    const { service, web, stored } = started();
    const client = await register();
    const url = web.serve('/a.pdf', await goodLetter());
    const printed = await client.send(bodyOf(url));
    const cancelled = await client.send(bodyOf(url));
    expect(await stored()).to.have.length(2);
    expect(existsSync(join(service.dataDir, 'blobs'))).to.equal(false);
    await client.advance(printed.letter_id);
    expect((await printedLetter(service.dataDir, printed.letter_id)).pages).to.equal(1);
    await client.post(`/api/letters/${cancelled.letter_id}/cancel`);
    expect((await client.delete(`/api/letters/${cancelled.letter_id}`)).status).to.equal(200);
    const left = await stored();
    expect(left).to.have.length(1);
    expect(left[0]).to.contain(printed.letter_id);
  });

  it('are asked for again, and cost nothing, while it cannot be reached', async () => {
    const { web } = started();
    const client = await register();
    const url = web.serve('/b.pdf', await goodLetter());
    await s3?.stop();
    const answer = await client.post<Sent>('/api/send', bodyOf(url));
    expectProblem(answer, 503, 'store_unavailable');
    expect(answer.headers.get('retry-after')).to.equal('1');
    expect(await client.balance()).to.include({ available: 100, held: 0 });
  });
});
