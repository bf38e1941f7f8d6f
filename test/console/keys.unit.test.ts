/** The page of keys of an account with many UCANs. */
import { expect } from 'chai';
import type { CallInput } from '../../contract/call.ts';
import { keysRoutes } from '../../pages/console/keys/keys-routes.ts';
import type { Visit } from '../../pages/console/visit.ts';
import { markup } from '../../pages/html.ts';

const made = { letters: 0, drafts: 0, keys: 0, ucans: 0, contracts: 0 };
const ucan = { cid: 'bafy', audience: 'did:key:z', capabilities: {}, expires_at: null, made };

const pageAt = async (address: string) => {
  const asked: unknown[] = [];
  const call = async (name: string, { query }: Partial<CallInput> = {}) => {
    if (name === 'list_ucans') asked.push(query);
    const data = name === 'list_ucans' ? [ucan] : [];
    const next_cursor = query && 'cursor' in query ? null : 'more';
    return { status: 200, headers: {}, body: JSON.stringify({ data, next_cursor }) };
  };
  const visit = {
    language: 'en',
    query: new URLSearchParams(address),
    form: new URLSearchParams(),
    session: { caller: { accountId: 'acct_1', keyId: 'key_1' } },
    at: (path: string) => `/console${path}`,
    call,
  } as unknown as Visit;
  const view = await keysRoutes[0]?.handle(visit);
  return { page: view && 'body' in view ? markup(view.body) : '', asked };
};

describe('the page of keys', () => {
  it('leads to the UCANs that are older than those on the page', async () => {
    const first = await pageAt('');
    expect(first.page).to.contain('href="/console/keys?cursor=more"');
    const second = await pageAt('cursor=more');
    expect(second.asked).to.deep.equal([{ cursor: 'more', limit: '100' }]);
    expect(second.page).to.contain('bafy').and.to.not.contain('cursor=more');
  });
});
