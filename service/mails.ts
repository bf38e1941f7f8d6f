/** E-mail, put together: what the reactor adds jobs by, and the task that sends. */
import { randomUUID } from 'node:crypto';
import { accountAggregate } from '../commands/accounts/account.ts';
import { createRecoveryTokens } from '../commands/accounts/recovery.ts';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { dropMail, mailAggregate } from '../commands/mails/mail.ts';
import type { Clock } from '../contract/clock.ts';
import type { Db } from '../contract/db.ts';
import type { EventStore } from '../events/event-store.ts';
import { addJob } from '../infra/jobs/add-job.ts';
import type { JobTask } from '../infra/jobs/jobs.ts';
import { deriveKey } from '../infra/keys/derive.ts';
import { mailJobKey } from '../infra/mail/mail-channels.ts';
import { createMailSender } from '../infra/mail/mail-sender.ts';
import { createMailer } from '../infra/mail/mailer.ts';
import { createMailWriter } from '../infra/mail/write-mail.ts';
import { deliverMail, type MailPorts } from '../reactors/deliver-mail.ts';
import { type MailJob, recoveryMailId, recoveryPeriodOf } from '../reactors/mail-subject.ts';
import type { Reactor } from '../reactors/reactor.ts';
import { createSendMails } from '../reactors/send-mails.ts';
import type { Recovery } from '../write-api/recovery.ts';
import type { Config } from './config/config.ts';

/** The task of graphile-worker that sends mails. */
export const mailTask = 'mail';

const enqueueIn =
  (db: Db): MailPorts['enqueue'] =>
  (mailId, job, runAtMs) =>
    addJob(db, mailTask, { ...job, mailId }, { key: mailJobKey(mailId), runAtMs });

type Payload = MailJob & { mailId: string };

/** Connections to the mail server, which does not like many; jobs of others must not wait for them. */
const maxAtOnce = 16;
const busyPauseMs = 30_000;

/** Sends so many mails at once; a job beyond them comes again within half a minute. */
const sendingTask = (ports: MailPorts): JobTask => {
  let running = 0;
  return async (payload, { signal }) => {
    signal.throwIfAborted();
    const { mailId, ...job } = payload as Payload;
    if (running >= maxAtOnce) {
      await ports.enqueue(mailId, job, ports.clock() + Math.random() * busyPauseMs);
      return;
    }
    running++;
    try {
      await deliverMail(ports, job);
    } finally {
      running--;
    }
  };
};

/** Without a mail server nothing is sent; what was begun with one is closed. */
const closingTask =
  ({ handler }: MailFoundation): JobTask =>
  async (payload) => {
    const { mailId } = payload as Payload;
    const context = { commandId: randomUUID(), actor: 'reactor:send-mails' };
    await handler.handle(mailAggregate, mailId, context, (mail) =>
      dropMail(mail, { type: 'DropMail', code: 'no_mail_server' }),
    );
  };

/** What this needs of the service's foundation. */
export type MailFoundation = {
  config: Pick<Config, 'mail' | 'limits'>;
  handler: CommandHandler;
  store: EventStore;
  clock: Clock;
  readDb: Db;
  masterKey: Buffer;
};

const tokensOf = ({ masterKey }: MailFoundation) =>
  createRecoveryTokens(deriveKey(masterKey, 'recovery'));

/**
 * The reactor and the task. Without SMTP_URL there is no reactor, and the task drops what asked for a
 * recovery link.
 */
export const createMails = (
  foundation: MailFoundation,
  baseUrl: string,
): { reactors: Reactor[]; tasks: Record<string, JobTask>; close(): void } => {
  const { config, handler, store, clock, readDb } = foundation;
  if (!config.mail) {
    return { reactors: [], tasks: { [mailTask]: closingTask(foundation) }, close: () => {} };
  }
  const { smtpTimeoutMs } = config.limits;
  const mailer = createMailer({ ...config.mail, timeoutMs: smtpTimeoutMs });
  const ports: MailPorts = {
    handler,
    store,
    clock,
    enqueue: enqueueIn(readDb),
    async recipientOf({ accountId }) {
      const { state } = await handler.load(accountAggregate, accountId);
      return state.settings.notificationEmail;
    },
    write: createMailWriter({ baseUrl, tokens: tokensOf(foundation), clock }),
    send: createMailSender(mailer, config.mail.from),
    lostAfterMs: 2 * smtpTimeoutMs,
  };
  return {
    reactors: [createSendMails(ports)],
    tasks: { [mailTask]: sendingTask(ports) },
    close: () => mailer.close(),
  };
};

/** The job of a link is added whether mail is configured or not, so that both answer equally fast. */
export const createRecovery = (foundation: MailFoundation): Recovery => {
  const enqueue = enqueueIn(foundation.readDb);
  return {
    tokens: tokensOf(foundation),
    mailConfigured: foundation.config.mail !== undefined,
    sendLink(accountId) {
      const now = foundation.clock();
      const period = recoveryPeriodOf(now);
      const job = { kind: 'recovery' as const, accountId, period };
      return enqueue(recoveryMailId(accountId, period), job, now);
    },
  };
};
