import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { scopeCovers, scopes } from '../../contract/scopes.ts';
import {
  type Account,
  expectMembers,
  expectProblem,
  type KeyJson,
  type NewKeyJson,
  type RotatedKeyJson,
  type SettingsJson,
  until,
  useService,
} from '../support/client.ts';

const registered = [
  'api_key',
  'key_id',
  'prefix',
  'scope',
  'account_id',
  'mode',
  'message',
  'test',
];
const newKey = ['id', 'api_key', 'prefix', 'label', 'scope', 'created_at', 'expires_at', 'test'];
const listed = [
  ...['id', 'prefix', 'label', 'scope', 'created_at', 'last_used_at', 'expires_at'],
  ...['policy', 'made'],
];

describe('keys over HTTP', () => {
  const api = useService();
  type Client = Awaited<ReturnType<typeof api.register>>;

  const createKey = async (client: Client, body: object): Promise<NewKeyJson> => {
    const made = await client.post<NewKeyJson>('/auth/keys', { label: 'a key', ...body });
    expect(made.status, made.text).to.equal(201);
    return made.body;
  };

  const mustRefuse = async (key: string): Promise<void> => {
    const ended = expectProblem(await api.as(key).get('/api/balance'), 401, 'invalid_api_key');
    expect(ended.detail).to.contain('has ended').and.to.not.contain('/auth/register');
  };

  describe('registration', () => {
    for (const path of ['/auth/register', '/signup']) {
      it(`gives a full key at ${path}, of the mode that was asked for`, async () => {
        for (const mode of ['live', 'test'] as const) {
          const email = `${randomUUID()}@example.com`;
          const { status, body } = await api.call<Account>('POST', path, { email, mode });
          expect(status).to.equal(201);
          expectMembers(body, registered);
          expect(body.api_key).to.match(new RegExp(`^svc_${mode}_[0-9A-Za-z]{49}$`));
          expect(body.api_key.startsWith(body.prefix)).to.equal(true);
          expect(body).to.include({ scope: 'full', mode, test: mode === 'test' });
        }
      });
    }

    it('is live unless it is asked otherwise', async () => {
      const body = { email: `${randomUUID()}@example.com` };
      const answer = await api.call<Account>('POST', '/auth/register', body);
      expect(answer.body.mode).to.equal('live');
    });

    it('refuses an address that is registered, at either path and in any case', async () => {
      const { email } = await api.register();
      for (const path of ['/auth/register', '/signup']) {
        for (const written of [email, email.toUpperCase()]) {
          const again = await api.call('POST', path, { email: written, mode: 'test' });
          expectProblem(again, 409, 'email_registered');
        }
      }
    });

    it('names the field that is wrong', async () => {
      const cases: [object, string][] = [
        [{}, '/email'],
        [{ email: 'nobody' }, '/email'],
        [{ email: null }, '/email'],
        [{ email: 'a@example.com', mode: 'real' }, '/mode'],
        [{ email: 'a@example.com', admin: true }, '/admin'],
      ];
      for (const [body, pointer] of cases) {
        const answer = await api.call('POST', '/auth/register', body);
        expectProblem(answer, 422, 'validation_failed', pointer);
      }
    });

    it('gives an agent a send key, or the narrower one that it asks for', async () => {
      for (const [scope, expected] of [
        [undefined, 'send'],
        ['read', 'read'],
      ] as const) {
        const body = { agent_id: randomUUID(), agent_name: 'Mail agent', mode: 'test', scope };
        const answer = await api.call<Account>('POST', '/auth/agent', body);
        expect(answer.status).to.equal(201);
        expectMembers(answer.body, registered);
        expect(answer.body.scope).to.equal(expected);
        expect((await api.as(answer.body.api_key).balance()).balance).to.equal(100);
      }
    });

    it('gives no agent the name of an e-mail address, which nobody proved', async () => {
      for (const agent_id of [
        'ceo@example.com',
        ' CEO@Example.com ',
        'ceo@localhost',
        'ü@ü.example',
      ]) {
        const body = { agent_id, agent_name: 'Mail agent', mode: 'test' };
        const answer = await api.call('POST', '/auth/agent', body);
        expectProblem(answer, 422, 'validation_failed', '/agent_id');
      }
      for (const named of ['@mail-agent', 'mail agent @ work']) {
        const agent_id = `${named} ${randomUUID()}`;
        const body = { agent_id, agent_name: 'Mail agent', mode: 'test' };
        expect((await api.call('POST', '/auth/agent', body)).status).to.equal(201);
      }
    });

    it('knows the language of the mails, from the body, else from Accept-Language', async () => {
      for (const [path, name] of [
        ['/auth/register', 'email'],
        ['/signup', 'email'],
        ['/auth/agent', 'agent_id'],
      ] as const) {
        for (const [language, accepted, expected] of [
          ['fr', 'de', 'fr'],
          [undefined, 'de-AT, en;q=0.5', 'de'],
          [undefined, '*', undefined],
        ] as const) {
          const body = {
            [name]: name === 'email' ? `${randomUUID()}@example.com` : randomUUID(),
            mode: 'test',
            language,
            ...(name === 'agent_id' ? { agent_name: 'Agent' } : {}),
          };
          const headers = { 'Accept-Language': accepted };
          const made = await api.call<Account>('POST', path, body, { headers });
          expect(made.status, made.text).to.equal(201);
          const settings = await api.as(made.body.api_key).get<SettingsJson>('/api/settings');
          expect(settings.body.language, `${path} ${language} ${accepted}`).to.equal(expected);
        }
        const body = { [name]: 'a@example.com', language: 'xx', mode: 'test' };
        const refused = await api.call('POST', path, body);
        expectProblem(refused, 422, 'validation_failed', '/language');
      }
    });

    it('gives no agent a full key, and no two agents one agent_id', async () => {
      const body = { agent_id: randomUUID(), agent_name: 'Mail agent', mode: 'test' };
      const full = await api.call('POST', '/auth/agent', { ...body, scope: 'full' });
      expectProblem(full, 422, 'validation_failed', '/scope');
      expect((await api.call('POST', '/auth/agent', body)).status).to.equal(201);
      expectProblem(await api.call('POST', '/auth/agent', body), 409, 'agent_registered');
      for (const agent_id of ['ceo@example.com', ' ceo@example.com', 'a@b']) {
        const named = await api.call('POST', '/auth/agent', { agent_id, agent_name: 'A' });
        expectProblem(named, 422, 'validation_failed');
      }
    });
  });

  describe('creating and listing', () => {
    it('shows the secret once and the prefix from then on', async () => {
      const client = await api.register();
      const made = await createKey(client, { label: 'Billing', scope: 'read' });
      expectMembers(made, newKey);
      const { status, body, text } = await client.get<{ data: KeyJson[] }>('/auth/keys');
      expect(status).to.equal(200);
      expectMembers(body, ['data']);
      expect(body.data.map(({ label }) => label)).to.deep.equal(['Billing', 'registration']);
      for (const key of body.data) expectMembers(key, listed);
      const { api_key: _, test: __, ...shown } = made;
      const nothing = { letters: 0, drafts: 0, keys: 0, ucans: 0, contracts: 0 };
      const unused = { last_used_at: null, policy: shown.id, made: nothing };
      expect(body.data[0]).to.deep.equal({ ...shown, ...unused });
      expect(body.data[1]?.last_used_at).to.be.a('string');
      expect(text).not.to.contain(made.api_key).and.not.to.contain(client.key);
    });

    it('lists active keys only, of the own account only', async () => {
      const [client, other] = [await api.register(), await api.register()];
      const made = await createKey(client, { scope: 'read' });
      await client.delete(`/auth/keys/${made.id}`);
      const ids = async (of: Client) =>
        (await of.get<{ data: KeyJson[] }>('/auth/keys')).body.data.map(({ id }) => id);
      expect(await ids(client)).to.deep.equal([client.account.key_id]);
      expect(await ids(other)).to.deep.equal([other.account.key_id]);
    });

    it('refuses a key from the moment it expires', async () => {
      const client = await api.register();
      const expires_at = new Date(Date.now() + 4_000).toISOString();
      const made = await createKey(client, { scope: 'read', expires_at });
      expect(made.expires_at).to.equal(expires_at);
      const brief = api.as(made.api_key);
      expect((await brief.get('/api/balance')).status).to.equal(200);
      await until(async () => (await brief.get('/api/balance')).status === 401);
      expect(Date.now()).to.be.at.least(Date.parse(expires_at));
    });

    it('names the field that is wrong', async () => {
      const client = await api.register();
      const right = { label: 'x', scope: 'read' };
      const cases: [object, string][] = [
        [{ scope: 'read' }, '/label'],
        [{ ...right, label: '' }, '/label'],
        [{ ...right, label: 'x'.repeat(121) }, '/label'],
        [{ ...right, label: 'a\nb' }, '/label'],
        [{ ...right, label: 'a\u202eb' }, '/label'],
        [{ label: 'x' }, '/scope'],
        [{ ...right, scope: 'admin' }, '/scope'],
        [{ ...right, expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
        [{ ...right, expires_at: 'never' }, '/expires_at'],
        [{ ...right, expires_at: '9999-12-31T23:59:59-23:00' }, '/expires_at'],
      ];
      for (const [body, pointer] of cases) {
        expectProblem(await client.post('/auth/keys', body), 422, 'validation_failed', pointer);
      }
      const { body } = await client.get<{ data: KeyJson[] }>('/auth/keys');
      expect(body.data).to.have.length(1);
    });
  });

  describe('revoking and rotating', () => {
    it('refuses a revoked key at once, and answers a second time as the first', async () => {
      const client = await api.register();
      const made = await createKey(client, { scope: 'send' });
      expect((await api.as(made.api_key).get('/api/balance')).status).to.equal(200);
      const first = await client.delete<{ id: string; revoked_at: string }>(
        `/auth/keys/${made.id}`,
      );
      await mustRefuse(made.api_key);
      expect(first.status).to.equal(200);
      expectMembers(first.body, ['id', 'revoked_at']);
      const second = await client.delete(`/auth/keys/${made.id}`);
      expect(second.text).to.equal(first.text);
    });

    it('keeps the last full key, but not one of two', async () => {
      const client = await api.register();
      const own = `/auth/keys/${client.account.key_id}`;
      await createKey(client, { scope: 'send' });
      expectProblem(await client.delete(own), 409, 'last_full_key');
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      await createKey(client, { scope: 'full', expires_at });
      expectProblem(await client.delete(own), 409, 'last_full_key');
      const second = await createKey(client, { scope: 'full' });
      expect((await client.delete(own)).status).to.equal(200);
      await mustRefuse(client.key);
      expect((await api.as(second.api_key).get('/auth/keys')).status).to.equal(200);
    });

    it('replaces a key, at once if that is asked for, with label, scope and expiry as they were', async () => {
      const client = await api.register();
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      const old = await createKey(client, { label: 'CI', scope: 'read', expires_at });
      const rotated = await client.post<RotatedKeyJson>(`/auth/keys/${old.id}/rotate`, {
        revoke_now: true,
      });
      expect(rotated.status).to.equal(201);
      expectMembers(rotated.body, [...newKey, 'repeatable_until']);
      expect(rotated.body.repeatable_until).to.equal(null);
      expect(rotated.body).to.include({ label: 'CI', scope: 'read', expires_at });
      expect(rotated.body.id).not.to.equal(old.id);
      await mustRefuse(old.api_key);
      expect((await api.as(rotated.body.api_key).get('/api/balance')).status).to.equal(200);
      expectProblem(await client.post(`/auth/keys/${old.id}/rotate`), 409, 'key_revoked');
    });

    it('rotates the last full key, also by itself', async () => {
      const client = await api.register();
      const rotated = await client.post<NewKeyJson>(`/auth/keys/${client.account.key_id}/rotate`, {
        revoke_now: true,
      });
      expect(rotated.body.scope).to.equal('full');
      await mustRefuse(client.key);
      expect((await api.as(rotated.body.api_key).get('/auth/keys')).status).to.equal(200);
    });

    it('refuses a rotated key at once for everything but the repetition of its rotation', async () => {
      const client = await api.register();
      const id = client.account.key_id;
      const under = { 'Idempotency-Key': randomUUID() };
      const path = `/auth/keys/${id}/rotate`;
      const rotated = await client.post<RotatedKeyJson>(path, undefined, under);
      const until = Date.parse(rotated.body.repeatable_until ?? '');
      expect(until - Date.now()).to.be.within(590_000, 600_000);
      const { operations } = api.service().service;
      for (const { method, path: of, access, name } of operations) {
        if (access === 'public' || name === 'rotate_key' || name === 'rotate_own_key') continue;
        const filled = of
          .replace('{letter_id}', randomUUID())
          .replaceAll(/\{\w+\}/g, rotated.body.id);
        const answer = await api.call(method, filled, method === 'GET' ? undefined : {}, {
          key: client.key,
        });
        expect(answer.status, `${method} ${filled} ${answer.text}`).to.equal(401);
      }
      const again = await client.post<RotatedKeyJson>(path, undefined, under);
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
      expect(again.body.api_key).to.equal(rotated.body.api_key);
      expect(again.body.repeatable_until).to.equal(rotated.body.repeatable_until);
      expectProblem(await client.post(path), 401, 'invalid_api_key');
      const self = await client.post('/auth/keys/self/rotate', undefined, under);
      expectProblem(self, 401, 'invalid_api_key');
      const owner = api.as(rotated.body.api_key);
      expect((await owner.delete(`/auth/keys/${id}`)).status).to.equal(200);
      expectProblem(await client.post(path, undefined, under), 401, 'invalid_api_key');
    });

    it('repeats no other rotation for a rotated key, nor one that another key asked for', async () => {
      const client = await api.register();
      const other = await createKey(client, { scope: 'full' });
      const under = { 'Idempotency-Key': randomUUID() };
      const own = await client.post('/auth/keys/self/rotate', undefined, under);
      expect(own.status).to.equal(201);
      const path = `/auth/keys/${other.id}/rotate`;
      const target = await createKey({ ...client, ...api.as(other.api_key) }, { scope: 'read' });
      const byOther = await api
        .as(other.api_key)
        .post<RotatedKeyJson>(`/auth/keys/${target.id}/rotate`, undefined, under);
      expect(byOther.status, byOther.text).to.equal(201);
      expect(byOther.body.repeatable_until).to.equal(null);
      for (const key of [client.key, target.api_key]) {
        const answer = await api.as(key).post(`/auth/keys/${target.id}/rotate`, undefined, under);
        expectProblem(answer, 401, 'invalid_api_key');
        expectProblem(await api.as(key).post(path, undefined, under), 401, 'invalid_api_key');
      }
    });

    it('repeats the rotation of a key that expires, too', async () => {
      const client = await api.register();
      const expires_at = new Date(Date.now() + 60_000).toISOString();
      const old = await createKey(client, { scope: 'read', expires_at });
      const under = { 'Idempotency-Key': randomUUID() };
      const holder = api.as(old.api_key);
      const rotated = await holder.post<RotatedKeyJson>('/auth/keys/self/rotate', undefined, under);
      expect(rotated.body).to.include({ expires_at });
      const again = await holder.post<RotatedKeyJson>('/auth/keys/self/rotate', undefined, under);
      expect(again.body.api_key, again.text).to.equal(rotated.body.api_key);
    });

    it('answers a key that ends with none that a lasting one made under the same Idempotency-Key', async () => {
      const client = await api.register();
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      const lent = api.as((await createKey(client, { scope: 'full', expires_at })).api_key);
      const under = { 'Idempotency-Key': 'k' };
      const body = { label: 'x', scope: 'full' };
      const lasting = await client.post<NewKeyJson>('/auth/keys', body, under);
      const ending = await lent.post<NewKeyJson>('/auth/keys', body, under);
      expect(ending.body.api_key).not.to.equal(lasting.body.api_key);
      expect(ending.body.expires_at).to.equal(expires_at);
      const issued = await client.post<{ cid: string }>(
        '/api/identity/ucan',
        { scope: 'read' },
        under,
      );
      const lentUcan = await lent.post<{ cid: string }>(
        '/api/identity/ucan',
        { scope: 'read' },
        under,
      );
      expect(lentUcan.status, lentUcan.text).to.equal(201);
      expect(lentUcan.body.cid).not.to.equal(issued.body.cid);
    });

    for (const scope of ['send', 'read'] as const) {
      it(`lets a ${scope} key revoke and rotate itself, and no other key`, async () => {
        const client = await api.register();
        const other = await createKey(client, { scope: 'read' });
        const own = async () => {
          const made = await createKey(client, { scope });
          return { ...api.as(made.api_key), id: made.id };
        };
        const narrow = await own();
        for (const [method, path] of [
          ['DELETE', `/auth/keys/${other.id}`],
          ['DELETE', `/auth/keys/${client.account.key_id}`],
          ['POST', `/auth/keys/${other.id}/rotate`],
        ] as const) {
          const answer = await api.call(method, path, undefined, { key: narrow.key });
          expectProblem(answer, 403, 'scope_insufficient');
        }
        const rotated = await narrow.post<NewKeyJson>('/auth/keys/self/rotate', {
          revoke_now: true,
        });
        expect(rotated.body.scope, rotated.text).to.equal(scope);
        await mustRefuse(narrow.key);
        const next = api.as(rotated.body.api_key);
        const byId = await next.post<NewKeyJson>(`/auth/keys/${rotated.body.id}/rotate`, {});
        expect(byId.status, byId.text).to.equal(201);
        expect((await api.as(byId.body.api_key).delete('/auth/keys/self')).status).to.equal(200);
        await mustRefuse(byId.body.api_key);
        const last = await own();
        expect((await last.delete(`/auth/keys/${last.id}`)).status).to.equal(200);
        await mustRefuse(last.key);
      });
    }

    it('answers no key with what another one got by rotating itself under the same Idempotency-Key', async () => {
      const client = await api.register();
      const narrow = api.as((await createKey(client, { scope: 'read' })).api_key);
      const under = { 'Idempotency-Key': 'rotate' };
      const full = await client.post<NewKeyJson>('/auth/keys/self/rotate', undefined, under);
      const read = await narrow.post<NewKeyJson>('/auth/keys/self/rotate', undefined, under);
      expect([full.body.scope, read.body.scope]).to.deep.equal(['full', 'read']);
    });

    it('keeps the last full key from itself, too', async () => {
      const client = await api.register();
      expectProblem(await client.delete('/auth/keys/self'), 409, 'last_full_key');
    });

    it('ends with a key what it made, and what that made, when that is asked for', async () => {
      const client = await api.register();
      const leaked = await createKey(client, { scope: 'full' });
      const made = await createKey({ ...client, ...api.as(leaked.api_key) }, { scope: 'full' });
      const deeper = await createKey({ ...client, ...api.as(made.api_key) }, { scope: 'send' });
      const kept = await createKey(client, { scope: 'send' });
      const { body, text } = await client.delete<{ also_revoked: string[] }>(
        `/auth/keys/${leaked.id}?revoke_issued=true`,
      );
      expect(body.also_revoked, text).to.have.members([made.id, deeper.id]);
      for (const { api_key: key } of [leaked, made, deeper]) await mustRefuse(key);
      expect((await api.as(kept.api_key).get('/api/balance')).status).to.equal(200);
    });

    it('ends what somebody rotated a leaked key to, and others with it, though the key is over', async () => {
      const client = await api.register();
      const other = await createKey(client, { scope: 'send' });
      const leaked = await createKey(client, { scope: 'full' });
      const thief = { ...client, ...api.as(leaked.api_key) };
      const rotate = async (by: { post: Client['post'] }, id: string) =>
        (await by.post<RotatedKeyJson>(`/auth/keys/${id}/rotate`, { revoke_now: true })).body;
      const taken = await rotate(thief, other.id);
      const next = await rotate(thief, leaked.id);
      const made = await createKey({ ...client, ...api.as(next.api_key) }, { scope: 'full' });
      const { body, text } = await client.delete<{ also_revoked: string[] }>(
        `/auth/keys/${leaked.id}?revoke_issued=true`,
      );
      expect(body.also_revoked, text).to.have.members([taken.id, next.id, made.id]);
      for (const { api_key: key } of [taken, next, made]) await mustRefuse(key);
      expect((await client.get('/api/balance')).status).to.equal(200);
    });

    it("does not know another account's key, nor an id that no key has", async () => {
      const [client, other] = [await api.register(), await api.register()];
      const { key_id: id } = other.account;
      expectProblem(await client.delete(`/auth/keys/${id}`), 404, 'key_not_found');
      expectProblem(await client.post(`/auth/keys/${id}/rotate`), 404, 'key_not_found');
      expectProblem(await client.delete('/auth/keys/nonsense'), 404, 'not_found');
      expect((await other.get('/api/balance')).status).to.equal(200);
    });
  });

  describe('scopes', () => {
    const pathOf = (template: string): string =>
      template
        .replace('{country}', 'DE')
        .replace('/keys/{id}', `/keys/key_${randomUUID().replaceAll('-', '')}`)
        .replace(/\{\w+\}/, randomUUID());

    /** With scope send a caller may only ask for it, with `request_approval`. */
    const onlyAsked = 'delete_policy';
    it('lets each operation be done by the scopes that contain its own, and by no other', async () => {
      const client = await api.register();
      const keys = {
        full: client.key,
        send: (await createKey(client, { scope: 'send' })).api_key,
        read: (await createKey(client, { scope: 'read' })).api_key,
      };
      for (const { name, method, path, access } of api.service().service.operations) {
        if (access === 'public' || access === 'auth') continue;
        const body = method === 'GET' || method === 'DELETE' ? undefined : {};
        const nobody = await api.call(method, pathOf(path), body);
        const { detail } = expectProblem(nobody, 401, 'authentication_required');
        expect(detail).to.contain('POST /auth/register');
        expect(nobody.headers.get('www-authenticate')).to.match(/^Bearer /);
        for (const scope of scopes) {
          const key = keys[scope];
          const { status, body: answer } = await api.call(method, pathOf(path), body, { key });
          const refused = status === 403 && answer.code === 'scope_insufficient';
          const needed = name === onlyAsked ? 'full' : access;
          expect(refused, `${name} with ${scope}`).to.equal(!scopeCovers(scope, needed));
          expect(status, `${name} with ${scope}`).not.to.equal(401);
        }
      }
    });

    it('has the scope for each operation that the specification demands', () => {
      const access = Object.fromEntries(
        api.service().service.operations.map((one) => [`${one.method} ${one.path}`, one.access]),
      );
      expect(access).to.include({
        'GET /': 'public',
        'GET /health': 'public',
        'GET /x402': 'public',
        'GET /auth/scopes': 'public',
        'POST /auth/register': 'public',
        'POST /auth/agent': 'public',
        'POST /signup': 'public',
        'GET /openapi.json': 'public',
        'POST /auth/keys': 'full',
        'GET /auth/keys': 'full',
        'DELETE /auth/keys/{id}': 'full',
        'POST /auth/keys/{id}/rotate': 'full',
        'GET /api/services/{country}': 'read',
        'POST /api/quote': 'read',
        'POST /api/send': 'send',
        'GET /api/letters': 'read',
        'GET /api/letters/{id}': 'read',
        'PATCH /api/letters/{id}': 'send',
        'POST /api/letters/{id}/cancel': 'send',
        'DELETE /api/letters/{id}': 'send',
        'GET /api/track/{letter_id}': 'read',
        'GET /api/proof/{letter_id}': 'read',
        'GET /api/balance': 'read',
        'GET /api/settings': 'read',
        'PUT /api/settings': 'full',
        'GET /api/notifications': 'read',
      });
    });

    it('refuses what is no key, with the reason in WWW-Authenticate', async () => {
      const { key } = await api.register();
      const last = key.endsWith('a') ? 'b' : 'a';
      for (const wrong of [
        `${key.slice(0, -1)}${last}`,
        `${key}x`,
        'svc_live_',
        'x'.repeat(9000),
      ]) {
        const answer = await api.as(wrong).get('/api/balance');
        expectProblem(answer, 401, 'invalid_api_key');
        expect(answer.headers.get('www-authenticate')).to.contain('error="invalid_token"');
        expect(answer.text).not.to.contain(wrong);
      }
      const basic = await api.call('GET', '/api/balance', undefined, {
        headers: { Authorization: 'Basic YTpi' },
      });
      expectProblem(basic, 401, 'authentication_required');
    });
  });
});
