/** Publication: every event and every credential to Kafka, and the schemas of both over HTTP. */
import { type FollowerStatus, followLog } from '../../events/follow-log.ts';
import {
  eventCredentialJsonSchema,
  eventCredentialSchemaName,
} from '../../identity/event-credential-schema.ts';
import { messageSchemas } from '../../reactors/publish/message-schemas.ts';
import { publishCredentials, publishEvents } from '../../reactors/publish/publish.ts';
import { messageSchemaOperations } from '../../read-api/message-schemas.ts';
import type { Reacting, Reactions, Site, Wing, WingHealth } from '../foundation/wing.ts';

const healthOf = (statuses: readonly FollowerStatus[]): WingHealth => {
  const stuck = statuses.filter(({ incident }) => incident !== undefined);
  const oldest = Math.min(Date.now(), ...statuses.flatMap(({ oldestAt }) => oldestAt ?? []));
  const metrics = {
    publication_stuck: stuck.length,
    publication_lag_seconds: (Date.now() - oldest) / 1_000,
  };
  if (stuck.length === 0) return { status: 'ok', metrics };
  const detail = stuck.map(({ name, incident }) => {
    const since = new Date(incident?.since ?? 0).toISOString();
    return `${name} has made no progress since ${since}; see the log`;
  });
  const sinceMs = Math.min(...stuck.map(({ incident }) => incident?.since ?? Date.now()));
  const since = new Date(sinceMs).toISOString();
  return { status: 'degraded', since, detail: detail.join('. '), metrics };
};

const startPublishing = async (
  site: Site,
  { checkpoints, leases, logIdAt }: Reacting,
): Promise<Reactions> => {
  const { config, baseUrl, log, storage } = site;
  const { kafka } = config;
  if (!kafka) return {};
  // Loaded where it is used: a process without Kafka does without its client.
  const { createKafkaPublisher } = await import('../../infra/kafka/publisher.ts');
  const portsTo = (topic: typeof kafka.events) => ({
    publisher: createKafkaPublisher(kafka.server, topic),
    checkpoints,
    baseUrl,
    logIdAt,
  });
  const credentials = publishCredentials({
    ...portsTo(kafka.credentials),
    range: storage.credentials.range,
  });
  const events = publishEvents(portsTo(kafka.events));
  const start = [
    () => followLog(events, { store: storage.store, leases, log }),
    ...(config.credentials
      ? [() => followLog(credentials.consumer, { store: credentials.store, leases, log })]
      : []),
  ];
  const statuses: (() => FollowerStatus)[] = [];
  return {
    followers: start.map((follow) => () => {
      const follower = follow();
      statuses.push(follower.status);
      return follower;
    }),
    health: () => healthOf(statuses.map((status) => status())),
  };
};

export const publishing: Wing = {
  name: 'publishing',
  metrics: [
    { name: 'publication_stuck', help: 'Publications to Kafka that make no progress' },
    { name: 'publication_lag_seconds', help: 'Age of the oldest event that waits for Kafka' },
  ],
  open: (site) => ({
    read: () =>
      messageSchemaOperations([
        { name: eventCredentialSchemaName, schema: eventCredentialJsonSchema(site.baseUrl) },
        ...messageSchemas(site.baseUrl),
      ]),
    react: (reacting) => startPublishing(site, reacting),
  }),
};
