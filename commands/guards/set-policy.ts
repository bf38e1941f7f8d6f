/** Setting and removing the policies of an account and its keys: decided by its wallet, which counts by them. */
import { AppError } from '../../contract/errors.ts';
import { invalidField } from '../../contract/refusals.ts';
import type { Scope } from '../../contract/scopes.ts';
import {
  type ApproverEmails,
  accountSubject,
  type Policy,
  type PolicyRule,
  policyLimits,
} from '../../events/policy.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import { assertPolicy, type WantedPolicy } from '../policies/check-policy.ts';
import { isLowering } from '../policies/lowering.ts';
import type { Guards } from '../policies/state.ts';
import { isSameZone } from '../policies/windows.ts';
import type { Wallet } from '../wallets/state.ts';

/** The caller that changes a policy. */
export type PolicyMaker = {
  /** The subjects of the policies that apply to the caller itself, besides the account's. */
  subjects: readonly string[];
  /** Whether it may raise and lift limits. */
  mayRaise: boolean;
  /** Scope of the key whose policy changes, if that key does not come from the caller. */
  otherKeyScope?: Scope | undefined;
};

const policyProtected = (detail: string): AppError => new AppError('policy_protected', detail);

/** The ways out for a credential that cannot make a change. */
const askToSet = 'Ask for an approval with request_approval: true, or use';
const askToRemove = 'Ask for an approval with ?request_approval=true, or use';

/** Why the maker cannot change this policy at all; undefined: it can. */
const ownPolicy = (
  { subjects }: PolicyMaker,
  subject: string,
  wayOut: string,
): AppError | undefined =>
  subjects.includes(subject)
    ? policyProtected(
        `No key or UCAN can change its own policy, nor the policy of what it came from. ${wayOut} another key with scope full.`,
      )
    : undefined;

const isLimited = ({ guards }: Wallet, { subjects }: PolicyMaker): boolean =>
  subjects.some((subject) => guards.policies.has(subject));

/** Why the maker cannot limit a key that does not come from it; undefined: it can, or the key does. */
const otherKey = (state: Wallet, maker: PolicyMaker): AppError | undefined => {
  const { otherKeyScope, mayRaise } = maker;
  if (otherKeyScope === undefined) return undefined;
  if (isLimited(state, maker)) {
    return policyProtected(
      `A key that has a policy can only change the policies of keys that come from it. ${askToSet} a key with scope full that has no policy.`,
    );
  }
  return otherKeyScope === 'full' && !mayRaise
    ? new AppError(
        'scope_insufficient',
        `Scope send cannot limit a key with scope full. ${askToSet} a key with scope full.`,
      )
    : undefined;
};

/** Why the maker cannot raise or lift limits, nor name approvers; undefined: it can. */
const noRaise = (
  state: Wallet,
  maker: PolicyMaker,
  wayOut: string,
  why = 'This change would allow letters that the policy denies now.',
): AppError | undefined => {
  if (!maker.mayRaise) {
    return new AppError(
      'scope_insufficient',
      `${why} Scope send can only lower limits. ${wayOut} a key with scope full.`,
    );
  }
  // A limited key would lift the limits of all others.
  if (!isLimited(state, maker)) return undefined;
  return policyProtected(
    `A key that has a policy can lower limits, but not raise them. ${wayOut} a key with scope full that has no policy.`,
  );
};

/** @throws AppError version_mismatch */
const assertVersion = (policy: Policy | undefined, ifMatch: bigint | undefined): void => {
  const actual = BigInt(policy?.version ?? 0);
  if (ifMatch === undefined || ifMatch === actual) return;
  throw new AppError(
    'version_mismatch',
    `The policy is at version ${actual}, not ${ifMatch}. Read it again and repeat the change.`,
  );
};

const countersPerVersion = 100;

/** A rule goes on counting where it did as long as its id and its period stay. */
const withCounters = (
  wanted: WantedPolicy,
  before: Policy | undefined,
  version: number,
): PolicyRule[] => {
  const known = new Map((before?.rules ?? []).map((rule) => [rule.id, rule]));
  return wanted.rules.map((rule, index) => {
    const { limit } = rule;
    if (limit === undefined || limit.per === 'letter') return rule;
    const earlier = known.get(rule.id);
    const goesOn = earlier?.limit?.per === limit.per ? earlier.counter : undefined;
    return { ...rule, counter: goesOn ?? version * countersPerVersion + index };
  });
};

const zoneOf = ({ policies }: Guards, { subject, wanted: { timeZone } }: WantedChange): string => {
  const before = policies.get(subject)?.timeZone;
  if (timeZone === undefined) return before ?? policies.get(accountSubject)?.timeZone ?? 'UTC';
  return before !== undefined && isSameZone(before, timeZone) ? before : timeZone;
};

const isSame = (one: Policy, other: Policy): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const zoneIsFixed = (): AppError => {
  const detail =
    'The time zone of a policy cannot change, because its windows are counted in it. Delete the policy, then set it again.';
  return invalidField('/time_zone', 'fixed', detail);
};

const tooManyPolicies = (): AppError =>
  new AppError(
    'policy_limit_reached',
    `The account already has ${policyLimits.policies} policies. Delete one of a key that is no longer used first.`,
  );

/** A policy that is to be set whole. */
export type WantedChange = {
  subject: string;
  wanted: WantedPolicy;
  ifMatch?: bigint | undefined;
};

export type SetPolicy = WantedChange & { type: 'SetPolicy'; maker: PolicyMaker };

/** The policy before and after a change; undefined: it is the same. */
type PlannedChange = { before: Policy | undefined; after: Policy } | undefined;

/** @throws AppError validation_failed, version_mismatch, policy_limit_reached */
export const planChange = ({ guards }: Wallet, command: WantedChange): PlannedChange => {
  const { subject, wanted, ifMatch } = command;
  assertPolicy(wanted);
  const before = guards.policies.get(subject);
  assertVersion(before, ifMatch);
  const version = guards.changes + 1;
  const after = {
    subject,
    version,
    timeZone: zoneOf(guards, command),
    rules: withCounters(wanted, before, version),
    ...(wanted.approvals ? { approvals: wanted.approvals } : {}),
  };
  if (before && isSame({ ...before, version }, after)) return undefined;
  if (before && before.timeZone !== after.timeZone) throw zoneIsFixed();
  if (!before && guards.policies.size >= policyLimits.policies) throw tooManyPolicies();
  return { before, after };
};

/** Why the maker cannot raise limits or name approvers by a change; undefined: it can, or the change does neither. */
const noChange = (
  state: Wallet,
  { before, after }: NonNullable<PlannedChange>,
  maker: PolicyMaker,
): AppError | undefined => {
  if (before) return isLowering(before, after) ? undefined : noRaise(state, maker, askToSet);
  // A first policy only restricts, but its approvers stay when it later gets rules that hold letters.
  if (!after.approvals?.approvers.length) return undefined;
  return noRaise(state, maker, askToSet, 'This change would name approvers.');
};

/** Why the maker cannot make the change by itself; undefined: it can. */
export const refusalOf = (
  state: Wallet,
  planned: NonNullable<PlannedChange>,
  maker: PolicyMaker,
): AppError | undefined =>
  ownPolicy(maker, planned.after.subject, askToSet) ??
  otherKey(state, maker) ??
  noChange(state, planned, maker);

export const policySet = (data: Policy, emails: ApproverEmails | undefined): WalletEvent => ({
  type: 'PolicySet',
  data,
  ...(emails ? { personal: { emails } } : {}),
});

/**
 * Sets a policy whole; the same one again changes nothing.
 * @throws AppError validation_failed, policy_protected, scope_insufficient, version_mismatch, policy_limit_reached
 */
export const setPolicy = (state: Wallet, command: SetPolicy): WalletEvent[] => {
  const { subject, wanted, maker } = command;
  const own = ownPolicy(maker, subject, askToSet);
  if (own) throw own;
  const planned = planChange(state, command);
  if (!planned) return [];
  const refusal = refusalOf(state, planned, maker);
  if (refusal) throw refusal;
  return [policySet(planned.after, wanted.emails)];
};

type RemovedPolicy = { subject: string; ifMatch?: bigint | undefined };

/**
 * Finds the policy to remove. Returns undefined where the subject has no policy.
 * @throws AppError version_mismatch
 */
export const planRemoval = (
  { guards }: Wallet,
  { subject, ifMatch }: RemovedPolicy,
): Policy | undefined => {
  const before = guards.policies.get(subject);
  assertVersion(before, ifMatch);
  return before;
};

/** Why the maker cannot remove the policy by itself; undefined: it can. */
export const removalRefusal = (
  state: Wallet,
  subject: string,
  maker: PolicyMaker,
): AppError | undefined =>
  ownPolicy(maker, subject, askToRemove) ?? noRaise(state, maker, askToRemove);

export const policyRemoved = ({ guards }: Wallet, subject: string): WalletEvent => ({
  type: 'PolicyRemoved',
  data: { subject, version: guards.changes + 1 },
});

type RemovePolicy = RemovedPolicy & { type: 'RemovePolicy'; maker: PolicyMaker };

/** @throws AppError policy_protected, scope_insufficient, version_mismatch */
export const removePolicy = (state: Wallet, command: RemovePolicy): WalletEvent[] => {
  const { subject, maker } = command;
  const refusal = removalRefusal(state, subject, maker);
  if (refusal) throw refusal;
  return planRemoval(state, command) ? [policyRemoved(state, subject)] : [];
};
