import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { letterStatuses } from '../../contract/letter-status.ts';
import { orderWords } from '../../pages/order/order-words.ts';
import { trackingPage } from '../../pages/tracking/tracking-page.ts';
import { languages } from '../../postal/stationery.ts';
import { presentTracked } from '../../presenters/letter.ts';
import { type ShownStatus, statusNames } from '../../presenters/status-words.ts';
import type { LetterRecord } from '../../projections/letters/query.ts';
import { sampleTerms } from '../support/letter-samples.ts';

const shown = [...letterStatuses, 'returned'] as const;

const trackingOf = (status: ShownStatus, language: (typeof languages)[number]): string => {
  const timeline = [{ status, at: '2026-11-20T10:00:00.000Z', source: 'partner' }];
  const record = { status: 'posted', doc: { terms: sampleTerms(), timeline } };
  const tracked = presentTracked(record as unknown as LetterRecord);
  return trackingPage({
    letter: { ...tracked, service: 'fr_lettre_suivie', country: 'FR' },
    service: { name: 'Letters', contact: undefined, prefix: '' },
    language,
  });
};

describe('a status of a letter', () => {
  for (const status of shown.filter((one) => one !== 'draft')) {
    it(`has one name on all pages (${status})`, () => {
      for (const language of languages) {
        const name = statusNames[language][status];
        expect(orderWords[language].letter[status], language).to.equal(name);
        expect(trackingOf(status, language)).to.include(`<li><strong>${name}</strong>`);
      }
    });
  }

  it('is in the guide with the name that pages show', () => {
    const guide = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
    for (const status of letterStatuses) {
      expect(guide).to.include(`| \`${status}\` | ${statusNames.en[status]} | `);
    }
  });
});
