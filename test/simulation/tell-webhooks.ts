/**
 * Webhooks of a process: the follower that enqueues messages by the real routes, and the pump that delivers
 * the first of each lane. Queues and jobs stand for those in PostgreSQL, which have tests of their own.
 */
import { decodeEvent } from '../../events/envelope.ts';
import type { EventStore } from '../../events/event-store.ts';
import { type Follower, followLog } from '../../events/follow-log.ts';
import type { Leases } from '../../events/lease.ts';
import { letterStream } from '../../events/letter.ts';
import type { Position } from '../../events/position.ts';
import { letterIdOf } from '../../events/registry.ts';
import {
  accountIdOf,
  applyRouteChange,
  emptyRoutes,
  isTold,
  type Message,
  messagesOf,
  type RouteChange,
  routeChangeOf,
} from '../../reactors/webhook-routes.ts';
import type { Actor } from './actor.ts';
import type { Database, RemoteDatabase } from './database.ts';
import type { Link } from './network.ts';
import type { WebhookRow } from './webhook-tables.ts';

type Ports = {
  actor: Actor;
  store: EventStore;
  leases: Leases;
  tables: Database['webhooks'];
  database: RemoteDatabase;
  log: Parameters<typeof followLog>[1]['log'];
};

export const followForWebhooks = (ports: Ports): Follower => {
  const { actor, store, tables, database, leases, log } = ports;
  const owners = new Map<string, string>();
  let routes = emptyRoutes();
  let saved: Position = 0n;

  const ownerOf = async (letterId: string): Promise<string | undefined> => {
    if (!owners.has(letterId)) {
      const events = await store.readStream(letterStream(letterId));
      const owner = events.map((event) => accountIdOf(decodeEvent(event))).find(Boolean);
      if (owner !== undefined) owners.set(letterId, owner);
    }
    return owners.get(letterId);
  };

  return followLog(
    {
      name: 'notify',
      async place() {
        const loaded = await database.ask(() => tables.load());
        routes = loaded.routes;
        saved = loaded.place;
        return saved;
      },
      async take(batch, lease) {
        const told = { changes: [] as RouteChange[], messages: [] as Message[] };
        for (const recorded of batch.events) {
          const event = decodeEvent(recorded);
          const change = routeChangeOf(event);
          if (change) {
            told.changes.push(change);
            applyRouteChange(routes, change);
          }
          if (!isTold(event)) continue;
          const accountId = accountIdOf(event) ?? (await ownerOf(letterIdOf(event) ?? ''));
          if (accountId !== undefined) told.messages.push(...messagesOf(routes, event, accountId));
        }
        await database.guarded(lease, () => tables.tell(saved, batch.position, told));
        saved = batch.position;
      },
    },
    { store, leases, log, time: actor.time },
  );
};

/** The receiver of webhooks: messages in the order of their first arrival. */
export type Receiver = { receive(message: WebhookRow): boolean };

/** Delivers until `signal` aborts. */
export const pumpWebhooks = async (
  { actor, database, tables }: Pick<Ports, 'actor' | 'database' | 'tables'>,
  { link, receiver }: { link: Link; receiver: Receiver },
  signal: AbortSignal,
): Promise<void> => {
  const pump = {};
  while (!signal.aborted) {
    try {
      const rows = await database.ask(() => tables.take(pump));
      for (const row of rows) {
        const delivered = await link
          .call(
            async () => receiver.receive(row),
            () => new Error('the receiver does not answer'),
          )
          .catch(() => false);
        await database.ask(() => tables.settle(row, delivered));
      }
    } catch {
      // The database is away; taken messages are taken again.
    }
    await actor.time.pause(300, signal);
  }
};
