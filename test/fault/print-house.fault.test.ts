/**
 * `kill -9` of the service while it hands letters to a print house: over HTTP between asking and printing,
 * while the document is on its way, after the job was taken, and while letters are asked back; to a
 * hotfolder after the house has taken the ticket and before the service knows it.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { creditWallet, withFoundation } from '../support/foundation.ts';
import { call, letterBody } from '../support/letter-client.ts';
import { auditMoney } from '../support/log-audit.ts';
import { type Mood, type PrintHouse, startPrintHouse } from '../support/print-house.ts';
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

describe('a service that is killed while it hands letters over', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let house: PrintHouse;
  let port: number;
  let service: ServiceProcess;
  let key: string;

  const start = async (): Promise<ServiceProcess> => {
    const started = spawnService(port, folder.dataDir, {
      ...house.env,
      DATABASE_URL: database.url,
      CANCELLATION_WINDOW_SECONDS: '0',
      LIMIT_RESERVATION_PATIENCE_MS: '2000',
    });
    await started.ready();
    return started;
  };

  before(async () => {
    database = await serviceDatabase();
    house = await startPrintHouse();
    port = await freePort();
    service = await start();
    const { body } = await call(service.url, 'POST', '/auth/register', {
      body: { email: 'live@example.com', mode: 'live' },
    });
    key = String(body.api_key);
    const place = { dataDir: folder.dataDir, databaseUrl: database.url };
    await withFoundation(place, (foundation) =>
      creditWallet(foundation.commands, String(body.account_id), 1_000_000_000n),
    );
    await eventually('the money is there', async () => {
      const balance = await call(service.url, 'GET', '/api/balance', { key });
      return balance.body.available === 1_000;
    });
  });

  after(async () => {
    await killLeftovers();
    await house.stop();
    await database.drop();
    await folder.remove();
  });

  const send = async (text: string): Promise<string> => {
    const sent = await call(service.url, 'POST', '/api/send', { key, body: letterBody(text) });
    expect(sent.status, JSON.stringify(sent.body)).to.equal(201);
    return String(sent.body.letter_id);
  };
  const letter = async (id: string) =>
    (await call(service.url, 'GET', `/api/letters/${id}`, { key })).body as {
      status: string;
      production: { state: string } | null;
      cancellation: { status: string } | null;
    };
  const restart = async (): Promise<void> => {
    await service.killGroup();
    house.mood = 'work';
    house.moodFor = /./;
    service = await start();
  };

  const moments: [string, Mood, RegExp][] = [
    ['before it has printed the document', 'hang', /status$/],
    ['while the document is on its way', 'hang', /\/jobs$/],
    ['after the job was taken, before it knows', 'obey-and-hang', /\/jobs$/],
  ];
  for (const [moment, mood, path] of moments) {
    it(`${moment}, has one print job afterwards`, async () => {
      house.mood = mood;
      house.moodFor = path;
      const before = house.callsTo(path);
      const id = await send(moment);
      await eventually('the print house is asked', () => house.callsTo(path) > before);
      await restart();
      await eventually(
        'the print house has it',
        async () => (await letter(id)).production?.state === 'with_partner',
      );
      house.print(id);
      await service.killGroup();
      service = await start();
      await atRest(service.url);
      expect(house.jobs.get(id)?.submissions).to.equal(1);
      expect(house.printed.filter((printed) => printed === id)).to.have.length(1);
    });
  }

  it('before it knows that a letter was given back, refunds it once', async () => {
    const id = await send('Back, please.');
    await eventually(
      'the print house has it',
      async () => (await letter(id)).production?.state === 'with_partner',
    );
    house.mood = 'obey-and-hang';
    house.moodFor = /recall$/;
    const before = house.callsTo(/recall$/);
    const asked = await call(service.url, 'POST', `/api/letters/${id}/cancel`, { key });
    expect(asked.status).to.equal(202);
    await eventually('the print house is asked', () => house.callsTo(/recall$/) > before);
    await restart();
    await eventually('it is cancelled', async () => (await letter(id)).status === 'cancelled');
    house.print(id);
    expect(house.printed).not.to.include(id);
    expect(house.jobs.get(id)?.submissions).to.equal(1);
  });

  it('stops in time while the print house hangs, and hands over at the next start', async () => {
    house.mood = 'hang';
    house.moodFor = /\/jobs$/;
    const before = house.callsTo(/\/jobs$/);
    const id = await send('Hang on.');
    await eventually('the print house is asked', () => house.callsTo(/\/jobs$/) > before);
    const end = await service.terminate();
    expect([end.code, end.ms < 9_000]).to.deep.equal([0, true]);
    await restart();
    await eventually(
      'the print house has it',
      async () => (await letter(id)).production?.state === 'with_partner',
    );
    expect(house.jobs.get(id)?.submissions).to.equal(1);
  });

  it('again and again among many letters prints or pays back each of them once', async () => {
    const ids: string[] = [];
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 12; n++) {
        const id = await send(`Letter ${round}.${n}`);
        ids.push(id);
        if (n % 3 === 0) await call(service.url, 'POST', `/api/letters/${id}/cancel`, { key });
      }
      await eventually('some are at the print house', () => ids.some((id) => house.jobs.has(id)));
      for (const id of ids.slice(0, round * 8)) house.print(id);
      await service.killGroup();
      service = await start();
    }
    await eventually('each is with the print house to stay, or given back', async () => {
      const found = await Promise.all(ids.map(letter));
      return found.every(({ status, production, cancellation }) => {
        const isAskedBack = cancellation?.status === 'requested';
        return status === 'cancelled' || (production?.state === 'with_partner' && !isAskedBack);
      });
    });
    for (const id of ids) house.print(id);
    for (const id of ids) {
      const { status } = await letter(id);
      const copies = house.printed.filter((printed) => printed === id).length;
      expect(copies, `${id} is ${status}`).to.equal(status === 'cancelled' ? 0 : 1);
    }
    await atRest(service.url);
    await auditMoney(database.url);
    expect((await service.terminate()).code).to.equal(0);
  });
});

describe('a service that is killed after a hotfolder house has taken its tickets', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  const outbox = join(folder.dataDir, 'outbox');
  const drafts = join(outbox, '.drafts');
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let service: ServiceProcess;
  let port: number;
  let key: string;

  const start = async (): Promise<void> => {
    service = spawnService(port, folder.dataDir, {
      DATABASE_URL: database.url,
      CANCELLATION_WINDOW_SECONDS: '0',
    });
    await service.ready();
  };

  before(async () => {
    database = await serviceDatabase();
    port = await freePort();
    await start();
    const { body } = await call(service.url, 'POST', '/auth/register', {
      body: { email: 'live@example.com', mode: 'live' },
    });
    key = String(body.api_key);
    const place = { dataDir: folder.dataDir, databaseUrl: database.url };
    await withFoundation(place, (foundation) =>
      creditWallet(foundation.commands, String(body.account_id), 1_000_000_000n),
    );
    await eventually('the money is there', async () => {
      const balance = await call(service.url, 'GET', '/api/balance', { key });
      return balance.body.available === 1_000;
    });
  });
  after(async () => {
    await killLeftovers();
    await database.drop();
    await folder.remove();
  });

  const show = async (id: string) =>
    (await call(service.url, 'GET', `/api/letters/${id}`, { key })).body as {
      status: string;
      production: { state: string } | null;
      cancellation: { status: string } | null;
    };
  const tickets = async (): Promise<string[]> =>
    (await readdir(outbox)).filter((name) => name.endsWith('.json'));

  it('prints none of them again, and gives none back', async () => {
    // Where drafts cannot be written, letters wait in production.
    await mkdir(outbox, { recursive: true });
    await writeFile(drafts, 'in the way');
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) {
      const sent = await call(service.url, 'POST', '/api/send', { key, body: letterBody(`${n}`) });
      ids.push(String(sent.body.letter_id));
    }
    for (const id of ids) {
      await eventually('it is in production', async () => (await show(id)).status === 'processing');
    }
    // Tickets go out, but nothing can be recorded about them.
    const lock = new pg.Client({ connectionString: database.url });
    await lock.connect();
    await lock.query('begin; select * from event_log.head for update');
    await rm(drafts);
    await eventually('the tickets are out', async () => (await tickets()).length === ids.length);
    for (const [n, id] of ids.entries()) {
      const ticket = join(outbox, `${id}.json`);
      if (n % 2 === 0) await rename(ticket, join(folder.dataDir, `${id}.taken`));
      else await rm(ticket);
    }
    await service.killGroup();
    await lock.query('rollback');
    await lock.end();
    await start();
    // Some are asked back at once, whether or not the service knows by then that they are printed.
    for (const id of ids.slice(0, 4)) {
      const asked = await call(service.url, 'POST', `/api/letters/${id}/cancel`, { key });
      expect(asked.status).to.equal(202);
    }
    for (const [n, id] of ids.entries()) {
      await eventually('the service knows that it is printed', async () => {
        const { production, cancellation } = await show(id);
        const known = production?.state === 'with_partner';
        return known && cancellation?.status === (n < 4 ? 'rejected' : undefined);
      });
    }
    await atRest(service.url);
    expect(await tickets()).to.deep.equal([]);
    for (const id of ids) {
      expect((await show(id)).status).to.equal('processing');
      expect(existsSync(join(outbox, '.recalled', `${id}.json`))).to.equal(false);
    }
    await auditMoney(database.url);
  });
});
