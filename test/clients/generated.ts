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

/** Where each operation is, what it answers, and whether it may be repeated. */
export const routesOf = ({ paths }: OpenApi): string => {
  const reading = new Set(
    toolDefinitions.flatMap(({ endpoints, hints }) => (hints.readOnlyHint ? endpoints : [])),
  );
  const lines = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => !isPage(operation))
      .map(([name, operation]) => {
        const method = name.toUpperCase();
        const takesKey = operation.parameters?.some(({ $ref }) => $ref?.endsWith('IdempotencyKey'));
        const route = {
          method,
          path,
          accept: mediaTypeOf(operation),
          ...(takesKey ? { key: true } : {}),
          ...(method !== 'GET' && reading.has(`${method} ${path}`) ? { reads: true } : {}),
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
