"""Whether a webhook comes from the service: Standard Webhooks, by HMAC or by Ed25519."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .credentials import ed25519, verify_event
from .errors import ConfigurationError, WebhookError

TOLERANCE_S = 300.0


def _header_text(value: object) -> str:
    """Some servers give the values of a header as a list. Only texts are values."""
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    return first if isinstance(first, str) else ""


def _signed_part(
    body: bytes, headers: Mapping[str, str], now: float | None, tolerance: float
) -> tuple[bytes, list[list[str]]]:
    """What was signed, and the signatures as [version, base64]. Raises WebhookError"""
    named = {name.lower(): _header_text(value) for name, value in headers.items()}
    message_id = named.get("webhook-id", "")
    timestamp = named.get("webhook-timestamp", "")
    if not message_id or not (timestamp.isascii() and timestamp.isdigit()) or len(timestamp) > 12:
        raise WebhookError("The headers webhook-id and webhook-timestamp are missing or malformed.")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        raise WebhookError("The timestamp is too far off.", code="webhook_too_old")
    signatures = [part.split(",", 1) for part in named.get("webhook-signature", "").split(" ")]
    # Some servers pass bytes that are not UTF-8 as surrogates.
    head = f"{message_id}.{timestamp}.".encode(errors="surrogatepass")
    return head + body, [one for one in signatures if len(one) == 2]


def _decode(text: str, what: str) -> bytes:
    try:
        key = base64.b64decode(text, validate=True)
        # Everybody can sign with an empty key.
        if not key:
            raise ValueError("it is empty")
        return key
    except (ValueError, binascii.Error) as error:
        raise ConfigurationError(
            f"{what} is not valid.", hint=f"Give {what} as the service showed it."
        ) from error


def _given(values: str | Iterable[str], what: str) -> list[str]:
    found = [values] if isinstance(values, str) else list(values or ())
    if not all(isinstance(one, str) and one for one in found) or not found:
        raise ConfigurationError(
            f"{what} is missing.", hint=f"Give {what} as the service showed it."
        )
    return found


def _raw(body: object) -> bytes:
    if isinstance(body, str):
        return body.encode(errors="surrogatepass")
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body)
    # Many frameworks offer the parsed body first.
    raise ConfigurationError(
        f"The body of the webhook is a {type(body).__name__}, not the bytes that came.",
        hint="Give the body before it is parsed: request.get_data() in Flask, request.body in Django, "
        "await request.body() in FastAPI.",
    )


def _verified(
    body: bytes | str,
    headers: Mapping[str, str],
    now: float | None,
    tolerance: float,
    version: str,
    fits: Callable[[bytes, bytes], bool],
) -> dict[str, Any]:
    raw = _raw(body)
    signed, signatures = _signed_part(raw, headers, now, tolerance)
    for kind, text in signatures:
        if kind != version:
            continue
        try:
            signature = base64.b64decode(text, validate=True)
        except (ValueError, binascii.Error):
            continue
        if fits(signed, signature):
            return _message(raw)
    raise WebhookError("No signature fits.", code="webhook_signature_invalid")


def _message(raw: bytes) -> dict[str, Any]:
    try:
        message = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise WebhookError("The body is not JSON.") from error
    if not isinstance(message, dict):
        raise WebhookError("The body is not an object.")
    return message


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Iterable[str],
    *,
    now: float | None = None,
    tolerance: float = TOLERANCE_S,
) -> dict[str, Any]:
    """The message `{type, timestamp, data}` of a status webhook, which is the service's. Raises WebhookError

    `body` is what came, before anything parsed it; `secret` one or more `whsec_…`.
    """
    keys = [
        _decode(one.removeprefix("whsec_"), "the secret of the webhook")
        for one in _given(secret, "the secret of the webhook")
    ]

    def fits(signed: bytes, signature: bytes) -> bool:
        return any(
            hmac.compare_digest(hmac.new(key, signed, hashlib.sha256).digest(), signature)
            for key in keys
        )

    return _verified(body, headers, now, tolerance, "v1", fits)


def verify_audit_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    public_keys: str | Iterable[str],
    *,
    issuer: Mapping[str, Any] | None = None,
    now: float | None = None,
    tolerance: float = TOLERANCE_S,
) -> dict[str, Any]:
    """The message of an audit webhook, which is the service's. Raises WebhookError

    `public_keys` are one or more `whpk_…`: the `public_key` of the subscription, or `webhook_public_keys` of
    `service_did()`. With `issuer`, the answer of `service_did()` or a DID document, the credential in it is
    verified as well, and must be of this letter and event; else it is not looked at. Needs the extra `verify`.
    """
    what = "the public key of the webhook"
    keys = [ed25519(_decode(one.removeprefix("whpk_"), what)) for one in _given(public_keys, what)]

    def fits(signed: bytes, signature: bytes) -> bool:
        return any(key(signed, signature) for key in keys)

    message = _verified(body, headers, now, tolerance, "v1a", fits)
    if issuer is not None:
        verify_event(message.get("data"), issuer, now, tolerance)
    return message
