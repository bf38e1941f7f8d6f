/** Reasons why an account cannot be erased yet. */
export const blockerCodes = [
  'letters_under_way',
  'approvals_pending',
  'payments_pending',
  'dispute_open',
  'contract_active',
  'balance_left',
  'balance_owed',
] as const;

export type BlockerCode = (typeof blockerCodes)[number];
