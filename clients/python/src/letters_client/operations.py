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
        """Accept one tier of an offer. Locks the price: letters sent with `commitment_id` cost this, up to the number in the offer, even if prices change. Accepting itself is free. An offer can be accepted once; accepting the same tier again returns the same commitment (200). `payment_method` names the money in the wallet that will pay. By default the wallet pays with what it has, cryptocurrency first."""
        answer: types.Commitment = self.json("POST", "/api/anp/accept", body=body, keyed=True, idempotency_key=idempotency_key, awaits_writes=True)
        return answer

    def advance_test_contract(self, contract_id: str) -> types.EndedPeriod:
        """End the period of a volume contract of a test account. Ends the first open period at once, without waiting for its end and its days of grace. Its result (fulfilled, or breached and billed) follows within seconds, as for live contracts. Live keys get 403."""
        answer: types.EndedPeriod = self.json("POST", "/api/test/contracts/{contract_id}/advance", params={"contract_id": contract_id})
        return answer

    def advance_test_letter(self, id: str, body: types.AdvanceLetter | None = None) -> types.Letter:
        """Advance a test letter. Without a body, the letter advances one step. With `to`, it advances to that status. With `event`, it is returned or fails."""
        answer: types.Letter = self.json("POST", "/api/test/letters/{id}/advance", params={"id": id}, body=body)
        return answer

    def approve_letter(self, id: str) -> types.DecidedApproval:
        """Approve a letter. The last approval that is needed queues the letter, with the money that is reserved for it. The credential must not be the one that sent the letter, nor one that it comes from, nor one that comes from it: 403 `approver_is_requester`."""
        answer: types.DecidedApproval = self.json("POST", "/api/approvals/{id}/approve", params={"id": id})
        return answer

    def approve_policy_change(self, id: str) -> types.PolicyChange:
        """Approve a change of a policy. The last approval that is needed sets the policy. The approvers of the policy decide, and keys with scope full; neither can have a policy itself. The credential must not be the one that asked for the change, nor one that it comes from, nor one that comes from it: 403 `approver_is_requester`."""
        answer: types.PolicyChange = self.json("POST", "/api/policy-changes/{id}/approve", params={"id": id})
        return answer

    def cancel_letter(self, id: str, *, idempotency_key: str | None = None, if_match: str | None = None) -> types.Letter:
        """Cancel a letter. A draft or queued letter is cancelled at once, with a full refund. A letter in processing answers 202, and the service asks the print partner to stop it. Cancelling twice gives the same answer and one refund."""
        answer: types.Letter = self.json("POST", "/api/letters/{id}/cancel", params={"id": id}, keyed=True, idempotency_key=idempotency_key, headers={"If-Match": if_match} if if_match else None)
        return answer

    def change_email(self, body: types.ChangeEmail, *, idempotency_key: str | None = None) -> types.ChangedEmail:
        """Change the e-mail address of the account. A mail asks the new address to confirm; its link is good for 24 hours, and a later request, a recovery and the end of the key that asked end it. With the confirmation the account is found by the new address alone, recovery links and notifications that went to the address before go to the new one, and links that were sent before end. The id of the account stays. An address before that was confirmed gets a mail whose link takes the change back for seven days; nobody can register that address for eight. At most five requests in 24 hours."""
        answer: types.ChangedEmail = self.json("POST", "/auth/email", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def close_account(self, body: types.CloseAccount | None = None) -> types.AccountClosure:
        """Close the account and erase its data. Needs a second proof. Where the account has a confirmed e-mail address, a request without `code` mails one and answers 403 `closure_code_required`. Where it has none, send its id as `confirm`. The account of a wallet is closed by its wallet, which signs in for this request. From the answer on, everything that spends, sends or makes something answers 403 `account_closing`; reading and cancelling go on. The account is erased at `erases_at`, or as soon after it as no blocker is left. Until then DELETE /api/account/closure takes it back. Repeated with another `forfeit_balance`, the request changes that."""
        answer: types.AccountClosure = self.json("DELETE", "/api/account", body=body, awaits_writes=True)
        return answer

    def confirm_email(self, body: types.ConfirmEmail) -> types.EmailConfirmed:
        """Confirm an e-mail address with the link sent to it. Somebody else may have registered the address. The first confirmation therefore ends everything that was set before: keys with their UCANs and audit links, webhook, notification address, audit webhooks, the account’s own DID, the policy of the account, and the approvers that other policies name. `keep` lists what stays. If no full key stays, a recovery link goes to the address. Opening the link again changes nothing. The link expires after seven days, and a recovery ends it."""
        answer: types.EmailConfirmed = self.json("POST", "/auth/confirm", body=body)
        return answer

    def count_letters(self) -> types.LetterCounts:
        """Count the letters in each status. Deleted letters do not count."""
        answer: types.LetterCounts = self.json("GET", "/api/letters/counts")
        return answer

    def create_audit_link(self, letter_id: str, body: types.CreateAuditLink | None = None, *, idempotency_key: str | None = None) -> types.NewAuditLink:
        """Make a link that shows the history to others. Everyone who has the link can see the audit page of the letter. The page shows states, times and hashes, but neither names nor addresses. The link ends when it expires, when it is revoked, when the letter is deleted, and with the key or UCAN that made it."""
        answer: types.NewAuditLink = self.json("POST", "/api/identity/audit/{letter_id}/link", params={"letter_id": letter_id}, body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def create_console_link(self, body: types.CreateConsoleLink | None = None, *, idempotency_key: str | None = None) -> types.ConsoleLink:
        """Make a link that signs a person in to the console. A program gives the link to its human, who opens it and presses a button. The link works once. The session may do what the key or UCAN of this request may do, or only look with `read_only`, and ends with that key or UCAN. Opening the page does not use up the link, so programs that scan mails do no harm."""
        answer: types.ConsoleLink = self.json("POST", "/api/console-links", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def create_contract(self, body: types.CreateContract, *, idempotency_key: str | None = None) -> types.VolumeContract:
        """Commit to a volume for a discount. From its start, every price of the account (quotes, offers, sends) gets the discount of `current_tier` on printing. Printed letters count. A live account can commit to at most as many letters as it had printed before, in a time of the same length. A period with fewer letters than committed is billed as `breach_terms` say. An account has one contract at a time. An expiring credential cannot make a contract that outlasts it. A policy counts no shortfall, so a credential with a policy makes no contract; under a policy of the account it needs scope full."""
        answer: types.VolumeContract = self.json("POST", "/api/anp/contracts", body=body, keyed=True, idempotency_key=idempotency_key, awaits_writes=True)
        return answer

    def create_export(self, body: types.CreateExport | None = None, *, idempotency_key: str | None = None) -> types.Export:
        """Export all data of the account. The archive is made in the background: GET /api/exports/{id} shows when it is ready, and returns it. It contains a page to read, letters as JSON, text and PDF, the statement, settings, logos, and signed events that can be verified offline. One export is made at a time. A new archive replaces the one before, and each is removed after seven days. A letter or logo that is erased can no longer be read in any archive. Also possible while the account is closing."""
        answer: types.Export = self.json("POST", "/api/exports", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def create_key(self, body: types.CreateKey, *, idempotency_key: str | None = None) -> types.NewKey:
        """Create a key. A key reaches the whole account, so a UCAN can make one only if it covers the whole account. A key that is made with a UCAN or an expiring key ends with it: when it expires, or is revoked or rotated."""
        answer: types.NewKey = self.json("POST", "/auth/keys", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def create_order(self, body: types.OrderRequest, *, idempotency_key: str | None = None) -> types.PlacedOrder:
        """Order a letter that somebody pays by card. Checks and prices the letter, keeps it as a draft and opens a checkout for its price, commission of card payments included. After the payment, the letter is queued at this price even if prices change; `email` gets the confirmations. If nobody pays in time, the draft is cancelled."""
        answer: types.PlacedOrder = self.json("POST", "/api/orders", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def create_presentation(self, body: types.Present | None = None) -> types.Presentation:
        """Bundle credentials into a signed presentation. Signed with your DID, for 10 minutes or until your key expires, if that is earlier. Send the verifier’s `challenge` and `domain`, so that nobody else can use the presentation."""
        answer: types.Presentation = self.json("POST", "/api/identity/presentation", body=body, reads=True)
        return answer

    def delegate_ucan(self, body: types.DelegateUcan, *, idempotency_key: str | None = None) -> types.IssuedUcan:
        """Delegate capabilities to another DID. Signs with the key of your DID, which the service keeps. You can delegate the `token`, the token with the `cid`, or the UCAN of your request; without any of these, you delegate a new root of your account. The result never grants more, and never lives longer, than its source. Caveats need `capabilities`."""
        answer: types.IssuedUcan = self.json("POST", "/api/identity/delegate", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def delete_key_policy(self, id: str, *, request_approval: types.DeleteKeyPolicyRequestApproval | None = None, if_match: str | None = None) -> types.DeleteKeyPolicyAnswer1 | types.PolicyChange:
        """Delete the policy of a key. Lifts its limits. The policy of the account stays. Needs scope full and a credential without a policy, or an approval: `request_approval=true`."""
        answer: types.DeleteKeyPolicyAnswer1 | types.PolicyChange = self.json("DELETE", "/auth/keys/{id}/policy", params={"id": id}, query={"request_approval": request_approval}, headers={"If-Match": if_match} if if_match else None)
        return answer

    def delete_letter(self, id: str, *, if_match: str | None = None) -> types.DeletedLetter:
        """Delete a letter. Deletes a draft, cancelled or failed letter. All personal data is erased, the letter leaves all lists, and reading it answers 410. Its audit history, proof and credentials stay."""
        answer: types.DeletedLetter = self.json("DELETE", "/api/letters/{id}", params={"id": id}, headers={"If-Match": if_match} if if_match else None)
        return answer

    def delete_logo(self, id: str) -> types.DeletedLogo:
        """Delete a logo for good. Drafts and letters that were sent with it keep it."""
        answer: types.DeletedLogo = self.json("DELETE", "/api/logos/{id}", params={"id": id})
        return answer

    def delete_policy(self, *, request_approval: types.DeletePolicyRequestApproval | None = None, if_match: str | None = None) -> types.DeletePolicyAnswer1 | types.PolicyChange:
        """Delete the policy of the account. Lifts its limits. Policies of keys stay. Needs scope full and a credential without a policy, or an approval: `request_approval=true`."""
        answer: types.DeletePolicyAnswer1 | types.PolicyChange = self.json("DELETE", "/api/policy", query={"request_approval": request_approval}, headers={"If-Match": if_match} if if_match else None)
        return answer

    def delete_ucan_policy(self, cid: str, *, request_approval: types.DeleteUcanPolicyRequestApproval | None = None, if_match: str | None = None) -> types.DeleteUcanPolicyAnswer1 | types.PolicyChange:
        """Delete the policy of a UCAN. Lifts its limits. Its caveats and all other policies stay. Needs scope full and a credential without a policy, or an approval: `request_approval=true`."""
        answer: types.DeleteUcanPolicyAnswer1 | types.PolicyChange = self.json("DELETE", "/api/identity/ucan/{cid}/policy", params={"cid": cid}, query={"request_approval": request_approval}, headers={"If-Match": if_match} if if_match else None)
        return answer

    def did_json(self) -> types.DidDocument:
        """Document of the service's did:web. Resolvers of did:web read it to find the keys of the service. It is 404 unless BASE_URL is an https address without a path."""
        answer: types.DidDocument = self.json("GET", "/.well-known/did.json")
        return answer

    def did_json_under_path(self) -> types.DidDocument:
        """Document of the service's did:web, where BASE_URL has a path. Resolvers of did:web read it below the path of BASE_URL to find the keys of the service. It is 404 when BASE_URL has no path or is not an https address."""
        answer: types.DidDocument = self.json("GET", "/did.json")
        return answer

    def download_audit(self, letter_id: str, *, token: str | None = None, language: types.Language | None = None) -> bytes:
        """The bundle of a letter, by link. The bundle contains events, credentials, log proofs and a program that verifies them offline. The link needs no key; an unknown or expired one answers 404. As application/zip."""
        return self.call("GET", "/audit/{letter_id}/bundle.zip", params={"letter_id": letter_id}, query={"token": token, "language": language}, accept="application/zip").body

    def download_certificate_bundle(self, letter_id: str, *, token: str | None = None, language: types.Language | None = None) -> bytes:
        """Download the signed history of a letter with the code on its certificate. The bundle can be verified offline. The code on the certificate opens it without a key. An unknown code answers 404. As application/zip."""
        return self.call("GET", "/verify/{letter_id}/bundle.zip", params={"letter_id": letter_id}, query={"token": token, "language": language}, accept="application/zip").body

    def freeze_account(self) -> types.Freeze:
        """Freeze the account. All keys, UCANs and wallets of the account stop spending. Reading and cancelling letters go on, and letters that are queued are still printed; everything that spends, sends or makes something answers 403 `frozen`, in every process within a second. Money stops with the answer. Policies can still be changed, and keys revoked."""
        answer: types.Freeze = self.json("POST", "/api/account/freeze")
        return answer

    def freeze_key(self, id: str) -> types.Freeze:
        """Freeze a key. The key, the key that replaces it, and the keys and UCANs that it made stop spending. Reading and cancelling letters go on, and letters that are queued are still printed; everything that spends, sends or makes something answers 403 `frozen`, in every process within a second. Money stops with the answer. Any key may freeze itself; to freeze another key you need scope full."""
        answer: types.Freeze = self.json("POST", "/auth/keys/{id}/freeze", params={"id": id})
        return answer

    def freeze_ucan(self, body: types.FreezeUcan) -> types.Freeze:
        """Freeze a UCAN. The UCAN, everything delegated from it, and what they made stop spending. Reading and cancelling letters go on, and letters that are queued are still printed; everything that spends, sends or makes something answers 403 `frozen`, in every process within a second. Money stops with the answer. A caller that may revoke the UCAN may freeze it."""
        answer: types.Freeze = self.json("POST", "/api/identity/ucan/freeze", body=body)
        return answer

    def get_account_closure(self) -> types.AccountClosure:
        """See whether the account is closing, and what stands in the way. Without a closure the blockers are those that it would have now."""
        answer: types.AccountClosure = self.json("GET", "/api/account/closure")
        return answer

    def get_approval(self, id: str) -> types.Approval:
        """Read an approval. What the letter waits for, its price and the decisions so far. The letter itself is at `GET /api/letters/{letter_id}`."""
        answer: types.Approval = self.json("GET", "/api/approvals/{id}", params={"id": id})
        return answer

    def get_audit(self, letter_id: str, *, as_of: str | None = None, after: int | None = None, limit: int | None = None) -> types.Audit:
        """The signed history of a letter. Each event comes with its credential and its position in the log. `Accept: application/zip` returns a bundle that can be verified offline. `as_of` returns the history up to that time, and the letter as it was then."""
        answer: types.Audit = self.json("GET", "/api/identity/audit/{letter_id}", params={"letter_id": letter_id}, query={"as_of": as_of, "after": after, "limit": limit})
        return answer

    def get_audit_message(self, id: str, event_id: str) -> types.AuditMessage:
        """Read the message of a delivery to an audit webhook. The headers and the body of the message. The body is the same at each attempt, to the byte. The headers `webhook-timestamp` and `webhook-signature` are made for each attempt and are not part of the answer."""
        answer: types.AuditMessage = self.json("GET", "/api/identity/audit/subscribe/{id}/deliveries/{event_id}/webhook", params={"id": id, "event_id": event_id})
        return answer

    def get_audit_zip(self, letter_id: str, *, as_of: str | None = None, after: int | None = None, limit: int | None = None) -> bytes:
        """The signed history of a letter. Each event comes with its credential and its position in the log. `Accept: application/zip` returns a bundle that can be verified offline. `as_of` returns the history up to that time, and the letter as it was then. As application/zip."""
        return self.call("GET", "/api/identity/audit/{letter_id}", params={"letter_id": letter_id}, query={"as_of": as_of, "after": after, "limit": limit}, accept="application/zip").body

    def get_balance(self) -> types.Balance:
        """Balance and the last 10 transactions. Amounts are in US dollars. `held` is reserved for letters that are not in production yet, and `held_for` lists its parts; `available` is what you can spend."""
        answer: types.Balance = self.json("GET", "/api/balance")
        return answer

    def get_commitment(self, commitment_id: str) -> types.Commitment:
        """Get a commitment. The answer contains the terms, the letters that use it and the receipt that the service signed."""
        answer: types.Commitment = self.json("GET", "/api/anp/commitments/{commitment_id}", params={"commitment_id": commitment_id})
        return answer

    def get_contract(self, contract_id: str) -> types.VolumeContract:
        """Get a volume contract in full. The answer contains its tiers, the count of each period, and the cost of a shortfall."""
        answer: types.VolumeContract = self.json("GET", "/api/anp/contracts/{contract_id}", params={"contract_id": contract_id})
        return answer

    def get_customer_profile(self, customer_did: str) -> types.CustomerProfile:
        """Get the profile of a customer. Persona, average spend and preferred tiers, derived from the accepted offers and sent letters, with the reasons. The profile affects the recommendation in an offer, but never a price. Only its owner can read it, with scope full, by DID or account id. Any other profile answers 404, whether it exists or not."""
        answer: types.CustomerProfile = self.json("GET", "/api/anp/profiles/{customer_did}", params={"customer_did": customer_did})
        return answer

    def get_erasure(self, closure_id: str) -> types.Erasure:
        """Read the certificate of an erasure. With the `closure_id` that the closure was answered with. It names nobody, so it needs no key."""
        answer: types.Erasure = self.json("GET", "/api/account/closure/{closure_id}", params={"closure_id": closure_id})
        return answer

    def get_error(self, code: str) -> types.ErrorInfo:
        """Explain an error and what to do. This address is the `type` of a problem document. With `Accept: text/html` it answers a page."""
        answer: types.ErrorInfo = self.json("GET", "/errors/{code}", params={"code": code})
        return answer

    def get_evaluation(self, *, from_: str | None = None, to: str | None = None, country: types.CountryCode | None = None, mode: types.AccountMode | None = None) -> types.Evaluation:
        """Get the SLA attainment of each intent class. Covers letters posted in a period of at most 366 days, from the reports of print houses and postal operators. The figures are for the whole service and never show whose letters they count. Days are business days of the country, from hand-over. Letters posted after 16:00 local time count from the next day."""
        answer: types.Evaluation = self.json("GET", "/api/anp/eval", query={"from": from_, "to": to, "country": country, "mode": mode})
        return answer

    def get_export(self, id: str, *, part: int | None = None) -> types.Export:
        """See the state of an export, and get its archive. `Accept: application/zip` returns the archive once `status` is ready. `part` names the part of an archive that has several; each is a zip of its own."""
        answer: types.Export = self.json("GET", "/api/exports/{id}", params={"id": id}, query={"part": part})
        return answer

    def get_export_zip(self, id: str, *, part: int | None = None) -> bytes:
        """See the state of an export, and get its archive. `Accept: application/zip` returns the archive once `status` is ready. `part` names the part of an archive that has several; each is a zip of its own. As application/zip."""
        return self.call("GET", "/api/exports/{id}", params={"id": id}, query={"part": part}, accept="application/zip").body

    def get_key_policy(self, id: str) -> types.Policy:
        """Read the policy of a key. A key can read its own policy; to read another you need scope full."""
        answer: types.Policy = self.json("GET", "/auth/keys/{id}/policy", params={"id": id})
        return answer

    def get_letter(self, id: str) -> types.Letter:
        """Read a letter. The answer contains addresses, content, price, status and history. Once the letter is deleted, the answer is 410."""
        answer: types.Letter = self.json("GET", "/api/letters/{id}", params={"id": id})
        return answer

    def get_letter_document(self, id: str) -> bytes:
        """Get the letter as printed. A PDF of all pages with sender, recipient and date, as they go into the envelope. If the letter has no `date`, it is dated with the day of production, or the day on which production is expected to start. As application/pdf."""
        return self.call("GET", "/api/letters/{id}/document.pdf", params={"id": id}, accept="application/pdf").body

    def get_message_schema(self, name: str) -> dict[str, Any]:
        """Get a JSON Schema of event credentials or of Kafka messages. A schema never changes. A changed format gets a new name, so you can keep a copy for good."""
        answer: dict[str, Any] = self.json("GET", "/schemas/{name}", params={"name": name})
        return answer

    def get_notification(self, id: str) -> types.Notification:
        """Read a notification event. The event shows the state of its delivery on each channel, with every attempt."""
        answer: types.Notification = self.json("GET", "/api/notifications/{id}", params={"id": id})
        return answer

    def get_order(self, order_id: str, *, secret: str | None = None) -> types.Order:
        """Get the state of an order. Needs a key of the account that placed the order, or the `secret` in the link to which the checkout returns the payer. Otherwise the answer is 404."""
        answer: types.Order = self.json("GET", "/api/orders/{order_id}", params={"order_id": order_id}, query={"secret": secret})
        return answer

    def get_policy(self) -> types.Policy:
        """Read the policy of the account. Recipients are shown by their digests. 404 `policy_not_found` where there is none."""
        answer: types.Policy = self.json("GET", "/api/policy")
        return answer

    def get_policy_change(self, id: str) -> types.PolicyChange:
        """Read a change of a policy that needs approval. The policy as it is and as it will be, and the approvals so far."""
        answer: types.PolicyChange = self.json("GET", "/api/policy-changes/{id}", params={"id": id})
        return answer

    def get_proof(self, letter_id: str, *, language: types.Language | None = None) -> types.Proof:
        """Proof of sending and delivery. `Accept: application/pdf` returns a certificate with the same facts, in the `language` of the query, the language of `Accept-Language`, or the language of the letter. The code on it opens a page where every holder can read and verify it."""
        answer: types.Proof = self.json("GET", "/api/proof/{letter_id}", params={"letter_id": letter_id}, query={"language": language})
        return answer

    def get_proof_pdf(self, letter_id: str, *, language: types.Language | None = None) -> bytes:
        """Proof of sending and delivery. `Accept: application/pdf` returns a certificate with the same facts, in the `language` of the query, the language of `Accept-Language`, or the language of the letter. The code on it opens a page where every holder can read and verify it. As application/pdf."""
        return self.call("GET", "/api/proof/{letter_id}", params={"letter_id": letter_id}, query={"language": language}, accept="application/pdf").body

    def get_settings(self) -> types.Settings:
        """Webhook URL and notification e-mail. The service sends news about letters and the wallet to both. The secret of the webhook is shown once, when it is new."""
        answer: types.Settings = self.json("GET", "/api/settings")
        return answer

    def get_statement(self, *, from_: str | None = None, to: str | None = None) -> str:
        """Get the wallet's statement as CSV. Lists every change of the available balance in order, between an opening and a closing balance. `balance_after` is the balance after the change. UTF-8, comma-separated (RFC 4180), amounts in USD. Of two times, `from` is included and `to` is not; days are included whole. The default is from the first change until now, and a period that is not over ends now, too. At most 100000 entries. As text/csv."""
        return self.call("GET", "/api/balance/statement", query={"from": from_, "to": to}, accept="text/csv").body.decode()

    def get_statistics(self, *, from_: str | None = None, to: str | None = None) -> types.Statistics:
        """Count letters and add up spending by day. Returns how many letters were accepted on each day and what was spent. Money counts on the day on which it is reserved, and counts back on the day on which it is released or refunded. Money that is paid in or charged back does not count. Days are in UTC. The default is the last 30 days, and a range has at most 92."""
        answer: types.Statistics = self.json("GET", "/api/statistics", query={"from": from_, "to": to})
        return answer

    def get_top_up(self, topup_id: str) -> types.TopUp:
        """Get the state of a top-up. Poll it after the payment: `status` changes from `pending` to `paid` or `expired`, and `credited` is the amount added to the wallet."""
        answer: types.TopUp = self.json("GET", "/api/topup/{topup_id}", params={"topup_id": topup_id})
        return answer

    def get_tracking_link(self, letter_id: str) -> types.TrackingLink:
        """Get the link that shows a recipient where the letter is. Every letter has one. The page shows status, expected days, tracking number and the dates of the letter, but neither names nor addresses. It opens once the letter is sent."""
        answer: types.TrackingLink = self.json("GET", "/api/letters/{letter_id}/tracking-link", params={"letter_id": letter_id})
        return answer

    def get_ucan_policy(self, cid: str) -> types.Policy:
        """Read the policy of a UCAN. A UCAN can read its own policy; to read another you need scope full."""
        answer: types.Policy = self.json("GET", "/api/identity/ucan/{cid}/policy", params={"cid": cid})
        return answer

    def get_webhook_message(self, id: str) -> types.WebhookMessage:
        """Read the webhook message of a notification event. The headers and the body that were sent or would be sent, whether or not a webhook was set. The body is the same at each attempt, to the byte. The headers `webhook-timestamp` and `webhook-signature` are made for each attempt and are not part of the answer."""
        answer: types.WebhookMessage = self.json("GET", "/api/notifications/{id}/webhook", params={"id": id})
        return answer

    def health(self) -> types.Health:
        """Check whether the service is alive. The answer lists each read model and background job, and how far it is behind the log. It is 200 as long as the process answers requests; `status` is `degraded` when a part has stopped or fails."""
        answer: types.Health = self.json("GET", "/health")
        return answer

    def issue_ucan(self, body: types.IssueUcan, *, idempotency_key: str | None = None) -> types.IssuedUcan:
        """Issue a UCAN capability token. For your own DID, or another `audience`. It reaches what a key with this scope reaches, and no more than your own credential. It is a bearer token: its holder can act with it."""
        answer: types.IssuedUcan = self.json("POST", "/api/identity/ucan", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def iter_account_audit_links(self, *, limit: int | None = None, cursor: str | None = None) -> Iterator[types.ListedAuditLink]:
        """Every row of `list_account_audit_links`, page after page."""
        return rows_of(self, "/api/identity/audit/links", params={}, query={"limit": limit, "cursor": cursor})

    def iter_approvals(self, *, status: types.ApprovalStatus | None = None, letter_id: str | None = None, limit: int | None = None, cursor: str | None = None) -> Iterator[types.Approval]:
        """Every row of `list_approvals`, page after page."""
        return rows_of(self, "/api/approvals", params={}, query={"status": status, "letter_id": letter_id, "limit": limit, "cursor": cursor})

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

    def iter_letters(self, *, status: Sequence[types.LetterStatus] | None = None, delivery_outcome: types.DeliveryOutcome | None = None, reference: str | None = None, tracking_number: str | None = None, made_by: str | None = None, created_after: str | None = None, created_before: str | None = None, country: types.CountryCode | None = None, service: types.ServiceId | None = None, limit: int | None = None, cursor: str | None = None, metadata: Mapping[str, str] | None = None) -> Iterator[types.Letter]:
        """Every row of `list_letters`, page after page."""
        return rows_of(self, "/api/letters", params={}, query={"status": status, "delivery_outcome": delivery_outcome, "reference": reference, "tracking_number": tracking_number, "made_by": made_by, "created_after": created_after, "created_before": created_before, "country": country, "service": service, "limit": limit, "cursor": cursor, "metadata": metadata})

    def iter_notifications(self, *, letter_id: str | None = None, limit: int | None = None, cursor: str | None = None) -> Iterator[types.Notification]:
        """Every row of `list_notifications`, page after page."""
        return rows_of(self, "/api/notifications", params={}, query={"letter_id": letter_id, "limit": limit, "cursor": cursor})

    def iter_orders(self, *, status: types.ListOrdersStatus | None = None, letter_id: str | None = None, limit: int | None = None, cursor: str | None = None) -> Iterator[types.Order]:
        """Every row of `list_orders`, page after page."""
        return rows_of(self, "/api/orders", params={}, query={"status": status, "letter_id": letter_id, "limit": limit, "cursor": cursor})

    def iter_requests(self, *, failed: bool | None = None, limit: int | None = None, cursor: str | None = None) -> Iterator[types.LoggedRequest]:
        """Every row of `list_requests`, page after page."""
        return rows_of(self, "/api/requests", params={}, query={"failed": failed, "limit": limit, "cursor": cursor})

    def iter_top_ups(self, *, status: types.ListTopUpsStatus | None = None, limit: int | None = None, cursor: str | None = None) -> Iterator[types.TopUp]:
        """Every row of `list_top_ups`, page after page."""
        return rows_of(self, "/api/topup", params={}, query={"status": status, "limit": limit, "cursor": cursor})

    def iter_ucans(self, *, limit: int | None = None, cursor: str | None = None) -> Iterator[types.ListedUcan]:
        """Every row of `list_ucans`, page after page."""
        return rows_of(self, "/api/identity/ucan", params={}, query={"limit": limit, "cursor": cursor})

    def list_account_audit_links(self, *, limit: int | None = None, cursor: str | None = None) -> types.ListAccountAuditLinksAnswer:
        """List the active audit links of all letters. Each link shows the history of one letter to everyone who has it. Revoke a link with `DELETE /api/identity/audit/{letter_id}/link/{id}`. A page can hold fewer rows than `limit`, because links that ended with their key or their letter are left out."""
        answer: types.ListAccountAuditLinksAnswer = self.json("GET", "/api/identity/audit/links", query={"limit": limit, "cursor": cursor})
        return answer

    def list_approvals(self, *, status: types.ApprovalStatus | None = None, letter_id: str | None = None, limit: int | None = None, cursor: str | None = None) -> types.ListApprovalsAnswer:
        """List approvals. Letters of the account that wait for approval, or waited for one; with `letter_id`, those of one letter. Newest first."""
        answer: types.ListApprovalsAnswer = self.json("GET", "/api/approvals", query={"status": status, "letter_id": letter_id, "limit": limit, "cursor": cursor})
        return answer

    def list_audit_deliveries(self, id: str, *, limit: int | None = None, cursor: str | None = None) -> types.ListAuditDeliveriesAnswer:
        """List the deliveries to an audit webhook. Each delivery shows its state and the result of each attempt. You can replay a failed delivery."""
        answer: types.ListAuditDeliveriesAnswer = self.json("GET", "/api/identity/audit/subscribe/{id}/deliveries", params={"id": id}, query={"limit": limit, "cursor": cursor})
        return answer

    def list_audit_links(self, letter_id: str) -> types.AuditLinks:
        """List the links that show the history of a letter. Each link shows the id to revoke it by and the time when it expires."""
        answer: types.AuditLinks = self.json("GET", "/api/identity/audit/{letter_id}/link", params={"letter_id": letter_id})
        return answer

    def list_audit_subscriptions(self) -> types.AuditWebhooks:
        """List audit webhooks. Each webhook has its URL, its filters and the public key that verifies its signatures."""
        answer: types.AuditWebhooks = self.json("GET", "/api/identity/audit/subscribe")
        return answer

    def list_budgets(self) -> types.Budgets:
        """See what is left of limits. The limits of the policies that apply to the caller; with scope full, of all policies of the account. A limit for each letter is not listed."""
        answer: types.Budgets = self.json("GET", "/api/budgets")
        return answer

    def list_commitments(self, *, cursor: str | None = None, limit: int | None = None) -> types.ListCommitmentsAnswer:
        """List commitments. A commitment is an offer that the account accepted. Each one shows its terms and how many letters can still use it."""
        answer: types.ListCommitmentsAnswer = self.json("GET", "/api/anp/commitments", query={"cursor": cursor, "limit": limit})
        return answer

    def list_contracts(self, *, customer_did: str | None = None, state: types.ListContractsState | None = None, limit: int | None = None, cursor: str | None = None) -> types.ListContractsAnswer:
        """List volume contracts. Lists the contracts of the account, newest first. Another customer’s `did` returns an empty list."""
        answer: types.ListContractsAnswer = self.json("GET", "/api/anp/contracts", query={"customer_did": customer_did, "state": state, "limit": limit, "cursor": cursor})
        return answer

    def list_credentials(self, *, letter_id: str | None = None, type: str | None = None, limit: int | None = None, cursor: str | None = None) -> types.ListCredentialsAnswer:
        """List the credentials issued to you. One Verifiable Credential for each event of your account, its letters and its wallet, newest first. A page can be shorter than `limit` even if more credentials follow."""
        answer: types.ListCredentialsAnswer = self.json("GET", "/api/identity/credentials", query={"letter_id": letter_id, "type": type, "limit": limit, "cursor": cursor})
        return answer

    def list_errors(self) -> types.ErrorList:
        """List all errors. With `Accept: text/html` it answers a page."""
        answer: types.ErrorList = self.json("GET", "/errors")
        return answer

    def list_exports(self) -> types.Exports:
        """List exports. Exports that are being made, that failed, or whose archive can be fetched. Newest first. A new archive replaces the one before, so there are only a few."""
        answer: types.Exports = self.json("GET", "/api/exports")
        return answer

    def list_frozen(self) -> types.FrozenList:
        """See what is frozen. The account, keys and UCANs that are frozen, the latest first."""
        answer: types.FrozenList = self.json("GET", "/api/account/frozen")
        return answer

    def list_intent_classes(self) -> types.IntentClasses:
        """List the six intent classes. A class says what a letter is for. It sets the SLA and the proof, the surcharge, and the weights that score the tiers of an offer."""
        answer: types.IntentClasses = self.json("GET", "/api/anp/intent-classes")
        return answer

    def list_keys(self) -> types.Keys:
        """List active keys. By prefix; a secret is never shown again. Each key shows how much it made and under which id its limits stand."""
        answer: types.Keys = self.json("GET", "/auth/keys")
        return answer

    def list_letters(self, *, status: Sequence[types.LetterStatus] | None = None, delivery_outcome: types.DeliveryOutcome | None = None, reference: str | None = None, tracking_number: str | None = None, made_by: str | None = None, created_after: str | None = None, created_before: str | None = None, country: types.CountryCode | None = None, service: types.ServiceId | None = None, limit: int | None = None, cursor: str | None = None, metadata: Mapping[str, str] | None = None) -> types.ListLettersAnswer:
        """List letters. Newest first. Filter by metadata with `metadata[key]=value`. A returned letter keeps its status; `delivery_outcome=returned` lists the returned ones."""
        answer: types.ListLettersAnswer = self.json("GET", "/api/letters", query={"status": status, "delivery_outcome": delivery_outcome, "reference": reference, "tracking_number": tracking_number, "made_by": made_by, "created_after": created_after, "created_before": created_before, "country": country, "service": service, "limit": limit, "cursor": cursor, "metadata": metadata})
        return answer

    def list_logos(self) -> types.Logos:
        """List uploaded logos. Each logo has the `logo_id` that a letter refers to."""
        answer: types.Logos = self.json("GET", "/api/logos")
        return answer

    def list_message_schemas(self) -> types.MessageSchemas:
        """List the JSON Schemas of event credentials and of Kafka messages. Each schema has a name and a permanent URL. Consumers can validate messages and credentials against it."""
        answer: types.MessageSchemas = self.json("GET", "/schemas")
        return answer

    def list_notifications(self, *, letter_id: str | None = None, limit: int | None = None, cursor: str | None = None) -> types.ListNotificationsAnswer:
        """List notification events. Each event says what happened to a letter, to the wallet or to the webhook. Read the list to find events whose webhooks you missed."""
        answer: types.ListNotificationsAnswer = self.json("GET", "/api/notifications", query={"letter_id": letter_id, "limit": limit, "cursor": cursor})
        return answer

    def list_orders(self, *, status: types.ListOrdersStatus | None = None, letter_id: str | None = None, limit: int | None = None, cursor: str | None = None) -> types.ListOrdersAnswer:
        """List orders. The orders of the account. Newest first. With `letter_id`, the order of that letter, or an empty list."""
        answer: types.ListOrdersAnswer = self.json("GET", "/api/orders", query={"status": status, "letter_id": letter_id, "limit": limit, "cursor": cursor})
        return answer

    def list_policy_changes(self) -> types.PolicyChanges:
        """List changes of policies that need approval. The latest change of each policy that somebody asked for. With scope full, of all policies of the account; otherwise of the policies of the caller, and those that it asked for or decides on."""
        answer: types.PolicyChanges = self.json("GET", "/api/policy-changes")
        return answer

    def list_requests(self, *, failed: bool | None = None, limit: int | None = None, cursor: str | None = None) -> types.ListRequestsAnswer:
        """List the last requests of the account. Which operation was called with which key, and how it was answered: over the API, MCP and the console. The log holds no bodies and no addresses. It keeps the last 1000 requests of an account for 7 days. A request appears within seconds."""
        answer: types.ListRequestsAnswer = self.json("GET", "/api/requests", query={"failed": failed, "limit": limit, "cursor": cursor})
        return answer

    def list_scopes(self) -> types.Scopes:
        """The scopes of keys. A scope limits what a key can do. Choose the smallest one that fits when you create a key."""
        answer: types.Scopes = self.json("GET", "/auth/scopes")
        return answer

    def list_services(self, country: str) -> types.Catalogue:
        """Postal services of a country. Each service has its operator, delivery time, tracking, proof and lowest price. The answer also lists the intent classes and the services that meet each of them."""
        answer: types.Catalogue = self.json("GET", "/api/services/{country}", params={"country": country})
        return answer

    def list_top_ups(self, *, status: types.ListTopUpsStatus | None = None, limit: int | None = None, cursor: str | None = None) -> types.ListTopUpsAnswer:
        """List top-ups. The top-ups of the account, with what is needed to pay those that are `pending`. Newest first. Payments of orders are at `GET /api/orders`."""
        answer: types.ListTopUpsAnswer = self.json("GET", "/api/topup", query={"status": status, "limit": limit, "cursor": cursor})
        return answer

    def list_ucans(self, *, limit: int | None = None, cursor: str | None = None) -> types.ListUcansAnswer:
        """List active UCANs. Lists the UCANs that were issued or delegated here on your account, and that are neither revoked, nor expired, nor ended with their key. The tokens are not shown again. Revoke a UCAN by its cid."""
        answer: types.ListUcansAnswer = self.json("GET", "/api/identity/ucan", query={"limit": limit, "cursor": cursor})
        return answer

    def log_checkpoint(self) -> types.LogCheckpoint:
        """Get the latest signed checkpoint of the transparency log. Gives the number of credentials and the root hash over them. Keep it: later checkpoints must be consistent with it."""
        answer: types.LogCheckpoint = self.json("GET", "/api/identity/log/checkpoint")
        return answer

    def log_checkpoint_text(self) -> str:
        """Get the latest signed checkpoint of the transparency log. Gives the number of credentials and the root hash over them. Keep it: later checkpoints must be consistent with it. As text/plain."""
        return self.call("GET", "/api/identity/log/checkpoint", accept="text/plain").body.decode()

    def log_consistency_proof(self, *, first: int | None = None, second: int | None = None) -> types.ConsistencyProof:
        """Prove that the log only grew between two checkpoints. The answer contains the hashes that connect both tree roots (RFC 9162). With them you can check that no entry was changed or removed."""
        answer: types.ConsistencyProof = self.json("GET", "/api/identity/log/proof/consistency", query={"first": first, "second": second})
        return answer

    def log_inclusion_proof(self, *, index: int | None = None, credential_hash: str | None = None, event_id: str | None = None, size: int | None = None) -> types.InclusionProof:
        """Prove that a credential is in the log. Name the leaf by `index`, `credential_hash` or `event_id`."""
        answer: types.InclusionProof = self.json("GET", "/api/identity/log/proof/inclusion", query={"index": index, "credential_hash": credential_hash, "event_id": event_id, "size": size})
        return answer

    def log_tile(self, tile: str) -> bytes:
        """Get a tile of the log: up to 256 hashes. As in C2SP tlog-tiles: `<level>/<number>` with the number in groups of three digits (`x001/x234/067`), and `.p/<width>` for a partial tile. It contains only hashes; the credentials belong to their owners. As application/octet-stream."""
        return self.call("GET", "/api/identity/log/tile/{tile}", params={"tile": tile}, accept="application/octet-stream").body

    def mech_execute(self, body: types.MechExecute) -> types.MechEnvelope:
        """Execute a tool call of the mech marketplace. Runs `send`, `track` or `negotiate` for the marketplace. Every answer has the same form. A 200 answer with `success: false` means that the action was not carried out and costs nothing. Other statuses mean that the request cannot be read, is not paid for, or should be repeated."""
        answer: types.MechEnvelope = self.json("POST", "/api/mech/execute", body=body)
        return answer

    def mech_health(self) -> types.MechHealth:
        """Check the health of the mech. Answers 200 as long as the service answers. `readiness` says whether the mech takes requests."""
        answer: types.MechHealth = self.json("GET", "/api/mech/health")
        return answer

    def mech_info(self) -> types.MechInfo:
        """Describe the mech. Returns its ids on chain, its network and its prices. `enabled` says whether it is switched on."""
        answer: types.MechInfo = self.json("GET", "/api/mech/info")
        return answer

    def mech_tools(self) -> types.MechTools:
        """Describe the tool of the mech. Returns its schema, and the price and required params of each action. `metadata` is the document that mechs publish."""
        answer: types.MechTools = self.json("GET", "/api/mech/tools")
        return answer

    def metrics(self) -> str:
        """Metrics for Prometheus. The answer uses the text format of Prometheus. A request needs no key. As text/plain."""
        return self.call("GET", "/metrics", accept="text/plain").body.decode()

    def negotiate_pricing(self, body: types.OfferRequest) -> types.Offer:
        """Ask for a signed offer in three tiers. Returns three tiers for an intent class, made from the services of the country, each with a fiat and a crypto price. No account is needed; an offer that is requested with a credential is for that account only. It is valid for 15 minutes. Takes the body of a send, but needs only `intent` and `to_country`. The price depends on `pages`, or on plain text sent as `content`. Other fields are neither checked nor kept."""
        answer: types.Offer = self.json("POST", "/api/anp/offer", body=body, reads=True, awaits_writes=True)
        return answer

    def openapi(self) -> Any:
        """This description. The document covers every operation of this service, with schemas, errors and examples. Client libraries can be generated from it."""
        answer: Any = self.json("GET", "/openapi.json")
        return answer

    def preview_confirmation(self, body: types.PreviewConfirmation) -> types.EmailConfirmation:
        """Show what a confirmation link confirms. Shows the address, and the settings and keys of the account with their audit links. Changes nothing."""
        answer: types.EmailConfirmation = self.json("POST", "/auth/confirm/preview", body=body, reads=True)
        return answer

    def preview_letter(self, id: str, page: str) -> bytes:
        """Preview a page of a letter. The page as printed, with the address window in blue, no-print zones in red, edges in yellow and folds dashed. As image/png."""
        return self.call("GET", "/api/letters/{id}/preview/{page}.png", params={"id": id, "page": page}, accept="image/png").body

    def preview_quote(self, quote_id: str, page: str) -> bytes:
        """Preview a page of a quoted letter. Shows the page as it would be printed, with the same zones as the preview of a letter, until the quote expires. A refused document is shown as it was checked, with content inside zones that must be free in dark red; the answer to its quote contains the `preview_url`. As image/png."""
        return self.call("GET", "/api/quotes/{quote_id}/preview/{page}.png", params={"quote_id": quote_id, "page": page}, accept="image/png").body

    def quote_letter(self, body: types.QuoteRequest) -> types.Quote:
        """Price a letter. Takes the body of a send; the only address field it needs is `to_country`. The price is valid for 15 minutes for a send with the `quote_id`. With `dry_run`, nothing is kept: the answer says what the policies decide, and the price."""
        answer: types.Quote = self.json("POST", "/api/quote", body=body, reads=True)
        return answer

    def quote_letter_dry_run(self, body: types.QuoteRequest) -> types.DryRun:
        """What `quote_letter` would come to. Nothing is stored or charged."""
        answer: types.DryRun = self.json("POST", "/api/quote", body={**body, "dry_run": True}, reads=True)
        return answer

    def ready(self) -> types.Ready:
        """Check whether the service can take traffic. Load balancers send requests only to processes that answer 200. The answer is 503 while the event store cannot be read, or while a read model has stopped or is far behind the log."""
        answer: types.Ready = self.json("GET", "/ready")
        return answer

    def recover_account(self, body: types.RecoverAccount, *, idempotency_key: str | None = None) -> types.RecoveredAccount:
        """Get a new key with a recovery link. Registering an address that already has an account sends it a link. The token in the link is valid for one hour and one key, and confirms the address. All other keys end with their UCANs, except those in `keep_keys`. Settings that were made before the address was confirmed, and that nobody kept, are removed, because somebody else may have made them: webhook, notification address, audit webhooks, the account’s own DID, the policy of the account, and the approvers that other policies name."""
        answer: types.RecoveredAccount = self.json("POST", "/auth/recover", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def refill_test_wallet(self) -> types.RefilledTestWallet:
        """Fill the wallet of a test account up to $100.00. Works once an hour. Does nothing if the wallet already has that much."""
        answer: types.RefilledTestWallet = self.json("POST", "/api/test/wallet")
        return answer

    def register(self, body: types.Register, *, idempotency_key: str | None = None) -> types.RegisteredAccount:
        """Register with an e-mail address. Returns a full key, shown once. Under an Idempotency-Key that cannot be guessed (a random UUID), the answer can be repeated for 10 minutes. A mail asks the owner of the address to confirm the account."""
        answer: types.RegisteredAccount = self.json("POST", "/auth/register", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def register_agent(self, body: types.RegisterAgent, *, idempotency_key: str | None = None) -> types.RegisteredAccount:
        """Register an agent without an e-mail address. Keep the key safe: an agent’s account cannot be recovered by e-mail."""
        answer: types.RegisteredAccount = self.json("POST", "/auth/agent", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def reject_letter(self, id: str, body: types.RejectLetterBody | None = None) -> types.DecidedApproval:
        """Reject a letter. One rejection is enough: the letter stays a draft, and its money goes back. The credential must not be the one that sent the letter, nor one that it comes from, nor one that comes from it: 403 `approver_is_requester`."""
        answer: types.DecidedApproval = self.json("POST", "/api/approvals/{id}/reject", params={"id": id}, body=body)
        return answer

    def reject_policy_change(self, id: str, body: types.RejectPolicyChangeBody | None = None) -> types.PolicyChange:
        """Reject a change of a policy. One rejection is enough: the policy stays as it is. The approvers of the policy decide, and keys with scope full; neither can have a policy itself. The credential must not be the one that asked for the change, nor one that it comes from, nor one that comes from it: 403 `approver_is_requester`."""
        answer: types.PolicyChange = self.json("POST", "/api/policy-changes/{id}/reject", params={"id": id}, body=body)
        return answer

    def renew_tracking_link(self, letter_id: str, *, idempotency_key: str | None = None) -> types.TrackingLink:
        """Replace the tracking link; the earlier one stops working. Use it after a link reached the wrong person. Send the new link to the recipient yourself: earlier mails still contain the old one."""
        answer: types.TrackingLink = self.json("POST", "/api/letters/{letter_id}/tracking-link", params={"letter_id": letter_id}, keyed=True, idempotency_key=idempotency_key)
        return answer

    def replay_audit_delivery(self, id: str, event_id: str, *, idempotency_key: str | None = None) -> types.ReplayedDelivery:
        """Deliver an event to an audit webhook again. Sends the same body under the same webhook-id, with a new schedule of attempts. Any event of your letters that the webhook wants can be delivered, also if it happened before the webhook was registered."""
        answer: types.ReplayedDelivery = self.json("POST", "/api/identity/audit/subscribe/{id}/deliveries/{event_id}/replay", params={"id": id, "event_id": event_id}, keyed=True, idempotency_key=idempotency_key)
        return answer

    def replay_audit_events(self, id: str, body: types.ReplayAuditEvents | None = None) -> types.ReplayedEvents:
        """Deliver events to an audit webhook again from a point on. Use it after the receiver lost data. Up to 100 events of your letters that the webhook wants are delivered again, the oldest first, also those that were delivered and those from before the webhook was registered. Each comes under its webhook-id, with a new schedule of attempts. While `has_more` is true, repeat the request with the `last_index` of the answer as `after_index`. A repeated request delivers its events once more."""
        answer: types.ReplayedEvents = self.json("POST", "/api/identity/audit/subscribe/{id}/replay", params={"id": id}, body=body)
        return answer

    def replay_notification(self, id: str, *, idempotency_key: str | None = None) -> types.ReplayedNotification:
        """Deliver a notification to the webhook again. Uses the same webhook-id and a new schedule of attempts. A delivery that waits for its next attempt starts at once. A delivery that waits for an earlier one of the same letter keeps waiting."""
        answer: types.ReplayedNotification = self.json("POST", "/api/notifications/{id}/replay", params={"id": id}, keyed=True, idempotency_key=idempotency_key)
        return answer

    def resolve_did(self, did: str) -> types.DidResolution | types.DidDocument:
        """Resolve a did:key, did:pkh or did:web to its document. DID Resolution over HTTP. `Accept: application/did` (or `did+json`, `did+ld+json`) returns the document alone. Errors are problem documents with `didResolutionMetadata.error`."""
        answer: types.DidResolution | types.DidDocument = self.json("GET", "/api/identity/resolve/{did}", params={"did": did})
        return answer

    def revoke_audit_link(self, letter_id: str, id: str) -> types.RevokedAuditLink:
        """Revoke a link for good. The link no longer opens the audit page and its bundle; both answer 404. Other links of the letter stay valid."""
        answer: types.RevokedAuditLink = self.json("DELETE", "/api/identity/audit/{letter_id}/link/{id}", params={"letter_id": letter_id, "id": id})
        return answer

    def revoke_key(self, id: str, *, revoke_issued: types.RevokeKeyRevokeIssued | None = None) -> types.RevokedKey:
        """Revoke a key for good. Any key may revoke itself; to revoke another key you need scope full, and a key that has a policy revokes only itself and keys that come from it. The UCANs of a key end with it. `revoke_issued=true` also ends the keys that it made, the keys that it was rotated to, and their descendants. A rotated key that is revoked can no longer repeat its rotation."""
        answer: types.RevokedKey = self.json("DELETE", "/auth/keys/{id}", params={"id": id}, query={"revoke_issued": revoke_issued})
        return answer

    def revoke_own_key(self, *, revoke_issued: types.RevokeOwnKeyRevokeIssued | None = None) -> types.RevokedKey:
        """Revoke the key of this request. Works with any scope. Equivalent to DELETE /auth/keys/{id} with the key’s own id."""
        answer: types.RevokedKey = self.json("DELETE", "/auth/keys/self", query={"revoke_issued": revoke_issued})
        return answer

    def revoke_tracking_link(self, letter_id: str) -> types.RevokedTrackingLink:
        """Revoke the tracking link. Links in earlier mails stop working too. Later mails contain no link until you make a new one."""
        answer: types.RevokedTrackingLink = self.json("DELETE", "/api/letters/{letter_id}/tracking-link", params={"letter_id": letter_id})
        return answer

    def revoke_ucan(self, body: types.RevokeUcan) -> types.RevokedUcan:
        """Revoke a UCAN for good. The UCAN, and everything delegated from it, stops working within a second. You may revoke what was issued on your account or by your DID, and what was delegated from that. An issuer that keeps its own key sends `iss` and `challenge`: the signature over `REVOKE:<cid>`, in base64 without padding."""
        answer: types.RevokedUcan = self.json("POST", "/api/identity/ucan/revoke", body=body)
        return answer

    def rotate_key(self, id: str, body: types.RotateKey | None = None, *, idempotency_key: str | None = None) -> types.RotatedKey:
        """Replace a key by a new one with the same scope. Any key may rotate itself; to rotate another key you need scope full, and a key that has a policy rotates only itself and keys that come from it. The old key stops working at once. Only if it rotated itself, it can repeat the same request for 10 minutes, under the same Idempotency-Key."""
        answer: types.RotatedKey = self.json("POST", "/auth/keys/{id}/rotate", params={"id": id}, body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def rotate_own_key(self, body: types.RotateKey | None = None, *, idempotency_key: str | None = None) -> types.RotatedKey:
        """Replace the key of this request by a new one. Works with any scope. Equivalent to POST /auth/keys/{id}/rotate with the key’s own id."""
        answer: types.RotatedKey = self.json("POST", "/auth/keys/self/rotate", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def search_letters(self, body: types.SearchLettersBody) -> types.LettersFound:
        """Find the letters to a recipient. Finds letters to exactly this name and address. Upper case and spaces do not matter. Letters whose production began are found by a keyed digest. Drafts and queued letters are found among the newest 100 of the account, and letters that were cancelled or failed before production among another 100."""
        answer: types.LettersFound = self.json("POST", "/api/letters/search", body=body, reads=True, awaits_writes=True)
        return answer

    def search_reference(self, *, q: str | None = None) -> types.ReferenceSections:
        """Search the reference. Returns the sections of the reference that contain all words, best match first. Answers a page if `Accept` prefers `text/html`."""
        answer: types.ReferenceSections = self.json("GET", "/api-docs/search", query={"q": q})
        return answer

    def send_letter(self, body: types.SendLetter, *, idempotency_key: str | None = None, if_match: str | None = None) -> types.SentLetter | types.HeldLetter:
        """Send a letter. Checks, prices, pays and queues a letter. A 201 answer means that the letter is valid, printable and paid. It is printed after the cancellation window, or on `send_date`. With `draft`, the letter is only kept; send it later by its `letter_id`, and with `If-Match` only the version that you saw. With `commitment_id`, it costs the agreed price. A letter that a policy holds answers 202: its money is reserved, and it is sent once it is approved. With `dry_run`, nothing is stored or charged: the 200 answer says what the policies decide, and what the letter costs."""
        answer: types.SentLetter | types.HeldLetter = self.json("POST", "/api/send", body=body, keyed=True, idempotency_key=idempotency_key, headers={"If-Match": if_match} if if_match else None)
        return answer

    def send_letter_dry_run(self, body: types.SendLetter, *, if_match: str | None = None) -> types.DryRun:
        """What `send_letter` would come to. Nothing is stored or charged."""
        answer: types.DryRun = self.json("POST", "/api/send", body={**body, "dry_run": True}, headers={"If-Match": if_match} if if_match else None, reads=True)
        return answer

    def service_did(self) -> types.ServiceDid:
        """Get the service's DID, its document and its keys. This is the root of trust: it lists the current and earlier keys that sign credentials, checkpoints, webhooks and UCAN roots."""
        answer: types.ServiceDid = self.json("GET", "/api/identity/service-did")
        return answer

    def service_info(self) -> types.ServiceInfo:
        """Describe this service and list its addresses. Answers a page if `Accept` prefers `text/html`, as browsers do."""
        answer: types.ServiceInfo = self.json("GET", "/")
        return answer

    def set_did(self, body: types.SetDid | None = None) -> types.CallerDid | types.DidChallenge:
        """Get, create or set your DID. With `{}`: returns your DID. An account without a DID gets a new one, whose key the service keeps. With `{ did }`: returns a challenge for that DID (202). With `{ did, challenge, signature }`: that DID replaces your DID."""
        answer: types.CallerDid | types.DidChallenge = self.json("POST", "/api/identity/did", body=body)
        return answer

    def set_key_policy(self, id: str, body: types.SetPolicy, *, if_match: str | None = None) -> types.Policy | types.PolicyChange:
        """Set the policy of a key. Applies to the key, to the key that replaces it, and to the keys and UCANs that it makes. Once the account or a key has a policy, whatever that policy does not allow is denied. The policy of the account applies too. No key can change its own policy, nor the policy of a key that it came from. Limiting a key with scope full needs scope full, and a key that has a policy limits only keys that come from it. Lowering limits needs scope send and holds from the answer on. Raising them, or naming approvers, needs scope full and a credential without a policy, or an approval: `request_approval`."""
        answer: types.Policy | types.PolicyChange = self.json("PUT", "/auth/keys/{id}/policy", params={"id": id}, body=body, headers={"If-Match": if_match} if if_match else None)
        return answer

    def set_policy(self, body: types.SetPolicy, *, if_match: str | None = None) -> types.Policy | types.PolicyChange:
        """Set the policy of the account. Applies to every letter of the account, by whichever key, UCAN or wallet. Once the account or a key has a policy, whatever that policy does not allow is denied. Lowering limits needs scope send and holds from the answer on. Raising them, or naming approvers, needs scope full and a credential without a policy, or an approval: `request_approval`."""
        answer: types.Policy | types.PolicyChange = self.json("PUT", "/api/policy", body=body, headers={"If-Match": if_match} if if_match else None)
        return answer

    def set_ucan_policy(self, cid: str, body: types.SetPolicy, *, if_match: str | None = None) -> types.Policy | types.PolicyChange:
        """Set the policy of a UCAN. Applies to the UCAN and to everything delegated from it, which share its limits. Once the account or a key has a policy, whatever that policy does not allow is denied. The policies of the account, of the key that issued the UCAN and of the UCANs before it apply too. A caller that may revoke the UCAN may set its policy. Lowering limits needs scope send and holds from the answer on. Raising them, or naming approvers, needs scope full and a credential without a policy, or an approval: `request_approval`."""
        answer: types.Policy | types.PolicyChange = self.json("PUT", "/api/identity/ucan/{cid}/policy", params={"cid": cid}, body=body, headers={"If-Match": if_match} if if_match else None)
        return answer

    def signup(self, body: types.Register, *, idempotency_key: str | None = None) -> types.RegisteredAccount:
        """Register with an e-mail address. Returns a full key, shown once. Under an Idempotency-Key that cannot be guessed (a random UUID), the answer can be repeated for 10 minutes. A mail asks the owner of the address to confirm the account."""
        answer: types.RegisteredAccount = self.json("POST", "/signup", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def stop_email_change(self, body: types.StopEmailChange) -> types.StoppedEmailChange:
        """Take a change of the e-mail address back. With the link that the address before got, for seven days. The account has that address again, later changes end as well, and a recovery link is sent to it: with that link you can end all keys."""
        answer: types.StoppedEmailChange = self.json("POST", "/auth/email/stop", body=body)
        return answer

    def subscribe_audit(self, body: types.SubscribeAudit, *, idempotency_key: str | None = None) -> types.AuditWebhook | types.NewAuditWebhook:
        """Register a webhook for signed event credentials. Each event of your letters is posted as a W3C Verifiable Credential (JWT) as soon as the credential is issued. Two signatures come with it: one by the secret (v1), one by the key of the service (v1a). Registering the same url, events and letter_id again returns the existing webhook (200), unless that one is disabled or ends earlier; a key or UCAN that has a policy replaces only a webhook that has ended. A webhook that is registered with a UCAN or an expiring key ends with it."""
        answer: types.AuditWebhook | types.NewAuditWebhook = self.json("POST", "/api/identity/audit/subscribe", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def test_audit_webhook(self, id: str, *, idempotency_key: str | None = None) -> types.ReplayedDelivery:
        """Send a test message to an audit webhook. The message has the type `webhook.test` and the credential of an event that is about no letter. It comes whatever events and letter the webhook wants. It is signed, sent and tried again like every other message, and the deliveries of the webhook show its attempts. An account can send 10 test messages in an hour."""
        answer: types.ReplayedDelivery = self.json("POST", "/api/identity/audit/subscribe/{id}/test", params={"id": id}, keyed=True, idempotency_key=idempotency_key)
        return answer

    def test_webhook(self, *, idempotency_key: str | None = None) -> types.ReplayedNotification:
        """Send a test message to the webhook. The message has the type `webhook.test` and is about no letter. It is signed, sent and tried again like every other message, and GET /api/notifications/{id} shows its attempts. An account can send 10 in an hour."""
        answer: types.ReplayedNotification = self.json("POST", "/api/webhook/test", keyed=True, idempotency_key=idempotency_key)
        return answer

    def top_up(self, body: types.TopUpRequest, *, idempotency_key: str | None = None) -> types.TopUp:
        """Pay money into the wallet. By USDC, Lightning or card, as far as this server supports them; the answer says how to pay. x402 can also pay a top-up by usdc: in the same call with `pay_now`, on a retry with the same Idempotency-Key, or without a key, for the account of the paying wallet."""
        answer: types.TopUp = self.json("POST", "/api/topup", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def track_letter(self, letter_id: str) -> types.TrackedLetter:
        """Track a letter. The answer contains the status, the tracking number, the expected delivery and each step so far with its source."""
        answer: types.TrackedLetter = self.json("GET", "/api/track/{letter_id}", params={"letter_id": letter_id})
        return answer

    def unfreeze_account(self) -> types.Freeze:
        """Unfreeze the account. Keys and UCANs that were frozen one by one stay frozen. Nothing that is frozen can unfreeze itself or anything else: use a key with scope full that is neither frozen nor has a policy."""
        answer: types.Freeze = self.json("POST", "/api/account/unfreeze")
        return answer

    def unfreeze_key(self, id: str) -> types.Freeze:
        """Unfreeze a key. Nothing that is frozen can unfreeze itself or anything else: use a key with scope full that is neither frozen nor has a policy."""
        answer: types.Freeze = self.json("POST", "/auth/keys/{id}/unfreeze", params={"id": id})
        return answer

    def unfreeze_ucan(self, body: types.UnfreezeUcan) -> types.Freeze:
        """Unfreeze a UCAN. Nothing that is frozen can unfreeze itself or anything else: use a key with scope full that is neither frozen nor has a policy."""
        answer: types.Freeze = self.json("POST", "/api/identity/ucan/unfreeze", body=body)
        return answer

    def unsubscribe(self, *, token: str | None = None) -> types.Unsubscribed:
        """Stop the mails to an address. Needs the token of the link in the mail. The List-Unsubscribe header of the mails points here (RFC 8058). A body is ignored."""
        answer: types.Unsubscribed = self.json("POST", "/unsubscribe", query={"token": token})
        return answer

    def unsubscribe_audit(self, body: types.UnsubscribeAudit) -> types.RemovedAuditWebhooks:
        """Remove an audit webhook. Remove it by its id or url. If it is already gone, the list is empty."""
        answer: types.RemovedAuditWebhooks = self.json("DELETE", "/api/identity/audit/subscribe", body=body)
        return answer

    def update_letter(self, id: str, body: types.UpdateLetter, *, if_match: str | None = None) -> types.Letter:
        """Change recipient, reference or metadata. Works while the letter is a draft or queued. Runs the checks again and settles the difference in price."""
        answer: types.Letter = self.json("PATCH", "/api/letters/{id}", params={"id": id}, body=body, headers={"If-Match": if_match} if if_match else None)
        return answer

    def update_settings(self, body: types.UpdateSettings, *, idempotency_key: str | None = None) -> types.Settings:
        """Set webhook URL, notification e-mail and language of mails. Set any of them; null removes one. A new notification address first gets a mail that asks to confirm it, and no other mails until then. It can change five times in 24 hours. The answer to a new webhook contains its signing secret, once. `rotate_webhook_secret` makes a new secret; both sign for 24 hours."""
        answer: types.Settings = self.json("PUT", "/api/settings", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def upload_logo(self, body: types.UploadLogo, *, idempotency_key: str | None = None) -> types.Logo:
        """Upload a logo. Letters refer to it as `logo`. Uploading the same image again returns the same logo. The logo is kept until you delete it, or until it is unused for the number of days that the operator keeps letters (`expires_at`). It counts towards the quota of stored bytes."""
        answer: types.Logo = self.json("POST", "/api/logos", body=body, keyed=True, idempotency_key=idempotency_key)
        return answer

    def verify_audit_program(self) -> str:
        """Download the program that verifies audit bundles offline. It needs only Node 18. Keep your own copy and verify bundles with it, not with the copy inside the bundle. As text/javascript."""
        return self.call("GET", "/.well-known/verify-audit.mjs", accept="text/javascript").body.decode()

    def verify_audit_sha256(self) -> str:
        """Get its SHA-256, in the format of sha256sum. Compare it with the hash of the program that you downloaded: `sha256sum --check` reads this file. As text/plain."""
        return self.call("GET", "/.well-known/verify-audit.mjs.sha256", accept="text/plain").body.decode()

    def verify_credential(self, body: types.VerifyCredentialBody) -> types.VerifiedCredential:
        """Verify a Verifiable Credential or Presentation. Supports VC 1.1 as JWT, and VC 2.0 with `vc+jwt` or `vp+jwt`, by any did:key, did:web or did:pkh. An invalid token answers 200 with `valid: false` and the failed checks."""
        answer: types.VerifiedCredential = self.json("POST", "/api/identity/verify-vc", body=body, reads=True)
        return answer

    def verify_offer(self, body: types.VerifyDocument | None = None) -> types.VerifiedDocument:
        """Verify an offer, a receipt or a contract of this service. Checks, one by one, whether the service signed it as it is and whether it is still valid. A failed check answers 200 with `valid: false`. With the DID document of the service, any JOSE library can verify it offline."""
        answer: types.VerifiedDocument = self.json("POST", "/api/anp/verify", body=body, reads=True)
        return answer

    def verify_ucan(self, body: types.VerifyUcan) -> types.UcanVerdict:
        """Verify a UCAN with its chain. Verifies any UCAN 0.10.0, whatever its resources. The owner of a resource is checked for `letters://` only, the audience only if you send one. An invalid token answers 200 with `valid: false`."""
        answer: types.UcanVerdict = self.json("POST", "/api/identity/verify-ucan", body=body, reads=True)
        return answer

    def view_approval_picture(self, id: str, page: str, *, token: str | None = None) -> bytes:
        """Show an approver a page of the letter that waits. Opens with the token of the mail for as long as the approver can decide; otherwise the answer is 404. As image/png."""
        return self.call("GET", "/approvals/{id}/pages/{page}.png", params={"id": id, "page": page}, query={"token": token}, accept="image/png").body

    def withdraw_account_closure(self) -> types.AccountClosure:
        """Take the closure of the account back. Possible until the erasure begins. The account then works as before. Without a closure nothing changes."""
        answer: types.AccountClosure = self.json("DELETE", "/api/account/closure", awaits_writes=True)
        return answer

    def x402_status(self, *, method: types.X402StatusMethod | None = None, path: str | None = None) -> types.X402Status:
        """Show whether and how requests can be paid by x402. With `method` and `path`, the challenge in `sign_in` permits that one request. Without them, it permits reading."""
        answer: types.X402Status = self.json("GET", "/x402", query={"method": method, "path": path})
        return answer
