/** What whoever confirms an address is shown of its account. */
import Type, { type Static } from 'typebox';
import { type Scope, scopes } from '../contract/scopes.ts';
import { Nullable, OneOf, Timestamp } from './common.ts';

const JudgedKey = Type.Object(
  {
    id: Type.String(),
    prefix: Type.String(),
    label: Type.String(),
    scope: OneOf(scopes),
    created_at: Timestamp,
    last_used_at: Nullable(Timestamp),
    may_spend: Type.Boolean({ description: 'False: it may read, and nothing else.' }),
  },
  { title: 'JudgedKey' },
);

export const Confirmation = Type.Object(
  {
    account_id: Type.String(),
    mode: OneOf(['live', 'test']),
    address: OneOf(
      ['registered', 'notifications'],
      'The address that the account was registered with, or the one of its notifications.',
    ),
    email: Type.String(),
    confirmed: Type.Boolean(),
    keys: Type.Array(JudgedKey, {
      description: 'The active keys of the account, oldest first; empty for `notifications`.',
    }),
    webhook_url: Nullable(Type.String()),
    audit_webhooks: Type.Array(Type.String()),
  },
  { title: 'EmailConfirmation' },
);

export const Unsubscribed = Type.Object(
  { unsubscribed: Type.Literal(true), message: Type.String() },
  { title: 'Unsubscribed' },
);

type Shown = {
  accountId: string;
  test: boolean;
  address: 'registered' | 'notifications';
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
  }[];
  webhookUrl: string | undefined;
  auditWebhooks: string[];
};

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
  })),
  webhook_url: shown.webhookUrl ?? null,
  audit_webhooks: shown.auditWebhooks,
});
