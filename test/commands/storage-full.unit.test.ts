import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { createFileWork } from '../../commands/preparation/file-work.ts';
import { createLetterFiles } from '../../commands/preparation/letter-files.ts';
import { createQuoteDocuments } from '../../commands/preparation/quote-documents.ts';
import { DocumentLost, documentStoreRefusal } from '../../contract/store-refusals.ts';
import { withKey } from '../support/keyring.ts';
import { createMemoryBlobs } from '../support/memory-blobs.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';

const failure = (code: string) => Object.assign(new Error('of the disk'), { code });
const failing = (code: string) => ({
  ...createMemoryBlobs(),
  put: () => Promise.reject(failure(code)),
  get: () => Promise.reject(failure(code)),
  delete: () => Promise.reject(failure(code)),
});
const claim = async (): Promise<void> => {};
const work = createFileWork();
const outcome = (work: Promise<unknown>) => work.catch((error: unknown) => error);

describe('a document that cannot be stored', () => {
  const letter = { letterId: '7c1e0d5e-1111-5222-8333-444455556666', accountId: 'acc_1' };
  const filesOn = (code: string) =>
    createLetterFiles({ blobs: failing(code), dataKeys: createMemoryDataKeys(), claim, work });

  it('is storage_full with a pause of 30 s when the disk or a quota of it is full', async () => {
    for (const code of ['ENOSPC', 'EDQUOT']) {
      const files = filesOn(code);
      const key = `letter-${letter.letterId}-1`;
      for (const work of [
        files.put(letter, [{ key, bytes: Buffer.from('%PDF') }]),
        files.delete([key]),
      ]) {
        const refused = await outcome(work);
        expect(refused).to.include({ code: 'storage_full', status: 503 });
        expect(refused).to.have.deep.property('headers', { 'Retry-After': '30' });
      }
    }
  });

  it('is store_unavailable when the store cannot be reached', async () => {
    const files = filesOn('ECONNREFUSED');
    const put = files.put(letter, [{ key: 'letter-1', bytes: Buffer.from('%PDF') }]);
    expect(await outcome(put)).to.include({ code: 'store_unavailable', status: 503 });
    const documents = createQuoteDocuments({
      blobs: failing('EIO'),
      key: withKey(randomBytes(32)),
      claim,
      work,
    });
    expect(await outcome(documents.get('a secret'))).to.include({ code: 'store_unavailable' });
  });

  it('is lost when the store answers and does not have it', async () => {
    const dataKeys = createMemoryDataKeys();
    const blobs = createMemoryBlobs();
    const files = createLetterFiles({ blobs, dataKeys, claim, work });
    await files.put(letter, [{ key: 'letter-1', bytes: Buffer.from('%PDF') }]);
    await blobs.delete('letter-1');
    const error = await outcome(files.get(letter.letterId, 'letter-1'));
    expect(error).to.be.instanceOf(DocumentLost);
  });

  it('is storage_full also when the full disk is the cause of another error', () => {
    const error = new Error('upload failed', { cause: failure('ENOSPC') });
    expect(documentStoreRefusal(error).code).to.equal('storage_full');
    expect(documentStoreRefusal(failure('EROFS')).code).to.equal('store_unavailable');
  });
});
