/**
 * Whether policies allow a letter, and what it takes of their limits. A pure function of the wallet's state, the
 * letter, its price and the time.
 *
 * All policies that apply must allow the letter. A policy denies what a deny rule of it matches, and what no allow
 * rule matches. The limits of all allow rules that match hold together, so the most restrictive one decides. A letter
 * that is allowed and that a hold rule matches waits for approval. An alert rule decides nothing: the owner is alerted
 * of a letter that it matches, or once letters reach a share of its limit.
 */
import {
  accountSubject,
  type ContentKind,
  type Count,
  type LetterCount,
  type Policy,
  type PolicyRule,
  type RuleLimit,
  type RuleMatch,
  type UsedSlot,
} from '../../events/policy.ts';
import { type MicroUsd, microOfCents } from '../../money/amounts.ts';
import { approvalsOf, type PolicyHold } from './approvals.ts';
import type { Guards } from './state.ts';
import { countsSince, endOfHour, type Window, windowAt } from './windows.ts';

/**
 * The facts about a letter that rules judge. `recipient` is read only if a rule names recipients, and
 * `isKnownRecipient` only if one asks whether the account wrote to the recipient before.
 */
export type GuardedLetter = {
  country: string;
  service: string;
  intent: string;
  contentKind: ContentKind;
  recipient: () => string;
  isKnownRecipient: () => boolean;
};

export type GuardedSend = {
  letter: GuardedLetter;
  /** The subjects of the policies that apply, besides the account's. */
  subjects: readonly string[];
  /** The total price of the letter. */
  priceMicro: MicroUsd;
  /** Epoch ms. */
  at: number;
  /** Earlier counts of this letter. */
  counted: readonly LetterCount[];
};

/**
 * A limit, how much of it was used before this letter, and when enough of it will be free again; null: never.
 * `timeZone`: of a limit by hour, day or month, whose window begins and ends in it.
 */
type LimitState = {
  limit: RuleLimit;
  used: number;
  resetsAt: number | null;
  timeZone?: string;
};

/** Why a policy denies. `rule` absent: no rule allows the letter. */
export type Denial = {
  subject: string;
  rule?: PolicyRule;
  reached?: LimitState;
};

/** The share of a rule's limit that a letter takes, and how much of the limit was used before. */
export type Counted = {
  subject: string;
  rule: PolicyRule & { limit: RuleLimit };
  used: number;
  count: Count;
};

export type Verdict = {
  denials: Denial[];
  allowedBy: { subject: string; rule: PolicyRule }[];
  counted: Counted[];
  /** Policies that let the letter wait for approval. */
  holds: PolicyHold[];
  /** Rules without a limit whose owner is alerted of the letter. */
  alerts: { subject: string; rule: PolicyRule }[];
};

export const noVerdict: Verdict = {
  denials: [],
  allowedBy: [],
  counted: [],
  holds: [],
  alerts: [],
};

const includes = <T>(allowed: readonly T[] | undefined, value: T): boolean =>
  allowed === undefined || allowed.includes(value);

const isAbove = (priceMicro: MicroUsd, priceAboveCents: number | undefined): boolean =>
  priceAboveCents === undefined || priceMicro > microOfCents(priceAboveCents);

const matches = (
  when: RuleMatch | undefined,
  { letter, priceMicro }: Pick<GuardedSend, 'letter' | 'priceMicro'>,
): boolean =>
  when === undefined ||
  (isAbove(priceMicro, when.priceAboveCents) &&
    includes(when.countries, letter.country) &&
    includes(when.services, letter.service) &&
    includes(when.intents, letter.intent) &&
    includes(when.contentKinds, letter.contentKind) &&
    (when.recipients === undefined || when.recipients.includes(letter.recipient())) &&
    (when.knownRecipient === undefined || when.knownRecipient === letter.isKnownRecipient()));

/** Of the unit of the limit: micro-USD or letters. */
export const sizeOf = ({ amountCents, letters = 0 }: RuleLimit): number =>
  amountCents === undefined ? letters : Number(microOfCents(amountCents));

const usedIn = ({ amountCents }: RuleLimit, slots: readonly UsedSlot[]): number =>
  slots.reduce(
    (sum, slot) => sum + (amountCents === undefined ? slot.letters : slot.amountMicro),
    0,
  );

/** Windows never run backwards: a clock that is behind counts for the window that another one began. */
const presentWindow = (
  { timeZone }: Policy,
  { per }: RuleLimit,
  slots: readonly UsedSlot[],
  at: number,
): Window => {
  const window = windowAt(timeZone, per, at);
  const latest = slots.at(-1)?.since ?? 0;
  return latest > window.since ? { ...window, since: latest } : window;
};

/** When so much of the last 24 hours stops counting; null: never. */
const freedAt = (limit: RuleLimit, slots: readonly UsedSlot[], excess: number): number | null => {
  let left = excess;
  for (const slot of slots) {
    left -= usedIn(limit, [slot]);
    if (left <= 0) return endOfHour(slot.since);
  }
  return null;
};

/** How much of a rule's limit is used at a moment. */
export const usageOf = (
  guards: Guards,
  policy: Policy,
  rule: PolicyRule & { limit: RuleLimit; counter: number },
  at: number,
): { window: Window; slots: readonly UsedSlot[]; used: number } => {
  const { limit } = rule;
  const all = guards.usage.get(rule.counter)?.slots ?? [];
  const window = presentWindow(policy, limit, all, at);
  const oldest = countsSince(limit.per, window.since);
  const slots = all.filter(({ since }) => since >= oldest);
  return { window, slots, used: usedIn(limit, slots) };
};

/** The letter's count against a limit, less its earlier counts. */
const countOf = (counter: number, since: number, send: GuardedSend): Count => {
  const own = send.counted.filter((count) => count.counter === counter);
  const before = own.reduce((sum, { amountMicro }) => sum + amountMicro, 0);
  return {
    counter,
    since,
    amountMicro: Math.max(0, Number(send.priceMicro) - before),
    letters: own.length > 0 ? 0 : 1,
  };
};

const isCalendar = ({ per }: RuleLimit): boolean =>
  per === 'hour' || per === 'day' || per === 'month';

/**
 * Judges a letter by a rule's limit: gives its count, or says that the limit is reached. The limit of an
 * alert is never reached.
 */
const judgeLimit = (
  guards: Guards,
  policy: Policy,
  rule: PolicyRule & { limit: RuleLimit },
  send: GuardedSend,
): { reached: LimitState } | { count: Count | undefined; used: number } => {
  const { limit, counter } = rule;
  const size = sizeOf(limit);
  if (limit.per === 'letter' || counter === undefined) {
    const isWithin = rule.effect === 'alert' || Number(send.priceMicro) <= size;
    if (isWithin) return { count: undefined, used: 0 };
    return { reached: { limit, used: 0, resetsAt: null } };
  }
  const { window, slots, used } = usageOf(guards, policy, { ...rule, counter }, send.at);
  const count = countOf(counter, window.since, send);
  const taken = limit.amountCents === undefined ? count.letters : count.amountMicro;
  if (taken === 0 || used + taken <= size || rule.effect === 'alert') return { count, used };
  const resetsAt =
    limit.per === 'rolling_24h'
      ? freedAt(limit, slots, used + taken - size)
      : (window.until ?? null);
  const zone = isCalendar(limit) ? { timeZone: policy.timeZone } : {};
  return { reached: { limit, used, resetsAt: taken > size ? null : resetsAt, ...zone } };
};

const hasLimit = (rule: PolicyRule): rule is PolicyRule & { limit: RuleLimit } =>
  rule.limit !== undefined;

const countFor = (
  guards: Guards,
  policy: Policy,
  rule: PolicyRule & { limit: RuleLimit },
  send: GuardedSend,
  verdict: Verdict,
): void => {
  const { subject } = policy;
  const judged = judgeLimit(guards, policy, rule, send);
  if ('reached' in judged) verdict.denials.push({ subject, rule, reached: judged.reached });
  else if (judged.count) {
    verdict.counted.push({ subject, rule, used: judged.used, count: judged.count });
  }
};

const judge = (guards: Guards, policy: Policy, send: GuardedSend, verdict: Verdict): void => {
  const { subject } = policy;
  const matching = policy.rules.filter(({ when }) => matches(when, send));
  const denying = matching.find(({ effect }) => effect === 'deny');
  if (denying) {
    verdict.denials.push({ subject, rule: denying });
    return;
  }
  const allowing = matching.filter(({ effect }) => effect === 'allow');
  if (allowing.length === 0) {
    verdict.denials.push({ subject });
    return;
  }
  for (const rule of matching.filter(({ effect }) => effect === 'alert')) {
    if (!hasLimit(rule)) verdict.alerts.push({ subject, rule });
    else countFor(guards, policy, rule, send, verdict);
  }
  const holding = matching.filter(({ effect }) => effect === 'hold');
  if (holding.length > 0) {
    verdict.holds.push({ subject, rules: holding, approvals: approvalsOf(policy) });
  }
  for (const rule of allowing) {
    verdict.allowedBy.push({ subject, rule });
    if (hasLimit(rule)) countFor(guards, policy, rule, send, verdict);
  }
};

/** The policies that apply to a send, the account's first. */
export const policiesFor = (guards: Guards, subjects: readonly string[]): Policy[] =>
  [accountSubject, ...new Set(subjects)].flatMap((subject) => guards.policies.get(subject) ?? []);

export const evaluate = (guards: Guards, send: GuardedSend): Verdict => {
  const verdict: Verdict = { denials: [], allowedBy: [], counted: [], holds: [], alerts: [] };
  for (const policy of policiesFor(guards, send.subjects)) judge(guards, policy, send, verdict);
  return verdict;
};
