import type { CredentialLog } from '../../identity/credential-log.ts';
import { inclusionPaths } from '../../identity/inclusion-paths.ts';
import { tlogProof } from '../../identity/tlog-proof.ts';

/**
 * Proofs that credentials are in the log (C2SP tlog-proof), by log index, against its latest checkpoint.
 * Credentials that the checkpoint does not cover yet are missing.
 */
export const createInclusionProofs =
  (log: Pick<CredentialLog, 'checkpoint' | 'tile'>) =>
  async (indexes: readonly number[]): Promise<Map<number, string>> => {
    const checkpoint = await log.checkpoint();
    if (!checkpoint) return new Map();
    const { size, note } = checkpoint;
    const covered = indexes.filter((index) => index < size);
    const paths = await inclusionPaths(log, covered, size);
    return new Map([...paths].map(([index, path]) => [index, tlogProof(index, path, note)]));
  };
