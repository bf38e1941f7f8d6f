/** The units of a volume contract, and the bill of its shortfall, when everything is killed on the way. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { verifyLog, withFoundation } from '../support/foundation.ts';
import { call, registerTestAccount, startClients } from '../support/letter-client.ts';
import { withClient } from '../support/log-audit.ts';
import { serviceDatabase } from '../support/service-database.ts';
import {
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';

type Period = { units: number; discounts: number; state: string; billed: number | null };

describe('a volume contract over kills', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let service: ServiceProcess;

  const start = async (): Promise<void> => {
    service = spawnService(await freePort(), folder.dataDir, {
      DATABASE_URL: database.url,
      LIMIT_RESERVATION_PATIENCE_MS: '1500',
      LIMIT_RATE_PER_ADDRESS: '0',
      LIMIT_REGISTRATIONS_PER_HOUR: '0',
      LIMIT_REGISTRATIONS_PER_DAY: '0',
      LIMIT_RATE_PER_CREDENTIAL: '0',
    });
    await service.ready();
  };
  const restart = async (): Promise<void> => {
    await service.killGroup();
    await start();
  };

  before(async () => {
    database = await serviceDatabase();
    await start();
  });
  after(async () => {
    await killLeftovers();
    await database.drop();
    await folder.remove();
  });

  /** By the log: letters that were accepted, less those that were cancelled, and charges for a shortfall. */
  const inLog = () =>
    withClient(database.url, async (client) => {
      const { rows } = await client.query<{ units: number; bills: number }>(
        `select (count(*) filter (where type = 'LetterQueued')
             - count(*) filter (where type in ('LetterCancelled', 'LetterFailed')))::int as units,
           (count(*) filter (where type = 'FundsCaptured'
             and data::jsonb -> 'purpose' ->> 'kind' = 'volume-contract'))::int as bills
         from event_log.events`,
      );
      return rows[0] as { units: number; bills: number };
    });

  it('counts each letter once while 64 callers send, and bills its shortfall once', async () => {
    const { key } = await registerTestAccount(service.url, 'volume');
    const body = { committed_units: 300, period: 'month' };
    const made = await call(service.url, 'POST', '/api/anp/contracts', { key, body });
    expect(made.status).to.equal(201);
    const path = `/api/anp/contracts/${made.body.contract_id}`;
    const period = async (): Promise<Period> => {
      const { body: contract } = await call(service.url, 'GET', path, { key });
      return (contract.periods as Period[])[0] as Period;
    };

    const at = { url: () => service.url, keys: [key] };
    const clients = startClients({ ...at, clients: 48, name: 'kept' });
    const regretting = startClients({ ...at, clients: 16, name: 'cancelled', cancelEvery: 1 });
    const sent = () => clients.sent.filter(({ letterId }) => letterId).length;
    for (const letters of [5, 15]) {
      await eventually(`${letters} letters are sent`, () => sent() >= letters);
      await restart();
    }
    await Promise.all([clients.stop(), regretting.stop()]);
    const { units } = await inLog();
    expect(units).to.be.greaterThan(10);
    await eventually('all are counted', async () => (await period()).units === units);

    await eventually('the period ends', async () => {
      const ended = await call(
        service.url,
        'POST',
        `/api/test/contracts/${made.body.contract_id}/advance`,
        { key },
      );
      return ended.status === 200 || ended.status === 409;
    });
    for (const pause of [500, 900]) {
      await delay(pause);
      await restart();
    }
    await eventually('it is billed', async () => (await period()).billed !== null);
    expect(await period()).to.include({ units, state: 'breached' });
    expect(await inLog()).to.deep.equal({ units, bills: 1 });
    await service.terminate();
    const place = { dataDir: folder.dataDir, databaseUrl: database.url };
    expect(await withFoundation(place, verifyLog)).to.deep.equal([]);
    // The check counts for itself: a row that is wrong is found.
    await withClient(database.url, (client) =>
      client.query(
        `update read_models.contracts set doc = replace(doc, '"units":${units}', '"units":0')`,
      ),
    );
    const found = await withFoundation(place, verifyLog);
    expect(found).to.have.length(1);
    expect(found[0]?.detail).to.contain('rebuild contracts');
  });
});
