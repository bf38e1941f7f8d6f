/** Asks before a letter is deleted: what is lost, and what stays. */
import { fact } from '../../fact.ts';
import { type Html, html } from '../../html.ts';
import { versionField } from '../form.ts';
import { moment } from '../format.ts';
import type { Letter } from '../letter-shown.ts';
import type { Visit } from '../visit.ts';
import { letterWords } from './letter-words.ts';

export const deleteBody = (
  letter: Letter,
  version: string | undefined,
  { at, language }: Visit,
): Html => {
  const { deletion, facts, remove } = letterWords[language];
  const base = at(`/letters/${letter.letter_id}`);
  return html`<p class="lead">${letter.status === 'draft' ? deletion.ofDraft : deletion.ofLetter}</p>
<dl class="facts">
${fact(facts.to, letter.to_name ?? undefined)}
${fact(facts.reference, letter.reference ?? undefined)}
${fact(facts.created, moment(letter.created_at, language))}
${fact(facts.id, letter.letter_id)}
</dl>
<form method="post" action="${base}/delete">
${versionField(version)}
<p class="choices"><button class="button" type="submit">${remove}</button> <a href="${base}">${deletion.keep}</a></p>
</form>`;
};
