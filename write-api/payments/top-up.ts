import type { Static } from 'typebox';
import type { TopUps } from '../../commands/payments/top-ups.ts';
import { chargeCurrencies } from '../../contract/charge-currency.ts';
import { AppError } from '../../contract/errors.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import { invalidField } from '../../contract/refusals.ts';
import { Type } from '../../ground/type.ts';
import { type MicroUsd, microOfDecimal } from '../../money/amounts.ts';
import { OneOf } from '../../presenters/common.ts';
import { presentTopUp, TopUpAnswer } from '../../presenters/top-up.ts';

const TopUpBody = Type.NamedExact('TopUpRequest', {
  method: OneOf(['usdc', 'lightning', 'card']),
  amount: Type.Number({
    minimum: 1,
    maximum: 10_000,
    description: 'US dollars, whole cents.',
  }),
  currency: Type.Optional(OneOf(chargeCurrencies)),
  from_address: Type.Optional(
    Type.String({
      pattern: '^0x[0-9a-fA-F]{40}$',
      maxLength: 42,
      description:
        'usdc: the wallet that you transfer from; only a transfer from it counts. Leave it out if you do not know it (an exchange).',
    }),
  ),
  pay_now: Type.Optional(
    Type.Boolean({
      description: 'usdc: answer 402, so that an x402 client pays in the same call.',
    }),
  ),
});

type Body = Static<typeof TopUpBody>;

type TopUpPorts = {
  topUps: TopUps;
  /** Requirements of x402 over an amount, to be paid on a retry; absent: not offered. */
  requirements?: (amountMicro: MicroUsd) => unknown;
};

/** @throws AppError validation_failed for a fraction of a cent */
const microOf = ({ amount }: Body): MicroUsd => {
  const micro = microOfDecimal(amount);
  if (micro !== undefined) return micro;
  const detail = 'amount must be a whole number of cents, such as 10 or 10.50.';
  throw invalidField('/amount', 'out_of_range', detail, { kind: 'cents' });
};

/** @throws AppError validation_failed */
const assertCurrency = ({ method, currency }: Body): void => {
  if (currency === undefined || currency === 'USD' || method === 'card') return;
  const detail = `currency ${currency} is for cards only. Leave it out with ${method}.`;
  throw invalidField('/currency', 'only_with_card', detail);
};

/** @throws AppError validation_failed */
const assertSender = ({ method, from_address: sender }: Body): void => {
  if (sender === undefined || method === 'usdc') return;
  const detail = `from_address is for usdc only. Leave it out with ${method}.`;
  throw invalidField('/from_address', 'only_with_usdc', detail);
};

/** @throws AppError validation_failed */
const assertPayNow = ({ method, pay_now: isDue }: Body): void => {
  if (isDue !== true || method === 'usdc') return;
  const detail = `pay_now is for usdc only. Leave it out with ${method}.`;
  throw invalidField('/pay_now', 'only_with_usdc', detail);
};

/**
 * Checks what the schema cannot, before a payment is asked for or taken.
 * @throws AppError validation_failed
 */
const assertFitting = (body: Body): void => {
  assertCurrency(body);
  assertSender(body);
  assertPayNow(body);
};

const assertLive = (test: boolean): void => {
  if (!test) return;
  throw new AppError(
    'payment_not_taken',
    'A test account cannot take real money. POST /api/test/wallet fills its wallet up to $100.00 of test money.',
  );
};

export const topUpOperation = ({ topUps, requirements }: TopUpPorts): AnyOperation =>
  operation({
    name: 'top_up',
    method: 'POST',
    path: '/api/topup',
    tag: 'Wallet',
    summary: 'Pay money into the wallet',
    description:
      'By USDC, Lightning or card, as far as this server supports them; the answer says how to pay. x402 can also pay a top-up by usdc: in the same call with `pay_now`, on a retry with the same Idempotency-Key, or without a key, for the account of the paying wallet.',
    access: 'send',
    permit: { about: 'wallet' },
    payable: {
      priceOf: async ({ body }: { body: Body }) => {
        assertFitting(body);
        topUps.assertOffered(body.method);
        const amountMicro = microOf(body);
        return body.method === 'usdc' ? amountMicro : undefined;
      },
      isDue: ({ body }: { body: Body }) => body.method === 'usdc' && body.pay_now === true,
      wasObeyed: ({ commandId }) => topUps.isPaid(commandId),
    },
    idempotent: true,
    plainNumbers: true,
    input: { body: TopUpBody },
    responses: { 201: { description: 'How to pay, or the payment', schema: TopUpAnswer } },
    errors: [
      'payment_method_unavailable',
      'payment_unavailable',
      'topup_limit_reached',
      'exchange_rate_stale',
      'payment_not_taken',
      'conflict',
    ],
    async handle({ body, caller, command, payment }) {
      assertLive(caller.test);
      assertFitting(body);
      const amountMicro = microOf(body);
      const wish = {
        accountId: caller.accountId,
        amountMicro,
        currency: body.currency ?? ('USD' as const),
        sender: body.from_address?.toLowerCase(),
        isPaid: payment !== undefined,
      };
      const { topUp, position, replayed } = await topUps.request(body.method, wish, command);
      if (payment && topUp.asked.terms.method === 'usdc') {
        const { topUpId } = topUp.asked;
        const receipt = { id: payment.receiptId, amountMicro: payment.amountMicro };
        const paidAt = await topUps.paid(topUpId, receipt);
        const { topUp: paid } = await topUps.read(topUpId, caller.accountId);
        return { body: presentTopUp(paid), position: paidAt };
      }
      const x402 = topUp.status === 'pending' && body.method === 'usdc' && requirements;
      const { takenBackMicro } = await topUps.read(topUp.asked.topUpId, caller.accountId);
      return {
        body: {
          ...presentTopUp(topUp, takenBackMicro),
          ...(x402 ? { x402: x402(amountMicro) } : {}),
        },
        position,
        replayed,
      };
    },
  });
