import { expect } from 'chai';
import { dayMs } from '../../ground/day.ts';
import { pause } from '../../ground/pause.ts';
import { clientOf, letterTo, until } from '../support/client.ts';
import { injected } from '../support/injected.ts';
import { startTestService, type TestService, untilShown } from '../support/service.ts';
import { serviceDatabase } from '../support/service-database.ts';
import { eventually } from '../support/service-process.ts';

const MASTER_KEY = Buffer.alloc(32, 5).toString('base64');
const hourMs = 3_600_000;

/** The clock of a machine: it jumps, or it runs on. */
const createMachine = () => {
  let aheadMs = 0;
  let passedMs = 0;
  return {
    clock: () => Date.now() + aheadMs + passedMs,
    uptimeMs: () => performance.now() + passedMs,
    jump(ms: number): void {
      injected('clock moved');
      aheadMs += ms;
    },
    pass(ms: number): void {
      passedMs += ms;
    },
  };
};

describe('a clock that jumps forward', function () {
  this.timeout(180_000);
  const machine = createMachine();
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let service: TestService;
  const { register } = clientOf(() => service);
  let client: Awaited<ReturnType<typeof register>>;

  const start = async (): Promise<void> => {
    service = await startTestService(
      {
        DATABASE_URL: database.url,
        MASTER_KEY,
        CANCELLATION_WINDOW_SECONDS: '0',
        RETENTION_DAYS: '30',
        DRAFT_RETENTION_DAYS: '30',
      },
      machine,
    );
  };
  const isSigned = async (): Promise<boolean> => {
    const { readDb } = service.service.foundation.storage;
    const { rows } = await readDb.query(`select from identity.checkpoints where at > $1`, [
      new Date(machine.clock() - 60_000),
    ]);
    return rows.length > 0;
  };
  before(async () => {
    database = await serviceDatabase();
    await start();
    client = await register();
  });
  after(async () => {
    await service.stop();
    await database.drop();
  });

  it('prints no letter before its day, unless it stays so for an hour, and prints those that are sent since', async () => {
    const inFiveDays = new Date(machine.clock() + 5 * dayMs).toISOString().slice(0, 10);
    const sent = await client.send(letterTo('DE', { send_date: inFiveDays }));
    const status = async () => (await client.letter(sent.letter_id)).status;
    await untilShown(service);
    machine.jump(20 * dayMs);
    // Due letters are looked for every second.
    await pause(2_500, new AbortController().signal);
    expect(await status()).to.equal('queued');
    const { letter_id: sentSince } = await client.send();
    await until(async () => (await client.letter(sentSince)).status !== 'queued');
    expect(await status()).to.equal('queued');
    machine.pass(hourMs);
    await until(async () => (await status()) !== 'queued');
  });

  it('erases nothing, and cancels no draft, until the service has run with it for an hour', async () => {
    const sent = await client.send();
    const draft = await client.send({ draft: true });
    await client.advance(sent.letter_id, { to: 'delivered' });
    await eventually('the last of these is in the audit log', isSigned);
    await service.stop();
    machine.jump(40 * dayMs);
    await start();
    await untilShown(service);
    await pause(4_000, new AbortController().signal);
    const isErased = async () => (await client.letter(sent.letter_id)).to_name === '[erased]';
    expect(await isErased()).to.equal(false);
    expect(await client.letter(draft.letter_id)).to.include({ status: 'draft' });
    machine.pass(hourMs);
    await until(isErased);
  });
});
