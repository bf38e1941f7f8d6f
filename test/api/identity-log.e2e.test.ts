import { expect } from 'chai';
import type { CheckpointNote } from '../../identity/credential-log.ts';
import { credentialHash } from '../../identity/event-credential.ts';
import { publicKeyFromMultikey } from '../../identity/keys.ts';
import { verifyInclusion } from '../../identity/merkle.ts';
import { openCheckpoint } from '../../identity/note.ts';
import { logOperations } from '../../read-api/log.ts';
import { expectProblem, until, useService } from '../support/client.ts';
import { verifyConsistency } from '../support/verify-consistency.ts';

type Checkpoint = {
  origin: string;
  size: number;
  root: string;
  note: string;
  verifier_key: string;
};
type Inclusion = {
  index: number;
  size: number;
  leaf_hash: string;
  path: string[];
  checkpoint: string | null;
  proof: string | null;
};
type Consistency = { first: number; second: number; path: string[] };

const bytes = (text: string): Buffer => Buffer.from(text, 'base64');

describe('the transparency log', () => {
  const { service, call, register } = useService();
  const json = { headers: { Accept: 'application/json' } };

  const latest = async () =>
    (await call<Checkpoint>('GET', '/api/identity/log/checkpoint', undefined, json)).body;

  /** Waits until every event has its credential. */
  const issued = async (): Promise<Checkpoint> => {
    const { foundation } = service().service;
    await until(async () => {
      const head = await foundation.storage.store.head();
      const { position } = (await foundation.storage.credentials.range(0, 10_000)).at(-1) ?? {};
      return position === head;
    });
    return latest();
  };

  it('gives a checkpoint that the log key signed, as a note and as JSON', async () => {
    const checkpoint = await issued();
    const note = await call('GET', '/api/identity/log/checkpoint');
    expect(note.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    expect(note.text).to.equal(checkpoint.note);
    const { serviceKeys } = service().service.foundation.keys;
    const key = publicKeyFromMultikey(serviceKeys.activeKey('log').publicKey);
    const { size, root, origin } = openCheckpoint(note.text, 'letters.local', [key]);
    expect({ size, root: root.toString('base64'), origin }).to.deep.equal({
      size: checkpoint.size,
      root: checkpoint.root,
      origin: checkpoint.origin,
    });
    expect(checkpoint.verifier_key).to.match(/^letters\.local\+[0-9a-f]{8}\+\S{44}$/);
  });

  it('proves a credential by index, hash and event', async () => {
    const user = await register();
    await user.send();
    const { size, root } = await issued();
    const [credential] = await service().service.foundation.storage.credentials.range(size - 1, 1);
    if (!credential) throw new Error('nothing was issued');
    const path = '/api/identity/log/proof/inclusion';
    const { body } = await call<Inclusion>('GET', `${path}?index=${size - 1}`);
    expect(body).to.include({ index: size - 1, size });
    const proof = body.path.map(bytes);
    expect(verifyInclusion(bytes(body.leaf_hash), body.index, size, proof, bytes(root))).to.equal(
      true,
    );
    expect(body.proof).to.equal(
      `c2sp.org/tlog-proof@v1\nindex ${size - 1}\n${body.path.map((one) => `${one}\n`).join('')}\n${body.checkpoint}`,
    );
    const byEvent = await call<Inclusion>('GET', `${path}?event_id=${credential.eventId}`);
    expect(byEvent.body).to.deep.equal(body);
    const byHash = await call<Inclusion>(
      'GET',
      `${path}?credential_hash=${credentialHash(credential.jwt)}`,
    );
    expect(byHash.body).to.deep.equal(body);
    const older = await call<Inclusion>('GET', `${path}?index=0&size=3`);
    expect(older.body).to.include({ size: 3, checkpoint: null, proof: null });
  });

  it('proves that it only grew', async () => {
    const before = await issued();
    await register();
    const after = await issued();
    const path = `/api/identity/log/proof/consistency?first=${before.size}&second=${after.size}`;
    const { body } = await call<Consistency>('GET', path);
    expect(after.size).to.be.above(before.size);
    expect(
      verifyConsistency(
        before.size,
        after.size,
        bytes(before.root),
        bytes(after.root),
        body.path.map(bytes),
      ),
    ).to.equal(true);
  });

  it('gives tiles of hashes under the paths of tlog-tiles', async () => {
    const { size } = await issued();
    const response = await fetch(
      `${service().url}/api/identity/log/tile/0/000.p/${Math.min(size, 255)}`,
    );
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('application/octet-stream');
    expect(response.headers.get('cache-control')).to.equal('public, max-age=3600');
    const hashes = Buffer.from(await response.arrayBuffer());
    expect(hashes.length).to.equal(Math.min(size, 255) * 32);
    const leaf = await call<Inclusion>('GET', '/api/identity/log/proof/inclusion?index=1');
    expect(hashes.subarray(32, 64).toString('base64')).to.equal(leaf.body.leaf_hash);
  });

  it('lets caches keep full tiles for a year, and partial ones for an hour', async () => {
    const tile = logOperations({
      log: {
        ...service().service.foundation.storage.credentials,
        checkpoint: async () => ({ size: 300 }) as CheckpointNote,
        tile: async (_level, _index, width) => Buffer.alloc(32 * width),
      },
      verifierKey: () => '',
    }).find(({ name }) => name === 'log_tile');
    const cacheControlOf = async (path: string): Promise<string | undefined> => {
      const answer = await tile?.handle({ params: { tile: path } } as never);
      return answer?.headers?.['Cache-Control'];
    };
    expect(await cacheControlOf('0/000')).to.equal('public, max-age=31536000, immutable');
    expect(await cacheControlOf('0/001.p/44')).to.equal('public, max-age=3600');
    expect(await cacheControlOf('1/000.p/1')).to.equal('public, max-age=3600');
  });

  it('has no tile that is not there, and none under another spelling', async () => {
    for (const path of ['0/000.p/255', '0/000', '9/000', '0/x001/000', '0/0', '0', '0/../0/000']) {
      const answer = await call('GET', `/api/identity/log/tile/${path}`);
      expect([answer.status, answer.body.code], path).to.deep.equal([404, 'not_found']);
    }
  });

  it('refuses what it cannot prove', async () => {
    const { size } = await issued();
    const get = (rest: string) => call('GET', `/api/identity/log/proof/${rest}`);
    expectProblem(await get(`inclusion?index=${size}`), 404, 'not_found');
    expectProblem(await get(`inclusion?index=0&size=${size + 1}`), 404, 'not_found');
    const tooSmall = await get('inclusion?index=3&size=3');
    expectProblem(tooSmall, 404, 'not_found');
    expect(tooSmall.body.detail).to.contain('Ask for a size of 4 or more');
    expectProblem(await get('inclusion?index=0&sise=1'), 422, 'validation_failed', '/query/sise');
    expectProblem(await get('consistency?first=1&to=2'), 422, 'validation_failed', '/query/to');
    expectProblem(await get('inclusion'), 422, 'validation_failed', '/query/index');
    expectProblem(
      await get('inclusion?index=0&event_id=7c1e5b1c-8f3f-4c43-9d2e-51a4f4f7a001'),
      422,
      'validation_failed',
    );
    expectProblem(
      await get('inclusion?event_id=7c1e5b1c-8f3f-4c43-9d2e-51a4f4f7a001'),
      404,
      'not_found',
    );
    const zeros = `sha-256:${'A'.repeat(43)}`;
    expectProblem(await get(`inclusion?credential_hash=${zeros}`), 404, 'not_found');
    const loose = `sha-256:${'A'.repeat(42)}B`;
    expectProblem(await get(`inclusion?credential_hash=${loose}`), 422, 'validation_failed');
    expectProblem(await get('consistency?first=5&second=3'), 422, 'validation_failed');
    expectProblem(await get(`consistency?first=0&second=${size + 9}`), 404, 'not_found');
    expectProblem(await get('consistency?first=-1'), 422, 'validation_failed');
  });
});
