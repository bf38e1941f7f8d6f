"""Arguments against the JSON Schema of a tool: the few keywords that the catalogue uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

_TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and float(value).is_integer(),
    "number": lambda value: _is_number(value),
    "object": lambda value: isinstance(value, Mapping),
    "array": lambda value: isinstance(value, (list, tuple)),
    "null": lambda value: value is None,
}


def _is_number(value: Any) -> bool:
    # Not true and false, which Python counts as numbers; not NaN and infinity, which JSON has not.
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e308


def _matches(pattern: str, value: str) -> bool:
    try:
        return re.search(re.sub(r"(?<!\\)\$$", r"\\Z", pattern), value) is not None
    except re.error:
        # A pattern that only other languages know: the service judges.
        return True


def _finding(schema: Mapping[str, Any], value: Any) -> str | None:
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(_TYPES[one](value) for one in types):
        return f"must be of type {' or '.join(types)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"must be one of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, str):
        if len(value) > schema.get("maxLength", len(value)):
            return f"must have at most {schema['maxLength']} characters"
        if "pattern" in schema and not _matches(schema["pattern"], value):
            return f"must match {schema['pattern']}"
    if _is_number(value):
        if value < schema.get("minimum", value):
            return f"must be at least {schema['minimum']}"
        if value > schema.get("maximum", value):
            return f"must be at most {schema['maximum']}"
    if isinstance(value, (list, tuple)) and len(value) > schema.get("maxItems", len(value)):
        return f"must have at most {schema['maxItems']} entries"
    return None


def _inside(schema: Mapping[str, Any], value: Any, pointer: str) -> list[tuple[str, str]]:
    found = _finding(schema, value)
    if found:
        return [(pointer, found)]
    findings: list[tuple[str, str]] = []
    if isinstance(value, (list, tuple)) and isinstance(schema.get("items"), Mapping):
        for index, one in enumerate(value):
            findings += _inside(schema["items"], one, f"{pointer}/{index}")
    values = schema.get("additionalProperties")
    if isinstance(value, Mapping) and isinstance(values, Mapping):
        for name, one in value.items():
            findings += _inside(values, one, f"{pointer}/{name}")
    return findings


def findings_of(
    schema: Mapping[str, Any], also: list[str], arguments: Mapping[str, Any]
) -> list[dict[str, str]]:
    """What is wrong, as `{"pointer", "detail"}`. Arguments in `also` are judged by the service."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    findings = [
        (f"/{name}", "is missing") for name in schema.get("required", []) if name not in arguments
    ]
    for name, value in arguments.items():
        if name in properties:
            findings += _inside(properties[name], value, f"/{name}")
        elif name not in also:
            findings.append(
                (f"/{name}", f"is unknown; there are {', '.join(properties) or 'none'}")
            )
    return [{"pointer": at, "detail": f"{at[1:]} {text}."} for at, text in findings]
