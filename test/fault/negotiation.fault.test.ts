/** Offers, commitments and money over two processes, one of which is killed again and again. */
import { expect } from 'chai';
import { letterTo } from '../support/client.ts';
import {
  call,
  type MaybeAnswer,
  maybeCall,
  registerTestAccount,
} from '../support/letter-client.ts';
import { auditMoney, withClient } from '../support/log-audit.ts';
import { seeded } from '../support/seeded.ts';
import { serviceDatabase } from '../support/service-database.ts';
import {
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  oneProcess,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';

const seeds = [1];
const tiers = ['economy', 'standard', 'premium'];

type Reserved = {
  purpose: { id: string };
  commitmentId?: string;
  cryptoMicro: number;
  fiatMicro: number;
};

/** By commitment: the letters that have money by it, as the log says. */
const usesInLog = (url: string): Promise<Map<string, Set<string>>> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ type: string; data: string }>(
      `select type, data from event_log.events
       where type in ('FundsReserved', 'FundsReleased', 'FundsRefunded') order by position`,
    );
    const uses = new Map<string, Set<string>>();
    const money = new Map<string, { commitmentId: string; micro: number }>();
    for (const { type, data } of rows) {
      const { purpose, commitmentId, cryptoMicro, fiatMicro } = JSON.parse(data) as Reserved;
      const amount = cryptoMicro + fiatMicro;
      const known = money.get(purpose.id);
      if (type === 'FundsReserved') {
        if (commitmentId !== undefined) money.set(purpose.id, { commitmentId, micro: amount });
      } else if (known) {
        known.micro -= amount;
        if (known.micro <= 0) uses.get(known.commitmentId)?.delete(purpose.id);
        continue;
      }
      if (commitmentId === undefined) continue;
      const letters = uses.get(commitmentId) ?? new Set();
      letters.add(purpose.id);
      // At no place of the log is there more than one.
      if (letters.size > 1)
        throw new Error(`commitment ${commitmentId} has ${letters.size} letters`);
      uses.set(commitmentId, letters);
    }
    return uses;
  });

describe('negotiation over two processes', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  const services: ServiceProcess[] = [];

  const start = async (): Promise<ServiceProcess> => {
    const service = spawnService(await freePort(), folder.dataDir, {
      ...oneProcess,
      DATABASE_URL: database.url,
      LIMIT_RESERVATION_PATIENCE_MS: '1500',
      LIMIT_RATE_PER_ADDRESS: '0',
      LIMIT_REGISTRATIONS_PER_HOUR: '0',
      LIMIT_REGISTRATIONS_PER_DAY: '0',
      LIMIT_RATE_PER_CREDENTIAL: '0',
    });
    await service.ready();
    return service;
  };

  before(async () => {
    database = await serviceDatabase();
    services.push(await start(), await start());
  });
  after(async () => {
    await killLeftovers();
    await database.drop();
    await folder.remove();
  });

  for (const seed of seeds) {
    it(`accepts an offer once, uses a commitment once, and keeps the sum (seed ${seed})`, async () => {
      const random = seeded(seed);
      const pick = <T>(some: readonly T[]): T => some[Math.floor(random() * some.length)] as T;
      const anyUrl = () => pick(services).url;
      const [first] = services as [ServiceProcess];
      const { key, accountId } = await registerTestAccount(first.url, `negotiator-${seed}`);
      await eventually('the other knows the key', async () =>
        Promise.all(services.map(({ url }) => call(url, 'GET', '/api/balance', { key }))).then(
          (answers) => answers.every(({ status }) => status === 200),
        ),
      );
      /** With a key of its own, so that it may be repeated until there is an answer. */
      let requests = 0;
      const insist = async (path: string, body: object): Promise<NonNullable<MaybeAnswer>> => {
        const headers = { 'Idempotency-Key': `${seed}-${++requests}` };
        for (;;) {
          const answer = await maybeCall(anyUrl(), 'POST', path, { key, body, headers });
          const passing = [500, 502, 503].includes(answer?.status ?? 503);
          const running = answer?.body.code === 'idempotency_in_progress';
          const raced = answer?.body.code === 'conflict';
          if (answer && !passing && !running && !raced) return answer;
        }
      };
      const commitments: string[] = [];
      const letters: string[] = [];

      const negotiate = async () => {
        const wish = { intent: 'bulk_marketing', to_country: 'DE' };
        const offer = await insist('/api/anp/offer', wish);
        const offer_id = String(offer.body.offer_id);
        const answers = await Promise.all(
          [pick(tiers), pick(tiers)].map((tier) =>
            insist('/api/anp/accept', { offer_id, tier, payment_method: 'fiat' }),
          ),
        );
        const ids = answers.filter(({ status }) => status < 300);
        expect(ids.length).to.be.greaterThan(0);
        expect(new Set(ids.map(({ body }) => `${body.commitment_id} ${body.tier}`)).size).to.equal(
          1,
        );
        commitments.push(String(ids[0]?.body.commitment_id));
      };
      const send = async (more: object) => {
        const answer = await insist('/api/send', letterTo('DE', more));
        if (answer.status === 201) letters.push(String(answer.body.letter_id));
        else expect(answer.body.code).to.be.oneOf(['commitment_consumed', 'insufficient_funds']);
      };
      const sendTwice = async () => {
        if (commitments.length === 0) return;
        const commitment_id = pick(commitments);
        await Promise.all([send({ commitment_id }), send({ commitment_id })]);
      };
      const cancel = async () => {
        const letterId = letters.splice(Math.floor(random() * letters.length), 1)[0];
        if (letterId !== undefined) await insist(`/api/letters/${letterId}/cancel`, {});
      };
      const killOne = async () => {
        const at = Math.floor(random() * services.length);
        await services[at]?.kill();
        services[at] = await start();
      };

      await negotiate();
      for (let round = 0; round < 9; round++) {
        const work = Array.from({ length: 4 }, () =>
          pick([
            negotiate,
            sendTwice,
            sendTwice,
            cancel,
            () => send({ service: 'de_standardbrief' }),
          ])(),
        );
        if (round === 3 || round === 6) work.push(killOne());
        await Promise.all(work);
      }

      await eventually('what a kill left is undone', async () => {
        const audit = await auditMoney(database.url).catch(() => undefined);
        const wallet = audit?.wallets.get(accountId);
        const held = [...(wallet?.held.keys() ?? [])].toSorted();
        return JSON.stringify(held) === JSON.stringify(letters.toSorted());
      });
      const { wallets, letters: audited } = await auditMoney(database.url);
      const spent = letters.reduce((sum, id) => sum + (audited.get(id)?.totalMicro ?? -1n), 0n);
      expect(wallets.get(accountId)?.available).to.equal(100_000_000n - spent);
      const uses = await usesInLog(database.url);
      for (const [id, using] of uses) expect(using.size, id).to.be.at.most(1);
    });
  }
});
