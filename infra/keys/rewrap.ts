/** Wraps what an earlier root wrapped again under the active one, while processes use it. */
import type { Keyring } from './keyring.ts';

type Queryable = {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[]; rowCount: number | null }>;
};

/** A table of wrapped keys: by what a row is found, and the purpose of the key that wraps it. */
type Wraps = { table: string; id: string; sealed: string; purpose: string; one: string };

const tables = [
  {
    table: 'keys.data_keys',
    id: 'subject',
    sealed: 'wrapped',
    purpose: 'wrap',
    one: 'data key',
  },
  {
    table: 'identity.private_keys',
    id: 'key_id',
    sealed: 'sealed',
    purpose: 'identity',
    one: 'signing key',
  },
] as const satisfies readonly Wraps[];

type Row = { id: string; sealed: string; root: number };

const batchRows = 1_000;

/** Pages through the rows of a table in the order of their ids. */
async function* pages(db: Queryable, { table, id, sealed }: Wraps, which: string) {
  let after = '';
  for (;;) {
    const { rows } = await db.query(
      `select ${id} as id, ${sealed} as sealed, wrapped_by as root from ${table}
       where ${id} > $1 and ${sealed} is not null and ${which} order by ${id} limit ${batchRows}`,
      [after],
    );
    const page = rows as Row[];
    if (page.length === 0) return;
    yield page;
    after = page.at(-1)?.id ?? '';
  }
}

/** `wraps`: how many keys each root wraps. */
export type WrapCount = { root: number; dataKeys: number; signingKeys: number };

export const countWraps = async (db: Queryable): Promise<WrapCount[]> => {
  const { rows } = await db.query(
    `select root, sum(data)::int as "dataKeys", sum(signing)::int as "signingKeys" from (
       select wrapped_by as root, count(*) as data, 0 as signing from keys.data_keys
       where wrapped is not null group by 1
       union all
       select wrapped_by, 0, count(*) from identity.private_keys group by 1) as w
     group by root order by root`,
  );
  return rows as WrapCount[];
};

const opened = (keyring: Keyring, purpose: string, row: Row): Buffer | undefined => {
  try {
    return keyring.open(row, purpose, row.id);
  } catch {
    return undefined;
  }
};

/**
 * Wraps every key under the active root. A row that changed meanwhile is left alone: one that was erased stays erased.
 * Safe to repeat after a kill. @returns how many were wrapped, and the keys that do not open
 */
export const rewrapAll = async (
  db: Queryable,
  keyring: Keyring,
): Promise<{ count: number; wrong: string[] }> => {
  let count = 0;
  const wrong: string[] = [];
  const active = keyring.active();
  for (const wraps of tables) {
    const { table, id, sealed, purpose, one } = wraps;
    for await (const page of pages(db, wraps, `wrapped_by <> ${active}`)) {
      const fresh = page.flatMap((row) => {
        const key = opened(keyring, purpose, row);
        if (key) return [{ ...row, fresh: keyring.seal(key, purpose, row.id).sealed }];
        wrong.push(`${one} of ${row.id}`);
        return [];
      });
      const { rowCount } = await db.query(
        `update ${table} as kept set ${sealed} = new.fresh, wrapped_by = $4
         from unnest($1::text[], $2::text[], $3::text[]) as new (id, before, fresh)
         where kept.${id} = new.id and kept.${sealed} = new.before`,
        [
          fresh.map((row) => row.id),
          fresh.map((row) => row.sealed),
          fresh.map((row) => row.fresh),
          active,
        ],
      );
      count += rowCount ?? 0;
    }
  }
  return { count, wrong };
};

/** Opens every key under the root that it names. @returns how many there are, and those that do not open */
export const verifyWraps = async (
  db: Queryable,
  keyring: Keyring,
): Promise<{ count: number; wrong: string[] }> => {
  let count = 0;
  const wrong: string[] = [];
  for (const wraps of tables) {
    for await (const page of pages(db, wraps, 'true')) {
      count += page.length;
      for (const row of page) {
        if (!opened(keyring, wraps.purpose, row)) wrong.push(`${wraps.one} of ${row.id}`);
      }
    }
  }
  return { count, wrong };
};
