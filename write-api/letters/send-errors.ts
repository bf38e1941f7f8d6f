import type { ErrorCode } from '../../contract/errors.ts';

/** Errors of a letter that is sent or changed. */
export const sendErrors = [
  'insufficient_funds',
  'max_total_exceeded',
  'policy_denied',
  'approval_required',
  'frozen',
  'address_invalid',
  'service_not_available',
  'content_not_printable',
  'document_not_supported',
  'too_many_pages',
  'quote_invalid',
  'quote_expired',
  'quote_mismatch',
  'conflict',
  'letter_deleted',
  'exchange_rate_stale',
  'body_too_large',
  'event_too_large',
  'overloaded',
  'html_unavailable',
] as const satisfies ErrorCode[];

/** Errors of a commitment that a letter wants to use. */
export const commitmentErrors = [
  'commitment_not_found',
  'commitment_expired',
  'commitment_consumed',
  'commitment_mismatch',
  'commitment_payment_mismatch',
] as const satisfies ErrorCode[];
