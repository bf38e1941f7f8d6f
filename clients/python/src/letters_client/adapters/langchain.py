"""Tools for LangChain. Needs the extra `langchain`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..tools import Tool, ToolChoice, select_tools
from ._needs import needs

with needs("langchain"):
    from langchain_core.tools import BaseTool, StructuredTool

if TYPE_CHECKING:
    from typing_extensions import Unpack


def service_tools(**choice: Unpack[ToolChoice]) -> list[BaseTool]:
    """The tools, for `create_agent(model, tools=service_tools())`. They answer JSON as text."""
    return [_adapted(tool) for tool in select_tools(**choice)]


def _adapted(tool: Tool) -> BaseTool:
    def run(**arguments: Any) -> str:
        return tool.call_text(arguments)

    async def arun(**arguments: Any) -> str:
        return await tool.acall_text(arguments)

    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.parameters,
        func=run,
        coroutine=arun,
    )
