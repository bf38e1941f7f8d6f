import Type from 'typebox';
import {
  accountAggregate,
  subscribeAudit,
  unsubscribeAudit,
} from '../commands/accounts/account.ts';
import { letterEventNames } from '../commands/letters/letter-event-names.ts';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { uuidv5 } from '../contract/uuid.ts';
import { LetterId, Nullable, OneOf, Timestamp } from '../presenters/common.ts';
import { commandOf, commandOfCredential, type WebhookContext } from './context.ts';

const closed = { additionalProperties: false };
const Url = Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2048 });

const Subscription = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    events: Nullable(Type.Array(Type.String(), { description: 'null: every event.' })),
    letter_id: Nullable(Type.String({ description: 'null: every letter.' })),
    created_at: Timestamp,
  },
  { title: 'AuditWebhook' },
);

const NewSubscription = Type.Object(
  {
    ...Subscription.properties,
    secret: Type.String({ description: 'Signs the webhooks (v1). Shown once.' }),
    public_key: Type.String({
      description: 'Verifies the v1a signature: whpk_ and an Ed25519 key in base64.',
    }),
  },
  { title: 'NewAuditWebhook' },
);

type Stored = {
  subscriptionId: string;
  url: string;
  events: string[] | undefined;
  letterId: string | undefined;
  createdAt: string;
};

const present = (stored: Stored) => ({
  id: stored.subscriptionId,
  url: stored.url,
  events: stored.events ?? null,
  letter_id: stored.letterId ?? null,
  created_at: stored.createdAt,
});

const subscriptionIdOf = (commandId: string): string =>
  `aud_${uuidv5(commandId, 'audit webhook').replaceAll('-', '')}`;

const same = (a: string[] | undefined, b: string[] | undefined): boolean =>
  JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

const subscribe = (context: WebhookContext): AnyOperation =>
  operation({
    name: 'subscribe_audit',
    method: 'POST',
    path: '/api/identity/audit/subscribe',
    tag: 'Audit',
    summary: 'Register a webhook for signed event credentials',
    description:
      'Each event of your letters is posted as a W3C Verifiable Credential (JWT) once it is issued. Signed by the secret (v1) and by the key of the service (v1a).',
    access: 'auth',
    idempotent: true,
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
    responses: { 201: { description: 'The webhook and its secret', schema: NewSubscription } },
    errors: [
      'url_not_allowed',
      'letter_not_found',
      'subscription_limit_reached',
      'account_not_found',
      'idempotency_key_reused',
      'idempotency_in_progress',
      'conflict',
    ],
    async handle(request) {
      const { body, caller } = request;
      await context.assertCallable(body.url, '/url');
      const letterId = body.letter_id;
      if (letterId !== undefined) await assertOwnLetter(context, caller.accountId, letterId);
      const command = commandOfCredential({ name: 'subscribe_audit', request });
      const subscriptionId = subscriptionIdOf(command.commandId);
      const outcome = await context.handler.handle(
        accountAggregate,
        caller.accountId,
        command,
        (account) =>
          subscribeAudit(account, {
            type: 'SubscribeAudit',
            subscriptionId,
            url: body.url,
            secret: context.newSecret(),
            events: body.events,
            letterId,
            maxSubscriptions: context.limits.auditSubscriptionsPerAccount,
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
        status: 201,
        body: { ...present(stored), secret: stored.secret, public_key: context.webhookPublicKey() },
        position: outcome.position,
        replayed: outcome.events.length === 0,
      };
    },
  });

/** @throws AppError letter_not_found */
const assertOwnLetter = async (
  context: WebhookContext,
  accountId: string,
  letterId: string,
): Promise<void> => {
  const found = await context.readLetter(letterId);
  if (found?.record.accountId === accountId) return;
  throw new AppError('letter_not_found', 'There is no letter with this id in your account.');
};

const list = (context: WebhookContext): AnyOperation =>
  operation({
    name: 'list_audit_subscriptions',
    method: 'GET',
    path: '/api/identity/audit/subscribe',
    tag: 'Audit',
    summary: 'List audit webhooks',
    access: 'auth',
    input: {},
    responses: {
      200: {
        description: 'Newest first; secrets are not shown again',
        schema: Type.Object({ data: Type.Array(Subscription) }, { title: 'AuditWebhooks' }),
      },
    },
    errors: [],
    async handle({ caller }) {
      const { state } = await context.handler.load(accountAggregate, caller.accountId);
      return { body: { data: [...state.subscriptions.values()].toReversed().map(present) } };
    },
  });

const unsubscribe = (context: WebhookContext): AnyOperation =>
  operation({
    name: 'unsubscribe_audit',
    method: 'DELETE',
    path: '/api/identity/audit/subscribe',
    tag: 'Audit',
    summary: 'Remove an audit webhook',
    description: 'By id or url. What is already gone is answered with an empty list.',
    access: 'auth',
    input: {
      body: Type.Object(
        { id: Type.Optional(Type.String({ maxLength: 64 })), url: Type.Optional(Url) },
        { ...closed, minProperties: 1, maxProperties: 1, title: 'UnsubscribeAudit' },
      ),
    },
    responses: {
      200: {
        description: 'The webhooks that were removed now',
        schema: Type.Object(
          { removed: Type.Array(Type.String({ description: 'Ids.' })) },
          { title: 'RemovedAuditWebhooks' },
        ),
      },
    },
    errors: ['conflict'],
    async handle(request) {
      const { body, caller } = request;
      const command = commandOf({ name: 'unsubscribe_audit', request });
      const outcome = await context.handler.handle(
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

export const auditWebhookOperations = (context: WebhookContext): AnyOperation[] => [
  subscribe(context),
  list(context),
  unsubscribe(context),
];
