"""Tools for Pydantic AI. Needs the extra `pydantic-ai`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..tools import Tool, ToolChoice, select_tools
from ._needs import needs

with needs("pydantic-ai"):
    from pydantic_ai import Tool as AgentTool

if TYPE_CHECKING:
    from typing_extensions import Unpack


def service_tools(**choice: Unpack[ToolChoice]) -> list[AgentTool[Any]]:
    """The tools, for `Agent(model, tools=service_tools())`. They answer objects."""
    return [_adapted(tool) for tool in select_tools(**choice)]


def _adapted(tool: Tool) -> AgentTool[Any]:
    async def run(**arguments: Any) -> dict[str, Any]:
        return await tool.acall(arguments)

    adapted: AgentTool[Any] = AgentTool.from_schema(
        run, name=tool.name, description=tool.description, json_schema=tool.parameters
    )
    return adapted
