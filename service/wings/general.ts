/** The service's description of itself, and the page on which to try its operations. */
import { pathPrefixOf } from '../../ground/path-prefix.ts';
import { docsPage } from '../../pages/docs/docs-page.ts';
import { generalOperations } from '../../read-api/general.ts';
import type { Wing } from '../foundation/wing.ts';
import { serviceFactsOf } from './service-facts.ts';

export const general: Wing = {
  name: 'general',
  open: (site) => ({
    pages: () => [docsPage(pathPrefixOf(site.baseUrl))],
    read: (table) =>
      generalOperations(() => serviceFactsOf(site, table()), site.clock, site.prices),
  }),
};
