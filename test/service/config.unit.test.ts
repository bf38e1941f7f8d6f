import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { uploadBytes } from '../../http/body-rules.ts';
import { makeMasterKey, readMasterKey } from '../../infra/keys/master-key.ts';
import { createLogger } from '../../infra/log.ts';
import { createFairShares } from '../../limits/fair-shares.ts';
import { ConfigError, describeConfig, readConfig } from '../../service/config/config.ts';

const refusal = (env: NodeJS.ProcessEnv): string => {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    return (error as Error).message;
  }
  return 'accepted';
};

const key = Buffer.alloc(32, 7);

describe('configuration', () => {
  it('needs nothing to be set', () => {
    const config = readConfig({ PATH: '/bin', HOME: '/home/x' });
    expect(config).to.include({ port: 3_000, eventStore: 'postgres', blobStore: 'file' });
    expect(config.dataDir).to.equal(resolve('data'));
    expect(config.roles).to.have.length(6);
    expect(config.cancellationWindowSeconds).to.equal(300);
    expect(config.x402).to.equal(undefined);
  });

  it('fetches from public addresses only, with its own browser, unless told otherwise', () => {
    const usual = readConfig({});
    expect(usual).to.include({ allowPrivateFetch: false, chromiumPath: undefined });
    const told = readConfig({ ALLOW_PRIVATE_FETCH: 'true', CHROMIUM_PATH: '/opt/chromium' });
    expect(told).to.include({ allowPrivateFetch: true, chromiumPath: '/opt/chromium' });
    expect(describeConfig(told).join('\n')).to.contain('ALLOW_PRIVATE_FETCH');
  });

  it('hands letters over at any time to a folder, in business hours to a print house', () => {
    expect(readConfig({}).print).to.include({ handOver: 'always', cutOffMinutes: 1_050 });
    const house = {
      PRINT_PARTNER: 'http',
      PRINT_HTTP_URL: 'http://[::1]:8080/print/',
      PRINT_HTTP_TOKEN: 'token',
      PRINT_WEBHOOK_SECRET: `whsec_${key.toString('base64')}`,
    };
    expect(readConfig(house).print).to.include({
      handOver: 'business-hours',
      httpUrl: 'http://[::1]:8080/print',
    });
    const told = readConfig({ ...house, PRINT_HANDOVER: 'always', PRINT_CUT_OFF: '09:05' });
    expect(told.print).to.include({ handOver: 'always', cutOffMinutes: 545 });
    const lines = describeConfig(told).join('\n');
    expect(lines).not.to.include('token').and.not.to.include(house.PRINT_WEBHOOK_SECRET);
  });

  it('says which settings are set and not used', () => {
    const idle = {
      S3_BUCKET: 'letters',
      EVENTSTORE_URL: 'esdb://localhost:2113?tls=false',
      PRINT_HTTP_URL: 'https://print.example',
      KMS_KEY_ID: 'alias/letters',
    };
    const config = readConfig(idle);
    expect(config.unused).to.have.members([
      'S3_BUCKET is set, but not used, because BLOB_STORE is not s3',
      'EVENTSTORE_URL is set, but not used, because EVENT_STORE is not eventstoredb',
      'PRINT_HTTP_URL is set, but not used, because PRINT_PARTNER is not http',
      'KMS_KEY_ID is set, but not used, because KEY_PROVIDER is not aws-kms',
    ]);
    expect(describeConfig(config)).to.include(`WARNING: ${config.unused[0]}`);
    const used = readConfig({ EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: idle.EVENTSTORE_URL });
    expect(used.unused).to.deep.equal([]);
  });

  it('takes the highest number that the refusal of a higher one names', () => {
    const name = 'LIMIT_STORED_BYTES_PER_ACCOUNT';
    const most = Number.MAX_SAFE_INTEGER;
    expect(readConfig({ [name]: String(most) }).limits.storedBytesPerAccount).to.equal(most);
    expect(refusal({ [name]: '9007199254740993' })).to.include(`from 1 to ${most}`);
  });

  it('takes quotes that belong to a part of the value', () => {
    const from = '"Post, A." <post@example.com>';
    expect(readConfig({ SMTP_URL: 'smtp://mail', MAIL_FROM: from }).mail?.from).to.equal(from);
  });

  it('raises a limit as far as everything behind it can follow', () => {
    for (const [name, most] of Object.entries({
      LIMIT_METADATA_PAIRS: 50,
      LIMIT_REFERENCE_CHARS: 500,
      LIMIT_PAGE_SIZE: 1_000,
    })) {
      expect(() => readConfig({ [name]: String(most) })).to.not.throw();
      expect(() => readConfig({ [name]: String(most + 1) })).to.throw(ConfigError, name);
    }
  });

  it('has room for the largest letter of one caller, or refuses the limits', () => {
    const payer = {
      X402_NETWORK: 'base',
      X402_RPC_URL: 'https://node.example',
      X402_PAY_TO: `0x${'1'.repeat(40)}`,
      X402_SIGNER_KEY: `0x${'1'.repeat(64)}`,
    };
    const documents = { LIMIT_DOCUMENT_BYTES: '15000000' };
    for (const env of [{}, payer, documents]) {
      const { limits } = readConfig(env);
      const shares = createFairShares(limits.bodyBytesInProgress);
      expect(shares.take('one', uploadBytes(limits) / 2)).to.equal(true);
      expect(shares.take('one', uploadBytes(limits) / 2)).to.equal(true);
    }
    expect(readConfig(payer).limits.publicBodyBytesInProgress).to.be.least(
      2 * uploadBytes(readConfig(payer).limits),
    );
    expect(refusal({ LIMIT_DOCUMENT_BYTES: '30000000' })).to.equal(
      'LIMIT_BODY_BYTES_IN_PROGRESS must be at least 84194304, because a caller gets half of it, and a letter takes LIMIT_DOCUMENT_BYTES in base64 and LIMIT_BODY_BYTES; it is 67108864',
    );
    expect(refusal({ ...payer, ...documents })).to.include(
      'LIMIT_PUBLIC_BODY_BYTES_IN_PROGRESS must be at least 44194304',
    );
  });

  it('takes an empty value for an absent one', () => {
    expect(readConfig({ PORT: '', STRIPE_SECRET_KEY: ' ' }).port).to.equal(3_000);
  });

  it('reads each name into its place', () => {
    const config = readConfig({
      PORT: '0',
      BASE_URL: 'https://post.example/',
      ROLES: 'write-api, read-api,write-api',
      KAFKA_BROKERS: 'a:9092,b:9092',
      LIMIT_CONTENT_BYTES: '1000',
      UCAN_STRICT_AUDIENCE: 'true',
    });
    expect(config.port).to.equal(0);
    expect(config.baseUrl).to.equal('https://post.example');
    expect(config.roles).to.deep.equal(['write-api', 'read-api']);
    expect(config.kafka?.server).to.deep.equal({ brokers: ['a:9092', 'b:9092'] });
    expect(config.limits).to.include({ contentBytes: 1_000, pages: 60 });
    expect(config.ucanStrictAudience).to.equal(true);
  });

  const wrong: [NodeJS.ProcessEnv, string][] = [
    [
      { CANCELATION_WINDOW_SECONDS: '0' },
      'CANCELATION_WINDOW_SECONDS is not a known name; did you mean CANCELLATION_WINDOW_SECONDS?',
    ],
    [
      { DATABASE_CONECTIONS: '4' },
      'DATABASE_CONECTIONS is not a known name; did you mean DATABASE_CONNECTIONS?',
    ],
    ...['0', '0.00'].map((price): [NodeJS.ProcessEnv, string] => [
      { X402_READ_PRICE: price, LIGHTNING_RATE: price },
      `X402_READ_PRICE must be an amount in USD above zero (e.g. 0.001), got "${price}"`,
    ]),
    [
      { LIGHTNING_RATE: '0' },
      'LIGHTNING_RATE must be an amount in USD above zero (e.g. 97123.45), got "0"',
    ],
    [{ PORT: 'abc' }, 'PORT must be an integer from 0 to 65535, got "abc"'],
    [{ PORT: '65536' }, 'PORT must be an integer from 0 to 65535, got "65536"'],
    [{ BASE_URL: 'post.example' }, 'BASE_URL must be a URL with http or https, got "post.example"'],
    ...['https:post.example', 'https:///post.example', 'https://post.example/a b'].map(
      (address): [NodeJS.ProcessEnv, string] => [
        { BASE_URL: address },
        `BASE_URL must be a URL with two slashes and without blanks, got "${address}"`,
      ],
    ),
    ...[`"/var/lib/letters"`, `'/var/lib/letters'`].map((folder): [NodeJS.ProcessEnv, string] => [
      { DATA_DIR: folder },
      'DATA_DIR has a value in quotes, which count as part of it; leave them out',
    ]),
    [
      { ROLES: 'writer' },
      'ROLES must be one of write-api, read-api, agent-api, console, projections, reactors, got "writer"',
    ],
    [{ ROLES: 'read-api,console' }, 'ROLES must include write-api, because console needs it'],
    [
      { EVENT_STORE: 'eventstoredb' },
      'EVENTSTORE_URL must be set because EVENT_STORE is eventstoredb',
    ],
    [
      { PRINT_PARTNER: 'http', PRINT_HTTP_URL: 'https://print.example', PRINT_HTTP_TOKEN: 't' },
      'PRINT_WEBHOOK_SECRET must be set because PRINT_PARTNER is http',
    ],
    [
      { KAFKA_BROKERS: 'kafka.example:99999' },
      'KAFKA_BROKERS must be a list of host:port, with ports from 1 to 65535, got "kafka.example:99999"',
    ],
    [
      { KAFKA_BROKERS: 'kafka.example' },
      'KAFKA_BROKERS must be a list of host:port, with ports from 1 to 65535, got "kafka.example"',
    ],
    [
      { KAFKA_BROKERS: 'a:9092', KAFKA_CREDENTIALS_TOPIC: 'letters.events' },
      'KAFKA_EVENTS_TOPIC and KAFKA_CREDENTIALS_TOPIC must be two topics; both are letters.events',
    ],
    [{ KAFKA_TLS: 'true' }, 'KAFKA_BROKERS must be set because KAFKA_TLS is set'],
    [
      { KAFKA_BROKERS: 'a:9092', KAFKA_CA: '/etc' },
      'KAFKA_CA must be a PEM text or the path of a file with one that can be read (EISDIR), got "/etc"',
    ],
    [
      { KAFKA_BROKERS: 'a:9092', KAFKA_CA: '/nowhere.pem' },
      'KAFKA_CA must be a PEM text or the path of a file with one, got "/nowhere.pem"',
    ],
    [
      { KAFKA_BROKERS: 'a:9092', KAFKA_CA: '-----BEGIN CERTIFICATE-----' },
      'KAFKA_TLS must be true because KAFKA_CA is set',
    ],
    [
      { KAFKA_BROKERS: 'a:9092', KAFKA_SASL: 'scram-sha-512', KAFKA_USERNAME: 'letters' },
      'KAFKA_PASSWORD must be set because KAFKA_SASL is set',
    ],
    [
      {
        KAFKA_BROKERS: 'localhost:9092,a:9092',
        KAFKA_SASL: 'plain',
        KAFKA_USERNAME: 'letters',
        KAFKA_PASSWORD: 'secret',
      },
      'KAFKA_TLS must be true because KAFKA_SASL plain sends the password to a:9092 in clear',
    ],
    [{ KAFKA_BROKER: 'a:9092' }, 'KAFKA_BROKER is not a known name; did you mean KAFKA_BROKERS?'],
    [
      { PRINT_HTTP_URL: 'http://print.example' },
      'PRINT_HTTP_URL must be https; http is for this machine only, or with ALLOW_PRIVATE_FETCH=true',
    ],
    [
      { PRINT_HTTP_URL: 'http://127.0.0.1.example' },
      'PRINT_HTTP_URL must be https; http is for this machine only, or with ALLOW_PRIVATE_FETCH=true',
    ],
    [
      { PRINT_CUT_OFF: '00:00' },
      'PRINT_CUT_OFF must be a time of the day from 00:01 to 23:59, got "00:00"',
    ],
    [
      { PRINT_CUT_OFF: '5pm' },
      'PRINT_CUT_OFF must be a time of the day from 00:01 to 23:59, got "5pm"',
    ],
    [
      { SMTP_URL: 'smtp://', MAIL_FROM: 'post@example.com' },
      'SMTP_URL must be a URL with a host; the value of SMTP_URL is not',
    ],
    ...[
      'requiretls=true',
      'requireTLS',
      'requireTLS=yes',
      'require_tls=true',
      'tls.x=1&requireTls=1',
    ].map((query): [Record<string, string>, string] => [
      { SMTP_URL: `smtp://mail?${query}`, MAIL_FROM: 'post@example.com' },
      'SMTP_URL must insist on TLS as ?requireTLS=true; the value of SMTP_URL is not',
    ]),
    ...['smtp://u:pass#word@mail', 'smtp://u:12#word@mail', 'smtp://u:pass/word@mail'].map(
      (address): [Record<string, string>, string] => [
        { SMTP_URL: address, MAIL_FROM: 'post@example.com' },
        'SMTP_URL must be a URL with smtp or smtps; in a password, write # / ? as %23 %2F %3F; the value of SMTP_URL is not',
      ],
    ),
    [{ SMTP_URL: 'smtp://mail' }, 'MAIL_FROM must be set because SMTP_URL is set'],
    ...[
      'post',
      'post@',
      'post@[192.0.2.1]',
      'post@a..example',
      'post@a_b.example',
      'post@exa%20mple',
      'post@a.example, post@b.example',
      'Letters <post@a.example> <post@b.example>',
      'both: post@a.example, post@b.example;',
    ].map((from): [NodeJS.ProcessEnv, string] => [
      { SMTP_URL: 'smtp://mail', MAIL_FROM: from },
      `MAIL_FROM must be one e-mail address, with or without a name before it, got ${JSON.stringify(from)}`,
    ]),
    [
      { STRIPE_WEBHOOK_SECRET: 'w' },
      'STRIPE_SECRET_KEY must be set because STRIPE_WEBHOOK_SECRET is set',
    ],
    [
      { STRIPE_SECRET_KY: 'x' },
      'STRIPE_SECRET_KY is not a known name; did you mean STRIPE_SECRET_KEY?',
    ],
    [{ TRUSTED_PROXY: '::1' }, 'TRUSTED_PROXY is not a known name; did you mean TRUSTED_PROXIES?'],
    [
      { TRUSTED_PROXIES: '10.0.0.0/8,10.0.0.0/33' },
      'TRUSTED_PROXIES must be a comma-separated list of networks (10.0.0.0/8, 2001:db8::/32) or addresses, got "10.0.0.0/8,10.0.0.0/33"',
    ],
    [{ LIMIT_PAGE: '3' }, 'LIMIT_PAGE is not a known name; did you mean LIMIT_PAGES?'],
    [{ LIMIT_PAGES: '0' }, 'LIMIT_PAGES must be an integer from 1 to 2147483647, got "0"'],
    ...[
      'postgres://a:5432,b:5432/letters',
      'postgres://a,b/letters',
      'postgres://u:pass#word@h/letters',
      'postgres://u:12#word@h/letters',
      'postgres://u@/letters?host=/run',
      'host=/run dbname=letters',
    ].map((address): [Record<string, string>, string] => [
      { DATABASE_URL: address },
      'DATABASE_URL must be a URL with postgres or postgresql and one host: postgres://user:password@host:5432/database, or postgres://user@%2Fvar%2Frun%2Fpostgresql/database for a socket; in a password, write # / ? as %23 %2F %3F; the value of DATABASE_URL is not',
    ]),
    [{ BLOB_STORE: 's3' }, 'S3_BUCKET must be set because BLOB_STORE is s3'],
    [{ PORT: 'x', LOG_LEVEL: 'y' }, 'PORT must be an integer from 0 to 65535, got "x"'],
  ];
  for (const [env, message] of wrong) {
    it(`refuses ${JSON.stringify(env)} with one line`, () => {
      expect(refusal(env)).to.equal(message);
    });
  }

  const secrets: Record<string, string> = {
    DATABASE_URL: 'mysql://u:hunter2@h/d',
    MASTER_KEY: 'hunter2',
    PRINT_WEBHOOK_SECRET: 'whsec_hunter2',
    STRIPE_SECRET_KEY: 'hunter2',
    X402_SIGNER_KEY: 'hunter2',
    LND_MACAROON: 'hunter2',
    SMTP_URL: 'ftp://u:hunter2@h',
    PRINT_HTTP_URL: 'https://u:hunter2@print.example/jobs',
    BASE_URL: 'https://u:hunter2@h',
    LIGHTNING_RATE_SOURCES: 'https://u:hunter2@h',
  };
  for (const [name, value] of Object.entries(secrets)) {
    it(`never repeats the value of ${name}`, () => {
      expect(refusal({ [name]: value })).to.match(new RegExp(`^${name} must be`));
      expect(refusal({ [name]: value })).not.to.include('hunter2');
    });
  }

  it('takes a password in the address of a collector, whose client sends it', () => {
    const config = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://u:hunter2@h/otlp/' });
    expect(config.tracing?.endpoint).to.equal('https://u:hunter2@h/otlp');
    expect(describeConfig(config).join()).not.to.include('hunter2');
  });

  it('describes what is on and what is off without secrets', () => {
    const lines = describeConfig(
      readConfig({
        DATABASE_URL: 'postgres://u:hunter2@h/d',
        STRIPE_SECRET_KEY: 'sk_test_hunter2',
        STRIPE_WEBHOOK_SECRET: 'hunter2',
      }),
    ).join('\n');
    expect(lines).to.include('card: Stripe').and.include('Lightning: not configured');
    expect(lines).not.to.include('hunter2');
  });

  it('says at the start which money is worth nothing', () => {
    const cardLine = (key: string) => {
      const config = readConfig({ STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: 'whsec_1' });
      return describeConfig(config).find((line) => line.startsWith('card: '));
    };
    expect(cardLine('sk_test_1')).to.match(/test mode: its money is worth nothing/);
    expect(cardLine('rk_test_1')).to.equal(cardLine('sk_test_1'));
    for (const key of ['sk_live_1', 'rk_live_1']) expect(cardLine(key)).to.equal('card: Stripe');
  });

  for (const encoding of ['hex', 'base64', 'base64url'] as const) {
    it(`takes a master key in ${encoding}`, () => {
      const config = readConfig({ MASTER_KEY: key.toString(encoding) });
      expect(config.masterKey).to.deep.equal(key);
    });
  }
});

describe('master key', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'letters-key-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  it('is made once, with a warning, readable by its owner only', async () => {
    const warnings: string[] = [];
    const log = (line: string): void => void warnings.push(line);
    const made = await Promise.all([1, 2, 3].map(() => makeMasterKey(dataDir, log)));
    const again = await readMasterKey({ masterKey: undefined, dataDir });
    expect(again?.key).to.have.length(32);
    for (const one of made) expect(one).to.deep.equal(again);
    expect(warnings).to.have.length(1);
    expect(statSync(join(dataDir, 'master.key')).mode & 0o777).to.equal(0o600);
  });

  it('is not replaced when the file is damaged', async () => {
    writeFileSync(join(dataDir, 'master.key'), 'half');
    const failure = await makeMasterKey(dataDir, () => undefined).catch((e: Error) => e);
    expect(failure).to.be.instanceOf(Error).with.property('message').that.includes('restore it');
  });
});

describe('log', () => {
  const linesOf = (write: (log: ReturnType<typeof createLogger>) => void): string => {
    const lines: string[] = [];
    write(createLogger({ level: 'info' }, { write: (line: string) => lines.push(line) }));
    return lines.join('');
  };

  it('hides secrets and personal values at any depth, and keeps the rest', () => {
    const hidden = {
      authorization: 'hunter2',
      api_key: 'hunter2',
      password: 'hunter2',
      webhookSecret: 'hunter2',
      access_token: 'hunter2',
      to_name: 'hunter2',
      fromCity: 'hunter2',
      content: 'hunter2',
      email: 'hunter2',
      webhook_url: 'hunter2',
      notification_email: 'hunter2',
    };
    const lines = linesOf((log) => {
      log.info({ ...hidden, letter: { list: [hidden] }, letter_id: 'l1', contentBytes: 5 }, 'sent');
      log.child(hidden).info('child');
      log.error({ err: Object.assign(new Error('broke'), { detail: 'hunter2' }) });
    });
    expect(lines).not.to.include('hunter2');
    const [first = ''] = lines.split('\n');
    expect(JSON.parse(first)).to.include({ letter_id: 'l1', contentBytes: 5, message: 'sent' });
    expect(lines).to.include('broke');
  });

  it('does not look at what a level that is off would log', () => {
    const trap = {
      get anything(): never {
        throw new Error('looked at');
      },
    };
    expect(linesOf((log) => log.debug(trap))).to.equal('');
  });
});
