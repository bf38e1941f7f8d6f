"""The agent that the guide to MCP shows, with a scripted model, on the running service.

`SERVICE_URL`, `SERVICE_API_KEY` (of a test account) and `SNIPPET` (the file of the agent) are set outside.
"""

import asyncio
import json
import os
import runpy
import unittest
from unittest import mock

from letters_client import Client
from scripted_model import ScriptedModel

LETTER = {
    **{"to_name": "Anna Müller", "to_line1": "Lindenstraße 5", "to_city": "Berlin"},
    **{"to_postal_code": "10969", "to_country": "DE", "from_name": "Bob Sender"},
    **{"from_line1": "350 5th Ave", "from_city": "New York", "from_postal_code": "10118"},
    **{"from_country": "US", "content": "Hello.", "intent": "transactional"},
}


class OfTheGuide(unittest.TestCase):
    def run_agent(self, tool, arguments):
        """What the agent came to, and what its model was told."""
        with ScriptedModel(tool, arguments) as model:
            environment = {
                "OPENAI_BASE_URL": model.url,
                "OPENAI_API_KEY": "sk-none",
                "OPENAI_AGENTS_DISABLE_TRACING": "1",
            }
            with mock.patch.dict(os.environ, environment):
                run = runpy.run_path(os.environ["SNIPPET"])["run"]
                return asyncio.run(run("Send a letter.")), model

    def test_its_model_reads_answers_and_refusals(self):
        result, model = self.run_agent("quote_letter", {"to_country": "DE", "pages": 2})
        self.assertEqual(result.final_output, "It is priced.")
        self.assertIn("quote_id", model.returned[0])
        self.assertIn("send_letter", model.offered)
        _, model = self.run_agent("quote_letter", {"to_country": "XX", "pages": 2})
        self.assertIn("to_country must be one of", model.returned[0])

    def test_it_sends_no_letter_before_the_program_approves(self):
        client = Client()
        before = client.get_balance()["available"]
        arguments = {**LETTER, "idempotency_key": "letter-1"}
        result, model = self.run_agent("send_letter", arguments)
        [asked] = result.interruptions
        self.assertEqual(json.loads(asked.arguments), arguments)
        self.assertEqual(model.returned, [])
        self.assertEqual(client.get_balance()["available"], before)


if __name__ == "__main__":
    unittest.main()
