/** Freezes of an account: read from its wallet, and changed in it. */
import { closureSubject } from '../../contract/frozen.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import type { Wallet } from '../wallets/state.ts';
import { walletAggregate } from '../wallets/wallet.ts';
import { type Freezer, freeze, unfreeze } from './freeze.ts';

/** `since`: undefined where it is not frozen. */
export type FreezeState = { subject: string; since: string | undefined; position: bigint };

export type Freezes = ReturnType<typeof createFreezes>;

export const createFreezes = (ports: {
  handler: CommandHandler;
  /** Makes it hold in this process at once. */
  changed: (accountId: string, subject: string, frozen: boolean, position: bigint) => void;
}) => {
  const { handler, changed } = ports;

  const change = async (
    accountId: string,
    subject: string,
    { commandId, actor }: CommandContext,
    decide: (wallet: Wallet) => ReturnType<typeof freeze>,
  ): Promise<FreezeState> => {
    const context = { commandId: uuidv5(commandId, 'freeze'), actor };
    const outcome = await handler.handle(walletAggregate, accountId, context, decide);
    const { state, events, position } = outcome;
    const since = state.guards.frozen.get(subject);
    if (events.length > 0) changed(accountId, subject, since !== undefined, position);
    return { subject, since, position: events.length > 0 ? position : 0n };
  };

  return {
    /** @throws AppError frozen, freeze_limit_reached */
    freeze: (accountId: string, subject: string, maker: Freezer, context: CommandContext) =>
      change(accountId, subject, context, (wallet) =>
        freeze(wallet, { type: 'Freeze', subject, maker }),
      ),

    /**
     * @param check gets the start of the freeze, empty if nothing is frozen; throws if that freeze may not end
     * @throws AppError frozen, policy_protected
     */
    unfreeze: (
      accountId: string,
      subject: string,
      maker: Freezer,
      context: CommandContext,
      check: (since: string) => void = () => {},
    ) =>
      change(accountId, subject, context, (wallet) => {
        check(wallet.guards.frozen.get(subject) ?? '');
        return unfreeze(wallet, { type: 'Unfreeze', subject, maker });
      }),

    /** Subjects and since when, the latest first. Closures are left out. */
    async list(accountId: string): Promise<{ subject: string; since: string }[]> {
      const { state } = await handler.load(walletAggregate, accountId);
      return [...state.guards.frozen]
        .filter(([subject]) => subject !== closureSubject)
        .map(([subject, since]) => ({ subject, since }))
        .toSorted((one, other) => (one.since < other.since ? 1 : -1));
    },
  };
};
