/** Money that operators add to wallets. */
import { creditReceiptId } from '../../commands/accounts/account-money.ts';
import { partsOfCredit, restOf } from '../../commands/wallets/credits.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { Refused, UsageError } from '../../contract/operator-refused.ts';
import { dollars } from '../../money/amounts.ts';
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

/** A reference that is used again for other money is a mistake: it must not pass for a repetition. @throws Refused */
const assertSameCredit = async (
  { commands, keys }: Foundation,
  accountId: string,
  { bucket, amountMicro, reference }: Credit,
): Promise<void> => {
  const { state } = await commands.handler.load(walletAggregate, accountId);
  const creditId = creditReceiptId(keys.indexOf, accountId, reference);
  const found = state.receipts.get(creditId);
  const nowMicro = restOf(partsOfCredit(state, creditId));
  if (found === undefined || (found.bucket === bucket && nowMicro === amountMicro)) return;
  throw new Refused(
    `${accountId} was already credited under the reference "${reference}", which is ${dollars(nowMicro)} (${found.bucket}) now; nothing was added. Give other money another reference, or correct the credit with adjust`,
  );
};

/**
 * Credits a live wallet, once per account and reference. Whether it did. @throws Refused, also where the reference is that
 * of another amount; UsageError
 */
export const creditWallet = async (
  foundation: Foundation,
  { accountId, test }: { accountId: string; test: boolean },
  wanted: Credit,
): Promise<boolean> => {
  const { commands, config } = foundation;
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
  if (!credited) await assertSameCredit(foundation, accountId, wanted);
  return credited;
};
