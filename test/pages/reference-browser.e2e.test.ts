import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { findingsOn } from '../support/axe.ts';
import { useService } from '../support/client.ts';
import { useBrowser } from '../support/use-browser.ts';

const kinds = {
  'the first page of the service': '/',
  'the first page of the reference': '/api-docs',
  'a resource': '/api-docs/settings',
  'a guide': '/api-docs/guides/webhooks',
  'the errors': '/api-docs/errors',
  'the list of types': '/errors',
  'the changelog': '/api-docs/changelog',
  'what was found': '/api-docs/search?q=key',
  'an error': '/errors/letter_not_found',
  'an address without a page': '/nothing/here',
};

const looks = {
  light: { width: 1280, scheme: 'light' },
  dark: { width: 1280, scheme: 'dark' },
  'on a phone': { width: 390, scheme: 'light' },
  'enlarged four times': { width: 320, scheme: 'light' },
};

describe('the pages in a browser', function () {
  this.timeout(180_000);
  const api = useService();
  const browser = useBrowser();

  for (const [kind, path] of Object.entries(kinds)) {
    it(`${kind}: axe-core finds nothing, light, dark, wide and narrow`, async () => {
      const { page, requests, complaints } = await browser.open();
      for (const [look, { width, scheme }] of Object.entries(looks)) {
        await page.setViewport({ width, height: 900 });
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        await page.goto(api.service().url + path, { waitUntil: 'load' });
        expect(await findingsOn(page), look).to.deep.equal([]);
        expect(await page.evaluate('document.documentElement.scrollWidth'), look).to.equal(width);
      }
      for (const request of requests) {
        expect(request.startsWith(api.service().url) || request.startsWith('data:')).to.equal(true);
      }
      const other = complaints.filter((text) => !text.includes('status of 404'));
      expect(other).to.deep.equal([]);
      await page.close();
    });
  }

  it('guides with tables of every kind: axe-core finds nothing on a phone', async () => {
    const { page } = await browser.open();
    await page.setViewport({ width: 390, height: 900 });
    for (const name of ['orders', 'mcp', 'email', 'money']) {
      await page.goto(`${api.service().url}/api-docs/guides/${name}`, { waitUntil: 'load' });
      expect(await findingsOn(page), name).to.deep.equal([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), name).to.equal(390);
    }
    await page.close();
  });

  const displayed = (page: Page, language: string): Promise<boolean> =>
    page.$eval(
      `#send_letter ~ .columns .code[data-language="${language}"], #send_letter + .columns .code[data-language="${language}"]`,
      (figure) => figure.getClientRects().length > 0,
    );

  it('needs no script: search, menu and the language of samples work without', async () => {
    const { page } = await browser.open();
    await page.setJavaScriptEnabled(false);
    await page.setViewport({ width: 390, height: 900 });
    await page.goto(`${api.service().url}/api-docs/letters`);
    expect([await displayed(page, 'bash'), await displayed(page, 'python')]).to.deep.equal([
      true,
      false,
    ]);
    await page.click('label[for="in-python"]');
    expect([await displayed(page, 'bash'), await displayed(page, 'python')]).to.deep.equal([
      false,
      true,
    ]);
    await page.click('.menu');
    const menu = await page.$eval('#navigation', (one) => one.getClientRects().length);
    expect(menu).to.equal(1);
    await page.click('#navigation .close');
    await page.type('input[name="q"]', 'webhook');
    await Promise.all([page.waitForNavigation(), page.click('.search button')]);
    expect(page.url()).to.contain('/api-docs/search?q=webhook');
    expect(await page.$$eval('.hits a', (hits) => hits.length)).to.be.at.least(3);
    await page.close();
  });

  it('keeps the language that was chosen', async () => {
    const { page } = await browser.open();
    await page.setViewport({ width: 1280, height: 900 });
    await page.goto(`${api.service().url}/api-docs/letters`);
    await page.click('label[for="in-ts"]');
    await page.goto(`${api.service().url}/api-docs/keys`);
    expect(
      await page.$eval('#in-ts', (input) => (input as { checked?: boolean }).checked),
    ).to.equal(true);
    await page.close();
  });

  it('/docs has a title, a language, a main landmark and names for its selects, and follows the colours of the system', async () => {
    const { page } = await browser.open();
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await page.goto(`${api.service().url}/docs`, { waitUntil: 'load' });
    await page.waitForSelector('main .swagger-ui #operations-tag-Letters', { timeout: 60_000 });
    await page.click('#operations-tag-Letters');
    await page.waitForSelector('#operations-Letters-send_letter', { timeout: 60_000 });
    const isDark = () => page.evaluate("document.documentElement.matches('.dark-mode')");
    expect(await isDark()).to.equal(true);
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
    await page.waitForSelector('html:not(.dark-mode)');
    const known = await findingsOn(page);
    const structure = ['document-title', 'html-has-lang', 'landmark-one-main', 'region'];
    for (const rule of [...structure, 'select-name']) {
      expect(known.filter((finding) => finding.startsWith(`${rule}:`))).to.deep.equal([]);
    }
    await page.close();
  });

  it('/docs shows the operations to try, asks nobody else and breaks no policy', async () => {
    const { page, requests, complaints } = await browser.open();
    await page.setViewport({ width: 1280, height: 900 });
    await page.goto(`${api.service().url}/docs`, { waitUntil: 'load' });
    await page.waitForSelector('#operations-tag-Letters', { timeout: 60_000 });
    await page.click('#operations-tag-Letters');
    await page.waitForSelector('#operations-Letters-send_letter', { timeout: 60_000 });
    await page.click('#operations-Letters-send_letter .opblock-summary-control');
    await page.waitForSelector('#operations-Letters-send_letter .try-out__btn', {
      timeout: 60_000,
    });
    for (const request of requests) {
      expect(request.startsWith(api.service().url) || request.startsWith('data:')).to.equal(true);
    }
    expect(complaints).to.deep.equal([]);
    await page.close();
  });
});
