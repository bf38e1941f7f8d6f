import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { SendOptions } from '../../commands/letters/accept-letter.ts';
import { abandonAttempt, finishErasure, settleWallet } from '../../commands/letters/follow-up.ts';
import { cancelLetter, eraseLetter, letterAggregate } from '../../commands/letters/letter.ts';
import {
  type ReportProgress,
  reportProgress,
  startProduction,
} from '../../commands/letters/letter-production.ts';
import { letterIdOf } from '../../commands/letters/send-letter.ts';
import { createQuotes, type Quote } from '../../commands/preparation/quote.ts';
import type { HandOverAt } from '../../commands/preparation/release.ts';
import { reservationOf } from '../../commands/wallets/state.ts';
import { decodeEvent } from '../../events/envelope.ts';
import { StoreUnavailable } from '../../events/event-store.ts';
import { type LetterEvent, letterStream } from '../../events/letter.ts';
import { letterPurpose } from '../../events/wallet.ts';
import { nothing } from '../../money/buckets.ts';
import { chargeOfCents, totalOf } from '../../money/charge.ts';
import { handOverTime, usualHandOverHours } from '../../postal/hand-over.ts';
import { documentFinding } from '../../postal/preflight-findings.ts';
import { createSettleWallets } from '../../reactors/settle-wallets.ts';
import { rejectionOf } from '../support/decider-spec.ts';
import { createGate } from '../support/faulty-store.ts';
import { aloneLease } from '../support/lease.ts';
import {
  account,
  centsOf,
  createLetterWorld,
  type LetterWorld,
  letterTo,
  newYork,
  plainly,
} from '../support/letter-world.ts';
import { createMemoryQuotes } from '../support/memory-quotes.ts';

const funds = 10_000n;

const funded = async (how: { oneCommit?: boolean } = {}): Promise<LetterWorld> => {
  const world = createLetterWorld(how);
  await world.fund(funds);
  return world;
};

/** The letter's price by its stream, in cents. */
const priceOf = async (world: LetterWorld, letterId: string): Promise<bigint> => {
  const letter = await world.letter(letterId);
  return letter.status === 'none'
    ? 0n
    : totalOf(chargeOfCents(letter.terms.price.charge)) / 10_000n;
};

/** Everything that was credited is available or held for a letter, to the cent. */
const assertHeld = async (world: LetterWorld, letterId: string, total = funds): Promise<void> => {
  const wallet = await world.wallet();
  const reservation = reservationOf(wallet, letterPurpose(letterId)) ?? nothing;
  expect(centsOf(reservation)).to.equal(await priceOf(world, letterId));
  expect(centsOf(wallet.available)).to.equal(total - centsOf(reservation));
};

const assertNothingHeld = async (world: LetterWorld, total = funds): Promise<void> => {
  const wallet = await world.wallet();
  expect([...wallet.reservations]).to.deep.equal([]);
  expect(centsOf(wallet.available)).to.equal(total);
};

const cancel = (world: LetterWorld, letterId: string) =>
  world.handler.handle(letterAggregate, letterId, world.context(), cancelLetter);
const produce = (world: LetterWorld, letterId: string) =>
  world.handler.handle(letterAggregate, letterId, world.context(), (letter) =>
    startProduction(letter, {
      type: 'StartProduction',
      partner: 'p',
      jobId: 'j',
      source: 'partner',
    }),
  );
const failure: ReportProgress = {
  type: 'ReportProgress',
  source: 'partner',
  step: 'failed',
  code: 'jam',
  stage: 'print',
  retryable: false,
  detail: 'jam',
};
const fail = (world: LetterWorld, letterId: string) =>
  world.handler.handle(letterAggregate, letterId, world.context(), (letter) =>
    reportProgress(letter, failure),
  );

/** The reactor after it saw the whole log and did what it said. */
const reactorOver = async (world: LetterWorld) => {
  const reactor = createSettleWallets({ ...world, patienceMs: 60_000 });
  const tasks = (await world.store.readAll({ after: 0n })).map((event) =>
    reactor.react(decodeEvent(event), event.position),
  );
  for (const task of tasks) await task?.(aloneLease);
  return reactor;
};

const ways = [
  { way: 'in two steps', oneCommit: false },
  { way: 'in one commit', oneCommit: true },
];

for (const { way, ...how } of ways)
  describe(`sending a letter ${way}`, () => {
    it('charges its price and queues it', async () => {
      const world = await funded(how);
      const sent = await world.letters.send(letterTo(), plainly, world.asked('k'));
      expect(sent).to.include({
        status: 'queued',
        replayed: false,
        letterId: letterIdOf(world.asked('k').commandId),
      });
      expect(await priceOf(world, sent.letterId)).to.be.above(0n as unknown as number);
      await assertHeld(world, sent.letterId);
    });

    it('answers a repetition as the first time and charges nothing more', async () => {
      const world = await funded(how);
      const first = await world.letters.send(letterTo(), plainly, world.asked('k'));
      const head = await world.store.head();
      world.time.now += 86_400_000;
      const again = await world.process().letters.send(letterTo(), plainly, world.asked('k'));
      expect(again).to.deep.equal({ ...first, replayed: true, position: 0n });
      expect(await world.store.head()).to.equal(head);
    });

    it('refuses another request under the same key', async () => {
      const world = await funded(how);
      await world.letters.send(letterTo(), plainly, world.asked('k', 'one'));
      const other = world.letters.send(letterTo({ name: 'Eve' }), plainly, world.asked('k', 'two'));
      expect(await rejectionOf(other)).to.equal('idempotency_key_reused');
    });

    it('charges once when the same request runs many times at once', async () => {
      const world = await funded(how);
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, () => world.letters.send(letterTo(), plainly, world.asked('k'))),
      );
      expect(outcomes.filter(({ replayed }) => !replayed)).to.have.length(1);
      await assertHeld(world, outcomes[0]?.letterId ?? '');
    });

    it('makes no draft of the second when two different ones race under the same key', async () => {
      const world = await funded(how);
      const draft = { ...plainly, draft: true };
      const outcomes = await Promise.all([
        rejectionOf(world.letters.send(letterTo(), draft, world.asked('k', 'one'))),
        rejectionOf(world.letters.send(letterTo({ name: 'Eve' }), draft, world.asked('k', 'two'))),
      ]);
      expect(outcomes).to.have.members(['idempotency_key_reused', undefined]);
    });

    it('charges nothing for a letter that is found wrong', async () => {
      const world = await funded(how);
      const wrong = world.letters.send(letterTo({ postalCode: '7' }), plainly, world.asked('k'));
      expect(await rejectionOf(wrong)).to.equal('address_invalid');
      const empty = letterTo({}, { content: { kind: 'text', text: ' ' } });
      expect(await rejectionOf(world.letters.send(empty, plainly, world.asked('l')))).to.equal(
        'content_not_printable',
      );
      const late = world.letters.send(
        letterTo({}, { sendDate: '2020-01-01' }),
        plainly,
        world.asked('m'),
      );
      expect(await rejectionOf(late)).to.equal('validation_failed');
      await assertNothingHeld(world);
    });

    it('refuses without funds, and above max_total', async () => {
      const world = createLetterWorld(how);
      expect(await rejectionOf(world.letters.send(letterTo(), plainly, world.asked('k')))).to.equal(
        'insufficient_funds',
      );
      await world.fund(funds);
      const capped = world.letters.send(
        letterTo(),
        { ...plainly, maxTotalMicro: 10_000n },
        world.asked('l'),
      );
      expect(await rejectionOf(capped)).to.equal('max_total_exceeded');
      await assertNothingHeld(world);
    });

    it('keeps the letter as a draft when there are no funds and it was asked to', async () => {
      const world = createLetterWorld(how);
      const options = { ...plainly, holdWithoutFunds: true };
      const held = await world.letters.send(letterTo(), options, world.asked('k'));
      expect(held).to.include({ status: 'draft', holdReason: 'funds' });
      const again = await world.letters.send(letterTo(), options, world.asked('k'));
      expect(again).to.include({ status: 'draft', replayed: true });
      await world.fund(funds);
      const sent = await world.letters.sendDraft(held.letterId, plainly, world.asked('s', 'send'));
      expect(sent).to.include({ status: 'queued', letterId: held.letterId });
      await assertHeld(world, held.letterId);
    });

    it('pays from crypto first', async () => {
      const world = createLetterWorld(how);
      await world.fund(funds, 'crypto');
      const { terms } = await world.letters.send(letterTo(), plainly, world.asked('k'));
      expect(terms.price.charge).to.include({ subtotalFiatCents: 0, commissionFiatCents: 0 });
      expect((await world.wallet()).available.fiat).to.equal(0n);
    });

    it('lets a test letter to a magic name go at once, and no other', async () => {
      const world = await funded(how);
      const sendTest = async (name: string, test: boolean): Promise<boolean> => {
        const asked = world.asked(`${name}-${test}`, name, { test });
        const { letterId } = await world.letters.send(letterTo({ name }), plainly, asked);
        const letter = await world.letter(letterId);
        return (
          letter.status === 'queued' && letter.releaseAt === new Date(world.time.now).toISOString()
        );
      };
      expect(await sendTest('Test Returned', true)).to.equal(true);
      expect(await sendTest('Test Print Failure', true)).to.equal(true);
      expect(await sendTest('Test Returned', false)).to.equal(false);
      expect(await sendTest('Constructor', true)).to.equal(false);
    });
  });

describe('a send that a crash cuts short', () => {
  /** The letter's stream does not answer: the request ends between reserving and queueing. */
  const cutShort = async (world: LetterWorld, key = 'k'): Promise<void> => {
    world.faults.append = async (next, stream, ...rest) => {
      if (stream.startsWith('letter-')) throw new StoreUnavailable('test');
      return next(stream, ...rest);
    };
    const [outcome] = await Promise.allSettled([
      world.letters.send(letterTo(), plainly, world.asked(key)),
    ]);
    expect(outcome?.status).to.equal('rejected');
    delete world.faults.append;
  };

  it('is finished by a retry under the same key, for one charge', async () => {
    const world = await funded();
    await cutShort(world);
    const reserved = await world.wallet();
    expect(reserved.reservations.size).to.equal(1);
    const sent = await world.process().letters.send(letterTo(), plainly, world.asked('k'));
    expect(sent).to.include({ status: 'queued', replayed: false });
    expect((await world.wallet()).available).to.deep.equal(reserved.available);
    await assertHeld(world, sent.letterId);
  });

  it('asks to try again when the price changed since, and the retry pays the new one', async () => {
    const world = await funded();
    await cutShort(world);
    const costlier = letterTo({}, { content: { kind: 'text', text: 'A page. '.repeat(4_000) } });
    expect(await rejectionOf(world.letters.send(costlier, plainly, world.asked('k')))).to.equal(
      'conflict',
    );
    const sent = await world.letters.send(costlier, plainly, world.asked('k'));
    await assertHeld(world, sent.letterId);
  });

  it('is undone when nobody retries, and can be sent again after that', async () => {
    const world = await funded();
    await cutShort(world);
    const reactor = await reactorOver(world);
    expect(await reactor.sweep()).to.equal(0);
    world.time.now += 60_001;
    expect(await reactor.sweep()).to.equal(1);
    expect(await reactor.sweep()).to.equal(0);
    await assertNothingHeld(world);
    const sent = await world.letters.send(letterTo(), plainly, world.asked('k'));
    await assertHeld(world, sent.letterId);
  });

  it('is undone at once when the key of the letter was erased', async () => {
    const world = await funded();
    await world.dataKeys.erase(letterStream(letterIdOf(world.asked('k').commandId)));
    const [outcome] = await Promise.allSettled([
      world.letters.send(letterTo(), plainly, world.asked('k')),
    ]);
    expect(outcome?.status).to.equal('rejected');
    await assertNothingHeld(world);
  });

  for (const [what, code] of [
    ['sent', 'letter_deleted'],
    ['changed', 'conflict'],
  ])
    it(`is refused with ${code} when the draft is deleted while it is ${what}`, async () => {
      const world = await funded();
      const draft = { ...plainly, draft: true };
      const { letterId } = await world.letters.send(letterTo(), draft, world.asked('d'));
      const changes = { to: { line1: '1 rue de Rivoli' }, acceptAddressAsIs: false };
      const gate = createGate();
      const { create } = world.dataKeys;
      world.dataKeys.create = async (subject) => {
        await gate.pass();
        return create(subject);
      };
      const asking = rejectionOf(
        what === 'sent'
          ? world.letters.sendDraft(letterId, plainly, world.asked('k'))
          : world.letters.update(letterId, changes, world.asked('k'), undefined),
      );
      await gate.reached;
      const { handler } = world.process();
      await handler.handle(letterAggregate, letterId, world.context(), (letter) =>
        eraseLetter(letter, { type: 'EraseLetter', reason: 'deleted' }),
      );
      await world.dataKeys.erase(letterStream(letterId));
      gate.open();
      expect(await asking).to.equal(code);
      await assertNothingHeld(world);
    });

  it('is undone even if another one cannot be undone', async () => {
    const world = await funded();
    for (const key of ['k1', 'k2']) await cutShort(world, key);
    const reactor = await reactorOver(world);
    world.time.now += 60_001;
    const bad = letterStream(letterIdOf(world.asked('k1').commandId));
    world.faults.append = async (next, ...call) => {
      if (call[0] === bad) throw new Error('no room');
      return next(...call);
    };
    const failed = await reactor.sweep().catch((error: Error) => error.message);
    expect(failed).to.equal('no room');
    expect((await world.wallet()).reservations.size).to.equal(1);
    delete world.faults.append;
    expect(await reactor.sweep()).to.equal(1);
    await assertNothingHeld(world);
  });

  it('is either finished or undone when both race, never both', async () => {
    for (const lateQueueFirst of [true, false]) {
      const world = await funded();
      const gate = createGate();
      let held = true;
      world.faults.append = async (next, stream, ...rest) => {
        if (stream.startsWith('letter-') && held) {
          held = false;
          if (lateQueueFirst) return next(stream, ...rest).finally(gate.pass);
          await gate.pass();
        }
        return next(stream, ...rest);
      };
      const sending = rejectionOf(world.letters.send(letterTo(), plainly, world.asked('k')));
      await gate.reached;
      const [reservation] = (await world.wallet()).reservations.values();
      const letterId = reservation?.purpose.id ?? '';
      const attemptId = reservation?.attempts[0]?.attemptId ?? '';
      const { handler } = world.process();
      await abandonAttempt(
        { handler },
        { letterId, accountId: account, attemptId },
        world.context(),
      );
      gate.open();
      expect(await sending).to.equal(lateQueueFirst ? undefined : 'store_unavailable');
      const letter = await world.letter(letterId);
      expect(letter.status).to.equal(lateQueueFirst ? 'queued' : 'none');
      if (lateQueueFirst) await assertHeld(world, letterId);
      else await assertNothingHeld(world);
    }
  });

  it('lets no dear letter go for the price of a cheap one that raced it under the same key', async () => {
    const world = await funded();
    const gate = createGate();
    let first = true;
    world.faults.append = async (next, stream, ...rest) => {
      if (stream.startsWith('letter-') && first) {
        first = false;
        await gate.pass();
      }
      return next(stream, ...rest);
    };
    const cheap = rejectionOf(world.letters.send(letterTo(), plainly, world.asked('k', 'cheap')));
    await gate.reached;
    const input = letterTo({}, { service: 'fr_lettre_recommandee' });
    const dear = await world.process().letters.send(input, plainly, world.asked('k', 'dear'));
    gate.open();
    await cheap;
    const reactor = await reactorOver(world);
    world.time.now += 60_001;
    await reactor.sweep();
    const letter = await world.letter(dear.letterId);
    expect(letter).to.deep.include({ status: 'queued' });
    const { price } = dear.terms;
    expect(price.postageCents + price.printCents + price.surchargeCents).to.equal(
      price.charge.subtotalFiatCents,
    );
    await assertHeld(world, dear.letterId);
  });

  it('keeps what a retry holds while what the first try held is given back', async () => {
    const world = await funded();
    await cutShort(world);
    const letterId = letterIdOf(world.asked('k').commandId);
    const reservation = (await world.wallet()).reservations.get(`letter-${letterId}`);
    const attemptId = reservation?.attempts[0]?.attemptId ?? '';
    await abandonAttempt(world, { letterId, accountId: account, attemptId }, world.context());
    const gate = createGate();
    world.faults.append = async (next, stream, ...rest) => {
      if (stream.startsWith('letter-')) await gate.pass();
      return next(stream, ...rest);
    };
    const retry = world.letters.send(letterTo(), plainly, world.asked('k'));
    await gate.reached;
    // The reactor comes late: the letter is not there, the second attempt is on its way.
    await world.settle(letterId);
    gate.open();
    await retry;
    await assertHeld(world, letterId);
  });
});

describe('sending a draft', () => {
  const drafted = async (world: LetterWorld): Promise<string> => {
    const asked = world.asked('draft', 'draft');
    return (await world.letters.send(letterTo(), { ...plainly, draft: true }, asked)).letterId;
  };

  it('charges it once and answers a repetition as the first time', async () => {
    const world = await funded();
    const letterId = await drafted(world);
    await assertNothingHeld(world);
    const first = await world.letters.sendDraft(letterId, plainly, world.asked('s', 'send'));
    const again = await world.letters.sendDraft(letterId, plainly, world.asked('s', 'send'));
    expect(again).to.deep.equal({ ...first, replayed: true, position: 0n });
    await assertHeld(world, letterId);
    for (const what of ['send', 'send again']) {
      const other = world.letters.sendDraft(letterId, plainly, world.asked('t', what));
      expect(await rejectionOf(other)).to.equal('letter_not_sendable');
    }
  });

  it('charges it once when two keys send it at the same time', async () => {
    const world = await funded();
    const letterId = await drafted(world);
    const send = (key: string, { letters } = world.process()) =>
      rejectionOf(letters.sendDraft(letterId, plainly, world.asked(key, 'send')));
    const outcomes = await Promise.all([send('s'), send('t')]);
    expect(outcomes).to.include(undefined);
    expect(outcomes).to.include('letter_not_sendable');
    await assertHeld(world, letterId);
  });

  it('refuses another request under the same key, later and at the same time', async () => {
    const world = await funded();
    const letterId = await drafted(world);
    const send = (what: string, { letters } = world.process()) =>
      rejectionOf(letters.sendDraft(letterId, plainly, world.asked('s', what)));
    const outcomes = await Promise.all([send('one'), send('two')]);
    expect(outcomes).to.have.members([undefined, 'idempotency_key_reused']);
    expect(await send('three')).to.equal('idempotency_key_reused');
    const ofDraft = world.letters.sendDraft(letterId, plainly, world.asked('draft', 'send'));
    expect(await rejectionOf(ofDraft)).to.equal('idempotency_key_reused');
    await assertHeld(world, letterId);
  });

  it('is for its owner', async () => {
    const world = await funded();
    const letterId = await drafted(world);
    const stranger = world.asked('s', 'send', { accountId: 'acct_2' });
    expect(await rejectionOf(world.letters.sendDraft(letterId, plainly, stranger))).to.equal(
      'letter_not_found',
    );
  });

  it('does not undo a change that came in between', async () => {
    const world = await funded();
    const letterId = await drafted(world);
    const gate = createGate();
    world.faults.append = async (next, stream, ...rest) => {
      if (stream.startsWith('wallet-')) await gate.pass();
      return next(stream, ...rest);
    };
    const sending = rejectionOf(
      world.letters.sendDraft(letterId, plainly, world.asked('s', 'send')),
    );
    await gate.reached;
    const changes = { to: { line1: '99 rue de la Paix' }, acceptAddressAsIs: false };
    await world.process().letters.update(letterId, changes, world.asked('p', 'patch'), undefined);
    delete world.faults.append;
    gate.open();
    expect(await sending).to.equal('conflict');
    await assertNothingHeld(world);
    await world.letters.sendDraft(letterId, plainly, world.asked('s', 'send'));
    const letter = await world.letter(letterId);
    expect(letter.status !== 'none' && letter.personal?.to.line1).to.match(/^99 rue/i);
    await assertHeld(world, letterId);
  });

  it('keeps what it holds when the wallet is settled for the draft at that moment', async () => {
    const world = await funded();
    const letterId = await drafted(world);
    const gate = createGate();
    world.faults.append = async (next, stream, ...rest) => {
      if (stream === letterStream(letterId)) await gate.pass();
      return next(stream, ...rest);
    };
    const sending = world.letters.sendDraft(letterId, plainly, world.asked('s', 'send'));
    await gate.reached;
    await world.settle(letterId);
    gate.open();
    await sending;
    await assertHeld(world, letterId);
  });
});

describe('changing a letter', () => {
  const change = (world: LetterWorld, letterId: string, to: object, key: string) =>
    world.letters.update(
      letterId,
      { to, acceptAddressAsIs: false },
      world.asked(key, to),
      undefined,
    );
  const { name: _, ...toNewYork } = newYork;
  const { name: __, ...toParis } = letterTo().to;

  for (const bucket of ['fiat', 'crypto'] as const) {
    it(`settles the difference exactly when the price goes up and down, paid from ${bucket}`, async () => {
      const world = createLetterWorld();
      await world.fund(funds, bucket);
      const input = letterTo({}, { intent: 'legal_compliance' });
      const { letterId } = await world.letters.send(input, plainly, world.asked('k'));
      const prices = [await priceOf(world, letterId)];
      for (const [turn, to] of [toNewYork, toParis, toNewYork, toParis].entries()) {
        await change(world, letterId, to, `p${turn}`);
        prices.push(await priceOf(world, letterId));
        await world.settle(letterId);
        await assertHeld(world, letterId);
      }
      expect(new Set(prices).size).to.be.above(1);
      await produce(world, letterId);
      await world.settle(letterId);
      expect((await world.wallet()).reservations.get(`letter-${letterId}`)?.state).to.equal(
        'captured',
      );
      await assertHeld(world, letterId);
    });
  }

  /** Until when it can be cancelled, and when it is released: the same. */
  const timesOf = async (world: LetterWorld, letterId: string): Promise<string | undefined> => {
    const letter = await world.letter(letterId);
    if (letter.status === 'none') return undefined;
    expect(letter.cancellableUntil).to.equal(letter.releaseAt);
    return letter.releaseAt;
  };

  it('releases it on its send date in the country that it goes to', async () => {
    const world = await funded();
    const input = letterTo({}, { sendDate: '2026-11-10' });
    const { letterId } = await world.letters.send(input, plainly, world.asked('k'));
    expect(await timesOf(world, letterId)).to.equal('2026-11-10T00:00:00.000Z');
    await change(world, letterId, toNewYork, 'p1');
    expect(await timesOf(world, letterId)).to.equal('2026-11-10T05:00:00.000Z');
    const direct = { ...input, to: newYork };
    const { terms } = await world.letters.send(direct, plainly, world.asked('direct'));
    const letter = await world.letter(letterId);
    expect(letter.status !== 'none' && letter.terms.expectedDelivery).to.deep.equal(
      terms.expectedDelivery,
    );
    await change(world, letterId, toParis, 'p2');
    expect(await timesOf(world, letterId)).to.equal('2026-11-10T00:00:00.000Z');
  });

  it('leaves its cancellation window as it was', async () => {
    const world = await funded();
    const { letterId } = await world.letters.send(letterTo(), plainly, world.asked('k'));
    const end = await timesOf(world, letterId);
    for (const [turn, to] of [toNewYork, toParis].entries()) {
      world.time.now += 60_000;
      await change(world, letterId, to, `p${turn}`);
      expect(await timesOf(world, letterId)).to.equal(end);
    }
    const later = letterTo({}, { sendDate: '2026-11-04' });
    world.time.now = Date.parse('2026-11-04T04:58:00.000Z');
    const sent = await world.letters.send(later, plainly, world.asked('later'));
    world.time.now += 60_000;
    await change(world, sent.letterId, toNewYork, 'later-p');
    expect(await timesOf(world, sent.letterId)).to.equal('2026-11-04T05:03:00.000Z');
  });

  it('releases it in the hours of the print house of the country that it goes to', async () => {
    const handOverAt: HandOverAt = (country, from) =>
      handOverTime(country, from, usualHandOverHours);
    const world = createLetterWorld({ handOverAt });
    await world.fund(funds);
    world.time.now = Date.parse('2026-11-03T18:00:00.000Z');
    const { letterId } = await world.letters.send(letterTo(), plainly, world.asked('k'));
    expect(await timesOf(world, letterId)).to.equal('2026-11-03T23:00:00.000Z');
    await change(world, letterId, toNewYork, 'p1');
    expect(await timesOf(world, letterId)).to.equal('2026-11-03T18:05:00.000Z');
    await change(world, letterId, toParis, 'p2');
    expect(await timesOf(world, letterId)).to.equal('2026-11-03T23:00:00.000Z');
  });

  it('touches no money when nothing differs', async () => {
    const world = await funded();
    const { letterId } = await world.letters.send(letterTo(), plainly, world.asked('k'));
    const head = await world.store.head();
    await change(world, letterId, {}, 'p');
    expect(await world.store.head()).to.equal(head);
  });

  it('gives the money back at once when the letter changed meanwhile', async () => {
    const world = await funded();
    const input = letterTo({}, { intent: 'legal_compliance' });
    const { letterId } = await world.letters.send(input, plainly, world.asked('k'));
    const dear = (await priceOf(world, letterId)) > 0n ? toNewYork : toParis;
    const gate = createGate();
    world.faults.append = async (next, stream, ...rest) => {
      if (stream === letterStream(letterId)) await gate.pass();
      return next(stream, ...rest);
    };
    const changing = rejectionOf(change(world, letterId, dear, 'p'));
    await gate.reached;
    delete world.faults.append;
    await produce({ ...world, ...world.process() }, letterId);
    gate.open();
    expect(await changing).to.equal('conflict');
    await world.settle(letterId);
    await assertHeld(world, letterId);
    expect((await world.wallet()).reservations.get(`letter-${letterId}`)?.state).to.equal(
      'captured',
    );
  });

  it('gets its money back when the letter failed and was refunded before the change was paid', async () => {
    const world = await funded();
    const { letterId } = await world.letters.send(letterTo(newYork), plainly, world.asked('k'));
    const gate = createGate();
    world.faults.append = async (next, stream, ...rest) => {
      if (stream.startsWith('wallet-')) await gate.pass();
      return next(stream, ...rest);
    };
    const changing = rejectionOf(change(world, letterId, toParis, 'p'));
    await gate.reached;
    delete world.faults.append;
    const elsewhere = { ...world, ...world.process() };
    await produce(elsewhere, letterId);
    await settleWallet(elsewhere, letterId, world.context());
    await fail(elsewhere, letterId);
    await settleWallet(elsewhere, letterId, world.context());
    await assertNothingHeld(world);
    gate.open();
    expect(await changing).to.equal('conflict');
    await reactorOver(world);
    await assertNothingHeld(world);
  });

  it('is no error for a settlement that read the dearer letter before it changed', async () => {
    const world = await funded();
    const { letterId } = await world.letters.send(letterTo(newYork), plainly, world.asked('k'));
    await change(world, letterId, toParis, 'p0');
    const dearer = await world.letter(letterId);
    await change(world, letterId, toNewYork, 'p1');
    await world.settle(letterId);
    const late = { handler: world.handler, letter: async () => dearer };
    await settleWallet(late, letterId, world.context());
    await assertHeld(world, letterId);
  });

  it('refuses another change under the same key', async () => {
    const world = await funded();
    const { letterId } = await world.letters.send(letterTo(), plainly, world.asked('k'));
    await change(world, letterId, { line1: '1 rue de Rivoli' }, 'p');
    const other = change(world, letterId, { line1: '2 rue de Rivoli' }, 'p');
    expect(await rejectionOf(other)).to.equal('idempotency_key_reused');
    await assertHeld(world, letterId);
  });

  it('is refused at another version than the caller knows', async () => {
    const world = await funded();
    const { letterId } = await world.letters.send(letterTo(), plainly, world.asked('k'));
    const changes = { to: { line1: '1 rue de Rivoli' }, acceptAddressAsIs: false };
    const stale = world.letters.update(letterId, changes, world.asked('p'), 7n);
    expect(await rejectionOf(stale)).to.equal('version_mismatch');
  });
});

describe('a letter that does not go', () => {
  it('is released in full when it is cancelled, once', async () => {
    const world = await funded();
    const { letterId } = await world.letters.send(letterTo(), plainly, world.asked('k'));
    await Promise.all([cancel(world, letterId), cancel(world, letterId)]);
    await Promise.all([world.settle(letterId), world.settle(letterId), world.settle(letterId)]);
    await assertNothingHeld(world);
  });

  it('is refunded in full when it fails after it was paid, once', async () => {
    const world = await funded();
    const { letterId } = await world.letters.send(letterTo(), plainly, world.asked('k'));
    await produce(world, letterId);
    await world.settle(letterId);
    await fail(world, letterId);
    await Promise.all([world.settle(letterId), world.settle(letterId)]);
    await world.settle(letterId);
    await assertNothingHeld(world);
    const wallet = await world.store.readStream(`wallet-${account}-0`);
    expect(wallet.filter(({ type }) => type === 'FundsRefunded')).to.have.length(1);
  });

  it('is not readable, replayed or changed once it was erased', async () => {
    const world = await funded();
    const { letterId } = await world.letters.send(letterTo(), plainly, world.asked('k'));
    await cancel(world, letterId);
    await world.handler.handle(letterAggregate, letterId, world.context(), (letter) =>
      eraseLetter(letter, { type: 'EraseLetter', reason: 'deleted' }),
    );
    await world.dataKeys.erase(letterStream(letterId));
    const again = world.letters.send(letterTo(), plainly, world.asked('k'));
    expect(await rejectionOf(again)).to.equal('letter_deleted');
    const letter = await world.letter(letterId);
    expect(JSON.stringify(letter)).to.not.match(/Lovelace|Paix|Bonjour/i);
  });
});

describe('a quote', () => {
  const quotes = createQuotes(createMemoryQuotes());
  const quoteFor = async (world: LetterWorld): Promise<Quote> => {
    const owner = { letterId: 'l', accountId: account, test: false };
    const priced = await world.letters.price(letterTo(), owner);
    return {
      ...priced,
      accountId: account,
      country: 'FR',
      color: false,
      duplex: true,
      expiresAt: '2026-11-03T09:15:00.000Z',
      hasDocument: false,
      aboutIntent: [],
    };
  };
  const now = '2026-11-03T09:00:00.000Z';

  const held = async (): Promise<{ id: string; quote: Quote }> => {
    const id = quotes.newId();
    const quote = await quoteFor(createLetterWorld());
    await quotes.hold(id, quote);
    return { id, quote };
  };
  const read = (id: string, who = account) => rejectionOf(quotes.read(id, who, now));

  it('comes back as it was given, by a short id', async () => {
    const { id, quote } = await held();
    expect(await quotes.read(id, account, now)).to.deep.equal(quote);
    expect(id.length).to.be.at.most(40);
  });

  it('is refused when any character was changed, and for another account', async () => {
    const { id } = await held();
    for (let index = 0; index < id.length; index++) {
      const other = id[index] === 'A' ? 'B' : 'A';
      const changed = id.slice(0, index) + other + id.slice(index + 1);
      expect(await read(changed), `character ${index}`).to.equal('quote_invalid');
    }
    expect(await read(id, 'acct_2')).to.equal('quote_invalid');
    for (const none of ['', 'quote_', id.slice(0, -1), quotes.newId()]) {
      expect(await read(none)).to.equal('quote_invalid');
    }
  });

  it('expires', async () => {
    const { id } = await held();
    const late = quotes.read(id, account, '2026-11-03T09:15:00.000Z');
    expect(await rejectionOf(late)).to.equal('quote_expired');
  });

  it('decides the price, and fits no other letter', async () => {
    const world = await funded();
    const quote = await quoteFor(world);
    const dearer = {
      ...quote,
      subtotal: {
        ...quote.subtotal,
        postageMicro: quote.subtotal.postageMicro + 70_000n,
        subtotalMicro: quote.subtotal.subtotalMicro + 70_000n,
      },
    };
    const sent = await world.letters.send(
      letterTo(),
      { ...plainly, quote: dearer },
      world.asked('k'),
    );
    expect(sent.terms.price.charge.subtotalFiatCents).to.equal(
      Number(dearer.subtotal.subtotalMicro / 10_000n),
    );
    await assertHeld(world, sent.letterId);
    const color = letterTo({}, { color: true });
    const other = world.letters.send(color, { ...plainly, quote }, world.asked('l'));
    expect(await rejectionOf(other)).to.equal('quote_mismatch');
  });

  it('fits no letter that is to be posted under the next tariff, unless it was asked for that day', async () => {
    const world = await funded();
    world.time.now = Date.parse('2025-12-20T09:00:00.000Z');
    const quote = await quoteFor(world);
    expect(quote.subtotal.row.validTo).to.equal('2025-12-31');
    const sendOn = (key: string, sendDate: string | undefined, quoted: Quote) => {
      const letter = letterTo({}, sendDate === undefined ? {} : { sendDate });
      return world.letters.send(letter, { ...plainly, quote: quoted }, world.asked(key));
    };
    expect(await rejectionOf(sendOn('a', '2026-01-15', quote))).to.equal('quote_mismatch');
    const asked = { ...quote, sendDate: '2026-01-15' };
    for (const [key, sendDate, quoted] of [
      ['b', '2025-12-23', quote],
      ['c', undefined, quote],
      ['d', '2026-01-15', asked],
    ] as const) {
      expect((await sendOn(key, sendDate, quoted)).status).to.equal('queued');
    }
    // Within the time of the quote, the price holds also where the tariff changes.
    world.time.now = Date.parse('2026-01-01T09:00:00.000Z');
    expect((await sendOn('e', undefined, quote)).status).to.equal('queued');
  });
});

describe('the documents of a letter', () => {
  const pdfLetter = letterTo({}, { content: { kind: 'pdf', source: 'https://a.example/a.pdf' } });
  const draft: SendOptions = { ...plainly, draft: true };

  it('are stored once when the same request runs many times at once', async () => {
    const world = await funded();
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, () => world.letters.send(pdfLetter, plainly, world.asked('k'))),
    );
    const letterId = outcomes[0]?.letterId ?? '';
    const letter = await world.letter(letterId);
    const blob = letter.status === 'none' ? undefined : letter.personal?.contentBlob;
    expect(world.blobs.keys()).to.deep.equal([blob]);
    const stored = await world.files.get(letterId, blob ?? '');
    expect(String(stored)).to.equal('%PDF https://a.example/a.pdf');
  });

  it('are not stored for a letter that is refused, but kept for one of which nobody knows', async () => {
    const world = await funded();
    const dear = { ...plainly, maxTotalMicro: 10_000n };
    const refused = world.letters.send(pdfLetter, dear, world.asked('k'));
    expect(await rejectionOf(refused)).to.equal('max_total_exceeded');
    expect(world.blobs.keys()).to.deep.equal([]);
    world.faults.append = async (next, ...call) => {
      const appended = await next(...call);
      if (call[0].startsWith('letter-')) throw new StoreUnavailable('the answer was lost');
      return appended;
    };
    const lost = world.letters.send(pdfLetter, plainly, world.asked('l'));
    expect(
      await lost.then(
        () => 'sent',
        (error: Error) => error.name,
      ),
    ).to.equal('StoreUnavailable');
    world.faults.append = undefined;
    const again = await world.letters.send(pdfLetter, plainly, world.asked('l'));
    expect(again.replayed).to.equal(true);
    expect(world.blobs.keys()).to.deep.equal([again.personal.contentBlob]);
  });

  it('lie beside the event from 32 KiB on, and come back for a change', async () => {
    const world = await funded();
    const text = 'Une page. '.repeat(4_000);
    const long = letterTo({}, { content: { kind: 'text', text } });
    const sent = await world.letters.send(long, draft, world.asked('k'));
    expect(sent.personal).to.not.have.property('content');
    expect(world.blobs.keys()).to.have.length(1);
    const changes = { to: { name: 'Grace Hopper' }, acceptAddressAsIs: false };
    await world.letters.update(sent.letterId, changes, world.asked('u'), undefined);
    const letter = await world.letter(sent.letterId);
    if (letter.status === 'none') throw new Error('it is there');
    expect(letter.personal?.to.name).to.equal('Grace Hopper');
    expect(letter.terms).to.include({ pages: sent.terms.pages, commitment: sent.terms.commitment });
    expect(world.blobs.keys()).to.have.length(1);
  });

  it('keep the layout that they were made in when their letter is changed', async () => {
    const world = await funded();
    const { terms, personal } = await world.letters.send(letterTo({}), draft, world.asked('k'));
    expect(terms.layout).to.equal(2);
    const { layout: _, ...earlier } = terms;
    const layoutAfter = async (letterId: string, made: typeof terms) => {
      const requestHash = 'r'.repeat(43);
      const event: LetterEvent = {
        type: 'LetterDrafted',
        data: { terms: made, holdReason: 'requested', requestHash },
        personal,
      };
      await world.handler.handle(letterAggregate, letterId, world.context(), () => [event]);
      const changes = { to: { name: 'Grace Hopper' }, acceptAddressAsIs: false };
      await world.letters.update(letterId, changes, world.asked(letterId), undefined);
      const letter = await world.letter(letterId);
      if (letter.status === 'none') throw new Error('it is there');
      expect(letter.personal?.to.name).to.equal('Grace Hopper');
      return letter.terms.layout;
    };
    expect(await layoutAfter(randomUUID(), earlier)).to.equal(undefined);
    expect(await layoutAfter(randomUUID(), terms)).to.equal(2);
  });

  it('are printed without a letterhead, which is said again when their letter is changed and sent', async () => {
    const world = await funded();
    const logo = Buffer.from('logo');
    const stationery = { date: '2026-12-01', logo, footer: 'HRB 1' };
    const input = { ...pdfLetter, stationery };
    const { letterId, personal } = await world.letters.send(input, draft, world.asked('k'));
    const unprinted = ({ warnings }: typeof personal) =>
      warnings.filter(({ code }) => code === 'not_printed').map(({ pointer }) => pointer);
    expect(unprinted(personal)).to.deep.equal(['/date', '/logo', '/footer']);
    const changes = { to: { name: 'Grace Hopper' }, acceptAddressAsIs: false };
    await world.letters.update(letterId, changes, world.asked('p'), undefined);
    const changed = await world.letter(letterId);
    expect(
      changed.status !== 'none' && changed.personal && unprinted(changed.personal),
    ).to.deep.equal(unprinted(personal));
    const sent = await world.letters.sendDraft(letterId, plainly, world.asked('s'));
    expect(sent.personal.warnings).to.deep.equal(personal.warnings);

    const dateless = { ...pdfLetter, stationery: { date: false as const } };
    const without = await world.letters.send(dateless, plainly, world.asked('d'));
    await world.letters.update(without.letterId, changes, world.asked('q'), undefined);
    const letter = await world.letter(without.letterId);
    expect(letter.status !== 'none' && letter.personal?.warnings).to.deep.equal([]);
  });

  it('are not checked again once they are paid for, unless the letter goes to another country', async () => {
    const world = await funded();
    const html = { ...pdfLetter, content: { kind: 'html' as const, html: '<p>Bonjour</p>' } };
    const changes = { to: { name: 'Grace Hopper' }, acceptAddressAsIs: false };
    for (const [key, input] of Object.entries({ pdf: pdfLetter, html })) {
      world.fake.checked = { pages: 1, findings: [] };
      world.fake.htmlPages = 1;
      const { letterId } = await world.letters.send(input, plainly, world.asked(key));
      const held = await world.letters.send(input, draft, world.asked(`${key} draft`));
      // Rules that were added later.
      world.fake.checked = { pages: 1, findings: [documentFinding('pdf_damaged')] };
      world.fake.htmlPages = 1_000;
      const change = (id: string, more: typeof changes, as: string) =>
        world.letters.update(id, more, world.asked(`${key} ${as}`), undefined);
      await change(letterId, changes, 'change');
      const changed = await world.letter(letterId);
      expect(changed.status !== 'none' && changed.personal?.to.name).to.equal('Grace Hopper');
      const code = key === 'pdf' ? 'document_not_supported' : 'too_many_pages';
      const moved = change(letterId, { ...changes, to: newYork }, 'move');
      expect(await rejectionOf(moved)).to.equal(code);
      expect(await rejectionOf(change(held.letterId, changes, 'draft'))).to.equal(code);
    }
  });

  it('are not checked again in a large envelope either, once they are paid for', async () => {
    const world = await funded();
    const html = { ...pdfLetter, content: { kind: 'html' as const, html: '<p>Bonjour</p>' } };
    const changes = { to: { name: 'Grace Hopper' }, acceptAddressAsIs: false };
    for (const [key, input] of Object.entries({ pdf: pdfLetter, html })) {
      world.fake.checked = { pages: 24, findings: [] };
      world.fake.htmlPages = 24;
      const { letterId } = await world.letters.send(input, plainly, world.asked(key));
      const before = await world.letter(letterId);
      world.fake.checked = { pages: 24, findings: [documentFinding('pdf_damaged')] };
      world.fake.htmlPages = 1_000;
      await world.letters.update(letterId, changes, world.asked(`${key} change`), undefined);
      const changed = await world.letter(letterId);
      if (before.status === 'none' || changed.status === 'none') throw new Error('no letter');
      expect(before.terms.envelope).to.equal('C4');
      expect(changed.terms).to.deep.equal(before.terms);
      expect(changed.personal?.to.name).to.equal('Grace Hopper');
    }
  });

  it('are all deleted when the letter is erased', async () => {
    const world = await funded();
    world.fake.checked = {
      pages: 1,
      findings: [],
      fixed: { pdf: Buffer.from('%PDF fixed'), pages: 2, changes: ['moved'], coverPage: true },
    };
    const sent = await world.letters.send(pdfLetter, draft, world.asked('k'));
    expect(sent.terms).to.include({ pages: 2, coverPage: true, kind: 'pdf' });
    expect(world.blobs.keys()).to.have.length(2);
    await world.handler.handle(letterAggregate, sent.letterId, world.context(), (letter) =>
      eraseLetter(letter, { type: 'EraseLetter', reason: 'deleted' }),
    );
    await finishErasure(world, sent.letterId);
    expect(world.blobs.keys()).to.deep.equal([]);
    const gone = world.files.get(sent.letterId, sent.personal.contentBlob ?? '');
    expect(await rejectionOf(gone)).to.equal('letter_deleted');
  });
});
