/** Nothing is appended to another log, however long an earlier subscription still brings what it read before. */
import { expect } from 'chai';
import { type EventBatch, OtherLog, StoreUnavailable } from '../../events/event-store.ts';
import { refuseOtherLog } from '../../infra/event-store/refuse-other-log.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';
import { anEvent, rejection } from './event-store.ts';

const lostLog = new OtherLog({ id: 'known', position: 7n as never }, undefined);

describe('the refusal of another log', () => {
  /** A store whose subscriptions bring what `next` gives, and its guard. */
  const guardedWorld = () => {
    const turns: (() => EventBatch)[] = [];
    const guarded = refuseOtherLog({
      ...createMemoryEventStore(),
      subscribe: async function* () {
        for (;;) {
          const turn = turns.shift();
          if (!turn) return;
          yield turn();
        }
      },
    });
    const brings = () => turns.push(() => ({ events: [], position: 1n as never }));
    const finds = () =>
      turns.push(() => {
        throw lostLog;
      });
    const follow = () => guarded.subscribe({ after: 0n as never })[Symbol.asyncIterator]();
    const append = () => guarded.append('a', 'no-stream', [anEvent()]);
    return { brings, finds, follow, append };
  };

  it('holds while an earlier subscription brings more', async () => {
    const { brings, finds, follow, append } = guardedWorld();
    const earlier = follow();
    brings();
    await earlier.next();
    finds();
    expect(await rejection(follow().next())).to.equal(lostLog);
    brings();
    await earlier.next();
    expect(await rejection(append())).to.be.instanceOf(StoreUnavailable);
  });

  it('follows from a question, and ends with one that finds the log', async () => {
    let isOther = true;
    const { ping, append } = refuseOtherLog({
      ...createMemoryEventStore(),
      ping: async () => {
        if (isOther) throw lostLog;
      },
    });
    expect(await rejection(ping?.() ?? Promise.resolve())).to.equal(lostLog);
    expect(await rejection(append('a', 'no-stream', [anEvent()]))).to.have.property(
      'cause',
      lostLog,
    );
    isOther = false;
    await ping?.();
    expect(await append('a', 'no-stream', [anEvent()])).to.have.property('version', 0n);
  });

  it('ends when a subscription that begins later finds the log', async () => {
    const { brings, finds, follow, append } = guardedWorld();
    finds();
    await rejection(follow().next());
    expect(await rejection(append())).to.be.instanceOf(StoreUnavailable);
    brings();
    await follow().next();
    expect(await append()).to.have.property('version', 0n);
  });
});
