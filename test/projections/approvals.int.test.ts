import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { approvalIdOf } from '../../commands/letters/approval.ts';
import {
  approveLetter,
  expireApproval,
  rejectLetter,
  requestApproval,
} from '../../commands/letters/decide-approval.ts';
import { cancelLetter, type Letter, letterAggregate } from '../../commands/letters/letter.ts';
import type { Approver } from '../../commands/policies/approvers.ts';
import type { LetterEvent } from '../../events/letter.ts';
import { approvals } from '../../projections/approvals/project.ts';
import { type ApprovalRecord, approvalById } from '../../projections/approvals/query.ts';
import { ensureReadModels, liveGeneration, rebuild } from '../../projections/rebuild.ts';
import { startProjections } from '../../projections/runner.ts';
import { samplePersonal, sampleTerms } from '../support/letter-samples.ts';
import { account, openWorld, rowsOf, type World } from '../support/projection-world.ts';

const requestedAt = '2026-03-01T12:00:00.000Z';
const expiresAt = '2026-03-04T12:00:00.000Z';
const queueing = {
  cancellableUntil: '2026-03-01T12:05:00.000Z',
  releaseAt: '2026-03-01T12:05:00.000Z',
  expectedDelivery: { earliest: '2026-03-06', latest: '2026-03-09' },
};

const approverNamed = (approver: string): Approver => ({
  approver,
  credential: { own: [approver], line: [approver] },
  isOwner: true,
});
const [boss, chief] = [approverNamed('key_boss'), approverNamed('key_chief')];

const asking = (approvalId: string, attemptId: string) => ({
  type: 'RequestApproval' as const,
  approvalId,
  terms: sampleTerms(),
  personal: samplePersonal(),
  attemptId,
  commitment: 'c'.repeat(43),
  needs: [{ policy: 'key_agent', rules: ['dear'], quorum: 2 as const, approvers: [] }],
  requester: { own: ['key_agent'], line: ['key_agent', 'key_maker'] },
  expiresAt,
  requestHash: attemptId.padEnd(43, 'r'),
});

type Step = (letter: Letter, approvalId: string) => LetterEvent[];

const approve =
  (approver: Approver): Step =>
  (letter, approvalId) =>
    approveLetter(letter, { type: 'ApproveLetter', approvalId, approver, queueing }, requestedAt);
const reject: Step = (letter, approvalId) =>
  rejectLetter(
    letter,
    { type: 'RejectLetter', approvalId, approver: boss, reason: 'No.' },
    requestedAt,
  );
const expire: Step = (letter, approvalId) => expireApproval(letter, { approvalId }, expiresAt);
const cancel: Step = (letter) => cancelLetter(letter);
const askAgain: Step = (letter) => requestApproval(letter, asking('approval again', 'again'));

const courses: { steps: Step[]; status: ApprovalRecord['status']; decisions: string[] }[] = [
  { steps: [], status: 'pending', decisions: [] },
  { steps: [approve(boss)], status: 'pending', decisions: ['approve key_boss'] },
  {
    steps: [approve(boss), approve(chief)],
    status: 'approved',
    decisions: ['approve key_boss', 'approve key_chief'],
  },
  {
    steps: [approve(chief), reject],
    status: 'rejected',
    decisions: ['approve key_chief', 'reject key_boss'],
  },
  { steps: [expire], status: 'expired', decisions: [] },
  { steps: [expire, askAgain], status: 'expired', decisions: [] },
  { steps: [cancel], status: 'superseded', decisions: [] },
];

describe('the read model of approvals', () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  const write = (letterId: string, decide: (letter: Letter) => LetterEvent[]) =>
    world.handler.handle(
      letterAggregate,
      letterId,
      { commandId: randomUUID(), actor: 'test' },
      decide,
    );

  const liveThrough = async (steps: Step[]): Promise<string> => {
    const letterId = randomUUID();
    const approvalId = approvalIdOf(letterId, 'first');
    await write(letterId, (letter) => requestApproval(letter, asking(approvalId, 'first')));
    for (const step of steps) await write(letterId, (letter) => step(letter, approvalId));
    return approvalId;
  };

  it('follows every course, event by event or all at once, and a rebuild gives the same rows', async () => {
    await ensureReadModels(world, [approvals]);
    const runner = startProjections({
      ...world,
      projections: [approvals],
      liveGeneration: ({ name }) => liveGeneration(world.db, name),
    });
    const ids: string[] = [];
    try {
      for (const { steps } of courses) {
        ids.push(await liveThrough(steps));
        expect(await runner.waitFor(['approvals'], await world.store.head(), 60_000)).to.equal(
          true,
        );
      }
    } finally {
      await runner.stop();
    }
    for (const [index, { status, decisions }] of courses.entries()) {
      const found = await approvalById(world.db, account, ids[index] as string);
      expect(found?.status).to.equal(status);
      expect(found?.doc.decisions.map((one) => `${one.decision} ${one.approver}`)).to.deep.equal(
        decisions,
      );
      expect(found?.doc.requestedBy).to.deep.equal(['key_agent']);
    }
    const followed = await rowsOf(world, [approvals]);
    await rebuild(world, [approvals]);
    expect(await rowsOf(world, [approvals])).to.equal(followed);
    await rebuild(world, [approvals], { writeEvents: 1, keptRows: 1 });
    expect(await rowsOf(world, [approvals])).to.equal(followed);
    expect(await approvalById(world.db, 'acct_other', ids[0] as string)).to.equal(undefined);
  });
});
