import type { AccountEvent } from '../../events/account.ts';
import type { AnyEvent, Db, Projection } from '../projection.ts';
import { createAccountTables } from './table.ts';

type Table = (base: string) => string;

/** Accounts change rarely: one statement per event. */
const apply = async (db: Db, event: AnyEvent & AccountEvent, table: Table): Promise<void> => {
  const { data, metadata } = event;
  switch (event.type) {
    case 'AccountRegistered':
      await db.query(
        `insert into ${table('accounts')} (account_id, test, kind, created_at, version)
         values ($1, $2, $3, $4, $5)`,
        [data.accountId, event.data.test, event.data.kind, metadata.at, event.version],
      );
      return;
    case 'KeyCreated': {
      const key = event.data;
      await db.query(
        `insert into ${table('api_keys')} (key_id, account_id, secret_hash, scope, test, prefix,
           sealed, event_id, created_at, created_position, changed_position, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11)`,
        [
          key.keyId,
          key.accountId,
          key.secretHash,
          key.scope,
          key.test,
          key.prefix,
          metadata.sealed ?? null,
          event.id,
          metadata.at,
          event.position,
          key.expiresAt ?? null,
        ],
      );
      break;
    }
    case 'KeyRevoked':
      await db.query(
        `update ${table('api_keys')} set revoked_at = $2, changed_position = $3 where key_id = $1`,
        [event.data.keyId, metadata.at, event.position],
      );
      break;
    case 'SettingsChanged':
      await db.query(
        `update ${table('accounts')} set settings_sealed = $2, settings_event_id = $3
         where account_id = $1`,
        [data.accountId, metadata.sealed ?? null, event.id],
      );
      break;
    default:
      event satisfies never;
  }
  await db.query(`update ${table('accounts')} set version = $2 where account_id = $1`, [
    data.accountId,
    event.version,
  ]);
};

export const accounts: Projection = {
  name: 'accounts',
  version: 1,
  streams: ['account-'],
  tables: ['accounts', 'api_keys'],
  create: createAccountTables,
  async project(db, events, table) {
    for (const event of events) {
      if (event.stream.startsWith('account-')) {
        await apply(db, event as AnyEvent & AccountEvent, table);
      }
    }
  },
};
