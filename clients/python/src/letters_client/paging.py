"""Lists, page after page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from .errors import InvalidAnswerError

if TYPE_CHECKING:
    from .session import Session

Row = TypeVar("Row")


def rows_of(
    session: Session, path: str, *, params: Mapping[str, str], query: Mapping[str, Any]
) -> Iterator[Any]:
    """Every row, from the cursor in `query` on, or from the first."""
    cursor = query.get("cursor")
    while True:
        page = session.json("GET", path, params=params, query={**query, "cursor": cursor})
        if not isinstance(page.get("data"), list):
            raise InvalidAnswerError(f"{path} answered without a list.")
        yield from page["data"]
        following = page.get("next_cursor")
        if following is None:
            return
        if following == cursor:
            raise InvalidAnswerError(f"{path} answered the same cursor again.")
        cursor = following


async def each(rows: Iterator[Row]) -> AsyncIterator[Row]:
    """The rows of an iterator that blocks, without holding up the event loop."""
    end = object()
    while True:
        row = await asyncio.to_thread(next, rows, end)
        if row is end:
            return
        yield row  # type: ignore[misc]
