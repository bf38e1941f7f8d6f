"""Each adapter on its real framework, whose own means call the tools of the running service.

`SERVICE_URL`, `SERVICE_API_KEY` (of a test account) and `EXAMPLES` (the folder of the examples) are set outside.
"""

import asyncio
import json
import os
import runpy
import unittest
import uuid
from unittest import mock

from scripted_model import ScriptedModel

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TESTING="true")

LETTER = {
    **{"to_name": "Anna Müller", "to_line1": "Lindenstraße 5", "to_city": "Berlin"},
    **{"to_postal_code": "10969", "to_country": "DE", "from_name": "Bob Sender"},
    **{"from_line1": "350 5th Ave", "from_city": "New York", "from_postal_code": "10118"},
    **{"from_country": "US", "content": "Hello.", "intent": "transactional"},
}


class Adapter:
    """What holds of every adapter; a subclass says how its framework lists and calls tools."""

    example = ""
    # As the example names a model that speaks the interface of OpenAI.
    model = ""

    def run_example(self):
        return runpy.run_path(os.path.join(os.environ["EXAMPLES"], self.example))

    def test_its_example_calls_a_tool(self):
        answer = json.loads(self.run_example()["call_tool"]())
        self.assertTrue("quote_id" in answer or "get_balance" in answer, answer)

    def test_the_agent_of_its_example_works_with_the_answer_of_a_tool(self):
        with ScriptedModel("quote_letter", {"to_country": "DE", "pages": 2}) as model:
            environment = {
                "OPENAI_BASE_URL": model.url,
                "OPENAI_API_BASE": model.url,
                "OPENAI_API_KEY": "sk-none",
            }
            with mock.patch.dict(os.environ, environment):
                answer = str(self.run_example()["run_agent"](self.model))
        self.assertIn("quote_id", model.returned[0])
        self.assertIn("It is priced.", answer)
        self.assertIn("send_letter", model.offered)

    def tools(self, **choice):
        raise NotImplementedError

    def name_of(self, tool):
        return tool.name

    def shown(self, tool):
        """The JSON Schema that a model is shown."""
        raise NotImplementedError

    def call(self, tool, arguments):
        raise NotImplementedError

    def named(self, name, **choice):
        [tool] = self.tools(only=[name], **choice)
        return tool

    def test_it_lists_the_tools_that_were_chosen(self):
        every = [self.name_of(tool) for tool in self.tools()]
        self.assertIn("send_letter", every)
        self.assertNotIn("send_letter", [self.name_of(tool) for tool in self.tools(read_only=True)])
        self.assertEqual([self.name_of(tool) for tool in self.tools(exclude=every[1:])], every[:1])

    def test_a_model_is_shown_each_argument_with_a_text(self):
        for tool in self.tools():
            for name, schema in self.shown(tool).get("properties", {}).items():
                self.assertIn("description", schema, name)
        shown = self.shown(self.named("quote_letter"))
        self.assertEqual(shown["required"], ["to_country"])
        self.assertIn("DE", json.dumps(shown["properties"]["to_country"]))

    def test_a_quote_is_answered(self):
        answer = self.call(self.named("quote_letter"), {"to_country": "DE", "pages": 2})
        self.assertTrue(answer["quote_id"].startswith("quote_"), answer)

    def test_null_is_left_out(self):
        arguments = {
            "to_country": "DE",
            "pages": 2,
            "content": None,
            "service": None,
            "duplex": None,
        }
        self.assertIn("quote_id", self.call(self.named("quote_letter"), arguments))

    def test_a_tool_without_arguments_is_called(self):
        answer = self.call(self.named("get_balance"), {})
        self.assertEqual(answer["currency"], "USD")

    def test_a_letter_is_sent_once_followed_and_its_status_is_fresh(self):
        send, track = self.named("send_letter"), self.named("track_letter")
        letter = {**LETTER, "metadata": {"via": "adapter"}, "idempotency_key": str(uuid.uuid4())}
        sent = self.call(send, letter)
        self.assertEqual(self.call(send, letter)["letter_id"], sent["letter_id"])
        followed = {"letter_id": sent["letter_id"]}
        self.assertEqual(self.call(track, followed)["status"], "queued")
        from letters_client import Client

        Client().advance_test_letter(sent["letter_id"], {"to": "posted"})
        self.assertEqual(self.call(track, followed)["status"], "posted")

    def test_a_letter_is_not_sent_where_confirm_says_no(self):
        asked = []
        tool = self.named("send_letter", confirm=lambda name, _: asked.append(name) or False)
        self.assertEqual(self.call(tool, LETTER)["error"]["code"], "not_confirmed")
        self.assertEqual(asked, ["send_letter"])

    def test_what_the_service_refuses_is_an_answer(self):
        unknown = {"letter_id": "11111111-1111-4111-8111-111111111111"}
        answer = self.call(self.named("track_letter"), unknown)
        self.assertEqual(answer["error"]["code"], "letter_not_found")

    def test_a_key_that_is_not_valid_is_an_answer(self):
        answer = self.call(self.named("get_balance", api_key="svc_test_wrong"), {})
        self.assertEqual(answer["error"]["status"], 401)


class LangChain(Adapter, unittest.TestCase):
    example = "langchain_agent.py"
    model = "openai:gpt-4o"

    def tools(self, **choice):
        from letters_client.adapters.langchain import service_tools

        return service_tools(**choice)

    def shown(self, tool):
        from langchain_core.utils.function_calling import convert_to_openai_tool

        return convert_to_openai_tool(tool)["function"]["parameters"]

    def call(self, tool, arguments):
        call = {"type": "tool_call", "id": "1", "name": tool.name, "args": arguments}
        message = tool.invoke(call)
        later = asyncio.run(tool.ainvoke(call)) if tool.name == "quote_letter" else message
        self.assertEqual(json.loads(later.content).keys(), json.loads(message.content).keys())
        return json.loads(message.content)

    def test_a_node_that_a_graph_runs_again_sends_its_letter_once(self):
        from langchain_core.messages import AIMessage
        from langchain_core.tools import tool
        from langgraph.checkpoint.memory import InMemorySaver
        from langgraph.graph import START, MessagesState, StateGraph
        from langgraph.prebuilt import ToolNode, tools_condition
        from langgraph.types import Command, interrupt
        from letters_client import Client

        @tool
        def ask() -> str:
            """Asks a person."""
            return str(interrupt("Go on?"))

        mark = uuid.uuid4().hex
        args = {**LETTER, "metadata": {"mark": mark}}
        calls = [
            {"name": "send_letter", "args": args, "id": "1"},
            {"name": "ask", "args": {}, "id": "2"},
        ]
        said = iter([AIMessage("", tool_calls=calls), AIMessage("", tool_calls=calls[:1]), "Sent."])
        graph = StateGraph(MessagesState)
        graph.add_node("model", lambda _: {"messages": [next(said)]})
        graph.add_node("tools", ToolNode([*self.tools(only=["send_letter"]), ask]))
        graph.add_edge(START, "model")
        graph.add_conditional_edges("model", tools_condition)
        graph.add_edge("tools", "model")
        agent = graph.compile(checkpointer=InMemorySaver())
        thread = {"configurable": {"thread_id": mark}}
        agent.invoke({"messages": ["Send it."]}, thread)
        told = agent.invoke(Command(resume="Yes."), thread)["messages"]
        letters = [
            json.loads(one.content)["letter_id"]
            for one in told
            if one.type == "tool" and one.name != "ask"
        ]
        # The second time the model asked for another letter.
        self.assertEqual(len(set(letters)), 2)
        sent = [row["letter_id"] for row in Client().iter_letters(metadata={"mark": mark})]
        self.assertEqual(sorted(sent), sorted(letters))


class LlamaIndex(Adapter, unittest.TestCase):
    example = "llama_index_agent.py"
    model = "gpt-4o"

    def tools(self, **choice):
        from letters_client.adapters.llama_index import service_tools

        return service_tools(**choice)

    def name_of(self, tool):
        return tool.metadata.name

    def shown(self, tool):
        return tool.metadata.to_openai_tool()["function"]["parameters"]

    def call(self, tool, arguments):
        if tool.metadata.name == "quote_letter":
            return json.loads(asyncio.run(tool.acall(**arguments)).content)
        return json.loads(tool.call(**arguments).content)


class CrewAI(Adapter, unittest.TestCase):
    example = "crewai_agent.py"
    model = "openai/gpt-4o"

    def tools(self, **choice):
        from letters_client.adapters.crewai import service_tools

        return service_tools(**choice)

    def shown(self, tool):
        return tool.args_schema.model_json_schema()

    def call(self, tool, arguments):
        return json.loads(tool.run(**arguments))

    def test_its_answers_are_not_kept(self):
        tool = self.named("get_balance")
        self.assertFalse(tool.cache_function({}, "{}"))
        self.assertFalse(tool.to_structured_tool().cache_function({}, "{}"))

    def test_a_crew_calls_it_by_its_structured_form(self):
        tool = self.named("quote_letter").to_structured_tool()
        self.assertIn("quote_id", json.loads(tool.invoke({"to_country": "DE", "pages": 2})))


class OpenAIAgents(Adapter, unittest.TestCase):
    example = "openai_agents_agent.py"
    model = "gpt-4o"

    def tools(self, **choice):
        from letters_client.adapters.openai_agents import service_tools

        return service_tools(**choice)

    def shown(self, tool):
        return tool.params_json_schema

    def call(self, tool, arguments):
        return self.call_text(tool, json.dumps(arguments))

    def call_text(self, tool, text):
        from agents.tool_context import ToolContext

        context = ToolContext(
            context=None, tool_name=tool.name, tool_call_id="1", tool_arguments=text
        )
        return json.loads(asyncio.run(tool.on_invoke_tool(context, text)))

    def test_arguments_that_are_no_json_are_an_answer(self):
        tool = self.named("quote_letter")
        for text in ("{", "[]", "5"):
            self.assertEqual(self.call_text(tool, text)["error"]["code"], "invalid_arguments")
        self.assertIn("currency", self.call_text(self.named("get_balance"), ""))


class PydanticAI(Adapter, unittest.TestCase):
    example = "pydantic_ai_agent.py"
    model = "openai-chat:gpt-4o"

    def tools(self, **choice):
        from letters_client.adapters.pydantic_ai import service_tools

        return service_tools(**choice)

    def shown(self, tool):
        return tool.tool_def.parameters_json_schema

    def call(self, tool, arguments):
        from pydantic_ai import Agent
        from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
        from pydantic_ai.models.function import FunctionModel

        found = []

        def model(messages, _info):
            returned = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
            if not returned:
                return ModelResponse(parts=[ToolCallPart(tool.name, arguments)])
            found.append(returned[0].content)
            return ModelResponse(parts=[TextPart("done")])

        asyncio.run(Agent(FunctionModel(model), tools=[tool]).run("Go on."))
        return found[0]


class AgentFramework(Adapter, unittest.TestCase):
    example = "agent_framework_agent.py"
    model = "gpt-4o"

    def tools(self, **choice):
        from letters_client.adapters.agent_framework import service_tools

        return service_tools(**choice)

    def shown(self, tool):
        return tool.parameters()

    def call(self, tool, arguments):
        [content] = asyncio.run(tool.invoke(arguments=arguments))
        return json.loads(content.text)


if __name__ == "__main__":
    unittest.main()
