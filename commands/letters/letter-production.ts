import { type LetterStatus, liveFlow } from '../../contract/letter-status.ts';
import type { Evidence, LetterEvent, StepSource } from '../../events/letter.ts';
import { services } from '../../postal/services.ts';
import type { ServiceId } from '../../postal/types.ts';
import type { ExistingLetter, Letter } from './letter.ts';

type StartProduction = {
  type: 'StartProduction';
  partner: string;
  house?: string | undefined;
  jobId: string;
  source: StepSource;
};

/** Takes a queued letter into production; from here on its price is spent. */
export const startProduction = (state: Letter, command: StartProduction): LetterEvent[] => {
  if (state.status !== 'queued') return [];
  const { partner, house, jobId, source } = command;
  const at = house === undefined ? {} : { house };
  return [{ type: 'LetterProcessingStarted', data: { partner, ...at, jobId, source } }];
};

type AcceptJob = {
  type: 'AcceptJob';
  partner: string;
  house?: string | undefined;
  jobId: string;
  datedAt?: string | undefined;
};

/** Records that the print partner has the job. A job that was handed over again is recorded again. */
export const acceptJob = (state: Letter, command: AcceptJob): LetterEvent[] => {
  if (state.status !== 'processing') return [];
  const { partner, jobId, house, datedAt } = command;
  const isKnown =
    (house === undefined || house === state.house) &&
    (datedAt === undefined || datedAt === state.datedAt);
  if (state.handedOver && isKnown) return [];
  const of = {
    ...(house === undefined ? {} : { house }),
    ...(datedAt === undefined ? {} : { datedAt }),
  };
  return [{ type: 'PrintJobAccepted', data: { partner, jobId, ...of } }];
};

/** A report by partner, carrier, operator or simulator. */
export type ReportProgress = {
  type: 'ReportProgress';
  source: StepSource;
  /** When it happened, RFC 3339 UTC, as reported; absent: now. */
  reportedAt?: string;
} & (
  | { step: 'posted' | 'in_transit'; trackingNumber?: string }
  | { step: 'delivered'; evidence: Evidence }
  | { step: 'returned'; reason: string }
  | { step: 'tracking_number'; trackingNumber: string }
  | {
      step: 'failed';
      code: string;
      stage: 'render' | 'submit' | 'print';
      retryable: boolean;
      detail: string;
    }
);

/** Steps between where the letter is and where the report puts it; late reports give none. */
const stepsTo = (
  status: LetterStatus,
  target: 'posted' | 'in_transit' | 'delivered',
): ('posted' | 'in_transit' | 'delivered')[] => {
  const from = liveFlow.indexOf(status as (typeof liveFlow)[number]);
  if (from < 1) return [];
  return liveFlow.slice(from + 1, liveFlow.indexOf(target) + 1) as (
    | 'posted'
    | 'in_transit'
    | 'delivered'
  )[];
};

const timeOf = ({ reportedAt }: ReportProgress) => (reportedAt === undefined ? {} : { reportedAt });

const stepEvent = (
  step: 'posted' | 'in_transit' | 'delivered',
  report: ReportProgress,
): LetterEvent => {
  const known = step === report.step ? timeOf(report) : { inferred: true };
  const data = { source: report.source, ...known };
  if (step === 'posted') return { type: 'LetterPosted', data };
  if (step === 'in_transit') return { type: 'LetterInTransit', data };
  if (report.step !== 'delivered')
    throw new Error('delivered only follows from a delivered report');
  return { type: 'LetterDelivered', data: { ...data, evidence: report.evidence } };
};

/** The steps that are left, and before them the refusal of a recall that came too late. */
const moveTo = (
  state: ExistingLetter,
  target: 'posted' | 'in_transit' | 'delivered',
  report: ReportProgress,
): LetterEvent[] => {
  const steps = stepsTo(state.status, target).map((step) => stepEvent(step, report));
  const tooLate = state.status === 'processing' && state.recall === 'requested';
  return tooLate && steps.length > 0
    ? [{ type: 'LetterCancellationRejected', data: { reason: 'posted' } }, ...steps]
    : steps;
};

/**
 * Moves a letter along the liveFlow. A report that is late, repeated or out of order changes nothing; one
 * that skips steps adds them, marked as inferred.
 */
export const reportProgress = (state: Letter, report: ReportProgress): LetterEvent[] => {
  if (state.status === 'none' || state.status === 'draft') return [];
  switch (report.step) {
    case 'posted':
    case 'in_transit':
      if (state.returned) return [];
      return [
        ...assignTracking(state, report.trackingNumber, report.source),
        ...moveTo(state, report.step, report),
      ];
    case 'delivered':
      return state.returned ? [] : moveTo(state, 'delivered', report);
    case 'returned':
      return returnLetter(state, report);
    case 'tracking_number':
      return assignTracking(state, report.trackingNumber, report.source);
    case 'failed':
      return failLetter(state, report);
    default: {
      const unknown: never = report;
      return unknown;
    }
  }
};

const assignTracking = (
  state: ExistingLetter,
  trackingNumber: string | undefined,
  source: StepSource,
): LetterEvent[] => {
  const service = services[state.terms.service as ServiceId];
  const alive =
    liveFlow.includes(state.status as (typeof liveFlow)[number]) && state.status !== 'queued';
  if (trackingNumber === undefined || !alive || service.tracking === 'none') return [];
  if (state.trackingNumber === trackingNumber) return [];
  if (state.replacedNumbers.includes(trackingNumber)) return [];
  return [{ type: 'TrackingNumberAssigned', data: { trackingNumber, source } }];
};

const returnLetter = (
  state: ExistingLetter,
  report: ReportProgress & { step: 'returned' },
): LetterEvent[] => {
  if (state.returned || state.status === 'delivered') return [];
  const steps = moveTo(state, 'posted', report);
  const reachable = steps.length > 0 || state.status === 'posted' || state.status === 'in_transit';
  if (!reachable) return [];
  return [
    ...steps,
    {
      type: 'LetterReturned',
      data: { source: report.source, reason: report.reason, ...timeOf(report) },
    },
  ];
};

const failLetter = (
  state: ExistingLetter,
  report: ReportProgress & { step: 'failed' },
): LetterEvent[] => {
  if (state.status !== 'queued' && state.status !== 'processing') return [];
  const { code, stage, retryable, detail, source } = report;
  return [{ type: 'LetterFailed', data: { code, stage, retryable, detail, source } }];
};
