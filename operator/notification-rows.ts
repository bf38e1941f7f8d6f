/** Rows of notifications, for lists. */
import type { NotificationChannel } from '../presenters/account.ts';
import type { NotificationWithChannels } from '../service/operating/notifications-of.ts';

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
