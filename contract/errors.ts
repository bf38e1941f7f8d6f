/**
 * Every error a caller can meet, with its stable code and its HTTP face (RFC 9457).
 * The codes are a published contract: add, never rename.
 */
export const errorCodes = {
  // 400
  invalid_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_form: { status: 400, title: 'The body is not a valid form' },
  duplicate_name: {
    status: 400,
    title: 'The body has an object with two members of the same name',
  },
  invalid_encoding: { status: 400, title: 'The request is not valid UTF-8' },
  invalid_header: { status: 400, title: 'A header is malformed' },
  payment_malformed: { status: 400, title: 'The payment header is malformed' },
  invalid_did: { status: 400, title: 'The DID is not valid' },
  invalid_did_url: { status: 400, title: 'The DID URL is not valid' },
  // 401, 402, 403
  authentication_required: { status: 401, title: 'Authentication is required' },
  sign_in_invalid: { status: 401, title: 'The sign-in is not valid' },
  invalid_api_key: { status: 401, title: 'The API key is not valid' },
  partner_signature_invalid: {
    status: 401,
    title: 'The signature of the print house is not valid',
  },
  webhook_signature_invalid: { status: 401, title: 'The webhook signature is not valid' },
  ucan_invalid: { status: 401, title: 'The UCAN does not open this' },
  missing_proofs: { status: 401, title: 'The UCAN lacks proofs' },
  payment_required: { status: 402, title: 'Payment is required' },
  payment_invalid: { status: 402, title: 'The payment is not valid' },
  insufficient_funds: { status: 402, title: 'The wallet balance is lower than the price' },
  max_total_exceeded: { status: 402, title: 'The price is above max_total' },
  scope_insufficient: { status: 403, title: 'The scope of the key is too narrow' },
  caveat_not_met: { status: 403, title: 'A caveat of the UCAN does not allow the request' },
  policy_denied: { status: 403, title: 'A policy of the account denies the letter' },
  approval_required: { status: 403, title: 'A policy sends the letter only after an approval' },
  approver_is_requester: {
    status: 403,
    title: 'The approver must not be, make or come from the credential that asked',
  },
  approver_not_allowed: { status: 403, title: 'The policies name other approvers' },
  frozen: { status: 403, title: 'The credential or the account is frozen' },
  account_closing: { status: 403, title: 'The account is going to be erased' },
  closure_code_required: { status: 403, title: 'A code from an e-mail is needed' },
  policy_protected: { status: 403, title: 'The credential cannot change its own limits' },
  delegation_escalates: {
    status: 403,
    title: 'The delegation gives more than its token does',
  },
  revocation_not_allowed: { status: 403, title: 'Only an issuer of the chain may revoke it' },
  test_mode_only: { status: 403, title: 'Only test keys may do this' },
  account_blocked: { status: 403, title: 'The account is blocked' },
  key_unconfirmed: {
    status: 403,
    title: 'The key was not kept when the account was confirmed',
  },
  mech_proof_needed: { status: 403, title: 'The mech needs proof of payment' },
  registration_closed: { status: 403, title: 'Registration is closed' },
  offer_not_yours: { status: 403, title: 'The offer was made to another account' },
  // 404, 405, 406
  not_found: { status: 404, title: 'Not found' },
  topup_not_found: { status: 404, title: 'No such top-up' },
  policy_not_found: { status: 404, title: 'There is no policy' },
  contract_not_found: { status: 404, title: 'No such contract' },
  mech_disabled: { status: 404, title: 'The mech is switched off' },
  order_not_found: { status: 404, title: 'No such order' },
  offer_not_found: { status: 404, title: 'No such offer' },
  commitment_not_found: { status: 404, title: 'No such commitment' },
  profile_not_found: { status: 404, title: 'No such profile' },
  approval_not_found: { status: 404, title: 'No such approval' },
  letter_not_found: { status: 404, title: 'No such letter' },
  credential_not_found: { status: 404, title: 'No such credential' },
  logo_not_found: { status: 404, title: 'No such logo' },
  audit_link_not_found: { status: 404, title: 'No such audit link' },
  key_not_found: { status: 404, title: 'No such key' },
  job_not_found: { status: 404, title: 'No such print job' },
  ucan_not_found: { status: 404, title: 'No such UCAN' },
  notification_not_found: { status: 404, title: 'No such notification' },
  export_not_found: { status: 404, title: 'No such export' },
  closure_not_found: { status: 404, title: 'No such closure' },
  account_not_found: { status: 404, title: 'No such account' },
  country_not_supported: { status: 404, title: 'The country is not supported' },
  did_not_found: { status: 404, title: 'The DID has no document' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  not_acceptable: { status: 406, title: 'The requested media type is not available' },
  // 409, 412
  idempotency_in_progress: { status: 409, title: 'The same request is still running' },
  payment_already_used: { status: 409, title: 'The payment has already been used' },
  payment_pending: { status: 409, title: 'The payment is not confirmed yet' },
  payment_not_taken: { status: 409, title: 'This operation takes no payments' },
  mech_request_reused: { status: 409, title: 'The request id belongs to another request' },
  email_registered: { status: 409, title: 'The e-mail address is already registered' },
  agent_registered: { status: 409, title: 'The agent id is already registered' },
  contract_over: { status: 409, title: 'The contract has ended' },
  contract_needs_history: {
    status: 409,
    title: 'The commitment is larger than the letters sent before',
  },
  contract_overlaps: { status: 409, title: 'The account already has a contract for that time' },
  export_in_progress: { status: 409, title: 'Another export is being made' },
  export_not_ready: { status: 409, title: 'The archive is not ready' },
  last_full_key: { status: 409, title: 'The last full key cannot be revoked' },
  freeze_limit_reached: { status: 409, title: 'The account has too many frozen keys and UCANs' },
  policy_limit_reached: { status: 409, title: 'The account has too many policies' },
  key_limit_reached: { status: 409, title: 'The account has too many keys' },
  email_not_set: { status: 409, title: 'The account has no e-mail address' },
  webhook_not_set: { status: 409, title: 'The account has no webhook' },
  subscription_limit_reached: { status: 409, title: 'The account has too many audit webhooks' },
  topup_limit_reached: { status: 409, title: 'The account has too many unpaid top-ups' },
  logo_limit_reached: { status: 409, title: 'The account has too many logos' },
  audit_link_limit_reached: { status: 409, title: 'The letter has too many audit links' },
  key_revoked: { status: 409, title: 'The key is already revoked' },
  did_self_custody: { status: 409, title: 'You keep the key of your DID yourself' },
  recovery_token_used: { status: 409, title: 'The recovery link can no longer be used' },
  letter_not_cancellable: { status: 409, title: 'The letter can no longer be cancelled' },
  letter_not_updatable: { status: 409, title: 'The letter can no longer be changed' },
  letter_not_deletable: { status: 409, title: 'The letter cannot be deleted in this state' },
  letter_not_sendable: { status: 409, title: 'The letter is not a draft' },
  approval_pending: { status: 409, title: 'The letter waits for approval already' },
  approval_over: { status: 409, title: 'The approval is no longer pending' },
  letter_not_advanceable: { status: 409, title: 'The letter cannot move to that state' },
  offer_already_accepted: { status: 409, title: 'The offer was accepted with other terms' },
  commitment_consumed: { status: 409, title: 'The commitment is used up' },
  commitment_mismatch: { status: 409, title: 'The commitment is for another letter' },
  commitment_payment_mismatch: { status: 409, title: 'The commitment is paid in another way' },
  offer_expired: { status: 410, title: 'The offer has expired' },
  commitment_expired: { status: 410, title: 'The commitment has expired' },
  letter_deleted: { status: 410, title: 'The letter was erased' },
  did_deactivated: { status: 410, title: 'The DID was deactivated' },
  secret_not_repeated: { status: 409, title: 'The secret is not shown again' },
  conflict: { status: 409, title: 'The resource changed in the meantime' },
  version_mismatch: { status: 412, title: 'The version of the resource does not match' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  // 413, 415, 422, 429
  body_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  validation_failed: { status: 422, title: 'The request is not valid' },
  address_invalid: { status: 422, title: 'An address cannot be delivered as written' },
  service_not_available: { status: 422, title: 'The service cannot carry this letter' },
  content_not_printable: { status: 422, title: 'The content cannot be printed' },
  too_many_pages: { status: 422, title: 'The letter has too many pages' },
  offer_invalid: { status: 422, title: 'The offer differs from what the service signed' },
  quote_invalid: { status: 422, title: 'The quote is not valid' },
  quote_expired: { status: 422, title: 'The quote has expired' },
  quote_mismatch: { status: 422, title: 'The quote is for another letter' },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
  },
  url_not_allowed: { status: 422, title: 'The URL must not be called' },
  document_not_supported: { status: 422, title: 'The document cannot be accepted' },
  recovery_token_invalid: { status: 422, title: 'The recovery link is not valid' },
  recovery_token_expired: { status: 422, title: 'The recovery link has expired' },
  closure_code_invalid: { status: 422, title: 'The code is not valid' },
  confirmation_invalid: { status: 422, title: 'The link in the e-mail is not valid' },
  confirmation_expired: { status: 422, title: 'The confirmation link has expired' },
  position_beyond_log: { status: 422, title: 'The log has not reached that position' },
  invalid_cursor: { status: 422, title: 'The cursor is not valid' },
  statement_too_long: { status: 422, title: 'The statement has too many entries' },
  audit_too_long: { status: 422, title: 'The history is too long for one answer' },
  did_challenge_invalid: { status: 422, title: 'The challenge cannot be answered' },
  did_control_not_proved: { status: 422, title: 'There is no proof that you control the DID' },
  delegation_invalid: { status: 422, title: 'The UCAN cannot be delegated' },
  event_too_large: { status: 413, title: 'The record of the request is too large' },
  rate_limited: { status: 429, title: 'Too many requests' },
  mech_cap_reached: { status: 429, title: 'The mech has reached its daily cap' },
  quota_exceeded: { status: 429, title: 'A quota of the account is used up' },
  // 5xx
  internal_error: { status: 500, title: 'An internal error occurred' },
  payment_method_unavailable: { status: 501, title: 'The payment method is not configured' },
  did_not_supported: { status: 501, title: 'DIDs of this kind cannot be resolved' },
  did_document_invalid: { status: 502, title: 'The document of the DID is not valid' },
  payment_unavailable: { status: 503, title: 'The payment network cannot be reached' },
  mech_unavailable: { status: 503, title: 'The mech is not available' },
  exchange_rate_stale: { status: 503, title: 'The exchange rate is too old' },
  overloaded: { status: 503, title: 'Too busy' },
  html_unavailable: { status: 503, title: 'HTML letters are not available' },
  store_unavailable: { status: 503, title: 'The event store cannot be reached' },
  storage_full: { status: 503, title: 'The service is out of storage' },
  read_model_behind: { status: 503, title: 'The read model has not caught up' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof errorCodes;

/** Under it, a finding has the numbers and names of its sentence, for pages in other languages. JSON leaves it out. */
export const facts: unique symbol = Symbol('facts');
export type Facts = Readonly<Record<string, string | number>>;

/** One finding about one place in the request. `pointer` is an RFC 6901 JSON pointer. */
export type FieldError = {
  pointer: string;
  code: string;
  detail: string;
  hint?: string;
  [facts]?: Facts;
};

/**
 * An error for the caller. `detail` is one sentence that says what to do. `extra` becomes members of the problem
 * document, `headers` become response headers.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly errors: FieldError[] | undefined;
  readonly extra: Record<string, unknown> | undefined;
  readonly headers: Record<string, string> | undefined;

  constructor(
    code: ErrorCode,
    detail: string,
    more: {
      errors?: FieldError[];
      extra?: Record<string, unknown>;
      headers?: Record<string, string>;
      cause?: unknown;
    } = {},
  ) {
    const { stackTraceLimit } = Error;
    // An answer that is asked for, not a fault: nobody looks for its place in the code.
    if (code === 'payment_required') Error.stackTraceLimit = 0;
    super(detail, more.cause === undefined ? undefined : { cause: more.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'AppError';
    this.code = code;
    this.status = errorCodes[code].status;
    this.errors = more.errors;
    this.extra = more.extra;
    this.headers = more.headers;
  }
}

export const isAppError = (error: unknown): error is AppError => error instanceof AppError;

/** Statuses after which a repetition may succeed: the request took too long (408) or came too early (429). */
const passingStatuses: readonly number[] = [408, 429];

/** Whether the same may succeed a little later. */
export const mayPass = (code: string): boolean => {
  const { status = 0 } = Object.hasOwn(errorCodes, code) ? errorCodes[code as ErrorCode] : {};
  return status >= 500 || passingStatuses.includes(status);
};

/** Whether a repetition of the same cannot cure it. */
export const isRefusal = (error: unknown): error is AppError =>
  isAppError(error) &&
  error.code !== 'conflict' &&
  error.status < 500 &&
  !passingStatuses.includes(error.status);
