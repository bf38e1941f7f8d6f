import { expect } from 'chai';
import type { TSchema } from 'typebox';
import { Type } from '../../ground/type.ts';
import { fieldErrors } from '../../http/field-errors.ts';
import { makeValidators } from '../../http/validator.ts';

describe('what an answer says about a field', () => {
  const { exact } = makeValidators();
  const found = (schema: TSchema, value: unknown) => {
    const validate = exact(schema);
    validate(value);
    return fieldErrors(validate.errors ?? [], { prefix: '', top: 'The body' });
  };
  const body = (name: string, schema: TSchema) => Type.Object({ [name]: schema });

  describe('of a code that is not in the list', () => {
    const countries = Type.Unsafe({
      type: 'string',
      enum: ['US', 'GB', 'DE'],
      'x-hint': 'Countries.',
    });
    const hint = (to: string) => found(body('to', countries), { to })[0]?.hint;

    it('proposes no other code, because a neighbour by its letters is another country', () => {
      for (const code of ['UK', 'BE', 'ES', 'AUS', 'USA'])
        expect(hint(code), code).to.equal('Countries.');
    });

    it('proposes the code in the right case', () => {
      for (const code of ['us', 'Us', 'u.s.']) expect(hint(code)).to.equal('Did you mean "US"?');
    });
  });
});
