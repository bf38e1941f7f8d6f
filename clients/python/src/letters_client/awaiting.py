"""Awaits calls that block: a thread makes the requests. No thread is held during a pause."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeVar

from .session import Attempts, Pausing, awaited_attempts

Value = TypeVar("Value")
Row = TypeVar("Row")


def _next_part(
    attempts: Attempts, function: Callable[..., Value], *given: Any, **named: Any
) -> Value:
    # The thread has a context of its own, so other calls do not see this.
    awaited_attempts.set(attempts)
    return function(*given, **named)


async def in_thread(function: Callable[..., Value], *given: Any, **named: Any) -> Value:
    """Returns the result of a function that makes one call. Calls it again after each pause."""
    attempts = Attempts()
    while True:
        try:
            return await asyncio.to_thread(_next_part, attempts, function, *given, **named)
        except Pausing as pausing:
            await asyncio.sleep(pausing.seconds)


async def each(rows: Iterator[Row | Pausing]) -> AsyncIterator[Row]:
    """The rows of an iterator that blocks. It yields a pause instead of a row."""
    end, attempts = object(), Attempts()
    while True:
        row: Any = await asyncio.to_thread(_next_part, attempts, next, rows, end)
        if row is end:
            return
        if isinstance(row, Pausing):
            await asyncio.sleep(row.seconds)
            continue
        attempts = Attempts()
        yield row
