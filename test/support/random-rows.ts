/**
 * A read model whose rows come and go by chance, and are loaded in each way: by their key, by another column, and
 * not at all. Only the position of an event decides what it does.
 */
import type { AnyEvent } from '../../events/envelope.ts';
import type { Projection } from '../../projections/projection.ts';
import type { Change, RowOf, Table } from '../../projections/upsert.ts';
import { bigint, defineTable, fixed, key, text } from '../../projections/upsert.ts';
import { seeded } from './seeded.ts';

const columns = { id: key(text()), heap: fixed(text()), seen: bigint() };

type RandomRow = RowOf<typeof columns>;

const byKey = defineTable('random_rows_by_key', columns);
const byHeap = defineTable('random_rows_by_heap', columns, { own: ['(heap)'] });
const notLoaded = defineTable('random_rows_not_loaded', columns);
const growing = defineTable('random_rows_growing', { position: key(bigint()) });

const rowAt = ({ position }: AnyEvent): { row: RandomRow; isRemoved: boolean } => {
  const random = seeded(Number(position));
  const heap = `heap ${Math.floor(random() * 4)}`;
  const id = `${heap}, row ${Math.floor(random() * 3)}`;
  return { row: { id, heap, seen: position }, isRemoved: random() < 0.4 };
};

const fold = (
  table: Table<typeof columns>,
  before: Map<string, RandomRow>,
  events: AnyEvent[],
): Change[] => {
  const rows = new Map<string, RandomRow | undefined>(before);
  const touched = new Map<string, RandomRow>();
  for (const event of events) {
    const { row, isRemoved } = rowAt(event);
    const seen = (rows.get(row.id)?.seen ?? 0n) + 1n;
    rows.set(row.id, isRemoved ? undefined : { ...row, seen });
    touched.set(row.id, row);
  }
  const left = [...touched.keys()].flatMap((id) => rows.get(id) ?? []);
  const gone = [...touched.values()].filter(({ id }) => rows.get(id) === undefined);
  return [...table.save(left), ...table.remove(gone)];
};

export const randomRows: Projection = {
  name: 'random-rows',
  version: 1,
  tables: [byKey, byHeap, notLoaded, growing],
  async project(source, events) {
    const rows = events.map((event) => rowAt(event).row);
    const ids = [...new Set(rows.map(({ id }) => id))];
    const heaps = [...new Set(rows.map(({ heap }) => heap))];
    const last = new Map(events.map((event) => [rowAt(event).row.id, rowAt(event)]));
    const ends = [...last.values()];
    return [
      ...fold(byKey, await source.load(byKey, 'id', ids), events),
      ...fold(byHeap, await source.load(byHeap, 'heap', heaps), events),
      ...notLoaded.save(ends.filter(({ isRemoved }) => !isRemoved).map(({ row }) => row)),
      ...notLoaded.remove(ends.filter(({ isRemoved }) => isRemoved).map(({ row }) => row)),
      ...growing.save(events.map(({ position }) => ({ position }))),
    ];
  },
};
