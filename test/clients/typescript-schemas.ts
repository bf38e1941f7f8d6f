/** JSON Schemas of the OpenAPI document as types of TypeScript. A schema with a name is declared once. */
import { dryRunIn, withoutDryRun } from './dry-run.ts';
export type Json = Record<string, unknown>;

const isSchema = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const simple: Record<string, string> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll(/['\\]/g, '\\$&')}'` : String(value);

const propertyName = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);

/** A comment of one line, or nothing. */
const comment = (text: string, indent: string): string =>
  text === ''
    ? ''
    : `${indent}/** ${text.replaceAll(/\s+/g, ' ').replaceAll('*/', '*\\/').trim()} */\n`;

const noteOf = ({ description = '', default: usual }: Json): string =>
  [description, usual === undefined ? '' : `@default ${JSON.stringify(usual)}`]
    .filter(Boolean)
    .join(' ');

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

const isUnion = (type: string): boolean => / \| (?![^{]*\})/.test(type) || /^'.*' \| /.test(type);

const listOf = (type: string): string => (isUnion(type) ? `(${type})[]` : `${type}[]`);

const fieldsOf = (schema: Json, indent: string, prefix: string): string[] => {
  const required = new Set((schema.required ?? []) as string[]);
  return Object.entries(schema.properties as Record<string, Json>).map(([name, field]) => {
    const mark = required.has(name) ? '' : '?';
    const type = typeOf(field, indent, prefix);
    return `${comment(noteOf(field), indent)}${indent}${propertyName(name)}${mark}: ${type};\n`;
  });
};

const objectOf = (schema: Json, indent: string, prefix: string): string => {
  const inner = `${indent}  `;
  if (Object.keys(schema.properties ?? {}).length > 0) {
    return `{\n${fieldsOf(schema, inner, prefix).join('')}${indent}}`;
  }
  const values = [schema.additionalProperties, ...Object.values(schema.patternProperties ?? {})];
  const of = values.find(isSchema);
  return `{ [key: string]: ${of === undefined ? 'unknown' : typeOf(of, indent, prefix)} }`;
};

/** `prefix` stands before the names of schemas, such as `schemas.`. */
const typeOf = (schema: Json, indent = '', prefix = ''): string => {
  const one = (part: Json): string => typeOf(part, indent, prefix);
  if (typeof schema.$ref === 'string') return `${prefix}${schema.$ref.split('/').at(-1)}`;
  if (Array.isArray(schema.enum)) return union(schema.enum.map(literal));
  if ('const' in schema) return literal(schema.const);
  const forms = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(forms)) return union(forms.filter(isSchema).map(one));
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => one({ ...schema, type })));
  if (schema.type === 'array')
    return listOf(isSchema(schema.items) ? one(schema.items) : 'unknown');
  if (schema.type === 'object') return objectOf(schema, indent, prefix);
  return simple[String(schema.type)] ?? 'unknown';
};

const generated = '// Generated from /openapi.json. Do not edit; RECORD_CLIENTS=1 writes it anew.';

/** The module with all schemas that have a name. */
export const schemasModule = (schemas: Record<string, Json>): string =>
  [
    `${generated}\n`,
    ...Object.entries(schemas).map(
      ([name, schema]) =>
        `${comment(noteOf(schema), '')}export type ${name} = ${typeOf(schema)};\n`,
    ),
  ].join('\n');

type Parameter = { name: string; in: string; required?: boolean; schema: Json };
export type Operation = {
  operationId: string;
  summary: string;
  parameters?: (Partial<Parameter> & { $ref?: string })[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, { content?: Record<string, { schema: Json }> }>;
};

/** The parameters of an address as one object. */
const parametersIn = (place: string, { parameters = [] }: Operation): Json | undefined => {
  const found = parameters.filter((one) => one.in === place) as Parameter[];
  if (found.length === 0) return undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(found.map(({ name, schema }) => [name, schema])),
    required: found.filter(({ required }) => required).map(({ name }) => name),
  };
};

/** The return type of an operation's method: JSON if there is any, otherwise text or bytes. */
const answerOf = ({ responses }: Operation, indent: string): string => {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) => {
      const json = content['application/json'];
      if (json !== undefined) {
        const schema = withoutDryRun(json.schema);
        return schema ? [typeOf(schema, indent, 'schemas.')] : [];
      }
      const media = Object.keys(content);
      if (media.length === 0) return [];
      return [media.every((type) => type.startsWith('text/')) ? 'string' : 'Uint8Array'];
    });
  return types.length === 0 ? 'never' : union(types);
};

/** The answer with `dry_run`, if the operation takes that. */
const dryRunOf = ({ responses }: Operation): Json | undefined =>
  dryRunIn(
    Object.values(responses).flatMap(({ content = {} }) => {
      const json = content['application/json'];
      return json ? [json.schema] : [];
    }),
  );

const operationType = (operation: Operation): string => {
  const indent = '    ';
  const body = operation.requestBody?.content['application/json']?.schema;
  const given = {
    path: parametersIn('path', operation),
    query: parametersIn('query', operation),
    body,
  };
  const dryRun = dryRunOf(operation);
  const lines = Object.entries(given).map(([name, schema]) =>
    schema === undefined ? '' : `${indent}${name}: ${typeOf(schema, indent, 'schemas.')};\n`,
  );
  return [
    comment(operation.summary, '  '),
    `  ${operation.operationId}: {\n`,
    ...lines,
    `${indent}answer: ${answerOf(operation, indent)};\n`,
    dryRun === undefined ? '' : `${indent}dry_run: ${typeOf(dryRun, indent, 'schemas.')};\n`,
    '  };\n',
  ].join('');
};

/** The module with what each operation takes and answers. */
export const operationsModule = (operations: readonly Operation[]): string =>
  [
    `${generated}\nimport type * as schemas from './schemas.ts';\n\n`,
    'export type operations = {\n',
    ...operations.map(operationType),
    '};\n',
  ].join('');
