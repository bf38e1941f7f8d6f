import { expect } from 'chai';
import { Gauge, Registry } from 'prom-client';
import { systemOperations } from '../../service/run/system-operations.ts';

const nothing = {} as never;

describe('what machines around the service read', () => {
  it('is looked up once for a thousand requests in a second', async () => {
    const counted = { looks: 0, owners: 0, metrics: 0 };
    const registry = new Registry();
    new Gauge({
      name: 'counted',
      help: 'Renderings',
      registers: [registry],
      collect() {
        counted.metrics += 1;
        this.set(counted.metrics);
      },
    });
    const operations = systemOperations({
      clock: Date.now,
      dense: true,
      registry,
      openApi: () => ({}),
      reactions: () => ({ reactors: [], wings: [], samples: [] }),
      unowned: async () => {
        counted.owners += 1;
        return [];
      },
      look: async () => {
        counted.looks += 1;
        return { head: 1n, away: undefined, projections: [], reactors: [] };
      },
    });
    for (const name of ['health', 'ready', 'metrics']) {
      const operation = operations.find((one) => one.name === name);
      await Promise.all(Array.from({ length: 1_000 }, () => operation?.handle(nothing)));
    }
    expect(counted).to.deep.equal({ looks: 1, owners: 1, metrics: 1 });
  });

  it('waits for a silent database no longer than for the log', async () => {
    const operations = systemOperations({
      clock: Date.now,
      dense: true,
      registry: new Registry(),
      openApi: () => ({}),
      reactions: () => ({ reactors: [], wings: [], samples: [] }),
      unowned: () => new Promise(() => {}),
      look: async () => ({ head: 1n, away: undefined, projections: [], reactors: [] }),
    });
    const health = operations.find(({ name }) => name === 'health');
    const answer = await health?.handle(nothing);
    expect(answer?.body).to.include({ status: 'ok' }).and.deep.include({ unowned: [] });
  });
});
