/** The payments on the page of the wallet that have not arrived yet. */
import { expect } from 'chai';
import { limitTable } from '../../limits/table.ts';
import { portalWith, sessionOf } from './portal-with.ts';

const wallet = {
  available: 0,
  held: 0,
  held_for: [],
  funding: { crypto: 0, fiat: 0 },
  storage: { used_bytes: 0, quota_bytes: 1_000_000 },
  transactions: [],
};

const topUp = (number: number) => ({
  topup_id: `top-up-${number}`,
  method: 'lightning',
  amount: 20,
  currency: 'USD',
  status: 'pending',
  credited: null,
  expires_at: '2026-12-01T10:00:00.000Z',
});

describe('the wallet', () => {
  it('shows all payments that an account may wait for at once', async () => {
    const { unpaidTransfersPerAccount, unpaidTopUpsPerAccount } = limitTable;
    const most = unpaidTransfersPerAccount.usual + unpaidTopUpsPerAccount.usual;
    const topUps = Array.from({ length: most }, (_, number) => topUp(number));
    const answer = await portalWith().serve({
      method: 'GET',
      path: '/wallet',
      query: new URLSearchParams(),
      form: new URLSearchParams(),
      file: undefined,
      headers: {},
      address: '192.0.2.1',
      session: sessionOf(),
      call: async (name, { query }) => {
        const list = name === 'list_top_ups' ? topUps.slice(0, Number(query?.limit)) : [];
        const info = { payment_methods: ['lightning'] };
        const bodies: Record<string, unknown> = { get_balance: wallet, service_info: info };
        const body = bodies[name] ?? { data: list, next_cursor: null };
        return { status: 200, headers: {}, body: JSON.stringify(body) };
      },
    });
    expect(String(answer.body).match(/\/wallet\/top-ups\/top-up-\d+/g)).to.have.length(most);
  });
});
