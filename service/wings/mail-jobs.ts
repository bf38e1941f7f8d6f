import type { Db } from '../../ground/db.ts';
import { addJob } from '../../infra/jobs/add-job.ts';
import { mailJobKey } from '../../infra/mail/mail-channels.ts';
import type { MailPorts } from '../../reactors/deliver-mail.ts';

/** The task that sends mails. */
export const mailTask = 'mail';

export const enqueueMailsIn =
  (db: Db): MailPorts['enqueue'] =>
  (mailId, job, runAtMs) =>
    addJob(db, mailTask, { ...job, mailId }, { key: mailJobKey(mailId), runAtMs });
