/** How the accounts of a soak pay: by card, Lightning and USDC, and for one letter by x402. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { letterTo } from '../support/client.ts';
import { paymentHeader, requirementsIn } from '../support/evm/x402.ts';
import { type Account, type Answer, keyOf, newKey, oneOf, type SoakRecord } from './record.ts';
import type { World } from './world.ts';

export const countries = ['US', 'FR', 'GB', 'CA', 'DE'] as const;
/** How often a payment that is not settled yet is presented. */
const tries = 20;

export const createPayments = (world: World, record: SoakRecord) => {
  const topUp = (account: Account, body: object, headers = newKey()): Promise<Answer> =>
    record.call('POST', '/api/topup', body, { ...keyOf(account), ...headers });

  const paymentFor = (asked: Answer): Promise<string> =>
    paymentHeader(oneOf(world.payers), requirementsIn(asked));

  return {
    async byCard(account: Account, amount = 50): Promise<Answer> {
      const answer = await topUp(account, { method: 'card', amount });
      const url = answer.body?.checkout_url;
      if (!url) return answer;
      const session = world.stripe.complete(url);
      // A service that is away asks by itself later.
      await world.stripe.tell('checkout.session.completed', session).catch(() => undefined);
      return answer;
    },

    async byLightning(account: Account): Promise<Answer> {
      const answer = await topUp(account, { method: 'lightning', amount: 10 });
      if (answer.body?.invoice) world.lnd.pay(answer.body.invoice);
      return answer;
    },

    async byUsdc(account: Account): Promise<Answer> {
      const headers = newKey();
      const body = { method: 'usdc', amount: 5, pay_now: true };
      const asked = await topUp(account, body, headers);
      if (asked.status !== 402) return asked;
      const payment = await paymentFor(asked);
      return topUp(account, body, { ...headers, 'PAYMENT-SIGNATURE': payment });
    },

    /** A letter without an account. */
    async sendByX402(): Promise<Answer> {
      const letter = letterTo(oneOf(countries), { content: `paid ${randomUUID()}` });
      const headers = newKey();
      const asked = await record.call('POST', '/api/send', letter, headers);
      if (asked.status !== 402) return asked;
      const paid = { ...headers, 'PAYMENT-SIGNATURE': await paymentFor(asked) };
      for (let turn = 0; turn < tries; turn++) {
        const answer = await record.call('POST', '/api/send', letter, paid);
        if (answer.body?.letter_id) record.paid.add(answer.body.letter_id);
        if (![402, 409, 503].includes(answer.status)) return answer;
        await delay(1_500);
      }
      record.odd.push(`an x402 payment was not taken in ${tries} turns`);
      return asked;
    },
  };
};
