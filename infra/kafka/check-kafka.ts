import { type Check, ok, warn } from '../../ground/check.ts';
import type { KafkaServer } from './client.ts';

type Wanted = { server: KafkaServer; events: { name: string }; credentials: { name: string } };

/** Whether the brokers answer and have the topics. */
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
      return ok(`${brokers.length} brokers have ${names.join(' and ')}`);
    } finally {
      cut();
      await admin.disconnect().catch(() => undefined);
    }
  },
});
