import type { BoundTo } from '../../contract/bounds.ts';
import type { Scope } from '../../contract/scopes.ts';
import {
  bigint,
  boolean,
  defineTable,
  fixed,
  jsonb,
  key,
  optional,
  type RowOf,
  text,
  time,
  uuid,
} from '../upsert.ts';

type QuotaName =
  | 'liveLettersPerDay'
  | 'testLettersPerDay'
  | 'draftsPerAccount'
  | 'storedBytesPerAccount';

export type ClosureState = 'closing' | 'erasing' | 'erased';

const accountColumns = {
  account_id: key(text()),
  test: fixed(boolean()),
  kind: fixed(text<'email' | 'agent' | 'wallet'>()),
  created_at: fixed(time()),
  version: bigint(),
  /** The settings, sealed for the event `settings_event_id`. */
  settings_sealed: optional(text()),
  settings_event_id: optional(uuid()),
  /** When its own address was confirmed first. */
  confirmed_at: optional(time()),
  blocked: boolean(),
  /** The operator's limits for it, which replace the service's limits. */
  quotas: optional(jsonb<{ [K in QuotaName]?: number }>()),
  /** Why the status webhook is not called any more. */
  webhook_disabled: optional(text<'gone' | 'failing'>()),
  closure_id: optional(text()),
  closure_state: optional(text<ClosureState>()),
  /** Closing: when it is erased. Otherwise: since when it has this state. */
  closure_at: optional(time()),
  /** The event whose credential is the certificate. */
  erased_event_id: optional(uuid()),
};

const keyColumns = {
  key_id: key(text()),
  account_id: fixed(text()),
  secret_hash: fixed(text()),
  scope: fixed(text<Scope>()),
  test: fixed(boolean()),
  prefix: fixed(text()),
  /** The label, sealed for the event `event_id`. */
  sealed: fixed(optional(text())),
  event_id: fixed(uuid()),
  created_at: fixed(time()),
  created_position: fixed(bigint()),
  /** The event that last changed the row, so that caches can read changes only. */
  changed_position: bigint(),
  expires_at: fixed(optional(time())),
  /** The keys and UCANs that it ends with. */
  bound_to: fixed(optional(jsonb<BoundTo>())),
  /** From when on it is refused. */
  revoked_at: optional(time()),
  /** Until then a key that rotated itself can repeat that request, and nothing else. */
  repeatable_until: optional(time()),
  /** It may read, and nothing else. See commands/accounts/confirmation.ts. */
  unconfirmed: boolean(),
};

export type AccountRow = RowOf<typeof accountColumns>;
export type KeyRow = RowOf<typeof keyColumns>;

export const accountTable = defineTable('accounts', accountColumns, {
  indexes: ['(closure_at) where closure_state is not null', '(closure_id)'],
});

export const keyTable = defineTable('api_keys', keyColumns, {
  unique: ['secret_hash'],
  own: ['(account_id)'],
  indexes: [
    '(changed_position)',
    // Active keys. The limit `apiKeysPerAccount` bounds them, but not expired keys.
    "(account_id, coalesce(expires_at, 'infinity')) where revoked_at is null",
  ],
});
