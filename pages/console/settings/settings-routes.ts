/** `/console/settings`. */
import { fieldOf } from '../form.ts';
import { problemNotice } from '../frame.ts';
import { frameWords } from '../frame-words.ts';
import { ask, attempt, type Problem, type Route, type View, type Visit } from '../visit.ts';
import { type Kept, settingsBody } from './settings-page.ts';

const showSettings = async (visit: Visit, problem?: Problem): Promise<View> => {
  const settings = await ask<Kept>(visit, 'get_settings');
  const notice = problem && problemNotice(problem, visit.language);
  return {
    title: frameWords[visit.language].rooms.settings,
    room: 'settings',
    body: settingsBody(settings, visit, notice),
    status: problem?.status ?? 200,
  };
};

export const settingsRoutes: Route[] = [
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
