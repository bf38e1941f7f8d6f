import { toTimestamp } from '../contract/clock.ts';
import { letterStatuses } from '../contract/letter-status.ts';
import { numberOf } from '../contract/plural.ts';
import { lettersUnchanged } from '../projections/letters/query.ts';
import { parseLimit } from './accounts.ts';
import { type Command, exitCodes, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { table } from './table.ts';

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const parseAge = (text: string): number => {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) {
    throw new UsageError(`--older-than ${text} must be minutes, hours or days: 90m, 24h, 7d`);
  }
  return Number(count) * unitMs[unit as keyof typeof unitMs];
};

/** Where a letter does not stay: after so long in it somebody should look. */
const staleAfterMs = { queued: unitMs.d, processing: 2 * unitMs.d, posted: 30 * unitMs.d };

type Options = {
  status?: string;
  'older-than'?: string;
  stale?: boolean;
  test?: boolean;
  limit?: string;
};

const statusesOf = (text: string): string[] => {
  const statuses = text.split(',').map((one) => one.trim());
  const unknown = statuses.find((one) => !letterStatuses.some((known) => known === one));
  if (unknown === undefined) return statuses;
  throw new UsageError(`--status ${unknown} is not one of ${letterStatuses.join(', ')}`);
};

/** @throws UsageError */
export const letters = (positionals: string[], options: Options): Command => {
  if (positionals.length > 0) throw new UsageError('letters takes no arguments, only options');
  const limit = parseLimit(options.limit, 100);
  const statuses = options.status === undefined ? undefined : statusesOf(options.status);
  const ageMs = options['older-than'] === undefined ? undefined : parseAge(options['older-than']);
  const stale = Object.entries(staleAfterMs).filter(([one]) => statuses?.includes(one) ?? true);
  const wanted = options.stale
    ? stale.map(([status, usualMs]) => ({ statuses: [status], ageMs: ageMs ?? usualMs }))
    : [{ statuses: statuses ?? [...letterStatuses], ageMs: ageMs ?? 0 }];
  return async ({ storage, clock }, print) => {
    const now = clock();
    const test = options.test ?? false;
    const found = await Promise.all(
      wanted.map((one) => {
        const until = toTimestamp(now - one.ageMs);
        return lettersUnchanged(storage.readDb, { statuses: one.statuses, until, test, limit });
      }),
    );
    const rows = found
      .flat()
      .map(({ letterId, accountId, status, doc }) => [
        letterId,
        accountId,
        status,
        doc.terms.service,
        doc.updatedAt,
        doc.handOver?.state ?? '',
      ]);
    const head = ['letter', 'account', 'status', 'service', 'since', 'hand-over'];
    for (const line of table([head, ...rows])) print(line);
    print(
      `${numberOf(rows.length, 'letter')}${rows.length >= limit ? '; --limit shows more' : ''}.`,
    );
    return exitCodes.done;
  };
};

export const lettersCommand = defineCommand({
  name: 'letters',
  usage: '[--status STATUS,…] [--older-than 90m|24h|7d] [--stale] [--test] [--limit N]',
  summary: 'Lists letters, the ones that have not changed for the longest time first.',
  help: `--stale: letters that are in a state for longer than usual (queued 24 h, processing 2 days,
posted 30 days).`,
  examples: ['letters --stale'],
  options: { status: 'text', 'older-than': 'text', limit: 'text', stale: 'flag', test: 'flag' },
  read: letters,
});
