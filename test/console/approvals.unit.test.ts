/** The page of approvals where many letters wait. */
import { expect } from 'chai';
import type { CallInput } from '../../contract/call.ts';
import { approvalsRoutes } from '../../pages/console/approvals/approvals-routes.ts';
import type { Visit } from '../../pages/console/visit.ts';
import { markup } from '../../pages/html.ts';

const approval = (id: string, status: string, requested_at: string) => ({
  approval_id: id,
  letter_id: `letter-of-${id}`,
  status,
  price: { total: 1.5 },
  reasons: [],
  requested_at,
  expires_at: '2027-01-31T00:00:00.000Z',
});

type Query = Record<string, string>;

/** `pages`: approvals by status, as the operation lists them. */
const pageWith = async (pages: Record<string, object[]>, address = '') => {
  const asked: Query[] = [];
  const call = async (name: string, { query = {} }: Partial<CallInput> = {}) => {
    const wanted = query as Query;
    if (name === 'list_approvals') asked.push(wanted);
    const data = name === 'list_approvals' ? (pages[wanted.status ?? ''] ?? []) : [];
    const next_cursor = wanted.status === 'pending' && !wanted.cursor ? 'more' : null;
    return { status: 200, headers: {}, body: JSON.stringify({ data, next_cursor }) };
  };
  const visit = {
    language: 'en',
    query: new URLSearchParams(address),
    form: new URLSearchParams(),
    at: (path: string) => `/console${path}`,
    call,
  } as unknown as Visit;
  const view = await approvalsRoutes[0]?.handle(visit);
  return { page: view && 'body' in view ? markup(view.body) : '', asked };
};

describe('the page of approvals', () => {
  it('leads to the letters that have waited longer than those on the page', async () => {
    const pending = [approval('one', 'pending', '2027-01-03T00:00:00.000Z')];
    const first = await pageWith({ pending });
    expect(first.page).to.contain('href="/console/approvals?cursor=more"');
    const second = await pageWith({ pending }, 'cursor=more');
    expect(second.asked).to.deep.include({ cursor: 'more', status: 'pending', limit: '100' });
    expect(second.page).to.not.contain('cursor=more');
  });

  it('shows the latest that are over, however many wait', async () => {
    const { page } = await pageWith({
      pending: [approval('one', 'pending', '2027-01-03T00:00:00.000Z')],
      approved: [approval('early', 'approved', '2027-01-01T00:00:00.000Z')],
      rejected: [approval('late', 'rejected', '2027-01-02T00:00:00.000Z')],
    });
    expect(page).to.not.contain('There are none.');
    expect(page.indexOf('letter-of-late')).to.be.within(1, page.indexOf('letter-of-early'));
  });

  it('keeps the reason of a rejection that was refused', async () => {
    const pending = ['one', 'two'].map((id) => approval(id, 'pending', '2027-01-03T00:00:00.000Z'));
    const call = async (name: string, { query }: Partial<CallInput> = {}) => {
      if (name === 'reject_letter') {
        const problem = { status: 429, code: 'rate_limited', title: '', detail: 'Wait.' };
        return { status: 429, headers: {}, body: JSON.stringify(problem) };
      }
      const data = (query as Query | undefined)?.status === 'pending' ? pending : [];
      return { status: 200, headers: {}, body: JSON.stringify({ data, next_cursor: null }) };
    };
    const route = approvalsRoutes.find(({ path }) => path === '/approvals/{id}/reject');
    const view = await route?.handle({
      language: 'en',
      path: '/approvals/two/reject',
      params: { id: 'two' },
      query: new URLSearchParams(),
      form: new URLSearchParams({ reason: 'Wrong "amount"' }),
      at: (path: string) => path,
      call,
    } as unknown as Visit);
    const shown = view && 'body' in view ? markup(view.body) : '';
    const values = [...shown.matchAll(/name="reason" value="([^"]*)"/g)].map(([, value]) => value);
    expect(values).to.deep.equal(['', 'Wrong &quot;amount&quot;']);
  });
});
