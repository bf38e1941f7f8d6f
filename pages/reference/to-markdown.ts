/** Pages of the reference as Markdown, for programs that read and for people who copy. */
import type { Block, Code, Field, Page } from './blocks.ts';

const fence = ({ language, text }: Code): string => {
  const ticks = text.includes('```') ? '````' : '```';
  return `${ticks}${language}\n${text.trimEnd()}\n${ticks}`;
};

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.map(cell).join(' | ')} |`)
    .join('\n');

const requiredText = (required: true | string): string =>
  required === true ? 'required' : `required ${required}`;

const fieldRow = ({ name, type, required, limits, description, example }: Field): string[] => [
  `\`${name}\`${required ? ` (${requiredText(required)})` : ''}`,
  [type, ...limits].join('; '),
  [description, example === undefined ? '' : `Example: \`${example}\``].filter(Boolean).join(' '),
];

const blockText = (block: Block): string => {
  switch (block.kind) {
    case 'prose':
      // Behind the language of a fence stands what our tests do with it.
      return block.markdown.trim().replaceAll(/^```(\w+) [\w ]+$/gm, '```$1');
    case 'heading':
      return `${'#'.repeat(block.level)} ${block.text}`;
    case 'endpoint':
      return `\`${block.method} ${block.path}\``;
    case 'facts':
      return block.facts.map(([name, text]) => `- ${name}: ${text}`).join('\n');
    case 'fields':
      return `**${block.title}**\n\n${table(['Field', 'Type', 'Meaning'], block.fields.map(fieldRow))}`;
    case 'table':
      return [block.summary && `**${block.summary}**`, table(block.head, block.rows)]
        .filter(Boolean)
        .join('\n\n');
    case 'code':
      return [block.code.title && `${block.code.title}:`, fence(block.code)]
        .filter(Boolean)
        .join('\n\n');
    case 'samples':
      return block.samples.map(fence).join('\n\n');
    case 'columns':
      return [...block.text, ...block.code].map(blockText).join('\n\n');
  }
};

export const toMarkdown = ({ title, blocks }: Page): string =>
  `${[`# ${title}`, ...blocks.map(blockText)].join('\n\n')}\n`;
