import { expect } from 'chai';
import fc from 'fast-check';
import { duplicateNameIn } from '../../ground/duplicate-name.ts';

describe('a name that stands twice in an object', () => {
  it('is found at any depth, however it is written', () => {
    const cases: [string, string][] = [
      ['{"a":1,"a":2}', 'a'],
      ['{"a":1,"\\u0061":2}', 'a'],
      ['[{"x":{"b" :\n1,"c":"}\\"{","b"\t: []}}]', 'b'],
      ['{"a":{"a":1},"b":[{"a":1}],"a":0}', 'a'],
      ['{"":0,"":0}', ''],
      ['{"__proto__":0,"__proto__":0}', '__proto__'],
      ['{"\\\\":0,"x":"\\\\","\\\\":0}', '\\'],
      ['{"\\"":0,"\\"":0}', '"'],
    ];
    for (const [json, name] of cases) expect(duplicateNameIn(json), json).to.equal(name);
  });

  it('is not seen in different objects, in values and in arrays', () => {
    const fine = [
      '{"a":"a","b":"a:","c":["a","a"]}',
      '[{"a":1},{"a":2}]',
      '"a"',
      '1',
      'null',
      '{}',
    ];
    fine.push('{"a":{"a":{"a":[{"a":"\\\\"}]}}}', '{"a":"\\",\\"a\\":1"}', '["a", "a"]');
    for (const json of fine) expect(duplicateNameIn(json), json).to.equal(undefined);
  });

  it('is never found in what JSON.stringify writes, and always when a member is repeated', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(4), fc.string(), (value, indent, name) => {
        const json = JSON.stringify(value, null, indent);
        expect(duplicateNameIn(json)).to.equal(undefined);
        const key = JSON.stringify(name);
        expect(duplicateNameIn(`{${key}:${json}, ${key} :0}`)).to.equal(name);
      }),
    );
  });
});
