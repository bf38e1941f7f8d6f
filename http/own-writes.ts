import { isAppError } from '../contract/errors.ts';
import type { AnyOperation } from '../contract/operation.ts';
import { createBoundedMap } from '../ground/bounded-map.ts';
import type { Slots } from '../limits/slots.ts';
import { readModelBehind, waitWhileConnected } from './min-log-position.ts';
import type { HttpContext, LogPositions, Rule } from './rule.ts';
import { setHeader } from './set-header.ts';

/** Accounts whose last write this process remembers. */
const mostAccounts = 10_000;

/** Whether an operation shows what its account wrote before. */
export const showsOwnWrites = ({
  method,
  access,
  readsOwnWrites,
}: Pick<AnyOperation, 'method' | 'access' | 'readsOwnWrites'>): boolean =>
  readsOwnWrites ?? (method === 'GET' && access !== 'public');

/** The last log position that an account wrote through this process. */
type LastWrite = {
  position: bigint;
  /** Whether a read waited for it in vain; the reads after it do not wait. */
  gaveUp: boolean;
};

export type OwnWrites = {
  /** Remembers that the account wrote at `position`. */
  note(accountId: string, position: bigint): void;
  /** The write that reads of the account may not show yet. */
  pending(accountId: string): LastWrite | undefined;
};

/** Remembers for each account how far the log was when it wrote last. */
export const createOwnWrites = ({ isShown }: Pick<LogPositions, 'isShown'>): OwnWrites => {
  const writes = createBoundedMap<string, LastWrite>(mostAccounts);
  return {
    note(accountId, position) {
      const known = writes.get(accountId);
      if (known && known.position >= position) return;
      writes.set(accountId, { position, gaveUp: false });
    },
    pending(accountId) {
      const write = writes.get(accountId);
      if (write === undefined) return undefined;
      if (!isShown(write.position)) return write;
      writes.delete(accountId);
      return undefined;
    },
  };
};

/** These are looked for in the event streams, too: a 404 is final, however far the read models are. */
const readFromStreams = [
  ...['letter_not_found', 'commitment_not_found', 'topup_not_found', 'order_not_found'],
  ...['logo_not_found', 'profile_not_found', 'not_found'],
];

/**
 * Makes reads show the earlier writes of their account: a read waits until the read models have reached the
 * account's last write. Past the bound the read is answered as it is, with `X-Read-Model`, and a 404 becomes
 * `read_model_behind`, because the read models may not know the requested thing yet.
 */
export const awaitOwnWrites = (
  positions: LogPositions,
  writes: OwnWrites,
  waiting: Slots,
): Rule => {
  const isShownInTime = async (
    ctx: HttpContext,
    accountId: string,
    write: LastWrite,
  ): Promise<boolean> => {
    if (write.gaveUp || !waiting.take(accountId)) return false;
    try {
      const shown = await waitWhileConnected(positions, ctx, write.position);
      write.gaveUp = !shown;
      return shown;
    } finally {
      waiting.giveBack(accountId);
    }
  };

  return function awaitWritesOfAccount(ctx, next) {
    const accountId = ctx.state.caller?.accountId;
    const write = accountId === undefined ? undefined : writes.pending(accountId);
    if (accountId === undefined || write === undefined) return next();
    return isShownInTime(ctx, accountId, write).then(async (shown) => {
      if (shown) return next();
      setHeader(ctx, 'X-Read-Model', 'catching-up');
      try {
        return await next();
      } catch (error) {
        const isMissing =
          isAppError(error) && error.status === 404 && !readFromStreams.includes(error.code);
        throw isMissing ? readModelBehind(write.position) : error;
      }
    });
  };
};
