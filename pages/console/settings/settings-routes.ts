/** `/console/settings`. */
import type { Static } from 'typebox';
import type { NewKey } from '../../../presenters/account.ts';
import { fieldOf } from '../form.ts';
import { problemNotice } from '../frame.ts';
import { frameWords } from '../frame-words.ts';
import { answerIn } from '../passkeys/passkey-form.ts';
import { ask, attempt, type Problem, type Route, type View, type Visit } from '../visit.ts';
import { type Kept, settingsBody } from './settings-page.ts';

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
    title: frameWords[visit.language].rooms.settings,
    room: 'settings',
    body: settingsBody(settings, visit, { notice, challenge, isWrong }),
    status: problem?.status ?? (isWrong ? 403 : 200),
  };
};

/** Makes the key that a passkey stands for. Its secret is in no answer. @throws Refused */
const keyFor = (visit: Visit) => () => {
  const device = fieldOf(visit.form, 'label')?.trim() ?? '';
  const label = `Passkey${device === '' ? '' : `: ${device}`}`;
  return ask<Static<typeof NewKey>>(visit, 'create_key', { body: { label, scope: 'full' } });
};

export const settingsRoutes: Route[] = [
  {
    method: 'POST',
    path: '/settings/passkeys',
    room: 'settings',
    async handle(visit) {
      const { passkeys, form } = visit;
      const isDone = await passkeys?.register(
        answerIn(form),
        passkeyOwner(visit),
        keyFor(visit),
        (id) => attempt(visit, 'revoke_key', { params: { id } }),
      );
      return isDone
        ? { goTo: '/settings?said=passkey_registered' }
        : showSettings(visit, undefined, { isWrong: true });
    },
  },
  { method: 'GET', path: '/settings', room: 'settings', handle: (visit) => showSettings(visit) },
  {
    method: 'POST',
    path: '/settings',
    room: 'settings',
    async handle(visit) {
      const body = {
        notification_email: fieldOf(visit.form, 'notification_email') ?? null,
        language: fieldOf(visit.form, 'language') ?? 'en',
      };
      const outcome = await attempt<Kept>(visit, 'update_settings', { body });
      if ('problem' in outcome) return showSettings(visit, outcome.problem);
      return { goTo: '/settings?said=settings_saved' };
    },
  },
];
