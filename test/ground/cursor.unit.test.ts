import { expect } from 'chai';
import { decodeTimeCursor, encodeCursor, encodeTimeCursor } from '../../ground/cursor.ts';

describe('a cursor of a list by time', () => {
  it('names the time and the position of the last row of a page', () => {
    const place = { createdAt: '2026-11-23T15:14:52.007Z', position: 12_345_678n };
    expect(decodeTimeCursor(encodeTimeCursor(place))).to.deep.equal(place);
  });

  it('is also one of an earlier version, which named the position only', () => {
    expect(decodeTimeCursor(encodeCursor(77n))).to.deep.equal({
      createdAt: undefined,
      position: 77n,
    });
  });

  for (const text of [
    '',
    'x',
    't12',
    'p',
    't1p',
    't-1p1',
    'p1 ',
    't99999999999999999999p1',
    't1p1; drop',
  ]) {
    it(`is not ${JSON.stringify(text)}`, () => {
      expect(decodeTimeCursor(Buffer.from(text).toString('base64url'))).to.equal(undefined);
    });
  }
});
