"""The whole REST API, typed."""

from __future__ import annotations

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
        if status not in (*_FLOW, "cancelled", "failed"):
            raise InvalidArgumentsError(f"{status!r} is not a status of a letter.")
        ends_at = time.monotonic() + timeout
        while True:
            letter = self.track_letter(letter_id)
            if _reached(letter["status"], status):
                return letter
            if letter["status"] in ("delivered", "cancelled", "failed"):
                raise WaitError(
                    f"The letter {letter_id} is {letter['status']}; it will not be {status}.",
                    code="status_unreachable",
                    hint="Do not wait for it any more.",
                    letter=cast("dict[str, Any]", letter),
                )
            left = ends_at - time.monotonic()
            if left <= 0:
                raise WaitError(
                    f"The letter {letter_id} is {letter['status']} after {timeout:g} seconds.",
                    code="wait_timed_out",
                    hint="Letters take days: wait for a webhook, or ask again later.",
                    letter=cast("dict[str, Any]", letter),
                )
            self.sleep(min(poll, left))


def _reached(now: str, wanted: str) -> bool:
    if now == wanted:
        return True
    return now in _FLOW and wanted in _FLOW and _FLOW.index(now) > _FLOW.index(wanted)
