/** `/console/write`: a letter is checked, then sent or kept as a draft. */
import type { Static } from 'typebox';
import type { SentLetter } from '../../../presenters/letter-schemas.ts';
import { idempotencyHeader } from '../form.ts';
import { seenPriceIn } from '../seen-price.ts';
import { sentWord } from '../sent-word.ts';
import { askFile, attempt, formAt, type Problem, pageAt, type View, type Visit } from '../visit.ts';
import { letterIn } from './letter-form.ts';
import { type Quote, writeBody } from './write-page.ts';
import { writeWords } from './write-words.ts';

type Sent = Static<typeof SentLetter>;

const view = (visit: Visit, shown: { quote?: Quote; problem?: Problem } = {}): View => ({
  title: writeWords[visit.language].title,
  body: writeBody(visit, shown),
  status: shown.problem?.status ?? 200,
});

const check = async (visit: Visit): Promise<View> => {
  const outcome = await attempt<Quote>(visit, 'quote_letter', { body: letterIn(visit.form) });
  if ('problem' in outcome) return view(visit, { problem: outcome.problem });
  return view(visit, { quote: outcome.done });
};

const send = async (visit: Visit, body: Record<string, unknown>): Promise<View> => {
  const headers = idempotencyHeader(visit.form);
  const outcome = await attempt<Sent>(visit, 'send_letter', { body, headers });
  if ('problem' in outcome) return view(visit, { problem: outcome.problem });
  return { goTo: `/letters/${outcome.done.letter_id}?said=${sentWord(outcome.done)}` };
};

export const writeRoutes = [
  pageAt('/write', 'write', async (visit) => view(visit)),
  formAt('/write', 'write', async (visit) => {
    const letter = letterIn(visit.form, visit.file);
    const seen = seenPriceIn(visit.form);
    const wanted = visit.form.get('do');
    // The form cannot show a file again, but the page of a draft shows its pages and price.
    if (wanted === 'draft' || visit.file) return send(visit, { ...letter, draft: true });
    // A letter is sent only after the person saw its price.
    if (wanted !== 'send' || seen === undefined) return check(visit);
    return send(visit, { ...letter, max_total: seen });
  }),
  pageAt('/write/quotes/{quote_id}/page-{page}.png', 'write', async (visit) => {
    const { quote_id = '', page = '' } = visit.params;
    const file = await askFile(visit, 'preview_quote', { params: { quote_id, page } });
    return { file, type: 'image/png' };
  }),
];
