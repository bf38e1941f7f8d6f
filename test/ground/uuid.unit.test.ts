import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { readUuid, uuidBytes, uuidv5, writeUuid } from '../../ground/uuid.ts';

const hexOf = (uuid: string): string => uuid.replaceAll('-', '').toLowerCase();

describe('a UUID', () => {
  it('is read back, in lower case, from the bytes that were written', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.boolean(), fc.nat(9), (uuid, isUpper, at) => {
        const bytes = Buffer.alloc(at + uuidBytes);
        writeUuid(isUpper ? uuid.toUpperCase() : uuid, bytes, at);
        expect(bytes.toString('hex', at)).to.equal(hexOf(uuid));
        expect(readUuid(bytes, at)).to.equal(uuid);
      }),
    );
  });

  it('is derived from any name, however long', () => {
    const name = fc.oneof(
      fc.string(),
      fc.nat(3_000).map((n) => 'é'.repeat(n)),
    );
    fc.assert(
      fc.property(fc.uuid(), name, (namespace, name) => {
        const sha1 = createHash('sha1').update(Buffer.from(hexOf(namespace), 'hex'));
        const digest = sha1.update(name).digest('hex');
        const hex = hexOf(uuidv5(namespace, name));
        expect(hex.slice(0, 12)).to.equal(digest.slice(0, 12));
        expect(hex.charAt(12)).to.equal('5');
        expect(hex.slice(13, 16)).to.equal(digest.slice(13, 16));
        expect(hex.charAt(16)).to.be.oneOf(['8', '9', 'a', 'b']);
        expect(hex.slice(17)).to.equal(digest.slice(17, 32));
      }),
    );
  });
});
