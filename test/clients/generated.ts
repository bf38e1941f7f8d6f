/** The files of client libraries that are made of the operations and of their OpenAPI document. */
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Catalogue } from '../../agent-api/client-catalogue.ts';
import { toolDefinitions } from '../../agent-api/tools.ts';

export const clientsFolder = join(import.meta.dirname, '..', '..', 'clients');
const generator = join(clientsFolder, 'typescript/node_modules/openapi-typescript/bin/cli.js');

export const isGeneratorInstalled = (): boolean => existsSync(generator);

type Json = Record<string, unknown>;
type OperationObject = {
  operationId: string;
  responses: Record<string, { content?: Json }>;
  parameters?: { $ref?: string }[];
};
export type OpenApi = { paths: Record<string, Record<string, OperationObject>>; components: Json };

const isPage = ({ operationId }: OperationObject): boolean => operationId.startsWith('page_');

const withoutExamples = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutExamples);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => name !== 'examples' && name !== 'example');
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutExamples(member)]));
};

/** What types are made of: requests and successes. Refusals are one error in the libraries. */
export const typedPart = ({ paths, components }: OpenApi): Json => {
  const operations = Object.entries(paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item)
        .filter(([, operation]) => !isPage(operation))
        .map(([method, operation]) => {
          const successes = Object.entries(operation.responses)
            .filter(([status]) => status.startsWith('2'))
            .map(([status, { content }]) => [status, { description: '', content }]);
          return [method, { ...operation, responses: Object.fromEntries(successes) }];
        }),
    ),
  ]);
  const { schemas, parameters } = components;
  return withoutExamples({
    ...{ openapi: '3.1.1', info: { title: 'Letters', version: '0' } },
    ...{ paths: Object.fromEntries(operations), components: { schemas, parameters } },
  }) as Json;
};

/** First line of the generated types: of which document they are. */
export const typesHeader = (document: Json): string =>
  `// Generated from /openapi.json (its types: ${hash('sha256', JSON.stringify(document))}). Do not edit.`;

/** The types, made by openapi-typescript. */
export const typesOf = async (document: Json): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'letters-types-'));
  try {
    const [source, target] = [join(folder, 'openapi.json'), join(folder, 'api.ts')];
    await writeFile(source, JSON.stringify(document));
    await promisify(execFile)(process.execPath, [
      generator,
      source,
      // What has a default may be left out; what is only said to be an object may have any members.
      '--default-non-nullable=false',
      '--empty-objects-unknown',
      '-o',
      target,
    ]);
    return `${typesHeader(document)}\n${await readFile(target, 'utf8')}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const mediaTypeOf = ({ responses }: OperationObject): string => {
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
          ...{ method, path, accept: mediaTypeOf(operation) },
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

/** The catalogue as a module: not every program may import JSON. */
export const catalogueModule = (catalogue: Catalogue): string =>
  `// Generated: tools.json. Do not edit.\nexport const catalogue = ${JSON.stringify(catalogue, null, 1)};\n`;
