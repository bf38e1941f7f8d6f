import { expect } from 'chai';
import { type CheckState, ok, runCheck, worstOf } from '../../ground/check.ts';
import { judgeClock } from '../../infra/host/check-clock.ts';
import { judgeRoom } from '../../infra/host/check-disk.ts';
import { judgeMemory, memoryCheck } from '../../infra/host/check-memory.ts';
import {
  type DatabaseFacts,
  judgeDatabase,
  judgeReadModels,
  judgeSchema,
} from '../../infra/postgres/check-database.ts';
import { type CommandRun, judgeRun } from '../../infra/postgres/command-runs.ts';
import { withMachineMemory } from '../support/machine-memory.ts';

const gibibyte = 1024 ** 3;
const now = Date.parse('2026-11-23T12:00:00Z');

describe('checks of the doctor', () => {
  it('end in time, and say what an error was caused by', async () => {
    const hanging = {
      name: 'x',
      timeLimitMs: 5,
      remedy: 'wait',
      run: () => new Promise<never>(() => {}),
    };
    expect(await runCheck(hanging)).to.deep.equal({
      name: 'x',
      state: 'fail',
      found: 'no answer within 0.005 s',
      remedy: 'wait',
    });
    const failing = {
      name: 'x',
      remedy: 'start it',
      run: async () => {
        throw new Error('fetch failed', { cause: new Error('connect\nECONNREFUSED') });
      },
    };
    expect((await runCheck(failing)).found).to.equal('fetch failed: connect ECONNREFUSED');
    expect(await runCheck({ name: 'x', remedy: '', run: async () => ok('fine') })).to.deep.equal({
      name: 'x',
      state: 'ok',
      found: 'fine',
    });
  });

  it('are as bad together as the worst of them', () => {
    expect(worstOf([])).to.equal('ok');
    expect(worstOf(['ok', 'warn', 'ok'])).to.equal('warn');
    expect(worstOf(['warn', 'fail'])).to.equal('fail');
  });

  const disk = { bsize: 4096, blocks: (100 * gibibyte) / 4096, files: 1000, ffree: 900 };
  for (const [free, ffree, state] of [
    [50 * gibibyte, 900, 'ok'],
    [4 * gibibyte, 900, 'warn'],
    [gibibyte, 900, 'warn'],
    [gibibyte / 4, 900, 'fail'],
    [50 * gibibyte, 10, 'warn'],
  ] as [number, number, CheckState][]) {
    it(`judge ${free / gibibyte} GiB and ${ffree} inodes of 100 GiB: ${state}`, () => {
      expect(judgeRoom({ ...disk, ffree, bavail: free / 4096 }).state).to.equal(state);
    });
  }

  it('warn of too little memory, that of the container included', async () => {
    const [small, sold, large] = [512, 960, 3072].map((count) => judgeMemory(count * 1024 ** 2));
    expect(small?.state).to.equal('warn');
    expect(small?.found).to.match(/^512 MiB: the system may end a process/);
    expect([sold, large]).to.deep.equal([ok('960 MiB'), ok('3.0 GiB')]);
    const inContainer = await withMachineMemory(512 * 1024 ** 2, () => runCheck(memoryCheck));
    expect(inContainer).to.deep.equal({ name: 'memory', ...small });
  });

  const facts: DatabaseFacts = {
    version: 180_004,
    fsync: true,
    fullPageWrites: true,
    synchronousCommit: 'on',
    connectionLimit: 97,
    connections: 20,
    inRecovery: false,
    readOnly: false,
  };
  for (const [change, state, found] of [
    [{}, 'ok', 'PostgreSQL 18.4'],
    [{ version: 140_012 }, 'fail', 'PostgreSQL 14.12 is too old'],
    [{ inRecovery: true }, 'fail', 'standby'],
    [{ readOnly: true }, 'fail', 'takes no writes'],
    [{ fsync: false }, 'fail', 'fsync is off'],
    [{ fullPageWrites: false }, 'fail', 'full_page_writes is off'],
    [{ synchronousCommit: 'off' }, 'warn', 'the service turns it on for its own connections'],
    [{ connections: 90 }, 'warn', '90 of 97 connections'],
  ] as [Partial<DatabaseFacts>, CheckState, string][]) {
    it(`judge a database with ${JSON.stringify(change)}: ${state}`, () => {
      const finding = judgeDatabase({ ...facts, ...change }, 24);
      expect(finding.state).to.equal(state);
      expect(finding.found).to.contain(found);
    });
  }

  it('refuse tables of a newer version, and warn of missing ones', () => {
    const files = [{ number: 1 }, { number: 2 }];
    expect(judgeSchema([1, 2], files).state).to.equal('ok');
    expect(judgeSchema([1], files).state).to.equal('warn');
    expect(judgeSchema([1, 2, 3], files)).to.include({ state: 'fail' });
  });

  it('warn of read models that an earlier version filled, and refuse those of a newer one', () => {
    const known = [
      { name: 'accounts', version: 2 },
      { name: 'orders', version: 1 },
    ];
    expect(judgeReadModels(known, known)).to.equal(undefined);
    const old = judgeReadModels([{ name: 'accounts', version: 1 }], known);
    expect(old?.state).to.equal('warn');
    expect(old?.found).to.contain('accounts, orders');
    expect(judgeReadModels([{ name: 'accounts', version: 3 }], known)?.state).to.equal('fail');
  });

  for (const [name, times, state] of [
    ['equal clocks', {}, 'ok'],
    [
      'a clock that differs less than the question took',
      { databaseMs: now + 2_500, tookMs: 1_000 },
      'ok',
    ],
    ['a clock 5 s apart', { databaseMs: now - 5_000 }, 'warn'],
    ['a clock a minute apart', { databaseMs: now + 60_000 }, 'fail'],
    ['a clock behind what was written', { lastWrittenMs: now + 60_000 }, 'fail'],
    ['a clock of 1970', { hereMs: 0, databaseMs: 0 }, 'fail'],
  ] as [string, object, CheckState][]) {
    it(`judge ${name}: ${state}`, () => {
      const all = { hereMs: now, databaseMs: now, tookMs: 1, lastWrittenMs: now - 1_000, ...times };
      expect(judgeClock(all).state).to.equal(state);
    });
  }

  const run = (daysAgo: number, succeeded = true): CommandRun => ({
    command: 'backup',
    ran_at: new Date(now - daysAgo * 86_400_000),
    succeeded,
    seconds: 1,
    succeeded_at: new Date(now - daysAgo * 86_400_000),
    detail: 'no room',
  });
  for (const [name, found, state] of [
    ['none', undefined, 'warn'],
    ['one of today', run(0.5), 'ok'],
    ['one of three days ago', run(3), 'warn'],
    ['one of eight days ago', run(8), 'fail'],
    ['a failed one', run(0.1, false), 'fail'],
  ] as [string, CommandRun | undefined, CheckState][]) {
    it(`judge the last backup, ${name}: ${state}`, () => {
      expect(judgeRun('backup', found, now).state).to.equal(state);
    });
  }

  for (const [hours, age] of [
    [0, 'less than an hour'],
    [1, '1 hour'],
    [47, '47 hours'],
    [49, '2 days'],
  ] as const) {
    it(`say of a command that ran ${hours} hours ago: ${age}`, () => {
      const found = { ...run(hours / 24), command: 'verify' as const };
      expect(judgeRun('verify', found, now).found).to.equal(`the last verify succeeded ${age} ago`);
    });
  }
});
