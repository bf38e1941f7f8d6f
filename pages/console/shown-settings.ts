/** The settings that a form was shown with. */
import type { Static } from 'typebox';
import type { Settings } from '../../presenters/account.ts';
import { changedMeanwhile, isOutdated } from './shown-fields.ts';
import { ask, type Problem, type Visit } from './visit.ts';

export type Kept = Static<typeof Settings>;
type Setting = 'webhook_url' | 'notification_email' | 'language';

const inUse = (settings: Kept, name: Setting): string =>
  settings[name] ?? (name === 'language' ? 'en' : '');

/** As the fields of the forms show them. */
export const settingValues = (
  settings: Kept,
  names: readonly Setting[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, inUse(settings, name)]));

/** Refuses a form if another change of these settings came first. @throws Refused */
export const outdated = async (
  visit: Pick<Visit, 'call' | 'form'>,
  names: readonly Setting[],
): Promise<Problem | undefined> => {
  const { form } = visit;
  if (!names.some((name) => form.has(`shown_${name}`))) return undefined;
  const settings = await ask<Kept>(visit, 'get_settings');
  return isOutdated(form, names, settingValues(settings, names)) ? changedMeanwhile : undefined;
};
