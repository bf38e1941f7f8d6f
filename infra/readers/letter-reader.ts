import type { LetterFiles } from '../../commands/preparation/letter-files.ts';
import { isAppError } from '../../contract/errors.ts';
import type { DataKey, DataKeys } from '../../events/data-keys.ts';
import { decodeEvent } from '../../events/envelope.ts';
import type { EventStore } from '../../events/event-store.ts';
import { letterStream } from '../../events/letter.ts';
import { open } from '../../events/sealing.ts';
import type { Db } from '../../ground/db.ts';
import { mapInSlices } from '../../ground/slices.ts';
import type { LetterPersonal } from '../../presenters/letter.ts';
import {
  type LetterRecord,
  lettersById,
  recordFromEvents,
} from '../../projections/letters/query.ts';
import { createOpenMany } from './open-many.ts';

/** From this number on they are opened by a thread. */
const many = 500;

/**
 * Reads letters for the API: rows by id, in one query per turn, and their personal parts. A letter without a
 * row is read from its event stream.
 */
export const createLetterReader = (ports: {
  db: Db;
  store: EventStore;
  dataKeys: DataKeys;
  files: LetterFiles;
}) => {
  const { db, store, dataKeys, files } = ports;
  const openMany = createOpenMany();
  type Waiting = {
    resolve: (record: LetterRecord | undefined) => void;
    reject: (error: unknown) => void;
  };
  let asked = new Map<string, Waiting[]>();
  let running = 0;

  /** While queries are running, new requests gather for the next one. */
  const maxRunning = 2;

  const recordInStream = async (letterId: string): Promise<LetterRecord | undefined> =>
    recordFromEvents((await store.readStream(letterStream(letterId))).map(decodeEvent));

  const run = async (): Promise<void> => {
    running++;
    while (asked.size > 0) {
      const batch = asked;
      asked = new Map();
      try {
        const found = await lettersById(db, [...batch.keys()]);
        for (const [id, waiting] of batch) {
          const record = found.get(id);
          for (const { resolve, reject } of waiting) {
            if (record) resolve(record);
            // A letter that was just sent may have no row yet.
            else recordInStream(id).then(resolve, reject);
          }
        }
      } catch (error) {
        for (const waiting of batch.values()) for (const { reject } of waiting) reject(error);
      }
    }
    running--;
  };

  const openOne = (record: LetterRecord, key: DataKey | undefined): LetterPersonal | undefined => {
    const { sealed } = record;
    const { sealedFor } = record.doc;
    if (!key || sealed === undefined || sealedFor === undefined) return undefined;
    return JSON.parse(open(sealed, key, sealedFor).toString('utf8'));
  };

  const openLetters = async (records: LetterRecord[]): Promise<Map<string, LetterPersonal>> => {
    const keys = await dataKeys.getMany(records.map((record) => letterStream(record.letterId)));
    const opened = new Map<string, LetterPersonal>();
    await mapInSlices(records, (record) => {
      const personal = openOne(record, keys.get(letterStream(record.letterId)));
      if (personal) opened.set(record.letterId, personal);
    });
    return opened;
  };

  /** One letter with its text or HTML, wherever that lies. Undefined once it was erased. */
  const openWhole = async (record: LetterRecord): Promise<LetterPersonal | undefined> => {
    // One query fetches the keys of concurrent reads.
    const personal = openOne(record, await dataKeys.get(letterStream(record.letterId)));
    const { contentBlob } = personal ?? {};
    if (!personal || contentBlob === undefined || record.doc.terms.kind === 'pdf') return personal;
    const content = await files.get(record.letterId, contentBlob).catch((error: unknown) => {
      if (isAppError(error) && error.code === 'letter_deleted') return undefined;
      throw error;
    });
    return content && { ...personal, content: content.toString('utf8') };
  };

  return {
    letterById(letterId: string): Promise<LetterRecord | undefined> {
      return new Promise((resolve, reject) => {
        const id = letterId.toLowerCase();
        const waiting = asked.get(id);
        if (waiting) waiting.push({ resolve, reject });
        else asked.set(id, [{ resolve, reject }]);
        if (running < maxRunning) setImmediate(() => running < maxRunning && void run());
      });
    },
    openLetters,
    openWhole,
    /** The letter as its stream says it is now, without its personal part. */
    currentLetter: recordInStream,
    /** The letter as its stream says it is now, or as the named command left it, if it changed it. */
    async readLetter(letterId: string, asOfCommand?: string) {
      const stored = await store.readStream(letterStream(letterId));
      const events = stored.map(decodeEvent);
      const end =
        asOfCommand === undefined
          ? events.length
          : events.findLastIndex((event) => event.metadata.command === asOfCommand) + 1;
      const record = recordFromEvents(events.slice(0, end));
      if (!record) return undefined;
      return { record, personal: await openWhole(record) };
    },
    /** Texts that were sealed under the account's data key, opened. */
    async openForAccount<T>(
      accountId: string,
      sealed: { sealed: string | null; eventId: string | null }[],
    ): Promise<(T | undefined)[]> {
      const there = sealed.flatMap(({ sealed: text, eventId }, index) =>
        text !== null && eventId !== null ? [{ sealed: text, context: eventId, index }] : [],
      );
      const opened = sealed.map((): T | undefined => undefined);
      const key = there.length > 0 ? await dataKeys.get(`account-${accountId}`) : undefined;
      if (!key) return opened;
      const found =
        there.length < many
          ? there.map((one) => JSON.parse(open(one.sealed, key, one.context).toString('utf8')))
          : await openMany<T>(key, there);
      for (const [n, { index }] of there.entries()) opened[index] = found[n];
      return opened;
    },
  };
};

export type LetterReader = ReturnType<typeof createLetterReader>;
