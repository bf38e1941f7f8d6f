/** Colours of code: enough to tell strings, names and words of the language apart. */
import { type Html, html, markup, trusted } from '../html.ts';

const words = {
  ts: 'await|async|const|let|if|else|throw|new|import|from|export|function|return|process|type',
  python: 'import|from|as|with|if|else|def|return|print|raise|for|in|not|and|or|None|True|False',
  bash: 'curl|echo|for|in|do|done|if|then|fi|export|sed|npm|npx',
  json: 'true|false|null',
};

const strings = /"(?:\\.|[^"\\])*"|'[^']*'|`(?:\\.|[^`\\])*`/.source;

const grammarOf = (comment: string, keywords: string): RegExp =>
  new RegExp(
    `(?<comment>${comment})|(?<string>${strings})|(?<word>\\b(?:${keywords})\\b)|(?<number>\\b\\d[\\d_.]*\\b)`,
    'g',
  );

const slashes = /(?<!:)\/\/[^\n]*/.source;
const hash = /(?<![\w$"'{])#[^\n]*/.source;
const none = /(?!)/.source;

const grammars: Record<string, RegExp> = {
  ...Object.fromEntries(['ts', 'js', 'mjs'].map((name) => [name, grammarOf(slashes, words.ts)])),
  python: grammarOf(hash, words.python),
  ...Object.fromEntries(['bash', 'sh'].map((name) => [name, grammarOf(hash, words.bash)])),
  json: grammarOf(none, words.json),
};

const classes = { comment: 'c', string: 's', word: 'w', number: 'n' } as const;

const partOf = (match: RegExpExecArray, after: string): Html => {
  const [text] = match;
  const kind = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0];
  const isName = kind === 'string' && /^\s*:/.test(after);
  const name = isName ? 'p' : classes[kind as keyof typeof classes];
  return html`<span class="${name}">${text}</span>`;
};

/** The text, in which parts are marked by classes. */
export const highlighted = (language: string, text: string): Html => {
  const grammar = grammars[language];
  if (grammar === undefined) return html`${text}`;
  let end = 0;
  const parts: Html[] = [];
  for (const match of text.matchAll(grammar)) {
    const next = match.index + match[0].length;
    parts.push(
      html`${text.slice(end, match.index)}${partOf(match, language === 'json' ? text.slice(next, next + 3) : '')}`,
    );
    end = next;
  }
  return trusted([...parts, html`${text.slice(end)}`].map(markup).join(''));
};
