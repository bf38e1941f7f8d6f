/** One mail once more, to the address that its account or payer has now. */

import { Refused } from '../../contract/operator-refused.ts';
import { dayOf } from '../../ground/day.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { mailsById } from '../../projections/mails/query.ts';
import { type MailJob, subjectOfJob } from '../../reactors/mail-subject.ts';
import type { Foundation } from '../foundation/wing.ts';
import { enqueueMailsIn } from '../wings/mail-jobs.ts';
import { mailSubjectsOf } from '../wings/mails.ts';
import { theLetter } from './find-letters.ts';
import { jobOfMail, jobsOfLetter } from './mail-jobs.ts';

/** @throws Refused */
const theJob = async (
  foundation: Foundation,
  mailId: string,
  letter: string | undefined,
): Promise<MailJob> => {
  const job =
    letter === undefined
      ? await mailsById(foundation.storage.readDb, [mailId]).then(
          ([row]) => row && jobOfMail(foundation, row),
        )
      : (await jobsOfLetter(foundation, (await theLetter(foundation, letter)).letterId)).get(
          mailId,
        );
  if (job) return job;
  throw new Refused(
    `There is no mail ${mailId} that can be sent again; mails lists them. For a mail to a payer, name the letter (--letter). A link for an address that the account no longer uses is not sent.`,
  );
};

/** @throws Refused */
const assertRecipient = async (foundation: Foundation, job: MailJob): Promise<void> => {
  if (!foundation.config.mail) throw new Refused('SMTP_URL is not set, so no mail is sent.');
  const ports = mailSubjectsOf(foundation, foundation.config.baseUrl ?? '');
  const subject = await subjectOfJob(ports, job);
  if (!subject) throw new Refused('This mail is no longer needed: what it asks for is done.');
  if (subject.judgeAgain() === 'drop') {
    throw new Refused('This mail is no longer true: a later mail replaced it.');
  }
  const to = subject.address ?? (await ports.recipientOf(subject));
  if (to !== undefined) return;
  throw new Refused(
    `${subject.accountId} has no confirmed notification address. Its owner sets notification_email with PUT /api/settings.`,
  );
};

type Wish = {
  mailId: string;
  /** Of a mail to the payer of an order. */
  letter?: string | undefined;
  /** Each request is carried out once; absent: once a day. */
  request?: string | undefined;
};

/** @throws Refused */
export const sendMailAgain = async (
  foundation: Foundation,
  { mailId, letter, request }: Wish,
): Promise<MailJob> => {
  const job = await theJob(foundation, mailId, letter);
  await assertRecipient(foundation, job);
  const { clock, storage } = foundation;
  const now = clock();
  const again = uuidv5(mailId, `again\n${request ?? dayOf(now)}`);
  await enqueueMailsIn(storage.readDb, clock)(mailId, { ...job, again }, now);
  return job;
};
