import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { createLettersAtHand } from '../../commands/letters/letters-at-hand.ts';
import { AppError } from '../../contract/errors.ts';
import { createPostgresEventStore } from '../../infra/event-store/postgres/index.ts';
import { createHotfolder } from '../../infra/print/hotfolder.ts';
import { JobRefused, type PrintPartner } from '../../reactors/print-partner.ts';
import { createProduction } from '../../reactors/produce-letters.ts';
import { releaseLetter } from '../../reactors/release-letters.ts';
import { createLetterWorld, letterTo, plainly } from '../support/letter-world.ts';
import { createMemoryMarks } from '../support/memory-marks.ts';
import { nothingRestored } from '../support/nothing-restored.ts';
import { freshDatabase } from '../support/postgres.ts';
import { eventually } from '../support/service-process.ts';

const at = '2026-11-03T09:10:00.000Z';
const owning = async () => {};

/** Counts what all clients of this process ask PostgreSQL while `work` runs. */
const statementsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const { query } = pg.Client.prototype as { query: (...args: unknown[]) => unknown };
  let count = 0;
  pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
    count++;
    return query.apply(this, args);
  } as typeof pg.Client.prototype.query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query as typeof pg.Client.prototype.query;
  }
  return count;
};

describe('production of a set of letters', function () {
  this.timeout(180_000);

  const setUp = async (
    world: ReturnType<typeof createLetterWorld>,
    count: number,
    partner: PrintPartner,
    render = async (_: { letterId: string }): Promise<Buffer> => Buffer.from('%PDF'),
  ) => {
    await world.fund(1_000_000n);
    const ids = await Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const sent = await world.letters.send(letterTo(), plainly, world.asked(`letter ${n}`));
        return sent.letterId;
      }),
    );
    world.time.now += 300_000;
    const letters = createLettersAtHand(world.process().handler);
    const ports = { letters, clock: world.clock, partner, simulator: { name: 'simulator' } };
    const production = createProduction({
      ...ports,
      partners: [partner],
      restored: nothingRestored,
      render,
    });
    const release = () => Promise.all(ids.map((id) => releaseLetter(ports, id)));
    return { ids, release, submit: (id: string) => production.submit(id, at, owning) };
  };

  const taking = (submit: PrintPartner['submit']): PrintPartner => ({
    name: 'house',
    remembersJobs: true,
    recallsUnseen: true,
    submit,
    status: async () => 'unknown',
    recall: async () => ({ answer: 'accepted' }),
    datedAt: async () => undefined,
    forget: async () => undefined,
  });

  it('takes few statements for all of them together', async () => {
    const { url, drop } = await freshDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'letters-sets-'));
    const outbox = join(folder, 'outbox');
    // The data keys of the test are in memory: the store must not be given them.
    const { appendAll: _, ...store } = await createPostgresEventStore({ url });
    const partner = createHotfolder({ name: 'house', folder: outbox, marks: createMemoryMarks() });
    const { ids, release, submit } = await setUp(createLetterWorld({ store }), 64, partner);
    // Alone, each letter would be read twice and appended to twice.
    expect(await statementsOf(release)).to.be.below(16);
    expect(await statementsOf(() => Promise.all(ids.map(submit)))).to.be.below(32);
    const tickets = (await readdir(outbox)).filter((name) => name.endsWith('.json'));
    expect(tickets.toSorted()).to.deep.equal(ids.map((id) => `${id}.json`).toSorted());
    await store.close();
    await rm(folder, { recursive: true });
    await drop();
  });

  it('goes on with the others when letters are refused, cannot be rendered or cannot be handed over', async () => {
    const world = createLetterWorld();
    let [refused, down, broken] = ['', '', ''];
    const printed: string[] = [];
    const partner = taking(async ({ ticket: { job_id: id } }) => {
      if (id === refused) throw new JobRefused('too_heavy');
      if (id === down) throw new Error('the partner is down');
      printed.push(id);
    });
    const { ids, release, submit } = await setUp(world, 12, partner, async ({ letterId }) => {
      if (letterId === broken) throw new AppError('content_not_printable', 'It has two pages.');
      return Buffer.from('%PDF');
    });
    [refused = '', down = '', broken = ''] = ids;
    await release();
    const results = await Promise.allSettled(ids.map(submit));
    const failed = results.flatMap((one) => (one.status === 'rejected' ? one.reason.message : []));
    expect(failed).to.deep.equal(['the partner is down']);
    const states = await Promise.all(ids.map(world.letter));
    expect(states.map(({ status }) => status)).to.deep.equal([
      ...['failed', 'processing', 'failed'],
      ...ids.slice(3).map(() => 'processing'),
    ]);
    expect(printed.toSorted()).to.deep.equal(ids.slice(3).toSorted());
  });

  it('renders letters while 64 others are with a slow print house, and hands each over once', async () => {
    const answers: (() => void)[] = [];
    let atPartner = 0;
    let most = 0;
    const printed: string[] = [];
    const partner = taking(async ({ ticket }) => {
      most = Math.max(most, ++atPartner);
      await new Promise<void>((resolve) => answers.push(resolve));
      printed.push(ticket.job_id);
      atPartner--;
    });
    let rendered = 0;
    const { ids, release, submit } = await setUp(createLetterWorld(), 80, partner, async () => {
      rendered++;
      return Buffer.from('%PDF');
    });
    await release();
    const handedOver = Promise.all(ids.map(submit));
    await eventually('all are rendered', () => rendered === 80);
    await eventually('the partner is full', () => atPartner === 64);
    const done = eventually('all are handed over', () => {
      answers.shift()?.();
      return printed.length === 80;
    });
    await Promise.all([handedOver, done]);
    expect(most).to.equal(64);
    expect(printed.toSorted()).to.deep.equal(ids.toSorted());
  });
});
