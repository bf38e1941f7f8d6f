import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { AnyOperation } from '../../contract/operation.ts';
import { onlyReads } from '../../http/authenticate-caller.ts';
import {
  expectProblem,
  letterTo,
  type NotificationJson,
  type PageOf,
  type RotatedKeyJson,
  type Sent,
  useService,
} from '../support/client.ts';

type FreezeJson = { subject: string; frozen: boolean; since: string | null };
type UcanJson = { token: string; cid: string };

/** Operations open to frozen credentials besides reading. */
const goesOn = ['cancel_letter', 'revoke_own_key'];
/** Operations by which a frozen UCAN ends itself. */
const endsUcans = ['revoke_ucan'];
/** Operations open to everybody, with or without a credential. */
const isPublic = ({ access }: AnyOperation): boolean => access === 'public';

describe('freezing', () => {
  const api = useService();

  type Client = ReturnType<typeof api.as>;

  const newUcan = async (maker: Client, body: object = { scope: 'send' }) => {
    const made = await maker.post<UcanJson>('/api/identity/ucan', body);
    expect(made.status, made.text).to.equal(201);
    return { ...api.as(`ucan:${made.body.token}`), ...made.body };
  };
  const freeze = async (owner: Client, path: string, body?: object): Promise<FreezeJson> => {
    const answer = await owner.post<FreezeJson>(path, body);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  };
  const isFrozen = async (client: Client) =>
    expectProblem(await client.post('/api/send', letterTo('DE')), 403, 'frozen');

  it('stops a key and all that comes from it at once, and leaves reading and cancelling', async () => {
    const owner = await api.register();
    const key = await api.newKey(owner, 'full');
    const sent = await key.send();
    const child = await api.newKey(key, 'full');
    const ucan = await newUcan(child, { scope: 'full' });
    const { available } = await owner.balance();
    const stopped = await freeze(owner, `/auth/keys/${key.id}/freeze`);
    expect(stopped).to.include({ subject: key.id, frozen: true });
    for (const client of [key, child, ucan]) {
      await isFrozen(client);
      expectProblem(await client.post(`/auth/keys/${key.id}/unfreeze`), 403, 'frozen');
      expect((await client.get('/api/letters')).status).to.equal(200);
    }
    expect((await key.post(`/api/letters/${sent.letter_id}/cancel`)).status).to.equal(200);
    expect((await owner.balance()).available).to.be.greaterThan(available);
    expect((await freeze(owner, `/auth/keys/${key.id}/freeze`)).since).to.equal(stopped.since);
    await owner.send();
    expect((await owner.get<PageOf<FreezeJson>>('/api/account/frozen')).body.data).to.deep.equal([
      { subject: key.id, since: stopped.since },
    ]);
    expect(await freeze(owner, `/auth/keys/${key.id}/unfreeze`)).to.deep.equal({
      subject: key.id,
      frozen: false,
      since: null,
    });
    await ucan.send();
  });

  it('lets keys and UCANs end themselves and what came of them, and nothing else', async () => {
    const owner = await api.register();
    const key = await api.newKey(owner, 'full');
    const [child, other] = [await api.newKey(key, 'send'), await newUcan(key)];
    const ucan = await newUcan(key, { scope: 'full' });
    const audience = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';
    const wish = { scope: 'send', audience };
    const heir = await ucan.post<UcanJson>('/api/identity/delegate', wish);
    await freeze(owner, `/auth/keys/${key.id}/freeze`);
    const end = (by: Client, cid: string) => by.post('/api/identity/ucan/revoke', { cid });
    expectProblem(await key.delete(`/auth/keys/${child.id}`), 403, 'frozen');
    expectProblem(await end(key, other.cid), 403, 'frozen');
    expectProblem(await end(ucan, other.cid), 403, 'revocation_not_allowed');
    expectProblem(await ucan.delete(`/auth/keys/${child.id}`), 403, 'frozen');
    for (const cid of [heir.body.cid, ucan.cid]) {
      const ended = await end(ucan, cid);
      expect(ended.status, ended.text).to.equal(200);
    }
    expectProblem(await ucan.get('/api/letters'), 401, 'ucan_invalid');
    for (const one of [child, key]) {
      const ended = await one.delete(`/auth/keys/${one.id}`);
      expect(ended.status, ended.text).to.equal(200);
      expectProblem(await one.get('/api/letters'), 401, 'invalid_api_key');
    }
  });

  it('holds for a key that is rotated afterwards, which the frozen key cannot do itself', async () => {
    const owner = await api.register();
    const key = await api.newKey(owner, 'send');
    await freeze(key, `/auth/keys/${key.id}/freeze`);
    expectProblem(await key.post('/auth/keys/self/rotate', {}), 403, 'frozen');
    const rotated = await owner.post<RotatedKeyJson>(`/auth/keys/${key.id}/rotate`, {});
    await isFrozen(api.as(rotated.body.api_key));
    await freeze(owner, `/auth/keys/${rotated.body.id}/unfreeze`);
    await api.as(rotated.body.api_key).send();
  });

  it('stops a UCAN, what was delegated from it and the keys that it made; not the key above', async () => {
    const owner = await api.register();
    const root = await newUcan(owner, { scope: 'full' });
    const delegated = await root.post<UcanJson>('/api/identity/delegate', {
      scope: 'send',
      audience: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
    });
    expect(delegated.status, delegated.text).to.equal(201);
    const heir = { ...api.as(`ucan:${delegated.body.token}`), cid: delegated.body.cid };
    const made = await api.newKey(root, 'send');
    await heir.send();
    const { cid } = root;
    expect(await freeze(owner, '/api/identity/ucan/freeze', { cid })).to.include({
      subject: `ucan:${cid}`,
      frozen: true,
    });
    for (const client of [root, heir, made]) await isFrozen(client);
    expectProblem(await root.post('/api/identity/ucan/unfreeze', { cid }), 403, 'frozen');
    expectProblem(await made.post('/api/identity/ucan/unfreeze', { cid }), 403, 'frozen');
    const sender = await api.newKey(owner, 'send');
    expectProblem(
      await sender.post('/api/identity/ucan/unfreeze', { cid }),
      403,
      'scope_insufficient',
    );
    await owner.send();
    await freeze(owner, '/api/identity/ucan/unfreeze', { cid });
    await freeze(owner, '/api/identity/ucan/freeze', { cid: heir.cid });
    await isFrozen(heir);
    await root.send();
    const stranger = await api.register();
    const foreign = await stranger.post('/api/identity/ucan/freeze', { cid });
    const { detail } = expectProblem(foreign, 403, 'revocation_not_allowed');
    expect(detail).to.contain('another account, which alone can freeze it');
    const other = await newUcan(owner, { scope: 'full' });
    const above = await other.post('/api/identity/ucan/freeze', { cid });
    expect(expectProblem(above, 403, 'revocation_not_allowed').detail).to.equal(
      'Only the issuer of the UCAN, or of a token before it in its chain, can freeze it.',
    );
    const sends = await api.newKey(owner, 'send');
    const narrow = await sends.post('/api/identity/ucan/freeze', { cid });
    expect(expectProblem(narrow, 403, 'scope_insufficient').detail).to.contain(
      'A send key can freeze only the UCANs that it issued.',
    );
  });

  it('stops what a key passed on of the UCAN of another account, which goes on itself', async () => {
    const [giver, owner] = [await api.register(), await api.register()];
    const key = await api.newKey(owner, 'send');
    const own = await owner.post<{ did: string }>('/api/identity/did', {});
    const given = await newUcan(giver, { scope: 'send', audience: own.body.did });
    const passOn = async (by: Client) => {
      const audience = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';
      const wish = { scope: 'send', audience, token: given.token };
      const passed = await by.post<UcanJson>('/api/identity/delegate', wish);
      expect(passed.status, passed.text).to.equal(201);
      return { ...api.as(`ucan:${passed.body.token}`), cid: passed.body.cid };
    };
    const [heir, other] = [await passOn(key), await passOn(owner)];
    for (const bearer of [given, heir, other]) await bearer.send();
    await freeze(owner, `/auth/keys/${key.id}/freeze`);
    const refused = await heir.post('/api/send', letterTo('DE'));
    expect(refused.text, 'names no key of another account').to.not.include(key.id);
    expect(refused.body).to.include({ frozen: `ucan:${heir.cid}` });
    expect((await heir.get('/api/letters')).status).to.equal(200);
    for (const bearer of [given, other, giver]) await bearer.send();
    await freeze(owner, '/api/account/freeze');
    for (const bearer of [heir, other]) await isFrozen(bearer);
    await given.send();
    await freeze(owner, '/api/account/unfreeze');
    await freeze(owner, `/auth/keys/${key.id}/unfreeze`);
    await heir.send();
  });

  it('stops the whole account, and a full key that is not frozen itself lifts it', async () => {
    const owner = await api.register();
    const key = await api.newKey(owner, 'full');
    const draft = await owner.post<Sent>('/api/send', letterTo('DE', { draft: true }));
    await freeze(owner, `/auth/keys/${key.id}/freeze`);
    await freeze(owner, '/api/account/freeze');
    await isFrozen(owner);
    const { letter_id } = draft.body;
    expectProblem(await owner.post('/api/send', { letter_id }), 403, 'frozen');
    expectProblem(await owner.post('/auth/keys', { label: 'a', scope: 'send' }), 403, 'frozen');
    expectProblem(await key.post('/api/account/unfreeze'), 403, 'frozen');
    const policy = { rules: [{ effect: 'allow', limit: { letters: 9, per: 'total' } }] };
    expect((await owner.put('/api/policy', policy)).status).to.equal(200);
    await freeze(owner, '/api/account/unfreeze');
    await owner.send();
    await isFrozen(key);
  });

  it('lets a repeated request with the same Idempotency-Key spend nothing', async () => {
    const owner = await api.register();
    const key = await api.newKey(owner, 'send');
    const headers = { 'Idempotency-Key': randomUUID() };
    expect((await key.post('/api/send', letterTo('DE'), headers)).status).to.equal(201);
    const { available } = await owner.balance();
    await freeze(owner, `/auth/keys/${key.id}/freeze`);
    expectProblem(await key.post('/api/send', letterTo('DE'), headers), 403, 'frozen');
    expect((await owner.balance()).available).to.equal(available);
    await freeze(owner, `/auth/keys/${key.id}/unfreeze`);
    const again = await key.post('/api/send', letterTo('DE'), headers);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
  });

  it('pays for no letter after the answer, whatever is on its way', async () => {
    const owner = await api.register();
    const key = await api.newKey(owner, 'send');
    const sends = Array.from({ length: 12 }, () => key.post<Sent>('/api/send', letterTo('DE')));
    await freeze(owner, `/auth/keys/${key.id}/freeze`);
    const { available } = await owner.balance();
    const answers = await Promise.all(sends);
    for (const { status, text } of answers) expect([201, 403], text).to.include(status);
    expect((await owner.balance()).available).to.equal(available);
  });

  it('needs scope full for another key, and tells the owner', async () => {
    const owner = await api.register();
    const key = await api.newKey(owner, 'send');
    const other = await api.newKey(owner, 'send');
    expectProblem(await key.post(`/auth/keys/${other.id}/freeze`), 403, 'scope_insufficient');
    expectProblem(await key.post('/api/account/freeze'), 403, 'scope_insufficient');
    const none = await owner.post(`/auth/keys/key_${'0'.repeat(32)}/freeze`);
    expectProblem(none, 404, 'key_not_found');
    await freeze(owner, `/auth/keys/${key.id}/freeze`);
    await freeze(owner, `/auth/keys/${key.id}/unfreeze`);
    const told = await owner.get<PageOf<NotificationJson>>('/api/notifications');
    expect(told.body.data.map(({ type }) => type)).to.include.members([
      'spending.frozen',
      'spending.unfrozen',
    ]);
  });

  it('refuses every operation that spends, makes or changes something, by any credential of the line', async () => {
    const owner = await api.register();
    const key = await api.newKey(owner, 'full');
    const child = await api.newKey(key, 'full');
    const ucan = await newUcan(key, { scope: 'full' });
    await freeze(owner, `/auth/keys/${key.id}/freeze`);
    const { available } = await owner.balance();
    const { operations } = api.service().service;
    const refused = operations.filter(
      (one) => !onlyReads(one) && !isPublic(one) && !goesOn.includes(one.name),
    );
    expect(refused.length).to.be.greaterThan(40);
    for (const { name, method, path } of refused) {
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, part) =>
        path.startsWith('/auth/keys') ? owner.account.key_id : part === 'id' ? randomUUID() : 'x',
      );
      for (const client of endsUcans.includes(name) ? [key, child] : [key, child, ucan]) {
        const headers = { 'Idempotency-Key': randomUUID() };
        const answer = await api.call(method, filled, {}, { key: client.key, headers });
        expect(answer.status, `${name}: ${answer.text}`).to.equal(403);
        expect(answer.body.code, name).to.equal('frozen');
      }
    }
    expect((await owner.balance()).available).to.equal(available);
    const open = operations.filter((one) => one.access !== 'public' && one.method !== 'GET');
    const allowed = open.filter((one) => !refused.includes(one)).map(({ name }) => name);
    expect(allowed.toSorted()).to.deep.equal(
      [...goesOn, 'quote_letter', 'search_letters'].toSorted(),
    );
  });
});
