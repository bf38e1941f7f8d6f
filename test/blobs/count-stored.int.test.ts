/** Documents that were stored before the service counted them. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createStoredBytes } from '../../infra/blobs/stored-bytes.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { createCountStored } from '../../reactors/count-stored.ts';
import { createLetterWorld, letterTo, plainly } from '../support/letter-world.ts';
import { freshDatabase } from '../support/postgres.ts';

describe('what accounts stored before it was counted', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: ReturnType<typeof createReadDb>;

  before(async () => {
    database = await freshDatabase();
    db = createReadDb({ url: database.url, max: 4, applicationName: 'test', onError: () => {} });
    await db.query('create table read_models.accounts (account_id text, quotas jsonb)');
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  it('is counted once, by account, also above the quota, and makes room when it goes', async () => {
    const world = createLetterWorld();
    const stored = createStoredBytes({ db, clock: Date.now, quota: 60_000 });
    const accounts = new Map<string, string>();
    const draft = async (accountId: string): Promise<string> => {
      const content = { kind: 'text' as const, text: 'A long letter. '.repeat(3_000) };
      const context = { ...world.asked(randomUUID()), accountId };
      const options = { ...plainly, draft: true };
      const { letterId } = await world.letters.send(letterTo({}, { content }), options, context);
      return world.blobs.keys().find((key) => key.startsWith(letterId)) ?? '';
    };
    const [first, second, other] = [await draft('a'), await draft('a'), await draft('b')];
    // The read model knows one of them.
    accounts.set(first.slice(0, 36), 'a');
    await world.blobs.put(`${randomUUID()}-${randomUUID()}`, Buffer.alloc(10));
    await world.blobs.put(`quote-${'0'.repeat(64)}`, Buffer.alloc(10));
    const count = createCountStored({
      blobs: world.blobs,
      handler: world.handler,
      counts: stored,
      accountsOf: async () => accounts,
    });
    const sizes = new Map<string, number>();
    for (const key of [first, second, other]) sizes.set(key, (await world.blobs.sizeOf(key)) ?? 0);
    const sizeOf = (key: string): number => sizes.get(key) ?? 0;

    await stored.once('count', () => count(AbortSignal.abort()));
    expect((await stored.of('a')).bytes).to.equal(0);
    let times = 0;
    const all = () => {
      times++;
      return count(new AbortController().signal);
    };
    await stored.once('count', all);
    await stored.once('count', all);
    expect(times).to.equal(1);
    const a = sizeOf(first) + sizeOf(second);
    expect((await stored.of('a')).bytes)
      .to.equal(a)
      .and.be.above(60_000);
    expect((await stored.of('b')).bytes).to.equal(sizeOf(other));
    expect(await count(new AbortController().signal)).to.equal(true);
    expect((await stored.of('a')).bytes).to.equal(a);
    const { rows } = await db.query('select from storage.files');
    expect(rows).to.have.length(3);
  });
});
