/** Links by which a program lets its human in to the console. */
import { expect } from 'chai';
import pg from 'pg';
import { useService } from '../support/client.ts';
import { createMovedClock } from '../support/moved-clock.ts';
import { consoleAt, cookieIn } from './console-client.ts';

type Link = { url: string; expires_at: string };

describe('a link to the console', function () {
  this.timeout(180_000);
  const time = createMovedClock('2026-11-23T09:00:00Z');
  const api = useService({}, { clock: time.clock });
  const pages = consoleAt(() => api.service().url);

  const makeLink = async (key: string, body: object = {}): Promise<Link> => {
    const made = await api.as(key).post<Link>('/api/console-links', body);
    expect(made.status, made.text).to.equal(201);
    return made.body;
  };
  const tokenOf = ({ url }: Link): string => url.split('#token=')[1] ?? '';
  const use = (link: Link, headers: Record<string, string> = {}) =>
    pages.post('/sign-in/link', { token: tokenOf(link) }, headers);
  const opens = async (cookie: string): Promise<boolean> =>
    (await pages.get('/letters', { cookie })).status === 200;

  it('signs in once, by a button, and not by being opened', async () => {
    const { key } = await api.register();
    const link = await makeLink(key);
    expect(link.url).to.match(/\/console\/sign-in\/link#token=[\w-]{43}$/);
    expect(Date.parse(link.expires_at) - time.clock()).to.be.within(1, 600_000);
    for (let count = 0; count < 2; count++) {
      const shown = await pages.get('/sign-in/link');
      expect([shown.status, shown.headers.get('set-cookie')]).to.deep.equal([200, null]);
    }
    const answer = await use(link);
    expect([answer.status, answer.headers.get('location')]).to.deep.equal([
      303,
      '/console/letters',
    ]);
    expect(await opens(cookieIn(answer))).to.equal(true);
    const forwarded = await use(link);
    expect(forwarded.status).to.equal(403);
    expect(forwarded.text).to.contain('This link is not valid');
    expect(forwarded.headers.get('set-cookie')).to.equal(null);
  });

  it('works where the whole address of the link is pasted', async () => {
    const link = await makeLink((await api.register()).key);
    const answer = await pages.post('/sign-in/link', { token: ` ${link.url} ` });
    expect(answer.status).to.equal(303);
  });

  it('lets one of two people in who use it at once', async () => {
    const link = await makeLink((await api.register()).key);
    const answers = await Promise.all([use(link), use(link), use(link)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([303, 403, 403]);
  });

  it('is refused when another site sends its form, and stays usable', async () => {
    const link = await makeLink((await api.register()).key);
    expect((await use(link, { 'Sec-Fetch-Site': 'cross-site' })).status).to.equal(403);
    expect((await use(link)).status).to.equal(303);
  });

  it('begins a session under a new token, and ends the one that the browser had', async () => {
    const { key } = await api.register();
    const before = (await pages.signIn(key)).cookie;
    const after = cookieIn(await use(await makeLink(key), { cookie: before }));
    expect(after).to.not.equal(before);
    expect([await opens(before), await opens(after)]).to.deep.equal([false, true]);
  });

  it('expires', async () => {
    const { key } = await api.register();
    const link = await makeLink(key, { expires_in: 60 });
    time.moveTo('2026-11-23T09:30:00Z');
    expect((await use(link)).status).to.equal(403);
  });

  it('ends with the key that made it, and so does its session', async () => {
    const { key } = await api.register();
    const made = await api
      .as(key)
      .post<{ id: string; api_key: string }>('/auth/keys', { label: 'agent', scope: 'send' });
    const unused = await makeLink(made.body.api_key);
    const cookie = cookieIn(await use(await makeLink(made.body.api_key)));
    expect(await opens(cookie)).to.equal(true);
    await api.as(key).delete(`/auth/keys/${made.body.id}`);
    expect(await opens(cookie)).to.equal(false);
    expect((await use(unused)).status).to.equal(403);
  });

  it('only looks with read_only, whatever its key may do', async () => {
    const client = await api.register();
    const { letter_id: id } = await client.send();
    const cookie = cookieIn(await use(await makeLink(client.key, { read_only: true })));
    expect((await pages.get(`/letters/${id}`, { cookie })).status).to.equal(200);
    const keyId = client.account.key_id;
    for (const [path, fields] of [
      [`/letters/${id}/cancel`, {}],
      ['/keys', { label: 'x', scope: 'read' }],
      [`/keys/${keyId}/revoke`, {}],
      [`/keys/${keyId}/freeze`, {}],
      ['/settings', { language: 'de' }],
      ['/wallet/refill', {}],
    ] as const) {
      const answer = await pages.post(path, fields, { cookie });
      expect(answer.status, path).to.equal(403);
    }
    expect((await client.letter(id)).status).to.equal('queued');
    expect((await client.get('/api/balance')).status).to.equal(200);
  });

  it('gives the rights of the UCAN that made it, and ends with it', async () => {
    const client = await api.register();
    const { letter_id: id } = await client.send();
    const issued = await client.post<{ token: string; cid: string }>('/api/identity/ucan', {
      scope: 'read',
    });
    const link = await makeLink(`ucan:${issued.body.token}`);
    const cookie = cookieIn(await use(link));
    expect((await pages.get(`/letters/${id}`, { cookie })).status).to.equal(200);
    const refused = await pages.post(`/letters/${id}/cancel`, {}, { cookie });
    expect(refused.status).to.equal(403);
    const database = new pg.Client({ connectionString: api.service().databaseUrl });
    await database.connect();
    for (const table of ['sessions', 'links']) {
      const { rows } = await database.query(`select * from console.${table}`);
      expect(JSON.stringify(rows)).to.not.contain(issued.body.token).and.not.contain(tokenOf(link));
    }
    await database.end();
    await client.post('/api/identity/ucan/revoke', { cid: issued.body.cid });
    expect(await opens(cookie)).to.equal(false);
  });

  it('is answered again to the same request, and not to another', async () => {
    const { key } = await api.register();
    const ask = (body: object) =>
      api.call<Link>('POST', '/api/console-links', body, {
        key,
        headers: { 'Idempotency-Key': 'one' },
      });
    const first = await ask({});
    expect((await ask({})).body).to.deep.equal(first.body);
    expect((await ask({ read_only: true })).status).to.equal(422);
    await use(first.body);
    await ask({});
    expect((await use(first.body)).status).to.equal(403);
  });
});
