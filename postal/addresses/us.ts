/**
 * United States. Layout and upper case: USPS Publication 28. ZIP ranges by state: Google
 * libaddressinput `data/US` (commit ef36afc); prefixes out of use: the public list of ZIP Code
 * prefixes, only those that are surely unassigned. As of 2026.
 */
import { type CountryRules, regionAliases } from './rules.ts';

const states: ReadonlyMap<string, string> = new Map([
  ['AL', 'Alabama'],
  ['AK', 'Alaska'],
  ['AS', 'American Samoa'],
  ['AZ', 'Arizona'],
  ['AR', 'Arkansas'],
  ['AA', 'Armed Forces Americas'],
  ['AE', 'Armed Forces Europe'],
  ['AP', 'Armed Forces Pacific'],
  ['CA', 'California'],
  ['CO', 'Colorado'],
  ['CT', 'Connecticut'],
  ['DE', 'Delaware'],
  ['DC', 'District of Columbia'],
  ['FL', 'Florida'],
  ['GA', 'Georgia'],
  ['GU', 'Guam'],
  ['HI', 'Hawaii'],
  ['ID', 'Idaho'],
  ['IL', 'Illinois'],
  ['IN', 'Indiana'],
  ['IA', 'Iowa'],
  ['KS', 'Kansas'],
  ['KY', 'Kentucky'],
  ['LA', 'Louisiana'],
  ['ME', 'Maine'],
  ['MH', 'Marshall Islands'],
  ['MD', 'Maryland'],
  ['MA', 'Massachusetts'],
  ['MI', 'Michigan'],
  ['FM', 'Micronesia'],
  ['MN', 'Minnesota'],
  ['MS', 'Mississippi'],
  ['MO', 'Missouri'],
  ['MT', 'Montana'],
  ['NE', 'Nebraska'],
  ['NV', 'Nevada'],
  ['NH', 'New Hampshire'],
  ['NJ', 'New Jersey'],
  ['NM', 'New Mexico'],
  ['NY', 'New York'],
  ['NC', 'North Carolina'],
  ['ND', 'North Dakota'],
  ['MP', 'Northern Mariana Islands'],
  ['OH', 'Ohio'],
  ['OK', 'Oklahoma'],
  ['OR', 'Oregon'],
  ['PW', 'Palau'],
  ['PA', 'Pennsylvania'],
  ['PR', 'Puerto Rico'],
  ['RI', 'Rhode Island'],
  ['SC', 'South Carolina'],
  ['SD', 'South Dakota'],
  ['TN', 'Tennessee'],
  ['TX', 'Texas'],
  ['UT', 'Utah'],
  ['VT', 'Vermont'],
  ['VI', 'Virgin Islands'],
  ['VA', 'Virginia'],
  ['WA', 'Washington'],
  ['WV', 'West Virginia'],
  ['WI', 'Wisconsin'],
  ['WY', 'Wyoming'],
]);

const furtherNames = [
  ['US Virgin Islands', 'VI'],
  ['USVI', 'VI'],
  ['Washington DC', 'DC'],
  ['Federated States of Micronesia', 'FM'],
  ['Commonwealth of Puerto Rico', 'PR'],
  // Abbreviations of before the two-letter codes.
  ['Ala', 'AL'],
  ['Ariz', 'AZ'],
  ['Ark', 'AR'],
  ['Calif', 'CA'],
  ['Colo', 'CO'],
  ['Conn', 'CT'],
  ['Del', 'DE'],
  ['Fla', 'FL'],
  ['Ill', 'IL'],
  ['Ind', 'IN'],
  ['Kans', 'KS'],
  ['Mass', 'MA'],
  ['Mich', 'MI'],
  ['Minn', 'MN'],
  ['Miss', 'MS'],
  ['Mont', 'MT'],
  ['Nebr', 'NE'],
  ['Nev', 'NV'],
  ['N. Dak.', 'ND'],
  ['N. Mex.', 'NM'],
  ['Okla', 'OK'],
  ['Oreg', 'OR'],
  ['S. Dak.', 'SD'],
  ['Tenn', 'TN'],
  ['Tex', 'TX'],
  ['Wash', 'WA'],
  ['Wis', 'WI'],
  ['Wyo', 'WY'],
  ['W. Va.', 'WV'],
] as const;

/** First and last three-digit prefix. */
const prefixRanges: readonly (readonly [string, number, number])[] = [
  ['NY', 5, 5],
  ['PR', 6, 7],
  ['VI', 8, 8],
  ['PR', 9, 9],
  ['MA', 10, 27],
  ['RI', 28, 29],
  ['NH', 30, 38],
  ['ME', 39, 49],
  ['VT', 50, 54],
  ['MA', 55, 55],
  ['VT', 56, 59],
  ['CT', 60, 69],
  ['NJ', 70, 89],
  ['AE', 90, 99],
  ['NY', 100, 149],
  ['PA', 150, 196],
  ['DE', 197, 199],
  ['DC', 200, 200],
  ['VA', 201, 201],
  ['DC', 202, 205],
  ['MD', 206, 219],
  ['VA', 220, 246],
  ['WV', 247, 268],
  ['NC', 270, 289],
  ['SC', 290, 299],
  ['GA', 300, 319],
  ['FL', 320, 339],
  ['AA', 340, 340],
  ['FL', 341, 349],
  ['AL', 350, 369],
  ['TN', 370, 385],
  ['MS', 386, 397],
  ['GA', 398, 399],
  ['KY', 400, 427],
  ['OH', 430, 459],
  ['IN', 460, 479],
  ['MI', 480, 499],
  ['IA', 500, 528],
  ['WI', 530, 549],
  ['MN', 550, 567],
  ['DC', 569, 569],
  ['SD', 570, 577],
  ['ND', 580, 588],
  ['MT', 590, 599],
  ['IL', 600, 629],
  ['MO', 630, 658],
  ['KS', 660, 679],
  ['NE', 680, 693],
  ['LA', 700, 714],
  ['AR', 716, 729],
  ['OK', 730, 731],
  ['TX', 733, 733],
  ['OK', 734, 749],
  ['TX', 750, 799],
  ['CO', 800, 816],
  ['WY', 820, 831],
  ['ID', 832, 838],
  ['UT', 840, 847],
  ['AZ', 850, 865],
  ['NM', 870, 884],
  ['TX', 885, 885],
  ['NV', 889, 898],
  ['CA', 900, 961],
  ['AP', 962, 966],
  ['HI', 967, 968],
  ['OR', 970, 979],
  ['WA', 980, 994],
  ['AK', 995, 999],
];

/** Prefixes inside of those ranges that no ZIP Code begins with. */
const unusedPrefixes: readonly number[] = [
  213, 343, 345, 348, 419, 517, 518, 519, 533, 536, 552, 621, 632, 642, 643, 663, 682, 702, 709,
  742, 854, 858, 861, 862, 876, 892, 896, 909, 929, 987,
];

const stateByPrefix: readonly (string | undefined)[] = buildPrefixTable();

function buildPrefixTable(): (string | undefined)[] {
  const table = new Array<string | undefined>(1000).fill(undefined);
  for (const [state, first, last] of prefixRanges) table.fill(state, first, last + 1);
  for (const prefix of unusedPrefixes) table[prefix] = undefined;
  return table;
}

/** Federal agencies that have a code of Washington and another town: Camp Springs (uscis.gov), Springfield (tsa.gov). */
const governmentZips = [
  ['20588', 'MD'],
  ['20598', 'VA'],
] as const;

/** ZIP Codes whose state is not that of their prefix. 73960 is the side of Texhoma in Texas. */
const stateByZip: ReadonlyMap<string, string> = new Map<string, string>([
  ['06390', 'NY'],
  ['73960', 'TX'],
  ['83414', 'WY'],
  ['96799', 'AS'],
  ...governmentZips,
]);

/** Prefix 969 is shared by the Pacific islands: first and last ZIP Code. */
const pacificRanges: readonly (readonly [string, number, number])[] = [
  ['GU', 96910, 96932],
  ['PW', 96939, 96940],
  ['FM', 96941, 96944],
  ['MP', 96950, 96952],
  ['MH', 96960, 96979],
];

function stateOfZip(postalCode: string): string | undefined {
  const zip = postalCode.slice(0, 5);
  const exception = stateByZip.get(zip);
  if (exception !== undefined) return exception;
  const number = Number(zip);
  const prefix = Math.floor(number / 100);
  if (prefix !== 969) return stateByPrefix[prefix];
  return pacificRanges.find(([, first, last]) => number >= first && number <= last)?.[0];
}

/** The state is printed behind the town anyway: not `APO AE AE`, nor `WASHINGTON DC DC`. */
const stateInTown = /^(?:([AFD]PO),? A[AEP]|(WASHINGTON),? D\.? ?C\.?)$/;

/** Codes of the armed forces and of diplomatic posts. */
const militaryStates = new Set(['AA', 'AE', 'AP']);
const militaryTown = /^[AFD]PO$/;

/** Another town may take the letter out of the military mail (USPS Publication 640, FAQ). */
function isMilitaryElsewhere(state: string, city: string | undefined): boolean {
  return city !== undefined && militaryStates.has(state) && !militaryTown.test(city);
}

const zipShape = /^(\d{5})(?:[ -]?(\d{4}))?$/;
const shortened = /^\d{3,4}$/;

export const us: CountryRules = {
  country: 'US',
  maxLineLength: 64,
  maxLineSource: 'USPS Publication 28',
  postalCodeName: 'a US ZIP Code (5 digits, or 5+4)',
  canonicalPostalCode(text) {
    const match = zipShape.exec(text);
    if (match === null) return undefined;
    return match[2] === undefined ? match[1] : `${match[1]}-${match[2]}`;
  },
  unassignedReason(postalCode, city) {
    const state = stateOfZip(postalCode);
    if (state === undefined) return 'it is in the range of ZIP Codes of no state';
    if (!isMilitaryElsewhere(state, city)) return undefined;
    return `it is a code of the armed forces, whose town is APO, FPO or DPO and not ${city}`;
  },
  suggestPostalCode(text) {
    const padded = shortened.test(text) ? text.padStart(5, '0') : undefined;
    return padded !== undefined && stateOfZip(padded) !== undefined ? padded : undefined;
  },
  regions: {
    kind: 'US state',
    names: states,
    aliases: regionAliases(states, furtherNames),
    ofPostalCode: stateOfZip,
    isFurtherOf: (state, postalCode) =>
      state === 'DC' && governmentZips.some(([zip]) => postalCode.startsWith(zip)),
  },
  upperCase: new Set(['city']),
  rewrite: (field, text) => (field === 'city' ? text.replace(stateInTown, '$1$2') : text),
  punctuation: {
    pattern: /#[^ ]+/,
    fields: new Set(['line1', 'line2']),
    advice: 'put a space after the #, or write APT, STE or UNIT instead (USPS Publication 28, 213)',
  },
  companyFirst: false,
  supplementFirst: false,
  townLines: (address) => [
    [address.city, address.state, address.postalCode].filter(Boolean).join(' '),
  ],
};
