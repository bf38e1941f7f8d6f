import { expect } from 'chai';
import { type KafkaBroker, prepareKafka, startKafka } from '../support/kafka-broker.ts';
import { followTopic, requireKafka } from '../support/kafka-topic.ts';
import { call } from '../support/letter-client.ts';
import {
  type OtlpCollector,
  type ReceivedSpan,
  startOtlpCollector,
} from '../support/otlp-collector.ts';
import { createPlainTextSearch } from '../support/plain-text-search.ts';
import {
  atRest,
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

/** Words that stand in letters, settings and keys, and nowhere else. */
const plants = {
  name: 'Quillfeather',
  line: 'Brambleway',
  city: 'Thistleford',
  sender: 'Oxenbridge',
  text: 'Marzipanfriede',
  reference: 'Zimtsternref',
  email: 'wacholderpost',
  hook: 'hagebuttenhook',
  query: 'schlehensuche',
};

const letter = (more: object = {}) => ({
  to_name: `Ada ${plants.name}`,
  to_line1: `${plants.line} 12`,
  to_city: plants.city,
  to_postal_code: '10557',
  to_country: 'DE',
  from_name: `Bob ${plants.sender}`,
  from_line1: 'Hauptstr. 1',
  from_city: 'Hamburg',
  from_postal_code: '20095',
  from_country: 'DE',
  service: 'de_standardbrief',
  content: `Liebe Ada, ${plants.text}.`,
  reference: plants.reference,
  ...more,
});

const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerSpan = 'b7ad6b7169203331';
/** The caller does not record its own trace; whether it is recorded here is decided here. */
const traceparent = `00-${traceId}-${callerSpan}-00`;

describe('the spans of a letter', function () {
  this.timeout(240_000);
  this.bail(true);
  const { dataDir, remove } = makeDataDir();
  let collector: OtlpCollector;
  let smtp: TestSmtpServer;
  let receiver: WebhookReceiver;
  let broker: KafkaBroker | undefined;
  let service: ServiceProcess;
  let key = '';
  let letterId = '';

  before(async function () {
    this.timeout(330_000);
    collector = await startOtlpCollector();
    smtp = await startSmtpServer();
    receiver = await startWebhookReceiver();
    if ((await prepareKafka()) === undefined) broker = await startKafka();
    service = spawnService(await freePort(), dataDir, {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/base/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-token=of%20the%20collector',
      OTEL_SERVICE_NAME: 'post-office',
      ALLOW_PRIVATE_FETCH: 'true',
      CANCELLATION_WINDOW_SECONDS: '0',
      BACKGROUND_PROCESS: 'true',
      SMTP_URL: smtp.url,
      MAIL_FROM: 'letters@example.com',
      ...(broker ? { KAFKA_BROKERS: broker.brokers.join() } : {}),
    });
    await service.ready().catch(() => service.ready());
  });
  after(async () => {
    await killLeftovers();
    await broker?.stop();
    await receiver.stop();
    await smtp.stop();
    await collector.stop();
    await remove();
  });

  const spans = (name: string, test: (span: ReceivedSpan) => boolean = () => true) =>
    collector.spans.filter((span) => span.name === name && test(span));
  const found = (name: string, test?: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> =>
    eventually(`there is a span ${name}`, () => spans(name, test)[0], 30_000);
  const isLinked = ({ links }: ReceivedSpan): boolean =>
    links.some((link) => link.traceId === traceId);

  it('are sent to the collector that is configured, with its headers', async () => {
    const account = await call(service.url, 'POST', '/auth/register', {
      body: { email: `${plants.email}@example.com`, mode: 'test' },
    });
    key = String(account.body.api_key);
    const settings = { webhook_url: `${receiver.url}?${plants.hook}` };
    await call(service.url, 'PUT', '/api/settings', { key, body: settings });
    await found('POST /auth/register');
    const [{ path, headers } = { path: '', headers: {} }] = collector.requests;
    expect(path).to.equal('/base/v1/traces');
    expect(headers).to.include({ 'x-token': 'of the collector' });
    expect(collector.text()).to.include('post-office');
  });

  it('put request, command and append in the trace of the caller', async () => {
    const headers = {
      traceparent,
      tracestate: `secret=${plants.query}`,
      baggage: `name=${plants.name}`,
      'Idempotency-Key': 'traced',
    };
    const sent = await call(service.url, 'POST', '/api/send', { key, body: letter(), headers });
    expect(sent.status).to.equal(201);
    letterId = String(sent.body.letter_id);
    const request = await found('POST /api/send', (span) => span.traceId === traceId);
    expect(request.parentId).to.equal(callerSpan);
    expect(request.attributes).to.include({
      'http.request.method': 'POST',
      'http.route': '/api/send',
      'http.response.status_code': 201,
    });
    const command = await found('command wallet', (span) => span.parentId === request.spanId);
    const append = await found('append', (span) => span.parentId === command.spanId);
    expect([command.traceId, append.traceId]).to.deep.equal([traceId, traceId]);
  });

  it('link read models, credentials, webhooks and print to that trace', async () => {
    await found('follow projections', isLinked);
    await found('follow issue-credentials', isLinked);
    await found('webhook.attempt', isLinked);
    const print = await found('print.submit', isLinked);
    expect(print.attributes).to.include({ 'letters.letter_id': letterId, 'letters.pages': 1 });
    // These spans are not parts of it: they come later, for many letters at once.
    const parts = new Set(collector.spans.filter((one) => one.traceId === traceId));
    for (const { name } of parts) expect(name).to.not.match(/^(follow|react|job|webhook|print)/);
  });

  it('link a job to the span that added it', async () => {
    const job = await found('job deliver', ({ links }) => links.length > 0);
    const ids = new Set(job.links.map(({ spanId }) => spanId));
    await eventually('the linked span has come', () =>
      collector.spans.some(({ spanId, name }) => ids.has(spanId) && name.startsWith('follow')),
    );
  });

  it('go with each message to Kafka, as a header', async function () {
    await requireKafka(this);
    const reader = await followTopic(broker as KafkaBroker, 'letters.events');
    const queued = await eventually('the letter is published', () =>
      reader.received.find(({ event }) => event.subject === `letter-${letterId}`),
    );
    await reader.stop();
    expect(queued.headers.traceparent).to.match(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    expect(JSON.stringify(queued.event)).to.not.include(traceId);
  });

  it('are left out of events, credentials and webhooks', async () => {
    const { body } = await call(service.url, 'GET', `/api/letters/${letterId}/audit`, { key });
    expect(JSON.stringify(body)).to.not.include(traceId);
    expect(receiver.received.map(({ text }) => text).join()).to.not.include(traceId);
  });

  it('begin a trace of their own when the caller sends something else', async () => {
    for (const sent of ['00-0-0-01', `00-${'0'.repeat(32)}-${callerSpan}-01`, plants.query]) {
      const headers = { traceparent: sent };
      const { status } = await call(service.url, 'GET', '/api/letters', { key, headers });
      expect(status).to.equal(200);
    }
    await eventually('all have come', () => spans('GET /api/letters').length >= 3);
    for (const span of spans('GET /api/letters')) expect(span.parentId).to.equal('');
  });

  it('hold nothing personal and no secret', async () => {
    const paths = [
      `/api/letters?reference=${plants.reference}`,
      `/${plants.query}?q=${plants.query}`,
      `/api/letters/${letterId}`,
    ];
    for (const path of paths) await call(service.url, 'GET', path, { key });
    const refused = [
      letter({ to_postal_code: plants.query }),
      letter({ [plants.query]: plants.query }),
      letter({ document_url: `${receiver.url}/${plants.query}`, content: undefined }),
    ];
    for (const body of refused) {
      const { status } = await call(service.url, 'POST', '/api/send', { key, body });
      expect(status).to.be.within(400, 499);
    }
    await call(service.url, 'POST', '/auth/register', {
      body: { email: `${plants.email}@example.com`, mode: 'test' },
    });
    await call(service.url, 'GET', '/api/letters', { key: `lk_test_${plants.query}` });
    await atRest(service.url);
    expect(await service.terminate()).to.include({ code: 0 });
    const names = new Set(collector.spans.map(({ name }) => name));
    expect([...names]).to.include.members(['GET', 'POST /api/send', 'job mail']);
    const words = [...Object.values(plants), key.slice(-20), 'smtp://', 'hook'];
    const search = createPlainTextSearch(words.filter((word) => /^[A-Za-z0-9]{6,}$/.test(word)));
    expect(search.findIn(Buffer.from(collector.text(), 'latin1'), 'spans')).to.deep.equal([]);
    for (const word of [receiver.url, smtp.url, key]) expect(collector.text()).to.not.include(word);
  });
});
