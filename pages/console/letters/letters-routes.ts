/** `/console/letters`: the list, by filters in the address or by a search that stays out of it. */
import { fieldOf } from '../form.ts';
import { frameWords } from '../frame-words.ts';
import type { Letter } from '../letter-shown.ts';
import { ask, type Route, type View, type Visit } from '../visit.ts';
import { addressOf, filterIn, queryOf } from './letter-filter.ts';
import { type Counts, type LettersList, lettersBody } from './letters-page.ts';

type Found = { data: Letter[]; next_cursor: string | null };

const view = (list: LettersList, visit: Visit): View => ({
  title: frameWords[visit.language].rooms.letters,
  room: 'letters',
  body: lettersBody(list, visit),
});

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const mostFound = 100;

export const lettersRoutes: Route[] = [
  {
    method: 'GET',
    path: '/letters',
    room: 'letters',
    async handle(visit) {
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
    },
  },
  {
    method: 'POST',
    path: '/letters',
    room: 'letters',
    async handle(visit) {
      const searched = fieldOf(visit.form, 'text')?.trim() ?? '';
      if (uuid.test(searched)) return { goTo: `/letters/${searched.toLowerCase()}` };
      if (searched === '') return { goTo: '/letters' };
      const { data } = await ask<Found>(visit, 'list_letters', {
        query: { reference: searched, limit: String(mostFound) },
      });
      return view({ letters: data, older: undefined, filter: {}, searched }, visit);
    },
  },
];
