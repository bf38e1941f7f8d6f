import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createRepeatLog } from '../../http/repeat-log.ts';
import { control, request, startExample, until } from './example-app.ts';

describe('log lines that callers can cause again and again', () => {
  it('are one line at once, and one with the number of the others', async () => {
    const lines: Record<string, unknown>[] = [];
    const log = createRepeatLog(20);
    const write = (fields: Record<string, unknown>) => void lines.push(fields);
    for (let n = 0; n < 500; n += 1) log.write('health overloaded', { n }, write);
    log.write('ready overloaded', { n: 'other' }, write);
    expect(lines).to.deep.equal([{ n: 0 }, { n: 'other' }]);
    await until(() => lines.length > 2);
    expect(lines[2]).to.deep.equal({ n: 499, times: 499 });
    await pause(0);
    expect(lines).to.have.length(3);
  });

  it('are written so for requests that are refused for load, and for faults of the service', async () => {
    for (const [limits, failure] of [
      [{ concurrentPublicRequests: 0 }, undefined],
      [{}, new Error('unforeseen')],
    ] as const) {
      const app = await startExample({ limits });
      try {
        control.failure = failure;
        for (let n = 0; n < 30; n += 1) {
          expect((await request(app, '/open')).status).to.be.within(500, 503);
        }
        expect(app.logged).to.have.length(1);
        expect(app.observed).to.have.length(30);
      } finally {
        await app.stop();
      }
    }
  });
});
