/** Another print partner is configured while letters are with the earlier one. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { clientOf, until } from '../support/client.ts';
import { creditWallet } from '../support/foundation.ts';
import { type PrintHouse, startPrintHouse } from '../support/print-house.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { serviceDatabase } from '../support/service-database.ts';

type Health = { reactors: { name: string; failing: number; parked: number }[] };

describe('a change of the print house', function () {
  this.timeout(180_000);
  let dataDir: string;
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let first: PrintHouse;
  let second: PrintHouse;
  let service: TestService;
  let api: ReturnType<typeof clientOf>;

  const start = async (env: Record<string, string>) => {
    service = await startTestService({
      ...env,
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      CANCELLATION_WINDOW_SECONDS: '0',
      LIMIT_WAITING_PRINT_JOBS: '2',
    });
  };
  const changeTo = async (env: Record<string, string>) => {
    await service.stop();
    await start(env);
  };

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'letters-change-'));
    database = await serviceDatabase();
    api = clientOf(() => service);
    [first, second] = [await startPrintHouse(), await startPrintHouse()];
    await start(first.env);
  });
  afterEach(async () => {
    await service?.stop();
    await first.stop();
    await second.stop();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const register = async () => {
    const client = await api.register('live');
    const { commands } = service.service.foundation;
    await creditWallet(commands, client.account.account_id, 100_000_000n);
    await until(async () => (await client.balance()).available === 100);
    return client;
  };
  const failing = (count: number) =>
    until(async () => {
      const { body } = await api.call<Health>('GET', '/health');
      // After some tries a stream is put aside.
      return body.reactors.some(
        (one) => one.name === 'produce-letters' && one.failing + one.parked >= count,
      );
    });

  it('pays no letter back that the earlier house prints, and asks that house once it is configured again', async () => {
    const client = await register();
    const [{ letter_id: printed }, { letter_id: other }] = [
      await client.send({ reference: 'printed' }),
      await client.send({ reference: 'other' }),
    ];
    await until(async () => first.jobs.size === 2);
    for (const id of [printed, other]) {
      await until(async () => (await client.letter(id)).production?.state === 'with_partner');
    }
    await changeTo(second.env);
    for (const id of [printed, other]) await client.post(`/api/letters/${id}/cancel`);
    await failing(2);
    first.print(printed);
    expect(second.jobs.size).to.equal(0);
    expect(await client.letter(printed)).to.have.property('status', 'processing');
    await changeTo(first.env);
    await until(async () => (await client.letter(other)).status === 'cancelled');
    await until(async () => (await client.letter(printed)).cancellation?.status === 'rejected');
  });

  it('keeps no letter from the next partner, however many wait for the earlier one', async () => {
    const client = await register();
    await first.goDown();
    for (const reference of ['1', '2', '3']) await client.send({ reference });
    await failing(2);
    await changeTo({ ...first.env, PRINT_PARTNER: 'hotfolder' });
    const { letter_id: id } = await client.send({ reference: 'to the next partner' });
    await until(async () => existsSync(join(dataDir, 'outbox', `${id}.json`)));
    const report = first.sign({ job_id: id, status: 'failed' });
    const answer = await api.call('POST', '/partner/events', undefined, report);
    expect(answer.status).to.equal(404);
    expect(await client.letter(id)).to.have.property('status', 'processing');
  });

  it('does not print a letter twice if the answer of the earlier house was lost', async () => {
    const client = await register();
    Object.assign(first, { mood: 'obey-and-hang', moodFor: /jobs$/ });
    const { letter_id: id } = await client.send();
    await until(async () => first.jobs.has(id));
    await changeTo(second.env);
    await failing(1);
    const { letter_id: next } = await client.send({ reference: 'next' });
    await until(async () => second.jobs.has(next));
    expect(second.jobs.has(id)).to.equal(false);
  });
});
