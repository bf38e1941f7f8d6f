"""An agent of LangChain that prices letters, and sends one when you agree.

    pip install "./clients/python[langchain]" langchain langchain-openai
    export SERVICE_URL=http://localhost:3000 SERVICE_API_KEY=svc_test_…
    MODEL=openai:gpt-5 python langchain_agent.py

Without MODEL a tool is called without an agent, to see that everything is in place.
"""

import json
import os
from typing import Any

from letters_client.adapters.langchain import service_tools

TASK = "What does a letter of two pages to Berlin cost, with tracking? Do not send it."
QUOTE = {"to_country": "DE", "pages": 2, "intent": "transactional"}


def ask(name: str, arguments: dict[str, Any]) -> bool:
    """Asked before a letter is sent: it costs money, and a printed letter cannot be taken back."""
    print(json.dumps(arguments, indent=2, ensure_ascii=False))
    return input(f"{name}? [y/N] ").strip().lower() == "y"


def run_agent(model: str) -> object:
    from langchain.agents import create_agent

    agent = create_agent(model, tools=service_tools(confirm=ask))
    return agent.invoke({"messages": [("user", TASK)]})["messages"][-1].text


def call_tool() -> object:
    [quote] = service_tools(only=["quote_letter"])
    return quote.invoke(QUOTE)


if __name__ == "__main__":
    print(run_agent(os.environ["MODEL"]) if "MODEL" in os.environ else call_tool())
