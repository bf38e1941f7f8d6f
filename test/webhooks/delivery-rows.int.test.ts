/** The work for one webhook does not grow with the messages of others that wait. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { asPosition } from '../../events/position.ts';
import type { TransactionalDb } from '../../ground/db.ts';
import { forgetEndpoints } from '../../infra/webhooks/forget-endpoints.ts';
import { tellIssued } from '../../infra/webhooks/issued.ts';
import { addMessages, cancelOpen } from '../../infra/webhooks/messages.ts';
import { explaining, type Plan, pagesRead, rowsRead } from '../support/explain.ts';
import { freshDatabase } from '../support/postgres.ts';

const many = 40_000;

/** Messages to one webhook in the lanes of `many / 4` letters: of each one is due, the others wait for it. */
const openMessages = `
insert into deliveries.messages (kind, endpoint_id, account_id, event_id, position, lane, type, at, state,
  next_at, attempts)
select $1, $2, $3, gen_random_uuid(), n, md5((n / 4)::text), 'letter.posted', '2026-01-01T00:00:00.000Z',
  case when n % 4 = 0 then 'due' else 'waiting' end, now() + $4::interval, $5
from generate_series(1, $6::int) n`;

describe('the rows of deliveries', function () {
  this.timeout(180_000);
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let client: pg.Client;

  before(async () => {
    database = await freshDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('alter table deliveries.messages set (autovacuum_enabled = false)');
    // Statistics of a table that was empty.
    await client.query('analyze deliveries.messages');
    for (const [kind, id, account] of [
      ['status', 'acct_big', 'acct_big'],
      ['status', 'acct_small', 'acct_small'],
      ['audit', 'aud_big', 'acct_big'],
      ['audit', 'aud_backlog', 'acct_big'],
      ['audit', 'aud_small', 'acct_small'],
    ]) {
      await client.query(
        'insert into deliveries.endpoints (kind, id, account_id, active) values ($1, $2, $3, true)',
        [kind, id, account],
      );
    }
    for (const [kind, id, account, wait, attempts, count] of [
      ['status', 'acct_big', 'acct_big', '5 hours', 0, many],
      // Each was attempted and waits for the next attempt.
      ['audit', 'aud_big', 'acct_big', '5 hours', 1, many],
      // None was attempted yet, as the receiver is slow.
      ['audit', 'aud_backlog', 'acct_big', '-1 minutes', 0, many],
    ]) {
      await client.query(openMessages, [kind, id, account, wait, attempts, count]);
    }
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  const plansOf = async (work: (db: TransactionalDb) => Promise<unknown>) => {
    const plans: Plan[] = [];
    const db = explaining(client, plans);
    await client.query('begin');
    await work({ ...db, transaction: (inside) => inside({ ...db, copyIn: async () => {} }) });
    await client.query('rollback');
    return plans;
  };

  for (const known of ['with statistics of an empty table', 'with statistics']) {
    describe(known, () => {
      before(async () => {
        if (known === 'with statistics') await client.query('analyze deliveries.messages');
      });

      const own = async (kind: string, id: string, wait: string): Promise<void> => {
        await client.query(openMessages, [kind, id, 'acct_small', wait, 0, 4]);
      };

      it('are looked at for one webhook only when what it has open is cancelled', async () => {
        const plans = await plansOf(async (db) => {
          await own('status', 'acct_small', '5 hours');
          await cancelOpen(db, { kind: 'status', id: 'acct_small' });
        });
        expect(rowsRead(plans, 'messages')).to.be.within(4, 8);
        expect(pagesRead(plans)).to.be.below(300);
      });

      it('are looked at only where a credential was missing when credentials are issued', async () => {
        const plans = await plansOf(async (db) => {
          await own('audit', 'aud_small', '20 seconds');
          await tellIssued(db, asPosition(BigInt(many)), Date.now());
        });
        expect(rowsRead(plans, 'messages')).to.be.within(1, 8);
        expect(pagesRead(plans)).to.be.below(300);
      });

      it('are looked at for one lane only when a message is added to it', async () => {
        const message = {
          kind: 'status' as const,
          endpointId: 'acct_big',
          accountId: 'acct_big',
          eventId: randomUUID(),
          position: BigInt(many + 1),
          lane: 'one lane',
          type: 'letter.posted',
          at: '2026-01-01T00:00:00.000Z',
        };
        const plans = await plansOf((db) => addMessages(db, [message], Date.now()));
        expect(pagesRead(plans)).to.be.below(300);
      });

      it('are looked at for one account only when it is erased', async () => {
        const plans = await plansOf(async (db) => {
          await own('status', 'acct_small', '5 hours');
          await forgetEndpoints(db, 'acct_small');
        });
        expect(rowsRead(plans, 'messages')).to.be.within(4, 8);
        expect(pagesRead(plans)).to.be.below(300);
      });
    });
  }
});
