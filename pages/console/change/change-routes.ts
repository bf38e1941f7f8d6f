/** `/console/letters/{id}/change`: recipient and reference of a letter that is not in production yet. */
import { isDeepStrictEqual } from 'node:util';
import { checkAddress } from '../../../postal/addresses/index.ts';
import type { CountryCode } from '../../../postal/types.ts';
import { optionalParts } from '../address-fields.ts';
import { fieldOf, versionHeader } from '../form.ts';
import type { AddressPart, Letter } from '../letter-shown.ts';
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

/** As the service keeps the address. */
const keptAddress = (
  textOf: (part: AddressPart) => string | null | undefined,
  country: Letter['to_country'],
) => {
  const address = {
    name: textOf('name') ?? '',
    company: textOf('company') ?? '',
    line1: textOf('line1') ?? '',
    line2: textOf('line2') ?? '',
    city: textOf('city') ?? '',
    state: textOf('state') ?? '',
    postalCode: textOf('postal_code') ?? '',
    country: country as CountryCode,
  };
  return checkAddress(address).normalized;
};

/** Whether the letter is as the form wants it: the form was obeyed before, and its answer was lost. */
const isObeyed = async (visit: Visit): Promise<boolean> => {
  const params = { id: visit.params.id ?? '' };
  const read = await attempt<Letter>(visit, 'get_letter', { params });
  if ('problem' in read) return false;
  const { done: letter } = read;
  const country = letter.to_country;
  const wanted = keptAddress((part) => fieldOf(visit.form, `to_${part}`), country);
  const kept = keptAddress((part) => letter[`to_${part}`], country);
  const reference = fieldOf(visit.form, 'reference')?.trim() ?? null;
  return isDeepStrictEqual(wanted, kept) && reference === letter.reference;
};

export const changeRoutes = [
  pageAt(path, 'letters', (visit) => showChange(visit)),
  formAt(path, 'letters', async (visit) => {
    const params = { id: visit.params.id ?? '' };
    const outcome = await attempt<Letter>(visit, 'update_letter', {
      params,
      body: changesIn(visit.form),
      headers: versionHeader(visit.form),
    });
    if ('problem' in outcome) {
      const isDone = outcome.problem.status === 412 && (await isObeyed(visit));
      if (!isDone) return showChange(visit, outcome.problem);
    }
    return { goTo: `/letters/${encodeURIComponent(params.id)}?said=changed` };
  }),
];
