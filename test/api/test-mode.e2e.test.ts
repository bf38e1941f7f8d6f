import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { expectProblem, type Letter, until, useService } from '../support/client.ts';

const steps = ['processing', 'posted', 'in_transit', 'delivered'] as const;

describe('test mode over HTTP', () => {
  const api = useService();
  type Client = Awaited<ReturnType<typeof api.register>>;
  let client: Client;
  beforeEach(async () => {
    client = await api.register();
  });
  const advance = (letterId: string, body?: unknown) =>
    client.post<Letter>(`/api/test/letters/${letterId}/advance`, body);
  const statusesOf = ({ timeline }: Letter) => timeline.map(({ status }) => status);

  it('moves a letter one step at a time, and no further than delivered', async () => {
    const { letter_id } = await client.send();
    for (const status of steps) {
      const moved = await advance(letter_id);
      expect(moved.status).to.equal(200);
      expect(moved.body.status).to.equal(status);
      expect(moved.headers.get('etag')).to.match(/^"\d+"$/);
    }
    expectProblem(await advance(letter_id, {}), 409, 'letter_not_advanceable');
    const letter = await client.letter(letter_id);
    expect(statusesOf(letter)).to.deep.equal(['queued', ...steps]);
    expect(letter).to.include({
      delivery_outcome: 'delivered',
      cancellable_until: letter.cancellable_until,
    });
  });

  for (const [index, to] of steps.entries()) {
    it(`moves a letter to ${to} at once, through every step before it`, async () => {
      const { letter_id } = await client.send();
      const letter = await client.advance(letter_id, { to });
      expect(statusesOf(letter)).to.deep.equal(['queued', ...steps.slice(0, index + 1)]);
      for (const entry of letter.timeline.slice(1)) {
        expect(entry).to.include({ source: 'simulator' }).and.not.have.property('inferred');
      }
      const hasNumber = letter.tracking.tracking_number !== null;
      expect(hasNumber).to.equal(to !== 'processing');
      const again = expectProblem(await advance(letter_id, { to }), 409, 'letter_not_advanceable');
      expect(again.detail).to.equal(`The letter is already ${to}.`);
    });
  }

  it('lets a letter come back, whose status stays', async () => {
    const { letter_id } = await client.send();
    const letter = await client.advance(letter_id, { event: 'returned' });
    expect(letter).to.include({ status: 'posted', delivery_outcome: 'returned' });
    expect(statusesOf(letter)).to.deep.equal(['queued', 'processing', 'posted', 'returned']);
    expect(letter.timeline.filter((step) => 'inferred' in step)).to.deep.equal([]);
    expect(letter.tracking.tracking_number).to.match(/^XX\d{9}DE$/);
    for (const wish of [{ event: 'returned' }, { to: 'posted' }, undefined]) {
      const again = expectProblem(await advance(letter_id, wish), 409, 'letter_not_advanceable');
      expect(again.detail).to.include('was returned to its sender');
    }
  });

  for (const start of ['queued', 'processing'] as const) {
    it(`lets a ${start} letter fail, with a full refund`, async () => {
      const { letter_id } = await client.send();
      if (start === 'processing') await client.advance(letter_id);
      const letter = await client.advance(letter_id, { event: 'failed' });
      expect(letter.status).to.equal('failed');
      expect(letter.failure).to.include({ code: 'test_failure', stage: 'print', retryable: false });
      expect(letter.abilities).to.deep.equal({
        update: false,
        cancel: false,
        delete: true,
        send: false,
      });
      expect(await client.balance()).to.include({ balance: 100, available: 100, held: 0 });
      expectProblem(await advance(letter_id), 409, 'letter_not_advanceable');
    });
  }

  it('fails no letter that is posted, and moves none that was not sent', async () => {
    const posted = (await client.send()).letter_id;
    await client.advance(posted, { to: 'posted' });
    expectProblem(await advance(posted, { event: 'failed' }), 409, 'letter_not_advanceable');
    const draft = (await client.send({ draft: true })).letter_id;
    const cancelled = (await client.send()).letter_id;
    await client.post(`/api/letters/${cancelled}/cancel`);
    for (const id of [draft, cancelled]) {
      for (const body of [
        undefined,
        { to: 'posted' },
        { event: 'failed' },
        { event: 'returned' },
      ]) {
        expectProblem(await advance(id, body), 409, 'letter_not_advanceable');
      }
    }
  });

  it('refuses what is no step, naming the field', async () => {
    const { letter_id } = await client.send();
    const cases: [unknown, string][] = [
      [{ to: 'queued' }, '/to'],
      [{ to: 'cancelled' }, '/to'],
      [{ to: null }, '/to'],
      [{ event: 'lost' }, '/event'],
      [{ to: 'posted', event: 'returned' }, '/event'],
      [{ step: 1 }, '/step'],
    ];
    for (const [body, pointer] of cases) {
      expectProblem(await advance(letter_id, body), 422, 'validation_failed', pointer);
    }
    expect((await client.letter(letter_id)).status).to.equal('queued');
  });

  it('is closed to live keys', async () => {
    const live = await api.register('live');
    const { letter_id } = await client.send();
    for (const id of [letter_id, '6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e']) {
      const answer = await live.post(`/api/test/letters/${id}/advance`);
      expectProblem(answer, 403, 'test_mode_only');
    }
  });

  const magic: [string, (letter: Letter) => boolean, object][] = [
    [
      'Test Returned',
      (letter) => letter.delivery_outcome === 'returned',
      { status: 'in_transit', failure: null },
    ],
    [
      'test undeliverable',
      (letter) => letter.delivery_outcome === 'returned',
      { status: 'in_transit', failure: null },
    ],
    ['Test Print Failure', (letter) => letter.status === 'failed', { delivery_outcome: null }],
  ];
  for (const [to_name, done, expected] of magic) {
    it(`goes its way by itself for the recipient ${to_name}`, async () => {
      const { letter_id } = await client.send({ to_name });
      await until(async () => done(await client.letter(letter_id)));
      const letter = await client.letter(letter_id);
      expect(letter).to.deep.include(expected);
      expect(letter.timeline.filter((step) => 'inferred' in step)).to.deep.equal([]);
      const { tracking_number: number } = letter.tracking;
      expect(number === null).to.equal(letter.status === 'failed');
      if (letter.status === 'failed') {
        expect(letter.failure).to.include({ code: 'print_failure', stage: 'print' });
        await until(async () => (await client.balance()).available === 100);
      }
    });
  }

  it('renders letters and prints none', async () => {
    const { letter_id } = await client.send({ reference: 'kept, not printed 😀' });
    await client.advance(letter_id);
    const folder = join(api.service().dataDir, 'simulator');
    await until(
      async () =>
        existsSync(folder) && (await readdir(folder)).some((name) => name === `${letter_id}.pdf`),
    );
    const outbox = join(api.service().dataDir, 'outbox');
    const files = existsSync(outbox) ? await readdir(outbox) : [];
    expect(files.filter((name) => !name.startsWith('.'))).to.deep.equal([]);
  });

  it('says so in every answer about a letter or money', async () => {
    const sent = await client.send();
    expect(sent.test).to.equal(true);
    const paths = ['letters', 'track', 'proof'].map((name) => `/api/${name}/${sent.letter_id}`);
    for (const path of [...paths, '/api/balance']) {
      expect((await client.get<{ test: boolean }>(path)).body.test, path).to.equal(true);
    }
  });
});
