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

    def test_values_of_headers_may_be_lists(self):
        for kind in (list, tuple):
            headers = {name: kind([value]) for name, value in signed(BODY).items()}
            self.assertTrue(lc.verify_webhook(BODY, headers, SECRET, now=NOW))

    def test_what_was_changed_is_refused(self):
        headers = signed(BODY)
        self.check("webhook_signature_invalid", body="{\udcff}")
        self.check("webhook_signature_invalid", body=BODY + b" ")
        for other in ("m2", "\udcff", "\ud800"):
            self.check("webhook_signature_invalid", headers={**headers, "Webhook-Id": other})
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
        for value in (None, [], [None], 5, b"m1"):
            self.check("webhook_invalid", headers={**signed(BODY), "Webhook-Id": value})
            self.check("webhook_invalid", headers={**signed(BODY), "Webhook-Timestamp": value})
            headers = {**signed(BODY), "Webhook-Signature": value}
            self.check("webhook_signature_invalid", headers=headers)

    def test_a_body_that_is_no_object_is_refused(self):
        for body in (b"", b"[]", b"\xff", b"[" * 100000):
            self.check("webhook_invalid", body=body, headers=signed(body))

    def test_a_body_that_was_parsed_is_an_error_of_the_setup(self):
        for body in (json.loads(BODY), None):
            with self.assertRaises(lc.ConfigurationError) as caught:
                lc.verify_webhook(body, signed(BODY), SECRET, now=NOW)
            self.assertIn("before it is parsed", caught.exception.hint)
        lc.verify_webhook(bytearray(BODY), signed(BODY), SECRET, now=NOW)

    def test_a_secret_that_is_missing_is_an_error_of_the_setup(self):
        for secret in ("", [], "whsec_?", "whsec_", [SECRET, "whsec_"], None):
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


ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def multikey(key):
    value, text = int.from_bytes(b"\xed\x01" + key.public_key().public_bytes_raw(), "big"), ""
    while value:
        value, digit = divmod(value, 58)
        text = ALPHABET[digit] + text
    return "z" + text


def segment(value):
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


class Credential(unittest.TestCase):
    def test_without_a_crypto_library_the_error_says_what_to_install(self):
        if importlib.util.find_spec("cryptography"):
            self.skipTest("cryptography is there")
        key = "z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"
        issuer = {
            "id": "did:key:x",
            "assertionMethod": ["k"],
            "verificationMethod": [{"id": "k", "publicKeyMultibase": key}],
        }
        jwt = f"{segment({'alg': 'EdDSA', 'kid': 'k'})}.{segment({'iss': 'did:key:x'})}.AAAA"
        with self.assertRaises(lc.ConfigurationError) as caught:
            lc.verify_credential(jwt, issuer)
        self.assertEqual(caught.exception.code, "extra_missing")

    @unittest.skipUnless(importlib.util.find_spec("cryptography"), "cryptography is not there")
    def test_it_counts_as_its_issuer_signed_it_and_for_no_other_event(self):
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        key, former, other = (Ed25519PrivateKey.generate() for _ in range(3))
        did = "did:web:post.example"
        document = {
            "id": did,
            "assertionMethod": [f"{did}#k", {"id": f"{did}#embedded"}],
            "verificationMethod": [
                {"id": f"{did}#k", "publicKeyMultibase": multikey(key)},
                {"id": f"{did}#agree", "publicKeyMultibase": multikey(other)},
            ],
        }
        retired = [
            {
                "kid": f"{did}#old",
                "purpose": "credential",
                "publicKeyMultibase": multikey(former),
                "valid_until": "2026-11-21T12:00:00.000Z",
            },
            {
                "kid": f"{did}#stolen",
                "purpose": "credential",
                "revoked": True,
                "publicKeyMultibase": multikey(other),
            },
        ]
        issuer = {"did": did, "kid": f"{did}#k", "didDocument": document, "retired_keys": retired}
        claims = {
            "iss": did,
            "jti": "urn:uuid:e1",
            "nbf": NOW,
            "vc": {"credentialSubject": {"letterId": "l1"}},
        }

        def issued(by=key, kid=f"{did}#k", head=None, **changes):
            header = {"alg": "EdDSA", "kid": kid, **(head or {})}
            signed = f"{segment(header)}.{segment({**claims, **changes})}"
            return f"{signed}.{segment(by.sign(signed.encode()))}"

        self.assertEqual(lc.verify_credential(issued(), issuer, now=NOW), claims)
        self.assertEqual(lc.verify_credential(issued(), document, now=NOW), claims)
        self.assertTrue(lc.verify_credential(issued(former, f"{did}#old"), issuer, now=NOW))
        wrong = [
            issued(other),
            issued(other, f"{did}#agree"),
            issued(other, f"{did}#stolen"),
            issued(other, f"{did}#embedded"),
            issued(kid=f"{did}#old"),
            issued(head={"alg": "none"}),
            issued(head={"crit": []}),
            issued(iss="did:web:else.example"),
            issued(nbf=NOW + 301),
            issued(exp=NOW - 301),
            issued(vc={}),
            issued(vc=None),
            issued() + "A",
            issued() + "==",
            *(issued()[:-1] + chr(ord(issued()[-1]) + more) for more in (1, 2, 3)),
            issued() + ".A",
            issued().rsplit(".", 1)[0] + ".",
            issued().replace(".", "", 1),
            "a.b.c",
            "",
            None,
            "ä.ä.ä",
            segment(b"[" * 100000) + "." + segment({}) + ".",
        ]
        for jwt in wrong:
            with self.assertRaises(lc.WebhookError, msg=jwt) as caught:
                lc.verify_credential(jwt, issuer, now=NOW)
            self.assertEqual(caught.exception.code, "credential_invalid")
        with self.assertRaises(lc.WebhookError):
            lc.verify_credential(issued(former, f"{did}#old"), document, now=NOW)

        # Input that is no credential or DID document proves nothing, and never raises another error.
        odd = [None, True, 1, "x", [], [None], [[]], [{}], {}, {"id": "x"}]
        subjects = [{"vc": {"credentialSubject": one}} for one in (None, [], ["x"], "x")]
        for changes in ({"nbf": "1"}, {"nbf": float("nan")}, {"exp": True}, {"vc": []}, *subjects):
            with self.assertRaises(lc.WebhookError, msg=changes):
                lc.verify_credential(issued(**changes), issuer, now=NOW)
        gone = [
            {**one, "revoked": "2026-11-20T00:00:00Z"} for one in document["verificationMethod"]
        ]
        strange = [{**document, "verificationMethod": gone}, *odd]
        for one in odd:
            strange += [
                {**document, "verificationMethod": one},
                {**document, "assertionMethod": one},
            ]
            strange.append({**issuer, "didDocument": one})
            others = {**issuer, "retired_keys": one, "former_dids": one, "kid": one}
            self.assertTrue(lc.verify_credential(issued(), others, now=NOW))
        for by in strange:
            with self.assertRaises(lc.WebhookError, msg=by) as caught:
                lc.verify_credential(issued(), by, now=NOW)
            self.assertEqual(caught.exception.code, "credential_invalid")

        # A retired key signed nothing that is dated later, but for five minutes for the clocks.
        old = {"id": f"{did}#old", "publicKeyMultibase": multikey(former)}
        for ended, holds in (
            ("2026-11-21T11:55:00.000Z", True),
            ("2026-11-21T11:54:59.000Z", False),
            ("2026-06-01T00:00:00Z", False),
            ("soon", False),
        ):
            listed = {
                **document,
                "assertionMethod": [f"{did}#old"],
                "verificationMethod": [{**old, "expires": ended}],
            }
            answer = {**issuer, "retired_keys": [{**retired[0], "valid_until": ended}]}
            for by in (listed, answer):
                for changes in ({}, {"nbf": None}):
                    jwt = issued(former, f"{did}#old", **changes)
                    if holds:
                        self.assertTrue(lc.verify_credential(jwt, by, now=NOW))
                        continue
                    with self.assertRaises(lc.WebhookError) as caught:
                        lc.verify_credential(jwt, by, now=NOW)
                    self.assertEqual(caught.exception.code, "credential_invalid")

        def statement(by, kid, sub=did, **changes):
            header = {"alg": "EdDSA", "kid": kid, "typ": "letters-continuation+jwt"}
            stated = {"iss": kid.split("#")[0], "sub": sub, **changes}
            signed = f"{segment(header)}.{segment(stated)}"
            return f"{signed}.{segment(by.sign(signed.encode()))}"

        # A service with a did:key had a different DID for each former key, which says so itself.
        was, now = (f"did:key:{multikey(one)}" for one in (former, key))
        was_kid, now_kid = (f"{one}#{one.removeprefix('did:key:')}" for one in (was, now))
        method = {"id": now_kid, "publicKeyMultibase": multikey(key)}
        own = {"id": now, "assertionMethod": [now_kid], "verificationMethod": [method]}
        listed = {**retired[0], "kid": was_kid}
        keyed = {
            "did": now,
            "kid": now_kid,
            "didDocument": own,
            "retired_keys": [listed],
            "former_dids": [{"did": was, "statement": statement(former, was_kid, sub=now)}],
        }
        genuine = issued(former, was_kid, iss=was)
        self.assertTrue(lc.verify_credential(genuine, keyed, now=NOW))
        self.assertTrue(lc.verify_credential(issued(key, now_kid, iss=now), keyed, now=NOW))
        web = "did:web:else.example"
        claimed = {**retired[0], "kid": f"{web}#k", "publicKeyMultibase": multikey(key)}
        for jwt, by in (
            (genuine, own),
            (genuine, {**keyed, "retired_keys": []}),
            (genuine, {**keyed, "retired_keys": [{**listed, "revoked": True}]}),
            (genuine, {**keyed, "former_dids": []}),
            (genuine, {**issuer, "retired_keys": [listed]}),
            (issued(key, f"{web}#k", iss=web), {**issuer, "retired_keys": [claimed]}),
            (issued(key, now_kid, iss=was), keyed),
            (issued(former, was_kid, iss=now), keyed),
            (issued(key, was_kid, iss=was), keyed),
            (issued(former, was_kid, iss=web), keyed),
        ):
            with self.assertRaises(lc.WebhookError, msg=jwt) as caught:
                lc.verify_credential(jwt, by, now=NOW)
            self.assertEqual(caught.exception.code, "credential_invalid")

        # After a move to another did:web only the document of the former one shows its keys.
        now_web = "did:web:now.example"
        moved_web = {
            **issuer,
            "did": now_web,
            "kid": f"{now_web}#k",
            "didDocument": {
                "id": now_web,
                "assertionMethod": [f"{now_web}#k"],
                "verificationMethod": [{"id": f"{now_web}#k", "publicKeyMultibase": multikey(key)}],
            },
            "retired_keys": [],
            "former_dids": [{"did": did, "statement": statement(key, f"{did}#k", sub=now_web)}],
        }
        with self.assertRaises(lc.WebhookError):
            lc.verify_credential(issued(), moved_web, now=NOW)
        self.assertTrue(lc.verify_credential(issued(), document, now=NOW))

        # The same key after a move to a did:web.
        moved = {**issuer, "former_dids": [{"did": was, "statement": statement(former, was_kid)}]}
        self.assertTrue(lc.verify_credential(genuine, moved, now=NOW))
        for former_dids in (
            [],
            None,
            ["x"],
            [{"did": was}],
            [{"did": was, "statement": "a.b.c"}],
            [{"did": was, "statement": statement(key, was_kid)}],
            [{"did": was, "statement": statement(former, was_kid, sub="did:web:else.example")}],
            [{"did": was, "statement": statement(former, was_kid, formerOrigin="letters.local")}],
        ):
            with self.assertRaises(lc.WebhookError) as caught:
                lc.verify_credential(genuine, {**moved, "former_dids": former_dids}, now=NOW)
            self.assertEqual(caught.exception.code, "credential_invalid")

        public = "whpk_" + base64.b64encode(key.public_key().public_bytes_raw()).decode()
        for data, holds in (
            ({"letter_id": "l1", "event_id": "e1", "credential": issued()}, True),
            ({"letter_id": "l2", "event_id": "e1", "credential": issued()}, False),
            ({"letter_id": "l1", "event_id": "e2", "credential": issued()}, False),
            ({"letter_id": "l1", "event_id": "e1"}, False),
            (None, False),
        ):
            body = json.dumps({"type": "letter.queued", "data": data}).encode()
            signature = base64.b64encode(key.sign(f"m1.{NOW}.".encode() + body)).decode()
            headers = {**signed(body), "Webhook-Signature": f"v1a,{signature}"}
            self.assertTrue(lc.verify_audit_webhook(body, headers, public, now=NOW))
            if holds:
                self.assertTrue(
                    lc.verify_audit_webhook(body, headers, public, issuer=issuer, now=NOW)
                )
            else:
                with self.assertRaises(lc.WebhookError) as caught:
                    lc.verify_audit_webhook(body, headers, public, issuer=issuer, now=NOW)
                self.assertEqual(caught.exception.code, "credential_invalid")


if __name__ == "__main__":
    unittest.main()
