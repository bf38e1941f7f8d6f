import { type Wallet, walletAggregate } from '../../commands/wallets/wallet.ts';
import type { DecodedEvent } from '../../events/envelope.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import type { WalletRow } from '../../projections/wallets/query.ts';
import { usd } from '../command.ts';
import type { Findings } from './findings.ts';

export type Amounts = { crypto: bigint; fiat: bigint };
type WalletEventAt = DecodedEvent<WalletEvent>;

const buckets = ['crypto', 'fiat'] as const;
const none = (): Amounts => ({ crypto: 0n, fiat: 0n });
const equal = (a: Amounts, b: Amounts): boolean => a.crypto === b.crypto && a.fiat === b.fiat;
const shown = ({ crypto, fiat }: Amounts): string => `${usd(crypto)} crypto + ${usd(fiat)} fiat`;
const move = (from: Amounts, to: Amounts, amounts: Amounts): void => {
  for (const bucket of buckets) {
    from[bucket] -= amounts[bucket];
    to[bucket] += amounts[bucket];
  }
};

/** Where the money of a letter is, over all periods of the wallet. */
export type LetterMoney = {
  accountId: string;
  attempts: string[];
  /** Reserved or spent, less what was given back. */
  net: Amounts;
  captured: boolean;
};

/** One wallet: its state as commands fold it, and beside it a tally that no period cuts short. */
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
  credits: Set<string>;
};

const newBooks = (): Books => ({
  state: walletAggregate.initialState(),
  period: 0,
  version: -1n,
  position: 0n,
  test: false,
  outside: none(),
  available: none(),
  held: none(),
  spent: none(),
  credits: new Set(),
});

const place = (stream: string): { accountId: string; period: number } => {
  const cut = stream.lastIndexOf('-');
  return { accountId: stream.slice('wallet-'.length, cut), period: Number(stream.slice(cut + 1)) };
};

const heldIn = (state: Wallet): Amounts => {
  const held = none();
  for (const reservation of state.reservations.values()) {
    if (reservation.state !== 'held') continue;
    for (const bucket of buckets) held[bucket] += reservation[bucket];
  }
  return held;
};

/** Moves money as an event says. Returns what is wrong with it. */
const tally = (
  books: Books,
  money: Map<string, LetterMoney>,
  accountId: string,
  event: WalletEvent,
): string | undefined => {
  switch (event.type) {
    case 'WalletOpened':
      books.test = event.data.test;
      return undefined;
    case 'FundsCredited': {
      const { creditId, bucket, amountMicro } = event.data;
      books.outside[bucket] -= BigInt(amountMicro);
      books.available[bucket] += BigInt(amountMicro);
      if (books.credits.has(creditId)) return `credit ${creditId} was given twice`;
      books.credits.add(creditId);
      return undefined;
    }
    case 'WalletPeriodOpened': {
      const { availableCryptoMicro, availableFiatMicro } = event.data;
      const opened = { crypto: BigInt(availableCryptoMicro), fiat: BigInt(availableFiatMicro) };
      return equal(opened, books.available)
        ? undefined
        : `the period begins with ${shown(opened)}, the one before ended with ${shown(books.available)}`;
    }
    case 'WalletRanLow':
    case 'WalletPeriodClosed':
    case 'ReservationsCarriedForward':
    case 'CreditsCarriedForward':
      return undefined;
  }
  const { letterId } = event.data;
  const amounts = { crypto: BigInt(event.data.cryptoMicro), fiat: BigInt(event.data.fiatMicro) };
  const letter = money.get(letterId);
  if (event.type === 'FundsReserved') {
    move(books.available, books.held, amounts);
    return reserve(money, accountId, event.data, amounts);
  }
  if (!letter) return `${event.type} for letter ${letterId}, for which nothing was reserved`;
  return letter.accountId === accountId
    ? settle(books, letter, event.type, amounts, letterId)
    : `letter ${letterId} was paid by ${letter.accountId}`;
};

const reserve = (
  money: Map<string, LetterMoney>,
  accountId: string,
  { letterId, attemptId }: { letterId: string; attemptId: string },
  amounts: Amounts,
): string | undefined => {
  const letter = money.get(letterId);
  if (!letter) {
    money.set(letterId, { accountId, attempts: [attemptId], net: amounts, captured: false });
    return undefined;
  }
  move(none(), letter.net, amounts);
  if (letter.attempts.includes(attemptId)) {
    return `payment attempt ${attemptId} was reserved twice`;
  }
  letter.attempts.push(attemptId);
  if (letter.accountId !== accountId) return `letter ${letterId} was paid by ${letter.accountId}`;
  return letter.captured ? `a reservation for letter ${letterId} after its capture` : undefined;
};

const settle = (
  books: Books,
  letter: LetterMoney,
  type: 'FundsReleased' | 'FundsCaptured' | 'FundsRefunded',
  amounts: Amounts,
  letterId: string,
): string | undefined => {
  const wasCaptured = letter.captured;
  if (type === 'FundsCaptured') {
    move(books.held, books.spent, amounts);
    letter.captured = true;
    if (wasCaptured) return `letter ${letterId} was captured twice`;
    return equal(amounts, letter.net)
      ? undefined
      : `${shown(amounts)} captured for letter ${letterId}, ${shown(letter.net)} were held`;
  }
  move(type === 'FundsReleased' ? books.held : books.spent, books.available, amounts);
  move(letter.net, none(), amounts);
  if (letter.net.crypto < 0n || letter.net.fiat < 0n) {
    return `more was given back for letter ${letterId} than it cost`;
  }
  if (wasCaptured === (type === 'FundsRefunded')) return undefined;
  return `${type} for letter ${letterId}, which was ${wasCaptured ? 'captured' : 'not captured'}`;
};

/** Folds every wallet and checks that money is neither lost, doubled nor invented. */
export const createWalletCheck = (findings: Findings) => {
  const wallets = new Map<string, Books>();
  const money = new Map<string, LetterMoney>();

  const check = (event: WalletEventAt): void => {
    const { accountId, period } = place(event.stream);
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
    if (books.available.crypto < 0n || books.available.fiat < 0n) {
      wrong(`more was taken than there was: ${shown(books.available)} available`);
    }
    if (event.type === 'WalletPeriodClosed') compare(accountId, books);
  };

  const compare = (accountId: string, { state, available, held, position }: Books): void => {
    const folded = heldIn(state);
    if (equal(state.available, available) && equal(folded, held)) return;
    findings.add(
      position,
      `wallet of ${accountId}: folds to ${shown(state.available)} available and ${shown(folded)} held, its entries add up to ${shown(available)} and ${shown(held)}`,
    );
  };

  return {
    check,
    money: money as ReadonlyMap<string, LetterMoney>,
    finish(): void {
      for (const [accountId, books] of wallets) compare(accountId, books);
    },
    /** Compares rows of the read model with what was folded so far. */
    compareRows(rows: Map<string, WalletRow>): void {
      for (const [accountId, books] of wallets) {
        const { available, held, version, period, position, test } = books;
        const row = rows.get(accountId);
        const same =
          row?.crypto_micro === available.crypto &&
          row.fiat_micro === available.fiat &&
          row.held_crypto_micro === held.crypto &&
          row.held_fiat_micro === held.fiat &&
          row.version === version &&
          row.period === period &&
          row.test === test;
        if (same) continue;
        const has = row
          ? `${shown({ crypto: row.crypto_micro, fiat: row.fiat_micro })} available`
          : 'no row';
        findings.add(
          position,
          `wallet of ${accountId}: the read model has ${has}, the log ${shown(available)} available and ${shown(held)} held; rebuild wallets`,
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
        for (const bucket of buckets) {
          sums.credited -= books.outside[bucket];
          sums.available += books.available[bucket];
          sums.held += books.held[bucket];
          sums.spent += books.spent[bucket];
        }
      }
      return sums;
    },
  };
};
