/** Policies of a wallet and what was used of their limits, folded with the wallet's other events. */
import type {
  Alerted,
  ApproverEmails,
  Count,
  LetterCount,
  LimitPeriod,
  Policy,
  RuleLimit,
  Used,
  UsedSlot,
} from '../../events/policy.ts';
import { type PersistentMap, persistentMap } from '../../ground/persistent-map.ts';
import type { PolicyChange } from './policy-change.ts';
import { countsSince } from './windows.ts';

/** `alerted`: the highest threshold that its owner was alerted of. */
type Usage = {
  per: LimitPeriod;
  slots: readonly UsedSlot[];
  alerted?: Alerted | undefined;
};

/** Never changed in place, as the wallet that it is a part of. */
export type Guards = {
  /** How often policies changed: no version and no counter is used twice. */
  changes: number;
  /** By subject. */
  policies: PersistentMap<string, Policy>;
  /** The addresses of approvers, by the subject of the policy. */
  emails: PersistentMap<string, ApproverEmails>;
  /** By counter; of the present policies. Copied with each letter, which changes several of a few. */
  usage: ReadonlyMap<number, Usage>;
  /** Countries that letters of a policy went to since it was set, by its subject. */
  seen: PersistentMap<string, readonly string[]>;
  /** Subjects that spend nothing, and since when. */
  frozen: PersistentMap<string, string>;
  /** The latest change of each policy that needs approval, by the subject of the policy. */
  changesAsked: PersistentMap<string, PolicyChange>;
  /** When changes were asked for, epoch ms: in the hour before the latest one. */
  askedAt: readonly number[];
};

export const noGuards: Guards = {
  changes: 0,
  policies: persistentMap(),
  emails: persistentMap(),
  usage: new Map(),
  seen: persistentMap(),
  frozen: persistentMap(),
  changesAsked: persistentMap(),
  askedAt: [],
};

const countersOf = (policy: Policy | undefined): Map<number, RuleLimit> =>
  new Map(
    (policy?.rules ?? []).flatMap(({ counter, limit }) =>
      counter === undefined || limit === undefined ? [] : [[counter, limit]],
    ),
  );

const isSameSize = (one: RuleLimit | undefined, other: RuleLimit): boolean =>
  one?.amountCents === other.amountCents && one?.letters === other.letters;

/** A rule that keeps its counter keeps what was used. The thresholds of another limit are reached anew. */
const replaceCounters = (
  usage: Guards['usage'],
  before: Policy | undefined,
  after: Policy | undefined,
): Guards['usage'] => {
  const kept = countersOf(after);
  const limits = countersOf(before);
  const next = new Map(usage);
  for (const counter of limits.keys()) {
    if (!kept.has(counter)) next.delete(counter);
  }
  for (const [counter, limit] of kept) {
    const { per } = limit;
    const { slots, alerted } = next.get(counter) ?? { slots: [] };
    const same = isSameSize(limits.get(counter), limit) ? alerted : undefined;
    next.set(counter, { per, slots, alerted: same });
  }
  return next;
};

/** Every change of a policy supersedes the change of it that waits: it was asked for against another policy. */
const supersede = (
  changesAsked: Guards['changesAsked'],
  subject: string,
): Guards['changesAsked'] => {
  const change = changesAsked.get(subject);
  return change ? changesAsked.with(subject, { ...change, isSuperseded: true }) : changesAsked;
};

export const withPolicy = (
  guards: Guards,
  policy: Policy,
  emails: ApproverEmails | undefined,
): Guards => ({
  ...guards,
  changes: policy.version,
  policies: guards.policies.with(policy.subject, policy),
  emails: emails
    ? guards.emails.with(policy.subject, emails)
    : guards.emails.without(policy.subject),
  usage: replaceCounters(guards.usage, guards.policies.get(policy.subject), policy),
  changesAsked: supersede(guards.changesAsked, policy.subject),
});

export const withoutPolicy = (guards: Guards, subject: string, version: number): Guards => ({
  ...guards,
  changes: version,
  policies: guards.policies.without(subject),
  emails: guards.emails.without(subject),
  usage: replaceCounters(guards.usage, guards.policies.get(subject), undefined),
  seen: guards.seen.without(subject),
  changesAsked: supersede(guards.changesAsked, subject),
});

export const withSeen = (guards: Guards, subject: string, countries: readonly string[]): Guards => {
  if (!guards.policies.has(subject) || countries.length === 0) return guards;
  const known = guards.seen.get(subject) ?? [];
  return { ...guards, seen: guards.seen.with(subject, [...new Set([...known, ...countries])]) };
};

export const withChange = (guards: Guards, change: PolicyChange): Guards => ({
  ...guards,
  changesAsked: guards.changesAsked.with(change.subject, change),
});

const askedWithinMs = 3_600_000;
/** More than anybody is asked by mail in an hour. */
const mostRemembered = 100;

export const withRequest = (guards: Guards, change: PolicyChange, at: string): Guards => {
  const now = Date.parse(at);
  const before = guards.askedAt.filter((one) => one > now - askedWithinMs);
  const asked = withChange(guards, { ...change, askedBefore: before.length });
  return { ...asked, askedAt: [...before, now].slice(-mostRemembered) };
};

/** Changes the change with this id, if it is still known. */
export const updateChange = (
  guards: Guards,
  { approvalId, subject }: { approvalId: string; subject: string },
  update: (change: PolicyChange) => PolicyChange,
): Guards => {
  const change = guards.changesAsked.get(subject);
  return change?.approvalId === approvalId ? withChange(guards, update(change)) : guards;
};

export const withFrozen = (guards: Guards, subject: string, since: string): Guards => ({
  ...guards,
  frozen: guards.frozen.with(subject, since),
});

export const withoutFrozen = (guards: Guards, subject: string): Guards => ({
  ...guards,
  frozen: guards.frozen.without(subject),
});

/** Adds the usage of earlier periods of the books. */
export const withUsed = (guards: Guards, used: readonly Used[]): Guards => {
  const usage = new Map(guards.usage);
  for (const { counter, slots, alerted } of used) {
    const known = usage.get(counter);
    if (known) usage.set(counter, { ...known, slots, alerted });
  }
  return { ...guards, usage };
};

const addTo = ({ per, slots, alerted }: Usage, { since, amountMicro, letters }: Count): Usage => {
  const latest = slots.at(-1);
  if (latest?.since === since) {
    const slot = {
      since,
      amountMicro: latest.amountMicro + amountMicro,
      letters: latest.letters + letters,
    };
    return { per, slots: slots.length === 1 ? [slot] : slots.with(-1, slot), alerted };
  }
  const oldest = countsSince(per, since);
  const present = slots.filter((slot) => slot.since >= oldest && slot.since !== since);
  const own = slots.find((slot) => slot.since === since);
  const slot = {
    since,
    amountMicro: (own?.amountMicro ?? 0) + amountMicro,
    letters: (own?.letters ?? 0) + letters,
  };
  return { per, slots: [...present, slot], alerted };
};

export const withAlert = (guards: Guards, counter: number, alerted: Alerted): Guards => {
  const known = guards.usage.get(counter);
  if (!known) return guards;
  return { ...guards, usage: new Map(guards.usage).set(counter, { ...known, alerted }) };
};

export const countLetter = (guards: Guards, counts: readonly Count[]): Guards => {
  const usage = new Map(guards.usage);
  for (const count of counts) {
    const known = usage.get(count.counter);
    if (known) usage.set(count.counter, addTo(known, count));
  }
  return { ...guards, usage };
};

const takeFrom = (
  usage: Map<number, Usage>,
  { counter, since }: LetterCount,
  { amountMicro, letters }: Pick<Count, 'amountMicro' | 'letters'>,
): void => {
  const known = usage.get(counter);
  if (!known) return;
  const slots = known.slots.map((slot) =>
    slot.since === since
      ? { since, amountMicro: slot.amountMicro - amountMicro, letters: slot.letters - letters }
      : slot,
  );
  usage.set(counter, { ...known, slots });
};

/** By how much the counts of a letter exceed what it costs, by counter. */
const excessOver = (counts: readonly LetterCount[], costMicro: number): Map<number, number> => {
  const excess = new Map<number, number>();
  for (const { counter, amountMicro } of counts) {
    excess.set(counter, (excess.get(counter) ?? -costMicro) + amountMicro);
  }
  return excess;
};

/** `undone` and `undecided`: attempts. `costMicro`: the money that the letter has without that of undecided attempts. */
type Remaining = { undone: readonly string[]; undecided: readonly string[]; costMicro: number };

/**
 * Gives money back to the limits that a letter counted for. Attempts that were undone no longer count. Otherwise each
 * limit gets what it counted beyond what the letter still costs, the oldest window first; the letter itself stays
 * counted.
 */
export const returnCounts = (
  guards: Guards,
  counts: readonly LetterCount[],
  { undone, undecided, costMicro }: Remaining,
): { guards: Guards; counts: LetterCount[] } => {
  const usage = new Map(guards.usage);
  const [failed, kept] = [true, false].map((isUndone) =>
    counts.filter(({ attemptId }) => undone.includes(attemptId) === isUndone),
  ) as [LetterCount[], LetterCount[]];
  for (const count of failed) takeFrom(usage, count, count);
  const isDecided = ({ attemptId }: LetterCount) => !undecided.includes(attemptId);
  const excess = excessOver(kept.filter(isDecided), costMicro);
  const remaining = kept.map((count) => {
    const due = isDecided(count) ? (excess.get(count.counter) ?? 0) : 0;
    const amountMicro = Math.max(0, Math.min(due, count.amountMicro));
    if (amountMicro === 0) return count;
    excess.set(count.counter, due - amountMicro);
    takeFrom(usage, count, { amountMicro, letters: 0 });
    return { ...count, amountMicro: count.amountMicro - amountMicro };
  });
  return { guards: { ...guards, usage }, counts: remaining };
};
