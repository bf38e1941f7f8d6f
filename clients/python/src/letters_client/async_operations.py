# Made from the OpenAPI document; RECORD_CLIENTS=1 makes it anew.
"""A method for each operation of the REST API, awaited."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .awaiting import each, in_thread

if TYPE_CHECKING:
    from . import types
    from .client import Client


class AsyncOperations:
    def __init__(self, client: Client) -> None:
        self.sync = client

    async def accept_offer(self, body: types.AcceptOffer, *, idempotency_key: str | None = None) -> types.Commitment:
        return await in_thread(self.sync.accept_offer, body, idempotency_key=idempotency_key)

    async def advance_test_contract(self, contract_id: str) -> types.EndedPeriod:
        return await in_thread(self.sync.advance_test_contract, contract_id)

    async def advance_test_letter(self, id: str, body: types.AdvanceLetter | None = None) -> types.Letter:
        return await in_thread(self.sync.advance_test_letter, id, body)

    async def approve_letter(self, id: str) -> types.DecidedApproval:
        return await in_thread(self.sync.approve_letter, id)

    async def approve_policy_change(self, id: str) -> types.PolicyChange:
        return await in_thread(self.sync.approve_policy_change, id)

    async def cancel_letter(self, id: str, *, idempotency_key: str | None = None, if_match: str | None = None) -> types.Letter:
        return await in_thread(self.sync.cancel_letter, id, idempotency_key=idempotency_key, if_match=if_match)

    async def change_email(self, body: types.ChangeEmail, *, idempotency_key: str | None = None) -> types.ChangedEmail:
        return await in_thread(self.sync.change_email, body, idempotency_key=idempotency_key)

    async def close_account(self, body: types.CloseAccount | None = None) -> types.AccountClosure:
        return await in_thread(self.sync.close_account, body)

    async def confirm_email(self, body: types.ConfirmEmail) -> types.EmailConfirmed:
        return await in_thread(self.sync.confirm_email, body)

    async def count_letters(self) -> types.LetterCounts:
        return await in_thread(self.sync.count_letters)

    async def create_audit_link(self, letter_id: str, body: types.CreateAuditLink | None = None, *, idempotency_key: str | None = None) -> types.NewAuditLink:
        return await in_thread(self.sync.create_audit_link, letter_id, body, idempotency_key=idempotency_key)

    async def create_console_link(self, body: types.CreateConsoleLink | None = None, *, idempotency_key: str | None = None) -> types.ConsoleLink:
        return await in_thread(self.sync.create_console_link, body, idempotency_key=idempotency_key)

    async def create_contract(self, body: types.CreateContract, *, idempotency_key: str | None = None) -> types.VolumeContract:
        return await in_thread(self.sync.create_contract, body, idempotency_key=idempotency_key)

    async def create_export(self, body: types.CreateExport | None = None, *, idempotency_key: str | None = None) -> types.Export:
        return await in_thread(self.sync.create_export, body, idempotency_key=idempotency_key)

    async def create_key(self, body: types.CreateKey, *, idempotency_key: str | None = None) -> types.NewKey:
        return await in_thread(self.sync.create_key, body, idempotency_key=idempotency_key)

    async def create_order(self, body: types.OrderRequest, *, idempotency_key: str | None = None) -> types.PlacedOrder:
        return await in_thread(self.sync.create_order, body, idempotency_key=idempotency_key)

    async def create_presentation(self, body: types.Present | None = None) -> types.Presentation:
        return await in_thread(self.sync.create_presentation, body)

    async def delegate_ucan(self, body: types.DelegateUcan, *, idempotency_key: str | None = None) -> types.IssuedUcan:
        return await in_thread(self.sync.delegate_ucan, body, idempotency_key=idempotency_key)

    async def delete_key_policy(self, id: str, *, request_approval: types.DeleteKeyPolicyRequestApproval | None = None, if_match: str | None = None) -> types.DeleteKeyPolicyAnswer1 | types.PolicyChange:
        return await in_thread(self.sync.delete_key_policy, id, request_approval=request_approval, if_match=if_match)

    async def delete_letter(self, id: str, *, if_match: str | None = None) -> types.DeletedLetter:
        return await in_thread(self.sync.delete_letter, id, if_match=if_match)

    async def delete_logo(self, id: str) -> types.DeletedLogo:
        return await in_thread(self.sync.delete_logo, id)

    async def delete_policy(self, *, request_approval: types.DeletePolicyRequestApproval | None = None, if_match: str | None = None) -> types.DeletePolicyAnswer1 | types.PolicyChange:
        return await in_thread(self.sync.delete_policy, request_approval=request_approval, if_match=if_match)

    async def delete_ucan_policy(self, cid: str, *, request_approval: types.DeleteUcanPolicyRequestApproval | None = None, if_match: str | None = None) -> types.DeleteUcanPolicyAnswer1 | types.PolicyChange:
        return await in_thread(self.sync.delete_ucan_policy, cid, request_approval=request_approval, if_match=if_match)

    async def did_json(self) -> types.DidDocument:
        return await in_thread(self.sync.did_json)

    async def did_json_under_path(self) -> types.DidDocument:
        return await in_thread(self.sync.did_json_under_path)

    async def download_audit(self, letter_id: str, *, token: str | None = None, language: types.Language | None = None) -> bytes:
        return await in_thread(self.sync.download_audit, letter_id, token=token, language=language)

    async def download_certificate_bundle(self, letter_id: str, *, token: str | None = None, language: types.Language | None = None) -> bytes:
        return await in_thread(self.sync.download_certificate_bundle, letter_id, token=token, language=language)

    async def freeze_account(self) -> types.Freeze:
        return await in_thread(self.sync.freeze_account)

    async def freeze_key(self, id: str) -> types.Freeze:
        return await in_thread(self.sync.freeze_key, id)

    async def freeze_ucan(self, body: types.FreezeUcan) -> types.Freeze:
        return await in_thread(self.sync.freeze_ucan, body)

    async def get_account_closure(self) -> types.AccountClosure:
        return await in_thread(self.sync.get_account_closure)

    async def get_approval(self, id: str) -> types.Approval:
        return await in_thread(self.sync.get_approval, id)

    async def get_audit(self, letter_id: str, *, as_of: str | None = None, after: int | None = None, limit: int | None = None) -> types.Audit:
        return await in_thread(self.sync.get_audit, letter_id, as_of=as_of, after=after, limit=limit)

    async def get_audit_message(self, id: str, event_id: str) -> types.AuditMessage:
        return await in_thread(self.sync.get_audit_message, id, event_id)

    async def get_audit_zip(self, letter_id: str, *, as_of: str | None = None, after: int | None = None, limit: int | None = None) -> bytes:
        return await in_thread(self.sync.get_audit_zip, letter_id, as_of=as_of, after=after, limit=limit)

    async def get_balance(self) -> types.Balance:
        return await in_thread(self.sync.get_balance)

    async def get_commitment(self, commitment_id: str) -> types.Commitment:
        return await in_thread(self.sync.get_commitment, commitment_id)

    async def get_contract(self, contract_id: str) -> types.VolumeContract:
        return await in_thread(self.sync.get_contract, contract_id)

    async def get_customer_profile(self, customer_did: str) -> types.CustomerProfile:
        return await in_thread(self.sync.get_customer_profile, customer_did)

    async def get_erasure(self, closure_id: str) -> types.Erasure:
        return await in_thread(self.sync.get_erasure, closure_id)

    async def get_error(self, code: str) -> types.ErrorInfo:
        return await in_thread(self.sync.get_error, code)

    async def get_evaluation(self, *, from_: str | None = None, to: str | None = None, country: types.CountryCode | None = None, mode: types.AccountMode | None = None) -> types.Evaluation:
        return await in_thread(self.sync.get_evaluation, from_=from_, to=to, country=country, mode=mode)

    async def get_export(self, id: str, *, part: int | None = None) -> types.Export:
        return await in_thread(self.sync.get_export, id, part=part)

    async def get_export_zip(self, id: str, *, part: int | None = None) -> bytes:
        return await in_thread(self.sync.get_export_zip, id, part=part)

    async def get_key_policy(self, id: str) -> types.Policy:
        return await in_thread(self.sync.get_key_policy, id)

    async def get_letter(self, id: str) -> types.Letter:
        return await in_thread(self.sync.get_letter, id)

    async def get_letter_document(self, id: str) -> bytes:
        return await in_thread(self.sync.get_letter_document, id)

    async def get_message_schema(self, name: str) -> dict[str, Any]:
        return await in_thread(self.sync.get_message_schema, name)

    async def get_notification(self, id: str) -> types.Notification:
        return await in_thread(self.sync.get_notification, id)

    async def get_order(self, order_id: str, *, secret: str | None = None) -> types.Order:
        return await in_thread(self.sync.get_order, order_id, secret=secret)

    async def get_policy(self) -> types.Policy:
        return await in_thread(self.sync.get_policy)

    async def get_policy_change(self, id: str) -> types.PolicyChange:
        return await in_thread(self.sync.get_policy_change, id)

    async def get_proof(self, letter_id: str, *, language: types.Language | None = None) -> types.Proof:
        return await in_thread(self.sync.get_proof, letter_id, language=language)

    async def get_proof_pdf(self, letter_id: str, *, language: types.Language | None = None) -> bytes:
        return await in_thread(self.sync.get_proof_pdf, letter_id, language=language)

    async def get_settings(self) -> types.Settings:
        return await in_thread(self.sync.get_settings)

    async def get_statement(self, *, from_: str | None = None, to: str | None = None) -> str:
        return await in_thread(self.sync.get_statement, from_=from_, to=to)

    async def get_statistics(self, *, from_: str | None = None, to: str | None = None) -> types.Statistics:
        return await in_thread(self.sync.get_statistics, from_=from_, to=to)

    async def get_top_up(self, topup_id: str) -> types.TopUp:
        return await in_thread(self.sync.get_top_up, topup_id)

    async def get_tracking_link(self, letter_id: str) -> types.TrackingLink:
        return await in_thread(self.sync.get_tracking_link, letter_id)

    async def get_ucan_policy(self, cid: str) -> types.Policy:
        return await in_thread(self.sync.get_ucan_policy, cid)

    async def get_webhook_message(self, id: str) -> types.WebhookMessage:
        return await in_thread(self.sync.get_webhook_message, id)

    async def health(self) -> types.Health:
        return await in_thread(self.sync.health)

    async def issue_ucan(self, body: types.IssueUcan, *, idempotency_key: str | None = None) -> types.IssuedUcan:
        return await in_thread(self.sync.issue_ucan, body, idempotency_key=idempotency_key)

    def iter_account_audit_links(self, *, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[types.ListedAuditLink]:
        return each(self.sync.iter_account_audit_links(limit=limit, cursor=cursor))

    def iter_approvals(self, *, status: types.ApprovalStatus | None = None, letter_id: str | None = None, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[types.Approval]:
        return each(self.sync.iter_approvals(status=status, letter_id=letter_id, limit=limit, cursor=cursor))

    def iter_audit_deliveries(self, id: str, *, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[types.AuditDelivery]:
        return each(self.sync.iter_audit_deliveries(id, limit=limit, cursor=cursor))

    def iter_commitments(self, *, cursor: str | None = None, limit: int | None = None) -> AsyncIterator[types.Commitment]:
        return each(self.sync.iter_commitments(cursor=cursor, limit=limit))

    def iter_contracts(self, *, customer_did: str | None = None, state: types.ListContractsState | None = None, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[types.VolumeContract]:
        return each(self.sync.iter_contracts(customer_did=customer_did, state=state, limit=limit, cursor=cursor))

    def iter_credentials(self, *, letter_id: str | None = None, type: str | None = None, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[types.IssuedCredential]:
        return each(self.sync.iter_credentials(letter_id=letter_id, type=type, limit=limit, cursor=cursor))

    def iter_letters(self, *, status: Sequence[types.LetterStatus] | None = None, delivery_outcome: types.DeliveryOutcome | None = None, reference: str | None = None, tracking_number: str | None = None, made_by: str | None = None, created_after: str | None = None, created_before: str | None = None, country: types.CountryCode | None = None, service: types.ServiceId | None = None, limit: int | None = None, cursor: str | None = None, metadata: Mapping[str, str] | None = None) -> AsyncIterator[types.Letter]:
        return each(self.sync.iter_letters(status=status, delivery_outcome=delivery_outcome, reference=reference, tracking_number=tracking_number, made_by=made_by, created_after=created_after, created_before=created_before, country=country, service=service, limit=limit, cursor=cursor, metadata=metadata))

    def iter_notifications(self, *, letter_id: str | None = None, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[types.Notification]:
        return each(self.sync.iter_notifications(letter_id=letter_id, limit=limit, cursor=cursor))

    def iter_orders(self, *, status: types.ListOrdersStatus | None = None, letter_id: str | None = None, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[types.Order]:
        return each(self.sync.iter_orders(status=status, letter_id=letter_id, limit=limit, cursor=cursor))

    def iter_requests(self, *, failed: bool | None = None, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[types.LoggedRequest]:
        return each(self.sync.iter_requests(failed=failed, limit=limit, cursor=cursor))

    def iter_top_ups(self, *, status: types.ListTopUpsStatus | None = None, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[types.TopUp]:
        return each(self.sync.iter_top_ups(status=status, limit=limit, cursor=cursor))

    def iter_ucans(self, *, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[types.ListedUcan]:
        return each(self.sync.iter_ucans(limit=limit, cursor=cursor))

    async def list_account_audit_links(self, *, limit: int | None = None, cursor: str | None = None) -> types.ListAccountAuditLinksAnswer:
        return await in_thread(self.sync.list_account_audit_links, limit=limit, cursor=cursor)

    async def list_approvals(self, *, status: types.ApprovalStatus | None = None, letter_id: str | None = None, limit: int | None = None, cursor: str | None = None) -> types.ListApprovalsAnswer:
        return await in_thread(self.sync.list_approvals, status=status, letter_id=letter_id, limit=limit, cursor=cursor)

    async def list_audit_deliveries(self, id: str, *, limit: int | None = None, cursor: str | None = None) -> types.ListAuditDeliveriesAnswer:
        return await in_thread(self.sync.list_audit_deliveries, id, limit=limit, cursor=cursor)

    async def list_audit_links(self, letter_id: str) -> types.AuditLinks:
        return await in_thread(self.sync.list_audit_links, letter_id)

    async def list_audit_subscriptions(self) -> types.AuditWebhooks:
        return await in_thread(self.sync.list_audit_subscriptions)

    async def list_budgets(self) -> types.Budgets:
        return await in_thread(self.sync.list_budgets)

    async def list_commitments(self, *, cursor: str | None = None, limit: int | None = None) -> types.ListCommitmentsAnswer:
        return await in_thread(self.sync.list_commitments, cursor=cursor, limit=limit)

    async def list_contracts(self, *, customer_did: str | None = None, state: types.ListContractsState | None = None, limit: int | None = None, cursor: str | None = None) -> types.ListContractsAnswer:
        return await in_thread(self.sync.list_contracts, customer_did=customer_did, state=state, limit=limit, cursor=cursor)

    async def list_credentials(self, *, letter_id: str | None = None, type: str | None = None, limit: int | None = None, cursor: str | None = None) -> types.ListCredentialsAnswer:
        return await in_thread(self.sync.list_credentials, letter_id=letter_id, type=type, limit=limit, cursor=cursor)

    async def list_errors(self) -> types.ErrorList:
        return await in_thread(self.sync.list_errors)

    async def list_exports(self) -> types.Exports:
        return await in_thread(self.sync.list_exports)

    async def list_frozen(self) -> types.FrozenList:
        return await in_thread(self.sync.list_frozen)

    async def list_intent_classes(self) -> types.IntentClasses:
        return await in_thread(self.sync.list_intent_classes)

    async def list_keys(self) -> types.Keys:
        return await in_thread(self.sync.list_keys)

    async def list_letters(self, *, status: Sequence[types.LetterStatus] | None = None, delivery_outcome: types.DeliveryOutcome | None = None, reference: str | None = None, tracking_number: str | None = None, made_by: str | None = None, created_after: str | None = None, created_before: str | None = None, country: types.CountryCode | None = None, service: types.ServiceId | None = None, limit: int | None = None, cursor: str | None = None, metadata: Mapping[str, str] | None = None) -> types.ListLettersAnswer:
        return await in_thread(self.sync.list_letters, status=status, delivery_outcome=delivery_outcome, reference=reference, tracking_number=tracking_number, made_by=made_by, created_after=created_after, created_before=created_before, country=country, service=service, limit=limit, cursor=cursor, metadata=metadata)

    async def list_logos(self) -> types.Logos:
        return await in_thread(self.sync.list_logos)

    async def list_message_schemas(self) -> types.MessageSchemas:
        return await in_thread(self.sync.list_message_schemas)

    async def list_notifications(self, *, letter_id: str | None = None, limit: int | None = None, cursor: str | None = None) -> types.ListNotificationsAnswer:
        return await in_thread(self.sync.list_notifications, letter_id=letter_id, limit=limit, cursor=cursor)

    async def list_orders(self, *, status: types.ListOrdersStatus | None = None, letter_id: str | None = None, limit: int | None = None, cursor: str | None = None) -> types.ListOrdersAnswer:
        return await in_thread(self.sync.list_orders, status=status, letter_id=letter_id, limit=limit, cursor=cursor)

    async def list_policy_changes(self) -> types.PolicyChanges:
        return await in_thread(self.sync.list_policy_changes)

    async def list_requests(self, *, failed: bool | None = None, limit: int | None = None, cursor: str | None = None) -> types.ListRequestsAnswer:
        return await in_thread(self.sync.list_requests, failed=failed, limit=limit, cursor=cursor)

    async def list_scopes(self) -> types.Scopes:
        return await in_thread(self.sync.list_scopes)

    async def list_services(self, country: str) -> types.Catalogue:
        return await in_thread(self.sync.list_services, country)

    async def list_top_ups(self, *, status: types.ListTopUpsStatus | None = None, limit: int | None = None, cursor: str | None = None) -> types.ListTopUpsAnswer:
        return await in_thread(self.sync.list_top_ups, status=status, limit=limit, cursor=cursor)

    async def list_ucans(self, *, limit: int | None = None, cursor: str | None = None) -> types.ListUcansAnswer:
        return await in_thread(self.sync.list_ucans, limit=limit, cursor=cursor)

    async def log_checkpoint(self) -> types.LogCheckpoint:
        return await in_thread(self.sync.log_checkpoint)

    async def log_checkpoint_text(self) -> str:
        return await in_thread(self.sync.log_checkpoint_text)

    async def log_consistency_proof(self, *, first: int | None = None, second: int | None = None) -> types.ConsistencyProof:
        return await in_thread(self.sync.log_consistency_proof, first=first, second=second)

    async def log_inclusion_proof(self, *, index: int | None = None, credential_hash: str | None = None, event_id: str | None = None, size: int | None = None) -> types.InclusionProof:
        return await in_thread(self.sync.log_inclusion_proof, index=index, credential_hash=credential_hash, event_id=event_id, size=size)

    async def log_tile(self, tile: str) -> bytes:
        return await in_thread(self.sync.log_tile, tile)

    async def mech_execute(self, body: types.MechExecute) -> types.MechEnvelope:
        return await in_thread(self.sync.mech_execute, body)

    async def mech_health(self) -> types.MechHealth:
        return await in_thread(self.sync.mech_health)

    async def mech_info(self) -> types.MechInfo:
        return await in_thread(self.sync.mech_info)

    async def mech_tools(self) -> types.MechTools:
        return await in_thread(self.sync.mech_tools)

    async def metrics(self) -> str:
        return await in_thread(self.sync.metrics)

    async def negotiate_pricing(self, body: types.OfferRequest) -> types.Offer:
        return await in_thread(self.sync.negotiate_pricing, body)

    async def openapi(self) -> Any:
        return await in_thread(self.sync.openapi)

    async def preview_confirmation(self, body: types.PreviewConfirmation) -> types.EmailConfirmation:
        return await in_thread(self.sync.preview_confirmation, body)

    async def preview_letter(self, id: str, page: str) -> bytes:
        return await in_thread(self.sync.preview_letter, id, page)

    async def preview_quote(self, quote_id: str, page: str) -> bytes:
        return await in_thread(self.sync.preview_quote, quote_id, page)

    async def quote_letter(self, body: types.QuoteRequest) -> types.Quote:
        return await in_thread(self.sync.quote_letter, body)

    async def quote_letter_dry_run(self, body: types.QuoteRequest) -> types.DryRun:
        return await in_thread(self.sync.quote_letter_dry_run, body)

    async def ready(self) -> types.Ready:
        return await in_thread(self.sync.ready)

    async def recover_account(self, body: types.RecoverAccount, *, idempotency_key: str | None = None) -> types.RecoveredAccount:
        return await in_thread(self.sync.recover_account, body, idempotency_key=idempotency_key)

    async def refill_test_wallet(self) -> types.RefilledTestWallet:
        return await in_thread(self.sync.refill_test_wallet)

    async def register(self, body: types.Register, *, idempotency_key: str | None = None) -> types.RegisteredAccount:
        return await in_thread(self.sync.register, body, idempotency_key=idempotency_key)

    async def register_agent(self, body: types.RegisterAgent, *, idempotency_key: str | None = None) -> types.RegisteredAccount:
        return await in_thread(self.sync.register_agent, body, idempotency_key=idempotency_key)

    async def reject_letter(self, id: str, body: types.RejectLetterBody | None = None) -> types.DecidedApproval:
        return await in_thread(self.sync.reject_letter, id, body)

    async def reject_policy_change(self, id: str, body: types.RejectPolicyChangeBody | None = None) -> types.PolicyChange:
        return await in_thread(self.sync.reject_policy_change, id, body)

    async def renew_tracking_link(self, letter_id: str, *, idempotency_key: str | None = None) -> types.TrackingLink:
        return await in_thread(self.sync.renew_tracking_link, letter_id, idempotency_key=idempotency_key)

    async def replay_audit_delivery(self, id: str, event_id: str, *, idempotency_key: str | None = None) -> types.ReplayedDelivery:
        return await in_thread(self.sync.replay_audit_delivery, id, event_id, idempotency_key=idempotency_key)

    async def replay_audit_events(self, id: str, body: types.ReplayAuditEvents | None = None) -> types.ReplayedEvents:
        return await in_thread(self.sync.replay_audit_events, id, body)

    async def replay_notification(self, id: str, *, idempotency_key: str | None = None) -> types.ReplayedNotification:
        return await in_thread(self.sync.replay_notification, id, idempotency_key=idempotency_key)

    async def resolve_did(self, did: str) -> types.DidResolution | types.DidDocument:
        return await in_thread(self.sync.resolve_did, did)

    async def revoke_audit_link(self, letter_id: str, id: str) -> types.RevokedAuditLink:
        return await in_thread(self.sync.revoke_audit_link, letter_id, id)

    async def revoke_key(self, id: str, *, revoke_issued: types.RevokeKeyRevokeIssued | None = None) -> types.RevokedKey:
        return await in_thread(self.sync.revoke_key, id, revoke_issued=revoke_issued)

    async def revoke_own_key(self, *, revoke_issued: types.RevokeOwnKeyRevokeIssued | None = None) -> types.RevokedKey:
        return await in_thread(self.sync.revoke_own_key, revoke_issued=revoke_issued)

    async def revoke_tracking_link(self, letter_id: str) -> types.RevokedTrackingLink:
        return await in_thread(self.sync.revoke_tracking_link, letter_id)

    async def revoke_ucan(self, body: types.RevokeUcan) -> types.RevokedUcan:
        return await in_thread(self.sync.revoke_ucan, body)

    async def rotate_key(self, id: str, body: types.RotateKey | None = None, *, idempotency_key: str | None = None) -> types.RotatedKey:
        return await in_thread(self.sync.rotate_key, id, body, idempotency_key=idempotency_key)

    async def rotate_own_key(self, body: types.RotateKey | None = None, *, idempotency_key: str | None = None) -> types.RotatedKey:
        return await in_thread(self.sync.rotate_own_key, body, idempotency_key=idempotency_key)

    async def search_letters(self, body: types.SearchLettersBody) -> types.LettersFound:
        return await in_thread(self.sync.search_letters, body)

    async def search_reference(self, *, q: str | None = None) -> types.ReferenceSections:
        return await in_thread(self.sync.search_reference, q=q)

    async def send_letter(self, body: types.SendLetter, *, idempotency_key: str | None = None, if_match: str | None = None) -> types.SentLetter | types.HeldLetter:
        return await in_thread(self.sync.send_letter, body, idempotency_key=idempotency_key, if_match=if_match)

    async def send_letter_dry_run(self, body: types.SendLetter, *, if_match: str | None = None) -> types.DryRun:
        return await in_thread(self.sync.send_letter_dry_run, body, if_match=if_match)

    async def service_did(self) -> types.ServiceDid:
        return await in_thread(self.sync.service_did)

    async def service_info(self) -> types.ServiceInfo:
        return await in_thread(self.sync.service_info)

    async def set_did(self, body: types.SetDid | None = None) -> types.CallerDid | types.DidChallenge:
        return await in_thread(self.sync.set_did, body)

    async def set_key_policy(self, id: str, body: types.SetPolicy, *, if_match: str | None = None) -> types.Policy | types.PolicyChange:
        return await in_thread(self.sync.set_key_policy, id, body, if_match=if_match)

    async def set_policy(self, body: types.SetPolicy, *, if_match: str | None = None) -> types.Policy | types.PolicyChange:
        return await in_thread(self.sync.set_policy, body, if_match=if_match)

    async def set_ucan_policy(self, cid: str, body: types.SetPolicy, *, if_match: str | None = None) -> types.Policy | types.PolicyChange:
        return await in_thread(self.sync.set_ucan_policy, cid, body, if_match=if_match)

    async def signup(self, body: types.Register, *, idempotency_key: str | None = None) -> types.RegisteredAccount:
        return await in_thread(self.sync.signup, body, idempotency_key=idempotency_key)

    async def stop_email_change(self, body: types.StopEmailChange) -> types.StoppedEmailChange:
        return await in_thread(self.sync.stop_email_change, body)

    async def subscribe_audit(self, body: types.SubscribeAudit, *, idempotency_key: str | None = None) -> types.AuditWebhook | types.NewAuditWebhook:
        return await in_thread(self.sync.subscribe_audit, body, idempotency_key=idempotency_key)

    async def test_audit_webhook(self, id: str, *, idempotency_key: str | None = None) -> types.ReplayedDelivery:
        return await in_thread(self.sync.test_audit_webhook, id, idempotency_key=idempotency_key)

    async def test_webhook(self, *, idempotency_key: str | None = None) -> types.ReplayedNotification:
        return await in_thread(self.sync.test_webhook, idempotency_key=idempotency_key)

    async def top_up(self, body: types.TopUpRequest, *, idempotency_key: str | None = None) -> types.TopUp:
        return await in_thread(self.sync.top_up, body, idempotency_key=idempotency_key)

    async def track_letter(self, letter_id: str) -> types.TrackedLetter:
        return await in_thread(self.sync.track_letter, letter_id)

    async def unfreeze_account(self) -> types.Freeze:
        return await in_thread(self.sync.unfreeze_account)

    async def unfreeze_key(self, id: str) -> types.Freeze:
        return await in_thread(self.sync.unfreeze_key, id)

    async def unfreeze_ucan(self, body: types.UnfreezeUcan) -> types.Freeze:
        return await in_thread(self.sync.unfreeze_ucan, body)

    async def unsubscribe(self, *, token: str | None = None) -> types.Unsubscribed:
        return await in_thread(self.sync.unsubscribe, token=token)

    async def unsubscribe_audit(self, body: types.UnsubscribeAudit) -> types.RemovedAuditWebhooks:
        return await in_thread(self.sync.unsubscribe_audit, body)

    async def update_letter(self, id: str, body: types.UpdateLetter, *, if_match: str | None = None) -> types.Letter:
        return await in_thread(self.sync.update_letter, id, body, if_match=if_match)

    async def update_settings(self, body: types.UpdateSettings, *, idempotency_key: str | None = None) -> types.Settings:
        return await in_thread(self.sync.update_settings, body, idempotency_key=idempotency_key)

    async def upload_logo(self, body: types.UploadLogo, *, idempotency_key: str | None = None) -> types.Logo:
        return await in_thread(self.sync.upload_logo, body, idempotency_key=idempotency_key)

    async def verify_audit_program(self) -> str:
        return await in_thread(self.sync.verify_audit_program)

    async def verify_audit_sha256(self) -> str:
        return await in_thread(self.sync.verify_audit_sha256)

    async def verify_credential(self, body: types.VerifyCredentialBody) -> types.VerifiedCredential:
        return await in_thread(self.sync.verify_credential, body)

    async def verify_offer(self, body: types.VerifyDocument | None = None) -> types.VerifiedDocument:
        return await in_thread(self.sync.verify_offer, body)

    async def verify_ucan(self, body: types.VerifyUcan) -> types.UcanVerdict:
        return await in_thread(self.sync.verify_ucan, body)

    async def view_approval_picture(self, id: str, page: str, *, token: str | None = None) -> bytes:
        return await in_thread(self.sync.view_approval_picture, id, page, token=token)

    async def withdraw_account_closure(self) -> types.AccountClosure:
        return await in_thread(self.sync.withdraw_account_closure)

    async def x402_status(self, *, method: types.X402StatusMethod | None = None, path: str | None = None) -> types.X402Status:
        return await in_thread(self.sync.x402_status, method=method, path=path)
