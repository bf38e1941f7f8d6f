/** A change of an account's e-mail address, as callers see it. */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import { Nullable, Timestamp } from './common.ts';

export const ChangedEmail = Type.Named('ChangedEmail', {
  email: Type.String({ description: 'The address that was asked for.' }),
  confirmed: Type.Boolean({ description: 'True: it is the address of the account already.' }),
  expires_at: Nullable(Timestamp),
  message: Type.String(),
});

export const StoppedChange = Type.Named('StoppedEmailChange', {
  account_id: Type.String(),
  email: Type.String({ description: 'The address that the account has again.' }),
  message: Type.String(),
});

const messages = {
  confirmed: 'The account has this address already.',
  sent: 'A mail asks the address to confirm. Until then the account keeps its address.',
  noMail: 'This service sends no mails: ask its operator to change the address.',
};

export const presentChangedEmail = (
  email: string,
  pending: { expiresAt: string } | undefined,
  mailConfigured: boolean,
): Static<typeof ChangedEmail> => ({
  email,
  confirmed: pending === undefined,
  expires_at: pending?.expiresAt ?? null,
  message: messages[pending === undefined ? 'confirmed' : mailConfigured ? 'sent' : 'noMail'],
});

export const presentStoppedChange = (
  accountId: string,
  email: string,
): Static<typeof StoppedChange> => ({
  account_id: accountId,
  email,
  message:
    'The account has this address again. A recovery link is on its way to it: with it you can end all keys.',
});
