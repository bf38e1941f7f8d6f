import { expect } from 'chai';
import type { TSchema } from 'typebox';
import { type FieldError, facts } from '../../contract/errors.ts';
import { Type } from '../../ground/type.ts';
import { fieldErrors } from '../../http/field-errors.ts';
import { makeValidators } from '../../http/validator.ts';
import { withElsewhere } from '../../presenters/common.ts';
import { WantedPolicyBody } from '../../presenters/policy.ts';

describe('what an answer says about a field', () => {
  const { exact } = makeValidators();
  const errorsOf = (schema: TSchema, value: unknown): FieldError[] => {
    const validate = exact(schema);
    validate(value);
    return fieldErrors(validate.errors ?? [], { prefix: '', top: 'The body' });
  };
  /** As an answer has them. */
  const found = (schema: TSchema, value: unknown): FieldError[] =>
    JSON.parse(JSON.stringify(errorsOf(schema, value)));
  const details = (schema: TSchema, value: unknown) =>
    found(schema, value).map(({ detail }) => detail);
  const body = (name: string, schema: TSchema) => Type.Object({ [name]: schema });

  it('says that a body must be a JSON object, and what was sent', () => {
    const sent = [1e3, 'text', true, null, [], [{}]].map((value) =>
      details(Type.Object({}), value),
    );
    const must = 'The body must be a JSON object such as {"name": "value"}, not';
    expect(sent.flat()).to.deep.equal([
      `${must} a number (it is 1000).`,
      `${must} a text (it is "text").`,
      `${must} a boolean (it is true).`,
      `${must} null.`,
      `${must} a list.`,
      `${must} a list.`,
    ]);
  });

  it('repeats a number that JSON cannot hold', () => {
    const schema = body('total', Type.Number({ maximum: 10 }));
    for (const number of ['1e400', '-1e400']) {
      const value = JSON.parse(`{"total":${number}}`);
      const [detail] = details(schema, value);
      expect(detail).to.contain(`(it is ${number.startsWith('-') ? '-' : ''}Infinity)`);
    }
  });

  it('keeps the limits of a value for pages, and out of the answer', () => {
    const factsOf = (schema: TSchema, value: unknown) =>
      errorsOf(body('value', schema), { value }).map((error) => error[facts]);
    expect(factsOf(Type.String({ maxLength: 2 }), 'abc')).to.deep.equal([
      { kind: 'character', limit: 2 },
    ]);
    expect(factsOf(Type.String({ format: 'email' }), 'abc')).to.deep.equal([{ kind: 'email' }]);
    expect(factsOf(Type.Integer(), 'abc')).to.deep.equal([{ kind: 'integer' }]);
    expect(factsOf(Type.Number({ minimum: 5 }), 1)).to.deep.equal([{ at_least: 5 }]);
    expect(factsOf(Type.Number({ exclusiveMaximum: 5 }), 5)).to.deep.equal([{ less_than: 5 }]);
    const [error] = found(body('value', Type.Number({ maximum: 5 })), { value: 6 });
    expect(Object.keys(error ?? {}).sort()).to.deep.equal(['code', 'detail', 'pointer']);
  });

  it('repeats null', () => {
    const schema = body('content', Type.String());
    expect(details(schema, { content: null })).to.deep.equal([
      'content must be of type string (it is null).',
    ]);
  });

  it('names the fields of which at least one is needed', () => {
    const schema = Type.Object(
      { city: Type.Optional(Type.String()), country: Type.Optional(Type.String()) },
      { minProperties: 1 },
    );
    expect(details(schema, {})).to.deep.equal(['Send at least one of city, country.']);
    expect(
      details(Type.Record(Type.String(), Type.String(), { minProperties: 1 }), {}),
    ).to.deep.equal(['The body must have at least 1 field.']);
  });

  it('says where a field belongs that must not simply be removed', () => {
    const schema = withElsewhere(
      Type.Exact({}),
      ['countries'],
      'Countries are limited by a policy.',
    );
    expect(details(schema, { countries: [], country: 1 })).to.deep.equal([
      'countries is not a known field here. Countries are limited by a policy.',
      'country is not a known field. Remove it.',
    ]);
    for (const name of ['idempotency_key', 'idempotencyKey', 'Idempotency-Key']) {
      expect(details(Type.Exact({}), { [name]: 'a' })).to.deep.equal([
        `${name} is not a known field here. Send it as the header Idempotency-Key.`,
      ]);
    }
  });

  it('hints at a plus of a query that is not encoded', () => {
    const schema = body('after', Type.String({ format: 'date-time' }));
    const hintOf = (after: string) => found(schema, { after })[0]?.hint;
    expect(hintOf('2026-11-20T09:30:00 01:00')).to.include('%2B');
    expect(hintOf('yesterday')).to.equal(undefined);
  });

  it('names an address and an id that a list may hold', () => {
    const policy = { rules: [{ effect: 'hold' }], approvals: { approvers: ['jörg@example.com'] } };
    expect(details(WantedPolicyBody, policy)).to.deep.equal([
      'approvals.approvers.0 must be an e-mail address such as anna@example.com or the id of a key: key_ and 32 characters 0 to 9 and a to f (it is "jörg@example.com").',
    ]);
  });

  it('writes addresses in the form that is accepted', () => {
    const url = Type.String({ format: 'uri', pattern: '^https?://' });
    const email = Type.String({ format: 'email' });
    const hintOf = (type: typeof url, value: string) =>
      found(body('to', type), { to: value })[0]?.hint;
    expect(hintOf(url, 'HTTPS://example.com/hook')).to.equal(
      'Write it as https://example.com/hook.',
    );
    expect(hintOf(url, 'https://bücher.example/hö?ß')).to.equal(
      'Write it as https://xn--bcher-kva.example/h%C3%B6?%C3%9F.',
    );
    expect(hintOf(email, 'anna@müller.example')).to.equal(
      'Write it as anna@xn--mller-kva.example.',
    );
    for (const value of ['jörg@example.com', 'anna@müller..example:x', 'anna', 'ä', '@']) {
      expect(hintOf(email, value), value).to.equal(undefined);
    }
    for (const value of ['FTP://example.com', 'example.com', 'ä', 'HTTPS//example.com']) {
      expect(hintOf(url, value), value).to.equal(undefined);
    }
  });

  it('lists the forms of a value as a sentence does', () => {
    const kinds = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
    expect(details(body('value', kinds), { value: [] })).to.deep.equal([
      'value must be a text, a number, true or false.',
    ]);
  });

  it('says a pattern by its description, and never shows the expression', () => {
    const pattern = { pattern: '^[a-z]{3}$' };
    const described = Type.String({ ...pattern, description: 'Three letters, such as abc.' });
    expect(details(body('word', described), { word: '1' })).to.deep.equal([
      'word has the wrong format (it is "1"): Three letters, such as abc.',
    ]);
    expect(details(body('word', Type.String(pattern)), { word: '1' })).to.deep.equal([
      'word has the wrong format (it is "1").',
    ]);
  });

  it('says which name in an object is wrong, once for each rule', () => {
    const names = { pattern: '^[a-z]+$', maxLength: 3, description: 'Letters a to z.' };
    const schema = body(
      'metadata',
      Type.Record(Type.String(), Type.String(), { propertyNames: names }),
    );
    expect(found(schema, { metadata: { '1234': '' } })).to.have.deep.members([
      {
        pointer: '/metadata',
        code: 'too_long',
        detail: 'The name "1234" in metadata must have at most 3 characters.',
      },
      {
        pointer: '/metadata',
        code: 'pattern',
        detail: 'The name "1234" in metadata has the wrong format: Letters a to z.',
      },
    ]);
  });

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
