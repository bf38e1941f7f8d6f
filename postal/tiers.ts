/**
 * The three tiers of an offer, made of the services that a country really has.
 *
 * Of two services the dearer one is worth offering only when it is better: what is left, by price, is a
 * ladder. Its foot is `economy`, its top `premium`, and `standard` is the best scored one between. A ladder
 * with fewer than three rungs gives two tiers, or all, the same letter at the same price, and says so. So
 * economy ≤ standard ≤ premium holds by construction.
 */
import { numberOf } from '../ground/plural.ts';
import type { MicroUsd } from '../money/amounts.ts';
import { intentClasses, meetsProof, meetsSla } from './intents.ts';
import { proofLevels, type Service, services, strongestProof } from './services.ts';
import type { Intent, ServiceId } from './types.ts';

/** By price. */
export const tierNames = ['economy', 'standard', 'premium'] as const;
export type TierName = (typeof tierNames)[number];

/** A service that takes the letter, and what it costs with it before commission. */
export type Candidate = { service: ServiceId; subtotalMicro: MicroUsd };

export type Tier = {
  tier: TierName;
  service: ServiceId;
  /** 0 to 1, four decimals. */
  score: number;
  /** 1 is the best; of equal scores the cheaper tier comes first. */
  rank: number;
  meetsIntent: boolean;
  difference: string;
};

export const meetsIntent = (intent: Intent, service: Service): boolean =>
  meetsProof(intent, service) && meetsSla(intent, service);

/**
 * The weighted scores, each 0 to 1.
 * `cost`: the cheapest candidate's price divided by this one's. `speed`: one business day divided by its
 * standard. `proof`: its strongest level, by its position in the list. `reliability` (CHOICE): 1 if the operator
 * guarantees the day, 0.7 if it scans the item, so that a late one is noticed, otherwise 0.4.
 */
const criteriaOf = (service: Service) => {
  const { slaDays, tracking, guaranteed } = service;
  const scanned = tracking === 'none' ? 0.4 : 0.7;
  return {
    speed: 1 / slaDays,
    proof: proofLevels.indexOf(strongestProof(service)) / (proofLevels.length - 1),
    reliability: guaranteed ? 1 : scanned,
  };
};

type Rung = Candidate & { quality: number; score: number };

/** Steps of a thousandth are no difference in quality. */
const better = (a: number, b: number): boolean => a > b + 1e-9;

const rungOf = (intent: Intent, candidate: Candidate, cheapest: MicroUsd): Rung => {
  const { weights } = intentClasses[intent];
  const { speed, proof, reliability } = criteriaOf(services[candidate.service]);
  const quality = weights.speed * speed + weights.proof * proof + weights.reliability * reliability;
  const cost = Number(cheapest) / Number(candidate.subtotalMicro);
  const score = Math.round((quality + weights.cost * cost) * 10_000) / 10_000;
  return { ...candidate, quality, score };
};

const byPrice = (a: Rung, b: Rung): number => {
  if (a.subtotalMicro !== b.subtotalMicro) return a.subtotalMicro < b.subtotalMicro ? -1 : 1;
  return b.quality - a.quality;
};

/** Each rung is better than all the cheaper ones. */
const ladderOf = (intent: Intent, candidates: readonly Candidate[]): Rung[] => {
  const costs = candidates.map(({ subtotalMicro }) => subtotalMicro);
  const cheapest = costs.reduce((a, b) => (b < a ? b : a));
  const rungs = candidates.map((one) => rungOf(intent, one, cheapest)).sort(byPrice);
  const ladder: Rung[] = [];
  for (const rung of rungs) {
    const below = ladder.at(-1);
    if (!below || better(rung.quality, below.quality)) ladder.push(rung);
  }
  return ladder;
};

const best = (rungs: readonly Rung[]): Rung =>
  rungs.reduce((first, rung) => (better(rung.score, first.score) ? rung : first));

const speedOf = ({ slaDays, guaranteed }: Service): string => {
  const days = numberOf(slaDays, 'business day');
  return guaranteed ? `${days} guaranteed` : `up to ${days}`;
};

const proofWords: Record<Service['proofLevels'][number], string> = {
  basic: 'no tracking',
  tracking: 'tracking',
  certified: 'certified delivery',
  signature: 'signature',
  full_audit_trail: 'tracking, certificate of posting and signature',
};

const described = (service: Service): string =>
  `${service.name}: ${speedOf(service)}, ${proofWords[strongestProof(service)]}`;

const places: Record<TierName, string> = {
  economy: 'The cheapest for this letter',
  standard: 'Between price and quality',
  premium: 'The best for this letter',
};

const lacks = (intent: Intent, service: Service): string => {
  const { slaDays, proof } = intentClasses[intent];
  const missing = [
    ...(meetsProof(intent, service) ? [] : [`the proof (${proof})`]),
    ...(meetsSla(intent, service) ? [] : [`the SLA (${numberOf(slaDays, 'business day')})`]),
  ];
  return missing.length === 0 ? '' : ` It does not have ${missing.join(' and ')} of ${intent}.`;
};

const differenceOf = (
  intent: Intent,
  tier: TierName,
  service: Service,
  twin: TierName | undefined,
): string => {
  const none = tier === 'premium' ? 'none is better' : 'none lies between economy and premium';
  const place = twin
    ? `The same letter at the same price as ${twin}: of the services of ${service.country} for ${intent} that take it ${none}`
    : places[tier];
  return `${place}. ${described(service)}.${lacks(intent, service)}`;
};

/**
 * The tiers, economy first.
 * @param candidates at least one, all of one country
 */
export const chooseTiers = (intent: Intent, candidates: readonly Candidate[]): Tier[] => {
  const ladder = ladderOf(intent, candidates);
  const economy = ladder[0] as Rung;
  const premium = ladder.at(-1) as Rung;
  const between = ladder.slice(1, -1);
  const standard = best(between.length > 0 ? between : [economy, premium]);
  const chosen = { economy, standard, premium };
  const ranking = tierNames.toSorted((a, b) => chosen[b].score - chosen[a].score);
  return tierNames.map((tier, index) => {
    const { service, score } = chosen[tier];
    const twin = tierNames.slice(0, index).find((other) => chosen[other].service === service);
    const about = services[service];
    return {
      tier,
      service,
      score,
      rank: ranking.indexOf(tier) + 1,
      meetsIntent: meetsIntent(intent, about),
      difference: differenceOf(intent, tier, about, twin),
    };
  });
};
