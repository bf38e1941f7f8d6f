import { expect } from 'chai';
import { orderPage } from '../../pages/order/order-page.ts';
import { languages } from '../../postal/stationery.ts';
import type { OrderState } from '../../presenters/order.ts';

const order = (letter_status: string): OrderState => ({
  order_id: 'order_1',
  letter_id: '6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e',
  status: 'queued',
  checkout_url: null,
  amount: 2.5,
  currency: 'EUR',
  expires_at: '2026-11-22T12:00:00.000Z',
  placed_at: '2026-11-22T11:00:00.000Z',
  letter_status,
  credit_reason: null,
  taken_back: 0,
});

describe('the page of an order whose letter was sent', () => {
  const lead = (letter: string, language: (typeof languages)[number]): string => {
    const page = orderPage({ order: order(letter), service: 'Brief', language });
    return /id="state"[^>]*>([^<]*)</.exec(page)?.[1] ?? '';
  };

  it('says what is still to come, that it was posted, or that it will not be', () => {
    for (const language of languages) {
      const statuses = ['queued', 'processing', 'posted', 'in_transit', 'delivered', 'cancelled'];
      const leads = [...statuses, 'failed'].map((status) => lead(status, language));
      const [toCome, , posted, , , over] = leads;
      expect(leads).to.deep.equal([toCome, toCome, posted, posted, posted, over, over]);
      expect(new Set([toCome, posted, over, '']).size, language).to.equal(4);
    }
    expect(lead('in_transit', 'de')).to.equal(
      'Die Zahlung ist da, und der Brief wurde zur Post gegeben.',
    );
  });
});
