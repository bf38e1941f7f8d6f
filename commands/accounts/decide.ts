import type { AccountEvent } from '../../events/account.ts';
import type { Account } from './account.ts';
import {
  type DisableAuditWebhook,
  disableAuditWebhook,
  type SubscribeAudit,
  subscribeAudit,
  type UnsubscribeAudit,
  unsubscribeAudit,
} from './audit-webhooks.ts';
import {
  type CreateKey,
  createKey,
  type RevokeKey,
  type RotateKey,
  revokeKey,
  rotateKey,
} from './keys.ts';
import { type RegisterAccount, registerAccount } from './registration.ts';
import {
  type ChangeSettings,
  changeSettings,
  type DisableWebhook,
  disableWebhook,
} from './settings.ts';

export type AccountCommand =
  | RegisterAccount
  | CreateKey
  | RevokeKey
  | RotateKey
  | ChangeSettings
  | DisableWebhook
  | SubscribeAudit
  | UnsubscribeAudit
  | DisableAuditWebhook;

export const decide = (state: Account, command: AccountCommand): AccountEvent[] => {
  switch (command.type) {
    case 'RegisterAccount':
      return registerAccount(state, command);
    case 'CreateKey':
      return createKey(state, command);
    case 'RevokeKey':
      return revokeKey(state, command);
    case 'RotateKey':
      return rotateKey(state, command);
    case 'ChangeSettings':
      return changeSettings(state, command);
    case 'DisableWebhook':
      return disableWebhook(state, command);
    case 'SubscribeAudit':
      return subscribeAudit(state, command);
    case 'UnsubscribeAudit':
      return unsubscribeAudit(state, command);
    case 'DisableAuditWebhook':
      return disableAuditWebhook(state, command);
    default: {
      const unknown: never = command;
      return unknown;
    }
  }
};
