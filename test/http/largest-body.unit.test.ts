import { expect } from 'chai';
import type { TSchema } from 'typebox';
import { Type } from '../../ground/type.ts';
import { bodyRulesOf } from '../../http/body-rules.ts';
import { largestBody } from '../../http/largest-body.ts';
import { defaultLimits } from '../../limits/table.ts';

/** As clients write JSON that escape every character that is not ASCII. */
const escaped = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const emoji = '😀';

describe('the largest body of a schema', () => {
  it('has room for the longest texts, however a client escapes and indents them', () => {
    const schema = Type.Object(
      {
        name: Type.String({ maxLength: 100 }),
        tags: Type.Array(Type.String({ maxLength: 10 }), { maxItems: 20 }),
        day: Type.Optional(Type.String({ format: 'date' })),
        kind: Type.Unsafe<string>({ type: 'string', enum: ['a', emoji.repeat(50)] }),
        pairs: Type.Record(Type.String(), Type.String({ maxLength: 5 }), {
          maxProperties: 4,
          propertyNames: { maxLength: 30 },
        }),
        amount: Type.Union([Type.Number(), Type.Null()]),
      },
      { additionalProperties: false },
    );
    const largest = {
      name: emoji.repeat(100),
      tags: Array(20).fill(emoji.repeat(10)),
      day: '2026-11-23',
      kind: emoji.repeat(50),
      pairs: Object.fromEntries(
        [1, 2, 3, 4].map((n) => [`${n}${emoji.repeat(29)}`, emoji.repeat(5)]),
      ),
      amount: -1.234567890123456e-300,
    };
    const { bytes, values } = largestBody(schema);
    expect(escaped(largest).length).to.be.at.most(bytes);
    expect(bytes).to.be.below(2 * escaped(largest).length);
    expect(values).to.equal(31);
  });

  it('is infinite where a text, list or object has no bound, and as large as is stated', () => {
    const parts: TSchema[] = [
      Type.String(),
      Type.Array(Type.Boolean()),
      Type.Object({}),
      Type.Record(Type.String(), Type.Boolean()),
      Type.Unknown(),
    ];
    for (const part of parts) {
      const schema = Type.Object({ part }, { additionalProperties: false });
      expect(largestBody(schema).bytes, JSON.stringify(part)).to.equal(Number.POSITIVE_INFINITY);
      const stated = Type.Object(
        { part: { ...part, 'x-max-bytes': 1_600 } },
        { additionalProperties: false },
      );
      expect(largestBody(stated).bytes).to.be.within(1_600, 1_800);
      expect(largestBody(stated).values).to.be.at.most(103);
    }
  });

  it('is the limit of its operation: 16 KiB at least, and never more than the limits say', () => {
    const rulesFor = (body: TSchema, upload = false) =>
      bodyRulesOf({ input: { body }, upload }, defaultLimits);
    const small = Type.Object({ name: Type.String({ maxLength: 10 }) });
    expect(
      rulesFor(Type.Object({ ...small.properties }, { additionalProperties: false })),
    ).to.deep.equal({ maxBytes: 16_384, maxRestBytes: 16_384, maxValues: 1_000, forms: false });
    const open = Type.Unknown();
    const { bodyBytes, documentBytes } = defaultLimits;
    expect(rulesFor(open)?.maxBytes).to.equal(bodyBytes);
    expect(rulesFor(open, true)).to.deep.equal({
      maxBytes: Math.ceil(documentBytes / 3) * 4 + bodyBytes,
      maxRestBytes: bodyBytes,
      maxValues: 20_000,
      forms: true,
    });
    expect(bodyRulesOf({ input: {} }, defaultLimits)).to.equal(undefined);
  });
});
