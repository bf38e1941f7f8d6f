import { inXdai } from '../agent-api/mech/actions.ts';
import { type Checkout, type Reversal, shareOf } from '../commands/payments/card.ts';
import { creditFor } from '../commands/payments/lightning.ts';
import { topUpAggregate } from '../commands/payments/top-up.ts';
import { decodeEvent } from '../events/envelope.ts';
import { receiptIdOf } from '../events/payment.ts';
import { asPosition } from '../events/position.ts';
import { dollars, type Micro } from '../money/amounts.ts';
import { mechReceivableAccount, type OutsideAccount } from '../money/ledger-accounts.ts';
import { bookedReceipts, ledgerBalances } from '../projections/ledger/query.ts';
import { topUpsByExternalId } from '../projections/top-ups/query.ts';
import type { Foundation } from '../service/wing.ts';
import { type Command, count, exitCodes, type Print, UsageError } from './command.ts';

/** What came in under a receipt, less what went out again, in micro-USD. */
type Receipts = Map<string, Micro>;

/** Lines that say where books and rail differ; none where they agree. */
export const differences = (rail: string, booked: Receipts, proven: Receipts): string[] =>
  [...new Set([...booked.keys(), ...proven.keys()])].flatMap((id) => {
    const [ours, theirs] = [booked.get(id), proven.get(id)];
    if (ours === theirs) return [];
    if (ours === undefined)
      return [`${id}: ${rail} has ${dollars(theirs ?? 0n)}, the books nothing`];
    if (theirs === undefined) return [`${id}: the books have ${dollars(ours)}, ${rail} nothing`];
    return [`${id}: ${rail} has ${dollars(theirs)}, the books ${dollars(ours)}`];
  });

const booked = async (
  { storage }: Foundation,
  account: OutsideAccount,
): Promise<{ id: string; amount: Micro; credit: boolean }[]> =>
  (await bookedReceipts(storage.readDb, account)).map(({ receiptId, type, amountMicro }) => ({
    ...{ id: receiptId, amount: -amountMicro, credit: type === 'FundsCredited' },
  }));

const sumOf = (receipts: Receipts): Micro => [...receipts.values()].reduce((a, b) => a + b, 0n);

/** The first block with a transfer that the log tells of. */
const firstBlock = async ({ storage: { store } }: Foundation): Promise<number | undefined> => {
  let first: number | undefined;
  let after = asPosition(0n);
  for (;;) {
    const batch = await store.readAll({ after, limit: 1_000 });
    const last = batch.at(-1);
    if (!last) return first;
    for (const recorded of batch) {
      if (recorded.type !== 'TransferClaimed' && recorded.type !== 'PaymentSettled') continue;
      const { transfer } = decodeEvent(recorded).data as { transfer: { block: number } };
      first = Math.min(first ?? transfer.block, transfer.block);
    }
    after = last.position;
  }
};

const blocksAtOnce = 2_000;

const onChain = async (foundation: Foundation, wanted: number | undefined, print: Print) => {
  const { x402 } = foundation.config;
  if (!x402) return undefined;
  const { createRail } = await import('../infra/payments/x402/rail.ts');
  const rail = createRail(x402);
  const last = await rail.head();
  const from = wanted ?? (await firstBlock(foundation)) ?? last;
  const proven: Receipts = new Map();
  for (let at = from; at <= last; at += blocksAtOnce) {
    const to = Math.min(last, at + blocksAtOnce - 1);
    for (const { transfer } of await rail.transfers(at, to))
      proven.set(receiptIdOf(transfer), BigInt(transfer.amountMicro));
  }
  const all = await booked(foundation, 'usdc_onchain');
  const own = all.filter(({ id }) => id.startsWith(`${rail.network}:`));
  const ours = new Map(own.map(({ id, amount }) => [id, amount]));
  print(
    `  blocks ${from} to ${last} of ${rail.network}: ${count(proven.size)} transfers, ${dollars(sumOf(proven))}`,
  );
  const holds = await rail.balance();
  const apart = holds - sumOf(proven);
  const why = apart < 0n ? 'was moved out' : 'was there before, or is of older blocks';
  print(
    `  ${rail.payTo} holds ${dollars(holds)}${apart === 0n ? '' : `: ${dollars(apart < 0n ? -apart : apart)} ${why}`}`,
  );
  if (own.length < all.length)
    print(`  ${count(all.length - own.length)} receipts are on other networks: not compared`);
  return { ours, proven, rail: 'the chain' };
};

const topUpOf = async (
  { storage, commands }: Foundation,
  method: 'lightning' | 'card',
  externalId: string,
) => {
  const [found] = await topUpsByExternalId(storage.readDb, method, externalId);
  if (!found) return undefined;
  const { state } = await commands.handler.load(topUpAggregate, found.topUpId);
  return state.status === 'none' ? undefined : state.asked;
};

const onLightning = async (foundation: Foundation, print: Print) => {
  const { lnd } = foundation.config;
  if (!lnd) return undefined;
  const { createLnd } = await import('../infra/payments/lightning/lnd.ts');
  await using node = createLnd(lnd);
  const ours = new Map(
    (await booked(foundation, 'lightning_node')).map(({ id, amount }) => [id, amount]),
  );
  const proven: Receipts = new Map();
  let others = 0;
  for await (const { paymentHash, paidMsat } of node.settled()) {
    const asked = await topUpOf(foundation, 'lightning', paymentHash);
    if (asked?.terms.method !== 'lightning') others += 1;
    else proven.set(paymentHash, creditFor(BigInt(asked.amountMicro), asked.terms, paidMsat));
  }
  print(`  ${count(proven.size)} settled invoices, ${dollars(sumOf(proven))} at their rates`);
  if (others > 0)
    print(`  ${count(others)} settled invoices are not of this service: not compared`);
  return { ours, proven, rail: 'the node' };
};

const smaller = (a: Micro, b: Micro): Micro => (a < b ? a : b);

/** What is left of a credit when the provider's reversals are taken off, each dollar once. */
const leftOf = (credited: Micro, reversals: Reversal[], share: (one: Reversal) => Micro): Micro => {
  const total = (kind: Reversal['kind']): Micro =>
    reversals.filter((one) => one.kind === kind).reduce((sum, one) => sum + share(one), 0n);
  const refunded = smaller(total('refund'), credited);
  const disputed = smaller(total('dispute') - total('reinstated'), credited - refunded);
  return credited - refunded - disputed;
};

const onCards = async (foundation: Foundation, print: Print) => {
  const { stripe } = foundation.config;
  if (!stripe) return undefined;
  const { createStripe } = await import('../infra/payments/card/stripe.ts');
  const { gateway, paidCheckouts } = createStripe(stripe);
  const entries = await booked(foundation, 'card_clearing');
  const ours: Receipts = new Map();
  const takenBack = entries.filter(({ credit }) => !credit);
  const given = entries.filter(({ credit }) => credit);
  const proven: Receipts = new Map();
  let others = 0;
  let reversed = 0n;
  for await (const checkout of paidCheckouts() as AsyncIterable<Checkout>) {
    const asked = await topUpOf(foundation, 'card', checkout.sessionId);
    const terms = asked?.terms;
    if (asked === undefined || terms?.method !== 'card') {
      others += 1;
      continue;
    }
    const credited = BigInt(asked.amountMicro);
    const reversals = await gateway.reversals(checkout.sessionId);
    const left = leftOf(credited, reversals, ({ amountMinor }) =>
      shareOf(amountMinor, terms, credited),
    );
    proven.set(checkout.sessionId, credited);
    if (left !== credited) reversed += credited - left;
  }
  for (const { id, amount } of given) if (!id.endsWith(':reinstated')) ours.set(id, amount);
  const reinstated = given.filter(({ id }) => id.endsWith(':reinstated'));
  const net = [...takenBack, ...reinstated].reduce((sum, { amount }) => sum - amount, 0n);
  ours.set('refunds and disputes, less what was given back', -net);
  proven.set('refunds and disputes, less what was given back', -reversed);
  print(`  ${count(proven.size - 1)} paid checkouts, ${dollars(reversed)} of them taken back`);
  if (others > 0) print(`  ${count(others)} paid checkouts are not of this service: not compared`);
  return { ours, proven, rail: 'Stripe' };
};

/** What the marketplace of the mech owes: who runs the mech collects it on its chain, so nothing proves it here. */
const printMech = async ({ config, storage }: Foundation, print: Print): Promise<void> => {
  if (config.mech.mode !== 'live') return;
  const [owed] = await ledgerBalances(storage.readDb, [mechReceivableAccount]);
  print('Mech:');
  print(`  the marketplace owes ${inXdai(-(owed?.wei ?? 0n))} by the books; not compared`);
};

/** @throws UsageError */
export const reconcile = (
  rest: string[],
  options: { 'from-block'?: string | undefined },
): Command => {
  if (rest.length > 0) throw new UsageError('reconcile takes no arguments');
  const block = options['from-block'];
  if (block !== undefined && !/^\d{1,12}$/.test(block))
    throw new UsageError('--from-block must be the number of a block');

  return async (foundation, print) => {
    const from = block === undefined ? undefined : Number(block);
    let findings = 0;
    for (const [name, compare] of [
      ['USDC on chain', () => onChain(foundation, from, print)],
      ['Lightning', () => onLightning(foundation, print)],
      ['Cards', () => onCards(foundation, print)],
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
        findings += lines.length;
        if (lines.length === 0) print('  agrees with the books');
      } catch (error) {
        print(`  cannot be asked: ${error instanceof Error ? error.message : String(error)}`);
        findings += 1;
      }
    }
    await printMech(foundation, print);
    if (findings === 0) return exitCodes.done;
    print(
      `${count(findings)} findings; nothing was changed. What came seconds ago may still be on its way: run it again.`,
    );
    return exitCodes.refused;
  };
};
