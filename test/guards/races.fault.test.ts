/** Requests that contradict each other, at the same time and to two processes on one database. */
import { expect } from 'chai';
import { pick } from '../simulation/schedule.ts';
import { call, letterBody, registerTestAccount } from '../support/letter-client.ts';
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

const rounds = 20;
const flips = 8;
const sendsPerFlip = 6;

describe('requests to two processes that contradict each other', function () {
  this.timeout(240_000);
  const folder = makeDataDir();
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let services: ServiceProcess[];

  before(async () => {
    database = await serviceDatabase();
    const start = async () =>
      spawnService(await freePort(), folder.dataDir, { ...oneProcess, DATABASE_URL: database.url });
    services = [await start(), await start()];
    await Promise.all(services.map((service) => service.ready()));
  });
  after(async () => {
    await killLeftovers();
    await database.drop();
    await folder.remove();
  });

  const newKey = async (owner: string, scope: string) => {
    const url = services[0]?.url ?? '';
    const made = await call(url, 'POST', '/auth/keys', {
      key: owner,
      body: { label: scope, scope },
    });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    const { id, api_key: key } = made.body as { id: string; api_key: string };
    await eventually('both know the key', async () => {
      const asked = services.map((one) => call(one.url, 'GET', '/api/balance', { key }));
      return (await Promise.all(asked)).every(({ status }) => status === 200);
    });
    return { id, key };
  };

  it('queue a letter as it was approved, or not at all', async () => {
    const random = seeded(20);
    const anyUrl = (): string => pick(random, services).url;
    const { key: owner } = await registerTestAccount(anyUrl(), 'races');
    const [agent, approver] = [await newKey(owner, 'send'), await newKey(owner, 'full')];
    const rules = [
      { id: 'all', effect: 'allow' },
      { id: 'ask', effect: 'hold' },
    ];
    const set = await call(anyUrl(), 'PUT', `/auth/keys/${agent.id}/policy`, {
      key: owner,
      body: { rules },
    });
    expect(set.status, JSON.stringify(set.body)).to.equal(200);
    const balance = async () =>
      (await call(anyUrl(), 'GET', '/api/balance', { key: owner })).body as { available: number };
    const before = await balance();

    const outcomes = new Map<string, number>();
    for (let round = 0; round < rounds; round += 1) {
      const sent = await call(anyUrl(), 'POST', '/api/send', {
        key: agent.key,
        body: letterBody(`Letter ${round}.`),
      });
      expect(sent.status, JSON.stringify(sent.body)).to.equal(202);
      const { letter_id: id, approval_id: approvalId } = sent.body as Record<string, string>;
      const acts = {
        approve: {
          method: 'POST',
          path: `/api/approvals/${approvalId}/approve`,
          key: approver.key,
        },
        reject: { method: 'POST', path: `/api/approvals/${approvalId}/reject`, key: approver.key },
        cancel: { method: 'POST', path: `/api/letters/${id}/cancel`, key: agent.key },
        change: { method: 'PATCH', path: `/api/letters/${id}`, key: agent.key },
      };
      const bodies: Record<string, object> = { change: { to_line1: 'Heidestr. 99' } };
      const others = (['reject', 'cancel', 'change'] as const).filter(() => random() < 0.6);
      const names = ['approve' as const, ...others].toSorted(() => random() - 0.5);
      const answers = await Promise.all(
        names.map(async (name) => {
          const { method, path, key } = acts[name];
          const { status } = await call(anyUrl(), method, path, { key, body: bodies[name] ?? {} });
          expect(status, name).to.be.below(500);
          return [name, status < 300] as const;
        }),
      );
      const done = answers.flatMap(([name, wasDone]) => (wasDone ? [name] : []));
      const isDone = (name: string): boolean => done.some((one) => one === name);
      const letter = await eventually('every process shows the letter alike', async () => {
        const asked = services.map((one) =>
          call(one.url, 'GET', `/api/letters/${id}`, { key: owner }),
        );
        const [one, other] = (await Promise.all(asked)).map(({ body }) => body);
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        return isSame && (one as { status: string; hold_reason: string | null; to_line1: string });
      });
      const what = `${round}: ${names} at once, done: ${done}, ${letter.status}`;
      if (letter.status === 'queued') {
        expect(isDone('approve'), what).to.equal(true);
        expect(letter.to_line1, what).to.equal('Heidestr. 17');
        expect(isDone('reject') || isDone('cancel'), what).to.equal(false);
      } else {
        expect(letter.status, what).to.be.oneOf(['draft', 'cancelled']);
        // It waits as before where the one could not be done for the other.
        const waits = letter.hold_reason === 'approval';
        expect(waits || ['reject', 'cancel', 'change'].some(isDone), what).to.equal(true);
        expect(waits && isDone('reject'), what).to.equal(false);
      }
      outcomes.set(letter.status, (outcomes.get(letter.status) ?? 0) + 1);
    }
    expect([...outcomes.keys()])
      .to.include.members(['queued'])
      .and.have.length.above(1);

    const listed = await call(anyUrl(), 'GET', '/api/letters?limit=100', { key: owner });
    const letters = listed.body.data as {
      status: string;
      hold_reason: string | null;
      price: { total: number };
    }[];
    expect(letters).to.have.length(rounds);
    const taken = letters
      .filter(({ status, hold_reason }) => status === 'queued' || hold_reason === 'approval')
      .reduce((sum, { price }) => sum + Math.round(price.total * 100), 0);
    await eventually('the wallet has what no letter holds', async () => {
      const { available } = await balance();
      return Math.round((before.available - available) * 100) === taken;
    });
  });

  it('send by the policy that was set last, whenever it changes', async () => {
    const random = seeded(21);
    const anyUrl = (): string => pick(random, services).url;
    const { key: owner } = await registerTestAccount(anyUrl(), 'flips');
    const agent = await newKey(owner, 'send');
    const policies = [
      { rules: [{ id: 'all', effect: 'allow' }] },
      { rules: [{ id: 'abroad', effect: 'allow', when: { countries: ['FR'] } }] },
    ];
    const expected = [201, 403];
    /** How many changes were asked for, and how many of them answered. */
    let asked = 0;
    let answered = 0;
    let settled = 0;
    let isOver = false;
    const wrong: string[] = [];
    /** So that the wallet lasts. */
    const giveBack = (id: string) =>
      call(anyUrl(), 'POST', `/api/letters/${id}/cancel`, { key: agent.key });
    const sender = async (n: number): Promise<void> => {
      for (let count = 0; !isOver; count += 1) {
        const begun = answered;
        const { status, body } = await call(anyUrl(), 'POST', '/api/send', {
          key: agent.key,
          body: letterBody(`Letter ${n} ${count}.`),
        });
        const ended = asked;
        if (status === 201) await giveBack(String(body.letter_id));
        // No change was under way from its beginning to its end.
        if (ended !== begun || status === 409) continue;
        settled += 1;
        if (status === expected[begun % 2]) continue;
        wrong.push(`${status} under policy ${begun}: ${JSON.stringify(body)}`);
      }
    };
    const senders = Promise.all([0, 1, 2, 3].map(sender));
    for (let flip = 0; flip < flips; flip += 1) {
      const enough = settled + sendsPerFlip;
      await eventually('some were sent', () => settled >= enough);
      asked += 1;
      const set = await call(anyUrl(), 'PUT', '/api/policy', {
        key: owner,
        body: policies[asked % 2] ?? {},
      });
      expect(set.status, JSON.stringify(set.body)).to.equal(200);
      answered += 1;
    }
    const enough = settled + sendsPerFlip;
    await eventually('some were sent by the last one', () => settled >= enough);
    isOver = true;
    await senders;
    expect(wrong).to.deep.equal([]);
  });
});
