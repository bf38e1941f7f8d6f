import type { AcceptedOffer } from '../../events/commitment.ts';
import type { LetterTerms } from '../../events/letter.ts';
import { toTimestamp } from '../../ground/clock.ts';
import type { KeptDiscount } from '../../money/discount.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { discountIn } from '../preparation/letter-charge.ts';
import { discountsEndAt, isDiscountFixed, volumeContractAggregate } from './volume-contract.ts';

/** When the discount in a price can no longer be billed, RFC 3339; undefined: the price has no discount. */
export const discountEndOf = async (
  handler: Pick<CommandHandler, 'load'>,
  accountId: string,
  discount: { contractId: string } | undefined,
): Promise<string | undefined> => {
  if (!discount) return undefined;
  const { state } = await handler.load(volumeContractAggregate, accountId);
  return discountsEndAt(state, discount.contractId);
};

/**
 * Until when a locked price holds, RFC 3339: at most until its discount can no longer be billed. The period of a test
 * contract may be ended after the price was locked.
 */
export const lockedUntil = async (
  handler: Pick<CommandHandler, 'load'>,
  { accountId, price, expiresAt }: Pick<AcceptedOffer, 'accountId' | 'price' | 'expiresAt'>,
): Promise<string> => {
  const endsAt = await discountEndOf(handler, accountId, price.discount);
  return endsAt !== undefined && endsAt < expiresAt ? endsAt : expiresAt;
};

/** @param now epoch ms */
export const isDiscountOver = async (
  handler: Pick<CommandHandler, 'load'>,
  { terms: { accountId, price } }: { terms: Pick<LetterTerms, 'accountId' | 'price'> },
  now: number,
): Promise<boolean> => {
  const endsAt = await discountEndOf(handler, accountId, price.discount);
  return endsAt !== undefined && endsAt <= toTimestamp(now);
};

/**
 * The discount of a paid letter, for a change of the letter: once its period is over, its amount stays.
 * @param now epoch ms
 */
export const keptDiscountOf = async (
  handler: Pick<CommandHandler, 'load'>,
  {
    terms: { accountId, price },
    queuedAt,
  }: { terms: Pick<LetterTerms, 'accountId' | 'price'>; queuedAt: string | undefined },
  now: number,
): Promise<KeptDiscount> => {
  const discount = discountIn(price);
  if (!discount || queuedAt === undefined) return { discount };
  const { state } = await handler.load(volumeContractAggregate, accountId);
  const isFixed = isDiscountFixed(state, discount.contractId, queuedAt, toTimestamp(now));
  return { discount, ...(isFixed ? { fixedMicro: discount.amountMicro } : {}) };
};
