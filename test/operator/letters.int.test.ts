import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { letterAggregate } from '../../commands/letters/letter.ts';
import { ownLetter } from '../../commands/letters/own-letter.ts';
import { letterIdOf } from '../../commands/letters/send-letter.ts';
import type { LetterInput } from '../../commands/preparation/letter-input.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { sum } from '../../money/buckets.ts';
import { bisLetter } from '../documents/preflight/samples.ts';
import { letterTo, type Sent, until, useService } from '../support/client.ts';
import { letterTo as letterInput, plainly } from '../support/letter-world.ts';
import { operatorOf } from '../support/operator.ts';

type Client = Awaited<ReturnType<ReturnType<typeof useService>['register']>>;

describe('what an operator does about letters', function () {
  this.timeout(180_000);
  const api = useService();
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-operator-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const { operate, refusal } = operatorOf(() => api.service().service.foundation);

  let credits = 0;
  const fundedAccount = async () => {
    const client = await api.register('live');
    await operate('credit', client.email, '50.00', '--reference', `wire ${++credits}`);
    await until(async () => (await client.balance()).available === 50);
    return client;
  };

  const send = async (client: Client, fields: object = {}): Promise<Sent> => {
    const sent = await client.post<Sent>('/api/send', letterTo('DE', fields));
    expect(sent.status, sent.text).to.equal(201);
    return sent.body;
  };

  const postedLetter = async (client: Client, fields: object = {}): Promise<string> => {
    const { letter_id: id } = await send(client, fields);
    await operate('advance', id, 'posted');
    return id;
  };

  const balanceIs = (client: Client, available: number) =>
    until(async () => Math.abs((await client.balance()).available - available) < 0.001);

  it('finds a letter by id, reference and tracking number, and says where it is', async () => {
    const client = await fundedAccount();
    const fields = { service: 'de_einschreiben', reference: 'invoice 77' };
    const { letter_id: id } = await send(client, fields);
    await operate('advance', id, 'posted', '--tracking', 'RR 12345678 5 DE');
    await operate('advance', id, 'returned', '--reason', 'moved');
    await until(async () =>
      (await operate('letter', 'rr123456785de').catch(() => '')).includes('returned (moved)'),
    );
    for (const name of [id, id.toUpperCase(), 'invoice 77', 'RR 12345678 5 DE']) {
      const shown = await operate('letter', name);
      expect(shown, name).to.include(`Letter ${id} (live)`);
      expect(shown).to.include(`Account: ${client.account.account_id}`);
      expect(shown).to.include('Status: posted, returned (moved)');
      expect(shown).to.include('Tracking: RR123456785DE (Deutsche Post)');
      expect(shown).to.include(`resend ${id} | refund ${id}`);
      expect(shown).to.not.include('Recipient').and.not.include('invoice 77');
    }
    const shown = await operate('letter', id, '--personal');
    expect(shown)
      .to.include('Reference: invoice 77')
      .and.match(/Recipient: \S.+, DE/);
    expect(await operate('replay', 'invoice 77')).to.include(`Letter ${id} is`);
    expect(await refusal('letter', 'nothing of this')).to.include('There is no letter');
    const second = await send(client, { reference: 'invoice 77' });
    await until(async () => (await operate('letter', 'invoice 77')).includes(second.letter_id));
    expect(await operate('letter', 'invoice 77')).to.include('2 letters. Give one id to see more.');
    expect(await refusal('cancel', 'invoice 77')).to.include('matches several letters');
  });

  it('lists letters of an account, by reference, recipient, and those that came back', async () => {
    const client = await fundedAccount();
    const other = await fundedAccount();
    const recipient = { to_name: 'Zoé Ünal', reference: 'case 5' };
    const returned = await postedLetter(client, recipient);
    await operate('advance', returned, 'returned', '--reason', 'unclaimed');
    const { letter_id: kept } = await send(client);
    const { letter_id: foreign } = await send(other);
    const listed = (...args: string[]) => operate('letters', '--account', client.email, ...args);
    await until(async () => (await listed('--returned')).includes(returned));
    await until(async () => (await listed()).includes(kept));
    expect(await listed())
      .to.include(kept)
      .and.include(returned)
      .and.not.include(foreign);
    expect(await listed('--returned')).to.not.include(kept);
    expect(await listed('--reference', 'case 5'))
      .to.include(returned)
      .and.not.include(kept);
    expect(await listed('--recipient', 'unal zoe'))
      .to.include(returned)
      .and.not.include(kept);
    expect(await listed('--recipient', 'nobody')).to.include('0 letters of the newest 2');
    const rows = JSON.parse(await listed('--returned', '--json'));
    expect(rows).to.have.length(1);
    expect(rows[0]).to.include({ letter: returned, outcome: 'returned', hand_over: null });
    expect(await listed('--returned', '--newer-than', '24h')).to.include(returned);
    expect(await listed('--returned', '--newer-than', '0m')).to.include('0 letters.');
    const between = ['--older-than', '1h', '--newer-than', '2h'];
    expect(await listed('--returned', ...between)).to.include('0 letters.');
    expect(await refusal('letters', '--newer-than', 'soon')).to.include(
      '--newer-than soon must be',
    );
    expect(await refusal('letters', '--status', 'returned')).to.include('--returned lists');
    // By the API as well.
    const { body } = await client.get<{ data: { letter_id: string }[] }>(
      '/api/letters?delivery_outcome=returned',
    );
    expect(body.data.map((one) => one.letter_id)).to.deep.equal([returned]);
  });

  it('does not call a letter that came back stale', async () => {
    const client = await fundedAccount();
    const [back, away] = [await postedLetter(client), await postedLetter(client)];
    await operate('advance', back, 'returned');
    const stale = () =>
      operate('letters', '--account', client.email, '--stale', '--older-than', '0m');
    await until(async () => (await stale()).includes(away));
    await until(async () => !(await stale()).includes(back));
  });

  it('cancels as the sender would, once, and refunds', async () => {
    const client = await fundedAccount();
    const { letter_id: id } = await send(client);
    expect(await operate('cancel', id)).to.match(
      /^Cancelled letter .* and refunded \$\d+\.\d\d\.$/,
    );
    expect(await operate('cancel', id)).to.include('was already cancelled; nothing was changed');
    await balanceIs(client, 50);
    const { body } = await client.get<{ status: string; failure: unknown }>(`/api/letters/${id}`);
    expect(body).to.include({ status: 'cancelled', failure: null });
    const draft = await send(client, { draft: true });
    expect(await operate('cancel', draft.letter_id)).to.include('a draft, which cost nothing');
    const posted = await postedLetter(client);
    expect(await refusal('cancel', posted)).to.include('Only a draft, queued or processing');
  });

  it('asks the print house for a letter in production', async () => {
    const client = await fundedAccount();
    const { letter_id: id } = await send(client);
    await operate('advance', id, 'processing');
    expect(await operate('cancel', id)).to.match(/^The print house was/);
    expect(await operate('letter', id)).to.match(/cancellation requested|Status: cancelled/);
  });

  it('refunds a posted letter once, and no more than it cost', async () => {
    const client = await fundedAccount();
    const id = await postedLetter(client);
    const paid = 50 - (await client.balance()).available;
    expect(await refusal('refund', id, '--amount', '49.00')).to.include(
      'no more than that can be refunded',
    );
    expect(await operate('letter', id)).to.include(`| refund ${id}`);
    expect(await operate('refund', id, '--amount', '0.50')).to.include('Refunded $0.50');
    expect(await operate('refund', id)).to.include('was already refunded; nothing was added');
    await balanceIs(client, 50 - paid + 0.5);
    const [last] = (await client.balance()).transactions;
    expect(last).to.include({ type: 'credit', reference: `refund of letter ${id}` });
    const shown = await operate('letter', id);
    expect(shown).to.include('Refunded after posting: $0.50').and.not.include(`refund ${id}`);
    const { letter_id: queued } = await send(client);
    expect(await refusal('refund', queued)).to.include('The letter is queued');
    await operate('cancel', queued);
    expect(await refusal('refund', queued)).to.equal(
      'The letter is cancelled, so what it cost was paid back already.',
    );
    const reference = `refund of letter ${id}`;
    const wrong = ['adjust', client.email, '0', '--credit', reference, '--reason', 'slip'];
    expect(await operate(...wrong)).to.include('is $0.00 now');
    expect(await operate('verify')).to.include('OK: everything holds.');
  });

  it('offers and makes no refund to an erased account', async () => {
    const client = await fundedAccount();
    const id = await postedLetter(client);
    const { account_id: accountId } = client.account;
    const { handler } = api.service().service.foundation.commands;
    await until(() =>
      operate('erase-account', accountId, '--now', '--forfeit').then(
        () => true,
        () => false,
      ),
    );
    await until(async () => {
      const { state } = await handler.load(accountAggregate, accountId);
      return state.status === 'erased';
    });
    expect(await refusal('refund', id)).to.include(`The account ${accountId} was erased`);
    expect(await operate('letter', id)).not.to.include('refund ');
  });

  it('refunds to the bucket that the letter was paid from', async () => {
    const client = await api.register('live');
    const credit = ['credit', client.email, '20', '--reference', 'coins'];
    await operate(...credit, '--bucket', 'crypto');
    await until(async () => (await client.balance()).available === 20);
    const id = await postedLetter(client);
    await operate('refund', id);
    await operate('refund', id);
    await balanceIs(client, 20);
    expect((await client.balance()).funding).to.deep.equal({ crypto: 20, fiat: 0 });
  });

  it('sends a letter again to a corrected address, once, and names the old one', async () => {
    const client = await fundedAccount();
    const fields = { service: 'de_standardbrief', to_line1: 'Alte Straße 1', reference: 'r 9' };
    const id = await postedLetter(client, fields);
    const again = ['resend', id, '--line1', 'Neue Straße 5'];
    const said = await operate(...again);
    const second = /as letter ([0-9a-f-]{36})/.exec(said)?.[1] ?? '';
    expect(await operate(...again)).to.include(
      `already sent again, as letter ${second}; nothing was changed`,
    );
    await until(async () => (await client.get(`/api/letters/${second}`)).status === 200);
    const { body } = await client.get<Record<string, unknown>>(`/api/letters/${second}`);
    expect(body).to.include({ to_line1: 'Neue Straße 5', reference: 'r 9', status: 'queued' });
    expect(body.metadata).to.deep.equal({ resend_of: id });
    const old = await client.get<Record<string, unknown>>(`/api/letters/${id}`);
    expect(body.warnings).to.deep.equal([]);
    expect(body.content).to.equal(old.body.content);
    expect(await refusal('resend', id, '--postal-code', '1')).to.match(/postal/);
    expect(await operate('verify')).to.include('OK: everything holds.');
  });

  /** The address of a letter as it is stored, and the id that a command gives to a letter. */
  const storedOf = async (client: Client, id: string) => {
    const { commands } = api.service().service.foundation;
    const { state } = await commands.handler.load(letterAggregate, id);
    const { to } = ownLetter(state, client.account.account_id).personal;
    const plain = uuidv5(id, `resend\n${JSON.stringify([to, true])}`);
    return { to: to as LetterInput['to'], plain };
  };

  it('sends a letter again under an id that confirms no guessed recipient', async () => {
    const client = await fundedAccount();
    const { letter_id: id } = await send(client);
    const said = await operate('resend', id, '--draft');
    const { plain } = await storedOf(client, id);
    expect(said).to.match(/as letter [0-9a-f-]{36}/);
    expect(said).not.to.include(letterIdOf(plain));
  });

  it('does not send again what an earlier version sent again', async () => {
    const client = await fundedAccount();
    const { letter_id: id } = await send(client);
    const { to, plain } = await storedOf(client, id);
    const { shared, keys } = api.service().service.foundation;
    const wish = JSON.stringify([to, true]);
    await shared.letters.send(
      letterInput({}, { to }),
      { ...plainly, draft: true },
      {
        commandId: plain,
        requestHash: keys.indexOf('resend', `${id}\n${wish}`),
        accountId: client.account.account_id,
        test: false,
        actor: 'operator',
        repeatable: true,
      },
    );
    expect(await operate('resend', id, '--draft')).to.include(
      `already sent again, as letter ${letterIdOf(plain)}; nothing was changed`,
    );
  });

  it('sends again for free what was posted, and refunds it once', async () => {
    const client = await fundedAccount();
    const id = await postedLetter(client);
    const paid = 50 - (await client.balance()).available;
    // Refused before money moves.
    expect(await refusal('resend', id, '--postal-code', '1', '--free')).to.match(/postal/);
    const free = ['resend', id, '--line1', 'Neue Straße 5', '--free'];
    expect(await operate(...free)).to.match(/^Refunded \$.*\n.* is sent for \$/);
    expect(await operate(...free)).to.include('nothing was changed');
    await balanceIs(client, 50 - paid);
    const third = ['resend', id, '--line1', 'Andere Straße 7', '--free'];
    expect(await refusal(...third)).to.include('was already refunded');
    expect(await operate('resend', id, '--draft')).to.include('is kept as a draft that costs $');
    await operate('block', client.email, '--reason', 'x');
    expect(await refusal('resend', id)).to.include('is blocked');
  });

  it('refunds nothing where the letter that is sent again for free would be refused', async () => {
    const client = await fundedAccount();
    const { account_id: id } = client.account;
    const letterId = await postedLetter(client);
    const free = ['resend', letterId, '--free'];
    const available = async () => {
      const { handler } = api.service().service.foundation.commands;
      return sum((await handler.load(walletAggregate, id)).state.available);
    };
    const before = await available();
    await operate('freeze', id);
    expect(await refusal(...free)).to.match(/frozen/i);
    await operate('unfreeze', id);
    const rules = [{ id: 'elsewhere', effect: 'allow', when: { countries: ['US'] } }];
    const set = await client.put('/api/policy', { rules });
    expect(set.status, set.text).to.equal(200);
    expect(await refusal(...free)).to.match(/policy/i);
    const open = await client.put('/api/policy', { rules: [{ id: 'all', effect: 'allow' }] });
    expect(open.status, open.text).to.equal(200);
    expect(await available()).to.equal(before);
    const back = ['adjust', id, '0', '--credit', `wire ${credits}`, '--reason', 'recalled'];
    await operate(...back, '--below-zero');
    const owed = await available();
    expect(owed < 0n).to.equal(true);
    // The refund only makes good what is owed.
    expect(await refusal(...free)).to.include('has only $0.00 available');
    expect(await available()).to.equal(owed);
    await operate('credit', id, '5.00', '--reference', `wire ${++credits}`);
    expect(await operate(...free)).to.match(/^Refunded/);
    expect(await available()).to.equal(owed + 5_000_000n);
  });

  it('writes the letter as it is printed, for its reader alone', async () => {
    const client = await fundedAccount();
    const { letter_id: id } = await send(client);
    const file = join(folder, 'letter.pdf');
    expect(await operate('letter', id, '--pdf', file)).to.include(`to ${file}`);
    expect((await readFile(file)).subarray(0, 5).toString()).to.equal('%PDF-');
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect(await refusal('letter', id, '--pdf', file)).to.equal(`${file} already exists.`);
    const nowhere = join(folder, 'nowhere', 'x');
    const said = `${nowhere} cannot be written (ENOENT). Name a new file in a folder that is there.`;
    expect(await refusal('letter', id, '--pdf', nowhere)).to.equal(said);
    expect(await refusal('statement', client.email, '--file', nowhere)).to.equal(said);
  });

  it('keeps the letterhead of a letter that it sends again', async () => {
    const client = await fundedAccount();
    const { letter_id: text } = await send(client, { footer: 'Register 7', language: 'fr' });
    const file = join(folder, 'source.pdf');
    await operate('letter', text, '--pdf', file);
    const said = await operate('resend', text, '--line1', 'Neue Straße 5');
    const again = /as letter ([0-9a-f-]{36})/.exec(said)?.[1] ?? '';
    const copy = join(folder, 'copy.pdf');
    await operate('letter', again, '--pdf', copy);
    expect((await stat(copy)).size).to.be.within(
      (await stat(file)).size * 0.8,
      (await stat(file)).size * 1.2,
    );
  });

  it('sends a document again with another address page, and never with another address in it', async () => {
    const client = await fundedAccount();
    const { letter_id: text } = await send(client);
    const file = join(folder, 'document.pdf');
    await operate('letter', text, '--pdf', file);
    const document = (await readFile(file)).toString('base64');
    const asDocument = { content: undefined, document };
    const covered = await send(client, { ...asDocument, address_placement: 'insert_page' });
    const again = await operate('resend', covered.letter_id, '--line1', 'Neue Straße 5');
    const id = /as letter ([0-9a-f-]{36})/.exec(again)?.[1] ?? '';
    await until(async () => (await client.get(`/api/letters/${id}`)).status === 200);
    const { body } = await client.get<Record<string, unknown>>(`/api/letters/${id}`);
    expect(body).to.include({ pages: covered.pages, to_line1: 'Neue Straße 5' });
    const inside = await send(client, { ...asDocument, address_placement: 'in_document' });
    expect(await refusal('resend', inside.letter_id, '--line1', 'Neue Straße 5')).to.match(
      /address/,
    );
    expect(await operate('resend', inside.letter_id)).to.include('is sent for');
    const { pdf, fields } = await bisLetter();
    const asBis = { content: undefined, document: pdf.toString('base64'), ...fields };
    const normalised = await client.post<Sent>('/api/send', letterTo('FR', asBis));
    expect(normalised.status, normalised.text).to.equal(201);
    const { letter_id: bis } = normalised.body;
    expect(await operate('resend', bis)).to.include('is sent for');
    expect(await refusal('resend', bis, '--line1', '12 ter rue de la Paix')).to.match(/address/);
  });

  it('sends a letter again to another country with the service that a change would take', async () => {
    const client = await fundedAccount();
    const abroad = { to_line1: '12 rue de la Paix', to_city: 'Paris', to_postal_code: '75002' };
    const { letter_id: id, service } = await send(client, { intent: undefined });
    expect(service).to.equal('de_standardbrief');
    const options = ['--line1', abroad.to_line1, '--city', abroad.to_city];
    const place = ['--postal-code', abroad.to_postal_code, '--country', 'FR'];
    const said = await operate('resend', id, ...options, ...place);
    const again = /as letter ([0-9a-f-]{36})/.exec(said)?.[1] ?? '';
    const changed = await client.patch<Sent>(`/api/letters/${id}`, { ...abroad, to_country: 'FR' });
    expect(changed.status, changed.text).to.equal(200);
    expect((await client.letter(again)).service).to.equal(changed.body.service);
    const urgent = await send(client, { intent: 'legal_compliance' });
    const registered = await operate('resend', urgent.letter_id, ...options, ...place);
    const kept = /as letter ([0-9a-f-]{36})/.exec(registered)?.[1] ?? '';
    expect((await client.letter(kept)).intent).to.equal('legal_compliance');
  });

  it('refuses a state that a letter cannot have any more, also with a tracking number', async () => {
    const client = await fundedAccount();
    const id = await postedLetter(client, { service: 'de_einschreiben' });
    await operate('advance', id, 'returned', '--reason', 'moved');
    const delivered = ['advance', id, 'delivered', '--evidence', 'signature'];
    expect(await refusal(...delivered)).to.include('cannot become delivered; nothing was changed');
    expect(await refusal(...delivered, '--tracking', 'RR123456785DE')).to.include(
      'cannot become delivered; the tracking number was stored',
    );
  });

  it('shows the statement of a wallet', async () => {
    const client = await fundedAccount();
    const { letter_id: id } = await send(client);
    await until(async () => (await operate('statement', client.email)).includes(id));
    const csv = await client.get('/api/balance/statement');
    const shown = await operate('statement', client.email);
    const entries = (text: string) =>
      text.split(/\r?\n/).filter((line) => /,(credit|hold),/.test(line));
    expect(entries(shown)).to.deep.equal(entries(csv.text)).and.to.have.length(2);
    const file = join(folder, 'statement.csv');
    await operate('statement', client.email, '--from', '2020-01-01', '--file', file);
    expect(await readFile(file, 'utf8')).to.include(id);
    expect(await refusal('statement', client.email, '--from', 'noon')).to.include('neither a day');
  });
});
