"""The same client for asyncio: each request runs in a thread."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from .async_operations import AsyncOperations
from .client import Client, Waiting

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import types
    from .session import Options


class AsyncClient(AsyncOperations):
    """As `Client`, awaited. A cancelled request ends in its thread: the service may still do it."""

    def __init__(
        self, base_url: str | None = None, api_key: str | None = None, **options: Unpack[Options]
    ) -> None:
        super().__init__(Client(base_url, api_key, **options))

    async def wait_for(
        self,
        letter_id: str,
        status: types.LetterStatus = "delivered",
        *,
        timeout: float = 300.0,
        poll: float = 2.0,
    ) -> types.TrackedLetter:
        """Like `Client.wait_for`. It holds a thread only during a request, and ends at once when it is cancelled."""
        waiting = Waiting(letter_id, status, timeout=timeout, poll=poll)
        while True:
            letter = await self.track_letter(letter_id)
            pause = waiting.pause_after(letter)
            if pause is None:
                return letter
            await asyncio.sleep(pause)
