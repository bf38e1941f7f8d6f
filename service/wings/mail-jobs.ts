import type { Clock } from '../../ground/clock.ts';
import type { Db } from '../../ground/db.ts';
import { addJob } from '../../infra/jobs/add-job.ts';
import { mailJobKey } from '../../infra/mail/mail-channels.ts';
import type { MailPorts } from '../../reactors/deliver-mail.ts';

/** The task that sends mails. */
export const mailTask = 'mail';

/** The times of mails are those of `clock`, and jobs wait by the clock of the database. */
export const enqueueMailsIn =
  (db: Db, clock: Clock): MailPorts['enqueue'] =>
  (mailId, job, runAtMs) =>
    addJob(
      db,
      mailTask,
      { ...job, mailId },
      { key: mailJobKey(mailId), waitMs: runAtMs - clock() },
    );
