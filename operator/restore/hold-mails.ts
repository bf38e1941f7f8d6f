/**
 * Mails that waited when the backup was made may have been sent since: nobody can know. They are taken out of the
 * queue and listed, so that a person can send them again.
 */
import type { Db } from '../../ground/db.ts';
import { jobsSchema } from '../../infra/jobs/add-job.ts';
import { mailTask } from '../../service/wings/mail-jobs.ts';

type HeldMail = { mailId: string; kind: string };

export const holdMails = async (db: Db): Promise<HeldMail[]> => {
  const { rows } = await db.query<HeldMail>(
    `with waiting as (
       select j.id, j.key from ${jobsSchema}.jobs j where j.task_identifier = $1
     ), done as (
       delete from ${jobsSchema}._private_jobs p using waiting w where p.id = w.id
       returning p.payload
     )
     select payload->>'mailId' as "mailId", payload->>'kind' as kind from done`,
    [mailTask],
  );
  return rows;
};
