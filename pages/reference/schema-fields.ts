/** JSON Schemas as tables of fields. */
import { queryFamilies } from '../../contract/query-families.ts';
import type { Field } from './blocks.ts';

export type Schema = Record<string, unknown>;

export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

/** The schema apart from its `null`. */
const withoutNull = (schema: Schema): { schema: Schema; nullable: boolean } => {
  const forms = listOf(schema.anyOf);
  const others = forms.filter(({ type }) => type !== 'null');
  if (forms.length === others.length) return { schema, nullable: false };
  const { anyOf: _, ...about } = schema;
  const [only = {}] = others;
  return {
    schema: others.length === 1 ? { ...about, ...only } : { ...about, anyOf: others },
    nullable: true,
  };
};

const number = (value: unknown): string => Number(value).toLocaleString('en-US');

const between = (low: unknown, high: unknown, unit: string): string[] => {
  if (low === undefined && high === undefined) return [];
  if (low === undefined) return [`at most ${number(high)}${unit}`];
  if (high === undefined) return [`at least ${number(low)}${unit}`];
  return low === high ? [`${number(low)}${unit}`] : [`${number(low)} to ${number(high)}${unit}`];
};

/** Shorter lists of values are complete in the row; longer ones show only their beginning. */
const valuesOf = (values: readonly unknown[]): string =>
  values.length > 24
    ? `one of ${values.length} values, such as \`${String(values[0])}\``
    : `one of ${values.map((value) => `\`${String(value)}\``).join(', ')}`;

const limitsOf = (schema: Schema): string[] => {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = schema;
  const { pattern, default: usual, maxProperties, uniqueItems } = schema;
  const least = minLength === 1 && maxLength !== undefined ? undefined : minLength;
  return [
    ...(Array.isArray(schema.enum) ? [valuesOf(schema.enum)] : []),
    ...between(least === 1 ? undefined : least, maxLength, ' characters'),
    ...between(minimum, maximum, ''),
    ...between(minItems, maxItems, ' entries'),
    ...between(undefined, maxProperties, ' entries'),
    ...(uniqueItems === true ? ['each once'] : []),
    ...(typeof pattern === 'string' ? [`matches \`${pattern}\``] : []),
    ...(usual === undefined ? [] : [`default \`${JSON.stringify(usual)}\``]),
  ];
};

export type Linked = (title: string) => string | undefined;

const plainType = (schema: Schema): string => {
  const { type, format, const: only, contentMediaType } = schema;
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  const name = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'any';
  const more = contentMediaType ?? format;
  return typeof more === 'string' ? `${name} (${more})` : name;
};

/** The type of a value in words; objects with a section of their own are linked. */
const typeOf = (schema: Schema, linked: Linked): string => {
  const { title, items } = schema;
  const link = typeof title === 'string' ? linked(title) : undefined;
  if (link !== undefined) return `[${title}](${link})`;
  const forms = [...listOf(schema.anyOf), ...listOf(schema.oneOf)];
  if (forms.length > 0) {
    return [...new Set(forms.map((form) => typeOf(form, linked)))].join(' or ');
  }
  if (schema.type === 'array') {
    return isSchema(items) ? `array of ${typeOf(items, linked)}` : 'array';
  }
  const [values] = Object.values(
    isSchema(schema.patternProperties) ? schema.patternProperties : {},
  );
  if (isSchema(values)) return `map of ${typeOf(values, linked)}`;
  return plainType(schema);
};

/** Examples of values for which none was recorded. */
const usualExamples: Record<string, string> = {
  uuid: '6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e',
  date: '2026-03-01',
  'date-time': '2026-03-01T12:00:00.000Z',
  uri: 'https://example.com/letter.pdf',
  email: 'ada@example.com',
};

const isPlain = (value: unknown): boolean =>
  ['string', 'number', 'boolean'].includes(typeof value) && String(value).length <= 80;

const firstPlain = (values: readonly unknown[]): unknown => values.find(isPlain);

/** An example of a plain value, written as JSON without the quotes of a text. */
const exampleOf = (schema: Schema, recorded: unknown): string | undefined => {
  const { const: only, default: usual, format, examples } = schema;
  const [value] = Array.isArray(schema.enum) ? schema.enum : [];
  const given = Array.isArray(examples) ? examples : [];
  const shown = firstPlain([recorded, ...given, only, value, usual, usualExamples[String(format)]]);
  return shown === undefined ? undefined : String(shown).replaceAll('`', "'");
};

const membersOf = (schema: Schema): { path: string; schema: Schema } | undefined => {
  if (isSchema(schema.properties)) return { path: '.', schema };
  const { items } = schema;
  if (!isSchema(items)) return undefined;
  const inner = withoutNull(items).schema;
  return isSchema(inner.properties) ? { path: '[].', schema: inner } : undefined;
};

const memberAt = (value: unknown, name: string): unknown => {
  const one = Array.isArray(value) ? value[0] : value;
  return isSchema(one) ? one[name] : undefined;
};

const namesIn = (schema: unknown): string[] =>
  isSchema(schema) && Array.isArray(schema.required) ? schema.required : [];

/** The fields of a query, with its families of parameters: `metadata[key]`. */
export const queryFieldsOf = (schema: object | undefined): unknown => {
  if (!isSchema(schema)) return schema;
  const families = queryFamilies(schema).map(({ name, value }) => [`${name}[key]`, value]);
  const own = isSchema(schema.properties) ? schema.properties : {};
  return { ...schema, properties: { ...own, ...Object.fromEntries(families) } };
};

/** Fields that must be there, and those that must where another one is not. */
const requiredOf = (schema: Schema): ((name: string) => Field['required']) => {
  const always = namesIn(schema);
  const without = namesIn(schema.if).map((name) => `\`${name}\``);
  const otherwise = without.length === 0 ? [] : namesIn(schema.else);
  return (name) =>
    always.includes(name) || (otherwise.includes(name) && `without ${without.join(' and ')}`);
};

const deepest = 4;

/**
 * The fields of an object, and of objects in it. `recorded`: an example of it. `known`: examples of fields
 * by name, from elsewhere. `linked`: the place of an object that is shown elsewhere.
 */
export const fieldsOf = (
  schema: unknown,
  about: { recorded: unknown; known: (name: string) => unknown; linked: Linked },
  prefix = '',
): Field[] => {
  if (!isSchema(schema)) return [];
  const requires = requiredOf(schema);
  const { recorded, known, linked } = about;
  const members = Object.entries(isSchema(schema.properties) ? schema.properties : {});
  return members.flatMap(([name, given]) => {
    const { schema: member, nullable } = withoutNull(isSchema(given) ? given : {});
    const value = memberAt(recorded, name);
    const type = typeOf(member, linked);
    const field: Field = {
      name: prefix + name,
      type: nullable ? `${type} or null` : type,
      required: requires(name),
      limits: limitsOf(
        member.type === 'array' && isSchema(member.items) ? { ...member.items, ...member } : member,
      ),
      description: typeof member.description === 'string' ? member.description : '',
      example: exampleOf(member, isPlain(value) ? value : known(name)),
    };
    const inner = type.includes('](') ? undefined : membersOf(member);
    const isDeep = prefix.split('.').length > deepest;
    if (inner === undefined || isDeep) return [field];
    return [
      field,
      ...fieldsOf(inner.schema, { ...about, recorded: value }, field.name + inner.path),
    ];
  });
};
