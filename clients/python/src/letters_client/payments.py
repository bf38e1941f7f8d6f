"""x402: what is paid, by whom, and up to how much."""

from __future__ import annotations

import base64
import binascii
import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import Any

from .errors import PayerError, SpendCapError

# Given what x402 asks for (`{x402Version, resource, accepts}`, with one entry in `accepts`), the payment: as
# an object, or as the text of the header `PAYMENT-SIGNATURE`.
Pay = Callable[[dict[str, Any]], "str | Mapping[str, Any]"]

# Circle's USDC on Base and Base Sepolia. Source: developers.circle.com, USDC contract addresses.
USDC = {
    "eip155:8453": "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
    "eip155:84532": "0x036cbd53842c5426634e7929541ec2318f3dcf7e",
}

_ATOMIC_PER_USD = 1_000_000
_REMEMBERED = 1000


def decode_header(text: str | None) -> dict[str, Any] | None:
    """The JSON object in a header of x402, in base64; None where there is none."""
    try:
        value = json.loads(base64.b64decode(text or "", validate=True))
    except (ValueError, binascii.Error):
        return None
    return value if isinstance(value, dict) else None


def _encoded(payment: str | Mapping[str, Any]) -> str:
    if isinstance(payment, str):
        # Base64 in several lines, for example, is no header.
        if not payment or not all("!" <= letter <= "~" for letter in payment):
            raise ValueError("the payment is not one line of base64")
        return payment
    if not isinstance(payment, Mapping):
        raise TypeError(f"it answered {payment!r}")
    return base64.b64encode(json.dumps(payment, separators=(",", ":")).encode()).decode()


def _member(value: object, *names: str) -> object:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _exceeds(header: str, amount: int) -> bool:
    """Whether a signed payment moves more, where it names what it moves."""
    payment = decode_header(header)
    signed = _member(payment, "payload", "authorization", "value")
    if signed is None:
        signed = _member(payment, "accepted", "amount")
    text = str(signed)
    return signed is not None and not (text.isdecimal() and int(text) <= amount)


class _Payment:
    def __init__(self, header: str) -> None:
        self.header = header
        # How often it was shown to the service.
        self.times = 0


class Payer:
    """Pays what x402 asks for, within caps in USD. Use one for as long as its `max_total` is to hold.

    `assets` names what it may pay in, as `"<CAIP-2 network>/<contract>"`; without it USDC on Base and
    Base Sepolia. Only tokens that count in millionths of a dollar, as USDC does, may be named.
    """

    def __init__(
        self,
        pay: Pay,
        *,
        max_payment: float = 20.0,
        max_total: float = 100.0,
        assets: Iterable[str] | None = None,
    ) -> None:
        self._pay = pay
        self._max_payment = round(max_payment * _ATOMIC_PER_USD)
        self._max_total = round(max_total * _ATOMIC_PER_USD)
        named = (
            [f"{network}/{asset}" for network, asset in USDC.items()] if assets is None else assets
        )
        self._assets = {name.lower() for name in named}
        self._lock = Lock()
        self._signed = 0
        # Payments by their request, unless it was refused: a repetition shows the same one.
        self._open: OrderedDict[str, _Payment] = OrderedDict()

    @property
    def signed_usd(self) -> float:
        """What was signed for so far; also what was never taken counts, since it still can be."""
        return self._signed / _ATOMIC_PER_USD

    def shown(self, request: str) -> str | None:
        """The payment that was made for this request, which is shown once more now."""
        payment = self._open.get(request)
        if payment is None:
            return None
        payment.times += 1
        return payment.header

    def refused(self, request: str) -> bool:
        """Whether another may be made: of what was shown before, the answer to that may have got lost."""
        payment = self._open.get(request)
        if payment is not None and payment.times > 1:
            return False
        self.forget(request)
        return True

    def forget(self, request: str) -> None:
        """The request will not be repeated."""
        self._open.pop(request, None)

    def pay(self, requirements: dict[str, Any], request: str) -> None:
        """Makes a payment, unless there is one for this request: its path and idempotency key. Raises SpendCapError, PayerError"""
        with self._lock:
            if request in self._open:
                return
            chosen, amount = self._choose(requirements)
            if self._signed + amount > self._max_total:
                raise self._refusal(requirements, amount, "max_total", self._max_total)
            try:
                header = _encoded(self._pay({**requirements, "accepts": [chosen]}))
            except Exception as error:
                text = f"The payer made no payment: {str(error) or type(error).__name__}"
                raise PayerError(text, requirements=requirements) from error
            if _exceeds(header, amount):
                raise SpendCapError(
                    "The payer signed more than was asked for; it was not sent.",
                    requirements=requirements,
                )
            self._signed += amount
            self._open[request] = _Payment(header)
            while len(self._open) > _REMEMBERED:
                self._open.popitem(last=False)

    def _choose(self, requirements: dict[str, Any]) -> tuple[dict[str, Any], int]:
        known: list[tuple[int, dict[str, Any]]] = []
        for entry in requirements.get("accepts", []):
            name = f"{entry.get('network')}/{entry.get('asset')}".lower()
            atomic = str(entry.get("amount", ""))
            if entry.get("scheme") == "exact" and name in self._assets and atomic.isdecimal():
                known.append((int(atomic), entry))
        if not known:
            raise SpendCapError(
                "The service takes no asset that the payer may pay in.",
                code="asset_not_allowed",
                hint="Nothing was paid. If the asset is worth a dollar and has six decimals, name it "
                "in the assets of the payer.",
                requirements=requirements,
            )
        amount, chosen = min(known, key=lambda one: one[0])
        if amount > self._max_payment:
            raise self._refusal(requirements, amount, "max_payment", self._max_payment)
        return chosen, amount

    def _refusal(
        self, requirements: dict[str, Any], amount: int, cap: str, limit: int
    ) -> SpendCapError:
        usd, most = amount / _ATOMIC_PER_USD, limit / _ATOMIC_PER_USD
        text = f"It costs ${usd:.2f}, and {cap} of the payer is ${most:.2f}"
        signed = f", of which ${self.signed_usd:.2f} are signed for" if cap == "max_total" else ""
        return SpendCapError(f"{text}{signed}.", requirements=requirements)
