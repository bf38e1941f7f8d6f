import type { Db } from '../../contract/db.ts';
import type { AccountEvent } from '../../events/account.ts';
import type { AnyEvent } from '../../events/envelope.ts';
import type { Projection } from '../projection.ts';
import { type AccountRow, accountTable, type KeyRow, keyTable } from './table.ts';

type Rows = { accounts: Map<string, AccountRow>; keys: Map<string, KeyRow> };

const load = async (db: Db, table: (base: string) => string, ids: string[]): Promise<Rows> => {
  const [accounts, keys] = await Promise.all([
    accountTable.load(db, table('accounts'), 'account_id', ids),
    keyTable.load(db, table('api_keys'), 'account_id', ids),
  ]);
  return { accounts, keys };
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
        bound_to: event.data.boundTo ?? null,
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
    case 'AuditWebhookDisabled':
      break;
    default:
      event satisfies never;
  }
  const account = accounts.get(event.data.accountId);
  if (account) account.version = event.version;
};

export const accounts: Projection = {
  name: 'accounts',
  version: 3,
  streams: ['account-'],
  tables: [accountTable, keyTable],
  async project(db, events, table) {
    const own = events.filter((event): event is AnyEvent & AccountEvent =>
      event.stream.startsWith('account-'),
    );
    if (own.length === 0) return [];
    const rows = await load(db, table, [...new Set(own.map((event) => event.data.accountId))]);
    for (const event of own) apply(rows, event);
    return [...accountTable.save(rows.accounts.values()), ...keyTable.save(rows.keys.values())];
  },
};
