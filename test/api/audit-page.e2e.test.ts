import { expect } from 'chai';
import type { HTTPRequest, Page } from 'puppeteer-core';
import type { PublishedKey } from '../../identity/audit-history.ts';
import { reattest } from '../../identity/reattestation.ts';
import { auditPage } from '../../pages/audit/audit-page.ts';
import {
  auditedEvents,
  historyOf,
  identity,
  signer,
  strangersKey,
} from '../support/audit-history.ts';
import { until, useService } from '../support/client.ts';
import { drafted, queued } from '../support/letter-samples.ts';
import { useBrowser } from '../support/use-browser.ts';

describe('the audit page in a browser', function () {
  this.timeout(180_000);
  const api = useService();
  const browser = useBrowser();
  let url: string;

  type Client = Awaited<ReturnType<typeof api.register>>;
  let client: Client;

  const addressOf = async (letterId: string): Promise<string> => {
    const made = await client.post<{ url: string }>(`/api/identity/audit/${letterId}/link`, {});
    const { pathname, search } = new URL(made.body.url);
    return `${api.service().url}${pathname}${search}`;
  };

  before(async () => {
    client = await api.register();
    const { letter_id: letterId } = await client.send();
    await client.advance(letterId, { to: 'delivered' });
    url = await addressOf(letterId);
  });

  const badges = (page: Page): Promise<{ state: string; text: string }[]> =>
    page.$$eval('.badge', (found) =>
      found.map((badge) => ({
        state: badge.getAttribute('data-state') ?? '',
        text: badge.textContent ?? '',
      })),
    );
  const summary = (page: Page): Promise<string> =>
    page.$eval('#summary', (found) => `${found.getAttribute('data-state')}: ${found.textContent}`);

  /** Loads the page, changed on its way, and waits until it has judged. */
  const load = async (change: (html: string) => string, address = url) => {
    const opened = await browser.open();
    const { page } = opened;
    await page.setRequestInterception(true);
    page.on('request', (request: HTTPRequest) => {
      if (request.resourceType() !== 'document') return request.continue();
      return fetch(request.url())
        .then(async (response) =>
          request.respond({
            status: response.status,
            headers: Object.fromEntries(response.headers),
            body: change(await response.text()),
          }),
        )
        .catch(() => request.abort());
    });
    await page.goto(address);
    await page.waitForFunction(
      "!document.querySelector('#summary').textContent.startsWith('The signatures were not')",
    );
    return opened;
  };

  type Shown = Parameters<typeof auditPage>[0];
  /** The text of each badge on a page that is shown instead of the service's. */
  const judged = async (
    shown: Pick<Shown, 'history' | 'paths' | 'madeAt'> & Partial<Pick<Shown, 'reattestations'>>,
    keys: PublishedKey[],
  ): Promise<string[]> => {
    const html = await auditPage({
      reattestations: [],
      ...shown,
      identity: { ...identity, keys },
      bundleHref: 'x/bundle.zip',
      language: 'en',
      certificateHref: 'x/certificate',
      assets: '',
    });
    const { page } = await load(() => html);
    const found = await badges(page);
    await page.close();
    return found.map(({ text }) => text);
  };

  it('speaks of the only record of a letter in the singular', async () => {
    const { letter_id: letterId } = await client.send();
    const address = await addressOf(letterId);
    await until(async () => {
      const { page } = await load((html) => html, address);
      const said = await summary(page);
      await page.close();
      return said.startsWith('good: The only record verifies: its signature');
    });
  });

  it('verifies every record, asks nobody else and breaks no policy', async () => {
    const { page, requests, complaints } = await load((html) => html);
    const judged = await badges(page);
    expect(judged.length).to.be.at.least(4);
    for (const badge of judged) expect(badge).to.deep.equal({ state: 'good', text: 'Verified' });
    expect(await summary(page)).to.match(/^good: All \d+ records verify/);
    for (const request of requests) {
      expect(request.startsWith(api.service().url) || request.startsWith('data:')).to.equal(true);
    }
    expect(complaints).to.deep.equal([]);
    await page.close();
  });

  it('turns red where a credential was changed, and where the one after it is left alone', async () => {
    const { page } = await load((html) => {
      const [first = ''] = /data-credential="[^"]+"/.exec(html) ?? [];
      const [head, body = '', tail] = first.slice('data-credential="'.length, -1).split('.');
      const text = Buffer.from(body, 'base64url')
        .toString()
        .replace('"US"', '"FR"')
        .replace('"DE"', '"FR"');
      const changed = [head, Buffer.from(text).toString('base64url'), tail].join('.');
      return html.replace(first, `data-credential="${changed}"`);
    });
    const [first, second, third] = await badges(page);
    expect(first?.state).to.equal('bad');
    expect(first?.text).to.contain('the signature is not one of its content');
    expect(second?.text).to.contain('it does not follow the one before');
    expect(third?.state).to.equal('good');
    expect(await summary(page)).to.match(/^bad: 2 of \d+ records do not verify/);
    await page.close();
  });

  const expectBad = async (change: (html: string) => string, reason: string) => {
    const { page } = await load(change);
    const bad = (await badges(page)).filter(({ state }) => state === 'bad');
    expect(bad.length).to.be.at.least(1);
    expect(bad[0]?.text).to.contain(reason);
    expect(await summary(page)).to.match(/^bad: /);
    await page.close();
  };

  it('turns red where the page says another thing than was signed', async () => {
    await expectBad(
      (html) => html.replace('data-type="letter.posted"', 'data-type="letter.delivered"'),
      'it does not say what stands here',
    );
    await expectBad(
      (html) =>
        html.replace(/data-event-hash="sha-256:.{10}/, 'data-event-hash="sha-256:AAAAAAAAAA'),
      'it does not say what stands here',
    );
  });

  it('turns red if a signature is not canonical base64url', async () => {
    // Not in the log yet, where it would be another leaf.
    const respelt = (html: string) =>
      html.replace(/([AQgw])("[^>]*data-path=")[^"]+/, (_, last: string, between: string) => {
        return `${String.fromCharCode(last.charCodeAt(0) + 1)}${between}none`;
      });
    await expectBad(respelt, 'it is not well formed');
  });

  it('turns red where the log does not hold what the page shows', async () => {
    await expectBad(
      (html) =>
        html.replace(/data-path="[^" ]{43}=/, `data-path="${Buffer.alloc(32).toString('base64')}`),
      'it is not in the log',
    );
    await expectBad(
      (html) =>
        html.replace(/data-checkpoint="letters\.local\n\d+/, 'data-checkpoint="letters.local\n9'),
      'no key of the log signed the checkpoint',
    );
  });

  it('trusts the log for events from a clock that was set back after a rotation', async () => {
    const events = auditedEvents([drafted(), queued()]);
    const { history, paths } = historyOf(events);
    // An hour after the first event says that it happened.
    const since = '2026-03-01T13:00:00.000Z';
    const keys = identity.keys.flatMap((key): PublishedKey[] =>
      key.purpose === 'credential'
        ? [
            { ...key, kids: ['x'], publicKeyMultibase: strangersKey().multikey },
            { ...key, validFrom: since },
          ]
        : [key],
    );
    const judgedBy = (inLog: typeof paths) => {
      const known = inLog.size === 0 ? { ...history, checkpoint: undefined } : history;
      return judged({ history: known, paths: inLog, madeAt: since }, keys);
    };
    expect(await judgedBy(paths)).to.deep.equal(events.map(() => 'Verified'));
    const early = 'Does not verify: its key was not in use yet';
    expect(await judgedBy(new Map())).to.deep.equal(events.map(() => early));
    const others = new Map([...paths].map(([index, path]) => [index, path.toReversed()]));
    expect(await judgedBy(others)).to.deep.equal(
      events.map(() => 'Does not verify: it is not in the log'),
    );
  });

  it('tells what a revoked key signed and is attested anew from what is not', async () => {
    const events = auditedEvents([drafted(), queued()]);
    const { history, paths } = historyOf(events);
    const fresh = strangersKey();
    // Earlier than the times of the events, because a clock was ahead.
    const since = '2026-03-01T11:00:00.000Z';
    const kid = `${identity.did}#credential-2`;
    const keys: PublishedKey[] = [
      ...identity.keys.map(
        (key): PublishedKey =>
          key.purpose === 'credential'
            ? { ...key, state: 'revoked', validUntil: since, trustedLogSize: 0 }
            : key,
      ),
      {
        kids: [kid],
        purpose: 'credential',
        publicKeyMultibase: fresh.multikey,
        state: 'active',
        validFrom: since,
      },
    ];
    const attested = await reattest(history, keys, { kid, validFrom: since, sign: fresh.sign });
    const judgedBy = (reattestations: string[]) =>
      judged({ history, paths, madeAt: since, reattestations }, keys);
    const anew = 'Verified, attested anew';
    expect(await judgedBy(attested)).to.deep.equal(events.map(() => anew));
    const revoked = 'Does not verify: its key was revoked';
    expect(await judgedBy(attested.slice(1))).to.deep.equal(
      events.map((_, index) => (index === 0 ? revoked : anew)),
    );
    const thief = await reattest(history, keys, signer);
    expect(await judgedBy(thief)).to.deep.equal(events.map(() => revoked));
  });

  it('says “not checked” where the browser cannot check', async () => {
    const opened = await browser.open();
    await opened.page.evaluateOnNewDocument(
      "Object.defineProperty(SubtleCrypto.prototype, 'importKey', { value: () => Promise.reject(new DOMException('no', 'NotSupportedError')) })",
    );
    await opened.page.goto(url);
    await opened.page.waitForFunction(
      "document.querySelector('#summary').textContent.startsWith('Not checked')",
    );
    for (const { state, text } of await badges(opened.page)) {
      expect([state, text]).to.deep.equal(['unchecked', 'Not checked']);
    }
    expect(await summary(opened.page)).to.contain('this browser cannot check Ed25519');
    await opened.page.close();
  });

  it('has the whole timeline without JavaScript, and claims nothing', async () => {
    const { page } = await browser.open();
    await page.setJavaScriptEnabled(false);
    await page.goto(url);
    const titles = await page.$$eval('.timeline h3', (found) =>
      found.map((title) => title.textContent),
    );
    expect(titles).to.include.members(['Accepted', 'In production', 'Posted', 'Delivered']);
    expect((await badges(page)).map(({ text }) => text)).to.include('Not checked');
    expect((await badges(page)).filter(({ state }) => state === 'good')).to.deep.equal([]);
    await page.close();
  });
});
