/**
 * Orders whose drafts are changed, moved, sent, cancelled and deleted, and whose payments come, are refunded and disputed,
 * in any order.
 */
import { expect } from 'chai';
import {
  cancelLetter,
  eraseLetter,
  type Letter,
  letterAggregate,
} from '../../commands/letters/letter.ts';
import { reportProgress, startProduction } from '../../commands/letters/letter-production.ts';
import { isAppError } from '../../contract/errors.ts';
import { type DecodedEvent, decodeEvent } from '../../events/envelope.ts';
import type { LetterEvent } from '../../events/letter.ts';
import { chargeOfCents, totalOf } from '../../money/charge.ts';
import { presentPlaced } from '../../presenters/order.ts';
import { orders as orderRows } from '../../projections/orders/project.ts';
import type { OrderRow } from '../../projections/orders/table.ts';
import { isReadBy, type RowSource } from '../../projections/projection.ts';
import { holdsAll, operator, putPolicy } from '../support/holding-world.ts';
import { account, letterTo, newYork, plainly } from '../support/letter-world.ts';
import { createOrderWorld } from '../support/order-world.ts';
import { seeded } from '../support/seeded.ts';
import { verifyMoney } from '../support/verify-money.ts';

type World = Awaited<ReturnType<typeof createOrderWorld>>;
type Placed = Awaited<ReturnType<World['place']>>['order']['placed'];
type Acts = Record<string, (order: Placed) => Promise<unknown>>;

const hour = 3_600_000;

/** The acts on a letter, on its order and on the payment. */
const actsIn = (world: World, random: () => number): Acts => {
  let number = 0;
  const asked = () => world.asked(`request ${number++}`);
  const decide = (letterId: string, how: (letter: Letter) => LetterEvent[]) =>
    world.handler.handle(letterAggregate, letterId, world.context(), how);
  const change = (letterId: string, changes: object) =>
    world.letters.update(
      letterId,
      { to: {}, acceptAddressAsIs: false, ...changes },
      asked(),
      undefined,
    );
  const source = 'partner' as const;
  return {
    label: ({ letterId }) => change(letterId, { metadata: { label: `${number++}` } }),
    move: ({ letterId }) => change(letterId, { to: random() < 0.5 ? newYork : letterTo().to }),
    pay: ({ orderId }) => world.tell(orderId, 'paid'),
    look: ({ orderId }) => world.look(orderId),
    async expire({ orderId }) {
      if (world.checkoutOf(orderId)?.state === 'open') await world.tell(orderId, 'expired');
    },
    async takeBack({ orderId }) {
      const { state, amountMinor = 0n } = world.checkoutOf(orderId) ?? {};
      const before = world.reversalsOf(orderId);
      if (state !== 'paid' || before.length > 2) return;
      const [lost] = before;
      const isWon = lost !== undefined && random() < 0.4;
      const share = random() < 0.5 ? amountMinor : amountMinor / 2n;
      await world.reverse(
        orderId,
        isWon
          ? { ...lost, kind: 'reinstated' }
          : { id: `dp_${number++}`, kind: 'dispute', amountMinor: share },
      );
    },
    cancel: ({ letterId }) => decide(letterId, cancelLetter),
    delete: ({ letterId }) =>
      decide(letterId, (letter) => eraseLetter(letter, { type: 'EraseLetter', reason: 'deleted' })),
    send: ({ letterId }) => world.letters.sendDraft(letterId, plainly, asked()),
    sendTwice: ({ orderId, letterId }) =>
      Promise.allSettled([
        world.orders.settle(orderId),
        world.other().orders.settle(orderId),
        world.letters.sendDraft(letterId, plainly, asked()),
      ]),
    fund: () => world.fund(500n, random() < 0.5 ? 'fiat' : 'crypto'),
    react: () => world.react(1 + Math.floor(random() * 6)),
    async discount() {
      const basisPoints = Math.floor(random() * 4) * 1_000;
      world.discount.now =
        basisPoints === 0 ? undefined : { contractId: 'contract_1', basisPoints };
    },
    async approve({ letterId }) {
      const letter = await world.letter(letterId);
      if (letter.status === 'none' || !letter.approval) return;
      const { approvals } = world.letters;
      const { approvalId } = letter.approval;
      if (random() < 0.7) await approvals.approve(account, approvalId, operator, world.context());
      else {
        const rejecting = { ...operator, reason: undefined };
        await approvals.reject(account, approvalId, rejecting, world.context());
      }
    },
    async print({ letterId }) {
      const start = { type: 'StartProduction' as const, partner: 'p', jobId: 'j', source };
      await decide(letterId, (letter) => startProduction(letter, start));
      if (random() < 0.6) return;
      const report = {
        type: 'ReportProgress' as const,
        source,
        retryable: false,
        detail: 'A jam.',
      };
      const failure = { ...report, step: 'failed' as const, code: 'jam', stage: 'print' as const };
      await decide(letterId, (letter) => reportProgress(letter, failure));
    },
  };
};

/** The acts after which the letter of an order may cost something else, or is sent or cancelled. */
const changing = ['move', 'cancel', 'delete', 'send', 'sendTwice', 'print'];

/** Everything that is left to do is done. */
const end = async (world: World, orders: readonly Placed[]): Promise<void> => {
  for (const { orderId } of orders) {
    if (world.checkoutOf(orderId)?.state === 'open') await world.tell(orderId, 'expired');
  }
  for (let round = 0; round < 4; round++) await world.react();
  world.time.now += 2 * hour;
  await world.sweep();
  await world.react();
};

type Queued = Extract<LetterEvent, { type: 'LetterQueued' }>;

/** The read model of orders after batches of any size, by the ids of the orders. */
const listed = async (
  log: readonly DecodedEvent[],
  random: () => number,
): Promise<Map<string, OrderRow>> => {
  const rows = new Map<string, OrderRow>();
  const source: RowSource = { load: async () => structuredClone(rows) as never };
  const left = log.filter((event) => isReadBy(orderRows, event));
  while (left.length > 0) {
    const batch = left.splice(0, 1 + Math.floor(random() * 5));
    const [change] = await orderRows.project(source, batch as never);
    for (const row of (change?.rows ?? []) as OrderRow[]) rows.set(row.order_id, row);
  }
  return rows;
};

/** An order, its letter and its money disagree. */
const problemsOf = async (
  world: World,
  { orderId, letterId, amountMicro }: Placed,
  log: readonly DecodedEvent[],
  wasChanged: boolean,
): Promise<string[]> => {
  const view = await world.orders.read(orderId);
  if (!view) return [`there is no order ${orderId}`];
  const { order, paid, letter } = view;
  const waits = letter.status !== 'none' && letter.approval?.status === 'pending';
  const queued = log.find(
    ({ stream, type }) => stream === `letter-${letterId}` && type === 'LetterQueued',
  ) as unknown as Queued | undefined;
  const price = queued && totalOf(chargeOfCents(queued.data.terms.price.charge));
  const { reservations } = await world.wallet();
  return [
    ...(order.status === 'awaiting_payment' && !(paid && waits) ? ['it waits for ever'] : []),
    ...(order.status === 'fulfilled' && price !== BigInt(amountMicro)
      ? [`${amountMicro} was paid, and the letter was sent for ${price}`]
      : []),
    ...(order.status === 'credited' && order.reason === 'letter_changed' && !wasChanged
      ? ['it is credited for a change that changed nothing of its price']
      : []),
    ...(reservations.has(`order-${orderId}`) && !waits ? ['its money is held'] : []),
  ];
};

describe('orders by chance', function () {
  this.timeout(120_000);

  it('agree with their letters and their money, and verify finds nothing', async () => {
    const outcomes = new Set<string>();
    for (let seed = 1; seed <= 400; seed++) {
      const random = seeded(seed);
      const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
      const world = await createOrderWorld();
      const holds = random() < 0.3;
      if (holds) await putPolicy(world, { timeZone: 'UTC', rules: holdsAll });
      const placed: Placed[] = [];
      for (const key of ['one', 'two']) placed.push((await world.place(key)).order.placed);
      // Each run has some of the acts, so that rare ones are not always together with all others.
      const isCalm = random() < 0.4;
      const all = Object.entries(actsIn(world, random));
      const some = all.filter(([name]) =>
        isCalm ? !changing.includes(name) && name !== 'expire' : random() < 0.5,
      );
      const acts = some.length > 0 ? some : all;
      const done: string[] = [];
      const changed = new Set<Placed>();
      for (let steps = 10 + Math.floor(random() * 30); steps > 0; steps--) {
        const [name, act] = pick(acts);
        const order = pick(placed);
        done.push(name);
        // Any change ends the approval that a letter waits for.
        if (changing.includes(name) || (holds && name === 'label')) changed.add(order);
        await act(order).catch((error: unknown) => {
          if (!isAppError(error)) throw error;
        });
      }
      await end(world, placed);
      const log = (await world.store.readAll({ after: 0n })).map(decodeEvent);
      const problems = await Promise.all(
        placed.map((one) => problemsOf(world, one, log, changed.has(one))),
      );
      const what = `seed ${seed}: ${done.join(' ')}`;
      expect([...problems.flat(), ...verifyMoney(log)], what).to.deep.equal([]);
      const rows = await listed(log, random);
      for (const { orderId, accountId } of placed) {
        const view = await world.orders.read(orderId);
        const { status, account_id: owner } = rows.get(orderId) ?? {};
        expect(status, what).to.equal(
          view && presentPlaced(view.order, { paid: view.paid }).status,
        );
        expect(owner).to.equal(accountId);
      }
      for (const { orderId } of placed) outcomes.add((await world.status(orderId)) ?? 'none');
    }
    expect([...outcomes].toSorted()).to.deep.equal([
      'awaiting_payment',
      'credited',
      'expired',
      'fulfilled',
    ]);
  });
});
