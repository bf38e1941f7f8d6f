import type { Db } from '../../ground/db.ts';

const schema = `
-- Two processes that start at once must not make the schema at once.
select pg_advisory_xact_lock(7305513263);
create schema if not exists payments;
-- What may be used once, until it could not be used any more by itself.
create table if not exists payments.used_nonces (
  nonce text collate "C" primary key,
  expires_at timestamptz not null
);
create index if not exists used_nonces_expires_at on payments.used_nonces (expires_at);`;

export const prepareUsedNonces = async (db: Db): Promise<void> => {
  await db.query(schema);
};

/** Nonces that were used, in every process. */
export const createUsedNonces = (db: Db) => ({
  /** Whether this is its first use. */
  async use(nonce: string, expiresAtMs: number): Promise<boolean> {
    const { rowCount } = await db.query(
      'insert into payments.used_nonces (nonce, expires_at) values ($1, $2) on conflict do nothing',
      [nonce, new Date(expiresAtMs)],
    );
    return rowCount === 1;
  },

  async sweep(now: number): Promise<void> {
    await db.query('delete from payments.used_nonces where expires_at < $1', [new Date(now)]);
  },
});
