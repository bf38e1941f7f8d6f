import Type from 'typebox';
import { accountAggregate } from '../commands/accounts/account.ts';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { eventIdOf } from '../presenters/account.ts';
import type { WebhookContext } from './context.ts';

const unknownNotification = (): AppError =>
  new AppError('notification_not_found', 'There is no notification with this id in your account.');

/** @throws AppError webhook_not_set */
const assertWebhook = async (context: WebhookContext, accountId: string): Promise<void> => {
  const { state } = await context.handler.load(accountAggregate, accountId);
  if (state.settings.webhookUrl === undefined) {
    throw new AppError(
      'webhook_not_set',
      'The account has no webhook; set webhook_url by PUT /api/settings first.',
    );
  }
  if (state.webhookDisabled === undefined) return;
  throw new AppError(
    'webhook_not_set',
    'The webhook is disabled; set webhook_url again by PUT /api/settings first.',
  );
};

export const notificationOperations = (context: WebhookContext): AnyOperation[] => [
  operation({
    name: 'replay_notification',
    method: 'POST',
    path: '/api/notifications/{id}/replay',
    tag: 'Notifications',
    summary: 'Deliver a notification to the webhook again',
    description:
      'Under the same webhook-id, with a new schedule of attempts. One that waits for another attempt gets it now; one that waits for an earlier one of its letter still does.',
    access: 'send',
    idempotent: true,
    input: { params: Type.Object({ id: Type.String({ maxLength: 64 }) }) },
    responses: {
      202: {
        description: 'It will be delivered',
        schema: Type.Object(
          { id: Type.String(), message: Type.String() },
          { title: 'ReplayedNotification' },
        ),
      },
    },
    errors: [
      'notification_not_found',
      'webhook_not_set',
      'idempotency_key_reused',
      'idempotency_in_progress',
    ],
    async handle({ params, caller, idempotencyKey }) {
      const eventId = eventIdOf(params.id);
      if (eventId === undefined) throw unknownNotification();
      await assertWebhook(context, caller.accountId);
      const outcome = await context.replayNotification(caller.accountId, eventId, idempotencyKey);
      if (outcome === 'unknown') throw unknownNotification();
      if (outcome === 'key_reused') {
        throw new AppError(
          'idempotency_key_reused',
          'This Idempotency-Key was used for another notification; use a new key for a new request.',
        );
      }
      return {
        status: 202,
        body: {
          id: params.id,
          message: 'It is delivered again; GET /api/notifications/{id} shows the attempts.',
        },
        replayed: outcome === 'repeated',
      };
    },
  }),
];
