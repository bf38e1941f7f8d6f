/** Why a UCAN is not valid. The codes are a published contract: add, never rename. */
const ucanErrorCodes = [
  'malformed',
  'missing_field',
  'incorrect_type',
  'incorrect_proofs',
  'unsupported_version',
  'unsupported_alg',
  'unsupported_did',
  'signature',
  'expired',
  'not_ready',
  'missing_proofs',
  'cid_mismatch',
  'too_deep',
  'too_many_proofs',
  'time_bounds_violation',
  'invalid_delegation',
  'revoked',
  'wrong_audience',
  'replayed',
] as const;
export type UcanErrorCode = (typeof ucanErrorCodes)[number];

/** `cid`: the token with the error, if known. `missing`: the proofs that were not found. */
export class UcanError extends Error {
  readonly code: UcanErrorCode;
  readonly cid: string | undefined;
  readonly missing: string[];

  constructor(
    code: UcanErrorCode,
    detail: string,
    about: { cid?: string; missing?: string[] } = {},
  ) {
    super(detail);
    this.name = 'UcanError';
    this.code = code;
    this.cid = about.cid;
    this.missing = about.missing ?? [];
  }
}
