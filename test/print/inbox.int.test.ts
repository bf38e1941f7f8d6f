import { randomUUID } from 'node:crypto';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { letterAggregate } from '../../commands/letters/letter.ts';
import { startProduction } from '../../commands/letters/letter-production.ts';
import { decodeEvent } from '../../events/envelope.ts';
import { StoreUnavailable } from '../../events/event-store.ts';
import { type LetterTerms, letterStream } from '../../events/letter.ts';
import { createInbox } from '../../infra/print/inbox.ts';
import { chargeOfCents, totalOf } from '../../money/charge.ts';
import { centsOf, createLetterWorld, letterTo, plainly } from '../support/letter-world.ts';

describe('the inbox of the hotfolder', () => {
  let folder: string;
  let world: ReturnType<typeof createLetterWorld>;
  let inbox: ReturnType<typeof createInbox>;
  let letterId: string;
  /** When the pages of the handed-over letter were set. */
  let dated: string | undefined;
  /** Whether queued letters may have been handed over before the data was restored. */
  let isRestored = false;
  const logged: string[] = [];
  /** Fields of the lines. */
  const fields: object[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-inbox-'));
    world = createLetterWorld();
    const log = {
      warn(about: object, message: string) {
        logged.push(message);
        fields.push(about);
      },
    };
    const datedAt = async () => dated;
    dated = undefined;
    isRestored = false;
    const mayBeHandedOver = async () => isRestored;
    const { handler, clock } = world;
    inbox = createInbox({ folder, handler, log, clock, datedAt, mayBeHandedOver });
    await world.fund(10_000n);
    const input = letterTo({}, { service: 'fr_lettre_suivie' });
    ({ letterId } = await world.letters.send(input, plainly, world.asked('one')));
    await world.handler.handle(letterAggregate, letterId, world.context(), (letter) =>
      startProduction(letter, {
        type: 'StartProduction',
        partner: 'hotfolder',
        jobId: letterId,
        source: 'partner',
      }),
    );
  });
  afterEach(() => rm(folder, { recursive: true }));

  const put = (name: string, content: unknown): Promise<void> =>
    writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  const status = async (): Promise<string> => (await world.letter(letterId)).status;
  const namesIn = (place: string): Promise<string[]> => readdir(join(folder, place));

  it('stores reports in the order of their names, and each once', async () => {
    await put('1.json', { job_id: letterId, status: 'posted' });
    await put('2.json', {
      job_id: letterId,
      status: 'tracking_number',
      tracking_number: '6m 2013 2968 235',
    });
    await put('3.json', {
      job_id: letterId,
      status: 'delivered',
      evidence: 'signature',
      source: 'carrier',
    });
    await put('.draft.json', 'half');
    expect(await inbox.poll()).to.equal(3);
    expect(await status()).to.equal('delivered');
    expect(await world.letter(letterId)).to.include({ trackingNumber: '6M20132968235' });
    expect(await namesIn('done')).to.have.members(['1.json', '2.json', '3.json']);
    expect(await inbox.poll()).to.equal(0);
  });

  it('reads a report of a program that begins its files with a byte order mark', async () => {
    await put('1.json', `\uFEFF${JSON.stringify({ job_id: letterId, status: 'posted' })}`);
    expect(await inbox.poll()).to.equal(1);
    expect(await status()).to.equal('posted');
  });

  it('keeps when it happened, by whoever saw it, of the step that is told only', async () => {
    world.time.now += 10 * 86_400_000;
    const occurred = new Date(world.time.now - 3 * 86_400_000).toISOString();
    const offset = `${occurred.slice(0, 19)}+00:00`;
    const report = { job_id: letterId, status: 'delivered', evidence: 'carrier_scan' };
    await put('1.json', { ...report, occurred_at: offset });
    expect(await inbox.poll()).to.equal(1);
    const events = (await world.store.readStream(letterStream(letterId))).map(decodeEvent);
    const reportedAt = `${occurred.slice(0, 19)}.000Z`;
    expect(
      events.slice(-3).map(({ type, data }) => [type, 'reportedAt' in data && data.reportedAt]),
    ).to.deep.equal([
      ['LetterPosted', false],
      ['LetterInTransit', false],
      ['LetterDelivered', reportedAt],
    ]);
  });

  it('keeps the date of pages that are posted before the service recorded their hand-over', async () => {
    dated = new Date(world.time.now).toISOString();
    world.time.now += 86_400_000;
    const report = { job_id: letterId, status: 'posted' };
    await put('1.json', report);
    expect(await inbox.poll()).to.equal(1);
    expect(await world.letter(letterId)).to.include({ status: 'posted', datedAt: dated });
    const typesNow = async () =>
      (await world.store.readStream(letterStream(letterId))).map(({ type }) => type);
    const types = await typesNow();
    expect(types.slice(-2)).to.deep.equal(['PrintJobAccepted', 'LetterPosted']);
    await put('2.json', report);
    await inbox.poll();
    expect(await typesNow()).to.deep.equal(types);
  });

  describe('takes when it happened', () => {
    const hourMs = 3_600_000;
    /** The posting time in the stream of the letter, after a report with this time. */
    const postedAt = async (jobId: string, occurredMs: number) => {
      const occurred_at = new Date(occurredMs).toISOString();
      await put(`${jobId}.json`, { job_id: jobId, status: 'posted', occurred_at });
      expect(await inbox.poll()).to.equal(1);
      expect(await namesIn('done')).to.deep.equal([`${jobId}.json`]);
      const events = await world.store.readStream(letterStream(jobId));
      const posted = events.map(decodeEvent).at(-1);
      return posted?.type === 'LetterPosted' ? Date.parse(posted.data.reportedAt ?? '') : undefined;
    };
    const produced = async (sendDate?: string): Promise<string> => {
      const input = letterTo({}, sendDate === undefined ? {} : { sendDate });
      const { letterId: jobId } = await world.letters.send(input, plainly, world.asked('two'));
      await world.handler.handle(letterAggregate, jobId, world.context(), (letter) =>
        startProduction(letter, {
          type: 'StartProduction',
          partner: 'hotfolder',
          jobId,
          source: 'operator',
        }),
      );
      return jobId;
    };

    it('before the send date, if the operator started the production by then', async () => {
      const jobId = await produced('2026-12-03');
      world.time.now += hourMs;
      const at = world.time.now - 60_000;
      expect(await postedAt(jobId, at)).to.equal(at);
    });

    it('by the clock of now, if that was set back since the production started', async () => {
      world.time.now += hourMs;
      const jobId = await produced();
      world.time.now -= hourMs;
      expect(await postedAt(jobId, world.time.now)).to.equal(world.time.now);
    });

    it('no earlier than the start of the production, by a clock that was ahead then', async () => {
      world.time.now += hourMs;
      const began = world.time.now;
      const jobId = await produced();
      world.time.now += hourMs;
      expect(await postedAt(jobId, began - hourMs / 2)).to.equal(began);
    });
  });

  it('takes the answer to a recall', async () => {
    await world.handler.handle(letterAggregate, letterId, world.context(), () => [
      { type: 'LetterCancellationRequested', data: {} },
    ]);
    await put('a.json', { job_id: letterId, status: 'recall_accepted' });
    expect(await inbox.poll()).to.equal(1);
    expect(await status()).to.equal('cancelled');
  });

  const wrong: [string, unknown, RegExp][] = [
    ['no JSON', '{"job_id":', /not JSON/],
    ['another form', { job_id: 'x', status: 'posted' }, /job_id/],
    [
      'a time to come',
      { status: 'posted', occurred_at: '2999-01-01T00:00:00Z' },
      /occurred_at must be a time between/,
    ],
    [
      'a time before it was released',
      { status: 'posted', occurred_at: '2000-01-01T00:00:00Z' },
      /occurred_at must be a time between/,
    ],
    [
      'a time that there is not',
      { status: 'posted', occurred_at: '2026-13-41T25:00:00Z' },
      /occurred_at must be a time between/,
    ],
    [
      'a time of what has none',
      { status: 'recall_rejected', occurred_at: '2026-03-01T00:00:00Z' },
      /occurred_at cannot be sent with/,
    ],
    ['an unknown job', { job_id: randomUUID(), status: 'posted' }, /The print house has no job/],
    [
      'an unknown field, by its name',
      { status: 'posted', trackingnumber: 'x' },
      /trackingnumber is not a known field\. Remove it\. Did you mean `tracking_number`\?/,
    ],
    [
      'an unknown status, with those that there are',
      { status: 'postd' },
      /status must be one of .*"posted".* \(it is "postd"\)/,
    ],
    ['a job_id that is none', { job_id: '7', status: 'posted' }, /job_id .*\(it is "7"\)/],
    ['no evidence', { status: 'delivered' }, /evidence/],
    ['a wrong number', { status: 'posted', tracking_number: 'RB1' }, /tracking_number/],
  ];
  for (const [what, content, why] of wrong) {
    it(`puts ${what} aside with the reason, and goes on`, async () => {
      const filled = typeof content === 'object' ? { job_id: letterId, ...content } : content;
      await put('bad.json', filled);
      await put('good.json', { job_id: letterId, status: 'posted' });
      expect(await inbox.poll()).to.equal(1);
      expect(await namesIn('rejected')).to.have.members(['bad.json', 'bad.json.txt']);
      expect(await readFile(join(folder, 'rejected', 'bad.json.txt'), 'utf8')).to.match(why);
      expect(await status()).to.equal('posted');
    });
  }

  it('puts nothing of a report into the log, because it may name a person', async () => {
    await put('a.json', { job_id: letterId, status: 'Erika Mustermann moved' });
    await put('b.json', { job_id: letterId, status: 'posted', 'Erika Mustermann': 'moved' });
    await put('c.json', { job_id: letterId, status: 'posted', tracking_number: 'ErikaMustermann' });
    fields.length = 0;
    expect(await inbox.poll()).to.equal(0);
    expect(fields).to.deep.equal([{ file: 'a.json' }, { file: 'b.json' }, { file: 'c.json' }]);
    const why = await readFile(join(folder, 'rejected', 'a.json.txt'), 'utf8');
    expect(why).to.contain('(it is "Erika Mustermann moved")');
  });

  it('takes no time that no calendar has for another one', async () => {
    world.time.now = Date.parse('2026-12-01T12:00:00.000Z');
    const times = ['2026-11-31T10:00:00Z', '2026-11-31T10:00:00.5+01:00', '2026-11-30T24:00:00Z'];
    for (const [n, occurred_at] of times.entries()) {
      await put(`${n}.json`, { job_id: letterId, status: 'posted', occurred_at });
    }
    expect(await inbox.poll()).to.equal(0);
    expect(await status()).to.equal('processing');
  });

  it('reads the other reports, whatever else lies there', async () => {
    await mkdir(join(folder, 'a.json'));
    await symlink('/etc/hostname', join(folder, 'b.json'));
    await put(`c${'c'.repeat(248)}.json`, 'no report');
    await put('d.json', ' '.repeat(70_000));
    await mkdir(join(folder, 'done', 'e.json'), { recursive: true });
    await put('e.json', { job_id: letterId, status: 'tracking_number', tracking_number: 'x' });
    await put('f.json', { job_id: letterId, status: 'posted' });
    expect(await inbox.poll()).to.equal(1);
    expect(await status()).to.equal('posted');
    const left = (await readdir(folder)).filter((name) => name.endsWith('.json'));
    expect(left).to.deep.equal([]);
    expect(await namesIn('rejected')).to.include.members(['a.json', 'b.json', 'd.json']);
  });

  it('takes no report about a letter that another partner prints', async () => {
    const sent = await world.letters.send(letterTo(), plainly, world.asked('two'));
    const job_id = sent.letterId;
    await world.handler.handle(letterAggregate, job_id, world.context(), (letter) =>
      startProduction(letter, {
        type: 'StartProduction',
        partner: 'http',
        jobId: job_id,
        source: 'partner',
      }),
    );
    await put('a.json', { job_id, status: 'failed' });
    expect(await inbox.poll()).to.equal(0);
    expect(await namesIn('rejected')).to.include('a.json');
    expect((await world.letter(job_id)).status).to.equal('processing');
  });

  it('takes a report about a letter that the operator took into production, whichever partner that names', async () => {
    for (const partner of ['http', 'operator']) {
      const sent = await world.letters.send(letterTo(), plainly, world.asked(partner));
      const job_id = sent.letterId;
      await world.handler.handle(letterAggregate, job_id, world.context(), (letter) =>
        startProduction(letter, {
          type: 'StartProduction',
          partner,
          jobId: job_id,
          source: 'operator',
        }),
      );
      await put(`${partner}.json`, { job_id, status: 'posted' });
      expect(await inbox.poll(), partner).to.equal(1);
      expect((await world.letter(job_id)).status).to.equal('posted');
    }
  });

  describe('about a letter that the restored log has as queued', () => {
    const priceOf = ({ terms }: { terms: LetterTerms }) =>
      totalOf(chargeOfCents(terms.price.charge)) / 10_000n;
    const reported = async (report: object) => {
      const name = JSON.stringify(report);
      const input = letterTo({}, { service: 'fr_lettre_suivie' });
      const { letterId: job_id } = await world.letters.send(input, plainly, world.asked(name));
      await put('a.json', { job_id, ...report });
      const before = (await world.wallet()).available;
      const stored = await inbox.poll();
      await world.settle(job_id);
      const after = (await world.wallet()).available;
      const letter = await world.letter(job_id);
      if (letter.status === 'none') throw new Error('there is no letter');
      return { stored, letter, paidBack: centsOf(after) - centsOf(before) };
    };

    const reports: [string, object][] = [
      ['posted', { status: 'posted' }],
      ['in_transit', { status: 'in_transit' }],
      ['delivered', { status: 'delivered', evidence: 'signature' }],
      ['posted', { status: 'returned' }],
      ['processing', { status: 'tracking_number', tracking_number: '6M20132968235' }],
      ['failed', { status: 'failed' }],
    ];
    for (const [status, report] of reports) {
      it(`takes ${JSON.stringify(report)}: its print house has it`, async () => {
        isRestored = true;
        const { stored, letter, paidBack } = await reported(report);
        expect(stored).to.equal(1);
        expect(letter).to.include({ status, partner: 'hotfolder' });
        expect(paidBack).to.equal(status === 'failed' ? priceOf(letter) : 0n);
      });
    }

    it('refuses a report if the letter cannot have been handed over', async () => {
      const { stored, letter } = await reported({ status: 'posted' });
      expect(stored).to.equal(0);
      expect(letter.status).to.equal('queued');
      expect(await namesIn('rejected')).to.include('a.json');
    });
  });

  it('says when something is reported as printed that was paid back', async () => {
    for (const [name, what] of Object.entries({ a: 'failed', b: 'failed', c: 'posted' })) {
      await put(`${name}.json`, { job_id: letterId, status: what });
    }
    logged.length = 0;
    await inbox.poll();
    expect(logged).to.deep.equal(['the print house reports a refunded letter as printed']);
    expect(await status()).to.equal('failed');
  });

  it('also reads a report that replaces one of the same name while that is stored', async () => {
    await put('a.json', { job_id: letterId, status: 'posted' });
    const next = { job_id: letterId, status: 'delivered', evidence: 'signature' };
    world.faults.append = async (append, ...call) => {
      delete world.faults.append;
      await put('.next', next);
      await rename(join(folder, '.next'), join(folder, 'a.json'));
      return append(...call);
    };
    await inbox.poll();
    expect(await status()).to.equal('posted');
    expect(await inbox.poll()).to.equal(1);
    expect(await status()).to.equal('delivered');
  });

  it('keeps each report, also under the name of an earlier one, so that all can be read again in their order', async () => {
    const reports = [
      { status: 'posted', tracking_number: '6M20132968235' },
      { status: 'tracking_number', tracking_number: '6A15602676300' },
      { status: 'in_transit' },
    ];
    for (const [n, report] of reports.entries()) {
      await put('.a', { job_id: letterId, ...report });
      const writtenAt = new Date(world.time.now + n * 1_000);
      await utimes(join(folder, '.a'), writtenAt, writtenAt);
      await rename(join(folder, '.a'), join(folder, 'a.json'));
      expect(await inbox.poll()).to.equal(1);
    }
    const kept = (await namesIn('done')).toSorted();
    const read = (name: string) => readFile(join(folder, 'done', name), 'utf8');
    expect((await Promise.all(kept.map(read))).map((text) => JSON.parse(text))).to.deep.equal(
      reports.map((report) => ({ job_id: letterId, ...report })),
    );
    expect(kept.at(-1)).to.equal('a.json');
  });

  it('keeps a report that cannot be stored now', async () => {
    await put('a.json', { job_id: letterId, status: 'posted' });
    world.faults.append = async () => {
      throw new StoreUnavailable('away');
    };
    expect(await inbox.poll().catch((error: Error) => error.name)).to.equal('StoreUnavailable');
    delete world.faults.append;
    expect(await inbox.poll()).to.equal(1);
    expect(await status()).to.equal('posted');
  });
});
