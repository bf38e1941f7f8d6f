import { expect } from 'chai';
import { createOpenText } from '../../commands/preparation/open-text.ts';
import { isAppError } from '../../contract/errors.ts';
import { defaultLimits } from '../../contract/limits.ts';
import { fontMetrics } from '../../documents/render/font-metrics.ts';

describe('a text that is set for its page count', () => {
  /** Every look at the clock is so much later. */
  const world = (stepMs: number) => {
    let nowMs = 0;
    const now = () => {
      nowMs += stepMs;
      return nowMs;
    };
    const time = { now, workedMs: now };
    const open = createOpenText({ metrics: fontMetrics(), limits: defaultLimits }, time);
    return {
      pass: (ms: number) => {
        nowMs += ms;
      },
      async set(by: string): Promise<number> {
        const { count } = await open('A letter.', 'DE', by);
        return count('de_standardbrief', undefined);
      },
    };
  };

  const refusals = (answers: PromiseSettledResult<number>[]) =>
    answers.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));

  it('takes no more of the time of all than its caller may have, however many come at once', async () => {
    const { set, pass } = world(100);
    const answers = await Promise.allSettled(Array.from({ length: 200 }, () => set('a')));
    const refused = refusals(answers);
    // Each text is two pieces of work; a burst is two seconds beyond the usual.
    expect(answers.length - refused.length).to.be.within(5, 40);
    for (const error of refused) {
      if (!isAppError(error)) throw error;
      expect(error.code).to.equal('rate_limited');
      expect(Number(error.headers?.['Retry-After'])).to.be.within(1, 60);
    }
    expect(await set('b'), 'of another caller').to.equal(1);
    pass(60_000);
    expect(await set('a'), 'a minute later').to.equal(1);
  });

  it('is never refused where it takes the usual time', async () => {
    const { set } = world(10);
    const answers = await Promise.allSettled(Array.from({ length: 2_000 }, () => set('a')));
    expect(refusals(answers)).to.deep.equal([]);
  });
});
