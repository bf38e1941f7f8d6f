/** Policies of accounts, for the wings whose operations they limit. */
import { createKeepLimits, type KeepLimits } from '../../commands/guards/keep-limits.ts';
import { createPolicyBook, type PolicyBook } from '../../commands/guards/policy-book.ts';
import type { Foundation } from '../foundation/wing.ts';

type Parts = Pick<Foundation, 'commands' | 'authority'>;

export const policyBookOf = ({ commands: { handler }, authority: { lines } }: Parts): PolicyBook =>
  createPolicyBook({ handler, lines });

export const keepLimitsOf = (parts: Parts): KeepLimits => createKeepLimits(policyBookOf(parts));
