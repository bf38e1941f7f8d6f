import { expect } from 'chai';
import { budgetsOf } from '../../commands/guards/budgets.ts';
import { cancelLetter, letterAggregate } from '../../commands/letters/letter.ts';
import { adjustCredit, chargeBackFunds, creditFunds } from '../../commands/wallets/credits.ts';
import type { Wallet } from '../../commands/wallets/state.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { decodeEvent } from '../../events/envelope.ts';
import type { Held } from '../../events/policy.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import { createExpireApprovals } from '../../reactors/expire-approvals.ts';
import { rejectionOf } from '../support/decider-spec.ts';
import { createHoldingWorld, holdsAll, hour, operator } from '../support/holding-world.ts';
import { account, centsOf, plainly } from '../support/letter-world.ts';
import { endContract, makeContract } from '../support/volume-contract.ts';

for (const oneCommit of [true, false]) {
  describe(`a letter that is held, ${oneCommit ? 'in one commit' : 'in two steps'}`, () => {
    let world: Awaited<ReturnType<typeof createHoldingWorld>>;
    beforeEach(async () => {
      world = await createHoldingWorld(oneCommit);
    });

    const waiting = async (key = 'one') => {
      const sent = await world.send(world.asked(key));
      if (!sent.approval) throw new Error('the letter does not wait');
      return { ...sent, approvalId: sent.approval.approvalId };
    };

    it('is never queued by a crash between wallet and letter, whatever write fails', async () => {
      for (let failing = 0; failing < 3; failing++) {
        for (const done of [false, true]) {
          world = await createHoldingWorld(oneCommit);
          let writes = 0;
          world.faults.append = async (next, ...call) => {
            if (writes++ !== failing) return next(...call);
            if (done) await next(...call);
            throw new Error('crashed');
          };
          world.faults.appendAll = async (next, ...call) => {
            if (writes++ !== failing) return next(...call);
            if (done) await next(...call);
            throw new Error('crashed');
          };
          await world.send(world.asked('one')).catch(() => {});
          delete world.faults.append;
          delete world.faults.appendAll;
          // The policy is gone when the request comes back: its letter waits anyway.
          if (done) await world.put([{ id: 'all', effect: 'allow' }]).catch(() => {});
          const again = await world.send(world.asked('one'));
          const types = await world.types();
          const reserved = (await world.store.readAll({ after: 0n })).flatMap((recorded) => {
            const event = decodeEvent(recorded);
            return event.type === 'FundsReserved' ? [event.data.held as Held | undefined] : [];
          });
          expect(reserved).to.have.length(1);
          const isHeld = reserved[0] !== undefined;
          expect(again.status).to.equal(isHeld ? 'draft' : 'queued');
          expect(types.filter((type) => type === 'LetterQueued')).to.have.length(isHeld ? 0 : 1);
        }
      }
    });

    it('keeps its money for as long as it waits, and is queued with it', async () => {
      const before = await world.available();
      const { approvalId, letterId, terms } = await waiting();
      const held = before - (await world.available());
      await world.react();
      world.time.now += 48 * hour;
      expect(await world.sweep()).to.equal(0);
      await world.react();
      expect(before - (await world.available())).to.equal(held);
      await world.letters.approvals.approve(account, approvalId, operator, world.context());
      await world.react();
      const letter = await world.letter(letterId);
      if (letter.status === 'none') throw new Error('no letter');
      expect(letter.status).to.equal('queued');
      expect(letter.terms.price).to.deep.equal(terms.price);
      expect(Date.parse(letter.releaseAt ?? '')).to.be.at.least(world.time.now);
      expect(letter.terms.expectedDelivery.earliest > terms.expectedDelivery.earliest).to.equal(
        true,
      );
      expect(before - (await world.available())).to.equal(held);
      const again = await world.send(world.asked('one'));
      expect(again).to.include({ status: 'draft', holdReason: 'approval', replayed: true });
    });

    it('waits only as long as the discount in its price can be billed', async () => {
      await makeContract(world, '2026-11-04T00:00:00.000Z');
      await world.put(holdsAll, {
        approvals: { quorum: 1, approvers: [], expiresInHours: 720 },
      });
      const { approval, approvalId, letterId } = await waiting();
      expect(approval?.expiresAt).to.equal('2026-11-11T00:00:00.000Z');
      const approve = () =>
        world.letters.approvals.approve(account, approvalId, operator, world.context());
      world.time.now = Date.parse('2026-11-11T00:00:00.000Z');
      expect(await rejectionOf(approve())).to.equal('approval_over');
      expect((await world.letter(letterId)).status).to.equal('draft');
      world.time.now -= 1;
      expect(await approve()).to.include({ status: 'queued' });
    });

    it('waits no longer than its contract, even if that ends early or an earlier version asked for the approval', async () => {
      for (const isEarly of [true, false]) {
        world = await createHoldingWorld(oneCommit);
        if (isEarly) await makeContract(world, '2026-12-01T00:00:00.000Z', { test: true });
        else world.discount.now = { contractId: 'contract_1', basisPoints: 1_000 };
        await world.put(holdsAll, {
          approvals: { quorum: 1, approvers: [], expiresInHours: 720 },
        });
        const before = await world.available();
        const { approvalId, letterId } = await waiting();
        const approve = () =>
          world.letters.approvals.approve(account, approvalId, operator, world.context());
        const expire = createExpireApprovals({
          handler: world.handler,
          clock: world.clock,
          approvalsDue: async () => [{ approvalId, letterId, expiresAt: new Date(0) }],
        });
        expect(await expire()).to.equal(0);
        if (!isEarly) await makeContract(world, '2026-11-04T00:00:00.000Z');
        world.time.now = Date.parse('2026-11-11T00:00:00.000Z');
        if (isEarly) await endContract(world);
        expect(await rejectionOf(approve())).to.equal('approval_over');
        expect(await expire()).to.equal(1);
        await world.react();
        const letter = await world.letter(letterId);
        expect(letter.status !== 'none' && letter.approval?.status).to.equal('expired');
        expect(await world.available()).to.equal(before);
      }
    });

    it('counts once for a limit, however often it is sent again after its approval ended', async () => {
      const few = {
        id: 'few',
        effect: 'allow' as const,
        limit: { letters: 2, per: 'day' as const },
      };
      await world.put([few, ...holdsAll.slice(1)]);
      const used = async () => {
        const [budget] = budgetsOf(await world.wallet(), 'all', world.clock());
        return (budget?.used ?? 0) + (budget?.reserved ?? 0);
      };
      const { approvals } = world.letters;
      const reject = (approvalId: string) =>
        approvals.reject(account, approvalId, { ...operator, reason: undefined }, world.context());
      const first = await waiting();
      expect(await used()).to.equal(1);
      await reject(first.approvalId);
      await world.react();
      expect(await used()).to.equal(0);
      for (let turn = 0; turn < 3; turn++) {
        const asked = world.asked(`again ${turn}`);
        const { approval } = await world.letters.sendDraft(first.letterId, plainly, asked);
        expect(await used()).to.equal(1);
        if (turn === 2)
          await approvals.approve(account, approval?.approvalId ?? '', operator, asked);
        else await reject(approval?.approvalId ?? '');
        await world.react();
      }
      expect((await world.letter(first.letterId)).status).to.equal('queued');
      expect(await used()).to.equal(1);
      const second = await waiting('two');
      await world.handler.handle(letterAggregate, second.letterId, world.context(), cancelLetter);
      await world.react();
      expect(await used()).to.equal(2);
    });

    it('is not approved while its wallet is below zero', async () => {
      const receipt = { method: 'card' as const, id: 'pi_1' };
      const credit = { receipt, bucket: 'fiat' as const, amountMicro: 5_000_000n };
      const inWallet = (decide: (wallet: Wallet) => WalletEvent[]) =>
        world.handler.handle(walletAggregate, account, world.context(), decide);
      await inWallet((wallet) => creditFunds(wallet, { type: 'CreditFunds', ...credit }));
      const { approvalId, letterId } = await waiting();
      await inWallet((wallet) => [
        ...chargeBackFunds(wallet, {
          type: 'ChargeBackFunds',
          receipt: { method: 'card', id: 'dp_1' },
          creditId: receipt.id,
          amountMicro: credit.amountMicro,
        }),
        ...chargeBackFunds(wallet, {
          type: 'ChargeBackFunds',
          receipt: { method: 'operator', id: 'rest' },
          creditId: [...wallet.receipts.keys()][0] ?? '',
          amountMicro: 10_000_000n,
        }),
      ]);
      const approve = () =>
        world.letters.approvals.approve(account, approvalId, operator, world.context());
      expect(await rejectionOf(approve())).to.equal('insufficient_funds');
      expect((await world.letter(letterId)).status).to.equal('draft');
      await world.fund(1_000n);
      expect(await approve()).to.include({ status: 'queued' });
    });

    it('keeps waiting after the operator took back a credit, as after a refund', async () => {
      const { approvalId, letterId } = await waiting();
      const [creditId = ''] = [...(await world.wallet()).receipts.keys()];
      await world.handler.handle(walletAggregate, account, world.context(), (wallet) =>
        adjustCredit(wallet, {
          type: 'AdjustCredit',
          receipt: { method: 'operator', id: 'adjust' },
          creditId,
          rightMicro: 0n,
          reason: 'never paid',
          mayOverdraw: true,
        }),
      );
      await world.react();
      const approve = () =>
        world.letters.approvals.approve(account, approvalId, operator, world.context());
      expect(await rejectionOf(approve())).to.equal('insufficient_funds');
      expect((await world.letter(letterId)).status).to.equal('draft');
      await world.fund(1_000n);
      expect(await approve()).to.include({ status: 'queued' });
    });

    it('gives its money back when nobody decides in time', async () => {
      const before = await world.available();
      const { approvalId, letterId } = await waiting();
      const expire = createExpireApprovals({
        handler: world.handler,
        clock: world.clock,
        approvalsDue: async () => [{ approvalId, letterId, expiresAt: new Date(0) }],
      });
      expect(await expire()).to.equal(0);
      world.time.now += 72 * hour;
      const { approvals } = world.letters;
      expect(
        await rejectionOf(approvals.approve(account, approvalId, operator, world.context())),
      ).to.equal('approval_over');
      expect(await expire()).to.equal(1);
      expect(await expire()).to.equal(0);
      await world.react();
      expect(await world.available()).to.equal(before);
      expect((await world.letter(letterId)).status).to.equal('draft');
    });

    it('is approved or withdrawn, never both', async () => {
      const before = await world.available();
      for (const key of ['one', 'two', 'three', 'four']) {
        const { approvalId, letterId } = await waiting(key);
        const [one, other] = [world.process(), world.process()];
        const [approved] = await Promise.all([
          rejectionOf(
            one.letters.approvals.approve(account, approvalId, operator, world.context()),
          ),
          rejectionOf(
            other.letters.approvals.reject(
              account,
              approvalId,
              { ...operator, reason: undefined },
              world.context(),
            ),
          ),
        ]);
        const letter = await world.letter(letterId);
        expect(letter.status).to.equal(approved === undefined ? 'queued' : 'draft');
      }
      await world.react();
      const wallet = await world.wallet();
      const held = [...wallet.reservations.values()].reduce((sum, one) => sum + centsOf(one), 0n);
      expect((await world.available()) + held).to.equal(before);
    });

    it('is unknown to other accounts', async () => {
      const { approvalId } = await waiting();
      const { approvals } = world.letters;
      for (const [who, id] of [
        ['acct_other', approvalId],
        [account, `apr_${'0'.repeat(40)}`],
        [account, 'no approval'],
      ] as const) {
        expect(await rejectionOf(approvals.approve(who, id, operator, world.context()))).to.equal(
          'approval_not_found',
        );
      }
    });
  });
}
