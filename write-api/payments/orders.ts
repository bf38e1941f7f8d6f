import { randomUUID } from 'node:crypto';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import type { SendLetterService } from '../../commands/letters/send-letter.ts';
import type { Orders } from '../../commands/payments/place-order.ts';
import type { Quotes } from '../../commands/preparation/quote.ts';
import { assertWithin } from '../../commands/wallets/max-total.ts';
import { chargeCurrencies } from '../../contract/charge-currency.ts';
import { AppError } from '../../contract/errors.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import { letterCaveats } from '../../contract/permits.ts';
import type { Clock } from '../../ground/clock.ts';
import { Type } from '../../ground/type.ts';
import type { Limits } from '../../limits/table.ts';
import { callerRefOf } from '../../limits/turn.ts';
import { splitCharge, totalOf } from '../../money/charge.ts';
import { OneOf } from '../../presenters/common.ts';
import { PlacedOrder, presentPlaced } from '../../presenters/order.ts';
import { contentOf, inputOf } from '../letters/input.ts';
import type { QuotaPort } from '../letters/quota.ts';
import { OrderBody } from '../letters/schemas.ts';
import { sendOptionsOf } from '../letters/send.ts';
import { sendContextOf } from '../letters/send-context.ts';
import { sendErrors } from '../letters/send-errors.ts';

type OrderPorts = {
  handler: CommandHandler;
  orders: Pick<Orders, 'place' | 'placedBy' | 'exists' | 'letterOf'>;
  letters: Pick<SendLetterService, 'price'>;
  quotes: Pick<Quotes, 'read'>;
  clock: Clock;
  limits: Limits;
  quota: QuotaPort;
};

const assertLive = (test: boolean): void => {
  if (!test) return;
  throw new AppError(
    'payment_not_taken',
    'A test account cannot take real money. Send the letter with its test money instead.',
  );
};

export const orderOperation = (ports: OrderPorts): AnyOperation =>
  operation({
    name: 'create_order',
    method: 'POST',
    path: '/api/orders',
    tag: 'Orders',
    summary: 'Order a letter that somebody pays by card',
    description:
      'Checks and prices the letter, keeps it as a draft and opens a checkout for its price, commission of card payments included. After the payment, the letter is queued at this price even if prices change; `email` gets the confirmations. If nobody pays in time, the draft is cancelled.',
    access: 'send',
    permit: { about: 'letter-in-body', honours: letterCaveats },
    idempotent: true,
    upload: true,
    input: {
      body: OrderBody(ports.limits, {
        email: Type.String({
          format: 'email',
          maxLength: 254,
          description: 'E-mail address of the payer, for confirmations.',
        }),
        currency: Type.Optional(OneOf(chargeCurrencies, 'Currency of the charge. Default: USD.')),
      }),
    },
    responses: { 201: { description: 'The page where the payer pays', schema: PlacedOrder } },
    errors: [
      'payment_method_unavailable',
      'payment_unavailable',
      'payment_not_taken',
      'quota_exceeded',
      ...sendErrors,
    ],
    async handle({ body, caller, command, address }) {
      assertLive(caller.test);
      const { email, currency = 'USD', ...letter } = body;
      const input = inputOf(letter, contentOf(letter, ports.limits));
      // A repetition comes first: prices, quotes and dates may have changed since.
      const placed = await ports.orders.placedBy(command);
      if (placed) return { body: presentPlaced(placed), replayed: true };
      const options = await sendOptionsOf(ports, letter, caller.accountId);
      const isRepeated = () => ports.orders.exists(command.commandId);
      if (options.maxTotalMicro !== undefined) {
        const by = callerRefOf(caller, address);
        const owner = { letterId: randomUUID(), accountId: caller.accountId, by, test: false };
        const priced = await ports.letters.price(input, owner, options);
        const total = totalOf(splitCharge(priced.subtotal.subtotalMicro, 0n));
        assertWithin(total, options.maxTotalMicro);
      }
      const { quota, orders } = ports;
      const context = sendContextOf(ports, caller, command, address);
      const place = async () => {
        const placed = await ports.orders.place(input, { email, currency }, options, context);
        return { ...placed, sent: !placed.replayed };
      };
      // It counts now: what is paid must not be refused later.
      const { order, position, replayed } = await quota.drafted(
        caller,
        orders.letterOf(command.commandId),
        () => quota.counted(caller, place, isRepeated),
        isRepeated,
      );
      return { body: presentPlaced(order), position, replayed };
    },
  });
