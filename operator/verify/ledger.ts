import type { DecodedEvent } from '../../events/envelope.ts';
import type { MechRequestEvent } from '../../events/mech.ts';
import type { PayerEvent, PaymentEvent } from '../../events/payment.ts';
import { placeOfWallet, type WalletEvent } from '../../events/wallet.ts';
import { dollars } from '../../money/amounts.ts';
import {
  addBooked,
  type Booked,
  isNothing,
  mechBookings,
  nothingBooked,
  payerBookings,
  paymentBookings,
  walletBookings,
} from '../../projections/ledger/bookings.ts';
import type { LedgerAccountRow } from '../../projections/ledger/query.ts';
import { inBuckets } from '../buckets.ts';
import type { Findings } from './findings.ts';
import type { LedgerSnapshot } from './read-model.ts';

const shown = ({ wei, ...amounts }: Booked): string =>
  `${inBuckets(amounts)}${wei === 0n ? '' : ` + ${wei} wei`}`;

const amountsOf = (row: LedgerAccountRow | undefined): Booked =>
  row ? { crypto: row.crypto_micro, fiat: row.fiat_micro, wei: row.wei } : nothingBooked;

/** Compares the books with what the log moved, and adds them up. */
export const createLedgerCheck = (findings: Findings) => {
  const accounts = new Map<string, { amounts: Booked; position: bigint }>();
  const testWallets = new Set<string>();

  const compareRows = (rows: LedgerSnapshot['rows']): void => {
    for (const [account, { amounts, position }] of accounts) {
      const booked = amountsOf(rows.get(account));
      const { crypto, fiat, wei } = amounts;
      if (booked.crypto === crypto && booked.fiat === fiat && booked.wei === wei) continue;
      findings.add(
        position,
        `ledger account ${account}: the books have ${shown(booked)}, the log ${shown(amounts)}; rebuild ledger`,
      );
    }
    for (const [account, row] of rows) {
      if (accounts.has(account) || isNothing(amountsOf(row))) continue;
      findings.add(0n, `the books have a ledger account ${account}, the log moved nothing on it`);
    }
  };

  const add = (position: bigint, bookings: Map<string, Booked>): void => {
    for (const [account, change] of bookings) {
      const amounts = addBooked(accounts.get(account)?.amounts ?? nothingBooked, change);
      accounts.set(account, { amounts, position });
    }
  };

  return {
    check(event: DecodedEvent<WalletEvent>): void {
      const { accountId } = placeOfWallet(event.stream);
      if (event.type === 'WalletOpened' && event.data.test) testWallets.add(accountId);
      add(event.position, walletBookings(event, testWallets.has(accountId)));
    },
    checkPayment(event: DecodedEvent<PaymentEvent>): void {
      add(event.position, paymentBookings(event));
    },
    checkPayer(event: DecodedEvent<PayerEvent>): void {
      add(event.position, payerBookings(event));
    },
    checkMech(event: DecodedEvent<MechRequestEvent>): void {
      add(event.position, mechBookings(event));
    },
    compare({ rows, faults }: LedgerSnapshot): void {
      compareRows(rows);
      const { sum, gasBalances, unbalanced, astray } = faults;
      if (sum !== 0n) findings.add(0n, `the ledger is ${dollars(sum)} away from zero`);
      if (!gasBalances) findings.add(0n, 'what the ledger has in wei does not add up to zero');
      if (unbalanced !== 0n) findings.add(0n, `${unbalanced} entries of the ledger do not balance`);
      if (astray !== 0n) {
        findings.add(0n, `${astray} ledger accounts are not what their entries add up to`);
      }
    },
  };
};
