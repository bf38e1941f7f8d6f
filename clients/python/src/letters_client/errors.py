"""What can go wrong, each as a type of its own, and as data that an agent can act on."""

from __future__ import annotations

from typing import Any


class ServiceError(Exception):
    """The base of all errors of this library. `code` is stable, `hint` says what to do."""

    code = "service_error"
    hint = ""

    def __init__(
        self,
        detail: str,
        *,
        code: str | None = None,
        hint: str | None = None,
        status: int | None = None,
        retry_after: float | None = None,
        problem: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or type(self).code
        self.hint = type(self).hint if hint is None else hint
        self.status = status
        # Seconds to wait before the request is repeated, where the service said so.
        self.retry_after = retry_after
        # The problem document (RFC 9457) as the service sent it.
        self.problem = problem or {}
        # The key of the request: repeated with it, the request is never obeyed twice.
        self.idempotency_key: str | None = None
        # Whether the request may have been obeyed, or still may be.
        self.unsettled = False
        # Whether the same call may succeed later.
        self.retryable = False

    def __str__(self) -> str:
        return f"{self.detail} {self.hint}".strip()

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors go from process to process, whatever their constructors take.
        return _revived, (type(self), self.args, self.__dict__)

    def _denial(self) -> dict[str, Any] | None:
        if self.code != "policy_denied":
            return None
        names = ("policy", "rule", "limit", "used", "resets_at", "time_zone")
        return {name: self.problem[name] for name in names if name in self.problem}

    def as_data(self) -> dict[str, Any]:
        """The error as a tool's answer: `{"error": {...}}`, without members that say nothing."""
        members = {
            "code": self.code,
            "status": self.status,
            "detail": self.detail,
            "hint": self.hint,
            "errors": self.problem.get("errors"),
            "policy_denied": self._denial(),
            "frozen": self.problem.get("frozen"),
            "retryable": self.retryable,
            "retry_after": self.retry_after,
            "request_id": self.problem.get("request_id"),
            "idempotency_key": self.idempotency_key if self.unsettled else None,
        }
        return {"error": {name: value for name, value in members.items() if value}}


def _revived(kind: type[ServiceError], args: Any, state: dict[str, Any]) -> ServiceError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class ConfigurationError(ServiceError):
    """The library is not set up: no network was touched."""

    code = "invalid_options"


class InvalidArgumentsError(ServiceError):
    """The arguments do not fit the tool: nothing was sent."""

    code = "invalid_arguments"
    hint = "Correct the arguments and call again. Nothing was sent."


class NotConfirmedError(ServiceError):
    """The `confirm` hook said no: nothing was sent."""

    code = "not_confirmed"
    hint = "The user did not confirm. Nothing was sent; ask before you try again."


class UnreachableError(ServiceError):
    """No answer came: the service is down, or the connection broke. `sent`: whether it may have been obeyed."""

    code = "server_unreachable"

    def __init__(self, detail: str, *, sent: bool) -> None:
        super().__init__(
            detail,
            hint="It is not known whether the request was obeyed. Repeat it with the same "
            "idempotency_key, if there is one: it is then never obeyed twice."
            if sent
            else "Nothing was sent. See that SERVICE_URL is right and the service runs, and call again.",
        )
        self.sent = sent


class TimedOutError(UnreachableError):
    """No complete answer came in time."""

    code = "timed_out"


class RedirectRefusedError(ServiceError):
    """The service answered with a redirect: keys and payments are sent to no other address."""

    code = "redirect_refused"
    hint = "Set SERVICE_URL to the final address of the service. Nothing was sent to the other one."


class InvalidAnswerError(ServiceError):
    """The answer is not what the service promises: a proxy or another server answered."""

    code = "not_json"
    hint = (
        "See that SERVICE_URL leads to the service itself. If the request spends money, repeat it "
        "only with the same idempotency_key."
    )


class RefusedError(ServiceError):
    """The service said no. `code` is that of its problem document, `problem` the whole of it."""

    code = "refused"


class PolicyDeniedError(RefusedError):
    """A policy of the account, its key or its UCAN denies it. Nothing was sent or charged."""

    code = "policy_denied"
    hint = "Nothing was sent. Wait until resets_at, send another letter, or ask the owner of the account."

    @property
    def rule(self) -> str | None:
        """The rule that denies; None: no rule allows it."""
        return self.problem.get("rule")

    @property
    def limit(self) -> dict[str, Any] | None:
        """The limit that is reached: `amount` (USD) or `letters`, and `per`."""
        return self.problem.get("limit")

    @property
    def used(self) -> float | None:
        """What is used of the limit, in its unit."""
        return self.problem.get("used")

    @property
    def resets_at(self) -> str | None:
        """When it may be sent; None: not by waiting."""
        return self.problem.get("resets_at")

    @property
    def time_zone(self) -> str | None:
        """Of a limit by hour, day or month: the zone in which its periods begin."""
        return self.problem.get("time_zone")


class FrozenError(RefusedError):
    """The credential or its account is frozen: it reads and cancels, and spends nothing."""

    code = "frozen"
    hint = (
        "This call sent nothing; an earlier one with the same idempotency_key may have. "
        "Stop, and tell the owner of the account."
    )

    @property
    def frozen(self) -> str | None:
        """`account`, the id of a key, or `ucan:<cid>`."""
        return self.problem.get("frozen")


class ApprovalError(RefusedError):
    """It needs an approval: `approval_required`, or `approval_pending` where it waits for one."""

    code = "approval_required"
    hint = (
        "Nothing changed. With the change, a person must approve the letter: "
        "cancel it first, then send a new one."
    )


class RateLimitedError(RefusedError):
    """Too many requests, for longer than the client may wait."""

    code = "rate_limited"
    hint = "Wait for retry_after seconds, then call again. Nothing was done."


class PaymentRequiredError(RefusedError):
    """It must be paid for. `requirements` is what x402 asks for; None where no payment helps."""

    code = "payment_required"

    def __init__(
        self, detail: str, *, requirements: dict[str, Any] | None = None, **more: Any
    ) -> None:
        super().__init__(detail, **more)
        self.requirements = requirements


class SpendCapError(PaymentRequiredError):
    """The payer may not pay as much, or not in this asset. Nothing was paid."""

    code = "payment_above_cap"
    hint = "Nothing was paid. Ask the user whether the caps of the payer should be raised."


class PayerError(PaymentRequiredError):
    """The payer did not make a payment. Nothing was paid."""

    code = "payment_not_signed"
    hint = "Nothing was paid. See that the payer's wallet works, and call again."


class WaitError(ServiceError):
    """The letter did not get there in time, or will not get there. `letter` is how it stands."""

    def __init__(self, detail: str, *, code: str, hint: str, letter: dict[str, Any]) -> None:
        super().__init__(detail, code=code, hint=hint)
        self.letter = letter


class WebhookError(ServiceError):
    """The message is not from the service, or too old: do not act on it, answer it 401."""

    code = "webhook_invalid"
    hint = "Do not act on the message; answer it with status 401."
