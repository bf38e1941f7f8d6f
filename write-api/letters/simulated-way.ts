/** The way of a test letter: what the simulator of a print house reports. */

import { type Letter, letterAggregate } from '../../commands/letters/letter.ts';
import {
  type ReportProgress,
  reportProgress,
  startProduction,
} from '../../commands/letters/letter-production.ts';
import { simulatedStep } from '../../commands/letters/simulated-step.ts';
import { AppError } from '../../contract/errors.ts';
import { liveFlow } from '../../contract/letter-status.ts';
import { invalidField } from '../../contract/refusals.ts';

export const steps = ['processing', 'posted', 'in_transit', 'delivered'] as const;

type AdvanceBody = { to?: (typeof steps)[number]; event?: 'returned' | 'failed' };

const reportsFor = (
  letter: Letter & { status: string },
  body: AdvanceBody,
  letterId: string,
): ReportProgress[] => {
  const type = 'ReportProgress' as const;
  const source = 'simulator' as const;
  if (body.event === 'failed') {
    const detail = 'The test asked for a failure.';
    return [
      {
        type,
        source,
        step: 'failed',
        code: 'test_failure',
        stage: 'print',
        retryable: false,
        detail,
      },
    ];
  }
  if (letter.status === 'none') return [];
  const { service } = letter.terms;
  if (body.event === 'returned') {
    const back = { type, source, step: 'returned', reason: 'returned_to_sender' } as const;
    return letter.status === 'processing'
      ? [simulatedStep('posted', service, letterId), back]
      : [back];
  }
  const at = liveFlow.indexOf(letter.status as (typeof liveFlow)[number]);
  const end = body.to === undefined ? at + 1 : liveFlow.indexOf(body.to);
  return at < 1
    ? []
    : liveFlow.slice(at + 1, end + 1).map((to) => simulatedStep(to, service, letterId));
};

type LetterEvents = ReturnType<typeof reportProgress>;

/** The reason why a letter stays where it is. A returned letter keeps its status. */
const whyNot = (letter: Letter, body: AdvanceBody): string => {
  if (letter.status !== 'none' && letter.returned) {
    return 'The letter was returned to its sender, so it moves no further.';
  }
  if (body.to === letter.status) return `The letter is already ${letter.status}.`;
  const wish = body.event ?? body.to ?? 'the next status';
  return `A letter that is ${letter.status} cannot move to ${wish}.`;
};

/**
 * The events that move a test letter: to the next step, to `to`, or to the end that `event` names.
 * @throws AppError validation_failed, letter_not_advanceable
 */
export const advance = (letter: Letter, body: AdvanceBody, letterId: string): LetterEvents => {
  if (body.to !== undefined && body.event !== undefined) {
    throw invalidField('/event', 'one_of', 'Send either to or event, not both.');
  }
  const start =
    body.event === 'failed'
      ? []
      : startProduction(letter, {
          type: 'StartProduction',
          partner: 'simulator',
          jobId: letterId,
          source: 'simulator',
        });
  const after = (state: Letter, events: LetterEvents): Letter =>
    events.reduce((folded, event) => letterAggregate.evolve(folded, event, ''), state);
  let state = after(letter, start);
  const onlyStart =
    start.length > 0 && body.event === undefined && (body.to ?? 'processing') === 'processing';
  const events = [...start];
  for (const report of onlyStart ? [] : reportsFor(state, body, letterId)) {
    const reported = reportProgress(state, report);
    events.push(...reported);
    state = after(state, reported);
  }
  if (events.length === 0) {
    throw new AppError('letter_not_advanceable', whyNot(letter, body), {
      extra: { letter_status: letter.status },
    });
  }
  return events;
};
