/** What the service says of itself, and the console on which to try it. */
import { consolePage } from '../../pages/console/console-page.ts';
import { generalOperations } from '../../read-api/general.ts';
import type { Wing } from '../foundation/wing.ts';
import { factsOf } from './service-facts.ts';

export const general: Wing = {
  name: 'general',
  open: (site) => ({
    pages: () => [consolePage()],
    read: (table) => generalOperations(() => factsOf(site, table()), site.clock),
  }),
};
