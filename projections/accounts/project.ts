import type { AccountEvent } from '../../events/account.ts';
import type { AnyEvent } from '../../events/envelope.ts';
import type { Projection, RowSource } from '../projection.ts';
import { type AccountRow, accountTable, type KeyRow, keyTable } from './table.ts';

type Rows = { accounts: Map<string, AccountRow>; keys: Map<string, KeyRow> };

const load = async (source: RowSource, ids: string[]): Promise<Rows> => {
  const [accounts, keys] = await Promise.all([
    source.load(accountTable, 'account_id', ids),
    source.load(keyTable, 'account_id', ids),
  ]);
  return { accounts, keys };
};

/** The keys of an account, marked as changed: caches of them look again. */
const changedKeys = (keys: Rows['keys'], accountId: string, position: bigint): KeyRow[] => {
  const own = [...keys.values()].filter((key) => key.account_id === accountId);
  for (const key of own) key.changed_position = position;
  return own;
};

/** As the account's decider has it. */
const confirm = (
  { accounts, keys }: Rows,
  { data, metadata, position }: AnyEvent & Extract<AccountEvent, { type: 'EmailConfirmed' }>,
): void => {
  const account = accounts.get(data.accountId);
  if (!account || data.address !== 'registered') return;
  const first = account.confirmed_at === null;
  for (const key of changedKeys(keys, data.accountId, position)) {
    const kept = account.test || data.keep.includes(key.key_id);
    key.unconfirmed = !kept && (first || key.unconfirmed);
  }
  account.confirmed_at ??= metadata.at;
};

const addKey = (
  keys: Rows['keys'],
  event: AnyEvent & Extract<AccountEvent, { type: 'KeyCreated' }>,
): void => {
  const { metadata, position } = event;
  keys.set(event.data.keyId, {
    key_id: event.data.keyId,
    account_id: event.data.accountId,
    secret_hash: event.data.secretHash,
    scope: event.data.scope,
    test: event.data.test,
    prefix: event.data.prefix,
    sealed: metadata.sealed ?? null,
    event_id: event.id,
    created_at: metadata.at,
    created_position: position,
    changed_position: position,
    expires_at: event.data.expiresAt ?? null,
    bound_to: event.data.boundTo ?? null,
    revoked_at: null,
    repeatable_until: null,
    unconfirmed: [
      event.data.rotatedFrom,
      event.data.madeBy,
      ...(event.data.boundTo?.keys ?? []),
    ].some((id) => keys.get(id ?? '')?.unconfirmed === true),
  });
};

const register = (
  accounts: Rows['accounts'],
  event: AnyEvent & Extract<AccountEvent, { type: 'AccountRegistered' }>,
): void => {
  accounts.set(event.data.accountId, {
    account_id: event.data.accountId,
    test: event.data.test,
    kind: event.data.kind,
    created_at: event.metadata.at,
    version: event.version,
    settings_sealed: null,
    settings_event_id: null,
    webhook_disabled: null,
    confirmed_at: null,
    blocked: false,
    quotas: null,
    closure_id: null,
    closure_state: null,
    closure_at: null,
    erased_event_id: null,
  });
};

const close = (
  account: AccountRow,
  event: AnyEvent &
    Extract<AccountEvent, { type: `AccountClosure${string}` | `AccountEras${string}` }>,
): void => {
  const { at } = event.metadata;
  switch (event.type) {
    case 'AccountClosureRequested':
      account.closure_id = event.data.closureId;
      account.closure_state = 'closing';
      account.closure_at = event.data.erasesAt;
      return;
    case 'AccountClosureWithdrawn':
      account.closure_id = null;
      account.closure_state = null;
      account.closure_at = null;
      return;
    case 'AccountErasureBegun':
      account.closure_state = 'erasing';
      account.closure_at = at;
      return;
    case 'AccountErased':
      account.closure_state = 'erased';
      account.closure_at = at;
      account.erased_event_id = event.id;
      account.settings_sealed = null;
      account.settings_event_id = null;
      return;
  }
};

const apply = ({ accounts, keys }: Rows, event: AnyEvent & AccountEvent): void => {
  const { metadata, position } = event;
  // Of an address, not of an account.
  if (event.type === 'EmailAddressClaimed') return;
  switch (event.type) {
    case 'AccountRegistered':
      register(accounts, event);
      return;
    case 'KeyCreated':
      addKey(keys, event);
      break;
    case 'KeyRevoked': {
      const key = keys.get(event.data.keyId);
      if (!key) break;
      if (key.revoked_at === null || key.revoked_at > metadata.at) {
        key.revoked_at = event.data.worksUntil ?? metadata.at;
      }
      key.repeatable_until = event.data.repeatableUntil ?? null;
      key.changed_position = position;
      break;
    }
    case 'EmailConfirmed':
      confirm({ accounts, keys }, event);
      break;
    case 'AccountBlocked':
    case 'AccountUnblocked': {
      const account = accounts.get(event.data.accountId);
      if (account) account.blocked = event.type === 'AccountBlocked';
      changedKeys(keys, event.data.accountId, position);
      break;
    }
    case 'SettingsChanged': {
      const account = accounts.get(event.data.accountId);
      if (!account) break;
      account.settings_sealed = metadata.sealed ?? null;
      account.settings_event_id = event.id;
      if (!event.data.keepsWebhook) account.webhook_disabled = null;
      break;
    }
    case 'WebhookDisabled': {
      const account = accounts.get(event.data.accountId);
      if (account) account.webhook_disabled = event.data.reason;
      break;
    }
    case 'AccountClosureRequested':
    case 'AccountClosureWithdrawn':
    case 'AccountErasureBegun':
    case 'AccountErased': {
      const account = accounts.get(event.data.accountId);
      if (account) close(account, event);
      break;
    }
    case 'QuotasSet': {
      const { accountId, ...quotas } = event.data;
      const account = accounts.get(accountId);
      if (account) account.quotas = quotas;
      break;
    }
    case 'EmailChangeRequested':
    case 'EmailChanged':
    case 'EmailChangeStopped':
    case 'EmailUnsubscribed':
    case 'AccountInspected':
    case 'WebhookTested':
    case 'LanguageChosen':
    case 'DidCreated':
    case 'AuditSubscribed':
    case 'AuditUnsubscribed':
    case 'AuditWebhookDisabled':
    case 'AuditWebhookTested':
      break;
    default:
      event satisfies never;
  }
  const account = accounts.get(event.data.accountId);
  if (account) account.version = event.version;
};

export const accounts: Projection = {
  name: 'accounts',
  version: 6,
  streams: ['account-'],
  tables: [accountTable, keyTable],
  async project(source, events) {
    const own = events.filter((event): event is AnyEvent & AccountEvent =>
      event.stream.startsWith('account-'),
    );
    if (own.length === 0) return [];
    const ids = own.flatMap(({ data }) => ('accountId' in data ? [data.accountId] : []));
    const rows = await load(source, [...new Set(ids)]);
    for (const event of own) apply(rows, event);
    return [...accountTable.save(rows.accounts.values()), ...keyTable.save(rows.keys.values())];
  },
};
