/** Schemas of operations as agents are shown them: flat, short, and without what only validators need. */

export type Schema = Record<string, unknown>;

const kept = new Set([
  ...['type', 'enum', 'minimum', 'maximum', 'maxLength', 'pattern', 'format', 'maxItems'],
]);

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The first sentence says what a field is; the reference has the rest. */
const shortText = (text: unknown): string | undefined => {
  if (typeof text !== 'string') return undefined;
  const end = /[.;:](?=\s|$)/.exec(text)?.index ?? text.length;
  return text.slice(0, Math.min(end, 120));
};

const typeOf = (schema: Schema): unknown => {
  if (schema.type !== undefined) return schema.type;
  const members = [schema.anyOf, schema.oneOf].find(Array.isArray) ?? [];
  const types = [...new Set(members.filter(isSchema).flatMap((member) => typeOf(member) ?? []))];
  if (types.length === 0 && 'const' in schema) return typeof schema.const;
  return types.length > 1 ? types : types[0];
};

/** One form or null is that form; of several forms only the types are shown. */
const unionOf = (members: readonly Schema[]): Schema => {
  const types = [...new Set(members.flatMap((member) => typeOf(member) ?? []))];
  const forms = members.filter(({ type }) => type !== 'null');
  const [form = {}] = forms;
  return { ...(forms.length === 1 ? form : {}), type: types.length === 1 ? types[0] : types };
};

const shown = (schema: Schema): Schema => {
  const { anyOf, items, additionalProperties, patternProperties } = schema;
  const base = Array.isArray(anyOf)
    ? { ...unionOf(anyOf.filter(isSchema)), ...schema }
    : { ...schema };
  const result = Object.fromEntries(Object.entries(base).filter(([name]) => kept.has(name)));
  if (String(result.pattern ?? '').length > 40) delete result.pattern;
  if (isSchema(items)) result.items = shown(items);
  const values = [additionalProperties, ...Object.values(patternProperties ?? {})].find(isSchema);
  if (values?.type === 'string') result.additionalProperties = { type: 'string' };
  return result;
};

/** A field of a tool's input. */
export const inputField = (
  schema: Schema,
  description = shortText(schema.description),
): Schema => ({
  ...shown(schema),
  ...(description === undefined ? {} : { description }),
});

export const allowsNull = ({ type }: Schema): boolean =>
  Array.isArray(type) && type.includes('null');

const longestPattern = 24;

/** Interfaces to models refuse the whole list for another format, as OpenAI's does for `uri`. */
const formats: ReadonlySet<unknown> = new Set(['date', 'date-time', 'uuid']);

/**
 * A field as models are shown it: without null as one of several types and without formats that some interfaces
 * refuse, and without lengths and long patterns, since models do not count and a refusal names them.
 */
export const listedField = (field: Schema): Schema => {
  const { maxLength: _, maxItems: __, pattern = '', format, ...rest } = field;
  const shown: Schema = { ...rest };
  if (formats.has(format)) shown.format = format;
  if (pattern !== '' && String(pattern).length <= longestPattern) shown.pattern = pattern;
  if (isSchema(field.items)) shown.items = listedField(field.items);
  if (!allowsNull(field)) return shown;
  const types = (field.type as string[]).filter((type) => type !== 'null');
  return { ...shown, type: types.length === 1 ? types[0] : types };
};

export const propertiesOf = (schema: unknown): Record<string, Schema> =>
  isSchema(schema) && isSchema(schema.properties)
    ? (schema.properties as Record<string, Schema>)
    : {};

/** The first fields of an answer say most; those that are not listed come as well. */
const listedFields = 3;

/**
 * The output schema of a tool: the top-level fields of its answers that always have one type, because some
 * frameworks allow only one. No field is required, because a request for payment by x402 takes the same
 * place, and some clients validate that as well.
 */
export const outputSchema = (answers: readonly unknown[]): Schema => {
  const types = new Map<string, unknown>();
  for (const [name, schema] of answers.flatMap((answer) => Object.entries(propertiesOf(answer)))) {
    const type = typeOf(schema);
    types.set(name, types.has(name) && types.get(name) !== type ? undefined : type);
  }
  const plain = [...types].filter(([, type]) => typeof type === 'string').slice(0, listedFields);
  return {
    type: 'object',
    properties: Object.fromEntries(plain.map(([name, type]) => [name, { type }])),
  };
};
