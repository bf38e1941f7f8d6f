import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { asPosition } from '../../events/position.ts';
import { createUntilShown } from '../../infra/webhooks/until-shown.ts';

describe('webhooks and what the API shows', () => {
  const at = asPosition;

  it('wait until the API shows what they are about', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    let told = false;
    const waiting = createUntilShown(() => promise)(at(7n)).then(() => {
      told = true;
    });
    await turn();
    expect(told).to.equal(false);
    resolve(true);
    await waiting;
  });

  it('do not wait for an API that does not catch up, and wait again when it has', async () => {
    const asked: bigint[] = [];
    let answer = Promise.resolve(false);
    const untilShown = createUntilShown((position) => {
      asked.push(position);
      return answer;
    });
    await untilShown(at(1n));
    const { promise, resolve } = Promise.withResolvers<boolean>();
    answer = promise;
    // Neither waits; one of them looks.
    await untilShown(at(2n));
    await untilShown(at(3n));
    expect(asked).to.deep.equal([1n, 2n]);
    resolve(true);
    await turn();
    const late = Promise.withResolvers<boolean>();
    answer = late.promise;
    let told = false;
    const waiting = untilShown(at(4n)).then(() => {
      told = true;
    });
    await turn();
    expect(told).to.equal(false);
    late.resolve(true);
    await waiting;
  });
});
