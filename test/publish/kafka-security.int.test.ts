import { expect } from 'chai';
import type { KafkaServer } from '../../infra/kafka/client.ts';
import { type KafkaBroker, startKafka } from '../support/kafka-broker.ts';
import { assertInOrder, followTopic, requireKafka } from '../support/kafka-topic.ts';
import { eventually } from '../support/service-process.ts';
import { testCa } from '../support/tls.ts';
import { createPublishing } from './publishing.ts';

const credentials = { username: 'letters', password: 'kept-secret' };

describe('publication to a Kafka that asks for TLS and SASL', function () {
  this.timeout(180_000);
  before(function () {
    return requireKafka(this);
  });

  for (const [mechanism, name] of [
    ['plain', 'PLAIN'],
    ['scram-sha-512', 'SCRAM-SHA-512'],
  ] as const) {
    describe(name, () => {
      let broker: KafkaBroker;
      before(async () => {
        broker = await startKafka({ secured: { mechanism: name, ...credentials } });
      });
      after(() => broker?.stop());

      const server = (more: Partial<KafkaServer> = {}): KafkaServer => ({
        brokers: broker.brokers,
        tls: { ca: testCa },
        sasl: { mechanism, ...credentials },
        ...more,
      });

      it('publishes with the right credentials', async () => {
        const publishing = createPublishing(server());
        publishing.start();
        await publishing.append(['letter-1', 'letter-2', 'letter-1']);
        await eventually('everything is published', () => publishing.isDone());
        await publishing.stop();
        const reader = await followTopic(server(), publishing.topic);
        await eventually('all of it is read', () => reader.has(publishing.ids));
        await reader.stop();
        assertInOrder(reader.received);
      });

      for (const [what, more, reason] of [
        ['a wrong password', { sasl: { mechanism, ...credentials, password: 'no' } }, /auth/i],
        ['an authority that nobody trusts', { tls: {} }, /unable to verify|self-signed/],
      ] as const) {
        it(`says what is wrong: ${what}`, async () => {
          const publishing = createPublishing(server(more));
          publishing.start();
          await publishing.append(['letter-1']);
          const incident = await eventually('it says so', () => publishing.status()?.incident);
          await publishing.stop();
          expect(incident.error).to.match(reason);
          expect(incident.error).not.to.include(credentials.password);
          expect(publishing.saves).to.deep.equal([]);
        });
      }
    });
  }
});
