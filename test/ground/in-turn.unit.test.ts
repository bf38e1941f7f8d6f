import { expect } from 'chai';
import { createInTurn } from '../../ground/in-turn.ts';

describe('work in turn', () => {
  it('runs under one key in the order of the calls, one at a time', async () => {
    const inTurn = createInTurn();
    const steps: string[] = [];
    const first = Promise.withResolvers<void>();
    const calls = [
      inTurn('a', async () => {
        steps.push('first begins');
        await first.promise;
        steps.push('first ends');
      }),
      inTurn('a', async () => {
        steps.push('second');
      }),
    ];
    await new Promise((resolve) => setImmediate(resolve));
    expect(steps).to.deep.equal(['first begins']);
    first.resolve();
    await Promise.all(calls);
    expect(steps).to.deep.equal(['first begins', 'first ends', 'second']);
  });

  it('runs under different keys at the same time', async () => {
    const inTurn = createInTurn();
    const never = new Promise<never>(() => {});
    void inTurn('a', () => never);
    expect(await inTurn('b', async () => 'done')).to.equal('done');
  });

  it('gives a failure to its own caller and goes on with the next', async () => {
    const inTurn = createInTurn();
    const failing = inTurn('a', () => Promise.reject(new Error('broken')));
    const next = inTurn('a', async () => 'done');
    expect(await failing.catch((error) => error)).to.have.property('message', 'broken');
    expect(await next).to.equal('done');
  });
});
