import { expect } from 'chai';
import type { Static } from 'typebox';
import type { OrderState } from '../../presenters/order.ts';
import { draftsOver } from '../../projections/letters/query.ts';
import { createExpireDrafts } from '../../reactors/expire-drafts.ts';
import { clientOf, letterTo, until } from '../support/client.ts';
import { createMovedClock } from '../support/moved-clock.ts';
import { startTestService, type TestService, untilShown } from '../support/service.ts';
import { type StripeServer, startStripe } from '../support/stripe-server.ts';

type Order = Static<typeof OrderState> & { checkout_url: string };

describe('a letter whose payer pays by a bank debit that takes longer than drafts are kept', function () {
  this.timeout(120_000);
  const moved = createMovedClock('2026-11-02T10:00:00Z');
  let stripe: StripeServer;
  let service: TestService;
  const api = clientOf(() => service);
  before(async () => {
    stripe = await startStripe();
    const kept = { RETENTION_DAYS: '2', DRAFT_RETENTION_DAYS: '1' };
    service = await startTestService({ ...kept, ...stripe.env }, { clock: moved.clock });
    stripe.tellTo(`${service.url}/webhooks/stripe`);
  });
  after(async () => {
    await service.stop();
    await stripe.stop();
  });

  /** The service does so every minute, too. */
  const expireDrafts = (): Promise<number> => {
    const { commands, storage } = service.service.foundation;
    return createExpireDrafts({
      handler: commands.handler,
      clock: moved.clock,
      days: 1,
      draftsOver: (untouched, limit) => draftsOver(storage.readDb, untouched, limit),
    })();
  };

  it('is kept until it is paid, and then sent', async () => {
    const owner = await api.register('live');
    const placed = await owner.post<Order>('/api/orders', {
      ...letterTo('DE'),
      email: 'payer@example.com',
    });
    expect(placed.status, placed.text).to.equal(201);
    const { order_id, letter_id, checkout_url } = placed.body;
    await stripe.tell('checkout.session.completed', stripe.complete(checkout_url, true));
    const draft = await owner.send({ draft: true });
    await untilShown(service);
    moved.moveTo('2026-11-03T22:00:00Z');
    await expireDrafts();
    await until(async () => (await owner.letter(draft.letter_id)).status === 'cancelled');
    moved.moveTo('2026-11-06T10:00:00Z');
    await until(async () => (await owner.letter(draft.letter_id)).to_name === '[erased]');
    expect(await owner.letter(letter_id)).to.include({ status: 'draft' });
    await stripe.tell('checkout.session.async_payment_succeeded', stripe.settle(checkout_url));
    const order = async () => (await owner.get<Order>(`/api/orders/${order_id}`)).body;
    await until(async () => (await order()).status !== 'awaiting_payment');
    await until(async () => (await order()).status !== 'paid');
    expect(await order()).to.include({ status: 'queued', credit_reason: null });
  });
});
