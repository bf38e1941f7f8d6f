// Generated from /openapi.json. Do not edit; RECORD_CLIENTS=1 writes it anew.
import type * as schemas from './schemas.ts';

export type operations = {
  /** List all errors */
  list_errors: {
    answer: schemas.ErrorList;
  };
  /** Explain an error and what to do */
  get_error: {
    path: {
      code: string;
    };
    answer: schemas.ErrorInfo;
  };
  /** Check whether the service is alive */
  health: {
    answer: schemas.Health;
  };
  /** Check whether the service can take traffic */
  ready: {
    answer: schemas.Ready;
  };
  /** Metrics for Prometheus */
  metrics: {
    answer: string;
  };
  /** This description */
  openapi: {
    answer: unknown;
  };
  /** List active UCANs */
  list_ucans: {
    query: {
      /** Rows per page. @default 20 */
      limit?: number;
      cursor?: string;
    };
    answer: {
      data: schemas.ListedUcan[];
      has_more: boolean;
      /** Send it as `cursor` to get the next page. Null on the last page. */
      next_cursor: string | null;
    };
  };
  /** Issue a UCAN capability token */
  issue_ucan: {
    body: schemas.IssueUcan;
    answer: schemas.IssuedUcan;
  };
  /** The scopes of keys */
  list_scopes: {
    answer: schemas.Scopes;
  };
  /** List active keys */
  list_keys: {
    answer: schemas.Keys;
  };
  /** Create a key */
  create_key: {
    body: schemas.CreateKey;
    answer: schemas.NewKey;
  };
  /** Balance and the last 10 transactions */
  get_balance: {
    answer: schemas.Balance;
  };
  /** Webhook URL and notification e-mail */
  get_settings: {
    answer: schemas.Settings;
  };
  /** Set webhook URL, notification e-mail and language of mails */
  update_settings: {
    body: schemas.UpdateSettings;
    answer: schemas.Settings;
  };
  /** Count letters and add up spending by day */
  get_statistics: {
    query: {
      /** First day. Default: 30 days that end with `to`. */
      from?: string;
      /** Last day. Default: today. */
      to?: string;
    };
    answer: schemas.Statistics;
  };
  /** Get the wallet's statement as CSV */
  get_statement: {
    query: {
      /** First day, or a time. Default: the first change. */
      from?: string;
      /** Last day, or a time. Default: now. */
      to?: string;
    };
    answer: string;
  };
  /** List notification events */
  list_notifications: {
    query: {
      letter_id?: string;
      /** Rows per page. @default 20 */
      limit?: number;
      cursor?: string;
    };
    answer: {
      data: schemas.Notification[];
      has_more: boolean;
      /** Send it as `cursor` to get the next page. Null on the last page. */
      next_cursor: string | null;
    };
  };
  /** Read a notification event */
  get_notification: {
    path: {
      id: string;
    };
    answer: schemas.Notification;
  };
  /** Read the webhook message of a notification event */
  get_webhook_message: {
    path: {
      id: string;
    };
    answer: schemas.WebhookMessage;
  };
  /** Read the certificate of an erasure */
  get_erasure: {
    path: {
      closure_id: string;
    };
    answer: schemas.Erasure;
  };
  /** List exports */
  list_exports: {
    answer: schemas.Exports;
  };
  /** Export all data of the account */
  create_export: {
    body: schemas.CreateExport;
    answer: schemas.Export;
  };
  /** See the state of an export, and get its archive */
  get_export: {
    path: {
      id: string;
    };
    query: {
      /** @default 1 */
      part?: number;
    };
    answer: schemas.Export;
  };
  /** Postal services of a country */
  list_services: {
    path: {
      country: string;
    };
    answer: schemas.Catalogue;
  };
  /** Preview a page of a quoted letter */
  preview_quote: {
    path: {
      /** Id of a quote that was made with `content`, `document` or `document_url`. */
      quote_id: string;
      /** From 1. */
      page: string;
    };
    answer: Uint8Array;
  };
  /** List letters */
  list_letters: {
    query: {
      /** Repeat it for several values. */
      status?: schemas.LetterStatus[];
      /** Only letters that were delivered, or that were returned. */
      delivery_outcome?: schemas.DeliveryOutcome;
      reference?: string;
      /** The number of the carrier, without spaces. */
      tracking_number?: string;
      /** Only letters that this key or UCAN made: the id of a key, or `ucan:<cid>`. A key that replaces another has its own letters. */
      made_by?: string;
      /** This time or later. */
      created_after?: string;
      /** Before this time. */
      created_before?: string;
      country?: schemas.CountryCode;
      service?: schemas.ServiceId;
      /** Rows per page. @default 20 */
      limit?: number;
      cursor?: string;
      metadata?: { [key: string]: string };
    };
    answer: {
      data: schemas.Letter[];
      has_more: boolean;
      /** Send it as `cursor` to get the next page. Null on the last page. */
      next_cursor: string | null;
    };
  };
  /** Count the letters in each status */
  count_letters: {
    answer: schemas.LetterCounts;
  };
  /** Find the letters to a recipient */
  search_letters: {
    body: {
      recipient: schemas.RecipientAddress;
    };
    answer: schemas.LettersFound;
  };
  /** Read a letter */
  get_letter: {
    path: {
      id: string;
    };
    answer: schemas.Letter;
  };
  /** Change recipient, reference or metadata */
  update_letter: {
    path: {
      id: string;
    };
    body: schemas.UpdateLetter;
    answer: schemas.Letter;
  };
  /** Delete a letter */
  delete_letter: {
    path: {
      id: string;
    };
    answer: schemas.DeletedLetter;
  };
  /** Preview a page of a letter */
  preview_letter: {
    path: {
      id: string;
      /** From 1. */
      page: string;
    };
    answer: Uint8Array;
  };
  /** Get the letter as printed */
  get_letter_document: {
    path: {
      id: string;
    };
    answer: Uint8Array;
  };
  /** Track a letter */
  track_letter: {
    path: {
      letter_id: string;
    };
    answer: schemas.TrackedLetter;
  };
  /** Proof of sending and delivery */
  get_proof: {
    path: {
      letter_id: string;
    };
    query: {
      /** Language of the certificate. */
      language?: schemas.Language;
    };
    answer: schemas.Proof;
  };
  /** Show the recipient the tracking page of a letter */
  view_tracking: {
    path: {
      letter_id: string;
    };
    query: {
      /** The token in the link. */
      token?: string;
      /** Default: by `Accept-Language`. */
      language?: schemas.Language;
    };
    answer: string;
  };
  /** Show an approver what waits */
  view_approval: {
    path: {
      id: string;
    };
    query: {
      /** The token in the link of the mail. */
      token?: string;
      /** Default: by `Accept-Language`. */
      language?: schemas.Language;
    };
    answer: string;
  };
  /** Decide on the page of an approval */
  decide_approval: {
    path: {
      id: string;
    };
    body: schemas.DecideApproval;
    answer: string;
  };
  /** Show an approver a page of the letter that waits */
  view_approval_picture: {
    path: {
      id: string;
      /** From 1. */
      page: string;
    };
    query: {
      /** The token in the link of the mail. */
      token?: string;
    };
    answer: Uint8Array;
  };
  /** Show whether and how requests can be paid by x402 */
  x402_status: {
    query: {
      method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
      /** The path without its query. */
      path?: string;
    };
    answer: schemas.X402Status;
  };
  /** List top-ups */
  list_top_ups: {
    query: {
      status?: 'pending' | 'paid' | 'expired';
      /** Rows per page. @default 20 */
      limit?: number;
      cursor?: string;
    };
    answer: {
      data: schemas.TopUp[];
      has_more: boolean;
      /** Send it as `cursor` to get the next page. Null on the last page. */
      next_cursor: string | null;
    };
  };
  /** Pay money into the wallet */
  top_up: {
    body: schemas.TopUpRequest;
    answer: schemas.TopUp;
  };
  /** Get the state of a top-up */
  get_top_up: {
    path: {
      topup_id: string;
    };
    answer: schemas.TopUp;
  };
  /** List orders */
  list_orders: {
    query: {
      /** `paid`: the letter is about to be queued, or waits for approval. `queued`: the letter was sent with the money; the order's `letter_status` shows its progress. `credited`: the order was paid but the letter was not sent; the money is in the account's wallet. */
      status?: 'awaiting_payment' | 'paid' | 'queued' | 'credited' | 'expired';
      letter_id?: string;
      /** Rows per page. @default 20 */
      limit?: number;
      cursor?: string;
    };
    answer: {
      data: schemas.Order[];
      has_more: boolean;
      /** Send it as `cursor` to get the next page. Null on the last page. */
      next_cursor: string | null;
    };
  };
  /** Order a letter that somebody pays by card */
  create_order: {
    body: schemas.OrderRequest;
    answer: schemas.PlacedOrder;
  };
  /** Get the state of an order */
  get_order: {
    path: {
      order_id: string;
    };
    query: {
      /** The token in the link of the checkout. */
      secret?: string;
    };
    answer: schemas.Order;
  };
  /** Show the page to which a checkout returns its payer */
  view_order: {
    path: {
      order_id: string;
    };
    query: {
      /** The token in the link of the checkout. */
      secret?: string;
      /** Default: by `Accept-Language`. */
      language?: schemas.Language;
    };
    answer: string;
  };
  /** List the six intent classes */
  list_intent_classes: {
    answer: schemas.IntentClasses;
  };
  /** Verify an offer, a receipt or a contract of this service */
  verify_offer: {
    body: schemas.VerifyDocument;
    answer: schemas.VerifiedDocument;
  };
  /** Get the profile of a customer */
  get_customer_profile: {
    path: {
      customer_did: string;
    };
    answer: schemas.CustomerProfile;
  };
  /** List commitments */
  list_commitments: {
    query: {
      cursor?: string;
      /** Rows per page. @default 20 */
      limit?: number;
    };
    answer: {
      data: schemas.Commitment[];
      has_more: boolean;
      /** Send it as `cursor` to get the next page. Null on the last page. */
      next_cursor: string | null;
    };
  };
  /** Get a commitment */
  get_commitment: {
    path: {
      /** Id of an accepted offer. The letter costs the agreed price and uses one of its letters. */
      commitment_id: string;
    };
    answer: schemas.Commitment;
  };
  /** List volume contracts */
  list_contracts: {
    query: {
      /** Only contracts of this DID. */
      customer_did?: string;
      /** Default: active. */
      state?: 'active' | 'fulfilled' | 'breached' | 'all';
      /** Rows per page. @default 20 */
      limit?: number;
      cursor?: string;
    };
    answer: {
      data: schemas.VolumeContract[];
      has_more: boolean;
      /** Send it as `cursor` to get the next page. Null on the last page. */
      next_cursor: string | null;
    };
  };
  /** Commit to a volume for a discount */
  create_contract: {
    body: schemas.CreateContract;
    answer: schemas.VolumeContract;
  };
  /** Get a volume contract in full */
  get_contract: {
    path: {
      contract_id: string;
    };
    answer: schemas.VolumeContract;
  };
  /** Resolve a did:key, did:pkh or did:web to its document */
  resolve_did: {
    path: {
      /** The DID, percent-encoded: `encodeURIComponent(did)`. */
      did: string;
    };
    answer: schemas.DidResolution | schemas.DidDocument;
  };
  /** Get the service's DID, its document and its keys */
  service_did: {
    answer: schemas.ServiceDid;
  };
  /** Document of the service's did:web */
  did_json: {
    answer: schemas.DidDocument;
  };
  /** Document of the service's did:web, where BASE_URL has a path */
  did_json_under_path: {
    answer: schemas.DidDocument;
  };
  /** List the credentials issued to you */
  list_credentials: {
    query: {
      letter_id?: string;
      /** Kind of event, such as `letter.posted`. */
      type?: string;
      /** Rows per page. @default 20 */
      limit?: number;
      cursor?: string;
    };
    answer: {
      data: schemas.IssuedCredential[];
      has_more: boolean;
      /** Send it as `cursor` to get the next page. Null on the last page. */
      next_cursor: string | null;
    };
  };
  /** List the active audit links of all letters */
  list_account_audit_links: {
    query: {
      /** Rows per page. @default 20 */
      limit?: number;
      cursor?: string;
    };
    answer: {
      data: schemas.ListedAuditLink[];
      has_more: boolean;
      /** Send it as `cursor` to get the next page. Null on the last page. */
      next_cursor: string | null;
    };
  };
  /** The signed history of a letter */
  get_audit: {
    path: {
      letter_id: string;
    };
    query: {
      as_of?: string;
      /** Return the events after this sequence number. */
      after?: number;
      limit?: number;
    };
    answer: schemas.Audit;
  };
  /** The audit page of a letter */
  view_audit: {
    path: {
      letter_id: string;
    };
    query: {
      /** The token in the link. */
      token?: string;
      /** Default: by `Accept-Language`. */
      language?: schemas.Language;
    };
    answer: string;
  };
  /** The bundle of a letter, by link */
  download_audit: {
    path: {
      letter_id: string;
    };
    query: {
      /** The token in the link. */
      token?: string;
      /** Default: by `Accept-Language`. */
      language?: schemas.Language;
    };
    answer: Uint8Array;
  };
  /** Download the program that verifies audit bundles offline */
  verify_audit_program: {
    answer: string;
  };
  /** Get its SHA-256, in the format of sha256sum */
  verify_audit_sha256: {
    answer: string;
  };
  /** Show the page that the code on a certificate opens */
  view_certificate: {
    path: {
      letter_id: string;
    };
    query: {
      /** The token in the code. */
      token?: string;
      /** Default: by `Accept-Language`. */
      language?: schemas.Language;
    };
    answer: string;
  };
  /** Download the signed history of a letter with the code on its certificate */
  download_certificate_bundle: {
    path: {
      letter_id: string;
    };
    query: {
      /** The token in the code. */
      token?: string;
      /** Default: by `Accept-Language`. */
      language?: schemas.Language;
    };
    answer: Uint8Array;
  };
  /** Get the latest signed checkpoint of the transparency log */
  log_checkpoint: {
    answer: schemas.LogCheckpoint;
  };
  /** Prove that a credential is in the log */
  log_inclusion_proof: {
    query: {
      index?: number;
      /** `sha-256:` and the hash, base64url. */
      credential_hash?: string;
      event_id?: string;
      size?: number;
    };
    answer: schemas.InclusionProof;
  };
  /** Prove that the log only grew between two checkpoints */
  log_consistency_proof: {
    query: {
      first: number;
      /** Default: the latest. */
      second?: number;
    };
    answer: schemas.ConsistencyProof;
  };
  /** Get a tile of the log: up to 256 hashes */
  log_tile: {
    path: {
      tile: string;
    };
    answer: Uint8Array;
  };
  /** Verify a Verifiable Credential or Presentation */
  verify_credential: {
    body: {
      /** A compact JWS. */
      credential: string;
      /** The `nonce` that a presentation must have. */
      challenge?: string;
      /** The `aud` that a presentation must name. */
      domain?: string;
    };
    answer: schemas.VerifiedCredential;
  };
  /** List the JSON Schemas of event credentials and of Kafka messages */
  list_message_schemas: {
    answer: schemas.MessageSchemas;
  };
  /** Get a JSON Schema of event credentials or of Kafka messages */
  get_message_schema: {
    path: {
      name: string;
    };
    answer: { [key: string]: unknown };
  };
  /** Describe this service and list its addresses */
  service_info: {
    answer: schemas.ServiceInfo;
  };
  /** List the last requests of the account */
  list_requests: {
    query: {
      /** Only requests that were refused or failed. */
      failed?: boolean;
      /** Rows per page. @default 20 */
      limit?: number;
      cursor?: string;
    };
    answer: {
      data: schemas.LoggedRequest[];
      has_more: boolean;
      /** Send it as `cursor` to get the next page. Null on the last page. */
      next_cursor: string | null;
    };
  };
  /** Search the reference */
  search_reference: {
    query: {
      /** Words. */
      q?: string;
    };
    answer: schemas.ReferenceSections;
  };
  /** Get the SLA attainment of each intent class */
  get_evaluation: {
    query: {
      /** First day of posting, UTC. Default: 90 days before `to`. */
      from?: string;
      /** Last day, included. Default: today. */
      to?: string;
      /** The country of the recipients. Default: all countries. */
      country?: schemas.CountryCode;
      /** Default: `live`, or `test` with a test key. The two are never mixed. */
      mode?: schemas.AccountMode;
    };
    answer: schemas.Evaluation;
  };
  /** Show the same figures as a page with charts */
  view_evaluation: {
    query: {
      /** First day of posting, UTC. Default: 90 days before `to`. */
      from?: string;
      /** Last day, included. Default: today. */
      to?: string;
      /** The country of the recipients. Default: all countries. */
      country?: schemas.CountryCode;
      /** Default: `live`, or `test` with a test key. The two are never mixed. */
      mode?: schemas.AccountMode;
    };
    answer: string;
  };
  /** Describe the mech */
  mech_info: {
    answer: schemas.MechInfo;
  };
  /** Describe the tool of the mech */
  mech_tools: {
    answer: schemas.MechTools;
  };
  /** Check the health of the mech */
  mech_health: {
    answer: schemas.MechHealth;
  };
  /** Delegate capabilities to another DID */
  delegate_ucan: {
    body: schemas.DelegateUcan;
    answer: schemas.IssuedUcan;
  };
  /** Verify a UCAN with its chain */
  verify_ucan: {
    body: schemas.VerifyUcan;
    answer: schemas.UcanVerdict;
  };
  /** Revoke a UCAN for good */
  revoke_ucan: {
    body: schemas.RevokeUcan;
    answer: schemas.RevokedUcan;
  };
  /** Register with an e-mail address */
  register: {
    body: schemas.Register;
    answer: schemas.RegisteredAccount;
  };
  /** Register with an e-mail address */
  signup: {
    body: schemas.Register;
    answer: schemas.RegisteredAccount;
  };
  /** Register an agent without an e-mail address */
  register_agent: {
    body: schemas.RegisterAgent;
    answer: schemas.RegisteredAccount;
  };
  /** Get a new key with a recovery link */
  recover_account: {
    body: schemas.RecoverAccount;
    answer: schemas.RecoveredAccount;
  };
  /** Show what a confirmation link confirms */
  preview_confirmation: {
    body: schemas.PreviewConfirmation;
    answer: schemas.EmailConfirmation;
  };
  /** Confirm an e-mail address with the link sent to it */
  confirm_email: {
    body: schemas.ConfirmEmail;
    answer: schemas.EmailConfirmed;
  };
  /** Stop the mails to an address */
  unsubscribe: {
    query: {
      /** The token in the link. */
      token: string;
    };
    answer: schemas.Unsubscribed;
  };
  /** Change the e-mail address of the account */
  change_email: {
    body: schemas.ChangeEmail;
    answer: schemas.ChangedEmail;
  };
  /** Take a change of the e-mail address back */
  stop_email_change: {
    body: schemas.StopEmailChange;
    answer: schemas.StoppedEmailChange;
  };
  /** Revoke a key for good */
  revoke_key: {
    path: {
      id: string;
    };
    query: {
      /** Also ends the keys that it made or was rotated to, and the keys that those made. The key of this request stays. */
      revoke_issued?: 'true' | 'false';
    };
    answer: schemas.RevokedKey;
  };
  /** Revoke the key of this request */
  revoke_own_key: {
    query: {
      /** Also ends the keys that it made or was rotated to, and the keys that those made. The key of this request stays. */
      revoke_issued?: 'true' | 'false';
    };
    answer: schemas.RevokedKey;
  };
  /** Replace a key by a new one with the same scope */
  rotate_key: {
    path: {
      id: string;
    };
    body: schemas.RotateKey;
    answer: schemas.RotatedKey;
  };
  /** Replace the key of this request by a new one */
  rotate_own_key: {
    body: schemas.RotateKey;
    answer: schemas.RotatedKey;
  };
  /** Close the account and erase its data */
  close_account: {
    body: schemas.CloseAccount;
    answer: schemas.AccountClosure;
  };
  /** Take the closure of the account back */
  withdraw_account_closure: {
    answer: schemas.AccountClosure;
  };
  /** See whether the account is closing, and what stands in the way */
  get_account_closure: {
    answer: schemas.AccountClosure;
  };
  /** Price a letter */
  quote_letter: {
    body: schemas.QuoteRequest;
    answer: schemas.Quote;
    dry_run: schemas.DryRun;
  };
  /** Send a letter */
  send_letter: {
    body: schemas.SendLetter;
    answer: schemas.SentLetter | schemas.HeldLetter;
    dry_run: schemas.DryRun;
  };
  /** Cancel a letter */
  cancel_letter: {
    path: {
      id: string;
    };
    answer: schemas.Letter;
  };
  /** Advance a test letter */
  advance_test_letter: {
    path: {
      id: string;
    };
    body: schemas.AdvanceLetter;
    answer: schemas.Letter;
  };
  /** Fill the wallet of a test account up to $100.00 */
  refill_test_wallet: {
    answer: schemas.RefilledTestWallet;
  };
  /** Get the link that shows a recipient where the letter is */
  get_tracking_link: {
    path: {
      letter_id: string;
    };
    answer: schemas.TrackingLink;
  };
  /** Replace the tracking link; the earlier one stops working */
  renew_tracking_link: {
    path: {
      letter_id: string;
    };
    answer: schemas.TrackingLink;
  };
  /** Revoke the tracking link */
  revoke_tracking_link: {
    path: {
      letter_id: string;
    };
    answer: schemas.RevokedTrackingLink;
  };
  /** Upload a logo */
  upload_logo: {
    body: schemas.UploadLogo;
    answer: schemas.Logo;
  };
  /** List uploaded logos */
  list_logos: {
    answer: schemas.Logos;
  };
  /** Delete a logo for good */
  delete_logo: {
    path: {
      id: string;
    };
    answer: schemas.DeletedLogo;
  };
  /** Read the policy of the account */
  get_policy: {
    answer: schemas.Policy;
  };
  /** Set the policy of the account */
  set_policy: {
    body: schemas.SetPolicy;
    answer: schemas.Policy | schemas.PolicyChange;
  };
  /** Delete the policy of the account */
  delete_policy: {
    query: {
      /** Asks for an approval where the caller cannot delete it. */
      request_approval?: 'true' | 'false';
    };
    answer: {
      policy: string;
      deleted: true;
    } | schemas.PolicyChange;
  };
  /** Read the policy of a key */
  get_key_policy: {
    path: {
      id: string;
    };
    answer: schemas.Policy;
  };
  /** Set the policy of a key */
  set_key_policy: {
    path: {
      id: string;
    };
    body: schemas.SetPolicy;
    answer: schemas.Policy | schemas.PolicyChange;
  };
  /** Delete the policy of a key */
  delete_key_policy: {
    path: {
      id: string;
    };
    query: {
      /** Asks for an approval where the caller cannot delete it. */
      request_approval?: 'true' | 'false';
    };
    answer: {
      policy: string;
      deleted: true;
    } | schemas.PolicyChange;
  };
  /** Read the policy of a UCAN */
  get_ucan_policy: {
    path: {
      /** The CID of a UCAN, as the answer that issued it shows it: bafkrei…. */
      cid: string;
    };
    answer: schemas.Policy;
  };
  /** Set the policy of a UCAN */
  set_ucan_policy: {
    path: {
      /** The CID of a UCAN, as the answer that issued it shows it: bafkrei…. */
      cid: string;
    };
    body: schemas.SetPolicy;
    answer: schemas.Policy | schemas.PolicyChange;
  };
  /** Delete the policy of a UCAN */
  delete_ucan_policy: {
    path: {
      /** The CID of a UCAN, as the answer that issued it shows it: bafkrei…. */
      cid: string;
    };
    query: {
      /** Asks for an approval where the caller cannot delete it. */
      request_approval?: 'true' | 'false';
    };
    answer: {
      policy: string;
      deleted: true;
    } | schemas.PolicyChange;
  };
  /** List changes of policies that need approval */
  list_policy_changes: {
    answer: schemas.PolicyChanges;
  };
  /** Read a change of a policy that needs approval */
  get_policy_change: {
    path: {
      id: string;
    };
    answer: schemas.PolicyChange;
  };
  /** Approve a change of a policy */
  approve_policy_change: {
    path: {
      id: string;
    };
    answer: schemas.PolicyChange;
  };
  /** Reject a change of a policy */
  reject_policy_change: {
    path: {
      id: string;
    };
    body: {
      reason?: string;
    };
    answer: schemas.PolicyChange;
  };
  /** See what is left of limits */
  list_budgets: {
    answer: schemas.Budgets;
  };
  /** Freeze the account */
  freeze_account: {
    answer: schemas.Freeze;
  };
  /** Unfreeze the account */
  unfreeze_account: {
    answer: schemas.Freeze;
  };
  /** See what is frozen */
  list_frozen: {
    answer: schemas.FrozenList;
  };
  /** Freeze a key */
  freeze_key: {
    path: {
      id: string;
    };
    answer: schemas.Freeze;
  };
  /** Unfreeze a key */
  unfreeze_key: {
    path: {
      id: string;
    };
    answer: schemas.Freeze;
  };
  /** Freeze a UCAN */
  freeze_ucan: {
    body: schemas.FreezeUcan;
    answer: schemas.Freeze;
  };
  /** Unfreeze a UCAN */
  unfreeze_ucan: {
    body: schemas.UnfreezeUcan;
    answer: schemas.Freeze;
  };
  /** List approvals */
  list_approvals: {
    query: {
      /** `superseded`: the letter was changed, cancelled, deleted or sent again, or the policy changed. */
      status?: schemas.ApprovalStatus;
      letter_id?: string;
      /** Rows per page. @default 20 */
      limit?: number;
      cursor?: string;
    };
    answer: {
      data: schemas.Approval[];
      has_more: boolean;
      /** Send it as `cursor` to get the next page. Null on the last page. */
      next_cursor: string | null;
    };
  };
  /** Read an approval */
  get_approval: {
    path: {
      id: string;
    };
    answer: schemas.Approval;
  };
  /** Approve a letter */
  approve_letter: {
    path: {
      id: string;
    };
    answer: schemas.DecidedApproval;
  };
  /** Reject a letter */
  reject_letter: {
    path: {
      id: string;
    };
    body: {
      reason?: string;
    };
    answer: schemas.DecidedApproval;
  };
  /** Ask for a signed offer in three tiers */
  negotiate_pricing: {
    body: schemas.OfferRequest;
    answer: schemas.Offer;
  };
  /** Accept one tier of an offer */
  accept_offer: {
    body: schemas.AcceptOffer;
    answer: schemas.Commitment;
  };
  /** End the period of a volume contract of a test account */
  advance_test_contract: {
    path: {
      contract_id: string;
    };
    answer: schemas.EndedPeriod;
  };
  /** Deliver a notification to the webhook again */
  replay_notification: {
    path: {
      id: string;
    };
    answer: schemas.ReplayedNotification;
  };
  /** Send a test message to the webhook */
  test_webhook: {
    answer: schemas.ReplayedNotification;
  };
  /** Register a webhook for signed event credentials */
  subscribe_audit: {
    body: schemas.SubscribeAudit;
    answer: schemas.AuditWebhook | schemas.NewAuditWebhook;
  };
  /** List audit webhooks */
  list_audit_subscriptions: {
    answer: schemas.AuditWebhooks;
  };
  /** Remove an audit webhook */
  unsubscribe_audit: {
    body: schemas.UnsubscribeAudit;
    answer: schemas.RemovedAuditWebhooks;
  };
  /** List the deliveries to an audit webhook */
  list_audit_deliveries: {
    path: {
      id: string;
    };
    query: {
      /** Rows per page. @default 20 */
      limit?: number;
      cursor?: string;
    };
    answer: {
      data: schemas.AuditDelivery[];
      has_more: boolean;
      /** Send it as `cursor` to get the next page. Null on the last page. */
      next_cursor: string | null;
    };
  };
  /** Read the message of a delivery to an audit webhook */
  get_audit_message: {
    path: {
      id: string;
      event_id: string;
    };
    answer: schemas.AuditMessage;
  };
  /** Deliver an event to an audit webhook again */
  replay_audit_delivery: {
    path: {
      id: string;
      event_id: string;
    };
    answer: schemas.ReplayedDelivery;
  };
  /** Deliver events to an audit webhook again from a point on */
  replay_audit_events: {
    path: {
      id: string;
    };
    body: schemas.ReplayAuditEvents;
    answer: schemas.ReplayedEvents;
  };
  /** Send a test message to an audit webhook */
  test_audit_webhook: {
    path: {
      id: string;
    };
    answer: schemas.ReplayedDelivery;
  };
  /** Get, create or set your DID */
  set_did: {
    body: schemas.SetDid;
    answer: schemas.CallerDid | schemas.DidChallenge;
  };
  /** Bundle credentials into a signed presentation */
  create_presentation: {
    body: schemas.Present;
    answer: schemas.Presentation;
  };
  /** Make a link that shows the history to others */
  create_audit_link: {
    path: {
      letter_id: string;
    };
    body: schemas.CreateAuditLink;
    answer: schemas.NewAuditLink;
  };
  /** List the links that show the history of a letter */
  list_audit_links: {
    path: {
      letter_id: string;
    };
    answer: schemas.AuditLinks;
  };
  /** Revoke a link for good */
  revoke_audit_link: {
    path: {
      letter_id: string;
      id: string;
    };
    answer: schemas.RevokedAuditLink;
  };
  /** Make a link that signs a person in to the console */
  create_console_link: {
    body: schemas.CreateConsoleLink;
    answer: schemas.ConsoleLink;
  };
  /** Execute a tool call of the mech marketplace */
  mech_execute: {
    body: schemas.MechExecute;
    answer: schemas.MechEnvelope;
  };
};
