/** The console in a real browser: by keyboard, without scripts, narrow and wide, light and dark. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { findingsOn } from '../support/axe.ts';
import { startBrowser } from '../support/browser.ts';
import { letterTo, type NewKeyJson, until, useService } from '../support/client.ts';
import { untilShown } from '../support/service.ts';

const mostTabs = 80;

/** Moves the focus by the tab key alone. */
const tabTo = async (page: Page, selector: string): Promise<void> => {
  for (let count = 0; count < mostTabs; count++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  throw new Error(`no tab leads to ${selector}`);
};

/** Presses the button or link that the focus gets to by the tab key. */
const press = async (page: Page, selector: string): Promise<void> => {
  await tabTo(page, selector);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
};

const typeInto = async (page: Page, name: string, text: string): Promise<void> => {
  await tabTo(page, `[name="${name}"]`);
  await page.keyboard.type(text);
};

const headingOf = (page: Page): Promise<string> =>
  page.evaluate("document.querySelector('h1').innerText") as Promise<string>;

describe('the console in a browser', function () {
  this.timeout(240_000);
  const api = useService();
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.stop());

  const address = (path: string): string => `${api.service().url}/console${path}`;

  /** A page of a browser that knows no session. */
  const open = async () => {
    const opened = await browser.open();
    const client = await opened.page.createCDPSession();
    await client.send('Network.clearBrowserCookies');
    return opened;
  };

  const signIn = async (page: Page, key: string): Promise<void> => {
    await page.goto(address(''));
    await typeInto(page, 'api_key', key);
    await press(page, 'button.button');
  };

  for (const width of [320, 1440]) {
    it(`writes, sends and cancels a letter by keyboard, without scripts, at ${width} px`, async () => {
      const client = await api.register();
      const { page, complaints } = await open();
      await page.setJavaScriptEnabled(false);
      await page.setViewport({ width, height: 900 });
      await signIn(page, client.key);
      expect(await headingOf(page)).to.equal('Letters');
      await press(page, 'a[href="/console/write"]');
      const letter = letterTo('DE', { content: 'Hello by keyboard.' }) as Record<string, string>;
      for (const side of ['to', 'from']) {
        for (const part of ['name', 'line1', 'postal_code', 'city', 'country']) {
          const text = letter[`${side}_${part}`] ?? '';
          const typed = part === 'country' ? 'Germany' : text;
          await typeInto(
            page,
            `${side}_${part}`,
            side === 'from' && part === 'country' ? 'United S' : typed,
          );
        }
      }
      await typeInto(page, 'content', 'Hello by keyboard.');
      await press(page, 'button[value="check"]');
      expect(await page.evaluate("document.querySelector('#checked')?.innerText")).to.contain(
        'US$',
      );
      await press(page, 'button[value="send"]');
      expect(await headingOf(page)).to.equal('Letter');
      const status = () => page.evaluate("document.querySelector('#state').dataset.status");
      expect(await status()).to.equal('queued');
      await press(page, 'form[action$="/cancel"] button');
      expect(await status()).to.equal('cancelled');
      await press(page, 'form[action$="/sign-out"] button');
      expect(await headingOf(page)).to.equal('Sign in');
      expect(complaints).to.deep.equal([]);
      await page.close();
    });
  }

  const approvalOf = async (client: Awaited<ReturnType<typeof api.register>>) => {
    const rules = ['allow', 'hold'].map((effect) => ({ id: effect, effect }));
    expect((await client.put('/api/policy', { rules })).status).to.be.within(200, 201);
    const agent = await client.post<NewKeyJson>('/auth/keys', { label: 'agent', scope: 'send' });
    const asAgent = api.as(agent.body.api_key);
    const held = await asAgent.post<{ letter_id: string }>('/api/send', letterTo('DE'));
    expect(held.status, held.text).to.equal(202);
    return held.body.letter_id;
  };

  for (const width of [320, 1440]) {
    it(`fills up the wallet, makes and revokes keys and UCANs, approves a letter, sends messages again, limits and freezes by keyboard at ${width} px`, async () => {
      const client = await api.register();
      await client.put('/api/settings', { webhook_url: 'https://hooks.example.com/status' });
      const hook = { url: 'https://hooks.example.com/audit' };
      const audit = await client.post<{ id: string }>('/api/identity/audit/subscribe', hook);
      await client.send();
      await client.post('/api/identity/ucan', { scope: 'send' });
      const letterId = await approvalOf(client);
      await until(async () => {
        const { data } = (await client.get<{ data: unknown[] }>('/api/notifications')).body;
        return data.length > 0;
      });
      const deliveries = `/api/identity/audit/subscribe/${audit.body.id}/deliveries`;
      await until(async () => {
        const { data } = (await client.get<{ data: unknown[] }>(deliveries)).body;
        return data.length > 0;
      });
      await untilShown(api.service());
      // Letters are approved with another credential than the one that sent them.
      const own = await client.post<NewKeyJson>('/auth/keys', { label: 'owner', scope: 'full' });
      const { page, complaints } = await open();
      await page.setJavaScriptEnabled(false);
      await page.setViewport({ width, height: 900 });
      await signIn(page, own.body.api_key);
      const said = () => new URL(page.url()).searchParams.get('said');
      await press(page, 'nav a[href$="/wallet"]');
      await press(page, 'form[action$="/wallet/refill"] button');
      expect(said()).to.equal('refilled');
      await press(page, 'nav a[href$="/keys"]');
      await typeInto(page, 'label', 'office');
      await press(page, 'form[action$="/console/keys"] button');
      expect(await page.$('#secret')).to.not.equal(null);
      await press(page, 'button[aria-label="Revoke: office"]');
      expect(said()).to.equal('key_revoked');
      expect(await page.$('button[aria-label="Revoke: office"]')).to.equal(null);
      await press(page, 'nav a[href$="/approvals"]');
      await press(page, 'form[action$="/approve"] button');
      expect(said()).to.equal('approved');
      expect((await client.letter(letterId)).status).to.equal('queued');
      await press(page, 'nav a[href$="/webhooks"]');
      await press(page, 'form[action$="/resend"] button');
      expect(said()).to.equal('replayed');
      await press(page, '#audit-webhooks a');
      await press(page, 'form[action$="/resend"] button');
      expect(said()).to.equal('replayed');
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(width);
      await press(page, 'nav a[href$="/limits"]');
      await typeInto(page, 'amount', '50');
      await press(page, 'form[action$="/limits/rules"] button');
      expect(said()).to.equal('policy_saved');
      await press(page, 'form[action$="/limits/freeze"] button');
      expect(said()).to.equal('frozen');
      await press(page, 'form[action$="/limits/unfreeze"] button');
      expect(said()).to.equal('unfrozen');
      await press(page, 'nav a[href$="/keys"]');
      await press(page, 'form[action$="/keys/ucans/revoke"] button');
      expect(said()).to.equal('ucan_revoked');
      expect(complaints).to.deep.equal([]);
      await page.close();
    });
  }

  const pagesWith = (letterId: string): string[] => [
    '/letters',
    '/letters/recipient',
    `/letters/${letterId}`,
    `/letters/${letterId}/change`,
    `/letters/${letterId}/proof`,
    '/write',
    '/wallet',
    '/limits',
    '/approvals',
    '/keys',
    '/webhooks',
    '/requests',
    '/statistics',
    '/statistics?from=2001-01-01',
    '/contracts',
    '/settings',
    '/settings/data',
    '/nothing',
  ];

  for (const [language, scheme, width] of [
    ['en', 'light', 1440],
    ['de', 'dark', 1440],
    ['fr', 'light', 320],
  ] as const) {
    it(`is accessible and fits on every page (${language}, ${scheme}, ${width} px)`, async () => {
      const client = await api.register();
      await client.put('/api/settings', { webhook_url: 'https://hooks.example.com/status' });
      const { letter_id: letterId } = await client.send();
      await client.post('/api/identity/ucan', { scope: 'send' });
      const made = await client.post<{ export_id: string }>('/api/exports', {});
      const limit = { amount: 50, per: 'day' };
      const rules = [
        { effect: 'allow', limit },
        { effect: 'hold', when: { countries: ['DE'] } },
      ];
      await client.put('/api/policy', { rules });
      await client.post('/api/send', letterTo('DE'));
      const agent = await client.post<NewKeyJson>('/auth/keys', { label: 'agent', scope: 'send' });
      const more = { rules: [{ effect: 'allow' }], request_approval: true };
      expect((await api.as(agent.body.api_key).put('/api/policy', more)).status).to.equal(202);
      const { page, complaints } = await open();
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await page.goto(address(`/sign-in?language=${language}`));
      expect(await findingsOn(page)).to.deep.equal([]);
      await typeInto(page, 'api_key', client.key);
      await press(page, 'button.button');
      for (const path of [...pagesWith(letterId), `/settings/exports/${made.body.export_id}`]) {
        await page.goto(address(path));
        expect(await page.evaluate('document.documentElement.lang')).to.equal(language);
        expect(await findingsOn(page), path).to.deep.equal([]);
        expect(await page.evaluate('document.documentElement.scrollWidth'), path).to.equal(width);
      }
      // A letter that is refused, then one whose price and pages are shown.
      await page.goto(address('/write'));
      const letter = letterTo('DE', { content: 'Hello.' }) as Record<string, string>;
      for (const [name, value] of Object.entries(letter)) {
        if (name.endsWith('_country')) await page.select(`[name="${name}"]`, value);
        else if (/^(?:to|from)_|^content$/.test(name)) await page.type(`[name="${name}"]`, value);
      }
      await page.type('[name="to_postal_code"]', '99');
      await press(page, 'button[value="check"]');
      expect(await page.$('[aria-invalid]')).to.not.equal(null);
      expect(await findingsOn(page), 'refused').to.deep.equal([]);
      await page.$eval('[name="to_postal_code"]', (field) => field.setAttribute('value', '10969'));
      await press(page, 'button[value="check"]');
      await page.waitForSelector('#checked img');
      expect(await findingsOn(page), 'checked').to.deep.equal([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(width);
      await page.goto(address('/settings/data'));
      await typeInto(page, 'confirm', client.account.account_id);
      await press(page, 'button[value="close"]');
      await page.waitForSelector('#closing');
      expect(await findingsOn(page), 'closing').to.deep.equal([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(width);
      // The page that does not exist answers 404, which the browser reports.
      expect(complaints.filter((text) => !/404|422/.test(text))).to.deep.equal([]);
      await page.close();
    });
  }

  it('shows the price while a letter is written, copies a new key, and takes a file that is dropped', async () => {
    const client = await api.register();
    const { page, complaints } = await open();
    await signIn(page, client.key);
    await page.goto(address('/write'));
    const letter = letterTo('DE', { content: 'Hello.' }) as Record<string, string>;
    for (const [name, value] of Object.entries(letter)) {
      if (name.endsWith('_country')) await page.select(`[name="${name}"]`, value);
      else if (/^(?:to|from)_|^content$/.test(name)) await page.type(`[name="${name}"]`, value);
    }
    await page.focus('[name="reference"]');
    await page.waitForSelector('#price button[value="send"]');
    expect(await page.$eval('#price', (part) => part.textContent)).to.contain('US$');
    // The field keeps the focus when the price changes.
    expect(await page.evaluate('document.activeElement.name')).to.equal('reference');
    expect(await findingsOn(page)).to.deep.equal([]);
    const dropped = await page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(['%PDF-'], 'letter.pdf', { type: 'application/pdf' }));
      document.querySelector('file-drop').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
      return document.querySelector('[name="file"]').files[0].name;
    })()`);
    expect(dropped).to.equal('letter.pdf');
    await page.goto(address('/keys'));
    await typeInto(page, 'label', 'office');
    await press(page, 'form[action="/console/keys"] button');
    const secret = await page.$eval('#secret', (part) => part.textContent);
    await page.evaluate(
      'navigator.clipboard.writeText = async (text) => { window.copied = text; }',
    );
    await tabTo(page, 'copy-text button');
    await page.keyboard.press('Enter');
    await page.waitForFunction('window.copied !== undefined');
    expect(await page.evaluate('window.copied')).to.equal(secret);
    expect(await findingsOn(page)).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
    await page.close();
  });

  it('exports all data and closes the account by keyboard, without scripts', async () => {
    const client = await api.register();
    const { page, complaints } = await open();
    await page.setJavaScriptEnabled(false);
    await page.setViewport({ width: 320, height: 900 });
    await signIn(page, client.key);
    await page.goto(address('/settings'));
    await press(page, 'a[href="/console/settings/data"]');
    await press(page, 'form[action$="/settings/exports"] button');
    const state = () => page.$eval('#state', (part) => part.getAttribute('data-status'));
    while ((await state()) === 'making') {
      await page.reload();
    }
    expect(await state()).to.equal('ready');
    expect(await page.$$('a[href$="/part-1.zip"]')).to.have.length(1);
    await page.goto(address('/settings/data'));
    await typeInto(page, 'confirm', client.account.account_id);
    await press(page, 'button[value="close"]');
    expect(await page.$$('#closing')).to.have.length(1);
    await press(page, 'form[action$="/close/withdraw"] button');
    expect(await page.$$('#closing')).to.have.length(0);
    expect(complaints).to.deep.equal([]);
    await page.close();
  });

  it('does nothing that a page of another origin asks for', async () => {
    const client = await api.register();
    const { page } = await open();
    await signIn(page, client.key);
    const foreign = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(
        `<form method="post" action="${address('/sign-out')}"></form><script>document.forms[0].submit()</script>`,
      );
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => foreign.once('listening', resolve));
    const { port } = foreign.address() as AddressInfo;
    try {
      await page.goto(`http://127.0.0.1:${port}/`);
      await page.waitForFunction("document.querySelector('h1')");
      expect(await headingOf(page)).to.equal('This form came from another site');
      await page.goto(address('/letters'));
      expect(await headingOf(page)).to.equal('Letters');
    } finally {
      foreign.close();
    }
  });
});
