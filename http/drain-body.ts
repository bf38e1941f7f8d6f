import type { IncomingMessage } from 'node:http';

/**
 * Reads and drops the rest of a body that nobody needs, and then calls `then` once: at its end, after `most.bytes` or
 * after `most.ms`. A connection that closes while bytes arrive is reset, and the sender would lose the answer.
 */
export const drainBody = (
  req: IncomingMessage,
  most: { bytes: number; ms: number },
  then: () => void,
): void => {
  let bytes = 0;
  const stop = (): void => {
    clearTimeout(timer);
    req.off('data', count);
    for (const event of ends) req.off(event, stop);
    then();
  };
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > most.bytes) stop();
  };
  const ends = ['end', 'error', 'close'];
  const timer = setTimeout(stop, most.ms).unref();
  for (const event of ends) req.on(event, stop);
  req.on('data', count);
  req.resume();
};
