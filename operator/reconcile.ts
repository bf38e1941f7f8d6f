import { inXdai } from '../agent-api/mech/actions.ts';
import { creditFor } from '../commands/payments/lightning.ts';
import { messageOf } from '../ground/message-of.ts';
import { numberOf } from '../ground/plural.ts';
import { recordSeenLosses, type SeenLoss, seenLosses } from '../infra/postgres/seen-losses.ts';
import { dollars } from '../money/amounts.ts';
import { mechReceivableAccount } from '../money/ledger-accounts.ts';
import { ledgerBalances, ledgerFaults, unclaimedReceipts } from '../projections/ledger/query.ts';
import type { Foundation } from '../service/foundation/wing.ts';
import { oneLine } from '../service/operating/account-actions.ts';
import { type CommandWork, type Print, Refused, UsageError } from './command.ts';
import { defineCommand, type Values } from './define-command.ts';
import { onCards } from './reconcile/cards.ts';
import { type Lost, lostByRestore, printLost } from './reconcile/lost-by-restore.ts';
import { creditLost, onChain } from './reconcile/on-chain.ts';
import { paidCheckoutsOf, type StripeRead } from './reconcile/paid-checkouts.ts';
import {
  booked,
  type Compared,
  differences,
  type Receipts,
  sumOf,
  topUpOf,
} from './reconcile/receipts.ts';
import { onStripeBalance } from './reconcile/stripe-balance.ts';
import { recorded } from './recorded.ts';

const onLightning = async (foundation: Foundation, print: Print): Promise<Compared | undefined> => {
  const { lnd } = foundation.config;
  if (!lnd) return undefined;
  const { createLnd } = await import('../infra/payments/lightning/lnd.ts');
  await using node = createLnd(lnd);
  const ours = new Map(
    (await booked(foundation, 'lightning_node')).map(({ id, amount }) => [id, amount]),
  );
  const proven: Receipts = new Map();
  const isLost = await lostByRestore(foundation);
  const lost: Lost[] = [];
  let others = 0;
  for await (const { paymentHash, paidMsat, createdMs } of node.settled()) {
    const asked = await topUpOf(foundation, 'lightning', paymentHash);
    if (asked?.terms.method !== 'lightning') {
      if (isLost(createdMs)) lost.push({ id: paymentHash, amount: `${paidMsat / 1_000n} sats` });
      else others += 1;
    } else proven.set(paymentHash, creditFor(BigInt(asked.amountMicro), asked.terms, paidMsat));
  }
  print(`  ${numberOf(proven.size, 'settled invoice')}, ${dollars(sumOf(proven))} at their rates`);
  if (others > 0)
    print(
      `  ${numberOf(others, 'settled invoice is', 'settled invoices are')} not of this service: not compared`,
    );
  return { ours, proven, rail: 'the node', lost };
};

/**
 * The marketplace's debt to the mech. The mech's operator collects it on its chain, so nothing proves it
 * here.
 */
const printMech = async ({ config, storage }: Foundation, print: Print): Promise<void> => {
  if (config.mech.mode !== 'live') return;
  const [owed] = await ledgerBalances(storage.readDb, [mechReceivableAccount]);
  print('Mech:');
  print(`  the marketplace owes ${inXdai(-(owed?.wei ?? 0n))} by the books; not compared`);
};

/** Receipts of the rails without an owner in the books, lost payments, and the rails that gave no answer. */
type Rails = { unbooked: Receipts; open: number; unasked: string[] };

/**
 * Reports receipts without an owner: lost payments, receipts that are not in the books, and receipts in the books that
 * are in no wallet. Returns the number of those in no wallet; the others were counted with their rails.
 */
const printUnclaimed = async (
  { storage }: Foundation,
  { unbooked, open, unasked }: Rails,
  print: Print,
): Promise<number> => {
  const found = await unclaimedReceipts(storage.readDb);
  print('Unclaimed:');
  for (const { receiptId, amountMicro } of found)
    print(`  UNCLAIMED ${receiptId}: ${dollars(amountMicro)} was settled but is in no wallet yet`);
  if (unbooked.size > 0)
    print(
      `  ${dollars(sumOf(unbooked))} in ${numberOf(unbooked.size, 'receipt')} arrived but is not in the books (above)`,
    );
  if (open > 0)
    print(`  ${numberOf(open, 'lost payment has', 'lost payments have')} no owner (above)`);
  if (unasked.length > 0)
    print(`  unknown for what could not be asked (above): ${unasked.join(', ')}`);
  else if (found.length + unbooked.size + open === 0)
    print('  nothing: every receipt has an owner');
  return found.length;
};

/** Returns how many findings. */
const printBooks = async ({ storage }: Foundation, print: Print): Promise<number> => {
  const { sum, gasBalances, unbalanced, astray } = await ledgerFaults(storage.readDb);
  print('Ledger:');
  if (sum === 0n && gasBalances && unbalanced === 0n && astray === 0n) {
    print('  all accounts together are zero');
    return 0;
  }
  print('  DIFFERENCE the accounts do not add up; operator verify shows where');
  return 1;
};

/** Compares each rail with the books. `seen`: prints lost payments, and returns how many are open. */
const compareRails = async (
  foundation: Foundation,
  from: number | undefined,
  { seen, print }: { seen: (lost: readonly Lost[]) => number; print: Print },
): Promise<Rails & { findings: number }> => {
  let [findings, open] = [0, 0];
  const unasked: string[] = [];
  const unbooked: Receipts = new Map();
  let listed: ReturnType<typeof paidCheckoutsOf> | undefined;
  const atStripe = async (
    compare: (foundation: Foundation, read: StripeRead, print: Print) => Promise<Compared>,
  ) => {
    listed ??= paidCheckoutsOf(foundation);
    const read = await listed;
    return read && compare(foundation, read, print);
  };
  for (const [name, compare] of [
    ['USDC on chain', () => onChain(foundation, from, print)],
    ['Lightning', () => onLightning(foundation, print)],
    ['Cards', () => atStripe(onCards)],
    ['Balance at Stripe', () => atStripe(onStripeBalance)],
  ] as const) {
    print(`${name}:`);
    try {
      const compared = await compare();
      if (!compared) {
        print('  not configured');
        continue;
      }
      const lines = differences(compared.rail, compared.ours, compared.proven);
      for (const line of lines) print(`  DIFFERENCE ${line}`);
      const lost = seen(compared.lost ?? []);
      open += lost;
      findings += lines.length + lost;
      for (const [id, amount] of compared.proven)
        if (!compared.ours.has(id)) unbooked.set(id, amount);
      if (lines.length + lost === 0) print('  agrees with the books');
    } catch (error) {
      print(`  cannot be asked: ${messageOf(error)}`);
      findings += 1;
      unasked.push(name);
    }
  }
  return { findings, unbooked, open, unasked };
};

/** Lost payments that an operator says to have dealt with. */
type Acknowledged = { receiptIds: string[]; by: string };

/** Lost payments that are acknowledged in this run count as seen, and are recorded once all rails were asked. */
const followLosses = async (
  { storage: { readDb }, clock }: Foundation,
  { receiptIds, by }: Acknowledged,
  print: Print,
) => {
  const known = await seenLosses(readDb);
  const found = new Set<string>();
  return {
    seen(lost: readonly Lost[]): number {
      const now = new Map<string, SeenLoss>(known);
      for (const { id } of lost) {
        if (!receiptIds.includes(id)) continue;
        found.add(id);
        const made = { receipt_id: id, seen_by: by, seen_at: new Date(clock()) };
        now.set(id, known.get(id) ?? made);
      }
      return printLost(lost, now, print);
    },
    /** @throws Refused in one sentence, and nothing is recorded */
    async record(unasked: readonly string[]): Promise<void> {
      const unknown = receiptIds.find((id) => !found.has(id));
      if (unknown !== undefined && unasked.length > 0) {
        throw new Refused(
          `--seen ${unknown} was not found, and what may know it could not be asked: ${unasked.join(', ')}; nothing was recorded. Run it again once that answers`,
        );
      }
      if (unknown !== undefined) {
        throw new Refused(`--seen ${unknown} is not a lost payment; nothing was recorded`);
      }
      if (receiptIds.length > 0) await recordSeenLosses(readDb, receiptIds, by);
    },
  };
};

const kinds = {
  'from-block': 'text',
  seen: 'text',
  by: 'text',
  credit: 'text',
  to: 'text',
} as const;

type Options = Values<typeof kinds>;

/** @throws UsageError */
const acknowledgedIn = ({ seen, by }: Options): Acknowledged => {
  if ((seen === undefined) !== (by === undefined)) {
    throw new UsageError('--seen RECEIPT and --by NAME belong together');
  }
  if (seen === undefined) return { receiptIds: [], by: '' };
  return { receiptIds: seen.split(',').map((one) => one.trim()), by: oneLine('--by', by) };
};

/** @throws UsageError */
const creditIn = ({ seen, credit, to }: Options): { receiptId: string; to: string } | undefined => {
  if (credit === undefined && to === undefined) return undefined;
  if (credit === undefined || to === undefined) {
    throw new UsageError('--credit RECEIPT and --to ACCOUNT belong together');
  }
  if (seen !== undefined) throw new UsageError('--credit and --seen need a run each');
  return { receiptId: credit.trim(), to };
};

/** Returns how many findings. */
const compareAll = async (
  foundation: Foundation,
  { from, acknowledged }: { from: number | undefined; acknowledged: Acknowledged },
  print: Print,
): Promise<number> => {
  const losses = await followLosses(foundation, acknowledged, print);
  const compared = await compareRails(foundation, from, { seen: losses.seen, print });
  await losses.record(compared.unasked);
  await printMech(foundation, print);
  const findings =
    compared.findings +
    (await printUnclaimed(foundation, compared, print)) +
    (await printBooks(foundation, print));
  if (findings === 0) return 0;
  print(
    `${numberOf(findings, 'finding')}; nothing was changed. Receipts of the last seconds may still be on their way: run it again.`,
  );
  return findings;
};

/** @throws UsageError */
const reconcile = (rest: string[], options: Options): CommandWork => {
  if (rest.length > 0) throw new UsageError('reconcile takes no arguments');
  const block = options['from-block'];
  if (block !== undefined && !/^\d{1,12}$/.test(block))
    throw new UsageError('--from-block must be the number of a block');
  const from = block === undefined ? undefined : Number(block);
  const acknowledged = acknowledgedIn(options);
  const wanted = creditIn(options);

  return async (foundation, print) => {
    if (wanted) {
      await creditLost(foundation, { ...wanted, fromBlock: from }, print);
      return;
    }
    const { clock, storage } = foundation;
    return await recorded({ db: storage.readDb, clock, command: 'reconcile' }, async () => {
      const findings = await compareAll(foundation, { from, acknowledged }, print);
      return { succeeded: findings === 0, detail: numberOf(findings, 'finding') };
    });
  };
};

export const reconcileCommand = defineCommand({
  name: 'reconcile',
  usage: '[--from-block N] [--seen RECEIPT,… --by NAME | --credit RECEIPT --to ACCOUNT]',
  summary: 'Compares the books with the chain, the Lightning node and Stripe, receipt by receipt.',
  help: `Shows the differences and changes nothing in the books. Exits with 1 if there are any.
--seen: receipts that are listed as LOST after a restore and that you have dealt with. They are recorded with --by and the time, and are no findings from then on.
--credit: a transfer on chain that is listed as LOST. Its amount is credited to ACCOUNT, once, and nothing is compared.`,
  examples: [
    'reconcile',
    'reconcile --seen cs_live_a1B2 --by "J. Doe"',
    'reconcile --credit eip155:8453:0x5d1f…:7 --to acct_4f…',
  ],
  options: kinds,
  read: reconcile,
});
