import type { AuditedEvent } from '../identity/audit-history.ts';
import type { CheckpointNote } from '../identity/credential-log.ts';
import { tlogProof } from '../identity/tlog-proof.ts';
import type { Attestation } from './proof.ts';

/** The attestation in the proof of a letter. `events` have their credentials; `paths` by log index. */
export const presentAttestation = (known: {
  did: string;
  events: AuditedEvent[];
  checkpoint: CheckpointNote | undefined;
  paths: Map<number, Buffer[]>;
}): Attestation => {
  const { did, events, checkpoint, paths } = known;
  const issued = events.flatMap(({ credential }) => (credential ? [credential] : []));
  const proofOf = (index: number, note: string): string | null => {
    const path = paths.get(index);
    return path === undefined ? null : tlogProof(index, path, note);
  };
  return {
    service_did: did,
    credentials: issued.map(({ jwt }) => jwt),
    log: checkpoint
      ? {
          checkpoint: checkpoint.note,
          inclusion: issued.map(({ logIndex }) => proofOf(logIndex, checkpoint.note)),
        }
      : null,
  };
};
