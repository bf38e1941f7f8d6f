import { expect } from 'chai';
import { pause } from '../../ground/pause.ts';
import { startChores } from '../../service/foundation/chores.ts';
import { until } from '../support/client.ts';

const log = { error: () => {} } as never;
const never = new AbortController().signal;

describe('chores', () => {
  it('begin one after the other, also after one that fails, and are repeated', async () => {
    const done: string[] = [];
    let running = 0;
    let most = 0;
    const chores = ['sweep', 'tidy', 'polish'].map((what) => ({
      what,
      everyMs: what === 'tidy' ? 1 : 60_000,
      async work() {
        if (done.includes(what)) return void done.push(what);
        most = Math.max(most, ++running);
        await pause(5, never);
        running--;
        done.push(what);
        throw new Error('no broom');
      },
    }));
    const stop = startChores(chores, log);
    await until(async () => done.filter((what) => what === 'tidy').length > 2);
    await until(async () => done.includes('polish'));
    await stop();
    expect(most).to.equal(1);
    expect(done[0]).to.equal('sweep');
    const count = done.length;
    await pause(5, never);
    expect(done.length).to.equal(count);
  });

  it('do not wait long for a slow one', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isPolished = false;
    const stop = startChores(
      [
        { what: 'sweep', everyMs: 60_000, work: () => promise },
        {
          what: 'polish',
          everyMs: 60_000,
          work: async () => {
            isPolished = true;
          },
        },
      ],
      log,
    );
    await until(async () => isPolished);
    resolve();
    await stop();
  });
});
