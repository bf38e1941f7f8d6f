import { accountAggregate } from '../commands/accounts/account.ts';
import { numberOf } from '../ground/plural.ts';
import { createWebhookSettings } from '../infra/webhooks/webhook-settings.ts';
import { eventIdOf } from '../presenters/account.ts';
import type { Foundation } from '../service/foundation/wing.ts';
import { parseLimit } from './accounts.ts';
import { type Command, exitCodes, Refused, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { theAccount } from './find-account.ts';
import { theLetter } from './find-letters.ts';
import {
  hasFailed,
  type NotificationWithChannels,
  notificationHead,
  notificationRow,
  notificationsOf,
  webhookFailed,
} from './notification-rows.ts';
import { printList } from './table.ts';

type ListOptions = { letter?: string; failed?: boolean; limit?: string; json?: boolean };

const anyFailed = ({ channels }: NotificationWithChannels): boolean => channels.some(hasFailed);

/** @throws UsageError */
const notifications = ([name, ...rest]: string[], options: ListOptions): Command => {
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
    const shown = failed ? all.filter(anyFailed) : all;
    printList(print, notificationHead, shown.map(notificationRow), { json });
    if (!json) print(`${numberOf(shown.length, 'notification')} of the newest ${all.length}.`);
    return exitCodes.done;
  };
};

export const notificationsCommand = defineCommand({
  name: 'notifications',
  usage: 'ACCOUNT [--letter LETTER] [--failed] [--limit N] [--json]',
  summary:
    'Lists the webhook and mail notifications of an account, with their state, newest first.',
  help: '--failed: among the newest N (50), only those that failed or wait for another attempt.',
  examples: ['notifications anna@example.com --failed'],
  options: { letter: 'text', failed: 'flag', limit: 'text', json: 'flag' },
  read: notifications,
});

/** @throws Refused */
const assertWebhook = async ({ commands }: Foundation, accountId: string): Promise<void> => {
  const { state } = await commands.handler.load(accountAggregate, accountId);
  if (state.settings.webhookUrl !== undefined && state.webhookDisabled === undefined) return;
  const why = state.webhookDisabled ? 'its webhook is disabled' : 'it has no webhook';
  throw new Refused(`${accountId}: ${why}. Its owner sets webhook_url with PUT /api/settings.`);
};

const eventIds = (ids: string[]): string[] =>
  ids.map((id) => {
    const eventId = eventIdOf(id);
    if (eventId === undefined) throw new UsageError(`NOTIFICATION ${id} is not a notification id`);
    return eventId;
  });

/** @throws UsageError */
const redeliver = ([name, ...ids]: string[], { failed = false }: { failed?: boolean }): Command => {
  if (name === undefined || failed === ids.length > 0) {
    throw new UsageError('redeliver takes ACCOUNT and NOTIFICATION …, or ACCOUNT and --failed');
  }
  const named = eventIds(ids);
  return async (foundation, print) => {
    const { storage, clock, keys, authority } = foundation;
    const { accountId } = await theAccount(foundation, name);
    await assertWebhook(foundation, accountId);
    const newest = failed ? await notificationsOf(foundation, { accountId, limit: 1_000 }) : [];
    const wanted = failed ? eventIds(newest.filter(webhookFailed).map(({ id }) => id)) : named;
    const { replayNotification } = createWebhookSettings({
      db: storage.readDb,
      clock,
      indexOf: keys.indexOf,
      webhookKey: () => keys.serviceKeys.activeKey('webhook'),
      hasEnded: authority.check.hasEnded,
    });
    // The oldest first: those of a letter are delivered in their order.
    for (const eventId of failed ? wanted.toReversed() : wanted) {
      const outcome = await replayNotification(accountId, eventId, undefined);
      if (outcome === 'unknown') {
        throw new Refused(`${accountId} has no notification ${ids[wanted.indexOf(eventId)]}.`);
      }
    }
    print(`${numberOf(wanted.length, 'notification')} of ${accountId} will be delivered again.`);
    return exitCodes.done;
  };
};

export const redeliverCommand = defineCommand({
  name: 'redeliver',
  usage: 'ACCOUNT NOTIFICATION … | ACCOUNT --failed',
  summary: 'Delivers notifications to the webhook of an account again.',
  help: `--failed: all that failed or wait for another attempt, among the newest 1,000. A running service delivers them at once, each under its old webhook-id. The owner must set a disabled webhook again first.
To send a mail again, use resend-mail.`,
  examples: ['redeliver anna@example.com --failed'],
  options: { failed: 'flag' },
  read: redeliver,
});
