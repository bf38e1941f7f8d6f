import { type AnyOperation, operation } from '../contract/operation.ts';
import { type Clock, msAtOrAfter } from '../ground/clock.ts';
import { dayMs, isDay } from '../ground/day.ts';
import type { Db } from '../ground/db.ts';
import { Type } from '../ground/type.ts';
import { limitError } from '../limits/limit-error.ts';
import type { Limits } from '../limits/table.ts';
import {
  closingLine,
  openingLine,
  statementHeading,
  statementLines,
} from '../presenters/statement.ts';
import {
  balanceBefore,
  type StatementEntry,
  statementOf,
  statementPeriod,
  walletAccount,
} from '../projections/ledger/query.ts';
import type { AccountReadPorts } from './accounts.ts';
import { invalidQuery } from './invalid-query.ts';

const csv = 'text/csv';
/** How many are in memory at a time: a page is short, and little lives on for the garbage collector to copy. */
const entriesAtOnce = 1_000;

const When = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 40, description }));

const time = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;

/** Bounds in epoch ms: nothing happened before 1970, and RFC 3339 ends with the year 9999. */
const [firstMs, lastMs] = [0, Date.UTC(10_000, 0) - 1];

/** Epoch ms. A day stands for its beginning, as `to` for its end. NaN for a text that is neither a day nor a time. */
const instantOf = (name: 'from' | 'to', text: string): number => {
  if (isDay(text)) {
    return name === 'from' ? Date.parse(text) : Math.min(Date.parse(text) + dayMs, lastMs);
  }
  const day = time.exec(text)?.[1];
  return day !== undefined && isDay(day) ? msAtOrAfter(text) : Number.NaN;
};

/** @throws AppError validation_failed */
const timeOf = (name: 'from' | 'to', text: string): Date => {
  const at = instantOf(name, text);
  if (firstMs <= at && at <= lastMs) return new Date(at);
  if (!Number.isNaN(at)) {
    throw invalidQuery(name, `${name} must be in one of the years from 1970 to 9999.`);
  }
  throw invalidQuery(
    name,
    `${name} is neither a day (2026-01-31) nor a time (2026-01-31T12:00:00Z; write a plus as %2B).`,
  );
};

type StatementPorts = {
  db: Db;
  clock: Clock;
  openForAccount: AccountReadPorts['openForAccount'];
};

type LimitedPorts = StatementPorts & { limits: Pick<Limits, 'statementEntries'> };

/** Lines of an account, some at a time. `first` and `last`: the entries that they begin and end with. */
const pagesOf = async function* (
  { db, openForAccount }: StatementPorts,
  accountId: string,
  { after, ...period }: Awaited<ReturnType<typeof statementPeriod>> & { after: bigint },
): AsyncGenerator<{ lines: Buffer; first: StatementEntry; last: StatementEntry }> {
  const account = walletAccount(accountId);
  const read = (behind: bigint, left: number) =>
    statementOf(db, { account, ...period, after: behind, limit: Math.min(left, entriesAtOnce) });
  let entries = await read(after, period.entries);
  for (let left = period.entries - entries.length; entries.length > 0; left -= entries.length) {
    const [first, last] = [entries[0], entries.at(-1)] as [StatementEntry, StatementEntry];
    // While these are opened, the database is at the next.
    const [references, next] = await Promise.all([
      openForAccount<{ reference?: string }>(accountId, entries),
      left > 0 ? read(last.position, left) : [],
    ]);
    const line = (entry: StatementEntry, n: number) => ({
      entry,
      reference: references[n]?.reference,
    });
    yield { lines: statementLines(entries.map(line)), first, last };
    entries = next;
  }
};

/** The statement of an account as CSV. @throws AppError validation_failed, statement_too_long */
export const readStatement = async (
  ports: LimitedPorts,
  accountId: string,
  query: { from?: string | undefined; to?: string | undefined },
): Promise<Buffer> => {
  const { db, clock } = ports;
  const most = ports.limits.statementEntries;
  const now = new Date(clock());
  const from = query.from === undefined ? new Date(firstMs) : timeOf('from', query.from);
  const to = query.to === undefined ? undefined : timeOf('to', query.to);
  // A period that is not over ends now: nobody knows the balance of a time to come.
  const until = to === undefined || to > now ? now : to;
  if (query.from !== undefined && from >= until) {
    throw invalidQuery('from', 'from must be before to, and not in the future.', {
      kind: 'order',
    });
  }
  const account = walletAccount(accountId);
  const period = await statementPeriod(db, { account, from, until: to, countTo: most + 1 });
  if (period.entries > most) {
    throw limitError(
      'statementEntries',
      `The period has more than ${most} entries. Ask for a shorter one with from and to.`,
    );
  }
  const opening = await balanceBefore(db, account, period.first);
  const pieces: Buffer[] = [];
  let opensAt = query.from === undefined ? undefined : from;
  let closing = opening;
  for await (const { lines, first, last } of pagesOf(ports, accountId, { ...period, after: 0n })) {
    opensAt ??= new Date(first.createdAt);
    pieces.push(lines);
    closing = last.balanceMicro;
  }
  return Buffer.concat([
    statementHeading,
    openingLine(opensAt ?? until, opening),
    ...pieces,
    closingLine(until, closing),
  ]);
};

/**
 * The statement of an account from its beginning until now, in pieces, with as many entries as there are. Behind the
 * entry at position `after` it goes on with a heading and no opening balance. `next`: the position of the entry that a
 * piece ends with, if it ends with one.
 */
export const wholeStatement = async function* (
  ports: StatementPorts,
  accountId: string,
  after = 0n,
): AsyncGenerator<{ bytes: Buffer; next: bigint | undefined }> {
  const { db, clock } = ports;
  const account = walletAccount(accountId);
  const from = new Date(firstMs);
  const period = await statementPeriod(db, { account, from, until: undefined, countTo: 0 });
  let balance = await balanceBefore(db, account, after > 0n ? after + 1n : period.first);
  const beginning = (opensAt: Date): Buffer =>
    after > 0n
      ? statementHeading
      : Buffer.concat([statementHeading, openingLine(opensAt, balance)]);
  let begun = false;
  const entries = Number.POSITIVE_INFINITY;
  const pages = pagesOf(ports, accountId, { ...period, entries, after });
  for await (const { lines, first, last } of pages) {
    if (!begun) yield { bytes: beginning(new Date(first.createdAt)), next: undefined };
    begun = true;
    balance = last.balanceMicro;
    yield { bytes: lines, next: last.position };
  }
  const now = new Date(clock());
  if (!begun) yield { bytes: beginning(now), next: undefined };
  yield { bytes: closingLine(now, balance), next: undefined };
};

export const statementOperation = (ports: LimitedPorts & { limits: Limits }): AnyOperation => {
  const most = ports.limits.statementEntries;

  return operation({
    name: 'get_statement',
    method: 'GET',
    path: '/api/balance/statement',
    tag: 'Wallet',
    summary: "Get the wallet's statement as CSV",
    description: `Lists every change of the available balance in order, between an opening and a closing balance. \`balance_after\` is the balance after the change. UTF-8, comma-separated (RFC 4180), amounts in USD. Of two times, \`from\` is included and \`to\` is not; days are included whole. The default is from the first change until now, and a period that is not over ends now, too. At most ${most} entries.`,
    access: 'read',
    permit: { about: 'wallet' },
    payable: true,
    input: {
      query: Type.Exact({
        from: When('First day, or a time. Default: the first change.'),
        to: When('Last day, or a time. Default: now.'),
      }),
    },
    responses: {
      200: { description: 'The statement', schema: Type.String(), produces: [csv] },
    },
    errors: ['validation_failed', 'statement_too_long'],
    async handle({ caller, query }) {
      return {
        body: await readStatement(ports, caller.accountId, query),
        headers: {
          'Content-Type': `${csv}; charset=utf-8; header=present`,
          'Content-Disposition': 'attachment; filename="statement.csv"',
        },
      };
    },
  });
};
