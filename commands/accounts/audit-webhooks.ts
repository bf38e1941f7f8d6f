/** Audit webhooks of an account: subscribed, replaced, disabled, removed. */

import type { BoundTo } from '../../contract/bounds.ts';
import { AppError } from '../../contract/errors.ts';
import { accountNotFound } from '../../contract/refusals.ts';
import type { AccountEvent } from '../../events/account.ts';
import { DuplicateEventId } from '../../events/event-store.ts';
import { limitError } from '../../limits/limit-error.ts';
import type { Account, AuditSubscription } from './account.ts';

export const noAuditWebhook = (): AppError =>
  new AppError('notification_not_found', 'You have no audit webhook with this id.');

/** Of one that was disabled, or that ended with the credential that registered it. */
export const auditWebhookEnded = (): AppError =>
  new AppError(
    'webhook_not_set',
    'The audit webhook is disabled or has ended. Register it again first.',
  );

/**
 * The command has registered an audit webhook before, and the account no longer has that one.
 * @throws AppError secret_not_repeated, or the error itself
 */
export const orRemovedSince = (error: unknown): never => {
  if (!(error instanceof DuplicateEventId)) throw error;
  throw new AppError(
    'secret_not_repeated',
    'The audit webhook that was registered under this Idempotency-Key has been removed. Register it again under a new key.',
  );
};

type SubscribeAudit = {
  type: 'SubscribeAudit';
  subscriptionId: string;
  url: string;
  secret: string;
  /** Absent: every event. */
  events?: string[];
  /** Absent: every letter. */
  letterId?: string;
  expiresAt?: string;
  boundTo?: BoundTo;
  /** The webhook that ended with the credential that registered it. */
  endedId?: string | undefined;
  /** The caller has a policy, so it replaces only a webhook that has ended. */
  isLimited?: boolean;
  maxSubscriptions: number;
};

type Subscribed = Pick<SubscribeAudit, 'url' | 'events' | 'letterId'>;

/** Without the fragment, which no request carries. */
const addressOf = (url: string): string => Object.assign(new URL(url), { hash: '' }).href;

const isSameUrl = (a: string, b: string): boolean => addressOf(a) === addressOf(b);

/** The same address, however it is spelled, events and letter. */
const isSameWebhook = (a: Subscribed, b: Subscribed): boolean => {
  const eventsOf = ({ events }: Subscribed) => JSON.stringify(events?.toSorted() ?? null);
  return isSameUrl(a.url, b.url) && a.letterId === b.letterId && eventsOf(a) === eventsOf(b);
};

/** The audit webhook that a request has made or that was there before it. */
export const sameSubscription = (
  state: Account,
  wanted: Subscribed,
): AuditSubscription | undefined =>
  [...state.subscriptions.values()].find((one) => isSameWebhook(one, wanted));

type Ends = Pick<SubscribeAudit, 'expiresAt' | 'boundTo'>;

const lastMs = ({ expiresAt }: Ends): number =>
  expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);

const isBound = ({ expiresAt, boundTo }: Ends): boolean =>
  expiresAt !== undefined || boundTo !== undefined;

const outlasts = (one: Ends, other: Ends): boolean =>
  lastMs(one) > lastMs(other) || (isBound(other) && !isBound(one));

/** Whether the existing webhook stays: the wanted one would not last longer, or the caller cannot replace it. */
const serves = (found: AuditSubscription, wanted: SubscribeAudit): boolean => {
  if (found.subscriptionId === wanted.endedId) return false;
  if (wanted.isLimited) return true;
  return found.disabled === undefined && !outlasts(wanted, found);
};

/**
 * Asking for an existing webhook again returns it. If it is disabled, has ended, or ends before the requested one, a
 * new one replaces it.
 * @throws AppError account_not_found, subscription_limit_reached
 */
export const subscribeAudit = (state: Account, command: SubscribeAudit): AccountEvent[] => {
  const { subscriptionId, url, secret, events, letterId, maxSubscriptions } = command;
  const { expiresAt, boundTo } = command;
  if (state.status !== 'open') throw accountNotFound();
  if (state.subscriptions.has(subscriptionId)) return [];
  const found = sameSubscription(state, command);
  if (found && serves(found, command)) return [];
  const replaced: AccountEvent[] = found
    ? unsubscribeAudit(state, {
        type: 'UnsubscribeAudit',
        subscriptionId: found.subscriptionId,
        reason: 'removed',
      })
    : [];
  if (state.subscriptions.size - replaced.length >= maxSubscriptions) {
    throw limitError(
      'auditSubscriptionsPerAccount',
      `The account already has ${maxSubscriptions} audit webhooks. Remove one first.`,
    );
  }
  return [
    ...replaced,
    {
      type: 'AuditSubscribed',
      data: {
        accountId: state.accountId,
        subscriptionId,
        ...(events === undefined ? {} : { events }),
        ...(letterId === undefined ? {} : { letterId }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
        ...(boundTo === undefined ? {} : { boundTo }),
      },
      personal: { url, secret },
    },
  ];
};

type DisableAuditWebhook = {
  type: 'DisableAuditWebhook';
  subscriptionId: string;
  reason: 'gone' | 'failing';
};

/** No event if it is deleted or disabled already. */
export const disableAuditWebhook = (
  state: Account,
  { subscriptionId, reason }: DisableAuditWebhook,
): AccountEvent[] => {
  const found = state.subscriptions.get(subscriptionId);
  if (!found || found.disabled) return [];
  const { accountId } = state;
  return [{ type: 'AuditWebhookDisabled', data: { accountId, subscriptionId, reason } }];
};

type UnsubscribeAudit = {
  type: 'UnsubscribeAudit';
  /** By one of the two. */
  subscriptionId?: string;
  url?: string;
  reason: 'removed' | 'gone' | 'failing';
};

/** No event where there is no such subscription (any more). */
export const unsubscribeAudit = (state: Account, command: UnsubscribeAudit): AccountEvent[] =>
  [...state.subscriptions.values()]
    .filter(({ subscriptionId, url }) =>
      command.subscriptionId === undefined
        ? command.url !== undefined && isSameUrl(url, command.url)
        : subscriptionId === command.subscriptionId,
    )
    .map(({ subscriptionId }) => ({
      type: 'AuditUnsubscribed',
      data: { accountId: state.accountId, subscriptionId, reason: command.reason },
    }));
