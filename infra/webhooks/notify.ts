/**
 * The reactor behind the webhooks: follows the log in batches and writes the messages, the jobs that deliver
 * them, and its checkpoint in one transaction. Events without a subscriber cost one lookup in memory: the
 * routes are kept there, folded from the same log and stored with the checkpoint.
 */

import { type AnyEvent, decodeEvent } from '../../events/envelope.ts';
import type { EventMark, EventStore, Position, RecordedEvent } from '../../events/event-store.ts';
import {
  type FollowedBatch,
  type Follower,
  followLog,
  PlaceMoved,
} from '../../events/follow-log.ts';
import type { Lease, Leases } from '../../events/lease.ts';
import { letterStream } from '../../events/letter.ts';
import { letterIdOf, UnknownEventType } from '../../events/registry.ts';
import { createBoundedMap } from '../../ground/bounded-map.ts';
import { dayMs } from '../../ground/day.ts';
import type { Db, TransactionalDb } from '../../ground/db.ts';
import type { Log } from '../../ground/log.ts';
import { messageOf } from '../../ground/message-of.ts';
import type { ParkedFrom } from '../../reactors/parked-streams.ts';
import {
  accountIdOf,
  applyRouteChange,
  emptyRoutes,
  isTold,
  type Message,
  messagesOf,
  type RouteChange,
  type Routes,
  routeChangeOf,
} from '../../reactors/webhook-routes.ts';
import { parkedStreams, parkIn, unparkIn } from '../postgres/checkpoints.ts';
import { putOffMs } from './issued.ts';
import { addMessages, cancelOpen } from './messages.ts';

const name = 'notify';
const batchLimit = 1_000;
/** Without anything to write the checkpoint moves this often. */
const saveEveryMs = 1_000;
const maxKnownLetters = 100_000;

type Ports = {
  store: EventStore;
  db: TransactionalDb;
  leases: Leases;
  clock: () => number;
  log: Pick<Log, 'warn' | 'error'>;
  /** Up to where events have their credentials; absent: those of audit messages are looked for at once. */
  issuedUpTo?: () => Promise<Position>;
  /** Waits, for a bounded time, until the API shows what happened up to a position. */
  untilShown?: (position: Position) => Promise<void>;
  /** Makes messages due that were put off and whose credential is there by now. */
  look?: () => Promise<void>;
};

const decoded = (recorded: RecordedEvent): AnyEvent | undefined => {
  try {
    return decodeEvent(recorded);
  } catch (error) {
    if (error instanceof UnknownEventType) return undefined;
    throw error;
  }
};

const isAccountStream = (stream: string): boolean => stream.startsWith('account-');

/** The changes that a batch makes. `ended`: messages whose webhook was removed later in the batch. */
type Work = {
  changes: RouteChange[];
  messages: Message[];
  ended: Message[];
  parked: ParkedFrom[];
};

/**
 * Routes, checkpoint and the beginning of time, as they are stored. Events from before deliveries began
 * (`tellAfter`) are delivered only if they had just happened.
 * @param head of the log: where deliveries begin that have not begun
 */
const loadState = async (db: Db, head: Position) => {
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
  const progress = await db.query<{ started_at: Date; position: Position; tell_after: Position }>(
    `update deliveries.progress
     set tell_after = coalesce(tell_after, case when position > 0 then position else $1 end)
     returning started_at, position, tell_after`,
    [head],
  );
  const [row] = progress.rows;
  if (!row) throw new Error('deliveries.progress is empty; start the service again');
  const tellFromMs = row.started_at.getTime() - dayMs;
  return { routes, position: row.position, tellAfter: row.tell_after, tellFromMs };
};

/** @throws PlaceMoved when it is not where this process left it */
const moveCheckpoint = async (
  db: Db,
  from: Position,
  to: Position,
  last: EventMark | undefined,
): Promise<void> => {
  const { rowCount } = await db.query(
    `update deliveries.progress set position = $2,
       event_position = coalesce($3, event_position), event_id = coalesce($4, event_id)
     where position = $1`,
    [from, to, last?.position, last?.id],
  );
  if (rowCount !== 1) throw new PlaceMoved('another process tells webhooks of the log');
};

const keyOf = ({ kind, id }: RouteChange): string => `${kind} ${id}`;

/** The last change of each endpoint. */
const lastOf = (changes: RouteChange[]): Map<string, RouteChange> =>
  new Map(changes.map((change) => [keyOf(change), change]));

/**
 * An endpoint that is set again begins with a clean record. One that was removed gives up what is open, even if it was
 * set again since. A replay may have made the row, without the filters.
 */
const saveRoutes = async (db: Db, changes: RouteChange[]): Promise<void> => {
  const removed = new Set(changes.filter(({ active }) => !active).map(keyOf));
  for (const [key, { kind, id, accountId, active, route }] of lastOf(changes)) {
    await db.query(
      `insert into deliveries.endpoints (kind, id, account_id, active, events, letter_id)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (kind, id) do update set active = $4, failing_since = null,
         events = case when $4 then excluded.events else endpoints.events end,
         letter_id = case when $4 then excluded.letter_id else endpoints.letter_id end`,
      [kind, id, accountId, active, route?.events ?? null, route?.letterId ?? null],
    );
    if (removed.has(key)) await cancelOpen(db, { kind, id });
  }
};

/**
 * The accounts of letters. Letters that the read model does not have yet are looked up in their first event.
 */
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

/** Tries the work that an event makes: an event that cannot be read throws. */
const readEvent = (recorded: RecordedEvent): AnyEvent | undefined => {
  const event = decoded(recorded);
  if (!event) return undefined;
  routeChangeOf(event);
  letterIdOf(event);
  accountIdOf(event);
  return event;
};

/** The routes of webhooks, the owners of letters, and the streams that could not be read. */
type NotifyState = {
  ports: Ports;
  /** Accounts by the ids of their letters. */
  owners: ReturnType<typeof createBoundedMap<string, string>>;
  routes: Routes;
  parked: Map<string, ParkedFrom>;
  /** Streams that were parked, and the version up to which they were read again. */
  readAgain: Map<string, bigint>;
  tellAfter: Position;
  tellFromMs: number;
};

const emptyState = (ports: Ports): NotifyState => ({
  ports,
  owners: createBoundedMap<string, string>(maxKnownLetters),
  routes: emptyRoutes(),
  parked: new Map(),
  readAgain: new Map(),
  tellAfter: 0n,
  tellFromMs: 0,
});

/** Makes sure that the owners of the letters in question are known. */
const learnOwners = async (state: NotifyState, events: AnyEvent[]): Promise<void> => {
  const unknown = new Set<string>();
  for (const event of events) {
    const letterId = letterIdOf(event);
    const accountId = accountIdOf(event);
    if (letterId === undefined) continue;
    if (accountId !== undefined) state.owners.set(letterId, accountId);
    else if (!state.owners.has(letterId)) unknown.add(letterId);
  }
  for (const [letterId, accountId] of await ownersOf(state.ports, [...unknown])) {
    state.owners.set(letterId, accountId);
  }
};

const ownerOf = (state: NotifyState, event: AnyEvent): string | undefined =>
  accountIdOf(event) ?? state.owners.get(letterIdOf(event) ?? '');

const isOld = (state: NotifyState, { position, metadata }: AnyEvent): boolean =>
  position <= state.tellAfter && Date.parse(metadata.at) < state.tellFromMs;

const isRouted = (state: NotifyState): boolean =>
  state.routes.webhooks.size > 0 || state.routes.subscriptions.size > 0;

/** The events that can be read; the stream of one that cannot is parked from there on. */
const readable = (
  state: NotifyState,
  events: RecordedEvent[],
  after: Position,
): [AnyEvent[], ParkedFrom[]] => {
  const read: AnyEvent[] = [];
  const newlyParked: ParkedFrom[] = [];
  let before = after;
  for (const recorded of events) {
    const { stream, version, type, position } = recorded;
    const isParked = state.parked.has(stream) || version <= (state.readAgain.get(stream) ?? -1n);
    try {
      const event = isParked ? undefined : readEvent(recorded);
      if (event) read.push(event);
    } catch (cause) {
      const error = messageOf(cause);
      const entry = { stream, version, type, error, before };
      state.parked.set(stream, entry);
      newlyParked.push(entry);
      state.ports.log.error({ follower: name, stream, type, err: error }, 'a stream is parked');
    }
    before = position;
  }
  return [read, newlyParked];
};

/** The messages so far are those of the endpoint before it was removed. */
const endMessages = (work: Work, { kind, id }: RouteChange): void => {
  const isOfIt = (message: Message) => message.kind === kind && message.endpointId === id;
  work.ended.push(...work.messages.filter(isOfIt));
  work.messages = work.messages.filter((message) => !isOfIt(message));
};

/**
 * The changes of the routes in a batch, and the messages that its events make by the routes of their moment.
 */
const workOf = async (
  state: NotifyState,
  batch: Pick<FollowedBatch, 'events' | 'after'>,
): Promise<Work> => {
  const work: Work = { changes: [], messages: [], ended: [], parked: [] };
  // Without any webhook only an event of an account can begin to make others interesting.
  const wanted = isRouted(state) || batch.events.some(({ stream }) => isAccountStream(stream));
  if (!wanted) return work;
  const [events, newlyParked] = readable(state, batch.events, batch.after);
  work.parked = newlyParked;
  await learnOwners(state, events.filter(isTold));
  for (const event of events) {
    const change = routeChangeOf(event);
    if (change) {
      work.changes.push(change);
      applyRouteChange(state.routes, change);
      if (!change.active) endMessages(work, change);
    }
    if (!isTold(event) || isOld(state, event)) continue;
    const accountId = ownerOf(state, event);
    if (accountId !== undefined) work.messages.push(...messagesOf(state.routes, event, accountId));
  }
  return work;
};

const write = async (
  state: NotifyState,
  tx: Db,
  work: Work,
  issued: Position | undefined,
): Promise<void> => {
  const { changes, messages, ended, parked: streams } = work;
  const now = state.ports.clock();
  await addMessages(tx, ended, now);
  await saveRoutes(tx, changes);
  await addMessages(tx, messages, now, ({ kind, position }) =>
    kind === 'audit' && issued !== undefined && position > issued ? now + putOffMs : undefined,
  );
  for (const stream of streams) await parkIn(tx, name, stream);
};

/** Reads parked streams again, from the event on that could not be read. */
const readParked = async (state: NotifyState, lease: Lease): Promise<void> => {
  const entries = await parkedStreams(state.ports.db, name);
  state.parked = new Map();
  state.readAgain.clear();
  for (const entry of entries) {
    const { stream, version, before } = entry;
    const events = await state.ports.store.readStream(stream, { from: version });
    const { changes, ...rest } = await workOf(state, { events, after: before });
    // Messages of later events are open by now: only a webhook that stays removed gives up what it has.
    const work: Work = { ...rest, ended: [], changes: [...lastOf(changes).values()] };
    await state.ports.db.transaction(async (tx) => {
      await lease.guard(tx);
      if (!state.parked.has(stream)) await unparkIn(tx, name, stream);
      await write(state, tx, work, undefined);
    });
    state.readAgain.set(stream, events.at(-1)?.version ?? version - 1n);
  }
};

export const startNotify = (ports: Ports): Follower => {
  const { db, store } = ports;
  const state = emptyState(ports);
  let saved: Position = 0n;
  let seen: Position = 0n;
  /** The last event that came. */
  let last: EventMark | undefined;
  let savedAtMs = 0;

  return followLog(
    {
      name,
      limit: batchLimit,
      async place(lease) {
        const stored = await loadState(db, await store.head());
        const { position, routes, tellAfter, tellFromMs } = stored;
        Object.assign(state, { routes, tellAfter, tellFromMs });
        saved = position;
        seen = saved;
        await readParked(state, lease);
        return saved;
      },
      async take(batch, lease) {
        last = batch.events.at(-1) ?? last;
        const work = await workOf(state, batch);
        const { changes, messages } = work;
        // A receiver that reads the API when a webhook comes finds the subject of the webhook there.
        if (messages.length > 0) await ports.untilShown?.(batch.position);
        const empty = changes.length + messages.length + work.parked.length === 0;
        if (!empty || performance.now() - savedAtMs >= saveEveryMs) {
          const carries = messages.some(({ kind }) => kind === 'audit');
          const issued = carries ? await ports.issuedUpTo?.() : undefined;
          await db.transaction(async (tx) => {
            await lease.guard(tx);
            await moveCheckpoint(tx, saved, batch.position, last);
            await write(state, tx, work, issued);
          });
          saved = batch.position;
          savedAtMs = performance.now();
          if (carries) await ports.look?.();
        }
        seen = batch.position;
      },
      async finish() {
        if (seen > saved) await moveCheckpoint(db, saved, seen, last);
      },
      report: () => ({
        parked: [...state.parked.values()].map(({ before: _, ...stream }) => stream),
      }),
    },
    ports,
  );
};
