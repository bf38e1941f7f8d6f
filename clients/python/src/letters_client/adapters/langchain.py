"""Tools for LangChain. Needs the extra `langchain`."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any, TypeAlias

from ..tools import Tool, ToolChoice, select_tools
from ._needs import needs

with needs("langchain"):
    from langchain_core.runnables.config import ensure_config
    from langchain_core.tools import BaseTool, StructuredTool

if TYPE_CHECKING:
    from langchain_core.messages import ToolCall
    from langchain_core.runnables import RunnableConfig
    from typing_extensions import Unpack

    Input: TypeAlias = str | dict[str, Any] | ToolCall


def service_tools(**choice: Unpack[ToolChoice]) -> list[BaseTool]:
    """The tools, for `create_agent(model, tools=service_tools())`. They answer JSON as text."""
    return [_adapted(tool) for tool in select_tools(**choice)]


def _keyed(tool: BaseTool, given: Input, config: RunnableConfig | None) -> Input:
    """LangGraph runs a node again after an interrupt or a crash. The key makes its calls the same as before.

    The name of a run of a node is the same when it runs again, and of no other run.
    """
    run = ensure_config(config).get("configurable", {}).get("checkpoint_ns")
    if not run or not isinstance(given, dict) or given.get("type") != "tool_call":
        return given
    arguments = given["args"]
    takes_key = "idempotency_key" in tool.args
    if not takes_key or arguments.get("idempotency_key") is not None:
        return given
    call = json.dumps([run, given["id"], arguments], sort_keys=True)
    key = str(uuid.uuid5(uuid.NAMESPACE_OID, call))
    return {**given, "args": {**arguments, "idempotency_key": key}}


class _RepeatableTool(StructuredTool):
    def invoke(self, input: Input, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        return super().invoke(_keyed(self, input, config), config, **kwargs)

    async def ainvoke(
        self, input: Input, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Any:
        return await super().ainvoke(_keyed(self, input, config), config, **kwargs)


def _adapted(tool: Tool) -> BaseTool:
    def run(**arguments: Any) -> str:
        return tool.call_text(arguments)

    async def arun(**arguments: Any) -> str:
        return await tool.acall_text(arguments)

    return _RepeatableTool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.parameters,
        func=run,
        coroutine=arun,
    )
