import type { Address, CountryCode, Intent, ServiceId } from '../postal/types.ts';

/** A letter as a caller asks for it. */
export type LetterInput = {
  to: Address;
  from: Address;
  /** Plain text. */
  content: string;
  service?: ServiceId;
  intent?: Intent;
  color: boolean;
  duplex: boolean;
  /** `YYYY-MM-DD`, in the recipient's country. */
  sendDate?: string;
  reference?: string;
  metadata?: Record<string, string>;
  /** Turns errors in the form of an address into warnings. */
  acceptAddressAsIs: boolean;
};

/** What decides the price. Content or a number of pages. */
export type PriceRequest = {
  country: CountryCode;
  service?: ServiceId;
  intent?: Intent;
  color: boolean;
  duplex: boolean;
  /** Day of posting, `YYYY-MM-DD`. */
  on: string;
} & ({ content: string } | { pages: number });
