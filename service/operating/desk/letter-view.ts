/** A letter as the operator's console shows it, without its content, names and addresses. */
import { decimalOf } from '../../../money/amounts.ts';
import { chargeOfCents, totalOf } from '../../../money/charge.ts';
import type {
  ChannelLine,
  DeliveryLine,
  LetterLine,
  LetterState,
  LetterView,
  MailLine,
} from '../../../pages/console/operator/desk.ts';
import { services } from '../../../postal/services.ts';
import type { ServiceId } from '../../../postal/types.ts';
import type { NotificationChannel } from '../../../presenters/account.ts';
import { expectedDeliveryOf } from '../../../presenters/expected-delivery.ts';
import { happenedAt, presentTracking } from '../../../presenters/letter.ts';
import { shownStatus } from '../../../presenters/status-words.ts';
import { approvalsOfLetter } from '../../../projections/approvals/query.ts';
import type { LetterRecord } from '../../../projections/letters/query.ts';
import { type MailRow, mailsOfLetter } from '../../../projections/mails/query.ts';
import type { Foundation } from '../../foundation/wing.ts';
import { hasFailed, type NotificationWithChannels, notificationsOf } from '../notifications-of.ts';

const mostShown = 50;

export const letterLine = ({ letterId, accountId, status, doc }: LetterRecord): LetterLine => ({
  letterId,
  accountId,
  test: doc.terms.test,
  status: shownStatus(status, doc.deliveryOutcome),
  service: doc.terms.service,
  since: doc.handOver?.since ?? doc.updatedAt,
  reason: doc.returnReason,
  handOver: doc.handOver?.state,
});

const channelLines = (channels: readonly NotificationChannel[], kind: string): ChannelLine[] =>
  channels
    .filter(({ channel }) => channel === kind)
    .map(({ state, attempts }) => {
      const last = attempts.at(-1);
      const why = state === 'delivered' ? undefined : (last?.error ?? last?.status);
      return { state, attempts: attempts.length, why: why == null ? undefined : String(why) };
    });

const deliveryLine = ({
  id,
  type,
  created_at: at,
  channels,
}: NotificationWithChannels): DeliveryLine => ({
  id,
  at,
  type,
  webhook: channelLines(channels, 'webhook'),
  mail: channelLines(channels, 'email'),
  failed: channels.some(hasFailed),
});

export const mailLine = (row: MailRow): MailLine => {
  const last = row.attempts.at(-1);
  return {
    mailId: row.mail_id,
    kind: row.kind.replaceAll('_', ' '),
    state: row.state,
    attempts: row.attempts.length,
    last: last?.at,
    error: last?.state === 'failed' ? last.error : undefined,
  };
};

const statesOf = ({ status, doc }: LetterRecord): LetterState[] => {
  const { deliveryOutcome, holdReason, failure, cancellation, deleted, erased } = doc;
  return [
    ...(status === 'draft' && holdReason ? [{ kind: 'held' as const, detail: holdReason }] : []),
    ...(deliveryOutcome === 'returned' ? [{ kind: 'returned' as const }] : []),
    ...(failure ? [{ kind: 'failed' as const, detail: `${failure.code}: ${failure.detail}` }] : []),
    ...(cancellation && status !== 'cancelled'
      ? [{ kind: 'cancellation' as const, detail: cancellation.status }]
      : []),
    ...(deleted ? [{ kind: 'deleted' as const }] : erased ? [{ kind: 'erased' as const }] : []),
  ];
};

type Facts = 'states' | 'service' | 'country' | 'pages' | 'price' | 'tracking' | 'expected';

const factsOf = (record: LetterRecord): Pick<LetterView, Facts> => {
  const { doc } = record;
  const { terms } = doc;
  const { earliest, latest } = expectedDeliveryOf(doc);
  return {
    states: statesOf(record),
    service: services[terms.service as ServiceId].name,
    country: terms.country,
    pages: terms.pages,
    price: decimalOf(totalOf(chargeOfCents(terms.price.charge))),
    tracking: presentTracking(doc).tracking_number ?? undefined,
    expected: { earliest, latest },
  };
};

export const letterView = async (
  foundation: Foundation,
  record: LetterRecord,
): Promise<LetterView> => {
  const { letterId, accountId, status, doc } = record;
  const { readDb } = foundation.storage;
  const [told, mails, approvals] = await Promise.all([
    notificationsOf(foundation, { accountId, letterId, limit: mostShown }),
    mailsOfLetter(readDb, letterId, mostShown),
    approvalsOfLetter(readDb, letterId, mostShown),
  ]);
  return {
    letterId,
    accountId,
    test: doc.terms.test,
    status,
    ...factsOf(record),
    timeline: doc.timeline.map((entry) => ({
      at: happenedAt(entry),
      status: entry.status,
      source: entry.source,
      inferred: entry.inferred === true,
    })),
    deliveries: told.map(deliveryLine),
    mails: mails.map(mailLine),
    approvals: approvals.map((one) => ({
      approvalId: one.approvalId,
      status: one.status,
      expiresAt: one.expiresAt.toISOString(),
    })),
    canReturn:
      !doc.terms.test &&
      doc.deliveryOutcome !== 'returned' &&
      ['processing', 'posted', 'in_transit'].includes(status),
  };
};
