/** Orders of letters over a store in memory, and a card provider that says what the test says. */
import {
  type Checkout,
  createCardMethod,
  createFollowCheckout,
} from '../../commands/payments/card.ts';
import { createOrderHold, createOrders } from '../../commands/payments/place-order.ts';
import type { Reversal } from '../../commands/payments/reversals.ts';
import { createTopUps } from '../../commands/payments/top-ups.ts';
import type { LetterInput } from '../../commands/preparation/letter-input.ts';
import { decodeEvent } from '../../events/envelope.ts';
import type { Position } from '../../events/position.ts';
import { createFulfilOrders } from '../../reactors/payments/fulfil-orders.ts';
import { createSettleWallets } from '../../reactors/settle-wallets.ts';
import { aloneLease } from './lease.ts';
import { createLetterWorld, letterTo, plainly } from './letter-world.ts';

export const createOrderWorld = async () => {
  const world = createLetterWorld();
  const checkouts = new Map<string, Checkout>();
  /** By the checkout whose payment was taken back, or given back after that. */
  const reversals = new Map<string, Reversal[]>();
  /** Before a checkout is open. */
  const opening = { wait: async (_reference: string): Promise<void> => {} };
  const gateway = {
    async open(wish: {
      reference: string;
      amountMinor: bigint;
      currency: 'USD' | 'EUR' | 'CAD';
      expiresAt: number;
    }) {
      const { reference, amountMinor, currency, expiresAt } = wish;
      await opening.wait(reference);
      const sessionId = `cs_${reference}`;
      checkouts.set(sessionId, { sessionId, state: 'open', reference, currency, amountMinor });
      return { sessionId, url: `https://checkout.example/${sessionId}`, expiresAt };
    },
    checkout: async (sessionId: string) => checkouts.get(sessionId),
    async close(sessionId: string) {
      const checkout = checkouts.get(sessionId);
      if (checkout?.state !== 'open') return false;
      checkouts.set(sessionId, { ...checkout, state: 'expired' });
      return true;
    },
    reversals: async (sessionId: string) => reversals.get(sessionId) ?? [],
  };
  const { clock, handler } = world;
  const rateFor = () => ({ rate: '1.16', at: '2026-11-02', source: 'test' });
  const methods = [createCardMethod({ gateway, rateFor, pageOf: () => 'https://x/', clock })];
  const ordersIn = ({ handler, letters }: ReturnType<typeof world.process>) => {
    const topUps = createTopUps({ handler, clock, methods, holdFor: createOrderHold({ handler }) });
    const pageOf = (id: string) => `https://x/${id}`;
    const orders = createOrders({ handler, letters, topUps, pageOf });
    const follow = createFollowCheckout({ gateway, topUps, handler, orders });
    return { orders, follow };
  };
  const { orders, follow } = ordersIn(world);
  const reactor = createFulfilOrders({ orders, dataKeys: world.dataKeys });
  const settling = createSettleWallets({ handler, clock, patienceMs: 60_000 });
  await world.fund(1n);
  let after: Position = 0n as Position;
  const wish = { email: 'payer@example.com', currency: 'USD' as const };
  return {
    ...world,
    orders,
    opening,
    place: (
      key: string,
      options = plainly,
      more: { keyIds?: string[] } = {},
      letter: Partial<LetterInput> = {},
    ) => orders.place(letterTo({}, letter), wish, options, world.asked(key, key, more)),
    async tell(orderId: string, state: Checkout['state']): Promise<void> {
      const checkout = checkouts.get(`cs_${orderId}`);
      if (checkout) checkouts.set(checkout.sessionId, { ...checkout, state });
      await follow(orderId, false);
    },
    /** Asks the provider about the checkout of an order. */
    look: (orderId: string) => follow(orderId, false),
    /** All of the order's payment is refunded at the provider, which tells a process of it. */
    async refund(orderId: string, told = { follow }): Promise<void> {
      const amountMinor = checkouts.get(`cs_${orderId}`)?.amountMinor ?? 0n;
      reversals.set(`cs_${orderId}`, [{ id: 're_1', kind: 'refund', amountMinor }]);
      await told.follow(orderId, true);
    },
    /** The state of the checkout of an order, and what happened to its payment. */
    checkoutOf: (orderId: string): Checkout | undefined => checkouts.get(`cs_${orderId}`),
    reversalsOf: (orderId: string): readonly Reversal[] => reversals.get(`cs_${orderId}`) ?? [],
    async reverse(orderId: string, reversal: Reversal): Promise<void> {
      reversals.set(`cs_${orderId}`, [...(reversals.get(`cs_${orderId}`) ?? []), reversal]);
      await follow(orderId, true);
    },
    /** Another process on the same data. */
    other: () => ordersIn(world.process(world.store)),
    /** Shows both reactors the new events in the log, or some of them; an event whose task fails is shown again. */
    async react(most = Number.POSITIVE_INFINITY): Promise<void> {
      const events = await world.store.readAll({ after });
      for (const recorded of events.slice(0, most)) {
        const event = decodeEvent(recorded);
        await settling.react(event, after)?.(aloneLease);
        await reactor.react(event, after)?.(aloneLease);
        after = recorded.position;
      }
    },
    sweep: () => settling.sweep(),
    status: async (orderId: string) => (await orders.read(orderId))?.order.status,
    types: async () => (await world.store.readAll({ after: 0n })).map(({ type }) => type),
  };
};
