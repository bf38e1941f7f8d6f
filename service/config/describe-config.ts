import type { Config } from './config.ts';

const state = (part: string, wanted: unknown, detail: string, absent: string): string =>
  `${part}: ${wanted === undefined ? absent : detail}`;

/** A part that is configured already and that this version does not have yet. */
const later = (part: string, wanted: unknown, detail: string, absent: string): string =>
  state(part, wanted, `${detail} (set, but this version does not use it yet)`, absent);

/** The start-up lines: what is configured and what is not. No secrets. */
export const describeConfig = (config: Config): string[] => {
  const { print, s3, kafka, mail, x402, stripe, lnd, mech } = config;
  return [
    `roles: ${config.roles.join(', ')}`,
    `data folder: ${config.dataDir}`,
    state('database', config.databaseUrl, 'DATABASE_URL', 'embedded PostgreSQL'),
    `event store: ${config.eventStore}`,
    state('master key', config.masterKey, 'MASTER_KEY', 'master.key in the data folder'),
    state(
      'Kafka',
      kafka,
      `${kafka?.events.name} and ${kafka?.credentials.name} at ${kafka?.server.brokers.join(', ')}`,
      'not configured (KAFKA_BROKERS)',
    ),
    `print partner: ${print.partner}${print.partner === 'http' ? ` ${print.httpUrl}` : ''}`,
    ...(config.allowPrivateFetch
      ? [
          'ALLOW_PRIVATE_FETCH: documents are fetched from, and webhooks sent to, private addresses too; not for production',
        ]
      : []),
    `documents: ${config.blobStore}${config.blobStore === 's3' ? ` bucket ${s3?.bucket}` : ''}`,
    state(
      'retention',
      config.retentionDays,
      `letters are erased ${config.retentionDays} days after they are over`,
      'letters are kept (RETENTION_DAYS)',
    ),
    state('mail', mail, `from ${mail?.from}`, 'not configured (SMTP_URL)'),
    later('x402', x402, `${x402?.network} to ${x402?.payTo}`, 'not configured (X402_PAY_TO)'),
    later('card', stripe, 'Stripe', 'not configured (STRIPE_SECRET_KEY)'),
    later('Lightning', lnd, 'LND', 'not configured (LND_REST_URL)'),
    later('mech', mech, mech?.mode ?? '', 'not configured (MECH_MODE)'),
  ];
};
