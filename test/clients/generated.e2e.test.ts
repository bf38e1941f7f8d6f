/** The generated parts of the client libraries. `RECORD_CLIENTS=1` writes them anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { serviceVersion } from '../../read-api/general.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { clientCatalogue } from './client-catalogue.ts';
import {
  type Catalogue,
  catalogueModule,
  clientsFolder,
  listByMetadata,
  type OpenApi,
  routesOf,
  typeModules,
} from './generated.ts';
import { operationsModule } from './typescript-schemas.ts';

const recording = process.env.RECORD_CLIENTS === '1';
const howTo = 'RECORD_CLIENTS=1 writes it';

const read = (name: string): string => readFileSync(join(clientsFolder, name), 'utf8');

/** Compares a generated file with what it should be, or writes it. */
const expectFile = (name: string, text: string): void => {
  if (recording) writeFileSync(join(clientsFolder, name), text);
  expect(read(name) === text, `clients/${name} is stale; ${howTo}`).to.equal(true);
};

describe('a parameter that is an object', () => {
  it('is one object in TypeScript', () => {
    const text = operationsModule([listByMetadata]).replaceAll(/\s+/g, ' ');
    expect(text).to.contain('query: { metadata?: { [key: string]: string }; }');
  });
});

describe('the catalogue of client libraries', () => {
  let service: TestService;
  let catalogue: Catalogue;
  let document: OpenApi;
  before(async () => {
    service = await startTestService();
    catalogue = clientCatalogue(service.service.operations, serviceVersion);
    document = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
    // Clients of MCP come from elsewhere.
    delete document.paths['/mcp'];
  });
  after(() => service?.stop());

  it('is in both libraries, to the byte, as the operations make it', () => {
    const text = `${JSON.stringify(catalogue, null, 2)}\n`;
    expectFile('typescript/tools.json', text);
    expectFile('python/src/letters_client/tools.json', text);
    expectFile('typescript/src/generated/catalogue.ts', catalogueModule(catalogue));
  });

  it('comes with the routes and types of the whole API', () => {
    expectFile('typescript/src/generated/routes.ts', routesOf(document));
    for (const [name, text] of Object.entries(typeModules(document))) {
      expectFile(`typescript/src/generated/${name}`, text);
    }
  });

  it('names every object and every list of values that several schemas use', () => {
    const uses = new Map<string, number>();
    const count = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const { enum: values, properties } = value as { enum?: unknown; properties?: object };
      const members = Array.isArray(values) ? values : Object.keys(properties ?? {});
      const text = JSON.stringify(Array.isArray(values) ? values : value);
      // Lists and objects of one or two members are as short as their names.
      if (members.length > 2) uses.set(text, (uses.get(text) ?? 0) + 1);
      for (const member of Object.values(value)) count(member);
    };
    count(document.components.schemas);
    const repeated = [...uses].filter(([, times]) => times > 2).map(([text]) => text);
    expect(repeated).to.deep.equal([]);
  });

  it('names every object so that no generator makes two classes with one name', () => {
    const schemas = document.components.schemas as Record<string, { properties?: object }>;
    const pascal = (name: string): string =>
      name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
    for (const [name, { properties = {} }] of Object.entries(schemas)) {
      for (const [field, schema] of Object.entries(properties)) {
        // A generator names an object without a name after its place.
        if (schema.properties === undefined) continue;
        expect(schemas, `${name}.${field}`).to.not.have.property(name + pascal(field));
      }
    }
  });

  it('has parameters that every framework takes', () => {
    for (const { name, description, parameters } of catalogue.tools) {
      expect(name).to.match(/^[a-z][a-z0-9_]{0,63}$/);
      expect(description.length, name).to.be.at.most(1024);
      expect(parameters).to.include({ type: 'object', additionalProperties: false });
      expect(Object.keys(parameters)).to.not.include.members(['anyOf']);
      for (const [field, schema] of Object.entries(parameters.properties as object)) {
        expect(schema.type, `type of ${name}.${field}`).to.be.a('string');
        expect(schema.description, `description of ${name}.${field}`).to.be.a('string');
        expect(schema, `${name}.${field}`).to.not.have.any.keys('$ref', 'const', 'anyOf', 'format');
      }
    }
  });

  it('says of each tool what it does to the world', () => {
    const marks = catalogue.tools.map(({ name, read_only, destructive, idempotent }) =>
      [name, read_only && 'reads', destructive && 'spends', idempotent && 'takes a key']
        .filter(Boolean)
        .join(' '),
    );
    expect(marks).to.include.members(['send_letter spends takes a key', 'get_balance reads']);
  });
});
