import { flag } from '../config-parsers.ts';
import { group, plain } from '../group.ts';

export const identity = group({
  settings: {
    CREDENTIALS: plain(
      flag,
      '`true`',
      'issues a signed credential for each event; switch it off only to measure. Missing credentials are issued when it is on again',
    ),
    UCAN_STRICT_AUDIENCE: plain(
      flag,
      '`false`',
      '`true`: accepts a UCAN only if its audience is the service; otherwise everyone who has a token that leads back to the service may show it, see [Identity](identity.md)',
    ),
  },
  read: (set) => ({
    /** Off: events get no credentials as they come; switched on again, they get them all. */
    credentials: set.CREDENTIALS ?? true,
    ucanStrictAudience: set.UCAN_STRICT_AUDIENCE ?? false,
  }),
});
