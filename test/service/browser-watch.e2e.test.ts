import { expect } from 'chai';
import { createBrowserWatch } from '../../service/foundation/browser-watch.ts';
import { expectProblem, letterTo, until, useService } from '../support/client.ts';

type Health = { status: string; parts?: { name: string; status: string; detail?: string }[] };

describe('a browser for HTML letters', function () {
  this.timeout(180_000);

  it('is known to start, or not, once it was tried', async () => {
    const lines: string[] = [];
    const log = {
      error: (_: object, text?: string) => lines.push(`error ${text}`),
      warn: (_: object, text?: string) => lines.push(`warn ${text}`),
    };
    const watch = createBrowserWatch(log as never, {
      executablePath: '/nope',
      afterMs: 0,
      everyMs: 10,
    });
    expect(watch.health()).to.equal(undefined);
    const stopping = new AbortController();
    const watching = watch.watch(stopping.signal);
    await until(async () => watch.health() !== undefined);
    stopping.abort();
    await watching;
    expect(watch.health()).to.include({ name: 'browser', status: 'degraded' });
    expect(watch.health()?.detail).to.include('/nope');
    expect(lines[0]).to.include('the browser does not start');
    // A letter that was printed meanwhile says more than a try that failed.
    watch.launched();
    expect(watch.health()).to.deep.equal({ name: 'browser', status: 'ok' });
    expect(lines.at(-1)).to.equal('warn goes on again');
  });

  it('is not tried while the service is busy, unless that lasts', async () => {
    const silent = { error: () => {}, warn: () => {} };
    const tried = async (busyLooks: number) => {
      let looks = 0;
      const watch = createBrowserWatch(silent, {
        executablePath: '/nope',
        afterMs: 0,
        lookMs: 0,
        isBusy() {
          expect(watch.health()).to.equal(undefined);
          return looks++ < busyLooks;
        },
      });
      const stopping = new AbortController();
      const watching = watch.watch(stopping.signal);
      await until(async () => watch.health() !== undefined);
      stopping.abort();
      await watching;
      return looks;
    };
    expect(await tried(0)).to.equal(1);
    expect(await tried(20)).to.equal(21);
    expect(await tried(Number.POSITIVE_INFINITY)).to.equal(300);
  });

  it('starts here', async () => {
    const silent = { error: () => {}, warn: () => {} };
    const watch = createBrowserWatch(silent, {
      executablePath: process.env.CHROMIUM_PATH,
      afterMs: 0,
    });
    const stopping = new AbortController();
    const watching = watch.watch(stopping.signal);
    await until(async () => watch.health() !== undefined);
    stopping.abort();
    await watching;
    expect(watch.health()).to.deep.equal({ name: 'browser', status: 'ok' });
  });

  describe('that does not start', () => {
    const api = useService({ CHROMIUM_PATH: '/nope' });

    it('degrades the health of the service, sets a metric and has an error of its own', async () => {
      const health = async () => (await api.call<Health>('GET', '/health')).body;
      expect((await health()).parts?.some(({ name }) => name === 'browser') ?? false).to.equal(
        false,
      );
      api.service().service.started();
      await until(async () => (await health()).status === 'degraded');
      const part = (await health()).parts?.find(({ name }) => name === 'browser');
      expect(part).to.include({ status: 'degraded' });
      expect(part?.detail).to.include('HTML letters are refused');
      const metrics = await api.call('GET', '/metrics');
      expect(metrics.text).to.match(/^html_printing_failing 1$/m);
      const client = await api.register();
      const html = letterTo('DE', { content: '<p>Hello</p>' });
      const refused = await client.post('/api/send', html);
      expectProblem(refused, 503, 'html_unavailable');
      expect(refused.headers.get('Retry-After')).to.equal('60');
      const text = await client.post('/api/send', letterTo('DE'));
      expect(text.status, text.text).to.equal(201);
    });
  });
});
