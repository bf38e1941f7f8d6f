import { returnReasons } from '../contract/return-reasons.ts';
import { isUuid } from '../ground/uuid.ts';
import {
  advance as advanceLetter,
  reportableEvidences as evidences,
  type Report,
  type ReportableStatus,
  reportableStatuses as statuses,
} from '../service/operating/advance.ts';
import { type CommandWork, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

type Options = { evidence?: string; tracking?: string; reason?: string; notPrinted: boolean };
/** Which options mean something with which status; another one would be lost silently. */
const optionsOf: Record<ReportableStatus, Exclude<keyof Options, 'notPrinted'>[]> = {
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

const parse = ([letterId, statusText, ...rest]: string[], options: Options): Report => {
  if (letterId === undefined || statusText === undefined || rest.length > 0) {
    throw new UsageError('advance takes LETTER and STATUS');
  }
  if (!isUuid(letterId)) {
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

/** @throws UsageError */
const advance = (positionals: string[], options: Options): CommandWork => {
  const wish = parse(positionals, options);
  return async (foundation, print) => {
    await advanceLetter(foundation, wish, print);
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
