import { expect } from 'chai';
import { createGently } from '../../reactors/gently.ts';

describe('work that keeps a process from everything else', () => {
  it('leaves as long as it took to others before the next piece, whether it fails or not', async () => {
    let nowMs = 0;
    const course: string[] = [];
    const gently = createGently({
      elapsedMs: () => nowMs,
      async pause(ms) {
        course.push(`rest ${ms}`);
        nowMs += ms;
      },
    });
    const piece = (name: string, ms: number, fails = false) =>
      gently(async () => {
        course.push(name);
        nowMs += ms;
        if (fails) throw new Error(name);
        return name;
      });
    const answers = await Promise.allSettled([
      ...[piece('a', 400), piece('b', 30, true), piece('c', 9_000), piece('d', 1)],
    ]);
    expect(answers.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).to.deep.equal(
      ['a', 'failed', 'c', 'd'],
    );
    expect(course.slice(0, 7)).to.deep.equal([
      ...['a', 'rest 400', 'b', 'rest 30', 'c', 'rest 2000', 'd'],
    ]);
  });
});
