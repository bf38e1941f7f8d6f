import type { DecodedEvent } from '../../events/envelope.ts';
import { placeOfWallet, type WalletEvent } from '../../events/wallet.ts';
import { changesOf, movesOf } from '../../events/wallet-moves.ts';
import { dollars } from '../../money/amounts.ts';
import { type Amounts, add, equal, nothing } from '../../money/buckets.ts';
import { ledgerAccount } from '../../projections/ledger/project.ts';
import type { Findings } from './findings.ts';
import type { LedgerSnapshot } from './read-model.ts';

const shown = ({ crypto, fiat }: Amounts): string =>
  `${dollars(crypto)} crypto + ${dollars(fiat)} fiat`;

/** Compares the books with what the log moved, and adds them up. */
export const createLedgerCheck = (findings: Findings) => {
  const accounts = new Map<string, { amounts: Amounts; position: bigint }>();
  const testWallets = new Set<string>();

  const compareRows = (rows: LedgerSnapshot['rows']): void => {
    for (const [account, { amounts, position }] of accounts) {
      const row = rows.get(account);
      const booked = row ? { crypto: row.crypto_micro, fiat: row.fiat_micro } : nothing;
      if (equal(booked, amounts)) continue;
      findings.add(
        position,
        `ledger account ${account}: the books have ${shown(booked)}, the log ${shown(amounts)}; rebuild ledger`,
      );
    }
    for (const [account, row] of rows) {
      if (accounts.has(account) || (row.crypto_micro === 0n && row.fiat_micro === 0n)) continue;
      findings.add(0n, `the books have a ledger account ${account}, the log moved nothing on it`);
    }
  };

  return {
    check(event: DecodedEvent<WalletEvent>): void {
      const { accountId } = placeOfWallet(event.stream);
      if (event.type === 'WalletOpened' && event.data.test) testWallets.add(accountId);
      const wallet = { accountId, test: testWallets.has(accountId) };
      for (const [place, change] of changesOf(movesOf(event))) {
        const account = ledgerAccount(place, wallet);
        const amounts = add(accounts.get(account)?.amounts ?? nothing, change);
        accounts.set(account, { amounts, position: event.position });
      }
    },
    compare({ rows, faults }: LedgerSnapshot): void {
      compareRows(rows);
      const { sum, unbalanced, astray } = faults;
      if (sum !== 0n) findings.add(0n, `the ledger is ${dollars(sum)} away from zero`);
      if (unbalanced !== 0n) findings.add(0n, `${unbalanced} entries of the ledger do not balance`);
      if (astray !== 0n) {
        findings.add(0n, `${astray} ledger accounts are not what their entries add up to`);
      }
    },
  };
};
