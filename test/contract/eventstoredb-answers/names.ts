/**
 * Names the values that differ from run to run and changes nothing else: an id by its event; a position by
 * the event at it, or `other` if the series looked for no event there; numbers of three and more digits in a
 * message by `N`. Trailers lose their date, server, content type and length.
 */
import { createHash } from 'node:crypto';
import { type ServiceError, status } from '@grpc/grpc-js';

export type Probe = {
  id: string;
  type: string | undefined;
  contentType: string | undefined;
  data: Buffer;
  metadata: Buffer;
};

export const idOf = (name: string): string => {
  const hex = createHash('sha256').update(name).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`];
  return [...parts, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
};

export const withoutNumbers = (text: string): string => text.replace(/\d{3,}/g, 'N');

const passing = new Set(['date', 'server', 'content-type', 'content-length']);

export const failureOf = (error: ServiceError) => {
  const trailers = Object.entries(error.metadata?.getMap() ?? {})
    .filter(([name]) => !passing.has(name))
    .map(([name, value]) => [name, `${value}`]);
  return {
    error: status[error.code],
    details: withoutNumbers(error.details),
    trailers: Object.fromEntries(trailers),
  };
};

export const createNames = () => {
  const names = new Map<string, string>();
  /** Positions of events that were looked for, by name. */
  const positions = new Map<string, string>();
  return {
    event(name: string, data: object = {}): Probe {
      names.set(idOf(name), name);
      return {
        id: idOf(name),
        type: 'Probe',
        contentType: 'application/json',
        data: Buffer.from(JSON.stringify({ name, ...data })),
        metadata: Buffer.from('{}'),
      };
    },
    nameOf: (id: string): string => names.get(id) ?? 'other',
    learn(id: string, position: string): void {
      const name = names.get(id);
      if (name !== undefined && !positions.has(name)) positions.set(name, position);
    },
    at(name: string): bigint {
      const position = positions.get(name);
      if (position === undefined) throw new Error(`${name} was not looked for`);
      return BigInt(position);
    },
    positionOf(value: string): string {
      for (const [name, position] of positions) if (position === value) return `at ${name}`;
      if (value === '18446744073709551615') return 'none (-1)';
      return value === '0' ? '0' : 'other';
    },
  };
};

export type Names = ReturnType<typeof createNames>;
