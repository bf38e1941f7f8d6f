/** The guides under `docs/` and the changelog as pages of the reference. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from './blocks.ts';
import { cutAtHeadings } from './cut-at-headings.ts';

const folder = new URL('../../docs/', import.meta.url);
const changelog = new URL('../../CHANGELOG.md', import.meta.url);

/** Guides in the order in which they are read; others follow by name. */
const basics = ['getting-started', 'api', 'webhooks'];
/** For those who run the service themselves. */
const operating = [
  ...[
    'deployment',
    'operations',
    'runbook',
    'backup',
    'printing',
    'print-houses',
    'personal-data',
    'keys',
  ],
  ...['architecture', 'events-and-store', 'eventstoredb', 'kafka', 'performance'],
];

/**
 * Where a link of a guide leads in the reference: guides and the changelog are pages of it. Undefined: into the
 * source, which is not served.
 */
export const guideLink = (href: string, root: string): string | undefined => {
  const [, name, rest = ''] = /^(?:\.\/|docs\/|\.\.\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (name === undefined) return href.startsWith('../') ? undefined : href;
  if (name === 'CHANGELOG') return `${root}/changelog${rest}`;
  return name === 'README' ? `${root}${rest}` : `${root}/guides/${name}${rest}`;
};

const plain = (markdown: string): string =>
  markdown.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');

/** The first sentence of a text. */
const sentence = (markdown: string): string => {
  const text = plain(markdown.trim().split(/\n\n/)[0] ?? '').replaceAll('\n', ' ');
  return /^.{20,}?\.(?=\s|$)/.exec(text)?.[0] ?? text.slice(0, 200);
};

/** A section is a block of its own: a page is drawn in slices of few blocks. */
const blocksOf = (markdown: string): Page['blocks'] =>
  cutAtHeadings(markdown)
    .map(({ text }) => ({ kind: 'prose' as const, markdown: text.trim() }))
    .filter((block) => block.markdown !== '');

const pageOf = (about: { path: string; group: string; text: string; baseUrl: string }): Page => {
  const { path, group, text, baseUrl } = about;
  const [, title = '', rest = ''] = /^# (.*)\n([\s\S]*)$/.exec(text) ?? [];
  // Guides speak of a service on the reader's machine; here its address is known.
  const markdown = rest.replaceAll('http://localhost:3000', baseUrl).trim();
  return {
    path,
    title,
    group,
    description: sentence(markdown),
    blocks: blocksOf(markdown),
  };
};

const groupOf = (name: string): string => {
  if (basics.includes(name)) return 'Basics';
  return operating.includes(name) ? 'Run it yourself' : 'Guides';
};

const place = (name: string): number => {
  const order = [...basics, ...operating];
  return order.includes(name) ? order.indexOf(name) : order.length;
};

export const guidePages = (baseUrl: string): Page[] => {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -3))
    .sort((a, b) => place(a) - place(b) || a.localeCompare(b));
  return names.map((name) =>
    pageOf({
      path: `/guides/${name}`,
      group: groupOf(name),
      baseUrl,
      text: readFileSync(new URL(`${name}.md`, folder), 'utf8'),
    }),
  );
};

export const changelogPage = (baseUrl: string): Page => ({
  ...pageOf({
    path: '/changelog',
    group: 'Basics',
    baseUrl,
    text: readFileSync(changelog, 'utf8'),
  }),
  description: 'Changes for users, by version.',
});
