/** Closing accounts: the account's stream says whether it closes, and its wallet pays for nothing meanwhile. */
import { closureSubject } from '../../contract/frozen.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { type Account, accountAggregate } from './account.ts';
import { type RequestClosure, requestClosure, withdrawClosure } from './close-account.ts';

type ChangeFreeze = (
  accountId: string,
  subject: string,
  maker: { subjects: readonly string[] },
  context: CommandContext,
) => Promise<{ position: bigint }>;

type Ports = { handler: CommandHandler; freezes: { freeze: ChangeFreeze; unfreeze: ChangeFreeze } };

type Changed = { account: Account; position: bigint; changed: boolean };

const nobody = { subjects: [] };

export type Closures = ReturnType<typeof createClosures>;

export const createClosures = ({ handler, freezes }: Ports) => {
  /**
   * Makes the wallet follow the account. Safe to repeat. The account may change before the wallet does, and the wallet
   * may follow that change first, so it is read again until both agree.
   */
  const follow = async (account: Account, context: CommandContext): Promise<bigint> => {
    const { accountId } = account;
    const { actor } = context;
    let { commandId } = context;
    let isClosing = account.closure !== undefined;
    for (;;) {
      const set = isClosing ? freezes.freeze : freezes.unfreeze;
      const { position } = await set(accountId, closureSubject, nobody, { commandId, actor });
      const { state } = await handler.load(accountAggregate, accountId);
      if ((state.closure !== undefined) === isClosing) return position;
      isClosing = !isClosing;
      // The events of each turn have ids of their own.
      commandId = uuidv5(commandId, 'again');
    }
  };

  const change = async (
    accountId: string,
    context: CommandContext,
    decide: (account: Account, at: string) => ReturnType<typeof requestClosure>,
  ): Promise<Changed> => {
    const outcome = await handler.handle(accountAggregate, accountId, context, (state, _, at) =>
      decide(state, at),
    );
    const { state: account, events, position: own } = outcome;
    const wallets = await follow(account, context);
    return { account, position: own > wallets ? own : wallets, changed: events.length > 0 };
  };

  return {
    /** @throws AppError account_not_found, idempotency_key_reused */
    request: (accountId: string, command: Omit<RequestClosure, 'type'>, context: CommandContext) =>
      change(accountId, context, (account, at) =>
        requestClosure(account, { type: 'RequestClosure', ...command }, at),
      ),

    /** @throws AppError account_not_found */
    withdraw: (accountId: string, context: CommandContext) =>
      change(accountId, context, withdrawClosure),

    async followed(accountId: string, context: CommandContext): Promise<void> {
      const { state } = await handler.load(accountAggregate, accountId);
      if (state.status === 'open') await follow(state, context);
    },
  };
};
