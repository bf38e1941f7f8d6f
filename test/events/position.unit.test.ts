import { expect } from 'chai';
import { asPosition, earlier, type Position } from '../../events/position.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

describe('positions in the log', () => {
  const given: Position = asPosition(4_711n);

  it('are compared, and never computed: what arithmetic makes of one is not taken by a store', () => {
    expect(earlier(given, asPosition(12n))).to.equal(12n);
    const store = createMemoryEventStore();
    // The compiler is the test: each of these lines must be an error.
    const invented = [
      // @ts-expect-error
      () => store.readAll({ after: given - 1n }),
      // @ts-expect-error
      () => store.subscribe({ after: given + 1n }),
      // @ts-expect-error
      () => store.readAll({ after: BigInt('4711') }),
      // @ts-expect-error
      (): Position => given - 1n,
    ];
    expect(invented).to.have.length(4);
  });
});
