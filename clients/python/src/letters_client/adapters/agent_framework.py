"""Tools for the Microsoft Agent Framework. Needs the extra `agent-framework`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..tools import Tool, ToolChoice, select_tools
from ._needs import needs

with needs("agent-framework"):
    from agent_framework import FunctionTool

if TYPE_CHECKING:
    from typing_extensions import Unpack


def service_tools(**choice: Unpack[ToolChoice]) -> list[FunctionTool]:
    """The tools, for `Agent(client=…, tools=service_tools())`. They answer JSON as text."""
    return [_adapted(tool) for tool in select_tools(**choice)]


def _adapted(tool: Tool) -> FunctionTool:
    async def run(**arguments: Any) -> str:
        return await tool.acall_text(arguments)

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        func=run,
        input_model=_with_null(tool.parameters),
    )


def _with_null(parameters: dict[str, Any]) -> dict[str, Any]:
    """Null for what need not be given: the framework refuses what the schema does not name, and models write it."""
    required = parameters.get("required", [])
    properties: dict[str, Any] = {}
    for name, schema in parameters["properties"].items():
        if name in required:
            properties[name] = schema
            continue
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        words = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
        properties[name] = {**schema, **words, "type": [*kinds, "null"]}
    return {**parameters, "properties": properties}
