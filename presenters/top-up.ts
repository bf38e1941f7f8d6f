/** A top-up as its owner sees it. */

import type { Static } from 'typebox';
import { chargeCurrencies } from '../contract/charge-currency.ts';
import type { TopUpTerms } from '../events/top-up.ts';
import { Type } from '../ground/type.ts';
import { decimalOf, type MicroUsd } from '../money/amounts.ts';
import { topUpStatuses } from '../projections/top-ups/query.ts';
import { Nullable, OneOf, Timestamp } from './common.ts';

export const TopUpStatus = OneOf(topUpStatuses);

export const TopUpAnswer = Type.Named('TopUp', {
  topup_id: Type.String(),
  method: OneOf(['usdc', 'lightning', 'card']),
  amount: Type.Number({ description: 'The requested amount, USD.' }),
  currency: Type.Literal('USD'),
  status: TopUpStatus,
  credited: Nullable(Type.Number({ description: 'The amount credited to the wallet, USD.' })),
  expires_at: Timestamp,
  transfer: Type.Optional(
    Type.Object(
      {
        network: Type.String({ description: 'CAIP-2' }),
        asset: Type.String(),
        pay_to: Type.String(),
        amount: Type.Number({
          description: 'USDC; send exactly this amount, because it identifies the transfer.',
        }),
        amount_atomic: Type.String({ description: 'The same in millionths.' }),
        from_address: Type.Optional(
          Type.String({
            description: 'The wallet in the request; only a transfer from it counts.',
          }),
        ),
      },
      { description: 'usdc: a transfer from any wallet, or from the wallet in the request.' },
    ),
  ),
  x402: Type.Optional(
    Type.Unknown({
      description: 'usdc: payment requirements, to pay on a retry of this request.',
    }),
  ),
  invoice: Type.Optional(Type.String({ description: 'lightning: BOLT11.' })),
  payment_hash: Type.Optional(Type.String()),
  amount_sats: Type.Optional(Type.Integer()),
  rate: Type.Optional(Type.Object({ value: Type.String(), source: Type.String(), at: Timestamp })),
  checkout_url: Type.Optional(
    Type.String({ description: 'card: the page to pay on, while the top-up is pending.' }),
  ),
  charged: Type.Optional(Type.Object({ amount: Type.Number(), currency: OneOf(chargeCurrencies) })),
  taken_back: Type.Optional(
    Type.Number({
      description: 'card: the part of `credited` that was refunded or disputed afterwards, USD.',
    }),
  ),
});

/** A top-up as it stands. `handed`: the payment instructions, an invoice or the address of a checkout. */
export type TopUpView = {
  asked: {
    topUpId: string;
    amountMicro: number;
    terms: TopUpTerms;
    expiresAt: string;
    handed: string;
    sender?: string | undefined;
  };
} & ({ status: 'pending' | 'expired' } | { status: 'paid'; creditedMicro: MicroUsd });

/** The part of the answer that depends on the way to pay. */
const partOf = (
  { asked: { terms, handed, sender }, status }: TopUpView,
  takenBackMicro: MicroUsd,
): Partial<Static<typeof TopUpAnswer>> => {
  switch (terms.method) {
    case 'usdc': {
      const { network, asset, payTo, transferMicro } = terms;
      const amount = decimalOf(BigInt(transferMicro));
      const transfer = { network, asset, pay_to: payTo, amount };
      const from = sender === undefined ? {} : { from_address: sender };
      return { transfer: { ...transfer, amount_atomic: String(transferMicro), ...from } };
    }
    case 'lightning': {
      const { paymentHash, amountSat, rate } = terms;
      return { invoice: handed, payment_hash: paymentHash, amount_sats: amountSat, rate };
    }
    case 'card': {
      const { currency, amountMinor, rate } = terms;
      return {
        ...(status === 'pending' ? { checkout_url: handed } : {}),
        charged: { amount: amountMinor / 100, currency },
        ...(rate ? { rate } : {}),
        taken_back: decimalOf(takenBackMicro),
      };
    }
    default: {
      const unknown: never = terms;
      return unknown;
    }
  }
};

/** `takenBackMicro`: of a card payment, refunded or disputed. */
export const presentTopUp = (
  topUp: TopUpView,
  takenBackMicro: MicroUsd = 0n,
): Static<typeof TopUpAnswer> => ({
  topup_id: topUp.asked.topUpId,
  method: topUp.asked.terms.method,
  amount: decimalOf(BigInt(topUp.asked.amountMicro)),
  currency: 'USD',
  status: topUp.status,
  credited: topUp.status === 'paid' ? decimalOf(topUp.creditedMicro) : null,
  expires_at: topUp.asked.expiresAt,
  ...partOf(topUp, takenBackMicro),
});
