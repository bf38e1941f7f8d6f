/**
 * One run by seed: processes are killed, frozen, cut off and stopped while customers send letters; then all
 * is well again, and what must be true must come true.
 */
import type { Broken } from './broken.ts';
import { problemsOf } from './checks.ts';
import { createCustomers } from './customers.ts';
import type { LinkState } from './network.ts';
import { allPeers, createProcess, type Process } from './process.ts';
import { between, pick } from './schedule.ts';
import { createWorld, type World } from './world.ts';

const troubleMs = 22_000;
const healedWithinMs = 180_000;
const lookEveryMs = 2_000;
/** Messages that were sent twice or late have arrived by then. */
const afterwardsMs = 8_000;

export type Outcome = {
  problems: string[];
  /** How much happened of what. */
  counts: Awaited<ReturnType<typeof countsOf>>;
};

const countsOf = async ({ schedule, store, house, database, received }: World) => {
  const events = await store.readAll({ after: 0n, limit: 100_000 });
  const count = (wanted: string): number => events.filter(({ type }) => type === wanted).length;
  return {
    happenings: schedule.count(),
    printed: house.printed.length,
    recalled: count('LetterCancellationRequested'),
    refused: count('LetterFailed'),
    overdue: count('SendAbandoned'),
    credentials: database.credentials.length,
    webhooks: received.size,
  };
};

export const play = async (
  seed: number,
  broken: Broken = {},
  /** Hears what goes wrong with whom, and when. */
  tell: (what: string) => void = () => {},
): Promise<Outcome> => {
  const world = createWorld(seed, broken);
  const { schedule, random, weather } = world;
  const processes: Process[] = Array.from({ length: 2 + Math.floor(random() * 2) }, () =>
    createProcess(world),
  );
  const customers = createCustomers(world, () => processes);
  let calm = false;

  /** Something goes wrong with one of them, for a while. */
  const trouble = (): void => {
    if (calm) return;
    const n = Math.floor(random() * processes.length);
    const process = processes[n] as Process;
    const restart = (): void => {
      if (processes[n] === process) processes[n] = createProcess(world);
    };
    const forMs = random() < 0.5 ? between(random, 100, 2_000) : between(random, 2_000, 9_000);
    const cut = (links: { set(state: LinkState): void }): void => {
      links.set(random() < 0.5 ? 'silent' : 'refused');
      schedule.after(forMs, () => links.set('up'));
    };
    const say = (what: string): void =>
      tell(`${Math.round(schedule.now())} ms: process ${n} ${what}`);
    const troubles = [
      () => {
        say('is killed');
        process.actor.kill();
        schedule.after(between(random, 10, 4_000), restart);
      },
      () => {
        say('is stopped');
        process.stop();
        schedule.after(between(random, 10, 3_000), restart);
      },
      () => {
        say(`is frozen for ${Math.round(forMs)} ms`);
        process.actor.freeze();
        schedule.after(forMs, process.actor.thaw);
      },
      () => {
        const peer = pick(random, allPeers);
        say(`is cut off from ${peer} for ${Math.round(forMs)} ms`);
        cut(process.links[peer]);
      },
      () => {
        say(`is cut off from everything for ${Math.round(forMs)} ms`);
        cut({ set: process.setLinks });
      },
      () => {
        say('has a clock that is wrong');
        process.actor.setClockWrong(between(random, -4_000, 8_000));
      },
    ];
    pick(random, troubles)();
    schedule.after(between(random, 200, 5_000), trouble);
  };

  const house = (): void => {
    void world.lookIntoFolders();
    schedule.after(between(random, 50, calm ? 1_000 : 4_000), house);
  };

  /** All that was in memory is gone, and nothing goes wrong any more. */
  const heal = (): void => {
    tell('all is well again');
    calm = true;
    for (const { actor } of processes) actor.kill();
    processes.splice(0, processes.length, createProcess(world), createProcess(world));
    Object.assign(weather, { refused: 0, lost: 0, twice: 0, slow: 0 });
  };

  customers.start(1 + Math.floor(random() * 2));
  schedule.after(between(random, 0, 3_000), trouble);
  house();
  await schedule.run(troubleMs);
  heal();
  const outcome = async (): Promise<Outcome> => ({
    problems: [
      ...(customers.isBusy() ? ['a customer has no answer yet'] : []),
      ...(await problemsOf(world, customers.known)),
    ],
    counts: await countsOf(world),
  });
  for (let now = troubleMs; now < healedWithinMs; ) {
    now += lookEveryMs;
    await schedule.run(now);
    if ((await outcome()).problems.length > 0) continue;
    now += afterwardsMs;
    await schedule.run(now);
    // The last events may still be in work; permanent faults remain.
    if ((await outcome()).problems.length === 0) break;
  }
  const last = await outcome();
  for (const { actor } of processes) actor.kill();
  customers.leave();
  return last;
};
