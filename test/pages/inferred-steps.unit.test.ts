import { expect } from 'chai';
import { letterBody } from '../../pages/console/letter/letter-page.ts';
import type { Visit } from '../../pages/console/visit.ts';
import { markup } from '../../pages/html.ts';
import { trackingPage } from '../../pages/tracking/tracking-page.ts';
import { presentCertificate } from '../../presenters/certificate.ts';
import { presentLetter, presentTracked } from '../../presenters/letter.ts';
import { presentProof } from '../../presenters/proof.ts';
import type { LetterRecord } from '../../projections/letters/query.ts';
import { samplePersonal, sampleTerms } from '../support/letter-samples.ts';

const recordedAt = '2026-11-25T10:00:00.000Z';
const deliveredAt = '2026-11-21T10:00:00.000Z';

/** Only the delivery was reported, four days late. */
const record: LetterRecord = {
  letterId: '7c1e0d5e-1111-5222-8333-444455556666',
  accountId: 'acct_1',
  status: 'delivered',
  version: 4n,
  createdPosition: 1n,
  sealed: undefined,
  doc: {
    terms: sampleTerms(),
    createdAt: '2026-11-19T10:00:00.000Z',
    updatedAt: recordedAt,
    evidence: 'signature',
    deliveryOutcome: 'delivered',
    timeline: [
      { status: 'queued', at: '2026-11-19T10:00:00.000Z', source: 'api' },
      { status: 'posted', at: recordedAt, source: 'partner', inferred: true },
      { status: 'in_transit', at: recordedAt, source: 'partner', inferred: true },
      { status: 'delivered', at: recordedAt, source: 'partner', occurred_at: deliveredAt },
    ],
  },
};

const languages = ['en', 'de', 'fr'] as const;
const unknown = { en: 'time not reported', de: 'Zeit nicht gemeldet', fr: 'heure non signalée' };

describe('a step that only follows from a later report', () => {
  const proof = presentProof(record, samplePersonal());

  it('has no time in the proof', () => {
    expect(proof).to.include({ posted_at: null, delivered_at: deliveredAt });
    expect(proof.statement)
      .to.include('was posted (time not reported), was delivered at 2026-11-21')
      .and.not.include(recordedAt);
  });

  for (const language of languages) {
    it(`has no time on the certificate (${language})`, () => {
      const { statement, sections } = presentCertificate(proof, record, samplePersonal(), {
        language,
        service: { name: 'Letters', contact: undefined },
        verifyUrl: 'https://letters.example.com/verify',
      });
      expect(statement)
        .to.include(`(${unknown[language]})`)
        .and.not.match(/\b25\b/);
      const lines = sections.flatMap(({ rows }) => rows.flatMap((row) => row.lines));
      expect(lines).to.include(unknown[language]);
      expect(lines.join()).to.not.include(recordedAt);
    });

    it(`has no time on the tracking page and in the console (${language})`, () => {
      const tracked = { ...presentTracked(record), service: 'fr_lettre_suivie', country: 'FR' };
      const service = { name: 'Letters', contact: undefined } as never;
      expect(trackingPage({ letter: tracked, service, language }))
        .to.include(`datetime="${deliveredAt}"`)
        .and.not.include(recordedAt);
      const letter = presentLetter(record, samplePersonal(), { content: true }) as never;
      const visit = { language, at: (path: string) => path } as Visit;
      expect(markup(letterBody(letter, undefined, visit)))
        .to.include(deliveredAt)
        .and.not.include(recordedAt);
    });
  }

  it('is marked in the answer to tracking', () => {
    const marks = presentTracked(record).events.map(({ status, inferred }) => [status, inferred]);
    expect(marks).to.deep.equal([
      ['queued', undefined],
      ['posted', true],
      ['in_transit', true],
      ['delivered', undefined],
    ]);
  });
});
