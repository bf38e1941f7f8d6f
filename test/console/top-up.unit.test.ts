/** How the console shows the payment to make. The rails themselves are tested with the payments. */
import { expect } from 'chai';
import { create } from 'qrcode';
import { qrSvg } from '../../pages/console/top-up/qr-svg.ts';
import { markup } from '../../pages/html.ts';
import { emptyWallet, portalWith, sessionOf } from './portal-with.ts';

const portal = portalWith();

const lists: Record<string, unknown> = {
  list_letters: { data: [], next_cursor: null },
  list_approvals: { data: [], next_cursor: null },
  list_top_ups: { data: [], next_cursor: null },
};

/** The page that a person sees when operations answer so. */
const shown = async (
  path: string,
  answers: Record<string, unknown>,
  form?: Record<string, string>,
  test = false,
): Promise<string> => {
  const answer = await portal.serve({
    method: form ? 'POST' : 'GET',
    path,
    query: new URLSearchParams(),
    form: new URLSearchParams(form),
    file: undefined,
    headers: {},
    address: '192.0.2.1',
    session: sessionOf(test),
    call: async (name) => {
      const body = answers[name] ?? lists[name];
      if (body === undefined) throw new Error(`${name} is not called`);
      const { status = 200 } = body as { status?: unknown };
      return {
        status: typeof status === 'number' ? status : 200,
        headers: {},
        body: JSON.stringify(body),
      };
    },
  });
  return String(answer.body);
};

const pending = {
  topup_id: 'a',
  amount: 20,
  currency: 'USD',
  status: 'pending',
  credited: null,
  expires_at: '2026-11-24T10:00:00.000Z',
};

describe('a top-up in the console', () => {
  it('offers the ways to pay that the service has, and no others', async () => {
    const info = { payment_methods: ['wallet', 'x402', 'card'] };
    const page = await shown('/wallet', { get_balance: emptyWallet, service_info: info });
    expect(page).to.contain('<option value="card">').and.to.contain('name="currency"');
    expect(page).to.not.contain('value="usdc"').and.to.not.contain('value="lightning"');
    const none = { payment_methods: ['wallet'] };
    expect(await shown('/wallet', { get_balance: emptyWallet, service_info: none })).to.contain(
      'takes no payments',
    );
  });

  it('leads back to payments that have not arrived yet', async () => {
    const answers = { get_balance: emptyWallet, service_info: { payment_methods: ['lightning'] } };
    expect(await shown('/wallet', answers)).to.not.contain('id="awaited"');
    const awaited = { ...pending, method: 'lightning', invoice: 'lnbc1' };
    const page = await shown('/wallet', { ...answers, list_top_ups: { data: [awaited] } });
    const table = /<table[^>]*id="awaited">[\s\S]*?<\/table>/.exec(page)?.[0] ?? '';
    expect(table).to.contain('href="/console/wallet/top-ups/a">US$20.00</a>');
    expect(table).to.contain('Lightning').and.to.contain('24 Nov 2026, 10:00');
  });

  it('offers test money to a test account', async () => {
    const page = await shown('/wallet', { get_balance: emptyWallet }, undefined, true);
    expect(page).to.contain('/wallet/refill').and.to.not.contain('/wallet/top-up');
  });

  it('shows a refused form again with what was typed', async () => {
    const errors = [{ pointer: '/amount', code: 'out_of_range', detail: 'Too much.' }];
    const refusal = { status: 422, code: 'validation_failed', title: '', detail: '', errors };
    const page = await shown(
      '/wallet/top-up',
      {
        top_up: refusal,
        get_balance: emptyWallet,
        service_info: { payment_methods: ['card', 'usdc'] },
      },
      { method: 'usdc', amount: '99999' },
    );
    expect(page).to.contain('Amount (USD): This value is outside').and.to.contain('value="99999"');
    expect(page).to.match(/id="amount-wrong"/);
    expect(page).to.contain('<option value="usdc" selected>');
  });

  it('shows the exact amount and the address of a transfer', async () => {
    const transfer = {
      network: 'eip155:8453',
      asset: '0xasset',
      pay_to: '0xpayee',
      amount: 20.000123,
      amount_atomic: '20000123',
    };
    const page = await shown('/wallet/top-ups/a', {
      get_top_up: { ...pending, method: 'usdc', transfer },
    });
    expect(page).to.contain('20.000123 USDC').and.to.contain('0xpayee');
    expect(page).to.contain('eip155:8453').and.to.contain('data-status="pending"');
  });

  it('leads to the card page by a link, because forms may lead nowhere else', async () => {
    const page = await shown('/wallet/top-ups/a', {
      get_top_up: {
        ...pending,
        method: 'card',
        checkout_url: 'https://checkout.example/a?b=1&c="2"',
        charged: { amount: 18.4, currency: 'EUR' },
      },
    });
    expect(page).to.contain('href="https://checkout.example/a?b=1&amp;c=&quot;2&quot;"');
    expect(page).to.contain('€18.40');
  });

  it('shows nothing to pay once it is paid or expired', async () => {
    for (const status of ['paid', 'expired']) {
      const page = await shown('/wallet/top-ups/a', {
        get_top_up: { ...pending, status, credited: 20, method: 'lightning', invoice: 'lnbc1' },
      });
      expect(page).to.contain(`data-status="${status}"`);
      expect(page).to.not.contain('lnbc1').and.to.not.contain('<svg');
    }
  });

  it('says how much of a card payment was refunded or disputed', async () => {
    const paid = { ...pending, status: 'paid', credited: 20, method: 'card' };
    const page = await shown('/wallet/top-ups/a', { get_top_up: { ...paid, taken_back: 5 } });
    expect(page).to.contain('Refunded or disputed').and.to.contain('US$5.00');
    const whole = await shown('/wallet/top-ups/a', { get_top_up: { ...paid, taken_back: 0 } });
    expect(whole).to.not.contain('Refunded or disputed');
  });

  it('draws the code of an invoice module by module, with its light margin', () => {
    const svg = markup(qrSvg('LIGHTNING:LNBC1', 'Invoice'));
    const { modules } = create('LIGHTNING:LNBC1', { errorCorrectionLevel: 'M' });
    const dark = new Set([...svg.matchAll(/M(\d+) (\d+)h1/g)].map(([, x, y]) => `${x} ${y}`));
    const wanted = new Set<string>();
    for (let y = 0; y < modules.size; y++) {
      for (let x = 0; x < modules.size; x++) {
        if (modules.get(y, x) !== 0) wanted.add(`${x + 4} ${y + 4}`);
      }
    }
    expect(dark).to.deep.equal(wanted);
    expect(svg).to.contain(`viewBox="0 0 ${modules.size + 8} ${modules.size + 8}"`);
  });
});
