"""The parameters of a tool as a Pydantic model, for frameworks that take nothing else."""

from __future__ import annotations

from typing import Any, Literal, Union

from pydantic import BaseModel, ConfigDict, Field, create_model

from ..tools import Tool

_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "object": dict[str, Any],
    "array": list[Any],
}


def _type_of(schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    kinds = schema["type"]
    if isinstance(kinds, list):
        members = tuple(_type_of({**schema, "type": kind}) for kind in kinds)
        return Union[members]  # noqa: UP007 (of as many as there are)
    if kinds == "array" and isinstance(schema.get("items"), dict) and schema["items"]:
        return list[_type_of(schema["items"])]  # type: ignore[misc]
    values = schema.get("additionalProperties")
    if kinds == "object" and isinstance(values, dict) and values:
        return dict[str, _type_of(values)]  # type: ignore[misc]
    return _TYPES[kinds]


def pydantic_model(tool: Tool) -> type[BaseModel]:
    """Limits on size and form stay with the service, which says more about them."""
    required = tool.parameters.get("required", [])
    fields: dict[str, Any] = {}
    for name, schema in tool.parameters["properties"].items():
        kind = _type_of(schema)
        note = schema["description"]
        if name in required:
            fields[name] = (kind, Field(description=note))
        else:
            fields[name] = (kind | None, Field(default=None, description=note))
    model_name = tool.name.title().replace("_", "") + "Arguments"
    return create_model(model_name, __config__=ConfigDict(extra="forbid"), **fields)
