# Made from the OpenAPI document; RECORD_CLIENTS=1 makes it anew.
"""A method for each operation of the REST API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .paging import rows_of
from .session import Session

if TYPE_CHECKING:
    from . import types


class Operations(Session):
    def accept_offer(self, body: types.AcceptOffer, *, idempotency_key: str | None = None) -> types.Commitment:
        """Accept one tier of an offer. Locks the price: as many letters as the offer is for, sent with `commitment_id`, cost this, whatever the table says by then. Costs nothing itself. An offer is accepted once; the same tier again is answered with the same commitment (200). `payment_method` says which money of the wallet will pay; without it, what the wallet has, cryptocurrency first."""
        answer: types.Commitment = self.json("POST", "/api/anp/accept", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def advance_test_contract(self, contract_id: str) -> types.EndedPeriod:
        """End the period of a volume contract of a test account. Ends the first period whose count is open, without waiting for its end and its days of grace. What follows (fulfilled, or breached and billed) comes within seconds, as it does for live contracts. 403 with a live key."""
        answer: types.EndedPeriod = self.json("POST", "/api/test/contracts/{contract_id}/advance", params={"contract_id": contract_id})
        return answer

    def advance_test_letter(self, id: str, body: types.AdvanceLetter | None = None) -> types.Letter:
        """Move a test letter along its way. Without a body: one step. `to`: up to that status. `event`: returned or failed."""
        answer: types.Letter = self.json("POST", "/api/test/letters/{id}/advance", params={"id": id}, body=body)
        return answer

    def cancel_letter(self, id: str, *, idempotency_key: str | None = None, if_match: str | None = None) -> types.Letter:
        """Cancel a letter. Draft and queued: at once, with a full refund. Processing: 202, the print partner is asked to give it back. Cancelling twice gives the same answer and one refund."""
        answer: types.Letter = self.json("POST", "/api/letters/{id}/cancel", params={"id": id}, keyed=True, idempotency_key=idempotency_key, headers={"If-Match": if_match} if if_match else None)
        return answer

    def confirm_email(self, body: types.ConfirmEmail) -> types.EmailConfirmed:
        """Confirm an e-mail address with the link that it got. Somebody else may have registered the address. So with its first confirmation everything ends that was set before: keys with their UCANs and audit links, webhook, notification address, audit webhooks and a DID of its own. `keep` names what stays. Where no full key stays, a recovery link goes to the address. After that the link changes nothing. It is good for seven days; a recovery ends it."""
        answer: types.EmailConfirmed = self.json("POST", "/auth/confirm", body=body)
        return answer

    def create_audit_link(self, letter_id: str, body: types.CreateAuditLink | None = None, *, idempotency_key: str | None = None) -> types.NewAuditLink:
        """A link that shows the history to others. Whoever has the link sees the audit page of the letter: states, times and hashes, no names and no addresses. It ends when it expires, when it is revoked, when the letter is deleted, and with the key or UCAN that made it."""
        answer: types.NewAuditLink = self.json("POST", "/api/identity/audit/{letter_id}/link", params={"letter_id": letter_id}, body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def create_contract(self, body: types.CreateContract, *, idempotency_key: str | None = None) -> types.VolumeContract:
        """Commit to a volume for a discount. From its start on every price of the account (quotes, offers, sends) has the discount of `current_tier` on printing. Letters that are printed count. A live account commits to at most as many letters as were printed for it in as long a time before. A period with fewer letters than committed is billed as `breach_terms` say. One contract at a time. A credential that expires makes none that runs longer than it."""
        answer: types.VolumeContract = self.json("POST", "/api/anp/contracts", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def create_key(self, body: types.CreateKey, *, idempotency_key: str | None = None) -> types.NewKey:
        """Create a key. A key reaches the whole account, so of UCANs only one for all of it can make one. A key that is made with a UCAN, or with a key that expires, ends with that: when it expires, is revoked or rotated."""
        answer: types.NewKey = self.json("POST", "/auth/keys", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def create_order(self, body: types.OrderRequest, *, idempotency_key: str | None = None) -> types.PlacedOrder:
        """Order a letter that somebody pays by card. Checks and prices the letter, keeps it as a draft and opens a checkout for its price (commission of card payments included). Once that is paid the letter is queued at this price, whatever the table says by then; `email` gets the confirmations of its way. Not paid in time, the draft is cancelled."""
        answer: types.PlacedOrder = self.json("POST", "/api/orders", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def create_presentation(self, body: types.Present | None = None) -> types.Presentation:
        """Bundle credentials into a signed presentation. Signed with your DID, for 10 minutes, or less where your key ends before. Give the verifier’s `challenge` and `domain`, so that nobody else can use it."""
        answer: types.Presentation = self.json("POST", "/api/identity/presentation", body=body)
        return answer

    def delegate_ucan(self, body: types.DelegateUcan, *, idempotency_key: str | None = None) -> types.IssuedUcan:
        """Delegate capabilities to another DID. Signed with the key of your DID, which the service keeps. What is delegated: the `token`, the token with the `cid`, the UCAN you call with, or, without any, a new root of your account. The result never gives more, and never lives longer, than that. With `capabilities` come caveats."""
        answer: types.IssuedUcan = self.json("POST", "/api/identity/delegate", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def delete_letter(self, id: str, *, if_match: str | None = None) -> types.DeletedLetter:
        """Delete a letter. A draft, cancelled or failed letter goes: everything personal is erased, it is in no list, and whoever asks for it is answered 410. Its audit history, proof and credentials stay."""
        answer: types.DeletedLetter = self.json("DELETE", "/api/letters/{id}", params={"id": id}, headers={"If-Match": if_match} if if_match else None)
        return answer

    def delete_logo(self, id: str) -> types.DeletedLogo:
        """Delete a logo for good. Letters that were sent with it, and drafts, keep it."""
        answer: types.DeletedLogo = self.json("DELETE", "/api/logos/{id}", params={"id": id})
        return answer

    def did_json(self) -> types.DidDocument:
        """Document of the service's did:web. Resolvers of did:web read it to find the keys of the service. It is 404 unless BASE_URL is an https address without a path."""
        answer: types.DidDocument = self.json("GET", "/.well-known/did.json")
        return answer

    def did_json_under_path(self) -> types.DidDocument:
        """Document of the service's did:web, where BASE_URL has a path. Resolvers of did:web read it below the path of BASE_URL to find the keys of the service. It is 404 when BASE_URL has no path or is not an https address."""
        answer: types.DidDocument = self.json("GET", "/did.json")
        return answer

    def download_audit(self, letter_id: str, *, token: str | None = None) -> bytes:
        """The bundle of a letter, by link. The bundle contains events, credentials, log proofs and a program that verifies them offline. The link needs no key; an unknown or expired one answers 404. As application/zip."""
        return self.call("GET", "/audit/{letter_id}/bundle.zip", params={"letter_id": letter_id}, query={"token": token}, accept="application/zip").body

    def download_certificate_bundle(self, letter_id: str, *, token: str | None = None, language: types.DownloadCertificateBundleLanguage | None = None) -> bytes:
        """The signed history of a letter, by the code on its certificate. The bundle can be verified offline. The code on the certificate opens it without a key; an unknown code answers 404. As application/zip."""
        return self.call("GET", "/verify/{letter_id}/bundle.zip", params={"letter_id": letter_id}, query={"token": token, "language": language}, accept="application/zip").body

    def get_audit(self, letter_id: str, *, as_of: str | None = None, after: int | None = None, limit: int | None = None) -> types.Audit:
        """The signed history of a letter. Each event with its credential and its place in the log. `Accept: application/zip` gives a bundle that can be verified offline. With `as_of` the history up to then, and the letter as it was."""
        answer: types.Audit = self.json("GET", "/api/identity/audit/{letter_id}", params={"letter_id": letter_id}, query={"as_of": as_of, "after": after, "limit": limit})
        return answer

    def get_audit_zip(self, letter_id: str, *, as_of: str | None = None, after: int | None = None, limit: int | None = None) -> bytes:
        """The signed history of a letter. Each event with its credential and its place in the log. `Accept: application/zip` gives a bundle that can be verified offline. With `as_of` the history up to then, and the letter as it was. As application/zip."""
        return self.call("GET", "/api/identity/audit/{letter_id}", params={"letter_id": letter_id}, query={"as_of": as_of, "after": after, "limit": limit}, accept="application/zip").body

    def get_balance(self) -> types.Balance:
        """Balance and the last 10 transactions. Amounts are in US dollars. `held` is reserved for letters that are not in production yet; `available` is what you can spend."""
        answer: types.Balance = self.json("GET", "/api/balance")
        return answer

    def get_commitment(self, commitment_id: str) -> types.Commitment:
        """Get a commitment. The answer contains the terms, the letters that use it and the receipt that the service signed."""
        answer: types.Commitment = self.json("GET", "/api/anp/commitments/{commitment_id}", params={"commitment_id": commitment_id})
        return answer

    def get_contract(self, contract_id: str) -> types.VolumeContract:
        """A volume contract in full. Its tiers, what was counted in each period, and what a shortfall costs."""
        answer: types.VolumeContract = self.json("GET", "/api/anp/contracts/{contract_id}", params={"contract_id": contract_id})
        return answer

    def get_customer_profile(self, customer_did: str) -> types.CustomerProfile:
        """What was learned of a customer. Persona, average spend and preferred tiers, from what the customer accepted and sent, with the reasons. It moves what an offer recommends, and never a price. For the owner alone, with full scope, by DID or account id; any other: 404, whether there is one or not."""
        answer: types.CustomerProfile = self.json("GET", "/api/anp/profiles/{customer_did}", params={"customer_did": customer_did})
        return answer

    def get_error(self, code: str) -> types.ErrorInfo:
        """What an error means, and the way out. The `type` of a problem document is this address. With `Accept: text/html` a page."""
        answer: types.ErrorInfo = self.json("GET", "/errors/{code}", params={"code": code})
        return answer

    def get_evaluation(self, *, from_: str | None = None, to: str | None = None, country: types.GetEvaluationCountry | None = None, mode: types.GetEvaluationMode | None = None) -> types.Evaluation:
        """SLA attainment per intent class. Of letters posted in a period of at most 366 days, from the reports of print houses and postal operators. Figures of the whole service; nothing tells whose letters they are. Days are business days of the country, from hand-over; what is posted after 16:00 local time counts from the next."""
        answer: types.Evaluation = self.json("GET", "/api/anp/eval", query={"from": from_, "to": to, "country": country, "mode": mode})
        return answer

    def get_letter(self, id: str) -> types.Letter:
        """Read a letter. The answer contains addresses, content, price, status and history. Once the letter is deleted, the answer is 410."""
        answer: types.Letter = self.json("GET", "/api/letters/{id}", params={"id": id})
        return answer

    def get_letter_document(self, id: str) -> bytes:
        """The letter as it is printed. A PDF of every page with sender, recipient and date, as it goes into the envelope. Where no `date` was asked for it is dated on the day of production, or the day on which that is expected to begin. As application/pdf."""
        return self.call("GET", "/api/letters/{id}/document.pdf", params={"id": id}, accept="application/pdf").body

    def get_message_schema(self, name: str) -> dict[str, Any]:
        """A JSON Schema of event credentials or of what is published to Kafka; it never changes. A changed format gets a new name, so you can keep a copy of the schema for good."""
        answer: dict[str, Any] = self.json("GET", "/schemas/{name}", params={"name": name})
        return answer

    def get_notification(self, id: str) -> types.Notification:
        """Read a notification event. The event shows the state of its delivery on each channel, with every attempt."""
        answer: types.Notification = self.json("GET", "/api/notifications/{id}", params={"id": id})
        return answer

    def get_order(self, order_id: str, *, secret: str | None = None) -> types.Order:
        """State of an order. With a key of the account that placed it, or with the `secret` in the link that the checkout returns its payer to. Anything else: 404."""
        answer: types.Order = self.json("GET", "/api/orders/{order_id}", params={"order_id": order_id}, query={"secret": secret})
        return answer

    def get_proof(self, letter_id: str, *, language: types.GetProofLanguage | None = None) -> types.Proof:
        """Proof of sending and delivery. With `Accept: application/pdf` a certificate that prints the same facts, in the language of `language`, of `Accept-Language`, or of the letter. Its code opens a page that whoever holds it can read and verify."""
        answer: types.Proof = self.json("GET", "/api/proof/{letter_id}", params={"letter_id": letter_id}, query={"language": language})
        return answer

    def get_proof_pdf(self, letter_id: str, *, language: types.GetProofLanguage | None = None) -> bytes:
        """Proof of sending and delivery. With `Accept: application/pdf` a certificate that prints the same facts, in the language of `language`, of `Accept-Language`, or of the letter. Its code opens a page that whoever holds it can read and verify. As application/pdf."""
        return self.call("GET", "/api/proof/{letter_id}", params={"letter_id": letter_id}, query={"language": language}, accept="application/pdf").body

    def get_settings(self) -> types.Settings:
        """Webhook URL and notification e-mail. The service sends news about letters and the wallet to both. The secret of the webhook is shown once, when it is new."""
        answer: types.Settings = self.json("GET", "/api/settings")
        return answer

    def get_statement(self, *, from_: str | None = None, to: str | None = None) -> str:
        """The wallet's statement as CSV. Every change of what is available, in order, between an opening and a closing balance; `balance_after` is the balance after it. UTF-8, comma-separated (RFC 4180), amounts in USD. `from` is included, `to` is not, where they are times; days are included whole. Without them: from the beginning, until now. At most 100000 entries. As text/csv."""
        return self.call("GET", "/api/balance/statement", query={"from": from_, "to": to}, accept="text/csv").body.decode()

    def get_top_up(self, topup_id: str) -> types.TopUp:
        """State of a top-up. Poll it after the payment: `status` changes from `pending` to `paid` or `expired`, and `credited` is the amount added to the wallet."""
        answer: types.TopUp = self.json("GET", "/api/topup/{topup_id}", params={"topup_id": topup_id})
        return answer

    def get_tracking_link(self, letter_id: str) -> types.TrackingLink:
        """The link that shows a recipient where the letter is. Every letter has one. The page behind it has status, expected days, tracking number and the dates of its way, and neither names nor addresses. It opens from when the letter is sent."""
        answer: types.TrackingLink = self.json("GET", "/api/letters/{letter_id}/tracking-link", params={"letter_id": letter_id})
        return answer

    def health(self) -> types.Health:
        """Whether the service is alive. The answer lists each read model and background job, and how far it is behind the log. It is 200 as long as the process answers requests; `status` is `degraded` when a part has stopped or fails."""
        answer: types.Health = self.json("GET", "/health")
        return answer

    def issue_ucan(self, body: types.IssueUcan, *, idempotency_key: str | None = None) -> types.IssuedUcan:
        """Issue a UCAN capability token. For your own DID, or another `audience`. It reaches what the scope of a key reaches, and no more than your credential does. It is a bearer token: whoever has it may act with it."""
        answer: types.IssuedUcan = self.json("POST", "/api/identity/ucan", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def iter_audit_deliveries(self, id: str, *, limit: int | None = None, cursor: str | None = None) -> Iterator[types.AuditDelivery]:
        """Every row of `list_audit_deliveries`, page after page."""
        return rows_of(self, "/api/identity/audit/subscribe/{id}/deliveries", params={"id": id}, query={"limit": limit, "cursor": cursor})

    def iter_commitments(self, *, cursor: str | None = None, limit: int | None = None) -> Iterator[types.Commitment]:
        """Every row of `list_commitments`, page after page."""
        return rows_of(self, "/api/anp/commitments", params={}, query={"cursor": cursor, "limit": limit})

    def iter_contracts(self, *, customer_did: str | None = None, state: types.ListContractsState | None = None, limit: int | None = None, cursor: str | None = None) -> Iterator[types.VolumeContract]:
        """Every row of `list_contracts`, page after page."""
        return rows_of(self, "/api/anp/contracts", params={}, query={"customer_did": customer_did, "state": state, "limit": limit, "cursor": cursor})

    def iter_credentials(self, *, letter_id: str | None = None, type: str | None = None, limit: int | None = None, cursor: str | None = None) -> Iterator[types.IssuedCredential]:
        """Every row of `list_credentials`, page after page."""
        return rows_of(self, "/api/identity/credentials", params={}, query={"letter_id": letter_id, "type": type, "limit": limit, "cursor": cursor})

    def iter_letters(self, *, status: Sequence[types.ListLettersStatus] | None = None, delivery_outcome: types.ListLettersDeliveryOutcome | None = None, reference: str | None = None, created_after: str | None = None, created_before: str | None = None, country: types.ListLettersCountry | None = None, service: types.ListLettersService | None = None, limit: int | None = None, cursor: str | None = None, metadata: Mapping[str, str] | None = None) -> Iterator[types.Letter]:
        """Every row of `list_letters`, page after page."""
        return rows_of(self, "/api/letters", params={}, query={"status": status, "delivery_outcome": delivery_outcome, "reference": reference, "created_after": created_after, "created_before": created_before, "country": country, "service": service, "limit": limit, "cursor": cursor, "metadata": metadata})

    def iter_notifications(self, *, letter_id: str | None = None, limit: int | None = None, cursor: str | None = None) -> Iterator[types.Notification]:
        """Every row of `list_notifications`, page after page."""
        return rows_of(self, "/api/notifications", params={}, query={"letter_id": letter_id, "limit": limit, "cursor": cursor})

    def iter_ucans(self, *, limit: int | None = None, cursor: str | None = None) -> Iterator[types.ListedUcan]:
        """Every row of `list_ucans`, page after page."""
        return rows_of(self, "/api/identity/ucan", params={}, query={"limit": limit, "cursor": cursor})

    def list_audit_deliveries(self, id: str, *, limit: int | None = None, cursor: str | None = None) -> types.ListAuditDeliveriesAnswer:
        """What was delivered to an audit webhook, with its attempts. Each delivery has its state and the result of each attempt. A failed one can be replayed."""
        answer: types.ListAuditDeliveriesAnswer = self.json("GET", "/api/identity/audit/subscribe/{id}/deliveries", params={"id": id}, query={"limit": limit, "cursor": cursor})
        return answer

    def list_audit_links(self, letter_id: str) -> types.AuditLinks:
        """List the links that show the history of a letter. Each link has the id that revokes it and the time when it expires."""
        answer: types.AuditLinks = self.json("GET", "/api/identity/audit/{letter_id}/link", params={"letter_id": letter_id})
        return answer

    def list_audit_subscriptions(self) -> types.AuditWebhooks:
        """List audit webhooks. Each webhook has its URL, its filters and the public key that verifies its signatures."""
        answer: types.AuditWebhooks = self.json("GET", "/api/identity/audit/subscribe")
        return answer

    def list_commitments(self, *, cursor: str | None = None, limit: int | None = None) -> types.ListCommitmentsAnswer:
        """List commitments. A commitment is an offer that the account accepted. Each one shows its terms and how many letters can still use it."""
        answer: types.ListCommitmentsAnswer = self.json("GET", "/api/anp/commitments", query={"cursor": cursor, "limit": limit})
        return answer

    def list_contracts(self, *, customer_did: str | None = None, state: types.ListContractsState | None = None, limit: int | None = None, cursor: str | None = None) -> types.ListContractsAnswer:
        """List volume contracts. Those of the account, newest first; of another customer there are none to see."""
        answer: types.ListContractsAnswer = self.json("GET", "/api/anp/contracts", query={"customer_did": customer_did, "state": state, "limit": limit, "cursor": cursor})
        return answer

    def list_credentials(self, *, letter_id: str | None = None, type: str | None = None, limit: int | None = None, cursor: str | None = None) -> types.ListCredentialsAnswer:
        """List the credentials issued to you. One Verifiable Credential for each event of your account, its letters and its wallet; newest first. A page can be shorter than `limit` although there are more."""
        answer: types.ListCredentialsAnswer = self.json("GET", "/api/identity/credentials", query={"letter_id": letter_id, "type": type, "limit": limit, "cursor": cursor})
        return answer

    def list_errors(self) -> types.ErrorList:
        """Every error that there is. With `Accept: text/html` a page."""
        answer: types.ErrorList = self.json("GET", "/errors")
        return answer

    def list_intent_classes(self) -> types.IntentClasses:
        """The six intent classes. What a letter can be for, with the SLA and the proof that go with it, its surcharge, and the weights by which the tiers of an offer are scored."""
        answer: types.IntentClasses = self.json("GET", "/api/anp/intent-classes")
        return answer

    def list_keys(self) -> types.Keys:
        """List active keys. By prefix; a secret is never shown again."""
        answer: types.Keys = self.json("GET", "/auth/keys")
        return answer

    def list_letters(self, *, status: Sequence[types.ListLettersStatus] | None = None, delivery_outcome: types.ListLettersDeliveryOutcome | None = None, reference: str | None = None, created_after: str | None = None, created_before: str | None = None, country: types.ListLettersCountry | None = None, service: types.ListLettersService | None = None, limit: int | None = None, cursor: str | None = None, metadata: Mapping[str, str] | None = None) -> types.ListLettersAnswer:
        """List letters. Newest first. Filter by metadata with `metadata[key]=value`. A returned letter keeps its status; `delivery_outcome=returned` lists it."""
        answer: types.ListLettersAnswer = self.json("GET", "/api/letters", query={"status": status, "delivery_outcome": delivery_outcome, "reference": reference, "created_after": created_after, "created_before": created_before, "country": country, "service": service, "limit": limit, "cursor": cursor, "metadata": metadata})
        return answer

    def list_logos(self) -> types.Logos:
        """List uploaded logos. Each logo has the `logo_id` that a letter refers to."""
        answer: types.Logos = self.json("GET", "/api/logos")
        return answer

    def list_message_schemas(self) -> types.MessageSchemas:
        """The JSON Schemas of event credentials and of what is published to Kafka. Each schema has a name and a permanent URL. Consumers can validate messages and credentials against it."""
        answer: types.MessageSchemas = self.json("GET", "/schemas")
        return answer

    def list_notifications(self, *, letter_id: str | None = None, limit: int | None = None, cursor: str | None = None) -> types.ListNotificationsAnswer:
        """List notification events. Each event says what happened to a letter, to the wallet or to the webhook. Read the list to find events whose webhooks you missed."""
        answer: types.ListNotificationsAnswer = self.json("GET", "/api/notifications", query={"letter_id": letter_id, "limit": limit, "cursor": cursor})
        return answer

    def list_scopes(self) -> types.Scopes:
        """The scopes of keys. A scope limits what a key can do. Choose the smallest one that fits when you create a key."""
        answer: types.Scopes = self.json("GET", "/auth/scopes")
        return answer

    def list_services(self, country: str) -> types.Catalogue:
        """Postal services of a country. Each service has its operator, delivery time, tracking, proof and lowest price. The answer also lists the intent classes and the services that meet each of them."""
        answer: types.Catalogue = self.json("GET", "/api/services/{country}", params={"country": country})
        return answer

    def list_ucans(self, *, limit: int | None = None, cursor: str | None = None) -> types.ListUcansAnswer:
        """List the UCANs that live. Those that were issued or delegated here on your account and are neither revoked nor expired, nor ended with their key. The tokens are not shown again; revoke one by its cid."""
        answer: types.ListUcansAnswer = self.json("GET", "/api/identity/ucan", query={"limit": limit, "cursor": cursor})
        return answer

    def log_checkpoint(self) -> types.LogCheckpoint:
        """The latest signed checkpoint of the transparency log. Says how many credentials there are and what the root over them is. Keep it: later ones must be consistent with it."""
        answer: types.LogCheckpoint = self.json("GET", "/api/identity/log/checkpoint")
        return answer

    def log_checkpoint_text(self) -> str:
        """The latest signed checkpoint of the transparency log. Says how many credentials there are and what the root over them is. Keep it: later ones must be consistent with it. As text/plain."""
        return self.call("GET", "/api/identity/log/checkpoint", accept="text/plain").body.decode()

    def log_consistency_proof(self, *, first: int | None = None, second: int | None = None) -> types.ConsistencyProof:
        """Proves that the log only grew between two checkpoints. The answer contains the hashes that connect both tree roots (RFC 9162). With them you can check that no entry was changed or removed."""
        answer: types.ConsistencyProof = self.json("GET", "/api/identity/log/proof/consistency", query={"first": first, "second": second})
        return answer

    def log_inclusion_proof(self, *, index: int | None = None, credential_hash: str | None = None, event_id: str | None = None, size: int | None = None) -> types.InclusionProof:
        """Proves that a credential is in the log. Name the leaf by `index`, `credential_hash` or `event_id`."""
        answer: types.InclusionProof = self.json("GET", "/api/identity/log/proof/inclusion", query={"index": index, "credential_hash": credential_hash, "event_id": event_id, "size": size})
        return answer

    def log_tile(self, tile: str) -> bytes:
        """A tile of the log: 256 hashes, or as many as there are. As C2SP tlog-tiles has it: `<level>/<number>` with the number in groups of three (`x001/x234/067`), and `.p/<width>` for a tile that is not full yet. Hashes only: the credentials are their owners’. As application/octet-stream."""
        return self.call("GET", "/api/identity/log/tile/{tile}", params={"tile": tile}, accept="application/octet-stream").body

    def mech_execute(self, body: types.MechExecute) -> types.MechEnvelope:
        """Execute a tool call of the mech marketplace. `send`, `track` or `negotiate` on behalf of the marketplace. Every answer has the same form. 200 with `success: false` says that it was not done and costs nothing; other statuses are for requests that cannot be read, are not paid for, or should be repeated."""
        answer: types.MechEnvelope = self.json("POST", "/api/mech/execute", body=body)
        return answer

    def mech_health(self) -> types.MechHealth:
        """Whether the mech is well. Always 200 while the service answers; `readiness` says whether it takes requests."""
        answer: types.MechHealth = self.json("GET", "/api/mech/health")
        return answer

    def mech_info(self) -> types.MechInfo:
        """Who the mech is. Its ids on chain, its network and its prices. `enabled` says whether it is on."""
        answer: types.MechInfo = self.json("GET", "/api/mech/info")
        return answer

    def mech_tools(self) -> types.MechTools:
        """The tool of the mech. Its schema, and for each action its price and the params that it needs. `metadata` is the document that mechs publish."""
        answer: types.MechTools = self.json("GET", "/api/mech/tools")
        return answer

    def metrics(self) -> str:
        """Metrics for Prometheus. The answer uses the text format of Prometheus. A request needs no key. As text/plain."""
        return self.call("GET", "/metrics", accept="text/plain").body.decode()

    def negotiate_pricing(self, body: types.OfferRequest) -> types.Offer:
        """A signed offer in three tiers. Three tiers for an intent class, made of the services that the country has, each with its fiat and crypto price. Anybody may ask; asked with a credential, the offer is for that account alone. It holds for 15 minutes. Takes the body of a send, of which only `to_country` is needed: `pages`, or plain text as `content`, makes the price; what does not change it is not looked at and not kept."""
        answer: types.Offer = self.json("POST", "/api/anp/offer", body=body)
        return answer

    def openapi(self) -> Any:
        """This description. The document covers every operation of this service, with schemas, errors and examples. Client libraries can be generated from it."""
        answer: Any = self.json("GET", "/openapi.json")
        return answer

    def preview_confirmation(self, body: types.PreviewConfirmation) -> types.EmailConfirmation:
        """What a confirmation link is about. Changes nothing: shows the address, and the keys and settings that the account has."""
        answer: types.EmailConfirmation = self.json("POST", "/auth/confirm/preview", body=body)
        return answer

    def preview_letter(self, id: str, page: str) -> bytes:
        """See a page as it is printed. The page with the address window in blue, no-print zones in red, the edges in yellow and folds dashed. As image/png."""
        return self.call("GET", "/api/letters/{id}/preview/{page}.png", params={"id": id, "page": page}, accept="image/png").body

    def preview_quote(self, quote_id: str, page: str) -> bytes:
        """See a page of a quoted letter. The page as it would be printed, with the zones drawn as in the preview of a letter, until the quote expires. A document that was refused is shown as it came, what stands in the zones in dark red: its quote answered the `preview_url`. As image/png."""
        return self.call("GET", "/api/quotes/{quote_id}/preview/{page}.png", params={"quote_id": quote_id, "page": page}, accept="image/png").body

    def quote_letter(self, body: types.QuoteRequest) -> types.Quote:
        """Price a letter. Takes the body of a send; of the addresses only `to_country` is needed. The price holds for 15 minutes for a send with the `quote_id`."""
        answer: types.Quote = self.json("POST", "/api/quote", body=body)
        return answer

    def ready(self) -> types.Ready:
        """Whether the service may be given traffic. Load balancers send requests only to processes that answer 200. The answer is 503 while the event store cannot be read, or while a read model has stopped or is far behind the log."""
        answer: types.Ready = self.json("GET", "/ready")
        return answer

    def recover_account(self, body: types.RecoverAccount, *, idempotency_key: str | None = None) -> types.RecoveredAccount:
        """Get a new key with a recovery link. Registering an address that has an account sends a link to it. Its token is good for one hour and one key, and confirms the address. All other keys end, and their UCANs with them, but for those in `keep_keys`. Settings that were set before the address was confirmed, and that nobody kept, are removed, since somebody else may have registered it: webhook, notification address, audit webhooks and a DID of its own."""
        answer: types.RecoveredAccount = self.json("POST", "/auth/recover", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def refill_test_wallet(self) -> types.RefilledTestWallet:
        """Fill the wallet of a test account up to $100.00. Once an hour. Does nothing where as much is there."""
        answer: types.RefilledTestWallet = self.json("POST", "/api/test/wallet")
        return answer

    def register(self, body: types.Register, *, idempotency_key: str | None = None) -> types.RegisteredAccount:
        """Register with an e-mail address. Answers with a full key, shown once; under an Idempotency-Key that nobody can guess (a random UUID) it is repeated for 10 minutes. A mail asks the address to confirm the account."""
        answer: types.RegisteredAccount = self.json("POST", "/auth/register", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def register_agent(self, body: types.RegisterAgent, *, idempotency_key: str | None = None) -> types.RegisteredAccount:
        """Register an agent without an e-mail address. Nobody can recover the account of an agent by e-mail: keep its key."""
        answer: types.RegisteredAccount = self.json("POST", "/auth/agent", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def renew_tracking_link(self, letter_id: str, *, idempotency_key: str | None = None) -> types.TrackingLink:
        """Make a new tracking link; the earlier one opens nothing any more. Use it when a link reached the wrong person. Send the new one to the recipient yourself: mails that were sent still contain the old one."""
        answer: types.TrackingLink = self.json("POST", "/api/letters/{letter_id}/tracking-link", params={"letter_id": letter_id}, keyed=True, idempotency_key=idempotency_key)
        return answer

    def replay_audit_delivery(self, id: str, event_id: str, *, idempotency_key: str | None = None) -> types.ReplayedDelivery:
        """Deliver an event to an audit webhook again. Under the same webhook-id, with the same body and a new schedule of attempts."""
        answer: types.ReplayedDelivery = self.json("POST", "/api/identity/audit/subscribe/{id}/deliveries/{event_id}/replay", params={"id": id, "event_id": event_id}, keyed=True, idempotency_key=idempotency_key)
        return answer

    def replay_notification(self, id: str, *, idempotency_key: str | None = None) -> types.ReplayedNotification:
        """Deliver a notification to the webhook again. Under the same webhook-id, with a new schedule of attempts. One that waits for another attempt gets it now; one that waits for an earlier one of its letter still does."""
        answer: types.ReplayedNotification = self.json("POST", "/api/notifications/{id}/replay", params={"id": id}, keyed=True, idempotency_key=idempotency_key)
        return answer

    def resolve_did(self, did: str) -> types.DidResolution | types.DidDocument:
        """Resolve a did:key, did:pkh or did:web to its document. DID Resolution over HTTP. `Accept: application/did` (or `did+json`, `did+ld+json`) gives the document alone. Errors carry `didResolutionMetadata.error` beside the problem."""
        answer: types.DidResolution | types.DidDocument = self.json("GET", "/api/identity/resolve/{did}", params={"did": did})
        return answer

    def revoke_audit_link(self, letter_id: str, id: str) -> types.RevokedAuditLink:
        """Revoke a link for good. The audit page and its bundle answer 404 to this link from now on. The other links of the letter stay valid."""
        answer: types.RevokedAuditLink = self.json("DELETE", "/api/identity/audit/{letter_id}/link/{id}", params={"letter_id": letter_id, "id": id})
        return answer

    def revoke_key(self, id: str, *, revoke_issued: types.RevokeKeyRevokeIssued | None = None) -> types.RevokedKey:
        """Revoke a key for good. Any key may revoke itself; another key needs scope full. Its UCANs end with it; `revoke_issued=true` also ends the keys that it made, those that it was rotated to, and what came of them. Of a rotated key it ends the time in which that key can repeat its rotation."""
        answer: types.RevokedKey = self.json("DELETE", "/auth/keys/{id}", params={"id": id}, query={"revoke_issued": revoke_issued})
        return answer

    def revoke_own_key(self, *, revoke_issued: types.RevokeOwnKeyRevokeIssued | None = None) -> types.RevokedKey:
        """Revoke the key of this request. Whatever its scope. As DELETE /auth/keys/{id} with its own id."""
        answer: types.RevokedKey = self.json("DELETE", "/auth/keys/self", query={"revoke_issued": revoke_issued})
        return answer

    def revoke_tracking_link(self, letter_id: str) -> types.RevokedTrackingLink:
        """Revoke the tracking link. Also of mails that were sent; later mails have none until a new one is made."""
        answer: types.RevokedTrackingLink = self.json("DELETE", "/api/letters/{letter_id}/tracking-link", params={"letter_id": letter_id})
        return answer

    def revoke_ucan(self, body: types.RevokeUcan) -> types.RevokedUcan:
        """Revoke a UCAN for good. It and everything that was delegated from it is refused within a second. You may revoke what was issued on your account or by your DID, and what was delegated from that. An issuer that keeps its key itself sends `iss` and `challenge`: base64 without padding of the signature over `REVOKE:<cid>`."""
        answer: types.RevokedUcan = self.json("POST", "/api/identity/ucan/revoke", body=body)
        return answer

    def rotate_key(self, id: str, body: types.RotateKey | None = None, *, idempotency_key: str | None = None) -> types.RotatedKey:
        """Replace a key by a new one with the same scope. Any key may rotate itself; another key needs scope full. The old key is refused at once for everything. A key that rotated itself can repeat the same request, under the same Idempotency-Key, for 10 minutes."""
        answer: types.RotatedKey = self.json("POST", "/auth/keys/{id}/rotate", params={"id": id}, body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def rotate_own_key(self, body: types.RotateKey | None = None, *, idempotency_key: str | None = None) -> types.RotatedKey:
        """Replace the key of this request by a new one. Whatever its scope. As POST /auth/keys/{id}/rotate with its own id."""
        answer: types.RotatedKey = self.json("POST", "/auth/keys/self/rotate", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def search_reference(self, *, q: str | None = None) -> types.ReferenceSections:
        """Search in the reference. Sections of the reference in which all words stand, the best first. A page where `Accept` prefers `text/html`."""
        answer: types.ReferenceSections = self.json("GET", "/api-docs/search", query={"q": q})
        return answer

    def send_letter(self, body: types.SendLetter, *, idempotency_key: str | None = None) -> types.SentLetter:
        """Send a letter. Checks, prices, pays and queues a letter. 201 means valid, printable and paid. It is printed after the cancellation window, or on `send_date`. With `draft` it is only kept; a draft is sent by its `letter_id`. With `commitment_id` it costs what was agreed to."""
        answer: types.SentLetter = self.json("POST", "/api/send", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def service_did(self) -> types.ServiceDid:
        """The service's DID, its document and its keys. The root of trust: which keys sign credentials, checkpoints, webhooks and UCAN roots, and which once did."""
        answer: types.ServiceDid = self.json("GET", "/api/identity/service-did")
        return answer

    def service_info(self) -> types.ServiceInfo:
        """What this service is and where things are. A page where `Accept` prefers `text/html`, as browsers do."""
        answer: types.ServiceInfo = self.json("GET", "/")
        return answer

    def set_did(self, body: types.SetDid | None = None) -> types.CallerDid | types.DidChallenge:
        """Get, create or set your DID. With `{}`: your DID, made when there is none; the service keeps its key. With `{ did }`: a challenge for that DID (202). With `{ did, challenge, signature }`: the DID takes the place of the one you had."""
        answer: types.CallerDid | types.DidChallenge = self.json("POST", "/api/identity/did", body=body)
        return answer

    def signup(self, body: types.Register, *, idempotency_key: str | None = None) -> types.RegisteredAccount:
        """Register with an e-mail address. Answers with a full key, shown once; under an Idempotency-Key that nobody can guess (a random UUID) it is repeated for 10 minutes. A mail asks the address to confirm the account."""
        answer: types.RegisteredAccount = self.json("POST", "/signup", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def subscribe_audit(self, body: types.SubscribeAudit, *, idempotency_key: str | None = None) -> types.AuditWebhook | types.NewAuditWebhook:
        """Register a webhook for signed event credentials. Each event of your letters is posted as a W3C Verifiable Credential (JWT) once it is issued. Signed by the secret (v1) and by the key of the service (v1a). The same url, events and letter_id again are the webhook that there is (200). One that an expiring key or a UCAN registers ends with that."""
        answer: types.AuditWebhook | types.NewAuditWebhook = self.json("POST", "/api/identity/audit/subscribe", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def top_up(self, body: types.TopUpRequest, *, idempotency_key: str | None = None) -> types.TopUp:
        """Pay money into the wallet. By USDC, Lightning or card, as far as this server takes them; the answer says how to pay. A top-up by usdc is also paid by x402: in the same call with `pay_now`, on a retry with the same Idempotency-Key, or without any key, for the account of the wallet that pays."""
        answer: types.TopUp = self.json("POST", "/api/topup", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def track_letter(self, letter_id: str) -> types.TrackedLetter:
        """Track a letter. The answer contains the status, the tracking number, the expected delivery and each step so far with its source."""
        answer: types.TrackedLetter = self.json("GET", "/api/track/{letter_id}", params={"letter_id": letter_id})
        return answer

    def unsubscribe(self, *, token: str | None = None) -> types.Unsubscribed:
        """Stop the mails to an address. With the link of the mail; what the List-Unsubscribe header of our mails leads to (RFC 8058). A body is not read."""
        answer: types.Unsubscribed = self.json("POST", "/unsubscribe", query={"token": token})
        return answer

    def unsubscribe_audit(self, body: types.UnsubscribeAudit) -> types.RemovedAuditWebhooks:
        """Remove an audit webhook. By id or url. The list is empty if it is already gone."""
        answer: types.RemovedAuditWebhooks = self.json("DELETE", "/api/identity/audit/subscribe", body=body)
        return answer

    def update_letter(self, id: str, body: types.UpdateLetter, *, if_match: str | None = None) -> types.Letter:
        """Change recipient, reference or metadata. While the letter is draft or queued. Runs the checks again and settles the difference in price."""
        answer: types.Letter = self.json("PATCH", "/api/letters/{id}", params={"id": id}, body=body, headers={"If-Match": if_match} if if_match else None)
        return answer

    def update_settings(self, body: types.UpdateSettings) -> types.Settings:
        """Set webhook URL, notification e-mail and language of mails. Any of them; null removes. A new notification address gets a mail that asks it to confirm, and no other mail before; it can be changed five times in 24 hours. A new webhook is answered with its signing secret, once; rotate_webhook_secret asks for a new one, and both sign for 24 hours."""
        answer: types.Settings = self.json("PUT", "/api/settings", body=body)
        return answer

    def upload_logo(self, body: types.UploadLogo, *, idempotency_key: str | None = None) -> types.Logo:
        """Upload a logo once. For letters, which name it as `logo`. The same image again is the same logo. It is kept until it is deleted, or nobody has used it for the days that the operator keeps letters (`expires_at`), and counts in the quota of stored bytes."""
        answer: types.Logo = self.json("POST", "/api/logos", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def verify_audit_program(self) -> str:
        """The program that verifies audit bundles offline. Needs Node 18 and nothing else. Keep a copy of your own and judge bundles with that, not with the one inside. As text/javascript."""
        return self.call("GET", "/.well-known/verify-audit.mjs", accept="text/javascript").body.decode()

    def verify_audit_sha256(self) -> str:
        """Its SHA-256, as sha256sum writes and checks it. Compare it with the hash of the program that you downloaded: `sha256sum --check` reads this file. As text/plain."""
        return self.call("GET", "/.well-known/verify-audit.mjs.sha256", accept="text/plain").body.decode()

    def verify_credential(self, body: types.VerifyCredentialBody) -> types.VerifiedCredential:
        """Verifies a Verifiable Credential or Presentation. VC 1.1 as JWT and VC 2.0 with `vc+jwt` or `vp+jwt`, by any did:key, did:web or did:pkh. A bad token is answered 200 with `valid: false` and the checks that failed."""
        answer: types.VerifiedCredential = self.json("POST", "/api/identity/verify-vc", body=body)
        return answer

    def verify_offer(self, body: types.VerifyDocument | None = None) -> types.VerifiedDocument:
        """Verifies an offer, a receipt or a contract of ours. Whether it is as we signed it, and whether it still holds, check by check. What is wrong is answered 200 with `valid: false`. With the DID document of the service any JOSE library says the same offline."""
        answer: types.VerifiedDocument = self.json("POST", "/api/anp/verify", body=body)
        return answer

    def verify_ucan(self, body: types.VerifyUcan) -> types.UcanVerdict:
        """Verify a UCAN with its chain. Any UCAN 0.10.0, whatever its resources. Who owns a resource is judged for `letters://` only; the audience only where one is given. A token that is not valid is answered with 200 and `valid: false`."""
        answer: types.UcanVerdict = self.json("POST", "/api/identity/verify-ucan", body=body)
        return answer

    def x402_status(self, *, method: types.X402StatusMethod | None = None, path: str | None = None) -> types.X402Status:
        """Whether requests can be paid one by one (x402), and how. With `method` and `path` the challenge in `sign_in` permits that one request; without them, reading."""
        answer: types.X402Status = self.json("GET", "/x402", query={"method": method, "path": path})
        return answer
