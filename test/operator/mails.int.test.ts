import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { decide, orderAggregate, orderIdOf } from '../../commands/payments/order.ts';
import { commandOf } from '../../operator/commands.ts';
import {
  letterTo,
  type NotificationJson,
  type PageOf,
  type Sent,
  until,
} from '../support/client.ts';
import { creditWallet } from '../support/foundation.ts';
import { useMailService } from '../support/mail-service.ts';
import { operatorOf } from '../support/operator.ts';
import { asksToConfirm, tokenIn } from '../support/smtp-server.ts';

type Row = Record<'mail' | 'kind' | 'to' | 'state' | 'attempts' | 'letter', string>;

describe('what an operator sees of mails', function () {
  this.timeout(180_000);
  const api = useMailService();
  const { mailsTo } = api;

  const { operate, refusal } = operatorOf(() => api.service().service.foundation);
  const rows = async (...args: string[]): Promise<Row[]> =>
    JSON.parse(await operate('mails', ...args, '--json')) as Row[];
  const arrivedAt = (email: string, count: number) =>
    until(async () => mailsTo(email).length >= count);

  /** The mail of a kind arrives again when the operator asks for it. `count`: mails of the address then. */
  const isSentAgain = async (email: string, kind: string, count: number): Promise<void> => {
    const found = async () => (await rows(email)).find((row) => row.kind === kind);
    await until(async () => (await found())?.state === 'sent');
    await operate('resend-mail', (await found())?.mail ?? '');
    await arrivedAt(email, count);
  };

  it('lists the mails of an account, and sends one again once for each request', async () => {
    const client = await api.register('test');
    const { email } = client;
    await arrivedAt(email, 1);
    await until(async () => (await rows(email))[0]?.state === 'sent');
    const [asked] = await rows(email);
    expect(asked).to.include({ kind: 'confirm', to: 'account', attempts: '1' });
    const id = asked?.mail ?? '';
    // A mail arrives before its attempt is recorded as sent, and the next attempt waits for that.
    const sentIn = (attempts: number) =>
      until(async () => {
        const [row] = await rows(email);
        return row?.state === 'sent' && row.attempts === String(attempts);
      });
    expect(await operate('resend-mail', id)).to.include('is sent again');
    await arrivedAt(email, 2);
    await sentIn(2);
    await operate('resend-mail', id);
    await operate('resend-mail', id, '--request', 'ticket 81');
    await arrivedAt(email, 3);
    await sentIn(3);
    expect((await rows(email)).map(({ attempts }) => attempts)).to.deep.equal(['3']);
    const mails = mailsTo(email);
    expect(mails.every(asksToConfirm)).to.equal(true);
    // A link of the last mail confirms; then the question is answered.
    const token = tokenIn(mails[2] ?? { text: '' });
    const confirmed = await api.call('POST', '/auth/confirm', { token, keep: 'all' });
    expect(confirmed.status, confirmed.text).to.equal(200);
    expect(await refusal('resend-mail', id, '--request', 'ticket 82')).to.include(
      'no longer needed',
    );

    await client.put('/api/settings', { notification_email: email });
    await creditWallet(
      api.service().service.foundation.commands,
      client.account.account_id,
      1_000_000n,
    );
    await until(
      async () => (await rows(email))[0]?.state === 'sent' && (await rows(email)).length > 1,
    );
    const credited = (await rows(email)).find(({ kind }) => kind === 'wallet_credited');
    const before = mailsTo(email).length;
    await operate('resend-mail', credited?.mail ?? '');
    await arrivedAt(email, before + 1);
    await client.put('/api/settings', { notification_email: null });
    const request = ['--request', 'ticket 83'];
    expect(await refusal('resend-mail', credited?.mail ?? '', ...request)).to.include(
      'no confirmed notification address',
    );
  });

  it('sends an approver the mail again that asks for a decision, while the letter waits', async () => {
    const client = await api.register('live');
    const { email } = client;
    const approver = `boss-${randomUUID()}@example.org`;
    await operate('credit', client.account.account_id, '20.00', '--reference', 'wire 4');
    const rules = ['allow', 'hold'].map((effect) => ({ id: effect, effect }));
    const policy = { rules, approvals: { approvers: [approver] } };
    const set = await client.put('/api/policy', policy);
    expect(set.status, set.text).to.equal(200);
    const held = await client.post<Sent>('/api/send', letterTo('DE'));
    expect(held.status, held.text).to.equal(202);
    await arrivedAt(approver, 1);
    const asking = async () => (await rows(email)).find(({ kind }) => kind === 'approval');
    await until(async () => (await asking())?.state === 'sent');
    const id = (await asking())?.mail ?? '';
    expect(await operate('resend-mail', id)).to.include('is sent again');
    await arrivedAt(approver, 2);
    const [first, second] = mailsTo(approver).map(({ text }) => text);
    expect(second).to.equal(first);
    const cancelled = await client.post(`/api/letters/${held.body.letter_id}/cancel`);
    expect(cancelled.status, cancelled.text).to.equal(200);
    expect(await refusal('resend-mail', id, '--request', 'ticket 84')).to.include('no mail');
  });

  it('tells an account what an operator took back, in a mail that can be sent again', async () => {
    const client = await api.register('live');
    const { email } = client;
    const { account_id: id } = client.account;
    await arrivedAt(email, 1);
    const token = tokenIn(mailsTo(email)[0] ?? { text: '' });
    await api.call('POST', '/auth/confirm', { token, keep: 'all' });
    await client.put('/api/settings', { notification_email: email });
    await operate('credit', id, '20.00', '--reference', 'wire 9');
    await operate('adjust', id, '15.00', '--credit', 'wire 9', '--reason', 'less came');
    await arrivedAt(email, 3);
    const told = mailsTo(email).filter(({ subject }) => subject.includes('taken back'));
    expect(told.map(({ subject }) => subject)).to.deep.equal([
      '$5.00 was taken back from your wallet',
    ]);
    expect(told[0]?.text).to.include('corrected a credit').and.include('$15.00');
    const list = await client.get<PageOf<NotificationJson>>('/api/notifications?limit=100');
    const taken = list.body.data.find(({ type }) => type === 'wallet.charged_back');
    expect(taken?.channels.map(({ mail }) => mail)).to.deep.equal(['wallet_charged_back']);
    await isSentAgain(email, 'wallet_charged_back', 4);
  });

  it('tells an account what its volume contract charged, in a mail that can be sent again', async () => {
    const client = await api.register('test');
    const { email } = client;
    await arrivedAt(email, 1);
    const token = tokenIn(mailsTo(email)[0] ?? { text: '' });
    await api.call('POST', '/auth/confirm', { token, keep: 'all' });
    await client.put('/api/settings', { notification_email: email });
    const terms = { committed_units: 300, period: 'month', period_count: 2 };
    const made = await client.post<{ contract_id: string }>('/api/anp/contracts', terms);
    expect(made.status, made.text).to.equal(201);
    const { contract_id: id } = made.body;
    await client.send();
    const advance = `/api/test/contracts/${id}/advance`;
    await client.post(advance);
    await arrivedAt(email, 2);
    type Contract = { periods: { billed: number | null }[] };
    const billed = async () =>
      (await client.get<Contract>(`/api/anp/contracts/${id}`)).body.periods[0]?.billed;
    await until(async () => typeof (await billed()) === 'number');
    const told = mailsTo(email)[1];
    expect(told?.subject).to.equal(
      `[TEST] $${(await billed())?.toFixed(2)} was charged for your volume contract`,
    );
    expect(told?.text).to.include(id).and.include('300');
    const list = await client.get<PageOf<NotificationJson>>('/api/notifications?limit=100');
    const breached = list.body.data.find(({ type }) => type === 'contract.breached');
    expect(breached?.channels.map(({ mail }) => mail)).to.deep.equal(['contract_breached']);
    await isSentAgain(email, 'contract_breached', 3);
    // A period without letters costs nothing.
    await client.post(advance);
    const outcome = async () =>
      (await client.get<{ state: string }>(`/api/anp/contracts/${id}`)).body.state;
    await until(async () => (await outcome()) === 'breached');
    expect((await rows(email)).filter(({ kind }) => kind === 'contract_breached')).to.have.length(
      1,
    );
  });

  it('tells an account of an order whose letter was not sent, in a mail that can be sent again', async () => {
    const client = await api.register('live');
    const { email } = client;
    await arrivedAt(email, 1);
    const token = tokenIn(mailsTo(email)[0] ?? { text: '' });
    await api.call('POST', '/auth/confirm', { token, keep: 'all' });
    await client.put('/api/settings', { notification_email: email });
    const draft = await client.post<Sent>('/api/send', letterTo('DE', { draft: true }));
    expect(draft.status, draft.text).to.equal(201);
    const { letter_id: letterId } = draft.body;
    const orderId = orderIdOf(letterId);
    const placed = {
      orderId,
      letterId,
      accountId: client.account.account_id,
      amountMicro: 1_630_000,
      commissionMicro: 80_000,
      currency: 'EUR' as const,
      amountMinor: 150,
      expiresAt: '2026-03-01T13:00:00.000Z',
      requestHash: 'r'.repeat(43),
      email: 'payer@example.org',
      checkoutUrl: 'https://checkout.example/1',
    };
    const { handler } = api.service().service.foundation.commands;
    for (const command of [
      { type: 'PlaceOrder' as const, placed },
      { type: 'CreditOrder' as const, reason: 'not_sendable' as const },
    ]) {
      const context = { commandId: randomUUID(), actor: 'payments' };
      await handler.handle(orderAggregate, orderId, context, (order) => decide(order, command));
    }
    await arrivedAt(email, 2);
    expect(mailsTo(email)[1]?.text).to.include(letterId).and.include(orderId);
    await isSentAgain(email, 'order_credited', 3);
  });

  it('lists the mails of a letter, and names what it cannot send', async () => {
    const client = await api.register('test');
    const { email } = client;
    await arrivedAt(email, 1);
    const token = tokenIn(mailsTo(email)[0] ?? { text: '' });
    await api.call('POST', '/auth/confirm', { token, keep: 'all' });
    await client.put('/api/settings', { notification_email: email });
    const sent = await client.post<Sent>('/api/send', letterTo('FR'));
    expect(sent.status, sent.text).to.equal(201);
    const { letter_id: letterId } = sent.body;
    await client.post(`/api/test/letters/${letterId}/advance`, { to: 'posted' });
    await until(async () =>
      (await rows('--letter', letterId)).some(({ state }) => state === 'sent'),
    );
    const shipped = (await rows('--letter', letterId)).find(({ state }) => state === 'sent');
    expect(shipped).to.include({ letter: letterId, to: 'account' });
    const before = mailsTo(email).length;
    await operate('resend-mail', shipped?.mail ?? '');
    await arrivedAt(email, before + 1);
    const unknown = '00000000-0000-5000-8000-000000000000';
    expect(await refusal('resend-mail', unknown)).to.include('There is no mail');
    expect(await refusal('resend-mail', unknown, '--letter', letterId)).to.include(
      'There is no mail',
    );
    expect(() => commandOf(['mails'])).to.throw('one ACCOUNT, or --letter');
    expect(() => commandOf(['resend-mail', 'x'])).to.throw('takes the id of one mail');
  });
});
