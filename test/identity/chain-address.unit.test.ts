import { expect } from 'chai';
import fc from 'fast-check';
import { getAddress as checksumAddress, isAddress } from 'viem';
import { isEip155Address } from '../../identity/chain-address.ts';

const someAddress = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes): `0x${string}` => `0x${Buffer.from(bytes).toString('hex')}`);

describe('an address of an EVM chain', () => {
  it('is one in lower case and with its checksum', () => {
    fc.assert(
      fc.property(someAddress, (address) => {
        expect(isEip155Address(address)).to.equal(true);
        expect(isEip155Address(checksumAddress(address))).to.equal(true);
      }),
    );
  });

  it('is judged as wallets judge it, whatever the case of its letters', () => {
    const someCase = fc.tuple(someAddress, fc.array(fc.nat(41), { maxLength: 3 }));
    fc.assert(
      fc.property(someCase, ([address, changed]) => {
        const text = [...checksumAddress(address)];
        for (const at of changed) {
          const letter = text[at] ?? '';
          const upper = letter.toUpperCase();
          text[at] = letter === upper ? letter.toLowerCase() : upper;
        }
        const written = text.join('');
        expect(isEip155Address(written), written).to.equal(isAddress(written, { strict: true }));
      }),
    );
  });

  it('has 40 characters, hexadecimal ones only', () => {
    for (const text of ['', '0x', `0x${'0'.repeat(39)}`, `0x${'g'.repeat(40)}`, '0'.repeat(42)]) {
      expect(isEip155Address(text), text).to.equal(false);
    }
  });
});
