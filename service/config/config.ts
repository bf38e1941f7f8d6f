import { resolve } from 'node:path';
import { defaultLimits, highestLimits, type Limits } from '../../contract/limits.ts';
import { parseMasterKey } from '../../infra/keys/master-key.ts';
import { logLevels } from '../../infra/log.ts';
import { assertWebhookSecret } from '../../infra/webhooks/standard-webhooks.ts';
import { usualHandOverHours } from '../../postal/hand-over.ts';
import {
  baseUrl,
  ConfigError,
  flag,
  integer,
  listOf,
  matching,
  oneOf,
  orFail,
  plain,
  RuleBroken,
  secret,
  text,
  url,
  type Values,
  type Variable,
} from './config-parsers.ts';
import { kafkaSettings, kafkaVariables } from './kafka-settings.ts';

export { ConfigError } from './config-parsers.ts';

export const roles = ['write-api', 'read-api', 'agent-api', 'projections', 'reactors'] as const;
export type Role = (typeof roles)[number];

const evmAddress = matching(/^0x[0-9a-fA-F]{40}$/, 'must be an EVM address (0x and 40 hex digits)');
const evmKey = matching(/^0x[0-9a-fA-F]{64}$/, 'must be a private key (0x and 64 hex digits)');
const network = matching(
  /^eip155:[1-9]\d{0,18}$|^[a-z][a-z0-9-]{0,31}$/,
  'must be a network (e.g. eip155:8453 or base)',
);
const macaroon = matching(/^([0-9a-fA-F]{2})+$/, 'must be a macaroon in hex');
const masterKey = orFail(parseMasterKey, 'must be 32 bytes as hex, base64 or base64url');

const dayTime = matching(
  /^(?!00:00)([01]\d|2[0-3]):[0-5]\d$/,
  'must be a time of the day from 00:01 to 23:59',
);
const webhookSecret = orFail((value) => {
  try {
    assertWebhookSecret(value);
    return value;
  } catch {
    return undefined;
  }
}, 'must be whsec_ and 24 to 64 bytes in base64');

const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
};

/** Every name the service reads, beside `LIMIT_*`. URLs with user parts count as secrets. */
const variables = {
  PORT: plain(integer(0, 65_535)),
  BASE_URL: plain(baseUrl),
  DATA_DIR: plain((value: string) => resolve(value)),
  ROLES: plain(listOf(oneOf(...roles))),
  BACKGROUND_PROCESS: plain(flag),
  DATABASE_URL: secret(url('postgres', 'postgresql')),
  EVENT_STORE: plain(oneOf('postgres', 'eventstoredb')),
  EVENTSTORE_URL: secret(url('esdb', 'esdb+discover', 'kurrentdb', 'kurrentdb+discover')),
  ...kafkaVariables,
  MASTER_KEY: secret(masterKey),
  PRINT_PARTNER: plain(oneOf('hotfolder', 'http')),
  PRINT_HOTFOLDER: plain((value: string) => resolve(value)),
  PRINT_HTTP_URL: plain(baseUrl),
  PRINT_HTTP_TOKEN: secret(text),
  PRINT_WEBHOOK_SECRET: secret(webhookSecret),
  PRINT_HANDOVER: plain(oneOf('business-hours', 'always')),
  PRINT_CUT_OFF: plain(dayTime),
  CANCELLATION_WINDOW_SECONDS: plain(integer(0, 86_400)),
  RETENTION_DAYS: plain(integer(1, 36_500)),
  CHROMIUM_PATH: plain((value: string) => resolve(value)),
  ALLOW_PRIVATE_FETCH: plain(flag),
  BLOB_STORE: plain(oneOf('file', 's3')),
  S3_ENDPOINT: plain(baseUrl),
  S3_REGION: plain(text),
  S3_BUCKET: plain(matching(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be a bucket name')),
  S3_ACCESS_KEY_ID: secret(text),
  S3_SECRET_ACCESS_KEY: secret(text),
  S3_FORCE_PATH_STYLE: plain(flag),
  SMTP_URL: secret(url('smtp', 'smtps')),
  MAIL_FROM: plain(matching(/^[^\r\n]*[^\s@<]+@[^\s@>]+>?$/, 'must be an e-mail address')),
  X402_NETWORK: plain(network),
  X402_RPC_URL: secret(url('http', 'https')),
  X402_PAY_TO: plain(evmAddress),
  X402_SIGNER_KEY: secret(evmKey),
  X402_ASSET: plain(evmAddress),
  X402_FACILITATOR_URL: plain(baseUrl),
  STRIPE_SECRET_KEY: secret(
    matching(/^(sk|rk)_\w+$/, 'must be a Stripe secret key (sk_… or rk_…)'),
  ),
  STRIPE_WEBHOOK_SECRET: secret(text),
  STRIPE_API_BASE: plain(baseUrl),
  LND_REST_URL: plain(baseUrl),
  LND_MACAROON: secret(macaroon),
  LND_CERT: plain(text),
  MECH_MODE: plain(oneOf('test', 'live')),
  MECH_RPC_URL: secret(url('http', 'https')),
  MECH_ADDRESS: plain(evmAddress),
  MECH_SIGNER_KEY: secret(evmKey),
  MECH_SERVICE_ID: plain(integer(1, Number.MAX_SAFE_INTEGER)),
  CREDENTIALS: plain(flag),
  UCAN_STRICT_AUDIENCE: plain(flag),
  LOG_LEVEL: plain(oneOf(...logLevels)),
};

type Name = keyof typeof variables;
type Set = Values<typeof variables>;

const ourPrefixes = /^(KAFKA|X402|STRIPE|S3|LND|MECH|LIMIT|PRINT)_/;

const limitNames = new Map<string, keyof Limits>(
  (Object.keys(defaultLimits) as (keyof Limits)[]).map((key) => [
    `LIMIT_${key.replaceAll(/([A-Z])/g, '_$1').toUpperCase()}`,
    key,
  ]),
);

/** Every name that the service reads from its environment. */
export const variableNames = (): string[] => [...Object.keys(variables), ...limitNames.keys()];

const editDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const substituted = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(substituted, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
};

const assertKnown = (env: NodeJS.ProcessEnv): void => {
  const known = variableNames();
  for (const name of Object.keys(env).filter((key) => ourPrefixes.test(key))) {
    if (known.includes(name)) continue;
    const nearest =
      known.toSorted((a, b) => editDistance(name, a) - editDistance(name, b))[0] ?? '';
    throw new ConfigError(`${name} is not a known name; did you mean ${nearest}?`);
  }
};

/** An empty value counts as not set, as compose files write absent ones. */
const read = <T>(env: NodeJS.ProcessEnv, name: string, variable: Variable<T>): T | undefined => {
  const value = env[name]?.trim();
  if (!value) return undefined;
  try {
    return variable.parse(value);
  } catch (error) {
    if (!(error instanceof RuleBroken)) throw error;
    const got = variable.secret ? 'what it is set to is not' : `got ${JSON.stringify(value)}`;
    throw new ConfigError(`${name} ${error.message}, ${got}`);
  }
};

const readSet = (env: NodeJS.ProcessEnv): Set =>
  Object.fromEntries(
    Object.entries(variables).map(([name, variable]) => [
      name,
      read(env, name, variable as Variable<unknown>),
    ]),
  );

const readLimits = (env: NodeJS.ProcessEnv): Limits => {
  const limits = { ...defaultLimits };
  for (const [name, key] of limitNames) {
    // A rate of 0 is no limit, a low mark of 0 is none; of everything else there is at least one.
    const least = key.startsWith('ratePer') || key === 'walletLowCents' ? 0 : 1;
    const most = highestLimits[key] ?? 2 ** 31 - 1;
    limits[key] = read(env, name, plain(integer(least, most))) ?? limits[key];
  }
  return limits;
};

const requireAll = (set: Set, names: Name[], trigger: string): void => {
  const missing = names.find((name) => set[name] === undefined);
  if (missing) throw new ConfigError(`${missing} must be set because ${trigger}`);
};

/** A feature is on when its first name is set; then the rest must be there too. */
const groups: { names: [Name, ...Name[]]; optional: Name[] }[] = [
  { names: ['SMTP_URL', 'MAIL_FROM'], optional: [] },
  {
    names: ['X402_PAY_TO', 'X402_NETWORK'],
    optional: ['X402_RPC_URL', 'X402_SIGNER_KEY', 'X402_ASSET', 'X402_FACILITATOR_URL'],
  },
  { names: ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'], optional: ['STRIPE_API_BASE'] },
  { names: ['LND_REST_URL', 'LND_MACAROON'], optional: ['LND_CERT'] },
];

/** Letters are personal: they go over TLS, or do not leave the machine. */
const assertPrivateOnTheWay = (address: string): void => {
  const { protocol, hostname } = new URL(address);
  const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol === 'https:' || loopback) return;
  throw new ConfigError(
    'PRINT_HTTP_URL must be https; http is for this machine only, or with ALLOW_PRIVATE_FETCH=true',
  );
};

const assertComplete = (set: Set): void => {
  for (const { names, optional } of groups) {
    const trigger = [...names, ...optional].find((name) => set[name] !== undefined);
    if (trigger) requireAll(set, names, `${trigger} is set`);
  }
  if (set.X402_PAY_TO && !set.X402_FACILITATOR_URL) {
    requireAll(
      set,
      ['X402_RPC_URL', 'X402_SIGNER_KEY'],
      'X402_PAY_TO is set and X402_FACILITATOR_URL is not',
    );
  }
  if (set.EVENT_STORE === 'eventstoredb') {
    requireAll(set, ['EVENTSTORE_URL'], 'EVENT_STORE is eventstoredb');
  }
  if (set.PRINT_PARTNER === 'http') {
    requireAll(
      set,
      ['PRINT_HTTP_URL', 'PRINT_HTTP_TOKEN', 'PRINT_WEBHOOK_SECRET'],
      'PRINT_PARTNER is http',
    );
  }
  if (set.PRINT_HTTP_URL && !set.ALLOW_PRIVATE_FETCH) assertPrivateOnTheWay(set.PRINT_HTTP_URL);
  if (set.BLOB_STORE === 's3') {
    requireAll(
      set,
      ['S3_BUCKET', 'S3_REGION', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
      'BLOB_STORE is s3',
    );
  }
  if (set.MECH_MODE === 'live') {
    requireAll(set, ['MECH_RPC_URL', 'MECH_ADDRESS', 'MECH_SIGNER_KEY'], 'MECH_MODE is live');
  }
};

const present = <T extends object>(wanted: unknown, group: T): T | undefined =>
  wanted === undefined ? undefined : group;

const compose = (set: Set, limits: Limits) => ({
  port: set.PORT ?? 3_000,
  /** Without a slash at its end; absent: made of the port that was bound. */
  baseUrl: set.BASE_URL,
  dataDir: set.DATA_DIR ?? resolve('data'),
  roles: set.ROLES ?? [...roles],
  /** Projections and reactors run in a process of their own beside this one. */
  backgroundProcess: set.BACKGROUND_PROCESS ?? set.ROLES === undefined,
  /** Absent: the embedded PostgreSQL in `dataDir`. */
  databaseUrl: set.DATABASE_URL,
  eventStore: set.EVENT_STORE ?? 'postgres',
  eventStoreUrl: set.EVENTSTORE_URL,
  kafka: kafkaSettings(set),
  /** 32 bytes. Absent: `<dataDir>/master.key`. */
  masterKey: set.MASTER_KEY,
  /** Personal data and documents are erased so long after a letter is over; absent: kept. */
  retentionDays: set.RETENTION_DAYS,
  cancellationWindowSeconds: set.CANCELLATION_WINDOW_SECONDS ?? 300,
  print: {
    partner: set.PRINT_PARTNER ?? 'hotfolder',
    /** Absent: a folder in `dataDir`. */
    hotfolder: set.PRINT_HOTFOLDER,
    httpUrl: set.PRINT_HTTP_URL,
    httpToken: set.PRINT_HTTP_TOKEN,
    webhookSecret: set.PRINT_WEBHOOK_SECRET,
    /** A folder takes letters at any time; people at a print house do not. */
    handOver: set.PRINT_HANDOVER ?? (set.PRINT_PARTNER === 'http' ? 'business-hours' : 'always'),
    cutOffMinutes:
      set.PRINT_CUT_OFF === undefined
        ? usualHandOverHours.cutOffMinutes
        : minutesOf(set.PRINT_CUT_OFF),
  },
  /** Absent: the browser that comes with the packages. */
  chromiumPath: set.CHROMIUM_PATH,
  /** Lets callers name documents in our own network: for development only. */
  allowPrivateFetch: set.ALLOW_PRIVATE_FETCH ?? false,
  blobStore: set.BLOB_STORE ?? 'file',
  s3: present(set.BLOB_STORE === 's3' || undefined, {
    endpoint: set.S3_ENDPOINT,
    region: set.S3_REGION ?? '',
    bucket: set.S3_BUCKET ?? '',
    accessKeyId: set.S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: set.S3_SECRET_ACCESS_KEY ?? '',
    forcePathStyle: set.S3_FORCE_PATH_STYLE ?? false,
  }),
  mail: present(set.SMTP_URL, { smtpUrl: set.SMTP_URL ?? '', from: set.MAIL_FROM ?? '' }),
  x402: present(set.X402_PAY_TO, {
    network: set.X402_NETWORK ?? '',
    payTo: set.X402_PAY_TO ?? '',
    rpcUrl: set.X402_RPC_URL,
    signerKey: set.X402_SIGNER_KEY,
    /** Absent: USDC of the network. */
    asset: set.X402_ASSET,
    facilitatorUrl: set.X402_FACILITATOR_URL,
  }),
  stripe: present(set.STRIPE_SECRET_KEY, {
    secretKey: set.STRIPE_SECRET_KEY ?? '',
    webhookSecret: set.STRIPE_WEBHOOK_SECRET ?? '',
    apiBase: set.STRIPE_API_BASE,
  }),
  lnd: present(set.LND_REST_URL, {
    restUrl: set.LND_REST_URL ?? '',
    macaroon: set.LND_MACAROON ?? '',
    /** A PEM text or the path of one. */
    cert: set.LND_CERT,
  }),
  mech: present(set.MECH_MODE, {
    mode: set.MECH_MODE ?? 'test',
    rpcUrl: set.MECH_RPC_URL,
    address: set.MECH_ADDRESS,
    signerKey: set.MECH_SIGNER_KEY,
    serviceId: set.MECH_SERVICE_ID,
  }),
  /** Off: events get no credentials as they come; switched on again, they get them all. */
  credentials: set.CREDENTIALS ?? true,
  ucanStrictAudience: set.UCAN_STRICT_AUDIENCE ?? false,
  logLevel: set.LOG_LEVEL ?? 'info',
  limits,
});

export type Config = ReturnType<typeof compose>;

/**
 * Reads and validates the whole configuration.
 * @throws ConfigError with one line on the first name that is set wrongly, is unknown, or is missing
 * beside another one; the value of a secret is never in it
 */
export const readConfig = (env: NodeJS.ProcessEnv): Config => {
  assertKnown(env);
  const set = readSet(env);
  assertComplete(set);
  return compose(set, readLimits(env));
};
