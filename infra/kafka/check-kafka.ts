import type { Admin } from 'kafkajs';
import { type Check, fail, ok, warn } from '../../ground/check.ts';
import { numberOf } from '../../ground/plural.ts';
import type { KafkaServer } from './client.ts';

type Wanted = { server: KafkaServer; events: { name: string }; credentials: { name: string } };

/** Of a topic, in the protocol's list of resources. */
const topicType = 2;

/** Topics of which the broker keeps the last message of each key only. None where the user may not read that. */
const compacted = async (admin: Admin, names: string[]): Promise<string[]> => {
  const wanted = { type: topicType, configNames: ['cleanup.policy'] };
  const { resources } = await admin
    .describeConfigs({
      includeSynonyms: false,
      resources: names.map((name) => ({ ...wanted, name })),
    })
    .catch(() => ({ resources: [] }));
  return resources.flatMap(({ resourceName, configEntries }) =>
    configEntries.some(({ configValue }) => configValue?.includes('compact')) ? resourceName : [],
  );
};

/** Whether the brokers answer, have the topics, and keep all messages of a stream. */
export const checkKafka = (wanted: Wanted | undefined): Check => ({
  name: 'kafka',
  timeLimitMs: 15_000,
  remedy: 'correct KAFKA_BROKERS and the login, or start the brokers',
  async run() {
    if (!wanted) return ok('not configured (KAFKA_BROKERS)');
    const { openKafkaClient } = await import('./client.ts');
    const { kafka, cut } = openKafkaClient(wanted.server);
    const admin = kafka.admin();
    try {
      await admin.connect();
      const { brokers } = await admin.describeCluster();
      const topics = await admin.listTopics();
      const names = [wanted.events.name, wanted.credentials.name];
      const missing = names.filter((name) => !topics.includes(name));
      if (missing.length > 0) {
        return warn(
          `the topic ${missing.join(' and ')} does not exist`,
          'start the service, which creates its topics, or create the topic',
        );
      }
      const lossy = await compacted(admin, names);
      if (lossy.length > 0) {
        return fail(
          `the topic ${lossy.join(' and ')} is compacted: it loses all messages of a stream but the last`,
          'set its cleanup.policy to delete',
        );
      }
      return ok(`${numberOf(brokers.length, 'broker has', 'brokers have')} ${names.join(' and ')}`);
    } finally {
      cut();
      await admin.disconnect().catch(() => undefined);
    }
  },
});
