/** The sentences of refusals and findings on the pages of the console. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { blockerCodes } from '../../contract/closure-blockers.ts';
import { facts } from '../../contract/errors.ts';
import { blockerWords } from '../../pages/console/data/data-words.ts';
import { problemNotice } from '../../pages/console/frame.ts';
import { failureWords } from '../../pages/console/letter/letter-words.ts';
import { findingWords } from '../../pages/console/refusals/finding-words.ts';
import { findingsList, reasonOf } from '../../pages/console/refusals/problem-words.ts';
import { refusalWords } from '../../pages/console/refusals/refusal-words.ts';
import { markup } from '../../pages/html.ts';
import { findingCodes } from '../../postal/preflight-findings.ts';

const root = join(import.meta.dirname, '..', '..');
const kindNames = ['number', 'money', 'day', 'moment', 'wait', 'status', 'limit', 'usage'];
const languages = ['en', 'de', 'fr'] as const;
type Words = Readonly<Record<string, string | readonly string[]>>;

const tables: Record<string, Record<(typeof languages)[number], Words>> = {
  refusals: refusalWords,
  findings: findingWords,
  failures: failureWords,
  blockers: blockerWords,
};

const filesIn = (path: string): string[] =>
  statSync(join(root, path)).isDirectory()
    ? readdirSync(join(root, path)).flatMap((name) => filesIn(`${path}/${name}`))
    : [path];

/** The code that makes findings about what the forms of the console send, and warnings about letters. */
const makers = [
  'http/field-errors.ts',
  'http/plain-json.ts',
  'commands/preparation',
  'commands/policies/check-policy.ts',
  'commands/negotiation/make-contract.ts',
  'postal/addresses',
  'documents/render',
  'write-api/letters/input.ts',
  'write-api/letters/send.ts',
  'write-api/guards/wanted-policy.ts',
  'write-api/payments/top-up.ts',
  'write-api/quotes.ts',
  'write-api/keys.ts',
  'write-api/close-account.ts',
  'presenters/paging.ts',
  'infra/fetch/outbound-url.ts',
  'infra/fetch/guarded-connect.ts',
];

/** The ways in which that code names the code of a finding. */
const namings = [
  /\bcode: '([a-z_]+)'/g,
  /\binvalidField\(\s*[^,]+,\s*'([a-z_]+)'/g,
  /\bhtmlRefused\(\s*'([a-z_]+)'/g,
  /\bOutboundError\(\s*'([a-z_]+)'/g,
  /\bwarning\(\s*'([a-z_]+)'/g,
  /\bsize\('([a-z_]+)'/g,
  /\bfinding\(\s*[^,]+,\s*'([a-z_]+)'/g,
  /\brefuse\(\s*(?:`[^`]*`|'[^']*'),\s*'([a-z_]+)'/g,
];

const madeCodes = (): string[] => {
  const sources = makers.flatMap(filesIn).map((file) => readFileSync(join(root, file), 'utf8'));
  const found = sources.flatMap((source) =>
    namings.flatMap((naming) => [...source.matchAll(naming)].map(([, code = '']) => code)),
  );
  return [...new Set(found)].sort();
};

const placesIn = (sentence: string): string[] =>
  [...sentence.matchAll(/\{[^}]*\}/g)].map(([one]) => one).sort();

const sentencesOf = (words: Words): [string, string][] =>
  Object.entries(words).flatMap(([code, said]) =>
    [said].flat().map((sentence): [string, string] => [code, sentence]),
  );

describe('the words of refusals', () => {
  it('cover every finding about a document, in each language', () => {
    for (const language of languages) {
      expect(Object.keys(findingWords[language])).to.include.members([...findingCodes]);
    }
  });

  it('cover every finding about what a form sends', () => {
    const codes = madeCodes();
    expect(codes).to.include.members(['out_of_range', 'too_long', 'required', 'parcels_only']);
    expect(codes.filter((code) => !Object.hasOwn(findingWords.en, code))).to.deep.equal([]);
  });

  it('cover every reason why an account cannot be erased yet', () => {
    expect(Object.keys(blockerWords.en).sort()).to.deep.equal([...blockerCodes].sort());
  });

  for (const [name, table] of Object.entries(tables)) {
    it(`have the same codes and values in each language (${name})`, () => {
      const shapeOf = (words: Words) =>
        sentencesOf(words).map(([code, sentence]) => [code, ...placesIn(sentence)]);
      const english = shapeOf(table.en);
      for (const language of languages) {
        expect(shapeOf(table[language]), language).to.deep.equal(english);
      }
    });

    it(`name values of a known kind, and end with a sentence that needs none (${name})`, () => {
      for (const [code, said] of Object.entries(table.en)) {
        const sentences = [said].flat();
        // Without its values, `code.kind` is said as `code`.
        if (!code.includes('.')) expect(sentences.at(-1), code).to.not.contain('{');
        for (const place of sentences.flatMap(placesIn)) {
          const [, kind] = /^\{\w+(?::(\w+))?\}$/.exec(place) ?? ['', place];
          if (kind !== undefined) expect(kindNames, `${code} ${place}`).to.include(kind);
        }
      }
    });

    it(`have no names of the API, and end as sentences do (${name})`, () => {
      for (const [code, sentence] of languages.flatMap((one) => sentencesOf(table[one]))) {
        const text = sentence.replaceAll(/\{[^}]*\}/g, '');
        expect(text, code).to.not.match(/`|[a-z]_[a-z]|\/api\/|\/auth\/|GET |POST /);
        expect(text, code).to.match(/^[\p{Lu}{ ].*[.?]$/u);
      }
    });
  }
});

const problem = (code: string, more: Record<string, unknown> = {}) => ({
  status: 422,
  code,
  title: '',
  detail: 'Use the field to_line1.',
  ...more,
});

const textOf = (page: string): string =>
  page.replaceAll(/<[^>]*>/g, '').replaceAll(/[\u00a0\u202f]/g, ' ');

describe('a refusal on a page', () => {
  it('has its amounts and times as the language writes them', () => {
    const dear = problem('insufficient_funds', { total: 4.5, available: 1 });
    expect(textOf(markup(reasonOf(dear, 'de'))))
      .to.contain('kostet 4,50 $')
      .and.contain('1,00 $');
    expect(textOf(markup(reasonOf(dear, 'fr'))))
      .to.contain('coûte 4,50')
      .and.contain('1,00');
    const dearer = problem('insufficient_funds', { total: 5, additional: 0.5, available: 0.2 });
    expect(textOf(markup(reasonOf(dearer, 'de')))).to.contain('Änderung kostet 0,50 $ mehr');
    const waits = problem('rate_limited', { retry_after: 60 });
    expect(textOf(markup(reasonOf(waits, 'de')))).to.contain('in 60 Sekunden');
    expect(textOf(markup(reasonOf({ ...waits, retry_after: 3_000 }, 'fr')))).to.contain(
      '50 minutes',
    );
    const late = problem('letter_not_cancellable', { letter_status: 'posted' });
    expect(textOf(markup(reasonOf(late, 'de')))).to.contain('Sein Stand: Eingeliefert.');
  });

  it('names the rule that denies a letter, and its limit', () => {
    const limit = { amount: 10, per: 'day' };
    const resets = { rule: 'small', limit, resets_at: '2027-01-02T00:00:00.000Z' };
    expect(textOf(markup(reasonOf(problem('policy_denied', resets), 'de')))).to.equal(
      'Die Regel „small“ erlaubt 10,00 $ / Tag, darum diesen Brief nicht vor 02.01.2027, 00:00 UTC.',
    );
    const used = problem('policy_denied', { ...resets, used: 8.5 });
    expect(textOf(markup(reasonOf(used, 'de')))).to.equal(
      'Die Regel „small“ erlaubt 10,00 $ / Tag (verbraucht: 8,50 $). Dieser Brief ist nicht vor 02.01.2027, 00:00 UTC erlaubt.',
    );
    const dear = { rule: 'small', limit: { amount: 2, per: 'letter' }, used: 0, resets_at: null };
    expect(textOf(markup(reasonOf(problem('policy_denied', dear), 'en')))).to.equal(
      'The rule “small” allows US$2.00 / letter, so it does not allow this letter.',
    );
    const denies = problem('policy_denied', { rule: 'small', resets_at: null });
    expect(textOf(markup(reasonOf(denies, 'en')))).to.equal(
      'The rule “small” does not allow this letter.',
    );
    expect(textOf(markup(reasonOf(problem('policy_denied', { rule: null }), 'fr')))).to.equal(
      'Aucune règle ne permet cette lettre.',
    );
  });

  it('escapes what a caller wrote', () => {
    const denies = problem('policy_denied', { rule: '<b>' });
    expect(markup(reasonOf(denies, 'en'))).to.contain('“&lt;b&gt;”');
  });

  it('shows a code without words with the sentence of the service, marked as English', () => {
    for (const code of ['some_new_code', 'toString', '__proto__']) {
      const shown = markup(problemNotice(problem(code), 'de'));
      expect(shown).to.contain('Der Dienst gab diesen Grund an, auf Englisch:');
      expect(shown).to.contain('<span lang="en">Use the field to_line1.</span>');
      expect(shown).to.contain(`<code>${code}</code>`);
    }
  });

  it('says the limits of a value', () => {
    const finding = (code: string, known: Record<string, string | number>) => ({
      pointer: '/label',
      code,
      detail: 'No.',
      [facts]: known,
    });
    const list = findingsList(
      [
        finding('too_long', { kind: 'character', limit: 1_000 }),
        finding('out_of_range', { at_most: 12 }),
        finding('out_of_range', { first: '2027-01-02', last: '2027-02-01' }),
        finding('format', { kind: 'email' }),
        finding('too_long', {}),
      ],
      'de',
    );
    expect(textOf(markup(list).replaceAll('</li>', '|'))).to.equal(
      [
        'Name: Geben Sie höchstens 1.000 Zeichen ein.|',
        'Name: Geben Sie höchstens 12 ein.|',
        'Name: Wählen Sie einen Tag vom 02.01.2027 bis zum 01.02.2027.|',
        'Name: Geben Sie eine E-Mail-Adresse wie anna@example.com ein.|',
        'Name: Das ist zu lang.|',
      ].join('\n'),
    );
  });

  it('says how many days, cents or times are possible', () => {
    const errorOf = (code: string, known: Record<string, string | number>) =>
      markup(findingsList([{ pointer: '', code, detail: 'In English.', [facts]: known }], 'de'));
    expect(errorOf('not_allowed', { kind: 'days', most: 365 })).to.contain('höchstens 365 Tage');
    expect(errorOf('not_allowed', { kind: 'order' })).to.contain('vor dem Ende');
    expect(errorOf('out_of_range', { kind: 'cents' })).to.contain('ganze Cent');
    expect(errorOf('out_of_range', { kind: 'past' })).to.contain('in der Zukunft');
  });

  it('names the page of a PDF that a finding is about', () => {
    const pointer = '/document';
    const finding = { pointer, code: 'page_landscape', detail: 'Page 3 is landscape; turn it.' };
    expect(textOf(markup(findingsList([finding], 'fr')))).to.contain('La page 3 est en paysage.');
  });

  it('offers to fit a page only where that is possible', () => {
    const finding = { pointer: '/document', code: 'page_landscape', detail: 'Page 3 is landscape' };
    const said = (one: object) => textOf(markup(findingsList([{ ...finding, ...one }], 'en')));
    expect(said({})).to.contain('let it be made to fit');
    expect(said({ [facts]: { kind: 'unfit' } }))
      .to.contain('Page 3')
      .and.not.contain('made to fit');
  });

  it('are followed by what was changed, in English and with the labels of fields', () => {
    const detail = 'to_city "10969 Berlin" became "Berlin".';
    const list = findingsList([{ pointer: '/to_city', code: 'normalized', detail }], 'de');
    expect(markup(list)).to.contain(
      '<span lang="en">Recipient, City &quot;10969 Berlin&quot; became &quot;Berlin&quot;.</span>',
    );
  });
});
