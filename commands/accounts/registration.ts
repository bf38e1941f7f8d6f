/** How an account begins. */
import { AppError } from '../../contract/errors.ts';
import type { AccountEvent } from '../../events/account.ts';
import type { Language } from '../../postal/stationery.ts';
import { type Account, initialState } from './account.ts';
import { isSameEmail } from './confirmation.ts';
import { AddressTaken } from './email-change.ts';
import { keyCreated, type NewKey } from './keys.ts';
import { chooseLanguage } from './settings.ts';

type RegisterAccount = {
  type: 'RegisterAccount';
  accountId: string;
  kind: 'email' | 'agent';
  test: boolean;
  name: string;
  displayName?: string;
  requestHash: string;
  key: NewKey;
  /** Of its mails; absent: English. */
  language?: Language | undefined;
  /** The service takes no new accounts. */
  closed?: boolean;
  /** A claim on the address that was found to count no longer. */
  replaces?: string | undefined;
};

/** @throws AddressTaken where another account has the address meanwhile */
const assertUnclaimed = ({ claim }: Account, { replaces }: RegisterAccount): void => {
  if (claim?.changeId !== replaces) throw new AddressTaken();
};

/** @throws AddressTaken */
const assertOwnAddress = (state: Account, { kind, name }: RegisterAccount): void => {
  if (kind === 'email' && state.emailChanges > 0 && !isSameEmail(state.name, name)) {
    throw new AddressTaken();
  }
};

/** @throws AppError email_registered, agent_registered, registration_closed; AddressTaken */
export const registerAccount = (state: Account, command: RegisterAccount): AccountEvent[] => {
  const { accountId, kind, test, name, displayName, requestHash, key } = command;
  if (state.status === 'open') {
    if (state.keys.has(key.keyId)) return [];
    // The account has another address by now: this one is looked for elsewhere.
    assertOwnAddress(state, command);
    throw kind === 'email'
      ? new AppError(
          'email_registered',
          'This e-mail address already has an account. Use its key, or ask the operator to replace it.',
        )
      : new AppError(
          'agent_registered',
          'This agent_id already has an account. Choose another one, or use its key.',
        );
  }
  // Erased since the account was looked for: the name is free in another stream.
  if (state.status === 'erased') throw new AddressTaken();
  assertUnclaimed(state, command);
  if (command.closed) {
    throw new AppError(
      'registration_closed',
      'Registration is closed. Ask the operator of this service for an account.',
    );
  }
  return [
    {
      type: 'AccountRegistered',
      data: { accountId, kind, test, requestHash },
      personal: { name, ...(displayName === undefined ? {} : { displayName }) },
    },
    keyCreated(command, key, requestHash),
    ...chooseLanguage(initialState(), accountId, command.language),
  ];
};
