"""Tools for the OpenAI Agents SDK. Needs the extra `openai-agents`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..errors import InvalidArgumentsError
from ..tools import Tool, ToolChoice, select_tools
from ._needs import needs

with needs("openai-agents"):
    from agents import FunctionTool
    from agents import Tool as AgentTool

if TYPE_CHECKING:
    from typing_extensions import Unpack


def service_tools(**choice: Unpack[ToolChoice]) -> list[AgentTool]:
    """The tools, for `Agent(name=…, tools=service_tools())`. They answer JSON as text."""
    return [_adapted(tool) for tool in select_tools(**choice)]


def _adapted(tool: Tool) -> FunctionTool:
    async def invoke(_context: Any, text: str) -> str:
        try:
            arguments = json.loads(text or "{}")
        except ValueError:
            error = InvalidArgumentsError(f"The arguments of {tool.name} are not JSON.")
            return json.dumps(error.as_data())
        return await tool.acall_text(arguments)

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=tool.parameters,
        on_invoke_tool=invoke,
        # Its strict form would make every argument required.
        strict_json_schema=False,
    )
