/** What the service says of itself, and the console on which to try it. */
import { consolePage } from '../pages/console/console-page.ts';
import { generalOperations } from '../read-api/general.ts';
import type { Wing } from './wing.ts';

export const general: Wing = {
  name: 'general',
  open: ({ config, keys, baseUrl }) => ({
    pages: () => [consolePage()],
    read: () =>
      generalOperations({
        baseUrl,
        did: () => keys.serviceKeys.identity().did,
        mail: config.mail !== undefined,
        x402: config.x402 !== undefined,
        credentials: config.credentials,
      }),
  }),
};
