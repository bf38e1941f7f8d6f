import { expect } from 'chai';
import { createOutageGate } from '../../infra/print/outage-gate.ts';

describe('the gate before a partner that is down', () => {
  const world = () => {
    const time = { nowMs: 0 };
    const gate = createOutageGate(() => time.nowMs);
    let calls = 0;
    let down = true;
    const call = () =>
      gate
        .pass(
          async () => {
            calls++;
            if (down) throw new Error('down');
          },
          () => true,
        )
        .then(
          () => 'done',
          () => 'failed',
        );
    return {
      time,
      gate,
      call,
      calls: () => calls,
      repair: () => {
        down = false;
      },
    };
  };

  it('lets one call through after each pause, and all once one has worked', async () => {
    const { time, call, calls, repair } = world();
    for (let n = 0; n < 5; n++) await call();
    expect(calls()).to.equal(3);
    time.nowMs = 500;
    await Promise.all([call(), call(), call()]);
    expect(calls()).to.equal(4);
    time.nowMs = 1_499;
    await call();
    expect(calls()).to.equal(4);
    time.nowMs = 1_500;
    repair();
    expect(await call()).to.equal('done');
    expect(await Promise.all([call(), call()])).to.deep.equal(['done', 'done']);
  });

  it('pauses 15 seconds at most', async () => {
    const { time, call, calls } = world();
    for (let n = 0; n < 100; n++) {
      time.nowMs += 15_000;
      await call();
    }
    expect(calls()).to.equal(100);
  });

  it('does not take a refusal of one job for an outage', async () => {
    const gate = createOutageGate(() => 0);
    let calls = 0;
    const call = () =>
      gate.pass(
        async () => {
          calls++;
          throw new Error('this job is wrong');
        },
        () => false,
      );
    for (let n = 0; n < 10; n++) await call().catch(() => undefined);
    expect(calls).to.equal(10);
  });
});
