/** `/console/letters/recipient`: the letters to one recipient. The address comes by form and stays out of URLs. */

import { html } from '../../html.ts';
import { addressFields, addressParts, optionalParts } from '../address-fields.ts';
import { fieldOf } from '../form.ts';
import { problemNotice } from '../frame.ts';
import type { Letter } from '../letter-shown.ts';
import { wrongFields } from '../refusals/problem-words.ts';
import { attempt, formAt, type Problem, pageAt, type View, type Visit } from '../visit.ts';
import { lettersTable } from './letters-page.ts';
import { lettersWords } from './letters-words.ts';

const parts = addressParts.filter((part) => part !== 'state');

type Shown = { letters?: readonly Letter[]; problem?: Problem };

const showSearch = (visit: Visit, { letters, problem }: Shown = {}): View => {
  const { at, form, language } = visit;
  const words = lettersWords[language];
  const wrong = wrongFields(problem, language);
  const contentOf = (name: string) => form.get(name) ?? undefined;
  const side = 'to' as const;
  const { title, hint, button, legend } = words.byRecipient;
  return {
    title,
    body: html`${problem && problemNotice(problem, language)}
<p><a href="${at('/letters')}">${words.reset}</a></p>
<form method="post" action="${at('/letters/recipient')}" role="search">
<p class="hint">${hint}</p>
${addressFields({ side, legend, parts, contentOf, wrong }, language)}
<p><button class="button" type="submit">${button}</button></p>
</form>
${letters && lettersTable(letters, visit, words)}`,
    status: problem?.status ?? 200,
  };
};

/** An empty field of an address is sent where the address needs it, so that the refusal names it. */
const recipientIn = (form: URLSearchParams): Record<string, string> =>
  Object.fromEntries(
    parts.flatMap((part) => {
      const value = fieldOf(form, `to_${part}`);
      if (value === undefined && optionalParts.includes(part)) return [];
      return [[part, value ?? '']];
    }),
  );

export const recipientRoutes = [
  pageAt('/letters/recipient', 'letters', async (visit) => showSearch(visit)),
  formAt('/letters/recipient', 'letters', async (visit) => {
    const body = { recipient: recipientIn(visit.form) };
    const outcome = await attempt<{ data: Letter[] }>(visit, 'search_letters', { body });
    return 'problem' in outcome
      ? showSearch(visit, { problem: outcome.problem })
      : showSearch(visit, { letters: outcome.done.data });
  }),
];
