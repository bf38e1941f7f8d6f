import { expect } from 'chai';
import { errorCodes } from '../../contract/errors.ts';
import { operation } from '../../contract/operation.ts';
import { Type } from '../../ground/type.ts';
import { wings } from '../../service/wings/wings.ts';
import { useService } from '../support/client.ts';
import { startTestService } from '../support/service.ts';

type Found = { data: { title: string; page: string; url: string; markdown_url: string }[] };

const idsIn = (page: string): Set<string> =>
  new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));
const linksIn = (page: string): string[] =>
  [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = '']) =>
    link.replaceAll('&amp;', '&'),
  );

describe('the reference', function () {
  this.timeout(180_000);
  const api = useService();
  const get = (path: string, accept?: string) =>
    fetch(api.service().url + path, { headers: { Accept: accept ?? 'text/html' } });
  const text = async (path: string, accept?: string) => (await get(path, accept)).text();

  /** The paths of its pages, from the navigation of the first one. */
  const pagePaths = async (): Promise<string[]> => {
    const paths = linksIn(await text('/api-docs'))
      .filter((link) => /^\/api-docs(?!\/assets)/.test(link) && !link.endsWith('.md'))
      .map((link) => link.replace(/#.*/, ''));
    return [...new Set(paths)].filter((path) => path !== '/api-docs/search');
  };

  it('has a page for each resource, guide, the errors and the changelog', async () => {
    const paths = await pagePaths();
    expect(paths).to.include.members([
      ...['/api-docs', '/api-docs/letters', '/api-docs/errors', '/api-docs/changelog'],
      ...['/api-docs/guides/webhooks', '/api-docs/guides/api', '/api-docs/guides/mcp'],
    ]);
    const tags = new Set(api.service().service.operations.map(({ tag }) => tag));
    expect(paths.length).to.be.at.least(tags.size + 18);
  });

  it('has no link, and no place on a page, that leads nowhere', async () => {
    const pages = new Map<string, string>();
    for (const path of await pagePaths()) pages.set(path, await text(path));
    const seen = new Set<string>();
    for (const [path, page] of pages) {
      for (const link of linksIn(page)) {
        const [to = '', place] = link.replace('http://localhost/', '/').split('#');
        const at = to === '' ? path : to;
        if (place !== undefined && pages.has(at)) {
          expect(
            idsIn(pages.get(at) ?? '').has(decodeURIComponent(place)),
            `${path} → ${link}`,
          ).to.equal(true);
        }
        if (/^https?:/.test(at) || seen.has(at) || pages.has(at)) continue;
        seen.add(at);
        expect((await get(at)).status, `${path} → ${link}`).to.equal(200);
      }
    }
    expect(seen.size).to.be.at.least(pages.size);
  });

  it('shows no comment of a guide', async () => {
    for (const path of await pagePaths()) {
      const page = await text(path);
      expect(page.indexOf('&lt;!--'), path).to.equal(-1);
    }
  });

  it('gives every page as Markdown, by its address and by Accept', async () => {
    for (const path of await pagePaths()) {
      const markdown = await get(`${path}.md`, '*/*');
      expect(markdown.headers.get('content-type'), path).to.equal('text/markdown; charset=utf-8');
      const written = await markdown.text();
      expect(written, path)
        .to.match(/^# \S/)
        .and.not.match(/^```\w+ run/m);
      const asked = await get(path, 'text/markdown');
      expect(asked.headers.get('vary'), path).to.contain('Accept');
      expect(await asked.text(), path).to.equal(written);
      const page = await text(path);
      expect(page.match(/<h1>/g), path).to.have.length(1);
      expect(page).to.contain(`<link rel="alternate" type="text/markdown" href="${path}.md">`);
    }
    for (const accept of ['*/*', 'application/json', 'text/html;q=0.9, text/markdown;q=0.1']) {
      expect((await get('/api-docs', accept)).headers.get('content-type')).to.contain('text/html');
    }
  });

  it('shows every operation with its fields, limits, answers, samples and errors', async () => {
    const { operations } = api.service().service;
    const pages = new Map<string, string>();
    for (const { name, method, path, tag, input } of operations) {
      const at = `/api-docs/${tag.toLowerCase().replaceAll(' ', '-')}.md`;
      const page = pages.get(at) ?? (await text(at));
      pages.set(at, page);
      const start = page.indexOf(`\`${method} ${path}\``, page.indexOf('\n## '));
      const own = page.slice(start, page.indexOf('\n## ', start) + 1 || undefined);
      for (const language of ['bash', 'ts', 'python']) {
        expect(own, `${name} in ${language}`).to.contain(`\`\`\`${language}\n`);
      }
      for (const field of Object.keys(input.body?.properties ?? {})) {
        expect(own, name).to.contain(`| \`${field}\``);
      }
      expect(own, name).to.contain(`**Errors`).and.contain('**Answer 20');
    }
    const letters = pages.get('/api-docs/letters.md') ?? '';
    expect(letters.match(/^## The \w+ object/m)?.[0]).to.equal('## The Letter object');
    expect(letters.indexOf('## The Letter object')).to.be.within(
      1,
      letters.indexOf('## Send a letter'),
    );
    expect(letters)
      .to.contain('required without `letter_id`')
      .and.contain('at most 300 characters');
    expect(letters).to.match(/\| `price\.total` \(required\) \| number \| .*Example: `\d+\.\d+`/);
    expect(letters).to.match(/\| `metadata\[key\]` \| string; at most \d+ characters \|/);
    expect(letters).to.match(/\| `limit` \| integer; 1 to 100; default `20` \|/);
  });

  it('names every error with its cause and a way out', async () => {
    const page = await text('/api-docs/errors');
    const ids = idsIn(page);
    for (const [code, { title }] of Object.entries(errorCodes)) {
      expect(ids.has(code), code).to.equal(true);
      expect(page).to.contain(title.replaceAll("'", '&#39;'));
    }
  });

  it('finds sections by their words, for people and for programs', async () => {
    const find = async (q: string) =>
      (await (await get(`/api-docs/search?q=${encodeURIComponent(q)}`, '*/*')).json()) as Found;
    const cases: [string, string][] = [
      ['idempotency key', '/api-docs/guides/api#idempotency'],
      ['send letter', '/api-docs/letters#send_letter'],
      ['letter_not_cancellable', '/api-docs/errors#letter_not_cancellable'],
      ['verify webhook signature', '/api-docs/guides/webhooks#verify-it'],
    ];
    for (const [query, place] of cases) {
      const { data } = await find(query);
      const places = data.slice(0, 3).map(({ url }) => url.replace('http://localhost', ''));
      expect(places, query).to.include(place);
    }
    for (const { url, markdown_url } of (await find('wallet')).data) {
      for (const at of [url, markdown_url]) {
        expect((await get(at.replace('http://localhost', ''))).status, at).to.equal(200);
      }
    }
    expect((await find('xyzzy nothing')).data).to.deep.equal([]);
    expect((await get(`/api-docs/search?q=${'a'.repeat(101)}`)).status).to.equal(422);
  });

  it('writes what is searched for as text, whatever it is', async () => {
    const hostile = '"><script>alert(1)</script>';
    const page = await text(`/api-docs/search?q=${encodeURIComponent(hostile)}`);
    expect(page).not.to.contain('<script>alert');
    expect(page).to.contain('&quot;&gt;&lt;script&gt;');
    expect((await get('/api-docs/search')).status).to.equal(200);
  });

  it('is cached by its content and lets nothing in from outside', async () => {
    for (const path of ['/api-docs', '/api-docs/letters', '/']) {
      const answer = await get(path);
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).to.contain("default-src 'none'").and.not.contain('unsafe');
      const page = await answer.text();
      expect(page).not.to.match(/<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?\/\//);
      expect(page).not.to.match(/ style="|<style|<script>| on\w+="/);
    }
    const first = await get('/api-docs/letters');
    const etag = first.headers.get('etag') ?? '';
    const again = await fetch(first.url, {
      headers: { Accept: 'text/html', 'If-None-Match': etag },
    });
    expect(again.status).to.equal(304);
    const gzip = await fetch(first.url, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(gzip.headers.get('content-encoding')).to.equal('gzip');
  });

  it('answers what is not there as every other path does', async () => {
    for (const path of [
      '/api-docs/nothing',
      '/api-docs/letters/x',
      '/api-docsx',
      '/api-docs/../x.md',
    ]) {
      expect((await get(path)).status, path).to.equal(404);
    }
    const post = await fetch(`${api.service().url}/api-docs`, { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    const options = await fetch(`${api.service().url}/api-docs`, { method: 'OPTIONS' });
    expect(options.status).to.equal(204);
  });

  it('shows an operation of a new wing without being told of it', async () => {
    const made = operation({
      name: 'read_stars',
      method: 'GET',
      path: '/api/stars/{count}',
      tag: 'Night sky',
      summary: 'Read the stars',
      access: 'public',
      input: { params: Type.Object({ count: Type.Integer({ maximum: 7 }) }) },
      responses: {
        200: { description: 'Stars', schema: Type.Object({ names: Type.Array(Type.String()) }) },
      },
      errors: ['not_found'],
      handle: () => ({ body: { names: [] } }),
    });
    const sky = { name: 'sky', open: () => ({ read: () => [made] }) };
    const service = await startTestService({}, { wings: [...wings, sky] });
    try {
      const page = await (await fetch(`${service.url}/api-docs/night-sky`)).text();
      expect(page).to.contain('Read the stars').and.contain('at most 7');
      const search = await fetch(`${service.url}/api-docs/search?q=stars`);
      expect(((await search.json()) as Found).data[0]?.url).to.match(/night-sky#read_stars$/);
      expect(await (await fetch(`${service.url}/llms.txt`)).text()).to.contain('[Night sky]');
    } finally {
      await service.stop();
    }
  });
});
