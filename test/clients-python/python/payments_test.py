"""x402: the caller's payer pays once, within its caps, and never twice for one request."""

import base64
import json
import random
import threading
import unittest

import letters_client as lc
from letters_client.transport import Answer
from scripted import Scripted, hang_up, problem

USDC = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
SENT = (201, {}, {"letter_id": "l1"})
LETTER = {"letter_id": "11111111-1111-4111-8111-111111111111"}


def offer(**more):
    return {
        "scheme": "exact",
        "network": "eip155:84532",
        "asset": USDC,
        "amount": "1630000",
        "payTo": "0x1",
        **more,
    }


def asks(*accepts, code="payment_required"):
    required = {"x402Version": 2, "resource": {"url": "x"}, "accepts": list(accepts) or [offer()]}
    header = base64.b64encode(json.dumps(required).encode()).decode()
    return problem(402, code, {"PAYMENT-REQUIRED": header})


class Wallet:
    """Signs, and counts."""

    def __init__(self):
        self.signed = []

    def __call__(self, required):
        self.signed.append(required)
        return {
            "x402Version": 2,
            "accepted": required["accepts"][0],
            "payload": {"nonce": len(self.signed)},
        }


def payments_of(server):
    found = [one.headers.get("payment-signature") for one in server.asked]
    return [
        None if one is None else json.loads(base64.b64decode(one))["payload"]["nonce"]
        for one in found
    ]


class Payments(unittest.TestCase):
    def setUp(self):
        self.wallet = Wallet()

    def test_without_a_payer_it_is_an_error_with_what_is_asked_for(self):
        with Scripted(asks()) as server:
            with self.assertRaises(lc.PaymentRequiredError) as caught:
                server.client().send_letter(LETTER)
            self.assertEqual(caught.exception.requirements["accepts"], [offer()])
            self.assertEqual(len(server.asked), 1)
            error = lc.execute("send_letter", LETTER, client=server.client())["error"]
            self.assertEqual((error["code"], error["status"]), ("payment_required", 402))
            self.assertIn("payer", error["hint"])

    def test_it_pays_once_under_the_same_key(self):
        with Scripted(asks(), SENT) as server:
            payer = lc.Payer(self.wallet)
            server.client(payer=payer).send_letter(LETTER)
            self.assertEqual(payments_of(server), [None, 1])
            self.assertEqual(len({one.headers["idempotency-key"] for one in server.asked}), 1)
            self.assertEqual(self.wallet.signed[0]["accepts"], [offer()])
            self.assertEqual(payer.signed_usd, 1.63)

    def test_a_payment_that_is_refused_is_not_followed_by_another(self):
        with Scripted(asks(), asks(code="payment_invalid")) as server:
            with self.assertRaises(lc.PaymentRequiredError) as caught:
                server.client(payer=self.wallet).send_letter(LETTER)
            self.assertEqual(caught.exception.code, "payment_invalid")
            self.assertEqual(payments_of(server), [None, 1])

    def test_an_answer_that_was_lost_after_paying_is_asked_for_with_the_same_payment(self):
        for lost in (
            hang_up,
            problem(503, "payment_unavailable"),
            problem(409, "payment_pending", {"Retry-After": "1"}),
        ):
            self.wallet.signed.clear()
            with Scripted(asks(), lost, lost, SENT) as server:
                server.client(payer=self.wallet).send_letter(LETTER)
                self.assertEqual(payments_of(server), [None, 1, 1, 1])

    def test_a_later_call_with_the_same_key_shows_the_same_payment(self):
        for lost in (
            hang_up,
            (200, {}, b"<html>"),
            problem(500, "internal_error"),
            (302, {"Location": "/"}, b""),
        ):
            self.wallet.signed.clear()
            payer = lc.Payer(self.wallet)
            with Scripted(asks(), lost) as server:
                answer = lc.execute(
                    "send_letter", LETTER, client=server.client(payer=payer, retries=0)
                )
            key = answer["error"]["idempotency_key"]
            with Scripted(SENT) as server:
                lc.execute(
                    "send_letter",
                    {**LETTER, "idempotency_key": key},
                    client=server.client(payer=payer),
                )
                self.assertEqual(payments_of(server), [1])
            with Scripted(asks(), SENT) as server:
                lc.execute(
                    "send_letter",
                    {**LETTER, "idempotency_key": key},
                    client=server.client(payer=payer),
                )
                self.assertEqual(payments_of(server), [1], "also after it was answered")

    def test_the_same_key_of_another_operation_has_a_payment_of_its_own(self):
        with Scripted(asks(), SENT, asks(), SENT) as server:
            client = server.client(payer=self.wallet)
            client.accept_offer({"offer_id": "o1", "tier": "economy"}, idempotency_key="order-17")
            lc.execute("send_letter", {**LETTER, "idempotency_key": "order-17"}, client=client)
            self.assertEqual(payments_of(server), [None, 1, None, 2])

    def test_two_calls_at_once_with_one_key_make_one_payment(self):
        both = threading.Barrier(2, timeout=20)
        first = asks()

        def together(handler):
            both.wait()
            status, headers, body = first
            payload = json.dumps(body).encode()
            handler.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(payload))}.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(payload)

        with Scripted(together, together, hang_up) as server:
            client = server.client(payer=self.wallet, retries=0)
            calls = [
                threading.Thread(
                    target=lc.execute,
                    args=("send_letter", {**LETTER, "idempotency_key": "k1"}),
                    kwargs={"client": client},
                )
                for _ in range(2)
            ]
            for call in calls:
                call.start()
            for call in calls:
                call.join()
            self.assertEqual(len(self.wallet.signed), 1)
            self.assertEqual(payments_of(server)[2:], [1, 1])

    def test_whatever_is_answered_another_payment_follows_a_plain_refusal_only(self):
        def answered(answer):
            status, headers, body = answer
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            return Answer(status, {name.lower(): value for name, value in headers.items()}, content)

        unsettled = [
            problem(409, "payment_pending"),
            problem(409, "idempotency_in_progress"),
            problem(429, "rate_limited", {"Retry-After": "1"}),
            problem(503, "payment_unavailable"),
            problem(500, "internal_error"),
            (502, {}, b"<html>"),
            (200, {}, b"<html>"),
            (302, {"Location": "/"}, b""),
        ]
        refused = [asks(code="payment_invalid"), problem(422, "validation_failed")]

        def run(seed):
            chance = random.Random(seed)
            shown, keys, refusals, times = [], set(), 0, 0

            def transport(request):
                nonlocal refusals, times
                keys.add(request.headers["Idempotency-Key"])
                payment = request.headers.get("PAYMENT-SIGNATURE")
                if payment is None:
                    return answered(asks())
                if not shown or shown[-1] != payment:
                    self.assertNotIn(payment, shown, seed)
                    self.assertLessEqual(len(shown), refusals, f"seed {seed} paid before a refusal")
                    shown.append(payment)
                    times = 0
                times += 1
                kind = chance.random()
                if kind < 0.3:
                    raise lc.UnreachableError("lost", sent=chance.random() < 0.5)
                if kind < 0.8:
                    return answered(chance.choice(unsettled))
                if kind < 0.9:
                    # Of a payment that was shown before, it says nothing: that one's answer may be lost.
                    refusals += times == 1
                    return answered(chance.choice(refused))
                return answered(SENT)

            payer = lc.Payer(Wallet(), max_total=1000)
            options = {"payer": payer, "transport": transport, "sleep": lambda _: None}
            client = lc.Client("http://x", **options)
            for _ in range(6):
                lc.execute("send_letter", {**LETTER, "idempotency_key": "k1"}, client=client)
                if seed % 2:
                    # A new client with the same payer, as a program that was written in haste.
                    client = lc.Client("http://x", **options)
            self.assertEqual(keys, {"k1"})

        for seed in range(500):
            run(seed)

    def test_more_than_a_cap_is_not_paid(self):
        with Scripted(asks(offer(amount="20000001"))) as server:
            error = lc.execute("send_letter", LETTER, client=server.client(payer=self.wallet))[
                "error"
            ]
            self.assertEqual(error["code"], "payment_above_cap")
            self.assertIn("$20.00", error["detail"])
        payer = lc.Payer(self.wallet, max_payment=2, max_total=4)
        with Scripted(asks(), SENT, asks(), SENT, asks()) as server:
            client = server.client(payer=payer)
            client.send_letter(LETTER)
            client.send_letter(LETTER)
            with self.assertRaises(lc.SpendCapError) as caught:
                client.send_letter(LETTER)
            self.assertIn("max_total", str(caught.exception))
            self.assertEqual(len(self.wallet.signed), 2)

    def test_another_asset_is_not_paid_in_unless_it_is_named(self):
        other = "0x00000000000000000000000000000000000000Aa"
        for accepts in (
            offer(asset=other),
            offer(network="eip155:1"),
            offer(scheme="upto"),
            offer(amount="-5"),
            offer(amount="1e3"),
            offer(amount=None),
            {},
        ):
            with Scripted(asks(accepts)) as server:
                error = lc.execute("send_letter", LETTER, client=server.client(payer=self.wallet))[
                    "error"
                ]
                self.assertEqual(error["code"], "asset_not_allowed", accepts)
        self.assertEqual(self.wallet.signed, [])
        payer = lc.Payer(self.wallet, assets=[f"eip155:84532/{other.lower()}"])
        with Scripted(asks(offer(), offer(asset=other)), SENT) as server:
            server.client(payer=payer).send_letter(LETTER)
            self.assertEqual(self.wallet.signed[0]["accepts"], [offer(asset=other)])

    def test_a_payer_that_breaks_is_an_error_and_counts_nothing(self):
        def broken(_):
            raise OSError("no wallet")

        payer = lc.Payer(broken)
        with Scripted(asks()) as server:
            error = lc.execute("send_letter", LETTER, client=server.client(payer=payer))["error"]
            self.assertEqual(error["code"], "payment_not_signed")
            self.assertIn("no wallet", error["detail"])
            self.assertEqual((len(server.asked), payer.signed_usd), (1, 0))

    def test_a_payment_above_what_was_asked_for_is_not_sent(self):
        def signs(value, amount="1630000"):
            return {
                "x402Version": 2,
                "accepted": offer(amount=amount),
                "payload": {"authorization": {"value": value}} if value else {},
            }

        def header(payment):
            return base64.b64encode(json.dumps(payment).encode()).decode()

        for payment in (
            signs("1630001"),
            signs(99_000_000),
            signs("-1"),
            signs("many"),
            signs(None, "1630001"),
            header(signs("1630001")),
        ):
            payer = lc.Payer(lambda _, payment=payment: payment)
            with Scripted(asks()) as server:
                error = lc.execute("send_letter", LETTER, client=server.client(payer=payer))[
                    "error"
                ]
                self.assertEqual(error["code"], "payment_above_cap", payment)
                self.assertEqual((len(server.asked), payer.signed_usd), (1, 0))
        for payment in (signs("1630000"), signs(1_630_000), header(signs("1630000")), "opaque"):
            with Scripted(asks(), SENT) as server:
                lc.execute(
                    "send_letter",
                    LETTER,
                    client=server.client(payer=lambda _, payment=payment: payment),
                )
                self.assertEqual(len(server.asked), 2, payment)

    def test_what_is_no_payment_is_not_sent(self):
        for payment in (None, 5, ["x"], "", "e30\n", "e3\n0=", "é"):
            payer = lc.Payer(lambda _, payment=payment: payment)
            with Scripted(asks()) as server:
                error = lc.execute("send_letter", LETTER, client=server.client(payer=payer))[
                    "error"
                ]
                self.assertEqual(error["code"], "payment_not_signed", payment)
                self.assertEqual((len(server.asked), payer.signed_usd), (1, 0))

    def test_nonsense_in_the_header_asks_for_nothing(self):
        for header in (
            "",
            "x",
            "e30=",
            base64.b64encode(b'{"accepts":[1]}').decode(),
            base64.b64encode(b"[]").decode(),
        ):
            with Scripted(
                problem(402, "insufficient_funds", {"PAYMENT-REQUIRED": header})
            ) as server:
                with self.assertRaises(lc.PaymentRequiredError) as caught:
                    server.client(payer=self.wallet).send_letter(LETTER)
                self.assertEqual(
                    (caught.exception.code, caught.exception.requirements),
                    ("insufficient_funds", None),
                )


if __name__ == "__main__":
    unittest.main()
