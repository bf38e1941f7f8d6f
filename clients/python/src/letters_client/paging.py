"""Lists, page after page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .errors import InvalidAnswerError
from .session import Pausing

if TYPE_CHECKING:
    from .session import Session


def rows_of(
    session: Session, path: str, *, params: Mapping[str, str], query: Mapping[str, Any]
) -> Iterator[Any]:
    """Every row, from the cursor in `query` on, or from the first."""
    cursor = query.get("cursor")
    while True:
        try:
            page = session.json("GET", path, params=params, query={**query, "cursor": cursor})
        except Pausing as pausing:
            yield pausing
            continue
        if not isinstance(page.get("data"), list):
            raise InvalidAnswerError(f"{path} answered without a list.")
        yield from page["data"]
        following = page.get("next_cursor")
        if following is None:
            return
        if following == cursor:
            raise InvalidAnswerError(f"{path} answered the same cursor again.")
        cursor = following
