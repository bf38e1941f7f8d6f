import { expect } from 'chai';
import {
  expectProblem,
  letterTo,
  type NewKeyJson,
  type Sent,
  useService,
} from '../support/client.ts';

type DryRunJson = {
  outcome: string;
  rules: { policy: string; rule: string | null; used?: number }[];
  price: { total: number };
};

describe('dry_run', () => {
  const api = useService();

  const dry = (country: 'DE' | 'FR', more: object = {}) =>
    letterTo(country, { dry_run: true, ...more });

  it('on a send says outcome, rules and price, and stores and charges nothing', async () => {
    const owner = await api.register();
    const before = await owner.balance();
    const free = await owner.post<DryRunJson>('/api/send', dry('DE'));
    expect(free.status, free.text).to.equal(200);
    expect(free.body).to.include({ outcome: 'allowed' });
    expect(free.body.rules).to.deep.equal([]);
    const { total } = free.body.price;
    const rule = { id: 'germany', effect: 'allow', when: { countries: ['DE'] } };
    const limit = { amount: total, per: 'total' };
    await owner.put('/api/policy', { rules: [{ ...rule, limit }] });
    const key = 'the same for dry runs and for the send';
    for (const _ of [1, 2]) {
      const again = await owner.post<DryRunJson>('/api/send', dry('DE'), {
        'Idempotency-Key': key,
      });
      expect(again.body.rules).to.deep.equal([{ policy: 'account', rule: 'germany' }]);
      expect(again.headers.get('idempotent-replayed')).to.equal(null);
    }
    const abroad = await owner.post<DryRunJson>('/api/send', dry('FR'));
    expect(abroad.status).to.equal(200);
    expect(abroad.body.outcome).to.equal('denied');
    expect(abroad.body.rules).to.deep.equal([{ policy: 'account', rule: null }]);
    expect((await owner.balance()).available).to.equal(before.available);
    const sent = await owner.post<Sent>('/api/send', letterTo('DE'), { 'Idempotency-Key': key });
    expect(sent.status, sent.text).to.equal(201);
    expect(sent.body.price.total).to.equal(total);
    const full = await owner.post<DryRunJson>('/api/send', dry('DE'), { 'Idempotency-Key': key });
    expect(full.body.outcome).to.equal('denied');
    expect(full.body.rules[0]).to.include({ rule: 'germany', used: total });
    const listed = await owner.get<{ data: object[] }>('/api/letters');
    expect(listed.body.data).to.have.length(1);
  });

  it('on a draft judges the draft as it stands', async () => {
    const owner = await api.register();
    const draft = await owner.post<Sent>('/api/send', letterTo('FR', { draft: true }));
    const { letter_id } = draft.body;
    await owner.put('/api/policy', { rules: [{ effect: 'allow', when: { countries: ['DE'] } }] });
    const said = await owner.post<DryRunJson>('/api/send', { letter_id, dry_run: true });
    expect(said.status, said.text).to.equal(200);
    expect(said.body.outcome).to.equal('denied');
    expectProblem(
      await owner.post('/api/send', { letter_id: crypto.randomUUID(), dry_run: true }),
      404,
      'letter_not_found',
    );
  });

  it('on a quote judges what is known of the letter, without a wallet that covers it', async () => {
    const owner = await api.register();
    await owner.put('/api/policy', { rules: [{ effect: 'allow', when: { countries: ['DE'] } }] });
    const quoted = (body: object) =>
      owner.post<DryRunJson>('/api/quote', { pages: 2, dry_run: true, ...body });
    expect((await quoted({ to_country: 'DE' })).body.outcome).to.equal('allowed');
    const abroad = await quoted({ to_country: 'FR' });
    expect(abroad.status, abroad.text).to.equal(200);
    expect(abroad.body.outcome).to.equal('denied');
    expect(abroad.body).not.to.have.property('quote_id');
  });

  it('on a quote asks for the recipient where a rule names recipients', async () => {
    const owner = await api.register();
    const digest = 'A'.repeat(43);
    await owner.put('/api/policy', {
      rules: [{ effect: 'allow', when: { recipients: [digest] } }],
    });
    const body = { to_country: 'DE', pages: 1, dry_run: true };
    const refused = await owner.post('/api/quote', body);
    expectProblem(refused, 422, 'validation_failed');
    const { content: _, ...addresses } = letterTo('DE') as Record<string, unknown>;
    const whole = await owner.post<DryRunJson>('/api/quote', { ...addresses, ...body });
    expect(whole.body.outcome, whole.text).to.equal('denied');
  });

  describe('of a send that would be refused', () => {
    type Client = Awaited<ReturnType<typeof api.register>>;

    const delegate = async (owner: Client, caveat: object) => {
      const made = await owner.post<{ token: string }>('/api/identity/delegate', {
        audience: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
        capabilities: {
          [`letters://${owner.account.account_id}/`]: { 'letters/send': [caveat] },
        },
      });
      return api.as(`ucan:${made.body.token}`);
    };

    /** Status and code of a dry run, and of the send after it. */
    const answers = async (agent: Pick<Client, 'post'>) => {
      type ProblemJson = { code?: string };
      const said = await agent.post<ProblemJson>('/api/send', dry('DE'));
      const done = await agent.post<ProblemJson>('/api/send', letterTo('DE'));
      return [said, done].map(({ status, body }) => [status, body.code]);
    };

    it('is refused where a UCAN has no letters left, and counts none', async () => {
      const agent = await delegate(await api.register(), { max_letters: 1 });
      expect((await agent.post('/api/send', dry('DE'))).status).to.equal(200);
      expect((await agent.post('/api/send', letterTo('DE'))).status).to.equal(201);
      const refused = [403, 'caveat_not_met'];
      expect(await answers(agent)).to.deep.equal([refused, refused]);
    });

    it('is refused where a UCAN allows the price without commission only', async () => {
      const owner = await api.register();
      const sent = await owner.post<Sent>('/api/send', letterTo('DE'));
      const cents = Math.round(sent.body.price.total * 100) - 1;
      const agent = await delegate(owner, { max_total_minor: cents, currency: 'USD' });
      const refused = [403, 'caveat_not_met'];
      expect(await answers(agent)).to.deep.equal([refused, refused]);
    });
  });

  it('is refused together with what keeps a draft, and of a letter that cannot be sent', async () => {
    const owner = await api.register();
    for (const more of [{ draft: true }, { hold_without_funds: true }]) {
      expectProblem(await owner.post('/api/send', dry('DE', more)), 422, 'validation_failed');
    }
    expectProblem(
      await owner.post('/api/send', dry('DE', { max_total: 0.01 })),
      402,
      'max_total_exceeded',
    );
    const poor = await owner.post<NewKeyJson>('/auth/keys', { label: 'k', scope: 'read' });
    expectProblem(
      await api.as(poor.body.api_key).post('/api/send', dry('DE')),
      403,
      'scope_insufficient',
    );
  });
});
