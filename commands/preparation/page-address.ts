/** The address on the page of a document that brings it along, once it was found there. */
import type { LetterPersonal, LetterTerms } from '../../events/letter.ts';
import { isSameOnPage } from '../../postal/address-match.ts';
import { checkAddress } from '../../postal/addresses/index.ts';
import type { Geometry } from '../../postal/geometry.ts';
import { windowBox } from '../../postal/preflight-zones.ts';
import type { Address, Box } from '../../postal/types.ts';
import { sheetOf } from './letter-sheet.ts';

/** The recipient that the page shows in this window, normalised then. The page may show it as its sender wrote it. */
export type PageAddress = { to: Address; window: Box };

/** The address that was found in the document when the letter was accepted; undefined where we print it. */
export const pageAddressOf = ({
  terms,
  personal,
}: {
  terms: LetterTerms;
  personal: Pick<LetterPersonal, 'to'>;
}): PageAddress | undefined => {
  if (!terms.addressInDocument) return undefined;
  return { to: personal.to as Address, window: windowBox(sheetOf(terms)) };
};

/** As it is normalised now: earlier versions normalised some addresses in another way. */
const normalized = (address: Address): Address => checkAddress(address).normalized;

/** Whether the page is known to show this recipient in the window of this sheet. */
export const isOnPage = (
  known: PageAddress | undefined,
  to: Address | undefined,
  sheet: Geometry,
): boolean =>
  known !== undefined &&
  to !== undefined &&
  isSameOnPage(normalized(known.to), normalized(to)) &&
  JSON.stringify(known.window) === JSON.stringify(windowBox(sheet));
