import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

/** README and guides, by path. */
export const guides = new Map<string, string>(
  ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]
    .filter((path) => path.endsWith('.md'))
    .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
);

/** The text of a guide. @throws Error if there is none */
export const guide = (path: string): string => {
  const text = guides.get(path);
  if (text === undefined) throw new Error(`there is no guide ${path}`);
  return text;
};

type Fence = { language: string; mark: string; text: string };

export const fencesOf = (markdown: string): Fence[] =>
  [...markdown.matchAll(/^```(\w*) ?([\w ]*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', mark = '', text = '']) => ({ language, mark, text }),
  );

/** A snippet that the tests run: the fence says `bash run`, or `bash run refused` for an error. */
export type Snippet = {
  script: string;
  /** The service answers with an error, as the guide shows. */
  refused: boolean;
  /** Lines of the fence `text output` that follows: each is printed; `…` stands for anything. */
  output: string[];
};

export const snippetsOf = (markdown: string): Snippet[] => {
  const snippets: Snippet[] = [];
  for (const { language, mark, text } of fencesOf(markdown)) {
    if (language === 'bash' && mark.startsWith('run')) {
      snippets.push({ script: text, refused: mark === 'run refused', output: [] });
    } else if (language === 'text' && mark === 'output') {
      snippets.at(-1)?.output.push(...text.trimEnd().split('\n'));
    }
  }
  return snippets;
};

/** The cells of all table rows whose first cell is a name in backticks. */
export const namedRowsOf = (markdown: string): string[][] =>
  [...markdown.matchAll(/^\| `(\w+)` \|(.*)\|$/gm)].map(([, name = '', rest = '']) => [
    name,
    ...rest.split('|').map((cell) => cell.trim()),
  ]);

/** Guides that an operator follows when something is wrong or new. */
export const operating = ['docs/deployment.md', 'docs/runbook.md', 'docs/backup.md'];

/** The code within the sentences of a guide, each once. */
export const codeIn = (text: string): string[] => {
  const sentences = text.replace(/^```[\s\S]*?^```/gm, '');
  return [...new Set([...sentences.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code))];
};
