import { expect } from 'chai';
import fc from 'fast-check';
import { open, seal } from '../../events/sealing.ts';

const key = Buffer.alloc(32, 1);
const otherKey = Buffer.alloc(32, 2);

describe('a sealed text', () => {
  it('is opened with its key and its context', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plain, context) => {
        const sealed = seal(plain, key, context);
        expect(open(sealed, key, context).toString('utf8')).to.equal(plain);
        expect(sealed).to.match(/^[\w-]+$/);
      }),
    );
  });

  it('keeps bytes as they are', () => {
    const bytes = Buffer.from([0, 255, 128, 10]);
    expect(open(seal(bytes, key, 'x'), key, 'x').equals(bytes)).to.equal(true);
  });

  it('is never sealed the same twice', () => {
    expect(seal('same', key, 'x')).to.not.equal(seal('same', key, 'x'));
  });

  it('is not opened with another key or another context', () => {
    const sealed = seal('secret', key, 'event-1');
    expect(() => open(sealed, otherKey, 'event-1')).to.throw();
    expect(() => open(sealed, key, 'event-2')).to.throw();
    expect(() => open(sealed, key, '')).to.throw();
  });

  it('is not opened when any one byte of it was changed', () => {
    const bytes = Buffer.from(seal('a secret text', key, 'x'), 'base64url');
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => open(changed.toString('base64url'), key, 'x'), `byte ${index}`).to.throw();
    }
  });

  it('is not opened when it was cut short, at whatever length', () => {
    const bytes = Buffer.from(seal('', key, 'x'), 'base64url');
    for (let length = 0; length < bytes.length; length++) {
      const cut = bytes.subarray(0, length).toString('base64url');
      expect(() => open(cut, key, 'x'), `${length} bytes`).to.throw();
    }
  });
});
