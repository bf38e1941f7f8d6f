import { expect } from 'chai';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { freeze } from '../../commands/guards/freeze.ts';
import { cancelLetter, eraseLetter, letterAggregate } from '../../commands/letters/letter.ts';
import { orderIdOf } from '../../commands/payments/order.ts';
import { ucanAggregate } from '../../commands/ucans/ucan.ts';
import { chargeBackFunds } from '../../commands/wallets/credits.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { closureSubject } from '../../contract/frozen.ts';
import type { AccountEvent } from '../../events/account.ts';
import { letterIdIn } from '../../events/letter.ts';
import { orderStream } from '../../events/order.ts';
import type { UcanEvent } from '../../events/ucan.ts';
import { presentPlaced } from '../../presenters/order.ts';
import { rejectionOf } from '../support/decider-spec.ts';
import { holdsAll, putPolicy } from '../support/holding-world.ts';
import { account, centsOf, letterTo, plainly } from '../support/letter-world.ts';
import { createOrderWorld } from '../support/order-world.ts';
import { makeContract } from '../support/volume-contract.ts';

const hour = 3_600_000;

const isOver = (count: number, type: string, types: string[]) =>
  expect(
    types.filter((one) => one === type),
    type,
  ).to.have.length(count);

describe('an order', () => {
  let world: Awaited<ReturnType<typeof createOrderWorld>>;
  beforeEach(async () => {
    world = await createOrderWorld();
  });

  /** Checks a paid order, independent of the faults before. */
  const expectSentOnce = async (orderId: string, letterId: string, amountMicro: number) => {
    const types = await world.types();
    isOver(1, 'LetterQueued', types);
    isOver(2, 'FundsCredited', types);
    const [wallet, letter] = [await world.wallet(), await world.letter(letterId)];
    expect(letter.status).to.equal('queued');
    expect(centsOf(wallet.available)).to.equal(1n);
    expect([...wallet.reservations.values()].map(({ purpose }) => purpose)).to.deep.equal([
      { kind: 'letter', id: letterId },
    ]);
    const [held] = [...wallet.reservations.values()];
    expect(Number(held?.fiat)).to.equal(amountMicro);
    expect(await world.status(orderId)).to.equal('fulfilled');
  };

  it('is sent once whatever write of the way fails, before or after it was done', async () => {
    for (let failing = 0; failing < 6; failing++) {
      for (const done of [false, true]) {
        world = await createOrderWorld();
        const { order } = await world.place('one');
        const { orderId, letterId, amountMicro } = order.placed;
        let writes = 0;
        let crashes = 0;
        world.faults.append = async (next, ...call) => {
          if (writes++ !== failing) return next(...call);
          if (done) await next(...call);
          crashes++;
          throw new Error('crashed');
        };
        const again = async (work: () => Promise<void>) => {
          await work().catch((error: Error) => expect(error.message).to.equal('crashed'));
          await work();
        };
        await again(() => world.tell(orderId, 'paid'));
        await again(() => world.react());
        await again(() => world.tell(orderId, 'paid'));
        await again(() => world.react());
        delete world.faults.append;
        // Credited, paid, reserved, queued, fulfilled.
        expect(crashes).to.equal(failing < 5 ? 1 : 0);
        await expectSentOnce(orderId, letterId, amountMicro);
      }
    }
  });

  it('forgets its payer with its letter, also where the letter is deleted before it is on record', async () => {
    const erase = (letterId: string) =>
      world.handler.handle(letterAggregate, letterId, world.asked('delete'), (letter) =>
        eraseLetter(letter, { type: 'EraseLetter', reason: 'deleted' }),
      );
    const payerOf = (orderId: string) => world.dataKeys.get(orderStream(orderId));
    const { order: first } = await world.place('one');
    await world.react();
    expect(await payerOf(first.placed.orderId)).not.to.equal(undefined);
    await erase(first.placed.letterId);
    await world.react();
    expect(await payerOf(first.placed.orderId)).to.equal(undefined);
    // The address of the checkout is erased with that of the payer.
    const forgotten = (await world.orders.read(first.placed.orderId))?.order;
    expect(forgotten && presentPlaced(forgotten)).to.include({
      status: 'awaiting_payment',
      checkout_url: null,
    });

    world.opening.wait = async (orderId) => {
      const drafted = (await world.store.readAll({ after: 0n })).findLast(
        ({ type }) => type === 'LetterDrafted',
      );
      const letterId = letterIdIn(drafted?.stream ?? '');
      expect(orderIdOf(letterId)).to.equal(orderId);
      await erase(letterId);
      await world.react();
    };
    const { order: second } = await world.place('two');
    expect(await payerOf(second.placed.orderId)).not.to.equal(undefined);
    await world.react();
    expect(await payerOf(second.placed.orderId)).to.equal(undefined);
  });

  it('is sent also where its attempt was undone before it came back', async () => {
    const { order } = await world.place('one');
    const { orderId, letterId, amountMicro } = order.placed;
    await world.tell(orderId, 'paid');
    world.faults.append = async (next, ...call) => {
      if (call[0].startsWith('letter-')) throw new Error('crashed');
      return next(...call);
    };
    await world.react().catch(() => {});
    delete world.faults.append;
    await world.react().catch(() => {});
    world.time.now += hour;
    await world.sweep();
    await world.react();
    await expectSentOnce(orderId, letterId, amountMicro);
  });

  it('costs what was shown, whatever the table says when it is paid', async () => {
    const priced = await world.letters.price(letterTo(), {
      letterId: 'x',
      accountId: account,
      test: false,
    });
    const dear = {
      ...priced.subtotal,
      printMicro: priced.subtotal.printMicro + 1_000_000n,
      subtotalMicro: priced.subtotal.subtotalMicro + 1_000_000n,
      pricingVersion: 'as it was',
    };
    const quote = {
      ...priced,
      subtotal: dear,
      accountId: account,
      country: 'FR',
      color: false,
      duplex: true,
      expiresAt: '2027-01-01',
      hasDocument: false,
      aboutIntent: [],
    };
    const { order } = await world.place('one', { ...plainly, quote });
    const { orderId, letterId, amountMicro, commissionMicro } = order.placed;
    expect(BigInt(amountMicro - commissionMicro)).to.equal(dear.subtotalMicro);
    await world.tell(orderId, 'paid');
    await world.react();
    await expectSentOnce(orderId, letterId, amountMicro);
    const letter = await world.letter(letterId);
    expect(letter.status !== 'none' && letter.terms.price.pricingVersion).to.equal('as it was');
  });

  it('costs what was shown also where its draft is changed after the prices, and the letter is made as before', async () => {
    const { order } = await world.place('one');
    const { orderId, letterId, amountMicro } = order.placed;
    world.discount.now = { contractId: 'contract_1', basisPoints: 3_000 };
    const changes = { metadata: { shelf: '1' }, to: { name: 'Mary' }, acceptAddressAsIs: false };
    await world.letters.update(letterId, changes, world.asked('change'), undefined);
    await world.tell(orderId, 'paid');
    await world.react();
    await expectSentOnce(orderId, letterId, amountMicro);
    const letter = await world.letter(letterId);
    expect(letter.status !== 'none' && letter.personal?.to.name).to.equal('Mary');
  });

  it('is sent once it is paid for, even if its document would no longer be accepted', async () => {
    const content = { kind: 'html' as const, html: '<p>Bonjour</p>' };
    const { order } = await world.place('one', plainly, {}, { content });
    const { orderId, letterId, amountMicro } = order.placed;
    world.fake.htmlPages = 1_000;
    await world.tell(orderId, 'paid');
    await world.react();
    await expectSentOnce(orderId, letterId, amountMicro);
  });

  it('expires with its checkout, and its draft with it; what is paid later is a credit', async () => {
    const { order } = await world.place('one');
    const { orderId, letterId, amountMicro } = order.placed;
    for (const _ of [1, 2]) {
      await world.tell(orderId, 'expired');
      await world.react();
    }
    expect(await world.status(orderId)).to.equal('expired');
    expect((await world.letter(letterId)).status).to.equal('cancelled');
    await world.tell(orderId, 'paid');
    await world.react();
    expect(await world.status(orderId)).to.equal('credited');
    expect(centsOf((await world.wallet()).available)).to.equal(BigInt(amountMicro) / 10_000n + 1n);
  });

  const withdrawals: Record<string, (letterId: string) => Promise<unknown>> = {
    cancelled: (letterId) =>
      world.handler.handle(letterAggregate, letterId, world.context(), cancelLetter),
    deleted: (letterId) =>
      world.handler.handle(letterAggregate, letterId, world.context(), (letter) =>
        eraseLetter(letter, { type: 'EraseLetter', reason: 'deleted' }),
      ),
    'sent with other money': async (letterId) => {
      await world.fund(500n);
      await world.letters.sendDraft(letterId, plainly, world.asked('other'));
    },
  };
  for (const [how, withdraw] of Object.entries(withdrawals)) {
    it(`can no longer be paid once its letter was ${how}`, async () => {
      const { orderId, letterId } = (await world.place('one')).order.placed;
      await world.look(orderId);
      expect(world.checkoutOf(orderId)?.state).to.equal('open');
      await withdraw(letterId);
      await world.look(orderId);
      expect(world.checkoutOf(orderId)?.state).to.equal('expired');
      const { status } = await world.letter(letterId);
      await world.react();
      expect(await world.status(orderId)).to.equal('expired');
      expect((await world.letter(letterId)).status).to.equal(status);
    });
  }

  for (const reason of ['deleted', 'retention'] as const) {
    it(`ends although its draft was erased: ${reason}`, async () => {
      const erase = (letterId: string) =>
        world.handler.handle(letterAggregate, letterId, world.context(), (letter) =>
          eraseLetter(letter, { type: 'EraseLetter', reason }),
        );
      const unpaid = (await world.place('unpaid')).order.placed;
      const paid = (await world.place('paid')).order.placed;
      for (const { letterId } of [unpaid, paid]) await erase(letterId);
      await world.tell(unpaid.orderId, 'expired');
      await world.tell(paid.orderId, 'paid');
      await world.react();
      expect(await world.status(unpaid.orderId)).to.equal('expired');
      expect((await world.orders.read(paid.orderId))?.order).to.include({
        status: 'credited',
        reason: 'letter_changed',
      });
      const wallet = await world.wallet();
      expect(wallet.reservations.size).to.equal(0);
      expect(centsOf(wallet.available)).to.equal(BigInt(paid.amountMicro) / 10_000n + 1n);
    });
  }

  it('is credited when it is paid while its account is closing', async () => {
    const { orderId, amountMicro } = (await world.place('one')).order.placed;
    await world.handler.handle(walletAggregate, account, world.context(), (wallet) =>
      freeze(wallet, { type: 'Freeze', subject: closureSubject, maker: { subjects: [] } }),
    );
    await world.tell(orderId, 'paid');
    await world.react();
    expect((await world.orders.read(orderId))?.order).to.include({
      status: 'credited',
      reason: 'not_sendable',
    });
    expect(centsOf((await world.wallet()).available)).to.equal(BigInt(amountMicro) / 10_000n + 1n);
  });

  it('is credited when it is paid after the discount in its price can be billed', async () => {
    for (const [day, status] of [
      ['2026-11-10', 'fulfilled'],
      ['2026-11-11', 'credited'],
    ] as const) {
      world = await createOrderWorld();
      await makeContract(world, '2026-11-04T00:00:00.000Z');
      const { orderId, letterId } = (await world.place('one')).order.placed;
      const letter = await world.letter(letterId);
      expect(letter.status !== 'none' && letter.terms.price.discount).to.be.an('object');
      world.discount.now = undefined;
      world.time.now = Date.parse(`${day}T00:00:00.000Z`);
      await world.tell(orderId, 'paid');
      await world.react();
      expect(await world.status(orderId)).to.equal(status);
    }
  });

  it('is not sent with money that was taken back before', async () => {
    const { order } = await world.place('one');
    const { orderId, letterId, accountId, amountMicro } = order.placed;
    await world.tell(orderId, 'paid');
    await world.handler.handle(walletAggregate, accountId, world.context(), (wallet) =>
      chargeBackFunds(wallet, {
        type: 'ChargeBackFunds',
        receipt: { method: 'card', id: 're_1' },
        creditId: `cs_${orderId}`,
        amountMicro: BigInt(amountMicro),
      }),
    );
    await world.react();
    expect(await world.status(orderId)).to.equal('credited');
    expect((await world.letter(letterId)).status).to.equal('draft');
    const wallet = await world.wallet();
    expect([wallet.reservations.size, centsOf(wallet.available)]).to.deep.equal([0, 1n]);
  });

  it('stays sent where its money is taken back before the order knows it', async () => {
    const { order } = await world.place('one');
    const { orderId, letterId } = order.placed;
    await world.tell(orderId, 'paid');
    world.faults.append = async (next, ...call) => {
      if (call[0].startsWith('order-')) throw new Error('crashed');
      return next(...call);
    };
    await world.react().catch((error: Error) => expect(error.message).to.equal('crashed'));
    delete world.faults.append;
    await world.refund(orderId);
    await world.react();
    expect((await world.letter(letterId)).status).to.equal('queued');
    expect(await world.status(orderId)).to.equal('fulfilled');
  });

  const [accountId, requestHash] = [account, 'r'.repeat(43)];
  const created = (keyId: string, more: object = {}): AccountEvent => ({
    type: 'KeyCreated',
    data: {
      accountId,
      keyId,
      requestHash,
      test: false,
      secretHash: 's'.repeat(43),
      prefix: 'svc_live_',
      scope: 'send',
      ...more,
    },
    personal: { label: keyId },
  });
  const ended = (keyId: string, reason: 'revoked' | 'rotated'): AccountEvent => ({
    type: 'KeyRevoked',
    data: { accountId, keyId, reason },
  });
  const tell = (...events: AccountEvent[]) =>
    world.handler.handle(accountAggregate, account, world.context(), () => events);

  /** The letter is sent and the order fulfilled, or neither; all money that was not taken back is there. */
  const expectAgreement = async (orderId: string, letterId: string, ownCents: bigint) => {
    const [wallet, letter, status] = [
      await world.wallet(),
      await world.letter(letterId),
      await world.status(orderId),
    ];
    const held = [...wallet.reservations.values()];
    expect(letter.status).to.equal(status === 'fulfilled' ? 'queued' : 'draft');
    expect(held.map(({ purpose }) => purpose)).to.deep.equal(
      status === 'fulfilled' ? [{ kind: 'letter', id: letterId }] : [],
    );
    const heldCents = held.reduce((sum, one) => sum + centsOf(one), 0n);
    expect(centsOf(wallet.available) + heldCents).to.equal(ownCents);
    return status;
  };

  it('agrees with its letter wherever a refund or a second sending comes in between', async () => {
    const outcomes = new Set<string | undefined>();
    for (const what of ['refund', 'refund and crash', 'revoked', 'settle'] as const) {
      for (let at = 0; at < 5; at++) {
        for (const done of [false, true]) {
          world = await createOrderWorld();
          await world.fund(2_000n);
          const { order } = await world.place('one', plainly, { keyIds: ['key_1'] });
          const { orderId, letterId, amountMicro } = order.placed;
          await world.tell(orderId, 'paid');
          let writes = 0;
          world.faults.append = async (next, ...call) => {
            if (writes++ !== at) return next(...call);
            const result = done ? await next(...call) : undefined;
            const there = world.other();
            if (what === 'revoked') await tell(created('key_1'), ended('key_1', 'revoked'));
            if (what.startsWith('refund')) await world.refund(orderId, there);
            else await there.orders.settle(orderId);
            if (what === 'refund and crash') throw new Error('crashed');
            return result ?? next(...call);
          };
          await world.react().catch((error: Error) => expect(error.message).to.equal('crashed'));
          delete world.faults.append;
          await world.react();
          world.time.now += hour;
          await world.sweep();
          await world.react();
          const isRefunded = what.startsWith('refund') && at < writes;
          const paid = isRefunded ? 0n : BigInt(amountMicro) / 10_000n;
          outcomes.add(`${what}: ${await expectAgreement(orderId, letterId, 2_001n + paid)}`);
        }
      }
    }
    expect([...outcomes].sort()).to.deep.equal([
      'refund and crash: credited',
      'refund and crash: fulfilled',
      'refund: credited',
      'refund: fulfilled',
      'revoked: credited',
      'revoked: fulfilled',
      'settle: fulfilled',
    ]);
  });

  describe('of a credential that ends before it is paid', () => {
    const cid = `b${'a'.repeat(58)}`;
    const revoked: UcanEvent = {
      type: 'UcanRevoked',
      data: { cid, by: 'did:key:z6MkOwner' },
    };
    /** The state of an order of a key that another key made and a UCAN stands behind, after `end`. */
    const afterwards = async (more: object, end: () => Promise<unknown>) => {
      await tell(created('key_maker'), created('key_1', { madeBy: 'key_maker', ...more }));
      const keyIds = ['key_1', `ucan:${cid}`];
      const { order } = await world.place('one', plainly, { keyIds });
      const { orderId, letterId } = order.placed;
      await end();
      await world.tell(orderId, 'paid');
      await world.react();
      expect((await world.wallet()).reservations.size).to.equal(
        (await world.letter(letterId)).status === 'queued' ? 1 : 0,
      );
      const found = await world.orders.read(orderId);
      const reason = found?.order.status === 'credited' ? found.order.reason : undefined;
      return [found?.order.status, reason, (await world.letter(letterId)).status];
    };
    const credited = ['credited', 'not_sendable', 'draft'];
    const sent = ['fulfilled', undefined, 'queued'];

    it('is not sent once its key, or the key that replaced it, or its UCAN was revoked', async () => {
      expect(await afterwards({}, () => tell(ended('key_1', 'revoked')))).to.deep.equal(credited);
      world = await createOrderWorld();
      const rotatedThenRevoked = () =>
        tell(
          created('key_2', { rotatedFrom: 'key_1' }),
          ended('key_1', 'rotated'),
          ended('key_2', 'revoked'),
        );
      expect(await afterwards({}, rotatedThenRevoked)).to.deep.equal(credited);
      world = await createOrderWorld();
      const revokeUcan = () =>
        world.handler.handle(ucanAggregate, cid, world.context(), () => [revoked]);
      expect(await afterwards({}, revokeUcan)).to.deep.equal(credited);
    });

    it('is sent although its key was rotated, expired, or was made by one that was revoked', async () => {
      const rotate = () =>
        tell(created('key_2', { rotatedFrom: 'key_1' }), ended('key_1', 'rotated'));
      expect(await afterwards({}, rotate)).to.deep.equal(sent);
      world = await createOrderWorld();
      const expiresAt = new Date(world.clock() + 60_000).toISOString();
      const wait = async () => {
        world.time.now += 120_000;
      };
      expect(await afterwards({ expiresAt }, wait)).to.deep.equal(sent);
      world = await createOrderWorld();
      expect(await afterwards({}, () => tell(ended('key_maker', 'revoked')))).to.deep.equal(sent);
    });

    it('stays sent where its key is revoked before the order knows it', async () => {
      await tell(created('key_1'));
      const { order } = await world.place('one', plainly, { keyIds: ['key_1'] });
      const { orderId, letterId, amountMicro } = order.placed;
      await world.tell(orderId, 'paid');
      world.faults.append = async (next, ...call) => {
        if (call[0].startsWith('order-')) throw new Error('crashed');
        return next(...call);
      };
      await world.react().catch((error: Error) => expect(error.message).to.equal('crashed'));
      delete world.faults.append;
      expect((await world.letter(letterId)).status).to.equal('queued');
      await tell(ended('key_1', 'revoked'));
      await world.react();
      await expectSentOnce(orderId, letterId, amountMicro);
    });
  });

  it('frees its money where the letter was cancelled between payment and sending', async () => {
    const { order } = await world.place('one');
    const { orderId, letterId, amountMicro } = order.placed;
    await world.tell(orderId, 'paid');
    expect(centsOf((await world.wallet()).available)).to.equal(1n);
    await world.handler.handle(letterAggregate, letterId, world.context(), cancelLetter);
    await world.react();
    await world.tell(orderId, 'paid');
    await world.react();
    expect(await world.status(orderId)).to.equal('credited');
    const wallet = await world.wallet();
    expect(wallet.reservations.size).to.equal(0);
    expect(centsOf(wallet.available)).to.equal(BigInt(amountMicro) / 10_000n + 1n);
    expect(await world.store.readStream(orderStream(orderId))).to.have.length(2);
  });

  describe('whose letter a policy holds', () => {
    const setHolding = () => putPolicy(world, { timeZone: 'UTC', rules: holdsAll });

    const held = async (availableCents = 1n) => {
      await setHolding();
      const { order } = await world.place('one');
      const { orderId, letterId, amountMicro } = order.placed;
      await world.tell(orderId, 'paid');
      await world.react();
      // The reactor comes back to an order that waits.
      await world.tell(orderId, 'paid');
      await world.orders.settle(orderId);
      expect(await world.status(orderId)).to.equal('awaiting_payment');
      const letter = await world.letter(letterId);
      if (letter.status === 'none' || !letter.approval) throw new Error('nobody was asked');
      expect(letter.status).to.equal('draft');
      expect(centsOf((await world.wallet()).available)).to.equal(availableCents);
      return { orderId, letterId, amountMicro, approvalId: letter.approval.approvalId };
    };
    const operator = {
      approver: 'operator',
      credential: { own: [], line: [] },
      hasFullScope: false,
    };

    it('expires without the letter that its owner sent with other money', async () => {
      await setHolding();
      await world.fund(2_000n);
      const { order } = await world.place('one');
      const { orderId, letterId } = order.placed;
      const sent = await world.letters.sendDraft(letterId, plainly, world.asked('send', 'send'));
      expect(sent.approval).to.not.equal(undefined);
      await world.tell(orderId, 'expired');
      await world.react();
      expect(await world.status(orderId)).to.equal('expired');
      const letter = await world.letter(letterId);
      expect(letter.status !== 'none' && letter.approval?.status).to.equal('pending');
      const approvalId = sent.approval?.approvalId ?? '';
      await world.letters.approvals.approve(account, approvalId, operator, world.context());
      expect((await world.letter(letterId)).status).to.equal('queued');
    });

    it('is fulfilled once the letter is approved', async () => {
      const { orderId, letterId, amountMicro, approvalId } = await held();
      await world.letters.approvals.approve(account, approvalId, operator, world.context());
      await world.react();
      await expectSentOnce(orderId, letterId, amountMicro);
    });

    it('leaves its money in the wallet when the letter is rejected', async () => {
      const { orderId, letterId, amountMicro, approvalId } = await held();
      const reason = undefined;
      const decision = { ...operator, reason };
      await world.letters.approvals.reject(account, approvalId, decision, world.context());
      await world.react();
      expect(await world.status(orderId)).to.equal('credited');
      expect((await world.letter(letterId)).status).to.equal('draft');
      const wallet = await world.wallet();
      expect(wallet.reservations.size).to.equal(0);
      expect(centsOf(wallet.available)).to.equal(BigInt(amountMicro) / 10_000n + 1n);
    });

    it('waits no longer once its money is taken back, also where the wallet has other money', async () => {
      await world.fund(2_000n);
      const { orderId, letterId, approvalId } = await held(2_001n);
      await world.refund(orderId);
      await world.react();
      const decided = world.letters.approvals.approve(
        account,
        approvalId,
        operator,
        world.context(),
      );
      expect(await rejectionOf(decided)).to.equal('approval_over');
      await world.refund(orderId);
      await world.react();
      expect((await world.orders.read(orderId))?.order).to.include({
        status: 'credited',
        reason: 'taken_back',
      });
      expect((await world.letter(letterId)).status).to.equal('draft');
      const wallet = await world.wallet();
      expect([wallet.reservations.size, centsOf(wallet.available)]).to.deep.equal([0, 2_001n]);
    });

    it('stays approved where its money is taken back afterwards', async () => {
      const { orderId, letterId, approvalId } = await held();
      await world.letters.approvals.approve(account, approvalId, operator, world.context());
      await world.refund(orderId);
      await world.react();
      expect(await world.status(orderId)).to.equal('fulfilled');
      expect((await world.letter(letterId)).status).to.equal('queued');
    });

    it('leaves its money in the wallet when the letter is cancelled meanwhile', async () => {
      const { orderId, letterId, amountMicro } = await held();
      await world.handler.handle(letterAggregate, letterId, world.context(), cancelLetter);
      await world.react();
      expect(await world.status(orderId)).to.equal('credited');
      const wallet = await world.wallet();
      expect(wallet.reservations.size).to.equal(0);
      expect(centsOf(wallet.available)).to.equal(BigInt(amountMicro) / 10_000n + 1n);
    });
  });
});
