/** Runs everything that follows from events, out of what the wings bring. */
import type { FollowerStatus } from '../../events/follow-log.ts';
import { startJobs } from '../../infra/jobs/jobs.ts';
import { assertWritableJournal } from '../../infra/keys/erasure-journal.ts';
import { createCheckpoints } from '../../infra/postgres/checkpoints.ts';
import { createLeases, forgetLeases } from '../../infra/postgres/leases.ts';
import { deliverTask } from '../../infra/webhooks/messages.ts';
import { defaultLimits } from '../../limits/table.ts';
import { startReactor } from '../../reactors/reactor.ts';
import { startChores } from '../foundation/chores.ts';
import { openTrustedClocks } from '../foundation/trusted-clocks.ts';
import type {
  Follower,
  Foundation,
  OpenWing,
  Reacting,
  Reactions,
  Sample,
  WingHealth,
} from '../foundation/wing.ts';
import { exportTask } from '../wings/export-jobs.ts';
import { assertPrintFolders } from '../wings/print-partners.ts';
import { openRestores } from '../wings/restores.ts';

/** Background jobs that run at the same time; most of them wait for somebody else's server. */
const concurrentJobs = 64;

const hourMs = 3_600_000;
const usualRestoreLookMs = 10_000;

/** How reactors, and what wings talk to, are doing. Plain data: it goes from process to process. */
export type ReactionStatus = {
  reactors: FollowerStatus[];
  wings: ({ name: string } & WingHealth)[];
  samples: Sample[];
};

/** May be disposed of more than once: each time waits for the same end. */
export const startReactions = async (
  foundation: Foundation,
  wings: readonly OpenWing[],
  restoreLookMs = usualRestoreLookMs,
): Promise<{ status(): ReactionStatus } & AsyncDisposable> => {
  await using opening = new AsyncDisposableStack();
  const { config, log, storage } = foundation;
  const { url, readDb, store, traces } = storage;
  await assertPrintFolders(config);
  // Erasures come from reactors only. The journal in the data folder is made with the first one.
  if (config.erasureJournal !== undefined) await assertWritableJournal(config.erasureJournal);
  const restores = await openRestores(foundation);
  opening.defer(() => restores.stop());
  const clocks = await openTrustedClocks(foundation);
  const stopping = new AbortController();
  const checkpoints = await createCheckpoints(readDb);
  const leases = opening.adopt(await createLeases({ db: readDb, url }), (one) => one.close());
  const closing = opening.use(new AsyncDisposableStack());
  // Work of the wings there may wait until it is stopped.
  opening.defer(() => stopping.abort());
  const running: Follower[] = [];
  const statuses = (): FollowerStatus[] => running.map((one) => one.status());
  const reacting: Reacting = {
    leases,
    checkpoints,
    stopping: stopping.signal,
    clocks,
    closing,
    logIdAt: restores.logIdAt,
    statusOf: (name) => statuses().find((status) => status.name === name),
  };
  const reactions: (Reactions & { name: string })[] = [];
  for (const { name, react } of wings) {
    if (react) reactions.push({ name, ...(await react(reacting)) });
  }

  // Stopped from the last to the first: what waits, chores, whatever adds jobs, the jobs.
  const tasks = Object.assign({}, ...reactions.map((one) => one.tasks));
  const slotsOf = {
    [deliverTask]: defaultLimits.webhooksAtOnce,
    [exportTask]: defaultLimits.exportsAtOnce,
  };
  const jobs = startJobs({ db: readDb, url, tasks, log, concurrency: concurrentJobs, slotsOf });
  opening.defer(() => jobs.stop());
  opening.defer(async () => void (await Promise.all(running.map((one) => one.stop()))));
  for (const { reactors = [], followers = [] } of reactions) {
    for (const reactor of reactors)
      running.push(startReactor(reactor, { store, checkpoints, leases, log }));
    for (const follow of followers) running.push(follow());
  }
  await forgetLeases(
    readDb,
    statuses().map(({ name }) => name),
  );
  const chores = [
    { what: 'looking for a restore', everyMs: restoreLookMs, work: restores.look },
    ...(traces ? [{ what: 'forgetting traces', everyMs: hourMs, work: traces.forget }] : []),
    ...reactions.flatMap((one) => one.chores ?? []),
  ];
  opening.defer(startChores(chores, log));
  opening.defer(() => stopping.abort());
  const opened = opening.move();
  let ending: Promise<void> | undefined;
  return {
    status: () => ({
      reactors: statuses(),
      wings: reactions.flatMap(({ name, health }) => (health ? [{ name, ...health() }] : [])),
      samples: reactions.flatMap(({ samples }) => samples?.() ?? []),
    }),
    [Symbol.asyncDispose]() {
      ending ??= opened.disposeAsync();
      return ending;
    },
  };
};
