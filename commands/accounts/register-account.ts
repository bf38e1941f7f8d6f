import { AppError } from '../../contract/errors.ts';
import type { Scope } from '../../contract/scopes.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import type { Language } from '../../postal/stationery.ts';
import type { CommandContext } from '../handling/fold.ts';
import { accountAggregate } from './account.ts';
import type { OpenWallet } from './account-money.ts';
import type { PlaceOf } from './account-names.ts';
import type { AccountPorts } from './account-ports.ts';
import { AddressTaken } from './email-change.ts';
import { type IssuedKey, issuedKey } from './issued-key.ts';
import { registerAccount } from './registration.ts';

/**
 * Registers an account with its first key and opens its wallet.
 * @throws AppError email_registered, agent_registered, registration_closed, idempotency_key_reused
 */
export const createRegister =
  ({ handler, makeKey }: AccountPorts, placeOf: PlaceOf, openWallet: OpenWallet) =>
  async (
    request: {
      kind: 'email' | 'agent';
      name: string;
      displayName?: string;
      scope: Scope;
      test: boolean;
      requestHash: string;
      /** Of its mails; absent: English. */
      language?: Language | undefined;
      /** The service takes no new accounts. */
      closed?: boolean;
    },
    context: CommandContext,
  ): Promise<IssuedKey> => {
    const { kind, name, displayName, scope, test, requestHash, language, closed } = request;
    const { accountId, replaces } = await placeOf(kind, name, test);
    // The account is part of what makes the key: no two accounts ever get the same one.
    const { secrets, ...key } = makeKey(uuidv5(context.commandId, accountId), test);
    const command = {
      type: 'RegisterAccount' as const,
      accountId,
      kind,
      test,
      name,
      displayName,
      requestHash,
      language,
      closed,
      replaces,
      key: { ...key, label: 'registration', scope },
    };
    const once = { ...context, oneStream: true };
    const outcome = await handler
      .handle(accountAggregate, accountId, once, (account) => registerAccount(account, command))
      .catch((error: unknown) => {
        if (!(error instanceof AddressTaken)) throw error;
        throw new AppError(
          'conflict',
          'The e-mail address changed its account at the same time; try again.',
          { cause: error },
        );
      });
    const result = issuedKey(outcome.state, { keyId: key.keyId, secrets }, requestHash, outcome);
    // Repeated on a replay: a crash may have come between account and wallet.
    const position = await openWallet(accountId, test, context);
    return { ...result, position: position > result.position ? position : result.position };
  };
