import { expect } from 'chai';
import {
  answerRecall,
  cancelLetter,
  eraseLetter,
  letterAggregate,
} from '../../commands/letters/letter.ts';
import {
  decide,
  type OrderCommand,
  orderAggregate,
  orderIdOf,
} from '../../commands/payments/order.ts';
import { type Reversal, reverseCredit } from '../../commands/payments/reversals.ts';
import { creditFunds } from '../../commands/wallets/credits.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { deliverMail } from '../../reactors/deliver-mail.ts';
import { letterMailId } from '../../reactors/mail-subject.ts';
import { account } from '../support/letter-world.ts';
import { createMailWorld, type MailWorld, reader } from '../support/mail-world.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';

const minute = 60_000;
const hour = 60 * minute;

let smtp: TestSmtpServer;
let world: MailWorld;
beforeEach(async () => {
  smtp = await startSmtpServer();
  world = await createMailWorld(smtp);
});
afterEach(async () => {
  world.close();
  await smtp.stop();
});

const subjects = (): string[] => smtp.mails.map(({ subject }) => subject);
const shipped = 'Your letter was shipped';
const posted = { step: 'posted' };

describe('the mails about a card payment', () => {
  it('tell a payment from money that comes back because a dispute was won', async () => {
    const amountMicro = 20_000_000n;
    const credit = { creditId: 'cs_1', creditedMicro: amountMicro, chargedMinor: 2_000n };
    const taken: Reversal = { id: 'dp_1', kind: 'dispute', amountMinor: 2_000n };
    const { handler, context } = world;
    const reverse = (...reversals: Reversal[]) =>
      handler.handle(walletAggregate, account, context(), (wallet) =>
        reverseCredit(wallet, credit, reversals),
      );
    await handler.handle(walletAggregate, account, context(), (wallet) =>
      creditFunds(wallet, {
        type: 'CreditFunds',
        receipt: { method: 'card', id: credit.creditId },
        bucket: 'fiat',
        amountMicro,
      }),
    );
    await reverse(taken);
    await reverse(taken, { ...taken, kind: 'reinstated' });
    await world.pass(hour);
    const credited = smtp.mails.filter(({ subject }) => subject.includes('credited'));
    const isReturn = ({ text }: { text: string }) => /the dispute was won/.test(text);
    expect(credited.map(isReturn)).to.have.members([false, true]);
  });
});

describe('the confirmation mails', () => {
  it('of an untracked letter: one, with the window and no promise of tracking', async () => {
    const id = await world.letterBy('fr_lettre_verte');
    await world.report(id, posted);
    await world.pass(72 * hour);
    expect(subjects()).to.deep.equal([shipped]);
    const [mail] = smtp.mails;
    expect(mail?.to).to.deep.equal([reader]);
    for (const part of [mail?.text, mail?.html]) {
      expect(part).to.include('there will be no tracking number').and.include('Expected delivery');
    }
    expect(mail?.messageId).to.match(/^<[0-9a-f-]{36}@letters\.example\.org>$/);
  });

  it('of a letter that was posted weeks late: the window counts from the posting', async () => {
    const id = await world.letterBy('fr_lettre_verte');
    await world.pass(70 * 24 * hour);
    await world.report(id, posted);
    await world.pass(hour);
    const [, latest = ''] =
      /Expected delivery.* (\d+ \w+ \d{4})$/m.exec(smtp.mails[0]?.text ?? '') ?? [];
    expect(Date.parse(latest)).to.be.above(world.clock());
  });

  it('of an ordered letter go to its payer, also where its account wants no mail', async () => {
    world.settings.recipient = undefined;
    world.settings.payer = 'payer@example.com';
    const later = await world.letterBy('fr_lettre_suivie');
    await world.report(later, posted);
    await world.pass(30 * minute);
    await world.report(later, { step: 'tracking_number', trackingNumber: '2C12345678901' });
    await world.pass(72 * hour);
    expect(subjects()).to.deep.equal([shipped, 'Tracking for your letter']);
    const plain = await world.letterBy('fr_lettre_verte');
    await world.report(plain, posted);
    await world.report(plain, { step: 'delivered', evidence: 'recipient_report' });
    await world.pass(72 * hour);
    expect(subjects().slice(2)).to.deep.equal([shipped]);
    for (const { to } of smtp.mails) expect(to).to.deep.equal(['payer@example.com']);
  });

  it('tell the payer of an order that the letter was cancelled or came back, and what was paid', async () => {
    world.settings.recipient = undefined;
    world.settings.payer = 'payer@example.com';
    const back = await world.letterBy('fr_lettre_verte');
    await world.report(back, posted);
    await world.report(back, { step: 'returned', reason: 'moved' });
    await world.pass(72 * hour);
    const recalled = await world.letterBy('fr_lettre_verte');
    await world.handler.handle(letterAggregate, recalled, world.context(), cancelLetter);
    await world.handler.handle(letterAggregate, recalled, world.context(), (letter) =>
      answerRecall(letter, { type: 'AnswerRecall', accepted: true, reason: '' }),
    );
    await world.pass(72 * hour);
    expect(subjects()).to.deep.equal([
      shipped,
      'Your letter came back',
      'Your letter was cancelled',
    ]);
    for (const { text, raw } of smtp.mails) {
      expect(text).to.include('$1.71').and.include('/order/1').and.include('help@letters.example');
      expect(raw).not.to.match(/List-Unsubscribe/i);
    }
    expect(smtp.mails.at(-1)?.text).to.include('The shop has been refunded');
  });

  it('offer the page for the recipient, unless its link was revoked', async () => {
    world.settings.recipientPage = 'https://letters.example.org/track/1?token=x';
    await world.report(await world.letterBy('fr_lettre_verte'), posted);
    await world.pass(72 * hour);
    expect(smtp.mails[0]?.text).to.include('/track/1?token=x');
    world.settings.recipientPage = undefined;
    await world.report(await world.letterBy('fr_lettre_verte'), posted);
    await world.pass(72 * hour);
    expect(smtp.mails[1]?.text).not.to.include('/track/');
  });

  it('of an ordered letter go to payer and account, and once where these are one', async () => {
    world.settings.payer = 'payer@example.com';
    await world.report(await world.letterBy('fr_lettre_verte'), posted);
    await world.pass(72 * hour);
    expect(smtp.mails.flatMap(({ to }) => to).sort()).to.deep.equal([reader, 'payer@example.com']);
    world.settings.payer = reader.toUpperCase();
    await world.report(await world.letterBy('fr_lettre_verte'), posted);
    await world.pass(72 * hour);
    expect(subjects()).to.have.length(3);
  });

  it('of a tracked letter: one, with number and link', async () => {
    const id = await world.letterBy('de_einschreiben');
    await world.report(id, { ...posted, trackingNumber: 'RR123456785DE' });
    await world.pass(72 * hour);
    expect(subjects()).to.deep.equal([shipped]);
    expect(smtp.mails[0]?.text).to.include('piececode=RR123456785DE');
  });

  it('of a tracked letter wait for the number, and say after ten minutes that it is missing', async () => {
    const soon = await world.letterBy('de_einschreiben');
    await world.report(soon, posted);
    await world.pass(5 * minute);
    expect(subjects()).to.deep.equal([]);
    await world.report(soon, { step: 'tracking_number', trackingNumber: 'RR123456785DE' });
    await world.pass(5 * minute);
    expect(smtp.mails[0]?.text).to.include('piececode=RR123456785DE');
    await world.pass(48 * hour);
    expect(subjects()).to.deep.equal([shipped]);

    const late = await world.letterBy('de_einschreiben');
    await world.report(late, posted);
    await world.pass(11 * minute);
    expect(smtp.mails[1]?.text).to.include('tracking number is not known yet');
    await world.report(late, { step: 'tracking_number', trackingNumber: 'RR123456785DE' });
    await world.pass(48 * hour);
    expect(subjects().slice(1)).to.deep.equal([shipped, 'Tracking for your letter']);
  });

  it('of a letter that is numbered later: two, the second an hour after the first at least', async () => {
    const id = await world.letterBy('fr_lettre_suivie');
    await world.report(id, posted);
    await world.pass(10 * minute);
    expect(smtp.mails[0]?.text).to.include('second e-mail within 1 to 24 hours');
    await world.report(id, { step: 'tracking_number', trackingNumber: '1A00000000000' });
    await world.pass(49 * minute);
    expect(subjects()).to.deep.equal([shipped]);
    await world.pass(2 * minute);
    expect(subjects()).to.deep.equal([shipped, 'Tracking for your letter']);
    expect(smtp.mails[1]?.text).to.include('suivre-vos-envois?code=1A00000000000');
    await world.pass(72 * hour);
    expect(smtp.mails).to.have.length(2);
  });

  it('with the number of a letter that has arrived or come back expect no delivery', async () => {
    for (const end of [
      { step: 'delivered', evidence: 'carrier_scan' },
      { step: 'returned', reason: 'moved_away' },
    ]) {
      const id = await world.letterBy('fr_lettre_suivie');
      await world.report(id, posted);
      await world.pass(10 * minute);
      await world.report(id, { step: 'tracking_number', trackingNumber: '1A00000000000' });
      await world.report(id, end);
      await world.pass(2 * hour);
      const ready = smtp.mails.at(-1);
      expect(ready?.subject).to.equal('Tracking for your letter');
      expect(ready?.text).to.include('code=1A00000000000').and.not.include('Expected delivery');
    }
  });

  it('say once that the number is late, and send it when it comes after all', async () => {
    const id = await world.letterBy('fr_lettre_recommandee');
    await world.report(id, posted);
    await world.pass(24 * hour - minute);
    expect(subjects()).to.deep.equal([shipped]);
    await world.pass(24 * hour);
    const late = 'Tracking for your letter is late';
    expect(subjects()).to.deep.equal([shipped, late]);
    await world.report(id, { step: 'tracking_number', trackingNumber: '1A00000000000' });
    await world.pass(hour);
    expect(subjects()).to.deep.equal([shipped, late, 'Tracking for your letter']);
  });

  it('have the number at once where it is there before the first could be sent', async () => {
    smtp.behave({ kind: 'refuse', code: 451 });
    const id = await world.letterBy('fr_lettre_suivie');
    await world.report(id, posted);
    await world.pass(2 * minute);
    await world.report(id, { step: 'tracking_number', trackingNumber: '1A00000000000' });
    smtp.behave({ kind: 'take' });
    await world.pass(72 * hour);
    expect(subjects()).to.deep.equal([shipped]);
    expect(smtp.mails[0]?.text).to.include('code=1A00000000000');
  });
});

describe('the mails about a status', () => {
  it('tell delivered, returned and failed, and no step between', async () => {
    const delivered = await world.letterBy('fr_lettre_verte');
    await world.report(delivered, posted);
    await world.report(delivered, { step: 'in_transit' });
    await world.report(delivered, { step: 'delivered', evidence: 'carrier_scan' });
    const returned = await world.letterBy('fr_lettre_verte');
    await world.report(returned, { step: 'returned', reason: 'moved_away' });
    const failed = await world.letterBy('fr_lettre_verte');
    const failure = { code: 'jam', stage: 'print', retryable: false, detail: 'The printer broke.' };
    await world.report(failed, { step: 'failed', ...failure });
    await world.pass(minute);
    expect(subjects().toSorted()).to.deep.equal([
      'Your letter came back',
      'Your letter could not be sent',
      'Your letter was delivered',
      shipped,
      shipped,
    ]);
    const text = smtp.mails.map((mail) => mail.text).join();
    expect(text).to.include('scanned it as delivered').and.include('Reason given: moved away.');
    expect(text).to.include('was not posted: The printer broke.');
  });

  it('name nobody where the letter was erased before the mail went', async () => {
    smtp.behave({ kind: 'refuse', code: 451 });
    const sent = await world.letterBy('fr_lettre_verte');
    const failure = { code: 'jam', stage: 'print', retryable: false, detail: 'The printer broke.' };
    await world.report(sent, { step: 'failed', ...failure });
    await world.pass(30_000);
    await world.handler.handle(letterAggregate, sent, world.context(), (letter) =>
      eraseLetter(letter, { type: 'EraseLetter', reason: 'deleted' }),
    );
    smtp.behave({ kind: 'take' });
    await world.pass(hour);
    expect(subjects()).to.deep.equal(['Your letter could not be sent']);
    expect(smtp.mails[0]?.raw).not.to.include('Lovelace');
  });

  it('mark what is of a test letter', async () => {
    const id = await world.letterBy('fr_lettre_verte', true);
    await world.report(id, posted);
    await world.pass(minute);
    expect(subjects()).to.deep.equal([`[TEST] ${shipped}`]);
    expect(smtp.mails[0]?.text).to.include('TEST: this was a test letter');
  });

  it('are not sent to whoever gave no address, or took it back', async () => {
    world.settings.recipient = undefined;
    const id = await world.letterBy('fr_lettre_verte');
    await world.report(id, posted);
    await world.pass(hour);
    expect(world.jobs.size).to.equal(0);
    world.settings.recipient = reader;
    const other = await world.letterBy('fr_lettre_verte');
    await world.report(other, posted);
    await world.react();
    expect(world.jobs.size).to.equal(1);
    world.settings.recipient = undefined;
    await world.pass(hour);
    expect(await world.mailEvents()).to.deep.equal([]);
    expect(smtp.mails).to.deep.equal([]);
  });

  it('are not sent about what happened days ago', async () => {
    const id = await world.letterBy('fr_lettre_verte');
    await world.report(id, posted);
    world.time.now += 49 * hour;
    await world.pass(hour);
    expect(smtp.mails).to.deep.equal([]);
  });
});

describe('a mail', () => {
  const postedLetter = async (): Promise<string> => {
    const id = await world.letterBy('fr_lettre_verte');
    await world.report(id, posted);
    await world.react();
    return id;
  };

  it('is sent once, however often its job runs, also at the same time', async () => {
    await postedLetter();
    const [[mailId, waiting] = expect.fail('there is a job')] = [...world.jobs];
    await Promise.all(
      Array.from({ length: 5 }, () => deliverMail(world.ports, mailId, waiting.job)),
    );
    await world.pass(72 * hour);
    await deliverMail(world.ports, mailId, waiting.job);
    expect(smtp.mails).to.have.length(1);
    expect(await world.mailEvents()).to.deep.equal(['MailAttempted', 'MailSent']);
  });

  it('that is refused for now is sent again with growing pauses', async () => {
    smtp.behave({ kind: 'refuse', code: 451 });
    await postedLetter();
    await world.pass(10 * minute);
    expect(smtp.refusals()).to.equal(3);
    smtp.behave({ kind: 'take' });
    await world.pass(24 * hour);
    expect(smtp.mails).to.have.length(1);
    expect((await world.mailEvents()).at(-1)).to.equal('MailSent');
  });

  it('that confirms a letter is no longer sent once the letter came back', async () => {
    smtp.behave({ kind: 'refuse', code: 451 });
    const id = await postedLetter();
    await world.pass(8 * hour);
    smtp.behave({ kind: 'take' });
    await world.report(id, { step: 'returned', reason: 'moved_away' });
    await world.pass(48 * hour);
    expect(subjects()).to.deep.equal(['Your letter came back']);
    expect(world.jobs.size).to.equal(0);
    const events = await world.store.readAll({ after: 0n });
    expect(JSON.parse(events.at(-1)?.data ?? '{}')).to.include({ code: 'obsolete', final: true });
  });

  it('is given up after a day of refusals', async () => {
    smtp.behave({ kind: 'refuse', code: 451 });
    await postedLetter();
    await world.pass(72 * hour);
    expect(smtp.refusals()).to.equal(12);
    expect(world.jobs.size).to.equal(0);
    const events = await world.store.readAll({ after: 0n });
    expect(JSON.parse(events.at(-1)?.data ?? '{}')).to.include({ code: 'greylisted', final: true });
  });

  it('waits for a mail server that is not there', async () => {
    await smtp.stop();
    await postedLetter();
    await world.pass(30_000);
    const events = await world.store.readAll({ after: 0n });
    expect(JSON.parse(events.at(-1)?.data ?? '{}')).to.include({
      code: 'connection_failed',
      final: false,
    });
    expect(world.jobs.size).to.equal(1);
  });

  it('that is refused for good is not tried again', async () => {
    smtp.behave({ kind: 'refuse', code: 550 });
    await postedLetter();
    await world.pass(72 * hour);
    expect(smtp.refusals()).to.equal(1);
    expect(await world.mailEvents()).to.deep.equal(['MailAttempted', 'MailFailed']);
  });

  it('tells the account of an order that was paid, and whose letter was not sent', async () => {
    const letterId = await world.letterBy('fr_lettre_verte');
    const orderId = orderIdOf(letterId);
    const placed = {
      orderId,
      letterId,
      accountId: account,
      amountMicro: 1_630_000,
      commissionMicro: 80_000,
      currency: 'EUR' as const,
      amountMinor: 150,
      expiresAt: '2026-03-01T13:00:00.000Z',
      requestHash: 'r'.repeat(43),
      email: 'payer@example.org',
      checkoutUrl: 'https://checkout.example/1',
    };
    const act = (command: OrderCommand) =>
      world.handler.handle(orderAggregate, orderId, world.context(), (order) =>
        decide(order, command),
      );
    await act({ type: 'PlaceOrder', placed });
    await act({ type: 'CreditOrder', reason: 'not_sendable' });
    await world.pass(hour);
    expect(subjects()).to.deep.equal(['An order was paid, but its letter was not sent']);
    const [mail] = smtp.mails;
    expect(mail?.to).to.deep.equal([reader]);
    for (const part of [mail?.text, mail?.html]) {
      expect(part).to.include(orderId).and.include(letterId).and.include('$1.63');
      expect(part).to.include('A check of the letter no longer passes');
    }
  });

  for (const kind of ['take-and-cut', 'take-and-hang'] as const) {
    it(`is not sent again where the answer to the whole mail is missing (${kind})`, async () => {
      world.close();
      world = await createMailWorld(smtp, 2_000);
      smtp.behave({ kind });
      await postedLetter();
      await world.pass(hour);
      smtp.behave({ kind: 'take' });
      await world.pass(72 * hour);
      expect(smtp.mails).to.have.length(1);
      const events = await world.store.readAll({ after: 0n });
      expect(JSON.parse(events.at(-1)?.data ?? '{}')).to.include({
        code: 'outcome_unknown',
        final: true,
      });
    });
  }

  it('is sent again once for each request, under another Message-ID, as the letter stands now', async () => {
    const id = await world.letterBy('fr_lettre_suivie');
    await world.report(id, posted);
    await world.pass(minute);
    expect(smtp.mails[0]?.text).to.include('second e-mail within 1 to 24 hours');
    await world.report(id, { step: 'tracking_number', trackingNumber: '2C12345678901' });
    const [recorded] = (await world.store.readAll({ after: 0n })).filter(
      ({ type }) => type === 'LetterPosted',
    );
    if (!recorded) return expect.fail('the letter was posted');
    const { id: eventId, stream, version } = recorded;
    const mailId = letterMailId(eventId, 'shipped');
    const job = { kind: 'shipped' as const, stream, version: String(version) };
    await deliverMail(world.ports, mailId, { ...job, again: 'request-1' });
    await deliverMail(world.ports, mailId, { ...job, again: 'request-1' });
    await deliverMail(world.ports, mailId, job);
    expect(subjects()).to.deep.equal([shipped, shipped]);
    expect(smtp.mails[1]?.text).to.include('2C12345678901');
    await world.pass(72 * hour);
    await deliverMail(world.ports, mailId, { ...job, again: 'request-2' });
    // The second mail with the number is needed no longer.
    expect(subjects()).to.deep.equal([shipped, shipped, shipped]);
    expect(new Set(smtp.mails.map(({ messageId }) => messageId))).to.have.property('size', 3);
  });

  it('is tried again when the mail server refuses the request of the operator for now', async () => {
    const { id, stream, version } = await postedLetter().then(async () => {
      await world.pass(hour);
      const events = await world.store.readAll({ after: 0n });
      return events.find(({ type }) => type === 'LetterPosted') ?? expect.fail('it is posted');
    });
    await world.pass(30 * 24 * hour);
    smtp.behave({ kind: 'refuse', code: 451 });
    const mailId = letterMailId(id, 'shipped');
    const job = { kind: 'shipped' as const, stream, version: String(version) };
    await deliverMail(world.ports, mailId, { ...job, again: 'request-1' });
    expect(smtp.mails).to.have.length(1);
    smtp.behave({ kind: 'take' });
    await world.pass(hour);
    expect(smtp.mails).to.have.length(2);
  });

  it('whose sender died is not sent again, and is given up after a while', async () => {
    await postedLetter();
    const [[mailId, waiting] = expect.fail('there is a job')] = [...world.jobs];
    const dies = { ...world.ports, send: () => Promise.reject(new Error('killed')) };
    await deliverMail(dies, mailId, waiting.job).catch(() => {});
    expect(await world.mailEvents()).to.deep.equal(['MailAttempted']);
    await world.pass(30_000);
    expect(await world.mailEvents()).to.deep.equal(['MailAttempted']);
    await world.pass(hour);
    expect(await world.mailEvents()).to.deep.equal(['MailAttempted', 'MailFailed']);
    expect(smtp.mails).to.deep.equal([]);
  });

  it('leaves no address and no name in events and jobs', async () => {
    smtp.behave({ kind: 'refuse', code: 451 });
    await postedLetter();
    await world.pass(minute / 2);
    const events = await world.store.readAll({ after: 0n });
    const traces = JSON.stringify([
      [...world.jobs.values()],
      events
        .filter(({ stream }) => stream.startsWith('mail-'))
        .map(({ data, metadata }) => [data, metadata]),
    ]);
    expect(traces)
      .to.include('shipped')
      .and.not.to.match(/jane|Lovelace|Paix/);
  });
});
