/** Which tier of an offer is recommended, and why. Learned preferences affect this, but never a price. */
import type { Tier, TierName } from '../../postal/tiers.ts';

/** CHOICE: this many offers, with this share of them of one tier, make a habit. */
const habitOffers = 3;
const habitShare = 0.6;

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/**
 * The best scored tier that meets the class, unless the customer has a habit of another that does too.
 * @param accepted how often the customer accepted each tier before
 */
export const recommend = (
  tiers: readonly Tier[],
  accepted: Partial<Record<TierName, number>> | undefined,
): { tier: TierName; because: string[] } => {
  const meeting = tiers.filter(({ meetsIntent }) => meetsIntent);
  const [best] = (meeting.length > 0 ? meeting : tiers).toSorted((a, b) => a.rank - b.rank) as [
    Tier,
  ];
  const scored =
    meeting.length > 0
      ? `${best.tier} has the best score of the tiers that meet the intent class.`
      : `No tier meets the intent class in full; ${best.tier} has the best score.`;
  const offers = Object.values(accepted ?? {}).reduce((sum, count) => sum + count, 0);
  const shareOf = ({ tier }: Tier): number => (accepted?.[tier] ?? 0) / offers;
  const habit = offers < habitOffers ? undefined : tiers.find((one) => shareOf(one) >= habitShare);
  if (!habit || habit.tier === best.tier) return { tier: best.tier, because: [scored] };
  const share = percent(shareOf(habit));
  if (meeting.length > 0 && !habit.meetsIntent) {
    const because = `You chose ${habit.tier} in ${share} of what you accepted, but here it does not meet the intent class.`;
    return { tier: best.tier, because: [scored, because] };
  }
  return {
    tier: habit.tier,
    because: [`You chose ${habit.tier} in ${share} of what you accepted.`, scored],
  };
};
