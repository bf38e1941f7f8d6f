import { expect } from 'chai';
import { asPosition } from '../../events/position.ts';
import { createStreamTasks } from '../../reactors/stream-tasks.ts';

type Line = { fields: Record<string, unknown>; text: string };

const world = () => {
  const errors: Line[] = [];
  const warnings: Line[] = [];
  const pauses: number[] = [];
  const stop = new AbortController();
  let ready = (): void => {};
  const nextRound = { promise: Promise.resolve() };
  const newRound = () => {
    nextRound.promise = new Promise((resolve) => {
      ready = resolve;
    });
  };
  newRound();
  const tasks = createStreamTasks({
    reactor: 'produce-letters',
    log: {
      error: (fields: object, text?: string) =>
        errors.push({ fields: fields as Line['fields'], text: text ?? '' }),
      warn: (fields: object, text?: string) =>
        warnings.push({ fields: fields as Line['fields'], text: text ?? '' }),
    } as never,
    signal: stop.signal,
    time: {
      pause: (ms: number) => {
        pauses.push(ms);
        return nextRound.promise;
      },
    } as never,
  });
  const addFailing = (count: number, work: (n: number) => Promise<void>) => {
    for (let n = 0; n < count; n++) {
      const position = asPosition(BigInt(n + 1));
      const before = asPosition(BigInt(n));
      const at = '2026-11-23T00:00:00.000Z';
      const stream = `letter-${n}`;
      tasks.add({ stream, type: 'LetterProcessingStarted', position, before, at }, () => work(n));
    }
  };
  return {
    errors,
    warnings,
    pauses,
    tasks,
    addFailing,
    /** All that wait try again. */
    async round(): Promise<void> {
      const resolve = ready;
      newRound();
      resolve();
      for (let turn = 0; turn < 500; turn++) await Promise.resolve();
    },
  };
};

describe('the tasks of a reactor during an outage', () => {
  it('pause for a minute at most, and for five once they are on record as not done', async () => {
    const { tasks, addFailing, pauses, round } = world();
    const down = async () => {
      throw new Error('The print partner is down.');
    };
    addFailing(1, down);
    for (let tries = 0; tries < 15; tries++) await round();
    expect(Math.max(...pauses)).to.equal(60_000);
    pauses.length = 0;
    const at = '2026-11-23T00:00:00.000Z';
    const cause = { stream: 'letter-9', type: 'LetterQueued', position: asPosition(9n), at };
    tasks.add(cause, down);
    for (let tries = 0; tries < 15; tries++) await round();
    expect(Math.max(...pauses)).to.equal(300_000);
    expect(pauses).to.include(102_400);
  });

  it('report it without personal data', async () => {
    const { errors, tasks, addFailing, round } = world();
    addFailing(1, async () => {
      throw new Error('refused for olga@example.com');
    });
    await round();
    expect(tasks.failing().map(({ error }) => error)).to.deep.equal(['refused for [address]']);
    expect(errors.map(({ fields }) => fields.err)).to.deep.equal(['refused for [address]']);
  });

  it('write a problem once for all of them, and once when it is over', async () => {
    const { errors, warnings, tasks, addFailing, round } = world();
    let down = true;
    addFailing(40, async () => {
      if (down) throw new Error('The print partner is down.');
    });
    for (let tries = 0; tries < 5; tries++) await round();
    expect(tasks.failing()).to.have.length(40);
    expect(errors.map(({ fields }) => fields.err)).to.deep.equal(['The print partner is down.']);
    expect(errors[0]?.fields).to.include({ reactor: 'produce-letters', stream: 'letter-0' });
    expect(errors[0]?.text).to.include('LetterProcessingStarted');
    down = false;
    await round();
    expect(tasks.failing()).to.have.length(0);
    expect(warnings).to.have.length(1);
    expect(warnings[0]?.fields.times).to.be.at.least(40 * 5);
  });

  it('write each problem of several, and one again that comes back', async () => {
    const { errors, addFailing, round } = world();
    let down = true;
    const failing = async (n: number) => {
      if (down) throw new Error(n % 2 === 0 ? 'refused' : 'timed out');
    };
    addFailing(6, failing);
    await round();
    expect(errors.map(({ fields }) => fields.err)).to.have.members(['refused', 'timed out']);
    down = false;
    await round();
    down = true;
    addFailing(1, failing);
    await round();
    expect(errors).to.have.length(3);
  });

  it('keep few problems in memory where each task has one of its own', async () => {
    const { errors, tasks, addFailing, round } = world();
    addFailing(200, async (n) => {
      throw new Error(`letter ${n} cannot be made`);
    });
    await round();
    await round();
    expect(tasks.failing()).to.have.length(200);
    expect(new Set(errors.map(({ fields }) => fields.err))).to.have.property('size', 200);
  });
});
