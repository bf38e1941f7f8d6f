/** b) to e): which server runs when. One at a time, so that no measurement includes another idle server. */
import { printProfile } from './cpu-profile.ts';
import type { Benchmark, Options } from './options.ts';
import { benchmarks } from './options.ts';
import { openSection, print } from './printed.ts';
import { formatProbeDetail, formatProbes } from './probe/report.ts';
import { runRebuild } from './rebuilds.ts';
import { atLeast, below, formatTable, percent, type Target, timesPeer, whole } from './report.ts';
import type { Observed } from './run-load.ts';
import {
  costLine,
  loadColumns,
  loadRow,
  readLetters,
  type Sent,
  type Server,
  sendLetters,
  sendToCrud,
  startCrud,
  startLetters,
} from './sends.ts';

export type Outcome = { targets: Target[]; problems: string[] };

/** The results of one server: the sends, and the reads if they were requested. */
type Run = {
  sent: Sent;
  reads: { observed: Observed; problems: string[] } | undefined;
  arrivals?: Sent;
};

export const title = (letter: Benchmark, more = ''): void =>
  openSection(`${letter}) ${benchmarks[letter]}${more}`);

const many = 1_000;

const load = async (
  server: Server,
  send: (server: Server, options: Options) => Promise<Sent>,
  options: Options,
): Promise<Run> => {
  const sent = await send(server, options);
  const reads = options.only.has('d') ? await readLetters(server, sent.acked, options) : undefined;
  return { sent, reads };
};

const runCrud = async (accounts: number, options: Options): Promise<Run | undefined> => {
  if (!options.peers) return undefined;
  const server = await startCrud(accounts);
  try {
    return await load(server, sendToCrud, options);
  } finally {
    await server.stop();
  }
};

/** Other work of a quiet machine, in cores: kernel threads and the observation itself. */
const quietCores = 0.2;

const printLoads = (ours: Observed, peer: Observed | undefined): void => {
  const rows = [loadRow('letters', ours)];
  if (peer) rows.push(loadRow('CRUD version', peer));
  print(formatTable({ columns: loadColumns, rows }));
  const others = Math.max(ours.otherCores ?? 0, peer?.otherCores ?? 0);
  if (others > quietCores) {
    print(
      `  NOISE: other programs used ${percent(others)} of a core; these are no figures to publish.`,
    );
  }
  print('  Milliseconds; CPU of one core. "others": programs that do not belong here.');
  print(`  letters: ${costLine(ours)}`);
  if (peer) print(`  CRUD version: ${costLine(peer)}`);
};

const printSends = (ours: Sent, peer: Sent | undefined, { detail }: Options): void => {
  printLoads(ours.observed, peer?.observed);
  const { probed, count } = ours.observed;
  print(`\n${formatProbes(probed, count)}\n`);
  if (detail) for (const one of probed) print(`${formatProbeDetail(one, count)}\n`);
  if (ours.lag) {
    const { events, ms } = ours.lag;
    print(`  read models: ${whole(events)} events behind at the end, level after ${whole(ms)} ms`);
  }
  print(`  verified, letters: ${ours.facts}`);
  if (peer) print(`  verified, CRUD version: ${peer.facts}`);
};

/** Targets for sending; `factor` is the required multiple of the CRUD version's rate. */
const judgeSends = (what: string, factor: number, ours: Sent, peer: Sent | undefined): Target[] => {
  const { perSecond, latency, peakBytes } = ours.observed;
  const compared = peer
    ? [timesPeer(`${what}, compared with CRUD`, factor, perSecond, peer.observed.perSecond)]
    : [];
  return [
    atLeast(what, 3_000, perSecond, '/s'),
    ...compared,
    below(`${what}, p99`, 50, latency.p99, ' ms'),
    below(`${what}, read models behind`, 1_000, ours.lag?.ms, ' ms'),
    below(`${what}, memory`, 400, peakBytes === undefined ? undefined : peakBytes / 1e6, ' MB'),
  ];
};

const profile = async (options: Options, what: string, observed: Observed): Promise<void> => {
  if (options.cpuProfileDir === undefined) return;
  await printProfile(options.cpuProfileDir, what, observed.windowMicros);
};

type Rebuilt = Outcome & { text: string };

const shareOfCapacity = 0.6;

/** Letters that come at random, at a share of the rate reached; the log is verified as a whole. */
const sendAtArrivals = (server: Server, before: Sent, options: Options): Promise<Sent> => {
  const arrivalsPerSecond = Math.round(before.observed.perSecond * shareOfCapacity);
  return sendLetters(server, { ...options, arrivalsPerSecond }, before.acked);
};

/** Sends, reads, and with the service stopped the rebuild from the log that they left. */
const runOurs = async (options: Options): Promise<{ run: Run; rebuilt: Rebuilt | undefined }> => {
  const server = await startLetters(many, options);
  try {
    const run: Run = await load(server, sendLetters, options);
    if (options.only.has('m')) run.arrivals = await sendAtArrivals(server, run.sent, options);
    await server.process.stop();
    const { dataDir } = server.cluster;
    const rebuilt = options.only.has('e') ? await runRebuild(dataDir, server.admin) : undefined;
    return { run, rebuilt };
  } finally {
    await server.stop();
  }
};

const reportSends = async (
  options: Options,
  ours: Run,
  peer: Run | undefined,
): Promise<Outcome> => {
  const problems = [...ours.sent.problems, ...(peer?.sent.problems ?? [])];
  if (!options.only.has('b')) return { targets: [], problems };
  title('b', `, ${options.connections} connections`);
  printSends(ours.sent, peer?.sent, options);
  await profile(options, 'b', ours.sent.observed);
  return { targets: judgeSends('b) send', 1.5, ours.sent, peer?.sent), problems };
};

const reportReads = async (
  options: Options,
  ours: Run,
  peer: Run | undefined,
): Promise<Outcome> => {
  if (!ours.reads) return { targets: [], problems: [] };
  const { observed, problems } = ours.reads;
  title('d', `, ${options.connections} connections, ${whole(ours.sent.acked.length)} letters`);
  printLoads(observed, peer?.reads?.observed);
  await profile(options, 'd', observed);
  return {
    targets: [atLeast('d) read a letter', 8_000, observed.perSecond, '/s')],
    problems: [...problems, ...(peer?.reads?.problems ?? [])],
  };
};

const reportArrivals = async ({ arrivals }: Run): Promise<Outcome> => {
  if (!arrivals) return { targets: [], problems: [] };
  title('m');
  printLoads(arrivals.observed, undefined);
  const { p99 } = arrivals.observed.latency;
  return {
    targets: [below('m) send, arrivals at 60 %, p99', 50, p99, ' ms')],
    problems: arrivals.problems,
  };
};

/** b), d), e) and m), which need the letters of b). */
export const runManyAccounts = async (options: Options): Promise<Outcome> => {
  const { run, rebuilt } = await runOurs(options);
  const wantsPeer = options.only.has('b') || options.only.has('d');
  const peer = wantsPeer ? await runCrud(many, options) : undefined;
  const outcomes: Outcome[] = [
    await reportSends(options, run, peer),
    await reportReads(options, run, peer),
    await reportArrivals(run),
  ];
  if (rebuilt) {
    title('e');
    print(rebuilt.text);
    outcomes.push(rebuilt);
  }
  return {
    targets: outcomes.flatMap(({ targets }) => targets),
    problems: outcomes.flatMap(({ problems }) => problems),
  };
};

/** c) Everybody sends from one account. */
export const runHotWallet = async (all: Options): Promise<Outcome> => {
  const options = { ...all, only: new Set<Benchmark>(['c']) };
  const server = await startLetters(1, options);
  let ours: Sent;
  try {
    ours = await sendLetters(server, options);
  } finally {
    await server.stop();
  }
  const peer = (await runCrud(1, options))?.sent;
  title('c', `, ${options.connections} connections`);
  printSends(ours, peer, options);
  await profile(options, 'c', ours.observed);
  return {
    targets: judgeSends('c) send, hot wallet', 3, ours, peer),
    problems: [...ours.problems, ...(peer?.problems ?? [])],
  };
};
