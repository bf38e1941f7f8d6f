import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { reserveFunds } from '../../commands/wallets/reserve-funds.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { letterPurpose } from '../../events/wallet.ts';
import {
  expectMembers,
  expectProblem,
  type NotificationJson,
  type PageOf,
  type SettingsJson,
  useService,
} from '../support/client.ts';

describe('settings and notifications over HTTP', () => {
  const api = useService();
  type Client = Awaited<ReturnType<typeof api.register>>;
  let client: Client;
  beforeEach(async () => {
    client = await api.register();
  });

  describe('settings', () => {
    const read = async () => (await client.get<SettingsJson>('/api/settings')).body;
    const put = (body: unknown) => client.put<SettingsJson>('/api/settings', body);

    it('start empty, take either field or both, and lose what is set to null', async () => {
      const none = { webhook_url: null, notification_email: null };
      expect(await read()).to.deep.equal(none);
      const email = { ...none, notification_email: 'a@example.com' };
      expect((await put({ notification_email: 'a@example.com' })).body).to.deep.equal(email);
      const hook = await put({ webhook_url: 'https://example.com/hook' });
      const { webhook_secret, ...shown } = hook.body;
      expect(shown).to.deep.equal({ ...email, webhook_url: 'https://example.com/hook' });
      expect(await read()).to.deep.equal(shown);
      expect((await put({ notification_email: null })).body.notification_email).to.equal(null);
      expect((await put({ webhook_url: null })).body).to.deep.equal(none);
      expect(await read()).to.deep.equal(none);
      expect(webhook_secret).to.match(/^whsec_[A-Za-z0-9+/=]{44}$/);
    });

    it('show the secret of a new webhook once', async () => {
      const url = (name: string) => ({ webhook_url: `https://example.com/${name}` });
      const first = (await put(url('a'))).body.webhook_secret;
      expect((await put(url('a'))).body).not.to.have.property('webhook_secret');
      const second = (await put(url('b'))).body.webhook_secret;
      expect(second).to.be.a('string').and.not.equal(first);
      expect(await read()).not.to.have.property('webhook_secret');
    });

    it('are refused where they are wrong, naming the field', async () => {
      const cases: [unknown, string][] = [
        [{}, ''],
        [[], ''],
        [{ webhook_url: 'example.com' }, '/webhook_url'],
        [{ webhook_url: 'ftp://example.com' }, '/webhook_url'],
        [{ webhook_url: 'javascript:alert(1)' }, '/webhook_url'],
        [{ webhook_url: `https://example.com/${'x'.repeat(2048)}` }, '/webhook_url'],
        [{ webhook_url: 5 }, '/webhook_url'],
        [{ webhook_url: '' }, '/webhook_url'],
        [{ notification_email: 'nobody' }, '/notification_email'],
        [{ notification_email: 'a\u0000@example.com' }, '/notification_email'],
        [{ notification_email: `${'x'.repeat(250)}@example.com` }, '/notification_email'],
        [{ email: 'a@example.com' }, '/email'],
      ];
      for (const [body, pointer] of cases) {
        expectProblem(await put(body), 422, 'validation_failed', pointer);
      }
      const refused = await put({ webhook_url: 5 });
      const { errors } = expectProblem(refused, 422, 'validation_failed', '/webhook_url');
      expect(errors?.[0]?.detail).to.equal(
        'webhook_url must be an absolute address such as https://example.com/letters or null (it is 5).',
      );
      expect(await read()).to.deep.equal({ webhook_url: null, notification_email: null });
    });

    it('are the own ones only', async () => {
      await put({ notification_email: 'mine@example.com' });
      const other = await api.register();
      const { text } = await other.get('/api/settings');
      expect(text).not.to.contain('mine@example.com');
    });
  });

  describe('notifications', () => {
    const list = async (query = '', of = client): Promise<PageOf<NotificationJson>> => {
      const answer = await of.get<PageOf<NotificationJson>>(`/api/notifications${query}`);
      expect(answer.status, answer.text).to.equal(200);
      return answer.body;
    };
    const typesOf = ({ data }: PageOf<NotificationJson>) => data.map(({ type }) => type);

    it('tell each change of a letter and of the wallet, newest first', async () => {
      const { letter_id } = await client.send({ draft: true });
      await client.patch(`/api/letters/${letter_id}`, { reference: 'x' });
      await client.post('/api/send', { letter_id });
      await client.advance(letter_id, { event: 'returned' });
      const failing = (await client.send()).letter_id;
      await client.advance(failing);
      await client.advance(failing, { event: 'failed' });
      expect(typesOf(await list(`?letter_id=${letter_id}`))).to.deep.equal([
        'letter.returned',
        'letter.posted',
        'letter.processing',
        'letter.queued',
        'letter.updated',
        'letter.draft',
      ]);
      const all = typesOf(await list());
      expect(all).to.include.members(['letter.failed', 'wallet.refunded']);
      expect(all.at(-1)).to.equal('wallet.credited');
    });

    it('tell once that the wallet ran low', async () => {
      const accountId = client.account.account_id;
      // A test wallet begins with $100.00, the mark lies at $10.00.
      const { handler } = api.service().service.foundation.commands;
      const context = { commandId: randomUUID(), actor: 'test' };
      await handler.handle(walletAggregate, accountId, context, (wallet) =>
        reserveFunds(wallet, {
          type: 'ReserveFunds',
          purpose: letterPurpose(randomUUID()),
          attemptId: 'spent',
          subtotalMicro: 85_600_000n,
        }),
      );
      for (let n = 0; n < 2; n++) await client.send();
      const low = (await list()).data.filter(({ type }) => type === 'wallet.low');
      expect(low).to.have.length(1);
      expect(low[0]).to.include({ letter_id: null, status: null });
    });

    it('of a deleted letter say only that it was deleted, in the list and one by one', async () => {
      const { letter_id } = await client.send({ draft: true });
      const [draft] = (await list(`?letter_id=${letter_id}`)).data;
      const path = `/api/notifications/${draft?.id}`;
      expect((await client.get(path)).status).to.equal(200);
      await client.delete(`/api/letters/${letter_id}`);
      const left = await list(`?letter_id=${letter_id}`);
      expect(typesOf(left)).to.deep.equal(['letter.deleted']);
      expect((await client.get(`/api/notifications/${left.data[0]?.id}`)).status).to.equal(200);
      for (const one of [path, `${path}/webhook`]) {
        expectProblem(await client.get(one), 404, 'notification_not_found');
      }
      await client.put('/api/settings', { webhook_url: 'https://example.com/hook' });
      expectProblem(await client.post(`${path}/replay`), 404, 'notification_not_found');
    });

    it('have the promised form, in the list and one by one', async () => {
      const { letter_id } = await client.send();
      const page = await list();
      expectMembers(page, ['data', 'has_more', 'next_cursor']);
      for (const notification of page.data) {
        expectMembers(notification, [
          'id',
          'type',
          'letter_id',
          'status',
          'created_at',
          'channels',
        ]);
        const one = await client.get<NotificationJson>(`/api/notifications/${notification.id}`);
        expect(one.body).to.deep.equal(notification);
      }
      expect(page.data[0]).to.deep.include({ type: 'letter.queued', letter_id, status: 'queued' });
    });

    it('come page by page, while others arrive', async () => {
      for (let index = 0; index < 4; index++) await client.send();
      const before = (await list()).data.map(({ id }) => id);
      const found: string[] = [];
      let query = '?limit=2';
      for (;;) {
        const page = await list(query);
        found.push(...page.data.map(({ id }) => id));
        if (page.next_cursor === null) break;
        query = `?limit=2&cursor=${page.next_cursor}`;
        await client.send();
      }
      expect(found).to.deep.equal(before);
    });

    it('are the own ones only', async () => {
      const { letter_id } = await client.send();
      const { data } = await list();
      const other = await api.register();
      expect((await list(`?letter_id=${letter_id}`, other)).data).to.deep.equal([]);
      const ids = [data[0]?.id, 'ntf_1', randomUUID(), `ntf_${'0'.repeat(32)}`];
      for (const id of ids) {
        const answer = await other.get(`/api/notifications/${id}`);
        expectProblem(answer, 404, 'notification_not_found');
      }
    });

    it('are refused a wrong query, naming what is wrong', async () => {
      const cases = {
        'letter_id=1': '/query/letter_id',
        [`letter_id=urn:uuid:${randomUUID()}`]: '/query/letter_id',
        'limit=0': '/query/limit',
        'limit=101': '/query/limit',
        'type=letter.queued': '/query/type',
      };
      for (const [query, pointer] of Object.entries(cases)) {
        const answer = await client.get(`/api/notifications?${query}`);
        expectProblem(answer, 422, 'validation_failed', pointer);
      }
      const cursor = await client.get('/api/notifications?cursor=zzz');
      expectProblem(cursor, 422, 'invalid_cursor', '/query/cursor');
    });
  });
});
