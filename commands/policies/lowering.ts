/** Whether a policy allows no letter that the one before would have denied. */
import {
  type Approvals,
  contentKinds,
  type Policy,
  type PolicyRule,
  type RuleMatch,
} from '../../events/policy.ts';
import { approvalsOf } from './approvals.ts';

const isWithin = (inner: readonly string[] | undefined, outer: readonly string[] | undefined) =>
  outer === undefined || (inner?.every((value) => outer.includes(value)) ?? false);

const kinds = (when: RuleMatch): readonly string[] => when.contentKinds ?? contentKinds;

/** Whether every letter that `inner` matches is one that `outer` matches. */
export const isCovered = (inner: RuleMatch = {}, outer: RuleMatch = {}): boolean =>
  isWithin(inner.countries, outer.countries) &&
  isWithin(inner.services, outer.services) &&
  isWithin(inner.intents, outer.intents) &&
  isWithin(kinds(inner), kinds(outer)) &&
  isWithin(inner.recipients, outer.recipients) &&
  (outer.knownRecipient === undefined || inner.knownRecipient === outer.knownRecipient) &&
  (inner.priceAboveCents ?? 0) >= (outer.priceAboveCents ?? 0);

const sameLetters = (one: RuleMatch | undefined, other: RuleMatch | undefined): boolean =>
  isCovered(one, other) && isCovered(other, one);

const isCoveredBy = ({ when }: PolicyRule, rules: readonly PolicyRule[]): boolean =>
  rules.some((rule) => isCovered(when, rule.when));

const sizeOf = ({ limit }: PolicyRule): number => limit?.amountCents ?? limit?.letters ?? 0;

/** Whether a limit still holds for the same letters, and is no higher. */
const keepsLimit = (before: PolicyRule, after: PolicyRule | undefined): boolean =>
  after?.effect === before.effect &&
  sameLetters(before.when, after.when) &&
  before.limit?.per === after.limit?.per &&
  (before.limit?.amountCents === undefined) === (after.limit?.amountCents === undefined) &&
  after.counter === before.counter &&
  sizeOf(after) <= sizeOf(before);

/** Whether the owner is still alerted of the same letters, at no higher limit. */
const keepsAlert = (before: PolicyRule, after: PolicyRule | undefined): boolean =>
  before.limit
    ? keepsLimit(before, after)
    : after?.effect === 'alert' && !after.limit && isCovered(before.when, after.when);

/**
 * Whether the same people approve, no fewer of them, and nothing waits longer. They decide on changes of the policy
 * too, so this counts where no rule holds letters.
 */
const keepsApprovals = (before: Approvals, after: Approvals): boolean => {
  const approvers = new Set(after.approvers);
  return (
    before.approvers.length === approvers.size &&
    before.approvers.every((one) => approvers.has(one)) &&
    after.quorum >= before.quorum &&
    after.expiresInHours <= before.expiresInHours
  );
};

/**
 * Every limit stays, for the same letters and no higher; every denial stays; every letter that waits for approval
 * waits for the same one or is denied; every alert stays; every letter that is allowed was allowed. A change that the rules do not show
 * one by one counts as raising.
 */
export const isLowering = (before: Policy, after: Policy): boolean => {
  const effect = (policy: Policy, name: PolicyRule['effect']) =>
    policy.rules.filter((rule) => rule.effect === name);
  const byId = new Map(after.rules.map((rule) => [rule.id, rule]));
  return (
    before.timeZone === after.timeZone &&
    effect(before, 'allow').every((rule) => !rule.limit || keepsLimit(rule, byId.get(rule.id))) &&
    effect(before, 'deny').every((rule) => isCoveredBy(rule, effect(after, 'deny'))) &&
    effect(before, 'hold').every((rule) =>
      isCoveredBy(rule, [...effect(after, 'hold'), ...effect(after, 'deny')]),
    ) &&
    effect(before, 'alert').every((rule) => keepsAlert(rule, byId.get(rule.id))) &&
    keepsApprovals(approvalsOf(before), approvalsOf(after)) &&
    effect(after, 'allow').every((rule) => isCoveredBy(rule, effect(before, 'allow')))
  );
};
