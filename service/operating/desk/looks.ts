/**
 * Looking into an account is recorded as an event, once per session. An erased account records nothing, because nothing
 * personal of it is left.
 */
import { accountAggregate } from '../../../commands/accounts/account.ts';
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
    const { state } = await foundation.commands.handler.load(accountAggregate, accountId);
    if (state.status === 'erased') return;
    const look = { type: 'InspectAccount' as const, inspector: operator, rights };
    await changeAccount(foundation, { accountId }, (state) => inspectAccount(state, look));
    await store.noteLook(id, accountId);
  };
