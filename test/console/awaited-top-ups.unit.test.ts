/** The payments on the page of the wallet that have not arrived yet. */
import { expect } from 'chai';
import { limitTable } from '../../limits/table.ts';
import { emptyWallet, portalWith, sessionOf } from './portal-with.ts';

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
        const bodies: Record<string, unknown> = { get_balance: emptyWallet, service_info: info };
        const body = bodies[name] ?? { data: list, next_cursor: null };
        return { status: 200, headers: {}, body: JSON.stringify(body) };
      },
    });
    expect(String(answer.body).match(/\/wallet\/top-ups\/top-up-\d+/g)).to.have.length(most);
  });
});
