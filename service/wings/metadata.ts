/** Metadata for agents, directories and crawlers. */
import { metadataShelf } from '../../agent-api/metadata.ts';
import type { Wing } from '../foundation/wing.ts';
import { serviceFactsOf } from './service-facts.ts';

export const metadata: Wing = {
  name: 'metadata',
  open: (site) => ({
    shelves: (table) => [metadataShelf(() => serviceFactsOf(site, table()), site.baseUrl)],
  }),
};
