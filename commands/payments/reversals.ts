/** Losses of a card payment to refunds and disputes, and the money that comes back from them. */
import type { WalletEvent } from '../../events/wallet.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import {
  chargeBackParts,
  creditFunds,
  partsOfCredit,
  reinstatedId,
  restOf,
} from '../wallets/credits.ts';
import type { Wallet } from '../wallets/state.ts';

/** Money that was taken back, or given back after that: by a dispute that was won, a refund that failed. */
export type Reversal = {
  /** Of the refund or the dispute. */
  id: string;
  kind: 'refund' | 'dispute' | 'reinstated';
  /** In the currency of the charge. */
  amountMinor: bigint;
};

/** CHOICE: how long a dispute that took money may be won. Card schemes decide within about 120 days. */
export const disputeDays = 120;

/** The credit of a checkout, and the charge for it. */
export type CardCredit = { creditId: string; creditedMicro: MicroUsd; chargedMinor: bigint };

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** The rest of a credit. A refund and a dispute over the same money take it once. */
export const leftOf = (
  { creditedMicro, chargedMinor }: Omit<CardCredit, 'creditId'>,
  reversals: readonly Reversal[],
): MicroUsd => {
  const lost = reversals.reduce(
    (sum, { kind, amountMinor }) => (kind === 'reinstated' ? sum - amountMinor : sum + amountMinor),
    0n,
  );
  const gone = lost < 0n ? 0n : smaller(lost, chargedMinor);
  return creditedMicro - (creditedMicro * gone) / chargedMinor;
};

/** How much of a credit is gone by its reversals. */
export const takenBackOf = (
  wallet: Wallet,
  creditId: string,
  creditedMicro: MicroUsd,
): MicroUsd => {
  const left = wallet.receipts.get(creditId)?.reversibleMicro ?? creditedMicro;
  return left === creditedMicro ? 0n : creditedMicro - restOf(partsOfCredit(wallet, creditId));
};

type Move = { id: string; amountMicro: MicroUsd };

/**
 * An amount, by what moves it: each of `causes` (receipt and share) whose receipt is not used yet, at most its
 * share; the rest has a name of its own, which begins with `name`. An id of the provider may have 66 characters and a
 * receipt has 128, so `name` contains one of these ids at most.
 */
const movesOf = (wallet: Wallet, name: string, total: MicroUsd, causes: Move[]): Move[] => {
  const moves: Move[] = [];
  let rest = total;
  for (const { id, amountMicro: share } of causes) {
    const amountMicro = wallet.receipts.has(id) ? 0n : smaller(rest, share);
    if (amountMicro > 0n) moves.push({ id, amountMicro });
    rest -= amountMicro;
  }
  let turn = 1;
  while (wallet.receipts.has(`${name}:reversed:${turn}`)) turn += 1;
  if (rest > 0n) moves.push({ id: `${name}:reversed:${turn}`, amountMicro: rest });
  return moves;
};

/**
 * Whether the wallet has a receipt for a reversal. A reversal has none where another one took the same money
 * before it.
 */
export const hasReversal = (
  { receipts }: Wallet,
  creditId: string,
  { id, kind }: Reversal,
): boolean => receipts.has(kind === 'reinstated' ? reinstatedId(creditId, id) : id);

/**
 * Brings the wallet to the rest of a credit after all its reversals; does nothing if it is there already. Older
 * reports would undo newer ones, so the reporting code looks again afterwards.
 */
export const reverseCredit = (
  wallet: Wallet,
  credit: CardCredit,
  reversals: readonly Reversal[],
): WalletEvent[] => {
  const { creditId, creditedMicro, chargedMinor } = credit;
  // Rounded up: what earlier shares were rounded down by belongs to the last.
  const shareOf = (minor: bigint): MicroUsd =>
    (creditedMicro * minor + chargedMinor - 1n) / chargedMinor;
  const given = reversals.filter(({ kind }) => kind === 'reinstated');
  const taken = reversals.filter(({ kind }) => kind !== 'reinstated');
  // Earlier versions named a return by its dispute alone.
  const older = given.flatMap(({ id }) => partsOfCredit(wallet, `${id}:reinstated`));
  const parts = [...partsOfCredit(wallet, creditId), ...older];
  const missing = leftOf(credit, reversals) - restOf(parts);
  if (missing <= 0n) {
    const causes = taken.map(({ id, amountMinor }) => ({ id, amountMicro: shareOf(amountMinor) }));
    return movesOf(wallet, creditId, -missing, causes).flatMap(({ id, amountMicro }) =>
      chargeBackParts(wallet, parts, amountMicro, (_, taken) => ({
        method: 'card',
        id: taken === 0 ? id : `${id}:${taken}`,
      })),
    );
  }
  const causes = given.map(({ id, amountMinor }) => ({
    id: reinstatedId(creditId, id),
    amountMicro: shareOf(amountMinor),
  }));
  return movesOf(wallet, reinstatedId(creditId, 'rest'), missing, causes).flatMap((move) =>
    creditFunds(wallet, {
      type: 'CreditFunds',
      bucket: 'fiat',
      amountMicro: move.amountMicro,
      receipt: { method: 'card', id: move.id },
    }),
  );
};
