"""Requests as a caller may repeat them: never obeyed twice, never paid twice."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from threading import Lock
from typing import TYPE_CHECKING, Any, TypedDict
from urllib.parse import quote, urlencode

from .errors import (
    ApprovalError,
    FrozenError,
    InvalidAnswerError,
    InvalidArgumentsError,
    PaymentRequiredError,
    PolicyDeniedError,
    RateLimitedError,
    RedirectRefusedError,
    RefusedError,
    ServiceError,
    UnreachableError,
)
from .settings import Settings, in_range, read_settings

if TYPE_CHECKING:
    from .payments import Pay, Payer
    from .transport import Answer, Request, Transport

VERSION = "0.2.0"

_PAYABLE = "Pay by x402 with a payer, or give an API key whose wallet covers it."
_NO_KEY = "Set SERVICE_API_KEY to a valid key of the service."
_REPEAT = "Repeat it with the same idempotency_key: it is then never obeyed, nor paid, twice."
_WAITS = "The letter waits for a person who approves it. Do not send it again."
# 408: the request did not arrive in time, so that it was not begun.
_UNAVAILABLE = (408, 502, 503, 504)
# Codes of 409 that pass by themselves; a repetition is the same request.
_PASSING = ("idempotency_in_progress", "payment_pending")


class Options(TypedDict, total=False):
    """How requests are made."""

    # Seconds for one request, until the last byte of its answer; 30.
    timeout: float
    # How often a request is repeated that may be; 3.
    retries: int
    # Seconds that all pauses of a call may take together; what asks for more is an error at once. 60.
    max_wait: float
    # What pays where x402 asks for it; without one it is an error.
    payer: Payer | Pay | None
    # In place of the network, for tests or an HTTP library of your own.
    transport: Transport | None
    # In place of `time.sleep`.
    sleep: Callable[[float], None]


class ClientOptions(Options, total=False):
    """Whom to call, as whom, and how. Absent: `SERVICE_URL` and `SERVICE_API_KEY`."""

    base_url: str | None
    api_key: str | None


def _retry_after(answer: Answer) -> float | None:
    text = answer.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    if not text:
        return None
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _problem(body: bytes) -> dict[str, Any] | None:
    """The problem document. `mech_execute` has an envelope instead, with the same members in its `error`."""
    problem = _object(body)
    error = problem.get("error") if problem else None
    return error if isinstance(error, dict) else problem


def _requirements(answer: Answer) -> dict[str, Any] | None:
    from .payments import decode_header

    required = decode_header(answer.headers.get("payment-required")) or {}
    accepts = required.get("accepts")
    usable = isinstance(accepts, list) and accepts and all(isinstance(one, dict) for one in accepts)
    return required if usable else None


def _media_type(answer: Answer) -> str:
    return answer.headers.get("content-type", "").partition(";")[0].strip().lower()


def _invalid(answer: Answer, expected: str) -> InvalidAnswerError:
    start = answer.body[:200].decode("utf-8", "replace")
    text = f"The answer {answer.status} is no {expected}; it begins {start!r}."
    return InvalidAnswerError(text, status=answer.status, retry_after=_retry_after(answer))


_GUARDED: dict[str, type[RefusedError]] = {
    "policy_denied": PolicyDeniedError,
    "frozen": FrozenError,
    "approval_required": ApprovalError,
    "approval_pending": ApprovalError,
}


def _refusal_of(answer: Answer) -> ServiceError:
    status, wait = answer.status, _retry_after(answer)
    if 300 <= status < 400:
        where = answer.headers.get("location", "nowhere")[:200]
        return RedirectRefusedError(f"The service redirects to {where}.", status=status)
    problem = _problem(answer.body)
    if problem is None or not isinstance(problem.get("detail"), str):
        if status == 429:
            return RateLimitedError("Too many requests.", status=status, retry_after=wait)
        return _invalid(answer, "problem document")
    detail, code = problem["detail"], problem.get("code")
    more: dict[str, Any] = {
        "code": code if isinstance(code, str) else None,
        **{"status": status, "retry_after": wait, "problem": problem},
    }
    if status == 429:
        return RateLimitedError(detail, **more)
    if status == 402:
        required = _requirements(answer)
        hint = _PAYABLE if required else None
        return PaymentRequiredError(detail, requirements=required, hint=hint, **more)
    guarded = _GUARDED.get(code) if isinstance(code, str) else None
    if guarded is not None:
        return guarded(detail, hint=_WAITS if code == "approval_pending" else None, **more)
    return RefusedError(detail, hint=_NO_KEY if status == 401 else None, **more)


def _whole(name: str, text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidArgumentsError(f"{name} has half of a surrogate pair.") from error
    return text


def _query_text(name: str, value: Any) -> str:
    return _whole(name, str(value).lower() if isinstance(value, bool) else str(value))


def _pairs(query: Mapping[str, Any]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for name, value in query.items():
        if isinstance(value, Mapping):
            for key, one in value.items():
                pairs.append((_whole(name, f"{name}[{key}]"), _query_text(name, one)))
        elif isinstance(value, Sequence) and not isinstance(value, str):
            pairs += [(name, _query_text(name, one)) for one in value]
        elif value is not None:
            pairs.append((name, _query_text(name, value)))
    return pairs


def fill_path(path: str, params: Mapping[str, str]) -> str:
    """A path with its `{parameters}` filled in; a value is one segment, whatever is in it."""
    for name, value in params.items():
        text = quote(_whole(name, str(value)), safe=":")
        # Clients and proxies resolve dots, encoded or not.
        if text in ("", ".", ".."):
            raise InvalidArgumentsError(f"{name} may not be {str(value)!r}.")
        path = path.replace("{" + name + "}", text)
    return path


def _payer(given: Payer | Pay | None) -> Payer | None:
    if given is None:
        return None
    from .payments import Payer

    return given if isinstance(given, Payer) else Payer(given)


def _send(request: Request) -> Answer:
    # The network is not loaded before it is used: importing this library is cheap.
    from .transport import send

    return send(request)


def _request(
    method: str, url: str, headers: dict[str, str], body: bytes | None, timeout: float
) -> Request:
    from .transport import Request

    return Request(method, url, headers, body, timeout)


def _header_text(name: str, text: str) -> str:
    if text and all(" " <= letter <= "~" for letter in text):
        return text
    raise InvalidArgumentsError(f"{name} must be printable ASCII without line breaks.")


_KEY_HEADER = "Idempotency-Key"


def _given_key(argument: str | None, headers: Mapping[str, str]) -> str | None:
    """The caller's own idempotency key, which may stand among the headers. Raises InvalidArgumentsError"""
    keys = [text for name, text in headers.items() if name.lower() == _KEY_HEADER.lower()]
    if argument is not None:
        keys.append(argument)
    if len(set(keys)) > 1:
        raise InvalidArgumentsError("The request has two idempotency keys that differ.")
    return _header_text("idempotency_key", keys[0]) if keys else None


def _new_key() -> str:
    from uuid import uuid4

    return str(uuid4())


def _encode(body: Any) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgumentsError(f"The body cannot be written as JSON: {error}") from error


def _is_final(error: ServiceError) -> bool:
    """Whether it is settled that the request was not obeyed, and will not be with the payment it showed."""
    passing = error.code in _PASSING or error.status in (408, 429)
    return isinstance(error, RefusedError) and (error.status or 0) < 500 and not passing


class Attempts:
    """The progress of a call. After a pause the call goes on under the same key."""

    def __init__(self) -> None:
        self.key: str | None = None
        self.repeated = 0
        # Seconds of all pauses.
        self.paused = 0.0


class Pausing(Exception):
    """Says that an awaited call pauses and is made again after these seconds. Callers never see it."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


# The call that a thread makes for asyncio.
awaited_attempts: ContextVar[Attempts | None] = ContextVar("awaited_attempts", default=None)


_MOST_CALLERS = 100
# The last log position that each caller wrote, in all clients of this program: what it reads next has reached it.
_positions: dict[Settings, int] = {}
_positions_lock = Lock()


def _position_of(caller: Settings) -> int:
    with _positions_lock:
        return _positions.get(caller, 0)


def _note_position(caller: Settings, position: int) -> None:
    with _positions_lock:
        _positions[caller] = max(_positions.pop(caller, 0), position)
        if len(_positions) > _MOST_CALLERS:
            del _positions[next(iter(_positions))]


def _forget_position(caller: Settings) -> None:
    with _positions_lock:
        _positions.pop(caller, None)


class Session:
    """Calls the service as one caller. Safe to use from several threads."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 30.0,
        retries: int = 3,
        max_wait: float = 60.0,
        payer: Payer | Pay | None = None,
        transport: Transport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Without an address and a key those of `SERVICE_URL` and `SERVICE_API_KEY`; else see `Options`.

        Raises ConfigurationError
        """
        self.settings = read_settings(base_url, api_key)
        self.sleep = sleep
        self._timeout = in_range("timeout", timeout, 0.001)
        self._retries = in_range("retries", retries, 0)
        self._max_wait = in_range("max_wait", max_wait, 0)
        self._transport = transport
        self._payer = _payer(payer)

    def call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        accept: str = "application/json",
        keyed: bool = False,
        idempotency_key: str | None = None,
        headers: Mapping[str, str] | None = None,
        reads: bool = False,
        awaits_writes: bool = False,
    ) -> Answer:
        """The answer of a request that succeeded. `keyed`: it takes an `Idempotency-Key`, which is made
        where none is given and kept over repetitions. A given key, also one in `headers`, implies `keyed`.
        `reads`: it changes nothing, as a GET. `awaits_writes`: it answers or decides by what was written
        before, and takes `X-Min-Log-Position`, as a GET. Raises ServiceError"""
        pairs = _pairs(query or {})
        url = self.settings.base_url + fill_path(path, params or {})
        if pairs:
            url = f"{url}?{urlencode(pairs)}"
        given = _given_key(idempotency_key, headers or {})
        keyed = keyed or given is not None
        awaited = awaited_attempts.get() if self.sleep is time.sleep else None
        attempts = awaited or Attempts()
        key = attempts.key = given or attempts.key or _new_key()
        all_headers = self._headers(accept, headers or {}, method == "GET" or awaits_writes)
        if keyed:
            all_headers[_KEY_HEADER] = key
        payload = None
        if body is not None:
            payload = _encode(body)
            all_headers["Content-Type"] = "application/json"
        try:
            safe = method == "GET" or reads
            request = _request(method, url, all_headers, payload, self._timeout)
            # A request of a payer or a transport to the service is another call.
            own = awaited_attempts.set(None)
            try:
                answer = self._repeat(request, attempts, keyed, keyed or safe, awaited is not None)
            finally:
                awaited_attempts.reset(own)
        except ServiceError as error:
            error.idempotency_key = key if keyed else None
            error.unsettled = keyed and error.unsettled
            error.retryable = _pause(error, 0, repeatable=True) is not None
            if error.unsettled and isinstance(error, RefusedError) and not error.retry_after:
                error.hint = _REPEAT
            raise
        self._note_position(answer)
        return answer

    def json(self, method: str, path: str, **request: Any) -> Any:
        """As `call`; the JSON of the answer."""
        return json.loads(self.call(method, path, **request).body)

    def _headers(
        self, accept: str, headers: Mapping[str, str], awaits_writes: bool
    ) -> dict[str, str]:
        own = {"Accept": accept, "User-Agent": f"letters-client-python/{VERSION}"}
        if self.settings.api_key is not None:
            own["Authorization"] = f"Bearer {self.settings.api_key}"
            position = _position_of(self.settings)
            if awaits_writes and position > 0:
                own["X-Min-Log-Position"] = str(position)
        others = {
            name: _header_text(name, text)
            for name, text in headers.items()
            if name.lower() != _KEY_HEADER.lower()
        }
        return {**own, **others}

    def _note_position(self, answer: Answer) -> None:
        position = answer.headers.get("x-log-position", "")
        if position.isascii() and position.isdigit() and len(position) < 20:
            _note_position(self.settings, int(position))

    def _ask(self, request: Request) -> Answer | ServiceError:
        try:
            answer = (self._transport or _send)(request)
        except UnreachableError as error:
            return error
        if not 200 <= answer.status < 300:
            return _refusal_of(answer)
        accept = request.headers["Accept"]
        if accept == "application/json":
            return answer if _object(answer.body) is not None else _invalid(answer, "JSON object")
        # A list of media types is the caller's own, who looks at what came.
        if not set(accept) & set("*,;") and _media_type(answer) != accept:
            return _invalid(answer, accept)
        return answer

    def _repeat(
        self, request: Request, attempts: Attempts, keyed: bool, repeatable: bool, awaited: bool
    ) -> Answer:
        payer = self._payer
        # A caller may use one key for several operations. The service may have moved since it was paid.
        key = f"{request.url.removeprefix(self.settings.base_url)} {attempts.key}"
        headers = request.headers
        while True:
            paid = payer.shown(key) if payer else None
            if paid is not None:
                headers = {**headers, "PAYMENT-SIGNATURE": paid}
            outcome = self._ask(request._replace(headers=headers))
            if not isinstance(outcome, ServiceError):
                if payer and not keyed:
                    payer.forget(key)
                return outcome
            if payer and paid is None and isinstance(outcome, PaymentRequiredError):
                if outcome.requirements:
                    # Once in a call: what follows shows this payment again, and never another.
                    payer.pay(outcome.requirements, key)
                    continue
            if outcome.code == "position_beyond_log" and "X-Min-Log-Position" in headers:
                del headers["X-Min-Log-Position"]
                # The log is that of a backup: what was written to the former one is not waited for.
                _forget_position(self.settings)
                continue
            pause = _pause(outcome, attempts.repeated, repeatable)
            left = self._max_wait - attempts.paused
            if pause is None or attempts.repeated >= self._retries or pause > left:
                outcome.unsettled = not _is_final(outcome)
                if payer and paid is not None and _is_final(outcome):
                    outcome.unsettled = not payer.refused(key)
                raise outcome
            attempts.paused += pause
            attempts.repeated += 1
            if awaited:
                raise Pausing(pause)
            self.sleep(pause)


def _pause(error: ServiceError, repeated: int, repeatable: bool) -> float | None:
    """Seconds after which the request may be repeated; None where it may not."""
    from random import uniform

    usual = 0.25 * 2 ** min(repeated, 6) * uniform(0.75, 1.25)
    wait = usual if error.retry_after is None else error.retry_after
    if isinstance(error, UnreachableError):
        return usual if repeatable or not error.sent else None
    if isinstance(error, RateLimitedError):
        return wait
    passing = error.status in _UNAVAILABLE or error.code in _PASSING
    return wait if passing and repeatable else None
