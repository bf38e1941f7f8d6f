/** y), z) Sends by few callers and by many, and at given rates: what one send costs whatever the load. */
import type { AckedLetter } from './load/plan.ts';
import type { Options } from './options.ts';
import { print } from './printed.ts';
import { formatTable, ratio, type Target, tenth, timesPeer, whole } from './report.ts';
import { type Observed, sumOf } from './run-load.ts';
import type { Outcome } from './scenarios.ts';
import {
  type Sent,
  type Server,
  sendLetters,
  sendToCrud,
  startCrud,
  startLetters,
} from './sends.ts';

const accounts = 1_000;

/** Connections, and how many times the rate of the CRUD version is wanted there. */
const steps = [
  { connections: 1, wanted: 0.7 },
  { connections: 4, wanted: 1.0 },
  { connections: 16, wanted: 1.2 },
  { connections: 64, wanted: 1.5 },
];
const rates = [100, 300, 600, 1_000];
/** A send costs this many times as much at one connection as at saturation, at most. */
const evenCost = 1.5;

const columns = ['load', 'who', 'per s', 'p50', 'p95', 'p99', 'CPU per send', 'API', 'background'];

/** CPU of one send in ms. */
const costsOf = (observed: Observed): { api: number; background: number; postgres: number } => {
  const { perSecond, processCores, postgresCores } = observed;
  const each = (cores: number): number => (1_000 * cores) / perSecond;
  const [api = 0, ...others] = processCores;
  const background = others.reduce((sum, cores) => sum + cores, 0);
  return { api: each(api), background: each(background), postgres: each(sumOf(postgresCores)) };
};

export const costOf = (observed: Observed): number => {
  const { api, background, postgres } = costsOf(observed);
  return api + background + postgres;
};

export const rowOf = (load: string, who: string, observed: Observed): string[] => {
  const { latency, perSecond } = observed;
  const { api, background, postgres } = costsOf(observed);
  const times = [latency.p50, latency.p95, latency.p99].map(tenth);
  const costs = [costOf(observed), api, background, postgres].map((ms) => ms.toFixed(2));
  return [load, who, whole(perSecond), ...times, ...costs];
};

export const printRows = (rows: string[][]): void => {
  print(formatTable({ columns: [...columns, 'PostgreSQL'], rows }));
  print('  Milliseconds; CPU time of one send in all processes, and its parts.');
};

/** Runs `send` once for each step on one server, which keeps the letters of the steps before. */
const stepThrough = async <Step>(
  server: Server,
  all: readonly Step[],
  send: (step: Step, before: AckedLetter[]) => Promise<Sent>,
): Promise<Sent[]> => {
  const done: Sent[] = [];
  try {
    for (const step of all)
      done.push(
        await send(
          step,
          done.flatMap(({ acked }) => acked),
        ),
      );
  } finally {
    await server.stop();
  }
  return done;
};

const problemsOf = (runs: readonly Sent[]): string[] => runs.flatMap(({ problems }) => problems);

const evenness = (what: string, few: Observed, saturated: Observed): Target => {
  const times = costOf(few) / costOf(saturated);
  return {
    what,
    target: `<= ${ratio(evenCost)}`,
    measured: ratio(times),
    reached: times <= evenCost,
  };
};

/** Connections of a run before the first step. In it every account sends, and the code of a send is compiled. */
const warm: Options['connections'] = 64;

/** y) Both servers, each on its own, at every number of connections. */
export const runConnections = async (options: Options): Promise<Outcome> => {
  const letters = await startLetters(accounts, options);
  const all = [warm, ...steps.map(({ connections }) => connections)];
  const sent = await stepThrough(letters, all, (connections, before) =>
    sendLetters(letters, { ...options, connections }, before),
  );
  const ours = sent.slice(1);
  const peers: Sent[] = [];
  if (options.peers) {
    for (const { connections } of steps) {
      const crud = await startCrud(accounts);
      const [, peer] = await stepThrough(crud, [warm, connections], (many, before) =>
        sendToCrud(crud, { ...options, connections: many }, before),
      );
      if (peer) peers.push(peer);
    }
  }
  const rows = steps.flatMap(({ connections }, n) => {
    const [own, peer] = [ours[n], peers[n]];
    return [
      ...(own ? [rowOf(String(connections), 'letters', own.observed)] : []),
      ...(peer ? [rowOf(String(connections), 'CRUD version', peer.observed)] : []),
    ];
  });
  printRows(rows);
  const targets = steps.flatMap(({ connections, wanted }, n) => {
    const [own, peer] = [ours[n], peers[n]];
    if (!own || !peer) return [];
    const what = `y) ${connections} connections, compared with CRUD`;
    return [timesPeer(what, wanted, own.observed.perSecond, peer.observed.perSecond)];
  });
  const [first, last] = [ours[0], ours.at(-1)];
  if (first && last)
    targets.push(evenness('y) CPU per send, 1 connection', first.observed, last.observed));
  return { targets, problems: problemsOf([...sent, ...peers]) };
};

/** z) The service alone, at every rate; a rate beyond its capacity shows what it reaches. */
export const runArrivalRates = async (options: Options): Promise<Outcome> => {
  const letters = await startLetters(accounts, options);
  const all = [undefined, ...rates];
  const sent = await stepThrough(letters, all, (arrivalsPerSecond, before) =>
    sendLetters(letters, { ...options, connections: warm, arrivalsPerSecond }, before),
  );
  const runs = sent.slice(1);
  printRows(runs.map(({ observed }, n) => rowOf(`${rates[n]}/s`, 'letters', observed)));
  const [low, high] = [runs[1], runs.at(-1)];
  const targets =
    low && high ? [evenness('z) CPU per send, 300/s', low.observed, high.observed)] : [];
  return { targets, problems: problemsOf(sent) };
};
