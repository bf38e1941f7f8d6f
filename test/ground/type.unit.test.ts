import { expect } from 'chai';
import { Type as TypeBox } from 'typebox';
import { Type } from '../../ground/type.ts';

type Builders = Pick<typeof Type, keyof typeof Type & keyof typeof TypeBox>;

/** Schemas of every kind, made by `T`. Of each optional one, also the copy that `Unsafe` makes. */
const schemasBy = (T: Builders) => {
  const note = { description: 'A note.', examples: ['x'], 'x-hint': 'a hint' };
  const kinds = {
    text: T.String({ minLength: 1, ...note }),
    anyText: T.String(),
    count: T.Integer({ minimum: 0 }),
    amount: T.Number(note),
    flag: T.Boolean({ default: false }),
    nothing: T.Null(),
    anything: T.Unknown(note),
    word: T.Literal('word', note),
    one: T.Literal(1),
    yes: T.Literal(true),
    list: T.Array(T.String(), { maxItems: 3, ...note }),
    choice: T.Union([T.Literal('a'), T.Null()], note),
    pairs: T.Record(T.String(), T.Integer(), { maxProperties: 2, ...note }),
    patterned: T.Record(T.String({ pattern: '^x-' }), T.Unknown()),
    raw: T.Unsafe<string>({ type: 'string', enum: ['a', 'b'] }),
    overruled: T.Object({}, { type: 'other', additionalProperties: false }),
  };
  const optional = T.Optional(T.String(note));
  const members = { ...kinds, optional, again: T.Optional(optional), copied: T.Unsafe(optional) };
  return {
    ...kinds,
    optional,
    spread: T.Object({ required: { ...optional, title: 'Required' } }),
    none: T.Object({ optional }),
    all: T.Object(members, { additionalProperties: false, ...note }),
  };
};

describe('Type', () => {
  it('makes the same JSON Schemas as TypeBox, member for member', () => {
    const [made, expected] = [schemasBy(Type), schemasBy(TypeBox)];
    expect(JSON.stringify(made, null, 1)).to.equal(JSON.stringify(expected, null, 1));
    expect(made.all.required).to.include('text').and.not.include.members(['again', 'copied']);
  });

  it('makes objects with a name, and objects without other members', () => {
    const members = { text: Type.String(), note: Type.Optional(Type.String()) };
    const exact = { additionalProperties: false };
    const made = [
      Type.Exact(members),
      Type.Named('Letter', members),
      Type.NamedExact('Letter', members),
    ];
    const expected = [
      TypeBox.Object(members, exact),
      TypeBox.Object(members, { title: 'Letter' }),
      TypeBox.Object(members, { ...exact, title: 'Letter' }),
    ];
    expect(JSON.stringify(made)).to.equal(JSON.stringify(expected));
  });

  it('makes a union of literals', () => {
    const expected = TypeBox.Union([TypeBox.Literal('letter'), TypeBox.Literal(1)]);
    expect(JSON.stringify(Type.Literals(['letter', 1]))).to.equal(JSON.stringify(expected));
  });

  it('leaves the schema unchanged that it makes optional', () => {
    const text = Type.String();
    Type.Optional(text);
    expect(Type.Object({ text }).required).to.deep.equal(['text']);
  });
});
