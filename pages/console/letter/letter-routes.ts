/** `/console/letters/{id}`: a letter, its pages, and its actions. */
import type { Static } from 'typebox';
import type { SentLetter } from '../../../presenters/letter-schemas.ts';
import { idempotencyHeader, versionHeader } from '../form.ts';
import { problemNotice } from '../frame.ts';
import type { Done } from '../frame-words.ts';
import type { Letter } from '../letter-shown.ts';
import { seenPriceIn } from '../seen-price.ts';
import { sentWord } from '../sent-word.ts';
import {
  ask,
  askFile,
  attempt,
  formAt,
  type Problem,
  pageAt,
  Refused,
  type View,
  type Visit,
} from '../visit.ts';
import { copyOf, isCopyable } from './copy-letter.ts';
import { deleteBody } from './delete-page.ts';
import { letterBody } from './letter-page.ts';
import { letterWords } from './letter-words.ts';

const letterOf = ({ params }: Visit) => ({ id: params.id ?? '' });

/** @throws Refused */
const showLetter = async (visit: Visit, problem?: Problem): Promise<View> => {
  const { language } = visit;
  const outcome = await attempt<Letter>(visit, 'get_letter', { params: letterOf(visit) });
  if ('problem' in outcome) throw new Refused(outcome.problem);
  const { done: letter, version } = outcome;
  const notice = problem && problemNotice(problem, language);
  return {
    title: letterWords[language].title,
    body: letterBody(letter, version, { ...visit, problem }, notice),
    status: problem?.status ?? 200,
  };
};

/** The headers of a form: it counts once, and only for the version that the person saw. */
const headersOf = ({ form }: Visit): Record<string, string> => ({
  ...idempotencyHeader(form),
  ...versionHeader(form),
});

const shownAgain = (visit: Visit, word: Done): View => ({
  goTo: `/letters/${encodeURIComponent(visit.params.id ?? '')}?said=${word}`,
});

export const letterRoutes = [
  pageAt('/letters/{id}', 'letters', (visit) => showLetter(visit)),
  pageAt('/letters/{id}/page-{page}.png', 'letters', async (visit) => {
    const params = { ...letterOf(visit), page: visit.params.page ?? '' };
    return { file: await askFile(visit, 'preview_letter', { params }), type: 'image/png' };
  }),
  pageAt('/letters/{id}/document.pdf', 'letters', async (visit) => {
    const params = letterOf(visit);
    const file = await askFile(visit, 'get_letter_document', { params });
    return { file, type: 'application/pdf', name: `letter-${params.id}.pdf` };
  }),
  formAt('/letters/{id}/cancel', 'letters', async (visit) => {
    const input = { params: letterOf(visit), headers: headersOf(visit) };
    const outcome = await attempt<Letter>(visit, 'cancel_letter', input);
    if ('problem' in outcome) return showLetter(visit, outcome.problem);
    const cancelled = outcome.done.status === 'cancelled';
    return shownAgain(visit, cancelled ? 'cancelled' : 'cancel_requested');
  }),
  pageAt('/letters/{id}/delete', 'letters', async (visit) => {
    const read = await attempt<Letter>(visit, 'get_letter', { params: letterOf(visit) });
    if ('problem' in read) throw new Refused(read.problem);
    if (!read.done.abilities.delete) return showLetter(visit);
    const title = letterWords[visit.language].remove;
    return { title, body: deleteBody(read.done, read.version, visit) };
  }),
  formAt('/letters/{id}/delete', 'letters', async (visit) => {
    const input = { params: letterOf(visit), headers: headersOf(visit) };
    const outcome = await attempt(visit, 'delete_letter', input);
    if ('problem' in outcome) return showLetter(visit, outcome.problem);
    return { goTo: '/letters?said=deleted' };
  }),
  formAt('/letters/{id}/again', 'letters', async (visit) => {
    const letter = await ask<Letter>(visit, 'get_letter', { params: letterOf(visit) });
    if (!isCopyable(letter)) return showLetter(visit);
    const input = { body: copyOf(letter), headers: idempotencyHeader(visit.form) };
    const outcome = await attempt<Static<typeof SentLetter>>(visit, 'send_letter', input);
    if ('problem' in outcome) return showLetter(visit, outcome.problem);
    return { goTo: `/letters/${outcome.done.letter_id}?said=drafted` };
  }),
  formAt('/letters/{id}/send', 'letters', async (visit) => {
    const seen = seenPriceIn(visit.form);
    if (seen === undefined) return showLetter(visit);
    const body = { letter_id: letterOf(visit).id, max_total: seen };
    const input = { body, headers: headersOf(visit) };
    const outcome = await attempt<Static<typeof SentLetter>>(visit, 'send_letter', input);
    if ('problem' in outcome) return showLetter(visit, outcome.problem);
    return shownAgain(visit, sentWord(outcome.done));
  }),
];
