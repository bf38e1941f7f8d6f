"""A webhook counts when it is the service's and fresh, and never else."""

import base64
import hashlib
import hmac
import importlib.util
import json
import unittest

import letters_client as lc

NOW = 1795262400
# The example of the Standard Webhooks specification.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = b'{"test": 2432232314}'
KNOWN = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}


def signed(body, secret=SECRET, now=NOW):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    value = hmac.new(key, f"m1.{now}.".encode() + body, hashlib.sha256).digest()
    return {
        "Webhook-Id": "m1",
        "Webhook-Timestamp": str(now),
        "Webhook-Signature": f"v1,{base64.b64encode(value).decode()}",
    }


class Status(unittest.TestCase):
    def check(self, code, body=BODY, headers=None, secret=SECRET, now=NOW):
        with self.assertRaises(lc.WebhookError, msg=headers) as caught:
            lc.verify_webhook(body, signed(BODY) if headers is None else headers, secret, now=now)
        self.assertEqual(caught.exception.code, code)

    def test_the_example_of_the_specification_holds(self):
        self.assertEqual(
            lc.verify_webhook(BODY, KNOWN, SECRET, now=1614265330), {"test": 2432232314}
        )
        self.assertEqual(
            lc.verify_webhook(BODY.decode(), KNOWN, [SECRET], now=1614265330), {"test": 2432232314}
        )

    def test_names_of_headers_are_in_any_case_and_one_signature_that_fits_is_enough(self):
        headers = signed(BODY)
        headers["Webhook-Signature"] = (
            "v1a,AAAA v1,!! v1,AAAA garbage " + headers["Webhook-Signature"]
        )
        self.assertTrue(lc.verify_webhook(BODY, headers, ["whsec_AAAA", SECRET], now=NOW))

    def test_what_was_changed_is_refused(self):
        headers = signed(BODY)
        self.check("webhook_signature_invalid", body=BODY + b" ")
        self.check("webhook_signature_invalid", headers={**headers, "Webhook-Id": "m2"})
        self.check(
            "webhook_signature_invalid", headers={**headers, "Webhook-Timestamp": str(NOW + 1)}
        )
        self.check("webhook_signature_invalid", secret="whsec_AAAA")
        for text in ("", "v1,", "v1", ",", "v2," + headers["Webhook-Signature"][3:], "v1,ä"):
            self.check("webhook_signature_invalid", headers={**headers, "Webhook-Signature": text})

    def test_what_is_too_old_or_from_the_future_is_refused(self):
        for seconds in (-301, 301):
            self.check("webhook_too_old", now=NOW + seconds)
        self.assertTrue(lc.verify_webhook(BODY, signed(BODY), SECRET, now=NOW + 300))

    def test_headers_that_are_missing_or_malformed_are_refused(self):
        for name in ("Webhook-Id", "Webhook-Timestamp"):
            for value in (None, "", "x", "1e9", "-1", "١٢٣", "9" * 50):
                if name == "Webhook-Id" and value:
                    continue
                headers = (
                    {**signed(BODY), name: value}
                    if value is not None
                    else {k: v for k, v in signed(BODY).items() if k != name}
                )
                self.check("webhook_invalid", headers=headers)
        self.check("webhook_invalid", headers={})

    def test_a_body_that_is_no_object_is_refused(self):
        for body in (b"", b"[]", b"\xff", b"[" * 100000):
            self.check("webhook_invalid", body=body, headers=signed(body))

    def test_a_secret_that_is_missing_is_an_error_of_the_setup(self):
        for secret in ("", [], "whsec_?", None):
            with self.assertRaises(lc.ConfigurationError):
                lc.verify_webhook(BODY, signed(BODY), secret, now=NOW)


class Audit(unittest.TestCase):
    @unittest.skipIf(importlib.util.find_spec("cryptography"), "cryptography is there")
    def test_without_a_crypto_library_the_error_says_what_to_install(self):
        with self.assertRaises(lc.ConfigurationError) as caught:
            lc.verify_audit_webhook(BODY, signed(BODY), "whpk_AAAA")
        self.assertEqual(caught.exception.code, "extra_missing")
        self.assertIn("letters-client[verify]", caught.exception.hint)

    @unittest.skipUnless(importlib.util.find_spec("cryptography"), "cryptography is not there")
    def test_a_signature_by_the_key_of_the_service_counts_and_no_other(self):
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        key, other = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
        public = [
            "whpk_" + base64.b64encode(one.public_key().public_bytes_raw()).decode()
            for one in (other, key)
        ]
        signature = base64.b64encode(key.sign(f"m1.{NOW}.".encode() + BODY)).decode()
        headers = {**signed(BODY), "Webhook-Signature": f"v1,AAAA v1a,{signature}"}
        self.assertEqual(lc.verify_audit_webhook(BODY, headers, public, now=NOW), json.loads(BODY))
        for keys, body in ((public[0], BODY), (public, BODY + b" ")):
            with self.assertRaises(lc.WebhookError):
                lc.verify_audit_webhook(body, headers, keys, now=NOW)
        with self.assertRaises(lc.WebhookError):
            lc.verify_audit_webhook(BODY, signed(BODY), public, now=NOW)
        for wrong in ("whpk_AAAA", "", []):
            with self.assertRaises(lc.ConfigurationError):
                lc.verify_audit_webhook(BODY, headers, wrong, now=NOW)


if __name__ == "__main__":
    unittest.main()
