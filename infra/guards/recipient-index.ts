/** The index of recipients that accounts wrote to (infra/schema/22-recipients.sql). */
import type { RecipientIndex } from '../../commands/letters/known-recipients.ts';
import { letterIdIn, letterStream } from '../../events/letter.ts';
import { createBatchLoader } from '../../ground/batch-loader.ts';
import type { Db } from '../../ground/db.ts';

const maxBatch = 200;

/** As `guards.note_recipient` does for one letter. Keys are locked in their order, so that no two calls deadlock. */
const insert = `
insert into guards.recipients (letter, account_id, digest)
select k.subject, noted.account_id, noted.digest
from unnest($1::text[], $2::text[], $3::text[]) as noted (letter, account_id, digest)
join keys.data_keys k on k.subject = noted.letter
where k.wrapped is not null order by k.subject for share of k
on conflict (letter) do nothing`;

type Noted = { letterId: string; accountId: string; digest: string };

export const createRecipientIndex = (db: Db): RecipientIndex => {
  const note = createBatchLoader({
    maxBatch,
    async load(batch: Noted[]): Promise<undefined[]> {
      await db.query(insert, [
        batch.map(({ letterId }) => letterStream(letterId)),
        batch.map(({ accountId }) => accountId),
        batch.map(({ digest }) => digest),
      ]);
      return [];
    },
  });
  return {
    async lettersTo(accountId, digest, limit) {
      const { rows } = await db.query<{ letter: string }>(
        `select letter from guards.recipients where account_id = $1 and digest = $2
         order by noted_at desc limit $3`,
        [accountId, digest, limit],
      );
      return rows.map(({ letter }) => letterIdIn(letter));
    },
    note: (letterId, accountId, digest) => note({ letterId, accountId, digest }),
  };
};
