/**
 * Guards: policies that limit what the keys of an account send, remaining budgets, freezing, and approvals.
 */
import { createPolicyChanges } from '../../commands/guards/change-book.ts';
import { createFreezes } from '../../commands/guards/freezes.ts';
import { findApproval } from '../../commands/letters/approval.ts';
import { letterAggregate } from '../../commands/letters/letter.ts';
import { isAnyRevoked } from '../../commands/ucans/was-revoked.ts';
import { createRecipientIndex } from '../../infra/guards/recipient-index.ts';
import { approvals as approvalRows } from '../../projections/approvals/project.ts';
import {
  type ApprovalRecord,
  approvalById,
  approvalsDue,
  approvalsOf,
  approvalsOfOwnLetter,
} from '../../projections/approvals/query.ts';
import { freezes as freezeRows } from '../../projections/freezes/project.ts';
import { createExpireApprovals } from '../../reactors/expire-approvals.ts';
import { createNoteRecipients } from '../../reactors/note-recipients.ts';
import { approvalPageHeaders, approvalPageOperations } from '../../read-api/approval-page.ts';
import { approvalFormOperation } from '../../write-api/guards/approval-form.ts';
import { approvalOperations } from '../../write-api/guards/approvals.ts';
import { budgetsOperation } from '../../write-api/guards/budgets.ts';
import { freezeOperations } from '../../write-api/guards/freeze.ts';
import { policyOperations } from '../../write-api/guards/policies.ts';
import { policyChangeOperations } from '../../write-api/guards/policy-changes.ts';
import type { Chore } from '../foundation/chores.ts';
import type { Site, Wing } from '../foundation/wing.ts';
import { approvalLinksOf, approvalPageIn, approvalUrlIn } from './approval-page.ts';
import { expectedReleaseOf } from './letters.ts';
import { pageServiceOf } from './page-service.ts';
import { policyBookOf } from './policies.ts';
import { ucanRevokerOf } from './ucans.ts';

/** Ends approvals whose time is over. */
const expiring = ({ commands: { handler }, clock, storage: { readDb } }: Site): Chore => ({
  what: 'ending approvals whose time is over',
  everyMs: 10_000,
  work: createExpireApprovals({
    handler,
    clock,
    approvalsDue: (...page) => approvalsDue(readDb, ...page),
  }),
});

const reasonOf = async (
  { commands: { handler } }: Site,
  { letterId, approvalId }: ApprovalRecord,
): Promise<string | undefined> => {
  const { state } = await handler.load(letterAggregate, letterId);
  return state.status === 'none' ? undefined : findApproval(state, approvalId)?.reason;
};

const approvalPages = (site: Site) =>
  approvalPageOperations({
    ...site.shared.letterReader,
    preview: site.shared.documentTools.preview,
    expectedRelease: expectedReleaseOf(site),
    links: approvalLinksOf(site),
    service: pageServiceOf(site),
    clock: site.clock,
  });

export const guards: Wing = {
  name: 'guards',
  projections: [freezeRows, approvalRows],
  open: (site) => ({
    write() {
      const { handler } = site.commands;
      const { lines, frozen } = site.authority;
      const policies = policyBookOf(site);
      const changes = createPolicyChanges({ handler, isAnyRevoked });
      const revoker = ucanRevokerOf(site);
      const approvalUrl = approvalUrlIn(site);
      const freezes = createFreezes({ handler, changed: frozen.change });
      const { limits } = site.config;
      const { readDb } = site.storage;
      return [
        ...policyOperations({
          policies,
          changes,
          lines,
          indexOf: site.keys.indexOf,
          revoker,
          clock: site.clock,
          approvalUrl,
        }),
        ...policyChangeOperations({ changes, lines, approvalUrl }),
        budgetsOperation({ policies }),
        ...freezeOperations({ freezes, lines, revoker, limits }),
        ...approvalOperations({
          decisions: site.shared.letters.approvals,
          lines,
          limits,
          reasonOf: (approval) => reasonOf(site, approval),
          find: (accountId, approvalId) => approvalById(readDb, accountId, approvalId),
          list: (accountId, { letterId, ...page }) =>
            letterId === undefined
              ? approvalsOf(readDb, accountId, page)
              : approvalsOfOwnLetter(readDb, accountId, letterId, page),
        }),
        approvalFormOperation({
          decisions: { letter: site.shared.letters.approvals, policy_change: changes },
          links: approvalLinksOf(site),
          pageOf: approvalPageIn(site),
          pageHeaders: approvalPageHeaders,
        }),
      ];
    },
    read: () => approvalPages(site),
    react: () => ({
      reactors: [
        createNoteRecipients({
          letter: site.shared.lettersAtHand.load,
          indexOf: site.keys.indexOf,
          index: createRecipientIndex(site.storage.readDb),
        }),
      ],
      chores: [expiring(site)],
    }),
  }),
};
