/** The end of an account: asked for, taken back, begun when its time has come, and completed. */
import { accountNotFound, keyReused } from '../../contract/refusals.ts';
import type { AccountEvent } from '../../events/account.ts';
import { type Account, type Closure, certificateAddress } from './account.ts';
import { endKeys } from './keys.ts';

export type RequestClosure = {
  type: 'RequestClosure';
  closureId: string;
  erasesAt: string;
  /** The operator keeps the balance of the wallet. */
  forfeitsBalance: boolean;
  requestHash: string;
};

const isSame = (closure: Closure, wanted: RequestClosure): boolean =>
  closure.forfeitsBalance === wanted.forfeitsBalance && wanted.erasesAt >= closure.erasesAt;

/**
 * A second request can bring the erasure forward (an operator does) and change the decision about the
 * balance.
 * @param at when it is asked for; the account is not erased before
 * @throws AppError account_not_found, idempotency_key_reused
 */
export const requestClosure = (
  state: Account,
  asked: RequestClosure,
  at: string,
): AccountEvent[] => {
  if (state.status !== 'open') throw accountNotFound();
  const { accountId, closure } = state;
  const command = asked.erasesAt < at ? { ...asked, erasesAt: at } : asked;
  const { closureId, requestHash, forfeitsBalance } = command;
  if (closure === undefined) {
    const { type: _, ...data } = command;
    return [{ type: 'AccountClosureRequested', data: { accountId, ...data } }];
  }
  if (closure.closureId === closureId && closure.requestHash !== requestHash) throw keyReused();
  if (closure.closureId === closureId || isSame(closure, command)) return [];
  const erasesAt = command.erasesAt < closure.erasesAt ? command.erasesAt : closure.erasesAt;
  const data = { accountId, closureId: closure.closureId, erasesAt, forfeitsBalance, requestHash };
  return [{ type: 'AccountClosureRequested', data }];
};

/** No event where nothing is to be taken back. @throws AppError account_not_found */
export const withdrawClosure = (state: Account): AccountEvent[] => {
  if (state.status !== 'open') throw accountNotFound();
  const { accountId, closure } = state;
  if (closure === undefined) return [];
  return [{ type: 'AccountClosureWithdrawn', data: { accountId, closureId: closure.closureId } }];
};

/** Keys, webhooks and settings end in the same append. No event before its time, or after. */
export const beginErasure = (state: Account, at: string): AccountEvent[] => {
  const { accountId, closure, settings } = state;
  if (state.status !== 'open' || closure === undefined || closure.erasesAt > at) return [];
  const ended = endKeys(state, [...state.keys.values()], at);
  const unsubscribed = [...state.subscriptions.keys()].map(
    (subscriptionId): AccountEvent => ({
      type: 'AuditUnsubscribed',
      data: { accountId, subscriptionId, reason: 'removed' },
    }),
  );
  const unset: AccountEvent[] =
    Object.keys(settings).length === 0
      ? []
      : [
          {
            type: 'SettingsChanged',
            data: { accountId, webhook: false, notificationEmail: false },
            personal: {},
          },
        ];
  return [
    { type: 'AccountErasureBegun', data: { accountId, closureId: closure.closureId } },
    ...ended,
    ...unsubscribed,
    ...unset,
  ];
};

/** Counts for the record. */
type ErasedWith = Omit<
  Extract<AccountEvent, { type: 'AccountErased' }>['data'],
  'accountId' | 'closureId'
>;

/** Once, when all but the address of the certificate is erased. */
export const completeErasure = (state: Account, erased: ErasedWith): AccountEvent[] => {
  const { accountId, closure } = state;
  if (closure?.begunAt === undefined || closure.erasedAt !== undefined) return [];
  return [{ type: 'AccountErased', data: { accountId, closureId: closure.closureId, ...erased } }];
};

/** The step-up before a closure: a mailed code, or the account's own id if mail reaches nobody. */
export const closureProof = (state: Account, mailConfigured: boolean): 'code' | 'confirm' =>
  mailConfigured && certificateAddress(state) !== undefined ? 'code' : 'confirm';
