import { type LetterStatus, letterStatuses } from '../contract/letter-status.ts';
import { toTimestamp } from '../ground/clock.ts';
import { dayMs } from '../ground/day.ts';
import { numberOf } from '../ground/plural.ts';
import { type LetterRecord, lettersUnchanged } from '../projections/letters/query.ts';
import type { Foundation } from '../service/foundation/wing.ts';
import { openOrErased, theAccount } from '../service/operating/find-account.ts';
import { parseLimit } from './accounts.ts';
import { type CommandWork, type Print, UsageError } from './command.ts';
import { defineCommand, type Values } from './define-command.ts';
import { lettersTo } from './letters-to.ts';
import { printList } from './table.ts';

const unitMs = { m: 60_000, h: 3_600_000, d: dayMs } as const;

const parseAge = (option: string, text: string): number => {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) {
    throw new UsageError(`--${option} ${text} must be minutes, hours or days: 90m, 24h, 7d`);
  }
  return Number(count) * unitMs[unit as keyof typeof unitMs];
};

/** States that a letter leaves soon, with the time after which somebody should look. */
const staleAfterMs = { queued: unitMs.d, processing: 2 * unitMs.d, posted: 30 * unitMs.d };

const kinds = {
  account: 'text',
  reference: 'text',
  recipient: 'text',
  returned: 'flag',
  status: 'text',
  'older-than': 'text',
  'newer-than': 'text',
  stale: 'flag',
  test: 'flag',
  limit: 'text',
  json: 'flag',
} as const;

type Options = Values<typeof kinds>;

const statusesOf = (text: string): LetterStatus[] =>
  text.split(',').map((one) => {
    const status = letterStatuses.find((known) => known === one.trim());
    if (status) return status;
    const hint = one.trim() === 'returned' ? '; --returned lists letters that came back' : '';
    throw new UsageError(`--status ${one} is not one of ${letterStatuses.join(', ')}${hint}`);
  });

const head = [
  ...['letter', 'account', 'status', 'outcome', 'service', 'since', 'tracking-number', 'hand-over'],
];

const rowOf = ({ letterId, accountId, status, doc }: LetterRecord): string[] => [
  ...[letterId, accountId, status, doc.deliveryOutcome ?? '', doc.terms.service, doc.updatedAt],
  ...[doc.trackingNumber ?? '', (status === 'processing' && doc.handOver?.state) || ''],
];

export const printLetters = (
  print: Print,
  records: LetterRecord[],
  options: { json?: boolean } = {},
): void => printList(print, head, records.map(rowOf), options);

/** @throws UsageError */
const agesOf = ({ 'older-than': older, 'newer-than': newer }: Options) => ({
  olderMs: older === undefined ? undefined : parseAge('older-than', older),
  newerMs: newer === undefined ? undefined : parseAge('newer-than', newer),
});

/** A letter that came back is where it should be. */
const isStale = ({ doc }: LetterRecord): boolean => doc.deliveryOutcome === undefined;

const listed = async (foundation: Foundation, options: Options, limit: number) => {
  const { storage, clock, keys } = foundation;
  const { account, reference, returned = false, test = false } = options;
  const accountId = account === undefined ? undefined : await openOrErased(foundation, account);
  const only = {
    test: accountId?.test ?? test,
    limit,
    returned,
    accountId: accountId?.accountId,
    referenceHash: reference === undefined ? undefined : keys.indexOf('reference', reference),
  };
  const statuses = options.status === undefined ? undefined : statusesOf(options.status);
  const { olderMs, newerMs } = agesOf(options);
  const stale = Object.entries(staleAfterMs).filter(
    ([one]) => statuses?.some((status) => status === one) ?? true,
  );
  const wanted = options.stale
    ? stale.map(([status, usualMs]) => ({ statuses: [status], ageMs: olderMs ?? usualMs }))
    : [{ statuses: statuses ?? [...letterStatuses], ageMs: olderMs ?? 0 }];
  const now = clock();
  const since = newerMs === undefined ? undefined : toTimestamp(now - newerMs);
  const found = await Promise.all(
    wanted.map((one) => {
      const until = toTimestamp(now - one.ageMs);
      return lettersUnchanged(storage.readDb, { ...only, statuses: one.statuses, until, since });
    }),
  );
  return found.flat().filter((record) => !options.stale || isStale(record));
};

/** @throws UsageError */
const letters = (positionals: string[], options: Options): CommandWork => {
  if (positionals.length > 0) throw new UsageError('letters takes no arguments, only options');
  const limit = parseLimit(options.limit, 100);
  const { recipient, account, json } = options;
  if (options.status !== undefined) statusesOf(options.status);
  agesOf(options);
  if (recipient !== undefined) {
    const other = (
      ['reference', 'returned', 'status', 'older-than', 'newer-than', 'stale'] as const
    ).find((name) => options[name] !== undefined);
    if (other !== undefined) throw new UsageError(`--${other} cannot be used with --recipient`);
  }
  return async (foundation, print) => {
    if (recipient !== undefined) {
      const of = account === undefined ? undefined : await theAccount(foundation, account);
      const test = of?.test ?? options.test ?? false;
      const wish = { text: recipient, accountId: of?.accountId, test, limit };
      const { records, looked } = await lettersTo(foundation, wish);
      printLetters(print, records, { json });
      if (!json) print(`${numberOf(records.length, 'letter')} of the newest ${looked}.`);
      return;
    }
    const records = await listed(foundation, options, limit);
    printLetters(print, records, { json });
    if (!json) {
      const more = records.length >= limit ? '; --limit shows more' : '';
      print(`${numberOf(records.length, 'letter')}${more}.`);
    }
  };
};

export const lettersCommand = defineCommand({
  name: 'letters',
  usage:
    '[--account ACCOUNT] [--reference TEXT] [--recipient TEXT] [--returned] [--status STATUS,…] [--older-than 90m|24h|7d] [--newer-than 90m|24h|7d] [--stale] [--test] [--limit N] [--json]',
  summary: 'Lists letters, starting with those that have not changed for the longest time.',
  help: `--returned: letters that came back. A returned letter keeps its status, usually posted.
--older-than, --newer-than: letters whose last change is longer or less long ago.
--stale: letters that have been in a state for longer than usual (queued 24 h, processing 2 days, posted 30 days) and were not returned.
--recipient: letters whose recipient's name, company, postal code and city contain every word of TEXT, newest first. Recipients are not indexed, because an index would outlive the erasure of a letter. The command opens the newest 20,000 letters, so name the account if you can.
--test lists test letters instead of live ones.`,
  examples: [
    'letters --stale',
    'letters --returned --newer-than 24h',
    'letters --returned --account anna@example.com',
    'letters --account anna@example.com --recipient "Mustermann 10115"',
  ],
  options: kinds,
  read: letters,
});
