import { randomUUID } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { Type } from '../../ground/type.ts';
import { formatKeyword } from '../../http/format-keyword.ts';
import { makeValidators } from '../../http/validator.ts';

describe('the formats of texts', () => {
  const id = randomUUID();
  const Id = Type.String({ format: 'uuid' });
  const schema = Type.Object({
    id: Type.Optional(Id),
    maybe: Type.Optional(Type.Union([Id, Type.Null()])),
    all: Type.Optional(Type.Array(Id)),
    note: Type.Optional(Type.String()),
  });

  for (const [name, validate] of Object.entries(makeValidators()).map(
    ([name, compile]) => [name, compile(schema)] as const,
  )) {
    it(`lower an id wherever it stands, and no other text: ${name}`, () => {
      const upper = id.toUpperCase();
      const value = { id: upper, maybe: upper, all: [upper, id], note: upper };
      expect(validate(value)).to.equal(true);
      expect(value).to.deep.equal({ id, maybe: id, all: [id, id], note: upper });
    });

    it(`leave a text that is no id as it is: ${name}`, () => {
      for (const wrong of ['ABC', `urn:uuid:${id}`, ` ${id}`]) {
        const value = { id: wrong };
        expect(validate(value)).to.equal(false);
        expect(value).to.deep.equal({ id: wrong });
        expect(validate.errors?.[0]).to.include({ keyword: 'format', instancePath: '/id' });
        expect(validate.errors?.[0]?.params).to.deep.equal({ format: 'uuid' });
      }
    });
  }

  it('refuse an e-mail address whose name is longer than a mail server takes', () => {
    const { exact: compile } = makeValidators();
    const validate = compile(Type.Object({ email: Type.String({ format: 'email' }) }));
    expect(validate({ email: `${'a'.repeat(64)}@example.com` })).to.equal(true);
    expect(validate({ email: `${'a'.repeat(65)}@example.com` })).to.equal(false);
  });

  it('do not compile if no schema of the service names them', () => {
    const ajv = new Ajv2020({ validateSchema: false });
    ajv.removeKeyword('format').addKeyword(formatKeyword);
    expect(() => ajv.compile({ type: 'string', format: 'ipv4' })).to.throw('ipv4');
  });
});
