import type { TransactionalDb } from '../../ground/db.ts';

/** Far longer than any presentation lasts, whatever the clocks say. */
const keptFor = '1 day';

/** How long the same presentation gets the same answer, for a verifier that lost the answer and asks again. */
const repeatedFor = '5 minutes';

/**
 * Which challenges were answered, in every process. Each holder answers for itself, so that no stranger
 * uses up the challenge that somebody else was given.
 */
export const createSpentChallenges =
  (db: TransactionalDb, digestOf: (text: string) => string) =>
  async (answered: {
    challenge: string;
    domain: string | undefined;
    holder: string;
    presentation: string;
  }): Promise<boolean> => {
    const { challenge, domain, holder, presentation } = answered;
    await db.query(
      `delete from identity.spent_challenges where digest in (
         select digest from identity.spent_challenges
         where spent_at < now() - interval '${keptFor}' limit 100)`,
    );
    const { rowCount } = await db.query(
      `insert into identity.spent_challenges (digest, presentation) values ($1, $2)
       on conflict (digest) do update set presentation = excluded.presentation
       where spent_challenges.presentation = excluded.presentation
         and spent_challenges.spent_at > now() - interval '${repeatedFor}'`,
      [
        digestOf(JSON.stringify([challenge, domain ?? null, holder])),
        digestOf(`presentation\n${presentation}`),
      ],
    );
    return rowCount === 1;
  };
