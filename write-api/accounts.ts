import type { AnyOperation } from '../contract/operation.ts';
import { type ConfirmPorts, confirmOperations } from './confirm.ts';
import { type EmailPorts, emailOperations } from './email.ts';
import { type KeyPorts, keyOperations } from './keys.ts';
import { type RecoveryPorts, recoveryOperation } from './recovery.ts';
import { type RegisterPorts, registerOperations } from './register.ts';
import { type SettingsPorts, settingsOperation } from './settings.ts';

type AccountPorts = RegisterPorts &
  RecoveryPorts &
  ConfirmPorts &
  EmailPorts &
  KeyPorts &
  SettingsPorts;

/** Accounts, their keys and their settings, one file each. */
export const accountOperations = (ports: AccountPorts): AnyOperation[] => [
  ...registerOperations(ports),
  recoveryOperation(ports),
  ...confirmOperations(ports),
  ...emailOperations(ports),
  ...keyOperations(ports),
  settingsOperation(ports),
];
