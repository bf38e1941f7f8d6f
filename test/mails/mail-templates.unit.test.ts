import { expect } from 'chai';
import fc from 'fast-check';
import { escapeHtml } from '../../ground/escape-html.ts';
import { letterWords } from '../../infra/mail/letter-words.ts';
import { layOutMail, withService, withUnsubscribeLink } from '../../infra/mail/mail-layout.ts';
import {
  letterStatusMail,
  type MailedLetter,
  type MailText,
  shippedMail,
  trackingLateMail,
  trackingReadyMail,
} from '../../infra/mail/mail-templates.ts';
import { languages } from '../../postal/stationery.ts';
import { anyText } from '../support/any-text.ts';

const letter: MailedLetter = {
  letterId: '01900000-0000-7000-8000-000000000001',
  service: 'gb_first_class',
  toName: 'Jane Doe',
  expectedDelivery: { earliest: '2026-11-23', latest: '2026-11-24' },
};
const tracked: MailedLetter = {
  ...letter,
  service: 'de_einschreiben',
  trackingNumber: 'RR123456785DE',
};
const later: MailedLetter = { ...letter, service: 'fr_lettre_suivie' };

/** Holds for both parts of a mail. */
const says = ({ text, html }: MailText, ...parts: string[]): void => {
  for (const part of parts) expect(text).to.include(part);
  for (const part of parts) expect(html).to.include(escapeHtml(part));
};

const saysNot = ({ text, html }: MailText, pattern: RegExp): void => {
  expect(text).not.to.match(pattern);
  expect(html).not.to.match(pattern);
};

describe('the confirmation of shipping', () => {
  it('of an untracked letter gives the delivery window and promises no tracking', () => {
    const mail = shippedMail(letter);
    expect(mail.subject).to.equal('Your letter was shipped');
    says(mail, 'Royal Mail 1st Class', '23 November 2026 to 24 November 2026');
    says(mail, 'there will be no tracking number', letter.letterId);
    says(mail, 'letter to Jane Doe');
    saysNot(mail, /second e-mail|Tracking number|https:/);
  });

  it('refers to the delivery window only while there is one', () => {
    const sentences = [
      ['en', 'Expect it within the days below.'],
      ['de', 'im unten genannten Zeitraum.'],
      ['fr', 'Comptez sur les jours indiqués ci-dessous.'],
    ] as const;
    for (const [language, sentence] of sentences) {
      says(shippedMail({ ...letter, language }), sentence);
      // It arrived before its confirmation was sent.
      const arrived = shippedMail({ ...letter, language, expectedDelivery: undefined });
      expect(arrived.text).not.to.include(sentence);
      expect(arrived.html).not.to.include(sentence);
    }
  });

  it('never shows a tracking link of an untracked service', () => {
    saysNot(shippedMail({ ...letter, trackingNumber: 'RR123456785GB' }), /https:/);
  });

  it('of a tracked letter has the number and a link to the operator', () => {
    const mail = shippedMail(tracked);
    says(mail, 'Deutsche Post', 'Tracking number', 'RR123456785DE');
    says(mail, 'https://www.deutschepost.de/de/s/sendungsverfolgung.html?piececode=RR123456785DE');
    saysNot(mail, /second e-mail/);
  });

  it('of a tracked letter whose number is missing promises it as soon as it is known', () => {
    const mail = shippedMail({ ...tracked, trackingNumber: undefined });
    says(mail, 'tracking number is not known yet', 'in a second e-mail as soon as it is');
    saysNot(mail, /https:|1 to 24 hours/);
  });

  it('names nobody once the letter was erased', () => {
    const mail = shippedMail({ ...letter, toName: undefined });
    expect(mail.subject).to.equal('Your letter was shipped');
    says(mail, 'Your letter was handed to Royal Mail');
    saysNot(mail, /undefined|letter to /);
  });

  it('of a letter that is numbered later promises a second mail within 1 to 24 hours', () => {
    const mail = shippedMail(later);
    says(mail, 'La Poste', 'second e-mail within 1 to 24 hours', '23 November 2026');
    saysNot(mail, /https:/);
  });

  it('promises no second mail where the number is known already', () => {
    const mail = shippedMail({ ...later, trackingNumber: '1A00000000000' });
    says(mail, 'https://www.laposte.fr/outils/suivre-vos-envois?code=1A00000000000');
    saysNot(mail, /second e-mail/);
  });

  it('leaves out a window that is not known, and names a single day once', () => {
    saysNot(shippedMail({ ...later, expectedDelivery: undefined }), /Expected delivery/);
    const day = { earliest: '2026-11-23', latest: '2026-11-23' };
    saysNot(shippedMail({ ...later, expectedDelivery: day }), /2026 to/);
  });
});

describe('the second mail', () => {
  it('has the number and the link', () => {
    const mail = trackingReadyMail({ ...later, trackingNumber: '1A00000000000' });
    says(mail, '1A00000000000', 'https://www.laposte.fr/outils/suivre-vos-envois?code=');
    expect(() => trackingReadyMail(later)).to.throw(RangeError);
  });

  it('admits that the number is late', () => {
    const mail = trackingLateMail(later);
    expect(mail.subject).to.equal('Tracking for your letter is late');
    says(mail, 'After 24 hours', 'has not assigned one yet');
  });
});

describe('a mail about a letter', () => {
  it('names the operator once, also where the product begins with its name', () => {
    const mail = shippedMail({ ...letter, service: 'gb_signed_for' });
    says(mail, 'Royal Mail Signed For 1st Class');
    saysNot(mail, /Royal Mail Royal Mail/);
  });

  it('offers the page for the recipient until the letter has failed or was cancelled', () => {
    const recipientPage = 'https://letters.example.org/track/1?token=x';
    says(shippedMail({ ...letter, recipientPage }), recipientPage, 'for the recipient');
    says(shippedMail({ ...tracked, recipientPage }), recipientPage, 'piececode=RR123456785DE');
    const failed = { status: 'failed', detail: 'The printer broke.' } as const;
    saysNot(letterStatusMail({ ...letter, recipientPage }, failed), /track/);
  });

  it('writes amounts and operators as its language does', () => {
    const german = { ...tracked, language: 'de', priceMicro: 1_630_000n } as const;
    says(letterStatusMail(german, { status: 'cancelled' }), '1,63\u00a0$');
    says(shippedMail(german), 'an die Deutsche Post übergeben', 'Bei der Deutschen Post verfolgen');
    says(letterStatusMail(german, { status: 'returned' }), 'Die Deutsche Post konnte Ihren Brief');
    says(shippedMail({ ...letter, language: 'de' }), 'an Royal Mail übergeben');
  });

  it('says who sends it', () => {
    const service = { name: 'Brief & Co', contact: 'Hauptstr. 1, Hamburg' };
    says(withService(shippedMail(letter), service), 'Brief & Co, Hauptstr. 1, Hamburg');
    const silent = withService(shippedMail(letter), { name: 'Brief', contact: undefined });
    expect(silent.text).to.match(/\nBrief\n$/);
  });
});

describe('a mail to the payer of an order', () => {
  const page = 'https://letters.example.org/order/o_1?secret=x';
  const order = { orderId: 'o_1', amountMinor: 171, currency: 'EUR', page };
  const ordered: MailedLetter = { ...letter, priceMicro: 1_630_000n, order };

  it('names the order and what was paid, and leads to the page of the order', () => {
    says(shippedMail(ordered), 'o_1', '€1.71', page);
  });

  it('does not say that the payer was refunded: the shop was', () => {
    const news = [
      letterStatusMail(ordered, { status: 'failed', detail: 'The printer broke.' }),
      letterStatusMail(ordered, { status: 'cancelled' }),
    ];
    for (const mail of news) {
      says(mail, 'please ask the shop to refund your card', page);
      saysNot(mail, /full price was refunded|Refunded|1\.63/);
    }
    for (const language of languages) {
      const refunded = { ...ordered, language, order: { ...order, isTakenBack: true } };
      const mail = letterStatusMail(refunded, { status: 'cancelled' });
      says(mail, letterWords[language].payer.takenBack);
      saysNot(mail, new RegExp(letterWords[language].payer.refunded));
    }
    const returned = letterStatusMail(ordered, { status: 'returned', reason: 'moved' });
    says(returned, 'Please ask the shop what happens next.');
    saysNot(returned, /Check the address/);
  });
});

describe('the notification of a status', () => {
  it('says what happened', () => {
    says(letterStatusMail(letter, { status: 'posted' }), 'was handed to Royal Mail');
    says(letterStatusMail(letter, { status: 'cancelled' }), 'will not be posted', 'was refunded');
    const failed = letterStatusMail(letter, { status: 'failed', detail: 'The printer broke.' });
    says(failed, 'was not posted: The printer broke.', 'full price was refunded');
    const returned = letterStatusMail(letter, { status: 'returned', reason: 'moved away' });
    says(returned, 'returned it', 'Reason given: moved away.', 'Check the address');
    saysNot(letterStatusMail(letter, { status: 'returned' }), /Reason given/);
  });

  it('says what shows that a letter was delivered', () => {
    const evidences = {
      carrier_scan: 'scanned it as delivered',
      signature: 'signed for',
      recipient_report: 'The recipient reported',
      simulated: 'simulated',
    } as const;
    for (const [evidence, text] of Object.entries(evidences)) {
      const news = { status: 'delivered', evidence: evidence as keyof typeof evidences } as const;
      says(letterStatusMail(tracked, news), 'was delivered', text);
    }
  });

  it('expects nothing of a letter that has arrived or will not', () => {
    const numbered = { ...tracked, toName: undefined };
    const over = [
      letterStatusMail(numbered, { status: 'cancelled' }),
      letterStatusMail(numbered, { status: 'failed', detail: 'x' }),
    ];
    for (const mail of over) saysNot(mail, /Expected delivery|Tracking number|https:/);
    const arrived = [
      letterStatusMail(numbered, { status: 'delivered', evidence: 'signature' }),
      letterStatusMail(numbered, { status: 'returned' }),
    ];
    for (const mail of arrived) {
      saysNot(mail, /Expected delivery/);
      says(mail, 'RR123456785DE');
    }
  });

  it('says how much was refunded, of what ended without being posted only', () => {
    const paid = { ...letter, priceMicro: 3_410_000n };
    const ended = [
      letterStatusMail(paid, { status: 'cancelled' }),
      letterStatusMail(paid, { status: 'failed', detail: 'x' }),
    ];
    for (const mail of ended) says(mail, 'Refunded', '$3.41');
    for (const news of [{ status: 'posted' }, { status: 'returned' }] as const) {
      saysNot(letterStatusMail(paid, news), /3\.41/);
    }
    const french = letterStatusMail({ ...paid, language: 'fr' }, { status: 'cancelled' });
    says(french, 'Remboursé');
  });

  it('is written in the language of the letter, and its subject names nobody', () => {
    const news = [
      { status: 'posted' },
      { status: 'delivered', evidence: 'simulated' },
      { status: 'returned', reason: 'moved' },
      { status: 'failed', detail: 'x' },
      { status: 'cancelled' },
    ] as const;
    const all = (language: 'de' | 'fr' | 'en') => {
      const written = { ...tracked, language };
      const mails = [shippedMail(written), trackingReadyMail(written), trackingLateMail(written)];
      return [...mails, ...news.map((what) => letterStatusMail(written, what))];
    };
    for (const language of ['de', 'fr', 'en'] as const) {
      for (const { subject, html } of all(language)) {
        expect(subject).not.to.include('Doe');
        expect(html).to.include(`lang="${language}"`);
      }
    }
    const told = (language: 'de' | 'fr', reason: string) =>
      letterStatusMail({ ...tracked, language }, { status: 'returned', reason }).text;
    expect(told('de', 'undeliverable_as_addressed')).to.include('nicht zustellbar');
    expect(told('fr', 'returned_to_sender')).to.include('retour à l’expéditeur');
    expect(told('fr', 'paper_jam')).to.include('paper jam');
    expect(told('fr', 'constructor')).to.include('constructor').and.not.include('function');
    const detail = 'The printer broke.';
    const failed = { status: 'failed', detail, stage: 'print' } as const;
    for (const language of ['de', 'fr'] as const) {
      saysNot(letterStatusMail({ ...tracked, language }, failed), /The printer broke/);
    }
    says(letterStatusMail(tracked, failed), detail);
    const texts = all('de').map(({ text }) => text);
    expect(texts.join()).to.include('23. November 2026 bis 24. November 2026');
    for (const text of texts) expect(text).not.to.match(/your|was|The /);
    for (const { text } of all('fr')) expect(text).not.to.match(/your|was|Ihr/);
  });

  it('write the first of a month as French writes it', () => {
    const expectedDelivery = { earliest: '2026-12-01', latest: '2026-12-11' };
    const inFrench = shippedMail({ ...letter, expectedDelivery, language: 'fr' });
    says(inFrench, 'du 1er décembre 2026 au 11 décembre 2026');
    says(shippedMail({ ...letter, expectedDelivery }), '1 December 2026 to 11 December 2026');
  });

  it('leads from no mail about a test letter to the carrier: its number is invented', () => {
    const test = { ...tracked, test: true };
    for (const language of ['en', 'de', 'fr'] as const) {
      const of = { ...test, language };
      for (const mail of [
        shippedMail(of),
        trackingReadyMail(of),
        letterStatusMail(of, { status: 'posted' }),
        letterStatusMail(of, { status: 'returned' }),
        letterStatusMail(of, { status: 'delivered', evidence: 'simulated' }),
      ]) {
        expect(mail.text).to.include('RR123456785DE');
        for (const part of [mail.text, mail.html]) expect(part).to.not.include('https://');
        expect(mail.text).to.not.match(/follow it|verfolgen|suivre/i);
      }
    }
  });

  it('says of a test letter that nothing was printed', () => {
    const mail = letterStatusMail({ ...letter, test: true }, { status: 'posted' });
    expect(mail.subject).to.match(/^\[TEST\] /);
    says(mail, 'TEST: this was a test letter; nothing was printed or posted.');
  });
});

describe('any mail', () => {
  const hostile: MailedLetter = {
    ...later,
    toName: '<script>alert(1)</script>"\'&\r\nBcc: eve@example.org\u202e',
    reference: '<img src=x onerror=alert(1)>',
    trackingNumber: '"><b>1</b>',
  };

  it('escapes what callers wrote', () => {
    const { html } = trackingReadyMail(hostile);
    expect(html).not.to.match(/<(script|img|b)\b/);
    expect(html).to.include('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;');
  });

  it('has a subject of one line', () => {
    fc.assert(
      fc.property(anyText(), (toName) => {
        const { subject } = shippedMail({ ...later, toName });
        expect(subject).not.to.match(/[\p{Cc}\u2028\u2029\u202a-\u202e]/u);
      }),
    );
  });

  it('has only markup of our own, whatever the names are', () => {
    const tags = (html: string) => html.match(/<[^>]*>/g);
    const plain = tags(shippedMail({ ...later, reference: 'r' }).html);
    const value = anyText().map((text) => `x${text}`);
    fc.assert(
      fc.property(value, value, (toName, reference) => {
        expect(tags(shippedMail({ ...later, toName, reference }).html)).to.deep.equal(plain);
      }),
    );
  });

  it('has the way to get no more of them in its small print', () => {
    const { text, html } = withUnsubscribeLink(
      shippedMail(letter),
      'https://example.org/u?token=x',
    );
    expect(text).to.match(/Unsubscribe: https:\/\/example\.org\/u\?token=x\n$/);
    const link = html.indexOf('href="https://example.org/u?token=x"');
    expect(link).to.be.greaterThan(html.indexOf('sent automatically'));
    expect(link).to.be.lessThan(html.indexOf('</div></body>'));
  });

  it('loads nothing from anywhere', () => {
    for (const { html } of [shippedMail(letter), shippedMail(tracked), trackingLateMail(later)]) {
      expect(html).not.to.match(/<(img|link|script|iframe|base)\b|url\(|@import|src=/i);
    }
  });

  it('links to https only', () => {
    const links = [
      { label: 'a', url: 'https://letters.example.org' },
      { label: 'b', url: 'javascript:alert(1)' },
    ];
    expect(() =>
      layOutMail({ language: 'en', subject: 's', test: false, paragraphs: [], facts: [], links }),
    ).to.throw(RangeError);
  });
});
