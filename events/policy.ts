/**
 * A policy of an account or a key, as the events of its wallet keep it (events/wallet.ts).
 *
 * Persisted contract: see events/letter.ts.
 */
import type { Static } from 'typebox';
import { approvalHours } from '../contract/approvals.ts';
import { Type } from '../ground/type.ts';

const Code = Type.String({ minLength: 1, maxLength: 64 });
const list = <T extends Parameters<typeof Type.Array>[0]>(item: T, maxItems: number) =>
  Type.Optional(Type.Array(item, { minItems: 1, maxItems }));

/** How many rules and approvers a policy has at most, policies an account, and recipients a rule. */
export const policyLimits = { rules: 20, policies: 50, recipients: 200, approvers: 10 };

/** A calendar window in the policy's time zone, the last 24 hours, or all time. `letter`: each letter. */
export const limitPeriods = ['letter', 'hour', 'day', 'month', 'rolling_24h', 'total'] as const;
export type LimitPeriod = (typeof limitPeriods)[number];

export const ruleEffects = ['allow', 'hold', 'deny', 'alert'] as const;

export const contentKinds = ['text', 'html', 'pdf'] as const;
export type ContentKind = (typeof contentKinds)[number];

/** The letters that a rule is about: those that have one of the values of each member. Absent: all. */
const Match = Type.Exact({
  countries: list(Type.String({ minLength: 2, maxLength: 2 }), 50),
  services: list(Code, 100),
  intents: list(Code, 50),
  contentKinds: list(Type.Literals(contentKinds), contentKinds.length),
  /** Keyed HMACs of name and address. */
  recipients: list(Type.String({ minLength: 22, maxLength: 44 }), policyLimits.recipients),
  /** Whether production of an earlier letter of the account to the same name and address began. */
  knownRecipient: Type.Optional(Type.Boolean()),
  /** The letter costs more than this in all. */
  priceAboveCents: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
});

/** Exactly one of `amountCents` and `letters`. */
const Limit = Type.Exact({
  amountCents: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
  letters: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
  per: Type.Literals(limitPeriods),
});

const Rule = Type.Exact({
  id: Code,
  effect: Type.Literals(ruleEffects),
  when: Type.Optional(Match),
  limit: Type.Optional(Limit),
  /** Names the usage of the limit. No other limit of the wallet ever gets this number. A limit for each letter has none. */
  counter: Type.Optional(Type.Integer({ minimum: 1 })),
});

/** The first of the keys that were rotated one to another, or `email:<digest>`. */
const Approver = Type.String({ minLength: 1, maxLength: 64 });

const Quorum = Type.Literals([1, 2]);

/** The approvers of letters that a policy holds. None: the owner of the account. */
const Approvals = Type.Exact({
  quorum: Quorum,
  approvers: Type.Array(Approver, { maxItems: policyLimits.approvers }),
  expiresInHours: Type.Integer({ minimum: approvalHours.least, maximum: approvalHours.most }),
});

export const policyFields = {
  /** `account`, or the first of the keys that were rotated one to another. */
  subject: Type.String({ minLength: 1, maxLength: 64 }),
  /** Counts the changes of policies in this wallet. */
  version: Type.Integer({ minimum: 1 }),
  timeZone: Type.String({ minLength: 1, maxLength: 64 }),
  rules: Type.Array(Rule, { minItems: 1, maxItems: policyLimits.rules }),
  /** Absent: the owner approves, within the usual time. */
  approvals: Type.Optional(Approvals),
};

export const Policy = Type.Exact(policyFields);

/** The e-mail addresses of a policy's approvers, by `email:<digest>`. */
export const PolicyPersonal = Type.Exact({
  emails: Type.Record(Type.String(), Type.String({ maxLength: 320 })),
});

/** The approvals that a policy demands before it lets a letter go that its rules hold. */
export const ApprovalNeed = Type.Exact({
  policy: policyFields.subject,
  rules: Type.Array(Code, { minItems: 1, maxItems: policyLimits.rules }),
  quorum: Quorum,
  approvers: Type.Array(Approver, { maxItems: policyLimits.approvers }),
});

export const ApprovalNeeds = Type.Array(ApprovalNeed, {
  minItems: 1,
  maxItems: policyLimits.policies,
});

/** A change of a policy that waits for approval: the policy as it will be, or the one that is deleted. Without counters. */
export const policyChangeFields = {
  approvalId: Type.String({ minLength: 1, maxLength: 64 }),
  subject: policyFields.subject,
  /** The version of the policy that it changes; 0 if no policy was set. Any later change of the policy supersedes this one. */
  baseVersion: Type.Integer({ minimum: 0 }),
  timeZone: policyFields.timeZone,
  rules: policyFields.rules,
  approvals: policyFields.approvals,
  /** The policy is deleted. */
  isRemoval: Type.Optional(Type.Literal(true)),
  /** A hash of the account, the subject, the version and the policy: approvals are for exactly this change. */
  commitment: Type.String({ minLength: 43, maxLength: 43 }),
  /** As the policy that is changed asks for. */
  quorum: Quorum,
  approvers: Type.Array(Approver, { maxItems: policyLimits.approvers }),
  expiresAt: Type.String({ minLength: 20, maxLength: 30 }),
};

/** A letter whose money is reserved and that waits for approvals. */
export const Held = Type.Exact({
  needs: ApprovalNeeds,
  expiresInHours: Approvals.properties.expiresInHours,
});

/** Shares of a limit, in percent, at which its owner is alerted. */
export const budgetThresholds = [50, 80, 100] as const;
const Percent = Type.Unsafe<(typeof budgetThresholds)[number]>(
  Type.Union(budgetThresholds.map((percent) => Type.Literal(percent))),
);

const Micro = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Letters = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** Epoch ms of the beginning of a window, or of an hour in the last 24. */
const Since = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const counter = Type.Integer({ minimum: 1 });

/** A letter's count against a limit. */
export const Count = Type.Exact({ counter, since: Since, amountMicro: Micro, letters: Letters });

/** Counts of a letter that a wallet carries on, with the attempts that they came with. */
export const LetterCount = Type.Exact({
  counter,
  since: Since,
  amountMicro: Micro,
  letters: Letters,
  attemptId: Type.String({ minLength: 1, maxLength: 64 }),
});

/** The usage of a limit, by windows. */
export const Used = Type.Exact({
  counter,
  slots: Type.Array(Type.Exact({ since: Since, amountMicro: Micro, letters: Letters }), {
    maxItems: 30,
  }),
  /** The highest threshold that the owner was alerted of, and the window in which that was. */
  alerted: Type.Optional(Type.Exact({ since: Since, percent: Percent })),
});

/** Reasons to alert an owner: a rule, the first letter of a policy, or its first to a country. */
const alertKinds = ['rule', 'first_use', 'new_country'] as const;

const Country = Type.String({ minLength: 2, maxLength: 2 });

/** Countries that letters of a policy went to, and that its owner was alerted of. */
export const SeenCountries = Type.Array(Country, { maxItems: 300 });

/** The rules that alerted of a letter: `subject rule`. */
export const AlertedRules = Type.Array(Type.String({ minLength: 1, maxLength: 160 }), {
  maxItems: policyLimits.rules * policyLimits.policies,
});

/** Tells the owner of an account of a letter that is sent. `rule` is there where a rule asks for it. */
export const alertFields = {
  subject: policyFields.subject,
  alert: Type.Literals(alertKinds),
  country: Country,
  rule: Type.Optional(Code),
};

export type AlertKind = (typeof alertKinds)[number];
export type Policy = Static<typeof Policy>;
export type Approvals = Static<typeof Approvals>;
export type ApprovalNeed = Static<typeof ApprovalNeed>;
export type Held = Static<typeof Held>;
/** By `email:<digest>`. */
export type ApproverEmails = Readonly<Static<typeof PolicyPersonal>['emails']>;
export type PolicyRule = Static<typeof Rule>;
export type RuleMatch = Static<typeof Match>;
export type RuleLimit = Static<typeof Limit>;
export type Count = Static<typeof Count>;
export type LetterCount = Static<typeof LetterCount>;
export type Alerted = NonNullable<Used['alerted']>;
export type Used = Static<typeof Used>;
export type UsedSlot = Used['slots'][number];

/** A letter took a limit to a threshold of it, which no letter of the window before it did. */
export const thresholdFields = {
  subject: policyFields.subject,
  rule: Code,
  counter,
  since: Since,
  percent: Percent,
};

/** `account`, the first of the keys that were rotated one to another, or `ucan:<cid>`. */
export const FrozenSubject = Type.String({ minLength: 1, maxLength: 160 });

/** How many keys and UCANs of a wallet can be frozen at a time, besides the account itself and its closure. */
export const mostFrozen = 498;

/** The subject of the policy of a whole account. */
export { accountSubject } from '../contract/frozen.ts';
