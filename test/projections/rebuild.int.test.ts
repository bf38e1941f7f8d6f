import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect } from 'chai';
import { freeze, unfreeze } from '../../commands/guards/freeze.ts';
import { logoBookAggregate } from '../../commands/logos/logo-book.ts';
import { reserveFunds } from '../../commands/wallets/reserve-funds.ts';
import { settleReservation } from '../../commands/wallets/settle-reservation.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { type EventStore, StoreUnavailable } from '../../events/event-store.ts';
import { letterPurpose } from '../../events/wallet.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { projectBatch, readCheckpoint } from '../../projections/batch.ts';
import { freezes } from '../../projections/freezes/project.ts';
import { makeOwnIndexes, prepare } from '../../projections/generation.ts';
import { letters } from '../../projections/letters/project.ts';
import { logoRows } from '../../projections/logos/project.ts';
import type { Projection } from '../../projections/projection.ts';
import { ensureReadModels, liveGeneration, rebuild } from '../../projections/rebuild.ts';
import { startProjections } from '../../projections/runner.ts';
import { bigint, defineTable, key } from '../../projections/upsert.ts';
import { wallets } from '../../projections/wallets/project.ts';
import {
  account,
  live,
  openWorld,
  register,
  rowsOf,
  type World,
} from '../support/projection-world.ts';
import { nextVersion, projections } from '../support/some-projections.ts';

/** One row an event; its index takes 20 ms a row, as one of a large table takes its time. */
const slowTable = defineTable(
  'slow',
  { position: key(bigint()) },
  { indexes: ['(slowly(position))'] },
);
const slowly = `
create function public.slowly(bigint) returns bigint language plpgsql immutable
as 'begin perform pg_sleep(0.02); return $1; end'`;

const slow: Projection = {
  name: 'slow',
  version: 1,
  tables: [slowTable],
  project: async (_, events) => slowTable.save(events.map(({ position }) => ({ position }))),
};

const timeLimits = [
  'statement_timeout',
  'lock_timeout',
  'transaction_timeout',
  'idle_in_transaction_session_timeout',
];
const limitMs = 1_000;

/** A log that cannot be read after a position: a rebuild that gets there ends like one that is killed. */
const cutShortAt = (world: World, end: bigint): World => {
  const readAll: EventStore['readAll'] = async (options) => {
    if (options.after >= end) throw new Error('cut short');
    return world.store.readAll(options);
  };
  return { ...world, store: { ...world.store, readAll } };
};

const freezeTwice = async ({ handler }: World): Promise<void> => {
  const context = { commandId: randomUUID(), actor: 'operator' };
  const change = { subject: 'key_a', maker: { subjects: [] } };
  await handler.handle(walletAggregate, account, context, (wallet) =>
    freeze(wallet, { type: 'Freeze', ...change }),
  );
  await handler.handle(walletAggregate, account, context, (wallet) =>
    unfreeze(wallet, { type: 'Unfreeze', ...change }),
  );
};

const uploadAndDelete = async ({ handler }: World): Promise<void> => {
  const logo = { accountId: account, logoId: 'logo', blob: 'blob' };
  const image = { mediaType: 'image/png' as const, bytes: 1, width: 1, height: 1 };
  const request = { requestId: 'r', requestHash: 'h' };
  const context = { commandId: randomUUID(), actor: 'operator' };
  await handler.handle(logoBookAggregate, account, context, () => [
    { type: 'LogoUploaded' as const, data: { ...logo, ...image, ...request } },
    { type: 'LogoDeleted' as const, data: logo },
  ]);
};

/** One purpose after another, each twice: its row is made, removed and made again. */
const reserveAgain = async ({ handler }: World, letters: number): Promise<void> => {
  const context = () => ({ commandId: randomUUID(), actor: 'operator' });
  for (let n = 0; n < letters; n++) {
    const purpose = letterPurpose(randomUUID());
    const reserve = (attemptId: string) =>
      handler.handle(walletAggregate, account, context(), (wallet) =>
        reserveFunds(wallet, {
          type: 'ReserveFunds',
          purpose,
          attemptId,
          subtotalMicro: 1_000_000n,
        }),
      );
    await reserve('first');
    await handler.handle(walletAggregate, account, context(), (wallet) =>
      settleReservation(wallet, {
        type: 'SettleReservation',
        purpose,
        target: { state: 'over' },
      }),
    );
    await reserve('second');
  }
};

/** Begins the next generation as programs did that write every batch into tables with all their keys. */
const writeByBatches = async (world: World): Promise<void> => {
  const { store, db } = world;
  for (const projection of projections) {
    const generation = (await liveGeneration(db, projection.name)) + 1;
    await prepare(db, projection, generation, store.sealedSql);
    await makeOwnIndexes(db, { projection, generation, position: 0n }, { analyzed: true });
    const events = await store.readAll({ after: 0n, limit: 60 });
    const to = events.at(-1)?.position ?? 0n;
    await projectBatch(
      { ...world, kept: new Map() },
      [{ projection, generation, position: 0n }],
      events,
      to,
    );
  }
};

describe('a rebuild', () => {
  let world: World;

  beforeEach(async () => {
    world = await openWorld();
    await register(world, account);
    await live(world, 40, 1);
  });
  afterEach(() => world.close());

  it('is ended by no time limit of server or client, however long an index takes', async () => {
    await world.db.query(slowly);
    const { pathname } = new URL(world.url);
    for (const limit of timeLimits) {
      await world.db.query(`alter database ${pathname.slice(1)} set ${limit} = ${limitMs}`);
    }
    const limited = createReadDb({
      url: world.url,
      max: 4,
      applicationName: 'test',
      onError: () => {},
      queryTimeoutMs: limitMs,
    });
    try {
      const asleep = await limited.query('select pg_sleep(2)').catch((error: unknown) => error);
      // The server's limit, or ours: whichever comes first.
      expect(String(asleep)).to.match(/timeout|StoreUnavailable/);
      const beganMs = performance.now();
      const { events } = await rebuild({ ...world, db: limited }, [slow]);
      expect(performance.now() - beganMs).to.be.above(2 * limitMs);
      expect(BigInt(events)).to.equal(await world.store.head());
      expect(await liveGeneration(world.db, 'slow')).to.equal(1);
    } finally {
      await limited.close();
    }
  });

  it('that loses its connections fails alone, and goes on when it is tried again', async () => {
    await ensureReadModels(world, projections);
    const before = await rowsOf(world);
    let read = 0;
    const readAll: EventStore['readAll'] = async (options) => {
      if (++read === 3) {
        await world.db.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lost'`,
        );
      }
      return world.store.readAll({ ...options, limit: 50 });
    };
    const onError = () => {};
    const lost = createReadDb({ url: world.url, max: 10, applicationName: 'lost', onError });
    const store = { ...world.store, readAll };
    const [outcome] = await Promise.allSettled([
      rebuild({ ...world, store, db: lost }, projections),
    ]);
    await lost.close();
    expect(outcome?.status === 'rejected' && outcome.reason).to.be.instanceOf(StoreUnavailable);
    expect(await rowsOf(world)).to.equal(before);
    await rebuild(world, projections);
    expect(await rowsOf(world)).to.equal(before);
  });

  it('that is killed goes on where it was, and its rows are those of one that was not', async () => {
    await ensureReadModels(world, projections);
    const before = await rowsOf(world);
    const script = new URL('../support/rebuild-and-hang.ts', import.meta.url);
    const child = fork(script, [world.url, '3'], { stdio: 'inherit' });
    const [said] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
    expect(said).to.equal('far enough');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await liveGeneration(world.db, 'letters')).to.equal(1);
    expect(await rowsOf(world)).to.equal(before);
    const begun = await readCheckpoint(world.db, 'letters', 2);
    expect(begun).to.be.oneOf([50n, 100n, 150n]);
    const changed = { writeEvents: 30, keptRows: 5 };
    expect(await ensureReadModels(world, nextVersion, changed)).to.have.length(projections.length);
    expect(await liveGeneration(world.db, 'letters')).to.equal(2);
    expect(await rowsOf(world)).to.equal(before);
  });

  for (const { projection, change } of [
    { projection: freezes, change: freezeTwice },
    { projection: logoRows, change: uploadAndDelete },
  ]) {
    it(`that is cut short can be finished where ${projection.name} has written a row that changes later`, async () => {
      await change(world);
      await ensureReadModels(world, [projection]);
      const before = await rowsOf(world, [projection]);
      const next = { ...projection, version: projection.version + 1 };
      const lastButOne = (await world.store.head()) - 1n;
      const cut = ensureReadModels(cutShortAt(world, lastButOne), [next], {
        readEvents: 1,
        writeEvents: 1,
      });
      expect(await cut.catch(String)).to.match(/cut short/);
      expect(await readCheckpoint(world.db, projection.name, 2)).to.equal(lastButOne);
      await ensureReadModels(world, [next]);
      expect(await rowsOf(world, [projection])).to.equal(before);
    });
  }

  it('drops the read models that it replaces when its own rows are there', async () => {
    const table = defineTable('former', { position: key(bigint()), count: bigint() });
    const former: Projection = {
      name: 'former',
      version: 1,
      tables: [table],
      project: async (_, events) =>
        table.save(events.map(({ position }) => ({ position, count: 1n }))),
    };
    await ensureReadModels(world, [former, { ...letters, version: letters.version - 1 }]);
    const left = async (): Promise<unknown[]> => {
      const { rows } = await world.db.query<{ what: string }>(
        `select relname::text as what from pg_class where relname ~ '^former' and relkind in ('r', 'v')
         union all select name from read_models.projections where name = 'former'
         union all select name from read_models.checkpoints where name = 'former' order by 1`,
        [],
      );
      return rows.map(({ what }) => what);
    };
    expect(await left()).to.deep.equal(['former', 'former', 'former', 'former_g1']);
    const cutShort = async (projection: Projection): Promise<void> => {
      const cut = ensureReadModels(cutShortAt(world, 10n), [projection], { readEvents: 1 });
      expect(await cut.catch(String)).to.match(/cut short/);
    };
    // An older program may have begun to fill it anew.
    await cutShort({ ...former, version: 2 });
    const found = ['former', 'former', 'former', 'former', 'former_g1', 'former_g2'];
    expect(await left()).to.deep.equal(found);
    const successor = { ...letters, replaces: ['former'] };
    await cutShort(successor);
    expect(await left()).to.deep.equal(found);
    await ensureReadModels(world, [successor]);
    expect(await left()).to.deep.equal([]);
  });

  for (const how of ['is cut short', 'keeps no rows'] as const) {
    it(`that ${how} has the rows that are removed and made again between two writes`, async () => {
      await reserveAgain(world, 6);
      await ensureReadModels(world, [wallets]);
      const before = await rowsOf(world, [wallets]);
      const limits = { readEvents: 1, writeEvents: 5 };
      if (how === 'is cut short') {
        const end = (await world.store.head()) - 12n;
        const cut = rebuild(cutShortAt(world, end), [wallets], limits);
        expect(await cut.catch(String)).to.match(/cut short/);
        await rebuild(world, [wallets], limits);
      } else await rebuild(world, [wallets], { ...limits, keptRows: 0 });
      expect(await liveGeneration(world.db, 'wallets')).to.equal(2);
      expect(await rowsOf(world, [wallets])).to.equal(before);
    });
  }

  for (const limits of [
    { readEvents: 7, writeEvents: 1, keptRows: 0 },
    { readEvents: 20, writeEvents: 60, keptRows: 5 },
    { readEvents: 90, writeEvents: 30, keptRows: 1_000 },
    { readEvents: 1_000, writeEvents: 1_000, keptRows: 0 },
  ]) {
    const { readEvents, writeEvents, keptRows } = limits;
    it(`that reads ${readEvents} events, writes after ${writeEvents} and keeps ${keptRows} rows gives the rows of live events`, async () => {
      await ensureReadModels(world, projections);
      const runner = startProjections({
        ...world,
        projections,
        liveGeneration: ({ name }) => liveGeneration(world.db, name),
      });
      try {
        await Promise.all([live(world, 20, 2), rebuild(world, projections, limits)]);
        const names = projections.map(({ name }) => name);
        expect(await runner.waitFor(names, await world.store.head(), 60_000)).to.equal(true);
      } finally {
        await runner.stop();
      }
      const kept = await rowsOf(world);
      await rebuild(world, projections, limits);
      expect(await rowsOf(world)).to.equal(kept);
      await writeByBatches(world);
      await rebuild(world, projections, limits);
      expect(await rowsOf(world)).to.equal(kept);
    });
  }

  it('that is cut short is begun anew by programs that count on the indexes of its tables', async () => {
    await ensureReadModels(world, projections);
    const versions = () =>
      world.db.query<{ version: number }>(
        "select obj_description('read_models.letters_g2'::regclass)::int as version",
      );
    const readAll: EventStore['readAll'] = async ({ after }) => {
      if (after >= 50n) throw new Error('cut short');
      return world.store.readAll({ after, limit: 50 });
    };
    const store = { ...world.store, readAll };
    const work = rebuild({ ...world, store }, [letters], { writeEvents: 50 });
    expect(await work.catch((error: unknown) => String(error))).to.match(/cut short/);
    expect((await versions()).rows).to.deep.equal([{ version: -letters.version }]);
    expect(await readCheckpoint(world.db, 'letters', 2)).to.equal(50n);
  });
});
