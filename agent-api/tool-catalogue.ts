/** Tools made of the operation table: a tool is there where its operations are. */

import type { AnyOperation } from '../contract/operation.ts';
import type { CallInput } from '../contract/protocol.ts';
import { queryFamilies } from '../contract/query-families.ts';
import { invalidField } from '../contract/refusals.ts';
import {
  allowsNull,
  inputField,
  listedField,
  outputSchema,
  propertiesOf,
  type Schema,
} from './schemas.ts';
import { fieldTexts, type Hints, type ToolDefinition, toolDefinitions } from './tools.ts';

type Arguments = Record<string, unknown>;

export type Tool = {
  name: string;
  core: boolean;
  /** Those that it stands for. */
  operations: readonly AnyOperation[];
  /** How a sentence names the call of each operation: the tool, with the argument that chooses the operation. */
  calledAs: readonly [AnyOperation, string][];
  /** The arguments with all that is known of them; for programs. */
  parameters: Schema;
  /** As the protocol lists it; for models. */
  listed: {
    name: string;
    title: string;
    description: string;
    inputSchema: Schema & { type: 'object' };
    outputSchema: Schema;
    annotations: Hints;
  };
  /** The operation that the arguments ask for, and its input. @throws AppError validation_failed */
  requestOf(args: Arguments): ToolRequest;
};

type ToolRequest = {
  operation: AnyOperation;
  input: CallInput;
  /** A problem document of the operation, with the tool's names of what it took. */
  inOwnWords(problem: string): string;
};

const endpointOf = ({ method, path }: AnyOperation): string => `${method} ${path}`;

const idempotencyKey: Schema = {
  type: 'string',
  maxLength: 64,
  description: 'A UUID; a repeated call with it acts once',
};

const side = (schema: unknown, renamed: Record<string, string>): [string, Schema][] => {
  const shownAs = new Map(Object.entries(renamed).map(([shown, own]) => [own, shown]));
  return Object.entries(propertiesOf(schema)).map(([own, field]) => [
    shownAs.get(own) ?? own,
    field,
  ]);
};

/** The query as arguments: a family of parameters is an object. */
const queryOf = ({ input }: AnyOperation): Schema => {
  const families = queryFamilies(input.query).map(({ name, value }): [string, Schema] => [
    name,
    { type: 'object', description: value.description },
  ]);
  return {
    ...input.query,
    properties: { ...propertiesOf(input.query), ...Object.fromEntries(families) },
  };
};

/** Names differ between operations of one tool only where the tool renames them. */
const renamedIn = ({ input }: AnyOperation, { renamed = {} }: ToolDefinition) => {
  const own = new Set(
    [input.params, input.query, input.body].flatMap((s) => Object.keys(propertiesOf(s))),
  );
  return Object.fromEntries(Object.entries(renamed).filter(([, name]) => own.has(name)));
};

const fieldsOf = (definition: ToolDefinition, operations: readonly AnyOperation[]) => {
  const fields = new Map<string, Schema>();
  for (const operation of operations) {
    const { params, body } = operation.input;
    const renamed = renamedIn(operation, definition);
    const query = queryOf(operation);
    for (const [name, schema] of [params, query, body].flatMap((one) => side(one, renamed))) {
      if (!definition.without?.includes(name))
        fields.set(name, fields.get(name) ?? inputField(schema, fieldTexts[name]));
    }
    if (operation.idempotent) fields.set('idempotency_key', idempotencyKey);
  }
  return fields;
};

/** Fields that every operation requires. Operations judge fields that depend on others. */
const requiredOf = (definition: ToolDefinition, operations: readonly AnyOperation[]): string[] => {
  const lists = operations.map((operation) => {
    const renamed = Object.entries(renamedIn(operation, definition));
    const { params, query, body } = operation.input;
    return [params, query, body]
      .flatMap((schema) => (schema as { required?: string[] } | undefined)?.required ?? [])
      .map((own) => renamed.find(([, name]) => name === own)?.[0] ?? own);
  });
  const [first = [], ...rest] = lists;
  return first.filter((name) => rest.every((list) => list.includes(name)));
};

/**
 * Some clients send null for all that they leave out, so null never removes a field. Where null removes it over REST,
 * an empty text does so here.
 */
const givenIn = (args: Arguments, fields: ReadonlyMap<string, Schema>): [string, unknown][] =>
  Object.entries(args)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [
      name,
      value === '' && allowsNull(fields.get(name) ?? {}) ? null : value,
    ]);

const assertKnown = (tool: string, args: Arguments, fields: ReadonlyMap<string, Schema>): void => {
  const unknown = Object.keys(args).find((name) => !fields.has(name));
  if (unknown === undefined) return;
  const names = fields.size === 0 ? 'no arguments' : [...fields.keys()].join(', ');
  throw invalidField(
    `/${unknown.replaceAll('~', '~0').replaceAll('/', '~1').slice(0, 100)}`,
    'unknown_field',
    `${tool} has no such argument. It takes ${names}.`,
  );
};

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

const asText = (name: string, value: unknown): string => {
  if (!isPlain(value)) throw invalidField(`/${name}`, 'type', `${name} must be a text.`);
  const text = String(value);
  if (text.isWellFormed()) return text;
  throw invalidField(
    `/${name}`,
    'format',
    `${name} contains half of a character. Send well-formed Unicode.`,
  );
};

const asQuery = (name: string, value: unknown): string | string[] =>
  Array.isArray(value) ? value.map((one) => asText(name, one)) : asText(name, value);

/** The members of a family of query parameters. */
const asFamily = (name: string, value: unknown): [string, string][] => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidField(`/${name}`, 'type', `${name} must be an object.`);
  }
  return Object.entries(value).map(([key, one]) => [
    `${name}[${asText(name, key)}]`,
    asText(`${name}/${key}`, one),
  ]);
};

/** An operation, and where its tool puts the arguments. */
type Use = {
  operation: AnyOperation;
  renamed: Record<string, string>;
  params: ReadonlySet<string>;
  query: ReadonlySet<string>;
  /** Families of query parameters. */
  families: ReadonlySet<string>;
};

const useOf = (operation: AnyOperation, definition: ToolDefinition): Use => {
  const names = (schema: unknown) => new Set(Object.keys(propertiesOf(schema)));
  const { params, query } = operation.input;
  const renamed = renamedIn(operation, definition);
  const families = new Set(queryFamilies(query).map(({ name }) => name));
  return { operation, renamed, params: names(params), query: names(query), families };
};

type Finding = { pointer: string; detail: string };

/** Of a tool all arguments are members of one object, some with names of its own. */
const inWordsOf =
  ({ renamed }: Pick<Use, 'renamed'>) =>
  (problem: string): string => {
    const told = JSON.parse(problem) as { detail: string; errors?: Finding[] };
    if (told.errors === undefined) return problem;
    const shownAs = new Map(Object.entries(renamed).map(([shown, own]) => [own, shown]));
    const retold = (text: string): string =>
      text.replace(/^\w+/, (name) => shownAs.get(name) ?? name);
    const errors = told.errors.map(({ pointer, detail, ...more }) => {
      const inside = pointer.replace(/^\/query(?=\/)/, '').slice(1);
      return { pointer: pointer && `/${retold(inside)}`, ...more, detail: retold(detail) };
    });
    return JSON.stringify({ ...told, detail: retold(told.detail), errors });
  };

/**
 * Splits the arguments into the inputs of one operation.
 * @param neededBy the argument that chooses the operation which takes a field, if there is one
 */
const inputOf = (
  { operation, renamed, params, query, families }: Use,
  given: readonly [string, unknown][],
  neededBy: (field: string) => string | undefined,
): CallInput => {
  const headers: Record<string, string> = { accept: 'application/json' };
  const rest: [string, unknown][] = [];
  const input: CallInput = { params: {}, query: {}, body: {}, headers };
  for (const [shown, value] of given) {
    const name = (Object.hasOwn(renamed, shown) ? renamed[shown] : undefined) ?? shown;
    if (params.has(name)) input.params[name] = asText(shown, value);
    else if (query.has(name)) input.query[name] = asQuery(shown, value);
    else if (families.has(name))
      Object.assign(input.query, Object.fromEntries(asFamily(name, value)));
    else if (name === 'idempotency_key' && operation.idempotent) {
      headers['idempotency-key'] = asText(shown, value);
    } else rest.push([name, value]);
  }
  const missing = [...params].find((name) => input.params[name] === undefined);
  if (missing !== undefined) {
    const shown = Object.entries(renamed).find(([, name]) => name === missing)?.[0] ?? missing;
    throw invalidField(`/${shown}`, 'required', `${shown} is missing.`);
  }
  if (operation.input.body === undefined && rest.length > 0) {
    const [[name] = ['']] = rest;
    const needed = neededBy(name);
    if (needed !== undefined) {
      const detail = `${needed} is missing. ${name} is taken only together with it.`;
      throw invalidField(`/${needed}`, 'required', detail);
    }
    throw invalidField(
      `/${name}`,
      'unknown_field',
      `${name} cannot be combined with the other arguments.`,
    );
  }
  input.body = Object.fromEntries(rest);
  return input;
};

/** The highest status first: an operation that makes something answers 200 only as an exception. */
const answersOf = ({ responses }: AnyOperation): unknown[] =>
  Object.entries(responses)
    .filter(([status]) => Number(status) < 300)
    .toReversed()
    .flatMap(([, { schema }]): unknown[] => ('anyOf' in schema ? [schema.anyOf].flat() : [schema]));

const toolOf = (definition: ToolDefinition, operations: readonly AnyOperation[]): Tool => {
  const { name, title, description, core = false, hints, choose = () => 0 } = definition;
  const fields = fieldsOf(definition, operations);
  const required = requiredOf(definition, operations);
  const askedFor = definition.asksForKey ? [...required, 'idempotency_key'] : required;
  const shown = [...fields].filter(([field]) => !definition.unlisted?.includes(field));
  const objectOf = (
    properties: [string, Schema][],
    needed: string[],
  ): Schema & { type: 'object' } => ({
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(needed.length === 0 ? {} : { required: needed }),
    additionalProperties: false,
  });
  const uses = operations.map((operation) => useOf(operation, definition));
  const chooserOf = (at: number): string | undefined =>
    at > 0 ? [...fields.keys()].find((one) => choose({ [one]: true }) === at) : undefined;
  const neededBy = (field: string): string | undefined =>
    chooserOf(operations.findIndex(({ input }) => Object.hasOwn(propertiesOf(input.body), field)));
  return {
    name,
    core,
    operations,
    calledAs: operations.map((operation, at) => {
      const chooser = chooserOf(at);
      return [operation, chooser === undefined ? name : `${name} with ${chooser}`];
    }),
    parameters: objectOf(shown, required),
    listed: {
      name,
      title,
      description,
      inputSchema: objectOf(
        shown.map(([field, schema]) => [field, listedField(schema)]),
        askedFor,
      ),
      outputSchema: outputSchema(operations.flatMap(answersOf)),
      annotations: hints,
    },
    requestOf(args) {
      assertKnown(name, args, fields);
      const given = givenIn(args, fields);
      const use = uses[choose(Object.fromEntries(given))] ?? uses[0];
      if (use === undefined) throw new Error(`${name} has no operation`);
      const { operation } = use;
      return { operation, input: inputOf(use, given, neededBy), inOwnWords: inWordsOf(use) };
    },
  };
};

/** The tools whose operations there are, in the order of the table. */
export const toolsOf = (operations: readonly AnyOperation[]): Tool[] => {
  const byEndpoint = new Map(operations.map((one) => [endpointOf(one), one]));
  return toolDefinitions.flatMap((definition) => {
    const found = definition.endpoints.flatMap((endpoint) => byEndpoint.get(endpoint) ?? []);
    return found.length === definition.endpoints.length ? [toolOf(definition, found)] : [];
  });
};
