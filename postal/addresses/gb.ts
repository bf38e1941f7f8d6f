/**
 * United Kingdom with the Crown Dependencies. Layout: Royal Mail and Post Office, clear addressing.
 * Postcode areas: the 124 of Royal Mail (121, and GY, IM, JE), and BF (BFPO), BX and XX, which have
 * no place. Shape of the inward code: no C I K M O V. As of 2026.
 */
import { asDigit, type CountryRules } from './rules.ts';

const areas: ReadonlySet<string> = new Set(
  (
    'AB AL B BA BB BD BH BL BN BR BS BT CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY ' +
    'E EC EH EN EX FK FY G GL GU GY HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY ' +
    'L LA LD LE LL LN LS LU M ME MK ML N NE NG NN NP NR NW OL OX PA PE PH PL PO PR RG RH RM ' +
    'S SA SE SG SK SL SM SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS TW UB ' +
    'W WA WC WD WF WN WR WS WV YO ZE BF BX XX'
  ).split(' '),
);

const outward = /^([A-Z]{1,2})\d[\dA-Z]?$/;
const inward = /^\d[ABD-HJLNP-UW-Z]{2}$/;
const forces = /^BFPO ?(\d{1,4})$/;
const spaces = / /g;

function canonicalPostalCode(text: string): string | undefined {
  const upper = text.toUpperCase();
  const bfpo = forces.exec(upper);
  if (bfpo !== null) return `BFPO ${bfpo[1]}`;
  const compact = upper.replace(spaces, '');
  const first = compact.slice(0, -3);
  const last = compact.slice(-3);
  const isShaped = inward.test(last) && (outward.test(first) || compact === 'GIR0AA');
  return isShaped ? `${first} ${last}` : undefined;
}

function unassignedReason(postalCode: string): string | undefined {
  if (postalCode === 'GIR 0AA' || postalCode.startsWith('BFPO')) return undefined;
  const area = outward.exec(postalCode.slice(0, -4))?.[1] ?? '';
  if (areas.has(area)) return undefined;
  return `Royal Mail has no postcode area ${area}`;
}

/** Reads O, I, L and S in the places of digits as 0, 1, 1 and 5. */
function suggestPostalCode(text: string): string | undefined {
  const compact = text.toUpperCase().replace(spaces, '');
  if (compact.length < 5 || compact.length > 7) return undefined;
  const first = compact.slice(0, -3);
  const last = asDigit(compact.charAt(compact.length - 3)) + compact.slice(-2);
  const candidates = [first, first.slice(0, -1) + asDigit(first.slice(-1))];
  return candidates
    .map((candidate) => canonicalPostalCode(candidate + last))
    .find((code) => code !== undefined && unassignedReason(code) === undefined);
}

export const gb: CountryRules = {
  country: 'GB',
  maxLineLength: 40,
  maxLineSource: 'width of the address window',
  postalCodeName: 'a UK postcode (such as SW1A 1AA, or BFPO and a number)',
  canonicalPostalCode,
  unassignedReason,
  suggestPostalCode,
  upperCase: new Set(['city']),
  townAdvice:
    'give the post town alone, such as LLANFAIRPWLLGWYNGYLL, and put the village on the second address line',
  companyFirst: false,
  supplementFirst: false,
  // A BFPO number stands on the last line, for town and postcode (British Forces Post Office).
  townLines: ({ city, postalCode }) =>
    postalCode.startsWith('BFPO') && (city === 'BFPO' || city === postalCode)
      ? [postalCode]
      : [city, postalCode],
};
