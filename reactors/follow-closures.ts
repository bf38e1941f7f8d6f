import { randomUUID } from 'node:crypto';
import type { Closures } from '../commands/accounts/closures.ts';
import type { Reactor } from './reactor.ts';

/** Freezes the wallet of an account that closes, and unfreezes it, also when the request that asked died. */
export const createFollowClosures = (closures: Pick<Closures, 'followed'>): Reactor => ({
  name: 'follow-closures',
  react({ type, data }) {
    if (type !== 'AccountClosureRequested' && type !== 'AccountClosureWithdrawn') return undefined;
    const { accountId } = data;
    return () =>
      closures.followed(accountId, {
        commandId: randomUUID(),
        actor: 'reactor:follow-closures',
      });
  },
});
