/** `/console/settings`. */
import type { Static } from 'typebox';
import type { NewKey } from '../../../presenters/account.ts';
import { fieldOf } from '../form.ts';
import { problemNotice } from '../frame.ts';
import { answerIn } from '../passkeys/passkey-form.ts';
import { changedIn } from '../shown-fields.ts';
import { type Kept, outdated } from '../shown-settings.ts';
import { ask, attempt, formAt, type Problem, pageAt, type View, type Visit } from '../visit.ts';
import { settingsBody } from './settings-page.ts';

const passkeyOwner = ({ session }: Visit) => ({
  sessionId: session.id,
  accountId: session.caller.accountId,
});

/** A passkey stands for a key, which only full keys make. */
const mayRegister = ({ session: { caller } }: Visit): boolean => caller.scope === 'full';

const showSettings = async (
  visit: Visit,
  problem?: Problem,
  { isWrong = false } = {},
): Promise<View> => {
  const settings = await ask<Kept>(visit, 'get_settings');
  const notice = problem && problemNotice(problem, visit.language);
  const of = passkeyOwner(visit);
  const challenge = mayRegister(visit) ? await visit.passkeys?.askToRegister(of) : undefined;
  return {
    body: settingsBody(settings, { ...visit, problem }, { notice, challenge, isWrong }),
    status: problem?.status ?? (isWrong ? 403 : 200),
  };
};

/** Makes the key that a passkey stands for. Its secret is in no answer. @throws Refused */
const keyFor = (visit: Visit) => (idempotencyKey: string) => {
  const device = fieldOf(visit.form, 'label')?.trim() ?? '';
  const label = `Passkey${device === '' ? '' : `: ${device}`}`;
  const headers = { 'idempotency-key': idempotencyKey };
  const body = { label, scope: 'full' };
  return ask<Static<typeof NewKey>>(visit, 'create_key', { body, headers });
};

const settingNames = ['notification_email', 'language'] as const;

export const settingsRoutes = [
  formAt('/settings/passkeys', 'settings', async (visit) => {
    const { passkeys, form } = visit;
    const isDone = await passkeys?.register(answerIn(form), visit.session, keyFor(visit), (id) =>
      attempt(visit, 'revoke_key', { params: { id } }),
    );
    return isDone
      ? { goTo: '/settings?said=passkey_registered' }
      : showSettings(visit, undefined, { isWrong: true });
  }),
  pageAt('/settings', 'settings', (visit) => showSettings(visit)),
  formAt('/settings', 'settings', async (visit) => {
    const { form } = visit;
    const names = changedIn(form, settingNames);
    const done = { goTo: '/settings?said=settings_saved' };
    if (names.length === 0) return done;
    const problem = await outdated(visit, names);
    if (problem) return showSettings(visit, problem);
    const wanted = names.map((name) => [name, fieldOf(form, name)?.trim() ?? null]);
    const body = Object.fromEntries(wanted);
    const outcome = await attempt<Kept>(visit, 'update_settings', { body });
    return 'problem' in outcome ? showSettings(visit, outcome.problem) : done;
  }),
];
