/**
 * Which account an e-mail address stands for. The stream whose id is the digest of an address decides: the
 * account that began in it has the address until it changes its own, and then the next stream of the address
 * decides, whose id is another digest. A claim in such a stream says that another account has the address.
 */
import type { CommandHandler } from '../handling/handle.ts';
import { type Account, accountAggregate } from './account.ts';
import { isSameEmail, registeredEmail } from './confirmation.ts';
import { reserves } from './email-change.ts';

type FoundAddress =
  /** It is the address of this account. */
  | { kind: 'account'; accountId: string }
  /** Nobody has it now, and for the time being only this account may get it. */
  | { kind: 'reserved'; accountId: string }
  /** An account may begin in the stream, or claim it. `replaces`: the claim that counts no longer. */
  | { kind: 'free'; addressId: string; replaces: string | undefined };

type Ports = {
  handler: Pick<CommandHandler, 'load'>;
  /** Keyed digest of an address. `generation`: how many accounts left the address before. */
  addressIdOf: (email: string, test: boolean, generation: number) => string;
  /** Epoch ms. */
  clock: () => number;
};

export type FindAddress = (
  email: string,
  test: boolean,
  /** An address that this account reserves is free for it. */
  claimant?: string,
) => Promise<FoundAddress>;

const hasAddress = (state: Account, email: string): boolean =>
  isSameEmail(registeredEmail(state), email);

export const createFindAddress = ({ handler, addressIdOf, clock }: Ports): FindAddress => {
  const load = async (accountId: string): Promise<Account> =>
    (await handler.load(accountAggregate, accountId)).state;

  return async (email, test, claimant) => {
    for (let generation = 0; ; generation += 1) {
      const addressId = addressIdOf(email, test, generation);
      const state = await load(addressId);
      if (state.status === 'open') {
        if (state.emailChanges === 0 || hasAddress(state, email)) {
          return { kind: 'account', accountId: addressId };
        }
        if (addressId !== claimant && reserves(state, email, clock())) {
          return { kind: 'reserved', accountId: addressId };
        }
        continue;
      }
      // The account that had it was erased: the address continues in the next stream.
      if (state.status === 'erased') continue;
      const { claim } = state;
      if (claim === undefined) return { kind: 'free', addressId, replaces: undefined };
      const { holderId: accountId, changeId } = claim;
      const holder = await load(accountId);
      if (hasAddress(holder, email)) return { kind: 'account', accountId };
      if (accountId !== claimant && reserves(holder, email, clock(), changeId)) {
        return { kind: 'reserved', accountId };
      }
      return { kind: 'free', addressId, replaces: changeId };
    }
  };
};
