/** USDC on chain: transfers to our addresses, compared with the books. */
import { assignTransfer } from '../../commands/payments/assign-transfer.ts';
import { transferAggregate } from '../../commands/payments/payment.ts';
import { presentedPayment, type Received } from '../../commands/payments/received.ts';
import { decodeEvent } from '../../events/envelope.ts';
import { receiptIdOf, transferIdIn } from '../../events/payment.ts';
import { asPosition } from '../../events/position.ts';
import { numberOf } from '../../ground/plural.ts';
import type { X402Rail } from '../../infra/payments/x402/rail.ts';
import { createBlockCursor, formerAddresses } from '../../infra/postgres/block-cursors.ts';
import { isSeenLoss } from '../../infra/postgres/seen-losses.ts';
import { dollars, type MicroUsd } from '../../money/amounts.ts';
import type { Foundation } from '../../service/foundation/wing.ts';
import { operatorContext } from '../../service/operating/account-actions.ts';
import { theAccount } from '../../service/operating/find-account.ts';
import { type Print, Refused } from '../command.ts';
import type { Lost } from './lost-by-restore.ts';
import { booked, type Compared, type Receipts } from './receipts.ts';

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

/** Whether nobody has the transfer, and the service has read its block and does not read it again. */
const isLost = async (
  { commands }: Foundation,
  { transfer }: Received,
  readTo: number | undefined,
): Promise<boolean> => {
  if (readTo === undefined || transfer.block > readTo) return false;
  const { state } = await commands.handler.load(transferAggregate, receiptIdOf(transfer));
  return state.accountId === undefined;
};

const lostOf = ({ transfer, payer }: Received): Lost => {
  const id = receiptIdOf(transfer);
  const amount = dollars(BigInt(transfer.amountMicro));
  return {
    id,
    amount,
    open: `${amount} from ${payer} is in a block that was read without crediting it. To credit it, run reconcile --credit ${id} --to ACCOUNT. If it is not for an account, run reconcile --seen ${id} --by NAME`,
  };
};

const blocksAtOnce = 2_000;

type Blocks = { from: number; last: number };
type Address = Pick<X402Rail, 'network' | 'asset' | 'payTo'>;
/** `addresses`: of today's settings, then of former ones on this network. */
type Chain = { rail: X402Rail; addresses: Address[] } & Blocks;

async function* transfersIn(
  { rail, from, last }: Chain,
  address: Address,
): AsyncGenerator<Received> {
  for (let at = from; at <= last; at += blocksAtOnce) {
    yield* await rail.transfers(at, Math.min(last, at + blocksAtOnce - 1), address);
  }
}

const findTransfer = async (
  chain: Chain,
  receiptId: string,
): Promise<{ received: Received; address: Address } | undefined> => {
  for (const address of chain.addresses) {
    for await (const received of transfersIn(chain, address)) {
      if (receiptIdOf(received.transfer) === receiptId) return { received, address };
    }
  }
  return undefined;
};

type Found = { proven: Receipts; lost: Received[]; minedAgain: number; arrived: MicroUsd };

const readAddress = async (
  foundation: Foundation,
  chain: Chain,
  address: Address,
): Promise<Found> => {
  // Before the chain is read: later transfers may still be taken.
  const readTo = await createBlockCursor(foundation.storage.readDb, address).read();
  const found: Found = { proven: new Map(), lost: [], minedAgain: 0, arrived: 0n };
  for await (const received of transfersIn(chain, address)) {
    found.arrived += BigInt(received.transfer.amountMicro);
    const own = receiptIdOf(received.transfer);
    const payment = await presentedPayment(foundation.commands.handler, received);
    if (payment === undefined && (await isLost(foundation, received, readTo))) {
      found.lost.push(received);
      continue;
    }
    // The books have a payment under the transaction that settled it first, also where the chain forgot that and
    // mined the payment again.
    const id = payment?.status === 'settled' ? receiptIdOf(payment.settled.transfer) : own;
    if (id !== own) found.minedAgain += 1;
    found.proven.set(id, BigInt(received.transfer.amountMicro));
  }
  return found;
};

/** Transfers in the books. A payment that the chain forgot was booked and booked back. */
const bookedTransfers = (all: readonly { id: string; amount: MicroUsd }[]): Receipts => {
  const ours: Receipts = new Map();
  for (const { id, amount } of all) {
    const transfer = transferIdIn(id);
    ours.set(transfer, (ours.get(transfer) ?? 0n) + amount);
  }
  for (const [id, amount] of ours) if (amount === 0n) ours.delete(id);
  return ours;
};

/** From which block to its head the chain is read. Undefined: no chain is configured. */
const openChain = async (
  foundation: Foundation,
  fromOf: (known: () => Promise<number | undefined>, last: number) => Promise<number>,
) => {
  const { x402 } = foundation.config;
  if (!x402) return undefined;
  const { createRail } = await import('../../infra/payments/x402/rail.ts');
  const rail = createRail(x402);
  const last = await rail.head();
  return {
    rail,
    addresses: [rail, ...(await formerAddresses(foundation.storage.readDb, rail))],
    last,
    from: await fromOf(() => firstBlock(foundation), last),
  };
};

/** Reads the transfers to one address and prints what it holds. */
const lookAt = async (
  foundation: Foundation,
  chain: Chain,
  address: Address,
  print: Print,
): Promise<Found> => {
  const { rail, from, last } = chain;
  const found = await readAddress(foundation, chain, address);
  const { proven, lost, minedAgain, arrived } = found;
  // A mistyped token of former settings may have no contract to ask for a balance.
  if (address !== rail && arrived === 0n) return found;
  print(
    `  blocks ${from} to ${last} of ${rail.network}: ${numberOf(proven.size + lost.length, 'transfer')}, ${dollars(arrived)}`,
  );
  if (minedAgain > 0)
    print(
      `  ${numberOf(minedAgain, 'payment was', 'payments were')} mined again in another transaction`,
    );
  const holds = await rail.balance(address);
  const apart = holds - arrived;
  const why = apart < 0n ? 'was moved out' : 'was there before, or is of older blocks';
  const former = address === rail ? '' : ', of former settings,';
  print(
    `  ${address.payTo}${former} holds ${dollars(holds)}${apart === 0n ? '' : `: ${dollars(apart < 0n ? -apart : apart)} ${why}`}`,
  );
  return found;
};

export const onChain = async (
  foundation: Foundation,
  wanted: number | undefined,
  print: Print,
): Promise<Compared | undefined> => {
  // A part of the chain would lack receipts that the books have.
  const chain = await openChain(foundation, async (known, last) =>
    Math.min(wanted ?? last, (await known()) ?? last),
  );
  if (!chain) return undefined;
  const proven: Receipts = new Map();
  const lost: Received[] = [];
  for (const address of chain.addresses) {
    const found = await lookAt(foundation, chain, address, print);
    for (const [id, amount] of found.proven) proven.set(id, amount);
    lost.push(...found.lost);
  }
  const all = await booked(foundation, 'usdc_onchain');
  const own = all.filter(({ id }) => id.startsWith(`${chain.rail.network}:`));
  if (own.length < all.length)
    print(
      `  ${numberOf(all.length - own.length, 'receipt is', 'receipts are')} on other networks: not compared`,
    );
  return { ours: bookedTransfers(own), proven, rail: 'the chain', lost: lost.map(lostOf) };
};

const nothing = 'nothing was credited';

type Wanted = { receiptId: string; to: string; fromBlock: number | undefined };

/** @throws Refused where the transfer is not one that an operator may credit */
const lostTransfer = async (
  foundation: Foundation,
  { receiptId, fromBlock }: Wanted,
): Promise<Received> => {
  const chain = await openChain(
    foundation,
    async (known, last) => fromBlock ?? (await known()) ?? last,
  );
  if (!chain) throw new Refused(`no chain is configured (X402_…); ${nothing}`);
  const { addresses, from, last } = chain;
  const found = await findTransfer(chain, receiptId);
  if (!found) {
    const to = addresses.map(({ payTo }) => payTo).join(' or ');
    throw new Refused(
      `no transfer ${receiptId} to ${to} is in the blocks ${from} to ${last}; ${nothing}. --from-block N reads earlier blocks`,
    );
  }
  const { received, address } = found;
  const readTo = await createBlockCursor(foundation.storage.readDb, address).read();
  if (readTo === undefined || received.transfer.block > readTo) {
    throw new Refused(
      `${receiptId} is in a block that the service reads later, and is credited then; ${nothing}`,
    );
  }
  if (await isSeenLoss(foundation.storage.readDb, receiptId)) {
    throw new Refused(
      `${receiptId} was recorded as seen, so it may be credited already; ${nothing}`,
    );
  }
  return received;
};

/** Credits a transfer that is LOST to an account, once. @throws Refused */
export const creditLost = async (
  foundation: Foundation,
  wanted: Wanted,
  print: Print,
): Promise<void> => {
  const { accountId, test } = await theAccount(foundation, wanted.to);
  if (test) throw new Refused(`${accountId} is a test account, which has only test money`);
  const received = await lostTransfer(foundation, wanted);
  const { handler } = foundation.commands;
  const assigned = await assignTransfer(handler, { accountId, received }, operatorContext);
  const { owner, credited } = assigned;
  if (owner === undefined) {
    throw new Refused(
      `${wanted.receiptId} is of a signed payment, which is credited by itself; ${nothing}`,
    );
  }
  if (owner !== accountId) {
    throw new Refused(`${wanted.receiptId} was credited to ${owner} before; ${nothing}`);
  }
  const amount = dollars(BigInt(received.transfer.amountMicro));
  print(
    credited
      ? `Credited ${amount} (crypto) to ${accountId} for ${wanted.receiptId}.`
      : `${accountId} has the ${amount} of ${wanted.receiptId} already; nothing was added.`,
  );
};
