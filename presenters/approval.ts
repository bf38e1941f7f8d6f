/** The answer to a send that waits for approval. */
import Type, { type Static } from 'typebox';
import type { ApprovalNeed } from '../events/policy.ts';
import { Timestamp } from './common.ts';
import { presentSent, type SentView } from './letter.ts';
import { SentLetter } from './letter-schemas.ts';

/** An approval that is asked for. */
export type AskedApproval = {
  approvalId: string;
  expiresAt: string;
  needs: readonly ApprovalNeed[];
};

const Reasons = Type.Array(
  Type.Object(
    {
      policy: Type.String({ description: '`account`, the id of a key, or `ucan:<cid>`.' }),
      rule: Type.String(),
    },
    { title: 'ApprovalReason' },
  ),
  { description: 'The rules that hold the letter.' },
);

export const presentReasons = (needs: readonly ApprovalNeed[]): Static<typeof Reasons> =>
  needs.flatMap(({ policy, rules }) => rules.map((rule) => ({ policy, rule })));

export const HeldLetter = Type.Object(
  {
    ...SentLetter.properties,
    approval_id: Type.String({ format: 'uuid', maxLength: 36 }),
    approval_url: Type.String({
      format: 'uri',
      description:
        'A page that shows the letter and its price to an approver. The address alone decides nothing.',
    }),
    expires_at: Timestamp,
    reasons: Reasons,
  },
  { title: 'HeldLetter' },
);

/** The rules that let a letter wait, in words. */
const rulesInWords = (needs: readonly ApprovalNeed[]): string =>
  presentReasons(needs)
    .map(({ rule }) => rule)
    .join(', ');

export const presentHeld = (
  sent: SentView,
  { approvalId, expiresAt, needs }: AskedApproval,
  approvalUrl: string,
): Static<typeof HeldLetter> => ({
  ...presentSent(sent),
  message: `The letter waits for approval until ${expiresAt} (${rulesInWords(needs)}). Its money is reserved, and it is sent once it is approved.`,
  approval_id: approvalId,
  approval_url: approvalUrl,
  expires_at: expiresAt,
  reasons: presentReasons(needs),
});
