/** The accepted letters of an account per day that a batch of events adds. */
import type { AnyEvent } from '../../events/envelope.ts';
import type { Db } from '../../ground/db.ts';
import type { RowSource } from '../projection.ts';
import type { Change } from '../upsert.ts';
import { type LetterDayRow, letterDayTable } from './table.ts';

/** A letter is accepted once, when it is queued. Its later events change no day. */
export const acceptedOnDays = async (source: RowSource, events: AnyEvent[]): Promise<Change[]> => {
  const added = new Map<string, LetterDayRow>();
  for (const { type, data, metadata } of events) {
    if (type !== 'LetterQueued') continue;
    const id = `${data.terms.accountId}/${metadata.at.slice(0, 10)}`;
    const letters = (added.get(id)?.letters ?? 0n) + 1n;
    added.set(id, { id, letters });
  }
  const kept = await source.load(letterDayTable, 'id', [...added.keys()]);
  const rows = [...added.values()].map((row) => ({
    ...row,
    letters: row.letters + (kept.get(row.id)?.letters ?? 0n),
  }));
  return letterDayTable.save(rows);
};

/** Letters by day in UTC (`2026-01-31`), both days included; days without letters are missing. */
export const lettersByDay = async (
  db: Db,
  accountId: string,
  { from, to }: { from: string; to: string },
): Promise<Map<string, number>> => {
  const { rows } = await db.query<{ id: string; letters: bigint }>(
    `select id, letters from read_models.letter_days
     where id between $1 and $2`,
    [`${accountId}/${from}`, `${accountId}/${to}`],
  );
  return new Map(rows.map(({ id, letters }) => [id.slice(accountId.length + 1), Number(letters)]));
};
