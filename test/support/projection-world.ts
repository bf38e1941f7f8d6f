/** A log of letters that lived, by chance but always the same, and the read models of it. */

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { registerAccount } from '../../commands/accounts/registration.ts';
import { type CommandHandler, createCommandHandler } from '../../commands/handling/handle.ts';
import { settleWallet } from '../../commands/letters/follow-up.ts';
import { letterAggregate } from '../../commands/letters/letter.ts';
import { creditFunds } from '../../commands/wallets/credits.ts';
import { reserveFunds } from '../../commands/wallets/reserve-funds.ts';
import { openWallet, walletAggregate } from '../../commands/wallets/wallet.ts';
import type { RecordedEvent } from '../../events/event-store.ts';
import { letterPurpose } from '../../events/wallet.ts';
import { createPostgresEventStore } from '../../infra/event-store/postgres/index.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { projectBatch, readCheckpoint } from '../../projections/batch.ts';
import type { Projection } from '../../projections/projection.ts';
import type { RunnerPorts } from '../../projections/runner.ts';
import { rejectionOf } from './decider-spec.ts';
import { decide, type LetterCommand } from './letter-commands.ts';
import { samplePersonal, sampleTerms } from './letter-samples.ts';
import { createMemoryDataKeys } from './memory-data-keys.ts';
import { freshDatabase } from './postgres.ts';
import { projections } from './some-projections.ts';

export const account = 'acct_1';
const context = () => ({ commandId: randomUUID(), actor: 'operator' });
const silent = { info: () => {}, warn: () => {}, error: () => {} };

export type World = RunnerPorts & {
  url: string;
  handler: CommandHandler;
  close(): Promise<void>;
};

/** The log and the read models of a database. */
export const worldOn = async (url: string): Promise<World> => {
  const store = await createPostgresEventStore({ url });
  const db = createReadDb({ url, max: 10, applicationName: 'test', onError: () => {} });
  const handler = createCommandHandler({
    store,
    dataKeys: createMemoryDataKeys(),
    clock: () => Date.parse('2026-03-01T12:00:00.000Z'),
  });
  const close = async () => {
    await store.close();
    await db.close();
  };
  return { url, store, db, handler, log: silent, close };
};

/** An empty log and its read models, on a database of its own. */
export const openWorld = async (): Promise<World> => {
  const { url, drop } = await freshDatabase();
  const world = await worldOn(url);
  const close = async () => {
    await world.close();
    await drop();
  };
  return { ...world, close };
};

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

const liveALetter = async (world: World, dice: (sides: number) => number): Promise<void> => {
  const { handler } = world;
  const letterId = randomUUID();
  const attemptId = randomUUID();
  const terms = sampleTerms({
    referenceHash: 'h'.repeat(43),
    metadataHashes: ['m'.repeat(43), 'n'.repeat(43)],
  });
  await handler.handle(walletAggregate, account, context(), (wallet) =>
    reserveFunds(wallet, {
      type: 'ReserveFunds',
      purpose: letterPurpose(letterId),
      attemptId,
      subtotalMicro: 2_000_000n,
    }),
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
    await rejectionOf(
      handler.handle(letterAggregate, letterId, context(), (letter) => decide(letter, command)),
    );
    await settleWallet(world, letterId, context(), account);
  }
};

export const live = async (world: World, count: number, seed: number): Promise<void> => {
  const dice = createDice(seed);
  const { handler } = world;
  await handler.handle(walletAggregate, account, context(), (wallet) => [
    ...openWallet(wallet, { type: 'OpenWallet', accountId: account, test: false }),
    ...creditFunds(wallet, {
      type: 'CreditFunds',
      receipt: { method: 'operator', id: `c${seed}` },
      bucket: 'fiat',
      amountMicro: 1_000_000_000n,
      reference: 'invoice',
    }),
  ]);
  for (let done = 0; done < count; done += 10) {
    await Promise.all(Array.from({ length: 10 }, () => liveALetter(world, dice)));
  }
};

export const register = (world: World, accountId: string) =>
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
export const rowsOf = async (world: World, which: Projection[] = projections): Promise<string> => {
  const dump: unknown[] = [];
  for (const { name: table } of which.flatMap((projection) => projection.tables)) {
    const { rows } = await world.db.query<{ row: string }>(
      `select t::text as row from read_models.${table} t order by 1`,
    );
    expect(rows.length, table).to.be.above(0);
    dump.push([table, rows.map(({ row }) => row)]);
  }
  return JSON.stringify(dump);
};

/**
 * Projects the rest of the log for read models at one place, in batches whose sizes a seed decides.
 * @param check runs after each batch
 */
export const projectInBatches = async (
  world: World,
  followed: Projection[],
  seed: number,
  check: () => Promise<void> = async () => {},
): Promise<RecordedEvent[]> => {
  let position = (await readCheckpoint(world.db, followed[0]?.name ?? '', 1)) ?? 0n;
  const events = await world.store.readAll({ after: position, limit: 100_000 });
  const ports = { ...world, kept: new Map() };
  for (let at = 0, size = seed; at < events.length; size = 1 + ((size * 7 + seed) % 23)) {
    const batch = events.slice(at, at + size);
    const to = batch.at(-1)?.position ?? position;
    const places = followed.map((projection) => ({ projection, generation: 1, position }));
    await projectBatch(ports, places, batch, to);
    at += size;
    position = to;
    await check();
  }
  return events;
};
