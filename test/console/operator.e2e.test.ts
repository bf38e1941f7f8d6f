/** The operator's console: what it shows, what it does, and what it records. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { accountStream } from '../../events/account.ts';
import { decodeEvent } from '../../events/envelope.ts';
import { addJob } from '../../infra/jobs/add-job.ts';
import { letterTo, type NewKeyJson, type Sent, until, useService } from '../support/client.ts';
import { createMovedClock } from '../support/moved-clock.ts';
import { operate } from '../support/operator.ts';
import { untilShown } from '../support/service.ts';
import { eventually } from '../support/service-process.ts';
import { cookieIn, formIn } from './console-client.ts';
import { operatorAt } from './operator-client.ts';
import { thingsWithIds } from './things-with-ids.ts';

/** One black pixel. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';

describe('the console of operators', function () {
  this.timeout(240_000);
  const api = useService();
  const foundation = () => api.service().service.foundation;
  const operators = operatorAt(() => api.service().url, foundation);

  const inspections = async (accountId: string) => {
    const events = await foundation().storage.store.readStream(accountStream(accountId));
    return events.map(decodeEvent).filter(({ type }) => type === 'AccountInspected');
  };
  const accountOf = async (accountId: string) =>
    (await foundation().commands.handler.load(accountAggregate, accountId)).state;

  it('finds whatever has an id, and leads to it', async () => {
    const client = await api.register();
    const { letter_id: letterId } = await client.send({ reference: 'case 4711' });
    await untilShown(api.service());
    const told = await client.get<{ data: { id: string }[] }>('/api/notifications');
    const person = await operators.signIn();
    const accountPage = `/console/operator/accounts/${client.account.account_id}`;
    const letterPage = `/console/operator/letters/${letterId}`;
    for (const [text, page] of [
      [letterId, letterPage],
      [letterId.toUpperCase(), letterPage],
      ['case 4711', letterPage],
      [client.account.account_id, accountPage],
    ] as const) {
      const found = await person.post('/search', { text });
      expect([found.status, found.headers.get('location')], text).to.deep.equal([303, page]);
    }
    for (const [text, page] of [
      [client.account.key_id, accountPage],
      [told.body.data[0]?.id ?? '', letterPage],
    ] as const) {
      const found = await person.post('/search', { text });
      expect(found.status, text).to.equal(200);
      expect(found.text).to.contain(`href="${page}"`);
    }
    expect((await person.get('/search')).status).to.equal(200);
  });

  it('shows an erased account and the histories of its letters, and does nothing about it', async () => {
    const client = await api.register();
    const { account_id: accountId } = client.account;
    const { letter_id: letterId } = await client.send();
    await client.advance(letterId, { to: 'delivered' });
    const erase = () => operate(foundation(), 'erase-account', accountId, '--now', '--forfeit');
    // The letter is settled first.
    await until(() => erase().then(Boolean, () => false));
    await until(async () => (await accountOf(accountId)).closure?.erasedAt !== undefined);
    const { length } = await inspections(accountId);
    await untilShown(api.service());
    const person = await operators.signIn();
    const page = `/console/operator/accounts/${accountId}`;
    const found = await person.post('/search', { text: accountId });
    expect([found.status, found.headers.get('location')]).to.deep.equal([303, page]);
    const shown = await person.get(`/accounts/${accountId}`);
    expect(shown.status, shown.text).to.equal(200);
    expect(shown.text).to.contain('<dd>erased</dd>').and.to.contain('[erased]');
    expect(shown.text).to.not.contain(`accounts/${accountId}/`);
    expect((await person.post(`/accounts/${accountId}/freeze`, {})).status).to.equal(404);
    for (const path of [`/letters/${letterId}`, `/audit/${letterId}`]) {
      const { status, text } = await person.get(path);
      expect([status, text.includes('There is no such account')], path).to.deep.equal([200, false]);
    }
    expect((await inspections(accountId)).length).to.equal(length);
  });

  it('finds an order, a top-up, a payment, an approval, a mail and a tracking number', async () => {
    const client = await api.register();
    const { account_id: accountId } = client.account;
    const { letter_id: letterId } = await client.send({ service: 'de_einschreiben' });
    const { tracking } = await client.advance(letterId, { to: 'posted' });
    const trackingNumber = tracking.tracking_number ?? '';
    expect(trackingNumber).to.match(/^[A-Z0-9]{8,}$/);
    const rules = ['allow', 'hold'].map((effect) => ({ id: effect, effect }));
    const approvals = { quorum: 1, approvers: ['boss@example.com'] };
    const set = await client.put('/api/policy', { rules, approvals });
    expect(set.status, set.text).to.equal(200);
    const held = await client.post<Sent & { approval_id: string }>('/api/send', letterTo('DE'));
    expect(held.status, held.text).to.equal(202);
    const write = thingsWithIds(foundation());
    const owner = { accountId, letterId };
    const [order, topUp] = [await write.order(owner), await write.topUp(owner)];
    const [payment, mail] = [await write.payment(owner), await write.refusedMail(owner)];
    await untilShown(api.service());
    const person = await operators.signIn();
    const grouped = `${trackingNumber.slice(0, 2)} ${trackingNumber.slice(2).toLowerCase()}`;
    for (const [text, page] of [
      [trackingNumber, `/letters/${letterId}`],
      [grouped, `/letters/${letterId}`],
      [mail, `/mails/${mail}`],
    ] as const) {
      const found = await person.post('/search', { text });
      const leadsTo = [303, `/console/operator${page}`];
      expect([found.status, found.headers.get('location')], text).to.deep.equal(leadsTo);
      expect((await person.get(page)).status, text).to.equal(200);
    }
    for (const [id, kind, page, note] of [
      [order, 'order', `/letters/${letterId}`, 'order, awaiting payment'],
      [topUp, 'top-up', `/accounts/${accountId}`, 'card, pending'],
      [payment, 'payment', `/accounts/${accountId}`, 'claimed'],
      [held.body.approval_id, 'approval', `/letters/${held.body.letter_id}`, 'of this letter'],
    ] as const) {
      const { status, text } = await person.post('/search', { text: id });
      expect(status, kind).to.equal(200);
      expect(text).to.contain(`<a href="/console/operator${page}"><code>${id}</code></a>`);
      expect(text).to.contain(`>${kind}</td>`).and.to.contain(note).and.to.not.contain('$');
      expect((await person.get(page)).status, kind).to.equal(200);
    }
    await write.sendMail(mail, owner);
  });

  it('finds a UCAN, offers, a quote, a logo, an audit webhook, an export and a transaction, and names their account', async () => {
    const client = await api.register();
    const accountId = client.account.account_id;
    const asked = async <T>(path: string, body: object): Promise<T> => {
      const answer = await client.post<T>(path, body);
      expect(answer.status, answer.text).to.be.within(200, 299);
      return answer.body;
    };
    const { cid } = await asked<{ cid: string }>('/api/identity/ucan', {
      audience: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
      scope: 'read',
      expires_in: 3_600,
    });
    const negotiation = { intent: 'transactional', to_country: 'DE' };
    const { offer_id: offer } = await asked<{ offer_id: string }>('/api/anp/offer', negotiation);
    const { export_id: made } = await asked<{ export_id: string }>('/api/exports', {});
    const logo = `data:image/png;base64,${png}`;
    const { logo_id: uploaded } = await asked<{ logo_id: string }>('/api/logos', { logo });
    const price = { service: 'de_standardbrief', to_country: 'DE', pages: 1 };
    const { quote_id: quote } = await asked<{ quote_id: string }>('/api/quote', price);
    const hook = { url: 'https://hooks.example.com/audit' };
    const { id: webhook } = await asked<{ id: string }>('/api/identity/audit/subscribe', hook);
    await client.send();
    const transaction = await eventually('a transaction', async () => {
      const { body } = await client.get<{ transactions: { id: string }[] }>('/api/balance');
      return body.transactions[0]?.id;
    });
    await untilShown(api.service());
    const person = await operators.signIn();
    for (const [id, kind] of [
      [cid, 'UCAN'],
      [offer, 'offer'],
      [made, 'export'],
      [transaction, 'transaction'],
      [quote, 'quote'],
      [uploaded, 'logo'],
      [webhook, 'audit webhook'],
    ] as const) {
      const text = await eventually(kind, async () => {
        const found = await person.post('/search', { text: id });
        return found.text.includes(`>${kind}</td>`) ? found.text : undefined;
      });
      const page = `/console/operator/accounts/${accountId}`;
      expect(text, kind).to.contain(`<a href="${page}"><code>${id}</code></a>`);
    }
    expect(await inspections(accountId)).to.have.length(0);
    expect((await person.get(`/accounts/${accountId}`)).status).to.equal(200);
    expect(await inspections(accountId)).to.have.length(1);
    expect((await client.delete(`/api/logos/${uploaded}`)).status).to.equal(200);
    await until(async () =>
      (await person.post('/search', { text: uploaded })).text.includes('>deleted<'),
    );
  });

  it('finds nothing for ids that exist nowhere, and shows hostile text as text', async () => {
    const person = await operators.signIn();
    const unknown = [
      randomUUID(),
      `key_${randomUUID().slice(0, 8)}`,
      `apr_${randomUUID()}`,
      `contract_${randomUUID().replaceAll('-', '')}`,
      `acct_${'a'.repeat(59)}`,
      `ntf_${'0'.repeat(32)}`,
      `txn_${'0'.repeat(32)}`,
      `offer_${randomUUID()}`,
      `commitment_${'A'.repeat(22)}`,
      `b${'a'.repeat(58)}`,
      `quote_${'A'.repeat(43)}`,
      `logo_${'0'.repeat(32)}`,
      `aud_${'0'.repeat(32)}`,
      'RR123456785DE',
      'nobody@example.com',
      'no such thing',
    ];
    const hostile = [
      '"><script>alert(1)</script>',
      "'; drop table read_models.letters; --",
      '../../etc/passwd',
      'acct_../x',
      'key_%00',
      'apr_',
      'ntf_',
      'txn_',
      'offer_\u{1f600}',
      '\ud800',
      '%',
      'a'.repeat(2_000),
      '\u202e\u0041',
    ];
    for (const text of [...unknown, ...hostile]) {
      const answer = await person.post('/search', { text });
      expect(answer.status, text.slice(0, 60)).to.equal(200);
      expect(answer.text, text.slice(0, 60)).to.contain('Nothing has this id');
      expect(answer.text).to.not.contain('<script>alert');
    }
    const blank = await person.post('/search', { text: '  ' });
    expect(blank.status).to.equal(200);
  });

  it('refuses U+0000 in fields, and paths that are not UTF-8, with a page', async () => {
    const person = await operators.signIn();
    for (const [path, form] of [
      ['/jobs/retry', { key: 'a\u0000' }],
      ['/jobs/give-up', { key: '\u0000' }],
      ['/jobs/remove', { key: '\u0000' }],
      ['/parked/replay', { reactor: '\u0000' }],
      ['/search', { text: '\u0000' }],
    ] as const) {
      const answer = await person.post(path, form);
      expect([answer.status, path]).to.deep.equal([422, path]);
      expect(answer.text).to.contain('Remove the character U+0000');
      expect(answer.headers.get('content-type')).to.contain('text/html');
    }
    for (const [path, status] of [
      ['/search?text=%00', 422],
      ['/accounts/%00', 404],
      ['/accounts?before=%00', 422],
      ['/accounts/%ff', 400],
      ['/accounts/%', 400],
    ] as const) {
      const answer = await person.get(path);
      expect([answer.status, path]).to.deep.equal([status, path]);
      expect(answer.headers.get('content-type'), path).to.contain('text/html');
    }
  });

  it('records once per session that somebody looked into an account, before it shows anything', async () => {
    const client = await api.register();
    const { letter_id: letterId } = await client.send();
    const { account_id: accountId } = client.account;
    const person = await operators.signIn();
    expect(await inspections(accountId)).to.have.length(0);
    expect((await person.get(`/letters/${letterId}`)).status).to.equal(200);
    expect((await person.get(`/accounts/${accountId}`)).status).to.equal(200);
    expect((await person.get(`/accounts/${accountId}`)).status).to.equal(200);
    const [event, ...others] = await inspections(accountId);
    expect(others).to.have.length(0);
    expect(event?.data).to.deep.equal({ accountId, inspector: 'link', rights: 'operator' });
    const other = await operators.signIn();
    await other.get(`/accounts/${accountId}`);
    expect(await inspections(accountId)).to.have.length(2);
    expect((await person.get('/accounts/acct_nobody')).status).to.equal(404);
  });

  it('blocks and unblocks, freezes and unfreezes, sets quotas and revokes a key', async () => {
    const client = await api.register();
    const { account_id: accountId } = client.account;
    const person = await operators.signIn();
    const page = `/accounts/${accountId}`;
    const done = async (path: string, form: Record<string, string>, said: string) => {
      const answer = await person.post(`${page}/${path}`, form);
      expect([answer.status, answer.headers.get('location')], answer.text).to.deep.equal([
        303,
        `/console/operator${page}?said=${said}`,
      ]);
    };
    expect((await person.post(`${page}/block`, { reason: '' })).status).to.equal(422);
    await done('block', { reason: 'stolen card' }, 'blocked');
    expect((await accountOf(accountId)).blocked).to.equal('stolen card');
    await done('unblock', {}, 'unblocked');
    expect((await accountOf(accountId)).blocked).to.equal(undefined);
    await done('freeze', {}, 'frozen');
    expect((await person.get(page)).text).to.contain(`${page}/unfreeze`);
    await done('unfreeze', {}, 'unfrozen');
    await done('quotas', { 'live-letters': '7', drafts: 'default' }, 'quotas');
    expect((await accountOf(accountId)).quotas).to.deep.equal({ liveLettersPerDay: 7 });
    const wrong = await person.post(`${page}/quotas`, { drafts: 'many' });
    expect([wrong.status, wrong.text.includes('must be a whole number')]).to.deep.equal([
      422,
      true,
    ]);
    // Requests are refused until the process has read that the account is no longer frozen.
    let keyId = '';
    await until(async () => {
      const made = await client.post<NewKeyJson>('/auth/keys', { label: 'second', scope: 'read' });
      keyId = made.body.id;
      return made.status === 201;
    });
    await done(`keys/${keyId}/revoke`, {}, 'revoked');
    expect((await accountOf(accountId)).keys.get(keyId)?.revokedAt).to.not.equal(undefined);
  });

  it('refuses forms of a page that is older than another change, and keeps the other quotas', async () => {
    const client = await api.register();
    const { account_id: accountId } = client.account;
    const [one, other] = [await operators.signIn(), await operators.signIn()];
    const page = `/accounts/${accountId}`;
    const form = async (path: string) => formIn(await one.get(page), `/operator${page}/${path}`);
    const post = async (by: typeof one, path: string, fields: Record<string, string>) =>
      (await by.post(`${page}/${path}`, fields)).status;

    const quotas = await form('quotas');
    const typed = { 'live-letters': 'default', 'test-letters': '9', drafts: 'default' };
    await post(other, 'quotas', { 'live-letters': '5' });
    expect(await post(one, 'quotas', { ...quotas, ...typed })).to.equal(303);
    const set = { liveLettersPerDay: 5, testLettersPerDay: 9 };
    expect((await accountOf(accountId)).quotas).to.deep.equal(set);
    const stale = { ...quotas, ...typed, 'live-letters': '7' };
    expect(await post(one, 'quotas', stale)).to.equal(409);
    expect((await accountOf(accountId)).quotas).to.deep.equal(set);

    await post(other, 'block', { reason: 'stolen card' });
    const unblock = await form('unblock');
    await post(other, 'unblock', {});
    await post(other, 'block', { reason: 'fraud' });
    expect(await post(one, 'unblock', unblock)).to.equal(409);
    expect((await accountOf(accountId)).blocked).to.equal('fraud');
    for (const _ of ['once', 'twice']) {
      const now =
        (await accountOf(accountId)).blocked === undefined ? unblock : await form('unblock');
      expect(await post(one, 'unblock', now)).to.equal(303);
    }

    await post(other, 'freeze', {});
    const unfreeze = await form('unfreeze');
    await post(other, 'unfreeze', {});
    await post(other, 'freeze', {});
    expect(await post(one, 'unfreeze', unfreeze)).to.equal(409);
    expect(await post(one, 'unfreeze', await form('unfreeze'))).to.equal(303);
  });

  it('delivers a notification again once for each form', async () => {
    const client = await api.register();
    await client.put('/api/settings', { webhook_url: 'https://93.184.215.14/hook' });
    const { letter_id: letterId } = await client.send();
    const person = await operators.signIn();
    const { readDb } = foundation().storage;
    const shown = await eventually('the notification is shown', async () => {
      const page = await person.get(`/letters/${letterId}`);
      return page.text.includes('/again"') ? page : undefined;
    });
    const path = /action="\/console\/operator([^"]*\/again)"/.exec(shown.text)?.[1] ?? '';
    const form = formIn(shown, `/operator${path}`);
    const states = async () => {
      const query = 'select state from deliveries.messages where account_id = $1';
      const { rows } = await readDb.query<{ state: string }>(query, [client.account.account_id]);
      return rows.map(({ state }) => state);
    };
    const given = async () => {
      const up = `update deliveries.messages set state = 'failed' where account_id = $1`;
      await readDb.query(up, [client.account.account_id]);
    };
    for (const isAgain of [true, false]) {
      await given();
      expect((await person.post(path, form)).status).to.equal(303);
      expect((await states()).some((state) => state !== 'failed')).to.equal(isAgain);
    }
  });

  it('lists every account once, page by page', async () => {
    const made = await Promise.all(Array.from({ length: 51 }, () => api.register()));
    await untilShown(api.service());
    const person = await operators.signIn();
    const found: string[] = [];
    let path: string | undefined = '/accounts';
    while (path !== undefined) {
      const { status, text } = await person.get(path);
      expect(status, path).to.equal(200);
      found.push(...[...text.matchAll(/<code>(acct_[\w-]+)<\/code>/g)].map(([, id = '']) => id));
      path = /<a rel="next" href="\/console\/operator(\/accounts\?before=acct_[\w-]+)">/.exec(
        text,
      )?.[1];
    }
    expect(new Set(found)).to.have.length(found.length);
    expect(found).to.include.members(made.map(({ account }) => account.account_id));
    expect((await person.get('/accounts?before=acct_none&blocked=true')).status).to.equal(200);
  });

  it('adds money to a live account once per reference, and refuses test accounts', async () => {
    const live = await api.register('live');
    const { account_id: accountId } = live.account;
    const person = await operators.signIn();
    const form = { amount: '25.00', bucket: 'fiat', reference: 'bank transfer 8841' };
    const said = async () =>
      (await person.post(`/accounts/${accountId}/credit`, form)).headers.get('location');
    expect(await said()).to.contain('said=credited');
    expect(await said()).to.contain('said=credited_before');
    const { state } = await foundation().commands.handler.load(walletAggregate, accountId);
    expect(state.available.fiat).to.equal(25_000_000n);
    const test = await api.register();
    const refused = await person.post(`/accounts/${test.account.account_id}/credit`, form);
    expect([refused.status, refused.text.includes('is a test account')]).to.deep.equal([409, true]);
  });

  it('lists a job that failed, runs it again, gives it up, and removes it', async () => {
    const { readDb } = foundation().storage;
    const key = '<b>nobody does this</b>';
    await addJob(readDb, 'nobody-does-this', { id: 1 }, { key });
    await readDb.query(
      `update work.jobs set attempts = max_attempts, failing_since = now(), error = $2
       where key = $1`,
      [key, 'ECONNREFUSED: connect <i>10.0.0.5</i>'],
    );
    const person = await operators.signIn();
    const shown = await person.get('/jobs');
    expect(shown.text).to.contain('nobody-does-this').and.to.contain('&lt;b&gt;nobody');
    expect(shown.text).to.contain('ECONNREFUSED: connect &lt;i&gt;10.0.0.5');
    expect((await person.get('')).text).to.contain('1 job failed for good');
    const listed = (await operate(foundation(), 'jobs')).join();
    expect(listed).to.contain('nobody-does-this').and.to.contain('ECONNREFUSED');
    expect(listed).to.not.contain('--limit');
    const first = (await operate(foundation(), 'jobs', '--limit', '1')).join();
    expect(first).to.contain('nobody-does-this').and.to.contain('The first 1; --limit shows more.');
    const attempts = async () =>
      (
        await readDb.query<{ attempts: number }>('select attempts from work.jobs where key = $1', [
          key,
        ])
      ).rows[0]?.attempts;
    expect((await person.post('/jobs/retry', { key })).status).to.equal(303);
    expect(await attempts()).to.equal(0);
    expect((await person.post('/jobs/give-up', { key })).status).to.equal(303);
    expect(await attempts()).to.equal(25);
    expect((await person.post('/jobs/retry', { key: 'unknown' })).status).to.equal(409);
    expect((await person.post('/jobs/remove', { key })).status).to.equal(303);
    expect(await attempts()).to.equal(undefined);
    expect((await person.get('')).text).to.not.contain('failed for good');
    await addJob(readDb, 'nobody-does-this', { id: 1 }, { key });
    const early = await person.post('/jobs/remove', { key });
    expect([early.status, early.text.includes('Give it up first.')]).to.deep.equal([409, true]);
    const none = await person.post('/jobs/remove', { key: 'unknown' });
    expect([none.status, none.text.includes('There is no job unknown.')]).to.deep.equal([
      409,
      true,
    ]);
    await operate(foundation(), 'jobs', '--give-up', key);
    await operate(foundation(), 'jobs', '--remove', key);
    expect(await attempts()).to.equal(undefined);
  });

  it('replays the parked streams of a reactor', async () => {
    const { readDb } = foundation().storage;
    const { rows } = await readDb.query<{ name: string; token: bigint }>(
      "select name, token from reactors.leases where name = 'settle-wallets'",
    );
    const [lease] = rows;
    if (!lease) throw new Error('the reactor has no lease');
    await readDb.query(
      `insert into reactors.parked (name, stream, version, before, type, error)
       values ($1, 'letter-none', 0, 0, 'LetterQueued', 'an older version')`,
      [lease.name],
    );
    const person = await operators.signIn();
    expect((await person.get('/system')).text).to.contain('letter-none');
    expect((await operate(foundation(), 'parked')).join()).to.contain('letter-none');
    expect((await person.post('/parked/replay', { reactor: 'nobody' })).status).to.equal(409);
    expect((await person.post('/parked/replay', { reactor: lease.name })).status).to.equal(303);
    // The stream has no such event, so that the reactor has nothing to put aside again.
    await until(async () => {
      const parked = await readDb.query('select from reactors.parked where name = $1', [
        lease.name,
      ]);
      const now = await readDb.query<{ token: bigint }>(
        'select token from reactors.leases where name = $1 and expires_at > now()',
        [lease.name],
      );
      return now.rows[0] !== undefined && now.rows[0].token > lease.token && parked.rows.length < 2;
    });
    await readDb.query("delete from reactors.parked where stream = 'letter-none'");
  });

  it('speaks the language of the browser, or the one that was chosen at sign-in', async () => {
    const client = await api.register();
    const { letter_id: letterId } = await client.send();
    const person = await operators.signIn();
    const paths = [
      ...['', '/search', '/accounts', `/accounts/${client.account.account_id}`],
      ...[`/letters/${letterId}`, '/production', '/returned', '/jobs', '/system', '/checks'],
      ...['/audit', '/nothing'],
    ];
    const wordsOf = {
      de: ['Übersicht', 'Abmelden', 'Hier ist nichts'],
      fr: ['Aperçu', 'Se déconnecter', 'Il n’y a rien ici'],
    };
    for (const [language, [overview = '', signOut = '', missing = '']] of Object.entries(wordsOf)) {
      const texts: string[] = [];
      for (const path of paths) {
        const { text } = await person.get(path, { 'accept-language': language });
        expect(text, path).to.contain(`<html lang="${language}">`).and.to.contain(signOut);
        // Sentences of the English pages.
        expect(text, path).to.not.match(/>(Sign out|Overview|Nothing |No |There is )/);
        texts.push(text);
      }
      expect(texts[0]).to.contain(overview);
      expect(texts.at(-1)).to.contain(missing);
    }
    const [link = ''] = await operate(foundation(), 'console-link');
    const form = { token: link, language: 'fr' };
    const chosen = await operators.pages.post(operators.at('/sign-in'), form);
    const cookie = cookieIn(chosen);
    const shown = await operators.pages.get(operators.at(''), { cookie, 'accept-language': 'de' });
    expect(shown.text).to.contain('<html lang="fr">');
    const page = await operators.pages.get(`${operators.at('/sign-in')}?language=de`);
    expect(page.text).to.contain('<html lang="de">').and.to.contain('Anmelden');
  });

  it('shows the state of read models and reactors, and what the doctor found', async () => {
    const person = await operators.signIn();
    const system = await person.get('/system');
    expect(system.text).to.contain('letters').and.to.contain('settle-wallets');
    expect((await person.get('/checks')).text).to.contain('The doctor has not looked yet');
    expect((await person.post('/checks/doctor', {})).status).to.equal(303);
    const checks = await person.get('/checks?said=examined');
    expect(checks.text).to.contain('PostgreSQL').and.to.contain('reconcile has never run');
  });

  it('reports a live letter as returned, and lists it', async () => {
    const client = await api.register('live');
    await operate(foundation(), 'credit', client.account.account_id, '50', '--reference', 'r');
    const { letter_id: letterId } = await client.send();
    await operate(foundation(), 'advance', letterId, 'posted');
    const person = await operators.signIn();
    await until(async () => (await person.get(`/letters/${letterId}`)).text.includes('/returned"'));
    const wrong = await person.post(`/letters/${letterId}/returned`, { reason: '<script>' });
    expect(wrong.status).to.equal(422);
    const answer = await person.post(`/letters/${letterId}/returned`, { reason: 'moved' });
    expect(answer.status, answer.text).to.equal(303);
    await untilShown(api.service());
    expect((await person.get('/returned')).text)
      .to.contain(letterId)
      .and.to.contain('moved');
  });

  it('offers no return of a letter whose delivery is reported, because that is refused', async () => {
    const client = await api.register('live');
    await operate(foundation(), 'credit', client.account.account_id, '50', '--reference', 'r');
    const { letter_id: letterId } = await client.send();
    await operate(foundation(), 'advance', letterId, 'in_transit');
    const person = await operators.signIn();
    const isOffered = async () =>
      (await person.get(`/letters/${letterId}`)).text.includes(`/letters/${letterId}/returned"`);
    await until(isOffered);
    await operate(foundation(), 'advance', letterId, 'delivered', '--evidence', 'carrier_scan');
    const refused = await person.post(`/letters/${letterId}/returned`, { reason: 'moved' });
    expect(refused.status).to.equal(409);
    expect(await isOffered()).to.equal(false);
  });
});

describe('the console of operators while the print house is down', function () {
  this.timeout(240_000);
  const time = createMovedClock('2026-11-23T10:04:00Z');
  const api = useService(
    {
      PRINT_PARTNER: 'http',
      PRINT_HTTP_URL: 'http://127.0.0.1:9',
      PRINT_HTTP_TOKEN: 'token',
      PRINT_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      PRINT_HANDOVER: 'always',
      CANCELLATION_WINDOW_SECONDS: '0',
    },
    { clock: time.clock },
  );
  const foundation = () => api.service().service.foundation;
  const operators = operatorAt(() => api.service().url, foundation);

  it('says since when, and how many letters wait', async () => {
    const client = await api.register('live');
    await operate(foundation(), 'credit', client.account.account_id, '50', '--reference', 'r');
    const { letter_id: letterId } = await client.send();
    const person = await operators.signIn();
    await until(async () =>
      (await person.get(`/letters/${letterId}`)).text.includes('<dd>In production</dd>'),
    );
    await untilShown(api.service());
    time.moveTo('2026-11-23T10:24:00Z');
    const { text } = await person.get('');
    expect(text).to.contain('The print house (http) takes no letters');
    // The clock runs from the loading of this file on.
    expect(text)
      .to.contain('1 letter waits.')
      .and.to.match(/datetime="2026-11-23T10:[01]/);
  });
});
