/**
 * The request headers that carry an x402 payment, in the order in which they are looked at, as Node writes names. All
 * of them take both versions of the protocol.
 */
export const paymentHeaders = ['payment-signature', 'x-payment-signature', 'x-payment'] as const;
