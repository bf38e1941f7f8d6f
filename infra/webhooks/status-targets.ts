import { randomUUID } from 'node:crypto';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { disableWebhook } from '../../commands/accounts/settings.ts';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import { notificationIdOf, statusBody } from '../../reactors/webhook-body.ts';
import type { Targets } from './targets.ts';

/** The secrets that sign at a moment: the present one, and the one before until its day is over. */
const liveSecrets = (
  settings: { webhookSecret?: string; previousSecret?: string; previousSecretUntil?: string },
  now: number,
): string[] => {
  const { webhookSecret, previousSecret, previousSecretUntil } = settings;
  const both = previousSecret !== undefined && Date.parse(previousSecretUntil ?? '') > now;
  return [webhookSecret, both ? previousSecret : undefined].filter((one) => one !== undefined);
};

/** The status webhook of an account, as its settings have it. */
export const createStatusTargets = (ports: {
  handler: CommandHandler;
  clock: () => number;
}): Targets => ({
  async resolve({ accountId }) {
    const { state } = await ports.handler.load(accountAggregate, accountId);
    const { webhookUrl: url } = state.settings;
    const secrets = liveSecrets(state.settings, ports.clock());
    if (url === undefined || state.webhookDisabled !== undefined || secrets.length === 0) {
      return undefined;
    }
    return { url, secrets, test: state.test };
  },
  webhookIdOf: ({ eventId }) => notificationIdOf(eventId),
  bodies: async (messages, { test }) =>
    new Map(messages.map((message) => [message.eventId, statusBody(message, test)])),
  async disable({ accountId }, { url }, reason) {
    const cause = { commandId: randomUUID(), actor: 'reactor:deliver' };
    await ports.handler.handle(accountAggregate, accountId, cause, (account) =>
      disableWebhook(account, { type: 'DisableWebhook', url, reason }),
    );
  },
});
