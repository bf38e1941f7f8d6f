import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { createEmailTokens } from '../../commands/accounts/confirmation.ts';
import { findingsOn } from '../support/axe.ts';
import {
  expectProblem,
  letterTo,
  type SettingsJson,
  until,
  useService,
} from '../support/client.ts';
import { creditWallet } from '../support/foundation.ts';
import { useBrowser } from '../support/use-browser.ts';

describe('the page that confirms an address', function () {
  this.timeout(180_000);
  const api = useService();
  const browser = useBrowser();

  const registered = async () => {
    const client = await api.register('live');
    const { foundation } = api.service().service;
    await creditWallet(foundation.commands, client.account.account_id, 100_000_000n);
    await client.put('/api/settings', { webhook_url: 'https://hooks.example.com/status' });
    await client.post('/api/identity/ucan', { scope: 'read' });
    const { letter_id: letterId } = await client.send({ draft: true });
    await client.post(`/api/identity/audit/${letterId}/link`, {});
    const shownLinks = () =>
      client.get<{ data: object[] }>('/api/identity/audit/links').then(({ body }) => body.data);
    await until(async () => (await shownLinks()).length === 1);
    const { derive, indexOf } = foundation.keys;
    const token = createEmailTokens(derive('email-links')).issue({
      purpose: 'confirm',
      accountId: client.account.account_id,
      address: 'registered',
      digest: indexOf('email', client.email.toLowerCase()),
      expiresAtMs: Date.now() + 60_000,
    });
    return { ...client, token, letterId };
  };

  const open = async (token: string, { language = 'en', scheme = 'light', width = 1280 } = {}) => {
    const { page, complaints } = await browser.open();
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.goto(`${api.service().url}/auth/confirm?language=${language}#token=${token}`);
    await page.waitForSelector('#form:not([hidden])');
    const shown = async () =>
      String(await page.evaluate("document.querySelector('main').innerText"));
    return { page, complaints, shown };
  };

  const press = async (page: Page, id: string): Promise<void> => {
    await page.click(`#${id}`);
    await page.waitForSelector('#result:not([hidden])');
  };

  it('keeps what its reader keeps: the only key goes on sending, and the page says so', async () => {
    const client = await registered();
    const { page, complaints, shown } = await open(client.token);
    const before = await shown();
    expect(before).to.include(client.email).and.include('https://hooks.example.com/status');
    expect(before).to.include(client.key.slice(0, 13)).and.include('UCANs made with it: 1');
    expect(before).to.include(`letter ${client.letterId}, until`);
    await press(page, 'keep-all');
    const after = await shown();
    expect(after).to.include('Confirmed').and.include('Kept').and.not.include('Ended');
    expect((await client.post('/api/send', letterTo('DE'))).status).to.equal(201);
    expect(complaints).to.deep.equal([]);
  });

  it('removes what its reader does not know, and says that a link for a new key follows', async () => {
    const client = await registered();
    const { page, shown } = await open(client.token);
    await press(page, 'keep-none');
    const after = await shown();
    expect(after).to.include('Ended').and.include('https://hooks.example.com/status');
    expect(after).to.include('A link for a new key is on its way').and.not.include('Kept');
    expectProblem(await client.get('/api/balance'), 401, 'invalid_api_key');
  });

  it('lets its reader decide one by one', async () => {
    const client = await registered();
    const { page, shown } = await open(client.token);
    await page.click('#one-by-one');
    await page.click(`input[value="${client.account.key_id}"]`);
    await press(page, 'keep-some');
    expect(await shown()).to.match(/Kept[\s\S]*svc_live_[\s\S]*Ended[\s\S]*hooks\.example\.com/);
    const settings = await client.get<SettingsJson>('/api/settings');
    expect(settings.body.webhook_url).to.equal(null);
    expect((await client.post('/api/send', letterTo('DE'))).status).to.equal(201);
  });

  it('keeps only what is ticked when its reader presses Enter in the list', async () => {
    const client = await registered();
    const { page } = await open(client.token);
    await page.click('#one-by-one');
    await page.focus(`input[value="${client.account.key_id}"]`);
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#result:not([hidden])');
    const settings = await client.get<SettingsJson>('/api/settings');
    expect(settings.body.webhook_url).to.equal(null);
    expect((await client.post('/api/send', letterTo('DE'))).status).to.equal(201);
  });

  it('shows the list again when it changed meanwhile, and keeps nothing unseen', async () => {
    const client = await registered();
    const { page, shown } = await open(client.token);
    await client.put('/api/settings', { webhook_url: 'https://other.example.com/' });
    await page.click('#keep-all');
    await page.waitForFunction(
      `document.getElementById('state').textContent.includes('The list has changed')`,
    );
    expect(await shown()).to.include('https://other.example.com/');
    await press(page, 'keep-all');
    const settings = await client.get<SettingsJson>('/api/settings');
    expect(settings.body.webhook_url).to.equal('https://other.example.com/');
  });

  for (const [language, unreachable, invalid] of [
    ['en', 'cannot be reached', 'it no longer counts because the account changed since'],
    ['de', 'nicht erreichbar', 'oder er gilt nicht mehr'],
    ['fr', 'injoignable', 'ou il n’est plus valable'],
  ] as const) {
    const saying = (page: Page, text: string) =>
      page.waitForFunction(
        `document.getElementById('state').textContent.includes(${JSON.stringify(text)})`,
      );

    it(`says that the service cannot be reached, and works again after that (${language})`, async () => {
      const { token } = await registered();
      const { page } = await open(token, { language });
      await page.setOfflineMode(true);
      await page.click('#keep-all');
      await saying(page, unreachable);
      await page.setOfflineMode(false);
      await press(page, 'keep-all');
    });

    it(`does not call a link incomplete whose address the account gave up (${language})`, async () => {
      const { account, token } = await registered();
      const { derive, indexOf } = api.service().service.foundation.keys;
      const other = createEmailTokens(derive('email-links')).issue({
        purpose: 'confirm',
        accountId: account.account_id,
        address: 'registered',
        digest: indexOf('email', 'former@example.org'),
        expiresAtMs: Date.now() + 60_000,
      });
      const { page } = await open(token, { language });
      await page.goto(`${api.service().url}/?`);
      await page.goto(`${api.service().url}/auth/confirm?language=${language}#token=${other}`);
      await saying(page, invalid);
    });
  }

  for (const language of ['en', 'de', 'fr']) {
    it(`is accessible before and after, light, dark, wide and narrow (${language})`, async () => {
      for (const [scheme, width] of [
        ['light', 1280],
        ['dark', 1280],
        ['light', 390],
      ] as const) {
        const client = await registered();
        const { page } = await open(client.token, { language, scheme, width });
        await page.click('#one-by-one');
        expect(await findingsOn(page), `${scheme} ${width}`).to.deep.equal([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(width);
        await press(page, 'keep-some');
        expect(await findingsOn(page), `${scheme} ${width} after`).to.deep.equal([]);
        await page.close();
      }
    });
  }
});
