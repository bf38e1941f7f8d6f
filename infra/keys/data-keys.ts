import { createSecretKey, type KeyObject } from 'node:crypto';
import type pg from 'pg';
import { type DataKeys, KeyErased, type WrappedKey } from '../../events/data-keys.ts';
import { createBatchLoader } from '../../ground/batch-loader.ts';
import { createBoundedMap } from '../../ground/bounded-map.ts';
import type { Log } from '../../ground/log.ts';
import { drawRandom } from '../../ground/random.ts';
import { singleFlightByKey } from '../../ground/single-flight.ts';
import { createFollowingConnection } from './follow-roots.ts';
import { type Keyring, type Roots, RootUnknown } from './keyring.ts';

const insert = `
insert into keys.data_keys (subject, wrapped, wrapped_by)
select made.* from unnest($1::text[], $2::text[], $3::int[]) as made where keys.assert_roots($3)
on conflict (subject) do nothing
returning subject`;
const select =
  'select subject, wrapped, wrapped_by as root from keys.data_keys where subject = any($1)';
const erase = `
insert into keys.data_keys (subject, wrapped, erased_at) values ($1, null, now())
on conflict (subject) do update set wrapped = null, erased_at = now()`;
const remove = 'delete from keys.data_keys where subject = $1';

const keyBytes = 32;
/** An estimate of what a key takes in memory with its name. As a KeyObject it would take six times that. */
const cachedKeyBytes = 250;
const maxCachedBytes = 16 * 1024 * 1024;
const maxPerInsert = 500;
const maxPerSelect = 500;

type Row = { subject: string; wrapped: string | null; root: number };

type Waiting = {
  subject: string;
  resolve: (key: KeyObject) => void;
  reject: (error: unknown) => void;
};

/** The keys of rows that have one. A root that is not known here yet is read first. */
const unwrapAll = async (
  rows: readonly Row[],
  keyring: Keyring,
  refresh: () => Promise<void>,
): Promise<Map<string, KeyObject>> => {
  const unwrap = ({ subject, wrapped, root }: Row): [string, KeyObject][] => {
    if (wrapped === null) return [];
    const key = keyring.open({ sealed: wrapped, root }, 'wrap', subject);
    return [[subject, createSecretKey(key)]];
  };
  try {
    return new Map(rows.flatMap(unwrap));
  } catch (error) {
    if (!(error instanceof RootUnknown)) throw error;
    await refresh();
    return new Map(rows.flatMap(unwrap));
  }
};

/** Keys in memory. A key is not kept if any key was erased while it was read, because it may be that one. */
const createKeyCache = () => {
  const secrets = createBoundedMap<string, string>(maxCachedBytes, () => cachedKeyBytes);
  const listeners: ((subject?: string) => void)[] = [];
  let erasures = 0;
  return {
    /** How many erasures this process heard of. */
    erasures: () => erasures,
    remember(subject: string, key: KeyObject, erasuresBefore: number): void {
      if (erasures === erasuresBefore) secrets.set(subject, key.export().toString('latin1'));
    },
    /** Makes a new KeyObject each time, which takes less than a microsecond. */
    known(subject: string): KeyObject | undefined {
      const secret = secrets.get(subject);
      return secret === undefined ? undefined : createSecretKey(secret, 'latin1');
    },
    /** Forgets the key of a subject; without a subject, all keys. */
    forget(subject?: string): void {
      erasures++;
      if (subject === undefined) secrets.clear();
      else secrets.delete(subject);
      for (const listener of listeners) listener(subject);
    },
    onErased(listener: (subject?: string) => void): void {
      listeners.push(listener);
    },
  };
};

/** Data keys in a table, which can forget other data together with a key. */
export type StoredDataKeys = DataKeys & {
  /** Like `erase`, but a subject without events (after a restore, for example) may get a new key later. */
  remove(subject: string): Promise<void>;
  /**
   * Calls `listener` with each subject whose key was erased, here or in another process. It is called without a subject
   * if this process did not listen for a while, so that any key may have been erased.
   */
  onErased(listener: (subject?: string) => void): void;
  /** Begins to hear of erasures and of changes to the roots. Otherwise it begins with the first key. */
  follow(): void;
};

/**
 * Data keys in Postgres, wrapped by the active root; made in batches, cached while they are used. The connection that
 * hears of erasures also follows the roots.
 */
export const createDataKeys = async (options: {
  url: string;
  pool: pg.Pool;
  keyring: Keyring;
  /** Reads and opens the roots as they are now. */
  loadRoots: () => Promise<Roots>;
  log: Pick<Log, 'warn'>;
  patienceMs?: number;
}): Promise<StoredDataKeys & { close(): Promise<void> }> => {
  const { pool, keyring, patienceMs = 5_000 } = options;
  const cache = createKeyCache();
  const { known, forget, onErased } = cache;
  const remember: typeof cache.remember = (...key) => {
    // A process that keeps keys must hear when they are erased.
    writer.connect();
    cache.remember(...key);
  };
  const making = singleFlightByKey<string, KeyObject>();
  const waiting: Waiting[] = [];
  let running = false;

  const draft = (subject: string): { key: KeyObject; wrapped: WrappedKey } => {
    writer.connect();
    const bytes = drawRandom(keyBytes);
    const { sealed, root } = keyring.seal(bytes, 'wrap', subject);
    const wrapped = { subject, wrapped: sealed, root };
    const key = createSecretKey(bytes);
    bytes.fill(0);
    return { key, wrapped };
  };

  const writer = createFollowingConnection({
    ...options,
    patienceMs,
    async onConnect(client) {
      client.on('notification', ({ channel, payload }) => {
        if (channel === 'data_key_erased') forget(payload ?? '');
      });
      await client.query('listen data_key_erased');
      // Keys may have been erased elsewhere while nobody listened: start from an empty cache.
      forget();
    },
  });

  const store = async (batch: Waiting[]): Promise<void> => {
    const drafts = batch.map(({ subject }) => draft(subject));
    const subjects = batch.map(({ subject }) => subject);
    const wrapped = drafts.map((one) => one.wrapped.wrapped);
    const keys = new Map<string, KeyObject>(
      drafts.map(({ key, wrapped: { subject } }) => [subject, key]),
    );
    const roots = drafts.map((one) => one.wrapped.root);
    const erasuresBefore = cache.erasures();
    const others = await writer.use(async (client) => {
      const query = { name: 'make-keys', text: insert, values: [subjects, wrapped, roots] };
      const { rows } = await client.query<{ subject: string }>(query);
      if (rows.length === subjects.length) return [];
      // The others are there already: made by another process, by a lost answer, or erased.
      const made = new Set(rows.map((row) => row.subject));
      const found = await client.query<Row>(select, [
        subjects.filter((subject) => !made.has(subject)),
      ]);
      return found.rows;
    });
    for (const { subject } of others) keys.delete(subject);
    for (const [subject, key] of await unwrapAll(others, keyring, writer.refresh))
      keys.set(subject, key);
    for (const { subject, resolve, reject } of batch) {
      const key = keys.get(subject);
      if (key) {
        remember(subject, key, erasuresBefore);
        resolve(key);
      } else reject(new KeyErased(subject));
    }
  };

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxPerInsert);
      try {
        await store(batch);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running = false;
  };

  const getMany = async (subjects: string[]): Promise<Map<string, KeyObject>> => {
    const keys = new Map<string, KeyObject>();
    const missing: string[] = [];
    for (const subject of new Set(subjects)) {
      const key = known(subject);
      if (key) keys.set(subject, key);
      else missing.push(subject);
    }
    if (missing.length === 0) return keys;
    const erasuresBefore = cache.erasures();
    const { rows } = await pool.query<Row>({ name: 'get-keys', text: select, values: [missing] });
    for (const [subject, key] of await unwrapAll(rows, keyring, writer.refresh)) {
      remember(subject, key, erasuresBefore);
      keys.set(subject, key);
    }
    return keys;
  };

  const getOne = createBatchLoader({
    async load(subjects: string[]) {
      const keys = await getMany(subjects);
      return subjects.map((subject) => keys.get(subject));
    },
    maxBatch: maxPerSelect,
    running: 2,
  });

  /** Draws a key and stores it with the next batch. */
  const make = (subject: string): Promise<KeyObject> =>
    new Promise((resolve, reject) => {
      waiting.push({ subject, resolve, reject });
      if (running) return;
      running = true;
      queueMicrotask(() => void run());
    });

  /** In order. Other processes hear of it. */
  const forgetBy = async (statements: readonly string[], subject: string): Promise<void> => {
    await writer.use(async (client) => {
      for (const statement of statements) await client.query(statement, [subject]);
      await client.query("select pg_notify('data_key_erased', $1)", [subject]);
    });
    forget(subject);
  };

  return {
    draft,
    create(subject) {
      const cached = known(subject);
      if (cached) return Promise.resolve(cached);
      return making(subject, () => make(subject));
    },
    getMany,
    async get(subject) {
      return known(subject) ?? getOne(subject);
    },
    erase: (subject) => forgetBy([erase], subject),
    // The key is erased first. Rows that live only as long as the key go with it.
    remove: (subject) => forgetBy([erase, remove], subject),
    onErased,
    follow: writer.connect,
    close: () => writer.close(),
  };
};
