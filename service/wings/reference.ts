/** The reference for people, and the same for language models; drawn when it is first asked for. */

import type { AnyOperation } from '../../contract/operation.ts';
import type { ServiceFacts } from '../../contract/service-facts.ts';
import type { FileShelf, ServedFile } from '../../contract/static-files.ts';
import { atFirstUse } from '../../ground/at-first-use.ts';
import { pathPrefixOf } from '../../ground/path-prefix.ts';
import { singleFlightByKey } from '../../ground/single-flight.ts';
import { errorCodesOf } from '../../http/openapi-common.ts';
import { referenceAssets } from '../../pages/reference/assets.ts';
import { framePolicy } from '../../pages/reference/frame.ts';
import { searchReferenceOperation } from '../../read-api/search-reference.ts';
import { examples } from '../examples/examples.ts';
import type { Site, Wing } from '../foundation/wing.ts';
import { serviceFactsOf } from './service-facts.ts';

const root = '/api-docs';

type Table = () => readonly AnyOperation[];

const siteOf = (site: Site, table: Table, facts: () => ServiceFacts) =>
  atFirstUse(async () => {
    const { buildSite } = await import('../../pages/reference/site.ts');
    const { baseUrl } = site;
    const operations = table();
    const prefix = pathPrefixOf(baseUrl);
    return buildSite(
      {
        operations,
        examples,
        codesOf: errorCodesOf,
        baseUrl,
        x402: site.config.x402 !== undefined,
        root: prefix + root,
      },
      facts(),
    );
  });

type Reference = ReturnType<typeof siteOf>;

/** `facts`: as they are now; while the service runs, only its DID changes. */
const shelfOf = (reference: Reference, facts: () => ServiceFacts): FileShelf => {
  const drawn = new Map<string, { did: string; forms: readonly ServedFile[] }>();
  const formsAt = async (
    path: string,
    now: ServiceFacts,
  ): Promise<readonly ServedFile[] | undefined> => {
    const site = await reference.use();
    if (path === '/llms.txt') return [site.llms(now)];
    if (path === '/llms-full.txt') return [await site.llmsFull(now)];
    return site.draw(path.slice(root.length));
  };
  // Callers that ask at the same time wait for one drawing.
  const flights = singleFlightByKey<string, readonly ServedFile[] | undefined>();
  const draw = async (path: string): Promise<readonly ServedFile[] | undefined> => {
    const now = facts();
    const { did } = now;
    const known = drawn.get(path);
    if (known?.did === did) return known.forms;
    const forms = await flights(`${did} ${path}`, () => formsAt(path, now));
    if (forms !== undefined) drawn.set(path, { did, forms });
    return forms;
  };
  return {
    contentSecurityPolicy: framePolicy,
    cacheControl: 'public, max-age=300',
    at: (path) =>
      path.startsWith(root) || path === '/llms.txt' || path === '/llms-full.txt'
        ? draw(path)
        : undefined,
  };
};

export const reference: Wing = {
  name: 'reference',
  open(site) {
    let made: Reference | undefined;
    const referenceOf = (table: Table): Reference => {
      made ??= siteOf(site, table, () => serviceFactsOf(site, table()));
      return made;
    };
    return {
      pages: () => [referenceAssets()],
      read: (table) => [
        searchReferenceOperation({
          baseUrl: site.baseUrl,
          site: () => referenceOf(table).use(),
        }),
      ],
      shelves: (table) => [shelfOf(referenceOf(table), () => serviceFactsOf(site, table()))],
    };
  },
};
