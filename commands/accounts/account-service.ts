/** Everything that can be done with an account. */

import { toTimestamp } from '../../ground/clock.ts';
import type { Language } from '../../postal/stationery.ts';
import type { CommandContext } from '../handling/fold.ts';
import { type Account, accountAggregate } from './account.ts';
import { createCredit, createOpenWallet } from './account-money.ts';
import { createAccountNames } from './account-names.ts';
import type { AccountPorts } from './account-ports.ts';
import {
  type ConfirmEmail,
  confirmEmail,
  isNotificationEmailConfirmed,
  settingsEnded,
} from './confirmation.ts';
import { createEmailChanges } from './email-changes.ts';
import { createMakeKey, createRecover, createRevokeKey, createRotateKey } from './issue-keys.ts';
import { createPoliciesBeforeProof, type PoliciesBeforeProof } from './policies-before-proof.ts';
import { createRegister } from './register-account.ts';
import { changeSettings, settingsRequest } from './settings.ts';
import { type Setting, settingsOf } from './settings-before-proof.ts';
import { createSignInKeys } from './sign-in-keys.ts';

/** Whether a notification address that is not confirmed is set again as it is. */
const asksAgain = (account: Account, wanted: string | null | undefined): boolean =>
  wanted !== undefined &&
  wanted === account.settings.notificationEmail &&
  !isNotificationEmailConfirmed(account);

/** Returns the settings after the change, and whether it gave the webhook a new secret. */
const createChangeSettings =
  (ports: AccountPorts) =>
  async (
    accountId: string,
    change: {
      webhookUrl?: string | null;
      notificationEmail?: string | null;
      language?: Language | undefined;
      rotateSecret?: boolean;
      madeBy?: string;
      newSecret: string;
      previousSecretUntil: string;
    },
    context: CommandContext & { requestHash: string },
  ) => {
    const { commandId, requestHash, repeatable } = context;
    const request = repeatable ? { commandId, requestHash } : undefined;
    const outcome = await ports.handler.handle(accountAggregate, accountId, context, (account) =>
      changeSettings(account, {
        type: 'ChangeSettings',
        ...change,
        asksAgain: asksAgain(account, change.notificationEmail),
        request,
        at: toTimestamp(ports.clock()),
      }),
    );
    const { state, events, position } = outcome;
    const made = settingsRequest(state, request);
    const { settings, language } = made ?? state;
    return {
      settings,
      language,
      emailConfirmed: isNotificationEmailConfirmed({ ...state, settings }),
      newSecret: made?.newSecret ?? settings.webhookSecret === change.newSecret,
      position,
      replayed: made !== undefined && events.length === 0,
      at: made?.at,
    };
  };

/** @throws AppError confirmation_invalid, key_not_found */
const createConfirmEmail =
  ({ decideWithPolicies }: PoliciesBeforeProof) =>
  (accountId: string, wanted: Omit<ConfirmEmail, 'type' | 'policies'>, context: CommandContext) =>
    decideWithPolicies(
      accountId,
      {
        decide: (account, policies) =>
          confirmEmail(account, { type: 'ConfirmEmail', ...wanted, policies }),
        ends: (_, policies) =>
          wanted.address === 'registered' ? settingsEnded(policies, wanted) : [],
      },
      context,
    );

export type AccountService = ReturnType<typeof createAccountService>;

export const createAccountService = (ports: AccountPorts) => {
  const { handler, clock } = ports;
  const names = createAccountNames(ports);
  const openWallet = createOpenWallet(ports);
  const policies = createPoliciesBeforeProof(ports);
  return {
    ...names,
    openWallet,
    register: createRegister(ports, names.placeOf, openWallet),
    emailChanges: createEmailChanges({ handler, clock, findAddress: names.findAddress }),
    recover: createRecover(ports, policies),
    confirmEmail: createConfirmEmail(policies),
    /** All settings that are set, including policies. */
    settingsOf: async (account: Account): Promise<Setting[]> => [
      ...settingsOf(account),
      ...(await policies.policiesOf(account)),
    ],
    createKey: createMakeKey(ports),
    signInKeys: createSignInKeys(ports),
    revokeKey: createRevokeKey(ports),
    rotateKey: createRotateKey(ports),
    changeSettings: createChangeSettings(ports),
    credit: createCredit(ports),
  };
};
