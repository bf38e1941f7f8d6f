import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { handOverTime } from '../../postal/hand-over.ts';
import {
  clientOf,
  expectProblem,
  type Letter,
  letterTo,
  type PageOf,
  type ProofJson,
  type Tracked,
  until,
} from '../support/client.ts';
import { creditWallet } from '../support/foundation.ts';
import { houseSecret, type PrintHouse, startPrintHouse } from '../support/print-house.ts';
import { startTestService, type TestService } from '../support/service.ts';

type Health = { status: string; reactors: { name: string; failing: number; parked: number }[] };
type Taken = { job_id: string; changed: boolean };
type Note = { type: string };

/** The service, its print house, and a live account with money. */
const useHouse = (env: Record<string, string>, printAfterMs?: () => number) => {
  let house: PrintHouse;
  let service: TestService;
  const api = clientOf(() => service);
  before(async () => {
    house = await startPrintHouse(printAfterMs ? { printAfterMs } : {});
    service = await startTestService({ ...house.env, CANCELLATION_WINDOW_SECONDS: '0', ...env });
  });
  after(async () => {
    await service?.stop();
    await house?.stop();
  });
  const register = async () => {
    const client = await api.register('live');
    await creditWallet(
      service.service.foundation.commands,
      client.account.account_id,
      1_000_000_000n,
    );
    await until(async () => (await client.balance()).available === 1_000);
    return client;
  };
  const report = async (body: object, more: Parameters<PrintHouse['sign']>[1] = {}) =>
    api.call<Taken>('POST', '/partner/events', undefined, house.sign(body, more));
  return { ...api, house: () => house, register, tester: () => api.register('test'), report };
};

type Client = Awaited<ReturnType<ReturnType<typeof useHouse>['register']>>;

const reaches = (client: Client, letterId: string, status: string): Promise<void> =>
  until(async () => (await client.letter(letterId)).status === status);
const isWithPartner = (client: Client, letterId: string): Promise<void> =>
  until(async () => (await client.letter(letterId)).production?.state === 'with_partner');
const cancelOf = (client: Client, letterId: string) =>
  client.post<Letter>(`/api/letters/${letterId}/cancel`);

describe('a print house over HTTP, from send to delivery', function () {
  this.timeout(180_000);
  const api = useHouse({});
  let client: Client;
  before(async () => {
    client = await api.register();
  });
  afterEach(() => {
    Object.assign(api.house(), {
      mood: 'work',
      moodFor: /./,
      recalls: 'honest',
      refuses: undefined,
    });
  });

  const inProduction = async (body: object = {}) => {
    const sent = await client.send(body);
    await isWithPartner(client, sent.letter_id);
    return sent;
  };

  it('gets ticket and PDF once, and its reports move the letter to delivery', async () => {
    const { letter_id: id } = await inProduction({ service: 'de_einschreiben' });
    const job = api.house().jobs.get(id);
    expect(job?.submissions).to.equal(1);
    expect(job?.pdf.subarray(0, 5).toString()).to.equal('%PDF-');
    expect(job?.ticket).to.deep.include({
      job_id: id,
      letter_id: id,
      test: false,
      service: 'de_einschreiben',
      country: 'DE',
      page_format: 'A4',
      pdf_sha256: createHash('sha256')
        .update(job?.pdf ?? '')
        .digest('hex'),
    });
    const posted = await api.report({
      job_id: id,
      status: 'posted',
      tracking_number: 'RR 123456785 DE',
    });
    expect(posted.body).to.deep.equal({ job_id: id, changed: true });
    await api.report({ job_id: id, status: 'in_transit', source: 'carrier' });
    const signed = { job_id: id, status: 'delivered', source: 'carrier', evidence: 'signature' };
    expect((await api.report(signed)).body.changed).to.equal(true);
    await reaches(client, id, 'delivered');
    const { body } = await client.get<Tracked>(`/api/track/${id}`);
    expect(body).to.include({
      tracking_number: 'RR123456785DE',
      evidence: 'signature',
      delivery_outcome: 'delivered',
    });
    expect(body.events.map(({ status, source }) => `${status} ${source}`)).to.deep.equal([
      'queued api',
      'processing partner',
      'posted partner',
      'in_transit carrier',
      'delivered carrier',
    ]);
    expect((await client.letter(id)).production).to.equal(null);
  });

  it('may say when something happened: tracking shows both times, and the proof that one', async () => {
    const { letter_id: id } = await inProduction();
    const [posted, delivered] = [new Date().toISOString(), new Date().toISOString()];
    await api.report({ job_id: id, status: 'posted', occurred_at: posted });
    await api.report({
      job_id: id,
      status: 'delivered',
      evidence: 'carrier_scan',
      source: 'carrier',
      occurred_at: delivered,
    });
    await reaches(client, id, 'delivered');
    const { events } = (await client.get<Tracked>(`/api/track/${id}`)).body;
    const happened = ['posted', 'in_transit', 'delivered'].map(
      (status) => events.find((event) => event.status === status)?.occurred_at,
    );
    expect(happened).to.deep.equal([posted, undefined, delivered]);
    const { timeline } = await client.letter(id);
    expect(timeline.at(-1)?.occurred_at).to.equal(delivered);
    const proof = (await client.get<ProofJson>(`/api/proof/${id}`)).body;
    expect(proof).to.include({ posted_at: posted, delivered_at: delivered });
  });

  it('may tell the tracking number later, and correct it', async () => {
    const sent = await client.post<{ letter_id: string }>(
      '/api/send',
      letterTo('FR', { service: 'fr_lettre_suivie' }),
    );
    const id = sent.body.letter_id;
    await isWithPartner(client, id);
    await api.report({ job_id: id, status: 'posted' });
    const number = async () => (await client.get<Tracked>(`/api/track/${id}`)).body.tracking_number;
    await reaches(client, id, 'posted');
    expect(await number()).to.equal(null);
    const first = { job_id: id, status: 'tracking_number', tracking_number: '6M20132968235' };
    expect((await api.report(first, { id: 'evt_first' })).body.changed).to.equal(true);
    await api.report({ ...first, tracking_number: '6A15602676300' });
    await until(async () => (await number()) === '6A15602676300');
    expect((await api.report(first, { id: 'evt_first' })).body.changed).to.equal(false);
    expect(await number()).to.equal('6A15602676300');
  });

  it('may report in any order and again: what is late changes nothing', async () => {
    const { letter_id: id } = await inProduction();
    expect((await api.report({ job_id: id, status: 'in_transit' })).body.changed).to.equal(true);
    for (const status of ['posted', 'in_transit', 'posted']) {
      const again = await api.report({ job_id: id, status });
      expect([again.status, again.body.changed]).to.deep.equal([200, false]);
    }
    const { timeline } = await client.letter(id);
    expect(timeline.map(({ status, inferred }) => [status, inferred ?? false])).to.deep.equal([
      ['queued', false],
      ['processing', false],
      ['posted', true],
      ['in_transit', false],
    ]);
    const proof = (await client.get<ProofJson>(`/api/proof/${id}`)).body;
    expect(proof.posted_at).to.equal(null);
    const { events } = (await client.get<Tracked>(`/api/track/${id}`)).body;
    expect(events.map(({ inferred }) => inferred ?? false)).to.deep.equal([
      ...[false, false, true, false],
    ]);
  });

  it('may report that a letter came back', async () => {
    for (const status of ['returned', 'undeliverable']) {
      const { letter_id: id } = await inProduction();
      await api.report({ job_id: id, status: 'posted' });
      await api.report({ job_id: id, status });
      await until(async () => (await client.letter(id)).delivery_outcome === 'returned');
      expect((await client.letter(id)).status).to.equal('posted');
      const late = { job_id: id, status: 'delivered', evidence: 'carrier_scan' };
      expect((await api.report(late)).body.changed).to.equal(false);
    }
  });

  it('may fail or refuse a letter, which is paid back once', async () => {
    const before = (await client.balance()).available;
    const { letter_id: failed } = await inProduction();
    await api.report({ job_id: failed, status: 'failed', reason: 'paper_jam' });
    await api.report({ job_id: failed, status: 'failed', reason: 'paper_jam' });
    await reaches(client, failed, 'failed');
    expect((await client.letter(failed)).failure).to.include({ code: 'paper_jam', stage: 'print' });
    api.house().refuses = 'window_blocked';
    const { letter_id: refused } = await client.send();
    await reaches(client, refused, 'failed');
    expect((await client.letter(refused)).failure).to.include({
      code: 'window_blocked',
      stage: 'submit',
    });
    await until(async () => (await client.balance()).available === before);
  });

  it('that is down keeps letters waiting, visibly, and prints them once when it is back', async () => {
    const house = api.house();
    await house.goDown();
    const sent = await Promise.all([1, 2, 3].map(() => client.send()));
    const ids = sent.map(({ letter_id }) => letter_id);
    for (const id of ids) {
      await until(
        async () => (await client.letter(id)).production?.state === 'waiting_for_partner',
      );
    }
    const health = async () => (await api.call<Health>('GET', '/health')).body;
    await until(async () => {
      const { status, reactors } = await health();
      const failing = reactors.find(({ name }) => name === 'produce-letters')?.failing ?? 0;
      return status === 'degraded' && failing >= 3;
    });
    await house.comeBack();
    for (const id of ids) await until(() => isWithPartner(client, id).then(() => true));
    expect(ids.map((id) => house.jobs.get(id)?.submissions)).to.deep.equal([1, 1, 1]);
    await until(async () => (await health()).status === 'ok');
  });

  it('that loses an answer has one job all the same', async () => {
    const house = api.house();
    house.moodFor = /\/jobs$/;
    for (const mood of ['obey-and-drop', 'obey-and-fail'] as const) {
      house.mood = mood;
      const { letter_id: id } = await inProduction();
      expect(house.jobs.get(id)?.submissions).to.equal(1);
    }
  });

  describe('asked for a letter back', () => {
    const notes = async (id: string): Promise<string[]> =>
      (await client.get<PageOf<Note>>(`/api/notifications?letter_id=${id}`)).body.data.map(
        ({ type }) => type,
      );

    it('gives it back: cancelled, refunded once, never printed', async () => {
      const before = (await client.balance()).available;
      const { letter_id: id } = await inProduction();
      const asked = await cancelOf(client, id);
      expect(asked.status, asked.text).to.equal(202);
      expect(asked.body.cancellation).to.include({ status: 'requested' });
      await reaches(client, id, 'cancelled');
      expect((await client.letter(id)).cancellation).to.include({ status: 'accepted' });
      await until(async () => (await client.balance()).available === before);
      api.house().print(id);
      expect(api.house().printed).not.to.include(id);
      expect(await notes(id)).to.include('letter.cancelled');
      expect((await cancelOf(client, id)).status).to.equal(200);
    });

    it('refuses what it has printed, and says why', async () => {
      const { letter_id: id } = await inProduction();
      const paid = (await client.balance()).available;
      api.house().print(id);
      await cancelOf(client, id);
      await until(async () => (await client.letter(id)).cancellation?.status === 'rejected');
      const letter = await client.letter(id);
      expect(letter.cancellation).to.include({ reason: 'printed_already' });
      expect(letter.status).to.equal('processing');
      expect(await notes(id)).to.include('letter.cancellation_rejected');
      expect((await client.balance()).available).to.equal(paid);
    });

    it('may answer later, either way', async () => {
      api.house().recalls = 'pending';
      for (const [status, expected] of [
        ['recall_accepted', 'accepted'],
        ['recall_rejected', 'rejected'],
      ] as const) {
        const { letter_id: id } = await inProduction();
        await cancelOf(client, id);
        await until(async () => api.house().callsTo(new RegExp(`${id}/recall`)) === 1);
        expect((await client.letter(id)).cancellation).to.include({ status: 'requested' });
        expect((await api.report({ job_id: id, status })).body.changed).to.equal(true);
        expect((await api.report({ job_id: id, status })).body.changed).to.equal(false);
        await until(async () => (await client.letter(id)).cancellation?.status === expected);
      }
    });

    it('and posting it instead, says that it was too late', async () => {
      api.house().recalls = 'pending';
      const { letter_id: id } = await inProduction();
      await cancelOf(client, id);
      await api.report({ job_id: id, status: 'posted' });
      await reaches(client, id, 'posted');
      const { cancellation } = await client.letter(id);
      expect(cancellation).to.include({ status: 'rejected', reason: 'posted' });
    });

    it('while it is down takes it back when it is up again, without having had it', async () => {
      const house = api.house();
      const before = (await client.balance()).available;
      await house.goDown();
      const { letter_id: id } = await client.send();
      await until(
        async () => (await client.letter(id)).production?.state === 'waiting_for_partner',
      );
      expect((await cancelOf(client, id)).status).to.equal(202);
      await house.comeBack();
      await until(async () => (await client.letter(id)).status === 'cancelled');
      await until(async () => (await client.balance()).available === before);
      expect(house.jobs.get(id)).to.include({ state: 'recalled', submissions: 0 });
    });
  });

  describe('POST /partner/events', () => {
    let id: string;
    before(async () => {
      id = (await inProduction({ service: 'de_einschreiben' })).letter_id;
    });
    const send = (headers: Record<string, string>, raw: string) =>
      api.call('POST', '/partner/events', undefined, { headers, raw });
    const isUntouched = async () => {
      expect((await client.letter(id)).status).to.equal('processing');
    };

    it('takes nothing that is not signed by the print house, now, over these bytes', async () => {
      const right = { job_id: id, status: 'posted' };
      const { headers, raw } = api.house().sign(right);
      const minutes = (n: number) => new Date(Date.now() + n * 60_000);
      const another = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
      const wrong: [Record<string, string>, string, string][] = [
        [{}, raw, 'headers_missing'],
        [{ ...headers, 'webhook-signature': '' }, raw, 'headers_missing'],
        [{ ...headers, 'webhook-id': 'a.b' }, raw, 'headers_malformed'],
        [{ ...headers, 'webhook-timestamp': 'now' }, raw, 'headers_malformed'],
        [{ ...headers, 'webhook-signature': 'v1,AAAA' }, raw, 'signature_wrong'],
        [{ ...headers, 'webhook-id': 'evt_other' }, raw, 'signature_wrong'],
        [headers, raw.replace('posted', 'failed'), 'signature_wrong'],
        [headers, `${raw} `, 'signature_wrong'],
        [api.house().sign(right, { secret: another }).headers, raw, 'signature_wrong'],
        [api.house().sign(right, { at: minutes(-6) }).headers, raw, 'timestamp_too_old'],
        [api.house().sign(right, { at: minutes(6) }).headers, raw, 'timestamp_too_new'],
      ];
      for (const [given, body, reason] of wrong) {
        const refused = expectProblem(await send(given, body), 401, 'partner_signature_invalid');
        expect(refused).to.include({ reason });
        expect(JSON.stringify(refused)).not.to.include(houseSecret);
      }
      await isUntouched();
    });

    it('says nothing of the content to who cannot sign', async () => {
      for (const raw of ['{"job_id":1}', '[]', '{}']) {
        expectProblem(await send({}, raw), 401, 'partner_signature_invalid');
      }
    });

    it('knows only jobs that are at the print house', async () => {
      const tester = await api.tester();
      const tested = (await tester.send()).letter_id;
      await until(async () => (await tester.letter(tested)).production?.state === 'with_partner');
      const draft = (await client.send({ draft: true })).letter_id;
      for (const job_id of [randomUUID(), draft, tested]) {
        const answer = await api.report({ job_id, status: 'posted' });
        expectProblem(answer, 404, 'job_not_found');
      }
    });

    const wrong: [object, string][] = [
      [{ status: 'printed' }, '/status'],
      [{ status: 'delivered' }, '/evidence'],
      [{ status: 'delivered', evidence: 'simulated' }, '/evidence'],
      [{ status: 'posted', evidence: 'signature' }, '/evidence'],
      [{ status: 'tracking_number' }, '/tracking_number'],
      [{ status: 'posted', tracking_number: 'RR123456784DE' }, '/tracking_number'],
      [{ status: 'posted', tracking_number: '6M20132968235' }, '/tracking_number'],
      [{ status: 'posted', tracking_number: '' }, '/tracking_number'],
      [{ status: 'returned', reason: 'Erika moved' }, '/reason'],
      [{ status: 'posted', reason: 'because' }, '/reason'],
      [{ status: 'posted', source: 'simulator' }, '/source'],
      [{ status: 'posted', price: 0 }, '/price'],
      [{ status: 'posted', job_id: 'x' }, '/job_id'],
      [{ status: 'posted', job_id: 7 }, '/job_id'],
    ];
    for (const [content, pointer] of wrong) {
      it(`refuses ${JSON.stringify(content)}`, async () => {
        const answer = await api.report({ job_id: id, ...content });
        expectProblem(answer, 422, 'validation_failed', pointer);
        await isUntouched();
      });
    }

    it('refuses what is not JSON, or not declared as such', async () => {
      const { headers } = api.house().sign({});
      expectProblem(await send(headers, '{"job_id":'), 400, 'invalid_json');
      const plain = { ...headers, 'Content-Type': 'text/plain' };
      expectProblem(await send(plain, 'posted'), 415, 'unsupported_media_type');
      expectProblem(await send(headers, `"${'x'.repeat(3_000_000)}"`), 413, 'body_too_large');
    });

    it('answers a report that is sent again 200, and does it once', async () => {
      const news = { job_id: id, status: 'posted', tracking_number: 'RR123456785DE' };
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => api.report(news, { id: 'evt_same' })),
      );
      for (const { status } of answers) expect(status).to.equal(200);
      expect(answers.filter(({ body }) => body.changed)).to.have.length(1);
      const again = await api.report(news, { id: 'evt_same' });
      expect(again.body).to.deep.equal({ job_id: id, changed: false });
    });
  });
});

describe('cancelling at the moment of hand-over', function () {
  this.timeout(180_000);
  const api = useHouse({}, () => Math.random() * 150);

  it('prints or pays back each letter, never both, never neither', async () => {
    const client = await api.register();
    const letters = await Promise.all(
      Array.from({ length: 80 }, async (_, n) => {
        await delay(n * 15);
        const { letter_id: id, price } = await client.send();
        // One is cancelled at once and one when it is printed, so that both ends are met
        if (n === 1) await until(async () => api.house().printed.includes(id));
        else if (n > 0) await delay(Math.random() * 1_600);
        const answer = await cancelOf(client, id);
        expect(answer.status, answer.text).to.be.oneOf([200, 202]);
        return { id, cents: Math.round(price.total * 100) };
      }),
    );
    const house = api.house();
    const isOver = async (id: string): Promise<boolean> => {
      const { status, cancellation } = await client.letter(id);
      return status === 'cancelled' || cancellation?.status === 'rejected';
    };
    for (const { id } of letters) await until(() => isOver(id));
    await until(async () => [...house.jobs.values()].every(({ state }) => state !== 'accepted'));
    let spent = 0;
    for (const { id, cents } of letters) {
      const cancelled = (await client.letter(id)).status === 'cancelled';
      const copies = house.printed.filter((printed) => printed === id).length;
      expect(copies, `${id} cancelled: ${cancelled}`).to.equal(cancelled ? 0 : 1);
      if (!cancelled) spent += cents;
    }
    await until(async () => {
      const { balance, held } = await client.balance();
      return Math.round(balance * 100) === 100_000 - spent && held === 0;
    });
    const printed = new Set(house.printed).size;
    expect(printed).to.be.within(1, letters.length - 1);
  });
});

describe('the hours of the print house', function () {
  this.timeout(180_000);
  const api = useHouse({ PRINT_HANDOVER: 'business-hours', PRINT_CUT_OFF: '00:01' });

  it('keep a live letter queued and cancellable until they begin, and say when that is', async () => {
    const client = await api.register();
    const before = Date.now();
    const sent = await client.send();
    const opens = handOverTime('DE', before, { cutOffMinutes: 1 });
    expect(sent).to.include({ status: 'queued', cancellable_until: new Date(opens).toISOString() });
    const day = new Date(opens).toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' });
    expect(sent.expected_delivery.earliest > day).to.equal(true);
    // A test letter that was sent later goes at once: the release has passed the live one
    const simulated = await api.tester();
    const { letter_id: testId } = await simulated.send();
    await until(async () => (await simulated.letter(testId)).production?.state === 'with_partner');
    expect((await client.letter(sent.letter_id)).status).to.equal('queued');
    expect(api.house().calls).to.deep.equal([]);
    expect((await cancelOf(client, sent.letter_id)).status).to.equal(200);
    expect((await client.balance()).available).to.equal(1_000);
  });
});

describe('a print house that is down for long', function () {
  this.timeout(180_000);
  const api = useHouse({ LIMIT_WAITING_PRINT_JOBS: '2' });

  it('leaves what comes later queued, and test letters alone', async () => {
    const [client, tester] = [await api.register(), await api.tester()];
    const house = api.house();
    await house.goDown();
    const first = [await client.send(), await client.send()];
    await until(async () => {
      const { reactors } = (await api.call<Health>('GET', '/health')).body;
      const produce = reactors.find(({ name }) => name === 'produce-letters');
      // After some tries a stream is put aside.
      return produce !== undefined && produce.failing + produce.parked === 2;
    });
    const later = [await client.send(), await client.send()];
    const { letter_id: test } = await tester.send();
    await until(async () => (await tester.letter(test)).production?.state === 'with_partner');
    for (const { letter_id: id } of later) {
      expect((await client.letter(id)).status).to.equal('queued');
    }
    const [kept, given] = later.map(({ letter_id }) => letter_id);
    expect((await cancelOf(client, given ?? '')).status).to.equal(200);
    await house.comeBack();
    for (const id of [...first.map(({ letter_id }) => letter_id), kept ?? '']) {
      await until(async () => (await client.letter(id)).production?.state === 'with_partner');
      expect(house.jobs.get(id)?.submissions).to.equal(1);
    }
    expect(house.jobs.size).to.equal(3);
  });
});

describe('a hotfolder print house', function () {
  this.timeout(180_000);
  let service: TestService;
  const api = clientOf(() => service);
  let client: Client;
  before(async () => {
    service = await startTestService({ CANCELLATION_WINDOW_SECONDS: '0' });
    client = await api.register('live');
    await creditWallet(service.service.foundation.commands, client.account.account_id, 10_000_000n);
    await until(async () => (await client.balance()).available === 10);
  });
  after(() => service?.stop());
  const place = (...names: string[]): string => join(service.dataDir, ...names);

  it('loses a letter that is cancelled before it takes it, and keeps one that it has taken', async () => {
    const { letter_id: back } = await client.send();
    await isWithPartner(client, back);
    expect(existsSync(place('outbox', `${back}.json`))).to.equal(true);
    expect((await cancelOf(client, back)).status).to.equal(202);
    await reaches(client, back, 'cancelled');
    expect(existsSync(place('outbox', `${back}.json`))).to.equal(false);
    expect(existsSync(place('outbox', `${back}.pdf`))).to.equal(false);
    await until(async () => (await client.balance()).available === 10);

    const { letter_id: taken, price } = await client.send();
    await isWithPartner(client, taken);
    await rename(place('outbox', `${taken}.json`), place(`${taken}.json`));
    await cancelOf(client, taken);
    await until(async () => (await client.letter(taken)).cancellation?.status === 'rejected');
    await writeFile(
      place('inbox', 'a.json'),
      JSON.stringify({ job_id: taken, status: 'posted', tracking_number: 'RR123456785DE' }),
    );
    await until(async () => existsSync(place('inbox', 'done', 'a.json')));
    await reaches(client, taken, 'posted');
    expect((await client.balance()).available).to.equal(Number((10 - price.total).toFixed(2)));
  });

  it('finds no ticket any more of a letter that it reported as failed, which was paid back', async () => {
    const before = (await client.balance()).available;
    const { letter_id: id } = await client.send();
    await isWithPartner(client, id);
    const report = { job_id: id, status: 'failed', reason: 'out_of_paper' };
    await writeFile(place('inbox', 'b.json'), JSON.stringify(report));
    await reaches(client, id, 'failed');
    for (const name of [`${id}.json`, `${id}.pdf`])
      await until(async () => !existsSync(place('outbox', name)));
    await until(async () => (await client.balance()).available === before);
  });

  it('has no way in over HTTP without a secret', async () => {
    const answer = await api.call('POST', '/partner/events', { status: 'posted' });
    expectProblem(answer, 404, 'not_found');
  });
});
