import type { TransactionalDb } from '../../contract/db.ts';

const schema = `
-- Two processes that start at once must not make the schema at once.
select pg_advisory_xact_lock(7305513262);
create schema if not exists identity;
-- Challenges that a presentation has answered; digest: keyed, of challenge and domain.
create table if not exists identity.spent_challenges (
  digest text collate "C" primary key,
  spent_at timestamptz not null default now()
);
create index if not exists spent_challenges_at on identity.spent_challenges (spent_at);`;

export const prepareSpentChallenges = (db: TransactionalDb) => db.query(schema);

/** Far longer than any presentation lasts, whatever the clocks say. */
const keptFor = '1 day';

/** Which challenges were answered, in every process. */
export const createSpentChallenges =
  (db: TransactionalDb, digestOf: (text: string) => string) =>
  async (challenge: string, domain: string | undefined): Promise<boolean> => {
    await db.query(
      `delete from identity.spent_challenges where digest in (
         select digest from identity.spent_challenges
         where spent_at < now() - interval '${keptFor}' limit 100)`,
    );
    const { rowCount } = await db.query(
      'insert into identity.spent_challenges (digest) values ($1) on conflict do nothing',
      [digestOf(JSON.stringify([challenge, domain ?? null]))],
    );
    return rowCount === 1;
  };
