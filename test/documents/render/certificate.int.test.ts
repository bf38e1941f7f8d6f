import { expect } from 'chai';
import { create } from 'qrcode';
import { renderCertificate } from '../../../documents/certificate/certificate-pdf.ts';
import { type Certificate, presentCertificate } from '../../../presenters/certificate.ts';
import type { LetterPersonal } from '../../../presenters/letter.ts';
import { type Attestation, presentProof } from '../../../presenters/proof.ts';
import type { LetterRecord } from '../../../projections/letters/query.ts';
import { samplePersonal, sampleTerms } from '../../support/letter-samples.ts';
import { type PdfPicture, picturesOf } from '../../support/pdf-pictures.ts';

const letterId = '7c1e0d5e-1111-5222-8333-444455556666';
const at = (day: number) => `2026-11-${day}T10:00:00.000Z`;

const recordOf = (terms: Partial<LetterRecord['doc']['terms']> = {}): LetterRecord => ({
  letterId,
  accountId: 'acct_1',
  status: 'delivered',
  version: 4n,
  createdPosition: 1n,
  sealed: undefined,
  doc: {
    terms: sampleTerms(terms),
    createdAt: at(20),
    updatedAt: at(24),
    trackingNumber: 'LL 12345678 9 FR',
    evidence: 'signature',
    timeline: [
      { status: 'queued', at: at(20), source: 'api' },
      { status: 'posted', at: at(21), source: 'partner' },
      { status: 'delivered', at: at(23), source: 'carrier' },
    ],
  },
});

const issue = {
  language: 'en' as const,
  service: { name: 'Muster Post GmbH', contact: 'hallo@muster.example' },
  verifyUrl: `https://letters.example.com/verify/${letterId}?token=abc`,
};

const certificateOf = (
  record = recordOf(),
  personal: LetterPersonal | undefined = samplePersonal(),
  attestation?: Attestation,
): Certificate => {
  const proof = presentProof(record, personal, attestation);
  return presentCertificate(proof, record, personal, issue);
};

const textOf = (pages: PdfPicture[]): string =>
  pages
    .map(({ text }) => text)
    .join('\n')
    .replaceAll(/\s+/g, ' ');

const isDark = ({ png }: PdfPicture, x: number, y: number): boolean =>
  (png.data[4 * (Math.round(y) * png.width + Math.round(x))] ?? 255) < 128;

/** Pages are without margin where every pixel of both edges is white. */
const edgesAreWhite = (picture: PdfPicture, widthPx: number): boolean => {
  const { width, height } = picture.png;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < widthPx; x++) {
      if (isDark(picture, x, y) || isDark(picture, width - 1 - x, y)) return false;
    }
  }
  return true;
};

describe('the certificate of a letter', function () {
  this.timeout(180_000);
  const picture = async (certificate: Certificate, scale = 1) =>
    picturesOf(await renderCertificate(certificate), scale);

  it('prints the facts of the proof', async () => {
    const record = recordOf();
    const proof = presentProof(record, samplePersonal());
    const text = textOf(await picture(certificateOf(record)));
    const facts = [
      ...[proof.letter_id, proof.statement, proof.carrier],
      ...[
        at(20),
        at(21),
        at(23),
        `state as of ${at(24)}`,
        'Status Delivered',
        'Evidence: signature',
      ],
      ...[
        'LL 12345678 9 FR',
        'Level of proof tracking',
        'Pages 1',
        'Proof of sending and delivery',
      ],
      ...[proof.document.commitment, proof.document.algorithm, `Salt ${proof.document.salt}`],
      ...['Ada', '1 rue A', '75001 Paris', 'Bob', '2 rue B', 'Lettre suivie, France'],
      ...['Service DID none', 'Credentials 0 signed', 'Log checkpoint none'],
      issue.verifyUrl,
      'Issued by Muster Post GmbH',
      'Contact hallo@muster.example',
      `at 11:00:00 CET (${at(20)})`,
    ];
    for (const fact of facts) expect(text).to.contain(fact);
    expect(text).not.to.contain('TEST');
  });

  it('names the evidence in words, also within the statement of the proof', () => {
    const record = recordOf();
    record.doc.evidence = 'carrier_scan';
    const { statement } = presentProof(record, samplePersonal());
    expect(statement).to.contain(`was delivered at ${at(23)} (carrier scan)`);
  });

  it('names the countries in its language, and only where they differ', () => {
    const personal = samplePersonal();
    const domestic = certificateOf(recordOf(), personal);
    expect([...domestic.sender, ...domestic.recipient].join()).not.to.match(/france/i);
    const abroad = samplePersonal();
    abroad.from = { ...abroad.from, country: 'DE', postalCode: '20095', city: 'Hamburg' };
    const proof = presentProof(recordOf(), abroad);
    const certificate = presentCertificate(proof, recordOf(), abroad, { ...issue, language: 'de' });
    expect(certificate.sender.slice(-2)).to.deep.equal(['20095 HAMBURG', 'DEUTSCHLAND']);
    expect(certificate.recipient.at(-1)).to.equal('FRANKREICH');
  });

  it('states in every language that the letter came back, and when', () => {
    const record: LetterRecord = { ...recordOf(), status: 'posted' };
    record.doc.deliveryOutcome = 'returned';
    record.doc.timeline[2] = { status: 'returned', at: at(23), source: 'carrier' };
    const proof = presentProof(record, samplePersonal());
    for (const [language, said, state] of [
      ['en', `was reported as returned at ${at(23)}`, 'Returned'],
      ['de', 'als zurückgekommen gemeldet am 23. November 2026', 'Zurückgekommen'],
      ['fr', 'signalée comme retournée le 23 novembre 2026', 'Retournée'],
    ] as const) {
      const { statement, sections } = presentCertificate(proof, record, samplePersonal(), {
        ...issue,
        language,
      });
      expect(statement).to.include(said);
      const [status] = sections[1]?.rows ?? [];
      expect(status?.lines, language).to.deep.equal([state]);
    }
  });

  it('has the place of one page for a delivered letter of two countries', async () => {
    const personal = samplePersonal();
    personal.from = { ...personal.from, country: 'DE', postalCode: '20095', city: 'Hamburg' };
    for (const language of ['en', 'de', 'fr'] as const) {
      const record = recordOf();
      const certificate = presentCertificate(presentProof(record, personal), record, personal, {
        ...issue,
        language,
      });
      expect(await picture(certificate), language).to.have.length(1);
    }
  });

  it('prints who signs, how many credentials there are and the checkpoint of the log', async () => {
    const text = textOf(
      await picture(
        certificateOf(recordOf(), samplePersonal(), {
          credentials: ['a.b.c', 'd.e.f'],
          service_did: 'did:web:letters.example.com',
          log: {
            checkpoint: 'letters.example.com/log\n42\nqINS1GRF=\n\n— x Az3g\n',
            inclusion: [],
          },
        }),
      ),
    );
    expect(text).to.contain('Service DID did:web:letters.example.com');
    expect(text).to.contain('Credentials 2 signed');
    expect(text).to.contain('letters.example.com/log 42 qINS1GRF= — x Az3g');
  });

  it('carries a code that leads to the proof, as vectors', async () => {
    const certificate = certificateOf();
    const pdf = await renderCertificate(certificate);
    expect(pdf.includes('/Subtype /Image')).to.equal(false);
    const scale = 4;
    const [first] = await picturesOf(pdf, scale);
    if (!first) throw new Error('the certificate has a page');
    const { modules } = create(certificate.verifyUrl, { errorCorrectionLevel: 'M' });
    // At the top right: 30 mm wide, 22 mm from the right edge of an A4 page, 22 mm from the top.
    const px = (mm: number) => (mm * 72 * scale) / 25.4;
    const module = px(30) / modules.size;
    const middle = (n: number) => (n + 0.5) * module;
    for (let row = 0; row < modules.size; row++) {
      for (let column = 0; column < modules.size; column++) {
        const dark = isDark(first, px(210 - 22 - 30) + middle(column), px(22) + middle(row));
        expect(dark, `module ${row}, ${column}`).to.equal(modules.get(row, column) !== 0);
      }
    }
    for (let n = -4; n < modules.size + 4; n++) {
      for (const margin of [-4, -1]) {
        const left = isDark(first, px(158) + middle(margin), px(22) + middle(n));
        const above = isDark(first, px(158) + middle(n), px(22) + middle(margin));
        expect(left || above, 'the light margin').to.equal(false);
      }
    }
  });

  it('is the same bytes for the same facts, whenever it is made', async () => {
    const { now } = Date;
    const first = await renderCertificate(certificateOf());
    try {
      Date.now = () => now() + 86_400_000;
      expect((await renderCertificate(certificateOf())).equals(first)).to.equal(true);
    } finally {
      Date.now = now;
    }
  });

  it('has the page of the country of the letter', async () => {
    const sizeOf = async (terms: object) => {
      const [first] = await picture(certificateOf(recordOf(terms)));
      return [first?.png.width, first?.png.height];
    };
    expect(await sizeOf({ country: 'US', service: 'us_certified' })).to.deep.equal([612, 792]);
    expect(await sizeOf({})).to.deep.equal([595, 841]);
  });

  it('marks a test letter on every page', async () => {
    const personal = samplePersonal();
    personal.to.name = 'Marguerite '.repeat(200);
    const pages = await picture(certificateOf(recordOf({ test: true }), personal));
    expect(pages.length).to.be.greaterThan(1);
    for (const { text } of pages) {
      expect(text).to.contain('TEST — nothing was printed or posted');
      expect(text.match(/TEST/g)?.length).to.equal(2);
    }
  });

  it('breaks what is long, so that nothing runs over the edge or is lost', async () => {
    const record = recordOf();
    const number = 'RR123456785DE'.repeat(20);
    record.doc.trackingNumber = number;
    const personal = samplePersonal();
    personal.to.name = 'W'.repeat(150);
    personal.from.line1 =
      'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamter'.repeat(3);
    const pages = await picture(certificateOf(record, personal), 2);
    for (const page of pages) expect(edgesAreWhite(page, 2 * 56)).to.equal(true);
    const unbroken = pages
      .map(({ text }) => text)
      .join('')
      .replaceAll(/\s/g, '');
    expect(unbroken).to.contain(number);
    expect(unbroken).to.contain('W'.repeat(150));
    expect(unbroken).to.contain(personal.from.line1);
  });

  it('prints [erased] in place of what was personal', async () => {
    const record = recordOf();
    const proof = presentProof(record, undefined);
    const certificate = presentCertificate(proof, record, undefined, issue);
    const text = textOf(await picture(certificate));
    expect(text).to.contain('Sender [erased]');
    expect(text).to.contain('Recipient [erased]');
    expect(text).to.contain('Salt [erased]');
    expect(text).to.contain(proof.document.commitment);
    for (const personal of ['Ada', 'Bob', 'rue']) expect(text).not.to.contain(personal);
  });

  it('says in its language that personal data was erased', async () => {
    const proof = presentProof(recordOf(), undefined);
    for (const [language, rows] of [
      ['de', ['Absender [gelöscht]', 'Empfänger [gelöscht]', 'Salt [gelöscht]']],
      ['fr', ['Expéditeur [effacé]', 'Destinataire [effacé]', 'Sel [effacé]']],
    ] as const) {
      const certificate = presentCertificate(proof, recordOf(), undefined, { ...issue, language });
      const text = textOf(await picture(certificate));
      for (const row of rows) expect(text).to.contain(row);
      expect(text).not.to.contain('erased');
    }
  });

  it('is called a record only, of a letter that was not sent', async () => {
    for (const status of ['draft', 'queued', 'cancelled', 'failed'] as const) {
      const record = { ...recordOf(), status };
      expect(certificateOf(record).title).to.equal('Record of a letter');
    }
  });
});
