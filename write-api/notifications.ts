import { accountAggregate } from '../commands/accounts/account.ts';
import { assertWebhook, testWebhook } from '../commands/accounts/test-webhook.ts';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { notificationNotFound } from '../contract/refusals.ts';
import { Type } from '../ground/type.ts';
import { limitTable } from '../limits/table.ts';
import {
  eventIdOf,
  notificationIdOf,
  presentReplayed,
  ReplayedNotification,
} from '../presenters/account.ts';

type ReplayPorts = {
  handler: Pick<CommandHandler, 'load' | 'handle' | 'eventIdOf'>;
  /** How the key was used for a replay before; undefined: it was not, or there is no key. */
  replayedBefore: (
    replay: { accountId: string; eventId: string },
    idempotencyKey: string | undefined,
  ) => Promise<'repeated' | 'key_reused' | undefined>;
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
const assertReplayable = async ({ handler }: ReplayPorts, accountId: string): Promise<void> =>
  assertWebhook((await handler.load(accountAggregate, accountId)).state);

const testOperation = ({ handler }: ReplayPorts): AnyOperation =>
  operation({
    name: 'test_webhook',
    method: 'POST',
    path: '/api/webhook/test',
    tag: 'Notifications',
    summary: 'Send a test message to the webhook',
    description: `The message has the type \`webhook.test\` and is about no letter. It is signed, sent and tried again like every other message, and GET /api/notifications/{id} shows its attempts. An account can send ${limitTable.webhookTestsPerHour.usual} in an hour.`,
    access: 'send',
    permit: { about: 'account' },
    idempotent: true,
    input: {},
    responses: { 202: { description: 'The delivery is scheduled', schema: ReplayedNotification } },
    errors: ['account_not_found', 'webhook_not_set', 'quota_exceeded', 'conflict'],
    async handle({ caller: { accountId }, command }) {
      const { commandId } = command;
      const { events, position } = await handler.handle(
        accountAggregate,
        accountId,
        command,
        (account, _version, at) => testWebhook(account, commandId, at),
      );
      const eventId = await handler.eventIdOf(accountAggregate, accountId, commandId);
      const body = presentReplayed(notificationIdOf(eventId));
      return { body, position, replayed: events.length === 0 };
    },
  });

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
      const { accountId } = caller;
      const before = await ports.replayedBefore({ accountId, eventId }, idempotencyKey);
      // A repetition no longer needs a webhook.
      if (before === undefined) await assertReplayable(ports, accountId);
      const outcome =
        before ?? (await ports.replayNotification(accountId, eventId, idempotencyKey));
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
  testOperation(ports),
];
