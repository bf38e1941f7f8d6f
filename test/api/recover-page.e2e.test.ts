import { expect } from 'chai';
import { createRecoveryTokens } from '../../commands/accounts/recovery.ts';
import { useService } from '../support/client.ts';
import { useBrowser } from '../support/use-browser.ts';

describe('the page of a recovery link', function () {
  this.timeout(180_000);
  const api = useService();
  const browser = useBrowser();

  const open = async (hash: string) => {
    const { page, complaints } = await browser.open();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.method()} ${request.url()}`));
    await page.goto(`${api.service().url}/auth/recover${hash}`);
    const text = (id: string) => page.$eval(`#${id}`, (element) => element.textContent ?? '');
    return { page, complaints, asked, text };
  };

  it('shows a new key when its reader asks for it, and forgets the token', async () => {
    const { account } = await api.register();
    const { derive } = api.service().service.foundation.keys;
    const token = createRecoveryTokens(derive('recovery')).issue({
      accountId: account.account_id,
      recoveries: 0,
      expiresAtMs: Date.now() + 60_000,
    });
    const { page, complaints, asked, text } = await open(`#token=${token}`);
    expect(page.url()).to.equal(`${api.service().url}/auth/recover`);
    expect(asked.filter((one) => one.startsWith('POST'))).to.deep.equal([]);
    await page.click('#ask');
    await page.waitForFunction(`document.getElementById('key').textContent !== ''`);
    const key = await text('key');
    const keys = await api.as(key).get('/auth/keys');
    expect(keys.status, keys.text).to.equal(200);
    expect(await text('state'))
      .to.include('Keys that ended are refused')
      .and.not.include('_keys');
    expect(await text('left')).to.equal('Keys that ended: 1. Unchanged: nothing.');
    // The first is the navigation, whose fragment stays in the browser.
    expect(asked.slice(1).join()).to.include('POST').and.not.include(token);
    expect(complaints.filter((one) => !one.includes('favicon'))).to.deep.equal([]);
  });

  it('says what is wrong with a link', async () => {
    const incomplete = await open('');
    expect(await incomplete.text('state')).to.include('not complete');
    const wrong = await open('#token=nonsense');
    await wrong.page.click('#ask');
    await wrong.page.waitForFunction(
      `document.getElementById('state').textContent.includes('Copy the whole link')`,
    );
    expect(await wrong.text('key')).to.equal('');
  });

  const recoveryToken = (accountId: string): string => {
    const { derive } = api.service().service.foundation.keys;
    const expiresAtMs = Date.now() + 60_000;
    return createRecoveryTokens(derive('recovery')).issue({
      accountId,
      recoveries: 0,
      expiresAtMs,
    });
  };

  it('keeps its button where its reader may try again, and takes it away once the link is used', async () => {
    const { account } = await api.register();
    const { page, text } = await open(`#token=${recoveryToken(account.account_id)}`);
    const sent: { key: string | undefined; status: number }[] = [];
    const later = 'That did not work. Try again in a minute.';
    const changed = 'Something changed at the same moment. Try again.';
    const other = 'The service gave this reason: Another request. idempotency_key_reused';
    const refusals = [
      { status: 409, code: 'conflict', detail: 'Try again.', said: changed },
      { status: 503, code: 'store_unavailable', detail: 'Not now.', said: later },
      { status: 429, code: 'rate_limited', detail: 'Too many.', said: later },
      { status: 409, code: 'idempotency_in_progress', detail: 'Still running.', said: later },
      { status: 422, code: 'idempotency_key_reused', detail: 'Another request.', said: other },
    ];
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      const refusal = request.method() === 'POST' ? refusals[sent.length] : undefined;
      if (request.method() === 'POST') {
        sent.push({ key: request.headers()['idempotency-key'], status: refusal?.status ?? 0 });
      }
      if (!refusal) return request.continue();
      const body = JSON.stringify(refusal);
      return request.respond({ status: refusal.status, contentType: 'application/json', body });
    });
    for (const { said } of refusals) {
      await page.click('#ask');
      await page.waitForFunction(
        `document.getElementById('state').textContent === ${JSON.stringify(said)} && !document.getElementById('ask').disabled`,
      );
      for (const id of ['#ask', '#choice'])
        expect(await page.$(`${id}:not([hidden])`)).to.not.equal(null);
    }
    expect(await page.$eval('#state [lang="en"]', (part) => part.textContent)).to.equal(
      'Another request.',
    );
    const keys = sent.map(({ key }) => key);
    expect(new Set(keys.slice(1)).size).to.equal(1);
    expect(keys[1]).to.not.equal(keys[0]);
    await page.click('#keep');
    await page.click('#ask');
    await page.waitForFunction(`document.getElementById('key').textContent !== ''`);
    expect(await text('left')).to.equal(
      `Keys that ended: 0. Unchanged:\n- API key ${account.key_id}`,
    );
    expect(sent[5]?.key).to.not.equal(keys[4]);
    expect((await api.as(await text('key')).get('/auth/keys')).status).to.equal(200);
    expect(await page.$('#ask:not([hidden])')).to.equal(null);
    const used = await open(`#token=${recoveryToken(account.account_id)}`);
    await used.page.click('#ask');
    await used.page.waitForSelector('#ask', { hidden: true });
  });

  it('speaks the language that its link names, and the others of the account do, too', async () => {
    const { page, text } = await open('?language=de#token=nonsense');
    expect(await text('ask')).to.equal('Neuen Schlüssel holen');
    await page.click('#ask');
    await page.waitForFunction(
      `document.getElementById('state').textContent.includes('Dieser Link ist ungültig')`,
    );
    expect(await page.evaluate('document.documentElement.lang')).to.equal('de');
    await page.reload();
    expect(await text('state')).to.include('kopieren Sie');
    for (const [path, title] of [
      ['/auth/confirm?language=fr#token=x', 'Confirmer l’adresse'],
      ['/auth/confirm?language=de#token=x', 'Adresse bestätigen'],
      ['/unsubscribe?language=de', 'Diese E-Mails abbestellen'],
      ['/auth/confirm#token=x', 'Confirm the address'],
    ]) {
      await page.goto(api.service().url + path);
      await page.waitForFunction(`document.title === ${JSON.stringify(title)}`);
      await page.reload();
      await page.waitForFunction(`document.title === ${JSON.stringify(title)}`);
    }
    await page.waitForFunction(`document.getElementById('state').textContent.includes('link')`);
  });
});
