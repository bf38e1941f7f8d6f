import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { commandOf } from '../../operator/commands.ts';
import { draftsOver, lettersOver } from '../../projections/letters/query.ts';
import { createExpireDrafts } from '../../reactors/expire-drafts.ts';
import { createRetainLetters } from '../../reactors/retain-letters.ts';
import {
  expectProblem,
  letterTo,
  type NotificationJson,
  type PageOf,
  type Sent,
  until,
  useService,
} from '../support/client.ts';

describe('what an account may have', () => {
  const api = useService({ LIMIT_TEST_LETTERS_PER_DAY: '3', LIMIT_DRAFTS_PER_ACCOUNT: '2' });

  it('is so many letters in 24 hours, and as many as the operator says for one', async () => {
    const client = await api.register();
    for (let count = 0; count < 3; count++) await client.send();
    const refused = await client.post('/api/send', letterTo('DE'));
    expectProblem(refused, 429, 'quota_exceeded');
    expect(Number(refused.headers.get('retry-after'))).to.be.within(86_000, 86_400);
    const { foundation } = api.service().service;
    const { account_id: id } = client.account;
    const printed: string[] = [];
    await commandOf(['quotas', id, '--test-letters', '4'])(foundation, (line) =>
      printed.push(line),
    );
    // In the words of the options, so that an operator can type the output.
    expect(printed).to.include('test-letters: 4');
    expect(printed.join()).to.match(/live-letters: \d+ \(default\),.*drafts: .*bytes: /);
    await until(async () => (await client.post('/api/send', letterTo('DE'))).status === 201);
    expectProblem(await client.post('/api/send', letterTo('DE')), 429, 'quota_exceeded');
  });

  it('is what was sent: neither a refused letter, nor a draft, nor a repetition counts', async () => {
    const client = await api.register();
    const send = (body: object, key = randomUUID()) =>
      client.post<Sent>('/api/send', letterTo('DE', body), { 'Idempotency-Key': key });
    const draft = await send({ draft: true });
    expectProblem(await send({ max_total: 0.01 }), 402, 'max_total_exceeded');
    const key = randomUUID();
    const first = await send({}, key);
    for (let n = 0; n < 3; n++) expect((await send({}, key)).text).to.equal(first.text);
    expect((await send({})).status).to.equal(201);
    const sendDraft = () =>
      client.post<Sent>(
        '/api/send',
        { letter_id: draft.body.letter_id },
        { 'Idempotency-Key': `${key} draft` },
      );
    expect((await sendDraft()).status).to.equal(201);
    expectProblem(await send({}), 429, 'quota_exceeded');
    expect((await sendDraft()).status).to.equal(201);
    const again = await send({}, key);
    expect([again.status, again.text]).to.deep.equal([201, first.text]);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
  });

  it('is so many drafts at once', async () => {
    const client = await api.register();
    const draft = () => client.post<Sent>('/api/send', letterTo('DE', { draft: true }));
    const first = await draft();
    expect([first.status, (await draft()).status]).to.deep.equal([201, 201]);
    expectProblem(await draft(), 429, 'quota_exceeded');
    const held = letterTo('DE', { draft: true, content: 'Once.' });
    const key = { 'Idempotency-Key': randomUUID() };
    await client.post(`/api/letters/${first.body.letter_id}/cancel`);
    await until(async () => (await client.post('/api/send', held, key)).status === 201);
    expectProblem(await draft(), 429, 'quota_exceeded');
    expect((await client.post('/api/send', held, key)).status).to.equal(201);
  });

  it('is exactly so many drafts, however many are posted at once', async () => {
    const client = await api.register();
    const keys = Array.from({ length: 8 }, () => ({ 'Idempotency-Key': randomUUID() }));
    const draft = (key: Record<string, string>) =>
      client.post<Sent>('/api/send', letterTo('DE', { draft: true }), key);
    const answers = await Promise.all(keys.map(draft));
    const kept = answers.filter(({ status }) => status === 201);
    expect(kept.length).to.equal(2);
    for (const [n, { status }] of answers.entries()) {
      // Existing ones are answered again, and no new one gets in.
      expect((await draft(keys[n] ?? {})).status).to.equal(status);
    }
    const [one] = kept;
    await client.delete(`/api/letters/${one?.body.letter_id}`);
    await until(async () => (await draft({})).status === 201);
    expectProblem(await draft({}), 429, 'quota_exceeded');
    // Refused requests hold nothing.
    const other = await api.register();
    const bad = letterTo('DE', { draft: true, to_postal_code: 'x' });
    for (let n = 0; n < 3; n++) expect((await other.post('/api/send', bad)).status).to.equal(422);
    const good = await other.post('/api/send', letterTo('DE', { draft: true }));
    expect(good.status, good.text).to.equal(201);
  });

  it('is asked by a dry run, which counts nothing', async () => {
    const client = await api.register();
    const dry = () => client.post('/api/send', letterTo('DE', { dry_run: true }));
    for (let n = 0; n < 4; n++) expect((await dry()).status).to.equal(200);
    for (let n = 0; n < 3; n++) {
      expect((await dry()).status).to.equal(200);
      await client.send();
    }
    expectProblem(await dry(), 429, 'quota_exceeded');
    expectProblem(await client.post('/api/send', letterTo('DE')), 429, 'quota_exceeded');
  });

  it('is named in the singular where it is one', async () => {
    const client = await api.register();
    const { foundation } = api.service().service;
    const { account_id: id } = client.account;
    await commandOf(['quotas', id, '--drafts', '1', '--test-letters', '1'])(foundation, () => {});
    await client.send();
    const refusal = async (body: object) => {
      let detail = '';
      await until(async () => {
        const answer = await client.post<{ detail: string }>('/api/send', letterTo('DE', body));
        detail = answer.body.detail;
        // Until the process has read the new quotas, it refuses by those before.
        return answer.status === 429 && !/quota of [^1]/.test(detail);
      });
      return detail;
    };
    expect(await refusal({})).to.contain('quota of 1 letter in 24 hours');
    expect(await refusal({ draft: true })).to.contain('quota of 1 draft;');
  });

  it('is a draft until nobody touched it for so many days', async () => {
    const client = await api.register();
    const made = await client.post<Sent>('/api/send', letterTo('DE', { draft: true }));
    const { commands, storage } = api.service().service.foundation;
    const expire = (laterDays: number, retentionDays?: number) =>
      createExpireDrafts({
        handler: commands.handler,
        clock: () => Date.now() + laterDays * 86_400_000,
        days: 90,
        retentionDays,
        draftsOver: (untouched, limit) => draftsOver(storage.readDb, untouched, limit),
      })();
    await until(async () => (await client.letter(made.body.letter_id)).status === 'draft');
    expect(await expire(89)).to.equal(0);
    // It is due for erasure, and would be kept for 60 days more as a cancelled one.
    expect(await expire(91, 60)).to.equal(0);
    expect((await client.letter(made.body.letter_id)).status).to.equal('draft');
    await expire(91, 100);
    await until(async () => (await client.letter(made.body.letter_id)).status === 'cancelled');
    await until(async () => {
      const { data } = (await client.get<PageOf<NotificationJson>>('/api/notifications')).body;
      return data.some(({ type }) => type === 'letter.cancelled');
    });
  });

  it('is a draft until its personal data are erased because its time is over', async () => {
    const client = await api.register();
    const draft = () => client.post<Sent>('/api/send', letterTo('DE', { draft: true }));
    const drafts = [await draft(), await draft()].map(({ body }) => body.letter_id);
    expectProblem(await draft(), 429, 'quota_exceeded');
    const { commands, storage } = api.service().service.foundation;
    const inMonths = new Date(Date.now() + 31 * 86_400_000).toISOString();
    await until(async () => {
      const found: string[] = [];
      let page = await lettersOver(storage.readDb, inMonths, 1);
      while (page[0] && found.length < 1_000) {
        found.push(page[0].letterId);
        page = await lettersOver(storage.readDb, inMonths, 1, page[0]);
      }
      return drafts.every((id) => found.filter((one) => one === id).length === 1);
    });
    const retain = createRetainLetters({
      handler: commands.handler,
      clock: () => Date.now() + 31 * 86_400_000,
      retentionDays: 30,
      lettersOver: (until, limit, after) => lettersOver(storage.readDb, until, limit, after),
    });
    await until(async () => {
      await retain();
      const letters = await Promise.all(drafts.map((id) => client.letter(id)));
      return letters.every(({ status, to_name }) => status === 'draft' && to_name === '[erased]');
    });
    await until(async () => (await draft()).status === 201);
    expect((await draft()).status).to.equal(201);
    expectProblem(await draft(), 429, 'quota_exceeded');
    // Nobody deleted it.
    const page = await client.get<{ detail: string }>(`/api/letters/${drafts[0]}/preview/1.png`);
    expectProblem(page, 410, 'letter_deleted');
    expect(page.body.detail).to.match(/were erased: it was deleted, or its time was over/);
  });
});

describe('test mode', () => {
  const api = useService();

  it('fills the wallet up to $100.00, once an hour', async () => {
    const client = await api.register();
    const full = await client.post<{ added: number }>('/api/test/wallet');
    expect([full.status, full.body.added], full.text).to.deep.equal([200, 0]);
    await client.send();
    const refilled = await client.post<{ added: number; available: number }>('/api/test/wallet');
    expect(refilled.body.available, refilled.text).to.equal(100);
    expect(refilled.body.added).to.be.above(0);
    expect((await client.balance()).available).to.equal(100);
    await client.send();
    const again = await client.post('/api/test/wallet');
    expectProblem(again, 429, 'quota_exceeded');
    expect(Number(again.headers.get('retry-after'))).to.be.within(1, 3_600);
    const live = await api.register('live');
    expectProblem(await live.post('/api/test/wallet'), 403, 'test_mode_only');
  });

  it('gives a letter of an async service its number on the way', async () => {
    const client = await api.register();
    const sent = await client.send({
      ...letterTo('FR', { service: 'fr_lettre_suivie' }),
    });
    await client.advance(sent.letter_id, { to: 'posted' });
    expect((await client.letter(sent.letter_id)).tracking?.tracking_number).to.equal(null);
    await client.advance(sent.letter_id, { to: 'in_transit' });
    const { tracking } = await client.letter(sent.letter_id);
    expect(tracking?.tracking_number).to.match(/^0T\d{11}$/);
  });
});
