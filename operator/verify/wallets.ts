import { heldIn, type Wallet } from '../../commands/wallets/state.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import type { DecodedEvent } from '../../events/envelope.ts';
import {
  amountsIn,
  commissionIn,
  isTakenBackOutside,
  letterOf,
  type Purpose,
  placeOfWallet,
  type WalletEvent,
} from '../../events/wallet.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import { type Amounts, add, equal, inBucket, nothing, subtract, sum } from '../../money/buckets.ts';
import type { Charge } from '../../money/charge.ts';
import type { StoredWallet } from '../../projections/wallets/query.ts';
import { inBuckets } from '../buckets.ts';
import type { Findings } from './findings.ts';
import { createPackedMap, type PackedMap } from './packed-map.ts';

type WalletEventAt = DecodedEvent<WalletEvent>;

const keyOf = ({ kind, id }: Purpose): string => `${kind}-${id}`;
const nameOf = ({ kind, id }: Purpose): string => `${kind} ${id}`;

/** Where the money of a purpose is, over all periods of the wallet. */
export type PaidMoney = {
  accountId: string;
  purpose: Purpose;
  attempts: string[];
  /** Those whose letter waits for approvals. */
  held: string[];
  /** Reserved or spent, less the amounts given back. */
  net: Amounts;
  captured: boolean;
  /** All that was captured was given back. Money that is reserved after that is for a change that came too late. */
  refunded: boolean;
  /** The captured money. */
  spent?: Charge;
};

/** One wallet: its state as commands fold it, and a tally that periods do not reset. */
type Books = {
  state: Wallet;
  period: number;
  version: bigint;
  position: bigint;
  test: boolean;
  outside: Amounts;
  available: Amounts;
  held: Amounts;
  spent: Amounts;
  receipts: Set<string>;
  /** The rest of each credit, by its receipt. */
  reversible: Map<string, bigint>;
  /** The command of the last event, and the available money before its first event. */
  commit: { command: string; beforeMicro: MicroUsd };
};

const newBooks = (): Books => ({
  state: walletAggregate.initialState(),
  period: 0,
  version: -1n,
  position: 0n,
  test: false,
  outside: nothing,
  available: nothing,
  held: nothing,
  spent: nothing,
  receipts: new Set(),
  reversible: new Map(),
  commit: { command: '', beforeMicro: 0n },
});

type Place = 'outside' | 'available' | 'held' | 'spent';

const move = (books: Books, from: Place, to: Place, amounts: Amounts): void => {
  books[from] = subtract(books[from], amounts);
  books[to] = add(books[to], amounts);
};

type Credit = Extract<WalletEvent, { type: 'FundsCredited' }>['data'];
type ChargeBack = Extract<WalletEvent, { type: 'FundsChargedBack' }>['data'];

const useReceipt = (books: Books, id: string, twice: string): string | undefined => {
  if (books.receipts.has(id)) return twice;
  books.receipts.add(id);
  return undefined;
};

const credit = (books: Books, { receipt, bucket, amountMicro }: Credit): string | undefined => {
  const amount = BigInt(amountMicro);
  move(books, 'outside', 'available', inBucket(bucket, amount));
  books.reversible.set(receipt.id, amount);
  return useReceipt(books, receipt.id, `credit ${receipt.id} was given twice`);
};

/** Money that left with a closure is spent: a dispute over it takes it again. */
const chargeBack = (books: Books, data: ChargeBack): string | undefined => {
  const amount = BigInt(data.amountMicro);
  const { id } = data.receipt;
  move(books, 'available', 'outside', inBucket(data.bucket, amount));
  const left = (books.reversible.get(data.creditId) ?? 0n) - amount;
  if (isTakenBackOutside(data)) books.reversible.set(data.creditId, left);
  if (left < 0n) return `more of credit ${data.creditId} was charged back than there was`;
  return useReceipt(books, id, `charge-back ${id} was made twice`);
};

const commitOf = (
  { commit, available }: Books,
  { metadata: { command } }: WalletEventAt,
): Books['commit'] =>
  commit.command === command ? commit : { command, beforeMicro: sum(available) };

/** A wallet below zero pays with nothing but what is credited or released for it in the same commit. */
const isOverdrawn = ({ available, commit }: Books): boolean =>
  sum(available) < 0n && sum(available) < commit.beforeMicro;

/** Moves money as an event says. Returns the fault, if any. */
const tally = (
  books: Books,
  money: PackedMap<PaidMoney>,
  accountId: string,
  event: WalletEventAt,
): string | undefined => {
  books.commit = commitOf(books, event);
  switch (event.type) {
    case 'WalletOpened':
      books.test = event.data.test;
      return undefined;
    case 'FundsCredited':
      return credit(books, event.data);
    case 'FundsChargedBack':
      return chargeBack(books, event.data);
    case 'WalletPeriodOpened': {
      const { availableCryptoMicro, availableFiatMicro } = event.data;
      const opened = { crypto: BigInt(availableCryptoMicro), fiat: BigInt(availableFiatMicro) };
      return equal(opened, books.available)
        ? undefined
        : `the period begins with ${inBuckets(opened)}, the one before ended with ${inBuckets(books.available)}`;
    }
    case 'LetterCounted':
      count(money, event.data);
      return undefined;
    case 'WalletRanLow':
    case 'HoldLifted':
    case 'PolicySet':
    case 'PolicyRemoved':
    case 'PolicyChangeRequested':
    case 'PolicyChangeApproved':
    case 'PolicyChangeRejected':
    case 'PolicyChangeCarriedForward':
    case 'AlertRaised':
    case 'BudgetThresholdReached':
    case 'SpendingFrozen':
    case 'SpendingUnfrozen':
    case 'FreezesCarriedForward':
    case 'PoliciesCarriedForward':
    case 'WalletPeriodClosed':
    case 'ReservationsCarriedForward':
    case 'CreditsCarriedForward':
    case 'RefundsCarriedForward':
      return undefined;
  }
  const { purpose } = event.data;
  const amounts = amountsIn(event.data);
  const paid = money.get(keyOf(purpose));
  if (event.type === 'FundsReserved') {
    move(books, 'available', 'held', amounts);
    return (
      reserve(money, accountId, event.data, amounts) ??
      (purpose.kind !== 'volume-contract' && isOverdrawn(books)
        ? `more was taken than there was: ${inBuckets(books.available)} available`
        : undefined)
    );
  }
  if (!paid) return `${event.type} for ${nameOf(purpose)}, for which nothing was reserved`;
  if (event.type === 'FundsCaptured') {
    const commission = commissionIn(event.data);
    paid.spent = { subtotal: subtract(amounts, commission), commission };
  }
  const problem =
    paid.accountId === accountId
      ? settle(books, paid, event.type, amounts, nameOf(purpose))
      : `${nameOf(purpose)} was paid by ${paid.accountId}`;
  money.set(keyOf(purpose), paid);
  return problem;
};

/** A change of a letter that costs nothing more is an attempt without money. */
const count = (
  money: PackedMap<PaidMoney>,
  { purpose, attemptId }: Extract<WalletEvent, { type: 'LetterCounted' }>['data'],
): void => {
  const paid = money.get(keyOf(purpose));
  if (!paid || paid.attempts.includes(attemptId)) return;
  money.set(keyOf(purpose), { ...paid, attempts: [...paid.attempts, attemptId] });
};

type Reserved = Extract<WalletEvent, { type: 'FundsReserved' }>['data'];

const reserve = (
  money: PackedMap<PaidMoney>,
  accountId: string,
  { purpose, attemptId, held }: Reserved,
  amounts: Amounts,
): string | undefined => {
  const paid = money.get(keyOf(purpose));
  if (!paid) {
    const own = { attempts: [attemptId], held: held ? [attemptId] : [] };
    const where = { net: amounts, captured: false, refunded: false };
    money.set(keyOf(purpose), { accountId, purpose, ...own, ...where });
    return undefined;
  }
  const isRepeated = paid.attempts.includes(attemptId);
  if (held) paid.held.push(attemptId);
  if (!isRepeated) paid.attempts.push(attemptId);
  paid.net = add(paid.net, amounts);
  money.set(keyOf(purpose), paid);
  if (isRepeated) return `payment attempt ${attemptId} was reserved twice`;
  if (paid.accountId !== accountId) return `${nameOf(purpose)} was paid by ${paid.accountId}`;
  return paid.captured ? `a reservation for ${nameOf(purpose)} after its capture` : undefined;
};

const settle = (
  books: Books,
  paid: PaidMoney,
  type: 'FundsReleased' | 'FundsCaptured' | 'FundsRefunded',
  amounts: Amounts,
  name: string,
): string | undefined => {
  const { captured: wasCaptured, refunded: wasRefunded } = paid;
  if (type === 'FundsCaptured') {
    move(books, 'held', 'spent', amounts);
    paid.captured = true;
    if (wasCaptured || wasRefunded) return `${name} was captured twice`;
    return equal(amounts, paid.net)
      ? undefined
      : `${inBuckets(amounts)} captured for ${name}, ${inBuckets(paid.net)} were held`;
  }
  move(books, type === 'FundsReleased' ? 'held' : 'spent', 'available', amounts);
  paid.net = subtract(paid.net, amounts);
  if (paid.net.crypto < 0n || paid.net.fiat < 0n) {
    return `more was given back for ${name} than it cost`;
  }
  // An attempt that was undone may be made again by a repetition that had looked before; it is undone again.
  if (equal(paid.net, nothing)) {
    paid.attempts = [];
    paid.held = [];
    paid.captured = false;
    paid.refunded ||= wasCaptured;
  }
  // Without money it only undoes attempts that counted for limits.
  if (wasCaptured === (type === 'FundsRefunded') || sum(amounts) === 0n) return undefined;
  return `${type} for ${name}, which was ${wasCaptured ? 'captured' : 'not captured'}`;
};

const isSame = (row: StoredWallet, { available, held, version, period, test }: Books): boolean =>
  row.crypto_micro === available.crypto &&
  row.fiat_micro === available.fiat &&
  row.held_crypto_micro === held.crypto &&
  row.held_fiat_micro === held.fiat &&
  row.version === version &&
  row.period === period &&
  row.test === test;

/** Where the log ends within the opening of a period, the fold has only a part of the wallet. */
const addsUp = ({ state, period, available, held }: Books): boolean =>
  (state.status === 'none' && period > 0) ||
  (equal(state.available, available) && equal(heldIn(state), held));

/** Folds every wallet and checks that money is neither lost, doubled nor invented. */
export const createWalletCheck = (findings: Findings) => {
  const wallets = new Map<string, Books>();
  const money = createPackedMap<PaidMoney>();

  const check = (event: WalletEventAt): void => {
    const { accountId, period } = placeOfWallet(event.stream);
    const wrong = (detail: string): void =>
      findings.add(event.position, `wallet of ${accountId}: ${detail}`);
    const books = wallets.get(accountId) ?? newBooks();
    wallets.set(accountId, books);
    if (period !== books.period) {
      if (period !== books.period + 1 || books.state.status !== 'closed') {
        wrong(`period ${period} begins while period ${books.period} is open`);
      }
      books.state = walletAggregate.initialState();
      books.period = period;
    }
    books.state = walletAggregate.evolve(books.state, event, event.metadata.at);
    books.version = event.version;
    books.position = event.position;
    const problem = tally(books, money, accountId, event);
    if (problem !== undefined) wrong(problem);
    if (event.type === 'WalletPeriodClosed') compare(accountId, books);
  };

  const compare = (accountId: string, books: Books): void => {
    if (addsUp(books)) return;
    const { state, available, held, position } = books;
    findings.add(
      position,
      `wallet of ${accountId}: folds to ${inBuckets(state.available)} available and ${inBuckets(heldIn(state))} held, its entries add up to ${inBuckets(available)} and ${inBuckets(held)}`,
    );
  };

  return {
    check,
    /** The money paid for a letter. */
    paidFor: (letterId: string): PaidMoney | undefined =>
      money.get(keyOf({ kind: 'letter', id: letterId })),
    /** The money paid for a purpose. */
    paidOn: (purpose: Purpose): PaidMoney | undefined => money.get(keyOf(purpose)),
    /** Letters that something was paid for. */
    *paidLetters(): Generator<string> {
      for (const [, { purpose }] of money.entries()) {
        const letterId = letterOf(purpose);
        if (letterId !== undefined) yield letterId;
      }
    },
    finish(): void {
      for (const [accountId, books] of wallets) compare(accountId, books);
    },
    /** Compares rows of the read model with the folded state so far. */
    compareRows(rows: Map<string, StoredWallet>): void {
      for (const [accountId, books] of wallets) {
        const { available, held, position } = books;
        const row = rows.get(accountId);
        if (row && isSame(row, books)) continue;
        const has = row
          ? `${inBuckets({ crypto: row.crypto_micro, fiat: row.fiat_micro })} available`
          : 'no row';
        findings.add(
          position,
          `wallet of ${accountId}: the read model has ${has}, the log ${inBuckets(available)} available and ${inBuckets(held)} held; rebuild wallets`,
        );
      }
      for (const accountId of rows.keys()) {
        if (wallets.has(accountId)) continue;
        findings.add(0n, `the read model has a wallet of ${accountId}, the log has none`);
      }
    },
    /** Sums in micro-USD over live or test wallets. */
    totals(test: boolean) {
      const sums = { wallets: 0, credited: 0n, available: 0n, held: 0n, spent: 0n };
      for (const books of wallets.values()) {
        if (books.test !== test) continue;
        sums.wallets++;
        sums.credited -= sum(books.outside);
        sums.available += sum(books.available);
        sums.held += sum(books.held);
        sums.spent += sum(books.spent);
      }
      return sums;
    },
  };
};
