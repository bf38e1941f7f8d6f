import { walletAggregate } from '../commands/wallets/wallet.ts';
import { dollars } from '../money/amounts.ts';
import {
  creditWallet,
  parseAmount,
  parseBucket,
  parseReference,
} from '../service/operating/credit.ts';
import { theAccount } from '../service/operating/find-account.ts';
import { inBuckets } from './buckets.ts';
import { type CommandWork, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

/** @throws UsageError */
const credit = (
  [name, amount, ...rest]: string[],
  options: { reference?: string; bucket?: string },
): CommandWork => {
  if (name === undefined || amount === undefined || rest.length > 0) {
    throw new UsageError('credit takes ACCOUNT and AMOUNT');
  }
  const bucket = parseBucket('--bucket', options.bucket ?? 'fiat');
  const amountMicro = parseAmount(amount, bucket);
  const reference = parseReference('--reference', options.reference);

  return async (foundation, print) => {
    const { handler } = foundation.commands;
    const account = await theAccount(foundation, name);
    const { accountId } = account;
    const credited = await creditWallet(foundation, account, { bucket, amountMicro, reference });
    const { available } = (await handler.load(walletAggregate, accountId)).state;
    print(
      credited
        ? `Credited ${dollars(amountMicro)} (${bucket}) to ${accountId}.`
        : `${accountId} was already credited under the reference "${reference}"; nothing was added.`,
    );
    print(`Available: ${inBuckets(available)}.`);
  };
};

export const creditCommand = defineCommand({
  name: 'credit',
  usage: 'ACCOUNT AMOUNT --reference TEXT [--bucket fiat|crypto]',
  summary: 'Adds AMOUNT USD to a live wallet, once per account and reference.',
  help: `fiat (default): whole cents, commission 5 % when spent.
crypto: up to 6 decimals, commission 2.5 %.
The same credit again adds nothing. Another amount or bucket under its reference is refused.`,
  examples: ['credit acct_4f… 250.00 --reference "bank transfer 2026-11-20 / 8841"'],
  options: { reference: 'text', bucket: 'text' },
  read: credit,
});
