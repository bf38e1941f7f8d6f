/** What agents, directories and crawlers are told. */
import { metadataShelf } from '../../agent-api/metadata.ts';
import type { Wing } from '../foundation/wing.ts';
import { factsOf } from './service-facts.ts';

export const metadata: Wing = {
  name: 'metadata',
  open: (site) => ({
    shelves: (table) => [metadataShelf(() => factsOf(site, table()), site.baseUrl)],
  }),
};
