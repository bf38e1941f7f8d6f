"""Tools for LlamaIndex. Needs the extra `llama-index`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..tools import Tool, ToolChoice, select_tools
from ._needs import needs

with needs("llama-index"):
    from llama_index.core.tools import FunctionTool, ToolMetadata

    from .pydantic_model import pydantic_model

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass
class _Metadata(ToolMetadata):
    """Shows a model the parameters as the service states them."""

    parameters: dict[str, Any] = field(default_factory=dict)

    def get_parameters_dict(self) -> dict[str, Any]:
        return self.parameters


def service_tools(**choice: Unpack[ToolChoice]) -> list[FunctionTool]:
    """The tools, for `FunctionAgent(tools=service_tools(), llm=…)`. They answer JSON as text."""
    return [_adapted(tool) for tool in select_tools(**choice)]


def _adapted(tool: Tool) -> FunctionTool:
    def run(**arguments: Any) -> str:
        return tool.call_text(arguments)

    async def arun(**arguments: Any) -> str:
        return await tool.acall_text(arguments)

    metadata = _Metadata(
        name=tool.name,
        description=tool.description,
        fn_schema=pydantic_model(tool),
        parameters=tool.parameters,
    )
    return FunctionTool(fn=run, async_fn=arun, metadata=metadata)
