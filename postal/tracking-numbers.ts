/**
 * Tracking numbers of the tracked services: their shapes, check digits and deep links.
 * Sources: UPU S10; USPS IMpb, Canada Post, La Poste: jkeen/tracking_number_data b79ce4b (2025).
 * Links were found in public code and stand as of 2026.
 */
import { countries } from './countries.ts';
import type { CountryCode, ServiceId } from './types.ts';

/** The carrier of each country; `{number}` in the template is where the number goes. */
export const operators: Record<CountryCode, { name: string; trackingUrl: string }> = {
  US: {
    name: countries.US.operator,
    trackingUrl: 'https://tools.usps.com/go/TrackConfirmAction?tLabels={number}',
  },
  FR: {
    name: countries.FR.operator,
    trackingUrl: 'https://www.laposte.fr/outils/suivre-vos-envois?code={number}',
  },
  GB: {
    name: countries.GB.operator,
    trackingUrl: 'https://www.royalmail.com/track-your-item#/tracking-results/{number}',
  },
  CA: {
    name: countries.CA.operator,
    trackingUrl:
      'https://www.canadapost-postescanada.ca/track-reperage/en#/search?searchFor={number}',
  },
  DE: {
    name: countries.DE.operator,
    trackingUrl: 'https://www.deutschepost.de/de/s/sendungsverfolgung.html?piececode={number}',
  },
};

type Format = {
  name: string;
  /** Of the number without spaces. Group 1, where there is one, is the number itself. */
  shape: RegExp;
  /** Absent where the operator publishes no rule. */
  checkDigitHolds?: (number: string) => boolean;
};

const s10Weights = [8, 6, 4, 2, 3, 5, 9, 7];

/** Check digit of eight digits by UPU S10: 11 − (Σ mod 11), 10 → 0, 11 → 5. */
function s10CheckDigit(serial: string): number {
  const sum = s10Weights.reduce(
    (total, weight, index) => total + weight * Number(serial[index]),
    0,
  );
  const difference = 11 - (sum % 11);
  if (difference === 10) return 0;
  return difference === 11 ? 5 : difference;
}

/** Check digit of IMpb and Canada Post: weights 3, 1, 3, 1 … from the right, up to the next ten. */
function mod10CheckDigit(digits: string): number {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const weight = (digits.length - index) % 2 === 1 ? 3 : 1;
    sum += weight * Number(digits[index]);
  }
  return (10 - (sum % 10)) % 10;
}

const mod10Holds = (number: string): boolean =>
  mod10CheckDigit(number.slice(0, -1)) === Number(number.slice(-1));

const s10 = (country: CountryCode): Format => ({
  name: `two letters, nine digits and ${country} (UPU S10)`,
  shape: new RegExp(`^([A-Z]{2}\\d{9}${country})$`),
  checkDigitHolds: (number) => s10CheckDigit(number.slice(2, 10)) === Number(number[10]),
});

/** Routing digits 420 and a ZIP Code may stand in front. */
const impb: Format = {
  name: '22 digits that begin with 92 to 95 (USPS IMpb)',
  shape: /^(?:420\d{5}(?:\d{4})?)?(9[2-5]\d{20})$/,
  checkDigitHolds: mod10Holds,
};

/** Labels of before IMpb. Two rules of check digits are in circulation, so none is applied. */
const certifiedLabel: Format = {
  name: '20 digits that begin with 7 (certified mail label)',
  shape: /^(7\d{19})$/,
};

const canadaPost: Format = {
  name: '16 digits (Canada Post)',
  shape: /^(\d{16})$/,
  checkDigitHolds: mod10Holds,
};

/** The rule of La Poste's check digit is not public. */
const laPoste: Format = {
  name: 'a digit, a letter and eleven digits (La Poste)',
  shape: /^(\d[A-Z]\d{11})$/,
};

type Tracked = { country: CountryCode; formats: readonly Format[] };

const american: Tracked = { country: 'US', formats: [impb, s10('US')] };
const french: Tracked = { country: 'FR', formats: [laPoste, s10('FR')] };
const british: Tracked = { country: 'GB', formats: [s10('GB')] };
const canadian: Tracked = { country: 'CA', formats: [canadaPost, s10('CA')] };
const german: Tracked = { country: 'DE', formats: [s10('DE')] };

/** The other services have no tracking number. */
const trackedServices: Partial<Record<ServiceId, Tracked>> = {
  us_certified: { country: 'US', formats: [impb, certifiedLabel] },
  us_priority: american,
  fr_lettre_suivie: french,
  fr_lettre_recommandee: french,
  gb_signed_for: british,
  gb_special_delivery: british,
  ca_registered: canadian,
  ca_priority: canadian,
  de_einschreiben: german,
  de_einschreiben_einwurf: german,
};

type TrackingNumberCheck =
  | { ok: true; normalized: string }
  | { ok: false; code: TrackingNumberProblem; detail: string };
type TrackingNumberProblem =
  | 'tracking_not_offered'
  | 'tracking_number_format'
  | 'tracking_number_check_digit';

const separators = /[\s.-]+/g;
/** 420, nine digits of ZIP+4 and 22 digits, with a space between every two. */
const longestNumber = 68;

/**
 * Judges a tracking number by the formats of the service. `normalized` is in upper case, without
 * spaces, hyphens and routing digits. Check digits are held to wherever their rule is known.
 */
export function checkTrackingNumber(service: ServiceId, number: string): TrackingNumberCheck {
  const tracked = trackedServices[service];
  if (tracked === undefined) {
    const detail = `${service} has no tracking number. Leave it out, or choose a tracked service`;
    return { ok: false, code: 'tracking_not_offered', detail };
  }
  const compact = number.length > longestNumber ? '' : number.toUpperCase().replace(separators, '');
  for (const format of tracked.formats) {
    const normalized = format.shape.exec(compact)?.[1];
    if (normalized === undefined) continue;
    if (format.checkDigitHolds?.(normalized) === false) return wrongCheckDigit(normalized, format);
    return { ok: true, normalized };
  }
  return wrongFormat(service, number, tracked);
}

function wrongCheckDigit(normalized: string, format: Format): TrackingNumberCheck {
  const detail = `${normalized} has a wrong check digit, so one of its characters is wrong: ${format.name}. Copy it again from the receipt or the label`;
  return { ok: false, code: 'tracking_number_check_digit', detail };
}

function wrongFormat(service: ServiceId, number: string, tracked: Tracked): TrackingNumberCheck {
  const shapes = tracked.formats.map((format) => format.name).join(', or ');
  const shown = number.length > longestNumber ? `${number.slice(0, longestNumber)}…` : number;
  const detail = `${shown} is not a tracking number of ${service}, which has ${shapes}. Copy it again from the receipt or the label`;
  return { ok: false, code: 'tracking_number_format', detail };
}

/**
 * Where the recipient can follow the item; undefined for a service without tracking, and for a test letter,
 * whose number is invented.
 */
export function trackingUrl(
  { service, test }: { service: ServiceId; test: boolean },
  number: string,
): string | undefined {
  const tracked = trackedServices[service];
  if (tracked === undefined || test) return undefined;
  return operators[tracked.country].trackingUrl.replace('{number}', () =>
    encodeURIComponent(number),
  );
}

/**
 * A tracking number for test letters: a function of `seed`, with valid check digits and a prefix that
 * no real item has, so that nobody mistakes one for the other:
 * - US `92000000000…`: service type 000 and mailer 000000 are assigned to nobody.
 * - CA `0000000…`: customer number 0000000 is nobody's.
 * - FR `0T…`: none of the products seen begins with 0T (their prefixes are not published).
 * - GB, DE `XX…`: UPU S10 lists no service under the letter X.
 *
 * @param seed any bytes, of which the letter's id is a good source
 * @throws RangeError for an empty seed or a service without tracking
 */
export function simulatedTrackingNumber(service: ServiceId, seed: Uint8Array): string {
  const country = trackedServices[service]?.country;
  if (country === undefined) throw new RangeError(`${service} has no tracking number`);
  if (seed.length === 0) throw new RangeError('a simulated tracking number needs a seed');
  if (country === 'US') return withMod10(`92000000000${digitsOf(seed, 10)}`);
  if (country === 'CA') return withMod10(`0000000${digitsOf(seed, 8)}`);
  if (country === 'FR') return `0T${digitsOf(seed, 11)}`;
  const serial = digitsOf(seed, 8);
  return `XX${serial}${s10CheckDigit(serial)}${country}`;
}

const withMod10 = (digits: string): string => `${digits}${mod10CheckDigit(digits)}`;

/** The seed as a number, its last `count` decimal digits. Exact up to 13 digits. */
function digitsOf(seed: Uint8Array, count: number): string {
  const modulus = 10 ** count;
  let value = 0;
  for (const byte of seed) value = (value * 256 + byte) % modulus;
  return String(value).padStart(count, '0');
}
