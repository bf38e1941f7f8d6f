/** The form in which recipient and reference of a letter are changed. */
import { type Html, html } from '../../html.ts';
import { addressFields, addressParts } from '../address-fields.ts';
import { textField, tickField, versionField } from '../form.ts';
import { problemNotice } from '../frame.ts';
import type { Letter } from '../letter-shown.ts';
import { wrongFields } from '../refusals/problem-words.ts';
import type { Problem, Visit } from '../visit.ts';
import { changeWords } from './change-words.ts';

/** The country stays: another one has another price, which the person has not seen. */
export const changedParts = addressParts.filter((part) => part !== 'country');

/** The tick by which the person accepts the address as it is written. */
export const acceptName = 'accept_address_as_is';

export const changeBody = (
  { letter, version }: { letter: Letter; version: string | undefined },
  visit: Visit,
  problem?: Problem,
): Html => {
  const { at, form, language } = visit;
  const words = changeWords[language];
  const wrong = wrongFields(problem, language);
  const base = at(`/letters/${letter.letter_id}`);
  const contentOf = (name: string): string | undefined =>
    (problem ? form.get(name) : (letter[name as 'to_name'] ?? null)) ?? undefined;
  return html`<p class="lead">${words.lead}</p>
${problem && problemNotice(problem, language)}
<form method="post" action="${base}/change">
${versionField(version)}
${addressFields({ side: 'to', legend: words.to, parts: changedParts, contentOf, wrong }, language)}
${textField({ name: 'reference', label: words.reference, value: contentOf('reference'), wrong: wrong.get('reference') })}
${tickField(acceptName, words.asIs, form.has(acceptName))}
<p class="choices"><button class="button" type="submit">${words.button}</button> <a href="${base}">${words.back}</a></p>
</form>`;
};
