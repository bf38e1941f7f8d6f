/** A search of the console that finds more letters than it shows. */
import { expect } from 'chai';
import { lettersBody } from '../../pages/console/letters/letters-page.ts';
import { lettersRoutes } from '../../pages/console/letters/letters-routes.ts';
import type { Visit } from '../../pages/console/visit.ts';
import { markup } from '../../pages/html.ts';

const searchPage = async (next: string | null): Promise<string> => {
  const call: Visit['call'] = async () => ({
    status: 200,
    headers: {},
    body: JSON.stringify({ data: [], next_cursor: next }),
  });
  const route = lettersRoutes.find(({ method }) => method === 'POST');
  const view = await route?.handle({
    call,
    form: new URLSearchParams({ text: 'campaign' }),
    query: new URLSearchParams(),
    language: 'en',
    at: (path: string) => path,
  } as Visit);
  return view && 'body' in view ? markup(view.body) : '';
};

describe('the search for letters by reference', () => {
  it('says that it shows the newest letters only, where there are more', async () => {
    const said = 'Only the newest 100 letters that match are shown.';
    expect(await searchPage('p1')).to.contain(said);
    expect(await searchPage(null)).not.to.contain(said);
  });
});

describe('the filter of the list of letters', () => {
  it('names the countries in the language of the page', () => {
    const visit = {
      language: 'de',
      at: (path: string) => path,
      query: new URLSearchParams(),
    } as Visit;
    const page = markup(lettersBody({ letters: [], older: undefined, filter: {} }, visit));
    expect(page).to.contain('<option value="GB">Vereinigtes Königreich</option>');
  });
});
