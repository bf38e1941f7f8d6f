/**
 * Destinations that the operator's standard for the mainland leaves out. Operators publish no standard in days for
 * most of them, so these days are a choice.
 */
import { countryRules } from './addresses/format.ts';
import type { CountryCode } from './types.ts';

/** Business days in addition to those of the mainland, at best and at worst. */
type FurtherDays = { earliest: number; latest: number };

const further = (earliest: number, latest: number): FurtherDays => ({ earliest, latest });

/** CHOICE: what senders to such places usually wait, on the safe side. */
const forces = further(3, 15);
const pacific = further(3, 10);
const nonContiguous = further(1, 3);
const northernCanada = further(1, 6);
const overseasFrance = further(2, 5);
const pacificFrance = further(3, 8);
const crownDependency = further(1, 2);
const highlands = further(0, 1);
const mainland = further(0, 0);

/** Of the United States and Canada, by state, territory or province. */
const byRegion: ReadonlyMap<string, FurtherDays> = new Map([
  ...['AA', 'AE', 'AP'].map((state) => [state, forces] as const),
  ...['AK', 'HI', 'PR', 'VI'].map((state) => [state, nonContiguous] as const),
  ...['AS', 'FM', 'GU', 'MH', 'MP', 'PW'].map((state) => [state, pacific] as const),
  ...['NT', 'NU', 'YT'].map((territory) => [territory, northernCanada] as const),
]);

type Rule = readonly [RegExp, FurtherDays];

/** By canonical postal code; the first rule that fits counts. */
const byPostalCode: Readonly<Record<CountryCode, readonly Rule[]>> = {
  US: [],
  // Labrador, northern Quebec, Ontario, Manitoba and Saskatchewan, which have mail by air or once a few days.
  CA: [[/^(?:A0[PR]|A2V|J0M|P0[TV]|R0B|S0J)/, northernCanada]],
  // 980 is Monaco.
  FR: [
    [/^00/, forces],
    [/^980/, mainland],
    [/^98/, pacificFrance],
    [/^97/, overseasFrance],
  ],
  GB: [
    [/^BF/, forces],
    [/^(?:GY|IM|JE)\d/, crownDependency],
    // Highlands and islands of Scotland, and the Isles of Scilly.
    [/^(?:HS\d|IV\d|KW\d|ZE\d|KA2[78] |PA[2-7]\d |PH(?:19|[2-5]\d) |TR2[1-5] )/, highlands],
  ],
  DE: [],
};

/** The days that a letter to this canonical postal code may take longer than one to the mainland. */
export const furtherDaysTo = (country: CountryCode, postalCode: string): FurtherDays => {
  const region = countryRules[country].regions?.ofPostalCode(postalCode) ?? '';
  const rule = byPostalCode[country].find(([codes]) => codes.test(postalCode));
  return rule?.[1] ?? byRegion.get(region) ?? mainland;
};
