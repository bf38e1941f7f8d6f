/** The files of the tests, in the order in which they are run. */
import { existsSync, globSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const cwd = new URL('..', import.meta.url).pathname;
export const contract = 'test/zz-contract.e2e.test.ts';
const ofImage = 'test/deploy/image.e2e.test.ts';

/** Tests of faults mostly wait. */
const faults = 'test/fault/';
const faultsAtOnce = 2;
/** Those that take longest begin first, or the others would wait for them at the end. */
const longFirst = [
  ...[
    'test/fault/payments',
    faults,
    'test/simulation',
    'test/conformance',
    'test/operator',
    'test/clients',
  ],
  ...['test/payments', 'test/api', 'test/service', 'test/contract', 'test/pages'],
  ...['test/projections', 'test/publish'],
];
/** Each process loads the program again, and runs slowly until its code is hot. */
const filesAtOnce = 14;
const unitsAtOnce = 75;
/** Simulations only compute: they need no package that is fetched, and no limit in real time. */
const simulations = [
  'test/simulation/simulation.unit.test.ts',
  'test/guards/guards-simulation.unit.test.ts',
];
/** These have jobs of their own, with a place in the queue of their own. */
const placed = new Set([contract, ofImage, ...simulations]);

/** One list of both, in which each keeps its order and is spread evenly. */
const spread = <T>(...lists: readonly T[][]): T[] =>
  lists
    .flatMap((list) => list.map((item, n) => ({ item, place: (n + 0.5) / list.length })))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);

/** Unit tests need no package that is fetched, except those of the rules for Prometheus, which need its tool. */
const isUnit = (file: string): boolean =>
  file.endsWith('.unit.test.ts') && !file.startsWith('test/deploy/');

/** They measure CPU time: the garbage of other files would be collected during their requests. */
const measuring = /^test\/api\/event-loop/;

const sliced = (files: readonly string[], size: number): string[][] =>
  Array.from({ length: Math.ceil(files.length / size) }, (_, i) =>
    files.slice(i * size, (i + 1) * size),
  );

const rank = (file: string): number => {
  const at = longFirst.findIndex((long) => file.startsWith(long));
  return at < 0 ? longFirst.length : at;
};

/** Several files at once. Tests of faults run next to tests that compute. */
const jobsOf = (all: readonly string[]): string[][] => {
  const sorted = all.toSorted((one, other) => rank(one) - rank(other));
  const isFault = (file: string): boolean => file.startsWith(faults);
  const isMeasuring = (file: string): boolean => measuring.test(file);
  const together = sorted.filter((file) => !isFault(file) && !isMeasuring(file));
  return spread(
    [
      ...sliced(sorted.filter(isFault), faultsAtOnce),
      ...sorted.filter(isMeasuring).map((file) => [file]),
    ],
    sliced(together, filesAtOnce),
  );
};

const isThere = (file: string | undefined): boolean => !!file && existsSync(file);

/**
 * Hands out the files of each process. Simulations and unit tests are first. The others wait until the packages that
 * tests need are fetched: `TEST_PACKAGES_PENDING` names a file that is there until then. The tests of the image are next
 * when it is built: `TEST_IMAGE_PENDING` names a file that is there until then.
 */
export const makeQueue = (isStopping: () => boolean) => {
  const files = globSync('test/**/*.test.ts', { cwd, exclude: ['**/node_modules'] }).sort();
  const others = files.filter((file) => !placed.has(file));
  const units = sliced(others.filter(isUnit), unitsAtOnce);
  const first = [...simulations.map((file) => [file]), ...units];
  const queue = jobsOf(others.filter((file) => !isUnit(file)));
  const waiting = [[ofImage]];
  const isFetched = (): boolean => !isThere(process.env.TEST_PACKAGES_PENDING);
  const isBuilt = (): boolean => !isThere(process.env.TEST_IMAGE_PENDING);
  const next = async (): Promise<string[] | undefined> => {
    const now = first.shift();
    if (now) return now;
    while (!isFetched() && !isStopping()) await delay(200);
    if (isStopping()) return undefined;
    const files = isBuilt() ? (waiting.shift() ?? queue.shift()) : queue.shift();
    if (files) return files;
    const last = waiting.shift();
    while (last && !isBuilt() && !isStopping()) await delay(200);
    return last;
  };
  return { next: async () => (isStopping() ? undefined : next()) };
};
