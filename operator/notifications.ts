import { numberOf } from '../ground/plural.ts';
import { eventIdOf } from '../presenters/account.ts';
import { deliverAgain } from '../service/operating/deliver-again.ts';
import { theAccount } from '../service/operating/find-account.ts';
import { theLetter } from '../service/operating/find-letters.ts';
import {
  hasFailed,
  missedByWebhook,
  type NotificationWithChannels,
  notificationsOf,
} from '../service/operating/notifications-of.ts';
import { parseLimit } from './accounts.ts';
import { type CommandWork, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { notificationHead, notificationRow } from './notification-rows.ts';
import { printList } from './table.ts';

type ListOptions = { letter?: string; failed?: boolean; limit?: string; json?: boolean };

/** With those that `redeliver --failed` delivers. */
const failedOf = (newest: NotificationWithChannels[]): NotificationWithChannels[] => {
  const missed = new Set(missedByWebhook(newest));
  return newest.filter((one) => missed.has(one) || one.channels.some(hasFailed));
};

/** @throws UsageError */
const notifications = ([name, ...rest]: string[], options: ListOptions): CommandWork => {
  if (name === undefined || rest.length > 0) {
    throw new UsageError('notifications takes one ACCOUNT');
  }
  const limit = parseLimit(options.limit, 50);
  const { letter, failed = false, json } = options;
  return async (foundation, print) => {
    const { accountId } = await theAccount(foundation, name);
    const letterId =
      letter === undefined ? undefined : (await theLetter(foundation, letter)).letterId;
    const all = await notificationsOf(foundation, { accountId, letterId, limit });
    const shown = failed ? failedOf(all) : all;
    printList(print, notificationHead, shown.map(notificationRow), { json });
    if (!json) print(`${numberOf(shown.length, 'notification')} of the newest ${all.length}.`);
  };
};

export const notificationsCommand = defineCommand({
  name: 'notifications',
  usage: 'ACCOUNT [--letter LETTER] [--failed] [--limit N] [--json]',
  summary:
    'Lists the webhook and mail notifications of an account, with their state, newest first.',
  help: '--failed: among the newest N (50), only those that failed, wait for another attempt, were cancelled, or came while the webhook was disabled.',
  examples: ['notifications anna@example.com --failed'],
  options: { letter: 'text', failed: 'flag', limit: 'text', json: 'flag' },
  read: notifications,
});

const eventIds = (ids: string[]): string[] =>
  ids.map((id) => {
    const eventId = eventIdOf(id);
    if (eventId === undefined) throw new UsageError(`NOTIFICATION ${id} is not a notification id`);
    return eventId;
  });

/** @throws UsageError */
const redeliver = (
  [name, ...ids]: string[],
  { failed = false }: { failed?: boolean },
): CommandWork => {
  if (name === undefined || failed === ids.length > 0) {
    throw new UsageError('redeliver takes ACCOUNT and NOTIFICATION …, or ACCOUNT and --failed');
  }
  const named = eventIds(ids);
  return async (foundation, print) => {
    const { accountId } = await theAccount(foundation, name);
    const newest = failed ? await notificationsOf(foundation, { accountId, limit: 1_000 }) : [];
    const wanted = failed ? eventIds(missedByWebhook(newest).map(({ id }) => id)) : named;
    // The oldest first: those of a letter are delivered in their order.
    const inOrder = failed ? wanted.toReversed() : wanted;
    const delivered = await deliverAgain(foundation, accountId, inOrder, { passesOver: failed });
    print(`${numberOf(delivered, 'notification')} of ${accountId} will be delivered again.`);
  };
};

export const redeliverCommand = defineCommand({
  name: 'redeliver',
  usage: 'ACCOUNT NOTIFICATION … | ACCOUNT --failed',
  summary: 'Delivers notifications to the webhook of an account again.',
  help: `--failed: among the newest 1,000, all that failed, wait for another attempt, were cancelled, or came while the webhook was disabled. A running service delivers them at once, each under its old webhook-id. The owner must set a disabled webhook again first.
To send a mail again, use resend-mail.`,
  examples: ['redeliver anna@example.com --failed'],
  options: { failed: 'flag' },
  read: redeliver,
});
