import { expect } from 'chai';
import kafkajs, { type Admin } from 'kafkajs';
import { type KafkaServer, openKafkaClient } from '../../infra/kafka/client.ts';
import { type KafkaBroker, startKafka } from '../support/kafka-broker.ts';
import { assertInOrder, followTopic, requireKafka } from '../support/kafka-topic.ts';
import { eventually } from '../support/service-process.ts';
import { testCa } from '../support/tls.ts';
import { createPublishing } from './publishing.ts';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

const credentials = { username: 'letters', password: 'kept-secret' };
const writer = { username: 'writer', password: 'kept-too' };

/** The user of the tests may do everything, the writer only what he is allowed. */
const twoUsers = {
  'listener.name.client.plain.sasl.jaas.config': [
    'org.apache.kafka.common.security.plain.PlainLoginModule required',
    ...[credentials, writer].map(({ username, password }) => `user_${username}="${password}"`),
  ]
    .join(' ')
    .concat(';'),
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'super.users': `User:ANONYMOUS;User:${credentials.username}`,
};

/** Makes the topic, and lets the writer write to it. */
const makeFor = async (admin: Admin, topic: string): Promise<void> => {
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }] });
  const allowed = {
    resourceType: AclResourceTypes.TOPIC,
    resourceName: topic,
    resourcePatternType: ResourcePatternTypes.LITERAL,
    principal: `User:${writer.username}`,
    host: '*',
    permissionType: AclPermissionTypes.ALLOW,
  };
  await admin.createAcls({
    acl: [AclOperationTypes.WRITE, AclOperationTypes.DESCRIBE].map((operation) => ({
      ...allowed,
      operation,
    })),
  });
};

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
        const properties = mechanism === 'plain' ? twoUsers : {};
        broker = await startKafka({ secured: { mechanism: name, ...credentials }, properties });
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

      if (mechanism !== 'plain') return;
      it('says that the topic is missing where the user may not create it, and goes on once it is there', async () => {
        const publishing = createPublishing(server({ sasl: { mechanism, ...writer } }));
        publishing.start();
        await publishing.append(['letter-1', 'letter-2']);
        const incident = await eventually('it says so', () => publishing.status()?.incident);
        expect(incident.error)
          .to.include(`the user sees no topic ${publishing.topic}, and it could not be created`)
          .and.to.include('authorization failed');
        const { kafka, cut } = openKafkaClient(server());
        const admin = kafka.admin();
        await admin.connect();
        await makeFor(admin, publishing.topic);
        await eventually('everything is published', () => publishing.isDone());
        await publishing.stop();
        await admin.disconnect();
        cut();
      });
    });
  }
});
