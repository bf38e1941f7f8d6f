import { flag } from '../config-parsers.ts';
import { group, plain } from '../group.ts';

export const identity = group({
  settings: {
    CREDENTIALS: plain(
      flag,
      '`true`',
      'issues a signed credential for each event; off for measuring only, what was left out is issued when it is on again',
    ),
    UCAN_STRICT_AUDIENCE: plain(
      flag,
      '`false`',
      '`true`: a UCAN is accepted only when its audience is the service; otherwise a token that leads back to the service may be shown by whoever has it, see [Identity](identity.md)',
    ),
  },
  read: (set) => ({
    /** Off: events get no credentials as they come; switched on again, they get them all. */
    credentials: set.CREDENTIALS ?? true,
    ucanStrictAudience: set.UCAN_STRICT_AUDIENCE ?? false,
  }),
});
