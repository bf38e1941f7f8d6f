import { expect } from 'chai';
import fc from 'fast-check';
import { type Scope, scopeCovers, scopes } from '../../contract/scopes.ts';
import { expectProblem, type NewKeyJson, until, useService } from '../support/client.ts';
import { leastOf, tookMs } from '../support/least-of.ts';
import { startTestService } from '../support/service.ts';

type IssuedJson = { token: string; cid: string; expires_at: string };

const never = Number.POSITIVE_INFINITY;

/** A credential that a test made, and the expected view of the service. */
type Node = {
  kind: 'key' | 'ucan';
  /** Id of a key, CID of a UCAN. */
  id: string;
  /** The text after `Bearer `. */
  secret: string;
  scope: Scope;
  /** Whether it reaches the whole account, not its keys only. */
  whole: boolean;
  endsAtMs: number;
  revoked: boolean;
  /** All that it came from and ends with. */
  from: Node[];
};

/** The time of the service of a property. It stands, so that a step takes no time on any machine. */
let nowMs = Date.now();

const isAlive = (node: Node): boolean =>
  [node, ...node.from].every((one) => !one.revoked && one.endsAtMs > nowMs);
const isLent = (node: Node): boolean =>
  node.kind === 'ucan' || node.endsAtMs !== never || node.from.length > 0;
const isPermanentFull = (node: Node): boolean =>
  node.kind === 'key' && node.scope === 'full' && !isLent(node) && isAlive(node);

const Step = fc.record({
  what: fc.constantFrom(
    ...(['create', 'create', 'issue', 'delegate', 'delegateKeys'] as const),
    ...(['rotate', 'revokeKey', 'revokeUcan', 'expire'] as const),
  ),
  actor: fc.nat(20),
  target: fc.nat(20),
  scope: fc.constantFrom(...scopes, 'full' as const),
  /** Seconds. */
  lasts: fc.constantFrom(2, 600, undefined),
});
type Step = typeof Step extends fc.Arbitrary<infer T> ? T : never;

describe('what credentials make, step by step', () => {
  const api = useService({}, { clock: () => nowMs });

  /** One account, with every credential that it ever had. */
  const world = async () => {
    const { account } = await api.register();
    const nodes: Node[] = [
      {
        kind: 'key',
        id: account.key_id,
        secret: account.api_key,
        scope: 'full',
        whole: true,
        endsAtMs: never,
        revoked: false,
        from: [],
      },
    ];
    const { account_id: accountId } = account;
    const owner = api.as(account.api_key);
    const { did } = (await owner.post<{ did: string }>('/api/identity/did', {})).body;

    const post = <T>(actor: Node, path: string, body?: object) =>
      api.as(actor.secret).post<T>(path, body);

    const mustBe = (answer: { status: number; text: string }, status: number, why: string) =>
      expect(answer.status, `${why}: ${answer.text}`).to.equal(status);

    const add = (actor: Node, node: Pick<Node, 'kind' | 'id' | 'secret' | 'scope' | 'whole'>) => {
      const made: Node = { ...node, endsAtMs: never, revoked: false, from: [] };
      if (node.kind === 'ucan' || isLent(actor)) made.from = [actor, ...actor.from];
      nodes.push(made);
      return made;
    };

    const create = async (actor: Node, { scope, lasts }: Step): Promise<void> => {
      const expiresAt =
        lasts === undefined ? undefined : new Date(nowMs + lasts * 1_000).toISOString();
      const body = { label: 'made', scope, expires_at: expiresAt };
      const answer = await post<NewKeyJson>(actor, '/auth/keys', body);
      if (!isAlive(actor)) return void mustBe(answer, 401, 'create by a dead one');
      const allowed = actor.scope === 'full' && actor.whole;
      mustBe(answer, allowed ? 201 : 403, `create by ${actor.kind} ${actor.scope}`);
      if (!allowed) return;
      const { id, api_key: secret, expires_at: ends } = answer.body;
      const made = add(actor, { kind: 'key', id, secret, scope, whole: true });
      made.endsAtMs = ends === null ? never : Date.parse(ends);
      expect(made.endsAtMs).to.be.at.most(actor.endsAtMs);
    };

    const keep = (actor: Node, { body }: { body: IssuedJson }, scope: Scope, whole: boolean) => {
      const { cid: id, token, expires_at: ends } = body;
      const made = add(actor, { kind: 'ucan', id, secret: `ucan:${token}`, scope, whole });
      made.endsAtMs = Date.parse(ends) + 1_000;
      expect(made.endsAtMs).to.be.at.most(actor.endsAtMs);
    };

    const issue = async (actor: Node, { scope, lasts }: Step): Promise<void> => {
      const body = { scope, expires_in: lasts };
      const answer = await post<IssuedJson>(actor, '/api/identity/ucan', body);
      if (!isAlive(actor)) return void mustBe(answer, 401, 'issue by a dead one');
      const allowed = actor.kind === 'key' && scopeCovers(actor.scope, scope);
      mustBe(answer, allowed ? 201 : 403, `issue ${scope} by ${actor.kind} ${actor.scope}`);
      if (allowed) keep(actor, answer, scope, true);
    };

    const delegate = async (actor: Node, { scope, lasts, what }: Step): Promise<void> => {
      const onKeys = what === 'delegateKeys';
      const capabilities = { [`letters://${accountId}/keys`]: { 'letters/*': [{}] } };
      const wanted = onKeys ? { capabilities } : { scope };
      const body = { audience: did, expires_in: lasts, ...wanted };
      const answer = await post<IssuedJson>(actor, '/api/identity/delegate', body);
      if (!isAlive(actor)) return void mustBe(answer, 401, 'delegate by a dead one');
      const asked = onKeys ? 'full' : scope;
      const allowed = scopeCovers(actor.scope, asked);
      mustBe(answer, allowed ? 201 : 403, `delegate ${asked} by ${actor.kind} ${actor.scope}`);
      if (allowed) keep(actor, answer, asked, actor.whole && !onKeys);
    };

    const rotate = async (actor: Node, target: Node): Promise<void> => {
      if (target.kind !== 'key') return;
      const answer = await post<NewKeyJson>(actor, `/auth/keys/${target.id}/rotate`, {
        revoke_now: true,
      });
      if (!isAlive(actor)) return void mustBe(answer, 401, 'rotate by a dead one');
      const itself = actor === target;
      if (actor.kind === 'ucan' || (actor.scope !== 'full' && !itself)) {
        return void mustBe(answer, 403, `rotate by ${actor.kind} ${actor.scope}`);
      }
      if (answer.status === 403 && itself && actor.scope !== 'full') return;
      if (target.revoked) return void mustBe(answer, 409, 'rotate a key that is revoked');
      const owns = !isLent(actor) || itself || target.from.includes(actor);
      if (!owns) return void mustBe(answer, 403, 'rotate a key that reaches further');
      if (!isAlive(target)) return void expect(answer.status).to.be.oneOf([201, 401]);
      mustBe(answer, 201, 'rotate');
      target.revoked = true;
      nodes.push({ ...target, id: answer.body.id, secret: answer.body.api_key, revoked: false });
    };

    const revokeKey = async (actor: Node, target: Node): Promise<void> => {
      if (target.kind !== 'key') return;
      const answer = await api.as(actor.secret).delete(`/auth/keys/${target.id}`);
      if (!isAlive(actor)) return void mustBe(answer, 401, 'revoke by a dead one');
      if (answer.status !== 200) return;
      expect(actor.scope === 'full' || actor === target).to.equal(true);
      target.revoked = true;
      expect(nodes.some(isPermanentFull), 'a full key that lasts is left').to.equal(true);
    };

    const revokeUcan = async (actor: Node, target: Node): Promise<void> => {
      if (target.kind !== 'ucan') return;
      const answer = await post(actor, '/api/identity/ucan/revoke', { cid: target.id });
      if (!isAlive(actor)) return void mustBe(answer, 401, 'revoke by a dead one');
      const made = target.from.includes(actor);
      const allowed =
        actor.kind === 'key' ? actor.scope === 'full' || made : actor === target || made;
      mustBe(answer, allowed ? 200 : 403, `revoke a UCAN by ${actor.kind} ${actor.scope}`);
      if (allowed) target.revoked = true;
    };

    /** Lets everything end that lasts only seconds. */
    const expire = (): void => {
      nowMs += 5_000;
    };

    const take = async (step: Step): Promise<void> => {
      const actor = nodes[step.actor % nodes.length] as Node;
      const target = nodes[step.target % nodes.length] as Node;
      if (step.what === 'create') return create(actor, step);
      if (step.what === 'issue') return issue(actor, step);
      if (step.what === 'delegate' || step.what === 'delegateKeys') return delegate(actor, step);
      if (step.what === 'rotate') return rotate(actor, target);
      if (step.what === 'revokeKey') return revokeKey(actor, target);
      if (step.what === 'revokeUcan') return revokeUcan(actor, target);
      return expire();
    };

    /** Whether it opens anything says the service; whether it may, the model. */
    const judge = async (): Promise<void> => {
      for (const [index, node] of nodes.entries()) {
        const alive = isAlive(node);
        const { status, text } = await api.as(node.secret).get('/auth/keys');
        const why = `${index}: ${node.kind} ${node.scope}, ${alive ? 'alive' : 'dead'}: ${text}`;
        expect(status === 401, why).to.equal(!alive);
        if (alive) expect(status, why).to.equal(node.scope === 'full' ? 200 : 403);
      }
    };
    return { nodes, take, judge };
  };

  it('reaches no further than they do, along any chain', async function () {
    this.timeout(240_000);
    const chains = fc.array(Step, { minLength: 6, maxLength: 16, size: 'max' });
    await fc.assert(
      fc.asyncProperty(chains, async (steps) => {
        const { take, judge } = await world();
        for (const step of steps) {
          await take(step);
          await judge();
        }
      }),
      { seed: 20_261_122, numRuns: 20, endOnFailure: true },
    );
  });
});

describe('what credentials make', () => {
  const api = useService();

  it('is listed for the owner while it lives', async () => {
    const client = await api.register();
    type Listed = { cid: string; scope: Scope; kind: string };
    const listed = async () =>
      (await client.get<{ data: Listed[] }>('/api/identity/ucan')).body.data.map(({ cid }) => cid);
    const issue = async (key: string) =>
      (await api.as(key).post<IssuedJson>('/api/identity/ucan', { scope: 'send' })).body;
    const made = await client.post<NewKeyJson>('/auth/keys', { label: 'lent', scope: 'send' });
    const [own, other] = [await issue(client.key), await issue(made.body.api_key)];
    expect(await listed()).to.deep.equal([other.cid, own.cid]);
    const { body } = await client.get<{ data: Listed[] }>('/api/identity/ucan?limit=1');
    expect(body.data[0]).to.include({ scope: 'send', kind: 'root' });
    expect(JSON.stringify(body)).not.to.contain(other.token);
    await client.delete(`/auth/keys/${made.body.id}`);
    expect(await listed()).to.deep.equal([own.cid]);
    await client.post('/api/identity/ucan/revoke', { cid: own.cid });
    expect(await listed()).to.deep.equal([]);
    const reader = (await client.post<NewKeyJson>('/auth/keys', { label: 'r', scope: 'read' }))
      .body;
    expectProblem(
      await api.as(reader.api_key).get('/api/identity/ucan'),
      403,
      'scope_insufficient',
    );
  });

  it('is for an audience that is a DID', async () => {
    const client = await api.register();
    const smallOrder = 'did:key:z6LSbk5aAoXwzJDTW5Vk39nQDWxi7A6tQZH4Tr2ZzexXSBS7';
    for (const audience of ['did:a:b', 'did:key:zTjsVPtY', 'did:pkh:eip155:1:0xab16', smallOrder]) {
      const body = { scope: 'read', audience };
      for (const path of ['/api/identity/ucan', '/api/identity/delegate']) {
        expectProblem(await client.post(path, body), 422, 'validation_failed', '/audience');
      }
    }
  });

  it('is no key of the whole account, where a UCAN is for its keys only', async () => {
    const { account, ...client } = await api.register();
    const { body } = await client.post<IssuedJson>('/api/identity/delegate', {
      audience: 'did:key:z6MknGc3ocHs3zdPiJbnaaqDi58NGb4pk1Sp9WxWufuXSdxf',
      capabilities: { [`letters://${account.account_id}/keys`]: { 'letters/*': [{}] } },
      expires_in: 60,
    });
    const answer = await api
      .as(`ucan:${body.token}`)
      .post('/auth/keys', { label: 'wide', scope: 'full' });
    expectProblem(answer, 403, 'caveat_not_met');
  });

  it('takes over no key that outlives them', async () => {
    const { account, ...owner } = await api.register();
    const soon = new Date(Date.now() + 60_000).toISOString();
    const body = { label: 'lent', scope: 'full', expires_at: soon };
    const lent = (await owner.post<NewKeyJson>('/auth/keys', body)).body;
    const thief = api.as(lent.api_key);
    const rotated = await thief.post(`/auth/keys/${account.key_id}/rotate`, { revoke_now: true });
    expectProblem(rotated, 403, 'scope_insufficient');
    const itself = await thief.post<NewKeyJson>(`/auth/keys/${lent.id}/rotate`, {
      revoke_now: true,
    });
    expect([itself.status, itself.body.expires_at]).to.deep.equal([201, soon]);
  });

  it('ends in every process within a second', async function () {
    this.timeout(180_000);
    const { databaseUrl, dataDir, url } = api.service();
    const other = await startTestService({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir });
    try {
      const statusAt = async (base: string, secret: string): Promise<number> => {
        const headers = { Authorization: `Bearer ${secret}` };
        return (await fetch(`${base}/api/balance`, { headers })).status;
      };
      const revoke = async (): Promise<number> => {
        const { account: _, ...owner } = await api.register();
        const ucan = (await owner.post<IssuedJson>('/api/identity/ucan', { scope: 'full' })).body;
        const bearer = api.as(`ucan:${ucan.token}`);
        const key = (await bearer.post<NewKeyJson>('/auth/keys', { label: 'lent', scope: 'full' }))
          .body;
        const root = (
          await api.as(key.api_key).post<IssuedJson>('/api/identity/ucan', { scope: 'read' })
        ).body;
        const secrets = [key.api_key, `ucan:${root.token}`];
        for (const secret of secrets) {
          await until(async () => (await statusAt(other.url, secret)) === 200);
        }
        expect((await owner.post('/api/identity/ucan/revoke', { cid: ucan.cid })).status).to.equal(
          200,
        );
        return tookMs(async () => {
          for (const secret of secrets) {
            // While the read models are behind, the process refuses with 503.
            const statuses = new Set<number>();
            await until(async () => {
              statuses.add(await statusAt(url, secret));
              return statuses.has(401);
            });
            expect([...statuses]).to.not.include(200);
            await until(async () => (await statusAt(other.url, secret)) === 401);
          }
        });
      };
      expect(await leastOf(1_000, revoke)).to.be.below(1_000);
    } finally {
      await other.stop();
    }
  });
});
