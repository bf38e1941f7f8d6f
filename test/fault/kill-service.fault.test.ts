/**
 * `kill -9` of the service at random points while clients send and cancel, and repeat what was not
 * answered under the same Idempotency-Key. FAULT_ROUNDS sets how often; the seed is printed.
 */
import { spawn } from 'node:child_process';
import { expect } from 'chai';
import fc from 'fast-check';
import { creditWallet, verifyLog, withFoundation } from '../support/foundation.ts';
import {
  call,
  letterBody,
  registerTestAccount,
  sendLetter,
  startClients,
  type TestAccount,
} from '../support/letter-client.ts';
import { type Audit, auditLog, auditMoney } from '../support/log-audit.ts';
import { assertReadModelsEqual } from '../support/read-models.ts';
import {
  atRest,
  embeddedIn,
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  programEnv,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';

const rounds = Number(process.env.FAULT_ROUNDS ?? 6);
const seed = fc.readConfigureGlobal().seed ?? Date.now() % 1_000_000;

/** mulberry32: numbers from 0 to 1 that a seed repeats. */
const randomOf = (start: number): (() => number) => {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

const embeddedUrl = (dataDir: string): string => {
  const found = embeddedIn(dataDir);
  if (!found) throw new Error('no PostgreSQL runs');
  return found.url;
};

describe('a service that is killed', function () {
  this.timeout(60_000 + rounds * 15_000);
  const folder = makeDataDir();
  const { dataDir } = folder;
  let port: number;
  let service: ServiceProcess;
  const accounts: TestAccount[] = [];
  const settings = {
    CANCELLATION_WINDOW_SECONDS: '1',
    LIMIT_RESERVATION_PATIENCE_MS: '2000',
  };
  const start = (): ServiceProcess => spawnService(port, dataDir, settings);
  const place = () => ({ dataDir, databaseUrl: embeddedUrl(dataDir) });

  before(async () => {
    port = await freePort();
    service = start();
    await service.ready();
    for (let n = 0; n < 5; n++) {
      accounts.push(await registerTestAccount(service.url, `killed-${n}`));
    }
    await withFoundation(place(), async (foundation) => {
      for (const { accountId } of accounts) {
        await creditWallet(foundation.commands, accountId, 1_000_000_000_000n);
      }
    });
  });

  after(async () => {
    await killLeftovers();
    await folder.remove();
  });

  it(`${rounds} times under load keeps every letter it acknowledged, once, and charges it once (seed ${seed})`, async () => {
    const random = randomOf(seed);
    const keys = accounts.map(({ key }) => key);
    const clients = startClients({
      url: () => service.url,
      keys,
      clients: 8,
      name: `kill-${seed}`,
      cancelEvery: 4,
    });
    for (let round = 0; round < rounds; round++) {
      const enough = clients.sent.length + 1 + Math.floor(random() * 120);
      // Now and then it dies while it is still starting
      if (round % 4 !== 3) {
        await eventually('letters are sent', () => clients.sent.length >= enough);
      }
      await service.kill();
      service = start();
    }
    await service.ready();
    await clients.stop();
    expect(clients.unexpected).to.deep.equal([]);

    await atRest(service.url);
    const { databaseUrl } = place();
    const audit = await eventually('the money adds up', () => auditMoney(databaseUrl));
    const acknowledged = clients.sent.map(({ letterId }) => letterId);
    expect(new Set(acknowledged).size).to.equal(acknowledged.length);
    expect([...audit.letters.keys()].toSorted()).to.deep.equal(acknowledged.toSorted());
    for (const letterId of clients.cancelled) {
      expect(audit.letters.get(letterId)?.status).to.equal('cancelled');
    }
    expect(clients.cancelled.length).to.be.above(0);
  });

  it('answers a repeated key with the same letter afterwards', async () => {
    const [account] = accounts;
    const first = await sendLetter(service.url, account?.key ?? '', 'again');
    await service.kill();
    service = start();
    await service.ready();
    const second = await sendLetter(service.url, account?.key ?? '', 'again');
    expect(second.status).to.equal(201);
    expect(second.body).to.deep.equal(first.body);
    expect(second.headers.get('idempotent-replayed')).to.equal('true');
  });

  /** Sends as the service does, and dies on the way. */
  const sendAndDie = (
    { accountId, keyId }: TestAccount,
    when: 'between' | 'before' | 'in' | 'after',
  ): Promise<void> =>
    new Promise<void>((resolve, reject) => {
      const script = new URL('../support/send-and-die.ts', import.meta.url).pathname;
      const { databaseUrl } = place();
      const child = spawn(process.execPath, [script, accountId, keyId, 'half', when], {
        env: { ...programEnv, DATA_DIR: dataDir, DATABASE_URL: databaseUrl },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        if (signal === 'SIGKILL') resolve();
        else reject(new Error(`it ended with ${code ?? signal}`));
      });
    });

  const availableOf = (audit: Audit, accountId: string): bigint =>
    audit.wallets.get(accountId)?.available ?? -1n;

  it('between money and letter gives the money back, and sends when it is asked again', async () => {
    const account = await registerTestAccount(service.url, 'released');
    const { key, accountId } = account;
    await service.kill();
    await sendAndDie(account, 'between');
    const { databaseUrl } = place();
    expect(availableOf(await auditLog(databaseUrl), accountId)).to.equal(98_370_000n);
    service = start();
    await service.ready();
    await eventually('the reservation is released', async () => {
      const audit = await auditLog(databaseUrl);
      return availableOf(audit, accountId) === 100_000_000n;
    });
    const sent = await call(service.url, 'POST', '/api/send', {
      key,
      body: letterBody('Half.'),
      headers: { 'Idempotency-Key': 'half' },
    });
    expect(sent.status).to.equal(201);
    const audit = await eventually('the money adds up', () => auditMoney(databaseUrl));
    expect(availableOf(audit, accountId)).to.equal(98_370_000n);
  });

  it('between money and letter does not charge again when it is asked at once', async () => {
    const account = await registerTestAccount(service.url, 'finished');
    const { key, accountId } = account;
    await service.kill();
    await sendAndDie(account, 'between');
    service = start();
    await service.ready();
    const body = letterBody('Half.');
    const headers = { 'Idempotency-Key': 'half' };
    const sent = await call(service.url, 'POST', '/api/send', { key, body, headers });
    expect(sent.status).to.equal(201);
    const { databaseUrl } = place();
    const audit = await eventually('the money adds up', () => auditMoney(databaseUrl));
    expect(availableOf(audit, accountId)).to.equal(98_370_000n);
    expect(
      audit.wallets.get(accountId)?.held.get(String(sent.body.letter_id))?.attempts.length,
    ).to.equal(1);
  });

  for (const when of ['before', 'in', 'after'] as const) {
    it(`${when} the one commit of money and letter leaves both or nothing, and the retry one of each`, async () => {
      const account = await registerTestAccount(service.url, `commit-${when}`);
      const { key, accountId } = account;
      await service.kill();
      await sendAndDie(account, when);
      const { databaseUrl } = place();
      const left = await auditLog(databaseUrl);
      const held = [...(left.wallets.get(accountId)?.held.keys() ?? [])];
      expect(held.filter((letterId) => !left.letters.has(letterId))).to.deep.equal([]);
      if (when !== 'in') expect(held).to.have.length(when === 'after' ? 1 : 0);
      service = start();
      await service.ready();
      const sent = await call(service.url, 'POST', '/api/send', {
        key,
        body: letterBody('Half.'),
        headers: { 'Idempotency-Key': 'half' },
      });
      expect(sent.status).to.equal(201);
      // Statements that the dead process had sent to the database may be committed after we looked.
      const possible = when === 'before' ? [null] : when === 'after' ? ['true'] : [null, 'true'];
      expect(sent.headers.get('idempotent-replayed')).to.be.oneOf(possible);
      const audit = await eventually('the money adds up', () => auditMoney(databaseUrl));
      expect(availableOf(audit, accountId)).to.equal(98_370_000n);
      expect([...(audit.wallets.get(accountId)?.held.keys() ?? [])]).to.deep.equal([
        String(sent.body.letter_id),
      ]);
    });
  }

  it('leaves a log that verifies and read models that equal their rebuild', async () => {
    const { databaseUrl } = place();
    await eventually('every letter went its way', async () => {
      const { letters } = await auditMoney(databaseUrl);
      return [...letters.values()].every(({ status }) => status !== 'queued');
    });
    await atRest(service.url);
    await assertReadModelsEqual(databaseUrl, await auditMoney(databaseUrl));
    expect(await withFoundation(place(), verifyLog)).to.deep.equal([]);
    expect((await service.terminate()).code).to.equal(0);
  });
});
