import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { ConfigError, readConfig } from '../../service/config/config.ts';
import { secretNames } from '../support/secret-names.ts';

const hex = (bytes: number): string => '5a'.repeat(bytes);
const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** A value that each secret setting accepts. */
const secrets: Record<string, string> = {
  DATABASE_URL: 'postgres://letters:hunter2@db/letters',
  EVENTSTORE_URL: 'esdb://admin:hunter2@log:2113',
  MASTER_KEY: hex(32),
  VAULT_TOKEN: 'hunter2',
  KMS_ACCESS_KEY_ID: 'hunter2',
  KMS_SECRET_ACCESS_KEY: 'hunter2',
  KMS_SESSION_TOKEN: 'hunter2',
  AGE_IDENTITY: 'AGE-SECRET-KEY-HUNTER2',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hunter2',
  KAFKA_KEY: '-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----',
  KAFKA_PASSWORD: 'hunter2',
  PRINT_HTTP_TOKEN: 'hunter2',
  PRINT_WEBHOOK_SECRET: webhookSecret,
  S3_ACCESS_KEY_ID: 'hunter2',
  S3_SECRET_ACCESS_KEY: 'hunter2',
  OPERATOR_OIDC_CLIENT_SECRET: 'hunter2',
  SMTP_URL: 'smtps://letters:hunter2@mail',
  X402_RPC_URL: 'https://rpc.example/hunter2',
  X402_SIGNER_KEY: `0x${hex(32)}`,
  STRIPE_SECRET_KEY: 'sk_hunter2',
  STRIPE_WEBHOOK_SECRET: 'hunter2',
  LND_MACAROON: hex(20),
  MECH_COORDINATOR_SECRET: webhookSecret,
  MECH_RPC_URL: 'https://rpc.example/hunter2',
  MECH_SIGNER_KEY: `0x${hex(32)}`,
};

/** Other settings that the secret settings need. */
const others = {
  EVENT_STORE: 'eventstoredb',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
  KAFKA_BROKERS: 'kafka:9092',
  KAFKA_TLS: 'true',
  KAFKA_CERT: '-----BEGIN CERTIFICATE-----',
  KAFKA_SASL: 'scram-sha-512',
  KAFKA_USERNAME: 'letters',
  PRINT_PARTNER: 'http',
  PRINT_HTTP_URL: 'https://print.example',
  BLOB_STORE: 's3',
  S3_REGION: 'eu-1',
  S3_BUCKET: 'letters',
  OPERATOR_OIDC_ISSUER: 'https://login.example',
  OPERATOR_OIDC_CLIENT_ID: 'letters',
  OPERATOR_OIDC_EMAILS: 'olga@example.com',
  MAIL_FROM: 'post@example.com',
  X402_NETWORK: 'base',
  X402_PAY_TO: `0x${hex(20)}`,
  LND_REST_URL: 'https://lnd.example',
  LIGHTNING_RATE: '97000',
  MECH_MODE: 'test',
  MECH_ADDRESS: `0x${hex(20)}`,
};

const refusal = (env: NodeJS.ProcessEnv): string => {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    return (error as Error).message;
  }
  return 'accepted';
};

describe('secrets in files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'letters-secrets-'));
  after(() => rmSync(folder, { recursive: true }));

  const write = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  it('are tested for every secret setting', () => {
    expect(Object.keys(secrets)).to.deep.equal(secretNames());
  });

  it('give the same configuration as in the environment, whichever of them lie in files', () => {
    const expected = readConfig({ ...others, ...secrets });
    const ends = fc.constantFrom('', '\n', '\r\n');
    fc.assert(
      fc.property(fc.subarray(secretNames()), ends, (inFiles, end) => {
        const moved = inFiles.map((name) => [
          `${name}_FILE`,
          write(name, `${secrets[name]}${end}`),
        ]);
        const kept = Object.entries(secrets).filter(([name]) => !inFiles.includes(name));
        const env = { ...others, ...Object.fromEntries([...kept, ...moved]) };
        expect(readConfig(env)).to.deep.equal(expected);
      }),
    );
  });

  for (const [name, value] of Object.entries(secrets)) {
    it(`refuse a start with ${name} and ${name}_FILE, or with a file that holds no such value`, () => {
      const env = { ...others, ...secrets };
      const path = write(name, value);
      const both = { ...env, [`${name}_FILE`]: path };
      expect(refusal(both)).to.equal(`${name} and ${name}_FILE are both set; keep one`);
      const withFile = (file: string) => ({ ...env, [name]: '', [`${name}_FILE`]: file });
      expect(refusal(withFile(write('empty', '\n')))).to.equal(
        `${name}_FILE names ${folder}/empty, which is empty`,
      );
      expect(refusal(withFile(join(folder, 'absent')))).to.equal(
        `${name}_FILE names ${folder}/absent, which cannot be read (ENOENT)`,
      );
      expect(refusal(withFile(folder))).to.include('(EISDIR)');
    });
  }

  it('never show what a file holds', () => {
    const message = refusal({ MASTER_KEY_FILE: write('wrong', 'hunter2') });
    expect(message).to.equal(
      'MASTER_KEY must be 32 bytes as hex, base64 or base64url; the value of MASTER_KEY_FILE is not',
    );
  });

  it('exist for secrets only', () => {
    expect(refusal({ PORT_FILE: '/run/port' })).to.match(/^PORT_FILE is not a known name/);
    expect(refusal({ MASTER_KY_FILE: '/run/key' })).to.equal(
      'MASTER_KY_FILE is not a known name; did you mean MASTER_KEY_FILE?',
    );
  });
});
