/** A letter whose personal data were erased after RETENTION_DAYS, in the console. */
import { expect } from 'chai';
import { letterBody } from '../../pages/console/letter/letter-page.ts';
import { lettersTable } from '../../pages/console/letters/letters-page.ts';
import { lettersWords } from '../../pages/console/letters/letters-words.ts';
import type { Visit } from '../../pages/console/visit.ts';
import { markup } from '../../pages/html.ts';
import { presentLetter } from '../../presenters/letter.ts';
import type { LetterRecord } from '../../projections/letters/query.ts';
import { samplePersonal, sampleTerms } from '../support/letter-samples.ts';

const createdAt = '2026-12-01T09:05:00.000Z';
const record: LetterRecord = {
  letterId: '7c1e0d5e-1111-5222-8333-444455556666',
  accountId: 'acct_1',
  status: 'delivered',
  version: 1n,
  createdPosition: 1n,
  sealed: undefined,
  doc: {
    terms: sampleTerms(),
    createdAt,
    updatedAt: createdAt,
    timeline: [{ status: 'queued', at: createdAt, source: 'api' }],
  },
};
const erased = presentLetter(record, undefined, { content: true }) as never;
const whole = presentLetter(record, samplePersonal(), { content: true }) as never;
const words = { en: '[erased]', de: '[gelöscht]', fr: '[effacé]' };
const preview = '/page-1.png';
const others = '/letters/recipient';

for (const language of ['en', 'de', 'fr'] as const) {
  const visit = { language, at: (path: string) => path } as Visit;
  const pageOf = (letter: never) => markup(letterBody(letter, undefined, visit));

  describe(`an erased letter in the console (${language})`, () => {
    it('shows once in each address that it was erased, in the language of the page', () => {
      const lines = pageOf(erased).match(/<span class="line">[^<]*/g) ?? [];
      const shown = lines.map((line) => line.slice(line.indexOf('>') + 1));
      expect(shown).to.have.length(4);
      expect([shown[0], shown[2]]).to.deep.equal([words[language], words[language]]);
      const list = markup(lettersTable([erased], visit, lettersWords[language]));
      expect(list.split(words[language])).to.have.length(2);
      if (language !== 'en') expect(pageOf(erased) + list).to.not.contain('[erased]');
    });

    it('offers neither its pages nor a search for its recipient', () => {
      expect(pageOf(erased)).to.not.contain(preview).and.not.contain(others);
      expect(pageOf(whole)).to.contain(preview).and.contain(others);
    });
  });
}
