/**
 * The accounts of the books. Money that came in makes the account of where it lies outside negative, so
 * that all of them together are nothing, per currency.
 */

/** Where money lies outside, by the method of its receipt. */
const outside = {
  test_grant: 'test_grants',
  operator: 'operator',
  x402: 'usdc_onchain',
  usdc_transfer: 'usdc_onchain',
  lightning: 'lightning_node',
  card: 'card_clearing',
  mech: 'mech_receivable',
} as const;

export type ReceiptMethod = keyof typeof outside;
export type OutsideAccount = (typeof outside)[ReceiptMethod];

export const outsideAccount = (method: ReceiptMethod): OutsideAccount => outside[method];

/** What reached us and is in no wallet yet. */
export const unclaimedAccount = 'unclaimed';

/** What transactions of ours cost, in wei of ETH, and the wallet that pays for them. */
export const gasAccount = 'gas';
export const gasWalletAccount = 'gas_wallet';

/**
 * What the marketplace owes for requests through the mech, and what was earned by them, in wei of xDAI. Like
 * money outside, what is owed is negative.
 */
export const mechReceivableAccount = outside.mech;
export const mechRevenueAccount = 'mech_revenue';
