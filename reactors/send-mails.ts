import { accountAggregate } from '../commands/accounts/account.ts';
import {
  addressOf,
  type ConfirmedAddress,
  isAddressConfirmed,
} from '../commands/accounts/confirmation.ts';
import { letterAggregate } from '../commands/letters/letter.ts';
import type { AnyEvent } from '../events/envelope.ts';
import { letterIdIn } from '../events/letter.ts';
import { services } from '../postal/services.ts';
import type { ServiceId } from '../postal/types.ts';
import { approvalJobs, approvalMailId } from './approval-mails.ts';
import type { MailPorts, Recipient } from './deliver-mail.ts';
import { dueAfterMs, isStale, mailsOf } from './mail-plan.ts';
import {
  accountOfWallet,
  changedMailId,
  confirmMailId,
  confirmPeriodOf,
  letterMailId,
  mailIdOf,
} from './mail-subject.ts';
import type { Reactor } from './reactor.ts';

type Ports = Pick<
  MailPorts,
  | 'handler'
  | 'clock'
  | 'enqueue'
  | 'recipientOf'
  | 'digestOfEmail'
  | 'payerOf'
  | 'approvalLinks'
  | 'approvalsBefore'
>;

/**
 * Specification, section 6: one confirmation, and one more where the number comes later. Then how it
 * ended, unless it arrived.
 */
const payerKinds = new Set<string>([
  'shipped',
  'tracking_ready',
  'returned',
  'failed',
  'cancelled',
]);

/** The recipient that an event concerns; `untracked`: no number will ever come. */
const concerned = async (
  ports: Ports,
  event: AnyEvent,
): Promise<(Recipient & { untracked: boolean }) | undefined> => {
  if (event.type === 'FundsCredited' || event.type === 'FundsChargedBack') {
    return { accountId: accountOfWallet(event.stream), untracked: true };
  }
  if (event.type === 'OrderCredited') {
    const { accountId, letterId } = event.data;
    return accountId && letterId ? { accountId, letterId, untracked: true } : undefined;
  }
  if (
    event.type === 'WebhookDisabled' ||
    event.type === 'AuditWebhookDisabled' ||
    event.type === 'VolumeContractPeriodBreached'
  ) {
    return { accountId: event.data.accountId, untracked: true };
  }
  const letterId = letterIdIn(event.stream);
  const { state } = await ports.handler.load(letterAggregate, letterId);
  if (state.status === 'none') return undefined;
  const { accountId, service } = state.terms;
  const untracked = services[service as ServiceId].tracking === 'none';
  return { accountId, letterId, untracked };
};

/** The unconfirmed address that an event brings. */
const newAddressIn = (
  event: AnyEvent,
): { accountId: string; address: ConfirmedAddress } | undefined => {
  if (event.type === 'AccountRegistered' && event.data.kind === 'email') {
    return { accountId: event.data.accountId, address: 'registered' };
  }
  if (event.type === 'EmailChangeRequested') {
    const { accountId, madeBy } = event.data;
    return madeBy === 'operator' ? undefined : { accountId, address: 'change' };
  }
  // Needed only while no address of the account is confirmed.
  if (event.type === 'EmailChanged' && event.data.stoppableUntil === undefined) {
    return { accountId: event.data.accountId, address: 'registered' };
  }
  if (event.type !== 'SettingsChanged') return undefined;
  const { accountId, notificationEmail, confirmed } = event.data;
  return notificationEmail && !confirmed ? { accountId, address: 'notifications' } : undefined;
};

/** Asks an address whether it is right, unless it was asked just now. */
const askAddress =
  (ports: Ports, of: { accountId: string; address: ConfirmedAddress }, causedAtMs: number) =>
  async (): Promise<void> => {
    const { state } = await ports.handler.load(accountAggregate, of.accountId);
    const email = addressOf(state, of.address);
    if (email === undefined || isAddressConfirmed(state, of.address)) return;
    const period = confirmPeriodOf(causedAtMs);
    const { emailChanges, test } = state;
    const mailId = confirmMailId({ ...of, emailChanges, test }, ports.digestOfEmail(email), period);
    await ports.enqueue(mailId, { kind: 'confirm', ...of, period }, causedAtMs);
  };

/** Asks every approver with an address for a decision. */
const askApprovers =
  (ports: Ports, approvalId: string, askedAtMs: number) => async (): Promise<void> => {
    for (const job of await approvalJobs(ports, { approvalId, askedAtMs })) {
      await ports.enqueue(approvalMailId(approvalId, job.approver), job, askedAtMs);
    }
  };

/**
 * Adds a job for every mail that an event may make, if somebody wants mail. A job that is added again after a
 * crash finds its earlier steps in the mail's stream.
 */
export const createSendMails = (ports: Ports): Reactor => ({
  name: 'send-mails',
  react(event) {
    const causedAtMs = Date.parse(event.metadata.at);
    const asked = newAddressIn(event);
    if (asked) {
      return isStale('confirm', causedAtMs, ports.clock())
        ? undefined
        : askAddress(ports, asked, causedAtMs);
    }
    if (event.type === 'EmailChanged' && event.data.stoppableUntil !== undefined) {
      const { accountId, changeId } = event.data;
      const job = { kind: 'email_changed' as const, accountId, changeId };
      return isStale('email_changed', causedAtMs, ports.clock())
        ? undefined
        : () => ports.enqueue(changedMailId(accountId, changeId), job, causedAtMs);
    }
    if (event.type === 'ApprovalRequested' || event.type === 'PolicyChangeRequested') {
      return isStale('approval', causedAtMs, ports.clock())
        ? undefined
        : askApprovers(ports, event.data.approvalId, causedAtMs);
    }
    const kinds = mailsOf(event).filter((kind) => !isStale(kind, causedAtMs, ports.clock()));
    if (kinds.length === 0) return undefined;
    return async () => {
      const who = await concerned(ports, event);
      if (!who) return;
      const { stream, version } = event;
      const recipient = await ports.recipientOf(who);
      const forPayer = kinds.filter((kind) => payerKinds.has(kind));
      const payer =
        who.letterId === undefined || forPayer.length === 0
          ? undefined
          : await ports.payerOf(who.letterId);
      // Where payer and account have one address, it gets each mail once.
      if (payer !== undefined && payer.email.toLowerCase() !== recipient?.toLowerCase()) {
        for (const kind of forPayer) {
          const job = { kind, stream, version: `${version}`, to: 'payer' as const };
          await ports.enqueue(letterMailId(event.id, kind, 'payer'), job, causedAtMs);
        }
      }
      if (recipient === undefined) return;
      for (const kind of kinds) {
        if (kind === 'tracking_late' && who.untracked) continue;
        const job = { kind, stream, version: `${version}` };
        await ports.enqueue(mailIdOf(event.id, kind), job, causedAtMs + dueAfterMs(kind));
      }
    };
  },
});
