import { createHash, createSecretKey, randomBytes } from 'node:crypto';
import { createClosureCodes } from '../../commands/accounts/closure-codes.ts';
import { createEmailTokens } from '../../commands/accounts/confirmation.ts';
import { createRecoveryTokens } from '../../commands/accounts/recovery.ts';
import { createApprovalLinks } from '../../commands/approvals/approval-links.ts';
import { letterAggregate } from '../../commands/letters/letter.ts';
import {
  type ReportProgress,
  reportProgress,
  startProduction,
} from '../../commands/letters/letter-production.ts';
import { decodeEvent } from '../../events/envelope.ts';
import { createMailSender } from '../../infra/mail/mail-sender.ts';
import { createMailer } from '../../infra/mail/mailer.ts';
import { createMailWriter, unsubscribeUrlIn } from '../../infra/mail/write-mail.ts';
import type { ServiceId } from '../../postal/types.ts';
import { deliverMail, type MailPorts } from '../../reactors/deliver-mail.ts';
import type { MailJob } from '../../reactors/mail-subject.ts';
import { createSendMails } from '../../reactors/send-mails.ts';
import { createLinkTokens } from '../../read-api/link-tokens.ts';
import { withKey } from './keyring.ts';
import { aloneLease } from './lease.ts';
import { createLetterWorld, letterTo, plainly } from './letter-world.ts';
import type { TestSmtpServer } from './smtp-server.ts';

export const reader = 'jane@example.org';
const paidOrder = {
  amountMinor: 171,
  currency: 'USD',
  page: 'https://letters.example.org/order/1',
};
const from = 'Letters <post@letters.example.org>';

/**
 * Letters, the reactor and the task over a real mail server; jobs and time are the test's.
 * @param timeoutMs of a mail, in real time; short only where the mail server does not answer
 */
export const createMailWorld = async (smtp: TestSmtpServer, timeoutMs = 30_000) => {
  const world = createLetterWorld();
  const mailer = createMailer({ smtpUrl: smtp.url, from, timeoutMs });
  const jobs = new Map<string, { job: MailJob; runAtMs: number }>();
  const settings = {
    recipient: reader as string | undefined,
    payer: undefined as string | undefined,
    recipientPage: undefined as string | undefined,
    approvalsBefore: 0,
    certificate: undefined as string | undefined,
  };
  const approvalLinks = createApprovalLinks({
    handler: world.handler,
    clock: world.clock,
    indexOf: (kind, value) => createHash('sha256').update(`${kind}\n${value}`).digest('base64url'),
    tokens: createLinkTokens(withKey(createSecretKey(randomBytes(32)))),
  });
  const digestOfEmail = (email: string): string =>
    createHash('sha256').update(email.toLowerCase()).digest('base64url');
  const linking = {
    baseUrl: 'https://letters.example.org',
    emailTokens: createEmailTokens(withKey(createSecretKey(randomBytes(32)))),
    digestOfEmail,
  };
  const closureCodes = createClosureCodes(withKey(randomBytes(32)));
  const ports: MailPorts = {
    handler: world.handler,
    store: world.store,
    dataKeys: world.dataKeys,
    digestOfEmail,
    unsubscribeUrl: unsubscribeUrlIn(linking),
    clock: world.clock,
    async enqueue(mailId, job, runAtMs) {
      jobs.set(mailId, { job, runAtMs });
    },
    recipientOf: async () => settings.recipient,
    payerOf: async (letterId) =>
      settings.payer === undefined
        ? undefined
        : { email: settings.payer, order: { ...paidOrder, orderId: `order-${letterId}` } },
    recipientPageOf: async () => settings.recipientPage,
    approvalLinks,
    approvalsBefore: async () => settings.approvalsBefore,
    certificateOf: async () => settings.certificate,
    write: createMailWriter({
      ...linking,
      tokens: createRecoveryTokens(withKey(randomBytes(32))),
      closureCodes,
      signInTokens: createRecoveryTokens(withKey(randomBytes(32))),
      approvalPage: ({ approvalId, approver }) =>
        `https://letters.example.org/approvals/${approvalId}?token=${approvalLinks.tokenOf(approvalId, approver)}`,
      clock: world.clock,
      service: { name: 'Letters', contact: 'help@letters.example.org' },
    }),
    send: createMailSender(mailer, from),
    lostAfterMs: 60_000,
  };
  const reactor = createSendMails(ports);
  await world.fund(100_000n);
  // The credit is not what the tests are about.
  let after = await world.store.head();

  /** Shows the reactor what is new in the log. */
  const react = async (): Promise<void> => {
    for (const recorded of await world.store.readAll({ after })) {
      await reactor.react(decodeEvent(recorded), after)?.(aloneLease);
      after = recorded.position;
    }
  };

  return {
    ...world,
    ports,
    approvalLinks,
    closureCodes,
    jobs,
    settings,
    react,
    /** Runs jobs in the order of their time until `ms` from now have passed. */
    async pass(ms: number): Promise<void> {
      const endMs = world.time.now + ms;
      await react();
      for (;;) {
        const [next] = [...jobs].sort(([, a], [, b]) => a.runAtMs - b.runAtMs);
        if (!next || next[1].runAtMs > endMs) break;
        jobs.delete(next[0]);
        world.time.now = Math.max(world.time.now, next[1].runAtMs);
        await deliverMail(ports, next[0], next[1].job);
      }
      world.time.now = endMs;
    },
    async letterBy(service: ServiceId, test = false): Promise<string> {
      const country = service.slice(0, 2).toUpperCase();
      const places: Record<string, object> = {
        FR: {},
        DE: { line1: 'Heidestr. 17', city: 'Berlin', postalCode: '10557', country: 'DE' },
      };
      const input = letterTo(places[country] ?? {}, { service, stationery: { language: 'en' } });
      const key = `${service} ${Math.random()}`;
      const sent = await world.letters.send(input, plainly, world.asked(key, '', { test }));
      await world.handler.handle(letterAggregate, sent.letterId, world.context(), (letter) =>
        startProduction(letter, {
          type: 'StartProduction',
          partner: 'p',
          jobId: 'j',
          source: 'partner',
        }),
      );
      return sent.letterId;
    },
    report: (letterId: string, report: object) =>
      world.handler.handle(letterAggregate, letterId, world.context(), (letter) =>
        reportProgress(letter, {
          type: 'ReportProgress',
          source: 'partner',
          ...report,
        } as ReportProgress),
      ),
    /** The types of the events of all mails, in log order. */
    async mailEvents(): Promise<string[]> {
      const events = await world.store.readAll({ after: 0n });
      return events.filter(({ stream }) => stream.startsWith('mail-')).map(({ type }) => type);
    },
    close: () => mailer.close(),
  };
};

export type MailWorld = Awaited<ReturnType<typeof createMailWorld>>;
