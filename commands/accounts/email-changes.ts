/**
 * The way of an account to another address: the stream of the address is claimed first, then the account
 * changes. A claim whose account did not change ends by itself (`reserves`).
 */
import { randomUUID } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { type Account, accountAggregate } from './account.ts';
import {
  AddressTaken,
  changeEmail,
  claimAddress,
  emailChangeAsked,
  requestEmailChange,
  stopEmailChange,
} from './email-change.ts';
import type { FindAddress } from './find-address.ts';

type Ports = { handler: CommandHandler; findAddress: FindAddress; clock: Clock };

export type EmailChanges = ReturnType<typeof createEmailChanges>;

const taken = (): AppError =>
  new AppError(
    'email_registered',
    'The e-mail address belongs to another account, or belonged to one until a few days ago; use another address.',
  );

const mostTries = 5;

export const createEmailChanges = ({ handler, findAddress, clock }: Ports) => {
  const now = (): string => toTimestamp(clock());

  /** Nobody but the account can get the address once this returns. @throws AppError email_registered */
  const claim = async (
    { accountId, test }: Account,
    email: string,
    changeId: string,
  ): Promise<void> => {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const found = await findAddress(email, test, accountId);
      if (found.kind === 'account' && found.accountId === accountId) return;
      if (found.kind !== 'free') throw taken();
      const { addressId, replaces } = found;
      const wanted = { type: 'ClaimAddress' as const, addressId, holderId: accountId, changeId };
      const context = { commandId: randomUUID(), actor: `account:${accountId}` };
      try {
        await handler.handle(accountAggregate, addressId, context, (state) =>
          claimAddress(state, { ...wanted, replaces }),
        );
        return;
      } catch (error) {
        if (!(error instanceof AddressTaken)) throw error;
      }
    }
    throw taken();
  };

  const stateOf = async (accountId: string): Promise<Account> =>
    (await handler.load(accountAggregate, accountId)).state;

  /** Nothing is decided again: without a claim the account must not get an address. */
  const unchanged = (accountId: string, context: CommandContext) =>
    handler.handle(accountAggregate, accountId, context, () => []);

  return {
    /** @throws AppError email_registered, account_not_found, email_not_set, quota_exceeded */
    async request(
      accountId: string,
      { email, madeBy }: { email: string; madeBy: string },
      context: CommandContext,
    ) {
      const account = await stateOf(accountId);
      const isRepeated = emailChangeAsked(account, context.commandId) !== undefined;
      const found = await findAddress(email, account.test, accountId);
      const isOwn = found.kind === 'account' && found.accountId === accountId;
      if (!isRepeated && !isOwn && found.kind !== 'free') throw taken();
      const wanted = { changeId: context.commandId, email, madeBy, at: now() };
      return await handler.handle(accountAggregate, accountId, context, (state) =>
        requestEmailChange(state, { type: 'RequestEmailChange', ...wanted }),
      );
    },

    /**
     * The change that the account asked for, once a reader of the address says so.
     * @throws AppError email_registered, confirmation_invalid, confirmation_expired
     */
    async confirm(accountId: string, email: string, context: CommandContext) {
      const account = await stateOf(accountId);
      const changeId = account.emailChange?.changeId ?? '';
      const wanted = { type: 'ChangeEmail' as const, changeId, email, by: 'link' as const };
      // Every reason to refuse the change is found before the address is claimed.
      if (changeEmail(account, { ...wanted, at: now() }).length === 0)
        return unchanged(accountId, context);
      await claim(account, email, changeId);
      return await handler.handle(accountAggregate, accountId, context, (state) =>
        changeEmail(state, { ...wanted, at: now() }),
      );
    },

    /** By the operator, at once. @throws AppError email_registered, email_not_set, confirmation_invalid */
    async change(
      accountId: string,
      { email, final }: { email: string; final: boolean },
      context: CommandContext,
    ) {
      const changeId = context.commandId;
      // While the request is open, nobody can take the claim over.
      const asked = await this.request(accountId, { email, madeBy: 'operator' }, context);
      if (asked.state.emailChange?.changeId !== changeId) return asked;
      await claim(asked.state, email, changeId);
      const wanted = { type: 'ChangeEmail' as const, changeId, email, by: 'operator' as const };
      const done = { ...context, commandId: uuidv5(changeId, 'change') };
      return await handler.handle(accountAggregate, accountId, done, (state) =>
        changeEmail(state, { ...wanted, final, at: now() }),
      );
    },

    /**
     * Gives the account back an address that it had before. `email`: the address.
     * @throws AppError email_registered where it has another account by now, confirmation_expired
     */
    async stop(accountId: string, email: string, context: CommandContext) {
      const account = await stateOf(accountId);
      const events = stopEmailChange(account, { type: 'StopEmailChange', email, at: now() });
      if (events.length === 0) return unchanged(accountId, context);
      await claim(account, email, context.commandId);
      return await handler.handle(accountAggregate, accountId, context, (state) =>
        stopEmailChange(state, { type: 'StopEmailChange', email, at: now() }),
      );
    },
  };
};
