import type { Facts, facts } from '../contract/errors.ts';

/** The five countries that are served. */
export const countryCodes = ['US', 'FR', 'GB', 'CA', 'DE'] as const;
export type CountryCode = (typeof countryCodes)[number];

export const intents = [
  'confidential',
  'legal_compliance',
  'regulatory_filing',
  'time_critical',
  'transactional',
  'bulk_marketing',
] as const;
export type Intent = (typeof intents)[number];

export type TrackingClass = 'none' | 'sync' | 'async';

export const serviceIds = [
  'us_first_class',
  'us_certified',
  'us_priority',
  'fr_lettre_verte',
  'fr_lettre_suivie',
  'fr_lettre_recommandee',
  'gb_first_class',
  'gb_second_class',
  'gb_signed_for',
  'gb_special_delivery',
  'ca_lettermail',
  'ca_registered',
  'ca_priority',
  'de_standardbrief',
  'de_einschreiben',
  'de_einschreiben_einwurf',
] as const;
export type ServiceId = (typeof serviceIds)[number];

/** A postal address as the caller wrote it or as it was normalised. Absent lines are absent. */
export type Address = {
  name: string;
  company?: string;
  line1: string;
  line2?: string;
  city: string;
  state?: string;
  postalCode: string;
  country: CountryCode;
};

/** `field` is a key of Address. An error refuses the letter; a warning is part of the answer. */
export type AddressIssue = {
  field: keyof Address;
  code: string;
  severity: 'error' | 'warning';
  /** A sentence that names the thing, the rule and the way out. */
  detail: string;
  hint?: string;
  [facts]?: Facts;
};

/** `changes` lists what normalisation altered. */
export type AddressCheck = {
  normalized: Address;
  changes: { field: keyof Address; from: string; to: string }[];
  issues: AddressIssue[];
};

export type PageFormat = 'A4' | 'Letter';

/** Millimetres from the top left of the page. */
export type Box = { x: number; y: number; width: number; height: number };
