/** Setting and removing the policies of an account and its keys: decided by its wallet, which counts by them. */
import { AppError } from '../../contract/errors.ts';
import { accountSubject, type Policy, type PolicyRule, policyLimits } from '../../events/policy.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import { assertPolicy, type WantedPolicy } from '../policies/check-policy.ts';
import { isLowering } from '../policies/lowering.ts';
import type { Guards } from '../policies/state.ts';
import type { Wallet } from '../wallets/state.ts';

/** The caller that changes a policy. */
export type PolicyMaker = {
  /** The subjects of the policies that apply to the caller itself, besides the account's. */
  subjects: readonly string[];
  /** Whether it may raise and lift limits. */
  mayRaise: boolean;
};

const policyProtected = (detail: string): AppError => new AppError('policy_protected', detail);

/** @throws AppError policy_protected */
const assertNotOwn = ({ subjects }: PolicyMaker, subject: string): void => {
  if (!subjects.includes(subject)) return;
  throw policyProtected(
    'No key or UCAN can change its own policy, nor the policy of what it came from. Use another key with scope full.',
  );
};

/** @throws AppError scope_insufficient, policy_protected */
const assertMayRaise = (state: Wallet, maker: PolicyMaker): void => {
  if (!maker.mayRaise) {
    throw new AppError(
      'scope_insufficient',
      'This change would allow letters that the policy denies now. Only scope full can do that; scope send can only lower limits.',
    );
  }
  // A limited key would lift the limits of all others.
  if (!maker.subjects.some((subject) => state.guards.policies.has(subject))) return;
  throw policyProtected(
    'A key that has a policy can lower limits, but not raise them. Use a key with scope full that has no policy.',
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

const zoneOf = ({ policies }: Guards, { subject, wanted }: SetPolicy): string =>
  wanted.timeZone ??
  policies.get(subject)?.timeZone ??
  policies.get(accountSubject)?.timeZone ??
  'UTC';

const isSame = (one: Policy, other: Policy): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

const zoneIsFixed = (): AppError => {
  const detail =
    'The time zone of a policy cannot change, because its windows are counted in it. Delete the policy, then set it again.';
  const errors = [{ pointer: '/time_zone', code: 'fixed', detail }];
  return new AppError('validation_failed', detail, { errors });
};

const tooManyPolicies = (): AppError =>
  new AppError(
    'policy_limit_reached',
    `The account already has ${policyLimits.policies} policies. Delete one of a key that is no longer used first.`,
  );

export type SetPolicy = {
  type: 'SetPolicy';
  subject: string;
  wanted: WantedPolicy;
  maker: PolicyMaker;
  ifMatch?: bigint | undefined;
};

/**
 * Sets a policy whole; the same one again changes nothing. A first policy only takes away, so it lowers.
 * @throws AppError validation_failed, policy_protected, scope_insufficient, version_mismatch, policy_limit_reached
 */
export const setPolicy = (state: Wallet, command: SetPolicy): WalletEvent[] => {
  const { subject, wanted, maker, ifMatch } = command;
  assertPolicy(wanted);
  assertNotOwn(maker, subject);
  const { guards } = state;
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
  if (before && isSame({ ...before, version }, after)) return [];
  if (before && before.timeZone !== after.timeZone) throw zoneIsFixed();
  if (before && !isLowering(before, after)) assertMayRaise(state, maker);
  if (!before && guards.policies.size >= policyLimits.policies) throw tooManyPolicies();
  const { emails } = wanted;
  return [{ type: 'PolicySet', data: after, ...(emails ? { personal: { emails } } : {}) }];
};

type RemovePolicy = {
  type: 'RemovePolicy';
  subject: string;
  maker: PolicyMaker;
  ifMatch?: bigint | undefined;
};

/** @throws AppError policy_protected, scope_insufficient, version_mismatch */
export const removePolicy = (state: Wallet, command: RemovePolicy): WalletEvent[] => {
  const { subject, maker, ifMatch } = command;
  assertNotOwn(maker, subject);
  const before = state.guards.policies.get(subject);
  assertVersion(before, ifMatch);
  if (!before) return [];
  assertMayRaise(state, maker);
  return [{ type: 'PolicyRemoved', data: { subject, version: state.guards.changes + 1 } }];
};
