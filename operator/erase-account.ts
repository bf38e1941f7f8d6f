/**
 * Erasure of an account by the operator: requested, brought forward, taken back; and the decision about its
 * balance.
 */

import type { Blocker } from '../commands/accounts/blockers.ts';
import { emptyWallet } from '../commands/wallets/empty-wallet.ts';
import { walletAggregate } from '../commands/wallets/wallet.ts';
import { toTimestamp } from '../ground/clock.ts';
import { dayMs } from '../ground/day.ts';
import { numberOf } from '../ground/plural.ts';
import { dollars } from '../money/amounts.ts';
import { sum } from '../money/buckets.ts';
import type { Foundation } from '../service/foundation/wing.ts';
import { oneLine, operatorContext } from '../service/operating/account-actions.ts';
import { openOrErased } from '../service/operating/find-account.ts';
import { blockersIn, closuresOf } from '../service/wings/closures.ts';
import { oneAccount } from './account-change.ts';
import { type CommandWork, type Print, Refused, UsageError } from './command.ts';
import { defineCommand, type Values } from './define-command.ts';

const kinds = { now: 'flag', forfeit: 'flag', 'paid-out': 'text', undo: 'flag' } as const;

type Options = Values<typeof kinds>;

/** Takes a balance out of the wallet that was paid out elsewhere, also after the erasure. */
const payOut = async (
  { commands: { handler } }: Foundation,
  accountId: string,
  { reference, closureId }: { reference: string | undefined; closureId: string },
  print: Print,
): Promise<void> => {
  const { state: before } = await handler.load(walletAggregate, accountId);
  const command = { type: 'EmptyWallet' as const, closureId, reason: reference };
  const { state } = await handler.handle(walletAggregate, accountId, operatorContext(), (wallet) =>
    emptyWallet(wallet, command),
  );
  const taken = sum(before.available) - sum(state.available);
  print(`Taken out of the wallet: ${dollars(taken)}. Left: ${dollars(sum(state.available))}.`);
};

const isAboutBalance = ({ code }: Blocker): boolean => code === 'balance_left';

/** Changes nothing while there are blockers. @throws Refused, with a sentence for each of them */
const assertFree = async (
  foundation: Foundation,
  accountId: string,
  { forfeit = false, 'paid-out': paidOut }: Options,
): Promise<void> => {
  const blockers = await blockersIn(foundation)(accountId, { forfeitsBalance: forfeit });
  const left = blockers.filter((one) => paidOut === undefined || !isAboutBalance(one));
  if (left.length === 0) return;
  const told = left.map(({ code, detail, amountMicro = 0n }) =>
    code === 'balance_left'
      ? `${dollars(amountMicro)} is left in the wallet. Take --paid-out REFERENCE after you paid it out, or --forfeit.`
      : detail,
  );
  throw new Refused(`${accountId} cannot be erased now. ${told.join(' ')}`);
};

const undo = async (foundation: Foundation, accountId: string, print: Print): Promise<void> => {
  const { changed } = await closuresOf(foundation).withdraw(accountId, operatorContext());
  print(
    changed ? `${accountId} is open again.` : `${accountId} was not closed; nothing was changed.`,
  );
};

/** @throws UsageError */
const eraseAccount = (positionals: string[], options: Options): CommandWork => {
  const name = oneAccount('erase-account', positionals);
  const { now = false, forfeit = false, undo: isUndo = false } = options;
  const paidOut =
    options['paid-out'] === undefined ? undefined : oneLine('--paid-out', options['paid-out']);
  if (isUndo && (now || forfeit || paidOut !== undefined)) {
    throw new UsageError('--undo takes no other option');
  }
  if (forfeit && paidOut !== undefined) {
    throw new UsageError('give --forfeit or --paid-out, not both');
  }
  return async (foundation, print) => {
    const account = await openOrErased(foundation, name);
    const { accountId, closure } = account;
    if (isUndo) {
      if (account.status === 'erased') {
        throw new Refused(
          `${accountId} is erased, or is being erased by the running service. This cannot be taken back.`,
        );
      }
      await undo(foundation, accountId, print);
      return;
    }
    if (account.status === 'erased') {
      const about = { closureId: closure?.closureId ?? '', reference: undefined };
      if (paidOut !== undefined) await payOut(foundation, accountId, about, print);
      print(`${accountId} is erased, or is being erased by the running service.`);
      return;
    }
    const forfeits = forfeit || (closure?.forfeitsBalance ?? false);
    await assertFree(foundation, accountId, { ...options, forfeit: forfeits });
    const context = operatorContext();
    const closureId = closure?.closureId ?? context.commandId;
    if (paidOut !== undefined) {
      await payOut(foundation, accountId, { reference: paidOut, closureId }, print);
    }
    const days = now ? 0 : foundation.config.accountErasureDays;
    const { account: closing } = await closuresOf(foundation).request(
      accountId,
      {
        closureId: context.commandId,
        erasesAt: toTimestamp(foundation.clock() + days * dayMs),
        forfeitsBalance: forfeits,
        requestHash: context.commandId,
      },
      context,
    );
    const { erasesAt = '' } = closing.closure ?? {};
    print(
      `${accountId} closes and is erased by the running service ${now ? 'now' : `in ${numberOf(days, 'day')} (${erasesAt})`}. --undo takes that back until then.`,
    );
    print(`Certificate: GET /api/account/closure/${closing.closure?.closureId}`);
  };
};

export const eraseAccountCommand = defineCommand({
  name: 'erase-account',
  usage: 'ACCOUNT [--now] [--forfeit | --paid-out REFERENCE] [--undo]',
  summary: 'Closes an account and erases its data after ACCOUNT_ERASURE_DAYS.',
  help: 'Refused while letters, payments, a contract or a dispute are open, or while there is a balance.\n--paid-out takes a balance out of the wallet that you paid out elsewhere; --forfeit gives it up.\n--now erases at once; --undo takes the closure back until the erasure begins.',
  examples: [
    'erase-account anna@example.com --paid-out "bank transfer 8841"',
    'erase-account acct_4f… --now --forfeit',
  ],
  options: kinds,
  read: eraseAccount,
});
