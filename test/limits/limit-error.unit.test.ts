import { expect } from 'chai';
import { limitError, type RefusingLimit } from '../../limits/limit-error.ts';
import { limitNames, limitRow } from '../../limits/table.ts';

describe('the refusal beyond a limit', () => {
  it('has the code that the row of the limit names, and says what the caller said', () => {
    for (const name of limitNames) {
      const row = limitRow(name);
      if (!('error' in row)) continue;
      const error = limitError(name as RefusingLimit, 'Shorten it.', { headers: { A: 'b' } });
      expect(error.code, name).to.equal(row.error);
      expect(error.message, name).to.equal('Shorten it.');
      expect(error.headers, name).to.include({ A: 'b' });
    }
  });
});
