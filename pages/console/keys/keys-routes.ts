/** `/console/keys`: API keys are listed, made and revoked. */

import type { Static } from 'typebox';
import { isDay } from '../../../ground/day.ts';
import type { Keys, NewKey } from '../../../presenters/account.ts';
import type { Budgets } from '../../../presenters/policy.ts';
import type { ListedUcan } from '../../../presenters/ucan.ts';
import { fieldOf, fieldsOf, idempotencyHeader } from '../form.ts';
import { problemNotice } from '../frame.ts';
import {
  ask,
  attempt,
  formAt,
  type Problem,
  pageAt,
  Refused,
  type View,
  type Visit,
} from '../visit.ts';
import { keysBody, limitsOf } from './keys-page.ts';
import { keysWords } from './keys-words.ts';
import { revokeBody, revokeUcanBody } from './revoke-page.ts';
import { ucansPart } from './ucans-part.ts';

type FoundUcans = { data: Static<typeof ListedUcan>[]; next_cursor: string | null };

const showKeys = async (
  visit: Visit,
  { secret, problem }: { secret?: string; problem?: Problem } = {},
): Promise<View> => {
  const query = { ...fieldsOf(visit.query, ['cursor']), limit: '100' };
  const [{ data }, ucans, limits] = await Promise.all([
    ask<Static<typeof Keys>>(visit, 'list_keys'),
    ask<FoundUcans>(visit, 'list_ucans', { query }),
    attempt<Static<typeof Budgets>>(visit, 'list_budgets'),
  ]);
  const budgets = 'problem' in limits ? [] : limits.done.data;
  const notice = problem && problemNotice(problem, visit.language);
  return {
    body: keysBody(
      data,
      { ...visit, problem },
      {
        budgets,
        secret,
        problem: notice,
        ucans: ucansPart(
          ucans.data,
          ucans.next_cursor,
          (subject) => limitsOf(subject, budgets, visit),
          visit,
        ),
      },
    ),
    status: problem?.status ?? 200,
  };
};

/** A key works on its last day until midnight UTC. */
const wantedKey = (form: URLSearchParams): Record<string, unknown> => {
  const wanted = fieldsOf(form, ['label', 'scope']);
  const expires = fieldOf(form, 'expires');
  if (expires === undefined) return wanted;
  return { ...wanted, expires_at: isDay(expires) ? `${expires}T23:59:59.999Z` : expires };
};

export const keysRoutes = [
  pageAt('/keys', 'keys', (visit) => showKeys(visit)),
  formAt('/keys', 'keys', async (visit) => {
    const headers = idempotencyHeader(visit.form);
    const outcome = await attempt<Static<typeof NewKey>>(visit, 'create_key', {
      body: wantedKey(visit.form),
      headers,
    });
    return 'problem' in outcome
      ? showKeys(visit, { problem: outcome.problem })
      : showKeys(visit, { secret: outcome.done.api_key });
  }),
  pageAt('/keys/ucans/revoke', 'keys', async (visit) => {
    const { title } = keysWords[visit.language].ucans.revocation;
    return { title, body: revokeUcanBody(fieldOf(visit.query, 'cid') ?? '', visit) };
  }),
  formAt('/keys/ucans/revoke', 'keys', async (visit) => {
    const body = { cid: fieldOf(visit.form, 'cid') ?? '' };
    const outcome = await attempt(visit, 'revoke_ucan', { body });
    if ('problem' in outcome) return showKeys(visit, { problem: outcome.problem });
    return { goTo: '/keys?said=ucan_revoked' };
  }),
  formAt('/keys/{id}/freeze', 'keys', async (visit) => {
    const params = { id: visit.params.id ?? '' };
    const outcome = await attempt(visit, 'freeze_key', { params });
    if ('problem' in outcome) return showKeys(visit, { problem: outcome.problem });
    return { goTo: '/limits?said=frozen' };
  }),
  pageAt('/keys/{id}/revoke', 'keys', async (visit) => {
    const { data } = await ask<Static<typeof Keys>>(visit, 'list_keys');
    const key = data.find(({ id }) => id === visit.params.id);
    if (!key) throw new Refused({ status: 404, code: 'key_not_found', title: '', detail: '' });
    const { title } = keysWords[visit.language].revocation;
    return { title, body: revokeBody(key, visit) };
  }),
  formAt('/keys/{id}/revoke', 'keys', async (visit) => {
    const params = { id: visit.params.id ?? '' };
    const outcome = await attempt(visit, 'revoke_key', { params });
    if ('problem' in outcome) return showKeys(visit, { problem: outcome.problem });
    return { goTo: '/keys?said=key_revoked' };
  }),
];
