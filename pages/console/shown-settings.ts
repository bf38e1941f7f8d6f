/** The settings that a form was shown with. Its page may be older than another change. */
import type { Static } from 'typebox';
import type { Settings } from '../../presenters/account.ts';
import { type Html, html } from '../html.ts';
import { ask, type Problem, type Visit } from './visit.ts';

export type Kept = Static<typeof Settings>;
type Setting = 'webhook_url' | 'notification_email' | 'language';

const inUse = (settings: Kept, name: Setting): string =>
  settings[name] ?? (name === 'language' ? 'en' : '');

const wantedIn = (form: URLSearchParams, name: Setting): string => form.get(name)?.trim() ?? '';
const shownIn = (form: URLSearchParams, name: Setting): string | null => form.get(`shown_${name}`);

export const shownSettings = (settings: Kept, names: readonly Setting[]): Html[] =>
  names.map(
    (name) => html`<input type="hidden" name="shown_${name}" value="${inUse(settings, name)}">`,
  );

/** Whether the person changed the field. */
export const isChanged = (form: URLSearchParams, name: Setting): boolean =>
  form.has(name) && wantedIn(form, name) !== shownIn(form, name);

/** A change of settings that another change came before; undefined: there was none. @throws Refused */
export const outdated = async (
  visit: Pick<Visit, 'call' | 'form'>,
  names: readonly Setting[],
): Promise<Problem | undefined> => {
  const { form } = visit;
  const shown = names.filter((name) => shownIn(form, name) !== null);
  if (shown.length === 0) return undefined;
  const settings = await ask<Kept>(visit, 'get_settings');
  const isCurrent = shown.every((name) =>
    [shownIn(form, name), wantedIn(form, name)].includes(inUse(settings, name)),
  );
  if (isCurrent) return undefined;
  const title = 'Changed meanwhile';
  const detail =
    'These settings were changed after the page was shown. Check them, and save them again.';
  return { status: 412, code: 'version_mismatch', title, detail };
};
