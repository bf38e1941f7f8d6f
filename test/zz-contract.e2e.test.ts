import { expect } from 'chai';
import { useService } from './support/client.ts';
import { seen, undocumented } from './support/service.ts';

/** Runs last, over what all the files before it saw. Alone it has nothing to look at. */
describe('the contract of the HTTP surface', () => {
  const api = useService();
  before(function () {
    if (seen.size === 0) this.skip();
  });

  it('was kept by every answer that a test saw', () => {
    expect(undocumented).to.deep.equal([]);
  });

  it('was seen in full: every operation answered with each success that it declares', () => {
    const declared = api.service().service.operations.flatMap(({ name, responses }) =>
      Object.keys(responses)
        .filter((status) => Number(status) < 300)
        .map((status) => `${name} ${status}`),
    );
    expect(declared.filter((answer) => !seen.has(answer))).to.deep.equal([]);
  });
});
