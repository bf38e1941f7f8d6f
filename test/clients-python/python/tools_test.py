"""The tools that agents are given: their choice, their arguments, and who is asked."""

import asyncio
import time
import unittest

import letters_client as lc
from scripted import Scripted

OK = (200, {}, {"ok": True})
LETTER = {"letter_id": "11111111-1111-4111-8111-111111111111"}


def names(**choice):
    return [tool.name for tool in lc.select_tools(**choice)]


class Choice(unittest.TestCase):
    def test_all_are_there_in_the_order_of_the_catalogue(self):
        self.assertEqual(names(), [tool["name"] for tool in lc.catalogue()["tools"]])
        self.assertIn("send_letter", names())

    def test_only_exclude_and_read_only_narrow_it(self):
        self.assertEqual(
            names(only=["send_letter", "quote_letter"]), ["quote_letter", "send_letter"]
        )
        self.assertNotIn("send_letter", names(exclude=["send_letter"]))
        self.assertEqual(len(names(exclude=["send_letter"])), len(names()) - 1)
        self.assertTrue(all(tool.read_only for tool in lc.select_tools(read_only=True)))
        self.assertEqual(names(only=["send_letter"], read_only=True), [])
        self.assertEqual(names(only=[]), [])
        self.assertEqual(names(only="quote_letter"), ["quote_letter"])

    def test_a_name_that_is_no_tool_is_an_error_and_not_passed_over(self):
        for choice in ({"only": ["send_leter"]}, {"exclude": ["send_leter"]}):
            with self.assertRaises(lc.InvalidArgumentsError) as caught:
                names(**choice)
            self.assertIn("send_letter", str(caught.exception))
        self.assertEqual(lc.execute("send_leter")["error"]["code"], "unknown_tool")

    def test_what_one_caller_does_to_its_tools_changes_nobody_elses(self):
        lc.select_tools()[0].parameters.clear()
        self.assertIn("properties", lc.select_tools()[0].parameters)


class Arguments(unittest.TestCase):
    def test_null_is_left_out(self):
        with Scripted(OK) as server:
            lc.execute(
                "quote_letter",
                {"to_country": "DE", "pages": 2, "content": None},
                client=server.client(),
            )
            self.assertEqual(server.asked[0].body, {"to_country": "DE", "pages": 2})

    def test_they_go_to_path_query_header_and_body(self):
        with Scripted(OK) as server:
            client = server.client()
            lc.execute("get_proof", {**LETTER, "language": "de"}, client=client)
            lc.execute("send_letter", {**LETTER, "idempotency_key": "k1"}, client=client)
            read, sent = server.asked
            self.assertEqual(
                (read.method, read.path), ("GET", f"/api/proof/{LETTER['letter_id']}?language=de")
            )
            self.assertEqual(
                (sent.path, sent.headers["idempotency-key"], sent.body), ("/api/send", "k1", LETTER)
            )

    def test_what_does_not_fit_is_not_sent(self):
        wrong = [
            ({}, "to_country"),
            ({"to_country": None}, "to_country"),
            ({"to_country": "XX"}, "to_country"),
            ({"to_country": ["DE"]}, "to_country"),
            ({"to_country": "DE", "pages": "two"}, "pages"),
            ({"to_country": "DE", "pages": True}, "pages"),
            ({"to_country": "DE", "pages": 1.5}, "pages"),
            ({"to_country": "DE", "pages": 0}, "pages"),
            ({"to_country": "DE", "pages": float("nan")}, "pages"),
            ({"to_country": "DE", "pages": 10**400}, "pages"),
            ({"to_country": "DE", "auto_fix": "yes"}, "auto_fix"),
            ({"to_country": "DE", "document_url": "x" * 3000}, "document_url"),
            ({"to_country": "DE", "colour": True}, "colour"),
        ]
        with Scripted(OK) as server:
            for arguments, field in wrong:
                error = lc.execute("quote_letter", arguments, client=server.client())["error"]
                self.assertEqual(error["code"], "invalid_arguments", arguments)
                self.assertIn(f"/{field}", [one["pointer"] for one in error["errors"]], arguments)
            for arguments in ([], "x", 5, {1: 2}):
                error = lc.execute("quote_letter", arguments, client=server.client())["error"]
                self.assertEqual(error["code"], "invalid_arguments")
            self.assertEqual(server.asked, [])

    def test_fields_that_are_not_shown_are_taken(self):
        with Scripted(OK) as server:
            lc.execute("send_letter", {**LETTER, "footer": "Page {page}"}, client=server.client())
            self.assertEqual(server.asked[0].body["footer"], "Page {page}")


class Confirmation(unittest.TestCase):
    def call(self, server, confirm, name="send_letter", arguments=LETTER):
        [tool] = lc.select_tools(only=[name], client=server.client(), confirm=confirm)
        return [tool.call(arguments), asyncio.run(tool.acall(arguments))]

    def test_it_is_asked_before_a_letter_is_sent_and_only_then(self):
        asked = []

        def confirm(name, arguments):
            asked.append((name, arguments))
            return True

        with Scripted(OK) as server:
            self.call(server, confirm, "get_balance", {})
            self.assertEqual(asked, [])
            self.assertEqual(self.call(server, confirm), [{"ok": True}] * 2)
            self.assertEqual(asked, [("send_letter", LETTER)] * 2)

    def test_anything_but_true_refuses_and_so_does_a_hook_that_breaks(self):
        async def later(_name, _arguments):
            return False

        def broken(_name, _arguments):
            raise RuntimeError("no terminal")

        with Scripted(OK) as server:
            for confirm in (
                lambda *_: False,
                lambda *_: None,
                lambda *_: "yes",
                lambda *_: 1,
                later,
                broken,
            ):
                for answer in self.call(server, confirm):
                    self.assertEqual(answer["error"]["code"], "not_confirmed")
            self.assertEqual(server.asked, [])

    def test_a_hook_may_be_asynchronous(self):
        async def later(_name, _arguments):
            await asyncio.sleep(0)
            return True

        async def inside():
            # As frameworks do that call plain functions in an event loop.
            with Scripted(OK) as server:
                [tool] = lc.select_tools(
                    only=["send_letter"], client=server.client(), confirm=later
                )
                return tool.call(LETTER)

        with Scripted(OK) as server:
            self.assertEqual(self.call(server, later), [{"ok": True}] * 2)
        self.assertEqual(asyncio.run(inside()), {"ok": True})

    def test_it_cannot_change_what_is_sent_and_is_not_asked_about_nonsense(self):
        asked = []

        def confirm(_name, arguments):
            asked.append(1)
            arguments["letter_id"] = "another"
            return True

        with Scripted(OK) as server:
            self.call(server, confirm, arguments={**LETTER, "wrong": 1})
            self.assertEqual(asked, [])
            self.call(server, confirm)
            self.assertEqual([one.body for one in server.asked], [LETTER] * 2)

    def test_a_call_does_not_hold_up_the_event_loop(self):
        def slow(handler):
            time.sleep(0.3)
            handler.close_connection = True

        async def both():
            with Scripted(slow) as server:
                [tool] = lc.select_tools(only=["get_balance"], client=server.client(retries=0))
                call = asyncio.create_task(tool.acall({}))
                ticks = 0
                while not call.done():
                    await asyncio.sleep(0.001)
                    ticks += 1
                return ticks

        self.assertGreater(asyncio.run(both()), 5)


if __name__ == "__main__":
    unittest.main()
