/** The process: where it listens and what it runs. */
import { resolve } from 'node:path';
import { parseNetwork } from '../../../http/client-address.ts';
import { logLevels } from '../../../infra/log.ts';
import {
  baseUrl,
  ConfigError,
  flag,
  integer,
  listOf,
  matching,
  oneOf,
  orFail,
} from '../config-parsers.ts';
import { group, plain } from '../group.ts';

export const roles = [
  'write-api',
  'read-api',
  'agent-api',
  'console',
  'projections',
  'reactors',
] as const;
export type Role = (typeof roles)[number];

/** The pages of the console call operations of this process. @throws ConfigError */
const assertConsoleHasApis = (set: readonly Role[] | undefined): void => {
  if (!set?.includes('console')) return;
  const missing = (['write-api', 'read-api'] as const).find((role) => !set.includes(role));
  if (missing) throw new ConfigError(`ROLES must include ${missing}, because console needs it`);
};

/** One line that can be printed. */
const name = matching(/^[^\p{Cc}]{1,200}$/u, 'must be one line of at most 200 characters');

export const service = group({
  settings: {
    PORT: plain(integer(0, 65_535), '3000', 'port of the HTTP server'),
    BASE_URL: plain(baseUrl, '`http://localhost:PORT`', 'public address, for links in answers'),
    SERVICE_NAME: plain(name, '`Letters`', 'issuer of certificates, as printed on them'),
    SERVICE_CONTACT: plain(
      name,
      'contact of the operator, printed on certificates: an address, a telephone number',
    ),
    TRUSTED_PROXIES: plain(
      listOf(
        orFail(
          parseNetwork,
          'must be a comma-separated list of networks (10.0.0.0/8, 2001:db8::/32) or addresses',
        ),
      ),
      'none',
      'proxies whose `X-Forwarded-For` is trusted, as networks or addresses, see below',
    ),
    DATA_DIR: plain(
      (value: string) => resolve(value),
      '`./data`',
      'embedded database, master key, documents, print folders',
    ),
    ROLES: plain(
      listOf(oneOf(...roles)),
      'all',
      'comma-separated parts that this process runs, see below',
    ),
    BACKGROUND_PROCESS: plain(
      flag,
      '`true` without `ROLES`, otherwise `false`',
      'runs projections and reactors in a separate process, which the service starts, watches and stops; requests then have a processor core for themselves',
    ),
    LOG_LEVEL: plain(
      oneOf(...logLevels),
      '`info`',
      '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
    ),
  },
  prefixes: ['TRUSTED_PROX'],
  check: ({ ROLES }) => assertConsoleHasApis(ROLES),
  read: (set) => ({
    port: set.PORT ?? 3_000,
    /** Without a slash at its end; absent: made of the port that was bound. */
    baseUrl: set.BASE_URL,
    /** As certificates name the service and its operator. */
    serviceName: { name: set.SERVICE_NAME ?? 'Letters', contact: set.SERVICE_CONTACT },
    trustedProxies: set.TRUSTED_PROXIES ?? [],
    dataDir: set.DATA_DIR ?? resolve('data'),
    roles: set.ROLES ?? [...roles],
    /** Projections and reactors run in a separate process. */
    backgroundProcess: set.BACKGROUND_PROCESS ?? set.ROLES === undefined,
    logLevel: set.LOG_LEVEL ?? 'info',
  }),
  describe: (config) => [`roles: ${config.roles.join(', ')}`, `data folder: ${config.dataDir}`],
});
