/** Makes the archive of an export, one part in each run of its job. A run that dies only makes its part again. */

import { type Clock, toTimestamp } from '../ground/clock.ts';
import { dayMs } from '../ground/day.ts';

/** Where files go that are erased together. */
type Piece = {
  /** False: it has no subject, or that was erased before. */
  isSealed: boolean;
  add(
    file: string,
    content: string | Uint8Array | AsyncIterable<string | Uint8Array>,
    how?: { stored?: boolean },
  ): Promise<void>;
  /** Says which letter the piece is about. */
  describe(letter: ExportedLetter): void;
};

/** A line in the list of letters. */
type ExportedLetter = {
  letterId: string;
  folder: string;
  createdAt: string;
  status: string;
  recipient: string | undefined;
  service: string;
  price: string;
  files: string[];
  /** The events of the letter continue in the next part. */
  continues: boolean;
};

/** A part in the making. */
export type Part = {
  /** `subject`: the piece can be read as long as there is the data key of this. To be opened before its files are read. */
  piece(subject?: string): Promise<Piece>;
  bytes(): number;
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
 * Writes facts, statement, events and logos of the account from a position on; the first one is empty. Returns the
 * position where the next part continues, if this part is full.
 */
export type AccountWriter = (
  part: Pick<Part, 'piece'>,
  accountId: string,
  place: string,
  isFull: () => boolean,
) => Promise<string | undefined>;

/**
 * Writes a letter from a position in it; an empty one is its beginning. `rest`: the position where the next part
 * continues. Undefined: the letter is deleted. @throws AppError overloaded, rate_limited
 */
export type LetterWriter = (
  part: Pick<Part, 'piece'>,
  letterId: string,
  of: Export,
  how: { from: string; isFull: () => boolean },
) => Promise<{ rest: string | undefined } | undefined>;

type Ports<E extends Export, P extends Part> = {
  clock: Clock;
  find(exportId: string): Promise<E | undefined>;
  /** Letters of the account behind a place, in their order. */
  lettersAfter(
    accountId: string,
    after: string,
    limit: number,
  ): Promise<{ letterId: string; place: string }[]>;
  openPart(): P;
  writeAccount: AccountWriter;
  writeLetter: LetterWriter;
  /** False: another run stored it, or the export is gone. */
  storePart(
    of: E,
    part: number,
    written: P,
    facts: { madeAt: string; isLast: boolean },
  ): Promise<boolean>;
  /** The size of a stored part as callers get it. Undefined: the export is gone. */
  sizeOf(of: E, part: number): Promise<number | undefined>;
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
type Made = { begun: number; after: string; isLast: boolean };

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

const addLetters = async <E extends Export, P extends Part>(
  ports: Ports<E, P>,
  part: P,
  of: E,
  { signal, isFull }: { signal: AbortSignal; isFull: () => boolean },
): Promise<Made> => {
  let [written, begun] = [0, 0];
  let { after, inside } = letterPlaceOf(of);
  for (;;) {
    const next = await ports.lettersAfter(of.accountId, after, page);
    if (next.length === 0) return { begun, after: after || lettersMark, isLast: true };
    for (const { letterId, place } of next) {
      if (written >= lettersPerPart || isFull()) {
        return { begun, after: after || lettersMark, isLast: false };
      }
      signal.throwIfAborted();
      const startedMs = performance.now();
      const from = inside?.letterId === letterId ? inside.from : '';
      inside = undefined;
      const letter = await ports.writeLetter(part, letterId, of, { from, isFull });
      if (letter) written++;
      if (letter && from === '') begun++;
      await ports.pause((performance.now() - startedMs) * restingShare);
      if (letter?.rest !== undefined) {
        const rest = `${letterMark}${letter.rest} ${letterId} ${after}`;
        return { begun, after: rest, isLast: false };
      }
      after = place;
    }
  }
};

const makePart = async <E extends Export, P extends Part>(
  ports: Ports<E, P>,
  of: E,
  signal: AbortSignal,
): Promise<void> => {
  const number = of.partBytes.length + 1;
  const part = ports.openPart();
  const place = accountPlaceOf(of);
  const isFull = (): boolean => part.bytes() >= partBytes;
  const rest =
    place === undefined ? undefined : await ports.writeAccount(part, of.accountId, place, isFull);
  const { begun, after, isLast } =
    rest === undefined
      ? await addLetters(ports, part, of, { signal, isFull })
      : { begun: 0, after: `${accountMark}${rest}`, isLast: false };
  signal.throwIfAborted();
  const madeAt = toTimestamp(ports.clock());
  if (!(await ports.storePart(of, number, part, { madeAt, isLast }))) return;
  const bytes = await ports.sizeOf(of, number);
  if (bytes === undefined) return;
  const readyUntil = isLast ? new Date(ports.clock() + keptMs) : undefined;
  if (!(await ports.addPart(of, { bytes, after, letters: begun, readyUntil }))) return;
  if (isLast) await ports.removeOthers(of);
  else await ports.enqueue(of.exportId);
};

export const createMakeExport =
  <E extends Export, P extends Part>(ports: Ports<E, P>) =>
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
