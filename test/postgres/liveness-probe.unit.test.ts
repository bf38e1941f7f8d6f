import { expect } from 'chai';
import { startProbe } from '../../infra/postgres/liveness-probe.ts';
import { until } from '../http/example-app.ts';

describe('a probe', () => {
  it('is lost when a question stays unanswered or is answered with no, and felt again when one is answered or refused', async () => {
    let ask = (): Promise<unknown> => Promise.resolve();
    const told: boolean[] = [];
    let given = 0;
    let cut = 0;
    const probe = startProbe(
      { ask: () => ask(), giveUp: () => given++ },
      { everyMs: 1, answerMs: 20, onChange: (lost) => told.push(lost) },
    );
    probe.whenLost(() => cut++);
    try {
      ask = () => new Promise(() => {});
      await until(() => probe.isLost());
      expect(given).to.be.greaterThan(0);
      ask = () => Promise.reject(new Error('refused'));
      await until(() => !probe.isLost());
      ask = () => new Promise(() => {});
      await until(() => probe.isLost());
      ask = () => Promise.resolve();
      await until(() => !probe.isLost());
      ask = () => Promise.resolve(false);
      await until(() => probe.isLost());
      ask = () => Promise.resolve(true);
      await until(() => !probe.isLost());
      expect(told).to.deep.equal([true, false, true, false, true, false]);
      expect(cut).to.equal(3);
    } finally {
      await probe.stop();
    }
  });

  it('stops while a question is open', async () => {
    const probe = startProbe({ ask: () => new Promise(() => {}) }, { answerMs: 60_000 });
    await probe.stop();
    expect(probe.isLost()).to.equal(false);
  });
});
