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
  const start = (more: Record<string, string> = {}): ServiceProcess =>
    spawnService(port, dataDir, { ...settings, ...more });
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
    await eventually('a letter is cancelled', () => clients.cancelled.length > 0);
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

  const points = ['released', 'before', 'in', 'after', 'finished'] as const;
  type Point = (typeof points)[number];

  describe('while it sends', () => {
    const senders = new Map<Point, TestAccount>();
    const senderAt = (point: Point): TestAccount => senders.get(point) as TestAccount;
    /** Asks for the letter again, as the client does that got no answer. */
    const sendAgain = (point: Point) =>
      call(service.url, 'POST', '/api/send', {
        key: senderAt(point).key,
        body: letterBody('Half.'),
        headers: { 'Idempotency-Key': 'half' },
      });
    let left: Audit;
    let askedAtOnce: Awaited<ReturnType<typeof sendAgain>>;

    // Five processes die, each with the letter of another account, before the one that finds what they left.
    before(async () => {
      for (const point of points) {
        senders.set(point, await registerTestAccount(service.url, `half-${point}`));
      }
      await service.kill();
      for (const point of points) {
        const isBetween = point === 'released' || point === 'finished';
        await sendAndDie(senderAt(point), isBetween ? 'between' : point);
      }
      left = await auditLog(place().databaseUrl);
      // It undoes nothing before it is asked, however long its start takes.
      service = start({ LIMIT_RESERVATION_PATIENCE_MS: '600000' });
      await service.ready();
      askedAtOnce = await sendAgain('finished');
      await service.kill();
      service = start();
      await service.ready();
    });

    it('between money and letter does not charge again when it is asked at once', async () => {
      const { accountId } = senderAt('finished');
      expect(availableOf(left, accountId)).to.equal(98_370_000n);
      expect(askedAtOnce.status).to.equal(201);
      const audit = await eventually('the money adds up', () => auditMoney(place().databaseUrl));
      expect(availableOf(audit, accountId)).to.equal(98_370_000n);
      const letterId = String(askedAtOnce.body.letter_id);
      expect(audit.wallets.get(accountId)?.held.get(letterId)?.attempts.length).to.equal(1);
    });

    it('between money and letter gives the money back, and sends when it is asked again', async () => {
      const { accountId } = senderAt('released');
      const { databaseUrl } = place();
      expect(availableOf(left, accountId)).to.equal(98_370_000n);
      await eventually('the reservation is released', async () => {
        const audit = await auditLog(databaseUrl);
        return availableOf(audit, accountId) === 100_000_000n;
      });
      expect((await sendAgain('released')).status).to.equal(201);
      const audit = await eventually('the money adds up', () => auditMoney(databaseUrl));
      expect(availableOf(audit, accountId)).to.equal(98_370_000n);
    });

    for (const when of ['before', 'in', 'after'] as const) {
      it(`${when} the one commit of money and letter leaves both or nothing, and the retry one of each`, async () => {
        const { accountId } = senderAt(when);
        const held = [...(left.wallets.get(accountId)?.held.keys() ?? [])];
        expect(held.filter((letterId) => !left.letters.has(letterId))).to.deep.equal([]);
        if (when !== 'in') expect(held).to.have.length(when === 'after' ? 1 : 0);
        const sent = await sendAgain(when);
        expect(sent.status).to.equal(201);
        // Statements that the dead process had sent to the database may be committed after we looked.
        const possible = when === 'before' ? [null] : when === 'after' ? ['true'] : [null, 'true'];
        expect(sent.headers.get('idempotent-replayed')).to.be.oneOf(possible);
        const { databaseUrl } = place();
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
});
