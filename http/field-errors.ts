import { domainToASCII } from 'node:url';
import type { ErrorObject } from 'ajv';
import { type Facts, type FieldError, facts } from '../contract/errors.ts';
import { numberOf } from '../ground/plural.ts';
import { nearestName } from './nearest-name.ts';

const maxFieldErrors = 20;
const maxEchoChars = 80;
/** Of an address that a hint writes differently. */
const maxAsciiChars = 254;

type Finding = { code: string; detail: string; hint?: string; [facts]?: Facts };
/** `prefix` goes before every pointer; `top` names the whole in a sentence. */
type Where = { prefix: string; top: string };
type Explain = (name: string, error: ErrorObject) => Finding;

const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
const unescapePointer = (token: string): string =>
  token.replaceAll('~1', '/').replaceAll('~0', '~');

/** The value as the answer may repeat it to the caller; nothing where it is long or not a scalar. */
const echo = (data: unknown): string => {
  if (data === undefined || (typeof data === 'object' && data !== null)) return '';
  if (typeof data === 'string' && data.length > maxEchoChars) return '';
  // JSON has no Infinity, which a number such as 1e400 is read as.
  const text = typeof data === 'number' ? String(data) : JSON.stringify(data);
  return text.length > maxEchoChars ? '' : ` (it is ${text})`;
};

const listed = (values: unknown): string =>
  (Array.isArray(values) ? values : [values]).map((value) => JSON.stringify(value)).join(', ');

const typeNames = (type: unknown): string =>
  orList([type].flat().map((name) => String(name).replace('null', 'null (to remove it)')));

/** `a`, `a or b`, `a, b or c`. */
const orList = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

const kinds: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'a boolean',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/** The kind of the value that the caller sent, in words. */
const kindOfValue = (data: unknown): string => {
  if (data === null) return 'null';
  if (Array.isArray(data)) return 'a list';
  return kinds[typeof data] ?? 'a value';
};

type Mistyped = { type: unknown; data: unknown; isTop: boolean };
const typeDetail = (name: string, { type, data, isTop }: Mistyped): string => {
  if (isTop && type === 'object') {
    return `${name} must be a JSON object such as {"name": "value"}, not ${kindOfValue(data)}${data === null ? '' : echo(data)}.`;
  }
  return Array.isArray(data)
    ? `${name} must be a single value of type ${typeNames(type)}, not a list of ${data.length}.`
    : `${name} must be of type ${typeNames(type)}${echo(data)}.`;
};

const formats: Record<string, string> = {
  date: 'a date such as 2026-11-20',
  'date-time': 'a time such as 2026-11-20T09:30:00Z',
  email: 'an e-mail address such as anna@example.com',
  uri: 'an absolute address such as https://example.com/a.pdf',
  uuid: 'a UUID such as 6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e',
};
/** Names a format, with the example of the schema if it has one. */
const formatDetail = (format: string, schema: ErrorObject['parentSchema']): string | undefined => {
  const [example] = schema?.examples ?? [];
  const detail = formats[format];
  return example === undefined ? detail : detail?.replace(/(?<= such as ).*/, example);
};

const bounds: Record<string, string> = {
  '>=': 'at_least',
  '<=': 'at_most',
  '>': 'more_than',
  '<': 'less_than',
};
const bound: Explain = (name, { params, data }) => ({
  code: 'out_of_range',
  detail: `${name} must be ${params.comparison} ${params.limit}${echo(data)}.`,
  [facts]: { [bounds[params.comparison] ?? '']: params.limit },
});
const size =
  (code: string, relation: string, noun: string): Explain =>
  (name, { params }) => ({
    code,
    detail: `${name} must have at ${relation} ${numberOf(params.limit, noun)}.`,
    [facts]: { kind: noun, limit: params.limit },
  });
/** Without its key, a repeated request would act twice. */
const idempotencyKey = /^idempotency[-_]?key$/i;

/** Where a field belongs that a caller must not simply remove. */
const elsewhere = (written: string, schema: ErrorObject['parentSchema']): string | undefined => {
  if (idempotencyKey.test(written)) return 'Send it as the header Idempotency-Key.';
  const known: { fields: string[] | 'all'; place: string } | undefined = schema?.['x-elsewhere'];
  return known?.fields === 'all' || known?.fields.includes(written) ? known.place : undefined;
};

const unknownField: Explain = (name, { params, parentSchema }) => {
  const written = String(params.additionalProperty ?? params.unevaluatedProperty ?? '');
  const place = elsewhere(written, parentSchema);
  if (place !== undefined) {
    return { code: 'unknown_field', detail: `${name} is not a known field here. ${place}` };
  }
  const nearest = nearestName(written, Object.keys(parentSchema?.properties ?? {}));
  const detail = `${name} is not a known field. Remove it.`;
  if (nearest === undefined) return { code: 'unknown_field', detail };
  return { code: 'unknown_field', detail, hint: `Did you mean \`${nearest}\`?` };
};
const required: Explain = (name) => ({ code: 'required', detail: `${name} is missing. Add it.` });

/** Explains each JSON Schema keyword to the sender of the request. */
const explanations: Record<string, Explain> = {
  required,
  dependentRequired: required,
  additionalProperties: unknownField,
  unevaluatedProperties: unknownField,
  type: (name, { params, data, instancePath }) => ({
    code: 'type',
    detail: typeDetail(name, { type: params.type, data, isTop: instancePath === '' }),
    [facts]: { kind: String(params.type) },
  }),
  maxLength: size('too_long', 'most', 'character'),
  minLength: size('too_short', 'least', 'character'),
  maxItems: size('too_long', 'most', 'item'),
  minItems: size('too_short', 'least', 'item'),
  maxProperties: size('too_long', 'most', 'field'),
  minProperties: (name, error) => {
    const names = Object.keys(error.parentSchema?.properties ?? {});
    return error.params.limit === 1 && names.length > 0
      ? {
          code: 'too_short',
          detail: `Send at least one of ${names.join(', ')}.`,
        }
      : size('too_short', 'least', 'field')(name, error);
  },
  format: (name, { params, data, parentSchema }) => ({
    code: 'format',
    detail: `${name} must be ${formatDetail(params.format, parentSchema) ?? params.format}${echo(data)}.`,
    ...formatHint(data, params.format),
    [facts]: { kind: params.format },
  }),
  pattern: (name, { params, data, parentSchema }) => ({
    code: 'pattern',
    detail: parentSchema?.description
      ? `${name} has the wrong format${echo(data)}: ${parentSchema.description}`
      : `${name} has the wrong format${echo(data)}.`,
    ...schemeHint(data, params.pattern),
  }),
  enum: (name, { params, data }) => ({
    code: 'enum',
    detail: `${name} must be one of ${listed(params.allowedValues)}${echo(data)}.`,
    ...enumHint(data, params.allowedValues),
  }),
  const: (name, { params, data }) => ({
    code: 'enum',
    detail: `${name} must be ${listed(params.allowedValue)}${echo(data)}.`,
  }),
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: (name, { params, data }) => ({
    code: 'out_of_range',
    detail: `${name} must be a multiple of ${params.multipleOf}${echo(data)}.`,
    [facts]: { multiple_of: params.multipleOf },
  }),
  uniqueItems: (name) => ({ code: 'not_unique', detail: `${name} must not repeat an item.` }),
  'x-text': (name, { params }) => ({
    code: 'character_not_allowed',
    detail: `${name} contains ${params.character} at index ${params.index}, which cannot be printed. Remove it.`,
    [facts]: { character: params.character },
  }),
  anyOf: (name, error) => oneOf(name, error),
  oneOf: (name, error) => oneOf(name, error),
  not: (name) => ({ code: 'not_allowed', detail: `${name} has a form that is not allowed here.` }),
  'false schema': (name) => ({ code: 'not_allowed', detail: `${name} is not allowed here.` }),
};

const isAscii = (text: string): boolean => /^[!-~]+$/.test(text);

/** An address of the web or of e-mail in ASCII, as programs write names with umlauts; undefined if it has no such form. */
const inAscii = (text: string, format: unknown): string | undefined => {
  if (isAscii(text) || text.length > maxAsciiChars) return undefined;
  if (format === 'uri') return URL.parse(text)?.href;
  if (format !== 'email') return undefined;
  const at = text.lastIndexOf('@');
  const host = domainToASCII(text.slice(at + 1));
  return at < 1 || host === '' ? undefined : `${text.slice(0, at)}@${host}`;
};

const formatHint = (data: unknown, format: unknown): { hint?: string } => {
  const text = String(data);
  // In a query, a plus that is not encoded stands for a blank.
  if (format === 'date-time' && /^\S+ \d\d:\d\d$/.test(text)) {
    return { hint: 'Write the plus of a time zone in a query as %2B.' };
  }
  const ascii = inAscii(text, format);
  return ascii !== undefined && isAscii(ascii) ? { hint: `Write it as ${ascii}.` } : {};
};

/** Browsers take a scheme in capitals, and so do people. */
const schemeHint = (data: unknown, pattern: unknown): { hint?: string } => {
  const text = String(data);
  const lower = text.replace(/^https?:/i, (scheme) => scheme.toLowerCase());
  if (lower === text || text.length > maxAsciiChars) return {};
  return new RegExp(String(pattern), 'u').test(lower) ? { hint: `Write it as ${lower}.` } : {};
};

const enumHint = (data: unknown, allowed: unknown): { hint?: string } => {
  if (typeof data !== 'string' || !Array.isArray(allowed)) return {};
  const nearest = nearestName(
    data,
    allowed.filter((value) => typeof value === 'string'),
  );
  return nearest === undefined ? {} : { hint: `Did you mean "${nearest}"?` };
};

type Branch = {
  required?: string[];
  type?: string;
  const?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  description?: string;
  examples?: string[];
};

const fewWords = 60;

/** A short description of a schema as a part of a sentence. */
const inSentence = (description = ''): string | undefined =>
  description === '' || description.length > fewWords
    ? undefined
    : `${description.charAt(0).toLowerCase()}${description.slice(1).replace(/\.$/, '')}`;

/** Names the values that an alternative takes; undefined where that needs more than a few words. */
const kindsOf = ({ type = '', format, pattern, ...branch }: Branch): string[] | undefined => {
  if ('const' in branch) return [JSON.stringify(branch.const)];
  if (branch.enum !== undefined) return [`one of ${listed(branch.enum)}`];
  if (type === 'boolean') return ['true', 'false'];
  const otherwise = pattern === undefined ? kinds[type] : inSentence(branch.description);
  const kind = format === undefined ? otherwise : formatDetail(format, branch);
  return kind === undefined ? undefined : [kind];
};

/** Names the alternatives by what a value of each is. */
const noneOf = (
  name: string,
  branches: readonly Branch[],
  { data, parentSchema }: ErrorObject,
): Finding => {
  const found = branches.map(kindsOf);
  if (found.length > 0 && !found.includes(undefined)) {
    const words = orList(found.flatMap((several) => several ?? []));
    return { code: 'one_of', detail: `${name} must be ${words}${echo(data)}.` };
  }
  const about = parentSchema?.description;
  const detail = `${name} has none of the allowed forms`;
  return { code: 'one_of', detail: about ? `${detail}: ${about}` : `${detail}.` };
};

/** Names the alternatives, by their required fields if these tell them apart. */
const oneOf: Explain = (name, error) => {
  const { schema, params } = error;
  const branches: Branch[] = Array.isArray(schema) ? schema : [];
  const names = branches.map((branch) => branch?.required?.join(' and ') ?? '');
  if (names.length === 0 || names.includes('')) return noneOf(name, branches, error);
  const several = Array.isArray(params.passingSchemas);
  const detail = `Send exactly one of ${names.join(', ')}`;
  return {
    code: 'one_of',
    detail: several ? `${detail}. Remove the others.` : `${detail}.`,
  };
};

/** Where a missing or unknown member is, rather than the object that it should or should not be in. */
const pointerOf = ({ instancePath, params }: ErrorObject): string => {
  const member =
    params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty ?? undefined;
  return member === undefined ? instancePath : `${instancePath}/${escapePointer(String(member))}`;
};

/** `to_name`, `metadata.color`, `status` for `status=a&status=b` of a query, or `The body` for the top. */
const nameOf = (pointer: string, { top, prefix }: Where): string => {
  if (pointer === '') return top;
  const tokens = pointer.slice(1).split('/').map(unescapePointer);
  const name = (prefix === '/query' ? tokens.slice(0, 1) : tokens).join('.');
  return name.length > maxEchoChars ? `${name.slice(0, maxEchoChars)}…` : name;
};

/** A branch of an alternative was meant when nothing is wrong with the type of its value. */
const isMisfit = (error: ErrorObject, at: string): boolean =>
  error.instancePath === at && ['type', 'const', 'enum', 'required'].includes(error.keyword);

/**
 * Replaces the findings inside the branches of `anyOf`/`oneOf`: by those of the intended branch, if exactly
 * one fits by type, otherwise by a single finding on the alternative itself.
 */
const withoutBranchNoise = (errors: readonly ErrorObject[]): ErrorObject[] => {
  const alternative = errors.find(
    (error) =>
      (error.keyword === 'anyOf' || error.keyword === 'oneOf') &&
      errors.some((inner) => inner.schemaPath.startsWith(`${error.schemaPath}/`)),
  );
  if (alternative === undefined) return [...errors];
  const prefix = `${alternative.schemaPath}/`;
  const byBranch = Map.groupBy(
    errors.filter((error) => error.schemaPath.startsWith(prefix)),
    (error) => error.schemaPath.slice(prefix.length).split('/')[0] ?? '',
  );
  const at = alternative.instancePath;
  const meant = [...byBranch.values()].filter(
    (branch) => !branch.some((error) => isMisfit(error, at)),
  );
  const [only] = meant;
  const kept = meant.length === 1 && only !== undefined ? only : [alternative];
  const others = errors.filter(
    (error) => error !== alternative && !error.schemaPath.startsWith(prefix),
  );
  // the kept alternative must not be found again
  const rest = withoutBranchNoise(others);
  return kept.includes(alternative)
    ? [...rest, alternative]
    : [...rest, ...withoutBranchNoise(kept)];
};

/** Of a value of the wrong type nothing else needs to be said. */
const withoutFollowUps = (errors: readonly ErrorObject[]): ErrorObject[] => {
  const mistyped = new Set(
    errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath),
  );
  return errors.filter(
    ({ keyword, instancePath }) => keyword === 'type' || !mistyped.has(instancePath),
  );
};

/** The hint that a schema adds to each finding about it. */
const hintOf = ({ parentSchema }: ErrorObject): { hint?: string } => {
  const hint: unknown = parentSchema?.['x-hint'];
  return typeof hint === 'string' ? { hint } : {};
};

/** Explains a finding about a value, or about the name of a field in an object such as `metadata`. */
const explained = (explain: Explain, error: ErrorObject, name: string): Finding => {
  if (error.propertyName === undefined) return explain(name, error);
  const { propertyName } = error;
  const shown =
    propertyName.length > maxEchoChars ? `${propertyName.slice(0, maxEchoChars)}…` : propertyName;
  return explain(`The name ${JSON.stringify(shown)} in ${name}`, { ...error, data: undefined });
};

/** At most this many raw findings are looked at; validation may make many more of them. */
const maxRawErrors = 200;

/**
 * ajv's findings (made with `verbose`) as sentences for the caller, one per place and code.
 */
export const fieldErrors = (errors: readonly ErrorObject[], where: Where): FieldError[] => {
  const { prefix, top } = where;
  const found = new Map<string, FieldError>();
  for (const error of withoutFollowUps(withoutBranchNoise(errors.slice(0, maxRawErrors)))) {
    const explain = explanations[error.keyword];
    if (explain === undefined) continue; // "if", "propertyNames" and friends: said by the findings inside
    const pointer = pointerOf(error);
    const finding = { ...hintOf(error), ...explained(explain, error, nameOf(pointer, where)) };
    const key = `${pointer} ${finding.code}`;
    if (!found.has(key)) found.set(key, { pointer: prefix + pointer, ...finding });
    if (found.size === maxFieldErrors) break;
  }
  if (found.size > 0) return [...found.values()];
  return [{ pointer: prefix, code: 'one_of', detail: `${top} does not have an allowed form.` }];
};
