import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { accountAggregate, registerAccount } from '../../commands/accounts/account.ts';
import { type CommandHandler, createCommandHandler } from '../../commands/handling/handle.ts';
import { settleWallet } from '../../commands/letters/consequences.ts';
import { decide, type LetterCommand, letterAggregate } from '../../commands/letters/letter.ts';
import {
  creditFunds,
  openWallet,
  reserveFunds,
  walletAggregate,
} from '../../commands/wallets/wallet.ts';
import { isAppError } from '../../contract/errors.ts';
import { decodeEvent } from '../../events/envelope.ts';
import type { EventStore } from '../../events/event-store.ts';
import { letterStream } from '../../events/letter.ts';
import { createPostgresEventStore } from '../../infra/event-store/postgres/index.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { accounts } from '../../projections/accounts/project.ts';
import { projectBatch, readCheckpoint } from '../../projections/batch.ts';
import { letters } from '../../projections/letters/project.ts';
import { lettersById, recordFromEvents } from '../../projections/letters/query.ts';
import { notifications } from '../../projections/notifications/project.ts';
import type { AnyEvent, Projection } from '../../projections/projection.ts';
import { ensureReadModels, liveGeneration, rebuild } from '../../projections/rebuild.ts';
import { prepareReadModels, type RunnerPorts, startProjections } from '../../projections/runner.ts';
import { wallets } from '../../projections/wallets/project.ts';
import { ledgerSum, walletOf } from '../../projections/wallets/query.ts';
import { samplePersonal, sampleTerms } from '../support/letter-samples.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { freshDatabase } from '../support/postgres.ts';

const projections = [accounts, letters, notifications, wallets];
const account = 'acct_1';
const context = () => ({ commandId: randomUUID(), actor: 'operator' });
const silent = { info: () => {}, error: () => {} };

type World = RunnerPorts & { handler: CommandHandler; store: EventStore };

/** Numbers from 0 to n - 1, the same for the same seed. */
const createDice = (seed: number) => {
  let state = seed;
  return (sides: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * sides);
  };
};

const commandsAfter = (dice: (sides: number) => number): LetterCommand[] => {
  const source = 'simulator' as const;
  const report = { type: 'ReportProgress' as const, source };
  const all: LetterCommand[] = [
    { type: 'StartProduction', partner: 'p', jobId: 'j', source },
    { ...report, step: 'posted', trackingNumber: `T${dice(9)}` },
    { ...report, step: 'in_transit' },
    { ...report, step: 'delivered', evidence: 'simulated' },
    { ...report, step: 'returned', reason: 'unknown' },
    { ...report, step: 'failed', code: 'jam', stage: 'print', retryable: false, detail: 'jam' },
    { type: 'CancelLetter' },
    { type: 'AnswerRecall', accepted: dice(2) === 0, reason: 'printed' },
    { type: 'EraseLetter', reason: 'deleted' },
    { type: 'AbandonSend', accountId: account, attemptId: `late-${dice(3)}` },
  ];
  return Array.from({ length: dice(7) }, () => all[dice(all.length)] as LetterCommand);
};

const tolerant = async (work: Promise<unknown>): Promise<void> => {
  await work.catch((error: unknown) => {
    if (!isAppError(error)) throw error;
  });
};

const liveALetter = async (world: World, dice: (sides: number) => number): Promise<void> => {
  const { handler } = world;
  const letterId = randomUUID();
  const attemptId = randomUUID();
  const terms = sampleTerms({
    referenceHash: 'h'.repeat(43),
    metadataHashes: ['m'.repeat(43), 'n'.repeat(43)],
  });
  await handler.handle(walletAggregate, account, context(), (wallet) =>
    reserveFunds(wallet, { type: 'ReserveFunds', letterId, attemptId, subtotalCents: 200n }),
  );
  const first: LetterCommand = {
    type: 'QueueLetter',
    terms,
    personal: samplePersonal(),
    attemptId,
    cancellableUntil: '2026-03-01T12:05:00.000Z',
    releaseAt: '2026-03-01T12:05:00.000Z',
    requestHash: 'r'.repeat(43),
  };
  for (const command of [first, ...commandsAfter(dice)]) {
    await tolerant(
      handler.handle(letterAggregate, letterId, context(), (letter) => decide(letter, command)),
    );
    await settleWallet(world, letterId, context(), account);
  }
};

const live = async (world: World, count: number, seed: number): Promise<void> => {
  const dice = createDice(seed);
  const { handler } = world;
  await handler.handle(walletAggregate, account, context(), (wallet) => [
    ...openWallet(wallet, { type: 'OpenWallet', accountId: account, test: false }),
    ...creditFunds(wallet, {
      type: 'CreditFunds',
      creditId: `c${seed}`,
      bucket: 'fiat',
      amountMicro: 1_000_000_000n,
      source: 'operator',
      reference: 'invoice',
    }),
  ]);
  for (let done = 0; done < count; done += 10) {
    await Promise.all(Array.from({ length: 10 }, () => liveALetter(world, dice)));
  }
};

const register = (world: World, accountId: string) =>
  world.handler.handle(accountAggregate, accountId, context(), (state) =>
    registerAccount(state, {
      type: 'RegisterAccount',
      accountId,
      kind: 'email',
      test: false,
      name: `${accountId}@example.org`,
      requestHash: 'r'.repeat(43),
      key: {
        keyId: `key-${accountId}`,
        secretHash: `${accountId}`.padEnd(43, 's'),
        prefix: 'svc_live_abcd',
        label: 'x',
        scope: 'full',
      },
    }),
  );

/** Every row that is read, as text. */
const rowsOf = async (world: World, which: Projection[] = projections): Promise<string> => {
  const dump: unknown[] = [];
  for (const table of which.flatMap((projection) => projection.tables)) {
    const { rows } = await world.db.query<{ row: string }>(
      `select t::text as row from read_models.${table} t order by 1`,
    );
    expect(rows.length, table).to.be.above(0);
    dump.push([table, rows.map(({ row }) => row)]);
  }
  return JSON.stringify(dump);
};

const run = (world: World, which: Projection[] = projections) =>
  startProjections({
    ...world,
    projections: which,
    liveGeneration: (name) => liveGeneration(world.db, name),
  });

const names = projections.map(({ name }) => name);

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
};

describe('projections', () => {
  let world: World;
  let close: () => Promise<void>;

  beforeEach(async () => {
    const { url, drop } = await freshDatabase();
    const store = await createPostgresEventStore({ url });
    const db = createReadDb({ url, max: 10, applicationName: 'test', onError: () => {} });
    await prepareReadModels(db);
    const handler = createCommandHandler({
      store,
      dataKeys: createMemoryDataKeys(),
      clock: () => Date.parse('2026-03-01T12:00:00.000Z'),
    });
    world = { store, db, handler, log: silent };
    close = async () => {
      await store.close();
      await db.close();
      await drop();
    };
    await register(world, account);
    await live(world, 40, 1);
  });

  afterEach(() => close());

  it('keep up with the log, and a rebuild gives the same rows, twice', async () => {
    await ensureReadModels(world, projections);
    const runner = run(world);
    await live(world, 40, 2);
    expect(await runner.waitFor(names, await world.store.head(), 10_000)).to.equal(true);
    await runner.stop();
    const kept = await rowsOf(world);
    for (let turn = 0; turn < 2; turn++) {
      for (const projection of projections) await rebuild(world, [projection]);
      expect(await rowsOf(world)).to.equal(kept);
    }
    expect(await liveGeneration(world.db, 'letters')).to.equal(3);
  });

  it('hold what a fold of the events says, and books that sum up to zero', async () => {
    await ensureReadModels(world, projections);
    const events = (await world.store.readAll({ after: 0n, limit: 100_000 })).map(
      (event) => decodeEvent(event) as unknown as AnyEvent,
    );
    const streams = new Set(events.map(({ stream }) => stream));
    let compared = 0;
    for (const stream of streams) {
      if (!stream.startsWith('letter-')) continue;
      const id = stream.slice('letter-'.length);
      const folded = recordFromEvents(events.filter((event) => event.stream === stream));
      const read = (await lettersById(world.db, [id])).get(id);
      expect(JSON.stringify(read, stringify)).to.equal(JSON.stringify(folded, stringify));
      compared++;
    }
    expect(compared).to.equal(40);
    expect(await ledgerSum(world.db)).to.deep.equal({ sum: 0n, unbalanced: 0n });
    const { state } = await world.handler.load(walletAggregate, account);
    const held = [...state.reservations.values()].filter((one) => one.state === 'held');
    expect(await walletOf(world.db, account)).to.deep.include({
      crypto_micro: state.available.crypto,
      fiat_micro: state.available.fiat,
      held_fiat_micro: held.reduce((sum, one) => sum + one.fiat, 0n),
      held_crypto_micro: held.reduce((sum, one) => sum + one.crypto, 0n),
    });
  });

  it('are applied once when two workers run them', async () => {
    await ensureReadModels(world, projections);
    const errors: string[] = [];
    const log = {
      info: () => {},
      error: (fields: object) => void errors.push(JSON.stringify(fields)),
    };
    const runners = [run({ ...world, log }), run({ ...world, log })];
    await live(world, 40, 2);
    await register(world, 'acct_2');
    const head = await world.store.head();
    for (const name of names) {
      await until(async () => {
        const generation = await liveGeneration(world.db, name);
        return (await readCheckpoint(world.db, name, generation)) === head;
      });
    }
    await Promise.all(runners.map((runner) => runner.stop()));
    expect(errors).to.deep.equal([]);
    const kept = await rowsOf(world);
    for (const projection of projections) await rebuild(world, [projection]);
    expect(await rowsOf(world)).to.equal(kept);
  });

  it('stand down when another worker moved the checkpoint, and write nothing', async () => {
    await ensureReadModels(world, [letters]);
    const before = await rowsOf(world, [letters]);
    const from = await world.store.head();
    await live(world, 10, 3);
    const events = await world.store.readAll({ after: from, limit: 1_000 });
    await world.db.query(
      "update read_models.checkpoints set position = position + 1 where name = 'letters'",
    );
    const to = events.at(-1)?.position ?? 0n;
    const [outcome] = await Promise.allSettled([
      projectBatch(world, [{ projection: letters, generation: 1, position: from }], events, to),
    ]);
    expect(outcome?.status).to.equal('rejected');
    expect(await rowsOf(world, [letters])).to.equal(before);
  });

  it('halt visibly at an event they do not know, and the others go on', async () => {
    await ensureReadModels(world, projections);
    const runner = run(world);
    const poisoned = letterStream(randomUUID());
    const metadata = JSON.stringify({ at: 'x', schema: 1, command: 'c', actor: 'a', prev: '' });
    await world.db.query(
      "select event_log.append('{1}', $1, '{-1}', '{1}', '{1}', '{1}', $2::uuid[], 'Unheard', '{}', $3, '{}', '', '')",
      [poisoned, `{${randomUUID()}}`, metadata],
    );
    await register(world, 'acct_3');
    const head = await world.store.head();
    const reached = await runner.waitFor(['accounts', 'wallets'], head, 5_000);
    expect(
      reached,
      runner
        .statuses()
        .map((status) => status.error)
        .join(),
    ).to.equal(true);
    const stateOf = (name: string) => runner.statuses().find((status) => status.name === name);
    await until(() => stateOf('letters')?.state === 'halted');
    await until(() => stateOf('notifications')?.state === 'halted');
    expect(stateOf('letters')?.error).to.match(/unknown event type Unheard/);
    expect(await readCheckpoint(world.db, 'letters', 1)).to.be.below(head as unknown as number);
    expect(stateOf('accounts')?.state).to.equal('running');
    await runner.stop();
  });

  it('are rebuilt while events arrive: readers never go back in time', async () => {
    await ensureReadModels(world, projections);
    const runner = run(world);
    const arriving = live(world, 60, 2);
    let finished = false;
    let seen = 0;
    const reading = (async () => {
      while (!finished) {
        const { rows } = await world.db.query<{ count: bigint }>(
          'select count(*) from read_models.letters',
        );
        const count = Number(rows[0]?.count ?? 0n);
        expect(count).to.be.at.least(seen);
        seen = count;
      }
    })();
    for (let turn = 0; turn < 3; turn++) {
      for (const projection of projections) await rebuild(world, [projection]);
    }
    await arriving;
    finished = true;
    await reading;
    expect(await runner.waitFor(names, await world.store.head(), 10_000)).to.equal(true);
    await runner.stop();
    const kept = await rowsOf(world);
    for (const projection of projections) await rebuild(world, [projection]);
    expect(await rowsOf(world)).to.equal(kept);
  });

  it('go on with a rebuild that was cut short, and leave the live rows alone meanwhile', async () => {
    await ensureReadModels(world, projections);
    await live(world, 10, 2);
    await ensureReadModels(world, projections);
    const before = await rowsOf(world, [letters]);
    let batches = 0;
    const store: EventStore = {
      ...world.store,
      readAll: async (options) => {
        if (++batches === 3) throw new Error('cut short');
        return world.store.readAll({ ...options, limit: 50 });
      },
    };
    const [outcome] = await Promise.allSettled([rebuild({ ...world, store }, [letters])]);
    expect(outcome?.status).to.equal('rejected');
    expect(await rowsOf(world, [letters])).to.equal(before);
    expect(await readCheckpoint(world.db, 'letters', 2)).to.equal(100n);
    const { events } = await rebuild(world, [letters]);
    expect(BigInt(events)).to.equal((await world.store.head()) - 100n);
    const resumed = await rowsOf(world, [letters]);
    await rebuild(world, [letters]);
    expect(await rowsOf(world, [letters])).to.equal(resumed);
  });

  it('are rebuilt once when two processes start with a new version', async () => {
    await ensureReadModels(world, projections);
    const next = projections.map((projection) => ({
      ...projection,
      version: projection.version + 1,
    }));
    const rebuilt = await Promise.all([
      ensureReadModels(world, next),
      ensureReadModels(world, next),
    ]);
    expect(rebuilt.flat().sort()).to.deep.equal([...names].sort());
    expect(await liveGeneration(world.db, 'letters')).to.equal(2);
  });
});

/** JSON with bigints as text and keys in order. */
function stringify(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
