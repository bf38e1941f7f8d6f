import { isUtf8 } from 'node:buffer';
import type { TSchema } from 'typebox';
import { AppError, isAppError } from '../contract/errors.ts';
import { type JsonRules, parseJson } from './parse-json.ts';

/** A letter has some forty members. */
const partsMax = 100;
/** A part of this name is a JSON object with members of the body. */
const objectPart = 'letter';

export const isFormType = (type: string): boolean =>
  /^multipart\/form-data\s*;(?:.*;)?\s*boundary\s*=/i.test(type);

const invalid = (detail: string): AppError => new AppError('invalid_form', detail);

type Part = { name: string; value: string | File };

/** How many parts a form has, before any is read; a text in a part that looks like one counts, too. */
function assertFewParts(bytes: Buffer, type: string): void {
  const [, quoted, plain] = /boundary\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(type) ?? [];
  const delimiter = `--${quoted ?? plain ?? ''}`;
  let count = 0;
  for (let at = bytes.indexOf(delimiter); at >= 0; at = bytes.indexOf(delimiter, at + 2)) {
    count += 1;
    if (count > 2 * partsMax)
      throw invalid(`The form has too many parts; ${partsMax} are allowed.`);
  }
}

async function partsOf(bytes: Buffer, type: string): Promise<Part[]> {
  assertFewParts(bytes, type);
  const response = new Response(new Uint8Array(bytes), { headers: { 'Content-Type': type } });
  const form = await response.formData().catch(() => {
    throw invalid(
      'The body is not multipart/form-data as its Content-Type says. Check the boundary and the line ends.',
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

/** @throws AppError invalid_json, duplicate_name, validation_failed */
function parsed(name: string, text: string, rules: JsonRules): unknown {
  try {
    return parseJson(Buffer.from(text), rules);
  } catch (error) {
    if (!isAppError(error) || error.code !== 'invalid_json') throw error;
    throw new AppError('invalid_json', `The part ${shown(name)} is not valid JSON.`);
  }
}

type Member = { type?: string | undefined; contentEncoding?: string | undefined };
/** The members of a body, from its schema. */
export type FormMembers = Readonly<Record<string, Member>>;

type MemberSchema = Member & { anyOf?: readonly Member[] };

/** The type of a member. One that takes a text or a boolean, such as a date or false, is boolean: other texts stay. */
const typeOf = ({ type, anyOf = [] }: MemberSchema): string | undefined =>
  anyOf.some((one) => one.type === 'boolean') ? 'boolean' : type;

/** Plain data, which a thread can be given. */
export const formMembersOf = (schema: TSchema): FormMembers => {
  const members = (Reflect.get(schema, 'properties') ?? {}) as Record<string, MemberSchema>;
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [
      name,
      { type: typeOf(member), contentEncoding: member.contentEncoding },
    ]),
  );
};

/**
 * A text as the schema of its member demands it. A text that does not fit stays as it is, for the schema to
 * refuse.
 */
function converted(name: string, text: string, { type }: Member, rules: JsonRules): unknown {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  const isNumber = /^-?\d{1,15}(?:\.\d{1,10})?$/.test(text);
  if ((type === 'number' || type === 'integer') && isNumber) return Number(text);
  return type === 'object' ? parsed(name, text, rules) : text;
}

const isFile = (member: Member | undefined): boolean => member?.contentEncoding === 'base64';

/** A file under a name that the body does not have. Many programs send a file as `file`. */
const misplacedFile = (name: string, members: FormMembers): AppError => {
  const fields = Object.keys(members).filter((one) => isFile(members[one]));
  const wayOut = fields.length === 0 ? 'Remove it' : `Send it as ${fields.map(shown).join(' or ')}`;
  return invalid(`The form has a file in the part ${shown(name)}, which is not known. ${wayOut}.`);
};

async function memberOf(part: Part, members: FormMembers, rules: JsonRules): Promise<unknown> {
  const { name, value } = part;
  const known = Object.hasOwn(members, name) ? members[name] : undefined;
  if (known === undefined && typeof value !== 'string') throw misplacedFile(name, members);
  const member = known ?? {};
  if (isFile(member) && typeof value !== 'string') {
    const bytes = new Uint8Array(await value.arrayBuffer());
    return bytes.length > 0 ? bytes : '';
  }
  return converted(name, await textOf(part), member, rules);
}

/**
 * The body that a form stands for: the same as in JSON. A file of a member that is base64 there is its
 * bytes; the part `letter` is a JSON object with further members.
 * @throws AppError invalid_form, invalid_json, invalid_encoding
 */
export async function formBody(
  bytes: Buffer,
  { contentType, members }: { contentType: string; members: FormMembers },
  rules: JsonRules,
): Promise<unknown> {
  const body = new Map<string, unknown>();
  const add = (name: string, value: unknown): void => {
    if (body.has(name)) throw invalid(`The form contains ${shown(name)} twice. Send it once.`);
    body.set(name, value);
  };
  for (const part of await partsOf(bytes, contentType)) {
    if (part.name !== objectPart) {
      add(part.name, await memberOf(part, members, rules));
      continue;
    }
    const object = parsed(part.name, await textOf(part), rules);
    if (typeof object !== 'object' || object === null || Array.isArray(object)) {
      throw invalid('The part "letter" must be a JSON object with members of the body.');
    }
    for (const [name, value] of Object.entries(object)) add(name, value);
  }
  return Object.fromEntries(body);
}
