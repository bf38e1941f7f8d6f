/** A page of credentials reads about as many rows as it returns, however many others there are. */
import { expect } from 'chai';
import pg from 'pg';
import {
  type CredentialStore,
  createCredentialStore,
} from '../../infra/identity/credential-store.ts';
import { liveTables } from '../../infra/identity/credential-tables.ts';
import { createCredentialWriter } from '../../infra/identity/credential-writer.ts';
import { explaining, type Plan, pagesRead, rowsRead } from '../support/explain.ts';
import { freshDatabase } from '../support/postgres.ts';

const many = 40_000;
const limit = 100;

/**
 * Half of the log is of one account, and half of that of its wallet. A hundredth, all of it old, is of another account;
 * the rest of a thousand others.
 */
const manyCredentials = `
insert into identity.issued (log_index, event_id, stream, sequence, position, account_id, hash, jwt)
select n, gen_random_uuid(),
  case when n % 4 = 0 then 'wallet-acct_big' else 'letter-' || n / 4 end, case when n % 4 = 0 then n / 4 else n % 4 end, n,
  case when n % 2 = 0 then 'acct_big' when n < ${many / 50} then 'acct_old' else 'acct_' || n % 1000 end,
  decode(md5(n::text), 'hex'), 'a.b.c'
from generate_series(0, ${many - 1}) n`;

describe('the rows of credentials', function () {
  this.timeout(120_000);
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let client: pg.Client;

  before(async () => {
    database = await freshDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(manyCredentials);
    await client.query('analyze identity.issued');
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  const plansOf = async (work: (store: CredentialStore) => Promise<unknown>): Promise<Plan[]> => {
    const plans: Plan[] = [];
    await work(createCredentialStore({ db: explaining(client, plans) }));
    return plans;
  };
  const expectOnePage = (plans: Plan[]) => {
    // Of each that is returned: itself, and what the view may look up for it.
    expect(rowsRead(plans, 'issued')).to.be.at.most(3 * limit);
    expect(pagesRead(plans)).to.be.at.most(12 * limit);
  };

  for (const [account, from, expected] of [
    ['acct_big', 0, limit],
    ['acct_big', many / 2, limit],
    ['acct_old', 0, limit],
    // A scan of the log from here on finds none.
    ['acct_old', many / 50, 0],
    ['acct_7', 0, many / 1_000 - 1],
  ] as const) {
    it(`are those of one page of ${account}, from ${from} on`, async () => {
      const plans = await plansOf(async (store) =>
        expect(await store.ofAccountFrom(account, { from, limit })).to.have.length(expected),
      );
      expectOnePage(plans);
    });
    it(`are those of one page of ${account}, before ${many - from}`, async () => {
      const before = many - from;
      expectOnePage(await plansOf((store) => store.ofAccount(account, { before, limit })));
    });
  }
  it('are one of a stream for the credential that follows it', async () => {
    const plans: Plan[] = [];
    const db = explaining(client, plans);
    const { previous } = createCredentialWriter({ db, tables: liveTables, clock: () => 0 });
    const found = await previous(['wallet-acct_big', 'letter-7'], many);
    expect([...found.keys()]).to.have.members(['wallet-acct_big', 'letter-7']);
    expect(rowsRead(plans, 'issued')).to.be.at.most(12);
    expect(pagesRead(plans)).to.be.at.most(400);
  });

  for (const [stream, from, expected] of [
    ['wallet-acct_big', 1, limit],
    ['wallet-acct_big', many / 8, limit],
    ['letter-7', 1, 3],
  ] as const) {
    it(`are those of one page of ${stream}, from ${from} on`, async () => {
      const plans = await plansOf(async (store) =>
        expect(await store.ofStream(stream, { from, limit })).to.have.length(expected),
      );
      expectOnePage(plans);
    });
  }
  for (const [account, stream, before, expected] of [
    ['acct_big', 'wallet-acct_big', many, limit],
    ['acct_big', 'wallet-acct_big', many / 2, limit],
    ['acct_old', 'letter-7', many, 2],
    ['acct_old', 'letter-7', 31, 1],
    // The cursor is of another stream.
    ['acct_old', 'letter-7', 32, 2],
    ['acct_old', 'wallet-acct_big', many, 0],
  ] as const) {
    it(`are those of one page of ${stream} for ${account}, before ${before}`, async () => {
      const page = { before, limit, stream };
      expectOnePage(
        await plansOf(async (store) =>
          expect(await store.ofAccount(account, page)).to.have.length(expected),
        ),
      );
    });
  }
});
