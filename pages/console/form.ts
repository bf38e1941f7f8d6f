/** Fields of forms: how they are read, and how they are shown again with the typed text. */
import { randomUUID } from 'node:crypto';
import { type Html, html } from '../html.ts';
import type { Problem, Visit } from './visit.ts';

/** A field as it was typed; undefined where it is missing or blank. */
export const fieldOf = (form: URLSearchParams, name: string): string | undefined => {
  const value = form.get(name)?.replaceAll('\r\n', '\n');
  return value === undefined || value.trim() === '' ? undefined : value;
};

/** The fields that were filled in, by name. */
export const fieldsOf = (form: URLSearchParams, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name): [string, string][] => {
      const value = fieldOf(form, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );

/**
 * An amount as it was typed, with a point or a comma before its cents. A text that is no amount is passed on: the
 * operation reports it.
 */
export const amountIn = (form: URLSearchParams, name: string): number | string | undefined => {
  const text = fieldOf(form, name)?.trim();
  if (text === undefined || !/^\d{1,8}([.,]\d{1,2})?$/.test(text)) return text;
  return Number(text.replace(',', '.'));
};

const keyField = 'idempotency_key';

/**
 * Whether nothing was done. Otherwise the form may have been obeyed, so it goes on under its key. A rate limit refuses
 * a form before it is known whether it was obeyed earlier.
 */
export const isRefused = ({ status, code }: Problem): boolean =>
  status < 500 && status !== 429 && code !== 'idempotency_in_progress';

/** The form that was sent to this path, where nobody knows whether it was obeyed. */
export const unsettledForm = (
  { path, form, problem }: Pick<Visit, 'path' | 'form' | 'problem'>,
  action: string,
): URLSearchParams | undefined =>
  path === action && problem && !isRefused(problem) ? form : undefined;

/**
 * Makes a form that is sent twice count once.
 * @param kept the form as it was sent, which goes on under its key
 */
export const idempotencyField = (kept?: URLSearchParams): Html =>
  html`<input type="hidden" name="${keyField}" value="${kept?.get(keyField) ?? randomUUID()}">`;

/** The header for it; empty where the form came without the field. */
export const idempotencyHeader = (form: URLSearchParams): Record<string, string> => {
  const key = fieldOf(form, keyField);
  return key === undefined ? {} : { 'idempotency-key': key };
};

/** The version that the person saw, as a condition; empty where the form came without it. */
export const versionHeader = (form: URLSearchParams): Record<string, string> => {
  const version = fieldOf(form, 'version');
  return version === undefined ? {} : { 'if-match': version };
};

export const versionField = (version: string | undefined): Html | undefined =>
  version === undefined ? undefined : html`<input type="hidden" name="version" value="${version}">`;

const accountName = 'account';

/** Names the account that the form was shown for: the browser may sign in to another one before it is sent. */
export const accountField = ({ session }: Pick<Visit, 'session'>): Html =>
  html`<input type="hidden" name="${accountName}" value="${session.caller.accountId}">`;

export const isOfOtherAccount = ({ form, session }: Pick<Visit, 'form' | 'session'>): boolean =>
  (form.get(accountName) ?? session.caller.accountId) !== session.caller.accountId;

type Field = {
  name: string;
  label: string;
  value?: string | undefined;
  type?: 'text' | 'email' | 'url' | 'date' | 'datetime-local' | 'password';
  required?: boolean;
  hint?: string;
  /** A value of `autocomplete`: the data that a browser may fill in. */
  fill?: string;
  /** Why the value that was sent is refused. */
  wrong?: Html | undefined;
};

type Notes = Pick<Field, 'name' | 'hint' | 'wrong'>;

const isRequired = (required: boolean | undefined): Html => (required ? html` required` : html``);

/** The attributes that tie a field to its hint and to its error. */
const describedBy = ({ name, hint, wrong }: Notes): Html => {
  const ids = [hint && `${name}-hint`, wrong && `${name}-wrong`].filter(Boolean).join(' ');
  const invalid = wrong === undefined ? html`` : html` aria-invalid="true"`;
  return ids === '' ? invalid : html`${invalid} aria-describedby="${ids}"`;
};

const notesOf = ({ name, hint, wrong }: Notes): Html => html`
${hint === undefined ? undefined : html`<span class="hint" id="${name}-hint">${hint}</span>`}
${wrong === undefined ? undefined : html`<span class="wrong" id="${name}-wrong">${wrong}</span>`}`;

export const textField = (field: Field): Html => {
  const { name, label, value = '', type = 'text', required, fill = 'off' } = field;
  return html`<p class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${value}" autocomplete="${fill}"${isRequired(required)}${describedBy(field)}>
${notesOf(field)}
</p>`;
};

/** A text of several lines. A line break after the start tag is not part of the text. */
export const areaField = (field: Omit<Field, 'type' | 'fill'>): Html => {
  const { name, label, value = '', required } = field;
  return html`<p class="field">
<label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" rows="14"${isRequired(required)}${describedBy(field)}>
${value}</textarea>
${notesOf(field)}
</p>`;
};

/** @param accept media types that the browser offers to choose */
export const fileField = (
  field: Pick<Field, 'name' | 'label' | 'hint' | 'wrong'>,
  accept: string,
): Html => {
  const { name, label } = field;
  return html`<p class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="file" accept="${accept}"${describedBy(field)}>
${notesOf(field)}
</p>`;
};

type Choice = { value: string; label: string };

export const selectField = (
  field: Pick<Field, 'name' | 'label' | 'value' | 'required' | 'wrong'>,
  choices: readonly Choice[],
): Html => html`<p class="field">
<label for="${field.name}">${field.label}</label>
<select id="${field.name}" name="${field.name}"${isRequired(field.required)}${describedBy(field)}>
${choices.map(({ value, label }) =>
  value === field.value
    ? html`<option value="${value}" selected>${label}</option>`
    : html`<option value="${value}">${label}</option>`,
)}
</select>
${notesOf(field)}
</p>`;

export const tickField = (name: string, label: string, ticked: boolean, required = false): Html =>
  html`<p class="field tick"><label><input type="checkbox" name="${name}" value="true"${ticked ? html` checked` : html``}${isRequired(required)}> ${label}</label></p>`;
