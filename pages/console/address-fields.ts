/** The fields of an address, in the forms that have one. */
import type { Language } from '../../postal/stationery.ts';
import { countryCodes } from '../../postal/types.ts';
import { type Html, html } from '../html.ts';
import { selectField, textField } from './form.ts';
import { countryNames } from './format.ts';
import type { AddressPart } from './letter-shown.ts';
import type { WrongFields } from './wrong-fields.ts';

export const addressParts = [
  'name',
  'company',
  'line1',
  'line2',
  'postal_code',
  'city',
  'state',
  'country',
] as const satisfies readonly AddressPart[];

export const optionalParts: readonly AddressPart[] = ['company', 'line2', 'state'];

export const addressLabels: Record<Language, Record<AddressPart | 'choose', string>> = {
  en: {
    name: 'Name',
    company: 'Company',
    line1: 'Street and number',
    line2: 'Second address line',
    postal_code: 'Postal code',
    city: 'City',
    state: 'State or province',
    country: 'Country',
    choose: 'Choose a country',
  },
  de: {
    name: 'Name',
    company: 'Firma',
    line1: 'Straße und Hausnummer',
    line2: 'Zweite Adresszeile',
    postal_code: 'Postleitzahl',
    city: 'Ort',
    state: 'Bundesstaat oder Provinz',
    country: 'Land',
    choose: 'Land wählen',
  },
  fr: {
    name: 'Nom',
    company: 'Société',
    line1: 'Numéro et rue',
    line2: 'Complément d’adresse',
    postal_code: 'Code postal',
    city: 'Ville',
    state: 'État ou province',
    country: 'Pays',
    choose: 'Choisir un pays',
  },
};

/** None is chosen beforehand: with another country, a postal code may name another place. */
const countriesFor = (
  chosen: string | undefined,
  listed: readonly string[],
  language: Language,
) => {
  const countries = countryNames(language).filter(
    ({ value }) => value === chosen || listed.includes(value),
  );
  return chosen ? countries : [{ value: '', label: addressLabels[language].choose }, ...countries];
};

type Address = {
  side: 'to' | 'from';
  legend: string;
  parts: readonly AddressPart[];
  /** The content of a field, by its name. */
  contentOf(name: string): string | undefined;
  /** Codes that the list shows, besides the one that is chosen; absent: all. */
  countries?: readonly string[];
  wrong: WrongFields;
};

export const addressFields = (address: Address, language: Language): Html => {
  const { side, legend, parts, contentOf, wrong, countries = countryCodes } = address;
  return html`<fieldset>
<legend>${legend}</legend>
${parts.map((part) => {
  const name = `${side}_${part}`;
  const label = addressLabels[language][part];
  const value = contentOf(name);
  const required = !optionalParts.includes(part);
  const field = { name, label, value, required, wrong: wrong.get(name) };
  return part === 'country'
    ? selectField(field, countriesFor(value, countries, language))
    : textField(field);
})}
</fieldset>`;
};
