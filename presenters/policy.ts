/** Policies and budgets as callers read them. */

import type { Static } from 'typebox';
import { approvalHours } from '../contract/approvals.ts';
import {
  type ApproverEmails,
  contentKinds,
  limitPeriods,
  type Policy,
  type PolicyRule,
  policyLimits,
  ruleEffects,
} from '../events/policy.ts';
import { Type } from '../ground/type.ts';
import { decimalOf, microOfCents } from '../money/amounts.ts';
import { countryCodes, intents, serviceIds } from '../postal/types.ts';
import { Nullable, OneOf, Timestamp, withElsewhere } from './common.ts';

/** A list of values that is one component of the OpenAPI document. */
const named = <const T extends readonly string[]>(title: string, values: T, description?: string) =>
  Type.Unsafe<T[number]>({ ...OneOf(values, description), title });

const exact = { additionalProperties: false };

const RuleId = Type.String({
  pattern: '^[A-Za-z0-9_.-]{1,64}$',
  maxLength: 64,
  description:
    'At most 64 of A-Z, a-z, 0-9, `_`, `.` and `-`, unique within the policy; by default `rule-1`, `rule-2`, … A rule keeps what was used of its limit while its id and its period stay.',
});

export const Limit = Type.Object(
  {
    amount: Type.Optional(
      Type.Number({
        minimum: 0.01,
        maximum: 10_000_000,
        multipleOf: 0.01,
        description: 'USD, commission included.',
      }),
    ),
    letters: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    per: named(
      'LimitPeriod',
      limitPeriods,
      '`hour`, `day` and `month` are calendar periods in `time_zone`. `rolling_24h` is the last 24 hours, counted by whole hours: a letter counts for 24 to 25 hours. `total` never ends. `letter` limits the price of each letter.',
    ),
  },
  { ...exact, title: 'PolicyLimit', description: 'Either `amount` or `letters`, and a period.' },
);

const AddressText = Type.String({ minLength: 1, maxLength: 300 });

export const RecipientAddress = Type.NamedExact('RecipientAddress', {
  name: AddressText,
  company: Type.Optional(AddressText),
  line1: AddressText,
  line2: Type.Optional(AddressText),
  city: AddressText,
  state: Type.Optional(AddressText),
  postal_code: AddressText,
  country: OneOf(countryCodes),
});

export type RecipientAddress = Static<typeof RecipientAddress>;

const Digest = Type.String({
  pattern: '^[A-Za-z0-9_-]{43}$',
  maxLength: 43,
  description: 'The digest of a recipient, as answers show it: 43 characters.',
});

const listOf = <T extends Parameters<typeof Type.Array>[0]>(item: T, maxItems: number) =>
  Type.Optional(Type.Array(item, { minItems: 1, maxItems, uniqueItems: true }));

const knownText =
  'True: recipients of an earlier letter of the account, by name and address, whose production began and whose personal data are not erased. False: all others. An allow rule takes true, hold and deny rules take false, an alert rule takes either.';

const criteria = {
  countries: listOf(OneOf(countryCodes), countryCodes.length),
  services: listOf(OneOf(serviceIds), serviceIds.length),
  intents: listOf(OneOf(intents), intents.length),
  content_types: listOf(named('ContentKind', contentKinds), contentKinds.length),
  known_recipient: Type.Optional(Type.Boolean({ description: knownText })),
  price_above: Type.Optional(
    Type.Number({
      minimum: 0.01,
      maximum: 10_000_000,
      multipleOf: 0.01,
      description: 'The letter costs more than this. USD, commission included.',
    }),
  ),
};

const recipients = (item: Parameters<typeof Type.Array>[0]) =>
  Type.Optional(
    Type.Array(item, {
      minItems: 1,
      maxItems: policyLimits.recipients,
      description:
        'Name and address of each recipient. Only a keyed digest of each is stored; an answer shows the digests, and they can be sent again.',
    }),
  );

const ruleOf = (when: Parameters<typeof Type.Optional>[0]) => ({
  effect: named(
    'RuleEffect',
    ruleEffects,
    '`allow`: letters that match are allowed, within the limit. `hold`: letters that match and are allowed wait for approval. `deny`: letters that match are denied, whatever other rules say. `alert`: letters that match, or that reach 50, 80 or 100 % of the limit, send a notification.',
  ),
  when: Type.Optional(when),
  limit: Type.Optional(Limit),
});

const whenText =
  'The letters that the rule is about: each member names values of which the letter has one. Absent: all letters.';

const whenFields = `The fields of when are ${Object.keys(criteria).join(', ')} and recipients.`;

const WantedWhen = withElsewhere(
  Type.Object(
    { ...criteria, recipients: recipients(Type.Union([RecipientAddress, Digest])) },
    { ...exact, minProperties: 1, description: whenText },
  ),
  'all',
  whenFields,
);

const When = Type.Object(
  { ...criteria, recipients: Type.Optional(Type.Array(Digest)) },
  { ...exact, description: whenText },
);

const TimeZone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'IANA name. Calendar periods begin in this zone.',
});

const WantedTimeZone = Type.String({
  minLength: 1,
  maxLength: 64,
  description:
    'IANA name. Calendar periods begin in this zone. Default: the zone of the policy before, otherwise that of the policy of the account, otherwise UTC.',
});

const WantedRule = withElsewhere(
  Type.Exact({ id: Type.Optional(RuleId), ...ruleOf(WantedWhen) }),
  'all',
  `The fields of a rule are id, effect, when and limit. ${whenFields} Those of limit are amount or letters, and per.`,
);

const WantedApprover = Type.Unsafe<string>(
  Type.Union([
    Type.String({ format: 'email', maxLength: 254 }),
    Type.String({
      pattern: '^key_[0-9a-f]{32}$',
      maxLength: 36,
      description: 'The id of a key: key_ and 32 characters 0 to 9 and a to f.',
    }),
  ]),
);

const approvalsOf = (approver: typeof WantedApprover, title: string) =>
  Type.Object(
    {
      quorum: Type.Optional(
        Type.Unsafe<1 | 2>({
          type: 'integer',
          enum: [1, 2],
          description: 'How many approvers must approve a letter. Default: 1.',
        }),
      ),
      approvers: Type.Optional(
        Type.Array(approver, {
          maxItems: policyLimits.approvers,
          description:
            'E-mail addresses and ids of keys. Empty: any key with scope full and without a policy, and the confirmed address of the account.',
        }),
      ),
      expires_in_hours: Type.Optional(
        Type.Integer({
          minimum: approvalHours.least,
          maximum: approvalHours.most,
          description: `How long a letter waits. Default: ${approvalHours.usual}.`,
        }),
      ),
    },
    {
      ...exact,
      title,
      description:
        'The approvers of letters that hold rules match. No credential approves a letter that it sent, nor one of a credential that it comes from or that comes from it.',
    },
  );

const WantedApprovals = approvalsOf(WantedApprover, 'SetPolicyApprovals');
/** An address that was erased is shown by its digest. */
const Approvals = approvalsOf(Type.Unsafe<string>(Type.String()), 'PolicyApprovals');

export const WantedPolicyBody = Type.NamedExact('SetPolicy', {
  approvals: Type.Optional(WantedApprovals),
  time_zone: Type.Optional(WantedTimeZone),
  request_approval: Type.Optional(
    Type.Boolean({
      description:
        'Ask for an approval where the caller cannot make the change: 202. Otherwise such a change answers 403.',
    }),
  ),
  rules: Type.Array(WantedRule, {
    minItems: 1,
    maxItems: policyLimits.rules,
    // Some 2,000 usual addresses.
    'x-max-bytes': 512 * 1024,
    'x-max-values': 20_000 - 10,
  }),
});

export type WantedPolicyBody = {
  approvals?: Static<typeof WantedApprovals>;
  time_zone?: string;
  request_approval?: boolean;
  rules: (Omit<PresentedRule, 'id' | 'when'> & {
    id?: string;
    when?: Omit<NonNullable<PresentedRule['when']>, 'recipients'> & {
      recipients?: (RecipientAddress | string)[];
    };
  })[];
};

const Rule = Type.Exact({ id: RuleId, ...ruleOf(When) });

export type PresentedWhen = {
  countries?: string[];
  services?: string[];
  intents?: string[];
  content_types?: string[];
  recipients?: string[];
  known_recipient?: boolean;
  price_above?: number;
};

type PresentedRule = {
  id: string;
  effect: PolicyRule['effect'];
  when?: PresentedWhen;
  limit?: Static<typeof Limit>;
};

export const PolicyAnswer = Type.Named('Policy', {
  policy: Type.String({
    description:
      '`account`, the id of the key, or `ucan:<cid>`. A key that replaces another keeps the policy of the first one, under its id.',
  }),
  version: Type.Integer({ description: 'Send it as `If-Match` to change this version only.' }),
  time_zone: TimeZone,
  rules: Type.Array(Rule),
  approvals: Type.Optional(Approvals),
});

export const RemovedPolicy = Type.Object({ policy: Type.String(), deleted: Type.Literal(true) });

export const presentLimit = ({ amountCents, letters, per }: NonNullable<PolicyRule['limit']>) => ({
  ...(amountCents === undefined ? {} : { amount: decimalOf(microOfCents(amountCents)) }),
  ...(letters === undefined ? {} : { letters }),
  per,
});

const presentWhen = ({
  contentKinds: content_types,
  knownRecipient: known_recipient,
  priceAboveCents,
  ...when
}: NonNullable<PolicyRule['when']>) => ({
  ...when,
  ...(content_types === undefined ? {} : { content_types }),
  ...(known_recipient === undefined ? {} : { known_recipient }),
  ...(priceAboveCents === undefined
    ? {}
    : { price_above: decimalOf(microOfCents(priceAboveCents)) }),
});

const presentApprovals = (
  { quorum, approvers, expiresInHours }: NonNullable<Policy['approvals']>,
  emails: ApproverEmails,
): Static<typeof Approvals> => ({
  quorum,
  approvers: approvers.map((approver) => emails[approver] ?? approver),
  expires_in_hours: expiresInHours,
});

export const presentPolicy = (
  { subject, version, timeZone, rules, approvals }: Policy,
  emails: ApproverEmails = {},
) => ({
  policy: subject,
  version,
  time_zone: timeZone,
  rules: rules.map(({ id, effect, when, limit }) => ({
    id,
    effect,
    ...(when ? { when: presentWhen(when) } : {}),
    ...(limit ? { limit: presentLimit(limit) } : {}),
  })),
  ...(approvals ? { approvals: presentApprovals(approvals, emails) } : {}),
});

/** The effects of rules that have limits. */
const limitedEffects = ['allow', 'alert'] as const;

const Quantity = Type.Number({ description: 'USD for a limit of money; otherwise letters.' });

export const Budgets = Type.Named('Budgets', {
  data: Type.Array(
    Type.Object({
      policy: Type.String({ description: '`account`, the id of a key, or `ucan:<cid>`.' }),
      rule: Type.String(),
      effect: OneOf(
        limitedEffects,
        '`allow`: letters beyond the limit are denied. `alert`: the limit only sends notifications, and letters beyond it are allowed.',
      ),
      limit: Limit,
      time_zone: TimeZone,
      used: Type.Number({
        description:
          'Of letters whose production began, and of letters that were cancelled where the limit counts letters. USD or letters.',
      }),
      reserved: Type.Number({
        description: 'Of letters that wait for their production. USD or letters.',
      }),
      remaining: Quantity,
      resets_at: Nullable({
        ...Timestamp,
        description:
          'When the period ends; for `rolling_24h`, when the oldest hour stops counting. Null: never, or nothing is used.',
      } as typeof Timestamp),
    }),
  ),
});

type Budget = {
  policy: string;
  rule: string;
  effect: PolicyRule['effect'];
  limit: NonNullable<PolicyRule['limit']>;
  timeZone: string;
  used: number;
  reserved: number;
  remaining: number;
  resetsAt: number | undefined;
};

export const presentBudget = ({ effect, limit, timeZone, resetsAt, ...budget }: Budget) => ({
  ...budget,
  effect: effect === 'alert' ? ('alert' as const) : ('allow' as const),
  limit: presentLimit(limit),
  time_zone: timeZone,
  resets_at: resetsAt === undefined ? null : new Date(resetsAt).toISOString(),
});
