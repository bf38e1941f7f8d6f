/** Amounts of volume contracts on their page. */
import { expect } from 'chai';
import { contractsRoutes } from '../../pages/console/contracts/contracts-routes.ts';
import { limitsBody } from '../../pages/console/limits/limits-page.ts';
import type { Visit } from '../../pages/console/visit.ts';
import { markup } from '../../pages/html.ts';

const contract = (periods: { discounts: number; billed: number | null }[]) => ({
  contract_id: 'contract-1',
  state: 'active',
  period: 'month',
  committed_units: 300,
  units_used: 7,
  current_tier: { from: 0, to: null, discount: 0.1 },
  ends_at: '2026-12-31T23:00:00.000Z',
  time_zone: 'Europe/Berlin',
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

describe('times that begin or end in a time zone', () => {
  it('are shown by its clock: the end of a contract', async () => {
    const page = await pageWith([{ discounts: 0, billed: null }]);
    expect(page).to.contain('>1 Jan 2027, 00:00 Europe/Berlin<');
  });

  it('are shown by its clock: the end of the period of a limit', () => {
    const budget = {
      policy: 'account',
      rule: 'a',
      effect: 'allow' as const,
      limit: { letters: 5, per: 'day' as const },
      time_zone: 'Asia/Kolkata',
      used: 0,
      reserved: 0,
      remaining: 5,
      resets_at: '2026-12-01T18:30:00.000Z',
    };
    const visit = {
      language: 'en',
      path: '/limits',
      form: new URLSearchParams(),
      session: { caller: { accountId: 'acct_1' } },
      at: (path: string) => path,
    } as unknown as Visit;
    const shown = { frozen: [], budgets: [budget], policy: undefined, version: undefined };
    expect(markup(limitsBody(shown, visit))).to.contain('>2 Dec 2026, 00:00 Asia/Kolkata<');
  });
});
