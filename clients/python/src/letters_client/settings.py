"""Whom to call, and as whom."""

from __future__ import annotations

import os
from typing import NamedTuple
from urllib.parse import urlsplit

from .errors import ConfigurationError

DEFAULT_URL = "http://localhost:3000"


class Settings(NamedTuple):
    # Without a trailing slash.
    base_url: str
    # An API key, or `ucan:` and a token; None: only what is open, or paid for by x402.
    api_key: str | None

    def __repr__(self) -> str:
        """Without the key: logs and reports of errors show what this returns."""
        return f"Settings(base_url={self.base_url!r})"


def read_settings(base_url: str | None = None, api_key: str | None = None) -> Settings:
    """What was given, else `SERVICE_URL` and `SERVICE_API_KEY`; an empty key is none. Raises ConfigurationError"""
    url = (base_url or os.environ.get("SERVICE_URL") or DEFAULT_URL).strip().rstrip("/")
    if not _is_base(url):
        raise ConfigurationError(
            "SERVICE_URL is not the address of a service.",
            hint="Set it to an http or https address without query and password, such as "
            "https://letters.example.",
        )
    key = (os.environ.get("SERVICE_API_KEY", "") if api_key is None else api_key).strip()
    if not all("!" <= letter <= "~" for letter in key):
        raise ConfigurationError(
            "SERVICE_API_KEY has characters that no key has.",
            hint="Set SERVICE_API_KEY to the key as the service showed it: svc_live_… or svc_test_…",
        )
    return Settings(url, key or None)


def in_range(name: str, value: float, least: float) -> float:
    """The value of an option. Raises ConfigurationError"""
    if value >= least:
        return value
    raise ConfigurationError(
        f"{name} {value} is not a number of at least {least:g}.",
        hint="Leave it away for the default.",
    )


def _is_base(url: str) -> bool:
    try:
        parts = urlsplit(url)
        named = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
    plain = not (parts.query or parts.fragment or parts.username or parts.password)
    return parts.scheme in ("http", "https") and named and plain and url.isprintable()
