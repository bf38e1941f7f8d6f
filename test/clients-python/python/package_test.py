"""The package as it is installed: whole, typed, without dependencies, and small to import."""

import importlib
import importlib.metadata
import importlib.resources
import inspect
import json
import subprocess
import sys
import typing
import unittest

IMPORT = """
import sys
before = set(sys.modules)
import letters_client
letters_client.execute, letters_client.verify_webhook, letters_client.Payer
print(*set(sys.modules) - before)
"""


def run(code):
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout


class Package(unittest.TestCase):
    def test_it_depends_on_nothing(self):
        needed = importlib.metadata.requires("letters-client") or []
        self.assertEqual([one for one in needed if "extra ==" not in one], [])

    def test_it_has_the_catalogue_and_says_that_it_is_typed(self):
        files = importlib.resources.files("letters_client")
        tools = json.loads(files.joinpath("tools.json").read_text())["tools"]
        self.assertGreaterEqual(len(tools), 6)
        self.assertTrue(files.joinpath("py.typed").is_file())

    def test_its_version_is_said_alike_everywhere(self):
        from letters_client import catalogue, session

        version = importlib.metadata.version("letters-client")
        self.assertEqual([session.VERSION, catalogue()["catalog_version"]], [version] * 2)

    def test_its_core_loads_few_modules(self):
        # The benchmark `npm run bench -- --only u` measures the time.
        self.assertLess(len(run(IMPORT).split()), 100)

    def test_an_adapter_without_its_framework_says_what_to_install(self):
        extras = "agent-framework crewai langchain llama-index openai-agents pydantic-ai"
        for extra in extras.split():
            with self.assertRaises(ModuleNotFoundError) as caught:
                importlib.import_module(f"letters_client.adapters.{extra.replace('-', '_')}")
            self.assertIn(f"pip install 'letters-client[{extra}]'", str(caught.exception))

    def test_importing_it_loads_no_network_and_nothing_of_others(self):
        loaded = run("import sys, letters_client as lc; lc.execute; print(*sys.modules)").split()
        self.assertNotIn("urllib.request", loaded)
        self.assertNotIn("ssl", loaded)
        self.assertNotIn("asyncio", loaded)

    def test_every_type_can_be_looked_at_when_it_runs(self):
        from letters_client import types

        found = [
            one
            for one in vars(types).values()
            if inspect.isclass(one) and hasattr(one, "__required_keys__")
        ]
        self.assertGreater(len(found), 80)
        for one in found:
            typing.get_type_hints(one)

    def test_both_clients_have_the_same_methods(self):
        from letters_client import AsyncClient, Client

        def methods(kind):
            return {name for name in dir(kind) if not name.startswith("_")}

        own = {"call", "json"}
        self.assertEqual(methods(Client) - own, methods(AsyncClient))
        for name in methods(AsyncClient):
            blocking, awaited = (
                inspect.signature(getattr(kind, name)).parameters for kind in (Client, AsyncClient)
            )
            self.assertEqual(list(blocking), list(awaited), name)


if __name__ == "__main__":
    unittest.main()
