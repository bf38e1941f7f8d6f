import { expect } from 'chai';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { registerAccount } from '../../commands/accounts/registration.ts';
import { budgetsOf } from '../../commands/guards/budgets.ts';
import { freeze } from '../../commands/guards/freeze.ts';
import { cancelLetter, letterAggregate } from '../../commands/letters/letter.ts';
import { createStanding } from '../../commands/letters/standing-approvals.ts';
import type { Deciding } from '../../commands/policies/approvers.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import type { AccountEvent } from '../../events/account.ts';
import { rejectionOf } from '../support/decider-spec.ts';
import { createHoldingWorld, holdsAll, operator } from '../support/holding-world.ts';
import { account } from '../support/letter-world.ts';

const approverOf = (approver: string): Deciding => ({
  approver,
  credential: { own: [approver], line: [approver] },
  hasFullScope: true,
});
const [anna, bert] = [approverOf('key_anna'), approverOf('key_bert')];
const approvedBy = (approvers: string[], quorum: 1 | 2 = 1) => ({
  approvals: { quorum, approvers, expiresInHours: 72 },
});

type World = Awaited<ReturnType<typeof createHoldingWorld>>;

const registerAgent = (world: World) =>
  world.handler.handle(accountAggregate, account, world.context(), (state) =>
    registerAccount(state, {
      type: 'RegisterAccount',
      accountId: account,
      kind: 'email',
      test: false,
      name: 'owner@example.org',
      requestHash: 'r'.repeat(43),
      key: {
        keyId: 'key_agent',
        secretHash: 's'.repeat(43),
        prefix: 'svc_live_abcd',
        label: 'agent',
        scope: 'full',
      },
    }),
  );

describe('an approver that is stopped while a letter waits for another one', () => {
  for (const end of ['frozen', 'revoked'] as const) {
    it(`has approved nothing: ${end}`, async () => {
      const world = await createHoldingWorld(true);
      await registerAgent(world);
      await world.put(holdsAll, approvedBy(['key_agent', 'key_bert', 'key_carl'], 2));
      const { approval } = await world.send(world.asked('one'));
      const approve = (by: Deciding) =>
        world.letters.approvals.approve(account, approval?.approvalId ?? '', by, world.context());
      expect(await approve(approverOf('key_agent'))).to.include({ status: 'draft', missing: 1 });
      const { handler, context } = world;
      if (end === 'frozen') {
        await handler.handle(walletAggregate, account, context(), (wallet) =>
          freeze(wallet, { type: 'Freeze', subject: 'key_agent', maker: { subjects: [] } }),
        );
      } else {
        await handler.handle(accountAggregate, account, context(), (): AccountEvent[] => [
          {
            type: 'KeyRevoked',
            data: { accountId: account, keyId: 'key_agent', reason: 'revoked' },
          },
        ]);
      }
      expect(await approve(bert)).to.include({ status: 'draft', missing: 1 });
      expect(await approve(approverOf('key_carl'))).to.include({ status: 'queued', missing: 0 });
    });
  }
});

describe('a policy that becomes stricter while a letter waits for approval', () => {
  const createWorld = async (approvers: string[]) => {
    const world = await createHoldingWorld(true);
    await world.put(holdsAll, approvedBy(approvers));
    const sent = await world.send(world.asked('one'));
    const approvalId = sent.approval?.approvalId ?? '';
    return {
      ...world,
      approve: (by: Deciding) =>
        world.letters.approvals.approve(account, approvalId, by, world.context()),
      reject: (by: Deciding) =>
        world.letters.approvals.reject(
          account,
          approvalId,
          { ...by, reason: undefined },
          world.context(),
        ),
      status: async () => (await world.letter(sent.letterId)).status,
    };
  };

  it('takes an approver out at once', async () => {
    const world = await createWorld(['key_anna', 'key_bert']);
    await world.put(holdsAll, approvedBy(['key_bert']));
    expect(await rejectionOf(world.approve(anna))).to.equal('approver_not_allowed');
    expect(await rejectionOf(world.reject(anna))).to.equal('approver_not_allowed');
    expect(await rejectionOf(world.approve(bert))).to.equal(undefined);
    expect(await world.status()).to.equal('queued');
  });

  it('adds no approver to a letter that was sent before', async () => {
    const world = await createWorld(['key_anna']);
    await world.put(holdsAll, approvedBy(['key_anna', 'key_bert']));
    expect(await rejectionOf(world.approve(bert))).to.equal('approver_not_allowed');
  });

  it('raises the quorum', async () => {
    const world = await createWorld(['key_anna', 'key_bert']);
    await world.put(holdsAll, approvedBy(['key_anna', 'key_bert'], 2));
    expect(await world.approve(anna)).to.include({ status: 'draft', missing: 1 });
    expect(await world.approve(anna)).to.include({ status: 'draft', missing: 1 });
    expect(await world.approve(bert)).to.include({ status: 'queued', missing: 0 });
  });

  it('takes back what an approver decided that it no longer names', async () => {
    const both = ['key_anna', 'key_bert', 'key_carl'];
    const world = await createHoldingWorld(true);
    await world.put(holdsAll, approvedBy(both, 2));
    const { approval, letterId } = await world.send(world.asked('one'));
    const approve = (by: Deciding) =>
      world.letters.approvals.approve(account, approval?.approvalId ?? '', by, world.context());
    expect(await approve(anna)).to.include({ status: 'draft', missing: 1 });
    await world.put(holdsAll, approvedBy(['key_bert', 'key_carl'], 2));
    expect(await approve(bert)).to.include({ status: 'draft', missing: 1 });
    expect(await approve(anna)).to.include({ status: 'draft', missing: 1 });
    await world.put(holdsAll, approvedBy(both, 2));
    expect((await world.letter(letterId)).status).to.equal('draft');
    expect(await approve(bert)).to.include({ status: 'queued', missing: 0 });
    expect(await approve(bert)).to.include({ status: 'queued' });
    expect((await world.types()).filter((type) => type === 'LetterQueued')).to.have.length(1);
  });

  it('takes back what an owner decided where it names approvers, or gives the owner a policy', async () => {
    for (const change of ['names others', 'names it', 'limits it'] as const) {
      const world = await createHoldingWorld(true);
      await registerAgent(world);
      await world.put(holdsAll, { subject: 'key_agent', ...approvedBy(['key_bert']) });
      const sent = await world.send({ ...world.asked('one'), keyIds: ['key_agent'] });
      const approve = (by: Deciding) =>
        world.letters.approvals.approve(
          account,
          sent.approval?.approvalId ?? '',
          by,
          world.context(),
        );
      expect(await approve(anna)).to.include({ status: 'draft', missing: 1 });
      if (change === 'limits it') await world.put(holdsAll, { subject: 'key_anna' });
      else await world.put(holdsAll, approvedBy([change === 'names it' ? 'key_anna' : 'key_x']));
      const status = change === 'names it' ? 'queued' : 'draft';
      expect(await approve({ ...bert, hasFullScope: false }), change).to.include({ status });
    }
  });

  it('takes back what a credential decided that the same policy holds itself since', async () => {
    const world = await createHoldingWorld(true);
    const { approval } = await world.send(world.asked('one'));
    if (!approval) throw new Error('the letter does not wait');
    const line = (key: string) => ({ own: [key], line: [key, 'key_root'] });
    const given = { approver: 'key_anna', credential: line('key_anna'), policies: ['account'] };
    const asked = { ...approval, requester: line('key_agent'), given: [given] };
    const standingIn = await createStanding(world)(account, asked);
    const { guards } = await world.wallet();
    const need = { policy: 'account', rules: ['ask'], quorum: 1 as const, approvers: ['key_anna'] };
    expect(standingIn(guards, [need])(given)).to.deep.equal(given);
    const ofRoot = { ...need, policy: 'key_root' };
    expect(standingIn(guards, [need, ofRoot])(given).policies).to.deep.equal([]);
  });

  it('denies the letter, which nobody approves then', async () => {
    const world = await createWorld([]);
    await world.put([...holdsAll, { id: 'never', effect: 'deny', when: { countries: ['FR'] } }]);
    for (const by of [operator, anna]) {
      expect(await rejectionOf(world.approve(by))).to.equal('policy_denied');
    }
    expect(await world.status()).to.equal('draft');
    expect(await rejectionOf(world.reject(anna))).to.equal(undefined);
  });

  it('lowers the limit of one letter below its price', async () => {
    const world = await createWorld([]);
    await world.put([
      { id: 'all', effect: 'allow', limit: { amountCents: 1, per: 'letter' } },
      { id: 'ask', effect: 'hold' },
    ]);
    expect(await rejectionOf(world.approve(anna))).to.equal('policy_denied');
  });

  it('does not count the letter twice for a limit that it used up itself', async () => {
    const world = await createHoldingWorld(true);
    const once = [
      { id: 'all', effect: 'allow' as const, limit: { letters: 1, per: 'total' as const } },
      { id: 'ask', effect: 'hold' as const },
    ];
    await world.put(once);
    const sent = await world.send(world.asked('one'));
    const approvalId = sent.approval?.approvalId ?? '';
    const { approvals } = world.letters;
    const decided = await approvals.approve(account, approvalId, anna, world.context());
    expect(decided.status).to.equal('queued');
  });

  for (const limit of [
    { letters: 2, per: 'day' },
    { amountCents: 500, per: 'total' },
  ] as const) {
    it(`lets no more letters go than ${JSON.stringify(limit)} allows that was set while they waited`, async () => {
      const world = await createHoldingWorld(true);
      await world.fund(2_000n);
      const sendMany = (names: readonly string[]) =>
        Promise.all(names.map((name) => world.send(world.asked(name))));
      const waiting = await sendMany(['one', 'two', 'three', 'four']);
      await world.put([
        { id: 'limited', effect: 'allow', limit },
        { id: 'ask', effect: 'hold' },
      ]);
      const budgetNow = async () => {
        const [budget] = budgetsOf(await world.wallet(), 'all', world.clock());
        return { size: budget?.size ?? 0, used: (budget?.used ?? 0) + (budget?.reserved ?? 0) };
      };
      const usedNow = async () => (await budgetNow()).used;
      const approveAll = async () => {
        const outcomes = waiting.map(({ approval }) =>
          rejectionOf(
            world
              .process()
              .letters.approvals.approve(
                account,
                approval?.approvalId ?? '',
                anna,
                world.context(),
              ),
          ),
        );
        return (await Promise.all(outcomes)).filter((outcome) => outcome === 'policy_denied');
      };
      expect(await usedNow()).to.equal(0);
      expect(await approveAll()).to.have.length(2);
      const { size, used } = await budgetNow();
      expect(used).to.be.within(size / 2, size);
      expect(await rejectionOf(world.send(world.asked('six')))).to.equal('policy_denied');
      expect(await approveAll(), 'approved again').to.have.length(2);
      expect(await usedNow(), 'approved again').to.equal(used);
    });
  }

  it('gives a limit that was set while the letter waited its money back once it is cancelled', async () => {
    const world = await createHoldingWorld(true);
    const sent = await world.send(world.asked('one'));
    await world.put([
      { id: 'limited', effect: 'allow', limit: { amountCents: 300, per: 'total' } },
      { id: 'ask', effect: 'hold' },
    ]);
    const approvalId = sent.approval?.approvalId ?? '';
    await world.letters.approvals.approve(account, approvalId, anna, world.context());
    const used = async () => budgetsOf(await world.wallet(), 'all', world.clock())[0]?.reserved;
    expect(await used()).to.be.greaterThan(0);
    await world.handler.handle(letterAggregate, sent.letterId, world.context(), cancelLetter);
    await world.react();
    expect(await used()).to.equal(0);
  });

  it('asks for another approval where another policy holds the letter since', async () => {
    const world = await createHoldingWorld(true);
    await registerAgent(world);
    const sent = await world.send({ ...world.asked('one'), keyIds: ['key_agent'] });
    const approvalId = sent.approval?.approvalId ?? '';
    await world.put(holdsAll, { subject: 'key_agent', ...approvedBy(['key_bert']) });
    const approve = (by: Deciding) =>
      world.letters.approvals.approve(account, approvalId, by, world.context());
    expect(await approve(anna)).to.include({ status: 'draft', missing: 1 });
    expect(await approve(bert)).to.include({ status: 'queued', missing: 0 });
  });
});
