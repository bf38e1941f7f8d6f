/** The credential that a session comes from: an API key or a UCAN, whole or for reading only. */
import { hash } from 'node:crypto';
import { isAppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import { openWithAny, seal } from '../../events/sealing.ts';
import type { RotatingKey } from '../../ground/rotating-key.ts';
import { readingPermits } from '../../identity/ucan/permits.ts';

/** Finds callers by the credentials that sessions come from. */
export type Credentials = {
  /** @throws AppError invalid_api_key, authentication_required, rate_limited */
  authenticate(header: string, from: string): Promise<Caller>;
  /** By the SHA-256 of a key. @throws AppError invalid_api_key, rate_limited */
  callerByHash(keyHash: string, from: string): Promise<Caller>;
  /** By a UCAN and its proofs, the token first. @throws AppError ucan_invalid, missing_proofs */
  callerByUcan(tokens: readonly string[], from: string): Promise<Caller>;
};

/** How a row names the credential. `ucan_sealed` is set where `key_hash` is null. */
export type SourceColumns = {
  key_hash: string | null;
  ucan_sealed: string | null;
  read_only: boolean;
};

const sealedAs = 'console credential';

/** SHA-256, base64url: rows hold it instead of a token. */
export const digestOfToken = (token: string): string => hash('sha256', token, 'base64url');

/** A UCAN with its proofs as rows keep it. */
export const sealUcan = (tokens: readonly string[], key: RotatingKey): string =>
  seal(JSON.stringify(tokens), key()[0], sealedAs);

/** Undefined where its key is gone: the session has ended. */
const openUcan = (sealed: string, key: RotatingKey): string[] | undefined => {
  const opened = openWithAny(sealed, key, sealedAs);
  return opened && (JSON.parse(opened.toString()) as string[]);
};

/** A caller with the same read access, which can change nothing. */
const readingOnly = (caller: Caller): Caller => ({
  ...caller,
  scope: 'read',
  readOnly: true,
  ...(caller.ucan
    ? { ucan: { ...caller.ucan, permits: caller.ucan.permits.flatMap(readingPermits) } }
    : {}),
});

/** The credential's current rights; undefined when it has ended. @throws AppError of a lookup that fails */
export const callerOfSource = async (
  { key_hash: keyHash, ucan_sealed: sealed, read_only: isReadOnly }: SourceColumns,
  { credentials, key }: { credentials: Credentials; key: RotatingKey },
  from: string,
): Promise<Caller | undefined> => {
  const tokens = keyHash === null ? openUcan(sealed ?? '', key) : [];
  if (!tokens) return undefined;
  try {
    const caller =
      keyHash === null
        ? await credentials.callerByUcan(tokens, from)
        : await credentials.callerByHash(keyHash, from);
    return isReadOnly ? readingOnly(caller) : caller;
  } catch (error) {
    if (isAppError(error) && error.status === 401) return undefined;
    throw error;
  }
};
