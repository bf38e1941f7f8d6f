/** Where Kafka is, the service's user there, and the topics. */
import { dayMs } from '../../../ground/day.ts';
import type { KafkaServer } from '../../../infra/kafka/client.ts';
import {
  ConfigError,
  flag,
  integer,
  listOf,
  matching,
  oneOf,
  orFail,
  pem,
  text,
} from '../config-parsers.ts';
import { group, plain, secret, stated, together, type Values } from '../group.ts';

const broker = orFail((value) => {
  const [, port] = /^(?:\[[0-9a-fA-F:]+\]|[^\s:/]+):(\d+)$/.exec(value) ?? [];
  return Number(port) >= 1 && Number(port) <= 65_535 ? value : undefined;
}, 'must be a list of host:port, with ports from 1 to 65535');
const topic = matching(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/, 'must be a topic name');

const settings = {
  KAFKA_BROKERS: plain(
    listOf(broker),
    '`host:port,…`: publishes events and credentials there, see [Kafka](kafka.md)',
  ),
  KAFKA_EVENTS_TOPIC: plain(topic, '`letters.events`', 'topic for events'),
  KAFKA_CREDENTIALS_TOPIC: plain(
    topic,
    '`letters.credentials`',
    'topic for credentials, another one than for events',
  ),
  KAFKA_PARTITIONS: plain(
    integer(1, 10_000),
    '6',
    'partitions of a topic that the service creates',
  ),
  KAFKA_REPLICATION: plain(integer(1, 100), "the broker's", 'its replicas'),
  KAFKA_RETENTION_DAYS: plain(
    integer(1, 36_500),
    'how long the topic keeps its messages; absent: for ever',
  ),
  KAFKA_TLS: plain(flag, '`false`', 'uses TLS with the brokers'),
  KAFKA_CA: plain(
    pem,
    "the system's",
    'PEM, or its path: the certificate authority of the brokers',
  ),
  KAFKA_CERT: plain(pem, 'PEM, or its path: certificate of the service, with `KAFKA_KEY`'),
  KAFKA_KEY: secret(pem, 'PEM, or its path: its private key'),
  KAFKA_SASL: plain(
    oneOf('plain', 'scram-sha-256', 'scram-sha-512'),
    '`plain`, `scram-sha-256` or `scram-sha-512`',
  ),
  KAFKA_USERNAME: plain(text, 'required with `KAFKA_SASL`'),
  KAFKA_PASSWORD: secret(text, 'required with `KAFKA_SASL`'),
};

type Set = Values<typeof settings>;
type Name = keyof typeof settings;

const loopback = /^(localhost|127(\.\d+){3}|\[::1\]):\d+$/;
const everyName = Object.keys(settings) as Name[];

/** A password goes over TLS, or does not leave the machine; who gives keys wants them used. */
const assertPrivateOnTheWay = (set: Set): void => {
  if (set.KAFKA_TLS) return;
  const key = (['KAFKA_CA', 'KAFKA_CERT', 'KAFKA_KEY'] as const).find((name) => set[name]);
  if (key) throw new ConfigError(`KAFKA_TLS must be true because ${key} is set`);
  const abroad = set.KAFKA_BROKERS?.find((one) => !loopback.test(one));
  if (set.KAFKA_SASL !== 'plain' || abroad === undefined) return;
  throw new ConfigError(
    `KAFKA_TLS must be true because KAFKA_SASL plain sends the password to ${abroad} in clear`,
  );
};

const topicsOf = (set: Set) => ({
  events: set.KAFKA_EVENTS_TOPIC ?? 'letters.events',
  credentials: set.KAFKA_CREDENTIALS_TOPIC ?? 'letters.credentials',
});

/** A consumer of one kind of message could not read the other. */
const assertTwoTopics = (set: Set): void => {
  const { events, credentials } = topicsOf(set);
  if (events !== credentials) return;
  throw new ConfigError(
    `KAFKA_EVENTS_TOPIC and KAFKA_CREDENTIALS_TOPIC must be two topics; both are ${events}`,
  );
};

const serverOf = (set: Set, brokers: string[]): KafkaServer => {
  const { KAFKA_CA: ca, KAFKA_CERT: cert, KAFKA_KEY: key } = set;
  const { KAFKA_SASL: mechanism, KAFKA_USERNAME: username, KAFKA_PASSWORD: password } = set;
  return {
    brokers,
    ...(set.KAFKA_TLS ? { tls: { ca, cert, key } } : {}),
    ...(mechanism && username && password ? { sasl: { mechanism, username, password } } : {}),
  };
};

const readKafka = (set: Set) => {
  const { KAFKA_BROKERS: brokers, KAFKA_RETENTION_DAYS: retentionDays } = set;
  if (!brokers) return undefined;
  const made = {
    partitions: set.KAFKA_PARTITIONS ?? 6,
    replication: set.KAFKA_REPLICATION,
    retentionMs: retentionDays === undefined ? undefined : retentionDays * dayMs,
  };
  const { events, credentials } = topicsOf(set);
  return {
    server: serverOf(set, brokers),
    events: { name: events, ...made },
    credentials: { name: credentials, ...made },
  };
};

export const kafka = group({
  settings,
  prefixes: ['KAFKA_'],
  needs: [
    together<typeof settings>(['KAFKA_BROKERS'], everyName),
    together<typeof settings>(['KAFKA_CERT', 'KAFKA_KEY']),
    together<typeof settings>(['KAFKA_SASL', 'KAFKA_USERNAME', 'KAFKA_PASSWORD']),
  ],
  check(set) {
    assertPrivateOnTheWay(set);
    assertTwoTopics(set);
  },
  /** Absent: nothing is published. */
  read: (set) => ({ kafka: readKafka(set) }),
  describe: ({ kafka: found }) => [
    stated(
      'Kafka',
      found,
      `${found?.events.name} and ${found?.credentials.name} at ${found?.server.brokers.join(', ')}`,
      'not configured (KAFKA_BROKERS)',
    ),
  ],
});
