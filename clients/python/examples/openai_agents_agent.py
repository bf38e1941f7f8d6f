"""An agent of the OpenAI Agents SDK that prices letters, and sends one when you agree.

    pip install "./clients/python[openai-agents]"
    export SERVICE_URL=http://localhost:3000 SERVICE_API_KEY=svc_test_…
    MODEL=gpt-5 python openai_agents_agent.py

Without MODEL a tool is called without an agent, to see that everything is in place.
"""

import asyncio
import json
import os
from typing import Any

from letters_client.adapters.openai_agents import service_tools

TASK = "What does a letter of two pages to Berlin cost, with tracking? Do not send it."
QUOTE = {"to_country": "DE", "pages": 2, "intent": "transactional"}


def ask(name: str, arguments: dict[str, Any]) -> bool:
    """Asked before a letter is sent: it costs money, and a printed letter cannot be taken back."""
    print(json.dumps(arguments, indent=2, ensure_ascii=False))
    return input(f"{name}? [y/N] ").strip().lower() == "y"


def run_agent(model: str) -> object:
    from agents import Agent, Runner

    agent = Agent(name="Clerk", model=model, tools=service_tools(confirm=ask))
    return Runner.run_sync(agent, TASK).final_output


def call_tool() -> object:
    from agents import FunctionTool
    from agents.tool_context import ToolContext

    [quote] = service_tools(only=["quote_letter"])
    assert isinstance(quote, FunctionTool)
    text = json.dumps(QUOTE)
    context = ToolContext(context=None, tool_name=quote.name, tool_call_id="1", tool_arguments=text)
    return asyncio.run(quote.on_invoke_tool(context, text))


if __name__ == "__main__":
    print(run_agent(os.environ["MODEL"]) if "MODEL" in os.environ else call_tool())
