/** Which account a name stands for, and where the account of a new name begins. */

import { AppError } from '../../contract/errors.ts';
import { toBase62 } from '../../ground/base62.ts';
import { accountAggregate } from './account.ts';
import type { AccountPorts } from './account-ports.ts';
import { createFindAddress, type FindAddress } from './find-address.ts';

/** One account per name and mode, so that the stream itself decides who was first. */
const createAccountIdOf =
  (indexOf: AccountPorts['indexOf']) =>
  (kind: string, name: string, test: boolean): string => {
    const digest = indexOf('account', `${kind}\n${test ? 'test' : 'live'}\n${name.toLowerCase()}`);
    return `acct_${toBase62(Buffer.from(digest, 'base64url'), 22)}`;
  };

type AccountIdOf = ReturnType<typeof createAccountIdOf>;

/** The account of an agent id, or where it would begin: accounts of the same id that were erased are passed over. */
const createPlaceOfAgent =
  (accountIdOf: AccountIdOf, handler: AccountPorts['handler']) =>
  async (name: string, test: boolean): Promise<string> => {
    for (let erased = 0; ; erased += 1) {
      const accountId = accountIdOf('agent', erased === 0 ? name : `${name}\n${erased}`, test);
      const { state } = await handler.load(accountAggregate, accountId);
      if (state.status !== 'erased') return accountId;
    }
  };

type PlaceOfAgent = ReturnType<typeof createPlaceOfAgent>;

/** Where an account of a name is, or would begin. @throws AppError email_registered */
const createPlaceOf =
  (placeOfAgent: PlaceOfAgent, findAddress: FindAddress) =>
  async (
    kind: 'email' | 'agent',
    name: string,
    test: boolean,
  ): Promise<{ accountId: string; replaces?: string | undefined }> => {
    if (kind === 'agent') return { accountId: await placeOfAgent(name, test) };
    const found = await findAddress(name, test);
    if (found.kind === 'free') return { accountId: found.addressId, replaces: found.replaces };
    if (found.kind === 'account') return { accountId: found.accountId };
    throw new AppError(
      'email_registered',
      'An account had this e-mail address until a few days ago, or is about to get it. Register it again in eight days, or use another address.',
    );
  };

export type PlaceOf = ReturnType<typeof createPlaceOf>;

export const createAccountNames = ({ handler, clock, indexOf }: AccountPorts) => {
  const accountIdOf = createAccountIdOf(indexOf);
  const findAddress = createFindAddress({
    handler,
    clock,
    addressIdOf: (email, test, generation) =>
      accountIdOf('email', generation === 0 ? email : `${email}\n${generation}`, test),
  });
  const placeOfAgent = createPlaceOfAgent(accountIdOf, handler);
  return {
    accountIdOf,
    findAddress,
    placeOfAgent,
    placeOf: createPlaceOf(placeOfAgent, findAddress),
  };
};
