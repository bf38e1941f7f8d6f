import type { Cents } from '../money/amounts.ts';
import { formatOf } from './paper.ts';
import { postage, type RateTable } from './rates.ts';
import {
  allServices,
  type Offered,
  type ProofLevel,
  type Service,
  servicesOf,
  strongestProof,
} from './services.ts';
import type { CountryCode, Intent, ServiceId } from './types.ts';

type IntentClass = {
  intent: Intent;
  /** Business days, at home, from hand-over. */
  slaDays: number;
  useCase: string;
  /** The level of proof that the service must give. */
  proofLevel: ProofLevel;
  /** The class's proof in the specification's words. The VC is issued for every letter. */
  proof: string;
  /** How the tiers of an offer are scored, see postal/tiers.ts; they sum to 1. */
  weights: { cost: number; speed: number; proof: number; reliability: number };
  /** USD cents on top of postage and print: higher priority costs more. */
  surchargeCents: Cents;
};

/**
 * The six classes, by priority. SLA, use case and proof are the specification's; weights and
 * surcharges are a CHOICE: what a class is bought for weighs most, and a class with a tighter SLA or
 * stronger proof is handled first and costs more.
 */
export const intentClasses: Readonly<Record<Intent, IntentClass>> = {
  confidential: {
    intent: 'confidential',
    slaDays: 1,
    useCase: 'security, chain of custody',
    proofLevel: 'full_audit_trail',
    proof: 'full audit trail',
    weights: { cost: 0.1, speed: 0.25, proof: 0.5, reliability: 0.15 },
    surchargeCents: 300n,
  },
  legal_compliance: {
    intent: 'legal_compliance',
    slaDays: 1,
    useCase: 'certified proof, registered mail, jurisdictional compliance',
    proofLevel: 'certified',
    proof: 'certified + VC',
    weights: { cost: 0.15, speed: 0.25, proof: 0.45, reliability: 0.15 },
    surchargeCents: 250n,
  },
  regulatory_filing: {
    intent: 'regulatory_filing',
    slaDays: 2,
    useCase: 'government filings, strict deadlines',
    proofLevel: 'certified',
    proof: 'certified',
    weights: { cost: 0.15, speed: 0.3, proof: 0.35, reliability: 0.2 },
    surchargeCents: 200n,
  },
  time_critical: {
    intent: 'time_critical',
    slaDays: 2,
    useCase: 'hard delivery deadlines',
    proofLevel: 'tracking',
    proof: 'tracking + VC',
    weights: { cost: 0.15, speed: 0.45, proof: 0.15, reliability: 0.25 },
    surchargeCents: 150n,
  },
  transactional: {
    intent: 'transactional',
    slaDays: 3,
    useCase: 'standard business correspondence',
    proofLevel: 'tracking',
    proof: 'tracking',
    weights: { cost: 0.45, speed: 0.2, proof: 0.2, reliability: 0.15 },
    surchargeCents: 0n,
  },
  bulk_marketing: {
    intent: 'bulk_marketing',
    slaDays: 5,
    useCase: 'volume campaigns, lowest cost',
    proofLevel: 'basic',
    proof: 'basic',
    weights: { cost: 0.75, speed: 0.1, proof: 0.05, reliability: 0.1 },
    surchargeCents: 0n,
  },
};

/** The class of letters whose request does not name one. Has no surcharge. */
export const usualIntent: Intent = 'transactional';

/** The class that every service fits: its cheapest service is the country's cheapest. */
export const anyServiceIntent: Intent = 'bulk_marketing';

/** Whether the class promises a deadline or a proof, which then must not be given up. */
export const isPromise = (intent: Intent): boolean =>
  intent !== usualIntent && intent !== anyServiceIntent;

/** Whether the operator's published standard delivers within the class's SLA. */
export const meetsSla = (intent: Intent, service: Service): boolean =>
  service.slaDays <= intentClasses[intent].slaDays;

/** Whether the service proves what the class needs. */
export const meetsProof = (intent: Intent, service: Service): boolean =>
  service.proofLevels.includes(intentClasses[intent].proofLevel);

/** The proof level of a letter of the class by this service, never above what the service proves. */
export const proofLevelOf = (intent: Intent, service: Service): ProofLevel =>
  meetsProof(intent, service) ? intentClasses[intent].proofLevel : strongestProof(service);

/** Those that meet the SLA; where none does, the fastest ones. */
function fastEnough(intent: Intent, candidates: readonly Service[]): readonly Service[] {
  const within = candidates.filter((service) => meetsSla(intent, service));
  if (within.length > 0) return within;
  const fastest = Math.min(...candidates.map((service) => service.slaDays));
  return candidates.filter((service) => service.slaDays === fastest);
}

type Candidates = { proving: readonly Service[]; fitting: readonly Service[] };

const candidatesOf = (intent: Intent, country: CountryCode, offered: Offered): Candidates => {
  const proving = servicesOf(country).filter(
    (service) => offered.has(service.id) && meetsProof(intent, service),
  );
  return { proving, fitting: fastEnough(intent, proving) };
};

/**
 * The offered services of a country that fit an intent: those with its proof that meet its SLA. Of all services, some
 * fit each intent.
 * Proof is never given up. Where no product of the country with that proof is fast enough (no
 * registered letter of FR, DE, CA or US is a next-day product) the fastest with the proof fit.
 */
export const servicesFor = (
  intent: Intent,
  country: CountryCode,
  offered: Offered,
): readonly ServiceId[] =>
  candidatesOf(intent, country, offered).fitting.map((service) => service.id);

/**
 * The services of a country that an offer for an intent is made of: of those that take the letter
 * (`takes`) the ones that fit, or if all of these are too small the fastest with the proof; all services
 * where the class promises nothing. Empty: none takes it.
 */
export const servicesOffered = (
  intent: Intent,
  country: CountryCode,
  takes: (service: ServiceId) => boolean,
): readonly ServiceId[] => {
  const taking = (some: readonly Service[]) => some.filter(({ id }) => takes(id));
  const { proving, fitting } = candidatesOf(intent, country, allServices);
  if (!isPromise(intent)) return taking(servicesOf(country)).map(({ id }) => id);
  const offered = taking(fitting);
  const carrying = offered.length > 0 ? offered : fastEnough(intent, taking(proving));
  return carrying.map(({ id }) => id);
};

/**
 * The service of a letter that names an intent only: the one with the lowest postage on day `on` among
 * those that fit and take that many sheets; on a tie the first of the catalogue. If all that fit are
 * too small, the fastest with the proof that takes the sheets. `undefined`: none takes them.
 */
export function pickService(
  intent: Intent,
  country: CountryCode,
  sheets: number,
  on: string,
  { rates, services }: { rates: RateTable; services: Offered },
): ServiceId | undefined {
  const priceOf = ({ id, country: of }: Service): Cents | undefined =>
    postage({ service: id, sheets, format: formatOf(of), on }, rates)?.cents;
  const { proving, fitting } = candidatesOf(intent, country, services);
  const cheapest = cheapestOf(fitting, priceOf);
  if (cheapest !== undefined) return cheapest;
  const carrying = proving.filter((service) => priceOf(service) !== undefined);
  return cheapestOf(fastEnough(intent, carrying), priceOf);
}

function cheapestOf(
  candidates: readonly Service[],
  priceOf: (service: Service) => Cents | undefined,
): ServiceId | undefined {
  let best: { id: ServiceId; cents: Cents } | undefined;
  for (const service of candidates) {
    const cents = priceOf(service);
    if (cents === undefined) continue;
    if (best === undefined || cents < best.cents) best = { id: service.id, cents };
  }
  return best?.id;
}
