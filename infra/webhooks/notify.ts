/**
 * The reactor behind the webhooks: follows the log in batches and writes what is to be delivered, the
 * jobs that deliver it, and its checkpoint in one transaction. What nobody wants costs no more than to
 * look at it: who wants what is kept in memory, folded from the same log and stored with the
 * checkpoint.
 */

import type { Db, TransactionalDb } from '../../contract/db.ts';
import type { Log } from '../../contract/log.ts';
import { decodeEvent } from '../../events/envelope.ts';
import type { EventBatch, EventStore, Position, RecordedEvent } from '../../events/event-store.ts';
import { letterStream } from '../../events/letter.ts';
import { UnknownEventType } from '../../events/registry.ts';
import type { AnyEvent, Checkpoints, ReactorStatus } from '../../reactors/reactor.ts';
import {
  accountIdOf,
  applyRouteChange,
  emptyRoutes,
  isTold,
  letterIdOf,
  type Message,
  messagesOf,
  type RouteChange,
  type Routes,
  routeChangeOf,
} from '../../reactors/webhook-routes.ts';
import { addMessages } from './messages.ts';

const name = 'notify';
const batchLimit = 1_000;
/** Without anything to write the checkpoint moves this often. */
const saveEveryMs = 1_000;
const retryMs = 1_000;
const maxKnownLetters = 100_000;
const dayMs = 86_400_000;

/** Another process moved the checkpoint. */
class CheckpointMoved extends Error {}

type Ports = {
  store: EventStore;
  db: TransactionalDb;
  checkpoints: Pick<Checkpoints, 'own'>;
  clock: () => number;
  log: Pick<Log, 'error'>;
};

const decoded = (recorded: RecordedEvent): AnyEvent | undefined => {
  try {
    return decodeEvent(recorded) as unknown as AnyEvent;
  } catch (error) {
    if (error instanceof UnknownEventType) return undefined;
    throw error;
  }
};

const changesRoutes = (recorded: RecordedEvent): boolean => {
  if (!recorded.stream.startsWith('account-')) return false;
  const event = decoded(recorded);
  return event !== undefined && routeChangeOf(event) !== undefined;
};

/** Routes, checkpoint and the beginning of time, as they are stored. */
const loadState = async (db: Db) => {
  const routes = emptyRoutes();
  const { rows } = await db.query<{
    kind: 'status' | 'audit';
    id: string;
    account_id: string;
    events: string[] | null;
    letter_id: string | null;
  }>('select kind, id, account_id, events, letter_id from deliveries.endpoints where active');
  for (const { kind, id, account_id: accountId, events, letter_id: letterId } of rows) {
    const route = { events: events ?? undefined, letterId: letterId ?? undefined };
    applyRouteChange(routes, { kind, id, accountId, active: true, route });
  }
  const progress = await db.query<{ started_at: Date; position: Position }>(
    'select started_at, position from deliveries.progress',
  );
  const [row] = progress.rows;
  if (!row) throw new Error('deliveries.progress is empty; start the service again');
  return { routes, position: row.position, tellFromMs: row.started_at.getTime() - dayMs };
};

/** @throws CheckpointMoved when it is not where this process left it */
const moveCheckpoint = async (db: Db, from: bigint, to: bigint): Promise<void> => {
  const { rowCount } = await db.query(
    'update deliveries.progress set position = $2 where position = $1',
    [from, to],
  );
  if (rowCount !== 1) throw new CheckpointMoved('another process reacts to the log');
};

/** An endpoint that is set again begins with a clean record; one that is taken away gives up. */
const saveRoutes = async (db: Db, changes: RouteChange[]): Promise<void> => {
  const last = new Map(changes.map((change) => [`${change.kind} ${change.id}`, change]));
  for (const { kind, id, accountId, active, route } of last.values()) {
    await db.query(
      `insert into deliveries.endpoints (kind, id, account_id, active, events, letter_id)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (kind, id) do update set active = $4, failing_since = null`,
      [kind, id, accountId, active, route?.events ?? null, route?.letterId ?? null],
    );
    if (active) continue;
    await db.query(
      `update deliveries.messages set state = 'cancelled', changed_at = now()
       where kind = $1 and endpoint_id = $2 and state in ('due', 'waiting')`,
      [kind, id],
    );
  }
};

/** Whose letters they are; what the read model does not have yet stands in their first event. */
const ownersOf = async (ports: Ports, letterIds: string[]): Promise<Map<string, string>> => {
  if (letterIds.length === 0) return new Map();
  const { rows } = await ports.db.query<{ letter_id: string; account_id: string }>(
    'select letter_id, account_id from read_models.letters where letter_id = any($1::uuid[])',
    [letterIds],
  );
  const owners = new Map(rows.map((row) => [row.letter_id, row.account_id]));
  for (const letterId of letterIds) {
    if (owners.has(letterId)) continue;
    const [first] = await ports.store.readStream(letterStream(letterId), { limit: 1 });
    const event = first && decoded(first);
    const owner = event && accountIdOf(event);
    if (owner !== undefined) owners.set(letterId, owner);
  }
  return owners;
};

export const startNotify = (ports: Ports) => {
  const { store, db, clock, log } = ports;
  const stopping = new AbortController();
  const { signal } = stopping;
  const owners = new Map<string, string>();
  let routes: Routes = emptyRoutes();
  let tellFromMs = 0;
  let saved: Position = 0n;
  let seen: Position = 0n;
  let savedAtMs = 0;
  let failing: ReactorStatus['failing'] = [];

  const remember = (letterId: string, accountId: string): void => {
    if (owners.size >= maxKnownLetters) {
      const oldest = owners.keys().next();
      if (!oldest.done) owners.delete(oldest.value);
    }
    owners.set(letterId, accountId);
  };

  /** Makes sure that the owners of the letters in question are known. */
  const learnOwners = async (events: AnyEvent[]): Promise<void> => {
    const unknown = new Set<string>();
    for (const event of events) {
      const letterId = letterIdOf(event);
      const accountId = accountIdOf(event);
      if (letterId === undefined) continue;
      if (accountId !== undefined) remember(letterId, accountId);
      else if (!owners.has(letterId)) unknown.add(letterId);
    }
    for (const [letterId, accountId] of await ownersOf(ports, [...unknown])) {
      remember(letterId, accountId);
    }
  };

  const ownerOf = (event: AnyEvent): string | undefined =>
    accountIdOf(event) ?? owners.get(letterIdOf(event) ?? '');

  const isRouted = (): boolean => routes.webhooks.size > 0 || routes.subscriptions.size > 0;

  /** What a batch changes of the routes, and the messages that it makes by those of each moment. */
  const workOf = async ({ events }: EventBatch) => {
    const changes: RouteChange[] = [];
    const messages: Message[] = [];
    // Without any webhook only an event of an account can begin to make others interesting.
    const wanted = isRouted() || events.some(changesRoutes);
    if (!wanted) return { changes, messages };
    const all = events.map(decoded).filter((event) => event !== undefined);
    await learnOwners(all.filter(isTold));
    for (const event of all) {
      const change = routeChangeOf(event);
      if (change) {
        changes.push(change);
        applyRouteChange(routes, change);
      }
      if (!isTold(event) || Date.parse(event.metadata.at) < tellFromMs) continue;
      const accountId = ownerOf(event);
      if (accountId !== undefined) messages.push(...messagesOf(routes, event, accountId));
    }
    return { changes, messages };
  };

  const take = async (batch: EventBatch): Promise<void> => {
    const { changes, messages } = await workOf(batch);
    const empty = changes.length === 0 && messages.length === 0;
    if (empty && Date.now() - savedAtMs < saveEveryMs) {
      seen = batch.position;
      return;
    }
    await db.transaction(async (tx) => {
      await moveCheckpoint(tx, saved, batch.position);
      await saveRoutes(tx, changes);
      await addMessages(tx, messages, clock());
    });
    saved = batch.position;
    seen = batch.position;
    savedAtMs = Date.now();
    failing = [];
  };

  const follow = async (): Promise<void> => {
    const state = await loadState(db);
    ({ routes, tellFromMs } = state);
    saved = state.position;
    seen = state.position;
    const batches = store.subscribe({ after: saved, limit: batchLimit, signal });
    for await (const batch of batches) await take(batch);
  };

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
    });

  const run = async (): Promise<void> => {
    const release = await ports.checkpoints.own(name, signal);
    if (!release) return;
    while (!signal.aborted) {
      try {
        await follow();
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        failing = [{ stream: '', type: '', position: seen, error: message }];
        log.error({ reactor: name, position: String(seen), err: message }, 'reactor interrupted');
        await pause(retryMs);
      }
    }
    if (seen > saved) await moveCheckpoint(db, saved, seen).catch(() => {});
    await release();
  };

  const ended = run();

  return {
    status: (): ReactorStatus => ({ name, position: seen, failing }),
    async stop(): Promise<void> {
      stopping.abort();
      await ended;
    },
  };
};
