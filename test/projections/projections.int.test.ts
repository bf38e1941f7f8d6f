import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { decodeEvent } from '../../events/envelope.ts';
import type { EventStore } from '../../events/event-store.ts';
import { letterStream } from '../../events/letter.ts';
import { sum } from '../../money/buckets.ts';
import { projectBatch, readCheckpoint } from '../../projections/batch.ts';
import {
  ledgerBalances,
  ledgerFaults,
  statementOf,
  statementPeriod,
} from '../../projections/ledger/query.ts';
import { letters } from '../../projections/letters/project.ts';
import { lettersById, recordFromEvents } from '../../projections/letters/query.ts';
import type { Projection } from '../../projections/projection.ts';
import { ensureReadModels, liveGeneration, rebuild } from '../../projections/rebuild.ts';
import { startProjections } from '../../projections/runner.ts';
import { bigint, defineTable, key } from '../../projections/upsert.ts';
import { wallets } from '../../projections/wallets/project.ts';
import { walletOf } from '../../projections/wallets/query.ts';
import {
  account,
  live,
  openWorld,
  register,
  rowsOf,
  type World,
} from '../support/projection-world.ts';
import { nextVersion, projections } from '../support/some-projections.ts';

const run = (world: World, which: Projection[] = projections) =>
  startProjections({
    ...world,
    projections: which,
    liveGeneration: ({ name }) => liveGeneration(world.db, name),
  });

const names = projections.map(({ name }) => name);

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
};

describe('projections', () => {
  let world: World;

  beforeEach(async () => {
    world = await openWorld();
    await register(world, account);
    await live(world, 40, 1);
  });

  afterEach(() => world.close());

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
    const events = (await world.store.readAll({ after: 0n, limit: 100_000 })).map(decodeEvent);
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
    expect(await ledgerFaults(world.db)).to.deep.equal({
      sum: 0n,
      gasBalances: true,
      unbalanced: 0n,
      astray: 0n,
    });
    const { state } = await world.handler.load(walletAggregate, account);
    const held = [...state.reservations.values()].filter((one) => one.state === 'held');
    expect(await walletOf(world.db, account)).to.deep.include({
      crypto_micro: state.available.crypto,
      fiat_micro: state.available.fiat,
      held_fiat_micro: held.reduce((sum, one) => sum + one.fiat, 0n),
      held_crypto_micro: held.reduce((sum, one) => sum + one.crypto, 0n),
    });
    const [available] = await ledgerBalances(world.db, [`available:${account}`]);
    expect(available).to.include({
      crypto_micro: state.available.crypto,
      fiat_micro: state.available.fiat,
    });
    const [from, until] = [new Date(0), new Date(8.64e15)];
    const of = { account: `available:${account}` };
    const period = await statementPeriod(world.db, { ...of, from, until, countTo: 100_000 });
    const statement = await statementOf(world.db, { ...of, ...period, limit: 100_000 });
    expect(period.entries).to.equal(statement.length);
    let balance = 0n;
    for (const { amountMicro, balanceMicro } of statement) {
      balance += amountMicro;
      expect(balanceMicro).to.equal(balance);
    }
    expect(balance).to.equal(sum(state.available));
  });

  it('name the purpose of money, and have an index by account, only on lines of statements', async () => {
    await ensureReadModels(world, projections);
    const columns = ['balance_micro', 'created_at', 'reached_at', 'type', 'event_id', 'purpose_id'];
    const { rows } = await world.db.query<Record<string, bigint>>(
      `select account like 'available:%' as stated, count(*) as lines,
         count(*) filter (where type is not null and receipt_id is null) as typed,
         ${columns.map((name) => `count(${name}) as ${name}`).join(', ')}
       from read_models.ledger_entries group by 1 order by 1`,
      [],
    );
    const [others, statements] = rows;
    expect(rows).to.have.length(2);
    const none = { balance_micro: 0n, created_at: 0n, reached_at: 0n, purpose_id: 0n, typed: 0n };
    expect(others).to.include(none);
    for (const name of columns.slice(0, -1)) expect(statements?.[name]).to.equal(statements?.lines);
    expect(statements?.purpose_id).not.to.equal(0n);
    const { rows: indexes } = await world.db.query<{ definition: string }>(
      `select indexdef as definition from pg_indexes where tablename ~ '^ledger_entries_g'`,
      [],
    );
    expect(indexes).to.have.length(3);
    for (const { definition } of indexes) expect(definition).to.include(' WHERE ');
  });

  it('leave amounts of nothing out of the lines of the books', async () => {
    await ensureReadModels(world, projections);
    const { rows } = await world.db.query<Record<string, bigint>>(
      `select count(*) as lines, count(nullif(crypto_micro, 0)) + count(nullif(fiat_micro, 0)) as amounts,
         count(crypto_micro) + count(fiat_micro) as stored, count(wei) as wei
       from read_models.ledger_entries`,
      [],
    );
    const [{ lines, amounts, stored, wei } = {}] = rows;
    expect(lines).not.to.equal(0n);
    expect({ stored, wei }).to.deep.equal({ stored: amounts, wei: 0n });
  });

  it('know the event of each position, of which a backup notes the last', async () => {
    await ensureReadModels(world, projections);
    const { rows } = await world.db.query<{ lines: bigint }>(
      `select count(*) as lines from read_models.ledger_entries group by position
       having count(distinct event_id) <> 1`,
      [],
    );
    expect(rows).to.deep.equal([]);
  });

  it('give readers the same sealed parts, wherever the log lies, and those of erased letters never', async () => {
    const { sealedSql: _, ...elsewhere } = world.store;
    // Batches of a few events: later ones meet existing rows, and leave their sealed part as it is.
    const readAll: EventStore['readAll'] = (options) =>
      world.store.readAll({ ...options, limit: 20 });
    const read = async () => {
      const { rows } = await world.db.query<{ letter_id: string }>(
        'select letter_id from read_models.letters order by letter_id',
      );
      return lettersById(
        world.db,
        rows.map((row) => row.letter_id),
      );
    };
    const columns = () =>
      world.db
        .query<{ name: string }>(
          `select attname as name from pg_attribute where attname = 'sealed'
           and attrelid = (select format('read_models.letters_g%s', generation)::regclass
             from read_models.projections where name = 'letters')`,
        )
        .then(({ rows }) => rows.length);
    await rebuild({ ...world, store: { ...world.store, readAll } }, [letters]);
    expect(await columns()).to.equal(0);
    const fromLog = await read();
    await rebuild({ ...world, store: { ...elsewhere, readAll } }, [letters]);
    expect(await columns()).to.equal(1);
    const fromRow = await read();
    expect(fromRow).to.deep.equal(fromLog);
    for (const { doc, sealed } of fromLog.values()) {
      expect(sealed === undefined).to.equal(doc.erased === true);
    }
    expect([...fromLog.values()].filter(({ doc }) => doc.erased).length).to.be.above(0);
  });

  it('are applied once when two workers run them', async () => {
    await ensureReadModels(world, projections);
    const errors: string[] = [];
    const log = {
      info: () => {},
      warn: () => {},
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
      projectBatch(
        { ...world, kept: new Map() },
        [{ projection: letters, generation: 1, position: from }],
        events,
        to,
      ),
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
    const [outcome] = await Promise.allSettled([
      rebuild({ ...world, store }, [letters], { writeEvents: 50 }),
    ]);
    expect(outcome?.status).to.equal('rejected');
    expect(await rowsOf(world, [letters])).to.equal(before);
    expect(await readCheckpoint(world.db, 'letters', 2)).to.equal(100n);
    const { events } = await rebuild(world, [letters]);
    expect(BigInt(events)).to.equal((await world.store.head()) - 100n);
    const resumed = await rowsOf(world, [letters]);
    await rebuild(world, [letters]);
    expect(await rowsOf(world, [letters])).to.equal(resumed);
  });

  it('leave no table behind that only an earlier version had', async () => {
    const entries = defineTable('wallet_entries', { position: key(bigint()) });
    const earlier: Projection = { ...wallets, version: 1, tables: [...wallets.tables, entries] };
    const left = async (): Promise<string[]> => {
      const { rows } = await world.db.query<{ relname: string }>(
        "select relname from pg_class where relname like 'wallet_entries%' and relkind in ('r', 'v')",
      );
      return rows.map(({ relname }) => relname);
    };
    await ensureReadModels(world, [earlier]);
    expect(await left()).to.have.members(['wallet_entries_g1', 'wallet_entries']);
    await ensureReadModels(world, [wallets]);
    expect(await left()).to.deep.equal([]);
  });

  it('are rebuilt once when two processes start with a new version', async () => {
    await ensureReadModels(world, projections);
    const rebuilt = await Promise.all([
      ensureReadModels(world, nextVersion),
      ensureReadModels(world, nextVersion),
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
