/** The database, the log and the key over what is personal in them. */
import { parseMasterKey } from '../../../infra/keys/master-key.ts';
import { integer, oneOf, orFail, url } from '../config-parsers.ts';
import { chosen, group, plain, secret, stated } from '../group.ts';

const masterKey = orFail(parseMasterKey, 'must be 32 bytes as hex, base64 or base64url');

export const storage = group({
  settings: {
    DATABASE_URL: secret(url('postgres', 'postgresql'), 'embedded', 'PostgreSQL (`postgres://…`)'),
    DATABASE_CONNECTIONS: plain(
      integer(2, 200),
      '8',
      'most connections that a process keeps for reading, see below',
    ),
    MASTER_KEY: secret(
      masterKey,
      '`DATA_DIR/master.key`',
      '32 bytes as hex or base64, see [Personal data](personal-data.md)',
    ),
    EVENT_STORE: plain(
      oneOf('postgres', 'eventstoredb'),
      '`postgres`',
      '`postgres` or `eventstoredb`',
    ),
    EVENTSTORE_URL: secret(
      url('esdb', 'esdb+discover', 'kurrentdb', 'kurrentdb+discover'),
      'required with `eventstoredb`: `esdb://…`',
    ),
  },
  needs: [chosen('EVENT_STORE', 'eventstoredb', ['EVENTSTORE_URL'])],
  read: (set) => ({
    /** Absent: the embedded PostgreSQL in `dataDir`. */
    databaseUrl: set.DATABASE_URL,
    databaseConnections: set.DATABASE_CONNECTIONS ?? 8,
    eventStore: set.EVENT_STORE ?? 'postgres',
    eventStoreUrl: set.EVENTSTORE_URL,
    /** 32 bytes. Absent: `<dataDir>/master.key`. */
    masterKey: set.MASTER_KEY,
  }),
  describe: (config) => [
    stated('database', config.databaseUrl, 'DATABASE_URL', 'embedded PostgreSQL'),
    `event store: ${config.eventStore}`,
    stated('master key', config.masterKey, 'MASTER_KEY', 'master.key in the data folder'),
  ],
});
