/** A reader understands a sentence at the first reading: no turns of phrase of another language. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { calques, calquesIn, commentCalques } from './calques.ts';
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
const testSources = globSync('{test,bench}/**/*.ts', {
  cwd: root,
  exclude: ['**/node_modules', '**/generated'],
}).sort();
const texts = globSync(['*.md', 'docs/*.md', 'clients/*/README.md'], { cwd: root }).sort();
const scripts = globSync(['**/*.mjs', 'pages/**/*.js', '**/*.css'], {
  cwd: root,
  exclude: outside,
});
const tables = globSync('infra/**/*.sql', { cwd: root }).sort();
const settings = globSync(['deploy/**/*.{yaml,yml}', '.ci/run', 'clients/python/src/**/*.py'], {
  cwd: root,
}).sort();

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

/** Comments of whole lines that begin with a sign. Those inside of functions stay as a database has them. */
const linesAfter =
  (sign: string) =>
  (source: string): Prose[] => {
    const found: Prose[] = [];
    let previous = -1;
    for (const [index, line] of source.split('\n').entries()) {
      if (!line.startsWith(sign)) continue;
      const text = line.slice(sign.length).trim();
      const last = found.at(-1);
      if (last && previous === index - 1) last.text += ` ${text}`;
      else found.push({ line: index + 1, text });
      previous = index;
    }
    return found;
  };

const findingsIn = (
  paths: string[],
  proseOf: (source: string) => Prose[],
  refused = calques,
): string[] =>
  paths.flatMap((path) =>
    proseOf(read(path)).flatMap(({ line, text }) =>
      calquesIn(text, refused).map(
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
    const programs = [...sources, ...testSources, ...scripts];
    expectNone(findingsIn(programs, commentsOf, commentCalques));
    expectNone(findingsIn(settings, linesAfter('#'), commentCalques));
    // Released files never change, so the newest rule does not apply to them.
    expectNone(findingsIn(tables, linesAfter('--')));
  });
});

describe('the rule for English', () => {
  const examples: Record<string, string> = {
    'Who …s': 'Who waits for a processor works not.',
    'What is …': 'It counts. What is cancelled is taken off again.',
    'Whatever …': 'Whatever refuses the change is found first.',
    'That of …': 'The address is kept. That of a change is new.',
    whoever: 'Ask whoever issued it.',
    'is none': 'Logo X is none of the logos.',
    'no more': 'The account has that address no more.',
    'so many': 'A partner with so many letters gets no other.',
    'so … as': 'It is kept so long as there is money.',
    'but for': 'Nothing is wrong with it, but for its price.',
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

  it('wants the subject of a comment first, but lets descriptions begin with "What"', () => {
    for (const text of ['What the caller can do.', 'Its id. Whose it is.', '(a) Who waits']) {
      expect(calquesIn(text, commentCalques).map(({ name }) => name)).to.include('What …');
    }
    expect(calquesIn('What the caller can do.')).to.deep.equal([]);
    expect(calquesIn('Who keeps the key? It is known.', commentCalques)).to.deep.equal([]);
    expect(calquesIn('Says what it is and whose.', commentCalques)).to.deep.equal([]);
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
