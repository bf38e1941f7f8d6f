/** What client libraries are made of. `RECORD_CLIENTS=1` writes it anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { type Catalogue, clientCatalogue } from '../../agent-api/client-catalogue.ts';
import { serviceVersion } from '../../read-api/general.ts';
import { startTestService, type TestService } from '../support/service.ts';

const recording = process.env.RECORD_CLIENTS === '1';
const pathOf = (name: string): URL => new URL(`../../clients/${name}`, import.meta.url);

/** Compares a generated file with what it should be, or writes it. */
const expectFile = (name: string, text: string): void => {
  if (recording) writeFileSync(pathOf(name), text);
  const stale = `clients/${name} is stale; RECORD_CLIENTS=1 writes it`;
  expect(readFileSync(pathOf(name), 'utf8') === text, stale).to.equal(true);
};

describe('the catalogue of client libraries', () => {
  let service: TestService;
  let catalogue: Catalogue;
  before(async () => {
    service = await startTestService();
    catalogue = clientCatalogue(service.service.operations, serviceVersion);
  });
  after(() => service?.stop());

  it('is in both libraries, to the byte, as the operations make it', () => {
    const text = `${JSON.stringify(catalogue, null, 2)}\n`;
    expectFile('typescript/tools.json', text);
    expectFile('python/src/letters_client/tools.json', text);
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
