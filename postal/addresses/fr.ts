/**
 * France with Monaco and overseas. Layout, 38 characters and the ban on punctuation: NF Z 10-011 as
 * told by La Poste (SNA). First two digits in use: 01–95, 97 and 98 (20 is Corsica). As of 2026.
 *
 * The armed forces have codes from 00: La Poste takes `SP 12345` (secteur postal) or the unit as the line of
 * the street, and `00xxx ARMEES` or `00xxx HUB ARMEES` as the line of the town, at the domestic rate (La Poste,
 * Service postal interarmées, and the UPU's addressing sheet of France).
 */
import type { CountryRules } from './rules.ts';

/** With the letters of the country in front, also those of Monaco. */
const codeShape = /^(?:FR?[- ]?|MC[- ]?(?=980|98 0))?(\d{2}) ?(\d{3})$/i;
const fourDigits = /^\d{4}$/;
const repetition = /^(\d{1,4}) ?(bis|ter|quater)(?=[ ,]|$)/i;
const cedex = /(?:^|(?: -)? )C[EÉ]DEX ?(\d{1,2})?$/;
const boxWithStops = /^(B\. ?P\.|C\. ?S\.|T\. ?S\. ?A\.)(?= ?\d)/i;
const unused = new Set(['00', '96', '99']);
const forcesDepartment = '00';
const forcesTown = /(^| )ARM[EÉ]ES$/;

function unassignedReason(postalCode: string, city = ''): string | undefined {
  const department = postalCode.slice(0, 2);
  if (!unused.has(department)) return undefined;
  if (department === forcesDepartment && postalCode !== '00000') {
    if (forcesTown.test(city)) return undefined;
    return 'codes from 00 are those of the armed forces, whose town is ARMEES; no French department has the digits 00 (they are 01 to 95, 97 and 98)';
  }
  return `no French department has the digits ${department} (they are 01 to 95, 97 and 98)`;
}

/** `Paris cédex 8` → `PARIS CEDEX 08`: La Poste numbers the offices with two digits. */
function cedexForm(city: string): string {
  return city.replace(cedex, (written, office: string | undefined) => {
    const before = written.startsWith(' ') ? ' ' : '';
    return office === undefined ? `${before}CEDEX` : `${before}CEDEX ${office.padStart(2, '0')}`;
  });
}

/** `5 bis rue` → `5 B rue`, ter → T, quater → Q. */
function repetitionForm(line: string): string {
  const match = repetition.exec(line);
  if (match === null) return line;
  const [written, number = '', word = ''] = match;
  return `${number} ${word.charAt(0).toUpperCase()}${line.slice(written.length)}`;
}

/** `B.P. 12` → `BP 12`: from the fourth line on there is no punctuation (NF Z 10-011). */
function boxForm(line: string): string {
  return line.replace(boxWithStops, (_, letters: string) =>
    letters.replace(/[. ]/g, '').toUpperCase(),
  );
}

export const fr: CountryRules = {
  country: 'FR',
  maxLineLength: 38,
  maxLineSource: 'NF Z 10-011',
  postalCodeName: 'a French postal code (5 digits)',
  canonicalPostalCode(text) {
    const match = codeShape.exec(text);
    return match === null ? undefined : `${match[1]}${match[2]}`;
  },
  unassignedReason,
  suggestPostalCode(text) {
    if (!fourDigits.test(text)) return undefined;
    return [`${text}0`, `0${text}`].find((code) => unassignedReason(code) === undefined);
  },
  postalCodeHint(text) {
    const padded = `0${text}`;
    if (!fourDigits.test(text) || unassignedReason(padded) !== undefined) return undefined;
    return `If a leading zero was lost, the code is ${padded}.`;
  },
  upperCase: new Set(['city']),
  rewrite(field, text) {
    if (field === 'city') return cedexForm(text);
    return field === 'line1' || field === 'line2' ? repetitionForm(boxForm(text)) : text;
  },
  punctuation: {
    pattern: /[,;:.!?"]/,
    fields: new Set(['line1', 'line2', 'city']),
    advice: 'leave it out: lines from the fourth on have none (NF Z 10-011)',
  },
  companyFirst: true,
  supplementFirst: true,
  townLines: (address) => [`${address.postalCode} ${address.city}`],
};
