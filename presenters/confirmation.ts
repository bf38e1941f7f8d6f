/** The account as somebody who confirms an address sees it. */
import type { Static } from 'typebox';
import type { Scope } from '../contract/scopes.ts';
import { numberOf } from '../ground/plural.ts';
import { Type } from '../ground/type.ts';
import { keyFields } from './account.ts';
import { type AccountLink, ListedAuditLink, presentListedAuditLink } from './audit-links.ts';
import { Nullable, OneOf } from './common.ts';

const settingKinds = ['webhook', 'notification_email', 'audit_webhook', 'did', 'policy'] as const;

const JudgedKey = Type.Named('JudgedKey', {
  ...keyFields,
  may_spend: Type.Boolean({ description: 'False: the key can only read.' }),
  undecided: Type.Boolean({
    description: 'The key is older than the confirmation, which ends it unless `keep` has its id.',
  }),
  ucans: Type.Integer({
    description: 'Active UCANs that came from it. They end with it.',
  }),
  audit_links: Type.Array(ListedAuditLink, {
    description:
      'Active audit links that came from it, newest first. They end with it. Only the newest 100 links of the account are shown.',
  }),
});

const JudgedSetting = Type.Named('JudgedSetting', {
  id: Type.String({ description: 'Id for `keep`. If the value changes, so does the id.' }),
  kind: OneOf(settingKinds),
  value: Type.String({
    description:
      'The URL, the address, the DID, or what a policy applies to, with its approvers in parentheses.',
  }),
  undecided: Type.Boolean({
    description:
      'The setting is older than the confirmation, which ends it unless `keep` has its id.',
  }),
});

export const Confirmation = Type.Named('EmailConfirmation', {
  account_id: Type.String(),
  mode: OneOf(['live', 'test']),
  address: OneOf(
    ['registered', 'notifications', 'change'],
    'The own address of the account, the one of its notifications, or the one that it changes to.',
  ),
  email: Type.String(),
  confirmed: Type.Boolean(),
  keys: Type.Array(JudgedKey, {
    description: 'The active keys of the account, oldest first; only for `registered`.',
  }),
  settings: Type.Array(JudgedSetting, {
    description:
      'Webhook, notification address, audit webhooks, the account’s own DID, the policy of the account, and policies that name approvers; only for `registered`.',
  }),
  webhook_url: Nullable(Type.String()),
  audit_webhooks: Type.Array(Type.String()),
});

export const Confirmed = Type.Named('EmailConfirmed', {
  ...Confirmation.properties,
  ended_keys: Type.Array(Type.String(), {
    description: 'Keys that ended with this request, together with their UCANs and audit links.',
  }),
  ended_settings: Type.Array(JudgedSetting, {
    description: 'Settings that this request removed.',
  }),
  message: Type.String(),
});

export const Unsubscribed = Type.Named('Unsubscribed', {
  unsubscribed: Type.Literal(true),
  message: Type.String(),
});

type Setting = {
  id: string;
  kind: (typeof settingKinds)[number];
  value: string;
  unproven: boolean;
};

type Shown = {
  accountId: string;
  test: boolean;
  address: 'registered' | 'notifications' | 'change';
  email: string;
  confirmed: boolean;
  keys: {
    keyId: string;
    prefix: string;
    label: string;
    scope: Scope;
    createdAt: string;
    unconfirmed: boolean;
    lastUsedAt: Date | undefined;
    ucans: number;
    auditLinks: AccountLink[];
  }[];
  settings: Setting[];
};

const presentSetting = ({ id, kind, value, unproven }: Setting): Static<typeof JudgedSetting> => ({
  id,
  kind,
  value,
  undecided: unproven,
});

export const presentConfirmation = (shown: Shown): Static<typeof Confirmation> => ({
  account_id: shown.accountId,
  mode: shown.test ? 'test' : 'live',
  address: shown.address,
  email: shown.email,
  confirmed: shown.confirmed,
  keys: shown.keys.map((key) => ({
    id: key.keyId,
    prefix: key.prefix,
    label: key.label,
    scope: key.scope,
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    may_spend: !key.unconfirmed,
    undecided: key.unconfirmed || !shown.confirmed,
    ucans: key.ucans,
    audit_links: key.auditLinks.map(presentListedAuditLink),
  })),
  settings: shown.settings.map(presentSetting),
  webhook_url: shown.settings.find(({ kind }) => kind === 'webhook')?.value ?? null,
  audit_webhooks: shown.settings.flatMap(({ kind, value }) =>
    kind === 'audit_webhook' ? [value] : [],
  ),
});

/** Everything that a confirmation ended. */
type Ended = {
  keys: string[];
  settings: Setting[];
  /** No full key is left; whether a recovery link is on its way to the address. */
  locked: 'link-sent' | 'no-mail' | false;
};

const locked = {
  'link-sent': ' The account has no full key left. A recovery link is on its way to the address.',
  'no-mail': ' The account has no full key left. Ask the operator for a new one.',
};

const summaryOf = (ended: Ended): string => {
  const what = [
    ...(ended.keys.length > 0 ? [`${numberOf(ended.keys.length, 'key')} ended`] : []),
    ...(ended.settings.length > 0 ? [`${numberOf(ended.settings.length, 'setting')} removed`] : []),
  ];
  const happened = what.length > 0 ? `: ${what.join(', ')}` : '';
  return `The address is confirmed${happened}.${ended.locked ? locked[ended.locked] : ''}`;
};

export const presentConfirmed = (shown: Shown, ended: Ended): Static<typeof Confirmed> => ({
  ...presentConfirmation(shown),
  ended_keys: ended.keys,
  ended_settings: ended.settings.map(presentSetting),
  message: summaryOf(ended),
});
