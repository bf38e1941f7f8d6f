import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import {
  clientOf,
  expectProblem,
  type Letter,
  letterTo,
  recipientIn,
  until,
} from '../support/client.ts';
import { createMovedClock } from '../support/moved-clock.ts';
import { startTestService, type TestService } from '../support/service.ts';

describe('a send date', function () {
  this.timeout(180_000);
  const time = createMovedClock('2026-10-26T12:00:00Z');
  let service: TestService;
  before(async () => {
    service = await startTestService({ LIMIT_EXCHANGE_RATE_DAYS: '1000' }, { clock: time.clock });
  });
  after(() => service.stop());
  const { register } = clientOf(() => service);
  type Client = Awaited<ReturnType<typeof register>>;

  const printedDay = async ({ key }: Client, letterId: string): Promise<string | undefined> => {
    const answer = await fetch(`${service.url}/api/letters/${letterId}/document.pdf`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    const input = Buffer.from(await answer.arrayBuffer());
    const text = execFileSync('pdftotext', ['-layout', '-', '-'], { input }).toString();
    return /October \d+, 2026/.exec(text)?.[0];
  };

  it('counts in the country that the letter goes to, also after a change', async () => {
    time.moveTo('2026-10-26T12:00:00Z');
    const client = await register();
    const [sent, stays] = [
      await client.send(letterTo('DE', { send_date: '2026-10-28', language: 'en' })),
      await client.send(letterTo('DE', { send_date: '2026-10-28' })),
    ];
    const path = `/api/letters/${sent.letter_id}`;
    const moved = await client.patch<Letter>(path, recipientIn('US'));
    expect(moved.status, moved.text).to.equal(200);
    const inNewYork = '2026-10-28T04:00:00.000Z';
    expect(moved.body).to.include({ cancellable_until: inNewYork, send_date: '2026-10-28' });
    const direct = await client.send(letterTo('US', { send_date: '2026-10-28' }));
    expect(moved.body.expected_delivery).to.deep.equal(direct.expected_delivery);
    // Eight in the evening of the day before, in New York.
    time.moveTo('2026-10-28T00:05:00Z');
    await until(async () => (await client.letter(stays.letter_id)).status !== 'queued');
    const waiting = await client.letter(sent.letter_id);
    expect(waiting).to.include({ status: 'queued', cancellable_until: inNewYork });
    expect(await printedDay(client, sent.letter_id)).to.equal('October 28, 2026');
    time.moveTo('2026-10-28T04:05:00Z');
    await until(async () => (await client.letter(sent.letter_id)).status !== 'queued');
  });

  it('can be today where the letter goes: nine in the evening in New York', async () => {
    time.moveTo('2026-10-29T01:00:00Z');
    const client = await register();
    for (const draft of [false, true]) {
      const today = letterTo('US', { send_date: '2026-10-28', draft });
      expect((await client.post('/api/quote', today)).status).to.equal(200);
      const { letter_id } = await client.send(today);
      if (draft) await client.post('/api/send', { letter_id });
      const letter = await client.letter(letter_id);
      expect(letter).to.include({ status: 'queued', send_date: '2026-10-28' });
      const minutes = (Date.parse(letter.cancellable_until ?? '') - time.clock()) / 60_000;
      expect(minutes).to.be.within(0, 5);
      expect(await printedDay(client, letter_id)).to.equal('October 28, 2026');
    }
    for (const wrong of [
      letterTo('US', { send_date: '2026-10-27' }),
      letterTo('DE', { send_date: '2026-10-28' }),
      letterTo('US', { send_date: '2027-04-28' }),
    ]) {
      const answer = await client.post('/api/send', wrong);
      expectProblem(answer, 422, 'validation_failed', '/send_date');
    }
    await client.send(letterTo('US', { send_date: '2027-04-27' }));
  });
});
