/** The pages call the operations of the API with the rights of the key that signed in. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { reserveFunds } from '../../commands/wallets/reserve-funds.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { body, drawPdf, goodLetter } from '../documents/preflight/samples.ts';
import { letterTo, type NewKeyJson, until, useService } from '../support/client.ts';
import { eventually } from '../support/service-process.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { consoleAt, formIn, hiddenIn, type Shown } from './console-client.ts';

const hostile = `"><img src=x onerror=alert(1)></textarea><script>alert('{2}')</script>&amp;`;

/** The fields that a person fills in to write a letter. */
const fieldsOf = (changes: Record<string, string> = {}): Record<string, string> => {
  const letter = letterTo('DE', { content: 'Hello.\n\nA second paragraph.' });
  const texts = Object.entries(letter).filter(([, value]) => typeof value === 'string');
  return { ...Object.fromEntries(texts), duplex: 'true', ...changes };
};

/** The version that a page names in its forms. */
const versionIn = (page: Shown): string => hiddenIn(page, 'version');

/** The letter that an answer leads to. */
const letterIn = ({ headers, text }: Shown): string => {
  const found = /^\/console\/letters\/([0-9a-f-]{36})/.exec(headers.get('location') ?? '')?.[1];
  if (found === undefined) throw new Error(`it leads to no letter: ${text}`);
  return found;
};

describe('the pages of the console', function () {
  this.timeout(180_000);
  const api = useService({ ALLOW_PRIVATE_FETCH: 'true' });
  const pages = consoleAt(() => api.service().url);

  const signedIn = async () => {
    const client = await api.register();
    return { client, person: await pages.signIn(client.key) };
  };

  it('write a letter: the price is seen first, then paid, once for each form', async () => {
    const { client, person } = await signedIn();
    const checked = await person.post('/write', fieldsOf({ do: 'check' }));
    expect(checked.status, checked.text).to.equal(200);
    const price = hiddenIn(checked, 'seen_price');
    const form = fieldsOf({
      do: 'send',
      seen_price: price,
      idempotency_key: hiddenIn(checked, 'idempotency_key'),
    });
    const sent = await person.post('/write', form);
    expect(sent.status, sent.text).to.equal(303);
    const again = await person.post('/write', form);
    expect(again.headers.get('location')).to.equal(sent.headers.get('location'));
    const { body } = await client.get<{ data: { price: { total: number } }[] }>('/api/letters');
    expect(body.data).to.have.length(1);
    expect(body.data[0]?.price.total).to.be.at.most(Number(price));
    const page = await person.get(String(sent.headers.get('location')).slice('/console'.length));
    expect(page.text).to.contain('The letter was sent.').and.to.contain('data-status="queued"');
  });

  it('list the letters for which money is reserved, and the limits of a key next to it', async () => {
    const { client, person } = await signedIn();
    const empty = await person.get('/wallet');
    expect(empty.text).to.contain('No money is reserved for letters.');
    const { letter_id: queued } = await client.send();
    const made = await client.post<{ id: string }>('/auth/keys', { label: 'agent', scope: 'send' });
    const limit = { amount: 12, per: 'day' };
    const put = await client.put(`/auth/keys/${made.body.id}/policy`, {
      rules: [{ effect: 'allow', limit }],
    });
    expect(put.status, put.text).to.be.within(200, 201);
    await client.put('/api/policy', { rules: [{ effect: 'allow' }, { effect: 'hold' }] });
    const held = await client.post<{ letter_id: string }>('/api/send', letterTo('DE'));
    expect(held.status, held.text).to.equal(202);
    const wallet = await person.get('/wallet');
    const reserved = /<table[^>]*id="reserved">[\s\S]*?<\/table>/.exec(wallet.text)?.[0] ?? '';
    expect(reserved).to.contain(queued).and.to.contain(held.body.letter_id);
    expect(reserved.match(/<tr>/g)).to.have.length(3);
    type Held = { held: number; held_for: { what: string; count: number; amount: number }[] };
    const { held: all, held_for: parts } = (await client.get<Held>('/api/balance')).body;
    expect(parts.map(({ what, count }) => [what, count])).to.deep.equal([
      ['letters', 1],
      ['approvals', 1],
    ]);
    expect(parts.reduce((sum, { amount }) => sum + amount * 1e6, 0)).to.equal(all * 1e6);
    const table = /<table[^>]*id="held-for">[\s\S]*?<\/table>/.exec(wallet.text)?.[0] ?? '';
    expect(table).to.contain('Letters that wait for approval').and.to.contain(`US$${all}`);
    const keys = await person.get('/keys');
    expect(keys.text).to.contain('US$12.00 / ').and.to.contain('agent');
  });

  it('show the money that orders and contracts hold', async () => {
    const { client, person } = await signedIn();
    const { handler } = api.service().service.foundation.commands;
    const reserve = (kind: 'order' | 'volume-contract', subtotalMicro: bigint) => {
      const command = { purpose: { kind, id: randomUUID() }, attemptId: randomUUID() };
      return handler.handle(
        walletAggregate,
        client.account.account_id,
        { commandId: randomUUID(), actor: 'operator' },
        (wallet) => reserveFunds(wallet, { type: 'ReserveFunds', ...command, subtotalMicro }),
      );
    };
    await reserve('order', 2_000_000n);
    await reserve('order', 3_000_000n);
    await reserve('volume-contract', 4_000_000n);
    type Held = { held: number; held_for: { what: string; count: number; amount: number }[] };
    const balance = async () => (await client.get<Held>('/api/balance')).body;
    await until(async () => (await balance()).held_for.length === 2);
    const { held, held_for: parts } = await balance();
    expect(parts).to.deep.equal([
      { what: 'orders', count: 2, amount: 5.25 },
      { what: 'contracts', count: 1, amount: 4.2 },
    ]);
    expect(held).to.equal(9.45);
    const wallet = await person.get('/wallet');
    const table = /<table[^>]*id="held-for">[\s\S]*?<\/table>/.exec(wallet.text)?.[0] ?? '';
    expect(table).to.contain('Orders that are paid').and.to.contain('US$5.25');
    expect(table).to.contain('Charges of volume contracts').and.to.contain('US$4.20');
    expect(table).to.contain('US$9.45');
  });

  it('show what keys and UCANs made, and the limits of a key that replaced another', async () => {
    const { client, person } = await signedIn();
    const made = await client.post<NewKeyJson>('/auth/keys', { label: 'agent', scope: 'send' });
    const agent = api.as(made.body.api_key);
    const rules = [{ effect: 'allow', limit: { amount: 12, per: 'day' } }];
    const put = await client.put(`/auth/keys/${made.body.id}/policy`, { rules });
    expect(put.status, put.text).to.be.within(200, 201);
    const sent = await agent.post<{ letter_id: string }>('/api/send', letterTo('DE'));
    const drafted = await agent.post<{ letter_id: string }>('/api/send', {
      ...letterTo('DE'),
      draft: true,
    });
    const { letter_id: own } = await client.send();
    const rowWith = (text: string, name: string) =>
      text.split('<tr>').find((row) => row.includes(`>${name}`)) ?? '';
    const list = `/letters?made_by=${made.body.id}`;
    await until(async () =>
      rowWith((await person.get('/keys')).text, 'agent').includes('2 letters'),
    );
    const shown = rowWith((await person.get('/keys')).text, 'agent');
    expect(shown).to.contain('US$12.00 / ').and.to.contain('1 as a draft');
    expect(shown).to.contain(`href="/console${list}"`);
    const page = (await person.get(list)).text;
    expect(page).to.contain(sent.body.letter_id).and.to.contain(drafted.body.letter_id);
    expect(page).to.not.contain(own);
    const drafts = (await person.get(`${list}&status=draft`)).text;
    expect(drafts).to.contain(drafted.body.letter_id).and.to.not.contain(sent.body.letter_id);
    const removed = await agent.delete(`/api/letters/${drafted.body.letter_id}`);
    expect(removed.status, removed.text).to.be.within(200, 204);
    await until(async () => !(await person.get(list)).text.includes(drafted.body.letter_id));
    const stranger = await signedIn();
    expect((await stranger.person.get(list)).text).to.contain('No letter matches.');

    const rotated = await client.post<NewKeyJson>(`/auth/keys/${made.body.id}/rotate`, {});
    expect(rotated.status, rotated.text).to.be.within(200, 201);
    await until(async () => (await person.get('/keys')).text.includes('Kept from the key'));
    const replaced = rowWith((await person.get('/keys')).text, 'agent');
    expect(replaced).to.contain('US$12.00 / ').and.to.contain('Left: ');
    const owner = rowWith((await person.get('/keys')).text, 'default');
    expect(owner === '' ? '1 key' : owner).to.contain('1 key');

    const { cid, token } = (
      await client.post<{ cid: string; token: string }>('/api/identity/ucan', { scope: 'send' })
    ).body;
    await api.as(`ucan:${token}`).post('/api/send', letterTo('DE'));
    await until(async () => (await person.get('/keys')).text.includes(`made_by=ucan%3A${cid}`));
    const byUcan = (await person.get(`/letters?made_by=ucan%3A${cid}`)).text;
    expect(byUcan.match(/<tr>/g)).to.have.length(2);
  });

  it('send a letter once whose button was pressed twice, and whose form was then sent again', async () => {
    const { client, person } = await signedIn();
    const checked = await person.post('/write', fieldsOf({ do: 'check' }));
    const sending = (page: typeof checked) =>
      fieldsOf({
        do: 'send',
        seen_price: hiddenIn(page, 'seen_price'),
        idempotency_key: hiddenIn(page, 'idempotency_key'),
      });
    const form = sending(checked);
    const answers = await Promise.all([person.post('/write', form), person.post('/write', form)]);
    const shown = answers.find(({ status }) => status !== 303);
    if (shown) {
      const key = hiddenIn(shown, 'idempotency_key');
      const again = await person.post('/write', fieldsOf({ do: 'check', idempotency_key: key }));
      const sent = await person.post('/write', sending(again));
      expect(sent.status, sent.text).to.equal(303);
    }
    const { body } = await client.get<{ data: unknown[] }>('/api/letters');
    expect(body.data).to.have.length(1);
  });

  it('show the secret of a webhook again to a form that was sent twice', async () => {
    const { person } = await signedIn();
    const secretIn = ({ text }: { text: string }) => /whsec_[\w+/=]+/.exec(text)?.[0];
    const save = async (fields: Record<string, string>) => {
      const page = await person.get('/webhooks');
      const form = {
        ...fields,
        idempotency_key: hiddenIn(page, 'idempotency_key'),
        shown_webhook_url: hiddenIn(page, 'shown_webhook_url'),
      };
      return [await person.post('/webhooks', form), await person.post('/webhooks', form)] as const;
    };
    const url = { webhook_url: 'https://example.com/hook' };
    const [first, again] = await save(url);
    expect(secretIn(first), first.text).to.be.a('string');
    expect(secretIn(again)).to.equal(secretIn(first));
    const [rotated, rotatedAgain] = await save({ ...url, new_secret: 'true' });
    expect(secretIn(rotated)).to.be.a('string').and.not.equal(secretIn(first));
    expect(secretIn(rotatedAgain)).to.equal(secretIn(rotated));
    expect(secretIn(await person.get('/webhooks'))).to.equal(undefined);
  });

  it('send nothing whose price was not seen, and nothing above it', async () => {
    const { client, person } = await signedIn();
    const unseen = await person.post('/write', fieldsOf({ do: 'send' }));
    expect(unseen.text).to.contain('id="checked"');
    const dearer = await person.post('/write', fieldsOf({ do: 'send', seen_price: '0.10' }));
    expect(dearer.status).to.equal(402);
    expect(dearer.text).to.contain('data-code="max_total_exceeded"');
    const { body } = await client.get<{ data: unknown[] }>('/api/letters');
    expect(body.data).to.deep.equal([]);
  });

  it('show a refused form again with what was typed and what is wrong', async () => {
    const { person } = await signedIn();
    const answer = await person.post('/write', fieldsOf({ do: 'check', to_postal_code: '7500' }));
    expect(answer.status).to.equal(422);
    expect(answer.text).to.match(
      /name="to_postal_code"[^>]* value="7500"[^>]* aria-invalid="true"/,
    );
  });

  it('choose no country beforehand, and say so at a field that was left like that', async () => {
    const { person } = await signedIn();
    const empty = await person.get('/write');
    for (const side of ['to', 'from']) {
      expect(empty.text).to.match(
        new RegExp(
          `<select id="${side}_country" name="${side}_country" required>\\s*<option value="">`,
        ),
      );
    }
    expect(empty.text).not.to.match(
      /_country"[^>]*>(?:\s*<option[^>]*>[^<]*<\/option>)*\s*<option[^>]* selected/,
    );
    const answer = await person.post('/write', fieldsOf({ do: 'send', to_country: '' }));
    expect(answer.status).to.equal(422);
    expect(answer.text).to.match(/<select id="to_country"[^>]* aria-invalid="true"/);
    expect(answer.text).to.contain('id="to_country-wrong"');
  });

  it('show an address in the order of its country, and its country in words', async () => {
    const { client, person } = await signedIn();
    const sender = Object.entries(letterTo('US')).flatMap(([name, value]) =>
      name.startsWith('to_') ? [[name.replace('to_', 'from_'), value]] : [],
    );
    const { letter_id } = await client.send({ ...letterTo('DE'), ...Object.fromEntries(sender) });
    const { text } = await person.get(`/letters/${letter_id}`);
    const lines = [...text.matchAll(/<span class="line">([^<]*)<\/span>/g)].map(([, line]) => line);
    expect(lines.filter((line) => /\d{5}|Germany|United States/.test(line ?? ''))).to.deep.equal([
      '10969 Berlin',
      'Germany',
      'WASHINGTON DC 20500',
      'United States',
    ]);
  });

  it('show the day on which a letter is to be sent, until its production begins', async () => {
    const { client, person } = await signedIn();
    const day = new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
    const shown = `<dt>Send on</dt><dd><time datetime="${day}">`;
    const draft = await client.send({ draft: true, send_date: day });
    const queued = await client.send({ send_date: day });
    for (const { letter_id } of [draft, queued]) {
      expect((await person.get(`/letters/${letter_id}`)).text).to.contain(shown);
    }
    await client.advance(queued.letter_id, { to: 'posted' });
    expect((await person.get(`/letters/${queued.letter_id}`)).text).to.not.contain('Send on');
    const soon = await client.send();
    expect((await person.get(`/letters/${soon.letter_id}`)).text).to.not.contain('Send on');
  });

  it('keep a draft, send it, show its pages, and cancel it', async () => {
    const { client, person } = await signedIn();
    const kept = await person.post('/write', fieldsOf({ do: 'draft' }));
    const path = String(kept.headers.get('location')).replace('/console', '').split('?')[0] ?? '';
    const draft = await person.get(path);
    expect(draft.text).to.contain('data-status="draft"');
    const fields = (page: typeof draft) => ({
      version: versionIn(page),
      idempotency_key: hiddenIn(page, 'idempotency_key'),
    });
    const price = hiddenIn(draft, 'seen_price');
    const dearer = await person.post(`${path}/send`, { ...fields(draft), seen_price: '0.01' });
    expect(dearer.text).to.contain('data-code="max_total_exceeded"');
    const sent = await person.post(`${path}/send`, { ...fields(dearer), seen_price: price });
    expect(sent.headers.get('location'), sent.text).to.contain('said=sent');
    const stale = await person.post(`${path}/cancel`, {
      ...fields(draft),
      idempotency_key: 'other',
    });
    expect(stale.status).to.equal(412);
    const queued = await person.get(path);
    const cancelled = await person.post(`${path}/cancel`, fields(queued));
    expect(cancelled.headers.get('location'), cancelled.text).to.contain('said=cancelled');
    expect((await person.get(path)).text).to.contain('data-status="cancelled"');
    const { available, held } = await client.balance();
    expect([available, held]).to.deep.equal([100, 0]);
    const picture = await person.get(`${path}/page-1.png`);
    expect(picture.headers.get('content-type')).to.equal('image/png');
    const pdf = await person.get(`${path}/document.pdf`);
    expect(pdf.text.slice(0, 5)).to.equal('%PDF-');
  });

  it('keep a PDF as a draft that is sent at the price that its page shows', async () => {
    const { client, person } = await signedIn();
    const fields = { ...fieldsOf({ do: 'check', idempotency_key: 'pdf-1' }), content: '' };
    const pdf = await goodLetter();
    const id = letterIn(await person.upload('/write', fields, pdf));
    expect(letterIn(await person.upload('/write', fields, pdf))).to.equal(id);
    const page = await person.get(`/letters/${id}`);
    expect(page.text).to.contain('data-status="draft"').and.to.not.contain('/again"');
    const { documents } = await client.letter(id);
    expect(documents[0]).to.include({ format: 'pdf', address_placement: 'stamp' });
  });

  it('show what is wrong with a PDF, with what was typed', async () => {
    const { client, person } = await signedIn();
    const fields = { ...fieldsOf({ do: 'check' }), content: '' };
    const wide = await drawPdf(body, { size: [300, 400] });
    const refused = await person.upload('/write', fields, wide);
    expect(refused.status, refused.text).to.equal(422);
    expect(refused.text).to.contain('data-code="document_not_supported"');
    expect(refused.text)
      .to.match(/id="file-wrong"[^>]*>Page 1 does not have the size of the paper/)
      .and.to.contain('Lindenstraße 5');
    const photo = await person.upload(
      '/write',
      fields,
      await drawPdf(body, { size: [1411, 1058] }),
    );
    expect(photo.text)
      .to.match(/id="file-wrong"[^>]*>Page 1 is landscape, and much larger or smaller/)
      .and.not.to.contain('made to fit');
    const none = await person.upload('/write', fields, new Uint8Array());
    expect(none.status, 'no file and no text').to.equal(422);
    const { body: list } = await client.get<{ data: unknown[] }>('/api/letters');
    expect(list.data).to.deep.equal([]);
  });

  it('change a letter, copy it as a new draft, and delete it', async () => {
    const { client, person } = await signedIn();
    const own = { metadata: { case: '7' }, color: true, language: 'fr' };
    const { letter_id: id } = await client.send(own);
    const form = await person.get(`/letters/${id}/change`);
    const typed = { to_name: 'Berta Neu', to_line1: 'Lindenstraße 5', to_postal_code: '10969' };
    const fields = { ...typed, to_city: 'Berlin', reference: 'new', version: versionIn(form) };
    const wrong = await person.post(`/letters/${id}/change`, { ...fields, to_postal_code: '1' });
    expect(wrong.status).to.equal(422);
    expect(wrong.text).to.match(/name="to_postal_code"[^>]* value="1"[^>]* aria-invalid="true"/);
    const changed = await person.post(`/letters/${id}/change`, fields);
    expect(changed.headers.get('location'), changed.text).to.contain('said=changed');
    const version = versionIn(await person.get(`/letters/${id}`));
    const again = await person.post(`/letters/${id}/change`, fields);
    expect(again.headers.get('location'), 'the answer was lost').to.contain('said=changed');
    expect(versionIn(await person.get(`/letters/${id}`))).to.equal(version);
    for (const other of [{ to_name: 'Carla' }, { reference: 'newer' }]) {
      const stale = await person.post(`/letters/${id}/change`, { ...fields, ...other });
      expect(stale.status).to.equal(412);
    }

    const page = await person.get(`/letters/${id}`);
    expect(page.text).to.contain('Berta Neu');
    const once = { idempotency_key: hiddenIn(page, 'idempotency_key') };
    const copied = await person.post(`/letters/${id}/again`, once);
    const copyId = letterIn(copied);
    expect(letterIn(await person.post(`/letters/${id}/again`, once))).to.equal(copyId);
    const [before, copy] = [await client.letter(id), await client.letter(copyId)];
    expect(copy).to.include({ status: 'draft', to_name: 'Berta Neu', color: true, language: 'fr' });
    expect(copy.metadata).to.deep.equal({ case: '7' });
    expect(copy.content).to.equal(before.content);
    expect(before.status).to.equal('queued');

    const draft = await person.get(`/letters/${copyId}`);
    const question = await person.get(`/letters/${copyId}/delete`);
    expect(question.text).to.contain('The draft is erased for good').and.contain('Berta Neu');
    expect(formIn(question, `/letters/${copyId}/delete`)).to.deep.equal({
      version: versionIn(draft),
    });
    expect((await person.get(`/letters/${id}/delete`)).text).to.not.contain('erased for good');
    const early = await person.post(`/letters/${id}/delete`, { version: versionIn(page) });
    expect(early.status, 'a queued letter').to.equal(409);
    const removed = await person.post(`/letters/${copyId}/delete`, { version: versionIn(draft) });
    expect(removed.headers.get('location'), removed.text).to.equal('/console/letters?said=deleted');
    expect((await person.get(`/letters/${copyId}`)).status).to.equal(410);
  });

  it('change and copy a letter whose address was accepted as it is', async () => {
    const { client, person } = await signedIn();
    const asIs = { to_postal_code: '00000', from_postal_code: '00000', accept_address_as_is: true };
    const { letter_id: id } = await client.send(letterTo('DE', asIs));
    const form = await person.get(`/letters/${id}/change`);
    const shown = { to_name: 'Anna Müller', to_line1: 'Lindenstraße 5', to_city: 'Berlin' };
    const fields = { ...shown, to_postal_code: '00000', version: versionIn(form) };
    const labelled = await person.post(`/letters/${id}/change`, { ...fields, reference: 'new' });
    expect(labelled.headers.get('location'), labelled.text).to.contain('said=changed');
    expect(await client.letter(id)).to.include({ reference: 'new', to_postal_code: '00000' });
    const version = versionIn(await person.get(`/letters/${id}/change`));
    const renamed = { ...fields, to_name: 'Berta Neu', version };
    expect((await person.post(`/letters/${id}/change`, renamed)).status).to.equal(422);
    const insisted = { ...renamed, accept_address_as_is: 'true' };
    const accepted = await person.post(`/letters/${id}/change`, insisted);
    expect(accepted.headers.get('location'), accepted.text).to.contain('said=changed');
    const page = await person.get(`/letters/${id}`);
    const once = { idempotency_key: hiddenIn(page, 'idempotency_key') };
    const copied = await person.post(`/letters/${id}/again`, once);
    expect(copied.headers.get('location'), copied.text).to.contain('said=drafted');
    expect(await client.letter(letterIn(copied))).to.include({ to_postal_code: '00000' });
  });

  it('do not offer to copy a letter whose text the service does not have', async () => {
    const { client, person } = await signedIn();
    const { letter_id: id } = await client.send();
    expect((await person.get(`/letters/${id}`)).text).to.contain(`/letters/${id}/again"`);
    const draft = await client.send({ draft: true });
    expect((await person.get(`/letters/${draft.letter_id}`)).text).to.not.contain('/again"');
  });

  it('say why a draft waits', async () => {
    const live = await api.register('live');
    const person = await pages.signIn(live.key);
    const { letter_id: id } = await live.send({ hold_without_funds: true });
    expect((await person.get(`/letters/${id}`)).text).to.match(
      /id="held">[^<]*until its price is paid/,
    );
  });

  it('show the proof, give it as files, and make and end links', async () => {
    const { client, person } = await signedIn();
    const { letter_id: id } = await client.send();
    const page = await person.get(`/letters/${id}/proof`);
    expect(page.text).to.contain('was accepted at').and.to.contain(`/track/${id}?token=`);
    const pdf = await person.get(`/letters/${id}/certificate.pdf`);
    expect(pdf.text.slice(0, 5)).to.equal('%PDF-');
    const zip = await person.get(`/letters/${id}/history.zip`);
    expect(zip.headers.get('content-type')).to.equal('application/zip');
    const made = await person.post(`/letters/${id}/audit-links`, {
      idempotency_key: hiddenIn(page, 'idempotency_key'),
    });
    const { pathname, search } = new URL(/id="made" href="([^"]+)"/.exec(made.text)?.[1] ?? '');
    const url = `${api.service().url}${pathname}${search}`;
    expect((await fetch(url)).status).to.equal(200);
    const list = await person.get(`/letters/${id}/proof`);
    expect(list.text).to.not.contain('id="made"');
    const revoke = /action="\/console(\/letters\/[^"]+\/audit-links\/[^"]+\/revoke)"/.exec(
      list.text,
    );
    const revoked = await person.post(revoke?.[1] ?? '', {});
    expect(revoked.headers.get('location')).to.contain('said=link_revoked');
    expect((await fetch(url)).status).to.equal(404);
    const ended = await person.post(`/letters/${id}/tracking-link/revoke`, {});
    expect(ended.headers.get('location')).to.contain('said=link_revoked');
    expect((await person.get(`/letters/${id}/proof`)).text).to.not.contain('?token=');
  });

  it('list letters by state and country, page by page, and find one by its reference', async () => {
    const { client, person } = await signedIn();
    for (const to of ['DE', 'FR'] as const) {
      const sent = await client.post('/api/send', letterTo(to, { reference: `ref ${to}` }));
      expect(sent.status).to.equal(201);
    }
    const german = await person.get('/letters?country=DE&status=queued');
    expect(german.text).to.contain('Anna Müller').and.to.not.contain('Anne Martin');
    expect(german.text).to.match(/status=queued">Accepted<\/a> <span class="number">2</);
    expect(german.text).to.not.contain('status=draft">');
    expect((await person.get('/letters?status=draft')).text).to.contain('id="none"');
    const found = await person.post('/letters', { text: 'ref FR' });
    expect(found.text).to.contain('Anne Martin').and.to.not.contain('Anna Müller');
    const all = await person.get('/letters?status=%3Cscript%3E');
    expect(all.text).to.contain('Anna Müller').and.to.contain('Anne Martin');
    const wrong = await person.get('/letters?cursor=wrong');
    expect(wrong.status).to.equal(422);
    expect(wrong.text).to.contain('data-code="invalid_cursor"');
  });

  it('show balance and statement', async () => {
    const { person } = await signedIn();
    expect((await person.get('/wallet')).text).to.contain('US$100.00');
    const csv = await person.get('/wallet/statement.csv?from=2020-01-01');
    expect(csv.headers.get('content-disposition')).to.contain('statement.csv');
    expect(csv.text).to.contain('opening_balance');
  });

  it('fill up test money', async () => {
    const { client, person } = await signedIn();
    await client.send();
    const filled = await person.post('/wallet/refill', {});
    expect(filled.headers.get('location'), filled.text).to.equal('/console/wallet?said=refilled');
    expect((await client.balance()).available).to.equal(100);
    const page = await person.get('/wallet?said=refilled');
    expect(page.text).to.contain('The test money was topped up.');
  });

  it('make a key whose secret is shown once, and revoke it', async () => {
    const { client, person } = await signedIn();
    const page = await person.get('/keys');
    const made = await person.post('/keys', {
      label: 'office',
      scope: 'send',
      idempotency_key: hiddenIn(page, 'idempotency_key'),
    });
    const secret = /id="secret">(svc_test_\w+)</.exec(made.text)?.[1] ?? '';
    expect((await api.as(secret).get('/api/letters')).status).to.equal(200);
    expect((await person.get('/keys')).text).to.not.contain(secret);
    const { body } = await client.get<{ data: { id: string; label: string }[] }>('/auth/keys');
    const id = body.data.find(({ label }) => label === 'office')?.id;
    const question = await person.get(`/keys/${id}/revoke`);
    expect(question.text).to.contain('The key is refused from then on, for good.');
    expect(question.text).to.not.contain('This is the key of this session');
    expect((await person.get('/keys/key_unknown/revoke')).status).to.equal(404);
    const revoked = await person.post(`/keys/${id}/revoke`, {});
    expect(revoked.headers.get('location')).to.equal('/console/keys?said=key_revoked');
    await until(async () => (await api.as(secret).get('/api/letters')).status === 401);
  });

  it('do no more than the key may that signed in', async () => {
    const { client } = await signedIn();
    const made = await client.post<{ api_key: string }>('/auth/keys', {
      label: 'r',
      scope: 'read',
    });
    const reader = await pages.signIn(made.body.api_key);
    expect((await reader.get('/letters')).status).to.equal(200);
    const sent = await reader.post('/write', fieldsOf({ do: 'draft' }));
    expect(sent.status).to.equal(403);
    expect(sent.text).to.contain('data-code="scope_insufficient"');
    expect((await reader.get('/keys')).status).to.equal(403);
  });

  it('show who approves letters and changes of the policy', async () => {
    const { client, person } = await signedIn();
    const approvals = { approvers: ['boss@example.com'] };
    const set = await client.put('/api/policy', { rules: [{ effect: 'allow' }], approvals });
    expect(set.status, set.text).to.equal(200);
    expect((await person.get('/limits')).text).to.contain('1 of boss@example.com');
  });

  it('limit what the account spends, and freeze it', async () => {
    const { client, person } = await signedIn();
    const allow = { effect: 'allow', id: 'a-day', amount: '6', per: 'day' };
    const first = await person.post('/limits/rules', allow);
    expect(first.headers.get('location'), first.text).to.contain('said=policy_saved');
    await client.send();
    const page = await person.get('/limits');
    expect(page.text)
      .to.contain('a-day')
      .and.to.match(/US\$6\.00 \/ day/)
      .and.to.not.contain('<span class="hint">Tell me</span>');
    const version = versionIn(page);
    const deny = { effect: 'deny', id: 'no-france', country: 'FR', version };
    expect((await person.post('/limits/rules', deny)).status).to.equal(303);
    const stale = await person.post('/limits/rules', { ...deny, id: 'again' });
    expect(stale.status, 'a policy that another form changed').to.equal(412);
    const { body } = await client.get<{ rules: { id: string }[] }>('/api/policy');
    expect(body.rules.map(({ id }) => id)).to.deep.equal(['a-day', 'no-france']);
    const wrong = await person.post('/limits/rules', {
      effect: 'allow',
      amount: 'much',
      per: 'day',
    });
    expect(wrong.status).to.equal(422);
    expect(wrong.text).to.contain('value="much"');
    const alert = { effect: 'alert', id: 'pace', amount: '3', per: 'day' };
    const alerting = { ...alert, version: versionIn(await person.get('/limits')) };
    expect((await person.post('/limits/rules', alerting)).status).to.equal(303);
    const told = await person.get('/limits');
    expect(told.text).to.contain('pace<br><span class="hint">Tell me</span>');
    const unwanted = { id: 'pace', version: versionIn(told) };
    expect((await person.post('/limits/rules/remove', unwanted)).status).to.equal(303);
    const form = { id: 'no-france', version: versionIn(await person.get('/limits')) };
    expect((await person.post('/limits/rules/remove', form)).status).to.equal(303);
    const left = await client.get<{ rules: { id: string }[] }>('/api/policy');
    expect(left.body.rules.map(({ id }) => id)).to.deep.equal(['a-day']);

    expect((await person.post('/limits/freeze', {})).status).to.equal(303);
    const frozen = await person.get('/limits');
    expect(frozen.text).to.contain('id="frozen"');
    expect((await person.post('/write', fieldsOf({ do: 'draft' }))).text).to.contain(
      'data-code="frozen"',
    );
    const lifted = await person.post('/limits/unfreeze', { subject: 'account' });
    expect(lifted.headers.get('location'), lifted.text).to.contain('said=unfrozen');
    expect((await person.get('/limits')).text).to.not.contain('id="frozen"');
  });

  it('keep the last rule of the policy, and end the policy when that is confirmed', async () => {
    const { client, person } = await signedIn();
    const rules = [{ id: 'france', effect: 'allow', when: { countries: ['FR'] } }];
    const approvals = { approvers: ['boss@example.com'], quorum: 1 };
    await client.put('/api/policy', { rules, approvals });
    const shown = await person.get('/limits');
    const last = await person.post('/limits/rules/remove', formIn(shown, '/limits/rules/remove'));
    expect(last.status, last.text).to.equal(409);
    expect(last.text).to.contain('Without it the policy ends').and.to.contain('value="france"');
    expect(formIn(last, '/limits/rules')).to.deep.equal(formIn(shown, '/limits/rules'));
    const end = formIn(shown, '/limits/end');
    const unsure = await person.post('/limits/end', end);
    expect(unsure.status, unsure.text).to.equal(422);
    expect(unsure.text).to.contain('Tick');
    expect((await client.post('/api/send', letterTo('DE'))).status).to.equal(403);

    await client.put('/api/policy', {
      rules: [...rules, { id: 'more', effect: 'alert' }],
      approvals,
    });
    const sure = { confirm: 'true' };
    expect((await person.post('/limits/end', { ...end, ...sure })).status).to.equal(412);
    const now = formIn(await person.get('/limits'), '/limits/end');
    const ended = await person.post('/limits/end', { ...now, ...sure });
    expect(ended.headers.get('location'), ended.text).to.contain('said=policy_ended');
    expect((await client.post('/api/send', letterTo('DE'))).status).to.equal(201);
    const gone = await person.post('/limits/rules/remove', formIn(shown, '/limits/rules/remove'));
    expect(gone.status, gone.text).to.equal(404);
  });

  it('say which names a rule can have', async () => {
    const { person } = await signedIn();
    const refused = await person.post('/limits/rules', { effect: 'allow', id: 'Büro München' });
    expect(refused.status).to.equal(422);
    expect(refused.text)
      .to.contain('Up to 64 letters from A to Z, digits')
      .and.to.match(/id="id-wrong"[^>]*>This value has characters that it cannot have/);
    expect(refused.text).to.contain('value="Büro München"');
  });

  it('change the policy once, and say that they did, when a form is sent twice', async () => {
    const { client, person } = await signedIn();
    const rules = async () =>
      (await client.get<{ rules: { id: string }[] }>('/api/policy')).body.rules.map(({ id }) => id);
    const twice = async (path: string, fields: Record<string, string>, said: string) => {
      const form = { ...fields, version: versionIn(await person.get('/limits')) };
      for (const time of ['first', 'second']) {
        const answer = await person.post(path, form);
        expect(answer.headers.get('location'), `${path}, ${time}: ${answer.text}`).to.contain(said);
      }
    };
    const limit = { effect: 'allow', country: 'DE', amount: '20,50', per: 'day' };
    await twice('/limits/rules', limit, 'said=policy_saved');
    await twice('/limits/rules', { ...limit, id: 'named' }, 'said=policy_saved');
    expect(await rules()).to.deep.equal(['rule-1', 'named']);
    await twice('/limits/rules/remove', { id: 'named' }, 'said=policy_saved');
    expect(await rules()).to.deep.equal(['rule-1']);
    await twice('/limits/end', { confirm: 'true' }, 'said=policy_ended');
    expect((await client.get('/api/policy')).status).to.equal(404);
  });

  it('add no rule to a policy that was set after the page was shown', async () => {
    const { client, person } = await signedIn();
    const shown = await person.get('/limits');
    const rules = [{ id: 'france', effect: 'allow', when: { countries: ['FR'] } }];
    expect((await client.put('/api/policy', { rules })).status).to.equal(200);
    const rule = { id: 'mine', effect: 'allow', amount: '500', per: 'day' };
    const stale = await person.post('/limits/rules', {
      ...formIn(shown, '/limits/rules'),
      ...rule,
    });
    expect(stale.status, stale.text).to.equal(412);
    const { body } = await client.get<{ rules: { id: string }[] }>('/api/policy');
    expect(body.rules.map(({ id }) => id)).to.deep.equal(['france']);
  });

  it('decide on letters that wait for approval, by another key than the one that sent them', async () => {
    const client = await api.register();
    await client.put('/api/policy', { rules: [{ effect: 'allow' }, { effect: 'hold' }] });
    const keyWith = async (scope: string) =>
      pages.signIn(
        (await client.post<{ api_key: string }>('/auth/keys', { label: scope, scope })).body
          .api_key,
      );
    const [bot, approver] = [await keyWith('send'), await keyWith('full')];
    const checked = await bot.post('/write', fieldsOf({ do: 'check' }));
    const send = async () =>
      letterIn(
        await bot.post(
          '/write',
          fieldsOf({ do: 'send', seen_price: hiddenIn(checked, 'seen_price') }),
        ),
      );
    const [first, second] = [await send(), await send()];
    expect((await bot.get(`/letters/${first}`)).text).to.contain('waits until a person approves');
    const formOf = async (letter: string, what: string): Promise<string> => {
      const row = (await approver.get('/approvals')).text
        .split('<tr>')
        .find((text) => text.includes(letter));
      const found = new RegExp(`action="/console(/approvals/[^"]+/${what})"`).exec(row ?? '');
      return found?.[1] ?? '';
    };
    const own = await bot.post(await formOf(first, 'approve'), {});
    expect(own.text).to.contain('data-code="approver_is_requester"');
    const approve = await formOf(first, 'approve');
    const approved = await approver.post(approve, {});
    expect(approved.headers.get('location'), approved.text).to.contain('said=approved');
    const rejected = await approver.post(await formOf(second, 'reject'), { reason: 'too dear' });
    expect(rejected.headers.get('location'), rejected.text).to.contain('said=rejected');
    expect((await client.letter(first)).status).to.equal('queued');
    expect((await client.letter(second)).status).to.equal('draft');
    await client.post(`/api/test/letters/${first}/advance`, { to: 'processing' });
    const again = await approver.post(approve, {});
    expect(again.headers.get('location'), again.text).to.contain('said=approved');
    expect((await approver.get('/approvals')).text)
      .to.contain('Approved')
      .and.to.contain('Rejected');
  });

  it('decide on changes of policies, by another key than the one that asked for them', async () => {
    const client = await api.register();
    const made = await client.post<{ api_key: string; id: string }>('/auth/keys', {
      label: 'agent',
      scope: 'send',
    });
    const path = `/auth/keys/${made.body.id}/policy`;
    const upTo = (amount: number) => ({
      rules: [{ id: 'daily', effect: 'allow', limit: { amount, per: 'day' } }],
    });
    await client.put(path, upTo(1));
    const agent = api.as(made.body.api_key);
    const ask = async (amount: number): Promise<string> => {
      const body = { ...upTo(amount), request_approval: true };
      return (await agent.put<{ approval_id: string }>(path, body)).body.approval_id;
    };
    const office = await client.post<{ api_key: string }>('/auth/keys', {
      label: 'office',
      scope: 'full',
    });
    const approver = await pages.signIn(office.body.api_key);
    const bot = await pages.signIn(made.body.api_key);
    const first = await ask(50);
    const shown = (await approver.get('/approvals')).text;
    expect(shown).to.contain('$1.00 / day').and.to.contain('$50.00 / day');
    expect(shown).to.contain(`action="/console/approvals/${first}/approve"`);
    const own = await bot.post(`/approvals/${first}/approve`, {});
    expect(own.text).to.contain('data-code="approver_is_requester"');
    const no = await approver.post(`/approvals/${first}/reject`, { reason: 'too much' });
    expect(no.headers.get('location'), no.text).to.contain('said=change_rejected');
    const second = await ask(20);
    const yes = await approver.post(`/approvals/${second}/approve`, {});
    expect(yes.headers.get('location'), yes.text).to.contain('said=policy_saved');
    const { rules } = (await client.get<{ rules: { limit: { amount: number } }[] }>(path)).body;
    expect(rules[0]?.limit.amount).to.equal(20);
    const after = (await approver.get('/approvals')).text;
    expect(after).to.contain('Changes that are decided').and.to.not.contain(`/${second}/approve`);
    const stranger = await pages.signIn((await api.register()).key);
    expect((await stranger.get('/approvals')).text).to.not.contain(made.body.id);
    expect((await stranger.post(`/approvals/${second}/approve`, {})).status).to.equal(404);
  });

  it('save settings and the webhook, whose secret is shown once', async () => {
    const { client, person } = await signedIn();
    const saved = await person.post('/webhooks', { webhook_url: 'https://hooks.example.com/a' });
    expect(saved.text, saved.text).to.contain('class="secret">whsec_');
    expect((await person.get('/webhooks')).text)
      .to.contain('https://hooks.example.com/a')
      .and.to.not.contain('whsec_');
    await person.post('/settings', { notification_email: '', language: 'fr' });
    const { body } = await client.get<{ language: string; webhook_url: string }>('/api/settings');
    expect([body.language, body.webhook_url]).to.deep.equal(['fr', 'https://hooks.example.com/a']);
    const wrong = await person.post('/webhooks', { webhook_url: 'javascript:alert(1)' });
    expect(wrong.status).to.equal(422);
  });

  it('end nothing that began after the page was shown', async () => {
    const { client, person } = await signedIn();
    const posted = async (path: string, form: Record<string, string>) =>
      (await person.post(path, form)).status;
    const { letter_id: letterId } = await client.send();
    const letter = `/letters/${letterId}`;
    const closing = { confirm: client.account.account_id, forfeit_balance: true };
    for (const [page, path, begin, end] of [
      [
        '/limits',
        '/limits/unfreeze',
        () => client.post('/api/account/freeze', {}),
        () => client.post('/api/account/unfreeze', {}),
      ],
      [
        '/settings/data',
        '/settings/close/withdraw',
        () => api.call('DELETE', '/api/account', closing, { key: client.key }),
        () => client.delete('/api/account/closure'),
      ],
      [
        `${letter}/proof`,
        `${letter}/tracking-link/revoke`,
        () => client.post(`/api/letters/${letterId}/tracking-link`, {}),
        () => client.delete(`/api/letters/${letterId}/tracking-link`),
      ],
    ] as const) {
      const began = await begin();
      expect(began.status, began.text).to.be.within(200, 299);
      const stale = formIn(await person.get(page), path);
      expect((await end()).status, page).to.be.within(200, 299);
      await begin();
      expect(await posted(path, stale), page).to.equal(412);
      const now = formIn(await person.get(page), path);
      for (const _ of ['once', 'twice']) expect(await posted(path, now), page).to.equal(303);
    }
  });

  it('save only the settings that were changed on the page', async () => {
    const { client, person } = await signedIn();
    type Kept = { notification_email: string | null; language: string; webhook_url: string };
    const kept = async () => (await client.get<Kept>('/api/settings')).body;
    await client.put('/api/settings', { notification_email: 'old@example.com' });
    const shown = formIn(await person.get('/settings'), '/settings');
    const old = { ...shown, notification_email: 'old@example.com' };
    await client.put('/api/settings', { notification_email: 'new@example.com' });
    expect((await person.post('/settings', { ...old, language: 'de' })).status).to.equal(303);
    expect(await kept()).to.include({ notification_email: 'new@example.com', language: 'de' });
    const stale = { ...shown, notification_email: '', language: 'en' };
    const refused = await person.post('/settings', stale);
    expect(refused.status, refused.text).to.equal(412);
    expect(refused.text).to.contain('value="new@example.com"');
    expect(await kept()).to.include({ notification_email: 'new@example.com', language: 'de' });

    const expires = new Date(Date.now() + 86_400_000).toISOString();
    const wanted = { label: 'today', scope: 'full', expires_at: expires };
    const key = await client.post<NewKeyJson>('/auth/keys', wanted);
    const visitor = await pages.signIn(key.body.api_key);
    const form = formIn(await visitor.get('/settings'), '/settings');
    const french = { ...form, notification_email: 'new@example.com', language: 'fr' };
    for (const _ of ['once', 'twice']) {
      const saved = await visitor.post('/settings', french);
      expect(saved.headers.get('location'), saved.text).to.contain('said=settings_saved');
    }
    expect(await kept()).to.include({ notification_email: 'new@example.com', language: 'fr' });
    const other = await visitor.post('/settings', { ...form, notification_email: 'x@example.com' });
    expect(other.status).to.equal(403);
  });

  it('do not bring an earlier address of the webhook back', async () => {
    const { client, person } = await signedIn();
    const urlNow = async () =>
      (await client.get<{ webhook_url: string | null }>('/api/settings')).body.webhook_url;
    const [first, second] = ['https://hooks.example.com/a', 'https://hooks.example.com/b'];
    await client.put('/api/settings', { webhook_url: first });
    const shown = formIn(await person.get('/webhooks'), '/webhooks');
    await client.put('/api/settings', { webhook_url: second });
    const secret = { ...shown, webhook_url: first, new_secret: 'true' };
    const stale = await person.post('/webhooks', secret);
    expect(stale.status, stale.text).to.equal(412);
    expect(await urlNow()).to.equal(second);
    const now = { ...formIn(stale, '/webhooks'), webhook_url: first };
    for (const _ of ['once', 'twice']) {
      expect((await person.post('/webhooks', now)).status).to.equal(200);
    }
    expect(await urlNow()).to.equal(first);
  });

  it('send a test message to the webhook, and show its headers and body', async () => {
    const { person } = await signedIn();
    await person.post('/webhooks', { webhook_url: 'https://hooks.example.com/a' });
    const tested = await person.post('/webhooks/test', { idempotency_key: randomUUID() });
    expect(tested.headers.get('location')).to.include('said=tested');
    const address = await eventually('the message is listed', async () => {
      const { text } = await person.get('/webhooks');
      return /href="[^"]*\/console(\/webhooks\/ntf_[0-9a-f]+)"/.exec(text)?.[1];
    });
    const { status, text } = await person.get(address);
    expect(status).to.equal(200);
    expect(text).to.include('webhook.test').and.include('<code>webhook-id</code>');
    expect(text).to.include('&quot;letter_id&quot;:null').and.not.include('whsec_');
    const resend = `${address}/resend`;
    expect(text).to.include(resend);
    await person.post('/webhooks', { webhook_url: '' });
    expect((await person.get(address)).text).not.to.include(resend);
  });

  it('show hostile text as text, in every place where it is stored or typed', async () => {
    const { client, person } = await signedIn();
    const body = letterTo('DE', { to_company: hostile.slice(0, 40), reference: hostile });
    const sent = await client.post<{ letter_id: string }>('/api/send', {
      ...body,
      draft: true,
      accept_address_as_is: true,
    });
    expect(sent.status, sent.text).to.equal(201);
    await client.post('/auth/keys', { label: hostile, scope: 'read' });
    const shown = [
      await person.get('/letters'),
      await person.get(`/letters/${sent.body.letter_id}`),
      await person.get('/keys'),
      await person.post('/letters', { text: hostile }),
      await person.post('/write', fieldsOf({ do: 'check', content: hostile, to_name: hostile })),
      await person.get(`/letters?said=${encodeURIComponent(hostile)}`),
      await person.get(`/letters/${encodeURIComponent(hostile)}`),
    ];
    for (const { text } of shown) {
      expect(text).to.not.contain('<img src=x').and.to.not.contain('<script>alert');
    }
    expect(shown[1]?.text).to.contain('&lt;script&gt;');
  });

  it('show the address of an audit webhook and nothing of its failing answers, where both are hostile', async () => {
    const { client, person } = await signedIn();
    const receiver = await startWebhookReceiver();
    const answer = `${hostile}\u202e\u2066\u0007\u009b31m`;
    receiver.answerWith((response) => {
      response.writeHead(500, { 'Content-Type': 'text/html', 'X-Hostile': encodeURI(answer) });
      response.end(answer);
    });
    try {
      const subscribe = (url: string) =>
        client.post<{ id: string; url: string }>('/api/identity/audit/subscribe', { url });
      for (const text of [hostile, 'a\u202eb', 'a\u0007b', "' onfocus=alert(1) x='"]) {
        const refused = await subscribe(`${receiver.url}/${text}`);
        expect(refused.status, refused.text).to.equal(422);
      }
      const encoded = encodeURIComponent(answer);
      const query = `q='&a=javascript:alert(1)&b=${encoded}`;
      const address = `${receiver.url}/x';alert(1)//${encoded}?${query}`;
      const made = await subscribe(address);
      expect(made.status, made.text).to.equal(201);
      await client.send();
      const page = `/webhooks/audit/${made.body.id}`;
      const found = await eventually('an attempt has failed', async () => {
        const shown = await person.get(page);
        return /: 500</.test(shown.text) ? shown : undefined;
      });
      const link = /href="\/console(\/webhooks\/audit\/[^"]+\/deliveries\/[^"/]+)"/;
      const delivery = link.exec(found.text);
      const shown = [
        await person.get('/webhooks'),
        found,
        await person.get(delivery?.[1] ?? ''),
        await person.get('/requests'),
        await person.post(`${page}/resend-failed`, { since: '2026-01-01T09:30' }),
      ];
      expect(shown.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 303]);
      for (const since of ['2026-02-30', 'yesterday', '2026-01-01T25:00', '']) {
        for (const path of [page, '/webhooks']) {
          const odd = await person.post(`${path}/resend-failed`, { since });
          expect(odd.status, since).to.equal(422);
          expect(odd.text, since).to.contain('Choose a day and a time.');
        }
      }
      const exact = await person.post(`${page}/resend-failed`, { since: '2026-01-01T09:30:15' });
      expect(exact.status, exact.text).to.equal(303);
      for (const { text } of shown) {
        expect(text).to.not.contain('<img src=x').and.to.not.contain('<script>alert');
        expect(text.replaceAll(/\s/g, '')).to.not.match(/[\p{Cc}\p{Bidi_Control}]/u);
        expect(text)
          .to.not.contain('onerror=')
          .and.to.not.match(/(?:href|action)="javascript:/);
      }
      const written = address.replaceAll('&', '&amp;').replaceAll("'", '&#39;');
      expect(shown[0]?.text).to.contain(`>${written}</a>`);
      expect(found.text).to.contain(`>${written}</code>`);
    } finally {
      await receiver.stop();
    }
  });
});
