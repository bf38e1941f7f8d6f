/**
 * Which events go to which webhooks. Pure: the routes are folded from the same log that the events
 * come from, so they are always those of that moment.
 */
import { eventName } from '../contract/event-name.ts';
import { statusAfter } from '../contract/letter-status.ts';
import type { AnyEvent } from '../events/envelope.ts';
import { isLetterStream } from '../events/letter.ts';
import { notificationOf } from '../events/notifications.ts';
import { letterIdOf } from '../events/registry.ts';
import { testType } from './webhook-body.ts';

export type EndpointKind = 'status' | 'audit';

/** The receiver of deliveries. `id`: the account's for its status webhook, otherwise the subscription's. */
export type Endpoint = { kind: EndpointKind; id: string; accountId: string };

/** The events that an audit webhook wants. Absent: every event, of every letter. */
type AuditRoute = { events: string[] | undefined; letterId: string | undefined };

export type Routes = {
  /** Accounts with a status webhook. */
  webhooks: Set<string>;
  /** Audit subscriptions by account, then by id. */
  subscriptions: Map<string, Map<string, AuditRoute>>;
};

/** A message for one endpoint. Messages of a lane are delivered one after the other. */
export type Message = {
  kind: EndpointKind;
  endpointId: string;
  accountId: string;
  eventId: string;
  position: bigint;
  lane: string;
  /** `letter.posted`, as the receiver reads it. */
  type: string;
  letterId?: string;
  status?: string;
  /** When it happened, RFC 3339. */
  at: string;
};

/** A change of an endpoint that an event is about. */
export type RouteChange = Endpoint & { active: boolean; route?: AuditRoute };

const walletPrefix = 'wallet-';

export const emptyRoutes = (): Routes => ({ webhooks: new Set(), subscriptions: new Map() });

/** The account of an event, if the event itself tells. Of a letter only the first events do. */
export const accountIdOf = (event: AnyEvent): string | undefined => {
  if (event.type === 'LetterDrafted' || event.type === 'LetterQueued') {
    return event.data.terms.accountId;
  }
  if (event.stream.startsWith(walletPrefix)) {
    return event.stream.slice(walletPrefix.length, event.stream.lastIndexOf('-'));
  }
  return 'accountId' in event.data ? event.data.accountId : undefined;
};

/** The change of the routes that an event makes. */
export const routeChangeOf = (event: AnyEvent): RouteChange | undefined => {
  switch (event.type) {
    case 'SettingsChanged': {
      const { accountId, webhook, keepsWebhook } = event.data;
      if (keepsWebhook) return undefined;
      return { kind: 'status', id: accountId, accountId, active: webhook };
    }
    case 'WebhookDisabled': {
      const { accountId } = event.data;
      return { kind: 'status', id: accountId, accountId, active: false };
    }
    case 'AuditSubscribed': {
      const { accountId, subscriptionId: id, events, letterId } = event.data;
      return { kind: 'audit', id, accountId, active: true, route: { events, letterId } };
    }
    case 'AuditWebhookDisabled':
    case 'AuditUnsubscribed': {
      const { accountId, subscriptionId: id } = event.data;
      return { kind: 'audit', id, accountId, active: false };
    }
    default:
      return undefined;
  }
};

/** Changes `routes` in place. */
export const applyRouteChange = (routes: Routes, change: RouteChange): void => {
  const { kind, id, accountId, active, route } = change;
  if (kind === 'status') {
    if (active) routes.webhooks.add(accountId);
    else routes.webhooks.delete(accountId);
    return;
  }
  const own = routes.subscriptions.get(accountId) ?? new Map<string, AuditRoute>();
  if (active) own.set(id, route ?? { events: undefined, letterId: undefined });
  else own.delete(id);
  if (own.size > 0) routes.subscriptions.set(accountId, own);
  else routes.subscriptions.delete(accountId);
};

/** Whether any webhook could want events of this type, so that looking up the account is worth it. */
export const isTold = (event: AnyEvent): boolean =>
  notificationOf(event) !== undefined ||
  isLetterStream(event.stream) ||
  event.type === 'AuditWebhookTested';

/** The lane of a message. A test waits for no other message, because it shows whether the receiver works now. */
export const laneOf = ({
  eventId,
  letterId,
  type,
}: {
  eventId: string;
  letterId: string | undefined;
  type: string;
}): string => letterId ?? (type === testType ? eventId : 'account');

/** A test goes to the webhook that it names, whatever that webhook wants. */
const auditTest = (routes: Routes, event: AnyEvent, accountId: string): Message[] => {
  if (event.type !== 'AuditWebhookTested') return [];
  const { subscriptionId: endpointId } = event.data;
  if (routes.subscriptions.get(accountId)?.has(endpointId) !== true) return [];
  return [{ ...common(event, accountId, testType), kind: 'audit', endpointId }];
};

/** @param type the public name of an event of a letter */
export const isWanted = (
  { events, letterId }: AuditRoute,
  event: { letterId: string; type: string },
): boolean =>
  (letterId === undefined || letterId === event.letterId) &&
  (events === undefined || events.includes(event.type));

const auditMessages = (routes: Routes, event: AnyEvent, accountId: string): Message[] => {
  const subscriptions = routes.subscriptions.get(accountId);
  const letterId = letterIdOf(event);
  if (!subscriptions || letterId === undefined) return [];
  const type = eventName(event.stream, event.type);
  return [...subscriptions]
    .filter(([, route]) => isWanted(route, { letterId, type }))
    .map(([endpointId]) => ({ ...common(event, accountId, type), kind: 'audit', endpointId }));
};

const common = (event: AnyEvent, accountId: string, type: string) => {
  const letterId = letterIdOf(event);
  return {
    accountId,
    eventId: event.id,
    position: event.position,
    lane: laneOf({ eventId: event.id, letterId, type }),
    type,
    ...(letterId === undefined ? {} : { letterId }),
    at: event.metadata.at,
  };
};

/** The messages that an event of `accountId` makes, by the routes of its moment. */
export const messagesOf = (routes: Routes, event: AnyEvent, accountId: string): Message[] => {
  const messages = isLetterStream(event.stream)
    ? auditMessages(routes, event, accountId)
    : auditTest(routes, event, accountId);
  const type = notificationOf(event);
  if (type === undefined || !routes.webhooks.has(accountId)) return messages;
  const status = statusAfter(event.type);
  messages.push({
    ...common(event, accountId, type),
    kind: 'status',
    endpointId: accountId,
    ...(status === undefined ? {} : { status }),
  });
  return messages;
};
