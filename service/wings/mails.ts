/** E-mail, put together: what the reactor adds jobs by, and the task that sends. */
import { randomUUID } from 'node:crypto';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { notificationAddress } from '../../commands/accounts/confirmation.ts';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import { dropMail, mailAggregate } from '../../commands/mails/mail.ts';
import { orderAggregate, orderIdOf } from '../../commands/payments/order.ts';
import { wasTakenBack } from '../../commands/payments/place-order.ts';
import type { DataKeys } from '../../events/data-keys.ts';
import type { EventStore } from '../../events/event-store.ts';
import type { Clock } from '../../ground/clock.ts';
import { createCounters } from '../../ground/counters.ts';
import type { Db } from '../../ground/db.ts';
import { createIncident } from '../../ground/incident.ts';
import type { Log } from '../../ground/log.ts';
import type { CredentialLog } from '../../identity/credential-log.ts';
import type { JobTask } from '../../infra/jobs/jobs.ts';
import { createMailWriter, unsubscribeUrlIn } from '../../infra/mail/write-mail.ts';
import { createSlots } from '../../limits/slots.ts';
import { defaultLimits } from '../../limits/table.ts';
import { approvalsBefore } from '../../projections/approvals/query.ts';
import { mails as mailRows } from '../../projections/mails/project.ts';
import {
  deliverMail,
  type EndedAttempt,
  type MailPorts,
  mailResults,
} from '../../reactors/deliver-mail.ts';
import type { MailJob, SubjectPorts } from '../../reactors/mail-subject.ts';
import type { Reactor } from '../../reactors/reactor.ts';
import { createSendMails } from '../../reactors/send-mails.ts';
import type { Config } from '../config/config.ts';
import type { DerivedKeys } from '../foundation/keys.ts';
import { countersOf, type Sample, type Wing } from '../foundation/wing.ts';
import { approvalLinksOf, approvalPageOf } from './approval-page.ts';
import { certificateOf, closureCodesOf } from './closure-mails.ts';
import { enqueueMailsIn, mailTask } from './mail-jobs.ts';
import { orderPageOf } from './order-page.ts';
import { emailLinksOf, recoveryTokensOf, signInTokensOf } from './recovery.ts';
import { trackingPageOf } from './tracking.ts';

type Payload = MailJob & { mailId: string };

const busyPauseMs = 30_000;

/** A mail that finds no connection comes again within half a minute: jobs of others must not wait for it. */
const sendingTask = (ports: MailPorts): JobTask => {
  const connections = createSlots(defaultLimits.mailConnections);
  return async (payload, { signal }) => {
    signal.throwIfAborted();
    const { mailId, ...job } = payload as Payload;
    if (!connections.take()) {
      await ports.enqueue(mailId, job, ports.clock() + Math.random() * busyPauseMs);
      return;
    }
    try {
      await deliverMail({ ...ports, send: (mail) => ports.send(mail, signal) }, mailId, job);
    } finally {
      connections.giveBack();
    }
  };
};

/** Without a mail server nothing is sent; mails begun with one are closed. */
const closingTask =
  ({ handler }: { handler: CommandHandler }): JobTask =>
  async (payload) => {
    const { mailId } = payload as Payload;
    const context = { commandId: randomUUID(), actor: 'reactor:send-mails' };
    await handler.handle(mailAggregate, mailId, context, (mail) =>
      dropMail(mail, { type: 'DropMail', code: 'no_mail_server' }),
    );
  };

/** An incident of the mail server ends with a mail that is sent when no connection has failed for this time. */
const calmMs = 30_000;

/**
 * Counts attempts and logs those that failed. Each mail that the mail server refused or may have taken gets a line. A mail
 * server that takes no mails is one incident, however many mails wait for it.
 */
const followAttempts = (log: Log) => {
  const results = createCounters(mailResults);
  const incident = createIncident(log, { part: 'mail' }, { calmMs });
  const ended = ({ result, ...attempt }: EndedAttempt): void => {
    results.add(result);
    if (result === 'sent') incident.over();
    else if (result === 'failed') log.warn(attempt, 'a mail was not sent and is not tried again');
    else if (result === 'unknown') log.warn(attempt, 'a mail may have arrived and is not repeated');
    else if (attempt.code === 'interrupted') log.info(attempt, 'a stop interrupted a mail');
    else if (attempt.code === 'greylisted') log.info(attempt, 'a mail was refused for now');
    else incident.report(attempt.code, 'the mail server takes no mails; they are tried again');
  };
  return { results, ended };
};

/** The parts of the service's foundation that mails need. */
export type MailFoundation = {
  config: Pick<Config, 'mail' | 'limits' | 'serviceName'>;
  clock: Clock;
  commands: { handler: CommandHandler };
  storage: { store: EventStore; readDb: Db; credentials: Pick<CredentialLog, 'byEventIds'> };
  keys: DerivedKeys & { dataKeys: Pick<DataKeys, 'get'> };
};

type RecipientPorts = SubjectPorts & Pick<MailPorts, 'recipientOf'>;

/** Subjects and recipients of mails. */
export const mailSubjectsOf = (foundation: MailFoundation, baseUrl: string): RecipientPorts => {
  const { handler } = foundation.commands;
  const orderPage = orderPageOf(foundation, baseUrl);
  return {
    handler,
    store: foundation.storage.store,
    dataKeys: foundation.keys.dataKeys,
    digestOfEmail: emailLinksOf(foundation).digestOfEmail,
    async recipientOf({ accountId }) {
      const { state } = await handler.load(accountAggregate, accountId);
      return notificationAddress(state);
    },
    async payerOf(letterId) {
      const { state } = await handler.load(orderAggregate, orderIdOf(letterId));
      if (state.status !== 'fulfilled' || state.placed.email === '') return undefined;
      const { orderId, amountMinor, currency, email } = state.placed;
      const page = orderPage(orderId);
      const order = { orderId, amountMinor, currency, page };
      return { email, order: { ...order, isTakenBack: await wasTakenBack(handler, state.placed) } };
    },
    recipientPageOf: trackingPageOf(foundation, baseUrl),
    approvalLinks: approvalLinksOf(foundation),
    certificateOf: certificateOf(foundation),
    approvalsBefore: (accountId, approvalId) =>
      approvalsBefore(foundation.storage.readDb, accountId, approvalId),
  };
};

/**
 * The reactor and the task. Without SMTP_URL there is no reactor, and the task drops what asked for a
 * recovery link.
 */
export const createMails = async (
  foundation: MailFoundation & { log: Log },
  baseUrl: string,
): Promise<{
  reactors: Reactor[];
  tasks: Record<string, JobTask>;
  samples?: () => Sample[];
  close(): void;
}> => {
  const { config, clock, commands, storage } = foundation;
  if (!config.mail) {
    return { reactors: [], tasks: { [mailTask]: closingTask(commands) }, close: () => {} };
  }
  const { smtpTimeoutMs } = config.limits;
  const { createMailer } = await import('../../infra/mail/mailer.ts');
  const { createMailSender } = await import('../../infra/mail/mail-sender.ts');
  const mailer = createMailer({ ...config.mail, timeoutMs: smtpTimeoutMs });
  const { results, ended } = followAttempts(foundation.log);
  const linking = { baseUrl, ...emailLinksOf(foundation) };
  const ports: MailPorts = {
    ...mailSubjectsOf(foundation, baseUrl),
    clock,
    unsubscribeUrl: unsubscribeUrlIn(linking),
    enqueue: enqueueMailsIn(storage.readDb, clock),
    write: createMailWriter({
      ...linking,
      tokens: recoveryTokensOf(foundation),
      closureCodes: closureCodesOf(foundation),
      signInTokens: signInTokensOf(foundation),
      approvalPage: approvalPageOf(foundation, baseUrl),
      clock,
      service: config.serviceName,
    }),
    send: createMailSender(mailer, config.mail.from),
    ended,
    lostAfterMs: 2 * smtpTimeoutMs,
  };
  return {
    reactors: [createSendMails(ports)],
    tasks: { [mailTask]: sendingTask(ports) },
    samples: () => countersOf('mails_total', 'result', results),
    close: () => mailer.close(),
  };
};

export const mails: Wing = {
  name: 'mails',
  projections: [mailRows],
  metrics: [
    {
      name: 'mails_total',
      help: 'Attempts to send a mail by result: sent, retried, failed for good, unknown',
      labels: ['result'],
      kind: 'counter',
    },
  ],
  open: (site) => ({
    async react({ closing }) {
      const { close, ...reactions } = await createMails(site, site.baseUrl);
      closing.defer(close);
      return reactions;
    },
  }),
};
