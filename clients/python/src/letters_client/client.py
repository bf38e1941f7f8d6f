"""The whole REST API, typed."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, cast

from .errors import InvalidArgumentsError, WaitError
from .operations import Operations

if TYPE_CHECKING:
    from . import types

_FLOW = ("draft", "queued", "processing", "posted", "in_transit", "delivered")


class Client(Operations):
    """Calls the service as one caller: `Client()` as `SERVICE_API_KEY` and `SERVICE_URL` say.

    Safe to use from several threads. Every method raises ServiceError.
    """

    def wait_for(
        self,
        letter_id: str,
        status: types.LetterStatus = "delivered",
        *,
        timeout: float = 300.0,
        poll: float = 2.0,
    ) -> types.TrackedLetter:
        """The letter once it has this status or a later one. `timeout` and `poll` are in seconds.

        Raises WaitError where it ended another way (`status_unreachable`) or is not there in time
        (`wait_timed_out`); either has `letter`.
        """
        waiting = Waiting(letter_id, status, timeout=timeout, poll=poll)
        while True:
            letter = self.track_letter(letter_id)
            pause = waiting.pause_after(letter)
            if pause is None:
                return letter
            self.sleep(pause)


class Waiting:
    """A wait for a status of a letter. Its caller reads the letter and sleeps. Raises InvalidArgumentsError"""

    def __init__(
        self, letter_id: str, status: types.LetterStatus, *, timeout: float, poll: float
    ) -> None:
        if status not in (*_FLOW, "cancelled", "failed"):
            raise InvalidArgumentsError(f"{status!r} is not a status of a letter.")
        # With NaN as a time, the wait would never end.
        if math.isnan(timeout) or not poll >= 0:
            raise InvalidArgumentsError(
                f"timeout {timeout} or poll {poll} is not a number of seconds."
            )
        self._letter_id = letter_id
        self._status = status
        self._timeout = timeout
        self._poll = poll
        self._ends_at = time.monotonic() + timeout

    def pause_after(self, letter: types.TrackedLetter) -> float | None:
        """Seconds until the next request; None where the letter has the status or a later one. Raises WaitError"""
        now = letter["status"]
        if _reached(now, self._status):
            return None
        if _is_over(now, self._status):
            raise WaitError(
                f"The letter {self._letter_id} is {now}; it will not be {self._status}.",
                code="status_unreachable",
                hint="Do not wait for it any more.",
                letter=cast("dict[str, Any]", letter),
            )
        left = self._ends_at - time.monotonic()
        if left <= 0:
            raise WaitError(
                f"The letter {self._letter_id} is {now} after {self._timeout:g} seconds.",
                code="wait_timed_out",
                hint="Letters take days: wait for a webhook, or ask again later.",
                letter=cast("dict[str, Any]", letter),
            )
        return min(self._poll, left)


def _is_over(now: str, wanted: str) -> bool:
    """Nothing follows an end, and a letter that is on its way is no longer cancelled."""
    on_its_way = now in ("posted", "in_transit")
    return now in ("delivered", "cancelled", "failed") or (wanted == "cancelled" and on_its_way)


def _reached(now: str, wanted: str) -> bool:
    if now == wanted:
        return True
    return now in _FLOW and wanted in _FLOW and _FLOW.index(now) > _FLOW.index(wanted)
