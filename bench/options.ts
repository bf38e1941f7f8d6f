/** Options of `npm run bench -- …`. */
import { parseArgs } from 'node:util';

export const benchmarks = {
  a: 'durable conditional appends',
  b: 'POST /api/send, 1,000 accounts',
  c: 'POST /api/send, one hot wallet',
  d: 'GET /api/letters/{id}',
  e: 'rebuild of all read models',
  f: 'verification of a UCAN chain of three',
  g: 'deliveries of webhooks',
  h: 'offline verification of a 10,000-event bundle',
  i: 'event credentials and the log over them',
  j: 'letters on paper: text, HTML, preflight',
  k: 'the service at rest: start, memory, connections',
  l: 'lists with filters, 100,000 letters of 1,000 accounts',
  m: 'POST /api/send, arrivals at 60 % of the capacity of b',
  n: 'production of letters that are due',
  o: 'end to end: sent, charged, printed, credentials',
  p: 'a burst of sends on top of letters that are due',
  q: 'publication to Kafka',
  r: 'the log in EventStoreDB, with --eventstoredb',
  s: 'letters paid by x402, on a chain of its own',
  t: 'the statement of a wallet with 100,000 entries',
  u: 'import of the client libraries',
  v: 'offers, and accepting them',
  w: 'units of a volume contract, counted while one account sends',
  x: 'calls over MCP, compared with REST',
  y: 'POST /api/send at 1, 4, 16 and 64 connections',
  z: 'POST /api/send at 100, 300, 600 and 1,000 arrivals a second',
  processes: 'sends and reads by three API processes, compared with one',
  scale: 'sends, reads and upkeep as the number of letters grows, with --scale',
  guards: 'POST /api/send under ten rules, compared with none',
} as const;
export type Benchmark = keyof typeof benchmarks;

/** The others take hours, or need a server of their own. */
const inEveryRun = Object.keys(benchmarks).filter((letter) => letter !== 'scale');

export type Options = {
  only: Set<Benchmark>;
  /** Length of every measured window. */
  seconds: number;
  warmUpSeconds: number;
  connections: number;
  /** Letters a second that come in end to end. */
  rate: number;
  /** Letters that are due, for production and the burst. */
  due: number;
  /** Letters that are sent under a volume contract. */
  units: number;
  /** Callers of the append benchmark. */
  callers: number[];
  /** Every letter is sent with an `Idempotency-Key` of its own. */
  idempotencyKeys: boolean;
  /** Folder for the CPU profiles of the service process; absent: none are taken. */
  cpuProfileDir: string | undefined;
  /** Prints which statements and functions the counts of each letter come from. */
  detail: boolean;
  /** Connection string of an empty server; absent: it is not measured. */
  eventStoreDb: string | undefined;
  /** Runs our side only. */
  peers: boolean;
  /** Letters that the service has when it is measured, in ascending order. */
  sizes: number[];
  /** Writes docs/performance.md. */
  write: boolean;
};

const help = `npm run bench -- [options]
  --only a,b,c,…         ${Object.entries(benchmarks)
    .map(([letter, title]) => `${letter}: ${title}`)
    .join('\n                         ')}
  --seconds N            measured seconds per benchmark (default 5)
  --warm-up N            seconds before that under the same load (default 3)
  --connections N        HTTP connections (default 64)
  --rate N               letters a second that are sent in o (default 400)
  --due N                letters that are due in n and p (default 10000)
  --units N              letters of w (default 100000)
  --callers N,N          callers of a (default 16,64)
  --idempotency-keys     send every letter with an Idempotency-Key
  --cpu-prof DIR         take CPU profiles of the service process and print where its time went
  --detail               print the statements and allocations of a letter one by one
  --eventstoredb URL     measure r on that empty server: sends, catch-up, appends compared with the raw client
  --scale                measure scale only: load letters, then send, read, rebuild, verify and back up
  --sizes N,N,…          letters of scale (default 10000,100000,1000000)
  --no-peers             measure the service only
  --write                write docs/performance.md from this run, if it was correct`;

const positive = (name: string, text: string, most = 1_000): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw new Error(`--${name} ${text} must be a whole number from 1 to ${most}`);
  }
  return value;
};

const isBenchmark = (letter: string): letter is Benchmark => letter in benchmarks;

const selected = (text: string): Set<Benchmark> => {
  const letters = text.split(',').map((letter) => letter.trim());
  const wrong = letters.find((letter) => !isBenchmark(letter));
  if (wrong !== undefined)
    throw new Error(`--only ${wrong} is none of ${Object.keys(benchmarks).join(', ')}`);
  return new Set(letters.filter(isBenchmark));
};

/** `undefined` when only help was asked for. @throws Error with one sentence */
export const readOptions = (args: string[]): Options | undefined => {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: inEveryRun.join() },
      seconds: { type: 'string', default: '5' },
      'warm-up': { type: 'string', default: '3' },
      connections: { type: 'string', default: '64' },
      rate: { type: 'string', default: '400' },
      due: { type: 'string', default: '10000' },
      units: { type: 'string', default: '100000' },
      callers: { type: 'string', default: '16,64' },
      'idempotency-keys': { type: 'boolean', default: false },
      'cpu-prof': { type: 'string' },
      detail: { type: 'boolean', default: false },
      eventstoredb: { type: 'string' },
      scale: { type: 'boolean', default: false },
      sizes: { type: 'string', default: '10000,100000,1000000' },
      'no-peers': { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return undefined;
  }
  return {
    only: values.scale ? new Set(['scale']) : selected(values.only),
    seconds: positive('seconds', values.seconds),
    warmUpSeconds: positive('warm-up', values['warm-up']),
    connections: positive('connections', values.connections),
    rate: positive('rate', values.rate, 100_000),
    due: positive('due', values.due, 1_000_000),
    units: positive('units', values.units, 10_000_000),
    callers: values.callers.split(',').map((text) => positive('callers', text)),
    idempotencyKeys: values['idempotency-keys'],
    cpuProfileDir: values['cpu-prof'],
    detail: values.detail,
    eventStoreDb: values.eventstoredb,
    sizes: values.sizes.split(',').map((text) => positive('sizes', text, 10_000_000)),
    peers: !values['no-peers'],
    write: values.write,
  };
};
