/** A protocol of its own at one path, in which callers use the operations. */
import type { Called, CallInput } from './call.ts';
import type { AppError } from './errors.ts';
import type { AnyOperation } from './operation.ts';

export type { Called, CallInput } from './call.ts';

type HeadersIn = Readonly<Record<string, string | string[] | undefined>>;

/** A message whose sender is known and charged, and whose body was read. */
export type ProtocolRequest = {
  path: string;
  query: URLSearchParams;
  headers: HeadersIn;
  body: unknown;
};

export type ProtocolAnswer = {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
};

/**
 * Calls an operation for the sender of the message. Every rule of the operation applies as over REST. It never
 * throws for refusals of the operation.
 */
export type CallOperation = (operation: AnyOperation, input: CallInput) => Promise<Called>;

export type Protocol = {
  path: string;
  /** Its POST, as an operation of the OpenAPI document. */
  document: Readonly<Record<string, unknown>>;
  /** The operations that a message may call. A message may hold as many values as the largest body of one needs. */
  calls: readonly AnyOperation[];
  /** Headers that browsers may send in addition to those of REST. */
  allowedHeaders: readonly string[];
  /** The answer to requests that are refused by their head alone. POST is the only accepted method. */
  turnAway(request: { method: string; headers: HeadersIn }): ProtocolAnswer | undefined;
  serve(
    request: ProtocolRequest,
    call: CallOperation,
    about: { requestId: string },
  ): Promise<ProtocolAnswer>;
  /** The form of a refusal before there is a call: for a bad credential, a rate limit, an unreadable body. */
  refuse(error: AppError, about: { requestId: string }): ProtocolAnswer;
};
