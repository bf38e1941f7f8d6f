import { expect } from 'chai';
import { creditReasons } from '../../events/order.ts';
import { orderPage } from '../../pages/order/order-page.ts';
import { orderWords } from '../../pages/order/order-words.ts';
import { type Language, languages } from '../../postal/stationery.ts';
import { type OrderState, presentOrder } from '../../presenters/order.ts';

const order: OrderState = {
  order_id: 'order_1',
  letter_id: '6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e',
  status: 'queued',
  checkout_url: null,
  amount: 2.5,
  currency: 'EUR',
  expires_at: '2026-11-22T12:00:00.000Z',
  placed_at: '2026-11-22T11:00:00.000Z',
  letter_status: 'queued',
  delivery_outcome: null,
  tracking_number: null,
  tracking_url: null,
  credit_reason: null,
  taken_back: 0,
};

const service = { name: 'Brief', contact: 'post@brief.example', prefix: '' };

const shown = (changes: Partial<OrderState>, language: Language = 'en'): string =>
  orderPage({ order: { ...order, ...changes }, service, language });

const partsOf = (page: string) => ({
  title: /<h1>([^<]*)</.exec(page)?.[1] ?? '',
  lead: /id="state"[^>]*>([^<]*)</.exec(page)?.[1] ?? '',
});

/** The states of a letter that a payer must be able to tell apart. */
const courses: Record<string, Partial<OrderState>[]> = {
  toCome: [{ letter_status: 'queued' }, { letter_status: 'processing' }],
  posted: [{ letter_status: 'posted' }, { letter_status: 'in_transit' }],
  delivered: [{ letter_status: 'delivered', delivery_outcome: 'delivered' }],
  returned: [
    { letter_status: 'posted', delivery_outcome: 'returned' },
    { letter_status: 'in_transit', delivery_outcome: 'returned' },
  ],
  failed: [{ letter_status: 'failed' }],
  cancelled: [{ letter_status: 'cancelled' }],
};

describe('the page of an order whose letter was sent', () => {
  it('has a title and a text of its own for everything that can become of the letter', () => {
    for (const language of languages) {
      const said = Object.values(courses).map((states) => {
        const parts = states.map((state) => partsOf(shown(state, language)));
        expect(new Set(parts.map(({ lead }) => lead)).size, language).to.equal(1);
        return parts[0];
      });
      for (const part of ['title', 'lead'] as const) {
        const texts = said.map((one) => one?.[part]);
        expect(new Set([...texts, '']).size, `${language} ${part}`).to.equal(said.length + 1);
      }
    }
  });

  it('never says that a letter is taken care of which will not arrive', () => {
    const failed = partsOf(shown({ letter_status: 'failed' }));
    expect(failed.title).to.equal('The letter was not posted');
    expect(failed.lead).to.include('please ask the shop to refund your card');
    const returned = partsOf(
      shown({ letter_status: 'posted', delivery_outcome: 'returned' }, 'de'),
    );
    expect(returned.title).to.equal('Der Brief kam zurück');
  });

  const sentStatuses = ['queued', 'processing', 'posted', 'in_transit', 'delivered'] as const;

  it('never denies that a letter is sent which was paid in another way', () => {
    for (const language of languages) {
      for (const status of ['expired', 'credited'] as const) {
        const denied = partsOf(shown({ status, letter_status: 'cancelled' }, language));
        for (const letterStatus of sentStatuses) {
          const said = partsOf(shown({ status, letter_status: letterStatus }, language));
          expect(said.lead, `${status} ${letterStatus}`).to.not.equal(denied.lead);
          expect(said.title + said.lead).to.not.match(/not sent|nicht versandt|pas (été )?envoyée/);
        }
      }
    }
    const expired = shown({ status: 'expired', letter_status: 'delivered' });
    expect(expired).to.include('The letter was paid in another way').and.include('>Delivered<');
    const failed = partsOf(shown({ status: 'expired', letter_status: 'failed' }));
    expect(failed.lead).to.include('will not be sent');
  });

  it('tells the payer why the letter was not sent with the payment', () => {
    for (const language of languages) {
      const reasons = creditReasons.map((reason) => {
        const credited = { status: 'credited', credit_reason: reason, taken_back: 2.5 } as const;
        const page = shown({ ...credited, letter_status: 'draft' }, language);
        expect(shown({ ...credited, letter_status: 'posted' }, language)).not.to.include('reason');
        return /id="reason">([^<]+)</.exec(page)?.[1];
      });
      expect(new Set([...reasons, undefined]).size, language).to.equal(creditReasons.length + 1);
    }
  });

  it('sends no payer to the shop for a refund who got one, in whole or in part', () => {
    const asks =
      /refund your card|holds the money|auf Ihre Karte|gutgeschrieben|votre carte|crédit de la boutique/;
    const unsent = creditReasons.flatMap((credit_reason) =>
      (['cancelled', 'draft', 'posted'] as const).map((letter_status) => ({
        status: 'credited' as const,
        credit_reason,
        letter_status,
      })),
    );
    for (const language of languages) {
      for (const state of [...unsent, ...Object.values(courses).flat()]) {
        const page = shown({ ...state, taken_back: 1.5 }, language);
        expect(partsOf(page).lead, JSON.stringify(state)).to.match(/./).and.not.match(asks);
        expect(page, JSON.stringify(state)).to.match(/(refunded|erstattet|remboursé) (or|oder|ou)/);
      }
    }
  });

  it('never says that a letter waits for a payment that has arrived', () => {
    for (const language of languages) {
      const waits = `<dd>${orderWords[language].letter.draft}</dd>`;
      const unpaid = shown({ status: 'awaiting_payment', letter_status: 'draft' }, language);
      expect(unpaid).to.include(waits);
      expect(shown({ status: 'paid', letter_status: 'draft' }, language)).not.to.include(waits);
    }
  });

  it('shows the tracking number with a link to the carrier', () => {
    const url = 'https://carrier.example/RR123456785DE';
    const page = shown({ letter_status: 'posted', tracking_number: 'RR1', tracking_url: url });
    expect(page).to.include('<dt>Tracking number</dt><dd>RR1</dd>').and.include(`href="${url}"`);
    expect(shown({ letter_status: 'posted' })).not.to.include('Tracking number');
  });

  it('says who runs the service and how to reach them, where that is set', () => {
    expect(shown({})).to.include('<dt>Contact</dt><dd>Brief, post@brief.example</dd>');
    const silent = { name: 'Brief', contact: undefined, prefix: '' };
    expect(orderPage({ order, service: silent, language: 'en' })).not.to.include('Contact');
  });

  it('gives times to the minute', () => {
    const checkout_url = 'https://pay.example/1';
    const waiting = { status: 'awaiting_payment', letter_status: 'draft', checkout_url } as const;
    expect(shown(waiting)).to.include('22 November 2026 at 12:00 UTC<');
  });
});

describe('an order whose checkout is over', () => {
  const expiresMs = Date.parse(order.expires_at);
  const presentedAt = (nowMs: number) =>
    presentOrder(
      {
        order: {
          status: 'awaiting_payment',
          placed: {
            orderId: order.order_id,
            letterId: order.letter_id,
            checkoutUrl: 'https://pay.example/1',
            amountMinor: 250,
            currency: 'EUR',
            expiresAt: order.expires_at,
            placedAt: order.placed_at,
          },
        },
        paid: false,
        letter: { status: 'none' },
        takenBackMicro: 0n,
      },
      nowMs,
    );

  it('leads nobody there, even while a delayed payment is under way', () => {
    const pageAt = (nowMs: number) =>
      orderPage({ order: presentedAt(nowMs), service, language: 'en' });
    expect(presentedAt(expiresMs - 1).checkout_url).to.equal('https://pay.example/1');
    expect(pageAt(expiresMs - 1))
      .to.include('Pay now')
      .and.include('Payable until');
    expect(presentedAt(expiresMs)).to.include({ status: 'awaiting_payment', checkout_url: null });
    expect(pageAt(expiresMs)).not.to.match(/Pay now|Payable until/);
  });
});

describe('an order whose letter came back', () => {
  it('says so in JSON, with the tracking number', () => {
    const placed = {
      orderId: order.order_id,
      letterId: order.letter_id,
      checkoutUrl: 'https://pay.example/1',
      amountMinor: 250,
      currency: 'EUR',
      expiresAt: order.expires_at,
      placedAt: order.placed_at,
    } as const;
    const presented = (status: 'posted' | 'delivered', returned: boolean, test = false) =>
      presentOrder(
        {
          order: { placed, status: 'fulfilled' },
          paid: true,
          letter: {
            trackingNumber: 'RR123456785DE',
            terms: { service: 'de_einschreiben', test },
            status,
            returned,
          },
          takenBackMicro: 0n,
        },
        0,
      );
    const back = presented('posted', true);
    expect(back).to.include({ letter_status: 'posted', delivery_outcome: 'returned' });
    expect(back.tracking_number).to.equal('RR123456785DE');
    expect(back.tracking_url).to.include('RR123456785DE');
    expect(presented('posted', true, true).tracking_url).to.equal(null);
    expect(presented('delivered', false).delivery_outcome).to.equal('delivered');
    expect(presented('posted', false).delivery_outcome).to.equal(null);
  });
});

describe('the page of an order that waits for its payment', () => {
  it('writes the first of a month as French writes it', () => {
    const waiting = {
      status: 'awaiting_payment',
      checkout_url: 'https://pay.example/1',
      expires_at: '2026-12-01T09:05:00.000Z',
    } as const;
    expect(shown(waiting, 'fr')).to.include('>1er décembre 2026 à 09:05 UTC<');
    expect(shown(waiting, 'de')).to.include('>1. Dezember 2026 um 09:05 UTC<');
  });
});
