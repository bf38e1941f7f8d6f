/** The notifications of an account: by webhook and by mail. */
import { mailChannelsOf, mergeChannels } from '../../infra/mail/mail-channels.ts';
import { webhookChannels } from '../../infra/webhooks/channels.ts';
import type { NotificationChannel } from '../../presenters/account.ts';
import { presentNotification } from '../../presenters/account.ts';
import { listNotifications } from '../../projections/notifications/query.ts';
import type { Foundation } from '../foundation/wing.ts';

type Filter = { accountId: string; letterId?: string; limit: number };

/** Notifications of an account, the newest first, with their channels. */
export const notificationsOf = async ({ storage: { readDb: db } }: Foundation, filter: Filter) => {
  const rows = await listNotifications(db, filter);
  const eventIds = rows.map((row) => row.event_id);
  const channels = mergeChannels(
    await webhookChannels(db, filter.accountId, eventIds),
    await mailChannelsOf(db, rows),
  );
  return rows.map((row) => presentNotification(row, channels.get(row.event_id) ?? []));
};

export type NotificationWithChannels = Awaited<ReturnType<typeof notificationsOf>>[number];

/** It failed for good, or waits for another attempt. */
export const hasFailed = ({ state, attempts }: NotificationChannel): boolean =>
  state === 'failed' || (state === 'pending' && attempts.length > 0);

/**
 * Those that the webhook did not get: that failed, wait for another attempt, were cancelled, or came while the webhook was
 * disabled.
 * @param newest the newest first
 */
export const missedByWebhook = (
  newest: readonly NotificationWithChannels[],
): NotificationWithChannels[] => {
  const disabledFirst = newest.findLastIndex(({ type }) => type === 'webhook.disabled');
  return newest.filter(({ type, channels }, n) => {
    if (type === 'webhook.disabled') return false;
    const webhook = channels.find(({ channel }) => channel === 'webhook');
    return webhook === undefined
      ? n < disabledFirst
      : hasFailed(webhook) || webhook.state === 'cancelled';
  });
};
