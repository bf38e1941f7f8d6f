import type { Session } from '../../contract/portal.ts';
import { consolePortal } from '../../pages/console/portal.ts';
import { allServices } from '../../postal/services.ts';

/** The sessions of a console in which nobody signs in. A test replaces what it needs. */
export const noSessions = {
  begin: async (): Promise<string> => 'token',
  beginByLink: async () => undefined,
  beginByPasskey: async () => undefined,
  end: async () => {},
  find: async () => undefined,
};

/** The session of somebody who is signed in. */
export const sessionOf = (test = false): Session => ({
  id: 'session',
  caller: { accountId: 'acc', keyId: 'key', scope: 'full', test },
  language: 'en',
});

/** The answer of `get_balance` for an account without money. */
export const emptyWallet = {
  available: 0,
  held: 0,
  held_for: [],
  funding: { crypto: 0, fiat: 0 },
  storage: { used_bytes: 0, quota_bytes: 1_000_000 },
  transactions: [],
};

export const baseUrl = 'https://letters.example';

/** The console with `ports` besides, or instead of, the usual ones. */
export const portalWith = (ports: Partial<Parameters<typeof consolePortal>[0]> = {}) =>
  consolePortal({
    baseUrl,
    service: { name: 'Letters', contact: undefined },
    offered: allServices,
    cookie: undefined,
    sessions: noSessions,
    ...ports,
  });
