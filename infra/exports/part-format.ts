/**
 * Parts of archives as they are stored: sealed with the key of the archive, and in it each piece with the key of its
 * subject. So the erasure of a letter or logo reaches every archive at once, and no archive has to be made again.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import type { DataKey, DataKeys } from '../../events/data-keys.ts';
import { openBytes, sealBytes } from '../../events/sealing.ts';
import type { ExportedLetter, WrittenPart } from './part-writer.ts';
import type { CompressedFile } from './zip-writer.ts';

/** `madeAt`: a timestamp. */
export type PartFacts = { madeAt: string; isLast: boolean };

type Content = { letter: ExportedLetter | undefined; files: CompressedFile[] };

/** `letter`: without personal data. `content`: a sealed one if the piece has a subject. */
type StoredPiece = {
  subject: string | undefined;
  letter: ExportedLetter | undefined;
  content: Uint8Array;
};

type StoredPart = PartFacts & { pieces: StoredPiece[] };

/** Pieces whose subject was erased have no files. */
export type OpenedPart = PartFacts & { pieces: Content[] };

const contextOf = (name: string, piece: number): string => `${name} ${piece}`;

/** @param name of the part. It is bound to its bytes. */
export const sealPart = (
  { pieces }: Pick<WrittenPart, 'pieces'>,
  facts: PartFacts,
  { key, name }: { key: DataKey; name: string },
): Buffer => {
  const stored: StoredPart = {
    ...facts,
    pieces: pieces.map(({ sealedFor, letter, files }, n) => {
      const content = serialize({ letter, files } satisfies Content);
      return {
        subject: sealedFor?.subject,
        letter: letter && { ...letter, recipient: undefined, files: [] },
        content: sealedFor ? sealBytes(content, sealedFor.key, contextOf(name, n)) : content,
      };
    }),
  };
  return sealBytes(serialize(stored), key, name);
};

/** Undoes `sealPart` as far as the keys of the subjects are still there. @throws when a byte is wrong */
export const openPart = async (
  sealed: Uint8Array,
  { key, name }: { key: DataKey; name: string },
  { getMany }: Pick<DataKeys, 'getMany'>,
): Promise<OpenedPart> => {
  const { pieces, ...facts }: StoredPart = deserialize(openBytes(sealed, key, name));
  const keys = await getMany(pieces.flatMap(({ subject }) => subject ?? []));
  const opened: Content[] = [];
  for (const [n, { subject, letter, content }] of pieces.entries()) {
    const own = subject === undefined ? undefined : keys.get(subject);
    if (own) opened.push(deserialize(openBytes(content, own, contextOf(name, n))));
    else opened.push(subject === undefined ? deserialize(content) : { letter, files: [] });
    await nextTurn();
  }
  return { ...facts, pieces: opened };
};
