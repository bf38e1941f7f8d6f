/** Checks the log of every run, written again here without the folds and the rules of the product. */
import { budgetsOf } from '../../../commands/guards/budgets.ts';
import type { WantedRule } from '../../../commands/policies/check-policy.ts';
import type { Wallet } from '../../../commands/wallets/state.ts';
import { walletAggregate } from '../../../commands/wallets/wallet.ts';
import type { LetterEvent, LetterPersonal, LetterTerms } from '../../../events/letter.ts';
import type { Policy } from '../../../events/policy.ts';
import { letterOf, type WalletEvent } from '../../../events/wallet.ts';
import { judgeBooks } from './books.ts';
import type { Cast } from './cast.ts';
import { allowedBy } from './caveats.ts';
import { applying, createState, fits, follow, type Happened, readLog, totalMicro } from './log.ts';
import { account, type Told, type World } from './world.ts';

/** The share of limits that a payment attempt took, by counter. */
type Entry = {
  letterId: string;
  attemptId: string;
  at: number;
  counts: Map<string, { micro: number; letters: number }>;
};

const hourMs = 3_600_000;
const anyTime = { letter: 0, total: 0 };

/** Whether what happened then counts in the window of now. Zones are UTC. */
const countsAt = (per: string, then: number, now: number): boolean => {
  const prefix = { hour: 13, day: 10, month: 7 }[per];
  if (prefix !== undefined) {
    const name = (time: number) => new Date(time).toISOString().slice(0, prefix);
    return name(then) === name(now);
  }
  return per in anyTime || Math.floor(then / hourMs) >= Math.floor(now / hourMs) - 24;
};

/** The name under which a rule continues to count: its id and its period, in one policy. */
const counterOf = (subject: string, { id, limit }: WantedRule): string =>
  `${subject} ${id} ${limit?.per}`;

/** `isSend`: it paid for the whole letter, not for a change. */
type Accepted = { country: string; micro: number; isSend: boolean };

/** The letter that each payment attempt was accepted for. An attempt that is not here is undone. */
const acceptedIn = (log: readonly Happened[]): Map<string, Accepted> => {
  const accepted = new Map<string, Accepted>();
  for (const { type, data } of log as unknown as LetterEvent[]) {
    if (type !== 'LetterQueued' && type !== 'ApprovalRequested' && type !== 'LetterUpdated')
      continue;
    const { attemptId, terms } = data;
    if (attemptId === undefined || accepted.has(attemptId)) continue;
    const isSend = type !== 'LetterUpdated';
    accepted.set(attemptId, { country: terms.country, micro: totalMicro(terms), isSend });
  }
  return accepted;
};

const ends = new Set(['ApprovalRejected', 'ApprovalExpired', 'LetterCancelled', 'LetterFailed']);

/**
 * A letter as its events say so far, and the attempts that they name. `due`: it is to be paid for. `refused`: attempts
 * whose approval was not given.
 */
type PricedLetter = {
  due: boolean;
  queued: boolean;
  price: number;
  attempts: Set<string>;
  waiting: string | undefined;
  refused: Set<string>;
};

const refusals = new Set(['ApprovalRejected', 'ApprovalExpired', 'ApprovalRequested']);

const followApproval = (letter: PricedLetter, { type, data }: Happened): void => {
  const { waiting, queued, refused } = letter;
  const isRefused = refusals.has(type) || (type === 'LetterUpdated' && !queued);
  if (isRefused && waiting !== undefined) refused.add(waiting);
  if (type === 'ApprovalRequested') letter.waiting = (data as { attemptId: string }).attemptId;
  else if (isRefused || type === 'LetterQueued' || ends.has(type)) letter.waiting = undefined;
};

const followLetter = (letter: PricedLetter, { type, data }: Happened): void => {
  const { terms, attemptId } = data as { terms?: LetterTerms; attemptId?: string };
  followApproval(letter, { type, data } as Happened);
  if (terms) letter.price = totalMicro(terms);
  if (type === 'LetterQueued') letter.queued = true;
  if (type === 'LetterQueued' || type === 'ApprovalRequested') letter.due = true;
  // A change ends the approval that a draft waits for.
  if (ends.has(type) || (type === 'LetterUpdated' && !letter.queued)) letter.due = false;
  if (attemptId !== undefined) letter.attempts.add(attemptId);
};

const createPricedLetters = () => {
  const letters = new Map<string, PricedLetter>();
  const letterOfId = (letterId: string): PricedLetter => {
    const known = letters.get(letterId);
    if (known) return known;
    const letter: PricedLetter = {
      due: false,
      queued: false,
      price: 0,
      attempts: new Set(),
      waiting: undefined,
      refused: new Set(),
    };
    letters.set(letterId, letter);
    return letter;
  };
  return {
    of: letterOfId,
    /** The attempts of those that wait for approval, by letter. */
    waiting: (): Map<string, string> =>
      new Map(
        [...letters].flatMap(([id, { waiting }]) =>
          waiting === undefined ? [] : [[id, waiting] as const],
        ),
      ),
    costOf: (letterId: string): number => {
      const { due, price } = letterOfId(letterId);
      return due ? price : 0;
    },
    follow(event: Happened): void {
      if (event.letterId !== undefined) followLetter(letterOfId(event.letterId), event);
    },
  };
};

type PricedLetters = ReturnType<typeof createPricedLetters>;

/** The shares of limits that letters take, by the attempts that they were accepted with. */
const createLedger = () => {
  const entries: Entry[] = [];
  const countedBy = (letterId: string, counter: string): number =>
    entries
      .filter((one) => one.letterId === letterId)
      .reduce((sum, { counts }) => sum + (counts.get(counter)?.micro ?? 0), 0);
  return {
    entries,
    countedBy,
    /** A send counts the whole letter. A change counts what the letter costs beyond what it counted before. */
    add(entry: Omit<Entry, 'counts'>, { micro, isSend }: Accepted, counters: Set<string>): Entry {
      const { letterId } = entry;
      const counts = [...counters].map((counter) => {
        const isNew = !entries.some((one) => one.letterId === letterId && one.counts.has(counter));
        const before = isSend ? 0 : countedBy(letterId, counter);
        const count = { micro: Math.max(0, micro - before), letters: isSend || isNew ? 1 : 0 };
        return [counter, count] as const;
      });
      const added = { ...entry, counts: new Map(counts) };
      entries.push(added);
      return added;
    },
    /** An attempt whose approval was not given no longer counts. */
    drop(attemptId: string): void {
      for (const one of entries) if (one.attemptId === attemptId) one.counts.clear();
    },
    /** No limit counts more of a letter than it costs: the oldest goes first. */
    giveBack(letterId: string, costs: number, undecided: readonly string[]): void {
      const own = entries.filter(
        (one) => one.letterId === letterId && !undecided.includes(one.attemptId),
      );
      for (const counter of new Set(own.flatMap(({ counts }) => [...counts.keys()]))) {
        const counts = own.flatMap((one) => one.counts.get(counter) ?? []);
        let excess = counts.reduce((sum, { micro }) => sum + micro, -costs);
        for (const count of counts) {
          const back = Math.max(0, Math.min(excess, count.micro));
          excess -= back;
          count.micro -= back;
        }
      }
    },
  };
};

type Ledger = ReturnType<typeof createLedger>;

const usedOf = (
  entries: readonly Entry[],
  counter: string,
  per: string,
  at: number,
): { micro: number; letters: number } => {
  const used = { micro: 0, letters: 0 };
  for (const { at: then, counts } of entries) {
    const count = counts.get(counter);
    if (!count || !countsAt(per, then, at)) continue;
    used.micro += count.micro;
    used.letters += count.letters;
  }
  return used;
};

const beginCounters = (
  ledger: Ledger,
  before: Policy | undefined,
  after: Policy | undefined,
): void => {
  const kept = new Map(
    (after?.rules ?? []).map((rule) => [counterOf(after?.subject ?? '', rule), rule]),
  );
  for (const rule of before?.rules ?? []) {
    const counter = counterOf(before?.subject ?? '', rule);
    if (rule.limit && kept.get(counter)?.limit) continue;
    for (const { counts } of ledger.entries) counts.delete(counter);
  }
};

type Judged = {
  problems: string[];
  reserved: number;
  held: number;
  counted: number;
  /** How many letters counted for more limits when they were approved than when they were sent. */
  countedLate: number;
};

type Released = Extract<WalletEvent, { type: 'FundsReleased' | 'FundsRefunded' }>;

/** No limit is exceeded. No money is reserved that a policy denies, or by a frozen credential. */
const judgeMoney = (log: readonly Happened[], cast: Cast) => {
  const state = createState();
  const letters = createPricedLetters();
  const ledger = createLedger();
  const accepted = acceptedIn(log);
  const judged: Judged = { problems: [], reserved: 0, held: 0, counted: 0, countedLate: 0 };
  /** The policies whose hold rules fit an attempt. */
  const holding = new Map<string, string[]>();
  const subjectsOf = (who: string): Set<string> => {
    const credential = cast.credentials.get(who);
    return credential ? cast.lineOf(credential) : new Set();
  };
  const balance = new Map<string, number>();
  /** The money of each attempt. */
  const money = new Map<string, number>();
  /** The payer of each attempt. */
  const payers = new Map<string, string>();
  /** The position at which the hold of an attempt was lifted. */
  const lifted = new Map<string, bigint>();

  /** The last approval is judged as a payment is: nothing that is frozen approves, or is approved. */
  const lift = ({ who, position }: Happened, letterId: string, attemptId: string): void => {
    const payer = payers.get(attemptId) ?? '';
    const stopped = ['account', ...subjectsOf(payer), ...subjectsOf(who)].find((one) =>
      state.frozen.has(one),
    );
    if (stopped) judged.problems.push(`${who} approved what ${payer} sent: ${stopped} was frozen`);
    if (!lifted.has(attemptId)) lifted.set(attemptId, position);
    const { country, micro } = accepted.get(attemptId) ?? { country: '', micro: 0 };
    for (const policy of applying(state, subjectsOf(payer))) {
      for (const rule of policy.rules) {
        if (!rule.limit || rule.effect !== 'allow' || !fits(rule, country, micro)) continue;
        const counted = ledger.countedBy(letterId, counterOf(policy.subject, rule));
        if (counted >= micro) continue;
        judged.problems.push(`${rule.id}: counts ${counted} of ${letterId}, which is approved`);
      }
    }
  };

  /** The share of limits that an accepted attempt takes, and the policies that hold or deny it. */
  const take = (event: Happened, letterId: string, attemptId: string): string[] => {
    const found = accepted.get(attemptId);
    if (!found) return [];
    const subjects = subjectsOf(event.who);
    const stopped = ['account', ...subjects].find((one) => state.frozen.has(one));
    if (stopped) judged.problems.push(`${letterId}: ${event.who} paid while ${stopped} was frozen`);
    const { country, micro } = found;
    const holds: string[] = [];
    const counters = new Set<string>();
    for (const policy of applying(state, subjects)) {
      const matching = policy.rules.filter((rule) => fits(rule, country, micro));
      const allowing = matching.filter(({ effect }) => effect === 'allow');
      if (matching.some(({ effect }) => effect === 'deny') || allowing.length === 0) {
        judged.problems.push(`${letterId}: ${policy.subject} denies what ${event.who} sent`);
      }
      if (matching.some(({ effect }) => effect === 'hold')) holds.push(policy.subject);
      for (const rule of [...allowing, ...matching.filter(({ effect }) => effect === 'alert')]) {
        if (rule.limit) counters.add(counterOf(policy.subject, rule));
      }
    }
    const isSend = found.isSend && event.type === 'FundsReserved';
    const entry = { letterId, attemptId, at: event.atMs };
    const { counts } = ledger.add(entry, { ...found, isSend }, counters);
    for (const policy of applying(state, subjects)) {
      for (const rule of policy.rules) {
        const { limit, effect } = rule;
        if (!limit || effect !== 'allow' || !fits(rule, country, micro)) continue;
        const counter = counterOf(policy.subject, rule);
        const used = usedOf(ledger.entries, counter, limit.per, event.atMs);
        const { micro: more = 0, letters: one = 0 } = counts.get(counter) ?? {};
        if (
          limit.amountCents !== undefined &&
          more > 0 &&
          used.micro > limit.amountCents * 10_000
        ) {
          judged.problems.push(
            `${counter}: ${used.micro} of ${limit.amountCents} cents by ${event.who}`,
          );
        }
        if (limit.letters !== undefined && one > 0 && used.letters > limit.letters) {
          judged.problems.push(
            `${counter}: ${used.letters} of ${limit.letters} letters by ${event.who}`,
          );
        }
      }
    }
    return holds;
  };

  const reserve = (
    event: Happened,
    data: Extract<WalletEvent, { type: 'FundsReserved' }>['data'],
  ) => {
    const letterId = letterOf(data.purpose);
    if (letterId === undefined) return;
    const total = data.cryptoMicro + data.fiatMicro;
    balance.set(letterId, (balance.get(letterId) ?? 0) + total);
    money.set(data.attemptId, total);
    if (!accepted.has(data.attemptId)) return;
    judged.reserved += 1;
    payers.set(data.attemptId, event.who);
    const holds = take(event, letterId, data.attemptId);
    holding.set(data.attemptId, holds);
    judged.held += holds.length;
  };

  const giveBack = (letterId: string, { data }: Released): void => {
    const left = (balance.get(letterId) ?? 0) - data.cryptoMicro - data.fiatMicro;
    balance.set(letterId, left);
    const undecided = 'undecided' in data ? (data.undecided ?? []) : [];
    const undone = 'undone' in data ? (data.undone ?? []) : [];
    const { refused } = letters.of(letterId);
    for (const attemptId of undone) if (refused.has(attemptId)) ledger.drop(attemptId);
    const open = undecided.reduce((sum, one) => sum + (money.get(one) ?? 0), 0);
    ledger.giveBack(letterId, left - open, undecided);
  };

  /** A change that took nothing of limits: the letter counted for them before. */
  const assertCounted = (event: Happened): void => {
    const { letterId = '' } = event;
    const { type, data } = event as unknown as LetterEvent;
    if (type !== 'LetterUpdated' || data.attemptId !== undefined) return;
    const { due, price } = letters.of(letterId);
    if (!due || data.changed.every((one) => one === 'metadata')) return;
    for (const policy of applying(state, subjectsOf(event.who))) {
      // A policy that was set between the decision and the change is not the change's fault.
      if (event.atMs - (policySetAt(log, policy) ?? 0) <= 1_000) continue;
      for (const rule of policy.rules) {
        if (!rule.limit || !fits(rule, data.terms.country, price)) continue;
        if (rule.effect !== 'allow' && rule.effect !== 'alert') continue;
        const counter = counterOf(policy.subject, rule);
        const counted = ledger.countedBy(letterId, counter);
        if (counted < price) {
          judged.problems.push(
            `${counter}: counts ${counted} of ${letterId}, which costs ${price}`,
          );
        }
      }
    }
  };

  for (const event of log) {
    if (!event.stream.startsWith('wallet-')) {
      letters.follow(event);
      assertCounted(event);
      continue;
    }
    const change = event as unknown as WalletEvent;
    if (change.type === 'PolicySet') {
      beginCounters(ledger, state.policies.get(change.data.subject), change.data);
    } else if (change.type === 'FundsReserved') reserve(event, change.data);
    else if (change.type === 'LetterCounted') {
      const { attemptId, purpose } = change.data;
      // Of a letter that is approved: it was sent by another one, and counted for other limits then.
      const payer = payers.get(attemptId);
      if (payer === undefined) judged.counted += 1;
      else judged.countedLate += 1;
      take({ ...event, who: payer ?? event.who }, letterOf(purpose) ?? '', attemptId);
    } else if (change.type === 'HoldLifted') {
      lift(event, letterOf(change.data.purpose) ?? '', change.data.attemptId);
    } else if (change.type === 'FundsReleased' || change.type === 'FundsRefunded') {
      const letterId = letterOf(change.data.purpose);
      if (letterId !== undefined) giveBack(letterId, change);
    }
    follow(state, change);
  }
  for (const [letterId, micro] of balance) {
    if (micro < 0) judged.problems.push(`${letterId}: more was given back than was paid`);
  }
  for (const { letterId, attemptId, counts } of ledger.entries) {
    const { attempts, refused } = letters.of(letterId);
    if (refused.has(attemptId) && counts.size > 0) {
      judged.problems.push(`${letterId}: counts by an approval that was not given`);
    }
    const costs = letters.costOf(letterId);
    const isLast = [...attempts].at(-1) === attemptId;
    for (const counter of counts.keys()) {
      const counted = ledger.countedBy(letterId, counter);
      if (counted <= costs && (!isLast || counted === costs)) continue;
      judged.problems.push(`${counter}: counts ${counted} of ${letterId}, which costs ${costs}`);
    }
  }
  return { judged, ledger, letters, balance, holding, lifted };
};

type Paper = { terms: LetterTerms; personal: LetterPersonal };

const contentOf = ({ terms, personal }: Paper): string =>
  JSON.stringify([
    terms.commitment,
    terms.service,
    totalMicro(terms),
    personal.to,
    personal.from,
    personal.reference ?? null,
  ]);

/** A printed letter was approved as it is, by people who did not send it. */
const judgePrints = (
  log: readonly Happened[],
  cast: Cast,
  { holding, lifted }: Pick<ReturnType<typeof judgeMoney>, 'holding' | 'lifted'>,
) => {
  const problems: string[] = [];
  let approvals = 0;
  const letters = Map.groupBy(
    log.filter(({ letterId }) => letterId !== undefined),
    ({ letterId }) => letterId as string,
  );
  for (const [letterId, events] of letters) {
    let paper: Paper | undefined;
    let asked: { who: string; paper: string; attemptId: string; quorum: number } | undefined;
    let given: string[] = [];
    let queuedBy: string | undefined;
    let approvedAs: string | undefined;
    for (const happened of events) {
      const event = happened as unknown as LetterEvent;
      const { who } = happened;
      if ('terms' in event.data) {
        const personal = (happened as { personal?: LetterPersonal }).personal ?? paper?.personal;
        if (personal) paper = { terms: event.data.terms, personal };
      }
      if (event.type === 'ApprovalRequested' && paper) {
        const { attemptId, needs } = event.data;
        const quorum = Math.max(...needs.map((need) => need.quorum));
        asked = { who, paper: contentOf(paper), attemptId, quorum };
        given = [];
      } else if (event.type === 'ApprovalGiven') {
        approvals += 1;
        const [approver, sender] = [
          cast.credentials.get(who),
          cast.credentials.get(asked?.who ?? ''),
        ];
        if (!approver || !sender) problems.push(`${letterId}: ${who} approved for nobody`);
        else if (who !== 'operator' && cast.areRelated(approver, sender)) {
          problems.push(`${letterId}: ${who} approved what ${sender.name} sent`);
        }
        given.push(who);
      } else if (event.type === 'LetterQueued' && paper) {
        queuedBy = event.data.attemptId;
        approvedAs = undefined;
        if (asked?.attemptId === queuedBy) {
          approvedAs = asked.paper;
          if (contentOf(paper) !== asked.paper)
            problems.push(`${letterId}: queued as another letter`);
          if (new Set(given).size < asked.quorum) problems.push(`${letterId}: too few approved it`);
          const judgedAt = lifted.get(queuedBy);
          if (judgedAt === undefined || judgedAt > happened.position) {
            problems.push(`${letterId}: queued before its wallet judged the approval`);
          }
        } else if ((holding.get(queuedBy) ?? []).length > 0) {
          problems.push(`${letterId}: queued without the approval of ${holding.get(queuedBy)}`);
        }
      } else if (event.type === 'LetterProcessingStarted' && paper && approvedAs !== undefined) {
        const changed = events.some(
          ({ type, data }) =>
            type === 'LetterUpdated' &&
            (data as { changed: string[] }).changed.some((one) => one !== 'metadata'),
        );
        // A change is allowed where no rule holds the letter as it is then: judged with its payment.
        if (!changed && contentOf(paper) !== approvedAs) {
          problems.push(`${letterId}: printed as another letter`);
        }
      }
    }
  }
  return { problems, approvals };
};

/** A letter that waits, is queued or is printed is paid for, to the cent; every other one costs nothing. */
const judgePayments = (letters: PricedLetters, balance: Map<string, number>): string[] =>
  [...balance].flatMap(([letterId, micro]) => {
    const costs = letters.costOf(letterId);
    return micro === costs ? [] : [`${letterId}: costs ${costs}, paid ${micro}`];
  });

/** Changes of letters that are paid for: a rule that holds the letter then allows none. */
const judgeChanges = (log: readonly Happened[], cast: Cast): string[] => {
  const state = createState();
  const problems: string[] = [];
  const queued = new Set<string>();
  for (const happened of log) {
    if (happened.stream.startsWith('wallet-')) {
      follow(state, happened as unknown as WalletEvent);
      continue;
    }
    const event = happened as unknown as LetterEvent;
    const letterId = happened.letterId ?? '';
    if (event.type === 'LetterQueued') queued.add(letterId);
    if (event.type !== 'LetterUpdated' || !queued.has(letterId)) continue;
    if (event.data.changed.every((one) => one === 'metadata')) continue;
    const credential = cast.credentials.get(happened.who);
    const subjects = credential ? cast.lineOf(credential) : new Set<string>();
    const { terms } = event.data;
    for (const policy of applying(state, subjects)) {
      const matching = policy.rules.filter((rule) => fits(rule, terms.country, totalMicro(terms)));
      // A policy that was set between the decision and the change is not the change's fault.
      const age = happened.atMs - (policySetAt(log, policy) ?? 0);
      if (age > 1_000 && matching.some(({ effect }) => effect === 'hold' || effect === 'deny')) {
        problems.push(
          `${letterId}: changed by ${happened.who} although ${policy.subject} holds it`,
        );
      }
    }
  }
  return problems;
};

/** The letters that UCANs sent keep their caveats: no letter too many, too dear or to another country. */
const judgeCaveats = (log: readonly Happened[]): string[] => {
  const problems: string[] = [];
  const letters = new Map<string, Set<string>>();
  const attempts = new Set<string>();
  for (const { type, data, who, letterId = '' } of log) {
    const { attemptId, terms } = data as { attemptId?: string; terms?: LetterTerms };
    if (!terms || (type !== 'LetterQueued' && type !== 'ApprovalRequested')) continue;
    // An approver queues what another one sent.
    if (attemptId === undefined || attempts.has(attemptId)) continue;
    attempts.add(attemptId);
    const allowed = allowedBy[who];
    if (!allowed) continue;
    const { countries = [terms.country], max_total_minor: most = Number.POSITIVE_INFINITY } =
      allowed.caveat;
    if (!countries.includes(terms.country)) {
      problems.push(`${letterId}: ${who} sent it to ${terms.country}`);
    }
    if (totalMicro(terms) > most * 10_000) {
      problems.push(`${letterId}: ${who} paid ${totalMicro(terms)} of ${most} cents`);
    }
    for (const [cid, maxLetters] of Object.entries(allowed.maxLetters)) {
      const sent = (letters.get(cid) ?? new Set()).add(letterId);
      letters.set(cid, sent);
      if (sent.size > maxLetters) problems.push(`${cid}: ${sent.size} of ${maxLetters} letters`);
    }
  }
  return problems;
};

/** No accepted offer pays for more letters at once than it was for. */
const judgeOffers = (log: readonly Happened[]): string[] => {
  const problems: string[] = [];
  const quantities = new Map<string, number>();
  const users = new Map<string, Set<string>>();
  const paid = new Map<string, number>();
  for (const { type, data } of log) {
    if (type === 'OfferAccepted') {
      const { commitmentId, quantity } = data as { commitmentId: string; quantity: number };
      quantities.set(commitmentId, quantity);
    }
    if (type !== 'FundsReserved' && type !== 'FundsReleased' && type !== 'FundsRefunded') continue;
    const money = data as Extract<WalletEvent, { type: 'FundsReserved' }>['data'];
    const letterId = letterOf(money.purpose);
    if (letterId === undefined) continue;
    const total = money.cryptoMicro + money.fiatMicro;
    paid.set(letterId, (paid.get(letterId) ?? 0) + (type === 'FundsReserved' ? total : -total));
    const { commitmentId } = money;
    if (type !== 'FundsReserved' || commitmentId === undefined) continue;
    const letters = (users.get(commitmentId) ?? new Set()).add(letterId);
    users.set(commitmentId, letters);
    const using = [...letters].filter((one) => (paid.get(one) ?? 0) > 0).length;
    const quantity = quantities.get(commitmentId) ?? 0;
    if (using > quantity) problems.push(`${commitmentId}: ${using} of ${quantity} letters`);
  }
  return problems;
};

const isRecalled = ({ type, data }: Happened): boolean =>
  type === 'LetterCancelled' && (data as { from: string }).from === 'processing';

const isGoodwill = ({ type, data }: Happened): boolean =>
  type === 'FundsCredited' &&
  (data as { receipt: { id: string } }).receipt.id.startsWith('goodwill');

const isDiscounted = ({ type, data }: Happened): boolean =>
  type === 'LetterUpdated' && (data as { terms: LetterTerms }).terms.price.discount !== undefined;

const paidBy = (log: readonly Happened[], isSo: (one: Happened) => boolean): number =>
  log.filter((one) => one.type === 'FundsReserved' && isSo(one)).length;

const policySetAt = (log: readonly Happened[], { version }: Policy): number | undefined =>
  log.find(
    (one) => one.type === 'PolicySet' && (one.data as { version: number }).version === version,
  )?.atMs;

type Run = { world: World; cast: Cast; told: Told; processes: readonly { handler: Handler }[] };
type Handler = ReturnType<World['createProcess']>['handler'];

const loadWallet = async ({ world }: Run): Promise<Wallet> => {
  const loading = world.createProcess().handler.load(walletAggregate, account);
  await world.schedule.run(world.schedule.now() + 10_000);
  return (await loading).state;
};

/** The product shows as used exactly what the letters take. */
const judgeBudgets = ({ world }: Run, state: Wallet, { entries }: Ledger): string[] => {
  const at = world.clock();
  return budgetsOf(state, 'all', at).flatMap((budget) => {
    const policy = state.guards.policies.get(budget.policy);
    const rule = policy?.rules.find(({ id }) => id === budget.rule);
    if (!rule?.limit) return [];
    const counter = counterOf(budget.policy, rule);
    const { micro, letters } = usedOf(entries, counter, rule.limit.per, at);
    const taken = rule.limit.amountCents === undefined ? letters : micro;
    const shown = budget.used + budget.reserved;
    return shown === taken ? [] : [`${counter}: shows ${shown}, its letters take ${taken}`];
  });
};

export const problemsOf = async (run: Run) => {
  const log = await readLog(run.world);
  const money = judgeMoney(log, run.cast);
  const { judged, ledger, letters, balance, lifted } = money;
  const { problems, approvals } = judgePrints(log, run.cast, money);
  const wallet = await loadWallet(run);
  const budgets = judgeBudgets(run, wallet, ledger);
  const books = await judgeBooks(log, wallet, letters.waiting());
  const counts = {
    reserved: judged.reserved,
    held: judged.held,
    approvals,
    lifted: lifted.size,
    printed: run.told.printed.length,
    changed: log.filter(({ type }) => type === 'LetterUpdated').length,
    rejected: log.filter(({ type }) => type === 'ApprovalRejected').length,
    expired: log.filter(({ type }) => type === 'ApprovalExpired').length,
    frozen: log.filter(({ type }) => type === 'SpendingFrozen').length,
    // By the paths that are not a plain send with a key.
    byUcan: paidBy(log, ({ who }) => who in allowedBy),
    byPayer: paidBy(log, ({ who }) => who === 'payer'),
    byOffer: paidBy(log, ({ data }) => 'commitmentId' in data),
    counted: judged.counted,
    countedLate: judged.countedLate,
    abandoned: log.filter(({ type }) => type === 'SendAbandoned').length,
    disputed: log.filter(({ type }) => type === 'FundsChargedBack').length,
    booksClosed: log.filter(({ type }) => type === 'WalletPeriodClosed').length,
    refunded: log.filter(({ type }) => type === 'FundsRefunded').length,
    recalled: log.filter(isRecalled).length,
    deleted: log.filter(({ type }) => type === 'LetterErased').length,
    goodwill: log.filter(isGoodwill).length,
    discounted: log.filter(isDiscounted).length,
  };
  return {
    problems: [
      ...judged.problems,
      ...problems,
      ...judgeChanges(log, run.cast),
      ...judgeCaveats(log),
      ...judgeOffers(log),
      ...judgePayments(letters, balance),
      ...budgets,
      ...books,
    ],
    counts,
  };
};
