import { type AnyOperation, operation } from '../contract/operation.ts';
import { Type } from '../ground/type.ts';
import { framePolicy } from '../pages/reference/frame.ts';

type Hit = { title: string; page: string; path: string; excerpt: string };

type SearchPorts = {
  baseUrl: string;
  site: () => Promise<{
    search(query: string): Promise<Hit[]>;
    searchPage(query: string, hits: readonly Hit[]): string;
  }>;
};

const Found = Type.Named('ReferenceSection', {
  title: Type.String({ description: 'Heading of the section.' }),
  page: Type.String(),
  url: Type.String({ format: 'uri' }),
  markdown_url: Type.String({ format: 'uri', description: 'The page as Markdown.' }),
  excerpt: Type.String(),
});

/** Search in the reference: a page for people, data for programs. */
export const searchReferenceOperation = ({ baseUrl, site }: SearchPorts): AnyOperation =>
  operation({
    name: 'search_reference',
    method: 'GET',
    path: '/api-docs/search',
    tag: 'General',
    summary: 'Search the reference',
    description:
      'Returns the sections of the reference that contain all words, best match first. Answers a page if `Accept` prefers `text/html`.',
    access: 'public',
    input: {
      query: Type.Exact({
        q: Type.Optional(Type.String({ maxLength: 100, description: 'Words.' })),
      }),
    },
    responses: {
      200: {
        description: 'At most 20 sections',
        schema: Type.Named('ReferenceSections', { data: Type.Array(Found) }),
        produces: ['application/json', 'text/html'],
      },
    },
    anyAccept: true,
    errors: [],
    async handle({ query: { q = '' }, accept }) {
      const { search, searchPage } = await site();
      const hits = await search(q);
      if (accept === 'text/html') {
        return {
          body: Buffer.from(searchPage(q, hits)),
          headers: {
            'Content-Type': 'text/html; charset=utf-8',
            'Content-Security-Policy': framePolicy,
          },
        };
      }
      const data = hits.map(({ path, ...hit }) => {
        const [page, anchor] = path.split('#');
        const url = `${baseUrl}/api-docs${path}`;
        return {
          ...hit,
          url,
          markdown_url: `${baseUrl}/api-docs${page}.md${anchor ? `#${anchor}` : ''}`,
        };
      });
      return { body: { data } };
    },
  });
