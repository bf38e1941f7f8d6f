/** What whoever meets an error can do about it, for the page at its `type` address. */
import { type ErrorCode, errorCodes } from './errors.ts';

const readTheErrors =
  'Each finding (in `errors`, or `findings` of a document) names the place and the way out; mend them and send the request again.';
const readTheState =
  '`letter_status` says in which state the letter is; `abilities` of the letter says what is still possible.';
const lookUp = (what: string): string => `Check the id; ${what}. Another account's are not shown.`;

const ways: Partial<Record<ErrorCode, string>> = {
  invalid_json: 'Send one JSON document in UTF-8; `detail` says where it breaks off.',
  duplicate_name: 'Give each member of an object once; `detail` names the one that comes twice.',
  invalid_form:
    'Send the parts of the form as the operation lists them, files as files; `detail` says where it breaks off.',
  invalid_encoding: 'Encode paths and queries as percent-encoded UTF-8, and bodies as UTF-8.',
  invalid_header: '`detail` names the header and the form that it must have.',
  payment_malformed:
    'Send the x402 payload as base64 of JSON, in one header; GET /x402 has a program that does.',
  invalid_did: 'Write the DID as did:<method>:<id>, percent-encoded where it stands in a path.',
  invalid_did_url: 'Give a DID without path, query and fragment.',
  authentication_required:
    'Send `Authorization: Bearer <API key>`; POST /auth/register gives a key at once.',
  invalid_api_key:
    'Check that the whole key is sent and that it was not revoked or has expired; POST /auth/recover gives a new one by e-mail.',
  sign_in_invalid:
    'Ask for a new challenge, sign it with the wallet that paid, and send it once within its time.',
  webhook_signature_invalid:
    'For the operator: STRIPE_WEBHOOK_SECRET must be that of the endpoint at Stripe.',
  partner_signature_invalid:
    'Sign the body as the guide for print houses says, with the secret that both sides have.',
  ucan_invalid: '`detail` says which check failed; POST /api/identity/verify-ucan shows them all.',
  missing_proofs: 'Send the tokens whose CIDs `prf` names in the header `ucans`.',
  payment_required:
    'Sign one of the payments in `accepts` and send the request again with it, or send an API key.',
  payment_invalid:
    '`detail` says which check failed: amount, asset, network, recipient, time or signature. Sign a new payment of what the 402 answer asks for.',
  insufficient_funds: 'Top up the wallet, or send with `hold_without_funds` to keep a draft.',
  max_total_exceeded:
    'Raise `max_total`, or choose a cheaper service: POST /api/quote shows prices.',
  scope_insufficient: 'Use a key of the scope that `detail` names; POST /auth/keys makes one.',
  caveat_not_met: 'Ask whoever issued the UCAN for one that allows it; `detail` names the caveat.',
  delegation_escalates: 'Delegate at most what the token itself allows, and no longer.',
  revocation_not_allowed: 'Ask whoever issued a token of the chain to revoke it.',
  test_mode_only: 'Use a key of a test account (svc_test_…): register with `"mode": "test"`.',
  account_blocked: 'Ask the operator of this service.',
  mech_proof_needed:
    'Sign the request as the guide of the mech says: as its coordinator, or as the requester on the marketplace.',
  mech_disabled: 'Whoever operates the service switches it on with MECH_MODE.',
  mech_request_reused: 'Give each request an id of its own; repeat one with what it was sent with.',
  mech_cap_reached: 'Send it again after the time in `Retry-After`, or ask the operator.',
  mech_unavailable: 'Repeat the request with the same `request_id`; nothing was charged for it.',
  not_found: 'Check the path against /openapi.json, and the ids in it.',
  letter_not_found: lookUp('GET /api/letters lists your letters'),
  credential_not_found: lookUp('GET /api/identity/credentials lists your credentials'),
  key_not_found: lookUp('GET /auth/keys lists your active keys'),
  logo_not_found: lookUp('GET /api/logos lists your logos'),
  offer_not_found:
    'Check `offer_id`, or send the `jws` of the offer with it; offers are forgotten an hour after they expired.',
  offer_not_yours: 'Ask for an offer with your own credential: POST /api/anp/offer.',
  commitment_not_found: lookUp('GET /api/anp/commitments lists your commitments'),
  profile_not_found:
    'Ask for the profile of your own account, by its id or its DID; others are not shown.',
  offer_already_accepted:
    'Use the commitment that `commitment_id` names, or ask for a new offer: POST /api/anp/offer.',
  commitment_consumed: 'Ask for a new offer, or send without `commitment_id` at the usual price.',
  commitment_mismatch:
    'Send the letter that the commitment is for; GET /api/anp/commitments/{commitment_id} shows it.',
  commitment_payment_mismatch:
    'Pay as was agreed to, or accept a new offer for the other `payment_method`.',
  offer_expired: 'Ask for a new offer: POST /api/anp/offer.',
  commitment_expired: 'Ask for a new offer: POST /api/anp/offer.',
  offer_invalid: 'Send the offer as it was answered; POST /api/anp/verify shows every check.',
  job_not_found: 'The service knows no print job with this id; report on jobs that it handed over.',
  ucan_not_found: lookUp('the answer that issued a UCAN holds its CID'),
  contract_not_found: lookUp('GET /api/anp/contracts?state=all lists your contracts'),
  order_not_found:
    'Check the id, and the secret in the link that the checkout returns to; keys see the orders of their account only.',
  notification_not_found: lookUp('GET /api/notifications lists your notifications'),
  account_not_found: 'Check the id of the account.',
  country_not_supported: 'Use one of the countries that `detail` names; GET / lists them.',
  did_not_found: 'Check the DID; if it is did:web, its document must be served at its address.',
  method_not_allowed: 'Use one of the methods that the header `Allow` names.',
  not_acceptable: 'Send an `Accept` that allows one of the types in `offered`, or none.',
  idempotency_in_progress:
    'Wait for the first request to end, then send it again with the same Idempotency-Key.',
  email_registered:
    'A recovery link was sent to the address; POST /auth/recover with its token gives a new key.',
  agent_registered: 'Choose another `agent_id`, or use the key that was given for this one.',
  contract_over: 'Read the contract to see what became of it.',
  contract_needs_history:
    'Commit to at most `printed_before` letters, or make the contract when more were printed.',
  contract_overlaps: 'Set `starts_at` to the `ends_at` of the contract that is named, or later.',
  last_full_key: 'Make another key of scope full first, or rotate this one.',
  key_limit_reached: 'Revoke a key that is not used any more: DELETE /auth/keys/{id}.',
  webhook_not_set: 'Set `webhook_url` first: PUT /api/settings.',
  topup_limit_reached:
    'Transfer the amount of one of the top-ups in `topup_ids`, or wait until `retry_at`.',
  logo_limit_reached: 'Delete a logo that is not used any more: DELETE /api/logos/{id}.',
  subscription_limit_reached: 'Remove an audit webhook that is not used any more.',
  key_revoked: 'Use another key; a revoked one cannot be changed.',
  did_self_custody: 'Sign with the key that you keep; the service does not have it.',
  recovery_token_used: 'Ask for a new link: register the address again.',
  payment_already_used:
    'Sign a new payment; one that was taken pays for one request only. The same request again, with the same payment, is answered with its first answer.',
  payment_pending: 'Wait as `Retry-After` says, then send the same request with the same payment.',
  payment_not_taken:
    'Send an API key: POST /auth/register gives one at once. The operator has to configure x402.',
  audit_link_limit_reached: 'Revoke a link that is no longer needed, then make the new one.',
  secret_not_repeated:
    '`detail` names the way out: make the request again under a new Idempotency-Key, and end what the first one made.',
  letter_not_cancellable: readTheState,
  letter_not_updatable: readTheState,
  letter_not_deletable: readTheState,
  letter_not_sendable: readTheState,
  letter_not_advanceable: readTheState,
  letter_deleted:
    'What was personal in it is erased for good; its audit history and its proof can still be read.',
  did_deactivated: 'Nobody speaks for this DID any more; ask its owner for another one.',
  conflict: 'Read the resource again, then repeat the request.',
  version_mismatch: 'Read the resource again, and send its new ETag as If-Match.',
  request_timeout: 'Send the whole request without a pause.',
  body_too_large: 'Send a smaller body; `detail` says how large it may be.',
  unsupported_media_type: 'Send a media type that `detail` names, in `Content-Type`.',
  validation_failed: readTheErrors,
  address_invalid: `${readTheErrors} \`accept_address_as_is\` lets a form pass that you know to be right.`,
  service_not_available:
    '`detail` names the services that fit; leave `service` out to get the cheapest.',
  content_not_printable: readTheErrors,
  too_many_pages: 'Shorten the letter, or choose a service that takes more sheets.',
  quote_invalid: 'Ask for a new quote: POST /api/quote.',
  quote_expired: 'Ask for a new quote: POST /api/quote.',
  quote_mismatch: 'Send what was quoted, or ask for a quote of what you send.',
  idempotency_key_reused: 'Use a new Idempotency-Key for a new request.',
  url_not_allowed: 'Give a public https address; `detail` says what is wrong with this one.',
  document_not_supported: readTheErrors,
  recovery_token_invalid: 'Copy the whole link out of the e-mail, or ask for a new one.',
  recovery_token_expired: 'Ask for a new link: register the address again.',
  key_unconfirmed:
    'Register the address again for a recovery link, or make a new key with a key that was kept.',
  registration_closed: 'Ask the operator for an account.',
  topup_not_found: lookUp('a top-up is answered with its id when it is made'),
  audit_link_not_found: lookUp('GET /api/identity/audit/{letter_id}/link lists them'),
  confirmation_invalid: 'Copy the whole link out of the e-mail, or register the address again.',
  confirmation_expired: 'Register the address again: a new link is mailed.',
  quota_exceeded:
    'Wait as many seconds as `Retry-After` says, or ask the operator for a higher quota.',
  invalid_cursor: 'Send `next_cursor` as it was given, or leave `cursor` out to begin again.',
  position_beyond_log: 'Send the `X-Log-Position` that a write answered with, or none.',
  statement_too_long: 'Ask for a shorter period with `from` and `to`, and put the parts together.',
  audit_too_long: 'Read the history in parts, with `after` and `limit`.',
  did_challenge_invalid: 'Ask for a new challenge: POST /api/identity/did.',
  did_control_not_proved: 'Sign the challenge with a key that the DID document names.',
  delegation_invalid: '`detail` says what cannot be delegated.',
  event_too_large: 'Shorten the longest fields of the request.',
  rate_limited: 'Wait as many seconds as `Retry-After` says.',
  internal_error:
    'Send the request again, with the same Idempotency-Key; report it with its `request_id` if it stays.',
  payment_method_unavailable: 'Choose a method that GET /api/balance lists.',
  payment_unavailable:
    'Send the same request with the same payment again in a moment: nothing is taken twice.',
  did_not_supported: 'GET /api/identity/service-did shows a DID of a kind that is resolved.',
  did_document_invalid: 'Ask the owner of the DID to mend its document.',
  exchange_rate_stale: 'Try again later; the operator has to refresh the exchange rates.',
  overloaded: 'Wait as many seconds as `Retry-After` says, then send it again.',
  html_unavailable:
    'Send it as text or PDF, or try again later; the operator has to repair the browser of the service.',
  store_unavailable:
    'Send it again in a moment, with the same Idempotency-Key: nothing is done twice.',
  storage_full: 'Try again later; the operator has to make room.',
  read_model_behind: 'Wait as many seconds as `Retry-After` says, then read again.',
};

/** One or two sentences. */
export const wayOutOf = (code: ErrorCode): string =>
  ways[code] ??
  (errorCodes[code].status < 500
    ? '`detail` says what to change in the request.'
    : 'Send the request again in a moment.');
