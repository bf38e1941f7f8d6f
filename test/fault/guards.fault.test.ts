/**
 * Agents send by every path through two processes on one database, which are killed in the middle. By seeds: SEED=17
 * plays that one alone.
 */
import { expect } from 'chai';
import { between, pick } from '../simulation/schedule.ts';
import {
  type Answer,
  call,
  letterBody,
  maybeCall,
  registerTestAccount,
} from '../support/letter-client.ts';
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

const { SEED } = process.env;
const seeds = SEED === undefined ? [1, 2, 3] : [Number(SEED)];
const actions = 30;
const actionsAtOnce = 6;
const dear = 'de_einschreiben_einwurf';

type Letter = {
  id: string;
  status: string;
  hold_reason: string | null;
  service: string;
  price: { total: number };
};
type Budget = { policy: string; rule: string; used: number; reserved: number };

describe('guards of two processes that are killed', function () {
  this.timeout(400_000);
  const folder = makeDataDir();
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  const services: ServiceProcess[] = [];

  const start = async (): Promise<ServiceProcess> =>
    spawnService(await freePort(), folder.dataDir, {
      ...oneProcess,
      DATABASE_URL: database.url,
      CANCELLATION_WINDOW_SECONDS: '2',
    });

  before(async () => {
    database = await serviceDatabase();
    services.push(await start(), await start());
    await Promise.all(services.map((service) => service.ready()));
  });
  after(async () => {
    await killLeftovers();
    await database.drop();
    await folder.remove();
  });

  const play = async (seed: number) => {
    const random = seeded(seed);
    const anyUrl = (): string => pick(random, services).url;

    /** Repeats requests without an answer, on any process, under the same key. */
    const insist = (
      key: string,
      path: string,
      body: object,
      idempotencyKey: string,
    ): Promise<Answer> =>
      eventually(`${path} is answered`, async () => {
        const headers = { 'Idempotency-Key': idempotencyKey };
        const answer = await maybeCall(anyUrl(), 'POST', path, { key, body, headers });
        const isOpen =
          answer === undefined || answer.status >= 500 || answer.body.code === 'conflict';
        return isOpen || answer.body.code === 'idempotency_in_progress' ? undefined : answer;
      });

    const { key: owner } = await registerTestAccount(anyUrl(), `guards-${seed}`);
    const newKey = async (maker: string, scope: string) => {
      const body = { label: scope, scope };
      const made = await call(anyUrl(), 'POST', '/auth/keys', { key: maker, body });
      expect(made.status, JSON.stringify(made.body)).to.equal(201);
      return { id: String(made.body.id), key: String(made.body.api_key) };
    };
    const agent = await newKey(owner, 'full');
    const approver = await newKey(owner, 'full');
    const isKnown = async (key: string): Promise<boolean> => {
      const asked = services.map(({ url }) => call(url, 'GET', '/api/balance', { key }));
      return (await Promise.all(asked)).every(({ status }) => status === 200);
    };
    await eventually('both know the keys', async () =>
      (await Promise.all([agent, approver].map(({ key }) => isKnown(key)))).every(Boolean),
    );
    const put = async (path: string, rules: object[]): Promise<void> => {
      const set = await call(anyUrl(), 'PUT', path, { key: owner, body: { rules } });
      expect(set.status, JSON.stringify(set.body)).to.equal(200);
    };
    const limits = { account: 19.5, agent: 11.25, letters: 5 };
    await put('/api/policy', [
      { id: 'all', effect: 'allow', limit: { amount: limits.account, per: 'total' } },
    ]);
    await put(`/auth/keys/${agent.id}/policy`, [
      { id: 'money', effect: 'allow', limit: { amount: limits.agent, per: 'total' } },
      { id: 'pace', effect: 'allow', limit: { letters: limits.letters, per: 'total' } },
      { id: 'ask', effect: 'hold', when: { price_above: 2 } },
    ]);
    const helper = await newKey(agent.key, 'send');
    await eventually('both know the key of the helper', () => isKnown(helper.key));

    const approved = new Set<string>();
    const refused = new Set<string>();
    const viaMcp = (key: string, name: string, body: object) =>
      insist(
        key,
        '/mcp',
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'send_letter', arguments: { ...body, idempotency_key: name } },
        },
        name,
      );
    const send = async (key: string, name: string, body: object): Promise<object> => {
      const path = pick(random, ['rest', 'mcp', 'draft']);
      if (path === 'mcp') {
        const { result } = (await viaMcp(key, name, body)).body as {
          result?: { structuredContent?: object };
        };
        return result?.structuredContent ?? {};
      }
      const more = path === 'draft' ? { draft: true } : {};
      const sent = await insist(key, '/api/send', { ...body, ...more }, name);
      const letterId = String(sent.body.letter_id);
      if (path !== 'draft' || sent.status !== 201) return sent.body;
      return (await insist(key, '/api/send', { letter_id: letterId }, `${name} sent`)).body;
    };

    const act = async (name: string): Promise<void> => {
      const key = pick(random, [owner, agent.key, agent.key, helper.key]);
      const service = random() < 0.4 ? { service: dear } : {};
      const decides = random();
      const { letter_id: letterId, approval_id: approvalId } = (await send(key, name, {
        ...letterBody(`Letter ${name}.`),
        ...service,
      })) as { letter_id?: string; approval_id?: string };
      if (letterId !== undefined && approvalId === undefined && decides < 0.2) {
        await insist(key, `/api/letters/${letterId}/cancel`, {}, `${name} cancelled`);
      }
      if (approvalId === undefined || letterId === undefined) return;
      const path = `/api/approvals/${approvalId}/approve`;
      const own = await insist(agent.key, path, {}, `${name} by itself`);
      if (own.status === 200) refused.add(letterId);
      if (decides > 0.5) return;
      const given = await insist(approver.key, path, {}, `${name} approved`);
      if (given.status === 200) approved.add(letterId);
    };

    let left = actions;
    const agents = Array.from({ length: actionsAtOnce }, async (_, n) => {
      while (left-- > 0) await act(`${seed} ${n} ${left}`);
    });
    const working = Promise.all(agents);
    for (const kill of [1, 2]) {
      await eventually('some work is done', () => left <= (actions * (3 - kill)) / 3);
      const at = Math.floor(between(random, 0, services.length));
      const dying = services[at] as ServiceProcess;
      services[at] = await start();
      await dying.killGroup();
      await (services[at] as ServiceProcess).ready();
    }
    await working;

    const lettersOf = async (): Promise<Letter[]> => {
      const listed = await call(anyUrl(), 'GET', '/api/letters?limit=100', { key: owner });
      return Promise.all(
        (listed.body.data as { letter_id: string }[]).map(async ({ letter_id: id }) => {
          const { body } = await call(anyUrl(), 'GET', `/api/letters/${id}`, { key: owner });
          return { ...body, id } as unknown as Letter;
        }),
      );
    };
    const centsOf = (all: readonly { price: { total: number } }[]): number =>
      all.reduce((sum, { price }) => sum + Math.round(price.total * 100), 0);
    /** Work that crashes left half done is undone after a while; until then it counts against the limits. */
    await eventually(
      'budgets are what the letters cost',
      async () => {
        const paid = (await lettersOf()).filter(
          ({ status, hold_reason }) =>
            !['cancelled', 'failed'].includes(status) &&
            (status !== 'draft' || hold_reason === 'approval'),
        );
        const budgets = await call(anyUrl(), 'GET', '/api/budgets', { key: owner });
        const all = (budgets.body.data as Budget[]).find(({ rule }) => rule === 'all') as Budget;
        const shown = Math.round((all.used + all.reserved) * 100);
        if (shown !== centsOf(paid)) throw new Error(`shown ${shown}, paid ${centsOf(paid)}`);
        return true;
      },
      180_000,
    );
    return {
      letters: await lettersOf(),
      approved,
      refused,
      limits,
      centsOf,
      agentId: agent.id,
      owner,
      anyUrl,
    };
  };

  for (const seed of seeds) {
    it(`exceed no limit, and print nothing that nobody approved (seed ${seed})`, async () => {
      const { letters, approved, refused, limits, centsOf, owner, anyUrl } = await play(seed);
      expect([...refused], 'approved by their sender').to.deep.equal([]);
      const sent = letters.filter(({ status }) => !['draft', 'cancelled'].includes(status));
      expect(centsOf(sent)).to.be.at.most(Math.round(limits.account * 100));
      const { body } = await call(anyUrl(), 'GET', '/api/budgets', { key: owner });
      for (const { rule, used, reserved } of body.data as Budget[]) {
        const most = { all: limits.account, money: limits.agent, pace: limits.letters }[rule];
        expect(used + reserved, rule).to.be.at.most(most as number);
      }
      const { body: asked } = await call(anyUrl(), 'GET', '/api/approvals?limit=100', {
        key: owner,
      });
      const held = asked.data as { letter_id: string; status: string }[];
      for (const { letter_id: id, status } of held) {
        const letter = letters.find((one) => one.id === id);
        if (status === 'approved') expect(approved.has(id), id).to.equal(true);
        else expect(letter?.status, id).to.be.oneOf(['draft', 'cancelled']);
      }
    });
  }
});
