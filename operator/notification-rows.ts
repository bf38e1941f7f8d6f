/** The notifications of an account: by webhook and by mail. */
import { mailChannelsOf, mergeChannels } from '../infra/mail/mail-channels.ts';
import { webhookChannels } from '../infra/webhooks/channels.ts';
import type { NotificationChannel } from '../presenters/account.ts';
import { presentNotification } from '../presenters/account.ts';
import { listNotifications } from '../projections/notifications/query.ts';
import type { Foundation } from '../service/foundation/wing.ts';

type Filter = { accountId: string; letterId?: string; limit: number };

/** Notifications of an account, the newest first, with their channels. */
export const notificationsOf = async ({ storage: { readDb: db } }: Foundation, filter: Filter) => {
  const rows = await listNotifications(db, filter);
  const eventIds = rows.map((row) => row.event_id);
  const channels = mergeChannels(
    await webhookChannels(db, filter.accountId, eventIds),
    await mailChannelsOf(db, eventIds),
  );
  return rows.map((row) => presentNotification(row, channels.get(row.event_id) ?? []));
};

export type NotificationWithChannels = Awaited<ReturnType<typeof notificationsOf>>[number];

/** `delivered (2 attempts)`, `failed: 500`, `pending, next 2026-…` */
const saidOf = ({ state, attempts, next_attempt_at: next }: NotificationChannel): string => {
  const last = attempts.at(-1);
  const why = state === 'delivered' ? '' : (last?.error ?? last?.status ?? '');
  return [
    why === '' ? state : `${state}: ${why}`,
    attempts.length > 1 ? ` (${attempts.length} attempts)` : '',
    next === null ? '' : `, next ${next}`,
  ].join('');
};

export const notificationHead = ['time', 'notification', 'type', 'letter', 'webhook', 'mail'];

export const notificationRow = ({
  id,
  type,
  letter_id: letterId,
  created_at: at,
  channels,
}: NotificationWithChannels) => {
  const by = (kind: NotificationChannel['channel']) =>
    channels
      .filter(({ channel }) => channel === kind)
      .map((one) => (one.mail === undefined ? '' : `${one.mail} `) + saidOf(one))
      .join('; ');
  return [at, id, type, letterId ?? '', by('webhook'), by('email')];
};

/** It failed for good, or waits for another attempt. */
export const hasFailed = ({ state, attempts }: NotificationChannel): boolean =>
  state === 'failed' || (state === 'pending' && attempts.length > 0);

export const webhookFailed = ({ channels }: NotificationWithChannels): boolean =>
  channels.some((one) => one.channel === 'webhook' && hasFailed(one));
