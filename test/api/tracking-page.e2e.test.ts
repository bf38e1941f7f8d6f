import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { findingsOn } from '../support/axe.ts';
import { expectProblem, letterTo, type Sent, useService } from '../support/client.ts';
import { useBrowser } from '../support/use-browser.ts';

type Link = { url: string | null; ends_on: string };

describe('the tracking page', () => {
  const settings = {
    SERVICE_NAME: 'Brief & Co',
    SERVICE_CONTACT: 'help@brief.example',
  };
  const api = useService(settings);
  const browser = useBrowser();
  type Account = Awaited<ReturnType<typeof api.register>>;

  const sent = async (account: Account, changes: object = {}): Promise<string> => {
    const answer = await account.post<Sent>('/api/send', letterTo('DE', changes));
    expect(answer.status, answer.text).to.equal(201);
    return answer.body.letter_id;
  };
  const advance = async (account: Account, id: string, body: object): Promise<void> => {
    const answer = await account.post(`/api/test/letters/${id}/advance`, body);
    expect(answer.status, answer.text).to.equal(200);
  };
  const pathOf = (id: string): string => `/api/letters/${id}/tracking-link`;
  const linkOf = async (account: Account, id: string) => (await account.get<Link>(pathOf(id))).body;
  /** The page on the service under test, whatever BASE_URL is. */
  const open = async (url: string | null, headers: Record<string, string> = {}) => {
    const { pathname, search } = new URL(url ?? '');
    const answer = await fetch(`${api.service().url}${pathname}${search}`, { headers });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };

  it('shows the way of a letter, and neither names nor addresses', async () => {
    const account = await api.register('test');
    const id = await sent(account, { service: 'de_einschreiben', reference: 'R-77' });
    const { url, ends_on } = await linkOf(account, id);
    expect(ends_on).to.match(/^\d{4}-\d{2}-\d{2}$/);
    await advance(account, id, { to: 'delivered' });
    const { status, headers, text } = await open(url);
    expect(status).to.equal(200);
    expect(text)
      .to.include('<h1>The letter was delivered</h1>')
      .and.include('<strong>Posted</strong>');
    expect(text).to.include('Deutsche Post Einschreiben').and.include('Brief &amp; Co');
    expect(text).to.include('This is a test letter').and.include('help@brief.example');
    const { to_name, to_line1, to_city, from_name } = letterTo('DE') as Record<string, string>;
    for (const secret of [to_name, to_line1, to_city, from_name, 'R-77']) {
      expect(text).not.to.include(secret);
    }
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(headers.get('x-robots-tag')).to.include('noindex');
    expect(text).to.include('<meta name="robots" content="noindex, nofollow">');
  });

  it('says that a letter came back or will not be posted, and not why', async () => {
    const account = await api.register('test');
    const back = await sent(account);
    await advance(account, back, { to: 'posted' });
    await advance(account, back, { event: 'returned' });
    const returned = await open((await linkOf(account, back)).url);
    expect(returned.text).to.include('<h1>The letter came back</h1>');
    const stopped = await sent(account);
    await account.post(`/api/letters/${stopped}/cancel`);
    const cancelled = await open((await linkOf(account, stopped)).url);
    expect(cancelled.text).to.include('<h1>The letter was not posted</h1>');
    expect(cancelled.text).not.to.include('Expected delivery');
  });

  it('has nothing that axe-core finds, light, dark and on a phone, and fits the screen', async () => {
    const account = await api.register('test');
    const { url } = await linkOf(account, await sent(account));
    const { pathname, search } = new URL(url ?? '');
    const { page, requests } = await browser.open();
    for (const [scheme, width] of [
      ['light', 1_000],
      ['dark', 1_000],
      ['dark', 390],
    ] as const) {
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await page.goto(`${api.service().url}${pathname}${search}`);
      expect(await findingsOn(page), `${scheme} ${width}`).to.deep.equal([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(width);
    }
    for (const one of requests) expect(one).to.match(/^data:|^http:\/\/(localhost|127\.0\.0\.1)/);
  });

  it('follows the language of its reader', async () => {
    const account = await api.register('test');
    const { url } = await linkOf(account, await sent(account));
    expect((await open(url, { 'Accept-Language': 'de-AT' })).text).to.include('lang="de"');
    expect((await open(`${url}&language=fr`)).text).to.include('lang="fr"');
  });

  it('opens with its own token only, and says the same of every other reason', async () => {
    const account = await api.register('test');
    const id = await sent(account);
    const { url } = await linkOf(account, id);
    const other = await linkOf(account, await sent(account));
    const draft = await account.post<Sent>('/api/send', letterTo('DE', { draft: true }));
    const drafted = await linkOf(account, draft.body.letter_id);
    const token = new URL(url ?? '').searchParams.get('token') ?? '';
    const tokenOfOther = new URL(other.url ?? '').searchParams.get('token') ?? '';
    const wrong = [
      (url ?? '').replace(token, tokenOfOther),
      (url ?? '').replace(token, token.slice(1)),
      (url ?? '').replace(token, `first.${token}`).replace(token, 'x'.repeat(22)),
      (url ?? '').replace(/\?.*/, ''),
      (url ?? '').replace(id, randomUUID()),
      drafted.url,
    ];
    const pages = await Promise.all(wrong.map((one) => open(one)));
    expect(pages.map(({ status }) => status)).to.deep.equal(wrong.map(() => 404));
    expect(new Set(pages.map(({ text }) => text)).size).to.equal(1);
  });

  it('is revoked and renewed by its account; earlier links stay closed', async () => {
    const account = await api.register('test');
    const stranger = await api.register('test');
    const id = await sent(account);
    const first = await linkOf(account, id);
    expectProblem(await stranger.get(pathOf(id)), 404, 'letter_not_found');
    expectProblem(await stranger.post(pathOf(id)), 404, 'letter_not_found');
    expect((await account.delete(pathOf(id))).status).to.equal(200);
    expect((await linkOf(account, id)).url).to.equal(null);
    expect((await open(first.url)).status).to.equal(404);
    const key = { 'Idempotency-Key': randomUUID() };
    const renewed = await account.post<Link>(pathOf(id), undefined, key);
    expect(renewed.status, renewed.text).to.equal(201);
    expect((await account.post<Link>(pathOf(id), undefined, key)).body).to.deep.equal(renewed.body);
    expect(await linkOf(account, id)).to.deep.equal(renewed.body);
    expect((await open(renewed.body.url)).status).to.equal(200);
    const again = await account.post<Link>(pathOf(id));
    expect((await open(again.body.url)).status).to.equal(200);
    for (const closed of [first, renewed.body]) {
      expect((await open(closed.url)).status).to.equal(404);
    }
    expect((await account.post<Link>(pathOf(id), undefined, key)).body).to.deep.equal(renewed.body);
    expect(await linkOf(account, id)).to.deep.equal(again.body);
  });

  it('ends with the letter', async () => {
    const account = await api.register('test');
    const id = await sent(account);
    const { url } = await linkOf(account, id);
    await account.post(`/api/letters/${id}/cancel`);
    expect((await open(url)).status).to.equal(200);
    const deleted = await account.delete(`/api/letters/${id}`);
    expect(deleted.status, deleted.text).to.equal(200);
    expect((await open(url)).status).to.equal(404);
    expectProblem(await account.get(pathOf(id)), 410, 'letter_deleted');
  });
});
