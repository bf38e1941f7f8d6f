/** The files of client libraries that are made of the operations and of their OpenAPI document. */
import { join } from 'node:path';
import { toolDefinitions } from '../../agent-api/tools.ts';
import type { clientCatalogue } from './client-catalogue.ts';
import {
  type Json,
  type Operation,
  operationsModule,
  schemasModule,
} from './typescript-schemas.ts';

export const clientsFolder = join(import.meta.dirname, '..', '..', 'clients');
export type OpenApi = {
  paths: Record<string, Record<string, Operation>>;
  components: Json & { schemas: Record<string, Json> };
};

const isPage = ({ operationId }: Operation): boolean => operationId.startsWith('page_');

/** The modules of types, by file name. */
export const typeModules = ({ paths, components }: OpenApi): Record<string, string> => {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  return {
    'schemas.ts': schemasModule(components.schemas),
    'operations.ts': operationsModule(operations.filter((one) => !isPage(one))),
  };
};

const mediaTypeOf = ({ responses }: Operation): string => {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const types = Object.keys(success?.content ?? {});
  return types.find((type) => type === 'application/json') ?? types[0] ?? 'application/json';
};

const readingTools = new Set(
  toolDefinitions.flatMap(({ endpoints, hints }) => (hints.readOnlyHint ? endpoints : [])),
);

/** Whether an operation refers to a header that several have, such as `IdempotencyKey`. */
export const takes = (
  { parameters = [] }: { parameters?: { $ref?: string }[] },
  header: string,
): boolean => parameters.some(({ $ref }) => $ref?.endsWith(`/${header}`));

/** An operation with a parameter that is an object, for tests of the generators. */
export const listByMetadata = {
  operationId: 'list_things',
  summary: 'List things',
  description: 'Filter with `metadata[key]=value`.',
  parameters: [
    {
      name: 'metadata',
      in: 'query',
      style: 'deepObject',
      explode: true,
      schema: { type: 'object', additionalProperties: { type: 'string' } },
    },
  ],
  responses: { 200: { content: { 'application/json': { schema: { type: 'object' } } } } },
};

/** Public operations that only look at what they are given, and are no tools. */
const lookingOnly = new Set(['POST /api/anp/verify', 'POST /auth/confirm/preview']);

/** Whether an operation that is no GET changes nothing, so that it may be repeated without a key. */
export const readsOnly = (method: string, path: string, operation: object): boolean => {
  if (method === 'GET') return false;
  const endpoint = `${method} ${path}`;
  const isRead = Reflect.get(operation, 'x-scope') === 'read';
  return isRead || readingTools.has(endpoint) || lookingOnly.has(endpoint);
};

/** Whether an operation that is no GET waits for the `X-Min-Log-Position` of its request. */
export const awaitsWrites = (method: string, operation: Parameters<typeof takes>[0]): boolean =>
  method !== 'GET' && takes(operation, 'MinLogPosition');

/** Where each operation is, what it answers, whether it may be repeated, and what it waits for. */
export const routesOf = ({ paths }: OpenApi): string => {
  const lines = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => !isPage(operation))
      .map(([name, operation]) => {
        const method = name.toUpperCase();
        const route = {
          method,
          path,
          accept: mediaTypeOf(operation),
          ...(takes(operation, 'IdempotencyKey') ? { key: true } : {}),
          ...(readsOnly(method, path, operation) ? { reads: true } : {}),
          ...(awaitsWrites(method, operation) ? { awaitsWrites: true } : {}),
        };
        return `  ${operation.operationId}: ${JSON.stringify(route)},`;
      }),
  );
  return ['// Generated from /openapi.json. Do not edit.', 'export const routes = {']
    .concat(lines.toSorted(), '} as const;', '')
    .join('\n');
};

export type Catalogue = ReturnType<typeof clientCatalogue>;

/** The catalogue as a module: not every program may import JSON. */
export const catalogueModule = (catalogue: Catalogue): string =>
  `// Generated: tools.json. Do not edit.\nexport const catalogue = ${JSON.stringify(catalogue, null, 1)};\n`;
