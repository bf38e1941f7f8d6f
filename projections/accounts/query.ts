import { allRows, type Db, oneRow } from '../../ground/db.ts';
import { createConditions } from '../conditions.ts';
import type { ClosureState, AccountRow as StoredAccount, KeyRow as StoredKey } from './table.ts';

type AccountRow = Omit<StoredAccount, 'created_at'> & { created_at: Date };

export type KeyRow = Omit<
  StoredKey,
  | 'created_at'
  | 'expires_at'
  | 'revoked_at'
  | 'repeatable_until'
  | 'created_position'
  | 'changed_position'
> & {
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  repeatable_until: Date | null;
};

const keyColumns =
  'key_id, account_id, secret_hash, scope, test, prefix, sealed, event_id, created_at, expires_at, revoked_at, repeatable_until, bound_to, unconfirmed';

/** Keys by the SHA-256 of their secrets, revoked or not. */
export const keysBySecret = async (
  db: Db,
  secretHashes: readonly string[],
): Promise<Map<string, KeyRow & { blocked: boolean }>> => {
  const { rows } = await db.query<KeyRow & { blocked: boolean; secret_hash: string }>(
    `select ${keyColumns}, (select a.blocked from read_models.accounts a where a.account_id = k.account_id) as blocked
     from read_models.api_keys k where secret_hash = any($1)`,
    [secretHashes],
  );
  return new Map(rows.map((row) => [row.secret_hash, row]));
};

/** Keys that are neither revoked nor expired, newest first. */
export const activeKeys = (db: Db, accountId: string, now: string): Promise<KeyRow[]> =>
  allRows(
    db,
    `select ${keyColumns} from read_models.api_keys
     where account_id = $1 and revoked_at is null
       and coalesce(expires_at, 'infinity') > $2::timestamptz
     order by created_position desc`,
    [accountId, now],
  );

/** When keys end or ended, epoch ms. */
export const keysAlive = async (
  db: Db,
  keyIds: readonly string[],
): Promise<{ keyId: string; accountId: string; endsAtMs: number }[]> => {
  const { rows } = await db.query<{ key_id: string; account_id: string; ends_at: Date | null }>(
    `select key_id, account_id, least(expires_at, revoked_at) as ends_at from read_models.api_keys
     where key_id = any($1)`,
    [keyIds],
  );
  return rows.map((row) => ({
    keyId: row.key_id,
    accountId: row.account_id,
    endsAtMs: row.ends_at?.getTime() ?? Number.POSITIVE_INFINITY,
  }));
};

/** Hashes of keys that changed after a log position, and the newest such position. */
export const keysChangedAfter = async (
  db: Db,
  position: bigint,
): Promise<{ hashes: string[]; position: bigint }> => {
  const { rows } = await db.query<{ secret_hash: string; changed_position: bigint }>(
    'select secret_hash, changed_position from read_models.api_keys where changed_position > $1',
    [position],
  );
  return {
    hashes: rows.map((row) => row.secret_hash),
    position: rows.reduce(
      (max, row) => (row.changed_position > max ? row.changed_position : max),
      position,
    ),
  };
};

export const accountById = (db: Db, accountId: string): Promise<AccountRow | undefined> =>
  oneRow(
    db,
    `select account_id, test, kind, created_at, version, settings_sealed, settings_event_id,
       webhook_disabled, blocked
     from read_models.accounts where account_id = $1`,
    [accountId],
  );

type AccountSummary = {
  account_id: string;
  test: boolean;
  kind: 'email' | 'agent';
  created_at: Date;
  confirmed_at: Date | null;
  blocked: boolean;
  closure_state: ClosureState | null;
  keys: number;
};

/** Accounts, newest first, for the operator. `before`: those that are behind this one in the list. */
export const listAccounts = async (
  db: Db,
  filter: { blocked?: boolean; before?: string | undefined; limit: number },
): Promise<AccountSummary[]> => {
  const { where, parameter, texts, values } = createConditions();
  where((p) => `blocked = ${p}`, filter.blocked);
  where(
    (p) =>
      `(created_at, account_id) < (select created_at, account_id from read_models.accounts where account_id = ${p})`,
    filter.before,
  );
  const conditions = texts().length > 0 ? `where ${texts().join(' and ')}` : '';
  return allRows<AccountSummary>(
    db,
    `select account_id, test, kind, created_at, confirmed_at, blocked, closure_state,
       (select count(*)::int from read_models.api_keys k
        where k.account_id = a.account_id and k.revoked_at is null) as keys
     from read_models.accounts a ${conditions}
     order by created_at desc, account_id desc limit ${parameter(filter.limit)}`,
    values,
  );
};

/** The operator's limits for an account, which replace the service's limits. */
export const quotasOf = async (
  db: Db,
  accountId: string,
): Promise<NonNullable<StoredAccount['quotas']>> => {
  const { rows } = await db.query<{ quotas: StoredAccount['quotas'] }>(
    'select quotas from read_models.accounts where account_id = $1',
    [accountId],
  );
  return rows[0]?.quotas ?? {};
};

type ClosureRow = {
  accountId: string;
  state: ClosureState;
  at: Date;
  erasedEventId: string | null;
};

const closureColumns =
  'account_id as "accountId", closure_state as state, closure_at as at, erased_event_id as "erasedEventId"';

/**
 * Closures with a step due at `now` (RFC 3339), in the order of their accounts: accounts that are to be
 * erased or are being erased, and for an hour those that are erased, so that nothing stays that a last
 * request stored. An account whose data key still exists is not done either.
 */
export const closuresDue = async (
  db: Db,
  now: string,
  after: string,
  limit: number,
): Promise<string[]> => {
  const { rows } = await db.query<{ account_id: string }>(
    `select account_id from read_models.accounts a
     where closure_state is not null and closure_at <= $1::timestamptz and account_id > $2
       and (closure_state <> 'erased' or closure_at > $1::timestamptz - interval '1 hour'
         or exists (select from keys.data_keys k
           where k.subject = 'account-' || a.account_id and k.wrapped is not null))
     order by account_id limit $3`,
    [now, after, limit],
  );
  return rows.map((row) => row.account_id);
};

/** A closure that was not taken back, of any account. */
export const closureById = (db: Db, closureId: string): Promise<ClosureRow | undefined> =>
  oneRow(db, `select ${closureColumns} from read_models.accounts where closure_id = $1 limit 1`, [
    closureId,
  ]);

/** The event of which the credential certifies that an account was erased. */
export const erasedEventOf = async (db: Db, accountId: string): Promise<string | undefined> => {
  const { rows } = await db.query<{ erased_event_id: string | null }>(
    'select erased_event_id from read_models.accounts where account_id = $1',
    [accountId],
  );
  return rows[0]?.erased_event_id ?? undefined;
};
