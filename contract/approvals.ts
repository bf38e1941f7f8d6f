/** Limits and names of approvals that requests and events share. */

/** How long letters can wait for an approval. */
export const approvalHours = { least: 1, usual: 72, most: 720 };

/** The prefix of an approver that is known by an e-mail address, before the keyed digest of the address. */
export const emailApproverPrefix = 'email:';
