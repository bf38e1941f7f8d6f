/** The request of an operation: its address with values, and its body. */
import { clientError } from './errors.ts';

export type Values = Readonly<Record<string, unknown>>;

const refused = (name: string, detail: string) =>
  clientError('invalid_arguments', `${name} ${detail}.`, 'Correct it; nothing was sent.', {
    errors: [{ pointer: `/${name}`, detail: `${name} ${detail}.` }],
  });

/** Half of a surrogate pair cannot be encoded in a URL. @throws ServiceError invalid_arguments */
const assertWhole = (name: string, value: string): void => {
  if (/\p{Surrogate}/u.test(value)) throw refused(name, 'has half of a surrogate pair');
};

/** `.` and `..` would lead to another operation. */
const segment = (name: string, value: string): string => {
  if (value === '' || value === '.' || value === '..') throw refused(name, 'is no id');
  assertWhole(name, value);
  return encodeURIComponent(value);
};

const isObject = (value: unknown): value is Values =>
  Object.prototype.toString.call(value) === '[object Object]';

/** Parameters of the style `deepObject`, such as `metadata[key]=value`, have a name for each member. */
const flat = ([name, value]: [string, unknown]): [string, unknown][] =>
  isObject(value)
    ? Object.entries(value).map(([member, one]) => [`${name}[${member}]`, one])
    : [[name, value]];

const queryOf = (query: Values): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query).flatMap(flat)) {
    assertWhole(name, name);
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined || one === null) continue;
      assertWhole(name, String(one));
      search.append(name, String(one));
    }
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
};

/** @throws ServiceError invalid_arguments */
export const pathWith = (template: string, params: Values = {}, query: Values = {}): string => {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    if (typeof value !== 'string' && typeof value !== 'number') throw refused(name, 'is missing');
    return segment(name, String(value));
  });
  return path + queryOf(query);
};

/** @throws ServiceError invalid_arguments for what JSON cannot say */
export const jsonOf = (body: unknown): string | undefined => {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    const detail = 'The body cannot be written as JSON.';
    throw clientError('invalid_arguments', detail, 'Give plain values; nothing was sent.', {
      cause,
    });
  }
};
