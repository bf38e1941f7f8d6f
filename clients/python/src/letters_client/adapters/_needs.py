"""What to install when the framework of an adapter is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Names the extra of this package that installs what the imports inside need."""
    try:
        yield
    except ModuleNotFoundError as error:
        text = f"{error.msg}. Install the framework: pip install 'letters-client[{extra}]'"
        raise ModuleNotFoundError(text, name=error.name, path=error.path) from error
