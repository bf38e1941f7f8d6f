import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  type Account,
  type Answer,
  expectProblem,
  type KeyJson,
  letterTo,
  type NewKeyJson,
  type PageOf,
  type ProblemJson,
  type Sent,
  until,
  useService,
} from '../support/client.ts';

describe('Idempotency-Key over HTTP', () => {
  const api = useService();
  type Client = Awaited<ReturnType<typeof api.register>>;
  let client: Client;
  beforeEach(async () => {
    client = await api.register();
  });
  const under = (key: string) => ({ 'Idempotency-Key': key });

  const expectReplay = (first: Answer<unknown>, again: Answer<unknown>): void => {
    expect(again.text).to.equal(first.text);
    expect(again.status).to.equal(first.status);
    expect(first.headers.get('idempotent-replayed')).to.equal(null);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
  };

  it('warns of a second letter where a repetition is not the same request', async () => {
    const key = randomUUID();
    const send = (body: object) => client.post('/api/send', letterTo('DE', body), under(key));
    expect((await send({})).status).to.equal(201);
    const changed = await send({ content: 'Other words' });
    const { detail } = expectProblem(changed, 422, 'idempotency_key_reused');
    expect(detail).to.contain('Repeat that request unchanged').and.contain('a second letter');
    const { body } = await client.get<{ data: object[] }>('/api/letters');
    expect(body.data).to.have.length(1);
  });

  it('sends a draft under a key of its own, as the refusal of the key of the draft says', async () => {
    const [key, another] = [randomUUID(), randomUUID()];
    const draft = letterTo('DE', { draft: true });
    const made = await client.post<{ letter_id: string }>('/api/send', draft, under(key));
    const { letter_id } = made.body;
    const send = (one: string) => client.post('/api/send', { letter_id }, under(one));
    const { detail } = expectProblem(await send(key), 422, 'idempotency_key_reused');
    expect(detail).to.contain('A draft that is sent by its letter_id needs a new key.');
    expect((await send(another)).body).to.include({ letter_id, status: 'queued' });
  });

  it('counts for one operation', async () => {
    const key = randomUUID();
    expect((await client.post('/api/send', letterTo('DE'), under(key))).status).to.equal(201);
    const made = await client.post('/auth/keys', { label: 'a', scope: 'read' }, under(key));
    expect(made.status, made.text).to.equal(201);
  });

  describe('registering', () => {
    const post = (path: string, body: object, key: string) =>
      api.call<Account>('POST', path, body, { headers: under(key) });

    it('answers again with the same key, at either path', async () => {
      const body = { email: `${randomUUID()}@example.com`, mode: 'test' };
      const key = randomUUID();
      const first = await post('/auth/register', body, key);
      expect(first.status).to.equal(201);
      expectReplay(first, await post('/auth/register', body, key));
      expectReplay(first, await post('/signup', body, key));
      expect((await api.as(first.body.api_key).balance()).balance).to.equal(100);
      const other = { ...body, email: `${randomUUID()}@example.com` };
      expectProblem(await post('/auth/register', other, key), 422, 'idempotency_key_reused');
      expectProblem(
        await post('/signup', { ...body, mode: 'live' }, key),
        422,
        'idempotency_key_reused',
      );
    });

    it('gives an agent the same key again, and another agent none', async () => {
      const body = { agent_id: randomUUID(), agent_name: 'A', mode: 'test' };
      const key = randomUUID();
      const first = await post('/auth/agent', body, key);
      expectReplay(first, await post('/auth/agent', body, key));
      for (const other of [
        { ...body, agent_id: randomUUID() },
        { ...body, agent_name: 'B' },
        { ...body, scope: 'read' },
      ]) {
        expectProblem(await post('/auth/agent', other, key), 422, 'idempotency_key_reused');
      }
    });

    it('gives a key to nobody who may have guessed the Idempotency-Key, and names the way out', async () => {
      for (const key of ['signup', 'my-registration-2026-11-22', '1', 'a'.repeat(40)]) {
        for (const path of ['/auth/register', '/auth/agent']) {
          const body =
            path === '/auth/agent'
              ? { agent_id: randomUUID(), agent_name: 'A', mode: 'test' }
              : { email: `${randomUUID()}@example.com` };
          const own = `${key} ${randomUUID().slice(0, 4)}`;
          const first = await post(path, body, own);
          expect(first.status).to.equal(201);
          const again = await post(path, body, own);
          expectProblem(again, 409, 'secret_not_repeated');
          expect(again.text).not.to.contain(first.body.api_key);
          expect(again.text).to.match(/recovery link|operator/);
        }
      }
    });

    it('makes two accounts of two addresses that nobody else can open', async () => {
      const key = randomUUID();
      const first = await post('/auth/register', { email: `${randomUUID()}@example.com` }, key);
      const second = await post('/auth/register', { email: `${randomUUID()}@example.com` }, key);
      expect(first.status).to.equal(201);
      expect(second.text).not.to.contain(first.body.api_key);
    });
  });

  describe('keys', () => {
    it('are made once under one Idempotency-Key, and rotated once', async () => {
      const key = randomUUID();
      const make = (body: object) => client.post<NewKeyJson>('/auth/keys', body, under(key));
      const first = await make({ label: 'x', scope: 'send' });
      expectReplay(first, await make({ scope: 'send', label: 'x' }));
      expectProblem(await make({ label: 'y', scope: 'send' }), 422, 'idempotency_key_reused');
      const rotate = (id: string) =>
        client.post<NewKeyJson>(`/auth/keys/${id}/rotate`, undefined, under(key));
      const rotated = await rotate(first.body.id);
      expect(rotated.status).to.equal(201);
      expectReplay(rotated, await rotate(first.body.id));
      expectProblem(await rotate(client.account.key_id), 422, 'idempotency_key_reused');
      expectReplay(first, await make({ label: 'x', scope: 'send' }));
      const { data } = (await client.get<{ data: KeyJson[] }>('/auth/keys')).body;
      expect(data.map(({ id }) => id)).to.deep.equal([rotated.body.id, client.account.key_id]);
    });
  });

  describe('answers with a secret', () => {
    const newKey = async (owner: typeof client, scope: string) => {
      const { body } = await owner.post<NewKeyJson>('/auth/keys', { label: 'agent', scope });
      return { ...api.as(body.api_key), id: body.id };
    };
    /** A key whose policy lets it send nothing more. */
    const limited = async (owner: typeof client, scope: string) => {
      const agent = await newKey(owner, scope);
      const rules = [{ effect: 'allow', limit: { amount: 0.01, per: 'total' } }];
      const set = await owner.put(`/auth/keys/${agent.id}/policy`, { rules });
      expect(set.status, set.text).to.equal(200);
      return agent;
    };

    for (const [path, body, scope] of [
      ['/auth/keys', { label: 'printer', scope: 'send' }, 'full'],
      ['/api/identity/ucan', { scope: 'send' }, 'send'],
    ] as const) {
      it(`are not repeated to another key, which may be limited: ${path}`, async () => {
        const owner = await api.register();
        const agent = await limited(owner, scope);
        const headers = under(randomUUID());
        type Made = { api_key?: string; token?: string };
        const ask = (by: Pick<typeof owner, 'post'>) => by.post<Made>(path, body, headers);
        const secretOf = ({ body: { api_key: key, token } }: { body: Made }) =>
          key ?? `ucan:${token}`;
        const [first, other] = [await ask(owner), await ask(agent)];
        expect([first.status, other.status], other.text).to.deep.equal([201, 201]);
        expect(other.headers.get('idempotent-replayed')).to.equal(null);
        const sent = await api.as(secretOf(other)).post('/api/send', letterTo('DE'));
        expectProblem(sent, 403, 'policy_denied');
        for (const [by, before] of [
          [owner, first],
          [agent, other],
        ] as const) {
          const again = await ask(by);
          expect(again.headers.get('idempotent-replayed')).to.equal('true');
          expect(secretOf(again)).to.equal(secretOf(before));
        }
      });
    }

    it('are links of the key that asked, and end with it', async () => {
      const owner = await api.register();
      const other = await newKey(owner, 'send');
      const { letter_id: letterId } = await owner.send();
      const headers = under(randomUUID());
      const path = `/api/identity/audit/${letterId}/link`;
      type Link = { id: string; url: string };
      const first = await owner.post<Link>(path, {}, headers);
      const own = await other.post<Link>(path, {}, headers);
      expect(own.status, own.text).to.equal(201);
      expect(own.body.id).not.to.equal(first.body.id);
      await owner.delete(`/auth/keys/${other.id}`);
      const { pathname, search } = new URL(own.body.url);
      const opened = await fetch(`${api.service().url}${pathname}${search}`);
      expect(opened.status).to.equal(404);
    });
  });

  describe('sending', () => {
    const send = (body: object, key: string) => client.post<Sent>('/api/send', body, under(key));

    it('makes one letter, charged once, and answers the same whatever became of it', async () => {
      const key = randomUUID();
      const body = letterTo('DE', { reference: 'one' });
      const first = await send(body, key);
      const id = first.body.letter_id;
      expectReplay(first, await send(body, key));
      const reordered = Object.fromEntries(Object.entries(body).reverse());
      expectReplay(first, await send(reordered, key));
      await client.patch(`/api/letters/${id}`, { reference: 'two', to_name: 'Berta Beispiel' });
      expectReplay(first, await send(body, key));
      await client.advance(id, { to: 'delivered' });
      expectReplay(first, await send(body, key));
      expect((await client.get<PageOf<unknown>>('/api/letters')).body.data).to.have.length(1);
      const holds = (await client.balance()).transactions.filter(({ type }) => type === 'hold');
      expect(holds).to.have.length(1);
    });

    it('is refused for another body under the same key, and charges nothing', async () => {
      const key = randomUUID();
      await send(letterTo('DE'), key);
      const before = await client.balance();
      for (const changes of [{ content: 'Other.' }, { color: true }, { draft: true }]) {
        expectProblem(await send(letterTo('DE', changes), key), 422, 'idempotency_key_reused');
      }
      expect(await client.balance()).to.deep.equal(before);
    });

    it('counts a key per account', async () => {
      const other = await api.register();
      const key = randomUUID();
      const first = await send(letterTo('DE'), key);
      const second = await other.post<Sent>('/api/send', letterTo('DE'), under(key));
      expect(second.status).to.equal(201);
      expect(second.headers.get('idempotent-replayed')).to.equal(null);
      expect(second.body.letter_id).not.to.equal(first.body.letter_id);
    });

    it('makes one letter of many requests at once', async () => {
      const key = randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => send(letterTo('DE'), key)),
      );
      const made = answers.filter(({ status }) => status === 201);
      expect(made).not.to.have.length(0);
      expect(new Set(made.map(({ text }) => text)).size).to.equal(1);
      for (const answer of answers.filter(({ status }) => status !== 201)) {
        expectProblem(answer, 409, 'idempotency_in_progress');
        expect(answer.headers.get('retry-after')).to.match(/^\d+$/);
      }
      const held = made[0]?.body.price.total;
      await until(async () => (await client.balance()).held === held);
    });

    it('answers a draft again after it was sent, and the sending as well', async () => {
      const [draftKey, sendKey] = [randomUUID(), randomUUID()];
      const body = letterTo('DE', { draft: true });
      const draft = await send(body, draftKey);
      const { letter_id } = draft.body;
      const sent = await send({ letter_id }, sendKey);
      expect(sent.body.status).to.equal('queued');
      expectReplay(draft, await send(body, draftKey));
      expectReplay(sent, await send({ letter_id }, sendKey));
      await client.post(`/api/letters/${letter_id}/cancel`);
      expectReplay(draft, await send(body, draftKey));
      expectReplay(sent, await send({ letter_id }, sendKey));
    });

    it('lets one key not be used for a letter and for a draft', async () => {
      const { letter_id, price } = await client.send({ draft: true });
      const [one, two] = [randomUUID(), randomUUID()];
      expect((await send(letterTo('DE'), one)).status).to.equal(201);
      expectProblem(await send({ letter_id }, one), 422, 'idempotency_key_reused');
      expect((await client.letter(letter_id)).status).to.equal('draft');
      expect((await send({ letter_id }, two)).status).to.equal(201);
      expectProblem(await send(letterTo('DE'), two), 422, 'idempotency_key_reused');
      const own = letterTo('DE', { draft: true });
      const three = randomUUID();
      const draft = await send(own, three);
      const itself = { letter_id: draft.body.letter_id };
      expectProblem(await send(itself, three), 422, 'idempotency_key_reused');
      await until(async () => (await client.balance()).held === (price.total * 200) / 100);
    });

    it('lets one key not be used for a draft and a letter while background work reads the draft', async () => {
      const { lettersAtHand } = api.service().service.foundation.shared;
      const key = randomUUID();
      const { letter_id } = await client.send({ draft: true });
      let isSent = false;
      const reading = (async (): Promise<void> => {
        while (!isSent) await lettersAtHand.load(letter_id);
      })();
      const sent = await send({ letter_id }, key);
      isSent = true;
      await reading;
      expect(sent.status).to.equal(201);
      expectProblem(await send(letterTo('DE'), key), 422, 'idempotency_key_reused');
    });

    it('remembers no refusal: what was corrected may be sent under the same key', async () => {
      const live = await api.register('live');
      const key = randomUUID();
      const body = letterTo('DE');
      const refused = await live.post<ProblemJson>('/api/send', body, under(key));
      expectProblem(refused, 402, 'insufficient_funds');
      const credit = { bucket: 'fiat' as const, amountMicro: 10_000_000n, reference: 'bank' };
      const actor = { commandId: randomUUID(), actor: 'operator' };
      await api
        .service()
        .service.foundation.commands.accounts.credit(live.account.account_id, credit, actor);
      expect((await live.post('/api/send', body, under(key))).status).to.equal(201);
    });

    it('says of a deleted letter that it was deleted', async () => {
      const key = randomUUID();
      const body = letterTo('DE', { draft: true });
      const { letter_id } = (await send(body, key)).body;
      await client.delete(`/api/letters/${letter_id}`);
      expectProblem(await send(body, key), 410, 'letter_deleted');
    });
  });

  describe('cancelling', () => {
    const cancel = (letterId: string, key: string) =>
      client.post(`/api/letters/${letterId}/cancel`, undefined, under(key));

    it('is answered again as at first, with one refund', async () => {
      const { letter_id } = await client.send();
      const key = randomUUID();
      const first = await cancel(letter_id, key);
      expectReplay(first, await cancel(letter_id, key));
      const { transactions, available } = await client.balance();
      expect(available).to.equal(100);
      expect(transactions).to.have.length(3);
    });

    it('is answered as at first although the letter went on', async () => {
      const { letter_id } = await client.send();
      await client.advance(letter_id);
      const key = randomUUID();
      const first = await cancel(letter_id, key);
      expect(first.status).to.equal(202);
      await until(async () => (await client.letter(letter_id)).status === 'cancelled');
      expectReplay(first, await cancel(letter_id, key));
      expect((await cancel(letter_id, randomUUID())).status).to.equal(200);
    });

    it('of another letter under the same key is refused, and cancels nothing', async () => {
      const [one, two] = [await client.send(), await client.send()];
      const key = randomUUID();
      await cancel(one.letter_id, key);
      expectProblem(await cancel(two.letter_id, key), 422, 'idempotency_key_reused');
      expect((await client.letter(two.letter_id)).status).to.equal('queued');
      expect((await client.balance()).held).to.equal(two.price.total);
    });

    it('that changes nothing does not use up its key', async () => {
      const [one, two] = [await client.send(), await client.send()];
      await cancel(one.letter_id, randomUUID());
      const key = randomUUID();
      for (const { letter_id } of [one, one, two]) {
        const cancelled = await cancel(letter_id, key);
        expect(cancelled.status, cancelled.text).to.equal(200);
      }
    });

    it('of a deleted letter says that it was deleted', async () => {
      const { letter_id } = await client.send();
      const key = randomUUID();
      await cancel(letter_id, key);
      await client.delete(`/api/letters/${letter_id}`);
      expectProblem(await cancel(letter_id, key), 410, 'letter_deleted');
    });
  });

  it('must be 1 to 255 printable ASCII characters', async () => {
    const right = 'x'.repeat(255);
    expect((await client.post('/api/send', letterTo('DE'), under(right))).status).to.equal(201);
    for (const wrong of ['', 'x'.repeat(256), 'ü', 'a\tb']) {
      const answer = await client.post('/api/send', letterTo('DE'), under(wrong));
      expectProblem(answer, 400, 'invalid_header');
    }
  });
});
