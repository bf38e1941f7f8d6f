/** Links that sign a person in to the console, once. Each ends with the API key or UCAN that made it. */

import { createHmac } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import type { Caller, RequestCommand } from '../../contract/operation.ts';
import { keyReused } from '../../contract/refusals.ts';
import type { Clock } from '../../ground/clock.ts';
import { dayMs } from '../../ground/day.ts';
import { type Db, oneRow } from '../../ground/db.ts';
import type { RotatingKey } from '../../ground/rotating-key.ts';
import { digestOfToken, type SourceColumns, sealUcan } from './session-source.ts';

type Ports = {
  db: Db;
  clock: Clock;
  /** Makes tokens, and seals the UCANs that links come from. */
  key: RotatingKey;
  /** Unused links of one key or UCAN; the oldest one ends when there is another. */
  mostPerKey: number;
};

/** How long a repetition of the request that made a link is known. */
const keptMs = 30 * dayMs;
const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** The same for a repetition of the same request, and for no other. */
const tokenOf = (key: RotatingKey, { accountId, keyId }: Caller, { commandId }: RequestCommand) =>
  createHmac('sha256', key()[0])
    .update(`console link\n${accountId}\n${keyId}\n${commandId}`)
    .digest('base64url');

/** The hash of a key that works. */
const hashOf = async (db: Db, keyId: string): Promise<string> => {
  const { rows } = await db.query<{ secret_hash: string }>(
    'select secret_hash from read_models.api_keys where key_id = $1',
    [keyId],
  );
  if (rows[0]) return rows[0].secret_hash;
  throw new AppError(
    'scope_insufficient',
    'Only API keys and UCANs make links to the console. Use one of the account.',
  );
};

const sourceOf = async (
  { db, key }: Ports,
  { keyId, ucan, readOnly }: Caller,
  wantsReadOnly: boolean,
): Promise<SourceColumns> => ({
  key_hash: ucan ? null : await hashOf(db, keyId),
  ucan_sealed: ucan ? sealUcan(ucan.tokens, key) : null,
  read_only: wantsReadOnly || readOnly === true,
});

type KeptLink = { request_hash: string; created_at: Date; expires_at: Date; added: boolean };

const keptOf = (db: Db, token: string): Promise<KeptLink | undefined> =>
  oneRow<KeptLink>(
    db,
    'select request_hash, created_at, expires_at, false as added from console.links where token_hash = $1',
    [digestOfToken(token)],
  );

export const createConsoleLinks = (ports: Ports) => {
  const { db, clock, key, mostPerKey } = ports;

  return {
    /** Makes a link, or finds the one that the same request made. @throws AppError conflict, idempotency_key_reused, scope_insufficient */
    async make(
      caller: Caller,
      wanted: { readOnly: boolean; lifetimeMs: number },
      command: RequestCommand,
    ): Promise<{ token: string; createdAt: Date; expiresAt: Date; replayed: boolean }> {
      const source = await sourceOf(ports, caller, wanted.readOnly);
      const token = tokenOf(key, caller, command);
      const now = clock();
      const ends = Math.min(
        now + wanted.lifetimeMs,
        caller.bounds?.expiresAtMs ?? Number.POSITIVE_INFINITY,
      );
      const { rows } = await db.query<KeptLink>(
        `with added as (
           insert into console.links
             (token_hash, account_id, key_id, key_hash, ucan_sealed, read_only, request_hash, created_at, expires_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
           on conflict do nothing returning request_hash, created_at, expires_at
         ), displaced as (
           delete from console.links where token_hash in (
             select token_hash from console.links
             where key_id = $3 and used_at is null and expires_at > $8 and exists (select from added)
             order by created_at desc, token_hash offset $10
           )
         )
         select *, true as added from added
         union all
         select request_hash, created_at, expires_at, false from console.links where token_hash = $1`,
        [
          digestOfToken(token),
          caller.accountId,
          caller.keyId,
          source.key_hash,
          source.ucan_sealed,
          source.read_only,
          command.requestHash,
          new Date(now),
          new Date(ends),
          mostPerKey - 1,
        ],
      );
      // The same request in another process added it after the statement began.
      const row = rows[0] ?? (await keptOf(db, token));
      if (!row) throw new AppError('conflict', 'The same request is in progress. Repeat it.');
      if (row.request_hash !== command.requestHash) throw keyReused();
      const { created_at: createdAt, expires_at: expiresAt, added } = row;
      return { token, createdAt, expiresAt, replayed: !added };
    },

    /** The credential that an unused link gives; undefined for every reason why it gives none. */
    async find(token: string): Promise<SourceColumns | undefined> {
      if (!tokenPattern.test(token)) return undefined;
      return oneRow<SourceColumns>(
        db,
        `select key_hash, ucan_sealed, read_only from console.links
         where token_hash = $1 and used_at is null and expires_at > $2`,
        [digestOfToken(token), new Date(clock())],
      );
    },

    /** Uses a link up. False if it was used before or has expired. */
    async spend(token: string): Promise<boolean> {
      const { rowCount } = await db.query(
        `update console.links set used_at = $2
         where token_hash = $1 and used_at is null and expires_at > $2`,
        [digestOfToken(token), new Date(clock())],
      );
      return rowCount === 1;
    },

    /** Removes links whose repetition is no longer known. */
    async tidy(): Promise<void> {
      await db.query('delete from console.links where created_at <= $1', [
        new Date(clock() - keptMs),
      ]);
    },
  };
};
