import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { unzipSync } from 'fflate';
import type { Static } from 'typebox';
import type { Audit } from '../../presenters/audit.ts';
import { verifierPath } from '../support/audit-history.ts';
import {
  expectMembers,
  expectProblem,
  type Letter,
  type ProofJson,
  until,
  useService,
} from '../support/client.ts';

type AuditJson = Static<typeof Audit>;

describe('the audit of a letter over HTTP', () => {
  const api = useService();
  type Client = Awaited<ReturnType<typeof api.register>>;
  let client: Client;
  let letterId: string;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-audit-'));
    client = await api.register();
    const sent = await client.send({ reference: 'REF-4711' });
    letterId = sent.letter_id;
    await client.advance(letterId, { to: 'delivered' });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const pathOf = (id: string): string => `/api/identity/audit/${id}`;
  const audit = async (id = letterId, query = ''): Promise<AuditJson> => {
    const answer = await client.get<AuditJson>(`${pathOf(id)}${query}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  };

  const download = async (url: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url, { headers });
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('application/zip');
    return Buffer.from(await response.arrayBuffer());
  };
  const bundle = (id = letterId) =>
    download(`${api.service().url}${pathOf(id)}`, {
      Authorization: `Bearer ${client.key}`,
      Accept: 'application/zip',
    });

  const verify = async (zip: Buffer): Promise<{ code: number; output: string }> => {
    const path = join(folder, `${randomUUID()}.zip`);
    await writeFile(path, zip);
    return new Promise((resolve) => {
      execFile(process.execPath, [verifierPath, path], { env: {} }, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr });
      });
    });
  };

  it('shows every event with its credential, its links and its place in the log', async () => {
    const history = await audit();
    expect(history.complete).to.equal(true);
    expect(history.events.map(({ type }) => type)).to.deep.include.members([
      'letter.queued',
      'letter.posted',
      'letter.delivered',
    ]);
    expect(history.events.at(-1)).to.deep.include({ status: 'delivered', source: 'simulator' });
    let previous: string | null = null;
    for (const [index, event] of history.events.entries()) {
      expect(event.sequence).to.equal(index + 1);
      expect(event.previous_hash).to.equal(previous);
      expect(history.inclusion[index]).to.be.an('array');
      previous = event.hash;
    }
    expect(history.checkpoint).to.match(/^letters\.local\n\d+\n/);
    expect(JSON.stringify(history)).not.to.contain('REF-4711').and.not.to.contain('Müller');
  });

  it('goes on page by page', async () => {
    const whole = await audit();
    const first = await audit(letterId, '?limit=2');
    expect(first.has_more).to.equal(true);
    expect(first.events).to.deep.equal(whole.events.slice(0, 2));
    const rest = await audit(letterId, '?after=2');
    expect(rest.has_more).to.equal(false);
    expect(rest.events).to.deep.equal(whole.events.slice(2));
  });

  it('is shown to the owner alone', async () => {
    const stranger = await api.register();
    expectProblem(await stranger.get(pathOf(letterId)), 404, 'letter_not_found');
    expectProblem(await stranger.post(`${pathOf(letterId)}/link`, {}), 404, 'letter_not_found');
    expectProblem(await client.get(pathOf(randomUUID())), 404, 'letter_not_found');
    expectProblem(await api.call('GET', pathOf(letterId)), 401, 'authentication_required');
  });

  it('shows the letter as it was after an event or at a time', async () => {
    const { events } = await audit();
    const [first, second] = events;
    const early = (await audit(letterId, '?as_of=1')) as AuditJson & { letter: Letter };
    expect(early.events).to.have.length(1);
    expect(early.letter).to.deep.include({ status: 'queued', to_name: 'Anna Müller' });
    expect(early.as_of).to.equal('1');
    const at = encodeURIComponent(second?.occurred_at ?? '');
    const later = (await audit(letterId, `?as_of=${at}`)) as AuditJson & { letter: Letter };
    expect(later.events.length).to.be.at.least(2);
    expect(later.letter.status).to.equal(later.events.at(-1)?.status);
    const before = new Date(Date.parse(first?.occurred_at ?? '') - 1_000).toISOString();
    const nothing = await audit(letterId, `?as_of=${before}`);
    expect(nothing).to.deep.include({ letter: null, events: [], complete: true, test: true });
    const unclear = await client.get(`${pathOf(letterId)}?as_of=yesterday`);
    expectProblem(unclear, 422, 'validation_failed', '/query/as_of');
    expect(unclear.text).to.contain(
      'as_of must be a number of events or a time such as 2026-11-20T09:30:00Z',
    );
    for (const query of ['after=0', 'limit=1']) {
      const cut = await client.get(`${pathOf(letterId)}?${query}`, { Accept: 'application/zip' });
      expectProblem(cut, 422, 'validation_failed');
    }
    const zip = await client.get(`${pathOf(letterId)}?as_of=1`, { Accept: 'application/zip' });
    expectProblem(zip, 422, 'validation_failed', '/query/as_of');
  });

  it('comes as a bundle that verifies offline, the same one each time', async () => {
    const zip = await bundle();
    const { code, output } = await verify(zip);
    expect(output).to.contain('OK: everything holds.');
    expect(code).to.equal(0);
    const files = unzipSync(zip);
    expect(Object.keys(files).sort()).to.deep.equal([
      'README.txt',
      'checkpoint.txt',
      'credentials.json',
      'history.json',
      'inclusion.json',
      'service-did.json',
      'statement.jwt',
      'verify-audit.mjs',
    ]);
    const text = Object.values(files)
      .map((bytes) => Buffer.from(bytes).toString())
      .join('\n');
    expect(text).not.to.contain('REF-4711').and.not.to.contain('Müller');
    // Under the same checkpoint; the log may grow between the two.
    await until(async () => (await bundle()).equals(await bundle()));
  });

  it('puts credentials and their inclusion into the proof', async () => {
    const history = await audit();
    const { body } = await client.get<ProofJson>(`/api/proof/${letterId}`);
    expect(body.credentials).to.deep.equal(history.events.map(({ credential }) => credential));
    expect(body.service_did).to.match(/^did:key:z6Mk/);
    expect(body.log?.inclusion).to.have.length(body.credentials.length);
    for (const [index, proof] of (body.log?.inclusion ?? []).entries()) {
      const logIndex = history.events[index]?.log_index;
      expect(proof).to.match(new RegExp(`^c2sp\\.org/tlog-proof@v1\nindex ${logIndex}\n`));
      expect(proof?.endsWith(`\n\n${body.log?.checkpoint}`)).to.equal(true);
    }
  });

  it('outlives the erasure of the letter, with nothing personal left', async () => {
    const { letter_id: id } = await client.send({ reference: 'REF-erase' });
    const cancelled = await client.post(`/api/letters/${id}/cancel`);
    expect(cancelled.status, cancelled.text).to.equal(200);
    const before = await audit(id);
    const deleted = await client.delete(`/api/letters/${id}`);
    expect(deleted.status, deleted.text).to.equal(200);
    await until(async () => (await audit(id)).events.at(-1)?.type === 'letter.erased');
    const after = (await audit(id, '?as_of=1')) as AuditJson & { letter: Letter };
    expect(after.events[0]?.credential).to.equal(before.events[0]?.credential);
    expect(after.letter).to.deep.include({ to_name: '[erased]', reference: '[erased]' });
    const zip = await bundle(id);
    const { code, output } = await verify(zip);
    expect(output).to.contain('letter.erased').and.to.contain('OK: everything holds.');
    expect(code).to.equal(0);
    const proof = await client.get<ProofJson>(`/api/proof/${id}`);
    expect(proof.body.credentials.length).to.equal(before.events.length + 1);
    expect(proof.body.document.salt).to.equal(null);
    const everything = JSON.stringify([after, proof.body]) + zip.toString('latin1');
    for (const personal of ['REF-erase', 'Müller', 'Lindenstra', 'Bob Sender']) {
      expect(everything).not.to.contain(personal);
    }
  });

  describe('the page behind a link', () => {
    type Link = { url: string; expires_at: string };
    const link = async (body: object = {}): Promise<URL> => {
      const made = await client.post<Link>(`${pathOf(letterId)}/link`, body);
      expect(made.status, made.text).to.equal(201);
      expectMembers(made.body, ['id', 'url', 'expires_at']);
      const { pathname, search } = new URL(made.body.url);
      return new URL(`${pathname}${search}`, api.service().url);
    };
    const read = async (url: URL | string) => {
      const response = await fetch(url);
      return { status: response.status, headers: response.headers, text: await response.text() };
    };

    it('tells people what happened, without a key and with nothing personal', async () => {
      const url = await link();
      expect(url.search.length).to.be.below(45);
      const { status, headers, text } = await read(url);
      expect(status).to.equal(200);
      expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(headers.get('referrer-policy')).to.equal('no-referrer');
      expect(headers.get('x-robots-tag')).to.contain('noindex');
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(headers.get('content-security-policy')).to.contain("default-src 'none'");
      expect(headers.get('content-security-policy')).not.to.contain('unsafe');
      for (const told of ['Accepted', 'In production', 'Posted', 'Delivered', letterId]) {
        expect(text).to.contain(told);
      }
      for (const personal of [
        'Müller',
        'Lindenstra',
        'REF-4711',
        'Bob Sender',
        'key_',
        'http://',
      ]) {
        expect(text).not.to.contain(personal);
      }
      for (const file of ['page.css', 'page.js']) {
        const answer = await read(new URL(`/audit/${file}`, url));
        expect(answer.status).to.equal(200);
      }
    });

    it('speaks German and French, and leads to the page of the certificate', async () => {
      const url = await link();
      for (const [language, title] of [
        ['de', 'Verlauf eines Briefs'],
        ['fr', 'Historique d’une lettre'],
      ] as const) {
        url.searchParams.set('language', language);
        const { status, text } = await read(url);
        expect(status).to.equal(200);
        expect(text).to.contain(`<html lang="${language}">`).and.to.contain(`<h1>${title}</h1>`);
        const href = /href="(\.\.\/verify\/[^"]+)"/.exec(text)?.[1] ?? '';
        const certificate = await read(new URL(href.replaceAll('&amp;', '&'), url));
        expect(certificate.status, href).to.equal(200);
      }
    });

    it('gives the bundle through the same token', async () => {
      const url = await link();
      url.pathname += '/bundle.zip';
      const { code } = await verify(await download(url.href));
      expect(code).to.equal(0);
    });

    it('opens with its own token only, and says nothing else', async () => {
      const url = await link();
      const token = url.searchParams.get('token') ?? '';
      const other = await client.send();
      const elsewhere = new URL(url);
      elsewhere.pathname = `/audit/${other.letter_id}`;
      const nowhere = new URL(url);
      nowhere.pathname = `/audit/${randomUUID()}`;
      const later = new URL(url);
      later.searchParams.set('token', token.replace(/^[^.]+/, 'zzzzzz'));
      const forged = new URL(url);
      forged.searchParams.set('token', `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`);
      const bare = new URL(url);
      bare.search = '';
      const strange = new URL('/audit/x?token=%F0%9F%93%AE', url);
      const pages = await Promise.all([elsewhere, nowhere, later, forged, bare, strange].map(read));
      for (const { status, text } of pages) {
        expect(status).to.equal(404);
        expect(text).to.equal(pages[0]?.text).and.to.contain('Nothing here');
      }
      forged.pathname += '/bundle.zip';
      expect((await read(forged)).status).to.equal(404);
    });

    it('is open as long as it was asked for', async () => {
      const before = Date.now();
      const made = await client.post<Link>(`${pathOf(letterId)}/link`, { expires_in: 60 });
      const expiresAt = Date.parse(made.body.expires_at);
      expect(expiresAt).to.be.within(before + 59_000, Date.now() + 60_000);
      for (const seconds of [59, 31_536_001, 1.5]) {
        const refused = await client.post(`${pathOf(letterId)}/link`, { expires_in: seconds });
        expectProblem(refused, 422, 'validation_failed', '/expires_in');
      }
    });
  });
});

describe('the audit where no credentials are issued and histories are short', () => {
  const api = useService({ CREDENTIALS: 'false', LIMIT_AUDIT_EVENTS: '3' });

  it('says that the history is not complete and claims nothing', async () => {
    const client = await api.register();
    const { letter_id: id } = await client.send();
    const { body } = await client.get<AuditJson>(`/api/identity/audit/${id}`);
    expect(body).to.deep.include({ complete: false, checkpoint: null, inclusion: [null] });
    expect(body.events[0]).to.deep.include({ credential: null, hash: null, log_index: null });
    const made = await client.post<{ url: string }>(`/api/identity/audit/${id}/link`, {});
    const { pathname, search } = new URL(made.body.url);
    const page = await (await fetch(`${api.service().url}${pathname}${search}`)).text();
    expect(page).to.contain('Not complete yet.').and.to.contain('Not yet signed');
    const proof = await client.get<ProofJson>(`/api/proof/${id}`);
    expect(proof.body).to.deep.include({ credentials: [], log: null });
  });

  it('shows a part of a history that is too long to be shown at once', async () => {
    const client = await api.register();
    const { letter_id: id } = await client.send();
    await client.advance(id, { to: 'delivered' });
    const path = `/api/identity/audit/${id}`;
    expectProblem(await client.get(path), 422, 'audit_too_long');
    expectProblem(await client.get(`/api/proof/${id}`), 422, 'audit_too_long');
    const part = await client.get<AuditJson>(`${path}?as_of=3`);
    expect(part.body.events).to.have.length(3);
    const made = await client.post<{ url: string }>(`${path}/link`, {});
    const { pathname, search } = new URL(made.body.url);
    expectProblem(await api.call('GET', `${pathname}${search}`), 422, 'audit_too_long');
  });
});
