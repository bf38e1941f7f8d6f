/** What is set about Kafka: where it is, who we are there, and the topics. */
import type { KafkaServer } from '../../infra/kafka/client.ts';
import {
  ConfigError,
  flag,
  integer,
  listOf,
  matching,
  oneOf,
  pem,
  plain,
  secret,
  text,
  type Values,
} from './config-parsers.ts';

const broker = matching(/^(\[[0-9a-fA-F:]+\]|[^\s:/]+):\d{1,5}$/, 'must be a list of host:port');
const topic = matching(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/, 'must be a topic name');

export const kafkaVariables = {
  KAFKA_BROKERS: plain(listOf(broker)),
  KAFKA_EVENTS_TOPIC: plain(topic),
  KAFKA_CREDENTIALS_TOPIC: plain(topic),
  KAFKA_PARTITIONS: plain(integer(1, 10_000)),
  KAFKA_REPLICATION: plain(integer(1, 100)),
  KAFKA_RETENTION_DAYS: plain(integer(1, 36_500)),
  KAFKA_TLS: plain(flag),
  KAFKA_CA: plain(pem),
  KAFKA_CERT: plain(pem),
  KAFKA_KEY: secret(pem),
  KAFKA_SASL: plain(oneOf('plain', 'scram-sha-256', 'scram-sha-512')),
  KAFKA_USERNAME: plain(text),
  KAFKA_PASSWORD: secret(text),
};

type Set = Values<typeof kafkaVariables>;

const dayMs = 86_400_000;
const loopback = /^(localhost|127(\.\d+){3}|\[::1\]):\d+$/;

const serverOf = (set: Set, brokers: string[]): KafkaServer => {
  const { KAFKA_CA: ca, KAFKA_CERT: cert, KAFKA_KEY: key } = set;
  const { KAFKA_SASL: mechanism, KAFKA_USERNAME: username, KAFKA_PASSWORD: password } = set;
  return {
    brokers,
    ...(set.KAFKA_TLS ? { tls: { ca, cert, key } } : {}),
    ...(mechanism && username && password ? { sasl: { mechanism, username, password } } : {}),
  };
};

/** @throws ConfigError when something is missing or would go over the net in clear */
const assertComplete = (set: Set): void => {
  const names = Object.keys(kafkaVariables) as (keyof Set)[];
  const given = names.find((name) => set[name] !== undefined);
  const need = (name: keyof Set, because: string): void => {
    if (set[name] === undefined) throw new ConfigError(`${name} must be set because ${because}`);
  };
  if (given) need('KAFKA_BROKERS', `${given} is set`);
  for (const name of ['KAFKA_CA', 'KAFKA_CERT', 'KAFKA_KEY'] as const) {
    if (set[name] !== undefined && !set.KAFKA_TLS) {
      throw new ConfigError(`KAFKA_TLS must be true because ${name} is set`);
    }
  }
  if (set.KAFKA_CERT) need('KAFKA_KEY', 'KAFKA_CERT is set');
  if (set.KAFKA_KEY) need('KAFKA_CERT', 'KAFKA_KEY is set');
  for (const name of ['KAFKA_USERNAME', 'KAFKA_PASSWORD'] as const) {
    if (set.KAFKA_SASL) need(name, 'KAFKA_SASL is set');
    if (set[name] !== undefined) need('KAFKA_SASL', `${name} is set`);
  }
  const abroad = set.KAFKA_BROKERS?.find((one) => !loopback.test(one));
  if (set.KAFKA_SASL === 'plain' && !set.KAFKA_TLS && abroad !== undefined) {
    throw new ConfigError(
      `KAFKA_TLS must be true because KAFKA_SASL plain sends the password to ${abroad} in clear`,
    );
  }
};

/** Absent without `KAFKA_BROKERS`. @throws ConfigError */
export const kafkaSettings = (set: Set) => {
  assertComplete(set);
  const { KAFKA_BROKERS: brokers, KAFKA_RETENTION_DAYS: days } = set;
  if (!brokers) return undefined;
  const made = {
    partitions: set.KAFKA_PARTITIONS ?? 6,
    replication: set.KAFKA_REPLICATION,
    retentionMs: days === undefined ? undefined : days * dayMs,
  };
  return {
    server: serverOf(set, brokers),
    events: { name: set.KAFKA_EVENTS_TOPIC ?? 'letters.events', ...made },
    credentials: { name: set.KAFKA_CREDENTIALS_TOPIC ?? 'letters.credentials', ...made },
  };
};
