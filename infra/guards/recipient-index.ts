/** The index of recipients that accounts wrote to (infra/schema/22-recipients.sql). */
import type { RecipientIndex } from '../../commands/letters/known-recipients.ts';
import { letterIdIn, letterStream } from '../../events/letter.ts';
import type { Db } from '../../ground/db.ts';

export const createRecipientIndex = (db: Db): RecipientIndex => ({
  async lettersTo(accountId, digest, limit) {
    const { rows } = await db.query<{ letter: string }>(
      `select letter from guards.recipients where account_id = $1 and digest = $2
       order by noted_at desc limit $3`,
      [accountId, digest, limit],
    );
    return rows.map(({ letter }) => letterIdIn(letter));
  },

  async note(letterId, accountId, digest) {
    await db.query('select guards.note_recipient($1, $2, $3)', [
      letterStream(letterId),
      accountId,
      digest,
    ]);
  },
});
