import { expect } from 'chai';
import fc from 'fast-check';
import { approveChange, rejectChange, requestChange } from '../../commands/guards/policy-change.ts';
import { removePolicy, setPolicy } from '../../commands/guards/set-policy.ts';
import type { Approver } from '../../commands/policies/approvers.ts';
import type { WantedPolicy, WantedRule } from '../../commands/policies/check-policy.ts';
import { successor } from '../../commands/wallets/books.ts';
import { evolve, initialState, type Wallet } from '../../commands/wallets/state.ts';
import { isAppError } from '../../contract/errors.ts';
import type { CredentialLine } from '../../events/letter.ts';
import type { Approvals } from '../../events/policy.ts';
import { registry } from '../../events/registry.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import { refusalOf } from '../support/decider-spec.ts';

const start = Date.parse('2026-03-01T12:00:00.000Z');
const hoursLater = (hours: number): string => new Date(start + hours * 3_600_000).toISOString();
const at = hoursLater(0);

/** Keys of an account: `agent` was made by `root`, and made `child`. */
const lines = {
  root: { own: ['root'], line: ['root'] },
  agent: { own: ['agent'], line: ['agent', 'root'] },
  child: { own: ['child'], line: ['child', 'agent', 'root'] },
  boss: { own: ['boss'], line: ['boss'] },
  chief: { own: ['chief'], line: ['chief'] },
  aide: { own: ['aide'], line: ['aide', 'chief'] },
} satisfies Record<string, CredentialLine>;
type Key = keyof typeof lines;
const keys = Object.keys(lines) as Key[];

const daily = (dollars: number): WantedRule => ({
  id: 'daily',
  effect: 'allow',
  limit: { amountCents: dollars * 100, per: 'day' },
});
const policyOf = (dollars: number, approvals?: Approvals): WantedPolicy => ({
  timeZone: 'UTC',
  rules: [daily(dollars)],
  ...(approvals ? { approvals } : {}),
});
const approvedBy = (approvers: string[], quorum: 1 | 2 = 1): Approvals => ({
  quorum,
  approvers,
  expiresInHours: 72,
});

const fold = (state: Wallet, events: WalletEvent[], when = at): Wallet =>
  events.reduce((wallet, event) => evolve(wallet, event, when), state);

const owned = (dollars: number, approvals?: Approvals, subject = 'agent'): Wallet => {
  const maker = { subjects: [], mayRaise: true };
  const wanted = policyOf(dollars, approvals);
  return fold(
    initialState(),
    setPolicy(initialState(), { type: 'SetPolicy', subject, wanted, maker }),
  );
};

const ask = (
  state: Wallet,
  wanted: WantedPolicy | undefined,
  {
    by = 'agent',
    commandId = 'one',
    when = at,
  }: { by?: Key; commandId?: string; when?: string } = {},
) =>
  requestChange(
    state,
    {
      accountId: 'account-1',
      commandId,
      subject: 'agent',
      wanted,
      maker: { subjects: lines[by].line, mayRaise: false },
      requester: lines[by],
    },
    when,
  );

const as = (key: Key, isOwner = false): Approver => ({
  approver: key,
  credential: lines[key],
  isOwner,
});

const limitOf = (state: Wallet): number =>
  (state.guards.policies.get('agent')?.rules[0]?.limit?.amountCents ?? 0) / 100;

const asked = (approvals?: Approvals) => {
  const before = owned(20, approvals);
  const { events, approvalId = '' } = ask(before, policyOf(50, approvals));
  return { state: fold(before, events), approvalId };
};

describe('a change of a policy that needs approval', () => {
  it('changes nothing until its last approval, which sets the policy in the same append', () => {
    const { state, approvalId } = asked(approvedBy(['boss', 'chief'], 2));
    expect(limitOf(state)).to.equal(20);
    const first = approveChange(state, { approvalId, approver: as('boss') }, at);
    expect(first.map(({ type }) => type)).to.deep.equal(['PolicyChangeApproved']);
    const once = fold(state, first);
    expect(approveChange(once, { approvalId, approver: as('boss') }, at)).to.deep.equal([]);
    const last = approveChange(once, { approvalId, approver: as('chief') }, at);
    expect(last.map(({ type }) => type)).to.deep.equal(['PolicyChangeApproved', 'PolicySet']);
    const done = fold(once, last);
    expect(limitOf(done)).to.equal(50);
    expect(done.guards.policies.get('agent')?.rules[0]?.counter).to.equal(100);
  });

  it('is not needed by a maker that can make the change itself', () => {
    const wanted = policyOf(10);
    expect(ask(owned(20), wanted, { by: 'boss' }).events[0]?.type).to.equal('PolicySet');
    expect(ask(owned(20), wanted).events[0]?.type).to.equal('PolicyChangeRequested');
    expect(ask(owned(20), policyOf(20))).to.deep.equal({ events: [] });
  });

  it('waits once for each policy: again it asks for nothing, and another one supersedes it', () => {
    const { state, approvalId } = asked();
    const same = ask(state, policyOf(50), { commandId: 'two' });
    expect(same).to.deep.equal({ events: [], approvalId });
    expect(refusalOf(() => ask(state, policyOf(60), { by: 'chief' }))).to.equal('approval_pending');
    const other = ask(state, policyOf(60), { commandId: 'two' });
    const next = fold(state, other.events);
    const approver = as('boss', true);
    expect(refusalOf(() => approveChange(next, { approvalId, approver }, at))).to.equal(
      'approval_not_found',
    );
    const done = approveChange(next, { approvalId: other.approvalId ?? '', approver }, at);
    expect(limitOf(fold(next, done))).to.equal(60);
  });

  it('is over after a rejection, its time, and any other change of the policy', () => {
    const { state, approvalId } = asked();
    const approver = as('boss', true);
    const approve = (wallet: Wallet, when = at) =>
      refusalOf(() => approveChange(wallet, { approvalId, approver }, when));
    const rejection = rejectChange(state, { approvalId, approver, reason: 'no' }, at);
    expect(approve(fold(state, rejection))).to.equal('approval_over');
    expect(approve(state, hoursLater(72))).to.equal('approval_over');
    expect(approve(state, hoursLater(71))).to.equal(undefined);
    const maker = { subjects: ['boss'], mayRaise: false };
    const lowered = setPolicy(state, {
      type: 'SetPolicy',
      subject: 'agent',
      wanted: policyOf(5),
      maker,
    });
    expect(approve(fold(state, lowered))).to.equal('approval_over');
  });

  it('stays superseded when a policy that was set since is deleted again', () => {
    const { events, approvalId = '' } = ask(initialState(), policyOf(50));
    const waiting = fold(initialState(), events);
    const approver = as('boss', true);
    const approve = (wallet: Wallet) => approveChange(wallet, { approvalId, approver }, at);
    expect(limitOf(fold(waiting, approve(waiting)))).to.equal(50);
    const maker = { subjects: [], mayRaise: true };
    const subject = 'agent';
    const set = setPolicy(waiting, { type: 'SetPolicy', subject, wanted: policyOf(5), maker });
    const between = fold(waiting, set);
    const removed = removePolicy(between, { type: 'RemovePolicy', subject, maker });
    const after = fold(between, removed);
    expect(after.guards.policies.has(subject)).to.equal(false);
    expect(refusalOf(() => approve(after))).to.equal('approval_over');
    const again = ask(after, policyOf(50), { commandId: 'two' });
    expect(again.approvalId).not.to.equal(approvalId);
    const closed = fold(after, [{ type: 'WalletPeriodClosed', data: { nextPeriod: 1 } }]);
    const next = fold(initialState(), successor(closed)?.opening ?? []);
    expect(refusalOf(() => approve(next))).to.equal('approval_over');
  });

  it('stays as it was decided in the next period of the wallet, until its time is over', () => {
    const { state, approvalId } = asked(approvedBy(['boss']));
    const approver = as('boss');
    const approved = fold(state, approveChange(state, { approvalId, approver }, at));
    const rejected = fold(
      state,
      rejectChange(state, { approvalId, approver, reason: 'next month' }, at),
    );
    for (const decided of [state, approved, rejected]) {
      for (const hours of [1, 71, 72]) {
        const when = hoursLater(hours);
        const closing: WalletEvent = { type: 'WalletPeriodClosed', data: { nextPeriod: 1 } };
        const { opening = [] } = successor(fold(decided, [closing], when)) ?? {};
        for (const event of opening.slice(0, -1)) registry.check(event);
        const { changesAsked } = fold(initialState(), opening, when).guards;
        const kept = hours < 72 ? [...decided.guards.changesAsked] : [];
        expect([...changesAsked]).to.deep.equal(kept);
      }
    }
  });

  it('counts what was asked for in the hour before, also over the end of a period', () => {
    const { state } = asked();
    const rejected = (wallet: Wallet) =>
      fold(wallet, [
        ...[...wallet.guards.changesAsked.values()].flatMap(({ approvalId }) =>
          rejectChange(wallet, { approvalId, approver: as('boss', true), reason: undefined }, at),
        ),
      ]);
    const twice = fold(
      rejected(state),
      ask(rejected(state), policyOf(60), { commandId: 'two' }).events,
    );
    const closed = fold(twice, [{ type: 'WalletPeriodClosed', data: { nextPeriod: 1 } }]);
    const next = fold(initialState(), successor(closed)?.opening ?? []);
    const counted = ({ guards }: Wallet) =>
      [...guards.changesAsked.values()].map(({ askedBefore }) => askedBefore);
    expect(counted(next)).to.deep.equal([1]);
    const again = rejected(next);
    const third = ask(again, policyOf(70), { commandId: 'three' });
    expect(counted(fold(again, third.events))).to.deep.equal([2]);
  });

  it('removes a policy by the last approval, also in the next period of the wallet', () => {
    const before = owned(20, approvedBy(['boss', 'chief'], 2));
    const { events, approvalId = '' } = ask(before, undefined);
    const state = fold(before, events);
    expect(ask(state, undefined, { commandId: 'two' })).to.deep.equal({ events: [], approvalId });
    const once = fold(state, approveChange(state, { approvalId, approver: as('boss') }, at));
    expect(limitOf(once)).to.equal(20);
    const closed = fold(once, [{ type: 'WalletPeriodClosed', data: { nextPeriod: 1 } }]);
    const next = fold(initialState(), successor(closed)?.opening ?? []);
    const last = approveChange(next, { approvalId, approver: as('chief') }, at);
    expect(last.map(({ type }) => type)).to.deep.equal(['PolicyChangeApproved', 'PolicyRemoved']);
    expect(fold(next, last).guards.policies.has('agent')).to.equal(false);
    const kept = ask(before, policyOf(20, approvedBy(['boss', 'chief'], 2)));
    expect(kept.events).to.deep.equal([]);
    const lowered = setPolicy(once, {
      type: 'SetPolicy',
      subject: 'agent',
      wanted: policyOf(5, approvedBy(['boss', 'chief'], 2)),
      maker: { subjects: ['boss'], mayRaise: false },
    });
    const late = () =>
      approveChange(fold(once, lowered), { approvalId, approver: as('chief') }, at);
    expect(refusalOf(late)).to.equal('approval_over');
    expect(ask(initialState(), undefined)).to.deep.equal({ events: [] });
  });

  it('is decided by the approvers of the policy and by the owner, and by nobody with a policy', () => {
    const { state, approvalId } = asked(approvedBy(['boss']));
    const approve = (approver: Approver, wallet = state) =>
      refusalOf(() => approveChange(wallet, { approvalId, approver }, at));
    expect(approve(as('chief'))).to.equal('approver_not_allowed');
    expect(approve(as('chief', true))).to.equal(undefined);
    expect(approve(as('boss'))).to.equal(undefined);
    const maker = { subjects: [], mayRaise: true };
    const limited = setPolicy(state, {
      type: 'SetPolicy',
      subject: 'boss',
      wanted: policyOf(1),
      maker,
    });
    expect(approve(as('boss'), fold(state, limited))).to.equal('approver_not_allowed');
  });

  it('is not approved by an approver that was frozen or limited before the last one approves', () => {
    const { state, approvalId } = asked(approvedBy(['boss', 'chief'], 2));
    const once = fold(state, approveChange(state, { approvalId, approver: as('boss') }, at));
    const approve = (now: Wallet) => () =>
      approveChange(now, { approvalId, approver: as('chief') }, at);
    const frozen = fold(once, [{ type: 'SpendingFrozen', data: { subject: 'boss' } }]);
    expect(refusalOf(approve(frozen))).to.equal('frozen');
    expect(approve(frozen)).to.throw('A credential that approved the change is frozen: key boss');
    const maker = { subjects: [], mayRaise: true };
    const limited = fold(
      once,
      setPolicy(once, { type: 'SetPolicy', subject: 'boss', wanted: policyOf(1), maker }),
    );
    expect(refusalOf(approve(limited))).to.equal('approver_not_allowed');
    const unfrozen = fold(frozen, [{ type: 'SpendingUnfrozen', data: { subject: 'boss' } }]);
    expect(limitOf(fold(unfrozen, approve(unfrozen)()))).to.equal(50);
  });

  it('is not approved while its approver, its requester or the account is frozen', () => {
    const { state, approvalId } = asked();
    const whose = {
      boss: 'This credential is frozen: key boss',
      agent: 'The credential that asked for the change is frozen: key agent',
      root: 'The credential that asked for the change is frozen: key root',
      account: 'The account is frozen.',
    };
    for (const [subject, text] of Object.entries(whose)) {
      const frozen = fold(state, [{ type: 'SpendingFrozen', data: { subject } }]);
      const approve = () => approveChange(frozen, { approvalId, approver: as('boss', true) }, at);
      expect(refusalOf(approve), subject).to.equal('frozen');
      expect(approve).to.throw(text);
    }
  });

  it('goes on with its approvals in the next period of the wallet', () => {
    const { state, approvalId } = asked(approvedBy(['boss', 'chief'], 2));
    const once = fold(state, approveChange(state, { approvalId, approver: as('boss') }, at));
    const closed = fold(once, [{ type: 'WalletPeriodClosed', data: { nextPeriod: 1 } }]);
    const next = fold(initialState(), successor(closed)?.opening ?? []);
    const last = approveChange(next, { approvalId, approver: as('chief') }, at);
    expect(limitOf(fold(next, last))).to.equal(50);
  });

  it('never raises a limit without approvals of exactly this change by others (seeded)', () => {
    const key = fc.constantFrom(...keys);
    const step = fc.record({
      kind: fc.constantFrom('ask', 'approve', 'approve', 'reject', 'lower', 'wait', 'books'),
      by: key,
      isOwner: fc.boolean(),
      dollars: fc.integer({ min: 1, max: 40 }),
    });
    const run = fc.record({
      quorum: fc.constantFrom(1 as const, 2 as const),
      steps: fc.array(step, { minLength: 12, maxLength: 40 }),
    });
    let raised = 0;
    const property = fc.property(run, ({ quorum, steps }) => {
      const approvals = approvedBy(['boss', 'chief', 'aide', 'child'], quorum);
      let state = owned(20, approvals);
      let hours = 0;
      let changes: { id: string; dollars: number; by: Key; version: number; until: number }[] = [];
      let given = new Map<string, Key[]>();
      const quietly = (work: () => WalletEvent[]): WalletEvent[] => {
        try {
          return work();
        } catch (error) {
          if (!isAppError(error)) throw error;
          return [];
        }
      };
      for (const [index, { kind, by, isOwner, dollars }] of steps.entries()) {
        const when = hoursLater(hours);
        const before = limitOf(state);
        const version = state.guards.policies.get('agent')?.version ?? 0;
        const latest = [...state.guards.changesAsked.values()].at(-1);
        const approvalId = latest?.approvalId ?? `apc_${'0'.repeat(40)}`;
        const command = { approvalId, approver: as(by, isOwner) };
        let events: WalletEvent[] = [];
        if (kind === 'wait') hours += dollars;
        else if (kind === 'books') {
          const closed = fold(
            state,
            [{ type: 'WalletPeriodClosed', data: { nextPeriod: 1 } }],
            when,
          );
          state = fold(initialState(), successor(closed)?.opening ?? [], when);
        } else if (kind === 'lower') {
          const maker = { subjects: lines[by].line, mayRaise: false };
          const wanted = policyOf(dollars, approvals);
          events = quietly(() =>
            setPolicy(state, { type: 'SetPolicy', subject: 'agent', wanted, maker }),
          );
        } else if (kind === 'ask') {
          events = quietly(() => {
            const asking = { by, commandId: `${index}`, when };
            const answer = ask(state, policyOf(dollars, approvals), asking);
            const id = answer.approvalId;
            if (id && answer.events.length > 0) {
              changes = [{ id, dollars, by, version, until: hours + 72 }];
              given = new Map([[id, []]]);
            }
            return answer.events;
          });
        } else if (kind === 'reject') {
          events = quietly(() => rejectChange(state, { ...command, reason: undefined }, when));
          if (events.length > 0) changes = [];
        } else {
          events = quietly(() => approveChange(state, command, when));
          if (events.some(({ type }) => type === 'PolicyChangeApproved')) {
            given.get(approvalId)?.push(by);
          }
        }
        state = fold(state, events, when);
        if (limitOf(state) <= before) continue;
        raised++;
        const [change] = changes;
        const approvers = given.get(change?.id ?? '') ?? [];
        expect(change).to.include({ dollars: limitOf(state), version });
        expect(change?.until).to.be.above(hours);
        expect(approvers).to.have.length(quorum);
        for (const [place, one] of approvers.entries()) {
          for (const other of [change?.by ?? 'agent', ...approvers.slice(place + 1)]) {
            expect(lines[one].line, `${one} for ${other}`).not.to.include(other);
            expect(lines[other].line, `${other} by ${one}`).not.to.include(one);
          }
          expect(lines[one].line).not.to.include('agent');
        }
      }
    });
    fc.assert(property, { seed: 20261125, numRuns: 1_500 });
    expect(raised).to.be.above(20);
  });
});
