import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Static } from 'typebox';
import { listen } from '../../http/listen.ts';
import { ed25519FromSeed } from '../../identity/keys.ts';
import { type Capabilities, issueUcan } from '../../identity/ucan/token.ts';
import { addJob } from '../../infra/jobs/add-job.ts';
import { createLogger } from '../../infra/log.ts';
import { IssuedUcan, type UcanVerdict } from '../../presenters/ucan.ts';
import { readConfig } from '../../service/config/config.ts';
import { startService } from '../../service/run/compose.ts';
import {
  type Answer,
  expectMembers,
  expectProblem,
  letterTo,
  type ProblemJson,
  type Sent,
  until,
  useService,
} from '../support/client.ts';
import { ecdsaIssuer, respelt } from '../support/ecdsa-ucan.ts';
import { creditWallet, verifyLog } from '../support/foundation.ts';
import { leastOf, tookMs } from '../support/least-of.ts';
import { signRevocation } from '../support/sign-revocation.ts';

type Issued = Static<typeof IssuedUcan>;
type Verdict = Static<typeof UcanVerdict>;
type Refusal = ProblemJson & { reason?: string; cid?: string; prf?: string[] };

const agent = ed25519FromSeed(Buffer.alloc(32, 21));
const subAgent = ed25519FromSeed(Buffer.alloc(32, 22));
const inAnHour = (): number => Math.floor(Date.now() / 1_000) + 3_600;

const refused = (answer: Answer<unknown>, reason: string): Refusal => {
  const problem = expectProblem(answer as Answer<ProblemJson>, 401, 'ucan_invalid') as Refusal;
  expect(problem.reason).to.equal(reason);
  return problem;
};

const ok = <T>(answer: Answer<T>, status = 201): T => {
  expect(answer.status, answer.text).to.equal(status);
  return answer.body;
};

const usingUcans = (env: Record<string, string> = {}) => {
  const { service, call, as, register } = useService(env);
  const issue = async (key: string, body: object, headers?: Record<string, string>) =>
    ok(await call<Issued>('POST', '/api/identity/ucan', body, { key, headers }));
  const delegate = async (key: string, body: object, headers?: Record<string, string>) =>
    ok(await call<Issued>('POST', '/api/identity/delegate', body, { key, headers }));
  const revoke = (key: string, body: object) =>
    call<{ by: string }>('POST', '/api/identity/ucan/revoke', body, { key });
  const verify = async (body: object) =>
    ok(await call<Verdict>('POST', '/api/identity/verify-ucan', body), 200);
  const withToken = (token: string) => as(`ucan:${token}`);
  const rich = async (mode: 'live' | 'test' = 'test') => {
    const account = await register(mode);
    await creditWallet(
      service().service.foundation.commands,
      account.account.account_id,
      500_000_000n,
    );
    return account;
  };
  /** A token for the agent with these caveats on sending (and reading, where `read` says so). */
  const caveated = (
    account: { key: string; account: { account_id: string } },
    caveats: object[],
    read: object[] = [{}],
  ) =>
    delegate(account.key, {
      audience: agent.did,
      capabilities: {
        [`letters://${account.account.account_id}/`]: {
          'letters/send': caveats,
          'letters/read': read,
        },
      },
    });
  return {
    service,
    call,
    as,
    register,
    issue,
    delegate,
    revoke,
    verify,
    withToken,
    rich,
    caveated,
  };
};

describe('UCAN tokens over HTTP', () => {
  const {
    service,
    call,
    as,
    register,
    issue,
    delegate,
    revoke,
    verify,
    withToken,
    rich,
    caveated,
  } = usingUcans();

  describe('issuing', () => {
    it('answers with a token that works in place of a key, with its scope', async () => {
      const account = await rich();
      const before = Date.now();
      const issued = await issue(account.key, { scope: 'send' });
      expectMembers(issued, Object.keys(IssuedUcan.properties));
      expect(issued.scope).to.equal('send');
      expect(issued.proofs).to.deep.equal([]);
      const begunAt = Date.parse(issued.expires_at ?? '') - 86_400_000;
      expect(begunAt).to.be.within(before - 1_000, Date.now());
      const bearer = withToken(issued.token);
      const sent = await bearer.send();
      expect((await bearer.letter(sent.letter_id)).letter_id).to.equal(sent.letter_id);
      expect((await account.letter(sent.letter_id)).letter_id).to.equal(sent.letter_id);
      expectProblem(
        await bearer.put('/api/settings', { webhook_url: null }),
        403,
        'scope_insufficient',
      );
    });

    it('gives each scope what a key with it has', async () => {
      const account = await rich();
      const read = withToken((await issue(account.key, { scope: 'read' })).token);
      expect((await read.get('/api/letters')).status).to.equal(200);
      expectProblem(await read.post('/api/send', letterTo('DE')), 403, 'scope_insufficient');
      const full = withToken((await issue(account.key, { scope: 'full' })).token);
      await full.send();
      expect((await full.put('/api/settings', { webhook_url: null })).status).to.equal(200);
      const lasting = await full.put('/api/settings', { webhook_url: 'https://shop.example/h' });
      expect(lasting.body.code).to.equal('scope_insufficient');
      expect((await full.get('/auth/keys')).status).to.equal(200);
    });

    it('makes keys that do not outlive the token, and no new roots', async () => {
      const account = await register();
      const issued = await issue(account.key, { scope: 'full', expires_in: 600 });
      const full = withToken(issued.token);
      const key = await full.post<{ expires_at: string }>('/auth/keys', {
        label: 'k',
        scope: 'read',
      });
      expect(Date.parse(ok(key).expires_at)).to.be.at.most(Date.parse(issued.expires_at ?? ''));
      const again = await full.post('/api/identity/ucan', { scope: 'read' });
      expectProblem(again, 403, 'scope_insufficient');
    });

    it('never gives more than the key that asks', async () => {
      const account = await register();
      const key = await account.post<{ api_key: string }>('/auth/keys', {
        label: 'k',
        scope: 'read',
      });
      const reader = as(ok(key).api_key);
      const answer = await reader.post('/api/identity/ucan', { scope: 'send' });
      expectProblem(answer, 403, 'scope_insufficient');
      const delegated = { audience: agent.did, scope: 'send' };
      expectProblem(
        await reader.post('/api/identity/delegate', delegated),
        403,
        'scope_insufficient',
      );
    });

    it('bounds the lifetime', async () => {
      const account = await register();
      for (const seconds of [0, 90 * 86_400 + 1, 1.5]) {
        const body = { scope: 'read', expires_in: seconds };
        const answer = await account.post('/api/identity/ucan', body);
        expectProblem(answer, 422, 'validation_failed', '/expires_in');
      }
    });

    it('gives the same token for the same Idempotency-Key, and refuses another request under it', async () => {
      const account = await register();
      const headers = { 'Idempotency-Key': randomUUID() };
      const first = await issue(account.key, { scope: 'read' }, headers);
      const again = await account.post<Issued>('/api/identity/ucan', { scope: 'read' }, headers);
      expect(ok(again)).to.deep.equal(first);
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
      const other = await account.post('/api/identity/ucan', { scope: 'send' }, headers);
      expectProblem(other, 422, 'idempotency_key_reused');
      const both = { 'Idempotency-Key': randomUUID() };
      const body = { audience: agent.did, scope: 'read' };
      const [a, b] = await Promise.all(
        [1, 2].map(() => account.post<Issued>('/api/identity/delegate', body, both)),
      );
      const winner = a?.status === 201 ? a : b;
      const third = await account.post<Issued>('/api/identity/delegate', body, both);
      expect(ok(third)).to.deep.equal(winner?.body);
    });

    it('forgets what it kept to repeat an answer when it repeats it no more, and says so', async () => {
      const account = await register();
      const { storage, keys } = service().service.foundation;
      const db = storage.readDb;
      const headers = { 'Idempotency-Key': randomUUID() };
      const body = { audience: agent.did, scope: 'read' };
      const before = await storage.store.head();
      const issued = await delegate(account.key, body, headers);
      const events = await storage.store.readAll({ after: before });
      const subject = events.find(({ type }) => type === 'UcanRequested')?.stream as string;
      const waits = async (): Promise<boolean> => {
        const { rowCount } = await db.query(
          `select from work.jobs
           where task = 'forget-answer' and key = $1 and run_at > now() + interval '9 minutes'`,
          [subject],
        );
        return rowCount === 1;
      };
      await until(waits);
      expect(await keys.dataKeys.get(subject)).not.to.equal(undefined);

      await addJob(db, 'forget-answer', { subject }, { key: subject });
      await until(async () => (await keys.dataKeys.get(subject)) === undefined);
      const again = await account.post('/api/identity/delegate', body, headers);
      expectProblem(again, 409, 'secret_not_repeated');
      expect(again.text).to.contain('new Idempotency-Key').and.not.to.contain(issued.token);
      const other = { ...body, scope: 'send' };
      const reused = await account.post('/api/identity/delegate', other, headers);
      expectProblem(reused, 422, 'idempotency_key_reused');
      expect((await verify({ token: issued.token })).valid).to.equal(true);
    });

    it('keeps tokens sealed in the store', async () => {
      const account = await register();
      const issued = await issue(
        account.key,
        { scope: 'read' },
        { 'Idempotency-Key': randomUUID() },
      );
      const { store } = service().service.foundation.storage;
      const events = await store.readStream(`ucan-${issued.cid}`);
      expect(events.length).to.equal(1);
      const all = await store.readAll({ after: 0n, limit: 10_000 });
      const text = JSON.stringify(all, (_key, value) =>
        typeof value === 'bigint' ? `${value}` : value,
      );
      expect(text).to.include(issued.cid);
      expect(text).to.not.include(issued.token.split('.')[2]);
    });

    it('works on live accounts', async () => {
      const account = await rich('live');
      const issued = await issue(account.key, { scope: 'send' });
      const sent = await withToken(issued.token).post<Sent>('/api/send', letterTo('DE'));
      expect(ok(sent).test).to.equal(false);
    });
  });

  describe('showing', () => {
    it('refuses what is no token, is changed or has expired, with the code of the check', async () => {
      const account = await register();
      const malformed = await withToken('x').get('/api/letters');
      refused(malformed, 'malformed');
      expect(malformed.text).to.contain('"A token has three parts with full stops between them."');
      const { token } = await issue(account.key, { scope: 'read', expires_in: 1 });
      refused(await withToken(`${token}=`).get('/api/letters'), 'malformed');
      refused(await withToken(`${token}A`).get('/api/letters'), 'signature');
      await until(async () => {
        const answer = await withToken(token).get('/api/letters');
        return answer.status === 401 && (answer.body as Refusal).reason === 'expired';
      });
    });

    it('says how to send a token that comes without its prefix', async () => {
      const account = await register();
      const { token } = await issue(account.key, { scope: 'read' });
      for (const authorization of [`Bearer ${token}`, `ucan:${token}`, token]) {
        const answer = await call('GET', '/api/letters', undefined, { headers: { authorization } });
        expect(answer.status).to.equal(401);
        expect(answer.body.detail).to.contain('Authorization: Bearer ucan:');
      }
    });

    it('refuses roots that anybody makes for an account', async () => {
      const account = await register();
      const cap = { [`letters://${account.account.account_id}/`]: { 'letters/*': [{}] } };
      const forged = issueUcan({ aud: agent.did, exp: inAnHour(), cap }, agent);
      const { status, headers } = await withToken(forged.token).get('/api/letters');
      expect([status, headers.get('www-authenticate')]).to.deep.equal([
        401,
        'Bearer realm="letters", error="invalid_token"',
      ]);
      refused(await withToken(forged.token).get('/api/letters'), 'invalid_delegation');
    });

    it('takes proofs in the header ucans and finds its own, and names those that are missing', async () => {
      const account = await rich();
      const given = await delegate(account.key, { audience: agent.did, scope: 'send' });
      const cap = { [`letters://${account.account.account_id}/`]: { 'letters/read': [{}] } };
      const exp = inAnHour();
      const middle = issueUcan({ aud: subAgent.did, exp, cap, prf: [given.cid] }, agent);
      const leaf = issueUcan({ aud: agent.did, exp, cap, prf: [middle.cid] }, subAgent);
      const bearer = withToken(leaf.token);
      const problem = expectProblem(await bearer.get('/api/letters'), 401, 'missing_proofs');
      expect((problem as Refusal).prf).to.deep.equal([middle.cid]);
      const headers = { ucans: `${middle.token}, ${given.token}` };
      expect((await bearer.get('/api/letters', headers)).status).to.equal(200);
      const more = await bearer.post('/api/send', letterTo('DE'), headers);
      expectProblem(more, 403, 'scope_insufficient');
      const wrong = { ucans: given.token };
      expectProblem(await bearer.get('/api/letters', wrong), 401, 'missing_proofs');
    });

    it('counts a token that is meant for the service as one write', async () => {
      const account = await rich();
      const { token, cid } = await delegate(account.key, { audience: agent.did, scope: 'send' });
      expect(token).to.be.a('string');
      const { did } = service().service.foundation.keys.serviceKeys.identity();
      const cap: Capabilities = {
        [`letters://${account.account.account_id}/`]: {
          'letters/read': [{}],
          'letters/send': [{}],
        },
      };
      const invoke = (nnc: string) =>
        withToken(issueUcan({ aud: did, exp: inAnHour(), cap, nnc, prf: [cid] }, agent).token);
      const once = invoke('one');
      const headers = { 'Idempotency-Key': randomUUID() };
      const first = ok(await once.post<Sent>('/api/send', letterTo('DE'), headers));
      const repeated = ok(await once.post<Sent>('/api/send', letterTo('DE'), headers));
      expect(repeated.letter_id).to.equal(first.letter_id);
      refused(await once.post('/api/send', letterTo('DE')), 'replayed');
      expect((await once.get('/api/letters')).status).to.equal(200);
      const asking = invoke('dry run');
      ok(await asking.post('/api/send', letterTo('DE', { dry_run: true })), 200);
      ok(await asking.post('/api/send', letterTo('DE', { dry_run: false })));
      refused(await asking.post('/api/send', letterTo('DE')), 'replayed');
      const race = invoke('two');
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => race.post('/api/send', letterTo('DE'))),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 401, 401, 401, 401]);
    });

    it('counts it once, too, when its signature is written in the other way that ECDSA has', async () => {
      const account = await rich();
      const caller = ecdsaIssuer('ES256');
      const { cid } = await delegate(account.key, { audience: caller.did, scope: 'send' });
      const { did } = service().service.foundation.keys.serviceKeys.identity();
      const cap = { [`letters://${account.account.account_id}/`]: { 'letters/send': [{}] } };
      const { token } = caller.issue({ aud: did, exp: inAnHour(), cap, prf: [cid] });
      await withToken(token).send();
      const again = withToken(respelt('ES256', token).token);
      refused(await again.post('/api/send', letterTo('DE')), 'replayed');
    });
  });

  describe('delegating', () => {
    it('goes from account to agent to sub-agent, and ends with a revocation within a second', async () => {
      const [owner, middleman] = [await rich(), await register()];
      const middleDid = ok(await middleman.post<{ did: string }>('/api/identity/did', {}));
      const root = await issue(owner.key, { scope: 'send' });
      const first = await delegate(owner.key, {
        audience: middleDid.did,
        cid: root.cid,
        scope: 'send',
      });
      expect(first.proofs).to.deep.equal([root.token]);
      expect(first.scope).to.equal('send');
      // The middleman delegates its own rights, with the key of its own DID.
      const second = await delegate(middleman.key, {
        audience: agent.did,
        token: first.token,
        scope: 'read',
        expires_in: 86_400 * 30,
      });
      expect(second.proofs, 'the root is not the middleman’s to show').to.deep.equal([first.token]);
      expect(Date.parse(second.expires_at ?? '')).to.equal(Date.parse(first.expires_at ?? ''));
      const sent = await withToken(first.token).send();
      expect((await withToken(second.token).letter(sent.letter_id)).letter_id).to.equal(
        sent.letter_id,
      );
      const verdict = await verify({ token: second.token });
      expect([verdict.valid, verdict.scope, verdict.chain.length]).to.deep.equal([true, 'read', 3]);
      expect(verdict.root_issuer).to.equal(
        service().service.foundation.keys.serviceKeys.signingKey('ucan').did,
      );

      expectProblem(await revoke(owner.key, { cid: randomCid() }), 404, 'ucan_not_found');
      const stranger = await register();
      expectProblem(await revoke(stranger.key, { cid: first.cid }), 403, 'revocation_not_allowed');
      expectProblem(
        await revoke(`ucan:${second.token}`, { cid: first.cid }),
        403,
        'revocation_not_allowed',
      );
      ok(await revoke(owner.key, { cid: first.cid }), 200);
      refused(await withToken(first.token).get('/api/letters'), 'revoked');
      const dead = refused(await withToken(second.token).get('/api/letters'), 'revoked');
      expect(dead.cid).to.equal(first.cid);
      expect((await withToken(root.token).get('/api/letters')).status).to.equal(200);
      ok(await revoke(owner.key, { cid: first.cid }), 200);
      ok(await revoke(owner.key, { cid: root.cid }), 200);
      refused(await withToken(root.token).get('/api/letters'), 'revoked');
    });

    it('never escalates', async () => {
      const account = await register();
      const id = account.account.account_id;
      const parent = await issue(account.key, { scope: 'read', expires_in: 600 });
      const path = '/api/identity/delegate';
      const base = { audience: agent.did, token: parent.token };
      const wider = await account.post(path, { ...base, scope: 'send' });
      expectProblem(wider, 403, 'delegation_escalates');
      for (const cap of [
        { [`letters://${id}/`]: { 'letters/*': [{}] } },
        { 'letters://acct_other/': { 'letters/read': [{}] } },
        { [`letters://${id}/../x/`]: { 'letters/read': [{}] } },
      ]) {
        const answer = await account.post(path, { ...base, capabilities: cap });
        expectProblem(answer, 403, 'delegation_escalates');
      }
      const others = { 'letters://acct_other/': { 'letters/read': [{}] } };
      const asRoot = await account.post(path, { audience: agent.did, capabilities: others });
      expectProblem(asRoot, 403, 'delegation_escalates');
      const unknown = { [`letters://${id}/`]: { 'letters/read': [{ weekday: 'monday' }] } };
      const odd = await account.post(path, { audience: agent.did, capabilities: unknown });
      const { detail } = expectProblem(odd, 422, 'validation_failed', '/capabilities');
      expect(detail).to.match(
        /^weekday is not a known caveat\. The caveats are letter_id, countries/,
      );
      const deep = { x: JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`) };
      const nested = await account.post(
        path,
        { audience: agent.did, capabilities: { [`letters://${id}/`]: { 'letters/read': [deep] } } },
        { 'Idempotency-Key': randomUUID() },
      );
      expect(nested.status).to.equal(422);
      const none = await account.post(path, { audience: agent.did });
      expectProblem(none, 422, 'validation_failed', '/scope');
      const longer = await delegate(account.key, { ...base, scope: 'read', expires_in: 86_400 });
      expect(longer.expires_at).to.equal(parent.expires_at);
    });

    it('refuses capabilities that no request can use', async () => {
      const account = await register();
      const resource = `letters://${account.account.account_id}/`;
      const capabilities: [object, RegExp][] = [
        [{ 'letters/send': [{ countries: ['DE', 'de'] }] }, /countries contains "de".* US, FR, GB/],
        [{ 'letters/send': [{ countries: ['UK'] }] }, /countries contains "UK"/],
        [{ 'letters/read': [{ services: ['DE'] }] }, /services contains "DE"/],
        [{ 'letters/send': [{ intents: ['urgent'] }] }, /intents contains "urgent"/],
        [{ 'letters/read': [{ letter_id: 'x' }] }, /letter_id is "x", which is not the id/],
        [{ 'letters/send': [{ max_letters: 0 }] }, /max_letters must be at least 1/],
        [{ send: [{}] }, /^send is not an ability\. .*letters\/send/],
        [{ 'letters/sending': [{}] }, /^letters\/sending is not an ability/],
      ];
      for (const [abilities, expected] of capabilities) {
        const answer = await account.post('/api/identity/delegate', {
          audience: agent.did,
          capabilities: { [resource]: abilities },
        });
        const { detail } = expectProblem(answer, 422, 'validation_failed', '/capabilities');
        expect(detail).to.match(expected);
      }
    });

    it('refuses resources that no request is about, and takes those that the guide names', async () => {
      const account = await register();
      const whole = `letters://${account.account.account_id}/`;
      const ask = (part: string) =>
        account.post('/api/identity/delegate', {
          audience: agent.did,
          capabilities: { [whole + part]: { 'letters/read': [{}] } },
        });
      for (const part of [`letters/${randomUUID()}`, 'letter', 'letter/x', 'wallets', 'wallet/']) {
        const answer = await ask(part);
        const { detail } = expectProblem(answer, 422, 'validation_failed', '/capabilities');
        expect(detail).to.contain(`${whole}letter/<letter_id>, ${whole}wallet`);
      }
      const id = randomUUID();
      const known = ['', 'letter/', `letter/${id}`, `letter/${id.toUpperCase()}`];
      for (const part of [...known, 'wallet', 'settings', 'keys']) {
        expect((await ask(part)).status, part).to.equal(201);
      }
    });

    it('refuses tokens that are not valid or are somebody else’s', async () => {
      const account = await register();
      const path = '/api/identity/delegate';
      const bad = await account.post(path, { audience: agent.did, scope: 'read', token: 'a.b.c' });
      expect((expectProblem(bad, 422, 'delegation_invalid') as Refusal).reason).to.equal(
        'malformed',
      );
      const theirs = await issue(account.key, { scope: 'read', audience: agent.did });
      const body = { audience: subAgent.did, scope: 'read', token: theirs.token };
      expectProblem(await account.post(path, body), 422, 'delegation_invalid');
      const missing = { audience: subAgent.did, scope: 'read', cid: randomCid() };
      expectProblem(await account.post(path, missing), 404, 'ucan_not_found');
    });

    it('lets the bearer of a token delegate that token only, and shows it no proofs of others', async () => {
      const account = await rich();
      const wide = await issue(account.key, { scope: 'full' });
      const narrow = await issue(account.key, { scope: 'read' });
      const bearer = withToken(narrow.token);
      const path = '/api/identity/delegate';
      const other = { audience: agent.did, scope: 'read', cid: wide.cid };
      expectProblem(await bearer.post(path, other), 403, 'scope_insufficient');
      const more = { audience: agent.did, scope: 'send' };
      expectProblem(await bearer.post(path, more), 403, 'delegation_escalates');
      const made = ok(await bearer.post<Issued>(path, { audience: agent.did, scope: 'read' }));
      expect(made.proofs).to.deep.equal([narrow.token]);
      expect((await withToken(made.token).get('/api/letters')).status).to.equal(200);
    });

    it('takes revocations signed by an issuer who keeps its key itself', async () => {
      const account = await rich();
      const given = await delegate(account.key, { audience: agent.did, scope: 'read' });
      const cap = { [`letters://${account.account.account_id}/`]: { 'letters/read': [{}] } };
      const exp = inAnHour();
      const leaf = issueUcan({ aud: subAgent.did, exp, cap, prf: [given.cid] }, agent);
      const bearer = withToken(leaf.token);
      expect((await bearer.get('/api/letters')).status).to.equal(200);
      const { iss, challenge } = signRevocation(leaf.cid, agent);
      const body = { cid: leaf.cid, token: leaf.token, iss, challenge };
      const wrong = { ...body, ...signRevocation(leaf.cid, subAgent) };
      const refusedBody = {
        cid: wrong.cid,
        token: wrong.token,
        iss: wrong.iss,
        challenge: wrong.challenge,
      };
      expectProblem(
        await revoke(`ucan:${given.token}`, { ...refusedBody }),
        403,
        'revocation_not_allowed',
      );
      expectProblem(
        await revoke(account.key, { cid: leaf.cid, iss }),
        422,
        'validation_failed',
        '/challenge',
      );
      expect(ok(await revoke(`ucan:${given.token}`, body), 200).by).to.equal(agent.did);
      refused(await bearer.get('/api/letters'), 'revoked');
    });
  });

  describe('caveats', () => {
    it('limit countries, services and intents of sends, quotes and reads', async () => {
      const account = await rich();
      const french = await account.send(letterTo('FR'));
      const { token } = await caveated(account, [{ countries: ['DE'] }], [{ countries: ['DE'] }]);
      const bearer = withToken(token);
      const german = await bearer.send();
      expectProblem(await bearer.post('/api/send', letterTo('FR')), 403, 'caveat_not_met');
      expect((await bearer.post('/api/quote', { to_country: 'DE', pages: 1 })).status).to.equal(
        200,
      );
      const quote = await bearer.post('/api/quote', { to_country: 'FR', pages: 1 });
      expectProblem(quote, 403, 'caveat_not_met');
      const pictureOf = async (country: 'DE' | 'FR') => {
        const quoted = await account.post<{ preview_url: string }>('/api/quote', letterTo(country));
        return bearer.get(new URL(quoted.body.preview_url).pathname);
      };
      expect((await pictureOf('DE')).status).to.equal(200);
      expectProblem(await pictureOf('FR'), 403, 'caveat_not_met');
      expect((await bearer.get(`/api/letters/${german.letter_id}`)).status).to.equal(200);
      expectProblem(await bearer.get(`/api/track/${french.letter_id}`), 403, 'caveat_not_met');
      // A list cannot honour it.
      expectProblem(await bearer.get('/api/letters'), 403, 'caveat_not_met');
      const tracked = await caveated(account, [
        { intents: ['legal_compliance'], services: ['de_standardbrief'] },
      ]);
      expectProblem(
        await withToken(tracked.token).post('/api/send', letterTo('DE')),
        403,
        'caveat_not_met',
      );
    });

    it('limit the total of a letter, with nothing left reserved', async () => {
      const account = await rich();
      const sent = await account.send();
      const before = await account.balance();
      const cents = Math.round(sent.price.total * 100);
      const limit = (max: number) => caveated(account, [{ max_total_minor: max, currency: 'USD' }]);
      const under = await limit(cents - 1);
      const answer = await withToken(under.token).post('/api/send', letterTo('DE'));
      expectProblem(answer, 403, 'caveat_not_met');
      await until(async () => (await account.balance()).available === before.available);
      await withToken((await limit(cents)).token).send();
    });

    it('limit the number of letters, also of all delegations together and at the same time', async () => {
      const account = await rich();
      const { token, cid } = await caveated(account, [{ max_letters: 3 }]);
      const cap = {
        [`letters://${account.account.account_id}/`]: { 'letters/send': [{ max_letters: 3 }] },
      };
      const child = (nnc: string) =>
        withToken(
          issueUcan({ aud: subAgent.did, exp: inAnHour(), cap, nnc, prf: [cid] }, agent).token,
        );
      const bearers = [withToken(token), child('a'), child('b')];
      const answers = await Promise.all(
        Array.from({ length: 9 }, (_, n) =>
          (bearers[n % 3] ?? withToken(token)).post('/api/send', letterTo('DE')),
        ),
      );
      expect(answers.filter(({ status }) => status === 201).length).to.equal(3);
      const others = answers.filter(({ status }) => status !== 201);
      for (const answer of others) expectProblem(answer, 403, 'caveat_not_met');
      const each = (answers.find(({ status }) => status === 201)?.body as unknown as Sent).price
        .total;
      // Money held by a refused attempt is given back before its answer; the read model follows.
      await until(async () => Math.abs((await account.balance()).held - 3 * each) < 0.001);
    });

    it('let a token cancel the letters that it sent, and no others', async () => {
      const account = await rich();
      const { token, cid } = await caveated(account, [{ countries: ['DE'], max_letters: 3 }]);
      const cap = {
        [`letters://${account.account.account_id}/`]: {
          'letters/send': [{ countries: ['DE'], max_letters: 1 }],
        },
      };
      const bearer = withToken(token);
      const child = withToken(
        issueUcan({ aud: subAgent.did, exp: inAnHour(), cap, prf: [cid] }, agent).token,
      );
      const [own, of, others] = [await bearer.send(), await child.send(), await account.send()];
      const cancel = (by: typeof bearer, { letter_id: id }: Sent) =>
        by.post(`/api/letters/${id}/cancel`);
      for (const [by, letter] of [
        [bearer, others],
        [child, others],
        [child, own],
      ] as const) {
        const { detail } = expectProblem(await cancel(by, letter), 403, 'caveat_not_met');
        expect(detail).to.contain('only letters that were paid for under it');
      }
      expect((await cancel(child, of)).status).to.equal(200);
      expect((await cancel(bearer, of)).status, 'again').to.equal(200);
      expect((await cancel(bearer, own)).status).to.equal(200);
      expectProblem(
        await cancel(bearer, { ...own, letter_id: randomUUID() }),
        404,
        'letter_not_found',
      );
      const french = await account.send(letterTo('FR'));
      const { token: german } = await caveated(account, [{ countries: ['DE'] }]);
      expectProblem(await cancel(withToken(german), french), 403, 'caveat_not_met');
      expect((await cancel(withToken(german), others)).status).to.equal(200);
    });

    it('limit a token to one letter', async () => {
      const account = await rich();
      const [one, two] = [await account.send(), await account.send()];
      const { token } = await caveated(
        account,
        [{ letter_id: one.letter_id }],
        [{ letter_id: one.letter_id }],
      );
      const bearer = withToken(token);
      expect((await bearer.get(`/api/letters/${one.letter_id}`)).status).to.equal(200);
      expectProblem(await bearer.get(`/api/letters/${two.letter_id}`), 403, 'caveat_not_met');
      expectProblem(await bearer.post('/api/send', letterTo('DE')), 403, 'caveat_not_met');
      expectProblem(
        await bearer.post(`/api/letters/${two.letter_id}/cancel`),
        403,
        'caveat_not_met',
      );
      expect((await bearer.post(`/api/letters/${one.letter_id}/cancel`)).status).to.equal(200);
    });

    it('limit a token to a part of the account', async () => {
      const account = await rich();
      const sent = await account.send();
      const { token } = await delegate(account.key, {
        audience: agent.did,
        capabilities: {
          [`letters://${account.account.account_id}/letter/${sent.letter_id}`]: {
            'letters/read': [{}],
          },
        },
      });
      const bearer = withToken(token);
      expect((await bearer.get(`/api/letters/${sent.letter_id}`)).status).to.equal(200);
      expectProblem(await bearer.get('/api/letters'), 403, 'caveat_not_met');
      expectProblem(await bearer.get('/api/balance'), 403, 'caveat_not_met');
    });

    it('that nobody here understands refuse the use', async () => {
      const account = await rich();
      const given = await delegate(account.key, { audience: agent.did, scope: 'send' });
      const cap = {
        [`letters://${account.account.account_id}/`]: { 'letters/send': [{ weekday: 'monday' }] },
      };
      const leaf = issueUcan({ aud: subAgent.did, exp: inAnHour(), cap, prf: [given.cid] }, agent);
      const answer = await withToken(leaf.token).post('/api/send', letterTo('DE'));
      expectProblem(answer, 403, 'caveat_not_met');
    });

    it('are kept by a change of a letter', async () => {
      const account = await rich();
      const { token } = await caveated(account, [{ countries: ['DE'] }]);
      const bearer = withToken(token);
      const sent = await bearer.send();
      const path = `/api/letters/${sent.letter_id}`;
      expect((await bearer.patch(path, { to_name: 'Berta Muster' })).status).to.equal(200);
      const french = await account.send(letterTo('FR'));
      const other = await bearer.patch(`/api/letters/${french.letter_id}`, { to_name: 'B' });
      expectProblem(other, 403, 'caveat_not_met');
    });
  });

  describe('verifying', () => {
    it('reports every check, whatever the token is', async () => {
      const verdict = await verify({ token: 'nonsense' });
      expect(verdict.valid).to.equal(false);
      expect(verdict.errors.map(({ code }) => code)).to.deep.equal(['malformed']);
      expect(verdict.checks.map(({ ok: passed }) => passed)).to.deep.equal([
        false,
        ...Array.from({ length: 7 }, () => null),
      ]);
      const foreign = issueUcan(
        { aud: agent.did, exp: null, cap: { 'mailto:a@example.com': { 'email/send': [{}] } } },
        subAgent,
      );
      const valid = await verify({ token: foreign.token });
      expect([valid.valid, valid.scope, valid.expires_at, valid.revoked]).to.deep.equal([
        true,
        null,
        null,
        false,
      ]);
    });

    it('says what to leave out of a token that is written as in Authorization', async () => {
      const account = await register();
      const { token } = await issue(account.key, { scope: 'read' });
      const { valid, errors } = await verify({ token: `ucan:${token}` });
      expect([valid, errors[0]?.code]).to.deep.equal([false, 'malformed']);
      expect(errors[0]?.detail).to.contain('Leave out "ucan:"');
    });

    it('judges the audience where one is given', async () => {
      const account = await register();
      const { token } = await issue(account.key, { scope: 'read', audience: agent.did });
      expect((await verify({ token, audience: agent.did })).valid).to.equal(true);
      const verdict = await verify({ token, audience: subAgent.did });
      expect(verdict.errors.map(({ code }) => code)).to.deep.equal(['wrong_audience']);
    });

    it('takes proofs in the body and names the missing ones', async () => {
      const exp = inAnHour();
      const cap = { 'mailto:a@example.com': { 'email/send': [{}] } };
      const proof = issueUcan({ aud: agent.did, exp, cap }, subAgent);
      const leaf = issueUcan({ aud: subAgent.did, exp, cap, prf: [proof.cid] }, agent);
      const without = await verify({ token: leaf.token });
      expect([without.valid, without.missing_proofs]).to.deep.equal([false, [proof.cid]]);
      expect((await verify({ token: leaf.token, proofs: [proof.token] })).valid).to.equal(true);
    });

    it('refuses a body without a token', async () => {
      const answer = await call('POST', '/api/identity/verify-ucan', {});
      expectProblem(answer, 422, 'validation_failed', '/token');
    });
  });

  it('an agent is not answered with what its owner got under the same Idempotency-Key', async () => {
    const account = await register();
    const headers = { 'Idempotency-Key': 'order-1' };
    const body = { audience: agent.did, scope: 'send' };
    await delegate(account.key, body, headers);
    const narrow = await issue(account.key, { scope: 'read' });
    const answer = await withToken(narrow.token).post('/api/identity/delegate', body, headers);
    expectProblem(answer, 403, 'delegation_escalates');
    const keys = expectProblem(
      await withToken(narrow.token).get('/auth/keys'),
      403,
      'scope_insufficient',
    );
    expect(keys.detail).to.match(/with scope "full"; this UCAN has scope "read"\.$/);
    const key = ok(
      await account.post<{ api_key: string }>('/auth/keys', { label: 'k', scope: 'read' }),
    );
    const reader = await as(key.api_key).post('/api/identity/delegate', body, headers);
    expectProblem(reader, 403, 'scope_insufficient');
  });

  it('a narrow key does not have a wider token of its account passed on, by name or as a whole', async () => {
    const account = await register();
    const wide = await issue(account.key, { scope: 'full' });
    for (const scope of ['read', 'send']) {
      const key = ok(await account.post<{ api_key: string }>('/auth/keys', { label: 'k', scope }));
      for (const resource of ['ucan:*', 'ucan:./*', `ucan:${wide.cid}`, 'storage:box']) {
        const answer = await as(key.api_key).post('/api/identity/delegate', {
          audience: agent.did,
          cid: wide.cid,
          capabilities: { [resource]: { 'ucan/*': [{}] } },
        });
        expectProblem(answer, 403, 'scope_insufficient');
      }
    }
    const all = { 'ucan:*': { 'ucan/*': [{}] } };
    const body = { audience: agent.did, cid: wide.cid, capabilities: all };
    const passedOn = await delegate(account.key, body);
    expect((await withToken(passedOn.token).get('/auth/keys')).status).to.equal(200);
  });

  it('a narrow key is shown no proofs that give more than it has', async () => {
    const account = await register();
    const wide = await issue(account.key, { scope: 'full' });
    const key = ok(
      await account.post<{ api_key: string }>('/auth/keys', { label: 'k', scope: 'read' }),
    );
    const body = { audience: agent.did, cid: wide.cid, scope: 'read' };
    const narrow = await delegate(key.api_key, body);
    expect(narrow.proofs).to.deep.equal([]);
    expect((await withToken(narrow.token).get('/api/letters')).status).to.equal(200);
    expect((await delegate(account.key, body)).proofs).to.deep.equal([wide.token]);
    const { did } = ok(await account.post<{ did: string }>('/api/identity/did', {}), 200);
    const given = await delegate(account.key, { audience: agent.did, scope: 'full' });
    const cap = { [`letters://${account.account.account_id}/`]: { 'letters/read': [{}] } };
    const leaf = issueUcan({ aud: did, exp: inAnHour(), cap, prf: [given.cid] }, agent);
    const passedOn = await delegate(key.api_key, { ...body, cid: undefined, token: leaf.token });
    expect(passedOn.proofs).to.deep.equal([leaf.token]);
  });

  it('a token does not get hold of a key or secret that outlives it', async () => {
    const account = await register();
    const full = await issue(account.key, { scope: 'full' });
    const bearer = withToken(full.token);
    const { data } = ok(await bearer.get<{ data: { id: string }[] }>('/auth/keys'), 200);
    const rotated = await bearer.post(`/auth/keys/${data[0]?.id}/rotate`);
    expectProblem(rotated, 403, 'scope_insufficient');
    const body = { label: 'k', scope: 'full' };
    const headers = { 'Idempotency-Key': randomUUID() };
    const own = ok(await account.post<{ api_key: string }>('/auth/keys', body, headers));
    const made = ok(
      await bearer.post<{ api_key: string; expires_at: string }>('/auth/keys', body, headers),
    );
    expect(made.api_key).to.not.equal(own.api_key);
    expect(made.expires_at).to.be.a('string');
    const webhook = { url: 'https://example.com/audit' };
    const path = '/api/identity/audit/subscribe';
    const first = await account.post<{ secret: string }>(path, webhook, headers);
    // Asking for the same webhook again returns the existing one, without its secret.
    const again = await bearer.post<{ secret?: string }>(path, webhook, headers);
    expect(ok(again, 200).secret).to.equal(undefined);
    const other = { url: 'https://example.com/other' };
    const second = await bearer.post<{ secret: string }>(path, other, headers);
    expect(ok(second).secret).to.not.equal(ok(first).secret);
  });

  it('a delegation is listed, and revoked, also if a proof of it was not issued here', async () => {
    const [owner, last] = [await register(), await register()];
    const { did } = ok(await last.post<{ did: string }>('/api/identity/did', {}));
    const first = await delegate(owner.key, { audience: agent.did, scope: 'read' });
    const cap = { [`letters://${owner.account.account_id}/`]: { 'letters/read': [{}] } };
    const own = issueUcan({ aud: did, exp: inAnHour(), cap, prf: [first.cid] }, agent);
    const wish = { audience: subAgent.did, scope: 'read', token: own.token };
    const second = await delegate(last.key, wish);
    const listed = async () =>
      ok(await last.get<{ data: { cid: string }[] }>('/api/identity/ucan'), 200).data.map(
        ({ cid }) => cid,
      );
    expect(await listed()).to.deep.equal([second.cid]);
    ok(await revoke(last.key, { cid: second.cid }), 200);
    expect(await listed()).to.deep.equal([]);
  });

  it('a delegation is revoked also after its account took another DID', async () => {
    const [owner, middleman] = [await register(), await register()];
    const { did } = ok(await middleman.post<{ did: string }>('/api/identity/did', {}));
    const first = await delegate(owner.key, { audience: did, scope: 'send' });
    const passedOn = { audience: agent.did, token: first.token, scope: 'read' };
    const second = await delegate(middleman.key, passedOn);
    const read = () => withToken(second.token).get('/api/letters');
    ok(await read(), 200);
    const wish = { did: subAgent.did };
    const asked = ok(await middleman.post<{ challenge: string }>('/api/identity/did', wish), 202);
    const signature = subAgent.sign(asked.challenge).toString('base64url');
    const proof = { ...wish, challenge: asked.challenge, signature };
    ok(await middleman.post('/api/identity/did', proof));
    const stranger = await register();
    expectProblem(
      (await revoke(stranger.key, { cid: second.cid })) as never,
      403,
      'revocation_not_allowed',
    );
    expect(ok(await revoke(middleman.key, { cid: second.cid }), 200).by).to.equal(did);
    await until(async () => (await read()).status === 401);
  });

  it('a token for the service counts as one write, also after the service got another DID', async () => {
    const account = await rich();
    const { serviceKeys } = service().service.foundation.keys;
    const { did } = serviceKeys.identity();
    const { cid } = await delegate(account.key, { audience: agent.did, scope: 'send' });
    const cap = { [`letters://${account.account.account_id}/`]: { 'letters/send': [{}] } };
    const { token } = issueUcan({ aud: did, exp: inAnHour(), cap, prf: [cid] }, agent);
    ok(await withToken(token).post('/api/send', letterTo('DE')));
    await serviceKeys.rotate(['credential']);
    expect(serviceKeys.identity().did).to.not.equal(did);
    // With another header the token is judged anew.
    const again = await withToken(token).post('/api/send', letterTo('DE'), { ucans: token });
    refused(again, 'replayed');
  });

  it('roots outlive a rotation of the service’s key, and end with its revocation', async () => {
    const account = await register();
    const { serviceKeys } = service().service.foundation.keys;
    const before = serviceKeys.activeKey('ucan');
    const old = serviceKeys.signingKey('ucan');
    const { token } = await issue(account.key, { scope: 'send' });
    const rules = [
      { id: 'all', effect: 'allow' },
      { id: 'ask', effect: 'hold' },
    ];
    ok(await account.put('/api/policy', { rules }), 200);
    const waiting = ok(
      await withToken(token).post<{ approval_id: string }>('/api/send', letterTo('DE')),
      202,
    );
    await serviceKeys.rotate(['ucan']);
    expect((await withToken(token).get('/api/letters')).status).to.equal(200);
    // A holder of the retired key cannot make new roots with it: the log does not know them.
    const cap = { [`letters://${account.account.account_id}/`]: { 'letters/*': [{}] } };
    const forged = issueUcan({ aud: agent.did, exp: inAnHour(), cap }, old);
    refused(await withToken(forged.token).get('/api/letters'), 'invalid_delegation');
    const fresh = await issue(account.key, { scope: 'read' });
    await serviceKeys.revoke(before.keyId, 0);
    await until(async () => (await withToken(token).get('/api/letters')).status === 401);
    const approve = `/api/approvals/${waiting.approval_id}/approve`;
    expectProblem(await account.post(approve), 409, 'key_revoked');
    expect((await withToken(fresh.token).get('/api/letters')).status).to.equal(200);
  });

  it('a revocation holds in another process within a second', async () => {
    const account = await register();
    const { databaseUrl, dataDir } = service();
    const config = readConfig({
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      ROLES: 'read-api,write-api',
      LIMIT_RATE_PER_CREDENTIAL: '0',
    });
    const lines: string[] = [];
    const log = createLogger({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const other = await startService(config, log, 'http://localhost');
    const listening = await listen(other.app, 0, { host: '127.0.0.1' });
    try {
      const revokeOne = async (): Promise<number> => {
        const { token, cid } = await issue(account.key, { scope: 'read' });
        const read = async () =>
          (
            await fetch(`${listening.url}/api/letters`, {
              headers: { Authorization: `Bearer ucan:${token}` },
            })
          ).status;
        await until(async () => (await read()) === 200);
        ok(await revoke(account.key, { cid }), 200);
        const took = await tookMs(() => until(async () => (await read()) === 401));
        const said = lines.join('');
        expect(said)
          .to.include('UCAN refused')
          .and.to.include('"reason":"revoked"')
          .and.to.include(cid);
        expect(said, 'the token stays out of the log').to.not.include(token.split('.')[2]);
        return took;
      };
      expect(await leastOf(1_000, revokeOne)).to.be.below(1_000);
    } finally {
      await listening.stop();
      await other.stop();
    }
  });

  describe('afterwards', () => {
    it('the log verifies, sealed parts and all', async () => {
      expect(await verifyLog(service().service.foundation)).to.deep.equal([]);
    });
  });
});

describe('UCAN tokens where the audience is strict', () => {
  const { service, register, issue, delegate, withToken } = usingUcans({
    UCAN_STRICT_AUDIENCE: 'true',
  });

  it('are refused unless they are meant for the service', async () => {
    const account = await register();
    const { token } = await issue(account.key, { scope: 'read' });
    refused(await withToken(token).get('/api/letters'), 'wrong_audience');
    const given = await delegate(account.key, { audience: agent.did, scope: 'read' });
    const cap = { [`letters://${account.account.account_id}/`]: { 'letters/read': [{}] } };
    const { did } = service().service.foundation.keys.serviceKeys.identity();
    const leaf = issueUcan({ aud: did, exp: inAnHour(), cap, prf: [given.cid] }, agent);
    expect((await withToken(leaf.token).get('/api/letters')).status).to.equal(200);
  });
});

describe('UCAN tokens where the rate is limited', () => {
  const { call, register, issue } = usingUcans({
    LIMIT_RATE_PER_CREDENTIAL: '4',
    LIMIT_RATE_WINDOW_SECONDS: '600',
  });

  it('are charged to the account, as its keys are, whatever proofs they name', async () => {
    const account = await register();
    const root = await issue(account.key, { scope: 'read', audience: agent.did });
    const cap = { [`letters://${account.account.account_id}/`]: { 'letters/read': [{}] } };
    const exp = inAnHour();
    const statuses: number[] = [];
    for (let count = 0; count < 5; count++) {
      const other = issueUcan({ aud: agent.did, exp, cap: {}, nnc: randomUUID() }, agent);
      const leaf = issueUcan({ aud: subAgent.did, exp, cap, prf: [other.cid, root.cid] }, agent);
      const options = { key: `ucan:${leaf.token}`, headers: { ucans: other.token } };
      statuses.push((await call('GET', '/api/letters', undefined, options)).status);
    }
    // The first of the four was the key's.
    expect(statuses).to.deep.equal([200, 200, 200, 429, 429]);
  });
});

/** The CID of a token that does not exist. */
const randomCid = (): string =>
  issueUcan({ aud: agent.did, exp: 1, cap: {}, nnc: randomUUID() }, agent).cid;
