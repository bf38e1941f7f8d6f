import { randomUUID } from 'node:crypto';
import { walletAggregate } from '../commands/wallets/wallet.ts';
import type { Limits } from '../limits/table.ts';
import { dollars } from '../money/amounts.ts';
import type { Bucket } from '../money/buckets.ts';
import { type Command, exitCodes, Refused, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { theAccount } from './find-account.ts';

/** More than this at once is a slip of the hand. */
const mostUsd = 1_000_000n;
const decimalsOf: Record<Bucket, number> = { fiat: 2, crypto: 6 };

/** USD as it is written → micro-USD. @throws UsageError with the rule */
export const parseAmount = (text: string, bucket: Bucket): bigint => {
  const match = /^(\d{1,15})(?:\.(\d+))?$/.exec(text);
  if (!match) {
    throw new UsageError(`AMOUNT ${text} is not an amount in USD: write it like 25 or 25.00`);
  }
  const [, whole = '', decimals = ''] = match;
  const most = decimalsOf[bucket];
  if (decimals.length > most) {
    throw new UsageError(`AMOUNT ${text} has more than ${most} decimals (bucket ${bucket})`);
  }
  const micro = BigInt(whole) * 1_000_000n + BigInt(decimals.padEnd(6, '0'));
  if (micro === 0n) throw new UsageError('AMOUNT must be more than zero');
  if (micro > mostUsd * 1_000_000n) {
    throw new UsageError(`AMOUNT ${text} is above $1,000,000.00; is a decimal point missing?`);
  }
  return micro;
};

const parseReference = (text: string | undefined): string => {
  const reference = text?.trim() ?? '';
  if (reference === '') {
    throw new UsageError(
      '--reference is missing: say what the money is, such as the bank transfer',
    );
  }
  if (/\p{Cc}/u.test(reference)) throw new UsageError('--reference must be one line');
  return reference;
};

const assertShort = (reference: string, { referenceChars }: Limits): void => {
  if (reference.length <= referenceChars) return;
  throw new UsageError(`--reference must have at most ${referenceChars} characters`);
};

const parseBucket = (text: string): Bucket => {
  if (text === 'fiat' || text === 'crypto') return text;
  throw new UsageError(`--bucket ${text} must be fiat or crypto`);
};

/** @throws UsageError */
const credit = (
  [name, amount, ...rest]: string[],
  options: { reference?: string; bucket?: string },
): Command => {
  if (name === undefined || amount === undefined || rest.length > 0) {
    throw new UsageError('credit takes ACCOUNT and AMOUNT');
  }
  const bucket = parseBucket(options.bucket ?? 'fiat');
  const amountMicro = parseAmount(amount, bucket);
  const reference = parseReference(options.reference);

  return async (foundation, print) => {
    const { accounts, handler } = foundation.commands;
    assertShort(reference, foundation.config.limits);
    const { accountId, test } = await theAccount(foundation, name);
    if (test) {
      throw new Refused(
        `${accountId} is a test account, which has only test money. Credit a live account`,
      );
    }
    const context = { commandId: randomUUID(), actor: 'operator' };
    const { credited } = await accounts.credit(
      accountId,
      { bucket, amountMicro, reference },
      context,
    );
    const { available } = (await handler.load(walletAggregate, accountId)).state;
    print(
      credited
        ? `Credited ${dollars(amountMicro)} (${bucket}) to ${accountId}.`
        : `${accountId} was already credited under the reference "${reference}"; nothing was added.`,
    );
    print(`Available: ${dollars(available.crypto)} crypto + ${dollars(available.fiat)} fiat.`);
    return exitCodes.done;
  };
};

export const creditCommand = defineCommand({
  name: 'credit',
  usage: 'ACCOUNT AMOUNT --reference TEXT [--bucket fiat|crypto]',
  summary: 'Adds AMOUNT USD to a live wallet, once per account and reference.',
  help: `fiat (default): whole cents, commission 5 % when spent.
crypto: up to 6 decimals, commission 2.5 %.`,
  examples: ['credit acct_4f… 250.00 --reference "bank transfer 2026-11-20 / 8841"'],
  options: { reference: 'text', bucket: 'text' },
  read: credit,
});
