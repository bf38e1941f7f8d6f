/** Schemas of earlier versions of events about wallets, reservations and policies. */

import { Type } from '../../ground/type.ts';
import {
  amountOrZero,
  contentKind,
  count,
  countOrZero,
  country,
  id,
  instant,
  type Members,
} from './earlier-parts.ts';

const quorum = Type.Literals([1, 2]);
const expiresInHours = Type.Integer({ minimum: 1, maximum: 720 });
const limit = Type.Integer({ minimum: 1, maximum: 1_000_000_000 });

const conditions = {
  countries: Type.Array(country, { minItems: 1, maxItems: 50 }),
  services: Type.Array(id, { minItems: 1, maxItems: 100 }),
  intents: Type.Array(id, { minItems: 1, maxItems: 50 }),
  contentKinds: Type.Array(contentKind, { minItems: 1, maxItems: 3 }),
};

/** The conditions of a rule, all optional. The schema was served with an empty `required`. */
const when = (members: Members) => {
  const optional = Object.entries(members).map(([name, one]) => [name, Type.Optional(one)]);
  return { ...Type.Exact(Object.fromEntries(optional)), required: [] };
};

const rules = (effects: string[], conditionsOfRule: Members) =>
  Type.Array(
    Type.Exact({
      id,
      effect: Type.Literals([...effects]),
      when: Type.Optional(when(conditionsOfRule)),
      limit: Type.Optional(
        Type.Exact({
          amountCents: Type.Optional(limit),
          letters: Type.Optional(limit),
          per: Type.Literals(['letter', 'hour', 'day', 'month', 'rolling_24h', 'total']),
        }),
      ),
      counter: Type.Optional(count),
    }),
    { minItems: 1, maxItems: 20 },
  );

const rules1 = rules(['allow', 'deny'], conditions);
const rules2 = rules(['allow', 'hold', 'deny'], { ...conditions, priceAboveCents: limit });
const rules3 = rules(['allow', 'hold', 'deny', 'alert'], {
  ...conditions,
  knownRecipient: Type.Boolean(),
  priceAboveCents: limit,
});

const approvals = Type.Optional(Type.Exact({ quorum, expiresInHours }));

const policy1 = Type.Exact({ subject: id, version: count, timeZone: id, rules: rules1 });
const policy2 = Type.Exact({ subject: id, version: count, timeZone: id, rules: rules2, approvals });

const names = Type.Array(Type.String({ minLength: 1, maxLength: 160 }), { maxItems: 400 });
const credential = Type.Exact({ own: names, line: names });

const policyChange = (removal: Members) =>
  Type.Exact({
    approvalId: id,
    subject: id,
    baseVersion: countOrZero,
    timeZone: id,
    rules: rules3,
    approvals,
    ...removal,
    commitment: Type.String({ minLength: 43, maxLength: 43 }),
    quorum,
    expiresAt: instant,
    requester: credential,
  });

const carriedChange = (removal: Members) =>
  Type.Exact({
    change: policyChange(removal),
    given: Type.Array(Type.Exact({ credential }), { maxItems: 2 }),
  });

const usage = { amountMicro: amountOrZero, letters: amountOrZero };
const counter = {
  counter: count,
  slots: Type.Array(Type.Exact({ since: amountOrZero, ...usage }), { maxItems: 30 }),
};
const alerted = Type.Optional(
  Type.Exact({ since: amountOrZero, percent: Type.Literals([50, 80, 100]) }),
);

const carriedPolicies = (policy: typeof policy1 | typeof policy2, used: Members) =>
  Type.Exact({
    changes: count,
    policy: Type.Optional(policy),
    used: Type.Array(Type.Exact(used), { maxItems: 20 }),
  });

export const purpose = Type.Exact({
  kind: Type.Literals(['letter', 'order', 'volume-contract']),
  id,
});
export const buckets = { cryptoMicro: amountOrZero, fiatMicro: amountOrZero };
const reservation = {
  attemptId: id,
  ...buckets,
  commissionCryptoMicro: amountOrZero,
  commissionFiatMicro: amountOrZero,
};
const counted = { counter: count, since: amountOrZero, ...usage };

export const commitmentId = Type.Optional(id);

export const fundsReserved = (addedMembers: Members) =>
  Type.Exact({ purpose, ...reservation, ...addedMembers });

export const carriedReservations = (addedToAttempts: Members, addedMembers: Members) =>
  Type.Exact({
    reservations: Type.Array(
      Type.Exact({
        purpose,
        attempts: Type.Array(Type.Exact({ ...reservation, ...addedToAttempts }), {
          maxItems: 1000,
        }),
        state: Type.Literals(['held', 'captured']),
        since: instant,
        ...buckets,
        ...addedMembers,
      }),
      { maxItems: 500 },
    ),
  });

const counts = Type.Optional(
  Type.Array(Type.Exact({ ...counted, attemptId: id }), { maxItems: 1000 }),
);

const held = Type.Optional(
  Type.Exact({
    needs: Type.Array(
      Type.Exact({ policy: id, rules: Type.Array(id, { minItems: 1, maxItems: 20 }), quorum }),
      { minItems: 1, maxItems: 50 },
    ),
    expiresInHours,
  }),
);

export const earlierWalletSchemas: Members = {
  'letters.policies_carried_forward.v1': carriedPolicies(policy1, counter),
  'letters.funds_reserved.v4': fundsReserved({
    commitmentId,
    counts: Type.Optional(Type.Array(Type.Exact(counted), { minItems: 1, maxItems: 500 })),
  }),
  'letters.policies_carried_forward.v2': carriedPolicies(policy1, { ...counter, alerted }),
  'letters.policy_set.v1': policy1,
  'letters.reservations_carried_forward.v4': carriedReservations({ commitmentId }, { counts }),
  'letters.policy_set.v2': policy2,
  'letters.reservations_carried_forward.v5': carriedReservations(
    { commitmentId, held },
    { counts },
  ),
  'letters.policies_carried_forward.v3': carriedPolicies(policy2, { ...counter, alerted }),
  'letters.policy_change_requested.v1': policyChange({}),
  'letters.policy_change_carried_forward.v1': carriedChange({}),
  'letters.policy_change_carried_forward.v2': carriedChange({
    isRemoval: Type.Optional(Type.Literal(true)),
  }),
};
