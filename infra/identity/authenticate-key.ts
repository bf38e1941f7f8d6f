import { hashOfKey, isWellFormedKey } from '../../commands/accounts/api-key.ts';
import type { Bounds, BoundTo } from '../../contract/bounds.ts';
import { AppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import { createBoundedMap } from '../../ground/bounded-map.ts';
import type { Db } from '../../ground/db.ts';
import { createFreshness } from '../../ground/freshness.ts';
import { type KeyRow, keysBySecret, keysChangedAfter } from '../../projections/accounts/query.ts';
import { createBatchedLookup } from './batched-lookup.ts';
import { createKeyChanges, type IsShown, notYetKnown } from './key-changes.ts';

const maxCached = 50_000;
/** A key revoked by another process is refused here after at most this long. */
const refreshMs = 400;
const saveUsageMs = 10_000;

type Known = {
  caller: Caller;
  expiresAtMs: number;
  /** Until when it can repeat its rotation; 0: it was not replaced. */
  repeatableUntilMs: number;
  /** Of a key that is bound to others: when it was last found alive, and at which state of things. */
  bound: { to: BoundTo; aliveAtMs: number; generation: number } | undefined;
};

/** Of what a key can be bound to. `generation` changes when something ends in this process. */
type Ends = {
  hasEnded: (boundTo: BoundTo) => Promise<boolean>;
  generation: () => number;
};

const invalidKey = (detail: string): AppError =>
  new AppError('invalid_api_key', detail, {
    headers: { 'WWW-Authenticate': 'Bearer realm="letters", error="invalid_token"' },
  });

/** Its holder has an account, so a second one would not help. */
const endedKey = (): AppError =>
  invalidKey(
    'The API key has ended: it expired, or it was revoked or replaced, or what made it has ended. Ask the owner of the account for another key.',
  );

const compactJwt = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;

/** A UCAN without its prefix looks like any JWT, and its holder needs no key. */
const unprefixedUcan = (): AppError =>
  invalidKey(
    'This is not an API key. If it is a UCAN, send it as "Authorization: Bearer ucan:<token>".',
  );

/** Epoch ms: when it expires, or is refused since it was revoked or replaced; undefined: never. */
const endOf = ({ expires_at: expiresAt, revoked_at: revokedAt }: KeyRow): number | undefined => {
  const ends = [expiresAt, revokedAt].flatMap((end) => end?.getTime() ?? []);
  return ends.length === 0 ? undefined : Math.min(...ends);
};

/** Epoch ms: until when it can repeat its rotation. A key that expires ends then, too. */
const repeatableUntilOf = ({ expires_at: expiresAt, repeatable_until: until }: KeyRow): number =>
  Math.min(until?.getTime() ?? 0, expiresAt?.getTime() ?? Number.POSITIVE_INFINITY);

/** Of one that can repeat its rotation as they were before, so that it is the same request. */
const boundsOf = (row: KeyRow): Bounds | undefined => {
  const expiresAtMs = row.repeatable_until ? row.expires_at?.getTime() : endOf(row);
  return expiresAtMs === undefined && row.bound_to === null
    ? undefined
    : { keys: [], ucans: [], ...row.bound_to, expiresAtMs };
};

const callerOf = (row: KeyRow & { blocked: boolean }): Caller => {
  const bounds = boundsOf(row);
  const { account_id: accountId, key_id: keyId, test, unconfirmed, blocked } = row;
  return {
    accountId,
    keyId,
    test,
    scope: unconfirmed ? 'read' : row.scope,
    ...(bounds ? { bounds } : {}),
    ...(unconfirmed ? { unconfirmed } : {}),
    ...(blocked ? { blocked } : {}),
  };
};

/**
 * Knows who calls, by API key. Keys are looked up by their SHA-256, so that nothing can be learned
 * from how long a comparison takes, and cached until they change.
 */
export const createAuthenticator = async (options: {
  db: Db;
  clock: () => number;
  /** Everybody can register an account. */
  registration: boolean;
  ends: Ends;
  /** Whether the rows hold by now what the log had when it was asked. */
  isUpToDate: () => Promise<boolean>;
  onError: (error: unknown) => void;
}) => {
  const { db, clock, ends, isUpToDate, registration } = options;
  const unknownKey = (): AppError =>
    invalidKey(
      `The API key is not valid. Check it, or ${registration ? 'get one with POST /auth/register' : 'ask the operator for one'}.`,
    );
  const cache = createBoundedMap<string, Known>(maxCached);
  const used = new Map<string, number>();
  const changes = createKeyChanges();
  let seen = (await keysChangedAfter(db, 0n)).position;
  let generation = 0;

  /** The cache is valid only while it is certain that no key changed since. */
  const cached = createFreshness(async () => {
    const { hashes, position } = await keysChangedAfter(db, seen);
    for (const hash of hashes) cache.delete(hash);
    if (hashes.length > 0) generation++;
    seen = position;
  }, refreshMs);

  const rowOf = createBatchedLookup((hashes) => keysBySecret(db, hashes));

  const lateRow = async (hash: string, from: string) => {
    if (!(await isUpToDate())) throw notYetKnown();
    return rowOf(hash, from);
  };

  const lookUp = async (hash: string, from: string): Promise<Known> => {
    const before = generation;
    const found = (await rowOf(hash, from)) ?? (await lateRow(hash, from));
    const isOutdated = found !== undefined && (await changes.settle(found.account_id));
    const row = isOutdated ? await rowOf(hash, from) : found;
    if (!row) throw unknownKey();
    const known = {
      caller: callerOf(row),
      expiresAtMs: endOf(row) ?? Number.POSITIVE_INFINITY,
      repeatableUntilMs: repeatableUntilOf(row),
      bound: row.bound_to
        ? { to: row.bound_to, aliveAtMs: Number.NEGATIVE_INFINITY, generation: 0 }
        : undefined,
    };
    // A key that may have changed while it was read is looked up again next time.
    if (before !== generation) return known;
    cache.set(hash, known);
    return known;
  };

  /** @throws AppError invalid_api_key when something ended that the key is bound to */
  const assertBoundsAlive = async (bound: NonNullable<Known['bound']>): Promise<void> => {
    const nowMs = performance.now();
    const generation = ends.generation();
    if (bound.generation === generation && nowMs - bound.aliveAtMs < refreshMs) return;
    if (await ends.hasEnded(bound.to)) throw endedKey();
    Object.assign(bound, { aliveAtMs: nowMs, generation });
  };

  /**
   * The caller whose key has this SHA-256 (base64url). The hash must come from a key that was checked, never from
   * a request.
   * @throws AppError invalid_api_key, rate_limited
   */
  const callerByHash = async (hash: string, from: string, orReplaced = false): Promise<Caller> => {
    await cached.assert();
    const known = cache.get(hash) ?? (await lookUp(hash, from));
    const now = clock();
    const repeats = orReplaced && known.repeatableUntilMs > now;
    if (known.expiresAtMs <= now && !repeats) throw endedKey();
    if (known.bound) await assertBoundsAlive(known.bound);
    used.set(known.caller.keyId, now);
    return known.caller;
  };

  const saveUsage = async (): Promise<void> => {
    if (used.size === 0) return;
    const entries = [...used];
    used.clear();
    await db.query(
      `insert into usage.api_keys (key_id, last_used_at)
       select id, to_timestamp(ms / 1000.0) from unnest($1::text[], $2::double precision[]) as t (id, ms)
       on conflict (key_id) do update set last_used_at = greatest(usage.api_keys.last_used_at, excluded.last_used_at)`,
      [entries.map(([id]) => id), entries.map(([, ms]) => ms)],
    );
  };
  const timer = setInterval(() => void saveUsage().catch(options.onError), saveUsageMs);
  timer.unref();

  return {
    /**
     * `from` is the client’s address. `orReplaced`: also a key that can repeat its rotation.
     * @throws AppError authentication_required, invalid_api_key, rate_limited
     */
    async authenticate(header: string, from: string, orReplaced = false): Promise<Caller> {
      if (!/^bearer /i.test(header)) {
        throw new AppError(
          'authentication_required',
          'Send the API key as "Authorization: Bearer svc_…", or a UCAN as "Authorization: Bearer ucan:…".',
        );
      }
      const secret = header.slice(7).trim();
      const hash = hashOfKey(secret);
      if (!cache.has(hash) && !isWellFormedKey(secret)) {
        throw compactJwt.test(secret) ? unprefixedUcan() : unknownKey();
      }
      return callerByHash(hash, from, orReplaced);
    },
    callerByHash,
    /** Makes what changed of an account's keys in this process hold for the next request. */
    keysChanged(accountId: string, isShown: IsShown): void {
      changes.note(accountId, isShown);
      cached.forget();
      cache.clear();
      generation++;
    },
    async lastUsed(keyIds: string[]): Promise<Map<string, Date>> {
      const { rows } = await db.query<{ key_id: string; last_used_at: Date }>(
        'select key_id, last_used_at from usage.api_keys where key_id = any($1)',
        [keyIds],
      );
      const times = new Map(rows.map((row) => [row.key_id, row.last_used_at]));
      for (const id of keyIds) {
        const ms = used.get(id);
        if (ms !== undefined) times.set(id, new Date(ms));
      }
      return times;
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await saveUsage().catch(options.onError);
    },
  };
};
