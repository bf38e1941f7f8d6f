import { expect } from 'chai';
import { DocumentLost, documentStoreRefusal } from '../../contract/store-refusals.ts';
import { StoreUnavailable } from '../../events/event-store.ts';
import { createOutageLog } from '../../http/outage-log.ts';
import { eventually } from '../support/service-process.ts';
import { control, startExample } from './example-app.ts';

describe('requests while the store is away', function () {
  this.timeout(180_000);
  type Line = { level: string; fields: Record<string, unknown>; text: string };

  const start = async (accessLog: boolean) => {
    const lines: Line[] = [];
    const counted: number[] = [];
    let away = true;
    const line = (level: string) => (fields: object, text: string) =>
      void lines.push({ level, fields: { ...fields }, text });
    const app = await startExample({
      accessLog,
      log: { info: line('info'), warn: line('warn'), error: line('error') },
      metrics: { observe: (_, status) => void counted.push(status) },
      logPositions: {
        head: async () => {
          if (away) throw new StoreUnavailable('connection refused');
          return 1n;
        },
        isShown: () => true,
        waitFor: async () => true,
      },
    });
    const comeBack = () => {
      away = false;
      control.failure = undefined;
    };
    control.failure = new StoreUnavailable('connection refused', new Error('ECONNREFUSED'));
    return { app, lines, counted, comeBack };
  };
  const search = async (url: string) => (await fetch(`${url}/api/letters/search`)).status;

  it('are logged once, without a stack, and counted by the line that says that it answers again', async () => {
    const { app, lines, counted, comeBack } = await start(false);
    try {
      for (let n = 0; n < 20; n++) expect(await search(app.url)).to.equal(503);
      expect(lines.map(({ text }) => text)).to.deep.equal([
        'requests are refused: the store is unavailable',
      ]);
      expect(lines[0]?.fields).to.include({ code: 'store_unavailable', error: 'StoreUnavailable' });
      expect(JSON.stringify(lines)).not.to.contain('    at ');
      expect(counted.filter((status) => status === 503)).to.have.length(20);
      comeBack();
      const again = await eventually('it answers again', () =>
        lines.find(({ text }) => text === 'the log answers again'),
      );
      expect(again.fields).to.include({ refused: 20 });
      expect(await search(app.url)).to.equal(200);
      expect(lines).to.have.length(2);
    } finally {
      comeBack();
      await app.stop();
    }
  });

  it('are logged with the code of the document store, and not with its text', async () => {
    const { app, lines, comeBack } = await start(false);
    try {
      const cause = Object.assign(new Error('a text of the driver'), { code: 'ExpiredToken' });
      control.failure = documentStoreRefusal(cause);
      expect(await search(app.url)).to.equal(503);
      expect(lines[0]?.fields).to.include({
        code: 'store_unavailable',
        error_code: 'ExpiredToken',
      });
      expect(JSON.stringify(lines)).not.to.contain('a text of the driver');
      expect(lines[0]?.text).to.equal('requests are refused: the document store is unavailable');
    } finally {
      comeBack();
      await app.stop();
    }
  });

  it('are not called over because the log answers, while the document store is away', async () => {
    const lines: { text: string; refused: unknown }[] = [];
    const warn = (fields: object, text: string) =>
      void lines.push({ text, refused: Reflect.get(fields, 'refused') });
    const asked: number[] = [];
    const outages = createOutageLog({ warn }, async () => asked.push(performance.now()), 3_000);
    outages.refused({}, new Error('AccessDenied'), 'documents');
    outages.refused({}, new StoreUnavailable('away'), 'log');
    const last = () => lines.at(-1);
    await eventually(
      'the log is back',
      () => last()?.text === 'the log answers again' || undefined,
    );
    outages.refused({}, new Error('AccessDenied'), 'documents');
    const over = await eventually('the document store is back', () =>
      lines.find(({ text }) => text.startsWith('the document store refused nothing')),
    );
    expect(over.refused).to.equal(2);
    expect(lines).to.have.length(4);
  });

  it('are each a line of the access log where there is one', async () => {
    const { app, lines, comeBack } = await start(true);
    try {
      for (let n = 0; n < 5; n++) await search(app.url);
      const access = lines.filter(({ text }) => text === 'request');
      expect(access.map(({ fields }) => fields.status)).to.deep.equal([503, 503, 503, 503, 503]);
    } finally {
      comeBack();
      await app.stop();
    }
  });
});

describe('a request for a document that the document store lost', () => {
  it('is an error that the log names, and that a repetition does not cure', async () => {
    const lines: { fields: Record<string, unknown>; text: string }[] = [];
    const error = (fields: object, text: string) =>
      void lines.push({ fields: { ...fields }, text });
    const app = await startExample({ log: { info: () => {}, warn: () => {}, error } });
    try {
      control.failure = new DocumentLost('letter-1');
      const answer = await fetch(`${app.url}/api/letters/search`);
      const problem = (await answer.json()) as { code: string; detail: string };
      expect([answer.status, problem.code]).to.deep.equal([500, 'internal_error']);
      expect(problem.detail).to.contain('is missing in the storage of the service');
      expect(problem.detail).not.to.contain('letter-1');
      expect(lines[0]?.fields).to.include({
        error: 'DocumentLost',
        error_message: 'the document letter-1 is not in the document store',
      });
    } finally {
      control.failure = undefined;
      await app.stop();
    }
  });
});
