import { expect } from 'chai';
import { createHandOverAgain } from '../../reactors/hand-over-again.ts';

const nameOf = (n: number): string => String(n).padStart(3, '0');

describe('handing letters over again after a restore', () => {
  const setUp = (failing: Set<string>, count: number) => {
    const left = new Set(Array.from({ length: count }, (_, n) => nameOf(n)));
    const logged: string[] = [];
    const again = createHandOverAgain({
      toHandOver: async (limit, after = '') => [...left].filter((id) => id > after).slice(0, limit),
      async handOver(letterId) {
        if (failing.has(letterId)) throw new Error(`${letterId} cannot be rendered`);
        left.delete(letterId);
      },
      owns: () => true,
      log: { error: (_, text) => void logged.push(text) },
    });
    return { again, left, logged };
  };

  it('does not wait for letters that fail, however many they are, and says so once', async () => {
    const failing = new Set(Array.from({ length: 150 }, (_, n) => nameOf(n)));
    const { again, left, logged } = setUp(failing, 250);
    await again.work();
    expect(left).to.deep.equal(failing);
    expect(again.failure()).to.include('150 letters');
    await again.work();
    expect(logged).to.have.length(150);
  });

  it('is healthy again when they are handed over', async () => {
    const failing = new Set(['000']);
    const { again, left } = setUp(failing, 1);
    await again.work();
    expect(again.failure()).to.include('1 letter');
    failing.clear();
    await again.work();
    expect(again.failure()).to.equal(undefined);
    expect(left.size).to.equal(0);
  });
});
