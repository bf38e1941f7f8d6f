import { decide, evolve, initialState } from '../../commands/payments/order.ts';
import type { OrderEvent } from '../../events/order.ts';
import { describeDecider } from '../support/decider-spec.ts';

const { given } = describeDecider({ initialState, evolve, decide });

const data = {
  orderId: 'o',
  accountId: 'a',
  letterId: 'l',
  amountMicro: 3_150_000,
  commissionMicro: 150_000,
  currency: 'USD' as const,
  amountMinor: 315,
  expiresAt: '2026-03-01T13:00:00.000Z',
  requestHash: 'r'.repeat(43),
};
const personal = { email: 'ada@example.com', checkoutUrl: 'https://checkout.example/1' };
const placed: OrderEvent = { type: 'OrderPlaced', data, personal };
const fulfilled: OrderEvent = { type: 'OrderFulfilled', data: { orderId: 'o', letterId: 'l' } };
const placedFor = { orderId: 'o', accountId: 'a', letterId: 'l' };
const expired: OrderEvent = { type: 'OrderExpired', data: placedFor };
const credited: OrderEvent = {
  type: 'OrderCredited',
  data: { ...placedFor, reason: 'paid_late' },
};
const place = { type: 'PlaceOrder' as const, placed: { ...data, ...personal } };
const fulfil = { type: 'FulfilOrder' as const };
const expire = { type: 'ExpireOrder' as const };
const credit = { type: 'CreditOrder' as const, reason: 'paid_late' as const };

describe('the decider of orders', () => {
  it('places an order once', () => {
    given().when(place).then(placed);
    given(placed).when(place).thenNothing();
  });

  it('refuses another request under the same key', () => {
    const other = { ...place, placed: { ...place.placed, requestHash: 'x'.repeat(43) } };
    given(placed).when(other).thenRefuses('idempotency_key_reused');
  });

  it('ends an order once, in one way', () => {
    given(placed).when(fulfil).then(fulfilled);
    given(placed).when(expire).then(expired);
    given(placed).when(credit).then(credited);
    for (const command of [fulfil, expire, credit]) {
      given(placed, fulfilled).when(command).thenNothing();
      given(placed, credited).when(command).thenNothing();
    }
  });

  it('says of an expired order that its money came late, and sends nothing', () => {
    given(placed, expired).when(credit).then(credited);
    given(placed, expired).when(fulfil).thenNothing();
    given(placed, expired).when(expire).thenNothing();
  });
});
