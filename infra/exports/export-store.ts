/** Exports of accounts: their rows, and the sealed parts of their archives in the blob store. */
import type { BlobStore } from '../../commands/preparation/blob-store.ts';
import type { DataKeys } from '../../events/data-keys.ts';
import { type Db, oneRow } from '../../ground/db.ts';
import { type OpenedPart, openPart, type PartFacts, sealPart } from './part-format.ts';
import type { WrittenPart } from './part-writer.ts';

export type ExportRow = {
  exportId: string;
  accountId: string;
  requestHash: string;
  documents: boolean;
  state: 'making' | 'ready' | 'failed';
  requestedAt: Date;
  after: string;
  letters: number;
  partBytes: bigint[];
  /** Random: an export that has the id of a removed one has another key. Null: from an earlier version. */
  run: string | null;
  /** False: a process of an earlier version makes or made the archive, whose parts cannot be read any more. */
  inPieces: boolean;
  expiresAt: Date;
};

/** `removed`: only its request is known, so that a repetition does not make it again. */
type StoredRow = Omit<ExportRow, 'state'> & { state: ExportRow['state'] | 'removed' };

const columns = `export_id as "exportId", account_id as "accountId", request_hash as "requestHash",
  documents, state, requested_at as "requestedAt", after, letters, part_bytes as "partBytes",
  run, in_pieces as "inPieces", expires_at as "expiresAt"`;

type Ports = {
  db: Db;
  blobs: Pick<BlobStore, 'put' | 'get' | 'delete'>;
  dataKeys: Pick<DataKeys, 'create' | 'get' | 'getMany' | 'erase'>;
};

type Named = Pick<ExportRow, 'exportId' | 'run' | 'inPieces'>;

/** The data keys of exports have this prefix. */
export const exportPrefix = 'export-';

const subjectOf = ({ exportId, run }: Pick<ExportRow, 'exportId' | 'run'>): string =>
  run === null ? `${exportPrefix}${exportId}` : `${exportPrefix}${exportId}-${run}`;
/** A process of an earlier version takes no such part for one of its own. */
const blobOf = (row: Named, part: number): string =>
  `${subjectOf(row)}-${row.inPieces ? 'part-' : ''}${part}`;

/** The result of a request. `other`: another export of the account is being made. */
type Begun = { row: StoredRow; isNew: boolean } | { other: string };

/** The parameters behind the first. */
type Tail<F> = F extends (first: never, ...rest: infer R) => unknown ? R : never;

const findStored = (db: Db, exportId: string): Promise<StoredRow | undefined> =>
  oneRow(db, `select ${columns} from exports.exports where export_id = $1`, [exportId]);

const find = async (db: Db, exportId: string): Promise<ExportRow | undefined> => {
  const row = await findStored(db, exportId);
  return row?.inPieces && row.state !== 'removed' ? { ...row, state: row.state } : undefined;
};

/** The exports of an account that are being made, failed or can be fetched, the latest first. */
const listOf = async (db: Db, accountId: string): Promise<ExportRow[]> => {
  const { rows } = await db.query<ExportRow>(
    `select ${columns} from exports.exports where account_id = $1 and state <> 'removed' and in_pieces
     order by requested_at desc, export_id limit 100`,
    [accountId],
  );
  return rows;
};

/** For the operator: the account of an export. */
export const exportOwner = async (
  db: Db,
  exportId: string,
): Promise<Pick<ExportRow, 'accountId' | 'state'> | undefined> => find(db, exportId);

/** Begins an export, unless this one is known or another one is being made. */
const begin = async (
  db: Db,
  wanted: Pick<ExportRow, 'exportId' | 'accountId' | 'requestHash' | 'documents'>,
  { now, givenUpAt }: { now: Date; givenUpAt: Date },
): Promise<Begun> => {
  const { exportId, accountId, requestHash, documents } = wanted;
  const { rows } = await db.query<StoredRow>(
    `insert into exports.exports
       (export_id, account_id, request_hash, documents, state, requested_at, expires_at, run, in_pieces)
     values ($1, $2, $3, $4, 'making', $5, $6, gen_random_uuid(), true) on conflict do nothing returning ${columns}`,
    [exportId, accountId, requestHash, documents, now, givenUpAt],
  );
  if (rows[0]) return { row: rows[0], isNew: true };
  const known = await findStored(db, exportId);
  if (known) return { row: known, isNew: false };
  const { rows: others } = await db.query<{ export_id: string }>(
    `select export_id from exports.exports where account_id = $1 and state = 'making'`,
    [accountId],
  );
  return { other: others[0]?.export_id ?? '' };
};

/** Records that one more part is stored. False: another process did, or the export is gone. */
const addPart = async (
  db: Db,
  { exportId, partBytes }: ExportRow,
  added: { bytes: number; after: string; letters: number; readyUntil: Date | undefined },
): Promise<boolean> => {
  const { bytes, after, letters, readyUntil = null } = added;
  const { rowCount } = await db.query(
    `update exports.exports set part_bytes = part_bytes || $2::bigint, after = $3,
       letters = letters + $4, state = case when $5::timestamptz is null then state else 'ready' end,
       expires_at = coalesce($5::timestamptz, expires_at)
     where export_id = $1 and state = 'making' and in_pieces and cardinality(part_bytes) = $6`,
    [exportId, bytes, after, letters, readyUntil, partBytes.length],
  );
  return rowCount === 1;
};

/** Whether the export is being made and waits for the part after those that the row has. */
const isNext = async (db: Db, { exportId, partBytes }: ExportRow): Promise<boolean> => {
  const { rows } = await db.query(
    `select from exports.exports where export_id = $1 and state = 'making' and in_pieces
       and cardinality(part_bytes) = $2`,
    [exportId, partBytes.length],
  );
  return rows.length > 0;
};

/** Days after its request during which a repetition does not make an export again. */
const repeatableDays = 90;

/** Removes an archive. Its request stays known. */
const removeArchive = async ({ db, blobs, dataKeys }: Ports, row: ExportRow): Promise<void> => {
  await dataKeys.erase(subjectOf(row));
  // One more: a process may have died between storing a part and saying so.
  for (let part = 1; part <= row.partBytes.length + 1; part++) {
    await blobs.delete(blobOf(row, part));
  }
  await db.query(
    `update exports.exports set state = 'removed', after = '', part_bytes = '{}',
       expires_at = requested_at + $2 * interval '1 day'
     where export_id = $1`,
    [row.exportId, repeatableDays],
  );
};

/** After a restore: repeats the erasure of the archive with this key. */
const eraseAgain = async (ports: Ports, subject: string): Promise<void> => {
  const { rows } = await ports.db.query<ExportRow>(
    `select ${columns} from exports.exports
     where $2 || export_id || coalesce('-' || run, '') = $1 and state <> 'removed'`,
    [subject, exportPrefix],
  );
  if (rows.length === 0) await ports.dataKeys.erase(subject);
  for (const row of rows) await removeArchive(ports, row);
};

/** Removes the archives of the exports that a condition names. */
const removeWhere = async (ports: Ports, condition: string, values: unknown[]): Promise<void> => {
  const { rows } = await ports.db.query<ExportRow>(
    `select ${columns} from exports.exports where state <> 'removed' and ${condition} limit 100`,
    values,
  );
  for (const row of rows) await removeArchive(ports, row);
};

export const createExportStore = (ports: Ports) => {
  const { db, blobs, dataKeys } = ports;
  return {
    find: (exportId: string) => find(db, exportId),
    listOf: (accountId: string) => listOf(db, accountId),
    begin: (...wanted: Tail<typeof begin>) => begin(db, ...wanted),
    addPart: (...added: Tail<typeof addPart>) => addPart(db, ...added),

    async fail({ exportId }: ExportRow): Promise<void> {
      await db.query(
        `update exports.exports set state = 'failed' where export_id = $1 and state = 'making'`,
        [exportId],
      );
    },

    /**
     * False: another run recorded the part, or the export is gone. A run that was held up must not replace the part of
     * the run that took over.
     */
    async storePart(
      row: ExportRow,
      part: number,
      written: WrittenPart,
      facts: PartFacts,
    ): Promise<boolean> {
      if (!(await isNext(db, row))) return false;
      const name = blobOf(row, part);
      const key = await dataKeys.create(subjectOf(row));
      await blobs.put(name, sealPart(written, facts, { key, name }));
      return true;
    },

    /** Undefined once it was removed. */
    async readPart(row: ExportRow, part: number): Promise<OpenedPart | undefined> {
      const name = blobOf(row, part);
      const [key, sealed] = [await dataKeys.get(subjectOf(row)), await blobs.get(name)];
      return key && sealed && openPart(sealed, { key, name }, dataKeys);
    },

    /** Removes the earlier archives of the account. */
    removeOthers: ({ accountId, exportId }: ExportRow) =>
      removeWhere(ports, `account_id = $1 and export_id <> $2 and state <> 'making'`, [
        accountId,
        exportId,
      ]),

    /** Removes archives whose time is over or from earlier versions, and forgets requests that nobody repeats any more. */
    async sweep(now: Date): Promise<void> {
      await removeWhere(ports, '(expires_at <= $1 or not in_pieces)', [now]);
      await db.query("delete from exports.exports where state = 'removed' and expires_at <= $1", [
        now,
      ]);
    },

    eraseAgain: (subject: string) => eraseAgain(ports, subject),

    async removeOf(accountId: string): Promise<void> {
      await removeWhere(ports, 'account_id = $1', [accountId]);
      await db.query("delete from exports.exports where account_id = $1 and state = 'removed'", [
        accountId,
      ]);
    },
  };
};
