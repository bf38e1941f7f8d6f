import { isUtf8 } from 'node:buffer';
import type { TSchema } from 'typebox';
import { AppError } from '../contract/errors.ts';
import { refuseDuplicateNames } from './refuse-duplicate-names.ts';

/** A letter has some forty members. */
const partsMax = 100;
/** A part of this name is a JSON object with members of the body. */
const objectPart = 'letter';

export const isFormType = (type: string): boolean =>
  /^multipart\/form-data\s*;(?:.*;)?\s*boundary\s*=/i.test(type);

const invalid = (detail: string): AppError => new AppError('invalid_form', detail);

type Part = { name: string; value: string | File };

async function partsOf(bytes: Buffer, type: string): Promise<Part[]> {
  const response = new Response(new Uint8Array(bytes), { headers: { 'Content-Type': type } });
  const form = await response.formData().catch(() => {
    throw invalid(
      'The body is not multipart/form-data as its Content-Type says; check boundary and line ends.',
    );
  });
  const parts = [...form].map(([name, value]): Part => ({ name, value }));
  if (parts.length <= partsMax) return parts;
  throw invalid(`The form has ${parts.length} parts; ${partsMax} are allowed.`);
}

async function textOf({ name, value }: Part): Promise<string> {
  if (typeof value === 'string') return value;
  const bytes = Buffer.from(await value.arrayBuffer());
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new AppError(
    'invalid_encoding',
    `The part ${JSON.stringify(name.slice(0, 60))} is not valid UTF-8.`,
  );
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 60));

function parsed(name: string, text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AppError('invalid_json', `The part ${shown(name)} is not valid JSON.`);
  }
  refuseDuplicateNames(text);
  return value;
}

type Member = { type?: string; contentEncoding?: string };

/** A text as the schema of its member wants it; what does not fit stays a text, for the schema to refuse. */
function converted(name: string, text: string, { type }: Member): unknown {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  const isNumber = /^-?\d{1,15}(?:\.\d{1,10})?$/.test(text);
  if ((type === 'number' || type === 'integer') && isNumber) return Number(text);
  return type === 'object' ? parsed(name, text) : text;
}

async function memberOf(part: Part, member: Member): Promise<unknown> {
  const { name, value } = part;
  if (member.contentEncoding === 'base64' && typeof value !== 'string') {
    return Buffer.from(await value.arrayBuffer()).toString('base64');
  }
  return converted(name, await textOf(part), member);
}

/**
 * The body that a form stands for: the same as in JSON. A file of a member that is base64 there is the bytes
 * themselves; the part `letter` is a JSON object with further members.
 * @throws AppError invalid_form, invalid_json, invalid_encoding
 */
export async function formBody(bytes: Buffer, type: string, schema: TSchema): Promise<unknown> {
  const members = (Reflect.get(schema, 'properties') ?? {}) as Record<string, Member>;
  const body = new Map<string, unknown>();
  const add = (name: string, value: unknown): void => {
    if (body.has(name)) throw invalid(`The form has ${shown(name)} twice; send it once.`);
    body.set(name, value);
  };
  for (const part of await partsOf(bytes, type)) {
    if (part.name !== objectPart) {
      const member = Object.hasOwn(members, part.name) ? members[part.name] : undefined;
      add(part.name, await memberOf(part, member ?? {}));
      continue;
    }
    const object = parsed(part.name, await textOf(part));
    if (typeof object !== 'object' || object === null || Array.isArray(object)) {
      throw invalid('The part "letter" must be a JSON object with members of the body.');
    }
    for (const [name, value] of Object.entries(object)) add(name, value);
  }
  return Object.fromEntries(body);
}
