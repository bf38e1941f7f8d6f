/** Refusals of requests that a store could not serve. */
import { AppError } from './errors.ts';

/** This process runs an older version of the program than the one that writes its data. */
export class OutdatedProgram extends Error {
  override readonly name: string = 'OutdatedProgram';
}

export const outdatedRefusal = (
  cause: OutdatedProgram,
  sentence = 'This process runs an older version than its data needs and is being replaced. Retry with the same Idempotency-Key.',
): AppError =>
  new AppError('store_unavailable', sentence, { cause, headers: { 'Retry-After': '1' } });

/** PostgreSQL's and the system's codes for a disk, or a quota of it, that is full. */
const fullCodes = new Set(['53100', 'ENOSPC', 'EDQUOT']);

const maxCauses = 4;

/** Whether a full disk is why something failed. Errors are passed on as the cause of others. */
export const isStorageFull = (error: unknown, depth = 0): boolean => {
  if (!(error instanceof Error) || depth > maxCauses) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return fullCodes.has(code) || isStorageFull(error.cause, depth + 1);
};

export const storageFull = (cause: unknown): AppError =>
  new AppError(
    'storage_full',
    'The service is out of storage; its operator must free some. Retry later.',
    { cause, headers: { 'Retry-After': '30' } },
  );

/** The document store answers, and does not have a document that the log names. */
export class DocumentLost extends Error {
  override readonly name: string = 'DocumentLost';

  constructor(key: string) {
    super(`the document ${key} is not in the document store`);
  }
}

/** The document store is away; the log may answer. */
export class DocumentStoreAway extends AppError {}

/** The error that callers get when the document store fails. */
export const documentStoreRefusal = (cause: unknown): AppError =>
  isStorageFull(cause)
    ? storageFull(cause)
    : new DocumentStoreAway(
        'store_unavailable',
        'The document store cannot be reached at the moment. Retry with the same Idempotency-Key if the request had one.',
        { cause, headers: { 'Retry-After': '1' } },
      );
