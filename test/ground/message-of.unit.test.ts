import { expect } from 'chai';
import { messageOf } from '../../ground/message-of.ts';

describe('the message of what was thrown', () => {
  it('is the message of an error', () => {
    expect(messageOf(new TypeError('not a number'))).to.equal('not a number');
  });

  it('is the text of anything that is no error', () => {
    expect([messageOf('text'), messageOf(7), messageOf(undefined)]).to.deep.equal([
      'text',
      '7',
      'undefined',
    ]);
  });
});
