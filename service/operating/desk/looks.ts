/**
 * Looking into an account is recorded as an event, once per session. The erasure of an account removes the rows of its
 * looks each time that it goes on, so a session can be recorded again until the account is erased.
 */
import { inspectAccount } from '../../../commands/accounts/restrictions.ts';
import type { OperatorSession } from '../../../contract/operator-session.ts';
import type { OperatorStore } from '../../../infra/sessions/operator-store.ts';
import type { Foundation } from '../../foundation/wing.ts';
import { changeAccount } from '../account-actions.ts';

export type Look = (session: OperatorSession, accountId: string) => Promise<void>;

/** @throws AppError account_not_found; then nothing may be shown */
export const createLook =
  (foundation: Foundation, store: Pick<OperatorStore, 'hasLooked' | 'noteLook'>): Look =>
  async ({ id, operator, rights }, accountId) => {
    if (await store.hasLooked(id, accountId)) return;
    const look = { type: 'InspectAccount' as const, inspector: operator, rights };
    const events = await changeAccount(foundation, { accountId }, (state) =>
      inspectAccount(state, look),
    );
    if (events.length > 0) await store.noteLook(id, accountId);
  };
