import { randomUUID } from 'node:crypto';
import { accountAggregate } from '../commands/accounts/account.ts';
import { creditReceiptId } from '../commands/accounts/account-money.ts';
import {
  creditGoodwill,
  type GoodwillCredit,
  goodwillCredits,
  refundReference,
} from '../commands/letters/goodwill.ts';
import { letterAggregate } from '../commands/letters/letter.ts';
import type { Wallet } from '../commands/wallets/state.ts';
import { walletAggregate } from '../commands/wallets/wallet.ts';
import type { WalletEvent } from '../events/wallet.ts';
import { dollars, type MicroUsd } from '../money/amounts.ts';
import type { Foundation } from '../service/foundation/wing.ts';
import { parseAmount } from '../service/operating/credit.ts';
import { theLetter } from '../service/operating/find-letters.ts';
import { type CommandWork, Refused, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

const totalOf = (credits: GoodwillCredit[]): bigint =>
  credits.reduce((total, { amountMicro }) => total + amountMicro, 0n);

type Refund = {
  accountId: string;
  amountMicro: MicroUsd;
  /** No event where the letter was paid back before. */
  decide: (wallet: Wallet) => WalletEvent[];
};

/** @throws Refused for a test letter, and one of an erased account; AppError for one that was not posted */
const refundOf = async (
  { commands: { handler }, keys: { indexOf } }: Foundation,
  letterId: string,
  wantedMicro?: MicroUsd,
): Promise<Refund> => {
  const { state: letter } = await handler.load(letterAggregate, letterId);
  if (letter.status === 'none') throw new Refused(`There is no letter ${letterId}.`);
  const { accountId, test } = letter.terms;
  if (test) throw new Refused(`${letterId} is a test letter, which cost test money.`);
  const { state: account } = await handler.load(accountAggregate, accountId);
  if (account.status === 'erased') {
    throw new Refused(
      `The account ${accountId} was erased, so its wallet takes no refund. Pay the sender back by other means.`,
    );
  }
  const credits = goodwillCredits(letterId, letter, wantedMicro);
  const receiptIdOf = (reference: string) => creditReceiptId(indexOf, accountId, reference);
  return {
    accountId,
    amountMicro: totalOf(credits),
    decide: (wallet) => creditGoodwill(wallet, credits, receiptIdOf),
  };
};

/**
 * Pays a posted letter back, once. Returns the credited amount, 0 when it was paid back before.
 * @throws Refused for a test letter, and one of an erased account; AppError for one that was not posted
 */
export const refundPosted = async (
  foundation: Foundation,
  letterId: string,
  wantedMicro?: MicroUsd,
): Promise<{ accountId: string; creditedMicro: MicroUsd }> => {
  const { accountId, amountMicro, decide } = await refundOf(foundation, letterId, wantedMicro);
  const context = { commandId: randomUUID(), actor: 'operator' };
  const { handler } = foundation.commands;
  const { events } = await handler.handle(walletAggregate, accountId, context, decide);
  return { accountId, creditedMicro: events.length > 0 ? amountMicro : 0n };
};

/**
 * The wallet as `refundPosted` would leave it; undefined: the letter was paid back before.
 * @throws as `refundPosted` does
 */
export const walletAfterRefund = async (
  foundation: Foundation,
  letterId: string,
): Promise<Wallet | undefined> => {
  const { accountId, decide } = await refundOf(foundation, letterId);
  const { state } = await foundation.commands.handler.load(walletAggregate, accountId);
  const events = decide(state);
  if (events.length === 0) return undefined;
  return events.reduce((wallet, event) => walletAggregate.evolve(wallet, event, ''), state);
};

/** @throws UsageError */
const refund = ([name, ...rest]: string[], { amount }: { amount?: string }): CommandWork => {
  if (name === undefined || rest.length > 0) throw new UsageError('refund takes one LETTER');
  const wantedMicro = amount === undefined ? undefined : parseAmount(amount, 'fiat');
  return async (foundation, print) => {
    const { letterId } = await theLetter(foundation, name);
    const { accountId, creditedMicro } = await refundPosted(foundation, letterId, wantedMicro);
    print(
      creditedMicro > 0n
        ? `Refunded ${dollars(creditedMicro)} for letter ${letterId} to the wallet of ${accountId}.`
        : `Letter ${letterId} was already refunded; nothing was added.`,
    );
  };
};

export const refundCommand = defineCommand({
  name: 'refund',
  usage: 'LETTER [--amount USD]',
  summary: 'Credits the price of a posted letter, or a part of it, to its wallet, once per letter.',
  help: `The wallet shows the credit with the reference "${refundReference('ID')}". The money goes back to the bucket that it came from. The letter itself does not change.
A letter that was not posted is not refunded here: cancel it, or report that it failed (advance). The wallet of an erased account takes no refund.
adjust corrects a refund: --credit "${refundReference('ID')}", or "${refundReference('ID', 'crypto')}" for the part that was paid from crypto.`,
  examples: ['refund 7c1e…'],
  options: { amount: 'text' },
  read: refund,
});
