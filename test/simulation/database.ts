/**
 * The tables of a run: leases, the reactors' checkpoints, credentials, webhooks. They replace PostgreSQL and
 * its statements, and keep the promises of those, which are tested with the real thing.
 */

import { type HeldLease, type LeaseTable, leaseTimes } from '../../events/keep-leases.ts';
import type { Lease } from '../../events/lease.ts';
import type { Position } from '../../events/position.ts';
import type { Db } from '../../ground/db.ts';
import {
  type CredentialWriter,
  LogMoved,
  type LogPlace,
  type NewCredential,
} from '../../reactors/issue-credentials.ts';
import type { Checkpoints } from '../../reactors/reactor.ts';
import type { Broken } from './broken.ts';
import type { Link } from './network.ts';
import type { Schedule } from './schedule.ts';
import { createWebhookTables } from './webhook-tables.ts';

type LeaseRow = HeldLease & { owner: string; expiresAt: number; guards: Set<Transaction> };
type Transaction = { ended: boolean; leases: LeaseRow[] };

export const createDatabase = (schedule: Schedule, broken: Broken) => {
  const leases = new Map<string, LeaseRow>();
  const places = new Map<string, bigint>();
  const credentials: NewCredential[] = [];
  let issued: LogPlace = { size: 0, position: 0n };
  let tokens = 0n;
  /** Whether an owner, as it is awake, still takes a lease for its own. */
  const believes = new Map<string, (name: string) => boolean>();
  const problems: string[] = [];
  const webhooks = createWebhookTables(schedule, broken);

  const isCurrent = ({ name, token }: HeldLease): boolean =>
    broken.fencing === true || leases.get(name)?.token === token;

  const round = (owner: string, held: HeldLease[], wanted: string[]): HeldLease[] => {
    const expiresAt = schedule.now() + leaseTimes.leaseMs;
    const renewed = held.filter(isCurrent);
    for (const { name } of renewed) (leases.get(name) as LeaseRow).expiresAt = expiresAt;
    const taken = wanted.flatMap((name) => {
      const row = leases.get(name);
      const free =
        !row || row.owner === owner || (row.expiresAt <= schedule.now() && row.guards.size === 0);
      if (!free && !broken.fencing) return [];
      const token = ++tokens;
      if (row && row.owner !== owner && believes.get(row.owner)?.(name)) {
        problems.push(`${name} was taken over from one that did not give it up`);
      }
      leases.set(name, { name, token, owner, expiresAt, guards: row?.guards ?? new Set() });
      return [{ name, token }];
    });
    return [...renewed, ...taken];
  };

  const end = (transaction: Transaction): void => {
    transaction.ended = true;
    for (const row of transaction.leases) row.guards.delete(transaction);
  };

  const guard = (transaction: Transaction, lease: HeldLease): boolean => {
    const row = leases.get(lease.name);
    if (transaction.ended) throw new Error('the transaction was ended');
    if (!isCurrent(lease) || !row) return false;
    row.guards.add(transaction);
    transaction.leases.push(row);
    schedule.after(leaseTimes.idleMs, () => end(transaction));
    return true;
  };

  const gone = (): Error => new Error('the database is away');

  /** The database as a process has it, over its link. `holds`: whether it takes a lease for its own. */
  const over = (link: Link, holds: (name: string) => boolean) => {
    let asked = 0;
    const ask = <T>(work: () => T): Promise<T> => link.call(async () => work(), gone);
    const transactions = new WeakMap<Db, Transaction>();

    const table: LeaseTable = {
      round: (owner, held, wanted) => {
        believes.set(owner, holds);
        return ask(() => round(owner, held, wanted));
      },
      async isCurrent(lease, tx) {
        const transaction = tx && transactions.get(tx);
        if (transaction) return ask(() => guard(transaction, lease));
        const current = await ask(() => isCurrent(lease));
        if (current) asked++;
        return current;
      },
      end: (lease) =>
        ask(() => {
          const row = leases.get(lease.name);
          if (row?.token === lease.token) row.expiresAt = schedule.now();
        }),
      endAll: (owner) =>
        ask(() => {
          for (const row of leases.values()) {
            if (row.owner === owner) row.expiresAt = Math.min(row.expiresAt, schedule.now());
          }
        }),
    };

    /** Guards, then writes: `write` is done when the transaction ends, if it has not been ended before. */
    const guarded = async (lease: Lease, write: () => void): Promise<void> => {
      const transaction: Transaction = { ended: false, leases: [] };
      const tx: Db = { query: () => Promise.reject(new Error('no statements here')) };
      transactions.set(tx, transaction);
      await lease.guard(tx);
      await ask(() => {
        if (transaction.ended) throw new Error('the transaction was ended');
        if (transaction.leases.length === 0) problems.push('something was written without a lease');
        end(transaction);
        write();
      });
    };

    const checkpoints: Checkpoints = {
      read: (name) => ask(() => places.get(name) ?? 0n),
      save: (name, position, lease) =>
        guarded(lease, () => {
          const before = places.get(name) ?? 0n;
          places.set(name, position > before ? position : before);
        }),
      parked: () => ask(() => []),
      park: () => Promise.reject(new Error('nothing is parked in a simulation')),
      unpark: () => Promise.reject(new Error('nothing is parked in a simulation')),
    };

    const append = (from: LogPlace, batch: readonly NewCredential[], position: Position): void => {
      const moved = from.size !== issued.size || from.position !== issued.position;
      if (moved && !broken.fencing) throw new LogMoved();
      credentials.push(...batch);
      issued = { size: credentials.length, position };
    };

    const writer: CredentialWriter = {
      place: () => ask(() => issued),
      append: (from, batch, position) => ask(() => append(from, batch, position)),
      previous: (streams, before) =>
        ask(() => {
          const found = new Map<string, string>();
          for (const { stream, jwt } of credentials.slice(0, before)) {
            if (streams.includes(stream)) found.set(stream, jwt);
          }
          return found;
        }),
    };
    return {
      ask,
      guarded,
      table,
      checkpoints,
      writer,
      /**
       * Called when a partner outside gets a message that cannot be taken back: the process must have asked
       * before.
       */
      tells(): void {
        if (asked-- <= 0)
          problems.push('a partner was told something by who did not ask whether it owns');
      },
    };
  };

  return {
    over,
    webhooks,
    credentials,
    problems,
    placeOf: (name: string) => places.get(name) ?? 0n,
  };
};

export type Database = ReturnType<typeof createDatabase>;
export type RemoteDatabase = ReturnType<Database['over']>;
