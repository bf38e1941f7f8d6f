import type { OperatorRights } from '../../contract/operator-session.ts';
import { type Db, oneRow } from '../../ground/db.ts';

export type OperatorSessionRow = {
  token_hash: string;
  operator: string;
  rights: OperatorRights;
  language: string | null;
  created_at: Date;
  last_used_at: Date;
  ends_at: Date;
  /** A digest of the settings of the identity provider that let the person in; null: a link did. */
  settings_hash: string | null;
};

type LinkRow = { code_hash: string; rights: OperatorRights; ends_at: Date };

/** The rows of operators' sessions and links in PostgreSQL. Times come from the caller. */
export const createOperatorStore = (db: Db) => ({
  async add(row: OperatorSessionRow): Promise<void> {
    await db.query(
      `insert into console.operator_sessions
         (token_hash, operator, rights, language, created_at, last_used_at, ends_at, settings_hash)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        row.token_hash,
        row.operator,
        row.rights,
        row.language,
        row.created_at,
        row.last_used_at,
        row.ends_at,
        row.settings_hash,
      ],
    );
  },

  async find(tokenHash: string): Promise<OperatorSessionRow | undefined> {
    return oneRow<OperatorSessionRow>(
      db,
      `select token_hash, operator, rights, language, created_at, last_used_at, ends_at,
         settings_hash
       from console.operator_sessions where token_hash = $1`,
      [tokenHash],
    );
  },

  async noteUse(tokenHash: string, at: Date): Promise<void> {
    await db.query(
      `update console.operator_sessions set last_used_at = greatest(last_used_at, $2)
       where token_hash = $1`,
      [tokenHash, at],
    );
  },

  async remove(tokenHash: string): Promise<void> {
    await db.query('delete from console.operator_sessions where token_hash = $1', [tokenHash]);
  },

  /** Removes sessions that ended by `now` or were not used since `idleSince`, and links that ended. */
  async removeEnded(now: Date, idleSince: Date): Promise<void> {
    await db.query(
      'delete from console.operator_sessions where ends_at <= $1 or last_used_at <= $2',
      [now, idleSince],
    );
    await db.query('delete from console.operator_links where ends_at <= $1', [now]);
  },

  async addLink(row: LinkRow): Promise<void> {
    await db.query(
      'insert into console.operator_links (code_hash, rights, ends_at) values ($1, $2, $3)',
      [row.code_hash, row.rights, row.ends_at],
    );
  },

  /** Uses a link up. Undefined if the link is unknown or expired. */
  async spendLink(codeHash: string, now: Date): Promise<OperatorRights | undefined> {
    const { rows } = await db.query<LinkRow>(
      'delete from console.operator_links where code_hash = $1 returning rights, ends_at',
      [codeHash],
    );
    const link = rows[0];
    return link && link.ends_at.getTime() > now.getTime() ? link.rights : undefined;
  },

  async hasLooked(tokenHash: string, accountId: string): Promise<boolean> {
    const { rows } = await db.query(
      'select from console.operator_looks where token_hash = $1 and account_id = $2',
      [tokenHash, accountId],
    );
    return rows.length > 0;
  },

  async noteLook(tokenHash: string, accountId: string): Promise<void> {
    await db.query(
      `insert into console.operator_looks (token_hash, account_id)
       select token_hash, $2 from console.operator_sessions where token_hash = $1
       on conflict do nothing`,
      [tokenHash, accountId],
    );
  },
});

/** Ends the sessions of one operator. Without one: all sessions, and unused links. @returns how many sessions */
export const endOperatorSessions = async (
  db: Db,
  operator: string | undefined,
): Promise<number> => {
  if (operator === undefined) await db.query('delete from console.operator_links');
  const { rowCount } = await db.query(
    'delete from console.operator_sessions where operator = $1 or $1::text is null',
    [operator ?? null],
  );
  return rowCount ?? 0;
};

export type OperatorStore = ReturnType<typeof createOperatorStore>;
