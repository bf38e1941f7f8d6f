"""Prints and posts real letters: a typed client, and tools for agents. Nothing is loaded before it is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import (
    ApprovalError,
    ConfigurationError,
    FrozenError,
    InvalidAnswerError,
    InvalidArgumentsError,
    NotConfirmedError,
    PayerError,
    PaymentRequiredError,
    PolicyDeniedError,
    RateLimitedError,
    RedirectRefusedError,
    RefusedError,
    ServiceError,
    SpendCapError,
    TimedOutError,
    UnreachableError,
    WaitError,
    WebhookError,
)

if TYPE_CHECKING:
    from .async_client import AsyncClient
    from .client import Client
    from .credentials import verify_credential
    from .payments import Payer
    from .tools import Tool, catalogue, execute, select_tools
    from .webhooks import verify_audit_webhook, verify_webhook

_PLACES = {
    "AsyncClient": "async_client",
    "Client": "client",
    "Payer": "payments",
    "Tool": "tools",
    "catalogue": "tools",
    "execute": "tools",
    "select_tools": "tools",
    "verify_audit_webhook": "webhooks",
    "verify_credential": "credentials",
    "verify_webhook": "webhooks",
}

__all__ = [
    "ApprovalError",
    "AsyncClient",
    "Client",
    "ConfigurationError",
    "FrozenError",
    "InvalidAnswerError",
    "InvalidArgumentsError",
    "NotConfirmedError",
    "Payer",
    "PayerError",
    "PaymentRequiredError",
    "PolicyDeniedError",
    "RateLimitedError",
    "RedirectRefusedError",
    "RefusedError",
    "ServiceError",
    "SpendCapError",
    "TimedOutError",
    "Tool",
    "UnreachableError",
    "WaitError",
    "WebhookError",
    "catalogue",
    "execute",
    "select_tools",
    "verify_audit_webhook",
    "verify_credential",
    "verify_webhook",
]


def __getattr__(name: str) -> Any:
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{place}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
