import { listOf, matching } from '../config-parsers.ts';
import { group, plain, statedUnused } from '../group.ts';

const broker = matching(/^[^\s:/]+:\d{1,5}$/, 'must be a list of host:port');

export const kafka = group({
  settings: { KAFKA_BROKERS: plain(listOf(broker), 'fan-out of events') },
  unused: true,
  read: (set) => ({ kafkaBrokers: set.KAFKA_BROKERS }),
  describe: ({ kafkaBrokers: brokers }) => [
    statedUnused('Kafka', brokers, brokers?.join(', ') ?? '', 'not configured'),
  ],
});
