/** Two processes on one database: a limit of a policy is one limit, and what is used of it is what the letters cost. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { setPolicy } from '../../commands/guards/set-policy.ts';
import { letterAggregate } from '../../commands/letters/letter.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { letterTo } from '../support/client.ts';
import { creditWallet, withFoundation } from '../support/foundation.ts';
import { call, letterBody, registerTestAccount, sendLetter } from '../support/letter-client.ts';
import { connectMcp } from '../support/mcp.ts';
import { callOf, postRaw, sendParams } from '../support/mech.ts';
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
import { type StripeServer, startStripe } from '../support/stripe-server.ts';

type Budget = { rule: string; used: number; reserved: number };
type Order = { letter_status: string | null; credit_reason: string | null };

describe('guards of two processes', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let services: ServiceProcess[];
  let stripe: StripeServer;

  const urlOf = (n: number): string => (services[n % services.length] as ServiceProcess).url;

  before(async () => {
    [database, stripe] = await Promise.all([serviceDatabase(), startStripe()]);
    const start = async () =>
      spawnService(await freePort(), folder.dataDir, {
        ...oneProcess,
        DATABASE_URL: database.url,
        MECH_MODE: 'test',
        MECH_DAILY_LETTERS: '100',
        ...stripe.env,
      });
    services = [await start(), await start()];
    await Promise.all(services.map((service) => service.ready()));
  });
  after(async () => {
    await killLeftovers();
    await stripe.stop();
    await database.drop();
    await folder.remove();
  });

  const bothKnow = (keys: string[]) =>
    eventually('both know the keys', async () => {
      const known = keys.flatMap((key) =>
        [0, 1].map((n) => call(urlOf(n), 'GET', '/api/balance', { key })),
      );
      return (await Promise.all(known)).every(({ status }) => status === 200);
    });
  const newKey = async (owner: string, scope: string) => {
    const body = { label: scope, scope };
    const made = await call(urlOf(0), 'POST', '/auth/keys', { key: owner, body });
    return made.body as { id: string; api_key: string };
  };

  it('never exceed a limit together, and lowering one holds in the other process at once', async () => {
    const { key } = await registerTestAccount(urlOf(0), 'guards');
    const made = await call(urlOf(0), 'POST', '/auth/keys', {
      key,
      body: { label: 'agent', scope: 'send' },
    });
    const { id, api_key: agent } = made.body as { id: string; api_key: string };
    await eventually('both know the key', async () => {
      const known = [0, 1].map((n) => call(urlOf(n), 'GET', '/api/balance', { key: agent }));
      return (await Promise.all(known)).every(({ status }) => status === 200);
    });
    const first = await sendLetter(urlOf(0), key, 'first', 'What does a letter cost?');
    const cents = Math.round((first.body.price as { total: number }).total * 100);
    const policy = (letters: number) => ({
      rules: [
        { id: 'total', effect: 'allow', limit: { amount: (cents * letters) / 100, per: 'total' } },
      ],
    });
    const put = (n: number, path: string, body: object) =>
      call(urlOf(n), 'PUT', path, { key, body });
    expect((await put(0, '/api/policy', policy(12))).status).to.equal(200);
    expect((await put(1, `/auth/keys/${id}/policy`, policy(7))).status).to.equal(200);

    const sendAll = async (secret: string, name: string, count: number): Promise<number> => {
      const answers = await Promise.all(
        Array.from({ length: count }, (_, n) =>
          sendLetter(urlOf(n), secret, `${name}-${n}`, `${n}`),
        ),
      );
      return answers.filter(({ status }) => status === 201).length;
    };
    // One hot wallet: some lose the race for it and are neither sent nor counted.
    let agents = 0;
    let owners = 0;
    for (let round = 0; (agents < 7 || agents + owners < 12) && round < 20; round++) {
      const sent = await Promise.all([
        sendAll(agent, `agent-${round}`, 10),
        agents < 7 ? 0 : sendAll(key, `owner-${round}`, 10),
      ]);
      agents += sent[0];
      owners += sent[1];
      expect(agents).to.be.at.most(7);
      expect(agents + owners).to.be.at.most(12);
    }
    expect([agents, owners]).to.deep.equal([7, 5]);
    const budgets = await call(urlOf(1), 'GET', '/api/budgets', { key });
    const data = budgets.body.data as { used: number; reserved: number; remaining: number }[];
    const taken = data.map(({ used, reserved }) => Math.round((used + reserved) * 100));
    expect(taken).to.deep.equal([12 * cents, 7 * cents]);

    expect((await put(0, '/api/policy', policy(40))).status).to.equal(200);
    expect((await put(0, '/api/policy', policy(13))).status).to.equal(200);
    const last = await Promise.all(
      [0, 1].map((n) => sendLetter(urlOf(1), key, `last-${n}`, 'The last one')),
    );
    expect(last.map(({ status }) => status).toSorted()).to.deep.equal([201, 403]);
  });

  it('hold a freeze for money in the other process with the answer, and for everything else soon after', async () => {
    const { key } = await registerTestAccount(urlOf(0), 'frozen');
    const made = await call(urlOf(0), 'POST', '/auth/keys', {
      key,
      body: { label: 'agent', scope: 'full' },
    });
    const { id, api_key: agent } = made.body as { id: string; api_key: string };
    await eventually('both know the keys', async () => {
      const known = [key, agent].map((one) => call(urlOf(1), 'GET', '/api/balance', { key: one }));
      return (await Promise.all(known)).every(({ status }) => status === 200);
    });
    const change = (n: number, name: string) =>
      call(urlOf(n), 'POST', `/auth/keys/${id}/${name}`, { key });
    expect((await sendLetter(urlOf(1), agent, 'before', 'Before')).status).to.equal(201);
    expect((await change(0, 'freeze')).status).to.equal(200);
    const refused = await sendLetter(urlOf(1), agent, 'after', 'After');
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'frozen']);
    await eventually('the other process makes no key for it', async () => {
      const body = { label: 'more', scope: 'read' };
      const more = await call(urlOf(1), 'POST', '/auth/keys', { key: agent, body });
      return more.body.code === 'frozen';
    });
    expect((await change(1, 'unfreeze')).status).to.equal(200);
    await eventually('both processes let it send again', async () => {
      const sent = [0, 1].map((n) => sendLetter(urlOf(n), agent, `again-${n}`, 'Again'));
      return (await Promise.all(sent)).every(({ status }) => status === 201);
    });
  });

  it('count the letters of every path for one limit: drafts, offers, MCP, UCANs and orders', async () => {
    const body = { email: 'paths@example.com', mode: 'live' };
    const registered = await call(urlOf(0), 'POST', '/auth/register', { body });
    const { api_key: key, account_id: accountId } = registered.body as Record<string, string>;
    if (!key || !accountId) throw new Error(JSON.stringify(registered.body));
    const place = { dataDir: folder.dataDir, databaseUrl: database.url };
    await withFoundation(place, ({ commands }) => creditWallet(commands, accountId, 99_000_000n));
    const issued = await call(urlOf(0), 'POST', '/api/identity/ucan', {
      key,
      body: { scope: 'send' },
    });
    const ucan = `ucan:${String(issued.body.token)}`;
    await bothKnow([key, ucan]);
    const most = 11;
    const rules = [
      { id: 'letters', effect: 'allow', limit: { letters: most, per: 'total' } },
      { id: 'money', effect: 'allow', limit: { amount: 90, per: 'total' } },
    ];
    const set = await call(urlOf(0), 'PUT', '/api/policy', { key, body: { rules } });
    expect(set.status, JSON.stringify(set.body)).to.equal(200);

    const post = (n: number, path: string, wanted: object) =>
      call(urlOf(n), 'POST', path, { key, body: wanted });
    const order = async (n: number) =>
      (await post(n, '/api/orders', { ...letterBody(`Order ${n}.`), email: 'payer@example.com' }))
        .body as { order_id: string; checkout_url: string };
    const placed = await Promise.all([0, 1, 2, 3].map(order));

    const mcps = await Promise.all([0, 1].map((n) => connectMcp(urlOf(n), { key })));
    const paths: Record<string, (n: number, name: string) => Promise<boolean>> = {
      key: async (n, name) => (await sendLetter(urlOf(n), key, name, name)).status === 201,
      ucan: async (n, name) => (await sendLetter(urlOf(n), ucan, name, name)).status === 201,
      draft: async (n, name) => {
        const kept = await post(n, '/api/send', { ...letterBody(name), draft: true });
        const { letter_id } = kept.body as { letter_id: string };
        return (await post(n + 1, '/api/send', { letter_id })).status === 201;
      },
      offer: async (n) => {
        const offered = await post(n, '/api/anp/offer', {
          intent: 'transactional',
          to_country: 'DE',
        });
        const { offer_id } = offered.body as { offer_id: string };
        const wanted = { offer_id, tier: 'economy', payment_method: 'fiat' };
        const accepted = await post(n + 1, '/api/anp/accept', wanted);
        const { commitment_id } = accepted.body as { commitment_id: string };
        return (await post(n, '/api/send', letterTo('DE', { commitment_id }))).status === 201;
      },
      mcp: async (n) => !(await mcps[n % 2]?.callTool('send_letter', letterTo('DE')))?.isError,
    };
    const pay = async (n: number) => {
      const { checkout_url } = placed[n] as { checkout_url: string };
      stripe.tellTo(`${urlOf(n)}/webhooks/stripe`);
      return stripe.tell('checkout.session.completed', stripe.complete(checkout_url));
    };
    const sentBy = new Map<string, number>();
    const sendAll = async (round: number): Promise<void> => {
      const sends = Object.entries(paths).flatMap(([path, send]) =>
        [0, 1].map(async (n) => {
          if (!(await send(n, `${path}-${round}-${n}`))) return;
          sentBy.set(path, (sentBy.get(path) ?? 0) + 1);
        }),
      );
      await Promise.all(sends);
    };
    const orders = async (): Promise<Order[]> => {
      const read = placed.map(({ order_id }, n) =>
        call(urlOf(n), 'GET', `/api/orders/${order_id}`, { key }),
      );
      return (await Promise.all(read)).map(({ body: found }) => found as Order);
    };
    await Promise.all([sendAll(0), ...placed.map((_, n) => pay(n))]);
    await eventually('each paid order is sent or credited', async () =>
      (await orders()).every(
        ({ letter_status, credit_reason }) => letter_status === 'queued' || credit_reason !== null,
      ),
    );
    const ordered = (await orders()).filter(({ letter_status }) => letter_status === 'queued');
    const sentInAll = (): number =>
      ordered.length + [...sentBy.values()].reduce((sum, one) => sum + one, 0);
    expect(sentInAll()).to.be.at.most(most);
    for (let round = 1; sentInAll() < most && round < 20; round++) await sendAll(round);
    const what = JSON.stringify([...sentBy, ordered.length]);
    expect(sentInAll(), what).to.equal(most);
    await sendAll(100);
    expect(sentInAll(), what).to.equal(most);

    const queued = await eventually('every letter that was sent is listed', async () => {
      const path = '/api/letters?limit=100&status=queued';
      const { data } = (await call(urlOf(1), 'GET', path, { key })).body as {
        data: { price: { total: number } }[];
      };
      return data.length >= most && data;
    });
    expect(queued).to.have.length(most);
    const cost = queued.reduce((sum, { price }) => sum + Math.round(price.total * 100), 0);
    const budgets = (await call(urlOf(1), 'GET', '/api/budgets', { key })).body.data as Budget[];
    const taken = budgets.map(({ rule, used, reserved }) => [
      rule,
      rule === 'money' ? Math.round((used + reserved) * 100) : used + reserved,
    ]);
    expect(taken).to.deep.equal([
      ['letters', most],
      ['money', cost],
    ]);

    const more = rules.map((rule) => ({ ...rule, limit: { amount: 900, per: 'total' } }));
    const raised = await call(urlOf(1), 'PUT', '/api/policy', { key, body: { rules: more } });
    expect(raised.status, JSON.stringify(raised.body)).to.equal(200);
    const isMissing = () => Object.keys(paths).some((path) => !sentBy.has(path));
    for (let round = 200; isMissing() && round < 220; round++) await sendAll(round);
    expect([...sentBy.keys()]).to.have.members(Object.keys(paths));
    await Promise.all(mcps.map(({ close }) => close()));
  });

  it('hold one limit for what the mech sends', async () => {
    const ask = (n: number, id: string) => postRaw(urlOf(n), callOf(sendParams(), id));
    const first = await ask(0, 'first');
    expect(first.success, first.text).to.equal(true);
    const place = { dataDir: folder.dataDir, databaseUrl: database.url };
    await withFoundation(place, async ({ commands: { handler } }) => {
      const { state } = await handler.load(letterAggregate, String(first.data?.letter_id));
      const accountId = state.status === 'none' ? '' : state.terms.accountId;
      const rules = [
        { id: 'most', effect: 'allow' as const, limit: { letters: 5, per: 'total' as const } },
      ];
      const context = { commandId: randomUUID(), actor: 'test' };
      await handler.handle(walletAggregate, accountId, context, (wallet) =>
        setPolicy(wallet, {
          type: 'SetPolicy',
          subject: 'account',
          wanted: { timeZone: 'UTC', rules },
          maker: { subjects: [], mayRaise: true },
        }),
      );
    });
    let sent = 0;
    for (let round = 0; sent < 5 && round < 20; round++) {
      const asked = Array.from({ length: 10 }, (_, n) => ask(n, `mech-${round}-${n}`));
      sent += (await Promise.all(asked)).filter(({ success }) => success).length;
      expect(sent).to.be.at.most(5);
    }
    expect(sent).to.equal(5);
    const late = await ask(1, 'late');
    expect(late.error?.code, late.text).to.equal('policy_denied');
  });

  it('change a policy once by its last approvals at the same time', async () => {
    const { key } = await registerTestAccount(urlOf(0), 'changes');
    const [agent, one, other] = [
      await newKey(key, 'send'),
      await newKey(key, 'send'),
      await newKey(key, 'send'),
    ];
    await bothKnow([agent, one, other].map(({ api_key }) => api_key));
    const path = `/auth/keys/${agent.id}/policy`;
    const policyOf = (amount: number) => ({
      rules: [{ id: 'daily', effect: 'allow', limit: { amount, per: 'day' } }],
      approvals: { quorum: 2, approvers: [one.id, other.id] },
    });
    const put = (n: number, by: string, body: object) =>
      call(urlOf(n), 'PUT', path, { key: by, body });
    const approve = (n: number, by: { api_key: string }, id: string) =>
      call(urlOf(n), 'POST', `/api/policy-changes/${id}/approve`, { key: by.api_key });
    const shown = async (n: number) => {
      const { body } = await call(urlOf(n), 'GET', path, { key });
      const { version, rules } = body as { version: number; rules: { limit: object }[] };
      return { version, limit: rules[0]?.limit };
    };
    expect((await put(0, key, policyOf(1))).status).to.equal(200);
    for (const round of [1, 2, 3]) {
      const wanted = { ...policyOf(10 * round), request_approval: true };
      const asked = await put(round, agent.api_key, wanted);
      expect(asked.status, JSON.stringify(asked.body)).to.equal(202);
      const id = String(asked.body.approval_id);
      const { version } = await shown(round);
      const itself = await approve(0, agent, id);
      expect(itself.body.code).to.equal('approver_is_requester');
      expect((await approve(round, one, id)).body.status).to.equal('pending');
      const last = await Promise.all([0, 1, 2, 3].map((n) => approve(n, other, id)));
      for (const { status, body } of last) {
        expect([status, body.status], JSON.stringify(body)).to.deep.equal([200, 'approved']);
      }
      for (const n of [0, 1]) {
        expect(await shown(n)).to.deep.equal({
          version: version + 1,
          limit: { amount: 10 * round, per: 'day' },
        });
      }
    }
    const ask = `${path}?request_approval=true`;
    const removal = await call(urlOf(0), 'DELETE', ask, { key: agent.api_key });
    const id = String(removal.body.approval_id);
    expect((await approve(1, one, id)).status).to.equal(200);
    const [lowered, ...approved] = await Promise.all([
      put(1, key, policyOf(0.5)),
      approve(0, other, id),
      approve(1, other, id),
    ]);
    expect(lowered.status, JSON.stringify(lowered.body)).to.equal(200);
    // Whichever was first: a removal that was approved before is followed by the owner's policy, and none comes after.
    for (const { status, body } of approved) {
      expect(body.code ?? body.status, `${status}`).to.be.oneOf(['approved', 'approval_over']);
    }
    expect((await shown(0)).limit).to.deep.equal({ amount: 0.5, per: 'day' });
  });
});
