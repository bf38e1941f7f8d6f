import { expect } from 'chai';
import fc from 'fast-check';
import { evolve, initialState, type Letter } from '../../commands/letters/letter.ts';
import type { ReportProgress } from '../../commands/letters/letter-production.ts';
import { reservationTarget } from '../../commands/letters/reservation-target.ts';
import { isAppError } from '../../contract/errors.ts';
import type { LetterEvent } from '../../events/letter.ts';
import { registry } from '../../events/registry.ts';
import { noCharge } from '../../money/charge.ts';
import { describeDecider } from '../support/decider-spec.ts';
import { decide, type LetterCommand } from '../support/letter-commands.ts';
import { drafted, queued, samplePersonal, sampleTerms } from '../support/letter-samples.ts';

const { given } = describeDecider({ initialState, evolve, decide });
const fold = (...events: LetterEvent[]): Letter => events.reduce(evolve, initialState());

const source = 'partner' as const;
const processing: LetterEvent = {
  type: 'LetterProcessingStarted',
  data: { partner: 'p', jobId: 'j', source },
};
const posted: LetterEvent = { type: 'LetterPosted', data: { source } };
const inTransit: LetterEvent = { type: 'LetterInTransit', data: { source } };
const delivered: LetterEvent = {
  type: 'LetterDelivered',
  data: { source, evidence: 'carrier_scan' },
};
const returned: LetterEvent = { type: 'LetterReturned', data: { source, reason: 'unknown' } };
const recall: LetterEvent = { type: 'LetterCancellationRequested', data: {} };
const cancelled = (from: 'draft' | 'queued' | 'processing'): LetterEvent => ({
  type: 'LetterCancelled',
  data: { from },
});
const failure = { code: 'jam', stage: 'print', retryable: false, detail: 'jam', source } as const;
const failed: LetterEvent = { type: 'LetterFailed', data: failure };
const erased: LetterEvent = { type: 'LetterErased', data: { reason: 'deleted' } };
const tracked = (trackingNumber: string): LetterEvent => ({
  type: 'TrackingNumberAssigned',
  data: { trackingNumber, source },
});
const abandonedEvent: LetterEvent = {
  type: 'SendAbandoned',
  data: { accountId: 'acct_1', attemptId: 'attempt-1' },
};

const inferred = (event: LetterEvent): LetterEvent =>
  ({ ...event, data: { ...event.data, inferred: true } }) as LetterEvent;

const draft: LetterCommand = {
  type: 'DraftLetter',
  terms: sampleTerms(),
  personal: samplePersonal(),
  holdReason: 'requested',
  requestHash: 'r'.repeat(43),
};
const queue = (attemptId = 'attempt-1', requestHash = 'r'.repeat(43)): LetterCommand => ({
  type: 'QueueLetter',
  terms: sampleTerms(),
  personal: samplePersonal(),
  attemptId,
  cancellableUntil: '2026-03-01T12:05:00.000Z',
  releaseAt: '2026-03-01T12:05:00.000Z',
  requestHash,
});
const update = (changed: string[], attemptId?: string): LetterCommand => ({
  type: 'UpdateLetter',
  terms: sampleTerms(),
  personal: samplePersonal(),
  changed,
  attemptId,
});
const abandon = (attemptId = 'attempt-1'): LetterCommand => ({
  type: 'AbandonSend',
  accountId: 'acct_1',
  attemptId,
});
const cancel: LetterCommand = { type: 'CancelLetter' };
const produce: LetterCommand = { type: 'StartProduction', partner: 'p', jobId: 'j', source };
const answer = (accepted: boolean): LetterCommand => ({
  type: 'AnswerRecall',
  accepted,
  reason: 'printed',
});
const erase = (reason: 'deleted' | 'retention' = 'deleted'): LetterCommand => ({
  type: 'EraseLetter',
  reason,
});
type Step = ReportProgress extends infer R
  ? R extends ReportProgress
    ? Omit<R, 'type' | 'source'>
    : never
  : never;
const report = (step: Step): LetterCommand =>
  ({ type: 'ReportProgress', source, ...step }) as ReportProgress;
const reportDelivered = report({ step: 'delivered', evidence: 'carrier_scan' });
const reportFailed = report({
  step: 'failed',
  code: 'jam',
  stage: 'print',
  retryable: false,
  detail: 'jam',
});
const reportReturned = report({ step: 'returned', reason: 'unknown' });

const atProcessing = [queued(), processing];
const atPosted = [...atProcessing, posted];
const atTransit = [...atPosted, inTransit];
const atDelivered = [...atTransit, delivered];

describe('a letter that is kept or sent', () => {
  it('is kept as a draft, once', () => {
    given().when(draft).then(drafted());
    given(drafted()).when(draft).thenNothing();
    given(queued()).when(draft).thenNothing();
  });

  it('is queued under the attempt that paid for it, once', () => {
    given().when(queue()).then(queued());
    given(queued()).when(queue()).thenNothing();
    given(...atDelivered)
      .when(queue())
      .thenNothing();
  });

  it('is queued from a draft', () => {
    given(drafted()).when(queue()).then(queued());
  });

  it('is not queued twice by different requests', () => {
    given(queued())
      .when(queue('attempt-2', 'x'.repeat(43)))
      .thenRefuses('letter_not_sendable');
    given(drafted(), cancelled('draft'))
      .when(queue('attempt-2', 'x'.repeat(43)))
      .thenRefuses('letter_not_sendable');
  });

  it('is not queued under an attempt that was abandoned, but under the next', () => {
    given(abandonedEvent).when(queue()).thenRefuses('store_unavailable');
    given(abandonedEvent).when(queue('attempt-2')).then(queued('attempt-2'));
  });

  it('is not sent after its draft was erased', () => {
    given(drafted(), erased).when(queue()).thenRefuses('letter_deleted');
  });

  it('forbids an attempt once, and never one that it rests on', () => {
    given().when(abandon()).then(abandonedEvent);
    given(abandonedEvent).when(abandon()).thenNothing();
    given(queued()).when(abandon()).thenNothing();
    given(queued()).when(abandon('attempt-2')).thenTypes('SendAbandoned');
  });
});

describe('a letter that is changed', () => {
  it('takes a change while it is draft or queued', () => {
    given(drafted())
      .when(update(['to']))
      .thenTypes('LetterUpdated');
    given(queued())
      .when(update(['to'], 'attempt-2'))
      .thenTypes('LetterUpdated');
  });

  it('is released at another time where the change says so', () => {
    const at = '2026-03-02T05:00:00.000Z';
    const times = { cancellableUntil: at, releaseAt: at };
    const { type: _, ...moved } = update(['to']) as Extract<
      LetterCommand,
      { type: 'UpdateLetter' }
    >;
    const events = decide(fold(queued()), { type: 'UpdateLetter', ...moved, times });
    expect(fold(queued(), ...events)).to.include(times);
    const same = decide(fold(queued()), update(['to']));
    expect(fold(queued(), ...same)).to.include({ releaseAt: '2026-03-01T12:05:00.000Z' });
  });

  it('writes nothing when nothing differs', () => {
    given(queued()).when(update([])).thenNothing();
  });

  it('is not changed later, nor when it is gone', () => {
    given()
      .when(update(['to']))
      .thenRefuses('letter_not_found');
    given(abandonedEvent)
      .when(update(['to']))
      .thenRefuses('letter_not_found');
    given(drafted(), erased)
      .when(update(['to']))
      .thenRefuses('letter_deleted');
    for (const history of [atProcessing, atPosted, atTransit, atDelivered]) {
      given(...history)
        .when(update(['to']))
        .thenRefuses('letter_not_updatable');
    }
    given(queued(), cancelled('queued'))
      .when(update(['to']))
      .thenRefuses('letter_not_updatable');
    given(queued(), failed)
      .when(update(['to']))
      .thenRefuses('letter_not_updatable');
  });

  it('does not rest on an attempt that was abandoned', () => {
    const other: LetterEvent = {
      type: 'SendAbandoned',
      data: { accountId: 'acct_1', attemptId: 'attempt-2' },
    };
    given(queued(), other)
      .when(update(['to'], 'attempt-2'))
      .thenRefuses('store_unavailable');
  });
});

describe('a letter that is cancelled', () => {
  it('is cancelled at once while it is draft or queued', () => {
    given(drafted()).when(cancel).then(cancelled('draft'));
    given(queued()).when(cancel).then(cancelled('queued'));
  });

  it('is cancelled once', () => {
    given(queued(), cancelled('queued')).when(cancel).thenNothing();
  });

  it('is asked back from the print partner in production, once', () => {
    given(...atProcessing)
      .when(cancel)
      .then(recall);
    given(...atProcessing, recall)
      .when(cancel)
      .thenNothing();
  });

  it('follows the answer to the recall', () => {
    given(...atProcessing, recall)
      .when(answer(true))
      .then(cancelled('processing'));
    given(...atProcessing, recall)
      .when(answer(false))
      .then({ type: 'LetterCancellationRejected', data: { reason: 'printed' } });
  });

  it('is cancelled when the job was taken back after all, refused or not', () => {
    const rejected: LetterEvent = {
      type: 'LetterCancellationRejected',
      data: { reason: 'printed' },
    };
    given(...atProcessing, recall, rejected)
      .when(answer(true))
      .then(cancelled('processing'));
    given(...atProcessing, recall, rejected)
      .when(answer(false))
      .thenNothing();
    given(...atProcessing, recall, rejected)
      .when(cancel)
      .then(recall);
  });

  it('says that a recall came too late when the letter goes on', () => {
    const tooLate: LetterEvent = { type: 'LetterCancellationRejected', data: { reason: 'posted' } };
    given(...atProcessing, recall)
      .when(report({ step: 'posted' }))
      .then(tooLate, posted);
    given(...atProcessing, recall)
      .when(reportReturned)
      .thenTypes('LetterCancellationRejected', 'LetterPosted', 'LetterReturned');
    given(...atProcessing, recall)
      .when(reportDelivered)
      .thenTypes(
        'LetterCancellationRejected',
        'LetterPosted',
        'LetterInTransit',
        'LetterDelivered',
      );
  });

  it('ignores an answer that nobody asked for, or that comes too late', () => {
    given().when(answer(true)).thenNothing();
    given(...atProcessing)
      .when(answer(true))
      .thenNothing();
    given(...atProcessing, recall, posted)
      .when(answer(true))
      .thenNothing();
    given(...atProcessing, recall, cancelled('processing'))
      .when(answer(true))
      .thenNothing();
  });

  it('is not cancelled any more once it is posted, failed or unknown', () => {
    given().when(cancel).thenRefuses('letter_not_found');
    given(drafted(), erased).when(cancel).thenRefuses('letter_deleted');
    for (const history of [atPosted, atTransit, atDelivered, [queued(), failed]]) {
      given(...history)
        .when(cancel)
        .thenRefuses('letter_not_cancellable');
    }
  });
});

describe('a letter on its way', () => {
  it('is with the print partner once the partner says so', () => {
    const accept: LetterCommand = { type: 'AcceptJob', partner: 'p', jobId: 'j' };
    const accepted: LetterEvent = { type: 'PrintJobAccepted', data: { partner: 'p', jobId: 'j' } };
    given(...atProcessing)
      .when(accept)
      .then(accepted);
    given(...atProcessing, accepted)
      .when(accept)
      .thenNothing();
    for (const history of [[], [queued()], atPosted, [queued(), failed]]) {
      given(...history)
        .when(accept)
        .thenNothing();
    }
  });

  it('keeps a corrected tracking number when the earlier one is reported again', () => {
    const history = [...atPosted.slice(0, 1), processing, tracked('A'), tracked('B')];
    const again = (trackingNumber: string) => report({ step: 'tracking_number', trackingNumber });
    given(...history)
      .when(again('A'))
      .thenNothing();
    given(...history)
      .when(again('B'))
      .thenNothing();
    given(...history)
      .when(again('C'))
      .then(tracked('C'));
  });

  it('enters production once, from queued alone', () => {
    given(queued()).when(produce).then(processing);
    for (const history of [
      [],
      [drafted()],
      atProcessing,
      atPosted,
      [queued(), cancelled('queued')],
    ]) {
      given(...history)
        .when(produce)
        .thenNothing();
    }
  });

  it('goes from step to step as it is reported', () => {
    given(...atProcessing)
      .when(report({ step: 'posted' }))
      .then(posted);
    given(...atPosted)
      .when(report({ step: 'in_transit' }))
      .then(inTransit);
    given(...atTransit)
      .when(reportDelivered)
      .then(delivered);
  });

  it('infers the steps that were not reported', () => {
    given(...atProcessing)
      .when(reportDelivered)
      .then(inferred(posted), inferred(inTransit), delivered);
  });

  it('is not moved by a report that is late or repeated', () => {
    for (const step of ['posted', 'in_transit'] as const) {
      given(...atTransit)
        .when(report({ step }))
        .thenNothing();
      given(...atDelivered)
        .when(report({ step }))
        .thenNothing();
    }
    given(...atDelivered)
      .when(reportDelivered)
      .thenNothing();
    given(...atDelivered)
      .when(reportFailed)
      .thenNothing();
    given(...atDelivered)
      .when(reportReturned)
      .thenNothing();
  });

  it('is not moved before it is in production', () => {
    for (const history of [
      [],
      [drafted()],
      [queued()],
      [queued(), cancelled('queued')],
      [queued(), failed],
    ]) {
      for (const step of [report({ step: 'posted' }), reportDelivered, reportReturned]) {
        given(...history)
          .when(step)
          .thenNothing();
      }
    }
  });

  it('takes a tracking number, once each, if its service has one', () => {
    const command = report({ step: 'tracking_number', trackingNumber: 'T1' });
    given(...atPosted)
      .when(command)
      .then(tracked('T1'));
    given(...atPosted, tracked('T1'))
      .when(command)
      .thenNothing();
    given(queued()).when(command).thenNothing();
    given(...atProcessing)
      .when(report({ step: 'posted', trackingNumber: 'T1' }))
      .then(tracked('T1'), posted);
    const untracked = queued();
    if (untracked.type === 'LetterQueued') untracked.data.terms.service = 'us_first_class';
    given(untracked, processing).when(command).thenNothing();
  });

  it('comes back once, and moves no more after that', () => {
    given(...atTransit)
      .when(reportReturned)
      .then(returned);
    given(...atProcessing)
      .when(reportReturned)
      .then(inferred(posted), returned);
    given(...atTransit, returned)
      .when(reportReturned)
      .thenNothing();
    given(...atTransit, returned)
      .when(reportDelivered)
      .thenNothing();
    given(...atPosted, returned)
      .when(report({ step: 'in_transit' }))
      .thenNothing();
  });

  it('fails from queued or in production, once', () => {
    given(queued()).when(reportFailed).then(failed);
    given(...atProcessing)
      .when(reportFailed)
      .then(failed);
    given(...atProcessing, failed)
      .when(reportFailed)
      .thenNothing();
    given(...atPosted)
      .when(reportFailed)
      .thenNothing();
    given(drafted()).when(reportFailed).thenNothing();
  });
});

describe('a letter that is erased', () => {
  it('is erased once, when it is draft, cancelled or failed', () => {
    for (const history of [[drafted()], [queued(), cancelled('queued')], [queued(), failed]]) {
      given(...history)
        .when(erase())
        .then(erased);
      given(...history, erased)
        .when(erase())
        .thenNothing();
    }
  });

  it('is not deleted by its owner while it is on its way', () => {
    given().when(erase()).thenRefuses('letter_not_found');
    for (const history of [[queued()], atProcessing, atPosted, atTransit, atDelivered]) {
      given(...history)
        .when(erase())
        .thenRefuses('letter_not_deletable');
    }
  });

  it('is deleted by its owner also after it was erased by retention, and then for good', () => {
    const retained: LetterEvent = { type: 'LetterErased', data: { reason: 'retention' } };
    given(drafted(), retained).when(erase()).then(erased);
    given(drafted(), retained, erased).when(erase()).then();
    given(drafted(), erased).when(erase('retention')).then();
  });

  it('is erased by retention once production is over', () => {
    given(...atTransit)
      .when(erase('retention'))
      .thenTypes('LetterErased');
    given(...atDelivered)
      .when(erase('retention'))
      .thenTypes('LetterErased');
    given(queued()).when(erase('retention')).thenRefuses('letter_not_deletable');
    given(...atProcessing)
      .when(erase('retention'))
      .thenRefuses('letter_not_deletable');
  });
});

describe('what a wallet holds for a letter', () => {
  const charge = {
    subtotal: { crypto: 0n, fiat: 2_000_000n },
    commission: { crypto: 0n, fiat: 100_000n },
  };
  const nothing = { state: 'held', charge: noCharge, accepted: [] };

  it('is its price once it is queued, spent from production on', () => {
    const knownAttempts = ['attempt-1'];
    const accepted = knownAttempts;
    expect(reservationTarget(fold(queued()))).to.deep.equal({
      state: 'held',
      charge,
      knownAttempts,
      accepted,
    });
    for (const history of [atProcessing, atPosted, atTransit, atDelivered]) {
      expect(reservationTarget(fold(...history))).to.deep.equal({
        state: 'captured',
        charge,
        knownAttempts,
        accepted,
      });
    }
  });

  it('is nothing but what undecided attempts hold, before it is queued', () => {
    expect(reservationTarget(fold())).to.deep.equal({ ...nothing, knownAttempts: [] });
    expect(reservationTarget(fold(drafted()))).to.deep.equal({ ...nothing, knownAttempts: [] });
    expect(reservationTarget(fold(abandonedEvent))).to.deep.equal({
      ...nothing,
      knownAttempts: ['attempt-1'],
    });
  });

  it('is nothing at all once no attempt can succeed', () => {
    expect(reservationTarget(fold(drafted(), erased))).to.deep.equal({
      state: 'over',
      accepted: [],
    });
    for (const [history, spent] of [
      [[queued(), cancelled('queued')], undefined],
      [[queued(), failed], undefined],
      [[...atProcessing, failed], charge],
      [[...atProcessing, cancelled('processing')], charge],
    ] as const) {
      expect(reservationTarget(fold(...history))).to.deep.equal({
        state: 'over',
        spent,
        accepted: ['attempt-1'],
      });
    }
  });
});

describe('any sequence of letter commands', () => {
  /** Specification, section 3. */
  const allowed: Record<Letter['status'], Letter['status'][]> = {
    none: ['draft', 'queued'],
    draft: ['queued', 'cancelled'],
    queued: ['processing', 'cancelled', 'failed'],
    processing: ['posted', 'cancelled', 'failed'],
    posted: ['in_transit'],
    in_transit: ['delivered'],
    delivered: [],
    cancelled: [],
    failed: [],
  };

  const attempt = fc.constantFrom('attempt-1', 'attempt-2', 'attempt-3');
  const command: fc.Arbitrary<LetterCommand> = fc.oneof(
    fc.constantFrom(draft, cancel, produce, produce, answer(true), answer(false)),
    fc.constantFrom(erase(), erase('retention'), reportDelivered, reportFailed, reportReturned),
    fc.constantFrom(
      report({ step: 'posted' }),
      report({ step: 'in_transit', trackingNumber: 'T1' }),
      report({ step: 'tracking_number', trackingNumber: 'T2' }),
    ),
    attempt.map(abandon),
    fc
      .tuple(attempt, fc.constantFrom('r'.repeat(43), 'x'.repeat(43)))
      .map(([id, hash]) => queue(id, hash)),
    fc
      .tuple(fc.subarray(['to', 'reference']), fc.option(attempt, { nil: undefined }))
      .map(([changed, id]) => update(changed, id)),
  );

  const tryDecide = (state: Letter, wish: LetterCommand): LetterEvent[] => {
    try {
      return decide(state, wish);
    } catch (error) {
      if (!isAppError(error)) throw error;
      return [];
    }
  };

  it('keeps to the transitions; what is erased stays erased; what was obeyed changes nothing again', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (wishes) => {
        let state = initialState();
        const history: LetterEvent[] = [];
        for (const wish of wishes) {
          const wasErased = state.status !== 'none' && state.erased;
          for (const event of tryDecide(state, wish)) {
            registry.check(event);
            const before = state.status;
            state = evolve(state, event);
            history.push(event);
            if (state.status !== before) expect(allowed[before]).to.include(state.status);
            if (wasErased) expect(event.personal).to.equal(undefined);
          }
          if (wish.type !== 'UpdateLetter') expect(tryDecide(state, wish)).to.deep.equal([]);
          if (wasErased && state.status !== 'none') {
            expect(state.erased).to.equal(true);
            expect(state.personal).to.equal(undefined);
          }
          if (state.status !== 'none') {
            const abandoned = new Set(state.abandoned);
            expect(state.attempts.filter((id) => abandoned.has(id))).to.deep.equal([]);
          }
        }
        expect(history.reduce(evolve, initialState())).to.deep.equal(state);
      }),
      { numRuns: 1_000 },
    );
  });
});
