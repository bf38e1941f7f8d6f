import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { cancelLetter, letterAggregate } from '../../commands/letters/letter.ts';
import { reportProgress, startProduction } from '../../commands/letters/letter-production.ts';
import { createLettersAtHand } from '../../commands/letters/letters-at-hand.ts';
import { AppError } from '../../contract/errors.ts';
import { decodeEvent } from '../../events/envelope.ts';
import { letterStream } from '../../events/letter.ts';
import { createDisk } from '../../infra/print/disk.ts';
import { createHotfolder } from '../../infra/print/hotfolder.ts';
import { TaskFailure } from '../../limits/worker-pool.ts';
import {
  JobRefused,
  PartnerUnavailable,
  type PrintPartner,
  type RecallAnswer,
  type RestoredJobs,
} from '../../reactors/print-partner.ts';
import { createProduceLetters, createProduction } from '../../reactors/produce-letters.ts';
import { openCountries, releaseLetter } from '../../reactors/release-letters.ts';
import { createRenderTries } from '../../reactors/render-tries.ts';
import { centsOf, createLetterWorld, letterTo, plainly } from '../support/letter-world.ts';
import { createMemoryMarks } from '../support/memory-marks.ts';
import { nothingRestored } from '../support/nothing-restored.ts';

const at = '2026-11-03T09:10:00.000Z';

const owning = async () => {};

describe('production of letters', () => {
  const setUp = async (changes: Partial<PrintPartner> = {}) => {
    const world = createLetterWorld();
    const done: string[] = [];
    const jobs = new Map<string, 'accepted' | 'recalled'>();
    const dates = new Map<string, string>();
    const partner: PrintPartner = {
      name: 'house',
      remembersJobs: true,
      recallsUnseen: true,
      async submit({ ticket, datedAt }) {
        done.push('submit');
        jobs.set(ticket.job_id, 'accepted');
        dates.set(ticket.job_id, datedAt);
      },
      async status(jobId) {
        done.push('status');
        return jobs.get(jobId) ?? 'unknown';
      },
      async recall(jobId): Promise<RecallAnswer> {
        done.push('recall');
        jobs.set(jobId, 'recalled');
        return { answer: 'accepted' };
      },
      datedAt: async (jobId) => dates.get(jobId),
      forget: async () => undefined,
      ...changes,
    };
    const ports = {
      letters: createLettersAtHand(world.process().handler),
      clock: world.clock,
      partners: [partner],
      restored: nothingRestored,
      partner,
      simulator: { name: 'simulator' },
      render: async (): Promise<Buffer> => {
        done.push('render');
        return Buffer.from('%PDF');
      },
    };
    await world.fund(10_000n);
    const { letterId } = await world.letters.send(letterTo(), plainly, world.asked('one'));
    world.time.now += 300_000;
    const release = (handOverAt?: (country: string, from: number) => number) =>
      releaseLetter({ ...ports, ...(handOverAt ? { handOverAt } : {}) }, letterId);
    const letter = async () => {
      const state = await world.letter(letterId);
      if (state.status === 'none') throw new Error('there is no letter');
      return state;
    };
    const cancel = () =>
      world.handler.handle(letterAggregate, letterId, world.context(), cancelLetter);
    return {
      world,
      ports,
      production: createProduction(ports),
      done,
      jobs,
      letterId,
      release,
      letter,
      cancel,
    };
  };

  it('hands a letter over once, however often it is told to', async () => {
    const { production, release, letterId, letter, done } = await setUp();
    await release();
    await production.submit(letterId, at, owning);
    expect((await letter()).handedOver).to.equal(true);
    await production.submit(letterId, at, owning);
    expect(done).to.deep.equal(['status', 'render', 'submit']);
  });

  it('does not release a letter before its time, nor outside of the hours', async () => {
    const { world, ports, release, letter } = await setUp();
    world.time.now -= 1;
    await release();
    expect((await letter()).status).to.equal('queued');
    world.time.now += 1;
    const closed = (_: string, from: number) => from + 1;
    await release(closed);
    expect((await letter()).status).to.equal('queued');
    expect(openCountries({ ...ports, handOverAt: closed })).to.deep.equal([]);
    const onlyFrance = (country: string, from: number) => (country === 'FR' ? from : from + 1);
    expect(openCountries({ ...ports, handOverAt: onlyFrance })).to.deep.equal(['FR']);
    await release(onlyFrance);
    expect((await letter()).status).to.equal('processing');
  });

  it('does not hand over what is asked back, where the recall holds without it', async () => {
    const { production, release, letterId, letter, cancel, done } = await setUp();
    await release();
    await cancel();
    await production.submit(letterId, at, owning);
    await production.recall(letterId, owning);
    expect(done).to.deep.equal(['recall']);
    expect((await letter()).status).to.equal('cancelled');
  });

  it('hands it over first where a recall needs the job', async () => {
    const { production, release, letterId, letter, cancel, done } = await setUp({
      remembersJobs: true,
      recallsUnseen: false,
    });
    await release();
    await cancel();
    await production.submit(letterId, at, owning);
    await production.recall(letterId, owning);
    expect(done).to.deep.equal(['status', 'render', 'submit', 'recall']);
    expect((await letter()).status).to.equal('cancelled');
  });

  it('gives no letter to a hotfolder that was cancelled while nothing could be written there', async () => {
    const { world, ports, release, letterId, letter, cancel } = await setUp();
    const folder = await mkdtemp(join(tmpdir(), 'letters-full-'));
    try {
      let isFull = true;
      const disk = createDisk();
      const write: typeof disk.write = async (path, bytes) => {
        if (isFull) throw new Error('no room');
        await disk.write(path, bytes);
      };
      const marks = createMemoryMarks();
      const partner = createHotfolder({
        name: 'house',
        folder: join(folder, 'outbox'),
        marks,
        disk: { ...disk, write },
      });
      const production = createProduction({ ...ports, partners: [partner], partner });
      await release();
      const failure = await production
        .submit(letterId, at, owning)
        .catch((error: unknown) => error);
      expect(failure).to.have.property('message', 'no room');
      await cancel();
      await production.submit(letterId, at, owning);
      await production.recall(letterId, owning);
      expect((await letter()).status).to.equal('cancelled');
      isFull = false;
      await production.submit(letterId, at, owning);
      const names = await readdir(join(folder, 'outbox'));
      expect(names.filter((name) => !name.startsWith('.'))).to.deep.equal([]);
      await world.settle(letterId);
      expect(centsOf((await world.wallet()).available)).to.equal(10_000n);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('hands it over after a recall was rejected that came before it', async () => {
    const { production, release, letterId, letter, cancel, done } = await setUp({
      recall: async () => ({ answer: 'rejected', reason: 'late' }),
    });
    await release();
    await cancel();
    await production.submit(letterId, at, owning);
    await production.recall(letterId, owning);
    expect((await letter()).recall).to.equal('rejected');
    await production.submit(letterId, at, owning);
    expect(done).to.deep.equal(['status', 'render', 'submit']);
  });

  it('leaves a recall open that is answered later', async () => {
    const { production, release, letterId, letter, cancel } = await setUp({
      recall: async () => ({ answer: 'pending' }),
    });
    await release();
    await cancel();
    await production.recall(letterId, owning);
    expect(await letter()).to.include({ status: 'processing', recall: 'requested' });
  });

  it('fails a letter that the partner refuses, or that nobody asked back and it will not print', async () => {
    const refusing = await setUp({
      submit: async () => {
        throw new JobRefused('paper_size');
      },
    });
    await refusing.release();
    await refusing.production.submit(refusing.letterId, at, owning);
    expect((await refusing.letter()).status).to.equal('failed');
    const lost = await setUp({ status: async () => 'recalled' });
    await lost.release();
    await lost.production.submit(lost.letterId, at, owning);
    expect((await lost.letter()).status).to.equal('failed');
  });

  it('fails a letter that cannot be made, and waits with one that cannot be made now', async () => {
    for (const [error, status] of [
      [new AppError('content_not_printable', 'No.'), 'failed'],
      [new AppError('overloaded', 'Not now.'), 'processing'],
      [new Error('broke'), 'processing'],
    ] as const) {
      const { ports, release, letterId, letter } = await setUp();
      const render = async (): Promise<Buffer> => {
        throw error;
      };
      await release();
      const work = createProduction({ ...ports, render }).submit(letterId, at, owning);
      const failure = await work.catch((thrown: unknown) => thrown);
      expect(failure).to.equal(status === 'failed' ? undefined : error);
      expect((await letter()).status).to.equal(status);
    }
  });

  it('dates a letter on the day on which it is handed over', async () => {
    const { world, ports, release, letterId, letter } = await setUp();
    const dated: string[] = [];
    const render = async ({ at: day }: { at: string }): Promise<Buffer> => {
      dated.push(day);
      return Buffer.from('%PDF');
    };
    await release();
    world.time.now += 21 * 86_400_000;
    await createProduction({ ...ports, render }).submit(letterId, at, owning);
    expect(dated).to.deep.equal([new Date(world.time.now).toISOString()]);
    expect((await letter()).datedAt).to.equal(dated[0]);
  });

  it('records the date of the pages that the print house has, however late the house confirms them', async () => {
    const set = await setUp();
    const { world, ports, release, letterId, letter } = set;
    await release();
    const [partner] = ports.partners;
    if (!partner) throw new Error('there is no partner');
    const printedAt = new Date(world.time.now).toISOString();
    let status: PrintPartner['status'] = partner.status;
    const losing: PrintPartner = {
      ...partner,
      async submit(job) {
        await partner.submit(job);
        status = () => Promise.reject(new PartnerUnavailable('gone', false));
        throw new PartnerUnavailable('the answer was lost', false);
      },
      status: (jobId) => status(jobId),
    };
    const production = createProduction({ ...ports, partners: [losing] });
    await production.submit(letterId, at, owning).catch(() => undefined);
    expect((await letter()).handedOver).to.equal(false);
    world.time.now += 3 * 86_400_000;
    status = partner.status;
    await production.submit(letterId, at, owning);
    expect(await letter()).to.include({ handedOver: true, datedAt: printedAt });
  });

  describe('a letter that exceeds the time or memory of rendering', () => {
    const exceeding = async (errorOf: (letterId: string) => Error | undefined) => {
      const set = await setUp();
      const render = async ({ letterId }: { letterId: string }): Promise<Buffer> => {
        const error = errorOf(letterId);
        if (error) throw error;
        return Buffer.from('%PDF');
      };
      const production = createProduction({ ...set.ports, render });
      await set.release();
      /** Whether the letter is to be tried again. */
      const tryOnce = (letterId = set.letterId): Promise<boolean> =>
        production.submit(letterId, at, owning).then(
          () => false,
          () => true,
        );
      const send = async (key: string): Promise<string> => {
        const { letterId } = await set.world.letters.send(
          letterTo(),
          plainly,
          set.world.asked(key),
        );
        set.world.time.now += 300_000;
        await releaseLetter(set.ports, letterId);
        return letterId;
      };
      return { ...set, tryOnce, send };
    };
    const late = new TaskFailure('timeout', 'more than 30000 ms');

    it('ends after twenty tries and is paid back', async () => {
      const { tryOnce, letter, letterId, world } = await exceeding(() => late);
      for (let tries = 1; tries < 20; tries++) expect(await tryOnce(), `${tries}`).to.equal(true);
      expect((await letter()).status).to.equal('processing');
      expect(await tryOnce()).to.equal(false);
      expect((await letter()).status).to.equal('failed');
      await world.settle(letterId);
      expect(centsOf((await world.wallet()).available)).to.equal(10_000n);
    });

    it('is tried for longer while the service is too busy for every letter', async () => {
      const { tryOnce, letter, send } = await exceeding(() => late);
      const other = await send('two');
      for (let tries = 1; tries <= 40; tries++) {
        expect(await tryOnce(), `${tries}`).to.equal(true);
        expect(await tryOnce(other), `${tries}`).to.equal(true);
      }
      expect((await letter()).status).to.equal('processing');
      for (let tries = 41; tries < 500; tries++) await tryOnce();
      expect((await letter()).status).to.equal('failed');
    });

    it('is judged by letters of its kind: texts are rendered also where no browser prints', () => {
      const tries = createRenderTries();
      for (let round = 1; round <= 40; round++) {
        tries.rendered({ letterId: `t${round}`, kind: 'text' });
        for (const letterId of ['one', 'two', 'three']) {
          expect(tries.exceeded({ letterId, kind: 'html' }), `${round}`).to.equal(false);
        }
      }
      for (let round = 1; round < 20; round++) tries.rendered({ letterId: 'b', kind: 'html' });
      let count = 0;
      while (!tries.exceeded({ letterId: 'one', kind: 'html' })) count++;
      expect(count).to.be.below(20);
    });

    it('does not end while the service refuses work, or its program fails', async () => {
      for (const error of [
        new AppError('overloaded', 'Not now.'),
        new AppError('html_unavailable', 'Not now.'),
        new TaskFailure('failed', 'a fault'),
      ]) {
        const { tryOnce, letter } = await exceeding(() => error);
        for (let tries = 1; tries <= 30; tries++) expect(await tryOnce()).to.equal(true);
        expect((await letter()).status).to.equal('processing');
      }
    });
  });

  it('waits while the partner cannot be asked, and makes no document for nothing', async () => {
    const { production, release, letterId, letter, done } = await setUp({
      status: async () => {
        throw new PartnerUnavailable('down', true);
      },
    });
    await release();
    const failure = await production.submit(letterId, at, owning).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(PartnerUnavailable);
    expect(await letter()).to.include({ status: 'processing', handedOver: false });
    expect(done).to.deep.equal([]);
  });

  it('does not hand over a letter that the operator gives up while it is rendered', async () => {
    const { world, ports, release, letterId, letter, done } = await setUp();
    await release();
    const render = async (): Promise<Buffer> => {
      await world.handler.handle(letterAggregate, letterId, world.context(), (state) =>
        reportProgress(state, {
          type: 'ReportProgress',
          source: 'operator',
          step: 'failed',
          code: 'print_failure',
          stage: 'print',
          retryable: false,
          detail: 'given up',
        }),
      );
      return Buffer.from('%PDF');
    };
    const production = createProduction({ ...ports, render });
    const failure = await production.submit(letterId, at, owning).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    await production.submit(letterId, at, owning);
    expect(done).to.deep.equal(['status']);
    expect(await letter()).to.include({ status: 'failed', handedOver: false });
  });

  it('has no failure to report when a letter is moved on while it is rendered', async () => {
    const { world, ports, release, letterId, letter, done } = await setUp();
    await release();
    const render = async (): Promise<Buffer> => {
      await world.handler.handle(letterAggregate, letterId, world.context(), (state) =>
        reportProgress(state, { type: 'ReportProgress', source: 'operator', step: 'posted' }),
      );
      return Buffer.from('%PDF');
    };
    const { react } = createProduceLetters({ ...ports, render });
    const events = (await world.store.readStream(letterStream(letterId))).map(decodeEvent);
    const started = events.find(({ type }) => type === 'LetterProcessingStarted');
    const task = started && react(started as never, { at: 0n } as never);
    await task?.({ check: owning } as never);
    expect(done).to.deep.equal(['status']);
    expect((await letter()).status).to.equal('posted');
  });

  it('goes on when a stream that is no letter is parked', async () => {
    const { ports } = await setUp();
    const produce = createProduceLetters(ports);
    for (const stream of ['wallet-acct_1-0', 'account-acct_1', 'letter-1'])
      produce.parked?.(stream);
    expect(produce.inProduction.count().running).to.equal(0);
  });

  it('is in doubt after a restore once its production has started, even before its time', async () => {
    const { world, ports, letterId } = await setUp();
    const started = world.clock() - 300_000;
    world.time.now = started;
    await world.handler.handle(letterAggregate, letterId, world.context(), (letter) =>
      startProduction(letter, {
        type: 'StartProduction',
        partner: 'house',
        jobId: letterId,
        source: 'operator',
      }),
    );
    const asked: string[] = [];
    const restored: RestoredJobs = {
      async doubtOf(_, releasedAt) {
        asked.push(releasedAt);
        return 'undecided';
      },
      handedOver: async () => undefined,
      wasGivenAgain: async () => false,
    };
    const production = createProduction({ ...ports, restored });
    const failure = await production.submit(letterId, at, owning).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(PartnerUnavailable);
    expect(asked).to.deep.equal([new Date(started).toISOString()]);
  });

  describe('handed over again after a restore', () => {
    const again = async () => {
      const set = await setUp({ remembersJobs: false });
      const over: string[] = [];
      const restored: RestoredJobs = {
        doubtOf: async () => 'again',
        handedOver: async (jobId) => void over.push(jobId),
        wasGivenAgain: async () => true,
      };
      return { ...set, over, ports: { ...set.ports, restored } };
    };

    it('ends for a letter that has ended, and waits for one that is not released', async () => {
      const { ports, letterId, cancel, over, done } = await again();
      const produce = createProduceLetters(ports);
      await produce.handOverAgain(letterId, owning);
      expect(over).to.deep.equal([]);
      await cancel();
      await produce.handOverAgain(letterId, owning);
      expect(over).to.deep.equal([letterId]);
      expect(done).to.deep.equal([]);
    });

    it('does not give the print house a letter that the operator ends meanwhile', async () => {
      const { world, ports, release, letterId, done } = await again();
      await release();
      const end = () =>
        world.handler.handle(letterAggregate, letterId, world.context(), (letter) =>
          reportProgress(letter, { type: 'ReportProgress', source: 'operator', step: 'posted' }),
        );
      const render = async (): Promise<Buffer> => {
        await end();
        return Buffer.from('%PDF');
      };
      const produce = createProduceLetters({ ...ports, render });
      const failure = await produce
        .handOverAgain(letterId, owning)
        .catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(Error);
      expect(done).to.deep.equal(['status']);
    });

    it('is cancelled instead, if its sender asked for that and the recall holds without the job', async () => {
      const { ports, release, cancel, letterId, letter, over, done } = await again();
      await release();
      await cancel();
      const produce = createProduceLetters(ports);
      await produce.handOverAgain(letterId, owning);
      await createProduction(ports).recall(letterId, owning);
      expect((await letter()).status).to.equal('cancelled');
      await produce.handOverAgain(letterId, owning);
      expect(over).to.deep.equal([letterId]);
      expect(done).to.deep.equal(['recall']);
    });

    it('takes back what it gave the print house while the operator ended it', async () => {
      const { world, ports, release, letterId, jobs } = await again();
      await release();
      const [partner] = ports.partners;
      if (!partner) throw new Error('there is no partner');
      const submit: PrintPartner['submit'] = async (job) => {
        await world.handler.handle(letterAggregate, letterId, world.context(), (letter) =>
          reportProgress(letter, { type: 'ReportProgress', source: 'operator', step: 'posted' }),
        );
        await partner.submit(job);
      };
      const produce = createProduceLetters({ ...ports, partners: [{ ...partner, submit }] });
      await produce.handOverAgain(letterId, owning);
      expect(jobs.get(letterId)).to.equal('recalled');
    });
  });

  it('does not ask one partner about what another one has', async () => {
    const { ports, release, letterId, cancel, letter } = await setUp();
    await release();
    await cancel();
    const moved = createProduction({ ...ports, partners: [] });
    for (const work of [moved.submit(letterId, at, owning), moved.recall(letterId, owning)]) {
      const failure = await work.catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(Error).with.property('message').that.includes('house');
    }
    expect((await letter()).status).to.equal('processing');
  });

  describe('after a change to another print house of the same partner', () => {
    const houses = { first: 'https://first.example/', second: 'https://second.example/' };
    const moved = async (restored: RestoredJobs = nothingRestored) => {
      const set = await setUp({ house: houses.first });
      await set.release();
      const [partner] = set.ports.partners;
      if (!partner) throw new Error('there is no partner');
      const at = (house: string) => [{ ...partner, house }];
      const [second] = at(houses.second);
      const ports = {
        ...set.ports,
        restored,
        partner: second ?? partner,
        partners: at(houses.second),
      };
      return { ...set, ports, at };
    };
    const failureOf = (work: Promise<void>) => work.catch((error: unknown) => error);

    it('asks the new one for nothing of the earlier one, until that is configured again', async () => {
      const { ports, at: partnersAt, letterId, cancel, letter, done } = await moved();
      await cancel();
      const production = createProduction(ports);
      for (const work of [
        production.submit(letterId, at, owning),
        production.recall(letterId, owning),
      ]) {
        const failure = await failureOf(work);
        expect(failure).to.be.instanceOf(Error).with.property('message').that.includes('first');
      }
      await production.drop(letterId, owning);
      expect(done).to.deep.equal([]);
      expect(await production.waitsFor(letterId)).to.equal('earlier');
      expect((await letter()).status).to.equal('processing');
      const back = createProduction({
        ...ports,
        partner: { ...ports.partner, house: houses.first },
        partners: partnersAt(houses.first),
      });
      expect(await back.waitsFor(letterId)).to.equal('serving');
      await back.recall(letterId, owning);
      expect(done).to.deep.equal(['recall']);
      expect((await letter()).status).to.equal('cancelled');
    });

    it('hands a letter over that does not name its house', async () => {
      const { release, letterId, ports, done } = await setUp();
      await release();
      const [partner] = ports.partners;
      if (!partner) throw new Error('there is no partner');
      const named = createProduction({
        ...ports,
        partners: [{ ...partner, house: houses.second }],
      });
      await named.submit(letterId, at, owning);
      expect(done).to.deep.equal(['status', 'render', 'submit']);
    });

    it('hands over what the operator declares as not printed after a restore, and asks it back there', async () => {
      let doubt: 'again' | 'none' = 'again';
      const restored = {
        ...nothingRestored,
        doubtOf: async () => doubt,
        wasGivenAgain: async () => true,
      };
      const { ports, letterId, letter, done, cancel } = await moved(restored);
      await createProduction(ports).submit(letterId, at, owning);
      expect(done).to.deep.equal(['status', 'render', 'submit']);
      expect(await letter()).to.include({ handedOver: true, house: houses.second });
      done.length = 0;
      await createProduction(ports).drop(letterId, owning);
      expect(done).to.deep.equal(['recall']);
      doubt = 'none';
      await cancel();
      await createProduction(ports).recall(letterId, owning);
      expect((await letter()).status).to.equal('cancelled');
    });
  });
});
