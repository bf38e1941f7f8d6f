import { AppError, isAppError } from '../contract/errors.ts';
import { keyReused } from '../contract/refusals.ts';
import {
  isStorageFull,
  OutdatedProgram,
  outdatedRefusal,
  storageFull,
} from '../contract/store-refusals.ts';
import {
  DuplicateEventId,
  EventTooLarge,
  StoreUnavailable,
  WrongExpectedVersion,
} from '../events/event-store.ts';
import { limitError } from '../limits/limit-error.ts';

const retrySoon = { 'Retry-After': '1' };

/** Node's and PostgreSQL's codes for a connection that failed, broke, was refused or leads to a standby. */
const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
  '25006', // read_only_sql_transaction
  '28000', // invalid_authorization_specification: the user may no longer log in
  '28P01', // invalid_password: it was changed
  '3D000', // invalid_catalog_name: the database was renamed or dropped
  '53000', // insufficient_resources
  '53200', // out_of_memory
  '53300', // too_many_connections
  '53400', // configuration_limit_exceeded
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
]);
/** A certificate that expired, or that is not trusted any more. */
const certificateCode = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;
/** `pg` and its pool throw these without a code, and PostgreSQL the last one with a code of many meanings. */
const connectionMessage =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Cannot use a pool after calling end|database .* is not currently accepting connections)/;

const codeOf = (error: Error): string =>
  'code' in error && typeof error.code === 'string' ? error.code : '';

const isConnectionError = (error: Error): boolean => {
  const code = codeOf(error);
  if (code === 'ENOENT') return 'syscall' in error && error.syscall === 'connect';
  return (
    connectionCodes.has(code) ||
    code.startsWith('08') ||
    certificateCode.test(code) ||
    connectionMessage.test(error.message)
  );
};

/** The error as callers see it, or undefined when it is an unforeseen fault of ours. */
export const translateError = (error: unknown): AppError | undefined => {
  if (isAppError(error)) return error;
  if (!(error instanceof Error)) return undefined;
  if (error instanceof WrongExpectedVersion) {
    return new AppError(
      'conflict',
      'Another request changed the resource at the same time. Read it again and retry.',
      { cause: error },
    );
  }
  if (error instanceof DuplicateEventId) {
    // Event ids follow from the Idempotency-Key: its first request changed something else.
    return keyReused(error);
  }
  if (error instanceof EventTooLarge) {
    return limitError(
      'eventBytes',
      'The record of this request is too large to store. Shorten its longest fields.',
      { cause: error },
    );
  }
  if (error instanceof OutdatedProgram) return outdatedRefusal(error);
  if (isStorageFull(error)) return storageFull(error);
  if (error instanceof StoreUnavailable || isConnectionError(error)) {
    return new AppError(
      'store_unavailable',
      'The event store cannot be reached at the moment. Retry with the same Idempotency-Key.',
      { cause: error, headers: retrySoon },
    );
  }
  return undefined;
};

/** The client left while its body was on its way. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/**
 * A client that hung up: nobody is there to be answered, and nothing of ours is broken. A broken
 * connection counts as the client's only if the client's connection (`writable`) is gone too.
 */
export const isClientGone = (error: unknown, writable: boolean): boolean => {
  if (!(error instanceof Error)) return false;
  if (error instanceof ClientGone) return true;
  const code = codeOf(error);
  if (code === 'ECONNABORTED' || code === 'ERR_STREAM_PREMATURE_CLOSE') return true;
  return !writable && (code === 'ECONNRESET' || error.name === 'AbortError');
};

const plainMessages = new Set([
  ...['TypeError', 'ReferenceError', 'RangeError', 'AppError'],
  ...['StoreUnavailable', 'DocumentLost'],
]);

/**
 * The loggable parts of an unforeseen error: its name, code and stack frames. Its message is included only
 * where the runtime or we made it, because drivers put values (and so personal data) into theirs.
 */
export const loggableError = (error: unknown): Record<string, unknown> => {
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    error: error.name,
    error_code: codeOf(error) || undefined,
    error_message: plainMessages.has(error.name) ? error.message : undefined,
    stack: frames.join('\n'),
  };
};
