/** Answers that are not of the provider itself, as a proxy before it may give them. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { RailUnavailable } from '../../commands/payments/rails.ts';
import { createStripe } from '../../infra/payments/card/stripe.ts';
import { createLnd } from '../../infra/payments/lightning/lnd.ts';

describe('an answer that is not of the provider of a payment', () => {
  let server: Server;
  let url = '';
  let answered = '';
  before(async () => {
    server = createServer((_, response) =>
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(answered),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const outcomeOf = (asked: Promise<unknown>): Promise<unknown> =>
    asked.then(
      (value) => value,
      (error: unknown) => (error instanceof RailUnavailable ? 'unavailable' : error),
    );

  for (const body of ['{}', 'null', '<html></html>']) {
    it(`makes no checkout and no invoice, and says nothing of one: ${body}`, async () => {
      answered = body;
      const stripe = createStripe({ secretKey: 'sk', webhookSecret: 'whsec', apiBase: url });
      const wish = {
        reference: 'a',
        amountMinor: 500n,
        currency: 'USD' as const,
        description: 'A letter',
        returnUrl: 'https://x.example',
        expiresAt: Date.now() + 3_600_000,
      };
      const refund = { type: 'charge.refunded', data: { object: { payment_intent: 'pi_1' } } };
      await using node = createLnd({ restUrl: url, macaroon: '00' });
      const invoice = { preimage: Buffer.alloc(32), amountSat: 5n, memo: '', expirySeconds: 900 };
      const outcomes = [
        stripe.gateway.open(wish),
        stripe.gateway.checkout('cs_1'),
        stripe.gateway.reversals('cs_1'),
        stripe.newsIn(refund),
        node.invoice(invoice),
      ].map(outcomeOf);
      expect(await Promise.all(outcomes)).to.deep.equal(outcomes.map(() => 'unavailable'));
    });
  }
});
