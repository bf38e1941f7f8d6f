import { hash, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { limitTable } from '../../limits/table.ts';
import { expectProblem, type NewKeyJson, until, useService } from '../support/client.ts';

type Link = { id: string; url: string; expires_at: string };
type Links = { data: { id: string; created_at: string; expires_at: string }[] };

describe('links to the audit of a letter', () => {
  const api = useService();
  type Client = ReturnType<typeof api.as>;

  const pathOf = (letterId: string): string => `/api/identity/audit/${letterId}/link`;
  const link = async (client: Client, letterId: string, body: object = {}): Promise<Link> => {
    const made = await client.post<Link>(pathOf(letterId), body);
    expect(made.status, made.text).to.equal(201);
    return made.body;
  };
  const statusOf = async ({ url }: Link): Promise<number> => {
    const { pathname, search } = new URL(url);
    return (await fetch(`${api.service().url}${pathname}${search}`)).status;
  };
  const listed = async (client: Client, letterId: string): Promise<string[]> =>
    (await client.get<Links>(pathOf(letterId))).body.data.map(({ id }) => id);

  it('are listed, newest first, and end when they are revoked', async () => {
    const client = await api.register();
    const { letter_id: letterId } = await client.send();
    const [first, second] = [await link(client, letterId), await link(client, letterId)];
    expect(await listed(client, letterId)).to.deep.equal([second.id, first.id]);
    const revoked = await client.delete<{ id: string }>(`${pathOf(letterId)}/${first.id}`);
    expect([revoked.status, revoked.body.id]).to.deep.equal([200, first.id]);
    expect([await statusOf(first), await statusOf(second)]).to.deep.equal([404, 200]);
    expect(await listed(client, letterId)).to.deep.equal([second.id]);
    expect((await client.delete(`${pathOf(letterId)}/${first.id}`)).status).to.equal(200);
    const none = await client.delete(`${pathOf(letterId)}/AAAAAAAAAAAA`);
    expectProblem(none, 404, 'audit_link_not_found');
  });

  it('are one for one Idempotency-Key', async () => {
    const client = await api.register();
    const { letter_id: letterId } = await client.send();
    const headers = { 'Idempotency-Key': randomUUID() };
    const ask = () => client.post<Link>(pathOf(letterId), { expires_in: 60 }, headers);
    const [one, again] = [await ask(), await ask()];
    expect(again.body).to.deep.equal(one.body);
    expect(await listed(client, letterId)).to.have.length(1);
  });

  it('end with the letter', async () => {
    const client = await api.register();
    const { letter_id: letterId } = await client.send({ draft: true });
    const made = await link(client, letterId);
    expect(await statusOf(made)).to.equal(200);
    expect((await client.delete(`/api/letters/${letterId}`)).status).to.equal(200);
    expect(await statusOf(made)).to.equal(404);
  });

  it('end with the key or the UCAN that made them, and do not outlive it', async () => {
    const client = await api.register();
    const { letter_id: letterId } = await client.send();
    const soon = new Date(Date.now() + 90_000).toISOString();
    const body = { label: 'lent', scope: 'send', expires_at: soon };
    const key = (await client.post<NewKeyJson>('/auth/keys', body)).body;
    const ofKey = await link(api.as(key.api_key), letterId);
    expect(Date.parse(ofKey.expires_at)).to.be.at.most(Date.parse(soon));
    const ucan = { scope: 'send', expires_in: 90 };
    const issued = await client.post<{ token: string; cid: string }>('/api/identity/ucan', ucan);
    const ofUcan = await link(api.as(`ucan:${issued.body.token}`), letterId);
    expect(Date.parse(ofUcan.expires_at)).to.be.at.most(Date.now() + 91_000);
    expect([await statusOf(ofKey), await statusOf(ofUcan)]).to.deep.equal([200, 200]);
    await client.delete(`/auth/keys/${key.id}`);
    await client.post('/api/identity/ucan/revoke', { cid: issued.body.cid });
    expect([await statusOf(ofKey), await statusOf(ofUcan)]).to.deep.equal([404, 404]);
    expect(await listed(client, letterId)).to.deep.equal([]);
  });

  it('are limited, without those that ended with the key that made them', async () => {
    const client = await api.register();
    const { letter_id: letterId } = await client.send();
    const lent = { label: 'lent', scope: 'send' };
    const key = (await client.post<NewKeyJson>('/auth/keys', lent)).body;
    const other = api.as(key.api_key);
    for (let n = 0; n < limitTable.auditLinksPerLetter.usual; n += 20) {
      await Promise.all(Array.from({ length: 20 }, () => link(other, letterId)));
    }
    const beyond = await client.post(pathOf(letterId), {});
    expectProblem(beyond, 409, 'audit_link_limit_reached');
    await client.delete(`/auth/keys/${key.id}`);
    expect(await listed(client, letterId)).to.deep.equal([]);
    const made = await link(client, letterId);
    expect(await listed(client, letterId)).to.deep.equal([made.id]);
  });

  it('are listed for all letters of the account, page by page, until they end', async () => {
    const [client, stranger] = [await api.register(), await api.register()];
    const letters: string[] = [];
    for (let n = 0; n < 3; n++) letters.push((await client.send({ draft: true })).letter_id);
    const [first = '', second = '', third = ''] = letters;
    const made = [await link(client, first), await link(client, second), await link(client, third)];
    type OfAccount = {
      data: { id: string; letter_id: string; created_at: string; expires_at: string }[];
      has_more: boolean;
      next_cursor: string | null;
    };
    const path = '/api/identity/audit/links';
    const page = async (query = ''): Promise<OfAccount> =>
      (await client.get<OfAccount>(`${path}${query}`)).body;
    const all = await page();
    expect(all.data.map(({ id, letter_id }) => [id, letter_id])).to.deep.equal(
      made.map(({ id }, n) => [id, letters[n]]).toReversed(),
    );
    expect(all.data[0]?.expires_at).to.equal(made[2]?.expires_at);
    expect(all.has_more).to.equal(false);
    const one = await page('?limit=2');
    expect(one.data.map(({ letter_id }) => letter_id)).to.deep.equal([third, second]);
    const rest = await page(`?limit=2&cursor=${one.next_cursor}`);
    expect(rest.data.map(({ letter_id }) => letter_id)).to.deep.equal([first]);
    expect(rest.next_cursor).to.equal(null);
    expectProblem(await client.get(`${path}?cursor=x`), 422, 'invalid_cursor');

    await client.delete(`${pathOf(first)}/${made[0]?.id}`);
    await client.delete(`/api/letters/${second}`);
    await until(async () => (await page()).data.length === 1);
    const lent = await client.post<NewKeyJson>('/auth/keys', { label: 'lent', scope: 'send' });
    await link(api.as(lent.body.api_key), third);
    await until(async () => (await page()).data.length === 2);
    await client.delete(`/auth/keys/${lent.body.id}`);
    await until(async () => (await page()).data.length === 1);
    expect((await page()).data[0]?.id).to.equal(made[2]?.id);
    expect((await stranger.get<OfAccount>(path)).body.data).to.deep.equal([]);
  });

  it('are nobody else’s', async () => {
    const [client, stranger] = [await api.register(), await api.register()];
    const { letter_id: letterId } = await client.send();
    const { id } = await link(client, letterId);
    for (const answer of [
      await stranger.get(pathOf(letterId)),
      await stranger.post(pathOf(letterId), {}),
      await stranger.delete(`${pathOf(letterId)}/${id}`),
    ]) {
      expectProblem(answer, 404, 'letter_not_found');
    }
  });
});

describe('a key that may only read', () => {
  const api = useService();

  it('changes nothing and makes nothing that others use', async () => {
    const owner = await api.register();
    const { letter_id: letterId } = await owner.send();
    const made = await owner.post<NewKeyJson>('/auth/keys', { label: 'eye', scope: 'read' });
    const reader = api.as(made.body.api_key);
    const full = await owner.post<{ cid: string }>('/api/identity/ucan', {
      scope: 'full',
      audience: 'did:key:z6MknGc3ocHs3zdPiJbnaaqDi58NGb4pk1Sp9WxWufuXSdxf',
    });
    const audit = '/api/identity/audit';
    const url = 'https://example.com/hook';
    const refused: [string, string, object?][] = [
      ['POST', '/api/identity/ucan/revoke', { cid: full.body.cid }],
      ['POST', '/api/identity/ucan', { scope: 'send' }],
      ['POST', `${audit}/subscribe`, { url }],
      ['DELETE', `${audit}/subscribe`, { url }],
      ['POST', `${audit}/${letterId}/link`, {}],
      ['DELETE', `${audit}/${letterId}/link/AAAAAAAAAAAA`],
      ['POST', '/api/identity/did', {}],
      ['POST', '/api/identity/presentation', { credential_ids: [randomUUID()] }],
      ['POST', '/auth/keys', { label: 'x', scope: 'read' }],
      ['PUT', '/api/settings', { webhook_url: url }],
    ];
    for (const [method, path, body] of refused) {
      const answer = await api.call(method, path, body, { key: reader.key });
      expectProblem(answer, 403, 'scope_insufficient');
    }
    for (const path of [
      `${audit}/${letterId}`,
      `${audit}/${letterId}/link`,
      `${audit}/links`,
      `${audit}/subscribe`,
    ]) {
      expect((await reader.get(path)).status).to.equal(200);
    }
    const own = await reader.post<{ cid: string }>('/api/identity/ucan', { scope: 'read' });
    const ended = await reader.post('/api/identity/ucan/revoke', { cid: own.body.cid });
    expect([own.status, ended.status]).to.deep.equal([201, 200]);
  });

  it('is shown the DID that there is', async () => {
    const owner = await api.register();
    const made = await owner.post<NewKeyJson>('/auth/keys', { label: 'eye', scope: 'read' });
    const { did } = (await owner.post<{ did: string }>('/api/identity/did', {})).body;
    const seen = await api.as(made.body.api_key).post<{ did: string }>('/api/identity/did', {});
    expect([seen.status, seen.body.did]).to.deep.equal([200, did]);
  });
});

describe('the program that verifies bundles', () => {
  const api = useService();

  it('is at a public path, with its hash beside it', async () => {
    const path = '/.well-known/verify-audit.mjs';
    const program = await fetch(`${api.service().url}${path}`);
    expect(program.headers.get('content-type')).to.equal('text/javascript; charset=utf-8');
    const digest = hash('sha256', Buffer.from(await program.arrayBuffer()), 'hex');
    const sum = await (await fetch(`${api.service().url}${path}.sha256`)).text();
    expect(sum).to.equal(`${digest}  verify-audit.mjs\n`);
    const document = await api.call<{ paths: object }>('GET', '/openapi.json');
    expect(document.body.paths).to.include.keys(path, `${path}.sha256`);
  });
});
