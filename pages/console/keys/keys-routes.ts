/** `/console/keys`: API keys are listed, made and revoked. */
import type { Static } from 'typebox';
import type { Keys, NewKey } from '../../../presenters/account.ts';
import { fieldOf, fieldsOf, idempotencyHeader } from '../form.ts';
import { problemNotice } from '../frame.ts';
import { frameWords } from '../frame-words.ts';
import { ask, attempt, type Problem, type Route, type View, type Visit } from '../visit.ts';
import { keysBody } from './keys-page.ts';

const showKeys = async (
  visit: Visit,
  { secret, problem }: { secret?: string; problem?: Problem } = {},
): Promise<View> => {
  const { data } = await ask<Static<typeof Keys>>(visit, 'list_keys');
  const notice = problem && problemNotice(problem, visit.language);
  return {
    title: frameWords[visit.language].rooms.keys,
    room: 'keys',
    body: keysBody(data, visit, { secret, problem: notice }),
    status: problem?.status ?? 200,
  };
};

const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

/** A key works on its last day until midnight UTC. */
const wantedKey = (form: URLSearchParams): Record<string, unknown> => {
  const wanted = fieldsOf(form, ['label', 'scope']);
  const expires = fieldOf(form, 'expires');
  if (expires === undefined) return wanted;
  const isDay = dayPattern.test(expires);
  return { ...wanted, expires_at: isDay ? `${expires}T23:59:59.999Z` : expires };
};

export const keysRoutes: Route[] = [
  { method: 'GET', path: '/keys', room: 'keys', handle: (visit) => showKeys(visit) },
  {
    method: 'POST',
    path: '/keys',
    room: 'keys',
    async handle(visit) {
      const headers = idempotencyHeader(visit.form);
      const outcome = await attempt<Static<typeof NewKey>>(visit, 'create_key', {
        body: wantedKey(visit.form),
        headers,
      });
      return 'problem' in outcome
        ? showKeys(visit, { problem: outcome.problem })
        : showKeys(visit, { secret: outcome.done.api_key });
    },
  },
  {
    method: 'POST',
    path: '/keys/{id}/freeze',
    room: 'keys',
    async handle(visit) {
      const params = { id: visit.params.id ?? '' };
      const outcome = await attempt(visit, 'freeze_key', { params });
      if ('problem' in outcome) return showKeys(visit, { problem: outcome.problem });
      return { goTo: '/limits?said=frozen' };
    },
  },
  {
    method: 'POST',
    path: '/keys/{id}/revoke',
    room: 'keys',
    async handle(visit) {
      const params = { id: visit.params.id ?? '' };
      const outcome = await attempt(visit, 'revoke_key', { params });
      if ('problem' in outcome) return showKeys(visit, { problem: outcome.problem });
      return { goTo: '/keys?said=key_revoked' };
    },
  },
];
