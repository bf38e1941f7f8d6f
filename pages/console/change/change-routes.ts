/** `/console/letters/{id}/change`: recipient and reference of a letter that is not in production yet. */
import { optionalParts } from '../address-fields.ts';
import { fieldOf, versionHeader } from '../form.ts';
import type { Letter } from '../letter-shown.ts';
import { attempt, formAt, type Problem, pageAt, Refused, type View, type Visit } from '../visit.ts';
import { acceptName, changeBody, changedParts } from './change-page.ts';
import { changeWords } from './change-words.ts';

const path = '/letters/{id}/change';

/** @throws Refused */
const showChange = async (visit: Visit, problem?: Problem): Promise<View> => {
  const params = { id: visit.params.id ?? '' };
  const outcome = await attempt<Letter>(visit, 'get_letter', { params });
  if ('problem' in outcome) throw new Refused(outcome.problem);
  const { done: letter, version } = outcome;
  return {
    title: changeWords[visit.language].title,
    body: changeBody({ letter, version }, visit, problem),
    status: problem?.status ?? 200,
  };
};

/** A blank field removes a value that may be absent. */
const changesIn = (form: URLSearchParams): Record<string, string | boolean | null> => ({
  ...Object.fromEntries(
    changedParts.map((part) => {
      const value = fieldOf(form, `to_${part}`);
      return [`to_${part}`, value ?? (optionalParts.includes(part) ? null : '')];
    }),
  ),
  reference: fieldOf(form, 'reference') ?? null,
  ...(form.has(acceptName) ? { [acceptName]: true } : {}),
});

export const changeRoutes = [
  pageAt(path, 'letters', (visit) => showChange(visit)),
  formAt(path, 'letters', async (visit) => {
    const params = { id: visit.params.id ?? '' };
    const outcome = await attempt<Letter>(visit, 'update_letter', {
      params,
      body: changesIn(visit.form),
      headers: versionHeader(visit.form),
    });
    if ('problem' in outcome) return showChange(visit, outcome.problem);
    return { goTo: `/letters/${outcome.done.letter_id}?said=changed` };
  }),
];
