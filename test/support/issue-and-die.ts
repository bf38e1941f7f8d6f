/**
 * A process that issues credentials in batches of seven and kills itself at one of them. Arguments: at which
 * batch, and when: `before` it is stored, `during` (it is on its way) or `after`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore } from '../../events/event-store.ts';
import { noLeases } from '../../events/lease.ts';
import { liveTables } from '../../infra/identity/credential-tables.ts';
import { createCredentialWriter } from '../../infra/identity/credential-writer.ts';
import { createIssuerAt } from '../../infra/identity/issuer-at.ts';
import { type CredentialWriter, startIssuing } from '../../reactors/issue-credentials.ts';
import { withFoundation } from './foundation.ts';

const [batch = '1', when = 'before'] = process.argv.slice(2);
const { DATA_DIR: dataDir = '', DATABASE_URL: databaseUrl = '' } = process.env;
const die = (): void => {
  process.kill(process.pid, 'SIGKILL');
};

await withFoundation({ dataDir, databaseUrl }, async (foundation) => {
  const { clock, log } = foundation;
  const { readDb: db } = foundation.storage;
  const { serviceKeys } = foundation.keys;
  const sign = () => ({ origin: 'letters.local', key: serviceKeys.signingKey('log') });
  const writer = createCredentialWriter({ db, tables: liveTables, clock, sign });
  const store: EventStore = {
    ...foundation.storage.store,
    subscribe: (options) => foundation.storage.store.subscribe({ ...options, limit: 7 }),
  };
  let batches = 0;
  const dying: CredentialWriter = {
    ...writer,
    async append(from, credentials, position) {
      const last = ++batches === Number(batch);
      if (last && when === 'before') die();
      const stored = writer.append(from, credentials, position);
      // Long enough to be sent, too short to be answered, mostly.
      if (last && when === 'during') setTimeout(die, 1);
      await stored;
      if (last) die();
    },
  };
  startIssuing({
    store,
    writer: dying,
    leases: noLeases,
    issuerAt: createIssuerAt(serviceKeys),
    refreshIdentity: serviceKeys.refresh,
    log,
  });
  await delay(30_000);
});
