import { createHash, randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import type { HandOverMarks } from '../../infra/print/hand-over-marks.ts';
import { createHttpPartner } from '../../infra/print/http-partner.ts';
import {
  handOver,
  JobRecalled,
  JobRefused,
  PartnerUnavailable,
  type PrintJob,
} from '../../reactors/print-partner.ts';
import { createMemoryMarks } from '../support/memory-marks.ts';
import {
  houseSecret,
  houseToken,
  type Mood,
  type PrintHouse,
  startPrintHouse,
} from '../support/print-house.ts';

const aJob = (jobId = randomUUID() as string): PrintJob => {
  const pdf = Buffer.from(`%PDF of ${jobId}`);
  return {
    pdf,
    datedAt: '2026-03-01T12:00:00.000Z',
    ticket: {
      job_id: jobId,
      letter_id: jobId,
      test: false,
      service: 'de_standardbrief',
      country: 'DE',
      pages: 1,
      sheets: 1,
      color: false,
      duplex: true,
      page_format: 'A4',
      envelope: 'DL',
      created_at: '2026-03-01T12:00:00.000Z',
      pdf_sha256: createHash('sha256').update(pdf).digest('hex'),
    },
  };
};

const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => {
      throw new Error(`it gave ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );

const unavailable = async (work: Promise<unknown>): Promise<PartnerUnavailable> => {
  const error = await failureOf(work);
  expect(error).to.be.instanceOf(PartnerUnavailable);
  return error as PartnerUnavailable;
};

describe('a print house over HTTP', () => {
  let house: PrintHouse;
  let partner: ReturnType<typeof createHttpPartner>;
  let marks: HandOverMarks;
  const connect = (changes: Partial<Parameters<typeof createHttpPartner>[0]> = {}) =>
    createHttpPartner({
      url: house.url,
      token: houseToken,
      secret: houseSecret,
      clock: Date.now,
      marks,
      timeoutMs: 30_000,
      ...changes,
    });

  /** For a house that does not answer: long enough for a busy machine to hear one that does. */
  const connectHastily = async (): Promise<void> => {
    await partner.close();
    partner = connect({ timeoutMs: 2_000 });
  };

  beforeEach(async () => {
    house = await startPrintHouse();
    marks = createMemoryMarks();
    partner = connect();
  });
  afterEach(async () => {
    await partner.close();
    await house.stop();
  });

  it('gets ticket and PDF as they are, signed', async () => {
    const { ticket, pdf, datedAt } = aJob();
    await partner.submit({ ticket, pdf, datedAt });
    const taken = house.jobs.get(ticket.job_id);
    expect(taken?.ticket).to.deep.equal(ticket);
    expect(taken?.pdf.equals(pdf)).to.equal(true);
    expect(house.calls).to.deep.equal([{ path: '/api/jobs', webhookId: `job_${ticket.job_id}` }]);
  });

  it('has one job however often it is submitted, and says that it has it', async () => {
    const job = aJob();
    const { job_id: jobId } = job.ticket;
    expect(await partner.status(jobId)).to.equal('unknown');
    await partner.submit(job);
    await partner.submit(job);
    expect(house.jobs.size).to.equal(1);
    expect(await partner.status(jobId)).to.equal('accepted');
    house.print(jobId);
    expect(await partner.status(jobId)).to.equal('accepted');
  });

  const failures: [Mood, boolean][] = [
    ['fail', false],
    ['obey-and-fail', false],
    ['obey-and-drop', false],
    ['hang', false],
    ['obey-and-hang', false],
    ['babble', false],
    ['redirect', true],
  ];
  for (const [mood, safe] of failures) {
    it(`that does ${mood} is ${safe ? '' : 'not '}known not to have the job`, async () => {
      house.mood = mood;
      if (mood.endsWith('hang')) await connectHastily();
      const error = await unavailable(partner.submit(aJob()));
      expect(error.safeToRetry, error.message).to.equal(safe);
      expect(house.callsTo(/elsewhere/)).to.equal(0);
    });
  }

  it('that cannot be reached does certainly not have the job', async () => {
    await house.goDown();
    expect((await unavailable(partner.submit(aJob()))).safeToRetry).to.equal(true);
  });

  it('that does not know our token or signature has not taken the job', async () => {
    const wrong = [
      connect({ token: 'another' }),
      connect({ secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` }),
      connect({ clock: () => Date.now() - 3_600_000 }),
    ];
    for (const other of wrong) {
      const error = await unavailable(other.submit(aJob()));
      expect(error.safeToRetry).to.equal(true);
      expect(error.message).to.include('401').and.not.include('another');
      await other.close();
    }
    expect(house.jobs.size).to.equal(0);
  });

  it('may refuse a job for good, with a reason that is a code', async () => {
    house.refuses = 'paper_size';
    const error = await failureOf(partner.submit(aJob()));
    expect(error).to.be.instanceOf(JobRefused).with.property('reason', 'paper_size');
    house.refuses = 'No! Erika Mustermann moved';
    const free = await failureOf(partner.submit(aJob()));
    expect(free).to.be.instanceOf(JobRefused).with.property('reason', 'refused_by_print_house');
  });

  describe('hand-over', () => {
    const once = (job: PrintJob) => handOver(partner, job.ticket.job_id, async () => job);

    for (const mood of ['obey-and-fail', 'obey-and-drop', 'obey-and-hang'] as const) {
      it(`finds out what became of a job whose answer was lost (${mood})`, async () => {
        house.mood = mood;
        house.moodFor = /\/jobs$/;
        if (mood.endsWith('hang')) await connectHastily();
        const job = aJob();
        expect(await once(job)).to.equal('accepted');
        expect(house.jobs.get(job.ticket.job_id)?.submissions).to.equal(1);
      });
    }

    it('asks before it submits again, and makes no document for a job that is there', async () => {
      house.mood = 'obey-and-drop';
      house.moodFor = /\/jobs$|status$/;
      const job = aJob();
      await unavailable(partner.submit(job));
      house.mood = 'work';
      let made = 0;
      const make = async (): Promise<PrintJob> => {
        made++;
        return job;
      };
      expect(await handOver(partner, job.ticket.job_id, make)).to.equal('accepted');
      expect(made).to.equal(0);
      expect(house.callsTo(/\/jobs$/)).to.equal(1);
    });

    it('knows the date of the pages that are there, also after tries that failed or were not answered', async () => {
      house.moodFor = /\/jobs$|status$/;
      const job = aJob();
      const days = ['2026-03-01', '2026-03-02', '2026-03-03'].map((day) => `${day}T12:00:00.000Z`);
      const [never, taken, after] = days as [string, string, string];
      house.mood = 'fail';
      await unavailable(partner.submit({ ...job, datedAt: never }));
      house.mood = 'obey-and-drop';
      await unavailable(partner.submit({ ...job, datedAt: taken }));
      house.mood = 'work';
      await partner.close();
      partner = connect();
      expect(await once({ ...job, datedAt: after })).to.equal('accepted');
      expect(await partner.datedAt(job.ticket.job_id)).to.equal(taken);
    });

    it('submits again what certainly did not arrive', async () => {
      const job = aJob();
      house.mood = 'fail';
      house.moodFor = /\/jobs$/;
      await unavailable(once(job));
      house.mood = 'work';
      expect(await once(job)).to.equal('accepted');
      expect(house.jobs.get(job.ticket.job_id)?.submissions).to.equal(1);
    });
  });

  describe('recall', () => {
    it('is accepted before printing, and the job is not taken again', async () => {
      const job = aJob();
      await partner.submit(job);
      const { job_id: jobId } = job.ticket;
      expect(await partner.recall(jobId)).to.deep.equal({ answer: 'accepted' });
      expect(await partner.recall(jobId)).to.deep.equal({ answer: 'accepted' });
      expect(await failureOf(partner.submit(job))).to.be.instanceOf(JobRecalled);
      expect(await handOver(partner, jobId, async () => job)).to.equal('recalled');
    });

    it('of a job that has not come yet holds for when it comes', async () => {
      const job = aJob();
      expect(await partner.recall(job.ticket.job_id)).to.deep.equal({ answer: 'accepted' });
      expect(await failureOf(partner.submit(job))).to.be.instanceOf(JobRecalled);
    });

    it('is rejected after printing, with the reason', async () => {
      const job = aJob();
      await partner.submit(job);
      house.print(job.ticket.job_id);
      const answer = await partner.recall(job.ticket.job_id);
      expect(answer).to.deep.equal({ answer: 'rejected', reason: 'printed_already' });
    });

    it('may be answered later', async () => {
      house.recalls = 'pending';
      expect(await partner.recall(randomUUID())).to.deep.equal({ answer: 'pending' });
    });

    it('with a lost answer is asked for again', async () => {
      const job = aJob();
      await partner.submit(job);
      house.mood = 'obey-and-drop';
      await unavailable(partner.recall(job.ticket.job_id));
      house.mood = 'work';
      expect(await partner.recall(job.ticket.job_id)).to.deep.equal({ answer: 'accepted' });
    });
  });

  it('forgets a job for erasure', async () => {
    const job = aJob();
    await partner.submit(job);
    await partner.forget(job.ticket.job_id);
    await partner.forget(job.ticket.job_id);
    expect(house.jobs.size).to.equal(0);
  });

  it('that is down is spared: after some failures it is not called for a while', async () => {
    house.mood = 'fail';
    for (let n = 0; n < 10; n++) {
      const error = await unavailable(partner.status(randomUUID()));
      if (n >= 3) expect(error.safeToRetry).to.equal(true);
    }
    expect(house.calls.length).to.equal(3);
  });

  it('leaves nothing of its calls in memory', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const ask = async (times: number): Promise<number> => {
      for (let n = 0; n < times; n++) {
        await partner.status(randomUUID());
        house.calls.length = 0;
      }
      for (let n = 0; n < 3; n++) {
        collect();
        await setImmediate();
      }
      return process.memoryUsage().heapUsed;
    };
    const before = await ask(500);
    expect((await ask(2_500)) - before).to.be.below(2_500 * 300);
  });

  it('is let go of at once when the service stops', async () => {
    house.mood = 'hang';
    const slow = connect({ timeoutMs: 60_000 });
    const waiting = unavailable(slow.submit(aJob()));
    await slow.close();
    expect((await waiting).safeToRetry).to.equal(false);
  });
});
