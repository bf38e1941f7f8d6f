/**
 * Mails that waited when the backup was made may have been sent since: nobody can know. They are taken out of the
 * queue and listed, so that a person can send them again.
 */
import type { Db } from '../../ground/db.ts';
import { mailTask } from '../../service/wings/mail-jobs.ts';

type HeldMail = { mailId: string; kind: string };

export const holdMails = async (db: Db): Promise<HeldMail[]> => {
  const { rows } = await db.query<HeldMail>(
    `delete from work.jobs where task = $1
     returning payload->>'mailId' as "mailId", payload->>'kind' as kind`,
    [mailTask],
  );
  return rows;
};
