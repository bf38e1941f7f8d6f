import { mock } from 'node:test';
import { expect } from 'chai';
import { createFollowLightning } from '../../reactors/payments/follow-lightning.ts';

describe('following the Lightning node', () => {
  afterEach(() => mock.timers.reset());

  it('logs each time that the node goes away, once', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const stopping = new AbortController();
    const said: string[] = [];
    // A node that is away, comes back, goes away again and stays away.
    const connects = [false, false, true, false];
    const follow = createFollowLightning({
      // biome-ignore lint/correctness/useYield: the node settles nothing
      async *settledNow(_signal, connected) {
        const isBack = connects.shift();
        if (isBack === undefined) stopping.abort();
        if (isBack) connected();
        throw new Error('terminated');
      },
      settle: async () => {},
      byHash: async () => [],
      log: { warn: (fields) => said.push((fields as { err: string }).err) },
    });
    const ended = follow(stopping.signal);
    while (!stopping.signal.aborted) {
      await new Promise(setImmediate);
      mock.timers.tick(5_000);
    }
    await ended;
    expect(said).to.deep.equal(['Error: terminated', 'Error: terminated']);
  });
});
