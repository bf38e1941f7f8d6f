"""Tools for CrewAI. Needs the extra `crewai`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..tools import Tool, ToolChoice, select_tools
from ._needs import needs

with needs("crewai"):
    from crewai.tools import BaseTool
    from pydantic import PrivateAttr

    from .pydantic_model import pydantic_model

if TYPE_CHECKING:
    from typing_extensions import Unpack


class ServiceTool(BaseTool):
    """A tool of the service. Its answers are never kept: a letter moves on while an agent works."""

    _tool: Tool = PrivateAttr()

    def __init__(self, tool: Tool) -> None:
        super().__init__(
            name=tool.name,
            description=tool.description,
            args_schema=pydantic_model(tool),
            cache_function=_never,
        )
        self._tool = tool

    def _run(self, **arguments: Any) -> str:
        return self._tool.call_text(arguments)

    async def _arun(self, **arguments: Any) -> str:
        return await self._tool.acall_text(arguments)


def _never(*_: Any) -> bool:
    return False


def service_tools(**choice: Unpack[ToolChoice]) -> list[BaseTool]:
    """The tools, for `Agent(role=…, tools=service_tools())`. They answer JSON as text."""
    return [ServiceTool(tool) for tool in select_tools(**choice)]
