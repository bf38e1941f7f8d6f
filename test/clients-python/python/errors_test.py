"""What goes wrong is a typed error, and data that an agent can act on."""

import asyncio
import contextlib
import json
import os
import pickle
import socket
import threading
import time
import unittest
import uuid
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from unittest import mock

import letters_client as lc
from letters_client.transport import Answer
from scripted import Scripted, hang_up, problem

SENT = (201, {}, {"letter_id": "l1", "status": "queued"})
LETTER = {"letter_id": "11111111-1111-4111-8111-111111111111"}


def keys_of(server):
    return [one.headers.get("idempotency-key") for one in server.asked]


class Guards(unittest.TestCase):
    def test_a_denial_a_freeze_and_a_missing_approval_are_types_of_their_own(self):
        denial = {
            "policy": "key_1",
            "rule": "daily",
            "limit": {"amount": 20, "per": "day"},
            "used": 19.5,
            "resets_at": "2026-03-02T00:00:00.000Z",
            "time_zone": "UTC",
        }
        with Scripted(problem(403, "policy_denied", **denial)) as server:
            with self.assertRaises(lc.PolicyDeniedError) as caught:
                server.client().send_letter(LETTER)
            error = caught.exception
            self.assertIsInstance(error, lc.RefusedError)
            self.assertEqual((error.rule, error.used), ("daily", 19.5))
            self.assertEqual(error.limit, {"amount": 20, "per": "day"})
            self.assertEqual(error.resets_at, "2026-03-02T00:00:00.000Z")
            self.assertEqual(error.time_zone, "UTC")
            self.assertEqual(error.as_data()["error"]["policy_denied"], denial)
            self.assertEqual(pickle.loads(pickle.dumps(error)).rule, "daily")
            self.assertEqual(len(server.asked), 1)
        with Scripted(problem(403, "frozen", frozen="account")) as server:
            with self.assertRaises(lc.FrozenError) as caught:
                server.client().send_letter(LETTER)
            self.assertEqual(caught.exception.frozen, "account")
            # A repetition of a letter that was sent before the freeze is refused as well.
            self.assertRegex(caught.exception.hint, "^This call sent nothing; an earlier one")
        for code in ("approval_required", "approval_pending"):
            with Scripted(problem(403, code)) as server:
                with self.assertRaises(lc.ApprovalError) as caught:
                    server.client().send_letter(LETTER)
                self.assertEqual(caught.exception.code, code)
                pending = "Do not send it again" in caught.exception.hint
                self.assertEqual(pending, code == "approval_pending")


class Down(unittest.TestCase):
    def test_a_server_that_is_down_is_unreachable_and_nothing_was_sent(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{free.getsockname()[1]}"
        slept = []
        with self.assertRaises(lc.UnreachableError) as caught:
            lc.Client(url, "k", sleep=slept.append).send_letter(LETTER)
        self.assertFalse(caught.exception.sent)
        self.assertEqual(len(slept), 3)
        self.assertLess(sum(slept), 3)
        data = lc.execute("get_balance", base_url=url, api_key="k", retries=0)["error"]
        self.assertEqual(data["code"], "server_unreachable")
        self.assertIn("SERVICE_URL", data["hint"])

    def test_a_name_that_does_not_resolve_is_unreachable(self):
        data = lc.execute("get_balance", base_url="http://letters.invalid", retries=0)["error"]
        self.assertEqual(data["code"], "server_unreachable")

    def test_an_answer_that_was_lost_is_asked_for_again_with_the_same_key_and_body(self):
        with Scripted(hang_up, hang_up, SENT) as server:
            self.assertEqual(server.client().send_letter(LETTER)["letter_id"], "l1")
            self.assertEqual(len(server.asked), 3)
            self.assertEqual(len(set(keys_of(server))), 1)
            self.assertTrue(uuid.UUID(keys_of(server)[0]).version == 4)
            self.assertEqual({str(one.body) for one in server.asked}, {str(LETTER)})

    def test_what_has_no_key_is_not_repeated_once_it_was_sent(self):
        with Scripted(hang_up) as server:
            with self.assertRaises(lc.UnreachableError) as caught:
                server.client().advance_test_letter("l1")
            self.assertTrue(caught.exception.sent)
            self.assertEqual(len(server.asked), 1)

    def test_the_key_to_repeat_with_is_part_of_the_error(self):
        with Scripted(hang_up) as server:
            answer = lc.execute("send_letter", LETTER, client=server.client(retries=1))
            self.assertEqual(answer["error"]["idempotency_key"], keys_of(server)[0])
            again = {**LETTER, "idempotency_key": answer["error"]["idempotency_key"]}
            lc.execute("send_letter", again, client=server.client(retries=0))
            self.assertEqual(len(set(keys_of(server))), 1)
            self.assertEqual(server.asked[-1].body, LETTER)

    def test_the_key_of_the_caller_is_sent_wherever_it_is_given(self):
        with Scripted(hang_up, SENT) as server:
            client = server.client()
            for given in (
                {"idempotency_key": "order-17"},
                {"headers": {"idempotency-Key": "order-17"}},
                {"headers": {"Idempotency-Key": "order-17"}, "keyed": True},
                {"headers": {"Idempotency-Key": "order-17"}, "idempotency_key": "order-17"},
            ):
                client.call("POST", "/api/send", body=LETTER, **given)
            self.assertEqual(keys_of(server), ["order-17"] * 5)
            for given in (
                {"idempotency_key": ""},
                {"idempotency_key": "", "keyed": True},
                {"headers": {"Idempotency-Key": ""}, "keyed": True},
                {"headers": {"Idempotency-Key": "order-17"}, "idempotency_key": "order-18"},
            ):
                with self.assertRaises(lc.InvalidArgumentsError, msg=given):
                    client.call("POST", "/api/send", body=LETTER, **given)
            answer = lc.execute("send_letter", {"idempotency_key": ""}, client=client)
            self.assertEqual(answer["error"]["code"], "invalid_arguments")
            self.assertEqual(len(server.asked), 5)


class Early(unittest.TestCase):
    """A server that answers as soon as it has the headers, and closes while the body is being sent."""

    def asked_of(self, *answers):
        """A client of such a server, and the requests that it got."""
        listening = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listening.close)
        asked = []

        def serve():
            for answer in answers:
                connection, _ = listening.accept()
                head = b""
                while b"\r\n\r\n" not in head:
                    head += connection.recv(1024)
                asked.append(head)
                connection.sendall(answer)
                connection.close()

        threading.Thread(target=serve, daemon=True).start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        return lc.Client(url, "svc_test_key", retries=1, sleep=lambda _: None), asked

    def refusal(self, status, code):
        body = json.dumps({"status": status, "code": code, "detail": f"It is {code}."}).encode()
        head = f"HTTP/1.1 {status} Refused\r\nRetry-After: 1\r\nContent-Length: {len(body)}\r\n"
        return f"{head}Connection: close\r\n\r\n".encode() + body

    def test_its_refusal_of_a_large_upload_is_read_and_the_upload_is_not_repeated(self):
        upload = {"document": "A" * 16_000_000}
        for status, code in ((401, "invalid_api_key"), (403, "frozen"), (413, "body_too_large")):
            client, asked = self.asked_of(self.refusal(status, code), b"")
            with self.assertRaises(lc.RefusedError) as caught:
                client.send_letter(upload)
            self.assertEqual((caught.exception.status, caught.exception.code), (status, code))
            self.assertFalse(caught.exception.unsettled)
            self.assertEqual(len(asked), 1)
        limited = self.refusal(429, "rate_limited")
        client, asked = self.asked_of(limited, limited)
        with self.assertRaises(lc.RateLimitedError) as caught:
            client.send_letter(upload)
        self.assertEqual((caught.exception.retry_after, len(asked)), (1, 2))

    def test_without_an_answer_it_is_unknown_whether_the_request_was_obeyed(self):
        client, asked = self.asked_of(b"", b"")
        with self.assertRaises(lc.UnreachableError) as caught:
            client.send_letter({"document": "A" * 16_000_000})
        self.assertTrue(caught.exception.sent)
        self.assertEqual(len(asked), 2)


class Slow(unittest.TestCase):
    def trickling(self, start):
        def answer(handler):
            handler.close_connection = True
            handler.wfile.write(start)
            try:
                while True:
                    handler.wfile.write(b"x")
                    handler.wfile.flush()
                    time.sleep(0.05)
            except OSError:
                pass

        return answer

    def test_no_answer_in_time_is_a_timeout(self):
        held = threading.Event()
        with Scripted(lambda handler: held.wait(30)) as server:
            data = lc.execute("get_balance", client=server.client(timeout=0.3, retries=0))["error"]
            held.set()
        self.assertEqual(data["code"], "timed_out")

    def test_headers_and_bodies_that_trickle_end_at_the_time_limit(self):
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n"
        for start in (head + b"X-Slow: ", head + b"\r\n", b""):
            with Scripted(self.trickling(start)) as server:
                with self.assertRaises(lc.TimedOutError, msg=start):
                    server.client(timeout=0.5, retries=0).get_balance()

    def test_a_body_that_is_cut_off_is_not_taken_for_whole(self):
        def cut(handler):
            handler.close_connection = True
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n%PDF")

        with Scripted(cut) as server:
            with self.assertRaises(lc.UnreachableError):
                server.client(retries=0).get_letter_document("l1")


class Busy(unittest.TestCase):
    def test_retry_after_is_kept_for_every_request(self):
        busy = problem(429, "rate_limited", {"Retry-After": "7"})
        with Scripted(busy, busy, (200, {}, {"ok": True})) as server:
            self.assertEqual(server.client().advance_test_letter("l1"), {"ok": True})
            self.assertEqual(server.slept, [7, 7])

    def test_retry_after_may_be_a_date(self):
        at = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=20), usegmt=True)
        with Scripted(problem(503, "overloaded", {"Retry-After": at}), SENT) as server:
            server.client().send_letter(LETTER)
            self.assertTrue(10 <= server.slept[0] <= 20, server.slept)

    def test_a_wait_that_is_too_long_is_an_error_at_once(self):
        for wait in ("3600", "999999999"):
            with Scripted(problem(429, "quota_exceeded", {"Retry-After": wait})) as server:
                answer = lc.execute("send_letter", LETTER, client=server.client())["error"]
                self.assertEqual(server.slept, [])
                self.assertEqual(answer["code"], "quota_exceeded")
                self.assertEqual(answer["retry_after"], float(wait))
                self.assertTrue(answer["retryable"])

    def test_waits_are_bounded_together(self):
        with Scripted(problem(429, "rate_limited", {"Retry-After": "25"})) as server:
            with self.assertRaises(lc.RateLimitedError) as caught:
                server.client(max_wait=60, retries=100).get_balance()
            self.assertEqual(server.slept, [25, 25])
            self.assertEqual(caught.exception.retry_after, 25)

    def test_nonsense_in_retry_after_is_the_usual_pause(self):
        for text in ("soon", "-5", "1e9", "NaN", "٣", "9" * 400):
            with Scripted(
                problem(429, "rate_limited", {"Retry-After": text.encode().decode("latin-1")}), SENT
            ) as server:
                server.client().send_letter(LETTER)
                self.assertEqual(len(server.slept), 1)
                self.assertLess(server.slept[0], 1)

    def test_a_limit_without_a_problem_document_is_a_limit_too(self):
        with Scripted((429, {"Retry-After": "1"}, b"slow down")) as server:
            with self.assertRaises(lc.RateLimitedError):
                server.client(retries=0).get_balance()

    def test_a_server_that_is_busy_is_asked_again_only_where_that_is_safe(self):
        for call, asked in (
            (lambda c: c.get_balance(), 4),
            (lambda c: c.send_letter(LETTER), 4),
            (lambda c: c.quote_letter({"to_country": "DE"}), 4),
            (lambda c: c.search_letters({"recipient": {}}), 4),
            (lambda c: c.verify_offer({}), 4),
            (lambda c: lc.execute("quote_letter", {"to_country": "DE"}, client=c), 4),
            (lambda c: c.set_did(), 1),
        ):
            with Scripted(problem(503, "overloaded")) as server:
                with contextlib.suppress(lc.RefusedError):
                    answer = call(server.client())
                    self.assertEqual(answer["error"]["code"], "overloaded")
                self.assertEqual(len(server.asked), asked)

    def test_a_request_that_arrived_too_slowly_is_sent_again(self):
        with Scripted(problem(408, "request_timeout"), SENT) as server:
            server.client().send_letter(LETTER)
            first, second = (one.headers["idempotency-key"] for one in server.asked)
            self.assertEqual(first, second)
        with Scripted(problem(408, "request_timeout")) as server:
            with self.assertRaises(lc.RefusedError) as caught:
                server.client().send_letter(LETTER)
            self.assertTrue(caught.exception.retryable)


class Wrong(unittest.TestCase):
    def test_a_redirect_is_refused_and_never_followed(self):
        with Scripted((200, {}, {"stolen": True})) as elsewhere:
            for status in (301, 302, 303, 307, 308):
                with Scripted((status, {"Location": elsewhere.url + "/api/send"}, b"")) as server:
                    for call in (lambda c: c.send_letter(LETTER), lambda c: c.get_balance()):
                        with self.assertRaises(lc.RedirectRefusedError) as caught:
                            call(server.client())
                    self.assertIn(elsewhere.url, str(caught.exception))
                    self.assertEqual(len(server.asked), 2)
            self.assertEqual(elsewhere.asked, [])

    def test_an_answer_that_is_no_json_object_is_invalid(self):
        for body in (
            b"<html>Sign in</html>",
            b"",
            b"\xff\xfe",
            b"[1]",
            b'"x"',
            b'{"a":',
            b"null",
            b"[" * 100000,
        ):
            for status in (200, 400, 502):
                with Scripted((status, {}, body)) as server:
                    error = lc.execute("get_balance", client=server.client(retries=0))["error"]
                    self.assertEqual((error["code"], error["status"]), ("not_json", status))

    def test_an_answer_of_another_type_is_no_file(self):
        page = (200, {"Content-Type": "text/html"}, b"<html>Sign in</html>")
        calls = (
            lambda client: client.get_letter_document("l1"),
            lambda client: client.get_proof_pdf("l1"),
            lambda client: client.get_audit_zip("l1"),
            lambda client: client.get_statement(),
        )
        for call in calls:
            with Scripted(page) as server, self.assertRaises(lc.InvalidAnswerError) as refused:
                call(server.client(retries=0))
            self.assertEqual(refused.exception.status, 200)
        pdf = (200, {"Content-Type": "application/pdf"}, b"%PDF-1.7")
        with Scripted(pdf) as server:
            self.assertEqual(server.client().get_proof_pdf("l1"), b"%PDF-1.7")
            path = "/api/proof/{letter_id}"
            for accept in ("*/*", "application/pdf, application/json", "application/pdf;q=0.5"):
                answer = server.client().call(
                    "GET", path, params={"letter_id": "l1"}, accept=accept
                )
                self.assertEqual(answer.body, b"%PDF-1.7")

    def test_a_problem_document_is_told_in_its_own_words(self):
        errors = [{"pointer": "/pages", "detail": "too few"}]
        with Scripted(problem(422, "validation_failed", errors=errors)) as server:
            error = lc.execute("quote_letter", {"to_country": "DE"}, client=server.client())[
                "error"
            ]
            self.assertEqual(
                error,
                {
                    "code": "validation_failed",
                    "status": 422,
                    "detail": "It is validation_failed.",
                    "errors": errors,
                    "request_id": "req_1",
                },
            )

    def test_a_refusal_of_the_mech_is_told_in_its_own_words_too(self):
        errors = [{"pointer": "/tool", "code": "unknown", "detail": "tool is unknown."}]
        error = {"code": "mech_disabled", "message": "There is no mech", "detail": "Use REST."}
        envelope = {
            "success": False,
            "data": None,
            "error": {**error, "errors": errors},
            "request_id": "mech_1",
        }
        with Scripted((404, {}, envelope)) as server:
            with self.assertRaises(lc.RefusedError) as caught:
                server.client().mech_execute({"tool": "x", "params": {}})
            told = caught.exception
            self.assertEqual((told.code, told.status), ("mech_disabled", 404))
            self.assertEqual((told.detail, told.problem["errors"]), ("Use REST.", errors))
        for odd in ({"error": "x"}, {"error": {"code": 1}}, {"error": None}):
            with Scripted((404, {}, odd)) as server:
                with self.assertRaises(lc.InvalidAnswerError):
                    server.client().get_balance()

    def test_what_is_invalid_options_never_reaches_the_network(self):
        for url in (
            "letters.example",
            "ftp://letters.example",
            "file:///etc/passwd",
            "http://",
            "http://[",
            "http://a:b",
            "http://a/?x=1",
        ):
            error = lc.execute("get_balance", base_url=url)["error"]
            self.assertEqual(error["code"], "invalid_options", url)
        error = lc.execute("get_balance", base_url="http://127.0.0.1:1", api_key="svc\r\nX: y")[
            "error"
        ]
        self.assertEqual(error["code"], "invalid_options")
        self.assertNotIn("X: y", str(error))

    def test_key_and_address_come_from_the_environment(self):
        with Scripted((200, {}, {"available": 1})) as server:
            with mock.patch.dict(
                os.environ, {"SERVICE_URL": server.url + "/", "SERVICE_API_KEY": "svc_test_env\n"}
            ):
                self.assertEqual(lc.execute("get_balance"), {"available": 1})
                self.assertEqual(lc.Client().get_balance(), {"available": 1})
            with mock.patch.dict(
                os.environ, {"SERVICE_URL": server.url, "SERVICE_API_KEY": "svc_test_other"}
            ):
                lc.execute("get_balance")
                lc.execute("get_balance", api_key="")
            found = [one.headers.get("authorization") for one in server.asked]
            self.assertEqual(found, ["Bearer svc_test_env"] * 2 + ["Bearer svc_test_other", None])

    def test_texts_of_its_objects_show_no_key_and_no_letter(self):
        sent = []

        def transport(request):
            sent.append(request)
            return Answer(200, {}, b"{}")

        client = lc.Client("https://letters.example", "svc_test_secret", transport=transport)
        client.send_letter({"to_name": "Anna"})
        client.list_letters(reference="Anna")
        texts = [repr(one) for one in (client, client.settings, vars(client), *sent)]
        self.assertIn("https://letters.example", texts[1])
        for text in texts:
            self.assertNotIn("svc_test_secret", text)
            self.assertNotIn("Anna", text)

    def test_errors_say_what_to_do_and_go_from_process_to_process(self):
        with self.assertRaises(lc.UnreachableError) as caught:
            lc.Client("http://127.0.0.1:1", retries=0).get_balance()
        self.assertIn("SERVICE_URL", str(caught.exception))
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual(
            (type(again), again.as_data()), (lc.UnreachableError, caught.exception.as_data())
        )

    def test_arguments_of_paths_stay_in_their_place(self):
        with Scripted((200, {}, {"ok": True})) as server:
            server.client().get_letter("../keys?x=1#y")
            self.assertEqual(server.asked[0].path, "/api/letters/..%2Fkeys%3Fx%3D1%23y")
            for text in ("..", ".", "", "\ud83d"):
                with self.assertRaises(lc.InvalidArgumentsError):
                    server.client().get_letter(text)
            with self.assertRaises(lc.InvalidArgumentsError):
                server.client().list_letters(reference="\ud83d")
            self.assertEqual(len(server.asked), 1)

    def test_what_json_and_headers_cannot_hold_is_not_sent(self):
        with Scripted(SENT) as server:
            for body in ({"max_total": float("nan")}, {"content": "\ud800"}, {"content": object()}):
                with self.assertRaises(lc.InvalidArgumentsError):
                    server.client().send_letter(body)
            with self.assertRaises(lc.InvalidArgumentsError):
                server.client().send_letter(LETTER, idempotency_key="a\r\nX-Evil: 1")
            self.assertEqual(server.asked, [])

    def test_a_log_that_was_restored_is_read_all_the_same(self):
        answers = [
            (201, {"X-Log-Position": "9"}, {"letter_id": "l1"}),
            problem(422, "position_beyond_log"),
            (200, {}, {"a": 1}),
        ]
        with Scripted(*answers) as server:
            client = server.client()
            client.send_letter(LETTER)
            self.assertEqual(client.get_balance(), {"a": 1})
            client.get_balance()
            found = [one.headers.get("x-min-log-position") for one in server.asked]
            self.assertEqual(found, [None, "9", None, None])

    def test_reads_that_are_no_get_show_what_was_written_before_too(self):
        with Scripted((201, {"X-Log-Position": "9"}, {"letter_id": "l1"})) as server:
            client = server.client()
            client.send_letter(LETTER)
            client.search_letters({"recipient": {}})
            client.negotiate_pricing({})
            client.accept_offer({})
            client.create_contract({})
            client.close_account()
            lc.execute("accept_offer", {"tier": "standard"}, client=client)
            client.quote_letter({})
            client.send_letter(LETTER)
            found = [one.headers.get("x-min-log-position") for one in server.asked]
            self.assertEqual(found, [None, *["9"] * 6, None, None])

    def test_tools_name_the_tools_that_help_after_a_refusal(self):
        problem = {
            "code": "validation_failed",
            "detail": "Ask for a new offer: POST /api/anp/offer.",
            "errors": [
                {
                    "pointer": "/x",
                    "detail": "GET /api/services/DE lists them. GET /api/letters too.",
                }
            ],
        }
        with Scripted((422, {}, problem)) as server:
            error = lc.execute("get_balance", client=server.client())["error"]
            self.assertEqual(error["detail"], "Ask for a new offer: negotiate_pricing.")
            told = error["errors"][0]["detail"]
            self.assertEqual(told, "list_services lists them. GET /api/letters too.")

    def test_reads_show_what_another_client_wrote_with_the_same_key(self):
        with Scripted((201, {"X-Log-Position": "9"}, {"letter_id": "l1", "data": []})) as server:
            server.client().send_letter(LETTER)
            lc.execute("get_balance", base_url=server.url, api_key="svc_test_key", timeout=5)
            asyncio.run(lc.AsyncClient(server.url, "svc_test_key").list_letters())
            lc.Client(server.url, "svc_test_other").get_balance()
            lc.Client(server.url, "").service_info()
            found = [one.headers.get("x-min-log-position") for one in server.asked]
            self.assertEqual(found, [None, "9", "9", None, None])

    def test_pages_end_where_the_service_repeats_itself(self):
        page = (200, {}, {"data": [{"letter_id": "l1"}], "has_more": True, "next_cursor": "c"})
        with Scripted(page) as server:
            with self.assertRaises(lc.InvalidAnswerError):
                list(server.client().iter_letters(status=["queued", "posted"]))
            self.assertEqual(
                [one.path for one in server.asked],
                [
                    "/api/letters?status=queued&status=posted",
                    "/api/letters?status=queued&status=posted&cursor=c",
                ],
            )


class Waiting(unittest.TestCase):
    def test_a_later_status_counts_and_another_end_is_an_error(self):
        with Scripted(
            (200, {}, {"status": "queued"}), (200, {}, {"status": "in_transit"})
        ) as server:
            self.assertEqual(server.client().wait_for("l1", "posted")["status"], "in_transit")
            self.assertEqual(len(server.slept), 1)
        for end in ("cancelled", "failed"):
            with Scripted((200, {}, {"status": end})) as server:
                with self.assertRaises(lc.WaitError) as caught:
                    server.client().wait_for("l1", "posted")
                self.assertEqual(
                    (caught.exception.code, caught.exception.letter["status"]),
                    ("status_unreachable", end),
                )
                self.assertEqual(server.client().wait_for("l1", end)["status"], end)

    def test_a_letter_on_its_way_is_no_longer_cancelled(self):
        for status in ("posted", "in_transit"):
            with Scripted((200, {}, {"status": status})) as server:
                with self.assertRaises(lc.WaitError) as caught:
                    server.client().wait_for("l1", "cancelled", timeout=0)
                self.assertEqual(caught.exception.code, "status_unreachable")

    def test_options_that_are_out_of_range_are_refused(self):
        for options in (
            {"timeout": -1},
            {"timeout": 0},
            {"timeout": float("nan")},
            {"retries": -1},
            {"max_wait": -0.5},
        ):
            with self.assertRaises(lc.ConfigurationError, msg=options) as caught:
                lc.Client("http://127.0.0.1:1", **options)
            self.assertIn(next(iter(options)), str(caught.exception))

    def test_what_is_no_time_is_not_waited_for(self):
        with Scripted((200, {}, {"letter_id": "l1", "status": "queued"})) as server:
            for times in ({"timeout": float("nan")}, {"poll": float("nan")}, {"poll": -1}):
                with self.assertRaises(lc.InvalidArgumentsError):
                    server.client(sleep=lambda _: self.fail("it waits")).wait_for(
                        "l1", "posted", **times
                    )
            self.assertEqual(server.asked, [])

    def test_what_is_no_status_is_not_waited_for(self):
        with self.assertRaises(lc.InvalidArgumentsError):
            lc.Client("http://127.0.0.1:1").wait_for("l1", "arrived")

    def test_the_time_ends(self):
        with Scripted((200, {}, {"status": "queued"})) as server:
            with self.assertRaises(lc.WaitError) as caught:
                server.client().wait_for("l1", "posted", timeout=0)
            self.assertEqual(caught.exception.code, "wait_timed_out")

    def test_awaited_it_holds_no_thread_and_ends_when_it_is_cancelled(self):
        async def waits():
            client = lc.AsyncClient(server.url, "k")
            first = asyncio.create_task(client.wait_for("l1", "posted", poll=0.01))
            letter = await first
            self.assertEqual((letter["status"], len(server.asked)), ("posted", 3))
            waiting = [
                asyncio.create_task(client.wait_for("l2", "delivered", timeout=20, poll=20))
                for _ in range(40)
            ]
            while len(server.asked) < 43:
                await asyncio.sleep(0.01)
            # More waits than a program has threads: another call does not stand behind them.
            await asyncio.wait_for(client.count_letters(), 10)
            for one in waiting:
                one.cancel()
            ended = await asyncio.gather(*waiting, return_exceptions=True)
            self.assertEqual({type(one) for one in ended}, {asyncio.CancelledError})
            with self.assertRaises(lc.WaitError):
                await client.wait_for("l2", "delivered", timeout=0)
            with self.assertRaises(lc.InvalidArgumentsError):
                await client.wait_for("l2", "arrived")

        queued, posted = (200, {}, {"status": "queued"}), (200, {}, {"status": "posted"})
        with Scripted(queued, queued, posted) as server:
            asyncio.run(asyncio.wait_for(waits(), 60))

    def test_awaited_a_pause_holds_no_thread_and_the_call_goes_on_under_its_key(self):
        async def calls():
            client = lc.AsyncClient(server.url, "k")
            sent = await client.send_letter(LETTER)
            self.assertEqual(sent["letter_id"], "l1")
            self.assertEqual([row async for row in client.iter_letters()], [{"n": 1}, {"n": 2}])
            with self.assertRaises(lc.RefusedError):
                await client.send_letter(LETTER)

        busy = problem(503, "store_unavailable", {"Retry-After": "0"})
        pages = [
            (200, {}, {"data": [{"n": n}], "next_cursor": following})
            for n, following in ((1, "c"), (2, None))
        ]
        with Scripted(
            *[busy, busy, (201, {}, {"letter_id": "l1"})],
            *[busy, pages[0], busy, busy, busy, pages[1]],
            busy,
        ) as server:
            asyncio.run(asyncio.wait_for(calls(), 60))
            keys = [asked.headers.get("idempotency-key") for asked in server.asked]
            self.assertEqual([len(set(keys[:3])), len(set(keys[9:]))], [1, 1])
            self.assertNotEqual(keys[0], keys[9])
            self.assertEqual(len(keys), 13)

    def test_awaited_more_calls_pause_than_a_program_has_threads(self):
        def later(handler):
            busy = handler.path == "/api/letters/l1"
            payload = json.dumps(problem(503, "store_unavailable")[2] if busy else {"count": 0})
            handler.send_response(503 if busy else 200)
            handler.send_header("Retry-After", "30")
            handler.send_header("Content-Length", str(len(payload)))
            handler.end_headers()
            handler.wfile.write(payload.encode())

        async def calls():
            client = lc.AsyncClient(server.url, "k")
            paused = [asyncio.create_task(client.get_letter("l1")) for _ in range(40)]
            while len(server.asked) < 40:
                await asyncio.sleep(0.01)
            await asyncio.wait_for(client.count_letters(), 10)
            for one in paused:
                one.cancel()
            ended = await asyncio.gather(*paused, return_exceptions=True)
            self.assertEqual({type(one) for one in ended}, {asyncio.CancelledError})

        with Scripted(later) as server:
            asyncio.run(asyncio.wait_for(calls(), 60))


if __name__ == "__main__":
    unittest.main()
