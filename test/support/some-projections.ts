import { accounts } from '../../projections/accounts/project.ts';
import { ledger } from '../../projections/ledger/project.ts';
import { letters } from '../../projections/letters/project.ts';
import { notifications } from '../../projections/notifications/project.ts';
import { wallets } from '../../projections/wallets/project.ts';

export const projections = [accounts, letters, ledger, notifications, wallets];

/** The same as a later version of the program has them, for which the rows must be made anew. */
export const nextVersion = projections.map((projection) => ({
  ...projection,
  version: projection.version + 1,
}));
