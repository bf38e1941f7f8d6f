import { expect } from 'chai';
import fc from 'fast-check';
import {
  approveLetter,
  expireApproval,
  type RequestApproval,
  rejectLetter,
  requestApproval,
} from '../../commands/letters/decide-approval.ts';
import {
  cancelLetter,
  eraseLetter,
  evolve,
  initialState,
  type Letter,
} from '../../commands/letters/letter.ts';
import {
  abandonSend,
  draftLetter,
  queueLetter,
  updateLetter,
} from '../../commands/letters/letter-drafts.ts';
import { reservationTarget } from '../../commands/letters/reservation-target.ts';
import type { Approver } from '../../commands/policies/approvers.ts';
import type { LetterEvent } from '../../events/letter.ts';
import { notificationOf } from '../../events/notifications.ts';
import { type AnyDomainEvent, registry } from '../../events/registry.ts';
import { chargeOfCents, noCharge } from '../../money/charge.ts';
import { refusedBy } from '../support/decider-spec.ts';
import { samplePersonal, sampleTerms } from '../support/letter-samples.ts';

const at = '2026-03-01T12:00:00.000Z';
const expiresAt = '2026-03-04T12:00:00.000Z';
const terms = sampleTerms();
const personal = samplePersonal();
const queueing = {
  cancellableUntil: '2026-03-01T12:05:00.000Z',
  releaseAt: '2026-03-01T12:05:00.000Z',
  expectedDelivery: { earliest: '2026-03-06', latest: '2026-03-09' },
};

const hash = (name: string): string => name.padEnd(43, 'h');

const asking = (name = 'first', more: Partial<RequestApproval> = {}): RequestApproval => ({
  type: 'RequestApproval',
  approvalId: `approval ${name}`,
  terms,
  personal,
  attemptId: `attempt ${name}`,
  commitment: hash('commitment'),
  needs: [{ policy: 'key_agent', rules: ['dear'], quorum: 1, approvers: [] }],
  requester: { own: ['key_agent'], line: ['key_agent', 'key_maker'] },
  expiresAt,
  requestHash: hash(name),
  ...more,
});

const fold = (state: Letter, events: LetterEvent[]): Letter =>
  events.reduce((letter, event) => {
    registry.check(event);
    return evolve(letter, event);
  }, state);

const ask = (state: Letter, command = asking()): Letter =>
  fold(state, requestApproval(state, command));
const waiting = (more: Partial<RequestApproval> = {}): Letter =>
  ask(initialState(), asking('first', more));

const key = (keyId: string, more: { line?: string[]; isOwner?: boolean } = {}): Approver => ({
  approver: keyId,
  credential: { own: [keyId], line: [keyId, ...(more.line ?? [])] },
  isOwner: more.isOwner ?? true,
});
const mail: Approver = {
  approver: `email:${'d'.repeat(43)}`,
  credential: { own: [], line: [] },
  isOwner: true,
};
const operator: Approver = { ...mail, approver: 'operator', isOwner: false };

const approve = (state: Letter, approver: Approver, more: { name?: string; at?: string } = {}) =>
  approveLetter(
    state,
    { type: 'ApproveLetter', approvalId: `approval ${more.name ?? 'first'}`, approver, queueing },
    more.at ?? at,
  );
const reject = (state: Letter, approver: Approver, name = 'first') =>
  rejectLetter(
    state,
    { type: 'RejectLetter', approvalId: `approval ${name}`, approver, reason: 'Too dear.' },
    at,
  );

const refusal = (work: () => unknown) => {
  const error = refusedBy(work);
  return error && { code: error.code, ...error.extra };
};

const types = (events: LetterEvent[]) => events.map(({ type }) => type);

describe('asking for approval', () => {
  it('keeps a new letter as a draft, and holds its price', () => {
    const events = requestApproval(initialState(), asking());
    expect(types(events)).to.deep.equal(['LetterDrafted', 'ApprovalRequested']);
    expect(events[0]?.data).to.include({ holdReason: 'approval' });
    expect(reservationTarget(fold(initialState(), events))).to.deep.equal({
      state: 'held',
      charge: chargeOfCents(terms.price.charge),
      knownAttempts: ['attempt first'],
      accepted: ['attempt first'],
    });
  });

  it('answers the request again as it was answered, before and after the decision', () => {
    const letter = waiting();
    expect(requestApproval(letter, asking())).to.deep.equal([]);
    const decided = fold(letter, approve(letter, key('key_boss')));
    if (letter.status === 'none' || decided.status === 'none') throw new Error('no letter');
    const [before] = letter.requests;
    const after = decided.requests.find((one) => one.requestHash === hash('first'));
    expect(before).to.include({ status: 'draft', holdReason: 'approval' });
    expect(before?.approval).to.include({ approvalId: 'approval first', expiresAt });
    expect(after).to.deep.equal(before);
  });

  it('lets a draft wait as it is sent, and keeps the answer that made the draft', () => {
    const drafted = draftLetter(initialState(), {
      type: 'DraftLetter',
      terms: { ...terms, price: { ...terms.price, pricingVersion: 'old' } },
      personal,
      holdReason: 'requested',
      requestHash: hash('draft'),
    });
    const letter = ask(fold(initialState(), drafted));
    if (letter.status === 'none') throw new Error('no letter');
    expect(letter.terms.price.pricingVersion).to.equal(terms.price.pricingVersion);
    expect(letter.requests.map(({ holdReason }) => holdReason)).to.deep.equal([
      'requested',
      'approval',
    ]);
  });

  it('refuses a second send while the letter waits, with the approval', () => {
    const letter = waiting();
    const pending = { code: 'approval_pending', approval_id: 'approval first' };
    expect(refusal(() => requestApproval(letter, asking('second')))).to.include(pending);
    const queue = { attemptId: 'attempt second', requestHash: hash('second') };
    const { cancellableUntil, releaseAt } = queueing;
    const command = { terms, personal, cancellableUntil, releaseAt, ...queue };
    expect(refusal(() => queueLetter(letter, { type: 'QueueLetter', ...command }))).to.include(
      pending,
    );
  });

  it('is not undone as a payment that nobody finished', () => {
    const abandon = { type: 'AbandonSend' as const, accountId: 'acct_1' };
    expect(abandonSend(waiting(), { ...abandon, attemptId: 'attempt first' })).to.deep.equal([]);
    const forbidden = fold(
      initialState(),
      abandonSend(initialState(), { ...abandon, attemptId: 'attempt first' }),
    );
    expect(refusal(() => requestApproval(forbidden, asking()))?.code).to.equal('store_unavailable');
  });
});

describe('approving a letter', () => {
  it('queues it with the payment that it waited with, at the same price', () => {
    const letter = waiting();
    const [given, queued] = approve(letter, key('key_boss'));
    expect(given?.data).to.deep.equal({
      approvalId: 'approval first',
      approver: 'key_boss',
      credential: { own: ['key_boss'], line: ['key_boss'] },
      policies: ['key_agent'],
    });
    expect(queued?.data).to.deep.include({
      attemptId: 'attempt first',
      terms: { ...terms, expectedDelivery: queueing.expectedDelivery },
    });
    expect(queued?.personal).to.deep.equal(personal);
    const approved = fold(letter, approve(letter, key('key_boss')));
    if (approved.status === 'none') throw new Error('no letter');
    expect(approved.approval?.status).to.equal('approved');
    expect(approve(approved, key('key_boss'))).to.deep.equal([]);
    expect(refusal(() => approve(approved, key('key_else')))).to.include({
      code: 'approval_over',
      approval_status: 'approved',
    });
  });

  it('is not for the credential that asked, nor for one that it comes from or that comes from it', () => {
    const relatives = [
      key('key_agent', { line: ['key_maker'] }),
      key('key_maker'),
      key('key_child', { line: ['key_agent', 'key_maker'] }),
    ];
    for (const relative of relatives) {
      expect(refusal(() => approve(waiting(), relative))?.code).to.equal('approver_is_requester');
      expect(refusal(() => reject(waiting(), relative))?.code).to.equal('approver_is_requester');
    }
    const sibling = key('key_sibling', { line: ['key_maker'] });
    expect(types(approve(waiting(), sibling))).to.include('LetterQueued');
  });

  it('is not for a key that the wallet made which asked', () => {
    const requester = { own: [], line: ['wallet'] };
    const made = key('key_made', { line: ['wallet'] });
    expect(refusal(() => approve(waiting({ requester }), made))?.code).to.equal(
      'approver_is_requester',
    );
    const registered = key('key_registered');
    expect(types(approve(waiting({ requester }), registered))).to.include('LetterQueued');
  });

  it('is not for another credential that the same policy holds', () => {
    const requester = {
      own: ['ucan:child'],
      line: ['ucan:child', 'ucan:agent', 'key_owner'],
    };
    const needs = [{ policy: 'ucan:agent', rules: ['dear'], quorum: 1 as const, approvers: [] }];
    const cousin = key('key_cousin', { line: ['ucan:agent'] });
    expect(refusal(() => approve(waiting({ requester, needs }), cousin))?.code).to.equal(
      'approver_is_requester',
    );
  });

  it('is for the approvers that a policy names, the owner where it names nobody, and the operator', () => {
    const named = waiting({
      needs: [
        { policy: 'key_agent', rules: ['dear'], quorum: 1, approvers: ['key_boss', mail.approver] },
      ],
    });
    for (const one of [key('key_boss', { isOwner: false }), mail, operator]) {
      expect(types(approve(named, one))).to.include('LetterQueued');
    }
    expect(refusal(() => approve(named, key('key_else')))?.code).to.equal('approver_not_allowed');
    const unnamed = key('key_else', { isOwner: false });
    expect(refusal(() => approve(waiting(), unnamed))?.code).to.equal('approver_not_allowed');
    expect(types(approve(waiting(), operator))).to.include('LetterQueued');
  });

  it('takes two approvers for a quorum of two, who are not of one line', () => {
    const approvers = ['key_a', 'key_b', 'key_b_child'];
    const letter = waiting({
      needs: [{ policy: 'key_agent', rules: ['dear'], quorum: 2, approvers }],
    });
    const once = fold(letter, approve(letter, key('key_b')));
    expect(types(approve(letter, key('key_b')))).to.deep.equal(['ApprovalGiven']);
    expect(approve(once, key('key_b'))).to.deep.equal([]);
    const child = key('key_b_child', { line: ['key_b'] });
    expect(refusal(() => approve(once, child))?.code).to.equal('approver_not_allowed');
    expect(types(approve(once, key('key_a')))).to.deep.equal(['ApprovalGiven', 'LetterQueued']);
  });

  it('asks for the approvers of every policy that holds the letter', () => {
    const letter = waiting({
      needs: [
        { policy: 'account', rules: ['ask'], quorum: 1, approvers: ['key_a'] },
        { policy: 'key_agent', rules: ['dear'], quorum: 1, approvers: ['key_b'] },
      ],
    });
    const once = fold(letter, approve(letter, key('key_a')));
    if (once.status === 'none') throw new Error('no letter');
    expect(once.status).to.equal('draft');
    expect(types(approve(once, key('key_b')))).to.include('LetterQueued');
  });

  it('is too late from the moment on at which it expires', () => {
    expect(refusal(() => approve(waiting(), mail, { at: expiresAt }))).to.include({
      code: 'approval_over',
      approval_status: 'expired',
    });
    expect(types(approve(waiting(), mail, { at: '2026-03-04T11:59:59.999Z' }))).to.include(
      'LetterQueued',
    );
  });

  it('knows no approval of another letter', () => {
    expect(refusal(() => approve(initialState(), mail))?.code).to.equal('approval_not_found');
    expect(refusal(() => approve(waiting(), mail, { name: 'other' }))).to.include({
      approval_status: 'superseded',
    });
  });
});

describe('an approval that is not given', () => {
  const attempts = ['attempt first'];
  const over = { state: 'held', charge: noCharge, knownAttempts: attempts, accepted: [] };

  it('leaves a draft whose money goes back, when it is rejected', () => {
    const letter = waiting();
    const events = reject(letter, key('key_boss'));
    expect(types(events)).to.deep.equal(['ApprovalRejected']);
    expect(events[0]?.personal).to.deep.equal({ reason: 'Too dear.' });
    const rejected = fold(letter, events);
    expect(rejected).to.include({ status: 'draft' });
    expect(reservationTarget(rejected)).to.deep.equal(over);
    expect(reject(rejected, key('key_boss'))).to.deep.equal([]);
    expect(refusal(() => approve(rejected, mail))).to.include({ approval_status: 'rejected' });
  });

  it('leaves a draft whose money goes back, when it expires, and not before', () => {
    const letter = waiting();
    const due = { approvalId: 'approval first' };
    expect(expireApproval(letter, due, at)).to.deep.equal([]);
    expect(expireApproval(letter, { approvalId: 'another' }, expiresAt)).to.deep.equal([]);
    const expired = fold(letter, expireApproval(letter, due, expiresAt));
    expect(reservationTarget(expired)).to.deep.equal(over);
    expect(expireApproval(expired, due, expiresAt)).to.deep.equal([]);
  });

  it('can be asked for anew, with another payment', () => {
    const letter = waiting();
    const rejected = fold(letter, reject(letter, mail));
    const again = ask(rejected, asking('second'));
    expect(reservationTarget(again)).to.deep.include({
      charge: chargeOfCents(terms.price.charge),
      knownAttempts: ['attempt second', 'attempt first'],
    });
    expect(refusal(() => approve(again, mail))).to.include({ approval_status: 'rejected' });
    expect(types(approve(again, mail, { name: 'second' }))).to.include('LetterQueued');
  });

  it('is superseded when the letter is changed, cancelled or deleted', () => {
    const letter = waiting();
    const update = { type: 'UpdateLetter' as const, terms, personal, changed: ['to'] };
    const updated = fold(letter, updateLetter(letter, update));
    expect(reservationTarget(updated)).to.deep.equal(over);
    const cancelled = fold(letter, cancelLetter(letter));
    expect(reservationTarget(cancelled)).to.deep.equal({
      state: 'over',
      spent: undefined,
      accepted: attempts,
    });
    const erasing = eraseLetter(letter, { type: 'EraseLetter', reason: 'deleted' });
    expect(types(erasing)).to.deep.equal(['LetterCancelled', 'LetterErased']);
    for (const state of [updated, cancelled, fold(letter, erasing)]) {
      expect(refusal(() => approve(state, mail))).to.include({ approval_status: 'superseded' });
    }
  });
});

describe('the notifications of approvals', () => {
  it('say each step', () => {
    const letter = waiting();
    const notified = (events: LetterEvent[]) =>
      events.map((event) => notificationOf(event as AnyDomainEvent));
    expect(notified(requestApproval(initialState(), asking()))).to.deep.equal([
      'letter.draft',
      'approval.requested',
    ]);
    expect(notified(approve(letter, mail))).to.deep.equal(['approval.given', 'letter.queued']);
    expect(notified(reject(letter, mail))).to.deep.equal(['approval.rejected']);
    const due = { approvalId: 'approval first' };
    expect(notified(expireApproval(letter, due, expiresAt))).to.deep.equal(['approval.expired']);
  });
});

describe('any history of approvals', () => {
  type Step = { what: string; who: number; to: string };
  const people = [
    key('key_agent', { line: ['key_maker'] }),
    key('key_maker'),
    key('key_child', { line: ['key_agent'] }),
    key('key_boss'),
    key('key_clerk', { isOwner: false }),
    mail,
    operator,
  ];
  const requesters = ['key_agent', 'key_maker', 'key_child'];
  const step: fc.Arbitrary<Step> = fc.record({
    what: fc.constantFrom('send', 'approve', 'approve', 'reject', 'change', 'cancel', 'expire'),
    who: fc.nat(people.length - 1),
    to: fc.constantFrom('Ada', 'Bob'),
  });
  const need = fc.record({
    policy: fc.constantFrom<string>('account', 'key_agent'),
    rules: fc.constant<string[]>(['rule']),
    quorum: fc.constantFrom(1 as const, 2 as const),
    approvers: fc.constantFrom<string[]>(
      [],
      ['key_boss', mail.approver],
      ['key_clerk', 'key_child', 'key_boss'],
    ),
  });

  const decide = (
    letter: Letter,
    { what, who, to }: Step,
    turn: number,
    needs: RequestApproval['needs'],
  ) => {
    const approver = people[who] as Approver;
    const name = letter.status === 'none' ? '' : (letter.approval?.approvalId.slice(9) ?? '');
    const other = samplePersonal({ to: { ...personal.to, name: to } });
    if (what === 'send')
      return requestApproval(letter, asking(`${turn}`, { needs, personal: other }));
    if (what === 'approve') return approve(letter, approver, { name });
    if (what === 'reject') return reject(letter, approver, name);
    if (what === 'cancel') return letter.status === 'draft' ? cancelLetter(letter) : [];
    if (what === 'expire')
      return expireApproval(letter, { approvalId: `approval ${name}` }, expiresAt);
    const update = { type: 'UpdateLetter' as const, terms, personal: other, changed: ['to'] };
    return letter.status === 'draft' ? updateLetter(letter, update) : [];
  };

  it('queues nothing but what was asked for last, by approvers who did not ask', () => {
    let queuedLetters = 0;
    fc.assert(
      fc.property(
        fc.array(need, { minLength: 1, maxLength: 2 }),
        fc.array(step, { maxLength: 25 }),
        (wanted, steps) => {
          const needs = [...new Map(wanted.map((one) => [one.policy, one])).values()];
          let letter = initialState();
          let approvedBy: string[] = [];
          let asked: string | undefined;
          for (const [turn, one] of steps.entries()) {
            let events: LetterEvent[] = [];
            expect(
              refusal(() => {
                events = decide(letter, one, turn, needs);
              })?.code,
            ).not.to.equal('validation_failed');
            for (const event of events) {
              letter = fold(letter, [event]);
              if (event.type === 'ApprovalRequested') {
                approvedBy = [];
                asked = letter.status === 'none' ? undefined : letter.personal?.to.name;
              }
              if (event.type === 'ApprovalGiven') approvedBy.push(event.data.approver);
              if (event.type !== 'LetterQueued') continue;
              queuedLetters++;
              expect(event.personal?.to.name).to.equal(asked);
              expect(approvedBy.some((approver) => requesters.includes(approver))).to.equal(false);
              expect(new Set(approvedBy).size).to.be.at.least(
                Math.max(...needs.map(({ quorum }) => quorum)),
              );
            }
            if (letter.status === 'none') continue;
            const pays = letter.approval?.status === 'pending' || letter.status === 'queued';
            const target = reservationTarget(letter);
            const held = target.state === 'over' ? noCharge : target.charge;
            expect(held).to.deep.equal(pays ? chargeOfCents(terms.price.charge) : noCharge);
          }
        },
      ),
      { numRuns: 2_000, seed: 20_261_123 },
    );
    expect(queuedLetters).to.be.at.least(50);
  });
});
