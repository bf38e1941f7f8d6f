/** Every page and form of the console, by the lists of routes: accessible, narrow enough, and in the language of the person. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { CDPSession, Page } from 'puppeteer-core';
import { addJob } from '../../infra/jobs/add-job.ts';
import { operatorRoutes } from '../../pages/console/operator/operator-portal.ts';
import { routes } from '../../pages/console/routes.ts';
import { findingsOn } from '../support/axe.ts';
import { clientOf, type KeyJson, letterTo, type Sent, until } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { startTestService, type TestService, untilShown } from '../support/service.ts';
import { useBrowser } from '../support/use-browser.ts';
import { consoleAt } from './console-client.ts';
import { createEnglishOn } from './english-on.ts';
import { operatorAt } from './operator-client.ts';
import { withAuthenticator } from './passkey-device.ts';
import { thingsWithIds } from './things-with-ids.ts';

const languages = ['en', 'de', 'fr'] as const;
type Language = (typeof languages)[number];
type Fields = Record<string, string>;
type Ids = Record<string, string>;

const widths = [320, 1440] as const;
const combinations = widths.flatMap((width) =>
  ['light', 'dark'].map((scheme) => ({ width, scheme })),
);

/** Selects a history that the browser has not verified yet. */
const unchecked = '#summary[data-state="unchecked"]';

/** Routes that answer with a file, or lead to a page outside of the console. */
const isFile = (path: string): boolean => /\.(?:png|pdf|zip|csv)$|\/certificate$/.test(path);

/** Forms that are not sent here, and why. */
const notSent: Fields = {
  '/checks/doctor': 'the doctor examines the machine of the test',
};

const pathsOf = (list: readonly { method: string; path: string }[], method: 'GET' | 'POST') =>
  list
    .filter((route) => route.method === method && !isFile(route.path))
    .map(({ path }) => path)
    .filter((path) => !(path in notSent));

/** The address with ids in the place of parameters: by path, by room and parameter, or by parameter. */
const fill = (path: string, ids: Ids): string =>
  path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const id = ids[path] ?? ids[`${path.split('/')[1]}.${name}`] ?? ids[name];
    if (id === undefined) throw new Error(`the test has no id for ${name} of ${path}`);
    return id;
  });

const unknown: Ids = {
  id: randomUUID(),
  key: 'key_unknown',
  link: randomUUID(),
  topup_id: randomUUID(),
  contract_id: `contract_${'0'.repeat(32)}`,
  quote_id: randomUUID(),
  event: randomUUID(),
  notification: `ntf_${'0'.repeat(32)}`,
  'accounts.id': 'acct_unknown',
};

describe('every page of the console', function () {
  this.timeout(300_000);
  let service: TestService;
  const browser = useBrowser();
  let page: Page;
  let session: CDPSession;
  let englishOn: Awaited<ReturnType<typeof createEnglishOn>>;
  before(async () => {
    const port = await freePort();
    service = await startTestService({
      PORT: String(port),
      BASE_URL: `http://localhost:${port}`,
      SERVICE_NAME: 'Postamt',
    });
    ({ page } = await browser.open());
    session = await page.createCDPSession();
    englishOn = await createEnglishOn();
  });
  after(async () => {
    await service?.stop();
  });
  const api = clientOf(() => service);
  const url = (): string => service.url.replace('127.0.0.1', 'localhost');
  const foundation = () => service.service.foundation;
  const pages = consoleAt(url);
  const operators = operatorAt(url, foundation);
  const address = (path: string): string => `${url()}/console${path}`;

  /** The browser has this session. */
  const enter = async (cookie: string, path: string): Promise<void> => {
    const [name = '', value = ''] = cookie.split('=');
    await page.setCookie({ name, value, url: `${url()}${path}`, path });
  };
  const leave = () => session.send('Network.clearBrowserCookies');

  let looked = 0;
  /** Axe looks in one width and scheme by turns. */
  const look = async (language: Language, what: string, withAxe: boolean): Promise<void> => {
    const turn = languages.indexOf(language) + looked++;
    expect(await page.evaluate('document.documentElement.lang'), what).to.equal(language);
    expect(await englishOn(page, language), `${what} is in English`).to.deep.equal([]);
    const seen = combinations[turn % combinations.length];
    for (const width of widths) {
      await page.setViewport({ width, height: 900 });
      const where = `${what} (${language}, ${width} px)`;
      expect(await page.evaluate('document.documentElement.scrollWidth'), where).to.equal(width);
      if (!withAxe || width !== seen?.width) continue;
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: seen.scheme }]);
      expect(await findingsOn(page), `${where}, ${seen.scheme}`).to.deep.equal([]);
    }
  };

  /** Forms and empty pages differ little by language: axe looks at each in one of them. */
  const isTurn = (path: string, language: Language): boolean =>
    (path.length + languages.indexOf(language)) % languages.length === 0;

  const show = async (path: string, language: Language, withAxe = true) => {
    const answer = await page.goto(address(path));
    expect(answer?.status(), path).to.be.below(500);
    // The browser verifies a history before it is looked at.
    if (await page.evaluate(`document.querySelector('${unchecked}') !== null`))
      await page.waitForSelector(unchecked, { hidden: true });
    await look(language, `GET ${path}`, withAxe);
    return answer?.status();
  };

  /** Sends a form from the page that is open, as a form on it would. */
  const submit = async (path: string, fields: Fields, language: Language): Promise<void> => {
    const form = JSON.stringify([address(path), Object.entries(fields)]);
    const [answer] = await Promise.all([
      page.waitForNavigation(),
      page.evaluate(`(() => {
        const [action, fields] = ${form};
        const form = Object.assign(document.createElement('form'), { method: 'post', action });
        for (const [name, value] of fields)
          form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
        document.body.append(form);
        form.submit();
      })()`),
    ]);
    expect(answer?.status(), path).to.be.below(500);
    await look(language, `POST ${path}`, isTurn(path, language));
  };

  const filledAccount = async () => {
    const client = await api.register();
    const { account_id: accountId } = client.account;
    const hook = { url: 'https://hooks.example.com/audit' };
    const webhook = await client.post<{ id: string }>('/api/identity/audit/subscribe', hook);
    await until(
      async () =>
        (
          await foundation().storage.readDb.query(
            'select from deliveries.endpoints where id = $1',
            [webhook.body.id],
          )
        ).rows.length > 0,
    );
    await client.put('/api/settings', { webhook_url: 'https://hooks.example.com/status' });
    const { letter_id: letterId } = await client.send({ reference: 'A-4711' });
    await client.post('/api/identity/ucan', { scope: 'send' });
    const limit = { amount: 50, per: 'day' };
    const rules = [
      { effect: 'allow', limit },
      { effect: 'hold', when: { countries: ['DE'] } },
    ];
    await client.put('/api/policy', { rules });
    await client.post('/api/send', letterTo('DE'));
    const made = await client.post<{ export_id: string }>('/api/exports', {});
    const terms = { committed_units: 300, period: 'month', period_count: 3 };
    const contract = await client.post<{ contract_id: string }>('/api/anp/contracts', terms);
    expect(contract.status, contract.text).to.equal(201);
    const draft = await client.post<Sent>('/api/send', { ...letterTo('DE'), draft: true });
    const [key] = (await client.get<{ data: KeyJson[] }>('/auth/keys')).body.data;
    const topUp = await thingsWithIds(foundation()).topUp({ accountId, letterId });
    await untilShown(service);
    const firstOf = async <T>(path: string): Promise<T> => {
      let found: T | undefined;
      await until(async () => {
        [found] = (await client.get<{ data: T[] }>(path)).body.data;
        return found !== undefined;
      });
      return found as T;
    };
    const deliveries = `/api/identity/audit/subscribe/${webhook.body.id}/deliveries`;
    const { event_id: event } = await firstOf<{ event_id: string }>(deliveries);
    const { id: message } = await firstOf<{ id: string }>('/api/notifications');
    const ids: Ids = {
      id: letterId,
      '/letters/{id}/delete': draft.body.letter_id,
      'keys.id': key?.id ?? '',
      'settings.id': made.body.export_id,
      '/webhooks/{id}': message,
      'webhooks.id': webhook.body.id,
      topup_id: topUp,
      contract_id: contract.body.contract_id,
      event,
    };
    return { client, ids, letterId, accountId };
  };

  const open = async (signedIn: { cookie: string }): Promise<void> => {
    await leave();
    await enter(signedIn.cookie, '/console');
  };

  it('is accessible, fits and is translated, with an account that has everything', async () => {
    const { client, ids } = await filledAccount();
    const list = pathsOf(routes, 'GET');
    expect(list.length).to.be.at.least(17);
    for (const language of languages) {
      await open(await pages.signIn(client.key, { language }));
      // A page that answers with a notice that it does not exist was not looked at.
      for (const path of list) expect(await show(fill(path, ids), language), path).to.equal(200);
      await show('/statistics?from=2001-01-01', language);
      await show('/wallet?said=refilled', language);
      expect(await page.$('[role="status"]')).to.not.equal(null);
      await show('/nothing', language);
    }
  });

  it('is so with an account that has nothing, and after forms that are refused', async () => {
    const client = await api.register();
    for (const language of languages) {
      await open(await pages.signIn(client.key, { language }));
      for (const path of pathsOf(routes, 'GET')) {
        await show(fill(path, unknown), language, isTurn(path, language));
      }
      for (const path of pathsOf(routes, 'POST')) await submit(fill(path, unknown), {}, language);
    }
  });

  it('is so before the sign-in, with links that open nothing, and where a passkey is asked for', async () => {
    const client = await api.register();
    await withAuthenticator(session);
    await open(await pages.signIn(client.key));
    await page.goto(address('/settings'));
    await page.type('form[data-passkey="create"] [name="label"]', 'laptop');
    await Promise.all([page.waitForNavigation(), page.click('form[data-passkey="create"] button')]);
    expect(page.url(), await page.$eval('main', (main) => main.textContent)).to.contain(
      'said=passkey_registered',
    );
    for (const language of languages) {
      await leave();
      for (const path of ['/sign-in', '/sign-in/link', '/operator/sign-in']) {
        await show(`${path}?language=${language}`, language);
      }
      await submit('/sign-in', { api_key: 'svc_test_wrong', language }, language);
      await submit('/sign-in/link', { token: 'used', language }, language);
      await submit('/operator/sign-in', { token: 'used', language }, language);
      await open(await pages.signIn(client.key, { language }));
      await page.goto(address('/keys'));
      await submit('/keys', { label: 'office', scope: 'read' }, language);
      expect(await page.$('form[data-passkey="get"]')).to.not.equal(null);
      await submit('/confirm', { to: '/keys', ticket: 'none', answer: '{}' }, language);
      expect(await page.$('[role="alert"]')).to.not.equal(null);
    }
  });

  it('is so for operators, with much, with nothing and after forms that are refused', async () => {
    const { readDb } = foundation().storage;
    const { accountId, letterId, client } = await filledAccount();
    const mail = await thingsWithIds(foundation()).refusedMail({ accountId, letterId });
    await addJob(readDb, 'send-nothing', { id: 1 }, { key: 'failed' });
    await readDb.query("update work.jobs set attempts = 25 where key = 'failed'");
    await readDb.query(
      `insert into reactors.parked (name, stream, version, before, type, error)
       values ('nobody', 'letter-none', 0, 0, 'LetterQueued', 'is older')`,
    );
    await untilShown(service);
    const ids: Ids = { ...unknown, id: letterId, 'accounts.id': accountId, 'mails.id': mail };
    for (const language of languages) {
      const { cookie } = await operators.signIn();
      await leave();
      await enter(cookie, '/console/operator');
      await page.setExtraHTTPHeaders({ 'accept-language': language });
      for (const path of pathsOf(operatorRoutes, 'GET')) {
        await show(`/operator${fill(path, ids)}`, language);
        if (path.includes('{')) await show(`/operator${fill(path, unknown)}`, language);
      }
      for (const path of pathsOf(operatorRoutes, 'POST')) {
        await submit(`/operator${fill(path, ids)}`, {}, language);
      }
      await submit('/operator/search', { text: client.account.key_id }, language);
      await submit('/operator/search', { text: 'nothing' }, language);
    }
    await page.setExtraHTTPHeaders({});
  });
});
