/** A part of an archive while it is made: files in pieces, each of which is sealed with the data key of its subject. */
import type { DataKey, DataKeys } from '../../events/data-keys.ts';
import { type CompressedFile, compressFile, type FileContent } from './zip-writer.ts';

/** A line in the list of letters. `files`: in its folder. */
export type ExportedLetter = {
  letterId: string;
  folder: string;
  createdAt: string;
  status: string;
  /** Undefined: the letter was erased. */
  recipient: string | undefined;
  service: string;
  price: string;
  files: readonly string[];
  /** The events of the letter continue in the next part. */
  continues: boolean;
};

/** `sealedFor`: undefined for what only the archive seals. `letter`: the piece is about it. */
type WrittenPiece = {
  sealedFor: { subject: string; key: DataKey } | undefined;
  letter: ExportedLetter | undefined;
  files: CompressedFile[];
};

export type WrittenPart = ReturnType<typeof createPartWriter>;

export const createPartWriter = ({ get }: Pick<DataKeys, 'get'>) => {
  const pieces: WrittenPiece[] = [];
  let bytes = 0;
  const wrote = (more: number): void => {
    bytes += more;
  };
  return {
    pieces,
    /** Compressed so far. */
    bytes: (): number => bytes,
    /**
     * Opens a piece before its files are read: what is erased meanwhile is then sealed with the key that is gone.
     * `subject`: once its data key is erased, nobody can read the piece. Without that key nothing personal is left to seal.
     */
    async piece(subject?: string) {
      const key = subject === undefined ? undefined : await get(subject);
      const sealedFor = subject !== undefined && key ? { subject, key } : undefined;
      const piece: WrittenPiece = { sealedFor, letter: undefined, files: [] };
      pieces.push(piece);
      return {
        isSealed: sealedFor !== undefined,
        async add(file: string, content: FileContent, how: { stored?: boolean } = {}) {
          piece.files.push(await compressFile(file, content, { ...how, wrote }));
        },
        describe(letter: ExportedLetter): void {
          piece.letter = letter;
        },
      };
    },
  };
};
