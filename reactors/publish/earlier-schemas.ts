/**
 * Schemas that were served for versions of events that came before the present ones; they are served for
 * ever, since messages that name them are kept.
 */

import { Type } from '../../ground/type.ts';
import { discountedPrice, earlierLetterSchemas } from './earlier-letter-schemas.ts';
import {
  amount,
  amountOrZero,
  basisPoints,
  count,
  countOrZero,
  country,
  id,
  instant,
  type Members,
} from './earlier-parts.ts';
import {
  buckets,
  carriedReservations,
  commitmentId,
  earlierWalletSchemas,
  fundsReserved,
  purpose,
} from './earlier-wallet-schemas.ts';

const bucket = Type.Literals(['crypto', 'fiat']);
const cid = Type.String({ minLength: 10, maxLength: 128 });
const network = Type.String({ pattern: '^eip155:[1-9][0-9]{0,18}$' });
const address = Type.String({ pattern: '^0x[0-9a-f]{40}$' });
const feeWei = Type.String({ pattern: '^[0-9]{1,40}$' });
const transfer = Type.Exact({ network, asset: address, amountMicro: amount });

export const earlierSchemas: Members = {
  ...earlierLetterSchemas,
  ...earlierWalletSchemas,
  'letters.account_registered.v1': Type.Exact({
    accountId: id,
    kind: Type.Literals(['email', 'agent']),
    test: Type.Boolean(),
  }),
  'letters.quotas_set.v1': Type.Exact({
    accountId: id,
    liveLettersPerDay: Type.Optional(countOrZero),
    testLettersPerDay: Type.Optional(countOrZero),
    draftsPerAccount: Type.Optional(countOrZero),
  }),
  'letters.key_created.v1': Type.Exact({
    accountId: id,
    test: Type.Boolean(),
    keyId: id,
    scope: Type.Literals(['full', 'send', 'read']),
    expiresAt: Type.Optional(instant),
    rotatedFrom: Type.Optional(id),
  }),
  'letters.funds_charged_back.v1': Type.Exact({
    receipt: Type.Exact({
      method: Type.Literals([
        'test_grant',
        'operator',
        'x402',
        'usdc_transfer',
        'lightning',
        'card',
        'mech',
      ]),
    }),
    bucket,
    amountMicro: amount,
  }),
  'letters.key_revoked.v1': Type.Exact({
    accountId: id,
    keyId: id,
    reason: Type.Literals(['revoked', 'rotated']),
  }),
  'letters.settings_changed.v1': Type.Exact({
    accountId: id,
    webhook: Type.Boolean(),
    notificationEmail: Type.Boolean(),
  }),
  'letters.settings_changed.v2': Type.Exact({
    accountId: id,
    webhook: Type.Boolean(),
    notificationEmail: Type.Boolean(),
    confirmed: Type.Optional(Type.Literal(true)),
  }),
  'letters.audit_subscribed.v1': Type.Exact({
    accountId: id,
    subscriptionId: id,
    events: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 50 })),
    letterId: Type.Optional(id),
  }),
  'letters.ucan_issued.v1': Type.Exact({
    cid,
    accountId: id,
    kind: Type.Literals(['root', 'delegation']),
    expiresAt: Type.Union([Type.Integer(), Type.Null()]),
    proofs: Type.Array(cid, { maxItems: 32 }),
  }),
  'letters.service_identity_changed.v1': Type.Exact({
    did: Type.String({ minLength: 8, maxLength: 2048, pattern: '^did:(web|key):' }),
    reason: Type.Literals(['established', 'rotated', 'revoked', 'moved']),
    keys: Type.Array(
      Type.Exact({
        keyId: id,
        purpose: Type.Literals(['credential', 'ucan', 'log', 'webhook']),
        publicKey: Type.String({ pattern: '^z6Mk[1-9A-HJ-NP-Za-km-z]{40,48}$' }),
        state: Type.Literals(['active', 'retired', 'revoked']),
        validFrom: instant,
        validUntil: Type.Optional(instant),
        trustedLogSize: Type.Optional(countOrZero),
      }),
      { minItems: 4, maxItems: 1000 },
    ),
  }),
  'letters.funds_released.v2': Type.Exact({ purpose, ...buckets }),
  'letters.funds_reserved.v2': fundsReserved({}),
  'letters.reservations_carried_forward.v2': carriedReservations({}, {}),
  'letters.payment_claimed.v1': Type.Exact({
    paymentId: id,
    network,
    asset: address,
    payTo: address,
    amountMicro: amount,
    validBefore: countOrZero,
    accountId: id,
    operation: Type.String({ maxLength: 64 }),
  }),
  'letters.payment_settled.v1': Type.Exact({
    paymentId: id,
    accountId: id,
    transfer,
    ours: Type.Boolean(),
    feeWei,
  }),
  'letters.transfer_claimed.v1': Type.Exact({ accountId: id, transfer }),
  'letters.settlement_failed.v1': Type.Exact({ payerId: id, paymentId: id, network, feeWei }),
  'letters.top_up_requested.v1': Type.Exact({
    topUpId: id,
    accountId: id,
    amountMicro: amount,
    expiresAt: instant,
  }),
  'letters.volume_contract_created.v1': Type.Exact({
    contractId: id,
    accountId: id,
    test: Type.Boolean(),
    committedUnits: count,
    period: Type.Literals(['month', 'quarter', 'year']),
    timeZone: id,
    periods: Type.Array(Type.Exact({ startsAt: instant, endsAt: instant }), {
      minItems: 1,
      maxItems: 100,
    }),
    tiers: Type.Array(
      Type.Exact({ from: count, to: Type.Union([count, Type.Null()]), basisPoints }),
      {
        minItems: 1,
        maxItems: 20,
      },
    ),
    breachTerms: Type.Exact({
      shortfall: Type.Literal('rebill_at_undiscounted_price'),
      graceDays: Type.Integer({ minimum: 0, maximum: 366 }),
    }),
  }),
  'letters.email_confirmed.v1': Type.Exact({
    accountId: id,
    address: Type.Literals(['registered', 'notifications']),
    by: Type.Literals(['link', 'recovery', 'operator']),
    keep: Type.Array(id, { maxItems: 200 }),
    endsIssued: Type.Optional(Type.Literal(true)),
  }),
  'letters.key_revoked.v2': Type.Exact({
    accountId: id,
    keyId: id,
    reason: Type.Literals(['revoked', 'rotated']),
    worksUntil: Type.Optional(instant),
  }),
  'letters.mail_attempted.v1': Type.Exact({
    mailId: id,
    accountId: id,
    kind: id,
    letterId: Type.Optional(id),
    attempt: count,
  }),
  'letters.funds_reserved.v3': fundsReserved({ commitmentId }),
  'letters.reservations_carried_forward.v3': carriedReservations({ commitmentId }, {}),
  'letters.letter_processing_started.v1': Type.Exact({
    partner: id,
    jobId: id,
    source: Type.Literals(['partner', 'carrier', 'operator', 'simulator']),
    inferred: Type.Optional(Type.Boolean()),
    reportedAt: Type.Optional(instant),
  }),
  'letters.print_job_accepted.v1': Type.Exact({ partner: id, jobId: id }),
  'letters.order_placed.v1': Type.Exact({
    orderId: id,
    accountId: id,
    letterId: id,
    amountMicro: amountOrZero,
    commissionMicro: amountOrZero,
    currency: Type.Literals(['USD', 'EUR', 'CAD']),
    amountMinor: amount,
    expiresAt: instant,
  }),
  'letters.order_credited.v1': Type.Exact({
    orderId: id,
    reason: Type.Literals(['not_sendable', 'letter_changed', 'paid_late', 'taken_back']),
  }),
  'letters.order_expired.v1': Type.Exact({ orderId: id }),
  'letters.offer_accepted.v1': Type.Exact({
    commitmentId: id,
    offerId: id,
    accountId: id,
    test: Type.Boolean(),
    tier: id,
    paymentMethod: bucket,
    intent: id,
    service: id,
    country,
    pages: count,
    color: Type.Boolean(),
    duplex: Type.Boolean(),
    quantity: count,
    price: discountedPrice,
    expiresAt: instant,
    commandId: id,
  }),
};
