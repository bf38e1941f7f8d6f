import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { decodeJWT } from 'did-jwt';
import { verifyPresentation } from 'did-jwt-vc';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { parseDid } from '../../identity/did.ts';
import { didKeyDocument } from '../../identity/did-key.ts';
import { ed25519FromSeed } from '../../identity/keys.ts';
import { expectMembers, expectProblem, type PageOf, until, useService } from '../support/client.ts';

type Did = { did: string; document: { id: string }; created: boolean; custody: string };
type Challenge = { did: string; challenge: string; expires_at: string };
type Credential = {
  id: string;
  type: string;
  letter_id: string | null;
  sequence: number;
  log_index: number;
  credential: string;
};
type Presented = {
  presentation: string;
  bound: boolean;
  expires_at: string;
  warnings: { code: string; detail: string }[];
};

describe('the caller’s DID over HTTP', () => {
  const api = useService();
  const path = '/api/identity/did';

  /** Signs the challenge for `did` and sets it. */
  const setOwn = async (
    client: Awaited<ReturnType<typeof api.register>>,
    did: string,
    sign: (text: string) => string | Promise<string>,
  ) => {
    const asked = await client.post<Challenge>(path, { did });
    expect(asked.status, asked.text).to.equal(202);
    const { challenge } = asked.body;
    return client.post<Did>(path, { did, challenge, signature: await sign(challenge) });
  };

  it('makes one whose key the service keeps, once', async () => {
    const client = await api.register();
    const made = await client.post<Did>(path, {});
    expect(made.status, made.text).to.equal(201);
    expectMembers(made.body, ['did', 'document', 'created', 'custody']);
    const { did } = made.body;
    expect(did).to.match(/^did:key:z6Mk/);
    expect(made.body).to.include({ created: true, custody: 'service' });
    expect(made.body.document).to.deep.equal(didKeyDocument(parseDid(did)));
    const again = await client.post<Did>(path, {});
    expect(again.status).to.equal(200);
    expect(again.body).to.deep.include({ did, created: false });
    const other = await (await api.register()).post<Did>(path, {});
    expect(other.body.did).not.to.equal(did);
  });

  it('gives two who ask at once the same one', async () => {
    const client = await api.register();
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.post<Did>(path, {})));
    expect(new Set(answers.map(({ body }) => body.did)).size).to.equal(1);
    expect(answers.filter(({ body }) => body.created)).to.have.length(1);
  });

  it('takes a did:key of the caller that signs its challenge, in place of the kept one', async () => {
    const client = await api.register();
    const kept = (await client.post<Did>(path, {})).body.did;
    const own = ed25519FromSeed(randomBytes(32));
    const set = await setOwn(client, own.did, (text) => own.sign(text).toString('base64url'));
    expect(set.status, set.text).to.equal(201);
    expect(set.body).to.include({ did: own.did, custody: 'self', created: true });
    expect((await client.post<Did>(path, {})).body.did)
      .to.equal(own.did)
      .and.not.to.equal(kept);
    expect((await client.post<Did>(path, { did: own.did })).body.created).to.equal(false);
  });

  it('takes a did:pkh whose wallet signs the challenge', async () => {
    const client = await api.register();
    const wallet = privateKeyToAccount(generatePrivateKey());
    const did = `did:pkh:eip155:8453:${wallet.address}`;
    const set = await setOwn(client, did, (message) => wallet.signMessage({ message }));
    expect(set.status, set.text).to.equal(201);
    expect(set.body.did).to.equal(did);
    const other = privateKeyToAccount(generatePrivateKey());
    const mallory = await api.register();
    const stolen = await setOwn(mallory, did, (message) => other.signMessage({ message }));
    expectProblem(stolen, 422, 'did_control_not_proved', '/signature');
  });

  it('takes a challenge once, for one account and one DID', async () => {
    const client = await api.register();
    const mallory = await api.register();
    const [own, next] = [ed25519FromSeed(randomBytes(32)), ed25519FromSeed(randomBytes(32))];
    const { challenge } = (await client.post<Challenge>(path, { did: own.did })).body;
    const signature = own.sign(challenge).toString('base64url');
    const answer = { did: own.did, challenge, signature };
    expectProblem(await mallory.post(path, answer), 422, 'did_challenge_invalid', '/challenge');
    const wrong = {
      did: next.did,
      challenge,
      signature: next.sign(challenge).toString('base64url'),
    };
    expectProblem(await client.post(path, wrong), 422, 'did_challenge_invalid', '/challenge');
    const bad = { ...answer, signature: next.sign(challenge).toString('base64url') };
    expectProblem(await client.post(path, bad), 422, 'did_control_not_proved', '/signature');
    expect((await client.post(path, answer)).status).to.equal(201);
    const set = await setOwn(client, next.did, (text) => next.sign(text).toString('base64url'));
    expect(set.status).to.equal(201);
    expectProblem(await client.post(path, answer), 422, 'did_challenge_invalid', '/challenge');
  });

  it('refuses a DID that cannot sign, half an answer, and a key that is not full', async () => {
    const client = await api.register();
    const x25519 = 'did:key:z6LSeu9HkTHSfLLeUs2nnzUSNedgDUevfNQgQjQC23ZCit6F';
    expectProblem(await client.post(path, { did: x25519 }), 422, 'did_control_not_proved', '/did');
    const tezos = 'did:pkh:tezos:NetXdQprcVkpaWU:tz1TzrmTBSuiVHV2VfMnGRMYvTEPCP42oSM8';
    expectProblem(await client.post(path, { did: tezos }), 422, 'did_control_not_proved', '/did');
    expectProblem(
      await client.post(path, { did: 'did:key:zTjsVPtY' }),
      422,
      'did_control_not_proved',
      '/did',
    );
    const { did } = ed25519FromSeed(randomBytes(32));
    expectProblem(
      await client.post(path, { did, challenge: 'x' }),
      422,
      'validation_failed',
      '/signature',
    );
    expectProblem(
      await client.post(path, { challenge: 'x', signature: 'y' }),
      422,
      'validation_failed',
      '/did',
    );
    const made = await client.post<{ api_key: string }>('/auth/keys', {
      label: 'narrow',
      scope: 'send',
    });
    const narrow = api.as(made.body.api_key);
    expectProblem(await narrow.post(path, { did }), 403, 'scope_insufficient');
    expect((await narrow.post(path, {})).status).to.equal(201);
    expectProblem(await api.call('POST', path, {}), 401, 'authentication_required');
  });
});

describe('credentials and presentations over HTTP', () => {
  const api = useService();
  type Client = Awaited<ReturnType<typeof api.register>>;
  const list = async (client: Client, query = '') =>
    (await client.get<PageOf<Credential>>(`/api/identity/credentials${query}`)).body;
  const present = '/api/identity/presentation';

  const issued = async (client: Client, letterId: string, count: number) => {
    await until(async () => (await list(client, `?letter_id=${letterId}`)).data.length >= count);
    return (await list(client, `?letter_id=${letterId}`)).data;
  };

  it('lists what was issued to the caller, newest first, by letter and by what happened', async () => {
    const client = await api.register();
    const { did } = (await client.post<Did>('/api/identity/did', {})).body;
    const { letter_id } = await client.send();
    await client.advance(letter_id, { to: 'posted' });
    const credentials = await issued(client, letter_id, 3);
    expect(credentials.map(({ sequence }) => sequence)).to.deep.equal(
      credentials.map((_, index) => credentials.length - index),
    );
    const first = credentials.at(-1);
    expect(first).to.include({ type: 'letter.queued', letter_id });
    const { payload } = decodeJWT(first?.credential ?? '');
    expect(payload.jti).to.equal(first?.id);
    expect(payload.vc.credentialSubject.customer).to.equal(did);
    const posted = await list(client, `?letter_id=${letter_id}&type=letter.posted`);
    expect(posted.data.map(({ type }) => type)).to.deep.equal(['letter.posted']);
    expect((await list(client, '?type=letter.drafted')).data).to.deep.equal([]);
    // Notifications are called otherwise.
    for (const type of ['letter.processing', 'letter.deleted', 'letter.draft']) {
      const answer = await client.get(`/api/identity/credentials?type=${type}`);
      const { detail } = expectProblem(answer, 422, 'validation_failed', '/query/type');
      expect(detail).to.contain('letter.processing_started').and.contain('letter.erased');
    }
    for (const type of ['wallet.credited', 'account.deleted']) {
      const answer = await client.get(`/api/identity/credentials?type=${type}`);
      const { detail } = expectProblem(answer, 422, 'validation_failed', '/query/type');
      expect(detail).to.contain(`No event is called ${type}`);
    }
    const reserved = await list(client, '?type=wallet.funds_reserved');
    expect(new Set(reserved.data.map(({ type }) => type))).to.deep.equal(
      new Set(['wallet.funds_reserved']),
    );
    const all: Credential[] = [];
    let page = await list(client, '?limit=2');
    for (; ; page = await list(client, `?limit=2&cursor=${page.next_cursor}`)) {
      all.push(...page.data);
      if (!page.has_more) break;
    }
    expect(all.map(({ log_index }) => log_index)).to.deep.equal(
      all.map(({ log_index }) => log_index).toSorted((a, b) => b - a),
    );
    expect(all.map(({ type }) => type)).to.include.members(['account.registered', 'letter.posted']);
    expectProblem(await client.get('/api/identity/credentials?cursor=x'), 422, 'invalid_cursor');
    const stranger = await api.register();
    expect((await list(stranger, `?letter_id=${letter_id}`)).data).to.deep.equal([]);
  });

  it('bundles credentials into a presentation that did-jwt-vc verifies', async () => {
    const client = await api.register();
    const { did } = (await client.post<Did>('/api/identity/did', {})).body;
    const { letter_id } = await client.send();
    const [credential] = await issued(client, letter_id, 1);
    const made = await client.post<Presented>(present, {
      credential_ids: [credential?.id],
      challenge: 'nonce-1',
      domain: 'https://verifier.example',
    });
    expect(made.status, made.text).to.equal(200);
    expectMembers(made.body, ['presentation', 'bound', 'expires_at', 'warnings']);
    expect(made.body).to.deep.include({ bound: true, warnings: [] });
    const didDocument = didKeyDocument(parseDid(did)) as never;
    const resolved = { didDocument, didDocumentMetadata: {}, didResolutionMetadata: {} };
    const verified = await verifyPresentation(
      made.body.presentation,
      { resolve: async () => resolved },
      { challenge: 'nonce-1', domain: 'https://verifier.example' },
    );
    const { payload, verifiablePresentation } = verified;
    expect(verifiablePresentation.holder).to.equal(did);
    expect(payload.vp.verifiableCredential).to.deep.equal([credential?.credential]);
    expect(Number(payload.exp) - Number(payload.nbf)).to.equal(600);
    expect(Date.parse(made.body.expires_at)).to.equal(Number(payload.exp) * 1_000);
    expect(decodeJWT(made.body.presentation).header).to.deep.include({
      alg: 'EdDSA',
      kid: `${did}#${did.slice('did:key:'.length)}`,
    });
    const unbound = await client.post<Presented>(present, {
      credentials: [credential?.credential],
    });
    expect(unbound.body.bound).to.equal(false);
    expect(unbound.body.warnings.map(({ code }) => code)).to.deep.equal(['unbound']);
    expect(decodeJWT(unbound.body.presentation).payload.nonce).to.match(/^[0-9a-f-]{36}$/);
  });

  it('warns of credentials that are from before the DID, which verifiers refuse', async () => {
    const client = await api.register();
    const early = (await client.send()).letter_id;
    const [before] = await issued(client, early, 1);
    await client.post('/api/identity/did', {});
    const late = (await client.send()).letter_id;
    const [after] = await issued(client, late, 1);
    const judged = async (ids: (string | undefined)[], challenge: string) => {
      const { body } = await client.post<Presented>(present, { credential_ids: ids, challenge });
      const verdict = await api.call<{ valid: boolean }>('POST', '/api/identity/verify-vc', {
        credential: body.presentation,
        challenge,
      });
      return { warnings: body.warnings, valid: verdict.body.valid };
    };
    expect(await judged([after?.id], 'one')).to.deep.equal({ warnings: [], valid: true });
    const { warnings, valid } = await judged([after?.id, before?.id], 'two');
    expect(valid).to.equal(false);
    expect(warnings.map(({ code }) => code)).to.deep.equal(['not_the_holders']);
    expect(warnings[0]?.detail).to.contain(before?.id).and.not.contain(after?.id);
  });

  it('makes a presentation for a long domain that verify-vc compares', async () => {
    const client = await api.register();
    await client.post('/api/identity/did', {});
    const [credential] = await issued(client, (await client.send()).letter_id, 1);
    const occasion = { challenge: 'long', domain: `https://verifier.example/${'a'.repeat(600)}` };
    const made = await client.post<Presented>(present, {
      credential_ids: [credential?.id],
      ...occasion,
    });
    const verdict = await api.call<{ valid: boolean }>('POST', '/api/identity/verify-vc', {
      credential: made.body.presentation,
      ...occasion,
    });
    expect([verdict.status, verdict.body.valid], verdict.text).to.deep.equal([200, true]);
  });

  it('presents nobody else’s credentials, none that was changed, and not more than fifty', async () => {
    const client = await api.register();
    const { letter_id } = await client.send();
    const [credential] = await issued(client, letter_id, 1);
    const mallory = await api.register();
    const jwt = credential?.credential ?? '';
    for (const body of [
      { credential_ids: [credential?.id] },
      { credentials: [jwt] },
      { credential_ids: [randomUUID()] },
    ]) {
      expectProblem(await mallory.post(present, body), 404, 'credential_not_found');
    }
    const changed = `${jwt.slice(0, -4)}AAAA`;
    expectProblem(
      await client.post(present, { credentials: [changed] }),
      404,
      'credential_not_found',
    );
    expectProblem(await client.post(present, { credentials: ['x'] }), 404, 'credential_not_found');
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const jti of ['urn:uuid:x', '\u0000', null, 5, 'urn:uuid:urn:uuid:']) {
      const foreign = `${encode({ alg: 'EdDSA' })}.${encode({ jti })}.AAAA`;
      const answer = await client.post(present, { credentials: [foreign] });
      expectProblem(answer, 404, 'credential_not_found');
    }
    expectProblem(await client.post(present, {}), 422, 'validation_failed');
    const many = { credential_ids: Array.from({ length: 51 }, () => randomUUID()) };
    expectProblem(await client.post(present, many), 422, 'validation_failed', '/credential_ids');
  });

  it('leaves the signing to a caller who keeps the key', async () => {
    const client = await api.register();
    const own = ed25519FromSeed(randomBytes(32));
    const asked = await client.post<Challenge>('/api/identity/did', { did: own.did });
    const { challenge } = asked.body;
    const signature = own.sign(challenge).toString('base64url');
    await client.post('/api/identity/did', { did: own.did, challenge, signature });
    const { letter_id } = await client.send();
    const [credential] = await issued(client, letter_id, 1);
    const body = { credential_ids: [credential?.id] };
    expectProblem(await client.post(present, body), 409, 'did_self_custody');
    const delegate = async (more: object) => {
      const audience = ed25519FromSeed(randomBytes(32)).did;
      const asking = { audience, scope: 'send', ...more };
      const refused = await client.post('/api/identity/delegate', asking);
      expectProblem(refused, 409, 'did_self_custody');
      return refused.text;
    };
    const first = 'First get a token with scope alone from POST /api/identity/ucan.';
    expect(await delegate({})).to.contain(first);
    const root = await client.post<{ token: string }>('/api/identity/ucan', { scope: 'send' });
    const { token } = root.body;
    expect(await delegate({ token }))
      .to.contain('of your token in prf')
      .and.not.contain(first);
  });
});
