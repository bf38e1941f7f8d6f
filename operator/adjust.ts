import { randomUUID } from 'node:crypto';
import { creditReceiptId } from '../commands/accounts/account-money.ts';
import { adjustCredit, partsOfCredit, restOf } from '../commands/wallets/credits.ts';
import { walletAggregate } from '../commands/wallets/wallet.ts';
import { dollars } from '../money/amounts.ts';
import type { Bucket } from '../money/buckets.ts';
import { parseAmount } from '../service/operating/credit.ts';
import { theAccount } from '../service/operating/find-account.ts';
import { inBuckets } from './buckets.ts';
import { type CommandWork, Refused, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

/** @throws UsageError */
const adjust = (
  positionals: string[],
  options: { credit?: string; reason?: string; 'below-zero'?: boolean },
): CommandWork => {
  const [name, amount, ...rest] = positionals;
  if (name === undefined || amount === undefined || rest.length > 0) {
    throw new UsageError('adjust takes ACCOUNT and AMOUNT, the correct amount of the credit');
  }
  const { credit, 'below-zero': belowZero = false } = options;
  const reason = options.reason?.trim() ?? '';
  if (credit === undefined)
    throw new UsageError('--credit is missing: the reference of the credit');
  if (reason === '' || /\p{Cc}/u.test(reason)) {
    throw new UsageError('--reason is missing or not one line; the wallet shows it for ever');
  }
  const amountIn = (bucket: Bucket) =>
    /^0+(\.0+)?$/.test(amount) ? 0n : parseAmount(amount, bucket);
  // Before the bucket of the credit is known.
  amountIn('crypto');

  return async (foundation, print) => {
    const { handler } = foundation.commands;
    const { referenceChars } = foundation.config.limits;
    if (reason.length > referenceChars) {
      throw new UsageError(`--reason must have at most ${referenceChars} characters`);
    }
    const { accountId } = await theAccount(foundation, name);
    const { indexOf } = foundation.keys;
    const creditId = creditReceiptId(indexOf, accountId, credit);
    const receipt = {
      method: 'operator' as const,
      id: `operator-${indexOf('adjust', `${accountId}\n${credit}\n${amount}\n${reason}`)}`,
    };
    const context = { commandId: randomUUID(), actor: 'operator' };
    const { state: before } = await handler.load(walletAggregate, accountId);
    const credited = before.receipts.get(creditId);
    if (!credited) {
      throw new Refused(`${accountId} has no credit under the reference "${credit}"`);
    }
    const rightMicro = amountIn(credited.bucket);
    const wasMicro = restOf(partsOfCredit(before, creditId));
    const was = dollars(wasMicro);
    const { state, events } = await handler.handle(walletAggregate, accountId, context, (wallet) =>
      adjustCredit(wallet, {
        type: 'AdjustCredit',
        receipt,
        creditId,
        rightMicro,
        reason,
        mayOverdraw: belowZero,
      }),
    );
    if (events.length === 0 && wasMicro !== rightMicro) {
      throw new Refused(
        `The credit "${credit}" was made ${dollars(rightMicro)} with this reason before, and is ${was} since a later adjustment. Give another --reason to change it again; nothing was changed`,
      );
    }
    print(
      events.length > 0
        ? `The credit "${credit}" was ${was} and is ${dollars(rightMicro)} now.`
        : `The credit "${credit}" is ${was}; nothing was changed.`,
    );
    print(`Available: ${inBuckets(state.available)}.`);
  };
};

export const adjustCommand = defineCommand({
  name: 'adjust',
  usage: 'ACCOUNT AMOUNT --credit REFERENCE --reason TEXT [--below-zero]',
  summary: 'Corrects a credit. AMOUNT is the correct amount; 0 takes the credit back.',
  help: '--credit names the reference of the credit. The wallet shows TEXT for ever.\nMoney that was already spent is only taken with --below-zero.',
  examples: ['adjust acct_4f… 25.00 --credit "bank transfer 8841" --reason "typed 250.00"'],
  options: { credit: 'text', reason: 'text', 'below-zero': 'flag' },
  read: adjust,
});
