/** What agents, directories and crawlers are told. */
import { metadataShelf } from '../agent-api/metadata.ts';
import { factsOf } from './service-facts.ts';
import type { Wing } from './wing.ts';

export const metadata: Wing = {
  name: 'metadata',
  open: (site) => ({
    shelves: (table) => [metadataShelf(() => factsOf(site, table()), site.baseUrl)],
  }),
};
