"""Whether a Verifiable Credential is one that the service issued. Ed25519 needs the extra `verify`."""

from __future__ import annotations

import base64
import binascii
import json
import re
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from .errors import ConfigurationError, WebhookError

_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_MULTIKEY = re.compile(f"z[{_ALPHABET}]{{40,60}}", re.ASCII)
# Multicodec ed25519-pub
_ED25519 = b"\xed\x01"


def ed25519(key: bytes) -> Callable[[bytes, bytes], bool]:
    """Whether a signature is the key's: `(signed, signature)`. Raises ConfigurationError"""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise ConfigurationError(
            "Audit webhooks and credentials are signed with Ed25519, which the standard library has not.",
            code="extra_missing",
            hint='Install it: pip install "letters-client[verify]"',
        ) from error
    try:
        public = Ed25519PublicKey.from_public_bytes(key)
    except ValueError as error:
        raise ConfigurationError("A public key is not valid.") from error

    def fits(signed: bytes, signature: bytes) -> bool:
        try:
            public.verify(signature, signed)
            return True
        except InvalidSignature:
            return False

    return fits


def _distrusted(why: str) -> WebhookError:
    return WebhookError(f"The credential is not valid: {why}.", code="credential_invalid")


def _key_in(multikey: object) -> bytes | None:
    if not isinstance(multikey, str) or not _MULTIKEY.fullmatch(multikey):
        return None
    value = 0
    for letter in multikey[1:]:
        value = value * 58 + _ALPHABET.index(letter)
    raw = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return raw[2:] if len(raw) == 34 and raw.startswith(_ED25519) else None


class _Key(NamedTuple):
    did: str
    """The issuer that the key signs as."""
    multikey: object
    until: object = None
    """When the key was retired. It does not vouch for later dates."""


def _objects_in(value: object) -> list[Mapping[str, Any]]:
    """The objects in a list. Ignores members of a document that have another form."""
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _keys_in(document: Mapping[str, Any]) -> tuple[str, dict[str, _Key]]:
    did = str(document.get("id"))
    listed = document.get("assertionMethod")
    asserting = [
        one.get("id") if isinstance(one, Mapping) else one
        for one in (listed if isinstance(listed, list) else ())
    ]
    keys: dict[str, _Key] = {}
    for method in _objects_in(document.get("verificationMethod")):
        kid = method.get("id")
        if isinstance(kid, str) and kid in asserting and "revoked" not in method:
            keys[kid] = _Key(did, method.get("publicKeyMultibase"), method.get("expires"))
    return did, keys


def _keys_of(issuer: Mapping[str, Any]) -> tuple[str, dict[str, _Key]]:
    """The DID of an issuer, and its keys by their `kid`."""
    if not isinstance(issuer, Mapping):
        return "", {}
    if "didDocument" not in issuer:
        return _keys_in(issuer)
    document = issuer["didDocument"]
    did, keys = _keys_in(document if isinstance(document, Mapping) else {})
    present = issuer.get("kid")
    # The document of a did:key names its first key only. Any other key has a `kid` of its own.
    if isinstance(present, str) and present.startswith("did:key:"):
        keys[present] = _Key(did, present.partition("#")[2])
    for former in _objects_in(issuer.get("retired_keys")):
        kid = former.get("kid")
        if not isinstance(kid, str):
            continue
        if former.get("revoked", False) is not False:
            keys.pop(kid, None)
        elif former.get("purpose") == "credential":
            # A service with a did:key had another DID for each former key. Such a key needs a statement to count.
            keys[kid] = _Key(
                kid.partition("#")[0],
                former.get("publicKeyMultibase"),
                former.get("valid_until"),
            )
    return did, keys


# Header `typ` of a statement by which a key says that its service goes on under another DID.
_CONTINUATION = "letters-continuation+jwt"


def _former_key(
    issuer: Mapping[str, Any], present: tuple[str, dict[str, _Key]], kid: str
) -> _Key | None:
    """The key of a did:key under which the service issued before it moved or got another key.

    The service must name it as its own, and the key must say that the service goes on under this DID: neither of
    them can claim the other alone.
    """
    did, keys = present
    former, _, multikey = kid.partition("#")
    named = next((key for key in keys.values() if key.multikey == multikey), None)
    raw = _key_in(multikey)
    if named is None or raw is None or former != f"did:key:{multikey}":
        return None
    for one in _objects_in(issuer.get("former_dids")):
        if one.get("did") != former:
            continue
        try:
            head, claims, signature = str(one.get("statement")).split(".")
            header, payload, signed = _object_in(head), _object_in(claims), _bytes_in(signature)
        except (ValueError, RecursionError):
            continue
        is_meant = (
            header.get("alg") == "EdDSA"
            and header.get("typ") == _CONTINUATION
            and header.get("kid") == kid
            and payload.get("iss") == former
            and payload.get("sub") == did
            and "formerOrigin" not in payload
        )
        if is_meant and ed25519(raw)(f"{head}.{claims}".encode(), signed):
            return named._replace(did=former)
    return None


# Tolerance for clocks that differ: as in the service and verify-audit.mjs.
_KEY_SKEW_SECONDS = 300.0


def _was_in_use(key: _Key, at: float) -> bool:
    """Whether a key was in use at a time. A key whose end is not a valid time was not."""
    if key.until is None:
        return True
    try:
        until = datetime.fromisoformat(str(key.until).replace("Z", "+00:00"))
    except ValueError:
        return False
    return at <= until.timestamp() + _KEY_SKEW_SECONDS


def _bytes_in(segment: str) -> bytes:
    """Decodes canonical base64url. Raises ValueError for other text."""
    raw = base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4))
    if base64.urlsafe_b64encode(raw).rstrip(b"=").decode() != segment:
        raise ValueError("not canonical base64url")
    return raw


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _object_in(segment: str) -> dict[str, Any]:
    # Bytes would also be read as UTF-16 or UTF-32.
    value = json.loads(_bytes_in(segment).decode(), parse_constant=_no_number)
    if isinstance(value, dict):
        return value
    raise ValueError("no object")


def _time_in(payload: Mapping[str, Any], name: str) -> float | None:
    time = payload.get(name)
    if time is None or (isinstance(time, (int, float)) and not isinstance(time, bool)):
        return time
    raise _distrusted(f"its {name} is not a number")


def verify_credential(
    jwt: str,
    issuer: Mapping[str, Any],
    *,
    now: float | None = None,
    tolerance: float = 300.0,
) -> dict[str, Any]:
    """What a Verifiable Credential (JWT) says, which `issuer` signed. Raises WebhookError `credential_invalid`

    `issuer` is the answer of `service_did()`, which knows former keys as well, or a DID document that you keep.
    Needs the extra `verify`.
    """
    head, _, rest = jwt.partition(".") if isinstance(jwt, str) else ("", "", "")
    claims, _, tail = rest.partition(".")
    try:
        header, payload, signature = _object_in(head), _object_in(claims), _bytes_in(tail)
    except (ValueError, binascii.Error, RecursionError) as error:
        raise _distrusted("it is no JWT") from error
    if header.get("alg") != "EdDSA" or "crit" in header:
        raise _distrusted("it is not Ed25519")
    did, keys = present = _keys_of(issuer)
    kid = str(header.get("kid"))
    own = keys.get(kid)
    known = own if own and own.did == did else _former_key(issuer, present, kid)
    expected = known.did if known else did
    if payload.get("iss") != expected:
        raise _distrusted(f"it is not issued by {expected}")
    raw = _key_in(known.multikey) if known else None
    if known is None or raw is None:
        raise _distrusted("its key is not one that the issuer signs with")
    if not ed25519(raw)(f"{head}.{claims}".encode(), signature):
        raise _distrusted("its signature does not fit")
    at = time.time() if now is None else now
    begins, ends = _time_in(payload, "nbf"), _time_in(payload, "exp")
    if begins is not None and begins > at + tolerance:
        raise _distrusted("it is of the future")
    if ends is not None and ends < at - tolerance:
        raise _distrusted("it has expired")
    if not _was_in_use(known, at if begins is None else begins):
        raise _distrusted("it is dated after its key was retired")
    vc = payload.get("vc")
    if not isinstance(vc, dict) or not isinstance(vc.get("credentialSubject"), dict):
        raise _distrusted("it says nothing of a subject")
    return payload


def verify_event(
    data: object, issuer: Mapping[str, Any], now: float | None, tolerance: float
) -> None:
    """The credential in an audit webhook, which must be of its letter and event. Raises WebhookError"""
    event = data if isinstance(data, dict) else {}
    payload = verify_credential(event.get("credential", ""), issuer, now=now, tolerance=tolerance)
    letter = payload["vc"]["credentialSubject"].get("letterId")
    if (
        letter != event.get("letter_id")
        or payload.get("jti") != f"urn:uuid:{event.get('event_id')}"
    ):
        raise _distrusted("it is of another event")
