/** Reports of operators about letters. */
import { settleWallet } from '../../commands/letters/follow-up.ts';
import {
  type ExistingLetter,
  evolve,
  type Letter,
  letterAggregate,
} from '../../commands/letters/letter.ts';
import {
  type ReportProgress,
  reportProgress,
  startProduction,
} from '../../commands/letters/letter-production.ts';
import { eventName } from '../../contract/event-name.ts';
import { Refused } from '../../contract/operator-refused.ts';
import { isReturnReason, returnReasons } from '../../contract/return-reasons.ts';
import { type Evidence, type LetterEvent, letterStream } from '../../events/letter.ts';
import { checkTrackingNumber } from '../../postal/tracking-numbers.ts';
import type { ServiceId } from '../../postal/types.ts';
import type { Foundation } from '../foundation/wing.ts';
import { hotfolderOf, servingPartner } from '../wings/print-partners.ts';
import { operatorContext } from './account-actions.ts';
import { assertNotInDoubt } from './letters-in-doubt.ts';

export const reportableStatuses = [
  'processing',
  'posted',
  'in_transit',
  'delivered',
  'returned',
  'failed',
] as const;
export type ReportableStatus = (typeof reportableStatuses)[number];
export const reportableEvidences = [
  'carrier_scan',
  'signature',
  'recipient_report',
] as const satisfies Evidence[];

export type Report = {
  letterId: string;
  status: ReportableStatus;
  evidence: Evidence;
  tracking: string | undefined;
  reason: string | undefined;
  notPrinted: boolean;
};

type Print = (line: string) => void;

const reportsOf = (wish: Report, trackingNumber: string | undefined): ReportProgress[] => {
  const report = { type: 'ReportProgress' as const, source: 'operator' as const };
  const { status, reason } = wish;
  switch (status) {
    case 'processing':
      return [];
    case 'posted':
    case 'in_transit':
      return [{ ...report, step: status, trackingNumber }];
    case 'delivered': {
      const delivered = { ...report, step: status, evidence: wish.evidence };
      return trackingNumber === undefined
        ? [delivered]
        : [{ ...report, step: 'tracking_number', trackingNumber }, delivered];
    }
    case 'returned':
      return [{ ...report, step: status, reason: reason ?? 'returned_to_sender' }];
    case 'failed': {
      const detail = 'The operator reported that the letter could not be produced.';
      const code = reason ?? 'print_failure';
      return [{ ...report, step: status, code, stage: 'print', retryable: false, detail }];
    }
    default: {
      const unknown: never = status;
      return unknown;
    }
  }
};

/** A letter that is with the print house must not be paid back and printed. @throws Refused */
const assertNotPrinted = (letter: Letter, { letterId, status, notPrinted }: Report): void => {
  if (status !== 'failed' || letter.status !== 'processing' || notPrinted) return;
  throw new Refused(
    `The print house may already have letter ${letterId}. Nothing was changed. To stop the letter, ask the print house for it: npm run operator -- cancel ${letterId}. A print house that cannot print it reports failed itself. If you are certain that the letter is not printed and never will be, repeat with --not-printed.`,
  );
};

type Printer = { name: string; house?: string };

/** A queued letter is taken into production first, unless that is what failed. */
const decideAdvance = (letter: Letter, wish: Report, serving: Printer, number?: string) => {
  assertNotPrinted(letter, wish);
  const events: LetterEvent[] = [];
  let state = letter;
  const apply = (more: LetterEvent[]): void => {
    for (const event of more) state = evolve(state, event);
    events.push(...more);
  };
  if (wish.status !== 'failed') {
    const { name: partner, house }: Printer =
      wish.status === 'processing' ? serving : { name: 'operator' };
    apply(
      startProduction(state, {
        type: 'StartProduction',
        partner,
        house,
        jobId: wish.letterId,
        source: 'operator',
      }),
    );
  }
  for (const report of reportsOf(wish, number)) apply(reportProgress(state, report));
  return events;
};

const liveLetter = (letter: Letter, letterId: string): ExistingLetter => {
  if (letter.status === 'none') throw new Refused(`there is no letter ${letterId}`);
  if (letter.terms.test) {
    throw new Refused(
      `${letterId} is a test letter. Its owner advances it with POST /api/test/letters/{id}/advance`,
    );
  }
  return letter;
};

const normalizedTracking = (letter: ExistingLetter, number: string | undefined) => {
  if (number === undefined) return undefined;
  const checked = checkTrackingNumber(letter.terms.service as ServiceId, number);
  if (!checked.ok) throw new Refused(`--tracking: ${checked.detail}`);
  return checked.normalized;
};

/**
 * So that the print house does not print it after all. The service does the same when it runs, and asks a
 * print house over HTTP.
 */
const takeOutOfOutbox = async (
  { config, storage: { readDb } }: Foundation,
  letterId: string,
  print: Print,
): Promise<void> => {
  const { answer } = await hotfolderOf(config, readDb).recall(letterId);
  if (answer === 'accepted') print('Its ticket was removed from outbox.');
};

/**
 * Reports what happened to a live letter, and settles its wallet. `print` gets what was done, line by line.
 * @throws Refused
 */
export const advance = async (
  foundation: Foundation,
  wish: Report,
  print: Print,
): Promise<void> => {
  const { letterId, status } = wish;
  const { handler } = foundation.commands;
  const { config } = foundation;
  const before = liveLetter((await handler.load(letterAggregate, letterId)).state, letterId);
  const number = normalizedTracking(before, wish.tracking);
  if (status === 'failed') await assertNotInDoubt(foundation, letterId);
  const context = operatorContext();
  const { events } = await handler.handle(letterAggregate, letterId, context, (letter) =>
    decideAdvance(letter, wish, servingPartner(config), number),
  );
  // Repeated even when nothing changed: a crash may have come in between the last time.
  await settleWallet({ handler }, letterId, operatorContext());
  for (const event of events) {
    const inferred = 'inferred' in event.data && event.data.inferred ? ' (inferred)' : '';
    print(`${eventName(letterStream(letterId), event.type)}${inferred}`);
  }
  const after = liveLetter((await handler.load(letterAggregate, letterId)).state, letterId);
  if (status === 'returned' && wish.reason !== undefined && !isReturnReason(wish.reason)) {
    print(
      `Mails print ${wish.reason} unchanged; they translate ${Object.keys(returnReasons).join(', ')}.`,
    );
  }
  const reached = status === 'returned' ? after.returned : after.status === status;
  if (reached && status !== 'processing') await takeOutOfOutbox(foundation, letterId, print);
  const now = after.returned ? `${after.status}, returned` : after.status;
  const isNumberOnly = events.every(({ type }) => type === 'TrackingNumberAssigned');
  if (!reached && isNumberOnly) {
    const rest = events.length > 0 ? 'the tracking number was stored' : 'nothing was changed';
    throw new Refused(`a letter that is ${now} cannot become ${status}; ${rest}`);
  }
  print(
    events.length > 0
      ? `Letter ${letterId} is ${now}.`
      : `Letter ${letterId} is already ${now}; nothing was changed.`,
  );
};
