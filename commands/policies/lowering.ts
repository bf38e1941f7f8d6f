/** Whether a policy allows no letter that the one before would have denied, and where it does. */
import {
  type Approvals,
  contentKinds,
  type Policy,
  type PolicyRule,
  type RuleLimit,
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
  // A change that waits has no counters yet: it goes on counting where the id and the period stay.
  (after.counter === undefined || after.counter === before.counter) &&
  sizeOf(after) <= sizeOf(before);

/** Whether the owner is still alerted of the same letters, at no higher limit. */
const keepsAlert = (before: PolicyRule, after: PolicyRule | undefined): boolean =>
  before.limit
    ? keepsLimit(before, after)
    : after?.effect === 'alert' && !after.limit && isCovered(before.when, after.when);

/** The part of a policy that decides about letters. */
type Rules = Pick<Policy, 'timeZone' | 'rules' | 'approvals'>;

/** One way in which a policy lets more letters pass than the one before, or asks fewer people about them. */
export type Raise =
  /** `to`: undefined where no limit of the rule holds for the same letters any more. */
  | { what: 'limit'; rule: string; from: RuleLimit; to: RuleLimit | undefined }
  /** The rule allows more; or no rule denies, holds or alerts of all letters that this one did. */
  | { what: 'allow' | 'deny' | 'hold' | 'alert'; rule: string }
  | { what: 'quorum' | 'hours'; from: number; to: number }
  | { what: 'approvers' | 'time_zone' | 'removal' };

/**
 * Returns nothing where the same people approve, no fewer of them, and nothing waits longer. They decide on changes of the
 * policy too, so this counts where no rule holds letters.
 */
const approvalRaises = (before: Approvals, after: Approvals): Raise[] => {
  const approvers = new Set(after.approvers);
  const isSame =
    before.approvers.length === approvers.size &&
    before.approvers.every((one) => approvers.has(one));
  const { quorum, expiresInHours: hours } = before;
  const raises: Raise[] = isSame ? [] : [{ what: 'approvers' }];
  if (after.quorum < quorum) raises.push({ what: 'quorum', from: quorum, to: after.quorum });
  if (after.expiresInHours > hours) {
    raises.push({ what: 'hours', from: hours, to: after.expiresInHours });
  }
  return raises;
};

const limitRaises = (before: PolicyRule, after: PolicyRule | undefined): Raise[] => {
  const { id: rule, effect, when, limit: from } = before;
  if (!from || keepsLimit(before, after)) return [];
  const isSameRule = after?.effect === effect && sameLetters(when, after.when);
  return [{ what: 'limit', rule, from, to: isSameRule ? after.limit : undefined }];
};

const ruleRaises = (
  what: PolicyRule['effect'],
  rules: readonly PolicyRule[],
  stays: (rule: PolicyRule) => boolean,
): Raise[] => rules.filter((rule) => !stays(rule)).map(({ id: rule }) => ({ what, rule }));

/**
 * Returns nothing where every limit stays, for the same letters and no higher; every denial stays; every letter that waits for
 * approval waits for the same one or is denied; every alert stays; and every letter that is allowed was allowed. A
 * change that the rules do not show one by one counts as raising.
 */
export const raisesOf = (before: Rules, after: Rules): Raise[] => {
  const effect = (policy: Rules, name: PolicyRule['effect']) =>
    policy.rules.filter((rule) => rule.effect === name);
  const byId = new Map(after.rules.map((rule) => [rule.id, rule]));
  const isHeld = [...effect(after, 'hold'), ...effect(after, 'deny')];
  return [
    ...effect(before, 'allow').flatMap((rule) => limitRaises(rule, byId.get(rule.id))),
    ...ruleRaises('allow', effect(after, 'allow'), (rule) =>
      isCoveredBy(rule, effect(before, 'allow')),
    ),
    ...ruleRaises('deny', effect(before, 'deny'), (rule) =>
      isCoveredBy(rule, effect(after, 'deny')),
    ),
    ...ruleRaises('hold', effect(before, 'hold'), (rule) => isCoveredBy(rule, isHeld)),
    ...ruleRaises('alert', effect(before, 'alert'), (rule) => keepsAlert(rule, byId.get(rule.id))),
    ...approvalRaises(approvalsOf(before), approvalsOf(after)),
    ...(before.timeZone === after.timeZone ? [] : [{ what: 'time_zone' as const }]),
  ];
};

export const isLowering = (before: Rules, after: Rules): boolean =>
  raisesOf(before, after).length === 0;
