/** The operator's console in a real browser: by keyboard, without scripts, narrow and wide, light and dark. */
import { expect } from 'chai';
import type { Page } from 'puppeteer-core';
import { addJob } from '../../infra/jobs/add-job.ts';
import { findingsOn } from '../support/axe.ts';
import { letterTo, until, useService } from '../support/client.ts';
import { operate } from '../support/operator.ts';
import { untilShown } from '../support/service.ts';
import { useBrowser } from '../support/use-browser.ts';
import { createKeyboard, fill, tabTo } from './keyboard.ts';
import { operatorTasks } from './keyboard-tasks.ts';
import { linkFor } from './operator-client.ts';
import { thingsWithIds } from './things-with-ids.ts';

const keyboard = createKeyboard('/console/operator', operatorTasks);
const { press, reach } = keyboard;

const textOf = (page: Page, selector: string): Promise<string> =>
  page.evaluate(
    `document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`,
  ) as Promise<string>;

const hostile = '"><img src=x onerror=alert(1)><script>alert(1)</script>';

describe('the console of operators in a browser', function () {
  this.timeout(300_000);
  const api = useService();
  const foundation = () => api.service().service.foundation;
  const browser = useBrowser();

  const address = (path: string): string => `${api.service().url}/console/operator${path}`;

  /** A page of a browser that knows no session. */
  const open = async (width: number, scheme: 'light' | 'dark', scripts: boolean) => {
    const opened = await browser.open();
    const session = await opened.page.createCDPSession();
    await session.send('Network.clearBrowserCookies');
    await opened.page.setJavaScriptEnabled(scripts);
    await opened.page.setViewport({ width, height: 900 });
    await opened.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    return opened;
  };

  const codeFor = async (...options: string[]): Promise<string> =>
    (await linkFor(foundation(), ...options)).split('#token=')[1] ?? '';

  const signIn = async (page: Page, ...options: string[]): Promise<void> => {
    await page.goto(address('/sign-in'));
    await fill(page, 'token', await codeFor(...options));
    await press(page, 'button.button');
  };

  /** An account with money and a posted letter. */
  const liveAccount = async () => {
    const client = await api.register('live');
    const { account_id: accountId } = client.account;
    await operate(foundation(), 'credit', accountId, '50', '--reference', 'first');
    const { letter_id: letterId } = await client.send();
    await operate(foundation(), 'advance', letterId, 'posted');
    await untilShown(api.service());
    return { accountId, letterId };
  };

  const addFailedJob = async (key: string): Promise<void> => {
    const { readDb } = foundation().storage;
    await addJob(readDb, 'nobody-does-this', { id: 1 }, { key });
    await readDb.query('update work.jobs set attempts = 3 where key = $1', [key]);
  };

  for (const [width, scheme] of [
    [320, 'dark'],
    [1440, 'light'],
  ] as const) {
    it(`does every task by keyboard, without scripts, at ${width} px (${scheme})`, async () => {
      const { accountId, letterId } = await liveAccount();
      const job = `job of ${width}`;
      const unwanted = `unwanted ${job}`;
      await addFailedJob(job);
      await addFailedJob(unwanted);
      const { page, complaints } = await open(width, scheme, false);
      await signIn(page);
      expect(await textOf(page, 'h1')).to.equal('Overview');
      // Finds a letter, and reports it as returned.
      await fill(page, 'text', letterId);
      await press(page, 'form[role="search"] button');
      expect(await textOf(page, 'h1')).to.equal('Letter');
      await tabTo(page, '[name="reason"]');
      await page.keyboard.type('moved');
      await press(page, 'form[action$="/returned"] button');
      expect(await textOf(page, '[role="status"]')).to.contain('reported as returned');
      // From the letter to its account: blocks, unblocks, sets quotas, adds money, revokes a key.
      await press(page, `a[href$="/accounts/${accountId}"]`);
      await fill(page, 'reason', 'stolen card');
      await press(page, 'form[action$="/block"] button');
      expect(await textOf(page, '[role="status"]')).to.contain('is blocked');
      await press(page, 'form[action$="/unblock"] button');
      await press(page, 'form[action$="/freeze"] button');
      await press(page, 'form[action$="/unfreeze"] button');
      expect(await textOf(page, '[role="status"]')).to.contain('can spend again');
      await fill(page, 'live-letters', '7');
      await press(page, 'form[action$="/quotas"] button');
      expect(await textOf(page, '[role="status"]')).to.contain('quotas are set');
      await fill(page, 'amount', '12.50');
      await fill(page, 'reference', 'second');
      await press(page, 'form[action$="/credit"] button');
      expect(await textOf(page, '[role="status"]')).to.contain('money was added');
      await press(page, 'form[action$="/revoke"] button');
      expect(await textOf(page, '[role="status"]')).to.contain('key is revoked');
      // Jobs, checks, and the rest of the navigation.
      await press(page, 'nav a[href$="/jobs"]');
      await press(page, `button[aria-label="Give up: ${job}"]`);
      await press(page, `button[aria-label="Retry: ${job}"]`);
      expect(await textOf(page, '[role="status"]')).to.contain('runs again');
      await press(page, `button[aria-label="Give up: ${unwanted}"]`);
      await press(page, `button[aria-label="Remove: ${unwanted}"]`);
      expect(await textOf(page, '[role="status"]')).to.contain('is removed');
      await press(page, 'nav a[href$="/checks"]');
      await press(page, 'form[action$="/checks/doctor"] button');
      expect(await textOf(page, '[role="status"]')).to.contain('doctor has looked');
      for (const [room, heading] of [
        ['search', 'Search'],
        ['production', 'Production'],
        ['returned', 'Returned mail'],
        ['system', 'System'],
        ['accounts', 'Accounts'],
        ['audit', 'Audit'],
      ]) {
        await press(page, `nav a[href$="/${room}"]`);
        expect(await textOf(page, 'h1')).to.equal(heading);
      }
      await press(page, 'form[action$="/sign-out"] button');
      expect(await textOf(page, 'h1')).to.equal('Operator');
      expect(complaints).to.deep.equal([]);
      await page.close();
    });
  }

  for (const [width, scheme] of [
    [320, 'light'],
    [1440, 'dark'],
  ] as const) {
    it(`delivers a notification, sends a mail and replays parked streams again by keyboard, without scripts, at ${width} px (${scheme})`, async () => {
      const client = await api.register();
      const { account_id: accountId } = client.account;
      await client.put('/api/settings', { webhook_url: 'https://hooks.example.com/status' });
      const { letter_id: letterId } = await client.send();
      const mail = await thingsWithIds(foundation()).refusedMail({ accountId, letterId });
      const { readDb } = foundation().storage;
      await readDb.query(
        `insert into reactors.parked (name, stream, version, before, type, error)
         values ($1, $2, 0, 0, 'LetterQueued', 'an older version')`,
        [`reactor-of-${width}`, `letter-of-${width}`],
      );
      await untilShown(api.service());
      const { page, complaints } = await open(width, scheme, false);
      await signIn(page);
      await fill(page, 'text', letterId);
      await press(page, 'form[role="search"] button');
      await until(async () => {
        if (await page.$('form[action*="/deliveries/"] button')) return true;
        await page.reload();
        return false;
      });
      await press(page, 'form[action*="/deliveries/"] button');
      expect(await textOf(page, '[role="status"]')).to.contain('again');
      await page.goto(address(''));
      await fill(page, 'text', mail);
      await press(page, 'form[role="search"] button');
      await press(page, 'form[action$="/again"] button');
      // The mail was made for the test: the answer to the form says that there is nothing to send.
      expect(await textOf(page, '[role="alert"]')).to.contain('can be sent again');
      await press(page, 'nav a[href$="/system"]');
      await press(page, `button[aria-label$="letter-of-${width}"]`);
      expect(page.url()).to.contain('said=replayed');
      expect(complaints.filter((text) => !/409/.test(text))).to.deep.equal([]);
      await readDb.query('delete from reactors.parked where stream = $1', [`letter-of-${width}`]);
      await page.close();
    });
  }

  for (const [width, scheme] of [
    [320, 'dark'],
    [1440, 'dark'],
    [1440, 'light'],
  ] as const) {
    it(`is accessible and fits on every page, also with hostile text (${scheme}, ${width} px)`, async () => {
      const { accountId, letterId } = await liveAccount();
      await operate(foundation(), 'block', accountId, '--reason', hostile);
      await addFailedJob(hostile);
      const { readDb } = foundation().storage;
      await readDb.query(
        `insert into reactors.parked (name, stream, version, before, type, error)
         values ('nobody', $1, 0, 0, $1, $1) on conflict do nothing`,
        [hostile],
      );
      const { page, complaints } = await open(width, scheme, true);
      const dialogs: string[] = [];
      page.on('dialog', (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      await page.goto(address('/sign-in'));
      expect(await findingsOn(page), 'sign-in').to.deep.equal([]);
      // The link fills the form in and leaves no code in the address.
      await page.goto(address(`/sign-in#token=${await codeFor()}`), { waitUntil: 'load' });
      await page.reload();
      await page.goto('about:blank');
      await page.goto(address(`/sign-in#token=${await codeFor()}`), { waitUntil: 'load' });
      expect(page.url()).to.equal(address('/sign-in'));
      await press(page, 'button.button');
      for (const path of [
        '',
        '/search',
        '/accounts',
        '/accounts?blocked=true',
        `/accounts/${accountId}`,
        `/accounts/${accountId}?said=quotas`,
        `/letters/${letterId}`,
        '/production',
        '/returned',
        '/jobs',
        '/system',
        '/checks',
        '/audit',
        `/audit/${letterId}`,
        '/nothing',
      ]) {
        await page.goto(address(path));
        expect(await findingsOn(page), path).to.deep.equal([]);
        expect(await page.evaluate('document.documentElement.scrollWidth'), path).to.equal(width);
        expect(
          await page.evaluate("document.querySelectorAll('main img, main script').length"),
          path,
        ).to.equal(0);
        const folder = process.env.SCREENSHOTS as `${string}/` | undefined;
        if (folder) {
          const name = `${path.replaceAll(/\W+/g, '-') || 'overview'}-${scheme}-${width}`;
          await page.screenshot({ path: `${folder}${name}.png`, fullPage: true });
        }
      }
      await page.goto(address('/search'));
      await fill(page, 'text', hostile);
      await press(page, 'form[role="search"] button');
      expect(await textOf(page, 'main')).to.contain('Nothing has this id');
      expect(await findingsOn(page), 'search').to.deep.equal([]);
      expect(dialogs).to.deep.equal([]);
      // The page that does not exist answers 404, which the browser reports.
      expect(complaints.filter((text) => !/404/.test(text))).to.deep.equal([]);
      await readDb.query('delete from reactors.parked');
      await page.close();
    });
  }

  it('lets an auditor verify a history in the browser, and leads to bundle and certificate', async () => {
    const client = await api.register();
    const { letter_id: letterId } = await client.send(letterTo('DE'));
    await until(async () => {
      const history = await client.get<{ complete: boolean }>(`/api/identity/audit/${letterId}`);
      return history.body.complete;
    });
    const { page, complaints } = await open(1440, 'light', true);
    await signIn(page, '--auditor');
    expect(await textOf(page, 'nav')).to.equal('Audit');
    await fill(page, 'letter', letterId);
    await press(page, 'form[action$="/audit"] button');
    await page.waitForSelector('#summary[data-state="good"]');
    expect(await page.$$eval('.badge', (badges) => badges.length)).to.be.at.least(1);
    expect(
      await page.$$eval('.badge:not([data-state="good"])', (badges) => badges.length),
    ).to.equal(0);
    const bundle = `/console/operator/audit/${letterId}/bundle.zip`;
    await reach(page, `a[download][href$="${bundle}"]`);
    await reach(page, 'a[href$="/certificate"]');
    expect(complaints).to.deep.equal([]);
    await page.close();
  });

  it('does all tasks of operators by keyboard, apart from those of other tests', () => {
    expect(keyboard.leftOf('operator-browser.e2e.test.ts')).to.deep.equal([]);
  });
});
