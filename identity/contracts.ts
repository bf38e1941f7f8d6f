/** Volume contracts as they are signed: what both sides agreed to, and nothing that changes. */
import { type DocumentSigner, signDocument } from './signed-document.ts';

export type ContractDocument = {
  contract_id: string;
  /** DID of the service. */
  iss: string;
  customer_did: string;
  issued_at: string;
  test: boolean;
  /** Letters in each period. */
  committed_units: number;
  period: string;
  time_zone: string;
  /** From `starts_at` on, up to but without `ends_at`. */
  periods: { starts_at: string; ends_at: string }[];
  /** `discount`: the part of the price for printing that is taken off. `to`: included; null: no end. */
  tiers: { from: number; to: number | null; discount: number }[];
  breach_terms: { shortfall: string; grace_days: number };
};

export const signContract = (
  document: ContractDocument,
  signer: DocumentSigner,
): ContractDocument & { jws: string } => ({
  ...document,
  jws: signDocument(document, 'anp-contract+jws', signer),
});
