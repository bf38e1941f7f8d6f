import { AppError } from '../../contract/errors.ts';
import type { Held, LetterCount } from '../../events/policy.ts';
import {
  amountsIn,
  type CarriedReservation,
  commissionIn,
  mostAttempts,
  type Purpose,
  type Receipt,
  toAmounts,
  type WalletEvent,
  walletStream,
} from '../../events/wallet.ts';
import { decimalOf, dollars, type MicroUsd, wholeCents } from '../../money/amounts.ts';
import {
  type Amounts,
  add,
  type Bucket,
  covers,
  equal,
  inBucket,
  nothing,
  subtract,
  sum,
} from '../../money/buckets.ts';
import { amountsOf, type Charge, reduceCharge, splitCharge, totalOf } from '../../money/charge.ts';
import type { Aggregate } from '../handling/aggregate.ts';
import { alertsRaised } from '../policies/alerts.ts';
import { approvalRequired, heldBy, type PolicyHold } from '../policies/approvals.ts';
import { decidingDenial, policyDenied } from '../policies/denial.ts';
import { evaluate, type GuardedSend, noVerdict, type Verdict } from '../policies/evaluate.ts';
import { assertNotFrozen } from '../policies/frozen.ts';
import { thresholdsReached } from '../policies/thresholds.ts';
import { closeBooks, isOpen, successor } from './books.ts';
import type { Reservation } from './reservations.ts';
import {
  evolve,
  initialState,
  keyOf,
  reservationOf,
  staysKnown,
  usesOf,
  type Wallet,
} from './state.ts';

/** The charge of an attempt, and the approvals that its letter waits for. */
export type Paid = { charge: Charge; held: Held | undefined };

export const paidByAttempt = (
  state: Wallet,
  purpose: Purpose,
  attemptId: string,
): Paid | undefined => {
  const attempts = reservationOf(state, purpose)?.attempts;
  const attempt = attempts?.find((one) => one.attemptId === attemptId);
  if (!attempt) return undefined;
  const commission = commissionIn(attempt);
  const charge = { subtotal: subtract(amountsIn(attempt), commission), commission };
  return { charge, held: attempt.held };
};

export const chargeOfAttempt = (...attempt: Parameters<typeof paidByAttempt>): Charge | undefined =>
  paidByAttempt(...attempt)?.charge;

type OpenWallet = { type: 'OpenWallet'; accountId: string; test: boolean };

/** Opens the wallet once. */
export const openWallet = (state: Wallet, { accountId, test }: OpenWallet): WalletEvent[] =>
  state.status === 'none'
    ? [{ type: 'WalletOpened', data: { accountId, test, remembersRefunds: true } }]
    : [];

export type CreditFunds = {
  type: 'CreditFunds';
  receipt: Receipt;
  bucket: Bucket;
  amountMicro: MicroUsd;
  reference?: string;
};

/** Adds money from outside, once per receipt. */
export const creditFunds = (state: Wallet, command: CreditFunds): WalletEvent[] => {
  const { receipt, bucket, amountMicro, reference } = command;
  if (state.receipts.has(receipt.id)) return [];
  if (amountMicro <= 0n) throw new Error('a credit is more than zero');
  return [
    {
      type: 'FundsCredited',
      data: { receipt, bucket, amountMicro: Number(amountMicro) },
      ...(reference === undefined ? {} : { personal: { reference } }),
    },
  ];
};

/** The purpose of a credit. */
export type Hold = { purpose: Purpose; attemptId: string; commissionMicro: MicroUsd };

/** Credits and holds all of it for a purpose, in one commit: nothing else is paid with it. */
export const creditAndHold = (state: Wallet, command: CreditFunds, hold: Hold): WalletEvent[] => {
  const credited = creditFunds(state, command);
  if (credited.length === 0) return [];
  const { purpose, attemptId, commissionMicro } = hold;
  const commission = inBucket(command.bucket, commissionMicro);
  const reserved: WalletEvent = {
    type: 'FundsReserved',
    data: {
      purpose,
      attemptId,
      ...toAmounts(inBucket(command.bucket, command.amountMicro)),
      commissionCryptoMicro: Number(commission.crypto),
      commissionFiatMicro: Number(commission.fiat),
    },
  };
  return [...credited, reserved];
};

type ChargeBackFunds = {
  type: 'ChargeBackFunds';
  /** Of the charge-back itself. */
  receipt: Receipt;
  /** Id of the receipt that was credited. */
  creditId: string;
  amountMicro: MicroUsd;
};

/**
 * Takes a credit back, or a part of it, once per receipt. Includes money that is spent already, so that the
 * balance may fall below zero. A wallet below zero reserves nothing.
 * @throws Error for a credit that this wallet never got, or more than is left of it
 */
export const chargeBackFunds = (state: Wallet, command: ChargeBackFunds): WalletEvent[] => {
  const { receipt, creditId, amountMicro } = command;
  const receipts = state.receipts;
  if (receipts.has(receipt.id)) return [];
  const credited = receipts.get(creditId);
  if (!credited) throw new Error(`charge-back ${receipt.id}: there is no credit ${creditId}`);
  const { bucket, reversibleMicro } = credited;
  if (amountMicro <= 0n) throw new Error('a charge-back is more than zero');
  if (amountMicro > reversibleMicro) {
    throw new Error(
      `charge-back ${receipt.id} is ${dollars(amountMicro)}; of credit ${creditId} only ${dollars(reversibleMicro)} can be charged back`,
    );
  }
  const data = { receipt, creditId, bucket, amountMicro: Number(amountMicro) };
  return [{ type: 'FundsChargedBack', data }];
};

/** Receipt of the money returned for a credit after it was charged back. */
export const reinstatedId = (creditId: string, by: string): string =>
  `${creditId}:reinstated:${by}`;

/** Receipt of the money by which an operator raised a credit. */
const raisedId = (creditId: string, by: string): string => `${creditId}:raised:${by}`;

type CreditPart = { id: string; leftMicro: MicroUsd };

/** The rest of a credit, including amounts that were returned or by which it was raised. */
export const partsOfCredit = ({ receipts }: Wallet, creditId: string): CreditPart[] => {
  const more = [reinstatedId(creditId, ''), raisedId(creditId, '')];
  return [...receipts].flatMap(([id, { reversibleMicro: leftMicro }]) =>
    leftMicro > 0n && (id === creditId || more.some((prefix) => id.startsWith(prefix)))
      ? [{ id, leftMicro }]
      : [],
  );
};

/** The sum that is left of the parts of a credit. */
export const restOf = (parts: readonly CreditPart[]): MicroUsd =>
  parts.reduce((rest, { leftMicro }) => rest + leftMicro, 0n);

/** Charges an amount back to the parts of a credit, in their order, and takes it out of `parts`. */
export const chargeBackParts = (
  state: Wallet,
  parts: CreditPart[],
  wholeMicro: MicroUsd,
  /** The receipt of the charge-back of a part; `taken`: the number of parts charged back before it. */
  receiptOf: (part: CreditPart, taken: number) => Receipt,
): WalletEvent[] => {
  let rest = wholeMicro;
  const events: WalletEvent[] = [];
  for (const part of parts) {
    const amountMicro = rest < part.leftMicro ? rest : part.leftMicro;
    if (amountMicro === 0n) continue;
    const receipt = receiptOf(part, events.length);
    const { id: creditId } = part;
    events.push(
      ...chargeBackFunds(state, { type: 'ChargeBackFunds', receipt, creditId, amountMicro }),
    );
    rest -= amountMicro;
    part.leftMicro -= amountMicro;
  }
  return events;
};

/**
 * Takes a credit back whole, once, whether it was credited or was still to be: one that comes late finds its
 * receipt used.
 */
export const takeBackCredit = (state: Wallet, command: CreditFunds): WalletEvent[] => {
  const { receipt, bucket, amountMicro } = command;
  const back = { method: receipt.method, id: `${receipt.id}:reverted` };
  if (state.receipts.has(back.id)) return [];
  const data = { receipt: back, creditId: receipt.id, bucket, amountMicro: Number(amountMicro) };
  return [...creditFunds(state, command), { type: 'FundsChargedBack', data }];
};

type AdjustCredit = {
  type: 'AdjustCredit';
  /** Of the adjustment itself. */
  receipt: Receipt;
  /** Id of the receipt that was credited wrongly. */
  creditId: string;
  /** The amount that the credit should have had. */
  rightMicro: MicroUsd;
  reason: string;
  /** Whether it may reduce the available balance below zero. */
  mayOverdraw: boolean;
};

/**
 * Makes a credit by an operator what it should have been, once per receipt.
 * @throws AppError insufficient_funds when it was spent meanwhile; Error for a credit there never was
 */
export const adjustCredit = (state: Wallet, command: AdjustCredit): WalletEvent[] => {
  const { receipt, creditId, rightMicro, reason, mayOverdraw: belowZero } = command;
  const raised = { ...receipt, id: raisedId(creditId, receipt.id) };
  if (state.receipts.has(receipt.id) || state.receipts.has(raised.id)) return [];
  const credited = state.receipts.get(creditId);
  if (!credited) throw new Error(`there is no credit ${creditId}`);
  const { bucket } = credited;
  const reference = reason;
  const parts = partsOfCredit(state, creditId);
  const amountMicro = restOf(parts) - rightMicro;
  if (amountMicro === 0n) return [];
  if (amountMicro < 0n) {
    const more = { receipt: raised, bucket, amountMicro: -amountMicro, reference };
    return creditFunds(state, { type: 'CreditFunds', ...more });
  }
  if (!belowZero && amountMicro > state.available[bucket]) {
    throw new AppError(
      'insufficient_funds',
      `Only ${dollars(state.available[bucket])} (${bucket}) is left of the ${dollars(amountMicro)}. Use --below-zero to take it anyway.`,
    );
  }
  const { method, id } = receipt;
  return chargeBackParts(state, parts, amountMicro, (_, taken) => ({
    method,
    id: taken === 0 ? id : `${id}:${taken}`,
  })).map((event) => ({ ...event, personal: { reference } }) as WalletEvent);
};

export type ReserveFunds = {
  type: 'ReserveFunds';
  purpose: Purpose;
  /** Identifies this attempt to pay; the same one again reserves nothing more. */
  attemptId: string;
  /** Price before commission, in whole cents. */
  subtotalMicro: MicroUsd;
  /** The caller's ceiling for the total. */
  maxTotalMicro?: MicroUsd;
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

type LiftHold = { purpose: Purpose; attemptId: string };

/**
 * Lets a letter go that waited for its last approval, as long as its money is held and the wallet is not below zero.
 * Moves no money: the event puts the decision in order with those that freeze, limit and take money back.
 * @throws AppError insufficient_funds
 */
export const liftHold = (state: Wallet, { purpose, attemptId }: LiftHold): WalletEvent[] => {
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
  return [{ type: 'HoldLifted', data: { purpose, attemptId } }];
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
  const counted = judged.verdict.counted.filter(
    ({ count: { amountMicro, letters } }) => amountMicro > 0 || letters > 0,
  );
  const counts = counted.map(({ count }) => count);
  const more: WalletEvent[] =
    counts.length === 0 ? [] : [{ type: 'LetterCounted', data: { purpose, attemptId, counts } }];
  return [...more, ...alertsOf(state, purpose, guard, { ...judged.verdict, counted })];
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
  const { purpose, subtotalMicro, maxTotalMicro } = command;
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
  if (maxTotalMicro !== undefined && total > maxTotalMicro) {
    throw new AppError(
      'max_total_exceeded',
      `The price is ${dollars(total)}, which is above max_total ${dollars(maxTotalMicro)}. Raise max_total or choose a cheaper service.`,
      { extra: { total: decimalOf(total), currency: 'USD' } },
    );
  }
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
    throw insufficientFunds(state, totalOf(charge), state.test ? undefined : locked);
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

export type ChargeAgreed = Pick<
  ReserveFunds,
  'purpose' | 'attemptId' | 'subtotalMicro' | 'lowMicro'
> & { type: 'ChargeAgreed' };

/**
 * Takes the amount that was agreed to before, once per attempt, even if the wallet falls below zero. An amount that was
 * given back since is not taken again.
 */
export const chargeAgreed = (state: Wallet, command: ChargeAgreed): WalletEvent[] => {
  if (state.refunded.has(keyOf(command.purpose))) return [];
  return reserveFunds(state, { ...command, type: 'ReserveFunds' }).flatMap(
    (event): WalletEvent[] => {
      if (event.type !== 'FundsReserved') return [event];
      const { attemptId: _, commitmentId: __, counts: ___, held: ____, ...spent } = event.data;
      return [event, { type: 'FundsCaptured', data: spent }];
    },
  );
};

export type ReduceAgreed = Pick<ReserveFunds, 'purpose' | 'attemptId' | 'subtotalMicro'> & {
  type: 'ReduceAgreed';
  /** The part of the charge that closed periods did not carry; absent: nothing was forgotten. */
  forgotten?: CarriedReservation | undefined;
};

/** Takes up what the books forgot in the present period, as if it had been carried. */
const takeUp = (state: Wallet, forgotten: CarriedReservation | undefined): WalletEvent[] => {
  if (!forgotten || reservationOf(state, forgotten.purpose)) return [];
  if (equal(amountsIn(forgotten), nothing)) return [];
  return [{ type: 'ReservationsCarriedForward', data: { reservations: [forgotten] } }];
};

/**
 * Gives back what was taken by `chargeAgreed` beyond a charge on `subtotalMicro`, to the buckets that paid it. Once:
 * what was given back is not spent any more. A higher subtotal than that of the reduction before changes nothing.
 * @throws Error if nothing was taken for the purpose
 */
export const reduceAgreed = (before: Wallet, command: ReduceAgreed): WalletEvent[] => {
  const { purpose, attemptId, subtotalMicro, forgotten } = command;
  const takenUp = takeUp(before, forgotten);
  const state = takenUp.reduce((wallet, event) => evolve(wallet, event, ''), before);
  const reservation = reservationOf(state, purpose);
  const charge = chargeOfAttempt(state, purpose, attemptId);
  if (!reservation || !charge) {
    if (state.refunded.has(keyOf(purpose))) return [];
    throw new Error(`the wallet of ${state.accountId} knows of no charge for ${purpose.id}`);
  }
  const needed = amountsOf(reduceCharge(charge, subtotalMicro));
  if (!covers(reservation, needed) || equal(reservation, needed)) return [];
  return [...takenUp, settling('FundsRefunded', purpose, subtract(reservation, needed))];
};

const moneyOf: Record<Bucket, string> = {
  crypto: 'cryptocurrency money',
  fiat: 'card or other non-cryptocurrency money',
};

const insufficientFunds = (
  state: Wallet,
  total: MicroUsd,
  locked: LockedPrice | undefined,
): AppError => {
  const funds = spendable(state.available);
  const available = wholeCents(locked ? funds[locked.bucket] : sum(state.available));
  return new AppError(
    'insufficient_funds',
    locked
      ? `The commitment needs ${dollars(total)} of ${moneyOf[locked.bucket]}, but the wallet has only ${dollars(available)} of it available. Top up that money, or accept a new offer for the other payment_method.`
      : `The letter costs ${dollars(total)}, but the wallet has only ${dollars(available)} available. Top up the wallet and send again.`,
    { extra: { total: decimalOf(total), available: decimalOf(available), currency: 'USD' } },
  );
};

/**
 * The target that the stream of the purpose sets for its reservation. `knownAttempts` are the payment
 * attempts that it rests on or has forbidden. `over`: the target is nothing, and no attempt can succeed any
 * more; `spent` is the charge if production had started, so that it may have been spent. `accepted` are the attempts
 * that the letter was accepted with, whatever came of it then: the others no longer count for limits once they are
 * known. Absent: all stay.
 */
export type ReservationTarget = { accepted?: string[] } & (
  | { state: 'over'; spent?: Charge | undefined }
  | { state: 'held' | 'captured'; charge: Charge; knownAttempts: string[] }
);

type SettleReservation = {
  type: 'SettleReservation';
  purpose: Purpose;
  target: ReservationTarget;
};

type Settling = 'FundsReleased' | 'FundsRefunded';

const settling = (type: Settling, purpose: Purpose, amounts: Amounts): WalletEvent => ({
  type,
  data: { purpose, ...toAmounts(amounts) },
});

/** The wallet and the stream of the purpose disagree, or the stream was read before it changed. */
export class LessHeld extends Error {
  constructor({ kind, id }: Purpose) {
    super(`less is held for ${kind} ${id} than it costs`);
    this.name = 'LessHeld';
  }
}

/** @throws LessHeld if less is held than is needed */
const surplusOver = (reservation: Reservation, needed: Amounts): Amounts => {
  if (!covers(reservation, needed)) throw new LessHeld(reservation.purpose);
  return subtract(reservation, needed);
};

/** Attempts that failed, and those that can still succeed. */
type Attempts = { undone: string[]; undecided: string[] };

const listed = <K extends string>(name: K, attempts: string[]): { [name in K]?: string[] } =>
  attempts.length === 0 ? {} : ({ [name]: attempts.slice(0, mostAttempts) } as Record<K, string[]>);

/** Gives money back, and with it what attempts that failed count for limits. */
const release = (
  { purpose, counts }: Reservation,
  surplus: Amounts,
  { undone, undecided }: Attempts,
): WalletEvent[] => {
  if (sum(surplus) === 0n && undone.length === 0) return [];
  const attempts = counts ? { ...listed('undone', undone), ...listed('undecided', undecided) } : {};
  return [{ type: 'FundsReleased', data: { purpose, ...toAmounts(surplus), ...attempts } }];
};

/**
 * The attempts that count for limits and whose money is in `freed`, the latest first. An earlier version gave the money
 * of attempts back without their counts: no money is there for those, and their counts stay.
 */
const undoneIn = (
  { counts = [], attempts }: Reservation,
  isUndone: (attemptId: string) => boolean,
  freed: Amounts,
): string[] => {
  const counted = [...new Set(counts.map(({ attemptId }) => attemptId))].filter(isUndone);
  let left = sum(freed);
  return counted.toReversed().filter((attemptId) => {
    const attempt = attempts.find((one) => one.attemptId === attemptId);
    const money = attempt ? sum(amountsIn(attempt)) : 0n;
    if (money > left) return false;
    left -= money;
    return true;
  });
};

const capture = (purpose: Purpose, charge: Charge): WalletEvent => ({
  type: 'FundsCaptured',
  data: {
    purpose,
    ...toAmounts(amountsOf(charge)),
    commissionCryptoMicro: Number(charge.commission.crypto),
    commissionFiatMicro: Number(charge.commission.fiat),
  },
});

/**
 * Refunds everything. Charges that are older than the books remember are refunded as the stream of their purpose
 * says, unless they were refunded before. Money from the start of production is spent first, so that the refund
 * is remembered. Money that an attempt held after the refund is only released: it is not the charge.
 */
const giveAllBack = (
  state: Wallet,
  purpose: Purpose,
  { spent, accepted }: Extract<ReservationTarget, { state: 'over' }>,
): WalletEvent[] => {
  const reservation = reservationOf(state, purpose);
  if (!reservation) {
    const forgotten =
      state.period > 0 && state.remembersRefunds && !state.refunded.has(keyOf(purpose));
    return spent && forgotten ? [settling('FundsRefunded', purpose, amountsOf(spent))] : [];
  }
  if (staysKnown(reservation) && equal(reservation, nothing)) return [];
  const isUndone = (attemptId: string) => accepted?.includes(attemptId) === false;
  const ended = { undone: undoneIn(reservation, isUndone, reservation), undecided: [] };
  if (reservation.state === 'captured') {
    return [
      ...release(reservation, nothing, ended),
      settling('FundsRefunded', purpose, reservation),
    ];
  }
  if (!spent || state.refunded.has(keyOf(purpose))) return release(reservation, reservation, ended);
  return [
    ...release(reservation, surplusOver(reservation, amountsOf(spent)), ended),
    capture(purpose, spent),
    settling('FundsRefunded', purpose, amountsOf(spent)),
  ];
};

/**
 * Makes the wallet follow the letter, or another purpose of the reservation: captures, releases or refunds
 * the difference. A missing reservation counts as settled, so nothing is given back twice. Money held by an
 * attempt that the letter does not know yet stays held, and nothing is captured meanwhile: the attempt is
 * finished or forbidden first.
 * @throws LessHeld if less is held than the purpose costs
 */
export const settleReservation = (state: Wallet, command: SettleReservation): WalletEvent[] => {
  const { purpose, target } = command;
  if (target.state === 'over') return giveAllBack(state, purpose, target);
  const reservation = reservationOf(state, purpose);
  if (!reservation) return [];
  const { accepted } = target;
  const known = new Set(target.knownAttempts);
  const isUndone = (attemptId: string) =>
    known.has(attemptId) && accepted?.includes(attemptId) === false;
  if (reservation.state === 'captured') {
    const undone = undoneIn(reservation, isUndone, nothing);
    return release(reservation, nothing, { undone, undecided: [] });
  }
  const unpaid = reservation.attempts.filter(({ attemptId }) => !known.has(attemptId));
  const needed = unpaid.map(amountsIn).reduce(add, amountsOf(target.charge));
  const surplus = surplusOver(reservation, needed);
  const open = [...unpaid, ...(reservation.counts ?? [])].map(({ attemptId }) => attemptId);
  const released = release(reservation, surplus, {
    undone: undoneIn(reservation, isUndone, surplus),
    undecided: [...new Set(open.filter((attemptId) => !known.has(attemptId)))],
  });
  return target.state === 'held' || unpaid.length > 0
    ? released
    : [...released, capture(purpose, target.charge)];
};

export const walletAggregate: Aggregate<Wallet, WalletEvent> = {
  stream: walletStream,
  initialState,
  evolve,
  books: { close: closeBooks, successor, isOpen },
  // Estimates: a receipt or a refund with its key; a policy, and a change of one that waits; what was used of a limit.
  cachedBytes: ({
    reservations,
    receipts,
    refunded,
    guards: { policies, usage, frozen, changesAsked },
  }) =>
    500 +
    reservations.bytes +
    160 * (receipts.size + refunded.size) +
    6_000 * (policies.size + changesAsked.size) +
    600 * usage.size +
    300 * frozen.size,
};
