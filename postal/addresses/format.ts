import { countries, countryIn } from '../countries.ts';
import type { Address, CountryCode } from '../types.ts';
import { ca } from './ca.ts';
import { de } from './de.ts';
import { fr } from './fr.ts';
import { gb } from './gb.ts';
import type { CountryRules } from './rules.ts';
import { us } from './us.ts';

export const countryRules: Record<CountryCode, CountryRules> = {
  US: us,
  FR: fr,
  GB: gb,
  CA: ca,
  DE: de,
};

/** A post office box stands right above the town, in every country. */
const box =
  /^(?:(?:p\.? ?o\.? ?box|post office box|postfach|bo[iî]te postale|case postale)\b.*\d|(?:p\.? ?o\.? ?b|b\.? ?p|c\.? ?[sp]|t\.? ?s\.? ?a)\.? ?(?:n[°o.]* ?)?\d)/i;
/** The post office in Canada that has the box stands behind it (Canada Post Addressing Guidelines: `PO BOX 4001 STN A`). */
const station =
  /^(?:station|stn|rpo|retail postal outlet|succ(?:ursale)?|comptoir postal|csp)(?:\.|\b)/i;
/** To whom it goes at the address stands right below the name, in every country. */
const careOf =
  /^(?:c\/o|care of|chez|p\/a|attn|att|attention|f\.?a\.?o|for (?:the )?attention|à l[’']attention|z\. ?hd|zu händen|dept|department|abt|abteilung|service)(?:[.:]|\b)/i;
/** Hamlets in France are named like this too, so that it is a person only above a house number. */
const atSomebodys = /^chez\b/i;
/** The urbanization stands above the street that it tells apart (USPS Publication 28, 29). */
const urbanization = /^urb(?:anizaci[oó]n)?\b/i;

/** Whether the line of the street tells to whom it goes there, and so the second line is the street. */
const isAddressee = (line1: string, line2: string): boolean =>
  careOf.test(line1) && (!atSomebodys.test(line1) || /^\d/.test(line2));

/** Street and supplement, each where the post of the country looks for it. */
const deliveryLines = (
  { line1, line2 = '', country }: Address,
  { supplementFirst }: CountryRules,
): string[] => {
  const isStation = country === 'CA' && station.test(line2);
  const isInOrder = box.test(line2) || (box.test(line1) && isStation);
  if (isInOrder || isAddressee(line1, line2)) return [line1, line2];
  const isAbove = careOf.test(line2) || urbanization.test(line2) || box.test(line1);
  return supplementFirst || isAbove ? [line2, line1] : [line1, line2];
};

/**
 * The lines as printed on the envelope, in the order of the country, blank parts left out.
 * An item from abroad has the country as its last line, in upper case and in English, which every post
 * reads, unless a `language` is given; its town is in upper case. Expects a normalised address: it changes nothing else.
 */
export function formatAddressLines(
  address: Address,
  options: { international?: boolean; language?: string } = {},
): string[] {
  const rules = countryRules[address.country];
  const { name, company = '' } = address;
  const lines = rules.companyFirst ? [company, name] : [name, company];
  lines.push(...deliveryLines(address, rules));
  if (options.international === true) {
    const { language } = options;
    const { country } = address;
    const nameOfCountry =
      language === undefined ? countries[country].name : countryIn(language, country);
    lines.push(...rules.townLines({ ...address, city: address.city.toUpperCase() }));
    lines.push(nameOfCountry.toUpperCase());
  } else {
    lines.push(...rules.townLines(address));
  }
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}
