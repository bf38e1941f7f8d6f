import { expect } from 'chai';
import { setPolicy } from '../../commands/guards/set-policy.ts';
import type { SendContext } from '../../commands/letters/pay-letter.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { isAppError } from '../../contract/errors.ts';
import { decodeEvent } from '../../events/envelope.ts';
import type { Held } from '../../events/policy.ts';
import type { Position } from '../../events/position.ts';
import { createExpireApprovals } from '../../reactors/expire-approvals.ts';
import { createSettleWallets } from '../../reactors/settle-wallets.ts';
import { aloneLease } from '../support/lease.ts';
import { account, centsOf, createLetterWorld, letterTo, plainly } from '../support/letter-world.ts';

const hour = 3_600_000;
const operator = { approver: 'operator', credential: { own: [], line: [] }, hasFullScope: false };

const createHoldingWorld = async (oneCommit: boolean) => {
  const world = createLetterWorld({ oneCommit });
  const { handler, clock } = world;
  await world.fund(1_000n);
  const put = (rules: Parameters<typeof setPolicy>[1]['wanted']['rules']) =>
    handler.handle(walletAggregate, account, world.context(), (wallet) =>
      setPolicy(wallet, {
        type: 'SetPolicy',
        subject: 'account',
        wanted: { timeZone: 'UTC', rules },
        maker: { subjects: [], mayRaise: true },
      }),
    );
  await put([
    { id: 'all', effect: 'allow' },
    { id: 'ask', effect: 'hold' },
  ]);
  const settling = createSettleWallets({ handler, clock, patienceMs: 60_000 });
  let after: Position = 0n as Position;
  return {
    ...world,
    put,
    sweep: () => settling.sweep(),
    async react(): Promise<void> {
      for (const recorded of await world.store.readAll({ after })) {
        await settling.react(decodeEvent(recorded), after)?.(aloneLease);
        after = recorded.position;
      }
    },
    available: async () => centsOf((await world.wallet()).available),
    /** As another process of the service sends it. */
    send: (context: SendContext) => world.process().letters.send(letterTo(), plainly, context),
    types: async () => (await world.store.readAll({ after: 0n })).map(({ type }) => type),
  };
};

const refusal = async (work: Promise<unknown>): Promise<string | undefined> => {
  try {
    await work;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.code;
  }
  return undefined;
};

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

    it('gives its money back when nobody decides in time', async () => {
      const before = await world.available();
      const { approvalId, letterId } = await waiting();
      const expire = createExpireApprovals({
        handler: world.handler,
        clock: world.clock,
        approvalsDue: async () => [{ approvalId, letterId }],
      });
      expect(await expire()).to.equal(0);
      world.time.now += 72 * hour;
      const { approvals } = world.letters;
      expect(
        await refusal(approvals.approve(account, approvalId, operator, world.context())),
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
          refusal(one.letters.approvals.approve(account, approvalId, operator, world.context())),
          refusal(
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
        expect(await refusal(approvals.approve(who, id, operator, world.context()))).to.equal(
          'approval_not_found',
        );
      }
    });
  });
}
