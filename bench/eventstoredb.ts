/**
 * r) The log in EventStoreDB: sends compared with Postgres, catch-up of the whole log, and appends compared
 * with the raw client. Needs an empty server, and leaves a log there that no service can use any more.
 */
import { createEventStoreDb } from '../infra/event-store/eventstoredb.ts';
import type { AppendPlan, AppendResult } from './append-worker.ts';
import { appendData } from './appends.ts';
import type { Options } from './options.ts';
import { print } from './printed.ts';
import { below, formatTable, percent, type Target, tenth, timesPeer, whole } from './report.ts';
import { runLoad } from './run-load.ts';
import { failuresOf, loadColumns, loadRow, planOf, type Server, startLetters } from './sends.ts';
import { waitUntilCaughtUp } from './service-process.ts';
import { forkScript, messageOf } from './stage.ts';

type Outcome = { targets: Target[]; problems: string[] };

const accounts = 400;

const contestants = {
  esdb: 'letters, EventStoreDB adapter',
  'esdb-single': 'raw client, one call each',
  'esdb-batch': 'raw client, its batch call',
} as const;
type Contestant = keyof typeof contestants;

const assertEmpty = async (url: string): Promise<void> => {
  const store = createEventStoreDb({ connectionString: url });
  try {
    if ((await store.head()) === 0n) return;
    throw new Error('--eventstoredb: that server has events already; give an empty one');
  } finally {
    await store.close();
  }
};

/** Checks that everything acknowledged is there. */
const verify = async ({ admin }: Server, acked: string[], name: string): Promise<string[]> => {
  const { rows } = await admin.query<{ missing: string }>(
    `select count(*) as missing from unnest($1::uuid[]) as sent (id)
     where not exists (select from read_models.letters l where l.letter_id = sent.id)`,
    [acked],
  );
  const missing = Number(rows[0]?.missing);
  return missing === 0 ? [] : [`${name}: ${missing} acknowledged letters are missing`];
};

const sendTo = async (name: string, settings: Record<string, string>, options: Options) => {
  const server = await startLetters(accounts, options, settings);
  try {
    const plan = planOf(server, { kind: 'send', seed: 1, idempotencyKeys: false }, options);
    const { process, admin } = server;
    const observed = await runLoad(plan, { serverPid: process.pid, admin });
    await waitUntilCaughtUp(process.port);
    const problems = [
      ...failuresOf(name, observed),
      ...(await verify(
        server,
        observed.acked.map(([id]) => id),
        name,
      )),
    ];
    return { observed, problems };
  } finally {
    await server.stop();
  }
};

/** One after the other on the same machine. */
const runSends = async (url: string, options: Options): Promise<Outcome> => {
  const settings = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: url };
  const ours = await sendTo('EventStoreDB', settings, options);
  const peer = await sendTo('Postgres', {}, options);
  const rows = [loadRow('EventStoreDB', ours.observed), loadRow('Postgres', peer.observed)];
  print(formatTable({ columns: loadColumns, rows }));
  const p99 = peer.observed.latency.p99 * 2.5;
  return {
    targets: [
      timesPeer(
        'r) send, compared with PostgreSQL',
        0.55,
        ours.observed.perSecond,
        peer.observed.perSecond,
      ),
      below('r) send, p99, 2.5 x Postgres', p99, ours.observed.latency.p99, ' ms'),
    ],
    problems: [...ours.problems, ...peer.problems],
  };
};

/** Reads the whole log once, as a follower that begins at its beginning. */
const runCatchUp = async (url: string): Promise<void> => {
  const store = createEventStoreDb({ connectionString: url });
  const head = await store.head();
  const beganMs = performance.now();
  let events = 0;
  for await (const batch of store.subscribe({ after: 0n, limit: 1_000 })) {
    events += batch.events.length;
    if (batch.position >= head) break;
  }
  const seconds = (performance.now() - beganMs) / 1_000;
  await store.close();
  print(`\n  catch-up: ${whole(events)} events, ${whole(events / seconds)}/s`);
};

const appendTo = async (
  contestant: Contestant,
  url: string,
  callers: number,
  options: Options,
): Promise<AppendResult> => {
  const worker = forkScript('./append-worker.ts');
  try {
    const plan: AppendPlan = {
      contestant,
      url,
      callers,
      pool: 1,
      data: appendData,
      warmUpSeconds: Math.min(options.warmUpSeconds, 2),
      seconds: options.seconds,
    };
    const result = messageOf(worker, (message) => message as AppendResult);
    worker.process.send(plan);
    return await result;
  } finally {
    await worker.stop();
  }
};

const runAppends = async (url: string, options: Options): Promise<Outcome> => {
  const outcome: Outcome = { targets: [], problems: [] };
  const rows: string[][] = [];
  for (const callers of [1, 16, 64]) {
    const perSecond = new Map<Contestant, number>();
    for (const contestant of Object.keys(contestants) as Contestant[]) {
      const result = await appendTo(contestant, url, callers, options);
      const { p50, p99 } = result.latency;
      const name = contestants[contestant];
      perSecond.set(contestant, result.perSecond);
      rows.push([
        ...[name, String(callers), whole(result.perSecond), tenth(p50), tenth(p99)],
        ...[percent(result.cpuShare), `${result.stored}/${result.acked}`],
      ]);
      const { acked, stored, firstFailure } = result;
      if (stored !== acked)
        outcome.problems.push(`${name}: ${acked} acknowledged, ${stored} stored`);
      if (firstFailure !== undefined) outcome.problems.push(`${name}: ${firstFailure}`);
    }
    const [ours, raw] = [perSecond.get('esdb') ?? 0, perSecond.get('esdb-single') ?? 0];
    if (callers === 64) {
      outcome.targets.push(
        timesPeer('r) appends, 64 callers, compared with one call each', 0.85, ours, raw),
      );
    }
  }
  const columns = ['who', 'callers', 'per s', 'p50', 'p99', 'CPU', 'stored/acked'];
  print(`\n${formatTable({ columns, rows })}`);
  return outcome;
};

export const runEventStoreDb = async (url: string, options: Options): Promise<Outcome> => {
  await assertEmpty(url);
  const sends = await runSends(url, options);
  await runCatchUp(url);
  const appends = await runAppends(url, options);
  return {
    targets: [...sends.targets, ...appends.targets],
    problems: [...sends.problems, ...appends.problems],
  };
};
