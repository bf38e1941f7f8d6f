import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { StartRefused } from '../../contract/start-refused.ts';
import { createDisk } from '../../infra/print/disk.ts';
import { resolveAccess, shareFolder } from '../../infra/print/folder-access.ts';
import type { HandOverMarks } from '../../infra/print/hand-over-marks.ts';
import { createHotfolder, type Hotfolder } from '../../infra/print/hotfolder.ts';
import {
  handOver,
  JobRecalled,
  PartnerUnavailable,
  type PrintJob,
} from '../../reactors/print-partner.ts';
import { createMemoryMarks } from '../support/memory-marks.ts';

const aJob = (): PrintJob => {
  const id = randomUUID();
  const ticket = { job_id: id, letter_id: id, service: 'de_standardbrief' };
  return {
    pdf: Buffer.from(`%PDF ${id}`),
    ticket: ticket as PrintJob['ticket'],
    datedAt: '2026-03-01T12:00:00.000Z',
  };
};

describe('the hotfolder', () => {
  let folder: string;
  let marks: HandOverMarks;
  let partner: Hotfolder;
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'letters-hotfolder-')), 'outbox');
    marks = createMemoryMarks();
    partner = createHotfolder({ name: 'hotfolder', folder, marks });
  });
  afterEach(() => rm(join(folder, '..'), { recursive: true }));

  const files = async (): Promise<string[]> =>
    (await readdir(folder)).filter((name) => !name.startsWith('.')).toSorted();

  it('has the job as two files, however often it is submitted', async () => {
    const job = aJob();
    const { job_id: id } = job.ticket;
    expect(await partner.status(id)).to.equal('unknown');
    await partner.submit(job);
    await partner.submit(job);
    expect(await files()).to.deep.equal([`${id}.json`, `${id}.pdf`]);
    expect(await partner.status(id)).to.equal('accepted');
    expect(await readFile(join(folder, `${id}.pdf`))).to.deep.equal(job.pdf);
    expect((await readdir(folder)).filter((name) => name.endsWith('.draft'))).to.deep.equal([]);
  });

  it('keeps the draft of a hand-over that is under way, also when the clock jumps ahead', async () => {
    let jumpedMs = 0;
    const jumping = createHotfolder({
      name: 'hotfolder',
      folder,
      marks: {
        ...marks,
        async claim(jobId, attempt, datedAt) {
          jumpedMs = 2 * 86_400_000;
          await jumping.tidy(async () => []);
          return marks.claim(jobId, attempt, datedAt);
        },
      },
      clock: () => Date.now() + jumpedMs,
    });
    const job = aJob();
    const { job_id: id } = job.ticket;
    await jumping.submit(job);
    expect(await files()).to.deep.equal([`${id}.json`, `${id}.pdf`]);
  });

  it('is for whom it is configured: both files and the folder that a job is taken from', async () => {
    const gid = process.getuid?.() === 0 ? '65534' : String(process.getgid?.());
    const access = await resolveAccess({ owner: undefined, group: gid, mode: 0o640 });
    await shareFolder(folder, access);
    const shared = createHotfolder({ name: 'shared', folder, marks, disk: createDisk(access) });
    const before = process.umask(0o077);
    const job = aJob();
    await shared.submit(job).finally(() => process.umask(before));
    for (const name of await files()) {
      const { mode, gid: group } = await stat(join(folder, name));
      expect([mode & 0o777, String(group)], name).to.deep.equal([0o640, gid]);
    }
    const accessNow = async () => {
      const { mode, gid: group } = await stat(folder);
      return [mode & 0o777, String(group)];
    };
    expect(await accessNow()).to.deep.equal([0o770, gid]);
    expect((await stat(join(folder, '.drafts'))).mode & 0o777).to.equal(0o700);
    await rm(folder, { recursive: true });
    await partner.makeFolder();
    await shared.submit(job).catch(() => undefined);
    await shared.submit(aJob());
    expect(await accessNow(), 'after somebody removed it').to.deep.equal([0o770, gid]);
  });

  it('names a user that the machine does not know', async () => {
    const wish = { owner: 'nobody-of-this-name', group: undefined, mode: undefined };
    const refused = await resolveAccess(wish).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(StartRefused);
    expect(String(refused)).to.contain('PRINT_HOTFOLDER_OWNER nobody-of-this-name is not in');
  });

  it('gives a job back that still lies there, and does not take it again', async () => {
    const job = aJob();
    const { job_id: id } = job.ticket;
    await partner.submit(job);
    expect(await partner.recall(id)).to.deep.equal({ answer: 'accepted' });
    expect(await partner.recall(id)).to.deep.equal({ answer: 'accepted' });
    expect(await files()).to.deep.equal([]);
    expect(await partner.status(id)).to.equal('recalled');
    const again = await partner.submit(job).catch((error: unknown) => error);
    expect(again).to.be.instanceOf(JobRecalled);
    expect(await handOver(partner, id, async () => job)).to.equal('recalled');
    expect(await files()).to.deep.equal([]);
  });

  it('rejects the recall of what the print house has taken', async () => {
    const job = aJob();
    const { job_id: id } = job.ticket;
    await partner.submit(job);
    await rename(join(folder, `${id}.json`), join(folder, '..', `${id}.json`));
    const answer = await partner.recall(id);
    expect(answer).to.deep.equal({ answer: 'rejected', reason: 'taken_by_print_house' });
  });

  it('never has a job again that the print house has taken, by moving the ticket or deleting it', async () => {
    for (const take of [rm, (path: string) => rename(path, join(folder, '..', 'taken.json'))]) {
      const job = aJob();
      const { job_id: id } = job.ticket;
      await partner.submit(job);
      await take(join(folder, `${id}.json`));
      await rm(join(folder, `${id}.pdf`));
      expect(await partner.status(id)).to.equal('accepted');
      await partner.submit(job);
      expect(await handOver(partner, id, async () => job)).to.equal('accepted');
      expect(await files()).to.deep.equal([]);
      expect((await partner.recall(id)).answer).to.equal('rejected');
    }
  });

  it('keeps the jobs of versions that marked none', async () => {
    const [open, recalled, fresh] = [aJob(), aJob(), aJob()];
    await partner.submit(open);
    await partner.submit(recalled);
    await partner.recall(recalled.ticket.job_id);
    const upgraded = createHotfolder({ name: 'hotfolder', folder, marks: createMemoryMarks() });
    await upgraded.adopt();
    expect(await upgraded.status(open.ticket.job_id)).to.equal('accepted');
    expect(await upgraded.status(recalled.ticket.job_id)).to.equal('recalled');
    expect(await upgraded.status(fresh.ticket.job_id)).to.equal('unknown');
    expect((await upgraded.recall(open.ticket.job_id)).answer).to.equal('accepted');
  });

  it('goes on when somebody has removed its folder', async () => {
    await partner.submit(aJob());
    await rm(folder, { recursive: true });
    await partner.makeFolder();
    expect(await files()).to.deep.equal([]);
    await rm(folder, { recursive: true });
    const job = aJob();
    await partner.submit(job).catch(() => undefined);
    await partner.submit(job);
    expect(await files()).to.have.length(2);
  });

  it('is not made on the mount point of a file system that is away', async () => {
    let device = 1;
    const disk = { ...createDisk(), deviceOf: async () => device };
    const mounted = createHotfolder({ name: 'hotfolder', folder, marks, disk });
    await partner.submit(aJob());
    await mounted.adopt();
    await rename(folder, `${folder}.away`);
    device = 2;
    const job = aJob();
    for (const work of [
      () => mounted.submit(job),
      () => mounted.submit(job),
      () => mounted.makeFolder(),
    ]) {
      expect(await work().catch((error: unknown) => error)).to.be.instanceOf(Error);
    }
    expect(await disk.exists(folder)).to.equal(false);
    await rename(`${folder}.away`, folder);
    device = 3;
    await mounted.submit(job);
    expect(await files()).to.have.length(4);
  });

  it('neither loses a recall nor forgets a job while its file system is away', async () => {
    let device = 1;
    const disk = { ...createDisk(), deviceOf: async () => device };
    const mounted = createHotfolder({ name: 'hotfolder', folder, marks, disk });
    const [recalled, forgotten] = [aJob(), aJob()];
    for (const job of [recalled, forgotten]) await mounted.submit(job);
    await rename(folder, `${folder}.away`);
    device = 2;
    for (const work of [
      () => mounted.recall(recalled.ticket.job_id),
      () => mounted.forget(forgotten.ticket.job_id),
    ]) {
      expect(await work().catch((error: unknown) => error)).to.be.instanceOf(PartnerUnavailable);
    }
    expect(await disk.exists(folder)).to.equal(false);
    await rename(`${folder}.away`, folder);
    expect(await mounted.recall(recalled.ticket.job_id)).to.deep.equal({ answer: 'accepted' });
    await mounted.forget(forgotten.ticket.job_id);
    expect(await files()).to.deep.equal([]);
  });

  it('neither loses a recall nor forgets a job in a process that started while its file system was away', async () => {
    const [recalled, forgotten] = [aJob(), aJob()];
    for (const job of [recalled, forgotten]) await partner.submit(job);
    await rename(folder, `${folder}.away`);
    let device = 1;
    const disk = { ...createDisk(), deviceOf: async () => device };
    const next = createHotfolder({ name: 'hotfolder', folder, marks, disk, isServing: true });
    await next.adopt();
    for (const work of [
      () => next.recall(recalled.ticket.job_id),
      () => next.forget(forgotten.ticket.job_id),
    ]) {
      expect(await work().catch((error: unknown) => error)).to.be.instanceOf(PartnerUnavailable);
    }
    expect(await disk.exists(folder)).to.equal(false);
    await rename(`${folder}.away`, folder);
    device = 2;
    expect(await next.recall(recalled.ticket.job_id)).to.deep.equal({ answer: 'accepted' });
    await next.forget(forgotten.ticket.job_id);
    expect(await files()).to.deep.equal([]);
  });

  it('finishes what another process was marked for and did not publish', async () => {
    const job = aJob();
    const { job_id: id } = job.ticket;
    const dying = createHotfolder({
      name: 'hotfolder',
      folder,
      marks,
      disk: { ...createDisk(), move: () => Promise.reject(new Error('killed')) },
    });
    await dying.submit(job).catch(() => undefined);
    expect(await files()).to.deep.equal([]);
    expect(await partner.status(id)).to.equal('unknown');
    const datedAt = '2026-03-02T12:00:00.000Z';
    await partner.submit({ ...job, pdf: Buffer.from('%PDF another'), datedAt });
    expect(await partner.datedAt(id)).to.equal(job.datedAt);
    expect(await readFile(join(folder, `${id}.pdf`))).to.deep.equal(job.pdf);
    expect(await readdir(join(folder, '.drafts'))).to.deep.equal([]);
  });

  const drafts = () => readdir(join(folder, '.drafts'));
  const fullDisk = () => Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });

  it('keeps no draft of a hand-over for which the disk has no room', async () => {
    const disk = createDisk();
    const full = createHotfolder({
      name: 'hotfolder',
      folder,
      marks,
      disk: {
        ...disk,
        async write(path, bytes) {
          await disk.write(path, String(bytes).slice(0, 3));
          if (path.endsWith('.pdf')) throw fullDisk();
        },
      },
    });
    const job = aJob();
    for (let attempt = 0; attempt < 3; attempt++) {
      const refused = await full.submit(job).catch((error: unknown) => error);
      expect(refused).to.have.property('code', 'ENOSPC');
      expect(await drafts()).to.deep.equal([]);
    }
    await partner.submit(job);
    expect(await files()).to.have.length(2);
  });

  it('never gets a job that was asked back before it came, even if its disk had no room by then', async () => {
    let isFull = true;
    const disk = createDisk();
    const filling = createHotfolder({
      name: 'hotfolder',
      folder,
      marks,
      disk: {
        ...disk,
        async write(path, bytes) {
          if (isFull) throw fullDisk();
          await disk.write(path, bytes);
        },
      },
    });
    const job = aJob();
    const { job_id: id } = job.ticket;
    const refused = await filling.submit(job).catch((error: unknown) => error);
    expect(refused).to.have.property('code', 'ENOSPC');
    for (let n = 0; n < 2; n++) {
      expect(await filling.recall(id, { isUnseen: true })).to.deep.equal({ answer: 'accepted' });
    }
    isFull = false;
    expect(await handOver(filling, id, async () => job)).to.equal('recalled');
    const late = await filling.submit(job).catch((error: unknown) => error);
    expect(late).to.be.instanceOf(JobRecalled);
    expect(await files()).to.deep.equal([]);
  });

  it('is asked for what it has, also if the service has not recorded that', async () => {
    const [open, taken] = [aJob(), aJob()];
    for (const job of [open, taken]) await partner.submit(job);
    const ticket = `${taken.ticket.job_id}.json`;
    await rename(join(folder, ticket), join(folder, '..', ticket));
    const answers = [open, taken].map(({ ticket: { job_id: id } }) =>
      partner.recall(id, { isUnseen: true }),
    );
    expect((await Promise.all(answers)).map(({ answer }) => answer)).to.deep.equal([
      'accepted',
      'rejected',
    ]);
  });

  it('keeps the drafts of one attempt only when the database was away at its mark', async () => {
    for (const isWritten of [false, true]) {
      let away = 3;
      const flaky = createHotfolder({
        name: 'hotfolder',
        folder,
        marks: {
          ...marks,
          async claim(jobId, attempt) {
            if (away-- <= 0) return marks.claim(jobId, attempt);
            if (isWritten) await marks.claim(jobId, attempt);
            throw new Error('connection lost');
          },
        },
      });
      const job = aJob();
      for (let attempt = 0; attempt < 3; attempt++) await flaky.submit(job).catch(() => undefined);
      await flaky.submit(job);
      expect(await drafts(), `written: ${isWritten}`).to.deep.equal([]);
      expect(await files()).to.include.members([
        `${job.ticket.job_id}.json`,
        `${job.ticket.job_id}.pdf`,
      ]);
    }
  });

  it('keeps the PDF of a job that the operator says is taken, until the job is forgotten', async () => {
    const job = aJob();
    const { job_id: id } = job.ticket;
    await partner.submit(job);
    expect(await partner.setAside()).to.equal(1);
    await partner.decide(id, 'taken');
    expect(await partner.isSetAside(id)).to.equal(false);
    expect(await files()).to.deep.equal([`${id}.pdf`]);
    expect(await handOver(partner, id, async () => job)).to.equal('accepted');
    expect(await files()).to.deep.equal([`${id}.pdf`]);
    await partner.forget(id);
    expect(await files()).to.deep.equal([]);
  });

  it('forgets a job with all that is kept of it', async () => {
    const [one, two] = [aJob(), aJob()];
    await partner.submit(one);
    await partner.submit(two);
    await partner.recall(two.ticket.job_id);
    for (const { ticket } of [one, two]) {
      await partner.forget(ticket.job_id);
      await partner.forget(ticket.job_id);
    }
    expect(await files()).to.deep.equal([]);
    expect(await readdir(join(folder, '.recalled'))).to.deep.equal([]);
  });

  /** Everything below the folder, whatever it is called. */
  const contents = async (): Promise<string> => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const found = entries.filter((entry) => entry.isFile());
    const texts = found.map((file) => readFile(join(file.parentPath, file.name), 'utf8'));
    return (await Promise.all(texts)).join();
  };

  it('forgets also what a hand-over had written when it was killed', async () => {
    const job = aJob();
    await partner.submit(job);
    const { job_id: id } = job.ticket;
    // As a kill between writing and renaming leaves it.
    await writeFile(join(folder, '.drafts', `${id}.${randomUUID()}`), job.pdf);
    await partner.forget(id);
    expect(await contents()).not.to.include('%PDF');
  });

  it('does not take a job that it has forgotten', async () => {
    const job = aJob();
    await partner.forget(job.ticket.job_id);
    const late = await partner.submit(job).catch((error: unknown) => error);
    expect(late).to.be.instanceOf(JobRecalled);
    expect(await partner.status(job.ticket.job_id)).to.equal('recalled');
    expect(await contents()).not.to.include('%PDF');
  });

  it('keeps nothing of jobs that are handed over while they are forgotten', async () => {
    for (let round = 0; round < 40; round++) {
      const job = aJob();
      const handing = partner.submit(job).catch((error: unknown) => error);
      for (let n = 0; n < round % 10; n++) await readdir(join(folder, '..'));
      await partner.forget(job.ticket.job_id);
      await handing;
    }
    expect(await files()).to.deep.equal([]);
    expect(await contents()).not.to.include('%PDF');
  });

  it('removes what crashes left when its time has come', async () => {
    const [open, job] = [aJob(), aJob()];
    await partner.submit(open);
    await partner.forget(job.ticket.job_id);
    const { job_id: id } = open.ticket;
    await writeFile(join(folder, '.drafts', `${id}.${randomUUID()}.pdf`), open.pdf);
    const inDays = (days: number) =>
      createHotfolder({
        name: 'hotfolder',
        folder,
        marks,
        clock: () => Date.now() + days * 86_400_000,
      });
    await inDays(0).tidy(async () => []);
    expect(await readdir(join(folder, '.drafts'))).to.have.length(1);
    expect(await marks.of(job.ticket.job_id)).to.equal('over');
    await inDays(8).tidy(async () => []);
    expect(await readdir(join(folder, '.drafts'))).to.deep.equal([]);
    expect(await marks.of(job.ticket.job_id)).to.equal(undefined);
    expect(await files()).to.have.length(2);
    expect(await partner.status(id)).to.equal('accepted');
  });

  for (const [how, put] of [
    ['is missing', async () => {}],
    ['is empty', () => mkdir(folder)],
    ['cannot be read', () => writeFile(folder, '')],
  ] as const) {
    it(`has no job whose folder ${how} between the mark and the publication`, async () => {
      const away = `${folder}.away`;
      const leaving = createHotfolder({
        name: 'hotfolder',
        folder,
        marks: {
          ...marks,
          async claim(jobId, attempt) {
            const mark = await marks.claim(jobId, attempt);
            await rename(folder, away);
            await put();
            return mark;
          },
        },
      });
      const job = aJob();
      const { job_id: id } = job.ticket;
      const failure = await leaving.submit(job).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(Error);
      const status = await partner.status(id).catch((error: unknown) => error);
      expect(status).to.be.instanceOf(Error);
      await rm(folder, { recursive: true, force: true });
      await rename(away, folder);
      expect(await handOver(partner, id, async () => job)).to.equal('accepted');
      expect(await files()).to.deep.equal([`${id}.json`, `${id}.pdf`]);
    });
  }

  it('removes from the folder of this node what another node erased', async () => {
    const [stays, gone, lateGone] = [aJob(), aJob(), aJob()];
    const own = createHotfolder({ name: 'simulator', folder, marks, isOwn: true });
    for (const job of [stays, gone, lateGone]) await own.submit(job);
    const other = createHotfolder({
      name: 'simulator',
      folder: join(folder, '..', 'other'),
      marks,
    });
    await other.forget(gone.ticket.job_id);
    await marks.forget(lateGone.ticket.job_id);
    await own.tidy(async () => []);
    const { job_id: id } = stays.ticket;
    expect(await files()).to.deep.equal([`${id}.json`, `${id}.pdf`]);
  });

  it('removes the files of jobs that the log does not know a month after they were written', async () => {
    const [known, unknown, aside] = [aJob(), aJob(), aJob()];
    const ids = [known, unknown, aside].map((job) => job.ticket.job_id);
    for (const job of [known, unknown, aside]) await partner.submit(job);
    const inDays = (days: number) =>
      createHotfolder({
        name: 'hotfolder',
        folder,
        marks,
        clock: () => Date.now() + days * 86_400_000,
      });
    await inDays(0).setAside();
    await rm(join(folder, `${ids[2]}.pdf`));
    expect((await inDays(0).jobs()).toSorted()).to.deep.equal(ids.toSorted());
    const asked: string[][] = [];
    const unknownOf = async (some: string[]): Promise<string[]> => {
      asked.push(some.toSorted());
      return some.filter((id) => id !== ids[0]);
    };
    await inDays(29).tidy(unknownOf);
    expect(await inDays(0).jobs()).to.have.length(3);
    await inDays(31).tidy(unknownOf);
    const [before, old, ...again] = asked;
    expect([before, old]).to.deep.equal([[], ids.toSorted()]);
    expect(again.toSorted()).to.deep.equal([[ids[1]], [ids[2]]].toSorted());
    expect(await inDays(0).jobs()).to.deep.equal([ids[0]]);
    expect(await files()).to.deep.equal([`${ids[0]}.pdf`]);
    // If the sender sends the letter again, the print house gets it.
    await partner.submit(unknown);
    expect(await files()).to.deep.equal(
      [`${ids[0]}.pdf`, `${ids[1]}.json`, `${ids[1]}.pdf`].toSorted(),
    );
  });

  it('keeps a job whose letter became known while others were removed', async () => {
    const [gone, sentAgain] = [aJob(), aJob()];
    for (const job of [gone, sentAgain]) await partner.submit(job);
    const clock = () => Date.now() + 31 * 86_400_000;
    const later = createHotfolder({ name: 'hotfolder', folder, marks, clock });
    const { job_id: id } = sentAgain.ticket;
    await later.tidy(async (some) => (some.length > 1 ? some : some.filter((one) => one !== id)));
    expect(await files()).to.deep.equal([`${id}.json`, `${id}.pdf`]);
    expect(await marks.of(id)).not.to.equal(undefined);
  });

  it('gives each job either to the print house or back, when both reach for it', async () => {
    const taken = new Set<string>();
    const jobs = Array.from({ length: 200 }, aJob);
    /** Takes a job as the guide says: the ticket is moved away first. */
    const take = async (id: string): Promise<void> => {
      const moved = rename(join(folder, `${id}.json`), join(folder, '..', `${id}.json`));
      await moved.then(
        () => taken.add(id),
        () => undefined,
      );
    };
    const answers = new Map<string, string>();
    const recall = async (id: string): Promise<void> => {
      answers.set(id, (await partner.recall(id)).answer);
    };
    const soon = () => delay(Math.random() * 3);
    await Promise.all(
      jobs.map(async (job, n) => {
        const { job_id: id } = job.ticket;
        await partner.submit(job);
        // A few in a fixed order, so that both ends are met; the others at the same time
        if (n < 5) await take(id).then(() => recall(id));
        else if (n < 10) await recall(id).then(() => take(id));
        else await Promise.all([soon().then(() => take(id)), soon().then(() => recall(id))]);
      }),
    );
    for (const { ticket } of jobs) {
      const expected = taken.has(ticket.job_id) ? 'rejected' : 'accepted';
      expect(answers.get(ticket.job_id), ticket.job_id).to.equal(expected);
    }
    expect(taken.size).to.be.within(5, jobs.length - 5);
  });
});
