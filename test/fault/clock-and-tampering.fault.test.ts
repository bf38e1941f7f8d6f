import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type pg from 'pg';
import { createAccountService } from '../../commands/accounts/account-service.ts';
import { createKeyMaker } from '../../commands/accounts/api-key.ts';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import { createLettersAtHand } from '../../commands/letters/letters-at-hand.ts';
import { createSendLetter } from '../../commands/letters/send-letter.ts';
import { letterFont } from '../../documents/render/fonts.ts';
import { defaultLimits } from '../../limits/table.ts';
import { usualPrices } from '../../postal/pricing.ts';
import { releaseLetter } from '../../reactors/release-letters.ts';
import { createSettleWallets } from '../../reactors/settle-wallets.ts';
import { createDocumentTools } from '../../service/foundation/documents.ts';
import { contentOf, inputOf } from '../../write-api/letters/input.ts';
import type { SendBody } from '../../write-api/letters/schemas.ts';
import { verifyLog, withFoundation } from '../support/foundation.ts';
import { letterBody } from '../support/letter-client.ts';
import { auditLog, auditMoney, withClient } from '../support/log-audit.ts';
import { freshDatabase } from '../support/postgres.ts';
import { makeDataDir } from '../support/service-process.ts';
import { someWorkers } from '../support/workers.ts';

describe('a log', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  const place = () => ({ dataDir: folder.dataDir, databaseUrl: database.url });

  before(async () => {
    database = await freshDatabase();
  });
  after(async () => {
    await database.drop();
    await folder.remove();
  });

  it('is written on in order by a clock that goes backwards', async () => {
    const hour = 3_600_000;
    const jumps = [0, -hour, 40 * 24 * hour, -60 * 24 * hour, hour, -1];
    const requestHash = 'r'.repeat(43);
    let now = Date.now();
    const clock = (): number => now;
    await withFoundation(place(), async (foundation) => {
      const { config, log } = foundation;
      const { store } = foundation.storage;
      const { dataKeys, indexOf, derive } = foundation.keys;
      const { files } = foundation.commands;
      const handler = createCommandHandler({ store, dataKeys, clock });
      const { limits } = config;
      const makeKey = createKeyMaker(derive('api-keys'));
      const accounts = createAccountService({ handler, clock, limits, indexOf, makeKey });
      const command = () => ({ commandId: randomUUID(), actor: 'anonymous' });
      const { accountId } = await accounts.register(
        { kind: 'email', name: 'clock@example.com', scope: 'full', test: true, requestHash },
        command(),
      );
      const { metrics } = letterFont();
      const letters = createSendLetter({
        handler,
        dataKeys,
        clock,
        metrics,
        logos: { read: async () => Buffer.alloc(0) },
        files,
        documents: createDocumentTools(config, log, files, someWorkers()).documents,
        prices: () => usualPrices,
        limits,
        discountOf: async () => undefined,
        cancellationWindowMs: 0,
        indexOf,
        isKnownRecipient: async () => false,
      });
      const body = letterBody('Tick.') as SendBody;
      const send = (idempotent: string) =>
        letters.send(
          inputOf(body, contentOf(body, defaultLimits)),
          { draft: false, holdWithoutFunds: false },
          {
            commandId: idempotent,
            actor: 'anonymous',
            accountId,
            test: true,
            requestHash,
            repeatable: true,
          },
        );
      const settle = createSettleWallets({ handler, clock, patienceMs: 1_000 });
      for (const jump of jumps) {
        now += jump;
        const commandId = randomUUID();
        const first = await send(commandId);
        now -= 5_000;
        const second = await send(commandId);
        expect(second.replayed).to.equal(true);
        expect(second.letterId).to.equal(first.letterId);
        expect(await settle.sweep()).to.equal(0);
      }
      const audit = await auditMoney(database.url);
      expect(audit.letters.size).to.equal(jumps.length);
      expect(audit.wallets.get(accountId)?.available).to.equal(
        100_000_000n - BigInt(jumps.length) * 1_630_000n,
      );
      // Letters that became due in the future are not forgotten when their time comes.
      now += 90 * 24 * hour;
      const simulator = { name: 'simulator' };
      const partner = { name: 'partner' };
      const atHand = createLettersAtHand(handler);
      for (const letterId of audit.letters.keys()) {
        await releaseLetter({ letters: atHand, clock, partner, simulator }, letterId);
      }
      const released = await auditLog(database.url);
      const statuses = [...released.letters.values()].map(({ status }) => status);
      expect(new Set(statuses)).to.deep.equal(new Set(['processing']));
      expect(await verifyLog(foundation)).to.deep.equal([]);
    });
  });

  /** Changes the log behind the triggers' back, collects the findings, and changes it back. */
  const tampered = async (
    change: (client: pg.Client) => Promise<unknown>,
  ): Promise<{ walker: string; verify: bigint | undefined }> => {
    await withClient(database.url, async (client) => {
      await client.query('create table kept as table event_log.events');
      await client.query('alter table event_log.events disable trigger user');
      await change(client);
    });
    try {
      const walker = await auditLog(database.url).then(
        () => 'nothing',
        (error: Error) => error.message,
      );
      const [first] = await withFoundation(place(), verifyLog);
      return { walker, verify: first?.position };
    } finally {
      await withClient(database.url, async (client) => {
        // A service that starts, here the verification, enables the triggers again
        await client.query('alter table event_log.events disable trigger user');
        await client.query('delete from event_log.events');
        await client.query('insert into event_log.events table kept');
        await client.query('drop table kept');
        await client.query('alter table event_log.events enable trigger user');
      });
    }
  };

  /** Places of two wallet events that follow each other, with more behind them. */
  const someReserved = (): Promise<[number, number]> =>
    withClient(database.url, async (client) => {
      const { rows } = await client.query<{ position: string }>(
        "select position from event_log.events where type = 'FundsReserved' order by position limit 3",
      );
      return [Number(rows[0]?.position), Number(rows[1]?.position)];
    });

  it('cannot be changed by accident', async () => {
    await withClient(database.url, async (client) => {
      for (const statement of [
        "update event_log.events set type = 'X'",
        'delete from event_log.events',
        'truncate event_log.events',
      ]) {
        const refused = await client.query(statement).catch((error: Error) => error.message);
        expect(refused).to.equal('the event log is append-only');
      }
    });
  });

  it('names the event of which one byte was changed', async () => {
    const [at] = await someReserved();
    const found = await tampered((client) =>
      client.query(
        `update event_log.events set data = regexp_replace(data, '[0-9]', 'x') where position = $1`,
        [at],
      ),
    );
    expect(found.walker).to.match(new RegExp(`^position ${at}: its hash`));
    expect(found.verify).to.equal(BigInt(at));
  });

  it('names the first of two events that were swapped', async () => {
    const [first, second] = await someReserved();
    const found = await tampered(async (client) => {
      // Ids are unique: the first is moved out of the way before the second takes its place
      await client.query('delete from event_log.events where position in ($1, $2)', [
        first,
        second,
      ]);
      await client.query(
        `insert into event_log.events (position, stream, version, id, type, data, metadata)
         select a.position, a.stream, a.version, b.id, b.type, b.data, b.metadata
         from kept a, kept b where (a.position, b.position) in (($1, $2), ($2, $1))`,
        [first, second],
      );
    });
    expect(found.walker).to.match(/^position \d+/);
    expect(found.verify).to.not.equal(undefined);
    expect(Number(found.verify)).to.be.at.most(first);
  });

  it('names the position of an event that was taken out', async () => {
    const [at] = await someReserved();
    const found = await tampered((client) =>
      client.query('delete from event_log.events where position = $1', [at]),
    );
    expect(found.walker).to.equal(`position ${at} is missing`);
    expect(found.verify).to.equal(BigInt(at));
  });

  it('is whole again when it is as it was', async () => {
    await auditMoney(database.url);
    expect(await withFoundation(place(), verifyLog)).to.deep.equal([]);
  });
});
