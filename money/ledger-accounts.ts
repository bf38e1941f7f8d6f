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

/** Money received that is not in a wallet yet. */
export const unclaimedAccount = 'unclaimed';

/** Gas costs of the service's own transactions, in wei of ETH, and the wallet that pays for them. */
export const gasAccount = 'gas';
export const gasWalletAccount = 'gas_wallet';

/**
 * The marketplace's debt for requests through the mech, and the revenue from them, in wei of xDAI. The debt
 * is negative, like money outside.
 */
export const mechReceivableAccount = outside.mech;
export const mechRevenueAccount = 'mech_revenue';
