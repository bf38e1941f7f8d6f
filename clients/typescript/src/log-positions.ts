/**
 * The last log position that was written with a key, for all clients in this program: reads with the key ask to
 * see it, whichever process of the service answers them.
 */
import type { Settings } from './options.ts';

type Whose = Pick<Settings, 'baseUrl' | 'authorization'>;

const mostKeys = 100;
const positions = new Map<string, bigint>();

const nameOf = ({ baseUrl, authorization }: Whose): string => `${baseUrl} ${authorization}`;

/** The header of a request that reads; empty where nothing was written. */
export const minLogPosition = (whose: Whose): Record<string, string> => {
  const position = positions.get(nameOf(whose));
  return position === undefined || whose.authorization === undefined
    ? {}
    : { 'x-min-log-position': String(position) };
};

/** Remembers the position that an answer names. */
export const noteLogPosition = (whose: Whose, headers: Headers): void => {
  const text = headers.get('x-log-position') ?? '';
  if (!/^\d{1,19}$/.test(text)) return;
  const name = nameOf(whose);
  const known = positions.get(name) ?? 0n;
  const position = BigInt(text);
  positions.delete(name);
  positions.set(name, position > known ? position : known);
  const [oldest] = positions.keys();
  if (positions.size > mostKeys && oldest !== undefined) positions.delete(oldest);
};

/** The log was restored from a backup: do not wait for writes to the former one. */
export const forgetLogPosition = (whose: Whose): void => {
  positions.delete(nameOf(whose));
};
