/**
 * Reports of a print house about a job, and their meaning for the letter. Status files and HTTP share this
 * one interpretation.
 */

import type { Static } from 'typebox';
import { AppError } from '../../contract/errors.ts';
import { invalidField } from '../../contract/refusals.ts';
import type { LetterEvent } from '../../events/letter.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import { dayMs } from '../../ground/day.ts';
import type { Log } from '../../ground/log.ts';
import { Type } from '../../ground/type.ts';
import { uuidPattern } from '../../ground/uuid.ts';
import { checkTrackingNumber } from '../../postal/tracking-numbers.ts';
import type { ServiceId } from '../../postal/types.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import {
  answerRecall,
  type ExistingLetter,
  earliestHandOver,
  evolve,
  type Letter,
  letterAggregate,
} from './letter.ts';
import {
  acceptJob,
  type ReportProgress,
  reportProgress,
  startProduction,
} from './letter-production.ts';

const reportStatuses = [
  'posted',
  'in_transit',
  'delivered',
  'returned',
  'undeliverable',
  'failed',
  'tracking_number',
  'recall_accepted',
  'recall_rejected',
] as const;

const oneOf = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], description });

export const PartnerReport = Type.NamedExact('PartnerReport', {
  job_id: Type.String({
    pattern: `^${uuidPattern}$`,
    maxLength: 36,
    description: 'The job_id of the job ticket.',
  }),
  status: oneOf(
    reportStatuses,
    'What happened. `tracking_number` reports only that the number is known.',
  ),
  source: Type.Optional(
    oneOf(
      ['partner', 'carrier'],
      'The source of the report: the print house (default), or the postal operator.',
    ),
  ),
  tracking_number: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 68,
      description: 'Must match the formats and check digits of the service.',
    }),
  ),
  evidence: Type.Optional(
    oneOf(
      ['carrier_scan', 'signature', 'recipient_report'],
      'Required with `delivered`; not allowed otherwise.',
    ),
  ),
  occurred_at: Type.Optional(
    Type.String({
      pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$',
      maxLength: 64,
      description:
        'When it happened, if earlier than the report: RFC 3339 with an offset. Delivery times are measured by it.',
    }),
  ),
  reason: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9_]{1,64}$',
      maxLength: 64,
      description: 'The reason, with returned, undeliverable, failed or recall_rejected.',
    }),
  ),
});
export type PartnerReport = Static<typeof PartnerReport>;

/** Which statuses a field means something with; elsewhere it would be lost silently. */
const withReason: readonly string[] = ['returned', 'undeliverable', 'failed', 'recall_rejected'];
const withTime: readonly string[] = [
  'posted',
  'in_transit',
  'delivered',
  'returned',
  'undeliverable',
];

const assertComplete = (report: PartnerReport): void => {
  const { status, evidence, tracking_number, reason, occurred_at } = report;
  const wrong = (pointer: string, code: string, detail: string): never => {
    throw invalidField(pointer, code, detail);
  };
  if (status === 'delivered' && evidence === undefined) {
    wrong('/evidence', 'required', 'delivered needs evidence: who confirmed the delivery.');
  }
  if (status !== 'delivered' && evidence !== undefined) {
    wrong('/evidence', 'not_here', `evidence cannot be sent with ${status}.`);
  }
  if (status === 'tracking_number' && tracking_number === undefined) {
    wrong('/tracking_number', 'required', 'The tracking number is missing.');
  }
  if (status.startsWith('recall_') && tracking_number !== undefined) {
    wrong('/tracking_number', 'not_here', `tracking_number cannot be sent with ${status}.`);
  }
  if (reason !== undefined && !withReason.includes(status)) {
    wrong('/reason', 'not_here', `reason cannot be sent with ${status}.`);
  }
  if (occurred_at !== undefined && !withTime.includes(status)) {
    wrong('/occurred_at', 'not_here', `occurred_at cannot be sent with ${status}.`);
  }
};

/** Clocks differ. */
const toleratedMs = 300_000;

/** How far ahead the service's clock may have been when production started. */
const aheadMs = dayMs;

/** Epoch ms; NaN for a day that no calendar has, which `Date.parse` takes for a later day, and for hour 24. */
const msOf = (text: string): number => {
  const [written = ''] = /^[^.Z+]{19}/.exec(text) ?? [];
  const ms = Date.parse(`${written}Z`);
  return !Number.isNaN(ms) && toTimestamp(ms).startsWith(written) ? Date.parse(text) : Number.NaN;
};

/**
 * When it happened, RFC 3339 UTC; undefined: at the time of the report. No step is taken as earlier than the start of
 * production by the service's clock, which may have been set back since. @throws AppError validation_failed
 */
const timeIn = (
  letter: ExistingLetter,
  { occurred_at: text }: PartnerReport,
  nowMs: number,
): string | undefined => {
  if (text === undefined) return undefined;
  const at = msOf(text);
  const begun = Math.min(Date.parse(earliestHandOver(letter)), nowMs);
  if (at >= begun - aheadMs && at <= nowMs + toleratedMs) return toTimestamp(Math.max(at, begun));
  const detail = `occurred_at must be a time between ${toTimestamp(begun)}, when the letter was released for printing, and now.`;
  throw invalidField('/occurred_at', 'out_of_range', detail);
};

/** @throws AppError validation_failed */
const numberIn = ({ terms }: ExistingLetter, report: PartnerReport): string | undefined => {
  if (report.tracking_number === undefined) return undefined;
  const checked = checkTrackingNumber(terms.service as ServiceId, report.tracking_number);
  if (checked.ok) return checked.normalized;
  throw invalidField('/tracking_number', checked.code, `tracking_number: ${checked.detail}.`);
};

type StepReport = Exclude<
  PartnerReport['status'],
  'recall_accepted' | 'recall_rejected' | 'tracking_number'
>;

const progressOf = (
  report: PartnerReport & { status: StepReport },
  reportedAt: string | undefined,
): ReportProgress => {
  const base = {
    type: 'ReportProgress' as const,
    source: report.source ?? ('partner' as const),
    ...(reportedAt === undefined ? {} : { reportedAt }),
  };
  const { status, reason, evidence } = report;
  switch (status) {
    case 'posted':
    case 'in_transit':
      return { ...base, step: status };
    case 'delivered':
      return { ...base, step: status, evidence: evidence ?? 'carrier_scan' };
    case 'returned':
      return { ...base, step: status, reason: reason ?? 'returned_to_sender' };
    case 'undeliverable':
      return { ...base, step: 'returned', reason: reason ?? 'undeliverable_as_addressed' };
    case 'failed': {
      const detail = 'The print house could not produce the letter.';
      const code = reason ?? 'print_failure';
      return { ...base, step: status, code, stage: 'print', retryable: false, detail };
    }
    default: {
      const unknown: never = status;
      return unknown;
    }
  }
};

/** The facts of a report after its checks. */
type Told = { trackingNumber: string | undefined; reportedAt: string | undefined };

/** Applies a report to the letter. Reports that are late, repeated or out of order change nothing. */
const obeyReport = (
  letter: Letter,
  report: PartnerReport,
  { trackingNumber, reportedAt }: Told,
): LetterEvent[] => {
  const { status, reason = '', source = 'partner' } = report;
  if (status === 'recall_accepted' || status === 'recall_rejected') {
    const accepted = status === 'recall_accepted';
    return answerRecall(letter, {
      type: 'AnswerRecall',
      accepted,
      reason: reason || 'in_production',
    });
  }
  const numbered =
    trackingNumber === undefined
      ? []
      : reportProgress(letter, {
          type: 'ReportProgress',
          source,
          step: 'tracking_number',
          trackingNumber,
        });
  if (status === 'tracking_number') return numbered;
  const after = numbered.reduce<Letter>(evolve, letter);
  return [...numbered, ...reportProgress(after, progressOf({ ...report, status }, reportedAt))];
};

const unknownJob = (jobId: string): AppError =>
  new AppError('job_not_found', `The print house has no job ${jobId}. Check job_id.`);

/** Statuses that only a printed letter can have. */
const printedStatuses: readonly string[] = [
  'posted',
  'in_transit',
  'delivered',
  'returned',
  'undeliverable',
];

/** Told when a letter that was paid back turns out to be printed: somebody broke the protocol. */
type ReportLog = Pick<Log, 'warn'>;

const warnIfPrinted = (log: ReportLog, letter: Letter, report: PartnerReport): void => {
  const { job_id: letterId, status } = report;
  const paidBack = letter.status === 'cancelled' || letter.status === 'failed';
  if (!paidBack || !printedStatuses.includes(status)) return;
  const fields = { letterId, reported: status, letterStatus: letter.status };
  log.warn(fields, 'the print house reports a refunded letter as printed');
};

export type ReportPorts = {
  handler: CommandHandler;
  log: ReportLog;
  clock: Clock;
  /** The print partner that reports. */
  partner: string;
  /** When the pages of a handed-over job were set, RFC 3339. Absent: unknown. */
  datedAt(jobId: string): Promise<string | undefined>;
  /**
   * Whether a queued letter may have been handed over, because the service was restored from a backup and does not know.
   * `releaseAt`: when it could be handed over, RFC 3339.
   */
  mayBeHandedOver(letterId: string, releaseAt: string): Promise<boolean>;
};

/**
 * Makes the decision that records the hand-over of a letter if its partner reports it as printed before the service has
 * recorded the hand-over, for example after a crash. The service no longer asks about a posted letter, so the date of its
 * pages would be lost.
 */
const handOverOf = async (
  { partner, datedAt }: ReportPorts,
  letter: ExistingLetter,
  { job_id: jobId, status }: PartnerReport,
): Promise<(letter: Letter) => LetterEvent[]> => {
  const isUnknown = letter.partner === partner && !letter.handedOver;
  const at = isUnknown && printedStatuses.includes(status) ? await datedAt(jobId) : undefined;
  return (current) =>
    at === undefined || current.status === 'none' || current.handedOver
      ? []
      : acceptJob(current, { type: 'AcceptJob', partner, jobId, datedAt: at });
};

/** A letter that the operator prints, or took into production after a restore, may be with any partner. */
const isWithReporter = (
  letter: Letter,
  { partner }: Pick<ReportPorts, 'partner'>,
): letter is ExistingLetter =>
  letter.status !== 'none' &&
  !letter.terms.test &&
  (letter.partner === partner || letter.startedBy === 'operator');

/** A report proves that the partner got the letter, although the restored log says that it is queued. */
const wasHandedOver = async (
  { mayBeHandedOver }: ReportPorts,
  letter: ExistingLetter,
  { job_id: jobId }: PartnerReport,
): Promise<boolean> =>
  letter.status === 'queued' &&
  !letter.terms.test &&
  (await mayBeHandedOver(jobId, earliestHandOver(letter)));

/**
 * Obeys a report about a live letter that the partner got, or that the operator printed.
 * @returns whether it changed anything
 * @throws AppError job_not_found, validation_failed; store errors
 */
export const takeReport = async (
  ports: ReportPorts,
  report: PartnerReport,
  context: CommandContext,
): Promise<{ changed: boolean; position: bigint }> => {
  const { handler, log, clock, partner } = ports;
  const { job_id: jobId } = report;
  assertComplete(report);
  const { state } = await handler.load(letterAggregate, jobId);
  if (state.status === 'none') throw unknownJob(jobId);
  const isRestored = await wasHandedOver(ports, state, report);
  if (!isRestored && !isWithReporter(state, ports)) throw unknownJob(jobId);
  const told: Told = {
    trackingNumber: numberIn(state, report),
    reportedAt: timeIn(state, report, clock()),
  };
  const start = { type: 'StartProduction', partner, jobId, source: 'partner' } as const;
  const handOver = await handOverOf(ports, state, report);
  const {
    events,
    position,
    state: after,
  } = await handler.handle(letterAggregate, jobId, context, (letter) => {
    const started = isRestored ? startProduction(letter, start) : [];
    const before = [...started, ...handOver(started.reduce(evolve, letter))];
    return [...before, ...obeyReport(before.reduce(evolve, letter), report, told)];
  });
  if (events.length === 0) warnIfPrinted(log, after, report);
  return { changed: events.length > 0, position };
};
