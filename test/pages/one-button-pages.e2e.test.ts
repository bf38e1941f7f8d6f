import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { createEmailTokens, type EmailGrant } from '../../commands/accounts/confirmation.ts';
import { findingsOn } from '../support/axe.ts';
import { type SettingsJson, useService } from '../support/client.ts';
import { useBrowser } from '../support/use-browser.ts';

const looks = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 1280 },
  { scheme: 'light', width: 390 },
] as const;

describe('the pages of mails with one button', function () {
  this.timeout(180_000);
  const api = useService();
  const browser = useBrowser();

  const tokenFor = (
    grant: Pick<EmailGrant, 'purpose' | 'accountId' | 'address'>,
    email: string,
  ) => {
    const { derive, indexOf } = api.service().service.foundation.keys;
    const digest = indexOf('email', email.toLowerCase());
    const expiresAtMs = Date.now() + 60_000;
    return createEmailTokens(derive('email-links')).issue({ ...grant, digest, expiresAtMs });
  };

  const linksOf = {
    '/unsubscribe': async () => {
      const client = await api.register('test');
      const address = 'reader@example.org';
      await client.put('/api/settings', { notification_email: address });
      const accountId = client.account.account_id;
      const grant = { purpose: 'unsubscribe', address: 'notifications', accountId } as const;
      return { client, hash: '', search: `token=${tokenFor(grant, address)}` };
    },
    '/auth/email/stop': async () => {
      const client = await api.register('live');
      const accountId = client.account.account_id;
      const grant = { purpose: 'stop', address: 'registered', accountId } as const;
      return { client, hash: `#token=${tokenFor(grant, client.email)}`, search: '' };
    },
  };
  const wrong = { '/unsubscribe': 'token=x', '/auth/email/stop': '' };

  const open = async (at: string, look: { scheme: string; width: number } = looks[0]) => {
    const { page, complaints } = await browser.open();
    await page.setViewport({ width: look.width, height: 900 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: look.scheme }]);
    await page.goto(api.service().url + at);
    await page.waitForSelector('#form:not([hidden])');
    const said = (): Promise<string> =>
      page.$eval('#state', (element) => element.textContent ?? '');
    /** Presses the button, and waits for what the page says then. */
    const press = async (): Promise<string> => {
      const before = await said();
      await page.click('#ask');
      await page.waitForFunction(
        `document.getElementById('state').textContent !== ${JSON.stringify(before)}`,
      );
      return said();
    };
    return { page, complaints, said, press };
  };

  const assertAccessible = async (page: Page, width: number, when: string): Promise<void> => {
    expect(await findingsOn(page), when).to.deep.equal([]);
    expect(await page.evaluate('document.documentElement.scrollWidth'), when).to.equal(width);
  };

  it('end the e-mails when their reader presses the button, and not before', async () => {
    const { client, search } = await linksOf['/unsubscribe']();
    const address = async () =>
      (await client.get<SettingsJson>('/api/settings')).body.notification_email;
    const { page, complaints, said, press } = await open(`/unsubscribe?${search}`);
    expect(await said()).to.include('Unsubscribe from the e-mails');
    expect(await address()).to.equal('reader@example.org');
    expect(await press()).to.include('You are unsubscribed');
    expect(await page.$eval('#form', (form) => form.hidden)).to.equal(true);
    expect(await address()).to.equal(null);
    expect(complaints).to.deep.equal([]);
  });

  it('end the e-mails although the address has a language, and fields that a mail program added', async () => {
    const { search } = await linksOf['/unsubscribe']();
    const { press } = await open(`/unsubscribe?language=de&${search}&utm_source=mail`);
    expect(await press()).to.equal('Sie erhalten diese E-Mails nicht mehr.');
  });

  it('say in the language of the page that a link without its token is not complete', async () => {
    for (const path of ['/unsubscribe', '/auth/email/stop']) {
      const { press } = await open(`${path}?language=de`);
      expect(await press(), path).to.include('Der Link ist unvollständig');
    }
  });

  it('stay as they are when the service cannot be reached, so that the button works again', async () => {
    const { search } = await linksOf['/unsubscribe']();
    const { page, press } = await open(`/unsubscribe?${search}`);
    await page.setOfflineMode(true);
    expect(await press()).to.include('cannot be reached');
    await assertAccessible(page, 1280, 'unreachable');
    await page.setOfflineMode(false);
    expect(await press()).to.include('You are unsubscribed');
  });

  for (const [language, said, done] of [
    ['en', 'That did not work. Try again in a minute.', 'You are unsubscribed'],
    ['de', 'Das ging nicht', 'nicht mehr'],
    ['fr', 'Cela n’a pas fonctionné', 'ne recevrez plus'],
  ] as const) {
    it(`keep the button while the address has asked too often, and say so in the language of the page (${language})`, async () => {
      const { search } = await linksOf['/unsubscribe']();
      const { page, press } = await open(`/unsubscribe?language=${language}&${search}`);
      const body = JSON.stringify({ code: 'rate_limited', detail: 'Too many requests.' });
      await page.setRequestInterception(true);
      page.once('request', (request) =>
        request.respond({ status: 429, contentType: 'application/json', body }),
      );
      page.on('request', (request) => {
        if (!request.isInterceptResolutionHandled()) void request.continue();
      });
      expect(await press()).to.include(said);
      expect(await press()).to.include(done);
    });
  }

  for (const path of ['/unsubscribe', '/auth/email/stop'] as const) {
    for (const language of ['en', 'de', 'fr']) {
      it(`are accessible before, after and with a wrong link, light, dark, wide and narrow (${path}, ${language})`, async () => {
        for (const look of looks) {
          const when = `${look.scheme} ${look.width}`;
          const { search, hash } = await linksOf[path]();
          const right = await open(`${path}?language=${language}&${search}${hash}`, look);
          await assertAccessible(right.page, look.width, when);
          await right.press();
          await assertAccessible(right.page, look.width, `${when}, after`);
          await right.page.close();
          const refused = await open(`${path}?language=${language}&${wrong[path]}#token=x`, look);
          await refused.press();
          await assertAccessible(refused.page, look.width, `${when}, refused`);
          await refused.page.close();
        }
      });
    }

    it(`say what to do without JavaScript (${path})`, async () => {
      const { text } = await api.call('GET', path);
      expect(text).to.match(/This page needs JavaScript\. Without it, send/);
      expect(text).to.include('<main class="sheet">').and.include('/audit/page.css');
    });
  }
});
