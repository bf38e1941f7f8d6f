import type { Scope } from '../../contract/scopes.ts';

export type KeyRow = {
  key_id: string;
  account_id: string;
  secret_hash: string;
  scope: Scope;
  test: boolean;
  prefix: string;
  /** The label, sealed for the event `event_id`. */
  sealed: string | null;
  event_id: string;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
};

export type AccountRow = {
  account_id: string;
  test: boolean;
  kind: 'email' | 'agent';
  created_at: Date;
  version: bigint;
  /** The settings, sealed for the event `settings_event_id`. */
  settings_sealed: string | null;
  settings_event_id: string | null;
  /** Why the status webhook is not called any more. */
  webhook_disabled: 'gone' | 'failing' | null;
};

/** `changed_position`: the event that last changed the row, so that caches can ask what is new. */
export const createAccountTables = (table: (base: string) => string): string => `
create table ${table('accounts')} (
  account_id        text collate "C" primary key,
  test              boolean not null,
  kind              text collate "C" not null,
  created_at        timestamptz not null,
  version           bigint not null,
  settings_sealed   text collate "C",
  settings_event_id uuid,
  webhook_disabled  text collate "C"
);
create table ${table('api_keys')} (
  key_id           text collate "C" primary key,
  account_id       text collate "C" not null,
  secret_hash      text collate "C" not null unique,
  scope            text collate "C" not null,
  test             boolean not null,
  prefix           text collate "C" not null,
  sealed           text collate "C",
  event_id         uuid not null,
  created_at       timestamptz not null,
  created_position bigint not null,
  changed_position bigint not null,
  expires_at       timestamptz,
  revoked_at       timestamptz
);
create index on ${table('api_keys')} (account_id);
`;

export const accountIndexes = [{ table: 'api_keys', on: '(changed_position)' }];
