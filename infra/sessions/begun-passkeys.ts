/** Registrations of passkeys that are in progress, so that a crash leaves no key without a passkey. */
import type { Clock } from '../../ground/clock.ts';
import type { Db } from '../../ground/db.ts';

/** A registration takes seconds. After this time it has failed. */
const mostMs = 5 * 60_000;
const batch = 100;

export const createBegunPasskeys = ({ db, clock }: { db: Db; clock: Clock }) => ({
  /** Records a key before it is made. */
  async begin({ accountId, keyId }: { accountId: string; keyId: string }): Promise<void> {
    await db.query(
      'insert into console.begun_passkeys (key_id, account_id, begun_at) values ($1, $2, $3)',
      [keyId, accountId, new Date(clock())],
    );
  },

  /** Ends the keys of registrations that failed or crashed. Such a key may never have been made. */
  async endLeft(endKey: (accountId: string, keyId: string) => Promise<unknown>): Promise<void> {
    const { rows } = await db.query<{ account_id: string; key_id: string }>(
      `select account_id, key_id from console.begun_passkeys where begun_at <= $1
       order by begun_at limit $2`,
      [new Date(clock() - mostMs), batch],
    );
    for (const { account_id: accountId, key_id: keyId } of rows) {
      await endKey(accountId, keyId);
      await db.query('delete from console.begun_passkeys where key_id = $1', [keyId]);
    }
  },
});

export type BegunPasskeys = ReturnType<typeof createBegunPasskeys>;
