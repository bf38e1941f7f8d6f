/** Approvers that are known by an e-mail address. */
import { emailApproverPrefix } from '../../contract/approvals.ts';

type Digest = (kind: string, value: string) => string;

/** The approver that an address stands for in the policies of an account. */
export const emailApprover = (indexOf: Digest, accountId: string, email: string): string =>
  `${emailApproverPrefix}${indexOf('approver', `${accountId}\n${email.trim().toLowerCase()}`)}`;
