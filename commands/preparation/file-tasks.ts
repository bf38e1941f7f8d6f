/** Tasks on whole documents, for threads. */
import { createHash } from 'node:crypto';
import type { DataKey } from '../../events/data-keys.ts';
import { openBytes, sealBytes } from '../../events/sealing.ts';
import { joinShared } from '../../ground/shared-bytes.ts';

type Parts = { parts: readonly Uint8Array[] };
/** A key as a thread gets it. */
type Key = { key: DataKey | Uint8Array };

const dataKeyOf = ({ key }: Key): DataKey => (key instanceof Uint8Array ? Buffer.from(key) : key);

/** SHA-256 of the parts one after the other. */
export const digest = ({ parts }: Parts): Uint8Array => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

export const seal = ({ parts, context, ...key }: Parts & Key & { context: string }): Uint8Array =>
  sealBytes(parts, dataKeyOf(key), context);

/** Undefined where the key, the context or a byte is wrong. */
export const unseal = ({
  sealed,
  context,
  ...key
}: Key & { sealed: Uint8Array; context: string }): Uint8Array | undefined => {
  try {
    return joinShared(openBytes(sealed, dataKeyOf(key), context));
  } catch {
    return undefined;
  }
};
