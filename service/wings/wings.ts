/** The wings of the house. A new one is one line here; callers are asked who they are in this order. */
import type { Projection } from '../../projections/projection.ts';
import type { Wing } from '../foundation/wing.ts';
import { accounts } from './accounts.ts';
import { agents } from './agents.ts';
import { closures } from './closures.ts';
import { consoleWing } from './console.ts';
import { evaluation } from './evaluation.ts';
import { exports } from './exports.ts';
import { general } from './general.ts';
import { guards } from './guards.ts';
import { identity } from './identity.ts';
import { letters } from './letters.ts';
import { logos } from './logos.ts';
import { mails } from './mails.ts';
import { mech } from './mech.ts';
import { metadata } from './metadata.ts';
import { negotiation } from './negotiation.ts';
import { operatorConsole } from './operator-console.ts';
import { payments } from './payments.ts';
import { publishing } from './publishing.ts';
import { reference } from './reference.ts';
import { tracking } from './tracking.ts';
import { ucans } from './ucans.ts';
import { wallets } from './wallets.ts';
import { webhooks } from './webhooks.ts';

export const wings: readonly Wing[] = [
  ucans,
  accounts,
  closures,
  exports,
  letters,
  tracking,
  logos,
  wallets,
  guards,
  payments,
  negotiation,
  webhooks,
  mails,
  identity,
  publishing,
  general,
  agents,
  operatorConsole,
  consoleWing,
  metadata,
  reference,
  evaluation,
  mech,
];

export const projectionsOf = (some: readonly Wing[]): Projection[] =>
  some.flatMap(({ projections }) => projections ?? []);

/** Every read model there is. */
export const projections = projectionsOf(wings);
