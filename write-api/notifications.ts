import Type from 'typebox';
import { accountAggregate } from '../commands/accounts/account.ts';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { notificationNotFound } from '../contract/refusals.ts';
import { eventIdOf, presentReplayed, ReplayedNotification } from '../presenters/account.ts';

type ReplayPorts = {
  handler: Pick<CommandHandler, 'load'>;
  /**
   * Delivers a notification to the status webhook again, once per key. `unknown`: the account has none
   * of this id.
   */
  replayNotification: (
    accountId: string,
    eventId: string,
    idempotencyKey: string | undefined,
  ) => Promise<'replayed' | 'repeated' | 'key_reused' | 'unknown'>;
};

/** @throws AppError webhook_not_set */
const assertWebhook = async ({ handler }: ReplayPorts, accountId: string): Promise<void> => {
  const { state } = await handler.load(accountAggregate, accountId);
  if (state.settings.webhookUrl === undefined) {
    throw new AppError(
      'webhook_not_set',
      'The account has no webhook. Set webhook_url with PUT /api/settings first.',
    );
  }
  if (state.webhookDisabled === undefined) return;
  throw new AppError(
    'webhook_not_set',
    'The webhook is disabled. Set webhook_url again with PUT /api/settings first.',
  );
};

export const notificationOperations = (ports: ReplayPorts): AnyOperation[] => [
  operation({
    name: 'replay_notification',
    method: 'POST',
    path: '/api/notifications/{id}/replay',
    tag: 'Notifications',
    summary: 'Deliver a notification to the webhook again',
    description:
      'Uses the same webhook-id and a new schedule of attempts. A delivery that waits for its next attempt starts at once. A delivery that waits for an earlier one of the same letter keeps waiting.',
    access: 'send',
    permit: { about: 'account' },
    idempotent: true,
    input: { params: Type.Object({ id: Type.String({ maxLength: 64 }) }) },
    responses: { 202: { description: 'The delivery is scheduled', schema: ReplayedNotification } },
    errors: ['notification_not_found', 'webhook_not_set'],
    async handle({ params, caller, idempotencyKey }) {
      const eventId = eventIdOf(params.id);
      if (eventId === undefined) throw notificationNotFound();
      await assertWebhook(ports, caller.accountId);
      const outcome = await ports.replayNotification(caller.accountId, eventId, idempotencyKey);
      if (outcome === 'unknown') throw notificationNotFound();
      if (outcome === 'key_reused') {
        throw new AppError(
          'idempotency_key_reused',
          'This Idempotency-Key belongs to another notification. Use a new key for a new request.',
        );
      }
      return { body: presentReplayed(params.id), replayed: outcome === 'repeated' };
    },
  }),
];
