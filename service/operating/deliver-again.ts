/** Notifications that are delivered to the webhook of their account again. */
import { accountAggregate } from '../../commands/accounts/account.ts';
import { Refused } from '../../contract/operator-refused.ts';
import { createWebhookSettings } from '../../infra/webhooks/webhook-settings.ts';
import { notificationIdOf } from '../../presenters/account.ts';
import type { Foundation } from '../foundation/wing.ts';

/** @throws Refused */
const assertWebhook = async ({ commands }: Foundation, accountId: string): Promise<void> => {
  const { state } = await commands.handler.load(accountAggregate, accountId);
  if (state.settings.webhookUrl !== undefined && state.webhookDisabled === undefined) return;
  const why = state.webhookDisabled ? 'its webhook is disabled' : 'it has no webhook';
  throw new Refused(`${accountId}: ${why}. Its owner sets webhook_url with PUT /api/settings.`);
};

type How = {
  /** Carried out once; absent: each call is another request. */
  request?: string | undefined;
  /** Passes over notifications that are gone, such as those of a letter that was deleted a moment ago. */
  passesOver?: boolean;
};

/**
 * One after the other, in the order given.
 * @returns how many are delivered again
 * @throws Refused
 */
export const deliverAgain = async (
  foundation: Foundation,
  accountId: string,
  eventIds: readonly string[],
  { request, passesOver = false }: How = {},
): Promise<number> => {
  const { storage, clock, keys, authority } = foundation;
  await assertWebhook(foundation, accountId);
  const { replayNotification } = createWebhookSettings({
    db: storage.readDb,
    credentials: storage.credentials,
    clock,
    indexOf: keys.indexOf,
    webhookKey: () => keys.serviceKeys.activeKey('webhook'),
    hasEnded: authority.check.hasEnded,
  });
  let delivered = 0;
  for (const eventId of eventIds) {
    const outcome = await replayNotification(accountId, eventId, request);
    if (outcome !== 'unknown') delivered++;
    else if (!passesOver) {
      throw new Refused(`${accountId} has no notification ${notificationIdOf(eventId)}.`);
    }
  }
  return delivered;
};
