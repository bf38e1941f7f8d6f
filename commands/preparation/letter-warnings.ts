/** The warnings about a letter that can be sent. A quote gives the same warnings as a send. */
import { geometryOf } from '../../postal/geometry.ts';
import type { FontMetrics } from '../../postal/line-breaker.ts';
import type { Envelope } from '../../postal/paper.ts';
import { services } from '../../postal/services.ts';
import type { Address, CountryCode, ServiceId } from '../../postal/types.ts';
import { assertAddressesFit, smallAddressWarnings, type Warning } from './check-letter.ts';
import { markupWarnings } from './content-type.ts';
import type { AddressPlacement } from './letter-input.ts';
import { referenceWarnings, type StationeryInput, stationeryWarnings } from './stationery.ts';

/** A letter by its kind, and where its address comes from. */
type Addressed = { kind: 'text' | 'html' | 'pdf'; placement: AddressPlacement };
type Place = { service: ServiceId; envelope: string };

const isAddressedByUs = ({ kind, placement }: Addressed): boolean =>
  kind !== 'pdf' || placement !== 'in_document';

/** Checks that we can set the addresses, if we set them ourselves. @throws AppError address_invalid */
export const assertFits = (
  letter: Addressed,
  place: Place & {
    country: CountryCode;
    to: string[];
    from: string[];
    addresses: { to: Address; from: Address };
  },
  metrics: FontMetrics,
): void => {
  if (!isAddressedByUs(letter)) return;
  assertAddressesFit({ ...place, isPdf: letter.kind === 'pdf' }, metrics);
};

/** A reference, and the date line in words that it shares its line with. Its faces are open. */
type PrintedReference = { text: string; date: string };

/** A PDF has the reference on its address page only, if it has one. */
const aboutReference = (
  { text, date }: PrintedReference,
  { kind, coverPage, service, envelope }: Pick<Addressed, 'kind'> & Place & { coverPage: boolean },
  metrics: FontMetrics,
): Warning[] => {
  if (kind === 'pdf' && !coverPage) return [];
  const sheet = geometryOf(services[service].country, service, envelope as Envelope);
  return referenceWarnings(text, { date, sheet }, metrics);
};

export const letterWarnings = (
  letter: Addressed &
    Place & {
      /** Normalised; absent where a quote has none. */
      to: Address | undefined;
      aboutAddresses: Warning[];
      aboutIntent: Warning[];
      aboutDocument: Warning[];
      /** Absent: it is not text, or not known. */
      text: string | undefined;
      stationery: StationeryInput;
      reference: PrintedReference | undefined;
      coverPage: boolean;
    },
  metrics: FontMetrics,
): Warning[] => {
  const { to, service, envelope, text, reference } = letter;
  const isSet = to && isAddressedByUs(letter);
  return [
    ...letter.aboutAddresses,
    ...(isSet ? smallAddressWarnings({ to, service, envelope }, metrics) : []),
    ...letter.aboutIntent,
    ...(text === undefined ? [] : markupWarnings(text)),
    ...letter.aboutDocument,
    ...stationeryWarnings(letter.stationery, letter),
    ...(reference ? aboutReference(reference, letter, metrics) : []),
  ];
};
