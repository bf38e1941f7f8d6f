/** Errors as the server words them, with its trailers. */
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';

export type ServerError = Pick<ServiceError, 'code' | 'details' | 'metadata'>;

/** The newest server compresses the errors of its calls, and says more in some of them. */
export const compressed = ({ code, details, metadata }: ServerError): ServerError => {
  const trailers = metadata.clone();
  trailers.set('grpc-encoding', 'gzip');
  return { code, details, metadata: trailers };
};

const failure = (code: status, details: string, trailers: Record<string, string> = {}) => {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return { code, details, metadata };
};

export const notReady = () => failure(status.UNAVAILABLE, 'Server Is Not Ready');
export const tooBusy = () => failure(status.UNAVAILABLE, 'Server Is Too Busy');
export const deadlineExceeded = () => failure(status.DEADLINE_EXCEEDED, 'Deadline Exceeded');
export const commitTimeout = () =>
  failure(status.ABORTED, 'Operation timed out: Commit phase timeout.');
export const thrown = () => failure(status.UNKNOWN, 'Exception was thrown by handler.');
export const unexpected = (result: string, why?: string) =>
  failure(status.UNKNOWN, `Unexpected ${result}${why === undefined ? '' : ` >> ${why}`}`);
export const invalidPosition = () =>
  failure(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.');
export const invalidRequest = () => failure(status.INVALID_ARGUMENT, 'The request has no options.');
export const unauthenticated = () => failure(status.UNAUTHENTICATED, 'Unauthenticated');

export const accessDenied = () =>
  failure(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });

export const notLeader = ({ host, port }: { host: string; port: number }) =>
  failure(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': `${port}`,
  });

export const tooLarge = (most: number) =>
  failure(status.INVALID_ARGUMENT, `Maximum Append Size of ${most} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': `${most}`,
  });

export const missingProperty = (name: string) =>
  failure(status.INVALID_ARGUMENT, `Required Metadata Property '${name}' is missing`, {
    exception: 'missing-required-metadata-property',
    'required-metadata-properties': 'type,content-type',
  });

export const streamDeleted = (stream: string) =>
  failure(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });
