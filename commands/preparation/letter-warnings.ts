/** The warnings about a letter that can be sent. A quote gives the same warnings as a send. */
import type { FontMetrics } from '../../postal/line-breaker.ts';
import type { Address, CountryCode, ServiceId } from '../../postal/types.ts';
import { assertAddressesFit, smallAddressWarnings, type Warning } from './check-letter.ts';
import { markupWarnings } from './content-type.ts';
import type { AddressPlacement } from './letter-input.ts';
import { type StationeryInput, stationeryWarnings } from './stationery.ts';

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
      coverPage: boolean;
    },
  metrics: FontMetrics,
): Warning[] => {
  const { to, service, envelope, text } = letter;
  const isSet = to && isAddressedByUs(letter);
  return [
    ...letter.aboutAddresses,
    ...(isSet ? smallAddressWarnings({ to, service, envelope }, metrics) : []),
    ...letter.aboutIntent,
    ...(text === undefined ? [] : markupWarnings(text)),
    ...letter.aboutDocument,
    ...stationeryWarnings(letter.stationery, letter),
  ];
};
