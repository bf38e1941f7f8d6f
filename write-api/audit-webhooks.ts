import type { Static } from 'typebox';
import { type AuditSubscription, accountAggregate } from '../commands/accounts/account.ts';
import {
  auditWebhookEnded,
  noAuditWebhook,
  orRemovedSince,
  sameSubscription,
  subscribeAudit,
  unsubscribeAudit,
} from '../commands/accounts/audit-webhooks.ts';
import { testAuditWebhook } from '../commands/accounts/test-webhook.ts';
import type { KeepLimits } from '../commands/guards/keep-limits.ts';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { letterEventNames } from '../commands/letters/letter-event-names.ts';
import { type BoundTo, boundToMaker } from '../contract/bounds.ts';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, type Caller, operation } from '../contract/operation.ts';
import { invalidField, keyReused, letterNotFound } from '../contract/refusals.ts';
import { msAtOrAfter, toTimestamp } from '../ground/clock.ts';
import { Type } from '../ground/type.ts';
import { uuidPattern, uuidv5 } from '../ground/uuid.ts';
import { type Limits, limitTable } from '../limits/table.ts';
import {
  AuditDelivery,
  AuditMessage,
  AuditWebhook,
  AuditWebhooks,
  NewAuditWebhook,
  presentAuditDelivery,
  presentAuditMessage,
  presentAuditWebhook,
  presentAuditWebhooks,
  presentNewAuditWebhook,
  presentReplayedEvents,
  RemovedAuditWebhooks,
  ReplayedDelivery,
  ReplayedEvents,
} from '../presenters/audit-webhooks.ts';
import {
  Cursor,
  LetterId,
  OneOf,
  Page,
  RowsPerPage,
  Timestamp,
  usualRows,
} from '../presenters/common.ts';
import { pageOf, placeOf } from '../presenters/paging.ts';
import type { ReadLetter } from './letters/own-letter.ts';
import type { AssertCallable } from './settings.ts';

type Wanted = Pick<AuditSubscription, 'events' | 'letterId'>;

type DeliveryRow = Parameters<typeof presentAuditDelivery>[0] & { position: bigint };

/** At least one of a log index and a time (RFC 3339). */
type ReplaysFrom = { index: number | undefined; since: string | undefined };

type AuditWebhookPorts = {
  handler: CommandHandler;
  keepLimits: Pick<KeepLimits, 'assertUnlimited' | 'isLimited'>;
  readLetter: ReadLetter;
  assertCallable: AssertCallable;
  newSecret: () => string;
  /** `whpk_` and the key that verifies the `v1a` signatures of the service, in base64. */
  webhookPublicKey: () => string;
  /** Whether a webhook ended with the credential that it came from. */
  hasEnded: (webhook: { expiresAt?: string; boundTo?: BoundTo }) => Promise<boolean>;
  /** Newest first. */
  listAuditDeliveries: (
    subscriptionId: string,
    page: { before?: bigint; limit: number },
  ) => Promise<DeliveryRow[]>;
  /** The content of a delivery, to the byte; its body is null before the first attempt. */
  auditMessage: (
    subscriptionId: string,
    eventId: string,
  ) => Promise<{ type: string; body: string | null } | undefined>;
  /** How the key was used for a replay before; undefined: it was not, or there is no key. */
  replayedBefore: (
    replay: { accountId: string; subscriptionId: string; eventId: string },
    idempotencyKey: string | undefined,
  ) => Promise<'repeated' | 'key_reused' | undefined>;
  replayAuditDelivery: (
    replay: { accountId: string; subscriptionId: string; eventId: string } & Wanted,
    idempotencyKey: string | undefined,
  ) => Promise<'replayed' | 'repeated' | 'key_reused' | 'unknown'>;
  /** Delivers the first events again that a webhook wants from there on. */
  replayAuditEvents: (
    webhook: { accountId: string; subscriptionId: string } & Wanted,
    from: ReplaysFrom,
  ) => Promise<Parameters<typeof presentReplayedEvents>[0]>;
  limits: Limits;
};

const Url = Type.String({
  format: 'uri',
  pattern: '^https?://',
  maxLength: 2048,
  description: 'An address that begins with https://.',
  examples: ['https://example.com/audit'],
});

const subscriptionIdOf = (commandId: string): string =>
  `aud_${uuidv5(commandId, 'audit webhook').replaceAll('-', '')}`;

/** A webhook of an expiring key or a UCAN ends with that credential: it must not keep reporting. */
const boundsOf = (caller: Caller): { expiresAt?: string; boundTo?: BoundTo } => {
  const { bounds } = caller;
  if (bounds === undefined) return {};
  const ends = bounds.expiresAtMs;
  const expiresAt = ends === undefined ? {} : { expiresAt: new Date(ends).toISOString() };
  return { ...expiresAt, boundTo: boundToMaker(caller) };
};

const withEnd = async (ports: AuditWebhookPorts, webhook: AuditSubscription) => ({
  ...webhook,
  ended: await ports.hasEnded(webhook),
});

/** The id of the same webhook, if it ended with the credential that registered it. */
const endedOf = async (
  { handler, hasEnded }: AuditWebhookPorts,
  accountId: string,
  wanted: Parameters<typeof sameSubscription>[1],
): Promise<string | undefined> => {
  const { state } = await handler.load(accountAggregate, accountId);
  const found = sameSubscription(state, wanted);
  return found && (await hasEnded(found)) ? found.subscriptionId : undefined;
};

const subscribe = (ports: AuditWebhookPorts): AnyOperation =>
  operation({
    name: 'subscribe_audit',
    method: 'POST',
    path: '/api/identity/audit/subscribe',
    tag: 'Audit',
    summary: 'Register a webhook for signed event credentials',
    description:
      'Each event of your letters is posted as a W3C Verifiable Credential (JWT) as soon as the credential is issued. Two signatures come with it: one by the secret (v1), one by the key of the service (v1a). Registering the same url, events and letter_id again returns the existing webhook (200), unless that one is disabled or ends earlier; a key or UCAN that has a policy replaces only a webhook that has ended. A webhook that is registered with a UCAN or an expiring key ends with it.',
    access: 'full',
    permit: { about: 'account' },
    idempotent: true,
    answersSecret: true,
    input: {
      body: Type.NamedExact('SubscribeAudit', {
        url: Url,
        events: Type.Optional(
          Type.Array(OneOf(letterEventNames), { minItems: 1, maxItems: 50, uniqueItems: true }),
        ),
        letter_id: Type.Optional(LetterId),
      }),
    },
    responses: {
      200: {
        description: 'The existing webhook, without its secret',
        schema: AuditWebhook,
      },
      201: { description: 'The webhook and its secret', schema: NewAuditWebhook },
    },
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
      const wanted = { url: body.url, events: body.events, letterId };
      const endedId = await endedOf(ports, caller.accountId, wanted);
      const isLimited = await ports.keepLimits.isLimited(caller);
      const outcome = await ports.handler
        .handle(accountAggregate, caller.accountId, command, (account) =>
          subscribeAudit(account, {
            type: 'SubscribeAudit',
            subscriptionId,
            ...wanted,
            endedId,
            isLimited,
            secret: ports.newSecret(),
            ...boundsOf(caller),
            maxSubscriptions: ports.limits.auditSubscriptionsPerAccount,
          }),
        )
        .catch(orRemovedSince);
      const { position, events } = outcome;
      const stored = sameSubscription(outcome.state, wanted);
      const named = outcome.state.subscriptions.get(subscriptionId);
      if (!stored || (named && named !== stored)) {
        throw keyReused();
      }
      const shown = await withEnd(ports, stored);
      const publicKey = ports.webhookPublicKey();
      if (!named) return { status: 200, body: presentAuditWebhook(shown, publicKey), position };
      return {
        status: 201,
        body: presentNewAuditWebhook(shown, publicKey),
        position,
        replayed: events.length === 0,
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
  throw letterNotFound();
};

const list = (ports: AuditWebhookPorts): AnyOperation =>
  operation({
    name: 'list_audit_subscriptions',
    method: 'GET',
    path: '/api/identity/audit/subscribe',
    tag: 'Audit',
    summary: 'List audit webhooks',
    description:
      'Each webhook has its URL, its filters and the public key that verifies its signatures.',
    access: 'auth',
    permit: { about: 'account' },
    input: {},
    responses: {
      200: { description: 'Newest first; secrets are not shown again', schema: AuditWebhooks },
    },
    errors: [],
    async handle({ caller }) {
      const { state } = await ports.handler.load(accountAggregate, caller.accountId);
      const stored = [...state.subscriptions.values()].map((one) => withEnd(ports, one));
      return { body: presentAuditWebhooks(await Promise.all(stored), ports.webhookPublicKey()) };
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
    description: 'Remove it by its id or url. If it is already gone, the list is empty.',
    access: 'full',
    permit: { about: 'account' },
    input: {
      body: Type.Object(
        { id: Type.Optional(Type.String({ maxLength: 64 })), url: Type.Optional(Url) },
        {
          additionalProperties: false,
          minProperties: 1,
          maxProperties: 1,
          title: 'UnsubscribeAudit',
        },
      ),
    },
    responses: {
      200: { description: 'The removed webhooks', schema: RemovedAuditWebhooks },
    },
    errors: ['policy_protected', 'conflict'],
    async handle({ body, caller, command }) {
      const why = 'the owner could miss what it does';
      await ports.keepLimits.assertUnlimited(caller, 'remove an audit webhook', why);
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

const testWebhook = (ports: AuditWebhookPorts): AnyOperation =>
  operation({
    name: 'test_audit_webhook',
    method: 'POST',
    path: '/api/identity/audit/subscribe/{id}/test',
    tag: 'Audit',
    summary: 'Send a test message to an audit webhook',
    description: `The message has the type \`webhook.test\` and the credential of an event that is about no letter. It comes whatever events and letter the webhook wants. It is signed, sent and tried again like every other message, and the deliveries of the webhook show its attempts. An account can send ${limitTable.webhookTestsPerHour.usual} test messages in an hour.`,
    access: 'send',
    permit: { about: 'account' },
    idempotent: true,
    input: { params: Type.Object({ id: SubscriptionId }) },
    responses: { 202: { description: 'The delivery is scheduled', schema: ReplayedDelivery } },
    errors: [
      'account_not_found',
      'notification_not_found',
      'webhook_not_set',
      'quota_exceeded',
      'conflict',
    ],
    async handle({ params: { id }, caller: { accountId }, command }) {
      const { state } = await ports.handler.load(accountAggregate, accountId);
      const found = state.subscriptions.get(id);
      const hasEnded = found !== undefined && (await ports.hasEnded(found));
      const { commandId } = command;
      const { events, position } = await ports.handler.handle(
        accountAggregate,
        accountId,
        command,
        (account, _version, at) => testAuditWebhook(account, id, { commandId, at, hasEnded }),
      );
      const eventId = await ports.handler.eventIdOf(accountAggregate, accountId, commandId);
      const body = { event_id: eventId, replayed: true as const };
      return { body, position, replayed: events.length === 0 };
    },
  });

const ofOne = '/api/identity/audit/subscribe/{id}/deliveries';
const SubscriptionId = Type.String({ pattern: '^aud_[0-9a-f]{32}$' });

const notFound = (): AppError =>
  new AppError('notification_not_found', 'Your audit webhook with this id has no such delivery.');

const notWanted = (): AppError =>
  new AppError(
    'notification_not_found',
    'The event is not about your letters, the audit webhook does not want it, or its credential is not issued yet.',
  );

/** @throws AppError notification_not_found */
const ownWebhook = async (
  { handler }: AuditWebhookPorts,
  { accountId }: Caller,
  id: string,
): Promise<AuditSubscription> => {
  const { state } = await handler.load(accountAggregate, accountId);
  const found = state.subscriptions.get(id);
  if (!found) throw noAuditWebhook();
  return found;
};

const listDeliveries = (ports: AuditWebhookPorts): AnyOperation =>
  operation({
    name: 'list_audit_deliveries',
    method: 'GET',
    path: ofOne,
    tag: 'Audit',
    summary: 'List the deliveries to an audit webhook',
    description:
      'Each delivery shows its state and the result of each attempt. You can replay a failed delivery.',
    access: 'read',
    permit: { about: 'account' },
    input: {
      params: Type.Object({ id: SubscriptionId }),
      query: Type.Exact({
        limit: Type.Optional(RowsPerPage(ports.limits)),
        cursor: Type.Optional(Cursor),
      }),
    },
    responses: { 200: { description: 'Newest first', schema: Page(AuditDelivery) } },
    errors: ['notification_not_found', 'invalid_cursor'],
    async handle({ params, query, caller }) {
      const { subscriptionId } = await ownWebhook(ports, caller, params.id);
      const { limit = usualRows(ports.limits) } = query;
      const before = placeOf(query.cursor);
      const rows = await ports.listAuditDeliveries(subscriptionId, { before, limit: limit + 1 });
      return { body: pageOf(rows, limit, (row) => row.position, presentAuditDelivery) };
    },
  });

const deliveryParams = Type.Object({
  id: SubscriptionId,
  event_id: Type.String({ pattern: `^${uuidPattern}$` }),
});

const readMessage = (ports: AuditWebhookPorts): AnyOperation =>
  operation({
    name: 'get_audit_message',
    method: 'GET',
    path: `${ofOne}/{event_id}/webhook`,
    tag: 'Audit',
    summary: 'Read the message of a delivery to an audit webhook',
    description:
      'The headers and the body of the message. The body is the same at each attempt, to the byte. The headers `webhook-timestamp` and `webhook-signature` are made for each attempt and are not part of the answer.',
    access: 'read',
    permit: { about: 'account' },
    input: { params: deliveryParams },
    responses: { 200: { description: 'The message', schema: AuditMessage } },
    errors: ['notification_not_found'],
    async handle({ params: { id, event_id: eventId }, caller }) {
      const { subscriptionId } = await ownWebhook(ports, caller, id);
      const message = await ports.auditMessage(subscriptionId, eventId);
      if (!message) throw notFound();
      return { body: presentAuditMessage(eventId, message) };
    },
  });

/** @throws AppError notification_not_found, webhook_not_set */
const activeWebhook = async (
  ports: AuditWebhookPorts,
  caller: Caller,
  id: string,
): Promise<AuditSubscription> => {
  const webhook = await ownWebhook(ports, caller, id);
  if (webhook.disabled || (await ports.hasEnded(webhook))) throw auditWebhookEnded();
  return webhook;
};

/** A repetition no longer needs a webhook. @throws AppError notification_not_found, webhook_not_set */
const replayOnce = async (
  ports: AuditWebhookPorts,
  caller: Caller,
  named: { accountId: string; subscriptionId: string; eventId: string },
  idempotencyKey: string | undefined,
) => {
  const before = await ports.replayedBefore(named, idempotencyKey);
  if (before !== undefined) return before;
  const { events, letterId } = await activeWebhook(ports, caller, named.subscriptionId);
  return ports.replayAuditDelivery({ ...named, events, letterId }, idempotencyKey);
};

const replayDelivery = (ports: AuditWebhookPorts): AnyOperation =>
  operation({
    name: 'replay_audit_delivery',
    method: 'POST',
    path: `${ofOne}/{event_id}/replay`,
    tag: 'Audit',
    summary: 'Deliver an event to an audit webhook again',
    description:
      'Sends the same body under the same webhook-id, with a new schedule of attempts. Any event of your letters that the webhook wants can be delivered, also if it happened before the webhook was registered.',
    access: 'send',
    permit: { about: 'account' },
    idempotent: true,
    input: {
      params: deliveryParams,
    },
    responses: { 202: { description: 'The delivery is scheduled', schema: ReplayedDelivery } },
    errors: ['notification_not_found', 'webhook_not_set'],
    async handle({ params, caller, idempotencyKey }) {
      const { accountId } = caller;
      const named = { accountId, subscriptionId: params.id, eventId: params.event_id };
      const outcome = await replayOnce(ports, caller, named, idempotencyKey);
      if (outcome === 'unknown') throw notWanted();
      if (outcome === 'key_reused') {
        throw new AppError(
          'idempotency_key_reused',
          'This Idempotency-Key belongs to another delivery. Use a new key for a new request.',
        );
      }
      const body = { event_id: params.event_id, replayed: true as const };
      return { body, replayed: outcome === 'repeated' };
    },
  });

const WantedReplays = Type.NamedExact('ReplayAuditEvents', {
  after_index: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER - 1,
      description:
        'The `logIndex` of the last credential that you have: events whose credentials follow are delivered again.',
    }),
  ),
  since: Type.Optional({
    ...Timestamp,
    description: 'Only events that happened at this time or later are delivered again.',
  } as typeof Timestamp),
});

/** @throws AppError validation_failed for a body that names no place to begin at */
const replaysFrom = ({ after_index: after, since }: Static<typeof WantedReplays>): ReplaysFrom => {
  if (after === undefined && since === undefined) {
    throw invalidField('/after_index', 'required', 'Send after_index, since, or both.');
  }
  return {
    index: after === undefined ? undefined : after + 1,
    since: since === undefined ? undefined : toTimestamp(msAtOrAfter(since)),
  };
};

const replayEvents = (ports: AuditWebhookPorts): AnyOperation =>
  operation({
    name: 'replay_audit_events',
    method: 'POST',
    path: '/api/identity/audit/subscribe/{id}/replay',
    tag: 'Audit',
    summary: 'Deliver events to an audit webhook again from a point on',
    description:
      'Use it after the receiver lost data. Up to 100 events of your letters that the webhook wants are delivered again, the oldest first, also those that were delivered and those from before the webhook was registered. Each comes under its webhook-id, with a new schedule of attempts. While `has_more` is true, repeat the request with the `last_index` of the answer as `after_index`. A repeated request delivers its events once more.',
    access: 'send',
    permit: { about: 'account' },
    input: { params: Type.Object({ id: SubscriptionId }), body: WantedReplays },
    responses: { 202: { description: 'The deliveries are scheduled', schema: ReplayedEvents } },
    errors: ['notification_not_found', 'webhook_not_set'],
    async handle({ params: { id }, body, caller }) {
      const from = replaysFrom(body);
      const { accountId } = caller;
      const { subscriptionId, events, letterId } = await activeWebhook(ports, caller, id);
      const webhook = { accountId, subscriptionId, events, letterId };
      return { body: presentReplayedEvents(await ports.replayAuditEvents(webhook, from)) };
    },
  });

export const auditWebhookOperations = (ports: AuditWebhookPorts): AnyOperation[] => [
  subscribe(ports),
  list(ports),
  unsubscribe(ports),
  listDeliveries(ports),
  readMessage(ports),
  replayDelivery(ports),
  replayEvents(ports),
  testWebhook(ports),
];
