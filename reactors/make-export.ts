/** Makes the archive of an export, one part in each run of its job. A run that dies only makes its part again. */

import type { Clock } from '../ground/clock.ts';
import { dayMs } from '../ground/day.ts';

/** Where files of a part go. */
export type Archive = {
  add(
    file: string,
    content: string | Uint8Array | AsyncIterable<string | Uint8Array>,
    how?: { stored?: boolean },
  ): Promise<void>;
  bytes(): number;
  end(): Promise<Buffer>;
};

/** A line in the list of letters. */
type ExportedLetter = {
  letterId: string;
  folder: string;
  createdAt: string;
  status: string;
  recipient: string;
  service: string;
  price: string;
  files: string[];
  /** The events of the letter continue in the next part. */
  continues: boolean;
};

export type Export = {
  exportId: string;
  accountId: string;
  documents: boolean;
  state: 'making' | 'ready' | 'failed';
  after: string;
  letters: number;
  partBytes: bigint[];
};

/**
 * Writes facts, statement, events and logos of the account from a position on; the first one is empty. `rest`: the
 * position where the next part continues, because this part is full.
 */
export type AccountWriter = (
  archive: Archive,
  accountId: string,
  place: string,
  isFull: () => boolean,
) => Promise<{ files: string[]; rest: string | undefined }>;

/**
 * Writes a letter from a position in it; an empty one is its beginning. `rest`: the position where the next part
 * continues. Undefined: the letter is deleted. @throws AppError overloaded, rate_limited
 */
export type LetterWriter = (
  archive: Archive,
  letterId: string,
  of: Export,
  how: { from: string; isFull: () => boolean },
) => Promise<{ letter: ExportedLetter; rest: string | undefined } | undefined>;

type Ports<E extends Export> = {
  clock: Clock;
  find(exportId: string): Promise<E | undefined>;
  /** Letters of the account behind a place, in their order. */
  lettersAfter(
    accountId: string,
    after: string,
    limit: number,
  ): Promise<{ letterId: string; place: string }[]>;
  openArchive(): Archive;
  writeAccount: AccountWriter;
  writeLetter: LetterWriter;
  writeIndex(
    archive: Archive,
    about: {
      of: Export;
      part: number;
      files: readonly string[];
      letters: readonly ExportedLetter[];
      isLast: boolean;
    },
  ): Promise<void>;
  /** False: another run stored it, or the export has started again or is gone. */
  storePart(of: E, part: number, bytes: Uint8Array): Promise<boolean>;
  /** `readyUntil`: it was the last part. */
  addPart(
    of: E,
    added: { bytes: number; after: string; letters: number; readyUntil: Date | undefined },
  ): Promise<boolean>;
  removeOthers(of: E): Promise<void>;
  fail(of: E): Promise<void>;
  /** Adds the job that makes the next part. */
  enqueue(exportId: string): Promise<void>;
  pause(ms: number): Promise<void>;
};

const lettersPerPart = 500;
const page = 50;
/** A part ends when it reaches this size. A letter exceeds it at most by its documents and some hundreds of events. */
const partBytes = 16 * 1024 * 1024;
const keptMs = 7 * dayMs;
/** Leaves processors to others: it works at most for half of the time. */
const restingShare = 1;

/** Begins the position of an export that is still writing the account. */
const accountMark = 'account ';
/** The position after the account and before the first letter. Positions of letters begin with a date. */
const lettersMark = 'letters';
/** Begins a position inside a letter: where it continues, its id, and the position of the letter before it. */
const letterMark = 'letter ';

/** `begun`: the number of letters that began in this part. */
type Made = { letters: ExportedLetter[]; begun: number; after: string; isLast: boolean };

/** Undefined: the account is written. */
const accountPlaceOf = ({ after }: Export): string | undefined => {
  if (after === '') return '';
  return after.startsWith(accountMark) ? after.slice(accountMark.length) : undefined;
};

/** Where the letters of a part begin: after a letter, or `inside` the next one. */
const letterPlaceOf = (
  of: Export,
): { after: string; inside?: { letterId: string; from: string } } => {
  if (accountPlaceOf(of) !== undefined || of.after === lettersMark) return { after: '' };
  if (!of.after.startsWith(letterMark)) return { after: of.after };
  const [from = '', letterId = '', ...before] = of.after.slice(letterMark.length).split(' ');
  return { after: before.join(' '), inside: { letterId, from } };
};

const addLetters = async <E extends Export>(
  ports: Ports<E>,
  archive: Archive,
  of: E,
  { signal, isFull }: { signal: AbortSignal; isFull: () => boolean },
): Promise<Made> => {
  const letters: ExportedLetter[] = [];
  let begun = 0;
  let { after, inside } = letterPlaceOf(of);
  for (;;) {
    const next = await ports.lettersAfter(of.accountId, after, page);
    if (next.length === 0) return { letters, begun, after: after || lettersMark, isLast: true };
    for (const { letterId, place } of next) {
      if (letters.length >= lettersPerPart || isFull()) {
        return { letters, begun, after: after || lettersMark, isLast: false };
      }
      signal.throwIfAborted();
      const startedMs = performance.now();
      const from = inside?.letterId === letterId ? inside.from : '';
      inside = undefined;
      const written = await ports.writeLetter(archive, letterId, of, { from, isFull });
      if (written) letters.push(written.letter);
      if (written && from === '') begun++;
      await ports.pause((performance.now() - startedMs) * restingShare);
      if (written?.rest !== undefined) {
        const rest = `${letterMark}${written.rest} ${letterId} ${after}`;
        return { letters, begun, after: rest, isLast: false };
      }
      after = place;
    }
  }
};

const makePart = async <E extends Export>(
  ports: Ports<E>,
  of: E,
  signal: AbortSignal,
): Promise<void> => {
  const part = of.partBytes.length + 1;
  const archive = ports.openArchive();
  const place = accountPlaceOf(of);
  const isFull = (): boolean => archive.bytes() >= partBytes;
  const { files, rest }: Awaited<ReturnType<AccountWriter>> =
    place === undefined
      ? { files: [], rest: undefined }
      : await ports.writeAccount(archive, of.accountId, place, isFull);
  const { letters, begun, after, isLast } =
    rest === undefined
      ? await addLetters(ports, archive, of, { signal, isFull })
      : { letters: [], begun: 0, after: `${accountMark}${rest}`, isLast: false };
  await ports.writeIndex(archive, { of, part, files, letters, isLast });
  const bytes = await archive.end();
  signal.throwIfAborted();
  if (!(await ports.storePart(of, part, bytes))) return;
  const readyUntil = isLast ? new Date(ports.clock() + keptMs) : undefined;
  const added = { bytes: bytes.length, after, letters: begun, readyUntil };
  if (!(await ports.addPart(of, added))) return;
  if (isLast) await ports.removeOthers(of);
  else await ports.enqueue(of.exportId);
};

export const createMakeExport =
  <E extends Export>(ports: Ports<E>) =>
  async (
    { exportId }: { exportId: string },
    { signal, lastAttempt }: { signal: AbortSignal; lastAttempt: boolean },
  ): Promise<void> => {
    const of = await ports.find(exportId);
    if (of?.state !== 'making') return;
    try {
      await makePart(ports, of, signal);
    } catch (error) {
      if (lastAttempt && !signal.aborted) await ports.fail(of);
      throw error;
    }
  };
