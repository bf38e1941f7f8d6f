import { type Db, oneRow } from '../../ground/db.ts';
import type { SourceColumns } from './session-source.ts';

export type SessionRow = SourceColumns & {
  token_hash: string;
  account_id: string;
  key_id: string;
  language: string | null;
  created_at: Date;
  last_used_at: Date;
  ends_at: Date;
  /** When a passkey confirmed who is there. */
  confirmed_at: Date | null;
  /** The key of that passkey. */
  confirmed_by: string | null;
};

const columns =
  'token_hash, account_id, key_id, key_hash, ucan_sealed, read_only, language, created_at, last_used_at, ends_at, confirmed_at, confirmed_by';

/** The rows of sessions in PostgreSQL. Times come from the caller. */
export const createSessionStore = (db: Db) => ({
  /** Adds a session, and ends the oldest ones of its key beyond `most`. */
  async add(row: SessionRow, most: number): Promise<void> {
    await db.query(
      `with added as (
         insert into console.sessions (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
       )
       delete from console.sessions where token_hash in (
         select token_hash from console.sessions where key_id = $3
         order by created_at desc, token_hash offset $13
       )`,
      [
        row.token_hash,
        row.account_id,
        row.key_id,
        row.key_hash,
        row.ucan_sealed,
        row.read_only,
        row.language,
        row.created_at,
        row.last_used_at,
        row.ends_at,
        row.confirmed_at,
        row.confirmed_by,
        most - 1,
      ],
    );
  },

  async find(tokenHash: string): Promise<SessionRow | undefined> {
    return oneRow<SessionRow>(db, `select ${columns} from console.sessions where token_hash = $1`, [
      tokenHash,
    ]);
  },

  async noteUse(tokenHash: string, at: Date): Promise<void> {
    await db.query(
      'update console.sessions set last_used_at = greatest(last_used_at, $2) where token_hash = $1',
      [tokenHash, at],
    );
  },

  async noteConfirmed(tokenHash: string, at: Date, keyId: string): Promise<void> {
    await db.query(
      'update console.sessions set confirmed_at = $2, confirmed_by = $3 where token_hash = $1',
      [tokenHash, at, keyId],
    );
  },

  async remove(tokenHash: string): Promise<void> {
    await db.query('delete from console.sessions where token_hash = $1', [tokenHash]);
  },

  /** Removes sessions that ended by `now`, and sessions not used since `idleSince`. */
  async removeEnded(now: Date, idleSince: Date): Promise<void> {
    await db.query('delete from console.sessions where ends_at <= $1 or last_used_at <= $2', [
      now,
      idleSince,
    ]);
  },
});

export type SessionStore = ReturnType<typeof createSessionStore>;
