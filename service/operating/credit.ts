/** Money that operators add to wallets. */
import { Refused, UsageError } from '../../contract/operator-refused.ts';
import type { Bucket } from '../../money/buckets.ts';
import type { Foundation } from '../foundation/wing.ts';
import { operatorContext } from './account-actions.ts';

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

/** @param name of the field or option @throws UsageError */
export const parseReference = (name: string, text: string | undefined): string => {
  const reference = text?.trim() ?? '';
  if (reference === '') {
    throw new UsageError(`${name} is missing: say what the money is, such as the bank transfer`);
  }
  if (/\p{Cc}/u.test(reference)) throw new UsageError(`${name} must be one line`);
  return reference;
};

/** @throws UsageError */
export const parseBucket = (name: string, text: string): Bucket => {
  if (text === 'fiat' || text === 'crypto') return text;
  throw new UsageError(`${name} ${text} must be fiat or crypto`);
};

type Credit = { bucket: Bucket; amountMicro: bigint; reference: string };

/** Credits a live wallet, once per account and reference. Whether it did. @throws Refused, UsageError */
export const creditWallet = async (
  { commands, config }: Foundation,
  { accountId, test }: { accountId: string; test: boolean },
  wanted: Credit,
): Promise<boolean> => {
  const { referenceChars } = config.limits;
  if (wanted.reference.length > referenceChars) {
    throw new UsageError(`The reference must have at most ${referenceChars} characters`);
  }
  if (test) {
    throw new Refused(
      `${accountId} is a test account, which has only test money. Credit a live account`,
    );
  }
  const { credited } = await commands.accounts.credit(accountId, wanted, operatorContext());
  return credited;
};
