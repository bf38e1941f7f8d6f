/** The rows of deliveries: how messages come in, are taken out and are settled. */
import type { Db, TransactionalDb } from '../../ground/db.ts';
import type { EndpointKind, Message } from '../../reactors/webhook-routes.ts';
import { addJob, addJobs } from '../jobs/add-job.ts';

/** The task that delivers the due messages of one endpoint. */
export const deliverTask = 'deliver';

export const jobKeyOf = ({ kind, id }: { kind: string; id: string }): string =>
  `deliver ${kind} ${id}`;

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** A message as it is delivered. */
export type DueMessage = {
  messageId: bigint;
  eventId: string;
  position: bigint;
  lane: string;
  type: string;
  letterId: string | null;
  status: string | null;
  at: string;
  attempts: number;
  /** Of an audit message: what its first attempt carried; empty for none. */
  proof: string | null;
};

type Key = { kind: EndpointKind; id: string };

/** Locks endpoints, in one order everywhere. Returns those without a delivery run. */
export const lockEndpoints = async (db: Db, keys: Key[]): Promise<Key[]> => {
  const { rows } = await db.query<Key & { idle: boolean }>(
    `select kind, id, pump_until is null or pump_until < now() as idle from deliveries.endpoints
     where (kind, id) in (select * from unnest($1::text[], $2::text[]))
     order by kind, id for update`,
    [keys.map(({ kind }) => kind), keys.map(({ id }) => id)],
  );
  return rows.filter(({ idle }) => idle).map(({ kind, id }) => ({ kind, id }));
};

const endpointsIn = (messages: Message[]): Key[] => {
  const keys = new Map<string, Key>();
  for (const { kind, endpointId: id } of messages) keys.set(`${kind} ${id}`, { kind, id });
  return [...keys.values()];
};

/**
 * Adds messages and sees to it that they are delivered. To be called in a transaction. A run that is at
 * work at an endpoint looks for more before it ends, so it needs no job.
 */
export const addMessages = async (
  db: Db,
  messages: Message[],
  now: number,
  /** Of a message that is put off: when it is looked at if no announcement comes before, epoch ms. */
  putOffUntil: (message: Message) => number | undefined = () => undefined,
): Promise<void> => {
  if (messages.length === 0) return;
  const atOnce = endpointsIn(messages.filter((message) => putOffUntil(message) === undefined));
  const wanted = new Set(atOnce.map(jobKeyOf));
  const idle = await lockEndpoints(db, endpointsIn(messages));
  const rows = messages.map((message) => ({
    kind: message.kind,
    endpoint_id: message.endpointId,
    account_id: message.accountId,
    event_id: message.eventId,
    position: String(message.position),
    lane: message.lane,
    type: message.type,
    letter_id: message.letterId ?? null,
    status: message.status ?? null,
    at: message.at,
    next_at: isoOf(putOffUntil(message) ?? now),
  }));
  await db.query('select deliveries.add_messages($1::json, $2::timestamptz)', [
    JSON.stringify(rows),
    isoOf(now),
  ]);
  await addJobs(
    db,
    deliverTask,
    idle
      .filter((key) => wanted.has(jobKeyOf(key)))
      .map((key) => ({ key: jobKeyOf(key), payload: key })),
  );
};

/** How long somebody who delivers counts as alive without a word. */
export const leaseSeconds = 10;

/** Takes over the deliveries of an endpoint, or learns until when another run has them (epoch ms). */
export const acquire = async (
  db: Db,
  { kind, id }: Key,
  runId: string,
): Promise<{ accountId: string } | { busyUntil: number } | undefined> => {
  const { rows } = await db.query<{ account_id: string }>(
    `update deliveries.endpoints set pump = $3, pump_until = now() + $4 * interval '1 second'
     where kind = $1 and id = $2 and (pump_until is null or pump_until < now() or pump = $3)
     returning account_id`,
    [kind, id, runId, leaseSeconds],
  );
  if (rows[0]) return { accountId: rows[0].account_id };
  const found = await db.query<{ pump_until: Date | null }>(
    'select pump_until from deliveries.endpoints where kind = $1 and id = $2',
    [kind, id],
  );
  const row = found.rows[0];
  return row && { busyUntil: row.pump_until?.getTime() ?? 0 };
};

/** Says that a run is alive. False when another one has taken over. */
export const renew = async (db: Db, { kind, id }: Key, runId: string): Promise<boolean> => {
  const { rowCount } = await db.query(
    `update deliveries.endpoints set pump_until = now() + $4 * interval '1 second'
     where kind = $1 and id = $2 and pump = $3`,
    [kind, id, runId, leaseSeconds],
  );
  return (rowCount ?? 0) > 0;
};

/**
 * Ends the work at an endpoint; a job comes when the next message is due, or at `resumeAt`.
 * @param resumeAt not before that (epoch ms); absent: false is answered, and nothing ends, when there
 * is something to do at once
 */
export const release = (
  db: TransactionalDb,
  endpoint: Key,
  runId: string,
  now: number,
  resumeAt?: number,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    const { kind, id } = endpoint;
    const held = await tx.query(
      'select 1 from deliveries.endpoints where kind = $1 and id = $2 and pump = $3 for update',
      [kind, id, runId],
    );
    if (held.rows.length === 0) return true;
    const { rows } = await tx.query<{ next_at: Date | null }>(
      `select min(next_at) as next_at from deliveries.messages
       where kind = $1 and endpoint_id = $2 and state = 'due'`,
      [kind, id],
    );
    const nextAt = rows[0]?.next_at?.getTime();
    if (resumeAt === undefined && nextAt !== undefined && nextAt <= now) return false;
    await tx.query(
      `update deliveries.endpoints set pump = null, pump_until = null where kind = $1 and id = $2`,
      [kind, id],
    );
    if (nextAt !== undefined) {
      const runAtMs = Math.max(nextAt, resumeAt ?? 0);
      const key = jobKeyOf(endpoint);
      await addJob(tx, deliverTask, { kind, id }, { key, runAtMs, onConflict: 'earliest' });
    }
    return true;
  });

/** The messages that are due at an endpoint, the longest due first, one of each lane. */
export const dueMessages = async (
  db: Db,
  { kind, id }: Key,
  query: { now: number; limit: number; except: bigint[] },
): Promise<DueMessage[]> => {
  const { rows } = await db.query<{
    message_id: bigint;
    event_id: string;
    position: bigint;
    lane: string;
    type: string;
    letter_id: string | null;
    status: string | null;
    at: string;
    attempts: number;
    proof: string | null;
  }>(
    `select message_id, event_id, position, lane, type, letter_id, status, at, attempts, proof
     from deliveries.messages
     where kind = $1 and endpoint_id = $2 and state = 'due' and next_at <= $3::timestamptz
       and message_id <> all($4::bigint[])
     order by next_at, position limit $5`,
    [kind, id, isoOf(query.now), `{${query.except.join()}}`, query.limit],
  );
  return rows.map((row) => ({
    messageId: row.message_id,
    eventId: row.event_id,
    position: row.position,
    lane: row.lane,
    type: row.type,
    letterId: row.letter_id,
    status: row.status,
    at: row.at,
    attempts: row.attempts,
    proof: row.proof,
  }));
};

/** Keeps the proofs of first attempts, by message id. Returns the kept ones: the first one stays. */
export const keepProofs = async (
  db: Db,
  proofs: ReadonlyMap<bigint, string>,
): Promise<Map<bigint, string>> => {
  const { rows } = await db.query<{ message_id: bigint; proof: string }>(
    `update deliveries.messages m set proof = coalesce(m.proof, p.proof)
     from unnest($1::bigint[], $2::text[]) as p (message_id, proof)
     where m.message_id = p.message_id returning m.message_id, m.proof`,
    [`{${[...proofs.keys()].join()}}`, [...proofs.values()]],
  );
  return new Map(rows.map((row) => [row.message_id, row.proof]));
};

/** The state of a message after an attempt. */
export type Settled = {
  message: DueMessage;
  state: 'due' | 'delivered' | 'failed' | 'cancelled';
  /** Epoch ms; of a message that stays due. */
  nextAt?: number;
  /** Absent: nothing was sent, it is only put off. */
  attempt?: { at: number; status?: number; error?: string; durationMs: number };
};

/**
 * Records what came of attempts and lets the next of each lane follow.
 * @returns since when the endpoint does nothing but fail, epoch ms
 */
export const recordSettled = async (
  db: Db,
  { kind, id }: Key,
  settled: Settled[],
  health: { delivered: boolean; failingSince: number | undefined },
  now: number,
): Promise<number | undefined> => {
  const results = settled.map(({ message, state, nextAt, attempt }) => ({
    message_id: String(message.messageId),
    before: message.attempts,
    state,
    next_at: nextAt === undefined ? null : isoOf(nextAt),
    counted: attempt !== undefined,
    at: isoOf(attempt?.at ?? now),
    status: attempt?.status ?? null,
    error: attempt?.error ?? null,
    duration_ms: attempt?.durationMs ?? 0,
  }));
  const failing = health.failingSince === undefined ? null : isoOf(health.failingSince);
  const { rows } = await db.query<{ since: Date | null }>(
    `select deliveries.record($1, $2, $3::json, $4, $5::timestamptz, $6::timestamptz) as since`,
    [kind, id, JSON.stringify(results), health.delivered, failing, isoOf(now)],
  );
  return rows[0]?.since?.getTime();
};

/** Gives up everything that is open at an endpoint. The caller has locked it. */
export const cancelOpen = async (tx: Db, { kind, id }: Key): Promise<void> => {
  await tx.query(
    `update deliveries.messages set state = 'cancelled', changed_at = now()
     where kind = $1 and endpoint_id = $2 and state in ('due', 'waiting')`,
    [kind, id],
  );
};

/** Adds the jobs of endpoints that have due messages and no run, or whose run gave up. */
export const restoreLostJobs = async (db: TransactionalDb, now: number): Promise<number> =>
  db.transaction(async (tx) => {
    const { rows } = await tx.query<Key>(
      `select e.kind, e.id from deliveries.endpoints e
       where (e.pump_until is null or e.pump_until < now()) and exists (
         select 1 from deliveries.messages m where m.kind = e.kind and m.endpoint_id = e.id
           and m.state = 'due' and m.next_at <= $1::timestamptz)
       and not exists (
         select 1 from work.jobs j where j.key = 'deliver ' || e.kind || ' ' || e.id
           and j.attempts < j.max_attempts)
       limit 1000`,
      [isoOf(now)],
    );
    await addJobs(
      tx,
      deliverTask,
      rows.map((key) => ({ key: jobKeyOf(key), payload: key })),
    );
    return rows.length;
  });

/** Forgets deliveries that ended more than `days` ago, with their attempts; some thousands at a time. */
export const forgetDone = async (db: Db, days: number): Promise<void> => {
  await db.query(
    `delete from deliveries.messages where message_id in (
       select message_id from deliveries.messages
       where state not in ('due', 'waiting') and changed_at < now() - $1 * interval '1 day'
       order by changed_at limit 5000)`,
    [days],
  );
  await db.query(`delete from deliveries.replays where at < now() - $1 * interval '1 day'`, [days]);
};
