/** The parts of a refusal as a page shows them: why, and what is wrong with which field. */
import { type AppError, facts } from '../../../contract/errors.ts';
import type { Language } from '../../../postal/stationery.ts';
import { colon } from '../../../presenters/labels.ts';
import { type Html, html, markup } from '../../html.ts';
import type { Problem, ShownFinding } from '../visit.ts';
import type { WrongFields } from '../wrong-fields.ts';
import { fieldNameOf, labelOf } from './field-labels.ts';
import { findingWords } from './finding-words.ts';
import { refusalWords } from './refusal-words.ts';
import { say, type Usage } from './say.ts';

/** The page of a letter that a finding is about: its sentence begins with it. */
const pageIn = (detail: string): number | undefined => {
  const [, page] = /^Page (\d+)[ :]/.exec(detail) ?? [];
  return page === undefined ? undefined : Number(page);
};

/** Findings about what was changed: only the sentence of the service tells what. */
const changes = new Set(['normalized', 'html_removed', 'document_fixed']);

/** With the labels of fields for their names in the API. */
const inLabels = (detail: string): string =>
  detail.replaceAll(/\b(?:to|from)_\w+/g, (name) => labelOf(`/${name}`, 'en') ?? name);

/** Without the label of the field. */
const findingOf = (finding: ShownFinding, language: Language): Html => {
  const { code, detail } = finding;
  const known = { page: pageIn(detail), ...finding[facts] };
  const { kind } = finding[facts] ?? {};
  const said = say(findingWords, [`${code}.${kind}`, code], { known, said: detail, language });
  return changes.has(code) ? html`${said} <span lang="en">${inLabels(detail)}</span>` : said;
};

const labelled = (finding: ShownFinding, language: Language): Html => {
  const label = labelOf(finding.pointer, language);
  const said = findingOf(finding, language);
  return label === undefined ? said : html`${label}${colon(language)} ${said}`;
};

/** A list of findings or warnings, each with the label of its field. */
export const findingsList = (findings: readonly ShownFinding[], language: Language): Html => {
  // Findings that differ in English only are said once.
  const said = new Map(
    findings.map((one) => {
      const text = labelled(one, language);
      return [markup(text), text];
    }),
  );
  return html`<ul>${[...said.values()].map((text) => html`<li>${text}</li>`)}</ul>`;
};

/** Of a limit that counts several letters. */
const usageIn = ({ limit, used }: Problem): Usage | undefined => {
  const counted = limit as Usage['limit'] | undefined;
  return counted === undefined || counted.per === 'letter' || typeof used !== 'number'
    ? undefined
    : { used, limit: counted };
};

export const reasonOf = (problem: Problem, language: Language): Html => {
  const known = { ...problem, usage: usageIn(problem) };
  return say(refusalWords, [problem.code], { known, said: problem.detail, language });
};

/** The reason of a request that was refused before a page could be made. */
export const reasonOfError = (error: AppError, language: Language): Html => {
  const { code, message: said, errors = [], extra, headers } = error;
  const wait = Number(headers?.['Retry-After']);
  const known = { ...extra, ...(wait > 0 && { retry_after: wait }) };
  const reason = say(refusalWords, [code], { known, said, language });
  return html`${reason} ${errors.map((one) => findingOf(one, language))}`;
};

export const wrongFields = (
  { errors = [] }: Pick<Problem, 'errors'> = {},
  language: Language,
): WrongFields =>
  new Map(errors.map((one) => [fieldNameOf(one.pointer), findingOf(one, language)]));
