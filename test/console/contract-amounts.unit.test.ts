/** Amounts of volume contracts on their page. */
import { expect } from 'chai';
import { contractsRoutes } from '../../pages/console/contracts/contracts-routes.ts';
import type { Visit } from '../../pages/console/visit.ts';
import { markup } from '../../pages/html.ts';

const contract = (periods: { discounts: number; billed: number | null }[]) => ({
  contract_id: 'contract-1',
  state: 'active',
  period: 'month',
  committed_units: 300,
  units_used: 7,
  current_tier: { from: 0, to: null, discount: 0.1 },
  ends_at: '2027-01-01T00:00:00.000Z',
  periods,
});

const pageWith = async (periods: { discounts: number; billed: number | null }[]) => {
  const lists: Record<string, unknown[]> = { list_contracts: [contract(periods)] };
  const visit = {
    language: 'en',
    query: new URLSearchParams(),
    form: new URLSearchParams(),
    session: { caller: { accountId: 'acct_1' } },
    at: (path: string) => `/console${path}`,
    call: async (name: string) => ({
      status: 200,
      headers: {},
      body: JSON.stringify({ data: lists[name] ?? [], next_cursor: null }),
    }),
  } as unknown as Visit;
  const view = await contractsRoutes[0]?.handle(visit);
  return view && 'body' in view ? markup(view.body) : '';
};

describe('the page of contracts', () => {
  it('sums discounts and charges over all periods, to the micro-dollar', async () => {
    const page = await pageWith([
      { discounts: 0.1, billed: 3.15 },
      { discounts: 0.2, billed: null },
    ]);
    expect(page).to.match(/given so far: \S*0\.30?\b/);
    expect(page).to.match(/charged for missing letters: \S*3\.15\b/);
  });

  it('leaves out amounts that are zero', async () => {
    const page = await pageWith([{ discounts: 0, billed: null }]);
    expect(page).to.contain('contract-1');
    expect(page).to.not.contain('given so far').and.to.not.contain('charged for missing letters');
  });
});
