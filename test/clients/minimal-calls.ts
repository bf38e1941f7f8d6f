/** A program that calls every operation with the least that it takes, made of the OpenAPI document. */
import type { OpenApi } from './generated.ts';

type Schema = { [keyword: string]: unknown };
type Parameter = { $ref?: string; name: string; in: string; required?: boolean; schema: Schema };
type Operation = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: {
    required?: boolean;
    content: Record<string, { schema: Schema; examples?: object }>;
  };
};

const mostDepth = 8;

/** The smallest value that a schema allows: members that are required, and no others. */
const smallest = (schema: Schema, components: Record<string, Schema>, depth = 0): unknown => {
  const { $ref, enum: words, type, properties, required, anyOf, oneOf, items } = schema;
  if (depth > mostDepth) throw new Error(`a schema is too deep: ${JSON.stringify(schema)}`);
  const inner = (one: unknown) => smallest(one as Schema, components, depth + 1);
  if (typeof $ref === 'string') return inner(components[$ref.split('/').at(-1) ?? '']);
  if ('const' in schema) return schema.const;
  if (Array.isArray(words)) return words[0];
  const choice = (anyOf ?? oneOf) as Schema[] | undefined;
  if (choice?.[0] && type === undefined) return inner(choice[0]);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object': {
      const members = (properties ?? {}) as Record<string, Schema>;
      const names = (required ?? []) as string[];
      return Object.fromEntries(names.map((name) => [name, inner(members[name] ?? {})]));
    }
    case 'array':
      return Array.from({ length: Number(schema.minItems ?? 0) }, () => inner(items));
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return 'text';
  }
};

type Call = { name: string; path?: object; query?: object; body?: unknown };

const operationsOf = (document: OpenApi): Operation[] =>
  Object.values(document.paths)
    .flatMap((item) => Object.values(item) as unknown as Operation[])
    .filter(({ operationId }) => !operationId.startsWith('page_'));

/** Each operation with its smallest request, and once more with each body of its examples. */
export const smallestCalls = (document: OpenApi): Call[] => {
  const components = document.components.schemas as Record<string, Schema>;
  return operationsOf(document).flatMap(({ operationId: name, parameters = [], requestBody }) => {
    const given = (place: string): object | undefined => {
      const taken = parameters.filter((one) => one.in === place && one.required);
      if (taken.length === 0) return undefined;
      return Object.fromEntries(taken.map((one) => [one.name, smallest(one.schema, components)]));
    };
    const [path, query] = [given('path'), given('query')];
    const rest = { ...(path && { path }), ...(query && { query }) };
    const content = requestBody?.content['application/json'];
    if (content === undefined) return [{ name, ...rest }];
    const examples = Object.values(content.examples ?? {}) as { value: unknown }[];
    const bodies = [smallest(content.schema, components), ...examples.map(({ value }) => value)];
    return bodies.map((body) => ({ name, ...rest, body }));
  });
};

/** For the types only: nothing in it is run. */
export const typescriptProgram = (calls: readonly Call[]): string =>
  [
    "import { createClient } from 'letters-client';",
    'const letters = createClient();',
    'export const calls = [',
    ...calls.map(({ name, ...input }) => {
      const argument = Object.keys(input).length === 0 ? '' : JSON.stringify(input);
      return `  () => letters.${name}(${argument}),`;
    }),
    '];',
    '',
  ].join('\n');

const pythonLiteral = (value: unknown): string => {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${pythonLiteral(member)}`,
  );
  return `{${members.join(', ')}}`;
};

/** The same calls in Python, of both clients. */
export const pythonProgram = (calls: readonly Call[]): string => {
  const argumentsOf = ({ path, query, body }: Call): string =>
    Object.entries({ ...path, ...query, ...(body === undefined ? {} : { body }) })
      .map(([name, value]) => `${name}=${pythonLiteral(value)}`)
      .join(', ');
  return [
    'from letters_client import AsyncClient, Client',
    '',
    'def call(client: Client) -> None:',
    ...calls.map((one) => `    client.${one.name}(${argumentsOf(one)})`),
    '',
    'async def call_async(client: AsyncClient) -> None:',
    ...calls.map((one) => `    await client.${one.name}(${argumentsOf(one)})`),
    '',
  ].join('\n');
};
