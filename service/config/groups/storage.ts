/** The database and the log. */
import {
  parseConnectionString,
  WrongConnectionString,
} from '../../../infra/event-store/eventstoredb/connection-string.ts';
import {
  ConfigError,
  integer,
  oneOf,
  orFail,
  type Parser,
  passwordSigns,
} from '../config-parsers.ts';
import { chosen, group, plain, secret, stated } from '../group.ts';

/** Kept as written. */
const connectionString: Parser<string> = (value) => {
  try {
    parseConnectionString(value);
    return value;
  } catch (error) {
    if (!(error instanceof WrongConnectionString)) throw error;
    throw new ConfigError(`EVENTSTORE_URL: ${error.message}`);
  }
};

/** The driver takes one host only, and would ask DNS for a list of them. */
const database = orFail((value) => {
  const address = URL.parse(value);
  const isKnown = address !== null && /^postgres(ql)?:$/.test(address.protocol);
  const isOne = isKnown && !address.hostname.includes(',') && address.hash === '';
  return isOne ? value : undefined;
}, `must be a URL with postgres or postgresql and one host: postgres://user:password@host:5432/database, or postgres://user@%2Fvar%2Frun%2Fpostgresql/database for a socket; ${passwordSigns}`);

/** A process with `ROLES` takes fewer, because more processes share the server then. */
const usualConnections = { alone: 8, amongOthers: 2 };

export const storage = group({
  settings: {
    DATABASE_URL: secret(
      database,
      'embedded',
      'PostgreSQL (`postgres://user:password@host:5432/database`); for a socket, `postgres://user@%2Fvar%2Frun%2Fpostgresql/database`',
    ),
    DATABASE_CONNECTIONS: plain(
      integer(2, 200),
      '8; 2 with `ROLES`',
      'maximum connections for reading of one process, see below',
    ),
    EVENT_STORE: plain(
      oneOf('postgres', 'eventstoredb'),
      '`postgres`',
      '`postgres` or `eventstoredb`',
    ),
    EVENTSTORE_URL: secret(
      connectionString,
      'required with `eventstoredb`: `esdb://…`, also `esdb+discover`, `kurrentdb`, `kurrentdb+discover`; several hosts, see [Events and the store](events-and-store.md)',
    ),
  },
  onlyWith: [{ name: 'EVENTSTORE_URL', with: 'EVENT_STORE', is: 'eventstoredb' }],
  needs: [chosen('EVENT_STORE', 'eventstoredb', ['EVENTSTORE_URL'])],
  read: (set, { ROLES }) => ({
    /** Absent: the embedded PostgreSQL in `dataDir`. */
    databaseUrl: set.DATABASE_URL,
    databaseConnections:
      set.DATABASE_CONNECTIONS ??
      (ROLES === undefined ? usualConnections.alone : usualConnections.amongOthers),
    eventStore: set.EVENT_STORE ?? 'postgres',
    eventStoreUrl: set.EVENTSTORE_URL,
  }),
  describe: (config) => [
    stated('database', config.databaseUrl, 'DATABASE_URL', 'embedded PostgreSQL'),
    `event store: ${config.eventStore}`,
  ],
});
