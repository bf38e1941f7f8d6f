/** `/console/letters`: the list, by filters in the address or by a search that stays out of it. */
import { isUuid } from '../../../ground/uuid.ts';
import { fieldOf } from '../form.ts';
import type { Letter } from '../letter-shown.ts';
import { ask, formAt, pageAt, type View, type Visit } from '../visit.ts';
import { addressOf, filterIn, queryOf } from './letter-filter.ts';
import { type Counts, type LettersList, lettersBody } from './letters-page.ts';

type Found = { data: Letter[]; next_cursor: string | null };

const view = (list: LettersList, visit: Visit): View => ({
  body: lettersBody(list, visit),
});

const mostFound = 100;
const trackingNumber = /^[A-Za-z0-9]{8,40}$/;

/** Letters with a reference, or else with a tracking number. */
const search = async (visit: Visit, text: string): Promise<Found> => {
  const found = (filter: Record<string, string>): Promise<Found> => {
    const query = { ...filter, limit: String(mostFound) };
    return ask<Found>(visit, 'list_letters', { query });
  };
  const letters = await found({ reference: text });
  const number = text.replaceAll(/\s/g, '');
  return letters.data.length === 0 && trackingNumber.test(number)
    ? found({ tracking_number: number })
    : letters;
};

export const lettersRoutes = [
  pageAt('/letters', 'letters', async (visit) => {
    const filter = filterIn(visit.query);
    const query = queryOf(filter);
    const cursor = visit.query.get('cursor');
    if (cursor) query.cursor = cursor;
    const [{ data, next_cursor: next }, counts] = await Promise.all([
      ask<Found>(visit, 'list_letters', { query }),
      ask<Counts>(visit, 'count_letters'),
    ]);
    const older = next === null ? undefined : addressOf(filter, next);
    return view({ letters: data, older, filter, counts }, visit);
  }),
  formAt('/letters', 'letters', async (visit) => {
    const searched = fieldOf(visit.form, 'text')?.trim() ?? '';
    if (isUuid(searched.toLowerCase())) return { goTo: `/letters/${searched.toLowerCase()}` };
    if (searched === '') return { goTo: '/letters' };
    const { data, next_cursor: next } = await search(visit, searched);
    const found = { letters: data, older: undefined, filter: {}, searched };
    return view({ ...found, isCut: next !== null }, visit);
  }),
];
