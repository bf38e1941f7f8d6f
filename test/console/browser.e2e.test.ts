/** The console in a real browser: by keyboard, without scripts, narrow and wide, light and dark. */
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { goodLetter } from '../documents/preflight/samples.ts';
import { findingsOn } from '../support/axe.ts';
import { letterTo, type NewKeyJson, until, useService } from '../support/client.ts';
import { untilShown } from '../support/service.ts';
import { type StripeServer, startStripe } from '../support/stripe-server.ts';
import { useBrowser } from '../support/use-browser.ts';
import { createKeyboard, fill, tabTo, typeInto } from './keyboard.ts';
import { ownerTasks } from './keyboard-tasks.ts';

const keyboard = createKeyboard('/console', ownerTasks);
const { press, reach } = keyboard;

/** Fills in the address of a letter from the United States to Germany. */
const typeAddress = async (page: Page, side: 'to' | 'from'): Promise<void> => {
  const letter = letterTo('DE') as Record<string, string>;
  const country = { to: 'Germany', from: 'United S' }[side];
  for (const part of ['name', 'line1', 'postal_code', 'city']) {
    await typeInto(page, `${side}_${part}`, letter[`${side}_${part}`] ?? '');
  }
  await typeInto(page, `${side}_country`, country);
};

/** Types a day as browsers in English take it. */
const typeDay = async (page: Page, name: string): Promise<void> => {
  await typeInto(page, name, '01012026');
  expect(await page.evaluate('document.activeElement.value')).to.equal('2026-01-01');
};

const typeTime = async (page: Page, name: string): Promise<void> => {
  await typeInto(page, name, '01012026');
  await page.keyboard.press('Tab');
  await page.keyboard.type('0930AM');
  expect(await page.evaluate('document.activeElement.value')).to.equal('2026-01-01T09:30');
};

const said = (page: Page): string | null => new URL(page.url()).searchParams.get('said');

const headingOf = (page: Page): Promise<string> =>
  page.evaluate("document.querySelector('h1').innerText") as Promise<string>;

describe('the console in a browser', function () {
  this.timeout(240_000);
  const settings: Record<string, string> = {};
  let stripe: StripeServer;
  const browser = useBrowser();
  before(async () => {
    stripe = await startStripe();
    Object.assign(settings, stripe.env);
  });
  const api = useService(settings);
  after(() => stripe.stop());

  type Client = Awaited<ReturnType<typeof api.register>>;
  const address = (path: string): string => `${api.service().url}/console${path}`;

  /** A page of a browser that knows no session. */
  const open = async () => {
    const opened = await browser.open();
    const client = await opened.page.createCDPSession();
    await client.send('Network.clearBrowserCookies');
    return opened;
  };

  /** A page without scripts. */
  const openPlain = async (width: number, scheme: 'light' | 'dark') => {
    const opened = await open();
    const { page } = opened;
    await page.setJavaScriptEnabled(false);
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    const query = JSON.stringify(`(prefers-color-scheme: ${scheme})`);
    expect(await page.evaluate(`matchMedia(${query}).matches`)).to.equal(true);
    return opened;
  };

  const signIn = async (page: Page, key: string): Promise<void> => {
    await page.goto(address(''));
    await typeInto(page, 'api_key', key);
    await press(page, 'button.button');
  };

  for (const [width, scheme] of [
    [320, 'dark'],
    [1440, 'light'],
  ] as const) {
    it(`writes, sends and cancels a letter by keyboard, without scripts, at ${width} px (${scheme})`, async () => {
      const client = await api.register();
      const { page, complaints } = await openPlain(width, scheme);
      await signIn(page, client.key);
      expect(await headingOf(page)).to.equal('Letters');
      await press(page, 'a[href="/console/write"]');
      for (const side of ['to', 'from'] as const) await typeAddress(page, side);
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

  const approvalOf = async (client: Client) => {
    const rules = ['allow', 'hold'].map((effect) => ({ id: effect, effect }));
    expect((await client.put('/api/policy', { rules })).status).to.be.within(200, 201);
    const agent = await client.post<NewKeyJson>('/auth/keys', { label: 'agent', scope: 'send' });
    const asAgent = api.as(agent.body.api_key);
    const held = await asAgent.post<{ letter_id: string }>('/api/send', letterTo('DE'));
    expect(held.status, held.text).to.equal(202);
    return held.body.letter_id;
  };

  /** An agent asks for a limit above the one that its key has. */
  const askToSpend = async (client: Client): Promise<void> => {
    const agent = await client.post<NewKeyJson>('/auth/keys', { label: 'agent', scope: 'send' });
    const path = `/auth/keys/${agent.body.id}/policy`;
    const upTo = (amount: number) => ({
      rules: [{ id: 'daily', effect: 'allow', limit: { amount, per: 'day' } }],
    });
    await client.put(path, upTo(1));
    const asked = { ...upTo(50), request_approval: true };
    const answer = await api.as(agent.body.api_key).put(path, asked);
    expect(answer.status, answer.text).to.equal(202);
  };

  for (const [width, scheme] of [
    [320, 'light'],
    [1440, 'dark'],
  ] as const) {
    it(`fills up the wallet, makes and revokes keys and UCANs, approves a letter, sends messages again, limits and freezes by keyboard at ${width} px (${scheme})`, async () => {
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
      const { page, complaints } = await openPlain(width, scheme);
      await signIn(page, own.body.api_key);
      await press(page, 'nav a[href$="/wallet"]');
      await press(page, 'form[action$="/wallet/refill"] button');
      expect(said(page)).to.equal('refilled');
      await press(page, 'nav a[href$="/keys"]');
      await typeInto(page, 'label', 'office');
      await press(page, 'form[action$="/console/keys"] button');
      expect(await page.$('#secret')).to.not.equal(null);
      await press(page, 'a[aria-label="Revoke: office"]');
      await press(page, 'form[action$="/revoke"] button');
      expect(said(page)).to.equal('key_revoked');
      expect(await page.$('a[aria-label="Revoke: office"]')).to.equal(null);
      await press(page, 'nav a[href$="/approvals"]');
      await press(page, 'form[action$="/approve"] button');
      expect(said(page)).to.equal('approved');
      expect((await client.letter(letterId)).status).to.equal('queued');
      await press(page, 'nav a[href$="/webhooks"]');
      await press(page, 'form[action$="/resend"] button');
      expect(said(page)).to.equal('replayed');
      await press(page, '#audit-webhooks a');
      await press(page, 'form[action$="/resend"] button');
      expect(said(page)).to.equal('replayed');
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(width);
      await press(page, 'nav a[href$="/limits"]');
      await typeInto(page, 'amount', '50');
      await press(page, 'form[action$="/limits/rules"] button');
      expect(said(page)).to.equal('policy_saved');
      await press(page, 'form[action$="/limits/freeze"] button');
      expect(said(page)).to.equal('frozen');
      await press(page, 'form[action$="/limits/unfreeze"] button');
      expect(said(page)).to.equal('unfrozen');
      await press(page, 'nav a[href$="/keys"]');
      await press(page, 'a[href*="/keys/ucans/revoke"]');
      await press(page, 'form[action$="/keys/ucans/revoke"] button');
      expect(said(page)).to.equal('ucan_revoked');
      expect(complaints).to.deep.equal([]);
      await page.close();
    });
  }

  type Task = {
    sentence: string;
    mode?: 'live';
    /** Makes the data that the task needs, before somebody signs in. Returns its id. */
    given?(client: Client): Promise<string>;
    /** @param given what `given` answered */
    run(page: Page, client: Client, given: string): Promise<void>;
  };

  const aLetter = async (client: Client): Promise<string> =>
    (await client.send({ reference: 'A-4711' })).letter_id;

  const openLetter = async (page: Page, id: string): Promise<void> => {
    await press(page, 'nav a[href$="/letters"]');
    await press(page, `main th a[href$="/letters/${id}"]`);
  };

  const tasks: Task[] = [
    {
      sentence: 'finds letters, and looks at charts',
      given: aLetter,
      async run(page, _client, id) {
        const isListed = async () => (await page.$(`main th a[href$="/letters/${id}"]`)) !== null;
        await typeInto(page, 'text', 'A-4711');
        await press(page, 'form[action$="/letters"][role="search"] button');
        await press(page, `main th a[href$="/letters/${id}"]`);
        await reach(page, 'main a[href$="/document.pdf"]');
        await press(page, 'nav a[href$="/letters"]');
        await press(page, `main th a[href$="/letters/${id}"]`);
        await press(page, 'form[action$="/letters/recipient"] button');
        expect(await isListed(), 'others to the recipient').to.equal(true);
        await press(page, 'nav a[href$="/letters"]');
        await press(page, 'main a[href$="/letters/recipient"]');
        await typeAddress(page, 'to');
        await press(page, 'form[action$="/letters/recipient"] button');
        expect(await isListed(), 'found by recipient').to.equal(true);
        await press(page, 'nav a[href$="/letters"]');
        await typeInto(page, 'country', 'FR');
        await press(page, 'form[method="get"] button');
        expect(await isListed(), 'in France').to.equal(false);
        await press(page, 'nav a[href$="/letters"]');
        await press(page, 'main a[href$="/statistics"]');
        await press(page, 'form[action$="/statistics"] button');
        expect(new URL(page.url()).searchParams.get('from')).to.match(/^20/);
      },
    },
    {
      sentence: 'changes a letter, makes drafts of it, sends one and deletes one',
      given: aLetter,
      async run(page, client, id) {
        await openLetter(page, id);
        await press(page, 'main a[href$="/change"]');
        await fill(page, 'to_name', 'Berta Neu');
        await press(page, 'form[action$="/change"] button');
        expect(said(page)).to.equal('changed');
        expect((await client.letter(id)).to_name).to.equal('Berta Neu');
        await press(page, 'form[action$="/again"] button');
        expect(said(page)).to.equal('drafted');
        await press(page, 'form[action$="/send"] button');
        expect(said(page)).to.equal('sent');
        await press(page, 'form[action$="/again"] button');
        await press(page, 'main a[href$="/delete"]');
        await press(page, 'form[action$="/delete"] button');
        expect(said(page)).to.equal('deleted');
      },
    },
    {
      sentence: 'looks at the proof, and makes and ends links that show a letter',
      given: aLetter,
      async run(page, _client, id) {
        await openLetter(page, id);
        await press(page, 'main a[href$="/proof"]');
        await reach(page, 'a[href$="/certificate.pdf"]');
        await reach(page, 'a[href$="/history.zip"]');
        await press(page, 'form[action$="/tracking-link/renew"] button');
        expect(said(page)).to.equal('link_renewed');
        await press(page, 'form[action$="/tracking-link/revoke"] button');
        expect(said(page)).to.equal('link_revoked');
        await press(page, 'form[action$="/audit-links"] button');
        expect(await page.$('#made')).to.not.equal(null);
        const revoke = 'form[action*="/audit-links/"] button';
        await press(page, revoke);
        expect([said(page), await page.$(revoke)]).to.deep.equal(['link_revoked', null]);
      },
    },
    {
      sentence: 'chooses a PDF, keeps it as a draft and sends it',
      async run(page, client) {
        const path = join(api.service().dataDir, 'letter.pdf');
        await writeFile(path, await goodLetter());
        await press(page, 'nav a[href$="/write"]');
        for (const side of ['to', 'from'] as const) await typeAddress(page, side);
        await tabTo(page, '[name="file"]');
        const field = await page.$('input[type="file"]:focus');
        await field?.uploadFile(path);
        await press(page, 'button[value="draft"]');
        expect(said(page)).to.equal('drafted');
        await press(page, 'form[action$="/send"] button');
        expect(said(page)).to.equal('sent');
        const [, id = ''] = /letters\/([0-9a-f-]{36})/.exec(page.url()) ?? [];
        expect((await client.letter(id)).documents[0]).to.include({ format: 'pdf' });
      },
    },
    {
      sentence: 'pays money in by card, and looks at orders, the statement, contracts and requests',
      mode: 'live',
      async run(page) {
        await press(page, 'nav a[href$="/wallet"]');
        await typeInto(page, 'amount', '20');
        await press(page, 'form[action$="/wallet/top-up"] button');
        expect(await page.$('#state[data-status="pending"]')).to.not.equal(null);
        await reach(page, 'main a[href^="https://checkout.example/"]');
        await press(page, 'main a[href$="/wallet"]');
        await press(page, 'main a[href$="/wallet/orders"]');
        expect(await headingOf(page)).to.equal('Orders');
        await press(page, 'nav a[href$="/wallet"]');
        await typeDay(page, 'from');
        await reach(page, 'form[action$="/statement.csv"] button');
        for (const [room, heading] of [
          ['contracts', 'Contracts'],
          ['requests', 'Requests'],
        ]) {
          await press(page, `nav a[href$="/${room}"]`);
          expect(await headingOf(page)).to.equal(heading);
        }
      },
    },
    {
      sentence: 'rejects a letter, and decides on changes of a policy',
      async given(client) {
        const letterId = await approvalOf(client);
        await askToSpend(client);
        return letterId;
      },
      async run(page, client, letterId) {
        await press(page, 'nav a[href$="/approvals"]');
        await typeInto(page, 'reason', 'too dear');
        await press(page, 'table form[action$="/reject"] button');
        expect(said(page)).to.equal('rejected');
        expect((await client.letter(letterId)).status).to.equal('draft');
        await typeInto(page, 'reason', 'too much');
        await press(page, '.change form[action$="/reject"] button');
        expect(said(page)).to.equal('change_rejected');
        await askToSpend(client);
        await untilShown(api.service());
        await press(page, 'nav a[href$="/approvals"]');
        await press(page, '.change form[action$="/approve"] button');
        expect(said(page)).to.equal('policy_saved');
      },
    },
    {
      sentence: 'sets a webhook, tests it, looks at messages and sends them again',
      async given(client) {
        // A long address without a place to break it.
        const text = encodeURIComponent('"><script>alert(1)</script>\u202e'.repeat(9));
        const hook = { url: `https://hooks.example.com/';${text}?q='&a=${text}` };
        const path = '/api/identity/audit/subscribe';
        const { id } = (await client.post<{ id: string }>(path, hook)).body;
        await client.send();
        const deliveries = `${path}/${id}/deliveries`;
        await until(async () => {
          const { data } = (await client.get<{ data: unknown[] }>(deliveries)).body;
          return data.length > 0;
        });
        return id;
      },
      async run(page) {
        const again = 'form[action$="/resend"] button';
        const allAgain = 'form[action$="/resend-failed"] button';
        await press(page, 'nav a[href$="/webhooks"]');
        await typeInto(page, 'webhook_url', 'https://hooks.example.com/status');
        await press(page, 'form[action$="/console/webhooks"] button');
        expect(await page.$('[role="status"] code.secret')).to.not.equal(null);
        await press(page, 'form[action$="/webhooks/test"] button');
        expect(said(page)).to.equal('tested');
        const message = 'tr:has(form[action$="/resend"]) a[href*="/webhooks/ntf_"]';
        await until(async () => {
          if (await page.$(message)) return true;
          await page.reload();
          return false;
        });
        await press(page, message);
        await press(page, again);
        expect(said(page)).to.equal('replayed');
        await typeTime(page, 'since');
        await press(page, allAgain);
        expect(said(page)).to.be.oneOf(['replayed_failed', 'nothing_failed']);
        await press(page, '#audit-webhooks a');
        await press(page, 'form[action$="/test"] button');
        expect(said(page)).to.equal('tested');
        await press(page, 'main a[href*="/deliveries/"]');
        await press(page, again);
        expect(said(page)).to.equal('replayed');
        await typeTime(page, 'since');
        await press(page, allAgain);
        expect(said(page)).to.be.oneOf(['replayed_failed', 'nothing_failed']);
      },
    },
    {
      sentence: 'freezes a key and ends that, adds and removes a rule, and ends the policy',
      async given(client) {
        const wanted = { label: 'agent', scope: 'send' };
        return (await client.post<NewKeyJson>('/auth/keys', wanted)).body.id;
      },
      async run(page, client) {
        await press(page, 'nav a[href$="/keys"]');
        await press(page, 'button[aria-label="Freeze: agent"]');
        expect(said(page)).to.equal('frozen');
        await press(page, 'form[action$="/limits/unfreeze"] button');
        expect(said(page)).to.equal('unfrozen');
        for (const id of ['a-day', 'a-month']) {
          await typeInto(page, 'id', id);
          await typeInto(page, 'amount', '50');
          await press(page, 'form[action$="/limits/rules"] button');
        }
        await press(page, 'form[action$="/limits/rules/remove"] button');
        expect(said(page)).to.equal('policy_saved');
        const { rules } = (await client.get<{ rules: { id: string }[] }>('/api/policy')).body;
        expect(rules.map(({ id }) => id)).to.deep.equal(['a-month']);
        await reach(page, 'input[name="confirm"]');
        await page.keyboard.press('Space');
        await press(page, 'form[action$="/limits/end"] button');
        expect(said(page)).to.equal('policy_ended');
        expect((await client.get('/api/policy')).status).to.equal(404);
      },
    },
    {
      sentence:
        'makes a volume contract, saves settings, signs out, and signs in with a link that is pasted',
      async run(page, client) {
        await press(page, 'nav a[href$="/contracts"]');
        await typeInto(page, 'committed_units', '300');
        await reach(page, 'input[name="confirm"]');
        await page.keyboard.press('Space');
        await press(page, 'form[action$="/contracts"] button');
        expect(said(page)).to.equal('contract_made');
        expect(await headingOf(page)).to.equal('Contract');
        type Contracts = { data: { committed_units: number }[] };
        const { data } = (await client.get<Contracts>('/api/anp/contracts')).body;
        expect(data.map(({ committed_units: units }) => units)).to.deep.equal([300]);
        await press(page, 'nav a[href$="/settings"]');
        await typeInto(page, 'language', 'German');
        await press(page, 'form[action$="/console/settings"] button');
        expect(said(page)).to.equal('settings_saved');
        const { body } = await client.get<{ language: string }>('/api/settings');
        expect(body.language).to.equal('de');
        await press(page, 'form[action$="/sign-out"] button');
        const link = (await client.post<{ url: string }>('/api/console-links', {})).body.url;
        await page.goto(address('/sign-in/link'));
        await typeInto(page, 'token', link);
        await press(page, 'button.button');
        expect(new URL(page.url()).pathname).to.equal('/console/letters');
      },
    },
  ];

  const looks = [
    [320, 'light'],
    [1440, 'dark'],
    [320, 'dark'],
    [1440, 'light'],
  ] as const;

  for (const [index, { sentence, mode, given, run }] of tasks.entries()) {
    const [width, scheme] = looks[index % looks.length] ?? looks[0];
    it(`${sentence} by keyboard, without scripts, at ${width} px (${scheme})`, async () => {
      const client = await api.register(mode);
      const made = (await given?.(client)) ?? '';
      await untilShown(api.service());
      // Letters are approved with another credential than the one that sent them.
      const own = await client.post<NewKeyJson>('/auth/keys', { label: 'owner', scope: 'full' });
      const { page, complaints } = await openPlain(width, scheme);
      await signIn(page, own.body.api_key);
      await run(page, client, made);
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
    '/wallet/orders',
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
      const terms = { committed_units: 51, period: 'month', period_count: 3 };
      const contract = await client.post<{ contract_id: string }>('/api/anp/contracts', terms);
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
      const others = [
        `/settings/exports/${made.body.export_id}`,
        `/contracts/${contract.body.contract_id}`,
      ];
      for (const path of [...pagesWith(letterId), ...others]) {
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

  it('lists orders of every status, accessible and narrow too', async () => {
    const client = await api.register('live');
    stripe.tellTo(`${api.service().url}/webhooks/stripe`);
    type Order = { order_id: string; letter_id: string; checkout_url: string };
    const placed = await Promise.all(
      ['first', 'second', 'third'].map(async (reference) => {
        const letter = letterTo('DE', { reference, email: 'payer@example.com', currency: 'EUR' });
        const answer = await client.post<Order>('/api/orders', letter);
        expect(answer.status, answer.text).to.equal(201);
        return answer.body;
      }),
    );
    const [paid, changed] = placed as [Order, Order];
    await client.post(`/api/letters/${changed.letter_id}/cancel`, {});
    for (const { checkout_url } of [paid, changed])
      await stripe.tell('checkout.session.completed', stripe.complete(checkout_url));
    const has = async (status: string) =>
      (await client.get<{ data: unknown[] }>(`/api/orders?status=${status}`)).body.data.length ===
      1;
    await until(async () => (await has('queued')) && (await has('credited')));
    for (const [language, width, heading] of [
      ['en', 1440, 'Orders'],
      ['de', 320, 'Bestellungen'],
      ['fr', 320, 'Commandes'],
    ] as const) {
      const { page } = await open();
      await page.setViewport({ width, height: 900 });
      await page.goto(address(`/sign-in?language=${language}`));
      await typeInto(page, 'api_key', client.key);
      await press(page, 'button.button');
      await page.goto(address('/wallet/orders'));
      expect(await headingOf(page)).to.equal(heading);
      const text = await page.evaluate('document.querySelector("table").innerText');
      for (const { order_id: id } of placed) expect(text).to.contain(id);
      expect(await findingsOn(page), language).to.deep.equal([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(width);
      await page.close();
    }
  });

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
    const { page, complaints } = await openPlain(320, 'dark');
    await signIn(page, client.key);
    await press(page, 'nav a[href$="/settings"]');
    await press(page, 'a[href="/console/settings/data"]');
    await press(page, 'form[action$="/settings/exports"] button');
    const state = () => page.$eval('#state', (part) => part.getAttribute('data-status'));
    while ((await state()) === 'making') {
      await page.reload();
    }
    expect(await state()).to.equal('ready');
    await reach(page, 'a[href$="/part-1.zip"]');
    await press(page, 'main a[href$="/settings/data"]');
    await press(page, '#exports a');
    expect(await state()).to.equal('ready');
    await press(page, 'main a[href$="/settings/data"]');
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

  it('does all tasks of owners by keyboard, apart from those of other tests', () => {
    expect(keyboard.leftOf('browser.e2e.test.ts')).to.deep.equal([]);
  });
});
