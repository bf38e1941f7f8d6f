import { countries } from './countries.ts';
import { type Envelope, formatOf } from './paper.ts';
import { maxSheets, usualRates } from './rates.ts';
import {
  type CountryCode,
  countryCodes,
  type ServiceId,
  serviceIds,
  type TrackingClass,
} from './types.ts';

/**
 * The proof that a service gives of a letter, in addition to the signed event history and the credential (VC)
 * that this backend issues for every letter:
 * - `basic`: the letter was produced and handed to the operator, on our record.
 * - `tracking`: the operator scans the item; its events are evidence for its journey or its delivery.
 * - `certified`: the operator itself documents that it accepted the item (certified, registered mail).
 * - `signature`: the recipient or an agent of theirs signs for it.
 * - `full_audit_trail`: tracked, certified and signed for, so that together with our event history no link of
 * the chain of custody rests on our word alone.
 */
export const proofLevels = [
  'basic',
  'tracking',
  'certified',
  'signature',
  'full_audit_trail',
] as const;
export type ProofLevel = (typeof proofLevels)[number];

export type Service = {
  id: ServiceId;
  country: CountryCode;
  /** The operator's own name of the product. */
  name: string;
  operator: string;
  tracking: TrackingClass;
  proofLevels: readonly ProofLevel[];
  /** Business days from hand-over, at best. */
  earliestDays: number;
  /** Business days from hand-over within which the operator's published standard delivers at home. */
  slaDays: number;
  /** Whether `slaDays` is guaranteed by the operator, rather than its standard. */
  guaranteed: boolean;
  /** Whether the operator issues a receipt of posting. */
  proofOfPosting: boolean;
  /** Whether the recipient signs. */
  signature: boolean;
  /** By the rates that are valid until further notice. */
  maxSheets: number;
  /** The envelope of a letter of few sheets; the rate row names the one of a thicker letter. */
  envelope: Envelope;
};

type Traits = Pick<Service, 'tracking' | 'proofLevels' | 'proofOfPosting' | 'signature'>;

const untracked: Traits = {
  tracking: 'none',
  proofLevels: ['basic'],
  proofOfPosting: false,
  signature: false,
};
const tracked: Traits = { ...untracked, tracking: 'sync', proofLevels: ['basic', 'tracking'] };
const registered: Traits = {
  tracking: 'sync',
  proofLevels: ['basic', 'tracking', 'certified', 'signature', 'full_audit_trail'],
  proofOfPosting: true,
  signature: true,
};
const signedFor: Traits = {
  ...registered,
  proofLevels: ['basic', 'tracking', 'certified', 'signature'],
};
const courier: Traits = {
  ...tracked,
  proofLevels: ['basic', 'tracking', 'signature'],
  signature: true,
};
const deposited: Traits = {
  ...tracked,
  proofLevels: ['basic', 'tracking', 'certified'],
  proofOfPosting: true,
};

type Entry = Omit<Service, 'id' | 'country' | 'operator' | 'maxSheets' | 'envelope' | 'guaranteed'>;

const speed = (earliestDays: number, slaDays: number) => ({ earliestDays, slaDays });

/**
 * Standards of delivery, business days. US: First-Class (and Certified, which travels with it) 1–5,
 * Priority 1–3. FR: J+3 for all. GB: 1st Class aims at the next day but its target is 90 % only, hence
 * 2; Special Delivery is guaranteed for the next day; 2nd Class 3. CA: Lettermail 2 local, 3 in the
 * province, 4 nationally, Registered with it; Priority next day between most centres, otherwise 2. DE: 95 %
 * in 3 days, Einschreiben with it.
 */
const entries: Readonly<Record<ServiceId, Entry>> = {
  us_first_class: { name: 'First-Class Mail', ...untracked, ...speed(1, 5) },
  // The signature is collected at delivery and kept by the operator; a return receipt is not bought.
  us_certified: { name: 'Certified Mail', ...registered, ...speed(1, 5) },
  us_priority: { name: 'Priority Mail', ...tracked, ...speed(1, 3) },
  fr_lettre_verte: { name: 'Lettre verte', ...untracked, ...speed(2, 3) },
  fr_lettre_suivie: { name: 'Lettre suivie', ...tracked, tracking: 'async', ...speed(2, 3) },
  fr_lettre_recommandee: {
    name: 'Lettre recommandée R1',
    ...registered,
    tracking: 'async',
    ...speed(2, 3),
  },
  gb_first_class: { name: '1st Class', ...untracked, ...speed(1, 2) },
  gb_second_class: { name: '2nd Class', ...untracked, ...speed(2, 3) },
  // Confirmed at delivery only, not scanned on its way: not a full chain of custody.
  gb_signed_for: { name: 'Royal Mail Signed For 1st Class', ...signedFor, ...speed(1, 2) },
  gb_special_delivery: {
    name: 'Special Delivery Guaranteed by 1pm',
    ...registered,
    ...speed(1, 1),
  },
  ca_lettermail: { name: 'Lettermail', ...untracked, ...speed(2, 4) },
  ca_registered: { name: 'Registered Mail', ...registered, ...speed(2, 4) },
  ca_priority: { name: 'Priority', ...courier, ...speed(1, 2) },
  de_standardbrief: { name: 'Standardbrief', ...untracked, ...speed(1, 3) },
  de_einschreiben: { name: 'Einschreiben', ...registered, ...speed(1, 3) },
  // The carrier documents that it put the letter into the box; nobody signs.
  de_einschreiben_einwurf: { name: 'Einschreiben Einwurf', ...deposited, ...speed(1, 3) },
};

const smallEnvelopes: Readonly<Record<CountryCode, Envelope>> = {
  US: '#10',
  FR: 'DL',
  GB: 'C5',
  CA: '#10',
  DE: 'DL',
};

const countryOf: Readonly<Record<string, CountryCode>> = {
  us: 'US',
  fr: 'FR',
  gb: 'GB',
  ca: 'CA',
  de: 'DE',
};

const courierEnvelopes: ReadonlySet<ServiceId> = new Set(['us_priority', 'ca_priority']);

function serviceOf(id: ServiceId): Service {
  const country = countryOf[id.slice(0, 2)];
  if (country === undefined) throw new Error(`service ${id} has no country`);
  return {
    id,
    country,
    operator: countries[country].operator,
    ...entries[id],
    guaranteed: id === 'gb_special_delivery',
    // The last day there is: only rows without an end are valid on it.
    maxSheets: maxSheets(id, formatOf(country), '9999-12-31', usualRates),
    envelope: courierEnvelopes.has(id) ? 'flat' : smallEnvelopes[country],
  };
}

/** The 16 services. */
export const services = Object.fromEntries(serviceIds.map((id) => [id, serviceOf(id)])) as Readonly<
  Record<ServiceId, Service>
>;

/** Services that an installation sends letters by. */
export type Offered = ReadonlySet<ServiceId>;

export const allServices: Offered = new Set(serviceIds);

const byCountry: ReadonlyMap<string, readonly Service[]> = Map.groupBy(
  Object.values(services),
  (service) => service.country,
);

/** The countries that letters go to, in their usual order. */
export const countriesOf = (offered: Offered): CountryCode[] =>
  countryCodes.filter((country) => servicesOf(country).some(({ id }) => offered.has(id)));

/** The services of a country, in the catalogue's order. */
export const servicesOf = (country: CountryCode): readonly Service[] =>
  byCountry.get(country) ?? [];

/** With the name of its operator, once: "Deutsche Post Einschreiben", "Royal Mail Signed For 1st Class". */
export const fullNameOf = ({ operator, name }: Service): string =>
  name.startsWith(operator) ? name : `${operator} ${name}`;

/** The strongest that it has. */
export const strongestProof = ({ proofLevels: levels }: Service): Service['proofLevels'][number] =>
  proofLevels.findLast((level) => levels.includes(level)) ?? 'basic';
