/** A letter as the operator's console shows it: nothing of its content, and nobody's name or address. */
import { dollars } from '../../../money/amounts.ts';
import { chargeOfCents, totalOf } from '../../../money/charge.ts';
import type {
  DeliveryLine,
  LetterLine,
  LetterView,
  MailLine,
} from '../../../pages/console/operator/desk.ts';
import { services } from '../../../postal/services.ts';
import type { ServiceId } from '../../../postal/types.ts';
import type { NotificationChannel } from '../../../presenters/account.ts';
import { presentTracking } from '../../../presenters/letter.ts';
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
  status: doc.deliveryOutcome === 'returned' ? 'returned' : status,
  service: doc.terms.service,
  since: doc.handOver?.since ?? doc.updatedAt,
  note: doc.returnReason?.replaceAll('_', ' ') ?? doc.handOver?.state.replaceAll('_', ' ') ?? '',
});

const channelText = (channels: readonly NotificationChannel[], kind: string): string =>
  channels
    .filter(({ channel }) => channel === kind)
    .map(({ state, attempts }) => {
      const last = attempts.at(-1);
      const why = state === 'delivered' ? '' : String(last?.error ?? last?.status ?? '');
      return `${state}${why && ` (${why})`}, ${attempts.length} attempts`;
    })
    .join('; ');

const deliveryLine = ({
  id,
  type,
  created_at: at,
  channels,
}: NotificationWithChannels): DeliveryLine => ({
  id,
  at,
  type,
  webhook: channelText(channels, 'webhook'),
  mail: channelText(channels, 'email'),
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

const statusText = ({ status, doc }: LetterRecord): string => {
  const { deliveryOutcome, holdReason, failure, cancellation, deleted, erased } = doc;
  return [
    status,
    ...(status === 'draft' && holdReason ? [`held for ${holdReason}`] : []),
    ...(deliveryOutcome === 'returned' ? ['returned'] : []),
    ...(failure ? [`${failure.code}: ${failure.detail}`] : []),
    ...(cancellation && status !== 'cancelled' ? [`cancellation ${cancellation.status}`] : []),
    ...(deleted ? ['deleted by its owner'] : erased ? ['erased'] : []),
  ].join(', ');
};

const factsOf = (record: LetterRecord): LetterView['facts'] => {
  const { doc } = record;
  const { terms } = doc;
  const tracking = presentTracking(doc);
  const { earliest, latest } = terms.expectedDelivery;
  return [
    { name: 'Status', value: statusText(record) },
    { name: 'Service', value: services[terms.service as ServiceId].name },
    { name: 'Country', value: terms.country },
    { name: 'Pages', value: String(terms.pages) },
    { name: 'Price', value: dollars(totalOf(chargeOfCents(terms.price.charge))) },
    { name: 'Tracking number', value: tracking.tracking_number ?? 'none' },
    { name: 'Expected', value: `${earliest} to ${latest}` },
  ];
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
    facts: factsOf(record),
    timeline: doc.timeline.map((entry) => ({
      at: entry.at,
      status: entry.status,
      source: entry.source,
      note: entry.inferred ? 'inferred' : '',
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
      ['processing', 'posted', 'in_transit', 'delivered'].includes(status),
  };
};
