/** Reads show what their account wrote before, without asking for a log position. */
import { expect } from 'chai';
import { AppError } from '../../contract/errors.ts';
import {
  control,
  type Example,
  exampleOperations,
  letterId,
  paymentsOnce,
  request,
  startExample,
} from './example-app.ts';

describe('reads after writes of the same account', () => {
  let app: Example;
  let shownUpTo: bigint;
  let waits: bigint[];
  /** Runs while a read waits. */
  let whileWaiting: () => void;
  beforeEach(async () => {
    shownUpTo = 10n;
    waits = [];
    whileWaiting = () => {};
    app = await startExample({
      logPositions: {
        head: async () => 100n,
        isShown: (position) => position <= shownUpTo,
        async waitFor(position) {
          waits.push(position);
          whileWaiting();
          return position <= shownUpTo;
        },
      },
    });
  });
  afterEach(() => app.stop());

  const write = (position: number, key = 'full') =>
    request(app, 'POST /write', { key, json: { position } });
  const read = (key = 'read') => request(app, '/who', { key });

  it('wait until the read models have reached the write, whichever key reads', async () => {
    await write(20);
    whileWaiting = () => {
      shownUpTo = 20n;
    };
    const { status, headers } = await read();
    expect([status, headers.get('x-read-model')]).to.deep.equal([200, null]);
    expect(waits).to.deep.equal([20n]);
    await read();
    expect(waits).to.deep.equal([20n]);
  });

  it('wait for the newest write, in whichever order writes are answered', async () => {
    await write(30);
    await write(20);
    await read();
    expect(waits).to.deep.equal([30n]);
  });

  it('do not wait for writes of others, nor for what is shown', async () => {
    await write(20, 'other');
    await write(10);
    expect((await read()).headers.get('x-read-model')).to.equal(null);
    expect(waits).to.deep.equal([]);
  });

  it('are answered past the bound, say so, and wait once for each write', async () => {
    await write(20);
    for (const _ of [1, 2]) {
      const { status, headers } = await read();
      expect([status, headers.get('x-read-model')]).to.deep.equal([200, 'catching-up']);
    }
    expect(waits).to.deep.equal([20n]);
    await write(21);
    await read();
    expect(waits).to.deep.equal([20n, 21n]);
    shownUpTo = 21n;
    expect((await read()).headers.get('x-read-model')).to.equal(null);
  });

  it('wait also where what reads is no GET, for a caller who is known', async () => {
    await write(20);
    expect((await request(app, 'POST /ask')).status).to.equal(200);
    expect(waits).to.deep.equal([]);
    await request(app, 'POST /ask', { key: 'read' });
    expect(waits).to.deep.equal([20n]);
  });

  it('never say that something is missing while the read models are behind', async () => {
    control.failure = new AppError('key_not_found', 'There is no such key.');
    expect((await read()).body.code).to.equal('key_not_found');
    await write(20);
    const { status, body, headers } = await read();
    expect([status, body.code]).to.deep.equal([503, 'read_model_behind']);
    expect(headers.get('retry-after')).to.equal('1');
    shownUpTo = 20n;
    expect((await read()).body.code).to.equal('key_not_found');
  });

  it('say that a letter is missing, because letters are read from their streams', async () => {
    await write(20);
    control.failure = new AppError('letter_not_found', 'There is no such letter.');
    const { body } = await request(app, `/api/letters/${letterId}`, { key: 'read' });
    expect(body.code).to.equal('letter_not_found');
  });
});

describe('reads that wait for a log position', () => {
  it('share the slots of their account, whichever operations they call', async () => {
    const shown = Promise.withResolvers<boolean>();
    const waiting = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let waits = 0;
    const app = await startExample({
      limits: { waitingReads: 1 },
      logPositions: {
        head: async () => 100n,
        isShown: () => false,
        waitFor() {
          waiting[waits++]?.resolve();
          return shown.promise;
        },
      },
    });
    const headers = { 'X-Min-Log-Position': '50' };
    const first = request(app, '/who', { key: 'read', headers });
    await waiting[0]?.promise;
    const second = request(app, `/api/letters/${letterId}`, { key: 'read', headers });
    await Promise.race([second, waiting[1]?.promise]);
    shown.resolve(true);
    const [one, other] = await Promise.all([first, second]);
    await app.stop();
    expect([one.status, other.status, waits]).to.deep.equal([200, 503, 1]);
    expect(other.body.code).to.equal('read_model_behind');
  });

  it('wait before their payment is taken, which a refusal leaves alone', async () => {
    let shown = false;
    let taken = 0;
    const payments = paymentsOnce();
    const app = await startExample({
      operations: exampleOperations.map((one) =>
        one.name === 'who' ? { ...one, payable: true } : one,
      ),
      payments: {
        ...payments,
        take(...payment) {
          taken += 1;
          return payments.take(...payment);
        },
      },
      logPositions: { head: async () => 100n, isShown: () => shown, waitFor: async () => false },
    });
    try {
      const read = (position: string) =>
        request(app, '/who', { headers: { 'X-Payment': 'a', 'X-Min-Log-Position': position } });
      const behind = await read('50');
      expect([behind.status, behind.body.code]).to.deep.equal([503, 'read_model_behind']);
      expect((await read('101')).body.code).to.equal('position_beyond_log');
      expect((await read('x')).body.code).to.equal('invalid_header');
      expect(taken).to.equal(0);
      shown = true;
      expect([(await read('50')).status, taken]).to.deep.equal([200, 1]);
    } finally {
      await app.stop();
    }
  });
});
