import type { LetterPersonal, LetterTerms } from '../../events/letter.ts';
import { formatAddressLines } from '../../postal/addresses/index.ts';
import { countries } from '../../postal/countries.ts';
import { geometryOf } from '../../postal/geometry.ts';
import type { Address, CountryCode, ServiceId } from '../../postal/types.ts';
import { renderTextLetter } from './text-letter.ts';

const locales: Record<CountryCode, string> = {
  US: 'en-US',
  FR: 'fr-FR',
  GB: 'en-GB',
  CA: 'en-CA',
  DE: 'de-DE',
};

/** The date line as it is written in the recipient's country, on its day. */
const dateLine = (country: CountryCode, at: string): string =>
  new Intl.DateTimeFormat(locales[country], {
    dateStyle: 'long',
    timeZone: countries[country].timeZone,
  }).format(new Date(at));

/**
 * A letter as it goes into the envelope. The same letter and time give the same bytes.
 * @throws Error when it does not have the pages that it was priced for
 */
export const renderLetter = async (letter: {
  terms: LetterTerms;
  personal: LetterPersonal;
  at: string;
}): Promise<Buffer> => {
  const { terms, personal, at } = letter;
  const to = personal.to as Address;
  const from = personal.from as Address;
  const country = terms.country as CountryCode;
  const envelope = terms.envelope as Parameters<typeof geometryOf>[2];
  return renderTextLetter({
    content: personal.content ?? '',
    from: formatAddressLines(from, { international: from.country !== to.country }),
    to: formatAddressLines(to),
    date: dateLine(country, at),
    createdAt: new Date(at),
    sheet: geometryOf(country, terms.service as ServiceId, envelope),
    reference: personal.reference,
    foldMarks: country === 'DE',
    watermark: terms.test ? 'TEST' : undefined,
  });
};
