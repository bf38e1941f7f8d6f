import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { decodeEvent, openPersonal, parseEvent } from '../../events/envelope.ts';
import { definitions, registry } from '../../events/registry.ts';
import { type Golden, goldenKey, goldenPath } from '../golden-events/golden.ts';
import { schemaErrors } from '../support/json-schema.ts';

const read = (path: string): Golden => JSON.parse(readFileSync(path, 'utf8'));

describe('what was ever stored', () => {
  for (const [type, definition] of Object.entries(definitions)) {
    for (let version = 1; version <= definition.version; version++) {
      it(`can still be read: ${type} version ${version}`, () => {
        const path = goldenPath(type, version);
        expect(existsSync(path), `${type}.v${version}.json (see its README)`).to.equal(true);
        const golden = read(path);
        const recorded = {
          ...golden,
          stream: `golden-${type}`,
          version: 0n,
          position: 0n as const,
        };
        const event = openPersonal(decodeEvent(recorded), goldenKey);
        expect(event.metadata.schema).to.equal(version);
        registry.check(event);
        expect('personal' in event).to.equal(golden.decoded.personal !== undefined);
        expect(event.personal).to.deep.equal(golden.decoded.personal);
        if (version === definition.version) expect(event.data).to.deep.equal(golden.decoded.data);
        else expect(definition.upcasters).to.have.property(String(version));
        // Credentials contain the stored data, even after others have decoded the event.
        expect(JSON.stringify(parseEvent(recorded).data)).to.equal(golden.data);
      });
    }
  }

  it('has definitions that are JSON Schema', () => {
    for (const [type, { data, personal }] of Object.entries(definitions)) {
      expect(schemaErrors(data), type).to.deep.equal([]);
      if (personal) expect(schemaErrors(personal), type).to.deep.equal([]);
    }
  });

  it('is still known: no golden file is left without its type', () => {
    const files = readdirSync(new URL('../golden-events/', import.meta.url));
    const stored = files.filter((name) => name.endsWith('.json'));
    expect(stored.length).to.be.at.least(Object.keys(definitions).length);
    for (const name of stored) {
      const [type = '', version = ''] = name.split('.');
      expect(definitions[type]?.version, name).to.be.at.least(Number(version.slice(1)));
    }
  });
});
