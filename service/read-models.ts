/** Every read model there is. */
import { accounts } from '../projections/accounts/project.ts';
import { ledger } from '../projections/ledger/project.ts';
import { letters } from '../projections/letters/project.ts';
import { mails } from '../projections/mails/project.ts';
import { notifications } from '../projections/notifications/project.ts';
import { wallets } from '../projections/wallets/project.ts';

export const projections = [accounts, letters, wallets, ledger, notifications, mails];
