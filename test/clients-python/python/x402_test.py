"""A letter without an account: paid by x402, on a chain.

`SERVICE_URL` is a service that takes payments; `SIGNER_URL` signs what it is posted, for a wallet with USDC.
"""

import json
import os
import unittest
import urllib.request

import letters_client as lc

LETTER = {
    **{"to_name": "Anna Müller", "to_line1": "Lindenstraße 5", "to_city": "Berlin"},
    **{"to_postal_code": "10969", "to_country": "DE", "from_name": "Bob Sender"},
    **{"from_line1": "350 5th Ave", "from_city": "New York", "from_postal_code": "10118"},
    **{"from_country": "US", "content": "Hello.", "intent": "transactional"},
}


def sign(required):
    asked = urllib.request.Request(
        os.environ["SIGNER_URL"], json.dumps(required["accepts"][0]).encode()
    )
    with urllib.request.urlopen(asked) as answer:
        return answer.read().decode()


class Lossy:
    """Loses the answers to the first paid requests, which were obeyed."""

    def __init__(self, lost):
        self.lost = lost

    def __call__(self, request):
        from letters_client.transport import send

        answer = send(request)
        if "PAYMENT-SIGNATURE" in request.headers and self.lost > 0:
            self.lost -= 1
            raise lc.UnreachableError("lost", sent=True)
        return answer


class Paid(unittest.TestCase):
    def test_a_letter_is_paid_once_however_often_its_answer_is_lost(self):
        payer = lc.Payer(sign, max_payment=10)
        options = {"payer": payer, "sleep": lambda _: None}
        with self.assertRaises(lc.UnreachableError) as caught:
            lc.Client(transport=Lossy(9), retries=1, **options).send_letter(LETTER)
        key = caught.exception.idempotency_key
        sent = lc.Client(transport=Lossy(1), **options).send_letter(LETTER, idempotency_key=key)
        print(json.dumps({"letter_id": sent["letter_id"], "total": sent["price"]["total"]}))
        self.assertEqual(round(payer.signed_usd, 6), sent["price"]["total"])

    def test_above_the_cap_nothing_is_paid(self):
        error = lc.execute("send_letter", LETTER, payer=lc.Payer(sign, max_payment=0.01))["error"]
        self.assertEqual(error["code"], "payment_above_cap")


if __name__ == "__main__":
    unittest.main()
