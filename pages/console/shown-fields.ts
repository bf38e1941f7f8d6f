/** Values that fields showed when their page was made, so that a form of an old page reverts no later change. */
import { type Html, html } from '../html.ts';
import type { Problem } from './visit.ts';

const shownIn = (form: URLSearchParams, name: string): string | null => form.get(`shown_${name}`);
const wantedIn = (form: URLSearchParams, name: string): string => form.get(name)?.trim() ?? '';

type Values = Readonly<Record<string, string>>;

/** Hidden fields that say what a form showed. */
export const shownAs = (values: Values): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`shown_${name}`, value]));

export const shownFields = (values: Values): Html[] =>
  Object.entries(shownAs(values)).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );

/** The fields that the person changed. A field without its shown value counts as changed. */
export const changedIn = <N extends string>(form: URLSearchParams, names: readonly N[]): N[] =>
  names.filter((name) => form.has(name) && wantedIn(form, name) !== shownIn(form, name));

/** Whether a different change came first. @param values of the fields now */
export const isOutdated = (
  form: URLSearchParams,
  names: readonly string[],
  values: Values,
): boolean =>
  names.some(
    (name) =>
      form.has(`shown_${name}`) &&
      ![shownIn(form, name), wantedIn(form, name)].includes(values[name] ?? ''),
  );

export const changedMeanwhile: Problem = {
  status: 412,
  code: 'version_mismatch',
  title: 'Changed meanwhile',
  detail: 'This was changed after the page was shown. Check it, and repeat what you wanted to do.',
};
