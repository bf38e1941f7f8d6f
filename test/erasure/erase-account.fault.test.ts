/** The erasure of an account by two processes that are killed in the middle of it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { PNG } from 'pngjs';
import { injected } from '../support/injected.ts';
import { call, letterBody } from '../support/letter-client.ts';
import { runOperator } from '../support/operator.ts';
import { createPlainTextSearch } from '../support/plain-text-search.ts';
import { seeded } from '../support/seeded.ts';
import { serviceDatabase } from '../support/service-database.ts';
import {
  atRest,
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';

/** Words that nobody writes by chance. Each is personal somewhere. */
const plants = {
  name: 'Fridolinsplanten',
  street: 'Wispelweidengasse',
  sender: 'Zirbelabsenderin',
  text: 'Nordlichtgeheimnis',
  long: 'Dauerwellenerinnerung',
  reference: 'Aktenzeichennebel',
  metadata: 'Regenpfeiferwert',
  email: 'verschwiegenepost',
  notify: 'flinkermelderin',
  webhook: 'geheimespfadende',
  label: 'Schluesselbeschriftung',
  wire: 'Ueberweisungskennwort',
};
const search = createPlainTextSearch(Object.values(plants));

const letter = (more: object = {}) => ({
  ...letterBody(`Sehr geehrte Damen, ${plants.text}.`),
  to_name: `Dr. ${plants.name}`,
  to_line1: `${plants.street} 17`,
  from_name: plants.sender,
  reference: plants.reference,
  metadata: { kind: plants.metadata },
  ...more,
});

const logo = (): string => {
  const png = new PNG({ width: 30, height: 10 });
  png.data.fill(120);
  return `data:image/png;base64,${PNG.sync.write(png).toString('base64')}`;
};

describe('an account that two processes erase', function () {
  this.timeout(300_000);
  this.bail(true);
  const folder = makeDataDir();
  const random = seeded(245);
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let services: ServiceProcess[] = [];
  const logs: string[] = [];

  const settings = () => ({
    DATABASE_URL: database.url,
    ACCOUNT_ERASURE_DAYS: '0',
    CANCELLATION_WINDOW_SECONDS: '0',
    ALLOW_PRIVATE_FETCH: 'true',
    LOG_LEVEL: 'debug',
  });
  const start = async (): Promise<ServiceProcess> =>
    spawnService(await freePort(), folder.dataDir, settings());
  const operator = async (...args: string[]) => {
    const env = { ...settings(), DATA_DIR: folder.dataDir };
    const { code, out, err } = await runOperator(env, args);
    return { code, output: `${out}${err}` };
  };
  const urlOf = (n: number): string => (services[n % services.length] as ServiceProcess).url;
  const ask = async (key: string | undefined, method: string, path: string, body?: object) => {
    const answer = await call(urlOf(0), method, path, { key, ...(body ? { body } : {}) });
    expect(answer.status, JSON.stringify(answer.body)).to.be.within(200, 299);
    return answer.body;
  };
  const query = async <T extends object>(text: string): Promise<T[]> => {
    const client = new pg.Client(database.url);
    await client.connect();
    try {
      return (await client.query<T>(text)).rows;
    } finally {
      await client.end();
    }
  };
  /** Every row of the tables of some schemas, as text, in one order. */
  const dumpOf = async (schema = '%'): Promise<string> => {
    const tables = await query<{ name: string }>(
      `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
       where schemaname like '${schema}' order by 1`,
    );
    const parts: string[] = [];
    for (const { name } of tables) {
      const rows = await query<{ row: string }>(`select t::text as row from ${name} t`);
      parts.push(name, ...rows.map(({ row }) => row).sort());
    }
    return parts.join('\n');
  };
  /** The rows of each read model that readers see, of any generation. */
  const readModels = async (): Promise<Record<string, string[]>> => {
    const views = await query<{ name: string }>(
      `select quote_ident(viewname) as name from pg_views where schemaname = 'read_models'
       order by 1`,
    );
    const found: Record<string, string[]> = {};
    for (const { name } of views) {
      const rows = await query<{ row: string }>(`select t::text as row from read_models.${name} t`);
      found[name] = rows.map(({ row }) => row).sort();
    }
    return found;
  };

  before(async () => {
    database = await serviceDatabase();
    services = [await start(), await start()];
    await Promise.all(services.map((service) => service.ready()));
  });
  after(async () => {
    await killLeftovers();
    await database.drop();
    await folder.remove();
  });

  const accounts: { id: string; key: string; closureId: string }[] = [];

  it('has letters, documents, settings and money', async () => {
    for (const mode of ['test', 'live']) {
      const made = await ask(undefined, 'POST', '/auth/register', {
        email: `${plants.email}@example.com`,
        mode,
      });
      const account = { id: String(made.account_id), key: String(made.api_key), closureId: '' };
      accounts.push(account);
      const { key } = account;
      await ask(key, 'PUT', '/api/settings', {
        webhook_url: `http://127.0.0.1:9/${plants.webhook}`,
        notification_email: `${plants.notify}@example.org`,
      });
      await ask(key, 'POST', '/auth/keys', { label: plants.label, scope: 'read' });
      await ask(key, 'POST', '/api/logos', { logo: logo() });
      for (let n = 0; n < 25; n++) {
        const content = n % 3 === 0 ? `${plants.long} `.repeat(3_000) : plants.text;
        await ask(key, 'POST', '/api/send', letter({ content, draft: true }));
      }
    }
    const [test, live] = accounts;
    const paid = await operator('credit', live?.id ?? '', '12.00', '--reference', plants.wire);
    expect(paid.code, paid.output).to.equal(0);
    for (let n = 0; n < 5; n++) {
      const { letter_id: id } = await ask(test?.key, 'POST', '/api/send', letter());
      // The status `processing` precedes the files. A letter that advances before they are written gets none.
      await eventually('its files lie in the folder', () =>
        existsSync(join(folder.dataDir, 'simulator', `${id}.json`)),
      );
      await ask(test?.key, 'POST', `/api/test/letters/${id}/advance`, { to: 'delivered' });
    }
    expect(search.findIn(Buffer.from(await dumpOf()), 'rows')).to.deep.equal([]);
  });

  it('is exported although the process that makes the archive is killed', async () => {
    const asked = await Promise.all(
      accounts.map(({ key }) => ask(key, 'POST', '/api/exports', {})),
    );
    injected('process killed');
    const dying = services.shift();
    await dying?.killGroup();
    logs.push(dying?.output() ?? '');
    services.push(await start());
    await Promise.all(services.map((service) => service.ready()));
    for (const [n, { export_id: id }] of asked.entries()) {
      await eventually('the archive is ready', async () => {
        const { status } = await ask(accounts[n]?.key, 'GET', `/api/exports/${id}`);
        return status === 'ready';
      });
    }
    expect(search.findInFolder(join(folder.dataDir, 'blobs'))).to.deep.equal([]);
  });

  it('is erased whoever dies meanwhile', async () => {
    const keysLeft = async (): Promise<string[]> =>
      (
        await query<{ subject: string }>(
          `select subject from keys.data_keys where wrapped is not null
           and subject not like 'books-%' order by 1`,
        )
      ).map(({ subject }) => subject);
    expect((await keysLeft()).length).to.be.greaterThan(50);
    for (const account of accounts) {
      const body = { confirm: account.id, forfeit_balance: true };
      const closed = await ask(account.key, 'DELETE', '/api/account', body);
      account.closureId = String(closed.closure_id);
      expect(closed.blockers).to.deep.equal([]);
    }
    for (let round = 0; round < 4; round++) {
      const left = (await keysLeft()).length;
      const some = Math.floor(random() * (left / 2));
      await eventually(
        'some keys are destroyed',
        async () => (await keysLeft()).length <= left - some,
      );
      injected('process killed');
      const [dying] = services.splice(round % services.length, 1);
      await dying?.killGroup();
      logs.push(dying?.output() ?? '');
      services.push(await start());
      await Promise.all(services.map((service) => service.ready()));
    }
    for (const { closureId } of accounts) {
      await eventually('it is erased and certified', async () => {
        const found = await call(urlOf(1), 'GET', `/api/account/closure/${closureId}`);
        return found.body.status === 'erased' && found.body.certificate !== null;
      });
    }
    await eventually('no key is left', async () => (await keysLeft()).length === 0);
  });

  it('opens nothing any more, in either process', async () => {
    for (const { key } of accounts) {
      for (const n of [0, 1]) {
        await eventually('the key is refused', async () => {
          const { status } = await call(urlOf(n), 'GET', '/api/letters', { key });
          return status === 401;
        });
      }
    }
  });

  it('leaves the books of the live account under a key of its year, and no forfeited money unbooked', async () => {
    const year = new Date().getUTCFullYear();
    const books = await query<{ subject: string }>(
      `select subject from keys.data_keys where wrapped is not null order by 1`,
    );
    expect(books.map(({ subject }) => subject)).to.deep.equal([`books-${accounts[1]?.id}-${year}`]);
    await atRest([urlOf(0), urlOf(1)]);
    const [sums] = await query<{ left: string; total: string }>(
      `select sum(crypto_micro + fiat_micro) filter (where account like 'available:%') as left,
         sum(crypto_micro + fiat_micro) as total from read_models.ledger_accounts where not test`,
    );
    expect(sums).to.deep.equal({ left: '0', total: '0' });
  });

  it('has the same read models after a rebuild, and a log that verifies', async () => {
    const before = await readModels();
    const rebuilt = await operator('rebuild', 'all');
    expect(rebuilt.code, rebuilt.output).to.equal(0);
    const after = await readModels();
    for (const [name, rows] of Object.entries(before)) {
      expect(after[name], name).to.deep.equal(rows);
    }
    const verified = await operator('verify');
    expect(verified.code, verified.output).to.equal(0);
  });

  it('is in no row, document, file for printing or line of the log', async () => {
    await eventually('the files for printing are gone', () => {
      const found = search.findInFolder(join(folder.dataDir, 'simulator'));
      return found.length === 0;
    });
    expect(search.findIn(Buffer.from(await dumpOf()), 'rows')).to.deep.equal([]);
    for (const service of services) {
      await service.terminate();
      logs.push(service.output());
    }
    expect(search.findInFolder(folder.dataDir)).to.deep.equal([]);
    expect(search.findIn(Buffer.from(logs.join('')), 'log')).to.deep.equal([]);
  });
});
