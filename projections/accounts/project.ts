import type { Db } from '../../contract/db.ts';
import type { AccountEvent } from '../../events/account.ts';
import type { AnyEvent } from '../../events/envelope.ts';
import {
  arrayOf,
  joined,
  joinedOrNothing,
  type Projection,
  type Statement,
  split,
} from '../projection.ts';
import { accountIndexes, createAccountTables } from './table.ts';

type Account = {
  account_id: string;
  test: boolean;
  kind: string;
  created_at: string;
  version: bigint;
  settings_sealed: string | null;
  settings_event_id: string | null;
  webhook_disabled: string | null;
};

type Key = {
  key_id: string;
  account_id: string;
  secret_hash: string;
  scope: string;
  test: boolean;
  prefix: string;
  sealed: string | null;
  event_id: string;
  created_at: string;
  created_position: bigint;
  changed_position: bigint;
  expires_at: string | null;
  revoked_at: string | null;
};

type Rows = { accounts: Map<string, Account>; keys: Map<string, Key> };

const load = async (db: Db, table: (base: string) => string, ids: string[]): Promise<Rows> => {
  const [accounts, keys] = await Promise.all([
    db.query<Account>(
      `select account_id, test, kind, created_at::text, version, settings_sealed,
         settings_event_id::text, webhook_disabled
       from ${table('accounts')} where account_id = any($1)`,
      [ids],
    ),
    db.query<Key>(
      `select key_id, account_id, secret_hash, scope, test, prefix, sealed, event_id::text,
         created_at::text, created_position, changed_position, expires_at::text, revoked_at::text
       from ${table('api_keys')} where account_id = any($1)`,
      [ids],
    ),
  ]);
  return {
    accounts: new Map(accounts.rows.map((row) => [row.account_id, row])),
    keys: new Map(keys.rows.map((row) => [row.key_id, row])),
  };
};

const apply = ({ accounts, keys }: Rows, event: AnyEvent & AccountEvent): void => {
  const { metadata, position } = event;
  switch (event.type) {
    case 'AccountRegistered':
      accounts.set(event.data.accountId, {
        account_id: event.data.accountId,
        test: event.data.test,
        kind: event.data.kind,
        created_at: metadata.at,
        version: event.version,
        settings_sealed: null,
        settings_event_id: null,
        webhook_disabled: null,
      });
      return;
    case 'KeyCreated':
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
        revoked_at: null,
      });
      break;
    case 'KeyRevoked': {
      const key = keys.get(event.data.keyId);
      if (key) Object.assign(key, { revoked_at: metadata.at, changed_position: position });
      break;
    }
    case 'SettingsChanged': {
      const account = accounts.get(event.data.accountId);
      if (!account) break;
      account.settings_sealed = metadata.sealed ?? null;
      account.settings_event_id = event.id;
      account.webhook_disabled = null;
      break;
    }
    case 'WebhookDisabled': {
      const account = accounts.get(event.data.accountId);
      if (account) account.webhook_disabled = event.data.reason;
      break;
    }
    case 'DidCreated':
    case 'AuditSubscribed':
    case 'AuditUnsubscribed':
      break;
    default:
      event satisfies never;
  }
  const account = accounts.get(event.data.accountId);
  if (account) account.version = event.version;
};

const saveAccounts = (table: string, rows: Account[]): Statement => ({
  text: `insert into ${table} (account_id, test, kind, created_at, version, settings_sealed,
       settings_event_id, webhook_disabled)
     select account_id, test, kind, created_at::timestamptz, version, nullif(settings_sealed, ''),
       nullif(settings_event_id, '')::uuid, nullif(webhook_disabled, '')
     from unnest(${split('$1')}, $2::bool[], ${split('$3')}, ${split('$4')}, $5::bigint[],
       ${split('$6')}, ${split('$7')}, ${split('$8')}) as t (account_id, test, kind, created_at,
       version, settings_sealed, settings_event_id, webhook_disabled)
     on conflict (account_id) do update set version = excluded.version,
       settings_sealed = excluded.settings_sealed, settings_event_id = excluded.settings_event_id,
       webhook_disabled = excluded.webhook_disabled`,
  values: [
    joined(rows.map((row) => row.account_id)),
    arrayOf(rows.map((row) => row.test)),
    joined(rows.map((row) => row.kind)),
    joined(rows.map((row) => row.created_at)),
    arrayOf(rows.map((row) => row.version)),
    joinedOrNothing(rows.map((row) => row.settings_sealed)),
    joinedOrNothing(rows.map((row) => row.settings_event_id)),
    joinedOrNothing(rows.map((row) => row.webhook_disabled)),
  ],
});

const saveKeys = (table: string, rows: Key[]): Statement => ({
  text: `insert into ${table} (key_id, account_id, secret_hash, scope, test, prefix, sealed, event_id,
       created_at, created_position, changed_position, expires_at, revoked_at)
     select key_id, account_id, secret_hash, scope, test, prefix, nullif(sealed, ''), event_id::uuid,
       created_at::timestamptz, created_position, changed_position,
       nullif(expires_at, '')::timestamptz, nullif(revoked_at, '')::timestamptz
     from unnest(${split('$1')}, ${split('$2')}, ${split('$3')}, ${split('$4')}, $5::bool[],
       ${split('$6')}, ${split('$7')}, ${split('$8')}, ${split('$9')}, $10::bigint[], $11::bigint[],
       ${split('$12')}, ${split('$13')}) as t (key_id, account_id, secret_hash, scope, test, prefix,
       sealed, event_id, created_at, created_position, changed_position, expires_at, revoked_at)
     on conflict (key_id) do update set changed_position = excluded.changed_position,
       revoked_at = excluded.revoked_at`,
  values: [
    joined(rows.map((row) => row.key_id)),
    joined(rows.map((row) => row.account_id)),
    joined(rows.map((row) => row.secret_hash)),
    joined(rows.map((row) => row.scope)),
    arrayOf(rows.map((row) => row.test)),
    joined(rows.map((row) => row.prefix)),
    joinedOrNothing(rows.map((row) => row.sealed)),
    joined(rows.map((row) => row.event_id)),
    joined(rows.map((row) => row.created_at)),
    arrayOf(rows.map((row) => row.created_position)),
    arrayOf(rows.map((row) => row.changed_position)),
    joinedOrNothing(rows.map((row) => row.expires_at)),
    joinedOrNothing(rows.map((row) => row.revoked_at)),
  ],
});

export const accounts: Projection = {
  name: 'accounts',
  version: 2,
  streams: ['account-'],
  tables: ['accounts', 'api_keys'],
  create: createAccountTables,
  indexes: accountIndexes,
  async project(db, events, table) {
    const own = events.filter((event): event is AnyEvent & AccountEvent =>
      event.stream.startsWith('account-'),
    );
    if (own.length === 0) return [];
    const rows = await load(db, table, [...new Set(own.map((event) => event.data.accountId))]);
    for (const event of own) apply(rows, event);
    return [
      saveAccounts(table('accounts'), [...rows.accounts.values()]),
      ...(rows.keys.size > 0 ? [saveKeys(table('api_keys'), [...rows.keys.values()])] : []),
    ];
  },
};
