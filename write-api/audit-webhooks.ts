import Type from 'typebox';
import {
  accountAggregate,
  subscribeAudit,
  unsubscribeAudit,
} from '../commands/accounts/account.ts';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { letterEventNames } from '../commands/letters/letter-event-names.ts';
import { AppError } from '../contract/errors.ts';
import type { Limits } from '../contract/limits.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { uuidv5 } from '../contract/uuid.ts';
import {
  AuditWebhooks,
  NewAuditWebhook,
  presentAuditWebhooks,
  presentNewAuditWebhook,
  RemovedAuditWebhooks,
} from '../presenters/audit-webhooks.ts';
import { LetterId, OneOf } from '../presenters/common.ts';
import type { ReadLetter } from './letters/own-letter.ts';
import type { AssertCallable } from './settings.ts';

export type AuditWebhookPorts = {
  handler: CommandHandler;
  readLetter: ReadLetter;
  assertCallable: AssertCallable;
  newSecret: () => string;
  /** `whpk_` and the key that verifies the `v1a` signatures of the service, in base64. */
  webhookPublicKey: () => string;
  limits: Pick<Limits, 'auditSubscriptionsPerAccount'>;
};

const closed = { additionalProperties: false };
const Url = Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2048 });

const subscriptionIdOf = (commandId: string): string =>
  `aud_${uuidv5(commandId, 'audit webhook').replaceAll('-', '')}`;

const same = (a: string[] | undefined, b: string[] | undefined): boolean =>
  JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

const subscribe = (ports: AuditWebhookPorts): AnyOperation =>
  operation({
    name: 'subscribe_audit',
    method: 'POST',
    path: '/api/identity/audit/subscribe',
    tag: 'Audit',
    summary: 'Register a webhook for signed event credentials',
    description:
      'Each event of your letters is posted as a W3C Verifiable Credential (JWT) once it is issued. Signed by the secret (v1) and by the key of the service (v1a).',
    access: 'full',
    permit: { about: 'account' },
    idempotent: true,
    answersSecret: true,
    input: {
      body: Type.Object(
        {
          url: Url,
          events: Type.Optional(
            Type.Array(OneOf(letterEventNames), { minItems: 1, maxItems: 50, uniqueItems: true }),
          ),
          letter_id: Type.Optional(LetterId),
        },
        { ...closed, title: 'SubscribeAudit' },
      ),
    },
    responses: { 201: { description: 'The webhook and its secret', schema: NewAuditWebhook } },
    errors: [
      'url_not_allowed',
      'letter_not_found',
      'subscription_limit_reached',
      'account_not_found',
      'conflict',
    ],
    async handle({ body, caller, command }) {
      await ports.assertCallable(body.url, '/url');
      const letterId = body.letter_id;
      if (letterId !== undefined) await assertOwnLetter(ports, caller.accountId, letterId);
      const subscriptionId = subscriptionIdOf(command.commandId);
      const outcome = await ports.handler.handle(
        accountAggregate,
        caller.accountId,
        command,
        (account) =>
          subscribeAudit(account, {
            type: 'SubscribeAudit',
            subscriptionId,
            url: body.url,
            secret: ports.newSecret(),
            events: body.events,
            letterId,
            maxSubscriptions: ports.limits.auditSubscriptionsPerAccount,
          }),
      );
      const stored = outcome.state.subscriptions.get(subscriptionId);
      const asAsked =
        stored?.url === body.url &&
        stored.letterId === letterId &&
        same(stored.events, body.events);
      if (!stored || !asAsked) {
        throw new AppError(
          'idempotency_key_reused',
          'This Idempotency-Key was used for another request; use a new key for a new request.',
        );
      }
      return {
        body: presentNewAuditWebhook(stored, ports.webhookPublicKey()),
        position: outcome.position,
        replayed: outcome.events.length === 0,
        answeredAt: stored.createdAt,
      };
    },
  });

/** @throws AppError letter_not_found */
const assertOwnLetter = async (
  { readLetter }: AuditWebhookPorts,
  accountId: string,
  letterId: string,
): Promise<void> => {
  const found = await readLetter(letterId);
  if (found?.record.accountId === accountId) return;
  throw new AppError('letter_not_found', 'There is no letter with this id in your account.');
};

const list = (ports: AuditWebhookPorts): AnyOperation =>
  operation({
    name: 'list_audit_subscriptions',
    method: 'GET',
    path: '/api/identity/audit/subscribe',
    tag: 'Audit',
    summary: 'List audit webhooks',
    access: 'auth',
    permit: { about: 'account' },
    input: {},
    responses: {
      200: { description: 'Newest first; secrets are not shown again', schema: AuditWebhooks },
    },
    errors: [],
    async handle({ caller }) {
      const { state } = await ports.handler.load(accountAggregate, caller.accountId);
      return { body: presentAuditWebhooks([...state.subscriptions.values()]) };
    },
  });

const unsubscribe = (ports: AuditWebhookPorts): AnyOperation =>
  operation({
    name: 'unsubscribe_audit',
    whileBlocked: true,
    method: 'DELETE',
    path: '/api/identity/audit/subscribe',
    tag: 'Audit',
    summary: 'Remove an audit webhook',
    description: 'By id or url. The list is empty if it is already gone.',
    access: 'full',
    permit: { about: 'account' },
    input: {
      body: Type.Object(
        { id: Type.Optional(Type.String({ maxLength: 64 })), url: Type.Optional(Url) },
        { ...closed, minProperties: 1, maxProperties: 1, title: 'UnsubscribeAudit' },
      ),
    },
    responses: {
      200: { description: 'The webhooks that were removed now', schema: RemovedAuditWebhooks },
    },
    errors: ['conflict'],
    async handle({ body, caller, command }) {
      const outcome = await ports.handler.handle(
        accountAggregate,
        caller.accountId,
        command,
        (account) =>
          unsubscribeAudit(account, {
            type: 'UnsubscribeAudit',
            subscriptionId: body.id,
            url: body.url,
            reason: 'removed',
          }),
      );
      const removed = outcome.events.flatMap((event) =>
        event.type === 'AuditUnsubscribed' ? [event.data.subscriptionId] : [],
      );
      return { body: { removed }, position: outcome.position };
    },
  });

export const auditWebhookOperations = (ports: AuditWebhookPorts): AnyOperation[] => [
  subscribe(ports),
  list(ports),
  unsubscribe(ports),
];
