/** `/console/settings/data`: an export of all data, and the end of the account. */
import { type Html, html } from '../../html.ts';
import { fieldOf, fieldsOf, idempotencyHeader } from '../form.ts';
import { problemNotice } from '../frame.ts';
import { wrongFields } from '../refusals/problem-words.ts';
import { changedMeanwhile, isOutdated } from '../shown-fields.ts';
import {
  ask,
  askFile,
  attempt,
  formAt,
  type Problem,
  pageAt,
  type View,
  type Visit,
} from '../visit.ts';
import { type Archive, type Closure, dataBody, exportBody } from './data-page.ts';
import { dataWords } from './data-words.ts';

/** The request for a code is refused until it has one, but the code is mailed. */
const isMailed = ({ code }: Problem): boolean => code === 'closure_code_required';

const noticeOf = (problem: Problem, { language }: Visit): Html =>
  isMailed(problem)
    ? html`<p class="notice" role="status">${dataWords[language].closing.mailed}</p>`
    : problemNotice(problem, language);

/** Sessions that may not look at exports see none. */
const exportsIn = async (visit: Visit): Promise<readonly Archive[]> => {
  const found = await attempt<{ data: Archive[] }>(visit, 'list_exports');
  return 'problem' in found ? [] : found.done.data;
};

const showData = async (visit: Visit, problem?: Problem): Promise<View> => {
  const [closure, exports] = await Promise.all([
    ask<Closure>(visit, 'get_account_closure'),
    exportsIn(visit),
  ]);
  const notice = problem && noticeOf(problem, visit);
  const wrong = wrongFields(problem, visit.language).get('confirm');
  return {
    title: dataWords[visit.language].title,
    body: dataBody({ closure, exports }, { ...visit, problem }, { notice, wrong }),
    status: problem && !isMailed(problem) ? problem.status : 200,
  };
};

/** The input of `close_account`. A request without a code mails one. */
const wantedEnd = (form: URLSearchParams): Record<string, unknown> => {
  const proof = fieldOf(form, 'do') === 'mail' ? {} : fieldsOf(form, ['code', 'confirm']);
  const trimmed = Object.entries(proof).map(([name, text]) => [name, text.trim()] as const);
  return { ...Object.fromEntries(trimmed), forfeit_balance: form.has('forfeit_balance') };
};

const exportsRoutes = [
  formAt('/settings/exports', 'settings', async (visit) => {
    const body = { documents: visit.form.has('documents') };
    const headers = idempotencyHeader(visit.form);
    const outcome = await attempt<Archive>(visit, 'create_export', { body, headers });
    if ('problem' in outcome) return showData(visit, outcome.problem);
    return { goTo: `/settings/exports/${outcome.done.export_id}` };
  }),
  pageAt('/settings/exports/{id}', 'settings', async (visit) => {
    const params = { id: visit.params.id ?? '' };
    const archive = await ask<Archive>(visit, 'get_export', { params });
    const title = dataWords[visit.language].exports.page;
    return { title, body: exportBody(archive, visit) };
  }),
  pageAt('/settings/exports/{id}/part-{part}.zip', 'settings', async (visit) => {
    const { id = '', part = '' } = visit.params;
    const headers = { accept: 'application/zip' };
    const input = { params: { id }, query: { part }, headers };
    const file = await askFile(visit, 'get_export', input);
    return { file, type: 'application/zip', name: `export-part-${Number(part)}.zip` };
  }),
];

/** Whether the closure that the form was shown for was withdrawn, and another one began. @throws Refused */
const isClosedAgain = async (visit: Visit): Promise<boolean> => {
  if (!visit.form.has('shown_closure')) return false;
  const { closure_id: closure } = await ask<Closure>(visit, 'get_account_closure');
  return isOutdated(visit.form, ['closure'], { closure: closure ?? '' });
};

export const dataRoutes = [
  pageAt('/settings/data', 'settings', (visit) => showData(visit)),
  ...exportsRoutes,
  formAt('/settings/close', 'settings', async (visit) => {
    const outcome = await attempt(visit, 'close_account', { body: wantedEnd(visit.form) });
    if ('problem' in outcome) return showData(visit, outcome.problem);
    return { goTo: '/settings/data?said=closing' };
  }),
  formAt('/settings/close/withdraw', 'settings', async (visit) => {
    if (await isClosedAgain(visit)) return showData(visit, changedMeanwhile);
    const outcome = await attempt(visit, 'withdraw_account_closure');
    if ('problem' in outcome) return showData(visit, outcome.problem);
    return { goTo: '/settings/data?said=closure_withdrawn' };
  }),
];
