import type { IncomingMessage } from 'node:http';
import { type AppError, isAppError } from '../contract/errors.ts';
import { limitError } from '../limits/limit-error.ts';
import { ClientGone } from './error-translation.ts';
import type { Receiving } from './receive-body.ts';

export const bodyTooLarge = (maxBytes: number): AppError =>
  limitError('bodyBytes', `The body may have at most ${maxBytes} bytes.`, {
    extra: { max_bytes: maxBytes },
  });

export const isTooLarge = (error: unknown): boolean =>
  isAppError(error) && error.code === 'body_too_large';

/**
 * The bytes of a body as they arrived. Bytes that come after a refusal are read and dropped, so that the answer gets
 * through. @throws AppError body_too_large; ClientGone
 */
export const wholeBody = async (
  req: IncomingMessage,
  { chunks, end }: Receiving,
  maxBytes: number,
): Promise<Buffer[]> => {
  const arrival = Promise.withResolvers<void>();
  let bytes = 0;
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > maxBytes) arrival.reject(bodyTooLarge(maxBytes));
  };
  req.on('data', count);
  try {
    // It left before anybody listened: no event tells of it.
    if (req.destroyed) throw new ClientGone('before its body was read');
    req.once('end', arrival.resolve).on('error', arrival.reject);
    await arrival.promise;
  } catch (error) {
    req.resume();
    throw isAppError(error) ? error : new ClientGone('while its body came', { cause: error });
  } finally {
    req.off('data', count);
    end();
  }
  return chunks;
};
