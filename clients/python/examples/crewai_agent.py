"""An agent of CrewAI that prices letters, and sends one when you agree.

    pip install "./clients/python[crewai]"
    export SERVICE_URL=http://localhost:3000 SERVICE_API_KEY=svc_test_…
    MODEL=openai/gpt-5 python crewai_agent.py

Without MODEL a tool is called without an agent, to see that everything is in place.
"""

import json
import os
from typing import Any

from letters_client.adapters.crewai import service_tools

TASK = "What does a letter of two pages to Berlin cost, with tracking? Do not send it."
QUOTE = {"to_country": "DE", "pages": 2, "intent": "transactional"}


def ask(name: str, arguments: dict[str, Any]) -> bool:
    """Asked before a letter is sent: it costs money, and a printed letter cannot be taken back."""
    print(json.dumps(arguments, indent=2, ensure_ascii=False))
    return input(f"{name}? [y/N] ").strip().lower() == "y"


def run_agent(model: str) -> object:
    from crewai import Agent

    agent = Agent(
        role="Clerk",
        goal="Send letters by post for the least money",
        backstory="You know postal services, and ask before you spend.",
        tools=service_tools(confirm=ask),
        llm=model,
    )
    return agent.kickoff(TASK).raw


def call_tool() -> object:
    [quote] = service_tools(only=["quote_letter"])
    return quote.run(**QUOTE)


if __name__ == "__main__":
    print(run_agent(os.environ["MODEL"]) if "MODEL" in os.environ else call_tool())
