/** A reader understands a sentence at the first reading: no turns of phrase of another language. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { calques, calquesIn } from './calques.ts';
import { commentsOf, literalsOf, type Prose } from './read-prose.ts';

const root = join(import.meta.dirname, '..', '..');
const outside = [
  '**/node_modules',
  'clients/typescript/frameworks',
  '**/generated',
  'test',
  'bench',
];
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const sources = globSync('**/*.ts', { cwd: root, exclude: outside }).sort();
const texts = globSync(['*.md', 'docs/*.md', 'clients/*/README.md'], { cwd: root }).sort();

/** Paragraphs and rows of a guide, without its code. */
const paragraphsOf = (markdown: string): Prose[] => {
  const prose = markdown.replaceAll(/^```[\s\S]*?^```/gm, (fence) =>
    fence.replaceAll(/[^\n]/g, ''),
  );
  const found: Prose[] = [];
  let line = 1;
  for (const block of prose.split(/\n(?=\s*\n|\s*[-|#]|\s*\d+\. )/)) {
    const text = block.replace(/^[\s|#>*-]+/, '').replaceAll(/\s+/g, ' ');
    found.push({ line: line + (/^\n*/.exec(block)?.[0].length ?? 0), text });
    line += block.split('\n').length;
  }
  return found;
};

const findingsIn = (paths: string[], proseOf: (source: string) => Prose[]): string[] =>
  paths.flatMap((path) =>
    proseOf(read(path)).flatMap(({ line, text }) =>
      calquesIn(text).map(
        ({ name, instead }) => `${path}:${line} "${name}" (${instead}): ${text.slice(0, 200)}`,
      ),
    ),
  );

const expectNone = (found: string[]): void => {
  expect(found, found.join('\n')).to.have.length(0);
};

describe('the English of the project', () => {
  it('is plain in what callers and operators read', () => {
    expectNone(findingsIn(sources, literalsOf));
  });

  it('is plain in README and the guides', () => {
    expectNone(findingsIn(texts, paragraphsOf));
  });

  it('is plain in comments', () => {
    expectNone(findingsIn(sources, commentsOf));
  });
});

describe('the rule for English', () => {
  const examples: Record<string, string> = {
    'Who …s': 'Who waits for a processor works not.',
    'What is …': 'It counts. What is cancelled is taken off again.',
    whoever: 'Ask whoever issued it.',
    'is none': 'Logo X is none of the logos.',
    'no more': 'The account has that address no more.',
    'all the same': 'They are taken all the same.',
    'in place of': 'Send it in place of the content.',
    'is told': 'The sender is told of it.',
    beside: 'A payment beside a key.',
    '… else': 'It may read, or it is refused; nothing, or 404 else.',
  };

  it('finds each of its turns of phrase', () => {
    expect(Object.keys(examples)).to.deep.equal(calques.map(({ name }) => name));
    for (const [name, sentence] of Object.entries(examples)) {
      expect(calquesIn(sentence).map((one) => one.name)).to.deep.equal([name]);
    }
  });

  it('lets plain sentences and code pass', () => {
    for (const sentence of [
      'Who keeps the key? What is in it?',
      'If there is none, the service makes one.',
      'It names no more than ten letters, and pays somebody else. They are told apart.',
      'Besides, `whoever` is a word.',
    ]) {
      expect(calquesIn(sentence), sentence).to.deep.equal([]);
    }
  });

  it('reads literals that are joined, templates, and comments of several lines', () => {
    const source = [
      "const a = 'One ' +",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a template inside of a program
      "  `two ${b ? 'x' : `y`} three`; // A comment",
      '// of two lines.',
      'const pattern = /["`]/;',
      "/** Another\n * one. */ /** A third. */ f('four');",
    ].join('\n');
    expect(literalsOf(source)).to.deep.equal([
      { line: 1, text: 'One two … three' },
      { line: 6, text: 'four' },
    ]);
    expect(commentsOf(source)).to.deep.equal([
      { line: 2, text: 'A comment of two lines.' },
      { line: 5, text: 'Another one.' },
      { line: 6, text: 'A third.' },
    ]);
  });
});
