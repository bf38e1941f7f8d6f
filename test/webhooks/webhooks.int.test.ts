import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import type { StoredCredential } from '../../identity/credential-log.ts';
import { listAuditDeliveries } from '../../infra/webhooks/audit-deliveries.ts';
import { createAuditTargets } from '../../infra/webhooks/audit-targets.ts';
import { webhookChannels } from '../../infra/webhooks/channels.ts';
import { tellIssued } from '../../infra/webhooks/issued.ts';
import { acquire, keepProofs, release, restoreLostJobs } from '../../infra/webhooks/messages.ts';
import { replayMessage } from '../../infra/webhooks/replay.ts';
import { createFairShares } from '../../limits/fair-shares.ts';
import { createSlots } from '../../limits/slots.ts';
import { defaultLimits } from '../../limits/table.ts';
import { attemptDelaysMs } from '../../reactors/delivery-schedule.ts';
import { eventually } from '../support/service-process.ts';
import {
  answering,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts';
import { createWebhookWorld, steps, type WebhookWorld } from '../support/webhook-world.ts';

const { processing, posted, inTransit } = steps;

describe('webhooks', () => {
  let world: WebhookWorld;
  let receiver: WebhookReceiver;

  beforeEach(async () => {
    world = await createWebhookWorld();
    receiver = await startWebhookReceiver();
  });

  afterEach(async () => {
    await world.stop();
    await receiver.stop();
  });

  const running = (): void => {
    world.startReactor();
    world.startJobs();
  };

  const arrived = (count: number) =>
    eventually(`${count} webhooks`, () => receiver.received.length >= count);

  it('reach the receiver in order, signed as the stock library verifies', async () => {
    running();
    const accountId = await world.account(undefined);
    const secret = await world.settings(accountId, { webhookUrl: receiver.url });
    const letterId = await world.letter(accountId, processing, posted);
    await arrived(3);
    expect(receiver.types()).to.deep.equal(['letter.queued', 'letter.processing', 'letter.posted']);
    for (const { text, headers, body } of receiver.received) {
      expect(new Webhook(secret).verify(text, headers)).to.deep.equal(body);
      expect(headers['content-type']).to.equal('application/json');
      expect(Object.keys(body)).to.deep.equal(['type', 'timestamp', 'data']);
      expect(body.data).to.include({ letter_id: letterId, test: true });
      expect(headers['webhook-id']).to.equal(body.data.notification_id);
    }
    expect(receiver.received.map(({ body }) => body.data.status)).to.deep.equal([
      'queued',
      'processing',
      'posted',
    ]);
  });

  it('are signed by both secrets during a rotation, and by the new one alone after it', async () => {
    running();
    const accountId = await world.account(undefined);
    const old = await world.settings(accountId, { webhookUrl: receiver.url });
    const newSecret = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
    await world.settings(accountId, { rotateSecret: true, newSecret });
    await world.letter(accountId);
    await arrived(1);
    const [both] = receiver.received;
    for (const secret of [old, newSecret]) {
      expect(new Webhook(secret).verify(both?.text ?? '', both?.headers ?? {})).to.be.an('object');
    }
    world.time.offsetMs = 25 * 3_600_000;
    await world.letter(accountId);
    await arrived(2);
    const signatures = receiver.received[1]?.headers['webhook-signature'] ?? '';
    expect(signatures.split(' ')).to.have.length(1);
  });

  it('keep a letter in order behind a failure, and let other letters go on', async () => {
    world.startReactor();
    const accountId = await world.account(receiver.url);
    const failing = await world.letter(accountId, processing);
    const fine = await world.letter(accountId, processing);
    await world.caughtUp();
    receiver.answerWith((response, { body }) =>
      response.writeHead(body.data.letter_id === failing ? 500 : 204).end(),
    );
    await world.deliver(accountId);
    const told = (letterId: string) =>
      receiver.received
        .filter(({ body }) => body.data.letter_id === letterId)
        .map(({ body, headers }) => [body.type, headers['webhook-id']]);
    expect(told(failing).map(([type]) => type)).to.deep.equal(['letter.queued']);
    expect(told(fine).map(([type]) => type)).to.deep.equal(['letter.queued', 'letter.processing']);

    receiver.answerWith(answering(204));
    world.time.offsetMs = 6_000;
    await world.deliver(accountId);
    const [first, second, third] = told(failing);
    expect([first, second, third].map((one) => one?.[0])).to.deep.equal([
      'letter.queued',
      'letter.queued',
      'letter.processing',
    ]);
    expect(second?.[1], 'the id of both attempts').to.equal(first?.[1]);
    expect((await world.messages()).map(({ state }) => state)).to.deep.equal(
      Array(4).fill('delivered'),
    );
  });

  it('are attempted by the published schedule and given up after the tenth, then the next has its turn', async () => {
    // A clock that stands still between the attempts, however long they take.
    let now = world.clock();
    world.ports.clock = () => now;
    world.startReactor();
    const accountId = await world.account(receiver.url);
    await world.letter(accountId, processing);
    await world.caughtUp();
    receiver.answerWith(answering(500));
    for (const [attempt, delayMs] of attemptDelaysMs.entries()) {
      now += delayMs - 1_000;
      if (attempt > 0) {
        await world.deliver(accountId);
        expect(receiver.received, 'a second before its time').to.have.length(attempt);
      }
      now += 2_000;
      if (attempt === 9)
        receiver.answerWith((response, { body }) =>
          response.writeHead(body.type === 'letter.queued' ? 500 : 204).end(),
        );
      await world.deliver(accountId);
    }
    expect(receiver.types().slice(0, 10)).to.deep.equal(Array(10).fill('letter.queued'));
    expect(receiver.types().slice(10)).to.deep.equal(['letter.processing']);
    const states = (await world.messages()).map(({ state, attempts }) => [state, attempts]);
    expect(states).to.deep.equal([
      ['failed', 10],
      ['delivered', 1],
    ]);
  });

  it('do not follow a redirect, and wait as long as the receiver asks', async () => {
    world.startReactor();
    const accountId = await world.account(receiver.url);
    await world.letter(accountId);
    await world.caughtUp();
    receiver.answerWith(answering(302, { location: receiver.url }));
    await world.deliver(accountId);
    expect(receiver.received).to.have.length(1);
    receiver.answerWith(answering(429, { 'retry-after': '120' }));
    world.time.offsetMs = 6_000;
    const before = world.clock();
    await world.deliver(accountId);
    const [message] = await world.messages();
    expect(message?.state).to.equal('due');
    // Five minutes are scheduled anyhow, and more than was asked for.
    expect((message?.next_at.getTime() ?? 0) - before).to.be.within(295_000, 310_000);
  });

  it('are delivered when the receiver says so, although the rest of its answer is missing', async () => {
    world.startReactor();
    const accountId = await world.account(receiver.url);
    await world.letter(accountId);
    await world.caughtUp();
    receiver.answerWith((response) => {
      response.writeHead(200, { 'content-length': 100 }).write('a');
      response.socket?.end();
    });
    await world.deliver(accountId);
    expect((await world.messages()).map(({ state }) => state)).to.deep.equal(['delivered']);
  });

  it('are attempted by the schedule also when the receiver sends Retry-After more than once', async () => {
    world.startReactor();
    const accountId = await world.account(receiver.url);
    await world.letter(accountId);
    await world.caughtUp();
    receiver.answerWith((response) =>
      response.writeHead(503, ['retry-after', '120', 'retry-after', '240']).end(),
    );
    const before = world.clock();
    await world.deliver(accountId);
    const [message] = await world.messages();
    expect(message).to.include({ state: 'due', attempts: 1 });
    expect((message?.next_at.getTime() ?? 0) - before).to.be.within(120_000, 200_000);
  });

  it('end for good when the receiver says that it is gone, with a notification of it', async () => {
    world.startReactor();
    const accountId = await world.account(receiver.url);
    await world.letter(accountId, processing);
    await world.letter(accountId);
    await world.caughtUp();
    receiver.answerWith(answering(410));
    await world.deliver(accountId);
    const events = await world.store.readStream(`account-${accountId}`);
    expect(events.at(-1)).to.include({ type: 'WebhookDisabled' });
    expect(JSON.parse(events.at(-1)?.data ?? '')).to.deep.equal({ accountId, reason: 'gone' });
    await world.caughtUp();
    const before = receiver.received.length;
    await world.letter(accountId);
    await world.caughtUp();
    await world.deliver(accountId);
    expect(receiver.received.length).to.equal(before);
    expect((await world.messages()).map(({ state }) => state)).not.to.include('due');
  });

  describe('whose address is changed while requests are under way', () => {
    let next: WebhookReceiver;
    beforeEach(async () => {
      next = await startWebhookReceiver();
    });
    afterEach(() => next.stop());

    const secret = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
    const moved = () => ({ webhookUrl: next.url, newSecret: secret });

    /** An account whose receiver holds its answers until they are let go, with a status. */
    const held = async (letters: number) => {
      world.startReactor();
      const waiting: ((status: number) => void)[] = [];
      receiver.answerWith(
        (response) => void waiting.push((status) => response.writeHead(status).end()),
      );
      const accountId = await world.account(receiver.url);
      for (let n = 0; n < letters; n++) await world.letter(accountId);
      await world.caughtUp();
      const delivering = world.deliver(accountId);
      const atOnce = Math.min(letters, defaultLimits.deliveriesPerWebhook);
      await eventually('requests are under way', () => waiting.length === atOnce);
      const letGo = async (status: number) => {
        receiver.answerWith(answering(204));
        for (const answer of waiting) answer(status);
        await delivering;
      };
      return { accountId, atOnce, letGo };
    };

    it('go to the new address, even those that the old one refused for good', async () => {
      const { accountId, letGo } = await held(1);
      await world.settings(accountId, moved());
      await world.letter(accountId);
      await world.caughtUp();
      await letGo(410);
      await world.deliver(accountId);
      const stream = await world.store.readStream(`account-${accountId}`);
      expect(stream.map(({ type }) => type)).not.to.include('WebhookDisabled');
      expect(next.received).to.have.length(2);
    });

    it('no longer reach the old address', async () => {
      const { accountId, atOnce, letGo } = await held(70);
      await world.settings(accountId, moved());
      await world.caughtUp();
      await letGo(204);
      await world.deliver(accountId);
      expect(receiver.received).to.have.length(atOnce);
      expect(next.received).to.have.length(70 - atOnce);
    });

    it('are given up when the webhook was removed', async () => {
      const { accountId, atOnce, letGo } = await held(70);
      await world.settings(accountId, { webhookUrl: null });
      await world.caughtUp();
      await letGo(204);
      expect(receiver.received).to.have.length(atOnce);
      expect((await world.messages()).map(({ state }) => state)).not.to.include('due');
    });

    for (const [status, state] of [
      [204, 'delivered'],
      [410, 'failed'],
      // Another attempt would follow.
      [500, 'cancelled'],
    ] as const) {
      it(`are ${state} when the webhook was removed before it answered ${status}`, async () => {
        const { accountId, letGo } = await held(1);
        await world.settings(accountId, { webhookUrl: null });
        await world.caughtUp();
        const states = async () => (await world.messages()).map((one) => one.state);
        expect(await states()).to.deep.equal(['cancelled']);
        await letGo(status);
        expect(await states()).to.deep.equal([state]);
      });
    }
  });

  it('are disabled after five days of nothing but failure, not before, and begin anew when set again', async () => {
    world.startReactor();
    const accountId = await world.account(receiver.url);
    receiver.answerWith(answering(500));
    const day = 86_400_000;
    const types = async () =>
      (await world.store.readStream(`account-${accountId}`)).map(({ type }) => type);
    const failNow = async () => {
      await world.letter(accountId);
      await world.caughtUp();
      await world.deliver(accountId);
    };
    for (let days = 0; days < 5; days++) {
      world.time.offsetMs = days * day;
      await failNow();
      // Another setting says nothing of the receiver.
      await world.settings(accountId, { notificationEmail: `day-${days}@example.org` });
    }
    world.time.offsetMs = 4.9 * day;
    await failNow();
    expect(await types()).not.to.include('WebhookDisabled');
    world.time.offsetMs = 5.1 * day;
    await failNow();
    expect((await types()).filter((type) => type === 'WebhookDisabled')).to.have.length(1);

    receiver.answerWith(answering(204));
    await world.settings(accountId, {
      webhookUrl: receiver.url,
      newSecret: `whsec_${Buffer.alloc(32, 3).toString('base64')}`,
    });
    await world.caughtUp();
    const before = receiver.received.length;
    await world.letter(accountId);
    await world.caughtUp();
    await world.deliver(accountId);
    expect(receiver.received.length).to.equal(before + 1);
  });

  it('are not disabled by a clock that jumps, nor after days without an attempt', async () => {
    world.startReactor();
    const accountId = await world.account(receiver.url);
    receiver.answerWith(answering(500));
    const failAfter = async (days: number): Promise<boolean> => {
      world.time.offsetMs += days * 86_400_000;
      await world.letter(accountId);
      await world.caughtUp();
      await world.deliver(accountId);
      const events = await world.store.readStream(`account-${accountId}`);
      return events.some(({ type }) => type === 'WebhookDisabled');
    };
    expect(await failAfter(0)).to.equal(false);
    expect(await failAfter(0.001)).to.equal(false);
    expect(await failAfter(6)).to.equal(false);
    // Of the jump 27 hours count.
    for (let days = 0; days < 3; days++) expect(await failAfter(1)).to.equal(false);
    expect(await failAfter(1)).to.equal(true);
  });

  it('of a slow receiver keep nobody else waiting, and never too many are under way', async () => {
    running();
    const slow = await startWebhookReceiver();
    try {
      const held: (() => void)[] = [];
      slow.answerWith((response) => void held.push(() => response.writeHead(204).end()));
      const slowAccount = await world.account(slow.url);
      for (let n = 0; n < 40; n++) await world.letter(slowAccount);
      const accountId = await world.account(receiver.url);
      await eventually('the slow one is busy', () => held.length === 16);
      await world.letter(accountId);
      await eventually('the other is told', () => receiver.received.length === 1);
      expect(slow.mostUnderWay()).to.equal(16);
      slow.answerWith(answering(204));
      for (const finish of held) finish();
      await eventually('the slow one has all', () => slow.received.length === 40);
      expect(slow.mostUnderWay()).to.be.at.most(16);
    } finally {
      await slow.stop();
    }
  });

  it('are told at once to a host that leaves many messages of others without an answer', async () => {
    running();
    const held: (() => void)[] = [];
    receiver.answerWith((response) => void held.push(() => response.writeHead(204).end()));
    for (let account = 0; account < 5; account++) {
      const accountId = await world.account(receiver.url);
      for (let n = 0; n < 16; n++) await world.letter(accountId);
    }
    await eventually('all are without an answer', () => receiver.mostUnderWay() === 80);
    receiver.answerWith(answering(204));
    await world.letter(await world.account(receiver.url));
    await arrived(81);
    for (const finish of held) finish();
  });

  it('are given up one by one where the webhook was removed and the log is not followed that far', async () => {
    const notify = world.startReactor();
    const accountId = await world.account(receiver.url);
    await world.letter(accountId, processing);
    await world.caughtUp();
    await notify.stop();
    await world.settings(accountId, { webhookUrl: null });
    for (let turn = 0; turn < 2; turn++) await world.deliver(accountId);
    expect(receiver.received).to.have.length(0);
    const states = (await world.messages()).map(({ state }) => state);
    expect(states).to.deep.equal(['cancelled', 'cancelled']);
  });

  for (const [known, followed] of Object.entries({
    'before, and': { letter: true, removal: true },
    'before, but not': { letter: true, removal: false },
    'only after': { letter: false, removal: false },
  })) {
    it(`are cancelled when their webhook was removed, if the reactor saw them ${known} the removal before another was set`, async () => {
      let notify = world.startReactor();
      const accountId = await world.account('https://a.example/hook');
      await world.caughtUp();
      if (!followed.letter) await notify.stop();
      const letterId = await world.letter(accountId, processing);
      if (followed.letter) await world.caughtUp();
      if (followed.letter && !followed.removal) await notify.stop();
      await world.settings(accountId, { webhookUrl: null });
      if (followed.removal) await world.caughtUp();
      await world.settings(accountId, { webhookUrl: receiver.url });
      await world.tell(letterId, posted);
      if (!followed.removal) notify = world.startReactor();
      await world.caughtUp();
      await world.deliver(accountId);
      expect(receiver.types()).to.deep.equal(['letter.posted']);
      const states = (await world.messages()).map(({ state }) => state);
      expect(states).to.deep.equal(['cancelled', 'cancelled', 'delivered']);
    });
  }

  it('are cancelled when their webhook was removed before the reactor saw that it was set', async () => {
    const accountId = await world.account('https://a.example/hook');
    const letterId = await world.letter(accountId, processing);
    await world.settings(accountId, { webhookUrl: null });
    await world.settings(accountId, { webhookUrl: receiver.url });
    await world.tell(letterId, posted);
    world.startReactor();
    await world.caughtUp();
    await world.deliver(accountId);
    expect(receiver.types()).to.deep.equal(['letter.posted']);
    const states = (await world.messages()).map(({ state }) => state);
    expect(states).to.deep.equal(['cancelled', 'cancelled', 'delivered']);
  });

  it('wait while other webhooks of their account use all of its slots', async () => {
    world.startReactor();
    const accountId = await world.account(receiver.url);
    await world.letter(accountId);
    await world.caughtUp();
    const slots = createSlots(1);
    slots.take(accountId);
    await world.deliver(accountId, 'status', slots);
    expect(receiver.received).to.have.length(0);
    slots.giveBack(accountId);
    world.startJobs();
    await arrived(1);
    expect(slots.take(accountId), 'a run that did not begin gives no slot back').to.equal(true);
  });

  it('wait while their account uses its share, so that there is a slot for another account', async () => {
    world.startReactor();
    const [greedy, modest] = [await world.account(receiver.url), await world.account(receiver.url)];
    await world.letter(greedy);
    await world.letter(modest);
    await world.caughtUp();
    const [slots, shares] = [createSlots(8), createFairShares(8)];
    while (shares.take(greedy, 1));
    await world.deliver(greedy, 'status', slots, shares);
    expect(receiver.received).to.have.length(0);
    await world.deliver(modest, 'status', slots, shares);
    expect(receiver.received).to.have.length(1);
    expect(shares.take(modest, 3), 'the share of a run is given back at its end').to.equal(true);
    for (let n = 0; n < 8; n += 1) expect(slots.take(greedy), 'no slot is kept').to.equal(true);
    world.startJobs();
    await arrived(2);
  });

  it('are told to those only who have one, from when they have it until they remove it', async () => {
    running();
    const without = await world.account(undefined);
    await world.letter(without);
    const accountId = await world.account(undefined);
    const letterId = await world.letter(accountId);
    await world.settings(accountId, { webhookUrl: receiver.url });
    await world.tell(letterId, processing);
    await arrived(1);
    await world.settings(accountId, { webhookUrl: null });
    await world.tell(letterId, posted);
    await world.settings(accountId, { webhookUrl: receiver.url });
    await world.tell(letterId, inTransit);
    await arrived(2);
    expect(receiver.types()).to.deep.equal(['letter.processing', 'letter.in_transit']);
    expect(await world.messages()).to.have.length(2);
  });

  it('are enqueued once, however often the reactor starts again', async () => {
    const accountId = await world.account(receiver.url);
    const first = world.startReactor();
    const letterId = await world.letter(accountId);
    await world.caughtUp();
    await first.stop();
    await world.tell(letterId, processing);
    world.startReactor();
    await world.caughtUp();
    await world.deliver(accountId);
    expect(receiver.types()).to.deep.equal(['letter.queued', 'letter.processing']);
  });

  it('are delivered again before later ones of their letter that wait for another attempt', async () => {
    world.startReactor();
    const accountId = await world.account(receiver.url);
    const letterId = await world.letter(accountId, processing);
    await world.caughtUp();
    receiver.answerWith((response, { body: { type } }) =>
      response.writeHead(type === 'letter.queued' ? 204 : 500).end(),
    );
    await world.deliver(accountId);
    world.time.offsetMs = 10_000;
    await world.deliver(accountId);
    receiver.answerWith(answering(204));
    receiver.received.length = 0;
    const { rows } = await world.db.query<{ event_id: string; at: string }>(
      "select event_id, at from deliveries.messages where type = 'letter.queued'",
    );
    const [first] = rows;
    const about = { accountId, endpointId: accountId, lane: letterId, letterId };
    const replay = (eventId: string, position: bigint, type: string) => {
      const message = { ...about, kind: 'status', eventId, position, type, at: '' } as const;
      return replayMessage(world.db, message, { key: undefined, now: world.clock() });
    };
    // One from before there was the webhook, and one that was delivered.
    await replay(randomUUID(), 0n, 'letter.draft');
    await replay(first?.event_id ?? '', 1n, 'letter.queued');
    await world.deliver(accountId);
    expect(receiver.types()).to.deep.equal(['letter.draft', 'letter.queued', 'letter.processing']);
  });

  it('that are tests wait neither for failed messages of the account nor for earlier tests', async () => {
    world.startReactor();
    const accountId = await world.account(receiver.url);
    receiver.answerWith(answering(500));
    const gone = { accountId, subscriptionId: 'aud_gone', reason: 'gone' } as const;
    await world.tellAccount(accountId, { type: 'AuditWebhookDisabled', data: gone });
    await world.tellAccount(accountId, { type: 'WebhookTested', data: { accountId } });
    await world.caughtUp();
    await world.deliver(accountId);
    receiver.answerWith(answering(204));
    receiver.received.length = 0;
    await world.tellAccount(accountId, { type: 'WebhookTested', data: { accountId } });
    await world.caughtUp();
    await world.deliver(accountId);
    expect(receiver.types()).to.deep.equal(['webhook.test']);
  });

  it('show their latest attempts, however often they were delivered again', async () => {
    world.startReactor();
    const accountId = await world.account(receiver.url);
    await world.letter(accountId);
    await world.caughtUp();
    const { rows } = await world.db.query<{ event_id: string }>(
      `with asked as (
         insert into deliveries.messages (kind, endpoint_id, account_id, event_id, position, lane, type, at, state, next_at)
         select 'audit', 'aud_often', account_id, event_id, position, lane, type, at, state, next_at
         from deliveries.messages returning message_id)
       insert into deliveries.attempts (message_id, at, status, duration_ms)
       select message_id, now(), 200 + n, n
       from (select message_id from asked union all select message_id from deliveries.messages) m,
         generate_series(1, 60) n
       returning (select event_id from deliveries.messages limit 1)`,
    );
    const eventId = rows[0]?.event_id ?? '';
    const channels = await webhookChannels(world.db, accountId, [eventId]);
    const audit = await listAuditDeliveries(world.db, 'aud_often', { before: undefined, limit: 1 });
    for (const attempts of [channels.get(eventId)?.[0]?.attempts, audit[0]?.attempts]) {
      const latest = Array.from({ length: 50 }, (_, n) => 11 + n);
      expect(attempts?.map(({ duration_ms: ms }) => ms)).to.deep.equal(latest);
    }
  });

  it('are those that an audit webhook wants, although a replay came before the reactor saw it', async () => {
    const accountId = await world.account(undefined);
    const subscribed = (subscriptionId: string, letterId?: string) =>
      world.tellAccount(accountId, {
        type: 'AuditSubscribed',
        data: {
          accountId,
          subscriptionId,
          events: ['letter.posted'],
          ...(letterId && { letterId }),
        },
        personal: { url: receiver.url, secret: `whsec_${Buffer.alloc(32, 4).toString('base64')}` },
      });
    const letterId = await world.letter(accountId);
    await subscribed('aud_replayed');
    await subscribed('aud_of_letter', letterId);
    for (const endpointId of ['aud_replayed', 'aud_of_letter']) {
      const [eventId, at] = [randomUUID(), new Date().toISOString()];
      const about = { accountId, eventId, position: 1n, lane: letterId, letterId, at };
      const message = { kind: 'audit', endpointId, type: 'letter.posted', ...about } as const;
      await replayMessage(world.db, message, { key: undefined, now: world.clock() });
    }
    const first = world.startReactor();
    await world.caughtUp();
    await first.stop();
    world.startReactor();
    await world.tell(letterId, processing, posted);
    await world.letter(accountId, processing, posted);
    await world.caughtUp();
    const replays = 1;
    const told = async (id: string) =>
      (await world.messages()).flatMap((one) => (one.endpoint_id === id ? one.type : []));
    expect(await told('aud_replayed')).to.deep.equal(Array(replays + 2).fill('letter.posted'));
    expect(await told('aud_of_letter')).to.deep.equal(Array(replays + 1).fill('letter.posted'));
  });

  it('with credentials wait until those are issued, in order, and cost no attempt meanwhile', async () => {
    const issued: StoredCredential[] = [];
    const payload = { vc: { credentialSubject: { status: 'queued' } } };
    const segments = [{ alg: 'EdDSA' }, payload].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    const credentials = {
      byEventIds: async (ids: string[]) => issued.filter(({ eventId }) => ids.includes(eventId)),
    };
    const { handler, clock } = world;
    const proofs = ['the first proof', 'a later proof'];
    world.ports.targets.audit = createAuditTargets({
      handler,
      credentials,
      clock,
      signers: () => [() => Buffer.alloc(64), () => Buffer.alloc(64, 1)],
      hasEnded: async () => false,
      keepProofs: (made) => keepProofs(world.db, made),
      inclusionProofs: async () => new Map([[0, proofs[0] ?? '']]),
      logIdAt: () => 'the log',
    });
    world.startReactor();
    const accountId = await world.account(undefined);
    await world.tellAccount(accountId, {
      type: 'AuditSubscribed',
      data: { accountId, subscriptionId: 'aud_1' },
      personal: { url: receiver.url, secret: `whsec_${Buffer.alloc(32, 4).toString('base64')}` },
    });
    const letterId = await world.letter(accountId, processing);
    await world.caughtUp();
    await world.deliver('aud_1', 'audit');
    expect(receiver.received).to.deep.equal([]);
    const events = await world.store.readStream(`letter-${letterId}`);
    for (const { id: eventId, stream, position, version } of events.toReversed()) {
      const sequence = Number(version) + 1;
      const jwt = [...segments, 'AA'].join('.');
      issued.push({ logIndex: 0, eventId, stream, sequence, position, accountId, jwt });
    }
    await tellIssued(world.db, events.at(-1)?.position ?? 0n, world.clock());
    receiver.answerWith(answering(500));
    await world.deliver('aud_1', 'audit');
    proofs.shift();
    receiver.answerWith(answering(204));
    await world.db.query("update deliveries.messages set next_at = now() - interval '1 day'");
    await world.deliver('aud_1', 'audit');
    expect(receiver.received.map(({ body }) => body.data.sequence)).to.deep.equal([1, 1, 2]);
    const [failed, again, second] = receiver.received;
    expect(again?.text, 'the body is the same at each attempt').to.equal(failed?.text);
    expect(failed?.body.data.inclusion_proof).to.equal('the first proof');
    expect(second?.body.data.inclusion_proof).to.equal('a later proof');
    const signatures = failed?.headers['webhook-signature']
      ?.split(' ')
      .map((one) => one.slice(0, 3));
    expect(signatures).to.deep.equal(['v1,', 'v1a', 'v1a']);
    expect((await world.messages()).map(({ attempts }) => attempts)).to.deep.equal([2, 1]);
  });

  it('are not held back by a job that waited for somebody who has ended since', async () => {
    world.startReactor();
    const accountId = await world.account(receiver.url);
    await world.letter(accountId);
    await world.caughtUp();
    // The job that came with the message runs, and meets somebody who delivers already.
    await world.db.query('delete from work.jobs');
    const webhook = { kind: 'status' as const, id: accountId };
    await acquire(world.db, webhook, 'somebody');
    await world.deliver(accountId);
    const now = world.clock();
    await release(world.db, webhook, 'somebody', now, now + 1_000);
    const { rows } = await world.db.query<{ run_at: Date }>('select run_at from work.jobs');
    expect(rows).to.have.length(1);
    expect(rows[0]?.run_at.getTime()).to.be.at.most(now + 1_000);
  });

  it('whose job was lost are found again', async () => {
    world.startReactor();
    const accountId = await world.account(receiver.url);
    await world.letter(accountId);
    await world.caughtUp();
    await world.db.query('delete from work.jobs');
    expect(await restoreLostJobs(world.db, world.clock())).to.equal(1);
    expect(await restoreLostJobs(world.db, world.clock())).to.equal(0);
    world.startJobs();
    await arrived(1);
  });

  it('whose job failed for good are found again', async () => {
    world.startReactor();
    const accountId = await world.account(receiver.url);
    await world.letter(accountId);
    await world.caughtUp();
    await world.db.query('update work.jobs set attempts = max_attempts');
    expect(await restoreLostJobs(world.db, world.clock())).to.equal(1);
    expect(await restoreLostJobs(world.db, world.clock())).to.equal(0);
    world.startJobs();
    await arrived(1);
  });

  it('leave nothing in their rows and jobs that is personal or secret', async () => {
    world.startReactor();
    const accountId = await world.account(`${receiver.url}?token=planted-token`);
    receiver.answerWith((response) => response.writeHead(500).end('planted-answer'));
    await world.letter(accountId);
    await world.caughtUp();
    await world.deliver(accountId);
    const tables = [
      'deliveries.messages',
      'deliveries.attempts',
      'deliveries.endpoints',
      'work.jobs',
    ];
    for (const table of tables) {
      const { rows } = await world.db.query<{ row: string }>(
        `select t::text as row from ${table} t`,
      );
      expect(rows.length, table).to.be.above(0);
      expect(JSON.stringify(rows)).not.to.match(/planted|whsec|127\.0\.0\.1|Ada|Bonjour/);
    }
  });
});
