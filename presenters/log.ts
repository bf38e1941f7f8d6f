/** The transparency log as callers see it (specification 4.8). */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import type { CheckpointNote } from '../identity/credential-log.ts';
import { tlogProof } from '../identity/tlog-proof.ts';
import { Nullable, Timestamp } from './common.ts';

export const LogSize = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Hash = Type.String({ description: '32 bytes, base64.' });
const Note = Type.String({ description: 'Signed note (C2SP tlog-checkpoint).' });

export const CheckpointAnswer = Type.Named('LogCheckpoint', {
  origin: Type.String({ description: 'Name of the log.' }),
  size: LogSize,
  root: Hash,
  signed_at: Timestamp,
  note: Note,
  verifier_key: Type.String({ description: 'Name, key hash and key, for verifiers of notes.' }),
});

export const InclusionAnswer = Type.Named('InclusionProof', {
  index: LogSize,
  size: LogSize,
  leaf_hash: Hash,
  path: Type.Array(Hash, { description: 'Audit path, from the leaf up (RFC 6962).' }),
  checkpoint: Nullable(Type.String({ description: 'The note of this size, if it is the latest.' })),
  proof: Nullable(Type.String({ description: 'The whole proof as one text (C2SP tlog-proof).' })),
});

export const ConsistencyAnswer = Type.Named('ConsistencyProof', {
  first: LogSize,
  second: LogSize,
  path: Type.Array(Hash),
});

const base64 = (bytes: Buffer): string => bytes.toString('base64');

export const presentCheckpoint = (
  { note, size, root, at }: CheckpointNote,
  verifierKey: string,
): Static<typeof CheckpointAnswer> => ({
  origin: note.slice(0, note.indexOf('\n')),
  size,
  root: base64(root),
  signed_at: at,
  note,
  verifier_key: verifierKey,
});

/** `checkpoint`: where it is of this size. */
export const presentInclusion = (proof: {
  index: number;
  size: number;
  leafHash: Buffer;
  path: Buffer[];
  checkpoint: CheckpointNote | undefined;
}): Static<typeof InclusionAnswer> => {
  const { index, size, leafHash, path, checkpoint } = proof;
  return {
    index,
    size,
    leaf_hash: base64(leafHash),
    path: path.map(base64),
    checkpoint: checkpoint?.note ?? null,
    proof: checkpoint ? tlogProof(index, path, checkpoint.note) : null,
  };
};

export const presentConsistency = (
  first: number,
  second: number,
  path: Buffer[],
): Static<typeof ConsistencyAnswer> => ({ first, second, path: path.map(base64) });
