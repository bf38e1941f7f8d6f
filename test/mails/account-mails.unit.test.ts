import { expect } from 'chai';
import { creditReasons } from '../../events/order.ts';
import {
  confirmMail,
  contractBreachedMail,
  emailChangedMail,
  orderCreditedMail,
  recoveryMail,
  walletChargedBackMail,
  walletCreditedMail,
  webhookDisabledMail,
} from '../../infra/mail/account-mails.ts';

const credit = {
  accountId: 'acct_1',
  amountMicro: 25_000_000n,
  balanceMicro: 31_500_000n,
  method: 'bank_transfer',
  reference: 'invoice-7',
  test: false,
};

const breach = {
  accountId: 'acct_1',
  contractId: 'contract_1',
  committedUnits: 300,
  units: 60,
  billedMicro: 5_670_000n,
  balanceMicro: -1_250_000n,
  test: false,
};

describe('the mails about an account', () => {
  it('give a link for a new key and say what becomes of the old ones', () => {
    const url = 'https://letters.example.org/auth/recover#token=acct_1.1.abc.MAC_-';
    const mail = recoveryMail({ url, test: false, accountId: 'acct_1' });
    expect(mail.subject).to.equal('A new API key for your account');
    for (const part of [mail.text, mail.html]) {
      expect(part).to.include(url).and.include('revokes all other keys');
    }
    expect(mail.text).not.to.include('TEST');
  });

  it('ask an address whether it is right, in words that are all ours', () => {
    const url = 'https://letters.example.org/auth/confirm#token=cr.acct_1.digest.0.MAC_-';
    for (const address of ['registered', 'notifications', 'change'] as const) {
      const mail = confirmMail({ url, test: true, address, accountId: 'acct_1' });
      expect(mail.subject).to.equal('[TEST] Please confirm your e-mail address');
      for (const part of [mail.text, mail.html]) expect(part).to.include(url);
    }
  });

  it('say to the minute until when a change of the address can be taken back', () => {
    const url = 'https://letters.example.org/auth/email/stop#token=stop.acct_1.0.MAC_-';
    const about = { url, test: false, accountId: 'acct_1', until: '2026-12-08T00:30:00.000Z' };
    const told = (language: 'en' | 'de' | 'fr') => emailChangedMail({ ...about, language }).text;
    expect(told('en').replaceAll(/\s+/g, ' ')).to.include('by 8 December 2026 at 00:30 UTC at the');
    expect(told('de').replaceAll(/\s+/g, ' ')).to.include('am 8. Dezember 2026 um 00:30 UTC.');
    expect(told('fr').replaceAll(/\s+/g, ' ')).to.include('le 8 décembre 2026 à 00:30 UTC.');
  });

  it('say of the payment of an order that it is held, not that it can be spent', () => {
    const paid = walletCreditedMail({ ...credit, amountMicro: 1_630_000n, orderId: 'o_1' });
    expect(paid.subject).to.equal('An order was paid: $1.63');
    expect(paid.text).to.include('is held for the letter of the order').and.include('Order: o_1');
    expect(paid.text).not.to.match(/was added to your wallet|credited/);
    const german = walletCreditedMail({ ...credit, amountMicro: 1_630_000n, language: 'de' });
    expect(german.subject).to.include('1,63\u00a0$');
    expect(walletCreditedMail(credit).text).to.include('was added to your wallet');
  });

  it('say of money that comes back that it is no new payment', () => {
    const credited = { ...credit, method: 'card' };
    for (const language of ['en', 'de', 'fr'] as const) {
      const again = walletCreditedMail({ ...credited, language, isReinstated: true }).text;
      expect(again).to.match(/refund failed|Erstattung schlug fehl|remboursement a échoué/);
      expect(again).not.to.match(/Paid by|Bezahlt mit|Payé par/);
      const first = walletCreditedMail({ ...credited, language }).text;
      expect(first).to.match(/Paid by|Bezahlt mit|Payé par/);
      expect(first).not.to.match(/refund failed|Erstattung schlug fehl|remboursement a échoué/);
    }
  });

  it('say what was taken back and why, and what a wallet below zero means', () => {
    const back = { ...credit, method: 'card', reference: 'dp_1', balanceMicro: -5_000_000n };
    const { subject, text, html } = walletChargedBackMail(back);
    expect(subject).to.equal('$25.00 was taken back from your wallet');
    for (const part of [text, html]) {
      expect(part).to.include('refunded or disputed').and.include('-$5.00').and.include('dp_1');
      expect(part).to.include('below zero');
    }
    const rest = walletChargedBackMail({ ...back, balanceMicro: 0n, method: 'mech' });
    expect(rest.text).not.to.match(/below zero|disputed/);
  });

  it('say what a volume contract charged for missing letters, and what a wallet below zero means', () => {
    const { subject, text, html } = contractBreachedMail(breach);
    expect(subject).to.equal('$5.67 was charged for your volume contract');
    for (const part of [text, html]) {
      expect(part).to.include('contract_1').and.include('300').and.include('60');
      expect(part).to.include('$5.67').and.include('-$1.25').and.include('below zero');
    }
    expect(contractBreachedMail({ ...breach, balanceMicro: 0n }).text).not.to.include('below zero');
  });

  it('name the way of a payment in the language of the account', () => {
    const { text } = walletCreditedMail({ ...credit, method: 'usdc_transfer', language: 'de' });
    expect(text).to.include('Bezahlt mit: USDC');
  });

  it('give the amount of a credit in cents', () => {
    const subjectOf = (amountMicro: bigint) =>
      walletCreditedMail({ ...credit, amountMicro }).subject;
    expect(subjectOf(25_000_000n)).to.equal('Your wallet was credited with $25.00');
    expect(subjectOf(1_239_999n)).to.equal('Your wallet was credited with $1.23');
  });

  it('give balance and reference of a credit, the reference never in the subject', () => {
    const { subject, text, html } = walletCreditedMail(credit);
    expect(subject).not.to.include('invoice-7');
    for (const part of [text, html]) {
      expect(part).to.include('$31.50').and.include('invoice-7').and.include('bank transfer');
    }
  });

  it('say why a webhook is not called any more, and whose it is', () => {
    const disabled = { accountId: 'acct_1', test: false };
    const gone = webhookDisabledMail({ ...disabled, reason: 'gone' });
    const failing = webhookDisabledMail({ ...disabled, reason: 'failing' });
    const audit = webhookDisabledMail({ ...disabled, reason: 'gone', subscriptionId: 'sub_1' });
    expect(gone.text).to.include('410 (gone)');
    expect(failing.text).to.include('five days');
    expect(audit.subject).to.equal('An audit webhook was disabled');
    expect(audit.text).to.include('Your audit webhook sub_1').and.include('410 (gone)');
    expect(gone.text).to.include('console');
    expect(audit.text).to.include('POST /api/identity/audit/subscribe/{id}/replay');
    for (const { text, html } of [gone, failing, audit]) {
      expect(text).to.include('Account: acct_1');
      expect(html).to.include('acct_1');
    }
  });

  it('are marked where they are about a test account', () => {
    const mails = [
      recoveryMail({ url: 'http://localhost/x', test: true, accountId: 'acct_1' }),
      walletCreditedMail({ ...credit, amountMicro: 1n, test: true }),
      webhookDisabledMail({ accountId: 'acct_1', reason: 'gone', test: true }),
    ];
    for (const { subject, text, html } of mails) {
      expect(subject).to.match(/^\[TEST\] /);
      expect(text).to.include('TEST: this is about a test account');
      expect(html).to.include('TEST: this is about a test account');
    }
  });

  it('are written in the language of the account, every word of them', () => {
    const url = 'https://letters.example.org/auth/recover#token=x';
    const chargeBacks = ['card', 'usdc_transfer', 'x402', 'operator'].map((method) => ({
      ...credit,
      method,
      test: true,
      balanceMicro: -1_000_000n,
    }));
    const paidOrder = {
      accountId: 'acct_1',
      orderId: 'o_1',
      letterId: 'l_1',
      priceMicro: 1_630_000n,
      test: true,
    };
    const all = (language: 'de' | 'fr' | 'en') => [
      recoveryMail({ url, test: true, accountId: 'acct_1', language }),
      confirmMail({ url, test: true, address: 'registered', accountId: 'acct_1', language }),
      confirmMail({ url, test: true, address: 'notifications', accountId: 'acct_1', language }),
      walletCreditedMail({ ...credit, test: true, language }),
      walletCreditedMail({ ...credit, test: true, language, orderId: 'o_1' }),
      ...chargeBacks.map((back) => walletChargedBackMail({ ...back, language })),
      ...creditReasons.map((reason) => orderCreditedMail({ ...paidOrder, reason, language })),
      contractBreachedMail({ ...breach, language }),
      webhookDisabledMail({ accountId: 'acct_1', reason: 'gone', test: true, language }),
      webhookDisabledMail({
        accountId: 'acct_1',
        reason: 'failing',
        test: true,
        subscriptionId: 'sub_1',
        language,
      }),
    ];
    const english = /\b(the|your|account|address|paid|with|does|this)\b/i;
    for (const language of ['de', 'fr'] as const) {
      for (const { subject, text, html } of all(language)) {
        expect(html).to.include(`lang="${language}"`);
        const ours = text.replaceAll(/https?:\S+|\b(?:PUT|GET|POST) \S+/g, '');
        expect(`${subject}\n${ours}`).not.to.match(english);
      }
    }
    expect(all('en').map(({ subject }) => subject)).to.deep.equal(
      [
        recoveryMail({ url, test: true, accountId: 'acct_1' }),
        confirmMail({ url, test: true, address: 'registered', accountId: 'acct_1' }),
        confirmMail({ url, test: true, address: 'notifications', accountId: 'acct_1' }),
        walletCreditedMail({ ...credit, test: true }),
        walletCreditedMail({ ...credit, test: true, orderId: 'o_1' }),
        ...chargeBacks.map(walletChargedBackMail),
        ...creditReasons.map((reason) => orderCreditedMail({ ...paidOrder, reason })),
        contractBreachedMail(breach),
        webhookDisabledMail({ accountId: 'acct_1', reason: 'gone', test: true }),
        webhookDisabledMail({
          accountId: 'acct_1',
          reason: 'failing',
          test: true,
          subscriptionId: 'sub_1',
        }),
      ].map(({ subject }) => subject),
    );
  });
});
