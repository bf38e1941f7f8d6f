import { AppError } from '../../contract/errors.ts';
import type { Held, LetterCount } from '../../events/policy.ts';
import { type Purpose, toAmounts, type WalletEvent } from '../../events/wallet.ts';
import { decimalOf, dollars, type MicroUsd, wholeCents } from '../../money/amounts.ts';
import { type Amounts, add, type Bucket, covers, inBucket, sum } from '../../money/buckets.ts';
import { amountsOf, type Charge, splitCharge, totalOf } from '../../money/charge.ts';
import { alertsRaised } from '../policies/alerts.ts';
import { approvalRequired, heldBy, type PolicyHold } from '../policies/approvals.ts';
import { decidingDenial, policyDenied } from '../policies/denial.ts';
import { evaluate, type GuardedSend, noVerdict, type Verdict } from '../policies/evaluate.ts';
import { assertNotFrozen } from '../policies/frozen.ts';
import { thresholdsReached } from '../policies/thresholds.ts';
import { assertWithin } from './max-total.ts';
import type { Reservation } from './reservations.ts';
import { settling } from './settle-reservation.ts';
import { reservationOf, usesOf, type Wallet } from './state.ts';
import { paidByAttempt } from './wallet.ts';

export type ReserveFunds = {
  type: 'ReserveFunds';
  purpose: Purpose;
  /** Identifies this attempt to pay; the same one again reserves nothing more. */
  attemptId: string;
  /** Price before commission, in whole cents. */
  subtotalMicro: MicroUsd;
  /** The caller's ceiling for the total. */
  maxTotalMicro?: MicroUsd | undefined;
  /** The total so far, where the price is only the difference to it. */
  soFarMicro?: MicroUsd | undefined;
  /**
   * The available balance falls below this at most once until it was above again. Absent: there is no
   * notification.
   */
  lowMicro?: MicroUsd;
  /** Money held for this is used instead of the available balance, as long as it is held. */
  from?: Purpose | undefined;
  /** The price is locked by a commitment: the agreed price is charged instead of `subtotalMicro`. */
  commitment?: LockedPrice | undefined;
  /** Pays all of the price, not a difference to the held amount. */
  isSend?: boolean;
  /** Whether the letter can wait for approval; otherwise it is refused if a policy holds it. */
  mayWait?: boolean;
  /** The facts that policies judge; absent: it is not for a letter. */
  guard?: LetterGuard | undefined;
};

/** A letter for the policies of its account and of the credential that sends or changes it. */
export type LetterGuard = Pick<GuardedSend, 'letter' | 'subjects' | 'at'> & {
  /** The price that was paid before, and the attempts that the letter rests on: these took of the limits already. */
  paidMicro?: MicroUsd;
  attempts?: readonly string[];
};

/** The price locked by a commitment. All of the charge is from one bucket; test money counts as either. */
export type LockedPrice = {
  commitmentId: string;
  quantity: number;
  bucket: Bucket;
  charge: Charge;
};

/** The charge that may take the wallet below zero, apart from a charge-back: an agreed shortfall. */
const mayOverdraw: Record<Purpose['kind'], boolean> = {
  letter: false,
  order: false,
  'volume-contract': true,
};

/** The amount that each bucket can pay: the other bucket makes up for one below zero. */
export const spendable = ({ crypto, fiat }: Amounts): Amounts => {
  if (crypto < 0n) return { crypto: 0n, fiat: fiat + crypto };
  return fiat < 0n ? { crypto: crypto + fiat, fiat: 0n } : { crypto, fiat };
};

/**
 * Reports that this reservation takes the available balance below the threshold; later ones do not report it
 * again.
 */
const ranLow = (
  available: Amounts,
  reserved: Amounts,
  low: MicroUsd | undefined,
): WalletEvent[] => {
  const before = sum(available);
  const after = before - sum(reserved);
  if (low === undefined || before < low || after >= low) return [];
  const data = { availableMicro: Number(after), thresholdMicro: Number(low) };
  return [{ type: 'WalletRanLow', data }];
};

/** A locked price from its bucket; in test mode from the other one where that one has less. */
const lockedCharge = (
  { test }: Wallet,
  { bucket, charge }: LockedPrice,
  funds: Amounts,
): Charge => {
  if (!test || covers(funds, amountsOf(charge))) return charge;
  const other = bucket === 'crypto' ? 'fiat' : 'crypto';
  return {
    subtotal: inBucket(other, sum(charge.subtotal)),
    commission: inBucket(other, sum(charge.commission)),
  };
};

/** @param purpose that may use it already @throws AppError commitment_consumed */
export const assertUnused = (
  state: Wallet,
  { commitmentId, quantity }: LockedPrice,
  purpose?: Purpose,
): void => {
  if (usesOf(state, commitmentId, purpose) < quantity) return;
  throw new AppError(
    'commitment_consumed',
    quantity === 1
      ? 'The commitment was used for another letter. Ask for a new offer: POST /api/anp/offer.'
      : `All ${quantity} letters of the commitment are used. Ask for a new offer: POST /api/anp/offer.`,
  );
};

/**
 * While one send of a letter holds its price, another one at another price waits: what is given back of
 * the two does not tell which, and a commitment would stay used by a letter that costs something else.
 * @throws AppError conflict
 */
const assertOnePrice = ({ attempts }: Reservation, { commitment, isSend }: ReserveFunds): void => {
  const same = attempts.every(({ commitmentId }) => commitmentId === commitment?.commitmentId);
  if (!isSend || same) return;
  throw new AppError(
    'conflict',
    'The letter is being sent at another price at the same moment. Read it, and send it again if it is still a draft.',
  );
};

/** Counts that the letter already has. */
const countedFor = (state: Wallet, purpose: Purpose, attempts: readonly string[]): LetterCount[] =>
  attempts.length === 0
    ? []
    : (reservationOf(state, purpose)?.counts ?? []).filter(({ attemptId }) =>
        attempts.includes(attemptId),
      );

/** The verdict of policies on a letter. @throws AppError frozen */
const verdictOn = (
  state: Wallet,
  purpose: Purpose,
  guard: LetterGuard | undefined,
  total: MicroUsd,
): { verdict: Verdict; priceMicro: MicroUsd } => {
  const { guards } = state;
  const priceMicro = (guard?.paidMicro ?? 0n) + total;
  if (!guard) return { verdict: noVerdict, priceMicro };
  assertNotFrozen(guards, guard.subjects);
  if (guards.policies.size === 0) return { verdict: noVerdict, priceMicro };
  const { letter, subjects, at, attempts = [] } = guard;
  const counted = countedFor(state, purpose, attempts);
  const verdict = evaluate(guards, { letter, subjects, at, priceMicro, counted });
  return { verdict, priceMicro };
};

/** @throws AppError policy_denied */
export const assertAllowed = ({
  verdict: { denials },
  priceMicro,
}: Pick<JudgedReservation, 'verdict' | 'priceMicro'>): void => {
  const denial = decidingDenial(denials);
  if (denial) throw policyDenied(denial, priceMicro);
};

/** The approvals that the letter waits for. @throws AppError approval_required where it cannot wait */
const heldFor = (
  { verdict: { holds } }: Pick<JudgedReservation, 'verdict'>,
  mayWait = false,
): Held | undefined => {
  if (holds.length > 0 && !mayWait) throw approvalRequired(holds);
  return heldBy(holds);
};

/**
 * The policies that hold a letter now that waits for approval. Its price counts for their limits already.
 * @throws AppError policy_denied, frozen
 */
export const holdsNow = (
  state: Wallet,
  { purpose, guard }: { purpose: Purpose; guard: LetterGuard },
): PolicyHold[] => {
  const judged = verdictOn(state, purpose, guard, 0n);
  assertAllowed(judged);
  return judged.verdict.holds;
};

/** Counts a letter for limits that it did not count for, under an attempt, and alerts the owner of it. */
const countsMore = (
  state: Wallet,
  { purpose, attemptId, guard }: LiftHold,
  verdict: Verdict,
): WalletEvent[] => {
  const counted = verdict.counted.filter(
    ({ count: { amountMicro, letters } }) => amountMicro > 0 || letters > 0,
  );
  const counts = counted.map(({ count }) => count);
  const more: WalletEvent[] =
    counts.length === 0 ? [] : [{ type: 'LetterCounted', data: { purpose, attemptId, counts } }];
  return [...more, ...alertsOf(state, purpose, guard, { ...verdict, counted })];
};

type LiftHold = { purpose: Purpose; attemptId: string; guard: LetterGuard | undefined };

/**
 * Lets a letter go that waited for its last approval, as long as its money is held and the wallet is not below zero.
 * Moves no money: the event puts the decision in order with those that freeze, limit and take money back. The letter
 * counts for limits that were set since it was sent.
 * @throws AppError insufficient_funds, policy_denied, frozen
 */
export const liftHold = (state: Wallet, { purpose, attemptId, guard }: LiftHold): WalletEvent[] => {
  const paid = paidByAttempt(state, purpose, attemptId);
  if (!paid?.held) return [];
  if (sum(state.available) < 0n) {
    const missing = dollars(-wholeCents(sum(state.available)));
    throw new AppError(
      'insufficient_funds',
      `Since the letter was sent, money of the wallet was taken back or charged, so the wallet is ${missing} below zero. Top up the wallet and approve again.`,
      {
        extra: {
          total: decimalOf(totalOf(paid.charge)),
          available: decimalOf(wholeCents(sum(state.available))),
          currency: 'USD',
        },
      },
    );
  }
  const judged = verdictOn(state, purpose, guard, 0n);
  assertAllowed(judged);
  return [
    ...countsMore(state, { purpose, attemptId, guard }, judged.verdict),
    { type: 'HoldLifted', data: { purpose, attemptId } },
  ];
};

/** Alerts for the owner about the letter: its budgets, and the letter itself. */
const alertsOf = (
  state: Wallet,
  purpose: Purpose,
  guard: LetterGuard | undefined,
  verdict: Verdict,
): WalletEvent[] => {
  if (!guard || state.guards.policies.size === 0) return [];
  const alerted = reservationOf(state, purpose)?.alerted ?? [];
  return [
    ...thresholdsReached(state.guards, verdict.counted),
    ...alertsRaised(state.guards, verdict, { ...guard, purpose, alerted }),
  ];
};

/** `attemptId`: the attempt to change the letter. */
type CountChange = { purpose: Purpose; attemptId: string; guard: LetterGuard };

/** Whether a letter counts for limits by an attempt. */
export const countsBy = (state: Wallet, purpose: Purpose, attemptId: string): boolean =>
  reservationOf(state, purpose)?.counts?.some((count) => count.attemptId === attemptId) ?? false;

/**
 * Counts a letter that changes and does not cost more, for limits that it did not count for.
 * @throws AppError policy_denied, approval_required, frozen
 */
export const countChange = (state: Wallet, command: CountChange): WalletEvent[] => {
  const { purpose, attemptId, guard } = command;
  const attempts = [...(guard.attempts ?? []), attemptId];
  const judged = verdictOn(state, purpose, { ...guard, attempts }, 0n);
  assertAllowed(judged);
  heldFor(judged);
  return countsMore(state, command, judged.verdict);
};

/** More than any price. */
const moreThanAny: MicroUsd = 1n << 62n;

/** The charge of a reservation, its funds, and the verdict of policies on it. */
export type JudgedReservation = {
  charge: Charge;
  /** The money that pays it. */
  funds: Amounts;
  /** Money that is held for it already. */
  held: Reservation | undefined;
  verdict: Verdict;
  /** All of the price that policies judge. */
  priceMicro: MicroUsd;
};

/**
 * Prices a reservation and judges it by the policies, before it is asked whether the money is there.
 * @param bucket that will pay all of it; absent: what the wallet has
 * @throws AppError max_total_exceeded, letter_not_updatable, commitment_consumed, conflict, frozen
 */
export const judgeReservation = (
  state: Wallet,
  command: ReserveFunds,
  bucket?: Bucket,
): JudgedReservation => {
  const { purpose, subtotalMicro, maxTotalMicro, soFarMicro = 0n } = command;
  const existing = reservationOf(state, purpose);
  if (existing?.state === 'captured') {
    throw new AppError(
      'letter_not_updatable',
      'The letter is in production and cannot be changed.',
    );
  }
  if (existing) assertOnePrice(existing, command);
  const held = command.from && reservationOf(state, command.from);
  const present = held ?? spendable(state.available);
  const funds = bucket === undefined ? present : inBucket(bucket, moreThanAny);
  const locked = command.commitment;
  if (locked) assertUnused(state, locked, purpose);
  const charge = locked
    ? lockedCharge(state, locked, funds)
    : splitCharge(subtotalMicro, funds.crypto);
  const total = totalOf(charge);
  assertWithin(soFarMicro + total, maxTotalMicro);
  return { charge, funds, held, ...verdictOn(state, purpose, command.guard, total) };
};

/**
 * Holds a price: crypto first, commission on each part by its bucket; or a locked one, from its bucket.
 * @throws AppError insufficient_funds, max_total_exceeded, letter_not_updatable, commitment_consumed, conflict,
 * policy_denied, approval_required, frozen
 */
export const reserveFunds = (state: Wallet, command: ReserveFunds): WalletEvent[] => {
  const { purpose, attemptId, commitment: locked } = command;
  const existing = reservationOf(state, purpose);
  if (existing?.attempts.some((attempt) => attempt.attemptId === attemptId)) return [];
  const judged = judgeReservation(state, command);
  assertAllowed(judged);
  const { charge, funds, held } = judged;
  const counts = judged.verdict.counted.map(({ count }) => count);
  const waitsFor = heldFor(judged, command.mayWait);
  const amounts = amountsOf(charge);
  if (!covers(funds, amounts) && !mayOverdraw[purpose.kind]) {
    throw insufficientFunds(state, totalOf(charge), command);
  }
  return [
    ...(held ? [settling('FundsReleased', held.purpose, held)] : []),
    {
      type: 'FundsReserved',
      data: {
        purpose,
        attemptId,
        ...toAmounts(amounts),
        commissionCryptoMicro: Number(charge.commission.crypto),
        commissionFiatMicro: Number(charge.commission.fiat),
        ...(locked ? { commitmentId: locked.commitmentId } : {}),
        ...(waitsFor ? { held: waitsFor } : {}),
        ...(counts.length > 0 ? { counts } : {}),
      },
    },
    ...alertsOf(state, purpose, command.guard, judged.verdict),
    ...(held ? [] : ranLow(state.available, amounts, command.lowMicro)),
  ];
};

/**
 * Refuses a payment that would not pay for the letter. It comes into the wallet, and a wallet below zero pays for nothing.
 * @param bucket of the payment
 * @throws AppError insufficient_funds
 */
export const assertPays = (
  { available }: Wallet,
  { subtotalMicro, commitment }: Pick<ReserveFunds, 'subtotalMicro' | 'commitment'>,
  { charge }: Pick<JudgedReservation, 'charge'>,
  bucket: Bucket,
): void => {
  const total = totalOf(charge);
  const funds = spendable(add(available, inBucket(bucket, total)));
  const needed = commitment ? charge : splitCharge(subtotalMicro, funds.crypto);
  if (covers(funds, amountsOf(needed))) return;
  const isOneKind = commitment !== undefined && sum(available) >= 0n;
  const has = wholeCents(isOneKind ? available[bucket] : sum(available));
  throw new AppError(
    'insufficient_funds',
    `The wallet has ${dollars(has)}${isOneKind ? ` of ${moneyOf[bucket]}` : ''} available, so a payment of the price does not pay for the letter. Top up the wallet first, then send the letter.`,
    { extra: { total: decimalOf(total), available: decimalOf(has), currency: 'USD' } },
  );
};

const moneyOf: Record<Bucket, string> = {
  crypto: 'cryptocurrency money',
  fiat: 'card or other non-cryptocurrency money',
};

const insufficientFunds = (
  state: Wallet,
  due: MicroUsd,
  { commitment, soFarMicro }: Pick<ReserveFunds, 'commitment' | 'soFarMicro'>,
): AppError => {
  const locked = state.test ? undefined : commitment;
  const funds = spendable(state.available);
  const available = wholeCents(locked ? funds[locked.bucket] : sum(state.available));
  const amounts = { available: decimalOf(available), currency: 'USD' };
  if (soFarMicro !== undefined) {
    return new AppError(
      'insufficient_funds',
      `The change costs ${dollars(due)} more, but the wallet has only ${dollars(available)} available. Top up the wallet and change the letter again.`,
      {
        extra: { total: decimalOf(soFarMicro + due), additional: decimalOf(due), ...amounts },
      },
    );
  }
  return new AppError(
    'insufficient_funds',
    locked
      ? `The commitment needs ${dollars(due)} of ${moneyOf[locked.bucket]}, but the wallet has only ${dollars(available)} of it available. Top up that money, or accept a new offer for the other payment_method.`
      : `The letter costs ${dollars(due)}, but the wallet has only ${dollars(available)} available. Top up the wallet and send again.`,
    { extra: { total: decimalOf(due), ...amounts } },
  );
};
