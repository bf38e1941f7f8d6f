"""The client and the running service. `SERVICE_URL` and `SERVICE_API_KEY` (of a test account) are set outside."""

import asyncio
import importlib.util
import os
import threading
import unittest
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer

import letters_client as lc

LETTER = {
    **{"to_name": "Anna Müller", "to_line1": "Lindenstraße 5", "to_city": "Berlin"},
    **{"to_postal_code": "10969", "to_country": "DE", "from_name": "Bob Sender"},
    **{"from_line1": "350 5th Ave", "from_city": "New York", "from_postal_code": "10118"},
    **{"from_country": "US", "content": "Hello.", "intent": "transactional"},
}


class Receiver:
    """Takes webhooks."""

    def __init__(self):
        received = self.received = []
        self.came = threading.Event()
        came = self.came

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                received.append(
                    (
                        self.rfile.read(int(self.headers["content-length"])),
                        dict(self.headers.items()),
                    )
                )
                self.send_response(204)
                self.end_headers()
                came.set()

            def log_message(self, *_):
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def first(self):
        if not self.came.wait(60):
            raise AssertionError("no webhook came")
        return self.received[0]

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class Service(unittest.TestCase):
    def setUp(self):
        self.client = lc.Client()

    def test_a_letter_is_quoted_sent_followed_and_proved(self):
        quote = self.client.quote_letter({**LETTER})
        sent = self.client.send_letter({**LETTER, "quote_id": quote["quote_id"], "max_total": 50})
        letter_id = sent["letter_id"]
        self.assertEqual(self.client.get_letter(letter_id)["status"], "queued")
        self.client.advance_test_letter(letter_id, {"to": "delivered"})
        self.assertEqual(self.client.wait_for(letter_id)["status"], "delivered")
        self.assertEqual(self.client.get_proof(letter_id)["letter_id"], letter_id)
        self.assertTrue(self.client.get_proof_pdf(letter_id).startswith(b"%PDF"))
        self.assertTrue(self.client.get_audit_zip(letter_id).startswith(b"PK"))
        self.assertIn("letter_id", self.client.get_statement())

    def test_the_same_key_is_the_same_letter(self):
        key = str(uuid.uuid4())
        first, second = (self.client.send_letter(LETTER, idempotency_key=key) for _ in range(2))
        self.assertEqual(first["letter_id"], second["letter_id"])
        other = self.client.send_letter(LETTER)
        self.assertNotEqual(other["letter_id"], first["letter_id"])

    def test_lists_are_read_to_the_end_and_what_was_written_is_in_them(self):
        mark = uuid.uuid4().hex
        sent = [
            self.client.send_letter({**LETTER, "reference": mark, "draft": True})["letter_id"]
            for _ in range(3)
        ]
        found = [
            letter["letter_id"] for letter in self.client.iter_letters(reference=mark, limit=1)
        ]
        self.assertEqual(found, sent[::-1])
        self.assertEqual(self.client.list_letters(metadata={"mark": mark})["data"], [])

    def test_a_draft_is_changed_unless_somebody_else_changed_it(self):
        letter_id = self.client.send_letter({**LETTER, "draft": True})["letter_id"]
        version = self.client.call("GET", "/api/letters/{id}", params={"id": letter_id}).headers[
            "etag"
        ]
        self.client.update_letter(letter_id, {"reference": "one"}, if_match=version)
        with self.assertRaises(lc.RefusedError) as caught:
            self.client.update_letter(letter_id, {"reference": "two"}, if_match=version)
        self.assertEqual(caught.exception.code, "version_mismatch")
        self.assertEqual(self.client.cancel_letter(letter_id)["status"], "cancelled")

    def test_everything_can_be_awaited(self):
        async def many():
            client = lc.AsyncClient()
            quotes = await asyncio.gather(
                *(client.quote_letter({"to_country": "DE", "pages": 1}) for _ in range(8))
            )
            sent = await client.send_letter({**LETTER, "draft": True})
            rows = [row["letter_id"] async for row in client.iter_letters(limit=2)]
            reached = await client.wait_for(sent["letter_id"], "draft")
            return len(quotes), sent["letter_id"] in rows, reached["status"]

        self.assertEqual(asyncio.run(many()), (8, True, "draft"))

    def test_what_the_service_refuses_is_typed(self):
        with self.assertRaises(lc.RefusedError) as caught:
            self.client.get_letter(str(uuid.uuid4()))
        self.assertEqual(
            (caught.exception.status, caught.exception.code), (404, "letter_not_found")
        )
        with self.assertRaises(lc.PaymentRequiredError) as caught:
            self.client.send_letter({**LETTER, "max_total": 0.01})
        self.assertEqual(caught.exception.code, "max_total_exceeded")
        with self.assertRaises(lc.RefusedError) as caught:
            lc.Client(api_key="svc_test_wrong").get_balance()
        self.assertIn("SERVICE_API_KEY", caught.exception.hint)

    def test_status_webhooks_are_verified(self):
        receiver = Receiver()
        self.addCleanup(receiver.close)
        settings = self.client.update_settings({"webhook_url": receiver.url})
        self.client.send_letter(LETTER)
        body, headers = receiver.first()
        message = lc.verify_webhook(body, headers, settings["webhook_secret"])
        self.assertIn("letter_id", message["data"])
        with self.assertRaises(lc.WebhookError):
            lc.verify_webhook(
                body.replace(b"letter", b"Letter"), headers, settings["webhook_secret"]
            )
        self.client.update_settings({"webhook_url": None})

    @unittest.skipUnless(importlib.util.find_spec("cryptography"), "cryptography is not there")
    def test_audit_webhooks_are_verified(self):
        receiver = Receiver()
        self.addCleanup(receiver.close)
        hook = self.client.subscribe_audit({"url": receiver.url})
        letter_id = self.client.send_letter(LETTER)["letter_id"]
        body, headers = receiver.first()
        issuer = self.client.service_did()
        for keys in (hook["public_key"], issuer["webhook_public_keys"]):
            for by in (None, issuer, issuer["didDocument"]):
                message = lc.verify_audit_webhook(body, headers, keys, issuer=by)
                self.assertEqual(message["data"]["letter_id"], letter_id)
        with self.assertRaises(lc.WebhookError) as caught:
            other = {**issuer["didDocument"], "id": "did:web:elsewhere.example"}
            lc.verify_audit_webhook(body, headers, hook["public_key"], issuer=other)
        self.assertEqual(caught.exception.code, "credential_invalid")
        said = lc.verify_credential(message["data"]["credential"], issuer)
        self.assertEqual(said["vc"]["credentialSubject"]["letterId"], letter_id)
        self.assertEqual(
            lc.verify_webhook(body, headers, hook["secret"])["data"]["letter_id"], letter_id
        )
        self.client.unsubscribe_audit({"id": hook["id"]})


if __name__ == "__main__":
    assert os.environ["SERVICE_URL"]
    unittest.main()
