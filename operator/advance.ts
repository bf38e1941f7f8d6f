import { randomUUID } from 'node:crypto';
import { settleWallet } from '../commands/letters/follow-up.ts';
import {
  type ExistingLetter,
  evolve,
  type Letter,
  letterAggregate,
  type ReportProgress,
  reportProgress,
  startProduction,
} from '../commands/letters/letter.ts';
import { eventName } from '../contract/event-name.ts';
import { isReturnReason, returnReasons } from '../contract/return-reasons.ts';
import { type Evidence, type LetterEvent, letterStream } from '../events/letter.ts';
import { checkTrackingNumber } from '../postal/tracking-numbers.ts';
import type { ServiceId } from '../postal/types.ts';
import type { Foundation } from '../service/foundation/wing.ts';
import { hotfolderOf } from '../service/wings/print-partners.ts';
import { type Command, exitCodes, type Print, Refused, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

const statuses = ['processing', 'posted', 'in_transit', 'delivered', 'returned', 'failed'] as const;
type Status = (typeof statuses)[number];
const evidences = ['carrier_scan', 'signature', 'recipient_report'] as const satisfies Evidence[];

type Options = { evidence?: string; tracking?: string; reason?: string; notPrinted: boolean };
type Wish = {
  letterId: string;
  status: Status;
  evidence: Evidence;
  tracking: string | undefined;
  reason: string | undefined;
  notPrinted: boolean;
};

/** Which options mean something with which status; another one would be lost silently. */
const optionsOf: Record<Status, Exclude<keyof Options, 'notPrinted'>[]> = {
  processing: [],
  posted: ['tracking'],
  in_transit: ['tracking'],
  delivered: ['evidence', 'tracking'],
  returned: ['reason'],
  failed: ['reason'],
};

const member = <T extends string>(values: readonly T[], text: string, name: string): T => {
  const found = values.find((value) => value === text);
  if (found === undefined)
    throw new UsageError(`${name} ${text} is not one of ${values.join(', ')}`);
  return found;
};

const parse = ([letterId, statusText, ...rest]: string[], options: Options): Wish => {
  if (letterId === undefined || statusText === undefined || rest.length > 0) {
    throw new UsageError('advance takes LETTER and STATUS');
  }
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(letterId)) {
    throw new UsageError(`LETTER ${letterId} is not a letter_id (a UUID in lower case)`);
  }
  const status = member(statuses, statusText, 'STATUS');
  for (const name of ['evidence', 'tracking', 'reason'] as const) {
    if (options[name] !== undefined && !optionsOf[status].includes(name)) {
      throw new UsageError(`--${name} cannot be used with ${status}`);
    }
  }
  if (options.notPrinted && status !== 'failed') {
    throw new UsageError(`--not-printed cannot be used with ${status}`);
  }
  const { evidence, reason, notPrinted } = options;
  if (status === 'delivered' && evidence === undefined) {
    throw new UsageError(`delivered needs --evidence: ${evidences.join(', ')}`);
  }
  if (reason !== undefined && !/^[a-z0-9_]{1,64}$/.test(reason)) {
    throw new UsageError(`--reason ${reason} must be lower-case letters, digits and _, at most 64`);
  }
  return {
    letterId,
    status,
    evidence: member(evidences, evidence ?? 'carrier_scan', '--evidence'),
    tracking: options.tracking,
    reason,
    notPrinted,
  };
};

const reportsOf = (wish: Wish, trackingNumber: string | undefined): ReportProgress[] => {
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
const assertNotPrinted = (letter: Letter, { letterId, status, notPrinted }: Wish): void => {
  if (status !== 'failed' || letter.status !== 'processing' || notPrinted) return;
  throw new Refused(
    `The print house may already have letter ${letterId}. Nothing was changed. To stop the letter, ask the print house for it: npm run operator -- cancel ${letterId}. A print house that cannot print it reports failed itself. If you are certain that the letter is not printed and never will be, repeat with --not-printed.`,
  );
};

/** A queued letter is taken into production first, unless that is what failed. */
const decideAdvance = (letter: Letter, wish: Wish, partner: string, number?: string) => {
  assertNotPrinted(letter, wish);
  const events: LetterEvent[] = [];
  let state = letter;
  const apply = (more: LetterEvent[]): void => {
    for (const event of more) state = evolve(state, event);
    events.push(...more);
  };
  if (wish.status !== 'failed') {
    apply(
      startProduction(state, {
        type: 'StartProduction',
        partner: wish.status === 'processing' ? partner : 'operator',
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

/** @throws UsageError */
const advance = (positionals: string[], options: Options): Command => {
  const wish = parse(positionals, options);
  const { letterId, status } = wish;

  return async (foundation, print) => {
    const { handler } = foundation.commands;
    const { config } = foundation;
    const before = liveLetter((await handler.load(letterAggregate, letterId)).state, letterId);
    const number = normalizedTracking(before, wish.tracking);
    const context = { commandId: randomUUID(), actor: 'operator' };
    const { events } = await handler.handle(letterAggregate, letterId, context, (letter) =>
      decideAdvance(letter, wish, config.print.partner, number),
    );
    // Repeated even when nothing changed: a crash may have come in between the last time.
    await settleWallet({ handler }, letterId, { commandId: randomUUID(), actor: 'operator' });
    for (const event of events) {
      const inferred = 'inferred' in event.data && event.data.inferred ? ' (inferred)' : '';
      print(`${eventName(letterStream(letterId), event.type)}${inferred}`);
    }
    if (status !== 'processing') await takeOutOfOutbox(foundation, letterId, print);
    const after = liveLetter((await handler.load(letterAggregate, letterId)).state, letterId);
    if (status === 'returned' && wish.reason !== undefined && !isReturnReason(wish.reason)) {
      print(
        `Mails print ${wish.reason} unchanged; they translate ${Object.keys(returnReasons).join(', ')}.`,
      );
    }
    const reached = status === 'returned' ? after.returned : after.status === status;
    const now = after.returned ? `${after.status}, returned` : after.status;
    if (events.length > 0) {
      print(`Letter ${letterId} is ${now}.`);
    } else if (reached) {
      print(`Letter ${letterId} is already ${now}; nothing was changed.`);
    } else {
      throw new Refused(`a letter that is ${now} cannot become ${status}; nothing was changed`);
    }
    return exitCodes.done;
  };
};

export const advanceCommand = defineCommand({
  name: 'advance',
  usage: 'LETTER STATUS [--evidence EVIDENCE] [--tracking NUMBER] [--reason CODE] [--not-printed]',
  summary: 'Reports what happened to a live letter, and settles its wallet.',
  help: `STATUS: processing, posted, in_transit, delivered, returned or failed. Skipped steps are added and marked as inferred.
delivered needs --evidence: carrier_scan, signature or recipient_report.
posted, in_transit and delivered take --tracking.
returned and failed take --reason: lower case, digits, _. Mails translate the reasons ${Object.keys(returnReasons).join(', ')}; they print another reason of returned unchanged.
A letter in production fails, and is refunded, only with --not-printed: you confirm that the print house has not printed it and never will.`,
  examples: [
    'advance 7c1e… posted --tracking "RR 12345678 5 DE"',
    'advance 7c1e… delivered --evidence carrier_scan',
  ],
  options: { evidence: 'text', tracking: 'text', reason: 'text', 'not-printed': 'flag' },
  read: (positionals, { 'not-printed': notPrinted = false, ...rest }) =>
    advance(positionals, { ...rest, notPrinted }),
});
