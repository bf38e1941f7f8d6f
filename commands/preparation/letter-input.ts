import type { LetterPersonal, LetterTerms } from '../../events/letter.ts';
import type { KeptDiscount } from '../../money/discount.ts';
import type { Envelope } from '../../postal/paper.ts';
import type { Address, CountryCode, Intent, ServiceId } from '../../postal/types.ts';
import type { AcceptAsIs } from './check-letter.ts';
import type { PageAddress } from './page-address.ts';
import type { StationeryInput } from './stationery.ts';

/**
 * The content to print. `source` of a PDF is the URL to fetch it from, or the document itself; `pointer` is its
 * field in the request, by default `/document_url`.
 */
export type LetterContent =
  | { kind: 'text'; text: string }
  | { kind: 'html'; html: string }
  | { kind: 'pdf'; source: string | Buffer; pointer?: '/document' };

/** The document of a letter that exists: it stays as it was accepted. */
export type KeptDocument = {
  terms: LetterTerms;
  personal: LetterPersonal;
  /** The document was paid for as it is. It is not checked again if it is printed on the same sheet. */
  isPaid?: boolean;
};

/**
 * Where the address of a PDF comes from: we print it onto the first page, it stands there already, or it is
 * on a page of ours in front.
 */
export const addressPlacements = ['stamp', 'in_document', 'insert_page'] as const;
export type AddressPlacement = (typeof addressPlacements)[number];

/** A letter as a caller asks for it. */
export type LetterInput = {
  to: Address;
  from: Address;
  content: LetterContent;
  /** Make a PDF fit by scaling and shifting its pages, or behind an address page of ours. */
  autoFix: boolean;
  /** Of a PDF. */
  placement: AddressPlacement;
  /** Of a document that was accepted before with its address in it. */
  pageAddress?: PageAddress;
  service?: ServiceId;
  intent?: Intent;
  color: boolean;
  duplex: boolean;
  /** `YYYY-MM-DD`, in the recipient's country. */
  sendDate?: string;
  stationery: StationeryInput;
  reference?: string;
  metadata?: Record<string, string>;
  acceptAddressAsIs: AcceptAsIs;
};

/** Counts the pages of a text or document that is laid out, or checked, for the sheets of a service. */
export type CountPages = (
  service: ServiceId,
  envelope: Envelope | undefined,
) => number | Promise<number>;

/** The facts that decide the price: countable content, or a number of pages. */
export type PriceRequest = {
  /** The recipient, normalised, as far as it is known. */
  to?: Pick<Address, 'postalCode'> | undefined;
  /** The account, which may pay less for printing by a volume contract. Undefined: the caller is unknown. */
  accountId: string | undefined;
  /** Of a letter that is paid: it stays. Absent: what the account has now. */
  kept?: KeptDiscount;
  country: CountryCode;
  service?: ServiceId;
  /** The service is one that we offered: it was judged by then. */
  wasOffered?: boolean;
  intent?: Intent;
  color: boolean;
  duplex: boolean;
  /** When it is released for production, epoch ms: it is priced for the day on which it is then posted. */
  releaseAt: number;
} & ({ count: CountPages } | { pages: number });
