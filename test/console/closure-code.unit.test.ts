import { expect } from 'chai';
import { dataRoutes } from '../../pages/console/data/data-routes.ts';
import type { Visit } from '../../pages/console/visit.ts';
import { markup } from '../../pages/html.ts';

const answers: Record<string, object> = {
  get_account_closure: { status: 'none', proof: 'code', blockers: [], requested_at: null },
  list_exports: { data: [] },
};

/** The page after the form to close the account, whose operation is refused. */
const answerTo = async (fields: Record<string, string>, code: string, language = 'en') => {
  const problem = { status: 403, code, title: 'No', detail: 'No such luck.' };
  const visit = {
    language,
    form: new URLSearchParams(fields),
    query: new URLSearchParams(),
    at: (path: string) => path,
    session: { caller: { accountId: 'acct_1' } },
    call: async (name: string) =>
      name === 'close_account'
        ? { status: 403, headers: {}, body: JSON.stringify(problem) }
        : { status: 200, headers: {}, body: JSON.stringify(answers[name]) },
  } as unknown as Visit;
  const route = dataRoutes.find(({ path }) => path === '/settings/close');
  const view = await route?.handle(visit);
  if (!view || !('body' in view)) return expect.fail('it is a page');
  return { status: view.status, page: markup(view.body) };
};

describe('the form to close the account', () => {
  it('says that the code was mailed, and keeps what was ticked', async () => {
    for (const [language, said] of [
      ['en', 'A code is on its way'],
      ['de', 'Ein Code ist unterwegs'],
      ['fr', 'Un code est en route'],
    ] as const) {
      const fields = { do: 'mail', forfeit_balance: 'true' };
      const { status, page } = await answerTo(fields, 'closure_code_required', language);
      expect(status).to.equal(200);
      expect(page).to.include(said).and.include('role="status"').and.include(' checked');
      expect(page).to.not.include('class="problem"');
    }
  });

  it('shows the refusal of a wrong code', async () => {
    const { status, page } = await answerTo({ code: 'K7QXM-2RBTA' }, 'closure_code_invalid');
    expect(status).to.equal(403);
    expect(page).to.include('class="problem"').and.include('The code is wrong, or has expired.');
  });
});
