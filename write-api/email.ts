/** Another e-mail address for an account, and how a reader of the one before stops the change. */

import { accountAggregate } from '../commands/accounts/account.ts';
import type { EmailTokens } from '../commands/accounts/confirmation.ts';
import { isSameEmail, registeredEmail } from '../commands/accounts/confirmation.ts';
import { emailChangeAsked } from '../commands/accounts/email-change.ts';
import type { EmailChanges } from '../commands/accounts/email-changes.ts';
import type { KeepLimits } from '../commands/guards/keep-limits.ts';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, type Caller, operation } from '../contract/operation.ts';
import type { Clock } from '../ground/clock.ts';
import { Type } from '../ground/type.ts';
import {
  ChangedEmail,
  presentChangedEmail,
  presentStoppedChange,
  StoppedChange,
} from '../presenters/email-change.ts';
import type { Recovery } from './recovery.ts';

export type EmailPorts = {
  handler: CommandHandler;
  emailChanges: Pick<EmailChanges, 'request' | 'stop'>;
  emailTokens: EmailTokens;
  /** Keyed digest of an address. */
  digestOfEmail: (email: string) => string;
  recovery: Pick<Recovery, 'mailConfigured' | 'sendLink'>;
  /** Applies at once the changes of an account's keys at a log position. */
  keysChanged: (accountId: string, position: bigint) => void;
  clock: Clock;
  keepLimits: Pick<KeepLimits, 'assertUnlimited'>;
};

/** The address outlives a credential that ends, and recovers the account. @throws AppError */
const assertMayChange = (caller: Caller): void => {
  if (caller.bounds === undefined && caller.ucan === undefined) return;
  throw new AppError(
    'scope_insufficient',
    'The e-mail address outlives a UCAN and a key that expires; change it with a key that does not end.',
  );
};

const changeEmail = (ports: EmailPorts): AnyOperation =>
  operation({
    name: 'change_email',
    method: 'POST',
    path: '/auth/email',
    tag: 'Keys',
    summary: 'Change the e-mail address of the account',
    description:
      'A mail asks the new address to confirm; its link is good for 24 hours, and a later request, a recovery and the end of the key that asked end it. With the confirmation the account is found by the new address alone, recovery links and notifications that went to the address before go to the new one, and links that were sent before end. The id of the account stays. An address before that was confirmed gets a mail whose link takes the change back for seven days; nobody can register that address for eight. At most five requests in 24 hours.',
    access: 'full',
    permit: { about: 'account' },
    idempotent: true,
    input: {
      body: Type.NamedExact('ChangeEmail', {
        email: Type.String({ format: 'email', maxLength: 254 }),
      }),
    },
    responses: { 202: { description: 'What happens next', schema: ChangedEmail } },
    errors: [
      'account_not_found',
      'email_not_set',
      'email_registered',
      'quota_exceeded',
      'policy_protected',
      'conflict',
    ],
    examples: [{ summary: 'A new address', body: { email: 'anna.new@example.com' } }],
    async handle({ body, caller, command }) {
      assertMayChange(caller);
      await ports.keepLimits.assertUnlimited(caller, 'change the e-mail address of the account');
      const wanted = { email: body.email, madeBy: caller.keyId };
      const { state, events, position } = await ports.emailChanges.request(
        caller.accountId,
        wanted,
        command,
      );
      const asked = emailChangeAsked(state, command.commandId) ?? state.emailChange;
      const pending = isSameEmail(asked?.email, body.email) ? asked : undefined;
      const { mailConfigured } = ports.recovery;
      const replayed = events.length === 0 && pending?.changeId === command.commandId;
      return { body: presentChangedEmail(body.email, pending, mailConfigured), position, replayed };
    },
  });

/** The address that a link to stop a change went to. @throws AppError confirmation_invalid */
const formerEmail = async (
  { handler, digestOfEmail }: EmailPorts,
  { accountId, digest }: { accountId: string; digest: string },
): Promise<string> => {
  const { state } = await handler.load(accountAggregate, accountId);
  const known = [registeredEmail(state), ...state.formerEmails.map(({ email }) => email)];
  const email = known.find((one) => one !== undefined && digestOfEmail(one) === digest);
  if (email !== undefined) return email;
  throw new AppError(
    'confirmation_invalid',
    'The change that this link stops was taken back already, together with an earlier one.',
  );
};

const stopChange = (ports: EmailPorts): AnyOperation =>
  operation({
    name: 'stop_email_change',
    method: 'POST',
    path: '/auth/email/stop',
    tag: 'Keys',
    summary: 'Take a change of the e-mail address back',
    description:
      'With the link that the address before got, for seven days. The account has that address again, later changes end as well, and a recovery link is sent to it: with that link you can end all keys.',
    access: 'public',
    input: {
      body: Type.NamedExact('StopEmailChange', {
        token: Type.String({ minLength: 1, maxLength: 250, description: 'As the link has it.' }),
      }),
    },
    responses: { 200: { description: 'The account has the address again', schema: StoppedChange } },
    errors: ['confirmation_invalid', 'confirmation_expired', 'email_registered', 'conflict'],
    async handle({ body, command }) {
      const grant = ports.emailTokens.read(body.token, 'stop');
      const email = await formerEmail(ports, grant);
      const { events, position } = await ports.emailChanges.stop(grant.accountId, email, command);
      ports.keysChanged(grant.accountId, position);
      if (events.length > 0) await ports.recovery.sendLink(grant.accountId);
      return { body: presentStoppedChange(grant.accountId, email), position };
    },
  });

export const emailOperations = (ports: EmailPorts): AnyOperation[] => [
  changeEmail(ports),
  stopChange(ports),
];
