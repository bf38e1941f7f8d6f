/** Clocks that jump neither delay nor drop a webhook. */
import { expect } from 'chai';
import { webhookChannels } from '../../infra/webhooks/channels.ts';
import { lookAtDatabaseClock, openDatabaseClock } from '../../infra/webhooks/database-clock.ts';
import { eventually } from '../support/service-process.ts';
import {
  answering,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts';
import { createWebhookWorld, steps, type WebhookWorld } from '../support/webhook-world.ts';

const { processing, posted } = steps;
const hourMs = 3_600_000;

describe('webhooks and clocks', () => {
  let world: WebhookWorld;
  let receiver: WebhookReceiver;
  let time: Awaited<ReturnType<typeof openDatabaseClock>>;
  let jobs: ReturnType<WebhookWorld['startJobs']>;

  beforeEach(async () => {
    world = await createWebhookWorld();
    receiver = await startWebhookReceiver();
    time = await openDatabaseClock(() => lookAtDatabaseClock(world.db));
    world.ports.clock = time.now;
    world.startReactor();
    jobs = world.startJobs();
  });
  afterEach(async () => {
    await world.stop();
    await receiver.stop();
  });

  const arrived = (count: number) =>
    eventually(`${count} webhooks`, () => receiver.received.length >= count);

  for (const jumpMs of [-1, -48, -1_000, 48].map((hours) => hours * hourMs)) {
    it(`arrive in order when the clock of the service jumps by ${jumpMs / hourMs} h`, async () => {
      const accountId = await world.account(receiver.url);
      const letterId = await world.letter(accountId);
      await arrived(1);
      world.time.offsetMs = jumpMs;
      await world.tell(letterId, processing, posted);
      await world.letter(accountId);
      await arrived(4);
      const own = receiver.received.filter(({ body }) => body.data.letter_id === letterId);
      expect(own.map(({ body }) => body.type)).to.deep.equal([
        'letter.queued',
        'letter.processing',
        'letter.posted',
      ]);
    });
  }

  /** As if the database had been an hour ahead when everything that it holds was written. */
  const putClockBack = () =>
    world.db.query(`
      with looked as (update deliveries.clock set looked_at = looked_at + interval '1 hour'),
        messages as (update deliveries.messages set next_at = next_at + interval '1 hour'),
        attempts as (update deliveries.attempts set at = at + interval '1 hour'),
        pumps as (update deliveries.endpoints set pump_until = pump_until + interval '1 hour')
      update work.jobs set run_at = run_at + interval '1 hour' where claim is null`);

  /** The time between the last look at the clock and the next attempt. */
  const waitsMs = async (): Promise<number> => {
    const { rows } = await world.db.query<{ ms: number }>(
      `select (extract(epoch from next_at - looked_at) * 1000)::float as ms
       from deliveries.messages, deliveries.clock`,
    );
    return rows[0]?.ms ?? Number.NaN;
  };

  it('are tried again when they would have been, though the clock of the database went back', async () => {
    receiver.answerWith(answering(500));
    const accountId = await world.account(receiver.url);
    await world.letter(accountId);
    await arrived(1);
    await eventually('the failure is recorded', async () => {
      const [message] = await world.messages();
      return message?.attempts === 1;
    });
    await jobs.stop();
    const before = await waitsMs();
    receiver.answerWith(answering(204));
    await putClockBack();
    await time.tick();
    expect(await waitsMs()).to.be.closeTo(before, 1);
    world.startJobs();
    await arrived(2);
    const { rows } = await world.db.query<{ event_id: string }>(
      'select event_id from deliveries.messages',
    );
    const eventId = rows[0]?.event_id ?? '';
    const listed = await eventually('the success is recorded', async () => {
      const channels = await webhookChannels(world.db, accountId, [eventId]);
      const attempts = channels.get(eventId)?.[0]?.attempts ?? [];
      return attempts.length === 2 ? attempts : undefined;
    });
    expect(
      listed.map(({ status }) => status),
      'the first attempt first',
    ).to.deep.equal([500, 204]);
  });

  it('are left alone by a clock that goes on as clocks do', async () => {
    receiver.answerWith(answering(500));
    const accountId = await world.account(receiver.url);
    await world.letter(accountId);
    await arrived(1);
    await eventually(
      'the failure is recorded',
      async () => (await world.messages())[0]?.attempts === 1,
    );
    await jobs.stop();
    const before = await world.messages();
    for (let n = 0; n < 5; n++) await time.tick();
    expect(await world.messages()).to.deep.equal(before);
    expect(Math.abs(time.now() - Date.now())).to.be.below(1_000);
  });
});
