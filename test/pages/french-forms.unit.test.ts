import { expect } from 'chai';
import { letterBody } from '../../pages/console/letter/letter-page.ts';
import { lettersWords } from '../../pages/console/letters/letters-words.ts';
import { buttonForm } from '../../pages/console/operator/operator-parts.ts';
import { barChart } from '../../pages/console/statistics/bar-chart.ts';
import type { Visit } from '../../pages/console/visit.ts';
import { attemptsOf } from '../../pages/console/webhooks/webhooks-page.ts';
import { webhooksWords } from '../../pages/console/webhooks/webhooks-words.ts';
import { html, markup } from '../../pages/html.ts';
import { trackingPage } from '../../pages/tracking/tracking-page.ts';
import { presentCertificate } from '../../presenters/certificate.ts';
import { certificateWords } from '../../presenters/certificate-words.ts';
import { presentLetter, presentTracked } from '../../presenters/letter.ts';
import { presentProof } from '../../presenters/proof.ts';
import type { LetterRecord } from '../../projections/letters/query.ts';
import { samplePersonal, sampleTerms } from '../support/letter-samples.ts';

const acceptedAt = '2026-12-01T09:05:00.000Z';

const record: LetterRecord = {
  letterId: '7c1e0d5e-1111-5222-8333-444455556666',
  accountId: 'acct_1',
  status: 'queued',
  version: 1n,
  createdPosition: 1n,
  sealed: undefined,
  doc: {
    terms: sampleTerms(),
    createdAt: acceptedAt,
    updatedAt: acceptedAt,
    timeline: [{ status: 'queued', at: acceptedAt, source: 'api' }],
  },
};

describe('the first of a month in French', () => {
  it('is written 1er on a certificate', () => {
    const proof = presentProof(record, samplePersonal());
    const certificate = presentCertificate(proof, record, samplePersonal(), {
      language: 'fr',
      service: { name: 'Letters', contact: undefined },
      verifyUrl: 'https://letters.example.com/verify',
    });
    expect(JSON.stringify(certificate))
      .to.include('1er décembre 2026 à 1')
      .and.not.match(/\D1 décembre/);
  });

  it('is written 1er on the tracking page and in the console', () => {
    const tracked = { ...presentTracked(record), service: 'fr_lettre_suivie', country: 'FR' };
    const service = { name: 'Letters', contact: undefined } as never;
    expect(trackingPage({ letter: tracked, service, language: 'fr' })).to.include(
      '>1er décembre 2026<',
    );
    const letter = presentLetter(record, samplePersonal(), { content: true }) as never;
    const visit = { language: 'fr', at: (path: string) => path } as Visit;
    expect(markup(letterBody(letter, undefined, visit))).to.include('>1er déc. 2026, 09:05 UTC<');
  });
});

describe('the number of signatures on a certificate in French', () => {
  it('agrees with its adjective', () => {
    const { signed } = certificateWords.fr;
    expect([0, 1, 2].map(signed)).to.deep.equal(['0 signée', '1 signée', '2 signées']);
  });
});

describe('a label and its value in French', () => {
  it('have a colon that is set off, in the chart of days', () => {
    const chart = { name: 'spent', title: 'Dépenses', summary: '', bars: [], shown: String };
    const words = { table: 'Tableau', day: 'Jour', most: 'Maximum' };
    const shown = (language: 'en' | 'fr') =>
      markup(
        barChart(
          { ...chart, bars: [{ day: '2026-12-01', value: 9 }] },
          { language } as Visit,
          words,
        ),
      );
    expect(shown('fr')).to.include('>Maximum : 9<').and.include('>Tableau : Dépenses<');
    expect(shown('en')).to.include('>Maximum: 9<').and.include('>Tableau: Dépenses<');
  });

  it('have a colon that is set off, in the lists of letters and messages of the console', () => {
    const visit = { language: 'fr', at: (path: string) => path } as Visit;
    const at = '2026-12-02T09:05:00.000Z';
    const attempt = { at, status: 500, error: null, duration_ms: 1 };
    const [line] = attemptsOf({ attempts: [attempt] }, visit, webhooksWords.fr);
    expect(markup(html`${line}`)).to.include('</time> : 500');
    expect(lettersWords.fr.madeBy).to.equal('Créées avec :');
  });
});

describe('the names of the buttons of operators', () => {
  it('have the colon of their language', () => {
    const named = (language: 'en' | 'fr') =>
      markup(buttonForm('/x', { label: 'Révoquer', about: 'key_1', language }));
    expect(named('fr')).to.contain('aria-label="Révoquer : key_1"');
    expect(named('en')).to.contain('aria-label="Révoquer: key_1"');
  });
});
