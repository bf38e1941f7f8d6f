/** Advice on each error, for the page at its `type` address. */
import { type ErrorCode, errorCodes } from './errors.ts';

const readTheErrors =
  'Each entry in `errors` (or in `findings` of a document) names the place and the correction. Correct them and send the request again.';
const readTheState =
  "`letter_status` is the state of the letter; the letter's `abilities` list what is still possible.";
const lookUp = (what: string): string =>
  `Check the id; ${what}. Objects of other accounts are not shown.`;

const remedies: Partial<Record<ErrorCode, string>> = {
  invalid_json: 'Send one JSON document in UTF-8; `detail` says where the error is.',
  duplicate_name: 'Send each member of an object once; `detail` names the duplicate.',
  invalid_form:
    'Send the parts that the operation lists, with files as file parts; `detail` says where the error is.',
  invalid_encoding: 'Percent-encode paths and queries as UTF-8, and send bodies in UTF-8.',
  invalid_header: '`detail` names the header and its format.',
  payment_malformed:
    'Send the x402 payload in one header, as base64 of JSON. GET /x402 has a program that does this.',
  invalid_did: 'Write the DID as did:<method>:<id>, and percent-encode it in a path.',
  invalid_did_url: 'Send a DID without path, query and fragment.',
  authentication_required:
    'Send `Authorization: Bearer <API key>`. POST /auth/register returns a key at once; where registration is closed, ask the operator for one.',
  invalid_api_key:
    'Check that you send the whole key, and that it is neither revoked nor expired. To replace a lost key, register the address again: it gets a link to a new key by e-mail, if the service sends mails.',
  sign_in_invalid:
    'Ask for a new challenge, sign it with the wallet that paid, and send it once before it expires.',
  webhook_signature_invalid:
    'For the operator: set STRIPE_WEBHOOK_SECRET to the secret of the endpoint at Stripe.',
  partner_signature_invalid:
    'Sign the body as the guide for print houses describes, with the shared secret.',
  ucan_invalid:
    '`detail` names the check that failed; POST /api/identity/verify-ucan shows all checks.',
  missing_proofs: 'Send the tokens whose CIDs are in `prf`, in the header `ucans`.',
  payment_required:
    'Sign one of the payments in `accepts` and repeat the request with it, or send an API key.',
  payment_invalid:
    '`detail` names the check that failed: amount, asset, network, recipient, time or signature. Sign a new payment with the terms of the 402 answer.',
  insufficient_funds:
    'Top up the wallet, or send with `hold_without_funds` to keep the letter as a draft.',
  max_total_exceeded:
    'Choose a cheaper service, or ask the payer before you raise `max_total`. POST /api/quote shows prices.',
  scope_insufficient: 'Use a key with the scope that `detail` names. POST /auth/keys makes one.',
  caveat_not_met:
    '`detail` names the caveat. Ask the issuer of the UCAN for one that allows the request.',
  delegation_escalates: 'Delegate no more than the token itself allows, and for no longer.',
  revocation_not_allowed: 'Ask the issuer of one of the tokens in the chain to revoke it.',
  test_mode_only:
    'Use the key of a test account (svc_test_…). To get one, register with `"mode": "test"`.',
  account_blocked: 'Ask the operator of this service.',
  frozen:
    'Unfreeze it with a key of scope full that is neither frozen nor has a policy: POST /api/account/unfreeze for the account, POST /auth/keys/{id}/unfreeze for a key, POST /api/identity/ucan/unfreeze for a UCAN.',
  policy_denied:
    '`detail` names the rule. Change the letter to fit it, or change the policy with a key of scope full that has no policy.',
  approval_required:
    'The letter stays as it was. Cancel it, and send a new one, which then waits for approval: POST /api/send.',
  approver_is_requester:
    'Decide with a credential that did not make the one that asked, does not come from it, and has no policy that asks for the approval.',
  approver_not_allowed: 'Only the approvers that the policies name can decide. Ask one of them.',
  policy_protected: 'Use a key of scope full that has no policy.',
  policy_not_found:
    'PUT /api/policy sets the policy of the account, PUT /auth/keys/{id}/policy that of a key.',
  freeze_limit_reached: 'Unfreeze a credential that no longer needs it, or revoke it instead.',
  policy_limit_reached: 'Delete a policy that you no longer need.',
  account_closing: 'DELETE /api/account/closure takes the closure back, with a key of scope full.',
  export_not_found: lookUp('the answer to POST /api/exports contains its id'),
  export_in_progress: 'Wait until the export that `export_id` names is ready.',
  export_not_ready: 'Ask again in a few seconds: GET /api/exports/{id} shows `status`.',
  closure_code_required: 'Repeat the request with the code that was mailed, as `code`.',
  closure_code_invalid: 'Repeat the request without `code` to get another one by e-mail.',
  closure_not_found: 'Check the `closure_id` that DELETE /api/account answered.',
  mech_proof_needed:
    'Sign the request as the mech guide describes, as its coordinator or as the requester on the marketplace.',
  mech_disabled: 'The operator of the service can switch it on with MECH_MODE.',
  mech_request_reused:
    'Use a new id for each request, and repeat a request only with its original content.',
  mech_cap_reached: 'Repeat the request after the time in `Retry-After`, or ask the operator.',
  mech_unavailable: 'Repeat the request with the same `request_id`. You were not charged.',
  not_found: 'Check the path against /openapi.json, and check the ids in it.',
  approval_not_found: lookUp('GET /api/approvals lists the approvals of your letters'),
  letter_not_found: lookUp('GET /api/letters lists your letters'),
  credential_not_found: lookUp('GET /api/identity/credentials lists your credentials'),
  key_not_found: lookUp('GET /auth/keys lists your active keys'),
  logo_not_found: lookUp('GET /api/logos lists your logos'),
  offer_not_found:
    'Check `offer_id`, or send the offer itself as `offer`. The service forgets offers an hour after they expire.',
  offer_not_yours: 'Ask for an offer with your own credential: POST /api/anp/offer.',
  commitment_not_found: lookUp('GET /api/anp/commitments lists your commitments'),
  profile_not_found:
    'Ask for the profile of your own account, by its id or its DID. Other profiles are not shown.',
  offer_already_accepted:
    'Use the commitment that `commitment_id` names, or ask for a new offer: POST /api/anp/offer.',
  commitment_consumed: 'Ask for a new offer, or send without `commitment_id` at the usual price.',
  commitment_mismatch:
    'Send the letter that the commitment is for. GET /api/anp/commitments/{commitment_id} shows it.',
  commitment_payment_mismatch:
    'Pay as agreed, or accept a new offer for the other `payment_method`.',
  offer_expired: 'Ask for a new offer: POST /api/anp/offer.',
  commitment_expired: 'Ask for a new offer: POST /api/anp/offer.',
  offer_invalid:
    'Send the offer exactly as you received it. POST /api/anp/verify shows every check.',
  job_not_found:
    'The service has no print job with this id. Report only on jobs that you received from it.',
  ucan_not_found: lookUp('the answer that issued a UCAN contains its CID'),
  contract_not_found: lookUp('GET /api/anp/contracts?state=all lists your contracts'),
  order_not_found:
    'Check the id, and the secret in the link to which the checkout returns. A key shows only the orders of its own account.',
  notification_not_found: lookUp('GET /api/notifications lists your notifications'),
  account_not_found: 'Check the id of the account.',
  country_not_supported: 'Use one of the countries that `detail` names. GET / lists them.',
  did_not_found: 'Check the DID. A did:web needs a document at its address.',
  method_not_allowed: 'Use one of the methods in the header `Allow`.',
  not_acceptable:
    'Send an `Accept` that allows one of the types in `offered`, or leave the header out.',
  idempotency_in_progress:
    'Wait until the first request has ended, then repeat it with the same Idempotency-Key.',
  email_registered:
    'If the service sends mails, a recovery link was sent to the address. POST /auth/recover with its token returns a new key.',
  agent_registered: 'Choose another `agent_id`, or use the key that was issued for this one.',
  contract_over: 'Read the contract to see how it ended.',
  contract_needs_history:
    'Commit to at most `printed_before` letters if that is enough for a contract, or make it after more letters are printed.',
  contract_overlaps: 'Set `starts_at` to the `ends_at` of the named contract, or later.',
  last_full_key: 'Make another key with scope full first, or rotate this one.',
  key_limit_reached: 'Revoke a key that you no longer use: DELETE /auth/keys/{id}.',
  email_not_set: 'Register an account with an e-mail address: POST /auth/register.',
  webhook_not_set: 'Set `webhook_url` first: PUT /api/settings.',
  topup_limit_reached: 'Pay one of the top-ups in `topup_ids`, or wait until `retry_at`.',
  logo_limit_reached: 'Delete a logo that you no longer use: DELETE /api/logos/{id}.',
  subscription_limit_reached: 'Remove an audit webhook that you no longer use.',
  key_revoked: 'Use another key; a revoked key cannot be changed.',
  did_self_custody: 'Sign with the key that you keep; the service does not have it.',
  recovery_token_used: 'Register the address again to get a new link.',
  payment_already_used:
    'Each payment pays for one request. Repeat that request unchanged, with the same payment and Idempotency-Key, to get its first answer. With a new payment this request is carried out in addition.',
  payment_pending:
    'Wait for the time in `Retry-After`, then repeat the same request with the same payment.',
  payment_not_taken:
    'Repeat the request without a payment, with the API key of an account that has money. Only the operator can configure x402.',
  audit_link_limit_reached: 'Revoke a link that you no longer need, then make the new one.',
  secret_not_repeated:
    'Repeat the request under a new Idempotency-Key, and end what the first one created; `detail` says how.',
  letter_not_cancellable: readTheState,
  letter_not_updatable: readTheState,
  letter_not_deletable: readTheState,
  letter_not_sendable: readTheState,
  approval_pending:
    'Wait for the decision: GET /api/approvals/{id} shows it. Change or cancel the letter to withdraw it.',
  approval_over: 'Read the approval to see how it ended: GET /api/approvals/{id}.',
  letter_not_advanceable: readTheState,
  letter_deleted:
    'Its personal data is erased for good. Its audit history and its proof can still be read.',
  did_deactivated: 'This DID is no longer in use; ask its owner for another one.',
  conflict: 'Read the resource again, then repeat the request.',
  version_mismatch: 'Read the resource again, and send its new ETag in If-Match.',
  request_timeout: 'Send the whole request without pauses.',
  body_too_large: 'Send a smaller body; `detail` names the limit.',
  unsupported_media_type: 'Set `Content-Type` to a media type that `detail` names.',
  validation_failed: readTheErrors,
  address_invalid: `${readTheErrors} If you know that an address is right as written, send it with \`accept_address_as_is\`.`,
  service_not_available:
    '`detail` names the services that fit. Leave `service` out to get the cheapest.',
  content_not_printable: readTheErrors,
  too_many_pages: 'Shorten the letter, or choose a service that carries more sheets.',
  quote_invalid: 'Ask for a new quote: POST /api/quote.',
  quote_expired: 'Ask for a new quote: POST /api/quote.',
  quote_mismatch: 'Send what you quoted, or ask for a quote of what you send.',
  idempotency_key_reused:
    'Repeat the request unchanged, or use a new Idempotency-Key to carry out another one in addition.',
  url_not_allowed: 'Send a public https address; `detail` says what is wrong with this one.',
  document_not_supported: readTheErrors,
  recovery_token_invalid: 'Copy the whole link from the e-mail, or ask for a new one.',
  recovery_token_expired: 'Register the address again to get a new link.',
  key_unconfirmed:
    'Register the address again to get a recovery link, or make a new key with a key that was kept.',
  registration_closed: 'Ask the operator for an account.',
  topup_not_found: lookUp('the answer that started a top-up contains its id'),
  audit_link_not_found: lookUp('GET /api/identity/audit/{letter_id}/link lists them'),
  confirmation_invalid: 'Copy the whole link from the e-mail, or register the address again.',
  confirmation_expired: 'Register or set the address again to get a new link by e-mail.',
  quota_exceeded: 'Wait for the seconds in `Retry-After`, or ask the operator for a higher quota.',
  invalid_cursor: 'Send `next_cursor` unchanged, or leave `cursor` out to start again.',
  position_beyond_log: 'Send the `X-Log-Position` of a write, or leave the header out.',
  statement_too_long: 'Ask for shorter periods with `from` and `to`, and join the parts.',
  audit_too_long: 'Read the history in parts, with `after` and `limit`.',
  did_challenge_invalid: 'Ask for a new challenge: POST /api/identity/did.',
  did_control_not_proved: 'Sign the challenge with a key in the DID document.',
  delegation_invalid: '`detail` says what cannot be delegated.',
  event_too_large: 'Shorten the longest fields of the request.',
  rate_limited: 'Wait for the seconds in `Retry-After`.',
  internal_error:
    'Repeat the request with the same Idempotency-Key. If the error persists, report it with its `request_id`.',
  payment_method_unavailable: 'Choose one of `payment_methods` at GET /.',
  payment_unavailable:
    'Repeat the same request with the same payment in a moment; you pay only once.',
  did_not_supported:
    'Use a DID of a kind that the service resolves, such as the one at GET /api/identity/service-did.',
  did_document_invalid: 'Ask the owner of the DID to correct its document.',
  exchange_rate_stale: 'Try again later. The operator has to refresh the exchange rates.',
  overloaded: 'Wait for the seconds in `Retry-After`, then repeat the request.',
  html_unavailable:
    'Send the letter as text or PDF, or try again later. The operator has to repair the browser of the service.',
  store_unavailable:
    'Repeat the request with the same Idempotency-Key in a moment; it is carried out only once.',
  storage_full: 'Try again later. The operator has to free storage.',
  read_model_behind: 'Wait for the seconds in `Retry-After`, then read again.',
};

/** One or two sentences. */
export const remedyOf = (code: ErrorCode): string =>
  remedies[code] ??
  (errorCodes[code].status < 500
    ? '`detail` says what to change in the request.'
    : 'Repeat the request in a moment.');
