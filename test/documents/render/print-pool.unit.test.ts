import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { AppError } from '../../../contract/errors.ts';
import type { Chromium, Printed, PrintJob } from '../../../documents/render/chromium.ts';
import { createPrintPool } from '../../../documents/render/print-pool.ts';
import { TaskFailure } from '../../../limits/worker-pool.ts';

const edges = { top: 20, right: 20, bottom: 20, left: 20 };
const job: PrintJob = {
  html: '<p>Dear Sir',
  page: { width: 210, height: 297 },
  margins: edges,
  pagesMax: 10,
  reveal: true,
};

const log = { error: () => undefined, warn: () => undefined, info: () => undefined } as never;

/** Browsers that die of some HTML. `letters`: what they printed. */
const poolOf = (diesOf: (html: string) => boolean) => {
  const printed: string[] = [];
  const letters: WeakRef<Printed>[] = [];
  const launch = async (): Promise<Chromium> => ({
    pid: 1,
    async print({ html }) {
      if (diesOf(html)) throw new Error('the browser died');
      printed.push(html);
      const letter = { pdf: Buffer.from('%PDF') } as Printed;
      letters.push(new WeakRef(letter));
      return letter;
    },
    memoryBytes: async () => 0,
    isAlive: () => true,
    died: new AbortController().signal,
    kill: async () => undefined,
  });
  const limits = {
    size: 1,
    queueMax: 5,
    timeoutMs: 1_000,
    memoryBytesMax: 1,
    memoryBytesOfAll: 1,
    lettersPerBrowser: 99,
  };
  return { pool: createPrintPool({ ...limits, launch, log }), printed, letters };
};

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('browsers that print letters in production', () => {
  it('are not to blame if they print anything except the letter', async () => {
    const { pool, printed } = poolOf((html) => html === job.html);
    const error = await errorOf(pool.print(job));
    expect(error).to.be.an.instanceOf(TaskFailure).and.to.include({ kind: 'timeout' });
    expect(printed).to.have.lengthOf(1);
  });

  it('are unavailable if they print nothing at all, which is not the fault of the letter', async () => {
    const { pool } = poolOf(() => true);
    expect(await errorOf(pool.print(job))).to.include({ code: 'html_unavailable', status: 503 });
  });

  it('refuse the letter of a caller as before', async () => {
    const { pool, printed } = poolOf(() => true);
    const turn = { standing: 'free', account: 'a' } as const;
    const error = await errorOf(pool.print(job, turn));
    expect(error).to.be.an.instanceOf(AppError).and.to.include({ code: 'content_not_printable' });
    expect(printed).to.deep.equal([]);
  });
});

/** Collects garbage, in a process that was not started with --expose-gc. */
const collectGarbage = (): void => {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
};

describe('browsers that print one letter after the other', () => {
  it('keep none that is printed, however long they live', async () => {
    const { pool, letters } = poolOf(() => false);
    for (let n = 0; n < 20; n++) await pool.print(job);
    await setImmediate();
    collectGarbage();
    expect(letters.filter((one) => one.deref() !== undefined)).to.have.lengthOf.below(2);
  });
});

describe('browsers that print at the same time', () => {
  it('together take no more memory than they may: the letter that takes the most can be sent again', async () => {
    const finish = Promise.withResolvers<void>();
    let launched = 0;
    const pool = createPrintPool({
      async launch() {
        const bytes = ++launched * 100;
        const death = new AbortController();
        return {
          pid: launched,
          async print() {
            await finish.promise;
            return { pdf: Buffer.from('%PDF') } as Printed;
          },
          memoryBytes: async () => bytes,
          isAlive: () => true,
          died: death.signal,
          kill: async () => death.abort(new Error('killed')),
        };
      },
      size: 3,
      queueMax: 5,
      timeoutMs: 1_000,
      memoryBytesMax: 400,
      memoryBytesOfAll: 400,
      lettersPerBrowser: 9,
      log,
    });
    const [first, second, third] = ['a', 'b', 'c'].map((account) =>
      pool.print(job, { standing: 'funded', account }),
    );
    expect(await errorOf(third as Promise<unknown>)).to.include({ code: 'overloaded' });
    finish.resolve();
    expect(await Promise.all([first, second])).to.have.lengthOf(2);
  });
});
