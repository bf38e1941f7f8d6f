/** The profile of a customer and its reasons, derived only from accepted offers and sent letters. */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import { decimalOf, type MicroUsd } from '../money/amounts.ts';
import { tierNames } from '../postal/tiers.ts';
import { type Intent, intents } from '../postal/types.ts';
import { Nullable, OneOf, Timestamp } from './common.ts';

const personas = ['new', 'compliance', 'deadline', 'bulk', 'business'] as const;
type Persona = (typeof personas)[number];

const Share = Type.Number({ minimum: 0, maximum: 1 });

export const Profile = Type.Named('CustomerProfile', {
  customer_did: Nullable(Type.String({ description: 'Null if the account has no DID.' })),
  account_id: Type.String(),
  persona: OneOf(personas),
  letters: Type.Integer({ description: 'Letters sent, except those cancelled or failed.' }),
  accepted: Type.Integer({ description: 'Number of accepted offers.' }),
  avg_spend: Type.Number({ description: 'USD a letter.' }),
  currency: Type.Literal('USD'),
  preferred_tiers: Type.Object(
    Object.fromEntries(tierNames.map((tier) => [tier, Share])) as Record<
      (typeof tierNames)[number],
      typeof Share
    >,
    { description: 'Shares of the accepted tiers; all 0 before the first.' },
  ),
  intents: Type.Object(
    Object.fromEntries(intents.map((intent) => [intent, Type.Integer()])) as Record<
      Intent,
      ReturnType<typeof Type.Integer>
    >,
    { description: 'Number of letters per intent class.' },
  ),
  because: Type.Array(Type.String()),
  updated_at: Nullable(Timestamp),
});

/** The profile of a customer. */
type Learned = {
  accountId: string;
  did: string | undefined;
  /** All letters that count, and the last ones of them. */
  letters: number;
  latest: { intent: string; totalMicro: MicroUsd; at: string }[];
  /** Offers by the tier that was accepted, the last ones. */
  tiers: Partial<Record<(typeof tierNames)[number], number>>;
  lastAcceptedAt: string | undefined;
};

const groups: [Persona, readonly string[], string][] = [
  ['compliance', ['confidential', 'legal_compliance', 'regulatory_filing'], 'ask for proof'],
  ['deadline', ['time_critical'], 'have a deadline'],
  ['bulk', ['bulk_marketing'], 'are bulk mail'],
  ['business', ['transactional'], 'are everyday correspondence'],
];

const percent = (part: number, whole: number): string => `${Math.round((part / whole) * 100)} %`;

/** By the intent of most letters. */
const personaOf = (counts: Record<Intent, number>, total: number): [Persona, string] => {
  const found = groups
    .map(([persona, of, what]) => {
      const part = intents.reduce((sum, one) => sum + (of.includes(one) ? counts[one] : 0), 0);
      return { persona, part, what };
    })
    .reduce((most, one) => (one.part > most.part ? one : most));
  const { persona, part, what } = found;
  const why =
    total === 1
      ? 'the intent of the only letter'
      : `${percent(part, total)} of the last ${total} letters ${what}`;
  return [persona, `persona ${persona}: ${why}.`];
};

export const presentProfile = (learned: Learned): Static<typeof Profile> => {
  const { latest, tiers, lastAcceptedAt } = learned;
  const counts = Object.fromEntries(
    intents.map((intent) => [intent, latest.filter((one) => one.intent === intent).length]),
  ) as Record<Intent, number>;
  const accepted = tierNames.reduce((sum, tier) => sum + (tiers[tier] ?? 0), 0);
  const share = (tier: (typeof tierNames)[number]): number =>
    accepted === 0 ? 0 : Math.round(((tiers[tier] ?? 0) / accepted) * 10_000) / 10_000;
  const spent = latest.reduce((sum, { totalMicro }) => sum + totalMicro, 0n);
  const average = latest.length === 0 ? 0n : spent / BigInt(latest.length);
  const [persona, why]: [Persona, string] =
    latest.length === 0
      ? ['new', 'persona new: no letter was sent yet.']
      : personaOf(counts, latest.length);
  const favourite = tierNames.reduce((most, one) => (share(one) > share(most) ? one : most));
  const times = [...latest.map(({ at }) => at), ...(lastAcceptedAt ? [lastAcceptedAt] : [])];
  return {
    customer_did: learned.did ?? null,
    account_id: learned.accountId,
    persona,
    letters: learned.letters,
    accepted,
    avg_spend: decimalOf(average - (average % 10_000n)),
    currency: 'USD',
    preferred_tiers: {
      economy: share('economy'),
      standard: share('standard'),
      premium: share('premium'),
    },
    intents: counts,
    because: [
      why,
      ...(latest.length === 0
        ? []
        : [
            `avg_spend and intents: of the ${latest.length === 1 ? 'only letter that was' : `last ${latest.length} letters that were`} sent.`,
          ]),
      accepted === 0
        ? 'preferred_tiers: no offer was accepted yet.'
        : accepted === 1
          ? `preferred_tiers: the only accepted offer was ${favourite}.`
          : `preferred_tiers: of the last ${accepted} accepted offers, ${percent(tiers[favourite] ?? 0, accepted)} were ${favourite}.`,
    ],
    updated_at: times.toSorted().at(-1) ?? null,
  };
};
