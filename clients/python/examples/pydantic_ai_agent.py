"""An agent of Pydantic AI that prices letters, and sends one when you agree.

    pip install "./clients/python[pydantic-ai]" "pydantic-ai-slim[openai]"
    export SERVICE_URL=http://localhost:3000 SERVICE_API_KEY=svc_test_…
    MODEL=openai:gpt-5 python pydantic_ai_agent.py

Without MODEL a tool is called without an agent, to see that everything is in place.
"""

import json
import os
from typing import Any

from letters_client.adapters.pydantic_ai import service_tools

TASK = "What does a letter of two pages to Berlin cost, with tracking? Do not send it."
QUOTE = {"to_country": "DE", "pages": 2, "intent": "transactional"}


def ask(name: str, arguments: dict[str, Any]) -> bool:
    """Asked before a letter is sent: it costs money, and a printed letter cannot be taken back."""
    print(json.dumps(arguments, indent=2, ensure_ascii=False))
    return input(f"{name}? [y/N] ").strip().lower() == "y"


def run_agent(model: str) -> object:
    from pydantic_ai import Agent

    return Agent(model, tools=service_tools(confirm=ask)).run_sync(TASK).output


def call_tool() -> object:
    from pydantic_ai import Agent
    from pydantic_ai.models.test import TestModel

    # The framework's own stand-in for a model calls each tool once, with arguments that it makes up.
    tools = service_tools(only=["get_balance"])
    return Agent(TestModel(), tools=tools).run_sync(TASK).output


if __name__ == "__main__":
    print(run_agent(os.environ["MODEL"]) if "MODEL" in os.environ else call_tool())
