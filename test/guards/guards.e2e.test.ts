import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { subjectsOf } from '../../commands/guards/credential-line.ts';
import {
  expectProblem,
  letterTo,
  type ProblemJson,
  type RotatedKeyJson,
  type Sent,
  useService,
} from '../support/client.ts';

type PolicyJson = {
  policy: string;
  version: number;
  time_zone: string;
  rules: { id: string; when?: { recipients?: string[] } }[];
};
type BudgetsJson = {
  data: {
    policy: string;
    rule: string;
    limit: object;
    used: number;
    reserved: number;
    remaining: number;
    resets_at: string | null;
  }[];
};
type Denied = {
  code: string;
  policy: string;
  rule: string | null;
  used?: number;
  resets_at?: string;
};

const allow = (more: object = {}) => ({ effect: 'allow', ...more });
/** In total, so that no midnight comes between. */
const upTo = (amount: number) => ({ id: 'up-to', ...allow({ limit: { amount, per: 'total' } }) });

describe('policies of an account and its keys', () => {
  const api = useService();

  type Client = ReturnType<typeof api.as>;

  const put = async (owner: Client, path: string, rules: object[]) => {
    const set = await owner.put<PolicyJson>(path, { rules });
    expect(set.status, set.text).to.equal(200);
    return set.body;
  };

  it('are set, read, listed as budgets and deleted', async () => {
    const owner = await api.register();
    const key = await api.newKey(owner, 'send');
    const path = `/auth/keys/${key.id}/policy`;
    expectProblem(await owner.get(path), 404, 'policy_not_found');
    expectProblem(await owner.get('/api/policy'), 404, 'policy_not_found');
    const set = await owner.put<PolicyJson>(path, {
      time_zone: 'Europe/Berlin',
      rules: [
        {
          id: 'germany',
          ...allow({ when: { countries: ['DE'] }, limit: { amount: 20, per: 'total' } }),
        },
      ],
    });
    expect(set.body).to.deep.equal({
      policy: key.id,
      version: 1,
      time_zone: 'Europe/Berlin',
      rules: [
        {
          id: 'germany',
          effect: 'allow',
          when: { countries: ['DE'] },
          limit: { amount: 20, per: 'total' },
        },
      ],
    });
    expect(set.headers.get('etag')).to.equal('"1"');
    expect((await key.get(path)).body).to.deep.equal(set.body);
    await put(owner, '/api/policy', [
      { id: 'all', ...allow({ limit: { letters: 9, per: 'total' } }) },
    ]);
    expect((await key.get<PolicyJson>('/api/policy')).body.rules).to.have.length(1);
    const sent = await key.send();
    const budgets = (await key.get<BudgetsJson>('/api/budgets')).body.data;
    expect(budgets.map(({ resets_at: _, ...one }) => one)).to.deep.equal([
      {
        policy: 'account',
        rule: 'all',
        effect: 'allow',
        limit: { letters: 9, per: 'total' },
        time_zone: 'UTC',
        used: 0,
        reserved: 1,
        remaining: 8,
      },
      {
        policy: key.id,
        rule: 'germany',
        effect: 'allow',
        limit: { amount: 20, per: 'total' },
        time_zone: 'Europe/Berlin',
        used: 0,
        reserved: sent.price.total,
        remaining: (2000 - Math.round(sent.price.total * 100)) / 100,
      },
    ]);
    expect(budgets[0]?.resets_at).to.equal(null);
    const removed = await owner.delete(path);
    expect(removed.body).to.deep.equal({ policy: key.id, deleted: true });
    expect((await owner.delete('/api/policy')).status).to.equal(200);
    expect((await owner.get<BudgetsJson>('/api/budgets')).body.data).to.deep.equal([]);
  });

  it('deny with the rule, the limit, what is used and when it begins anew; without a charge', async () => {
    const owner = await api.register();
    const key = await api.newKey(owner, 'send');
    const { price } = await key.send();
    await put(owner, `/auth/keys/${key.id}/policy`, [upTo(price.total)]);
    await key.send();
    const before = await owner.balance();
    const denied = await key.post<Denied>('/api/send', letterTo('DE'));
    expectProblem(denied, 403, 'policy_denied');
    expect(denied.body).to.include({ policy: key.id, rule: 'up-to', used: price.total });
    expect(denied.body).to.have.property('resets_at', null);
    expect((await owner.balance()).available).to.equal(before.available);
    await owner.send();
  });

  it('alert the owner once when a limit is used by half, by 80 % and whole', async () => {
    const owner = await api.register();
    await put(owner, '/api/policy', [allow({ limit: { letters: 2, per: 'total' } })]);
    await owner.send();
    await owner.send();
    expectProblem(await owner.post('/api/send', letterTo('DE')), 403, 'policy_denied');
    const { data } = (await owner.get<{ data: { type: string }[] }>('/api/notifications')).body;
    const types = data.map(({ type }) => type).filter((type) => type.startsWith('budget.'));
    expect(types).to.deep.equal(['budget.100_percent', 'budget.50_percent']);
  });

  it('deny whatever no rule allows, and give the money of a cancelled letter back', async () => {
    const owner = await api.register();
    const key = await api.newKey(owner, 'send');
    const { price } = await owner.send();
    await put(owner, `/auth/keys/${key.id}/policy`, [
      { ...upTo(price.total), when: { countries: ['DE'] } },
    ]);
    const abroad = await key.post<Denied>('/api/send', letterTo('FR'));
    expectProblem(abroad, 403, 'policy_denied');
    expect(abroad.body.rule).to.equal(null);
    const sent = await key.send();
    expectProblem(await key.post('/api/send', letterTo('DE')), 403, 'policy_denied');
    expect((await key.post(`/api/letters/${sent.letter_id}/cancel`)).status).to.equal(200);
    await key.send();
  });

  it('judge drafts when they are sent, and letters that are sent elsewhere afterwards', async () => {
    const owner = await api.register();
    const key = await api.newKey(owner, 'send');
    await put(owner, `/auth/keys/${key.id}/policy`, [allow({ when: { countries: ['DE'] } })]);
    const draft = await key.post<Sent>('/api/send', letterTo('FR', { draft: true }));
    expect(draft.status).to.equal(201);
    const { letter_id } = draft.body;
    expectProblem(await key.post('/api/send', { letter_id }), 403, 'policy_denied');
    const sent = await key.send();
    const { to_name, to_line1, to_city, to_postal_code, to_country } = letterTo(
      'FR',
    ) as unknown as Record<string, string>;
    const moved = await key.patch(`/api/letters/${sent.letter_id}`, {
      to_name,
      to_line1,
      to_city,
      to_postal_code,
      to_country,
    });
    expectProblem(moved, 403, 'policy_denied');
    const renamed = await key.patch(`/api/letters/${sent.letter_id}`, { to_name: 'Berta Müller' });
    expect(renamed.status, renamed.text).to.equal(200);
  });

  it('know recipients by a digest, and take the digest again', async () => {
    const owner = await api.register();
    const key = await api.newKey(owner, 'send');
    const recipient = {
      name: 'anna  müller',
      line1: 'Lindenstraße 5',
      city: 'Berlin',
      postal_code: '10969',
      country: 'DE',
    };
    const path = `/auth/keys/${key.id}/policy`;
    const set = await put(owner, path, [allow({ when: { recipients: [recipient] } })]);
    expect(JSON.stringify(set)).not.to.match(/linden/i);
    const digest = set.rules[0]?.when?.recipients?.[0] ?? '';
    expect(await put(owner, path, [allow({ when: { recipients: [digest] } })])).to.deep.equal(set);
    await key.send();
    expectProblem(
      await key.post('/api/send', letterTo('DE', { to_name: 'Berta Braun' })),
      403,
      'policy_denied',
    );
  });

  it('stay with a key that is rotated, and hold for the keys and UCANs that it makes', async () => {
    const owner = await api.register();
    const key = await api.newKey(owner, 'full');
    await put(owner, `/auth/keys/${key.id}/policy`, [allow({ when: { countries: ['GB'] } })]);
    const child = await api.newKey(key, 'full');
    const ucan = await child.post<{ token: string }>('/api/identity/ucan', { scope: 'send' });
    const rotated = await key.post<RotatedKeyJson>('/auth/keys/self/rotate', {});
    const heirs = [child, api.as(`ucan:${ucan.body.token}`), api.as(rotated.body.api_key)];
    for (const heir of heirs) {
      expectProblem(await heir.post('/api/send', letterTo('DE')), 403, 'policy_denied');
      const set = await heir.put(`/auth/keys/${key.id}/policy`, { rules: [allow()] });
      expectProblem(set, 403, 'policy_protected');
    }
    const found = await heirs[2]?.get<PolicyJson>(`/auth/keys/${rotated.body.id}/policy`);
    expect(found?.body.policy).to.equal(key.id);
    const { handler } = api.service().service.foundation.commands;
    const { state } = await handler.load(accountAggregate, owner.account.account_id);
    expect(subjectsOf(state, [child.id])).to.include(key.id);
  });

  it('limit a UCAN with everything delegated from it, the most restrictive of the chain first', async () => {
    const owner = await api.register();
    const issue = async (maker: Client, path: string, body: object) => {
      const made = await maker.post<{ token: string; cid: string }>(path, body);
      expect(made.status, made.text).to.equal(201);
      return {
        ...api.as(`ucan:${made.body.token}`),
        path: `/api/identity/ucan/${made.body.cid}/policy`,
      };
    };
    const audience = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';
    const heirOf = (maker: Client) =>
      issue(maker, '/api/identity/delegate', { scope: 'send', audience });
    const root = await issue(owner, '/api/identity/ucan', { scope: 'send' });
    const [one, other] = [await heirOf(root), await heirOf(root)];
    const letters = (count: number) =>
      allow({ id: 'few', limit: { letters: count, per: 'total' } });
    await put(owner, root.path, [letters(3)]);
    expect((await root.put(one.path, { rules: [letters(1)] })).status).to.equal(200);
    await one.send();
    const denied = await one.post<Denied>('/api/send', letterTo('DE'));
    expectProblem(denied, 403, 'policy_denied');
    expect(denied.body.policy).to.equal(`ucan:${one.path.split('/')[4]}`);
    await other.send();
    await root.send();
    for (const client of [root, other]) {
      const used = await client.post<Denied>('/api/send', letterTo('DE'));
      expect(expectProblem(used, 403, 'policy_denied').detail).to.contain(
        'allows 3 letters in total; 3 are used. Ask the owner',
      );
      expect(used.body.policy).to.equal(`ucan:${root.path.split('/')[4]}`);
      const code = client === root ? 'policy_protected' : 'revocation_not_allowed';
      const refused = await client.put(root.path, { rules: [letters(9)] });
      expect(expectProblem(refused, 403, code).detail).to.contain('change its');
    }
    expect((await other.get<BudgetsJson>('/api/budgets')).body.data).to.have.length(1);
    expect((await other.get<PolicyJson>(root.path)).body.version).to.equal(1);
    const stranger = await api.register();
    const foreign = await stranger.put(root.path, { rules: [letters(1)] });
    expect(expectProblem(foreign, 403, 'revocation_not_allowed').detail).to.contain(
      'which alone can change its policy',
    );
    expect((await owner.delete(root.path)).status).to.equal(200);
    await other.send();
  });

  it('of UCANs cannot be read or raised by a UCAN for a part of the account', async () => {
    const owner = await api.register();
    const { letter_id: letterId } = await owner.send();
    type Ucan = { token: string; cid: string };
    const pathOf = ({ cid }: Ucan) => `/api/identity/ucan/${cid}/policy`;
    const other = (await owner.post<Ucan>('/api/identity/ucan', { scope: 'send' })).body;
    const approvals = { approvers: ['boss@example.com'] };
    const set = await owner.put(pathOf(other), { rules: [allow()], approvals });
    expect(set.status, set.text).to.equal(200);
    const { did } = (await owner.post<{ did: string }>('/api/identity/did', {})).body;
    const whole = `letters://${owner.account.account_id}/`;
    const delegated = async (maker: Pick<Client, 'post'>, resource: string) => {
      const capabilities = { [resource]: { 'letters/*': [{}] } };
      const made = await maker.post<Ucan>('/api/identity/delegate', {
        audience: did,
        capabilities,
      });
      expect(made.status, made.text).to.equal(201);
      return { ...made.body, ...api.as(`ucan:${made.body.token}`) };
    };
    const narrow = await delegated(owner, `${whole}letter/${letterId}`);
    const wide = await delegated(owner, whole);
    expectProblem(await narrow.get(pathOf(other)), 403, 'scope_insufficient');
    expect((await wide.get(pathOf(other))).text).to.contain('boss@example.com');
    for (const [parent, status] of [
      [narrow, 403],
      [wide, 200],
    ] as const) {
      const child = await delegated(parent, `${whole}letter/${letterId}`);
      await put(owner, pathOf(child), [upTo(1)]);
      const raised = await parent.put(pathOf(child), { rules: [upTo(2)] });
      expect(raised.status, raised.text).to.equal(status);
    }
  });

  it('are lowered with scope send, and raised with scope full only', async () => {
    const owner = await api.register();
    const sender = await api.newKey(owner, 'send');
    await put(owner, '/api/policy', [upTo(20)]);
    expect((await sender.put('/api/policy', { rules: [upTo(10)] })).status).to.equal(200);
    expectProblem(
      await sender.put('/api/policy', { rules: [upTo(11)] }),
      403,
      'scope_insufficient',
    );
    expectProblem(await sender.delete('/api/policy'), 403, 'scope_insufficient');
    const other = await api.newKey(owner, 'send');
    await put(owner, `/auth/keys/${other.id}/policy`, [upTo(1)]);
    expectProblem(await sender.get(`/auth/keys/${other.id}/policy`), 403, 'scope_insufficient');
    expectProblem(await owner.get(`/auth/keys/key_${'0'.repeat(32)}/policy`), 404, 'key_not_found');
    expect((await owner.put('/api/policy', { rules: [upTo(30)] })).status).to.equal(200);
  });

  it('are refused with the place of what is wrong, and not stored in part', async () => {
    const owner = await api.register();
    const refused: [object, string][] = [
      [{ rules: [{ effect: 'permit' }] }, '/rules/0/effect'],
      [{ rules: [upTo(0)] }, '/rules/0/limit/amount'],
      [{ rules: [upTo(0.001)] }, '/rules/0/limit/amount'],
      [{ rules: [upTo(-5)] }, '/rules/0/limit/amount'],
      [{ rules: [allow({ when: { recipients: [] } })] }, '/rules/0/when/recipients'],
      [{ rules: [allow({ when: { known_recipient: false } })] }, '/rules/0/when/known_recipient'],
      [{ rules: [allow({ when: { countries: [] } })] }, '/rules/0/when/countries'],
      [{ rules: [allow({ when: { weight: 2 } })] }, '/rules/0/when/weight'],
      [{ rules: [allow({ limit: { per: 'total' } })] }, '/rules/0/limit'],
      [{ rules: [allow()], time_zone: 'Europe/Atlantis' }, '/time_zone'],
      [{ rules: [] }, '/rules'],
      [
        {
          rules: [
            allow({
              when: {
                recipients: [{ name: 'A', line1: 'B', city: 'C', postal_code: 'D', country: 'DE' }],
              },
            }),
          ],
        },
        '/rules/0/when/recipients/0/postal_code',
      ],
    ];
    for (const [body, place] of refused) {
      const answer = await owner.put<{ errors: { pointer: string }[] }>('/api/policy', body);
      expectProblem(answer, 422, 'validation_failed');
      expect(answer.body.errors.map(({ pointer }) => pointer)).to.include(place);
    }
    expectProblem(await owner.get('/api/policy'), 404, 'policy_not_found');
  });

  it('are refused with the fields that there are, so that no limit is lost by removing one', async () => {
    const owner = await api.register();
    const key = await api.newKey(owner, 'send');
    const wrong: [object, string][] = [
      [{ when: { country: ['DE'] } }, '/rules/0/when/country'],
      [{ countries: ['DE'] }, '/rules/0/countries'],
      [{ max_price: 5 }, '/rules/0/max_price'],
    ];
    for (const [rule, pointer] of wrong) {
      const body = { rules: [{ effect: 'allow', ...rule }] };
      const answer = await owner.put(`/auth/keys/${key.id}/policy`, body);
      const { errors } = expectProblem(answer, 422, 'validation_failed', pointer);
      const { detail } = errors?.find((one) => one.pointer === pointer) ?? { detail: '' };
      expect(detail).to.contain('fields of when are countries').and.not.contain('Remove it');
    }
  });

  it('are refused where rules contradict each other or themselves, with the place and the way out', async () => {
    const owner = await api.register();
    const germany = { id: 'germany', ...allow({ when: { countries: ['DE'] } }) };
    const denies = (when: object) => ({ id: 'no', effect: 'deny', when });
    const priceAbove = (amount: number) =>
      allow({ when: { price_above: 5 }, limit: { amount, per: 'day' } });
    const contradictions: [object[], string, RegExp][] = [
      [[germany, denies({ countries: ['DE', 'FR'] })], '/rules/0', /Remove one .*narrow no/],
      [
        [denies({ countries: ['DE'] }), germany],
        '/rules/1',
        /Rule no denies .*rule germany allows/,
      ],
      [
        [allow(), { ...germany, effect: 'hold' }, denies({ countries: ['DE'] })],
        '/rules/1',
        /germany holds/,
      ],
      [
        [allow({ when: { countries: ['DE'], services: ['us_certified'] } })],
        '/rules/0/when/services',
        /us_certified does not serve DE\. Leave out the service/,
      ],
      [[priceAbove(5)], '/rules/0/limit/amount', /Raise the limit, or lower price_above/],
    ];
    await put(owner, '/api/policy', [upTo(20)]);
    for (const [rules, place, wayOut] of contradictions) {
      const answer = await owner.put<ProblemJson>('/api/policy', { rules });
      expectProblem(answer, 422, 'validation_failed');
      const [error] = answer.body.errors ?? [];
      expect(error, answer.text).to.include({ pointer: place, code: 'contradicts' });
      expect(error?.detail).to.match(wayOut);
    }
    const { version, rules } = (await owner.get<PolicyJson>('/api/policy')).body;
    expect([version, rules.map(({ id }) => id)]).to.deep.equal([1, ['up-to']]);
    const narrower = [germany, denies({ countries: ['FR'] }), priceAbove(5.01)];
    expect((await owner.put('/api/policy', { rules: narrower })).status).to.equal(200);
  });

  it('are changed at the version that was read only', async () => {
    const owner = await api.register();
    await put(owner, '/api/policy', [upTo(20)]);
    const change = (version: number) =>
      api.call(
        'PUT',
        '/api/policy',
        { rules: [upTo(10)] },
        {
          key: owner.key,
          headers: { 'If-Match': `"${version}"` },
        },
      );
    expectProblem(await change(7), 412, 'version_mismatch');
    expect((await change(1)).status).to.equal(200);
  });

  it('are kept to the cent when many letters are sent at once', async () => {
    const owner = await api.register();
    const keys = await Promise.all([api.newKey(owner, 'send'), api.newKey(owner, 'send')]);
    const { price } = await owner.send();
    const cents = Math.round(price.total * 100);
    await put(owner, '/api/policy', [upTo((cents * 5 + 1) / 100)]);
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        keys[n % 2]?.post('/api/send', letterTo('DE'), { 'Idempotency-Key': randomUUID() }),
      ),
    );
    const statuses = answers.map((answer) => answer?.status).toSorted();
    expect(statuses).to.deep.equal([...Array(5).fill(201), ...Array(11).fill(403)]);
  });
});
