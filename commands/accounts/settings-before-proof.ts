/**
 * Settings of an account as things that its owner keeps or ends: webhook, notification address, audit
 * webhooks, a DID of its own, policies (`policies-before-proof.ts`). A stranger who registered the address first may have
 * set them.
 */
import { hash } from 'node:crypto';
import type { AccountEvent } from '../../events/account.ts';
import type { Account } from './account.ts';
import { changeSettings } from './settings.ts';

export type Setting = {
  /** Of kind and value: a setting that changes meanwhile is another one, which its owner has not kept. */
  id: string;
  kind: 'webhook' | 'notification_email' | 'audit_webhook' | 'did' | 'policy';
  value: string;
  /** Older than the proof of the account's address, and not kept. */
  unproven: boolean;
};

/** A DID whose key the service keeps. */
export type NewDid = { did: string; seed: string };

/**
 * The setting in a list, empty without a value. Its id `set_…` is derived from kind, subject (`about`) and value, so a
 * changed setting has another id. `unproven`: nobody has proved the address of the account yet.
 */
export const settingOf = (
  kind: Setting['kind'],
  value: string | undefined,
  unproven: boolean,
  about = '',
): Setting[] => {
  if (value === undefined) return [];
  const digest = hash('sha256', [kind, about, value].join('\n'), 'base64url');
  return [{ id: `set_${digest.slice(0, 22)}`, kind, value, unproven }];
};

const auditWebhook = 'audit_webhook';

/** All settings that are set, except policies and a DID that the service made. */
export const settingsOf = ({ settings, unproven, subscriptions, did }: Account): Setting[] => [
  ...settingOf('webhook', settings.webhookUrl, unproven.webhook),
  ...settingOf('notification_email', settings.notificationEmail, unproven.notificationEmail),
  ...[...subscriptions.values()].flatMap((one) =>
    settingOf(auditWebhook, one.url, one.unproven, one.subscriptionId),
  ),
  ...(did?.custody === 'self' ? settingOf('did', did.did, did.unproven) : []),
];

/** Ends settings; a DID of the service takes the place of the account's own. */
export const endSettings = (
  state: Account,
  ended: Setting[],
  { did: { did, seed }, at }: { did: NewDid; at: string },
): AccountEvent[] => {
  const { accountId } = state;
  const ids = new Set(ended.map(({ id }) => id));
  const ends = (kind: Setting['kind']): boolean => ended.some((one) => one.kind === kind);
  const unsubscribed = [...state.subscriptions.values()]
    .filter(({ url, subscriptionId }) =>
      settingOf(auditWebhook, url, false, subscriptionId).some(({ id }) => ids.has(id)),
    )
    .map(
      ({ subscriptionId }): AccountEvent => ({
        type: 'AuditUnsubscribed',
        data: { accountId, subscriptionId, reason: 'removed' },
      }),
    );
  const changed = changeSettings(state, {
    type: 'ChangeSettings',
    ...(ends('webhook') ? { webhookUrl: null } : {}),
    ...(ends('notification_email') ? { notificationEmail: null } : {}),
    newSecret: '',
    previousSecretUntil: at,
    at,
  });
  const ownDid: AccountEvent[] = ends('did')
    ? [{ type: 'DidCreated', data: { accountId, did, custody: 'service' }, personal: { seed } }]
    : [];
  return [...unsubscribed, ...changed, ...ownDid];
};
