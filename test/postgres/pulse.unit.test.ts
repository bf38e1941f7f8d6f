import { expect } from 'chai';
import { startPulse } from '../../infra/postgres/pulse.ts';
import { until } from '../http/example-app.ts';

describe('a pulse', () => {
  it('is lost when a question stays unanswered, and felt again when one is answered or refused', async () => {
    let ask = (): Promise<unknown> => Promise.resolve();
    const told: boolean[] = [];
    let given = 0;
    let cut = 0;
    const pulse = startPulse(
      { ask: () => ask(), giveUp: () => given++ },
      { everyMs: 1, answerMs: 20, onChange: (lost) => told.push(lost) },
    );
    pulse.whenLost(() => cut++);
    try {
      ask = () => new Promise(() => {});
      await until(() => pulse.isLost());
      expect(given).to.be.greaterThan(0);
      ask = () => Promise.reject(new Error('refused'));
      await until(() => !pulse.isLost());
      ask = () => new Promise(() => {});
      await until(() => pulse.isLost());
      ask = () => Promise.resolve();
      await until(() => !pulse.isLost());
      expect(told).to.deep.equal([true, false, true, false]);
      expect(cut).to.equal(2);
    } finally {
      await pulse.stop();
    }
  });

  it('stops while a question is open', async () => {
    const pulse = startPulse({ ask: () => new Promise(() => {}) }, { answerMs: 60_000 });
    await pulse.stop();
    expect(pulse.isLost()).to.equal(false);
  });
});
