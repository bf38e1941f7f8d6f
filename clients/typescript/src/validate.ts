/** Arguments against the parameters of a tool: models make them up, and not every framework looks. */
import type { Finding } from './errors.ts';

export type Schema = {
  type?: string | readonly string[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  pattern?: string;
  [member: string]: unknown;
};

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

const isOf = (type: string, value: unknown): boolean =>
  type === 'integer' ? Number.isInteger(value) : type === typeOf(value) && !Number.isNaN(value);

const escaped = (name: string): string =>
  name.replaceAll('~', '~0').replaceAll('/', '~1').slice(0, 100);

const faultOf = (schema: Schema, value: unknown): string | undefined => {
  const { type, minimum, maximum, maxLength, maxItems, pattern } = schema;
  const types = typeof type === 'string' ? [type] : (type ?? []);
  if (types.length > 0 && !types.some((one) => isOf(one, value))) {
    return `must be of type ${types.join(' or ')}, not ${typeOf(value)}`;
  }
  if (schema.enum && !schema.enum.includes(value)) {
    return `must be one of ${schema.enum.map(String).join(', ')}`;
  }
  if (typeof value === 'number') {
    if (minimum !== undefined && value < minimum) return `must be ${minimum} or more`;
    if (maximum !== undefined && value > maximum) return `must be ${maximum} or less`;
  }
  if (typeof value === 'string') {
    if (maxLength !== undefined && value.length > maxLength && [...value].length > maxLength) {
      return `must have at most ${maxLength} characters`;
    }
    if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) {
      return `must match ${pattern}`;
    }
  }
  if (Array.isArray(value) && maxItems !== undefined && value.length > maxItems) {
    return `must have at most ${maxItems} items`;
  }
  return undefined;
};

const membersOf = (schema: Schema, value: unknown): [string, Schema | undefined, unknown][] => {
  if (Array.isArray(value)) return value.map((item, at) => [String(at), schema.items ?? {}, item]);
  if (typeof value !== 'object' || value === null) return [];
  const { properties = {}, additionalProperties: others = true } = schema;
  return Object.entries(value).map(([name, member]) => {
    if (Object.hasOwn(properties, name)) return [name, properties[name], member];
    return [name, typeof others === 'object' ? others : others ? {} : undefined, member];
  });
};

/** The misfits of a value, each with its JSON pointer. The service itself checks formats and conditions. */
export const findingsIn = (schema: Schema, value: unknown, at = ''): Finding[] => {
  const name = at === '' ? 'The arguments' : at.slice(1);
  const fault = faultOf(schema, value);
  if (fault !== undefined) return [{ pointer: at, code: 'invalid', detail: `${name} ${fault}.` }];
  const given = (typeof value === 'object' && value !== null ? value : {}) as object;
  const missing = (schema.required ?? []).filter((field) => !Object.hasOwn(given, field));
  return [
    ...missing.map((field) => ({
      pointer: `${at}/${escaped(field)}`,
      code: 'required',
      detail: `${field} is missing.`,
    })),
    ...membersOf(schema, value).flatMap(([field, member, one]) => {
      const pointer = `${at}/${escaped(field)}`;
      if (member !== undefined) return findingsIn(member, one, pointer);
      const known = Object.keys(schema.properties ?? {}).join(', ') || 'no arguments';
      const detail = `${escaped(field)} is not known; there are: ${known}.`;
      return [{ pointer, code: 'unknown_field', detail }];
    }),
  ];
};
