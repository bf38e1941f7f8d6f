/** The service of a soak, and what it talks to: each over a real socket. */
import { startEventStoreDbServer } from '../support/eventstoredb-server.ts';
import { startChain } from '../support/evm/chain.ts';
import { payTo, x402Settings } from '../support/evm/x402.ts';
import { prepareKafka, startKafka } from '../support/kafka-broker.ts';
import { followTopic } from '../support/kafka-topic.ts';
import { startLnd } from '../support/lnd-server.ts';
import { startPrintHouse } from '../support/print-house.ts';
import { freePort, makeDataDir, spawnService } from '../support/service-process.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { startStripe } from '../support/stripe-server.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const payerCount = 6;
const payerMicro = 5_000_000_000n;

const startOutside = async (store: 'postgres' | 'eventstoredb') => {
  const printAfterMs = (): number => 500 + Math.random() * 8_000;
  const kafkaIsMissing = await prepareKafka();
  const [house, smtp, stripe, lnd, receiver, chain, kafka, eventStore] = await Promise.all([
    startPrintHouse({ printAfterMs }),
    startSmtpServer(),
    startStripe(),
    startLnd(),
    startWebhookReceiver(),
    startChain({ blockSeconds: 1 }),
    kafkaIsMissing === undefined ? startKafka() : undefined,
    store === 'eventstoredb' ? startEventStoreDbServer() : undefined,
  ]);
  return { house, smtp, stripe, lnd, receiver, chain, kafka, kafkaIsMissing, eventStore };
};

type Outside = Awaited<ReturnType<typeof startOutside>>;

const settingsOf = async (outside: Outside, baseUrl: string): Promise<Record<string, string>> => {
  const { house, smtp, stripe, lnd, chain, kafka, eventStore } = outside;
  return {
    ...(await x402Settings(chain)),
    ...house.env,
    ...stripe.env,
    BASE_URL: baseUrl,
    SMTP_URL: smtp.url,
    MAIL_FROM: 'post@letters.example.org',
    LND_REST_URL: lnd.url,
    LND_MACAROON: lnd.macaroon,
    LIGHTNING_RATE: '97123.45',
    CANCELLATION_WINDOW_SECONDS: '15',
    ACCOUNT_ERASURE_DAYS: '0',
    ALLOW_PRIVATE_FETCH: 'true',
    ...(kafka ? { KAFKA_BROKERS: kafka.brokers.join() } : {}),
    ...(eventStore
      ? { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: eventStore.connectionString }
      : {}),
  };
};

/** Starts everything with an empty log. */
export const startWorld = async (store: 'postgres' | 'eventstoredb') => {
  const outside = await startOutside(store);
  const { chain, stripe, kafka } = outside;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const data = makeDataDir();
  const env = await settingsOf(outside, url);
  stripe.tellTo(`${url}/webhooks/stripe`);
  const spawn = () => spawnService(port, data.dataDir, env);
  let service = spawn();
  await service.ready();
  const topics = kafka && {
    events: await followTopic(kafka, 'letters.events'),
    credentials: await followTopic(kafka, 'letters.credentials'),
  };
  const payers: Awaited<ReturnType<typeof chain.newPayer>>[] = [];
  // One after the other: the chain gives each of these transactions the next number.
  while (payers.length < payerCount) payers.push(await chain.newPayer(payerMicro));
  return {
    ...outside,
    url,
    topics,
    payers,
    dataDir: data.dataDir,
    /** The environment of the operator's program. */
    operatorEnv: { DATA_DIR: data.dataDir, PORT: String(port), ...env },
    service: () => service,
    /** Its last process has ended. */
    async startAgain(): Promise<void> {
      service = spawn();
      await service.ready();
    },
    /** USDC that reached the service's address. */
    received: () => chain.received(payTo),
    /** The print house reports a step of a job. */
    async report(report: object): Promise<number> {
      const { headers, raw } = outside.house.sign({ ...report });
      const answer = await fetch(`${url}/partner/events`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: raw,
      });
      await answer.arrayBuffer();
      return answer.status;
    },
    async stop(): Promise<void> {
      await service.killGroup();
      await Promise.all([topics?.events.stop(), topics?.credentials.stop()]);
      const { house, smtp, lnd, receiver, eventStore } = outside;
      const parts = [house, smtp, stripe, lnd, receiver, chain, kafka];
      await Promise.all(parts.map((part) => part?.stop()));
      await eventStore?.close();
      await data.remove();
    },
  };
};

export type World = Awaited<ReturnType<typeof startWorld>>;
