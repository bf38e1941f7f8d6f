import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { eventIdOf } from '../../presenters/account.ts';
import { deliverAgain } from '../../service/operating/deliver-again.ts';
import { theAccount } from '../../service/operating/find-account.ts';
import { letterTo, type Sent, type SettingsJson, until, useService } from '../support/client.ts';
import { operatorOf } from '../support/operator.ts';
import {
  answering,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts';

describe('what an operator sees of notifications', function () {
  this.timeout(180_000);
  const api = useService({ ALLOW_PRIVATE_FETCH: 'true' });
  let receiver: WebhookReceiver;
  before(async () => {
    receiver = await startWebhookReceiver();
  });
  after(() => receiver.stop());

  const { operate } = operatorOf(() => api.service().service.foundation);

  it('lists what failed, and delivers it again', async () => {
    const client = await api.register();
    receiver.answerWith(answering(503));
    await client.put('/api/settings', { webhook_url: receiver.url });
    const sent = await client.post<Sent>('/api/send', letterTo('DE'));
    expect(sent.status, sent.text).to.equal(201);
    const { letter_id: letterId } = sent.body;
    const { email } = client;
    // The address stands for a test account; the service has no live one of that name.
    const failed = () => operate('notifications', email, '--letter', letterId, '--failed');
    await until(async () => (await failed()).includes('pending: 503'));
    expect(await operate('letter', letterId)).to.include('pending: 503');
    const [row] = JSON.parse(
      await operate('notifications', email, '--letter', letterId, '--failed', '--json'),
    );
    expect(row).to.include({ type: 'letter.queued', letter: letterId, mail: null });
    receiver.answerWith(answering(204));
    const before = receiver.received.length;
    expect(await operate('redeliver', email, '--failed')).to.match(/^\d+ notifications? of acct_/);
    await until(async () => (await failed()).includes('0 notifications'));
    expect(receiver.received.length).to.be.above(before);
    const again = receiver.received.length;
    expect(await operate('redeliver', email, row.notification)).to.include('1 notification of');
    await until(async () => receiver.received.length > again);
    const last = receiver.received.at(-1);
    expect(last?.headers['webhook-id']).to.equal(row.notification);
    await client.put('/api/settings', { webhook_url: null });
    const refused = operate('redeliver', email, row.notification).then(
      () => expect.fail('it is refused'),
      (error: Error) => error.message,
    );
    expect(await refused).to.include('it has no webhook');
  });

  it('delivers the others of a list of which a letter was deleted meanwhile', async () => {
    const client = await api.register();
    receiver.answerWith(answering(204));
    await client.put('/api/settings', { webhook_url: receiver.url });
    const { letter_id: letterId } = await client.send();
    const list = async () => {
      const { body } = await client.get<{ data: { id: string; letter_id: string | null }[] }>(
        '/api/notifications',
      );
      return body.data.flatMap(({ id, letter_id }) => (letter_id === letterId ? [id] : []));
    };
    await until(async () => (await list()).length > 0 && receiver.received.length > 0);
    const known = eventIdOf((await list())[0] ?? '') ?? '';
    const { foundation } = api.service().service;
    const { accountId } = await theAccount(foundation, client.email);
    const before = receiver.received.length;
    const ids = [randomUUID(), known];
    const again = deliverAgain(foundation, accountId, ids, { passesOver: true });
    expect(await again).to.equal(1);
    await until(async () => receiver.received.length > before);
    const refused = await deliverAgain(foundation, accountId, ids).catch(
      (error: Error) => error.message,
    );
    expect(refused).to.include('has no notification');
  });

  it('delivers what a webhook missed that was disabled, in order, once it is set again', async () => {
    const client = await api.register();
    const { email } = client;
    receiver.answerWith(answering(410));
    await client.put('/api/settings', { webhook_url: receiver.url });
    const first = await client.send();
    await until(async () => {
      const { body } = await client.get<SettingsJson>('/api/settings');
      return body.webhook_disabled === 'gone';
    });
    await client.advance(first.letter_id, { to: 'posted' });
    receiver.answerWith(answering(204));
    await client.put('/api/settings', { webhook_url: receiver.url });
    const failed = () => operate('notifications', email, '--failed');
    await until(async () => (await failed()).includes('3 notifications'));
    const before = receiver.received.length;
    expect(await operate('redeliver', email, '--failed')).to.include('3 notifications of acct_');
    await until(async () => receiver.received.length >= before + 3);
    const types = receiver.types().slice(before);
    expect(types).to.deep.equal(['letter.queued', 'letter.processing', 'letter.posted']);
    expect(await failed()).to.include('0 notifications');
  });
});
