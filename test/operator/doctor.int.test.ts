import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { databaseFacts } from '../../infra/postgres/check-database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../infra/postgres/embedded.ts';
import { withFoundation } from '../support/foundation.ts';
import { runOperator } from '../support/operator.ts';

type Answer = {
  state: string;
  checks: { name: string; state: string; found: string; remedy: string | null }[];
};

describe('operator doctor', function () {
  this.timeout(180_000);

  /** A durable one: the doctor finds that the server of other tests is not. */
  let database: EmbeddedPostgres;
  let dataDir = '';
  const doctor = async (env: NodeJS.ProcessEnv = {}) => {
    const place = { DATA_DIR: dataDir, DATABASE_URL: database.url };
    const { code, out } = await runOperator({ ...place, ...env }, ['doctor', '--json']);
    const answer = JSON.parse(out) as Answer;
    const of = (name: string) => answer.checks.find((check) => check.name === name);
    return { code, out, answer, of };
  };

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'letters-test-doctor-'));
    database = await startEmbeddedPostgres({ dataDir });
    // The first start makes the keys and the identity.
    await withFoundation({ dataDir, databaseUrl: database.url }, async () => {});
  });
  after(async () => {
    await database.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('warns of commands that never ran, with exit code 1, and finds nothing broken', async () => {
    const { code, answer, of } = await doctor({ S3_BUCKET: 'letters' });
    expect(answer.checks.filter(({ state }) => state === 'fail')).to.deep.equal([]);
    expect(code).to.equal(1);
    expect(of('settings')).to.include({
      state: 'warn',
      found: 'S3_BUCKET is set, but not used, because BLOB_STORE is not s3',
    });
    expect(of('backup')).to.include({ state: 'warn', found: 'backup has never run' });
    expect(of('signing keys')?.found).to.match(/^did:.*: all 4 keys open$/);
  });

  it('looks at the disk of the erasures if that is another one', async () => {
    expect((await doctor()).of('erasure journal')).to.equal(undefined);
    const there = await doctor({ ERASURE_JOURNAL: join(dataDir, 'erasures.log') });
    expect(there.of('erasure journal')?.found).to.match(/^\/.* are free$/);
    const gone = await doctor({ ERASURE_JOURNAL: join(dataDir, 'unmounted', 'erasures.log') });
    expect(gone.code).to.equal(2);
    expect(gone.of('erasure journal')).to.include({
      state: 'fail',
      found: `${join(dataDir, 'unmounted')} does not exist`,
    });
  });

  it('knows when the log was verified', async () => {
    const place = { DATA_DIR: dataDir, DATABASE_URL: database.url };
    expect((await runOperator(place, ['verify'])).code).to.equal(0);
    const { of } = await doctor();
    expect(of('verify')).to.include({
      state: 'ok',
      found: 'the last verify succeeded less than an hour ago',
    });
  });

  it('looks at the exchange rates that the services and the cards of the installation need', async () => {
    const found = async (env: NodeJS.ProcessEnv) =>
      (await doctor(env)).of('exchange rates')?.found.replaceAll(/ of [-\d]+/g, '');
    expect(await found({})).to.equal('EUR, GBP, CAD');
    expect(await found({ SERVICES: 'gb_first_class,us_priority' })).to.equal('GBP');
    const posted = { SERVICES: 'us_priority' };
    expect(await found(posted)).to.equal('not needed: letters are posted in USD');
    const cards = {
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_WEBHOOK_SECRET: 'whsec_1',
      STRIPE_API_BASE: 'http://127.0.0.1:1',
    };
    expect(await found({ ...posted, ...cards })).to.equal('EUR, CAD');
  });

  it('fails with exit code 2 where something is away, and prints no secret', async () => {
    const { code, out, of } = await doctor({
      SMTP_URL: 'smtp://letters:very-secret@127.0.0.1:1',
      MAIL_FROM: 'post@example.com',
      STRIPE_SECRET_KEY: 'sk_test_very_secret',
      STRIPE_WEBHOOK_SECRET: 'whsec_very_secret',
      STRIPE_API_BASE: 'http://127.0.0.1:1',
    });
    expect(code).to.equal(2);
    expect(of('mail')?.state).to.equal('fail');
    expect(of('stripe')?.state).to.equal('fail');
    expect(out).not.to.match(/very.secret/);
  });

  it('counts the connections of other roles as an ordinary role, and no processes of the server', async () => {
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(`create role plain login password 'plain'`);
    const others = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const one = new pg.Client({ connectionString: database.url });
        await one.connect();
        return one;
      }),
    );
    const url = new URL(database.url);
    [url.username, url.password] = ['plain', 'plain'];
    const plain = new pg.Client({ connectionString: url.href });
    await plain.connect();
    try {
      const { connections } = await databaseFacts(plain);
      expect(connections).to.be.at.least(22);
      expect(connections).to.equal((await databaseFacts(admin)).connections);
    } finally {
      for (const one of [...others, plain, admin]) await one.end();
    }
  });

  it('finds that the store of documents is away', async () => {
    expect((await doctor()).of('documents')?.state).to.equal('ok');
    const { code, of } = await doctor({
      BLOB_STORE: 's3',
      S3_ENDPOINT: 'http://127.0.0.1:1',
      S3_REGION: 'eu-central-1',
      S3_BUCKET: 'letters-documents',
      S3_ACCESS_KEY_ID: 'key-of-nobody',
      S3_SECRET_ACCESS_KEY: 'secret-of-nobody',
      S3_FORCE_PATH_STYLE: 'true',
    });
    expect(code).to.equal(2);
    expect(of('documents')?.state).to.equal('fail');
    expect(of('documents')?.found).to.contain('the blob store failed to put a document');
  });

  it('prints no secret that came in a file', async () => {
    const file = join(dataDir, 'rpc-url');
    await writeFile(file, 'https://project:very-secret@127.0.0.1:1/rpc\n');
    const { out, of } = await doctor({
      X402_NETWORK: 'base-sepolia',
      X402_PAY_TO: `0x${'1'.repeat(40)}`,
      X402_SIGNER_KEY: `0x${'2'.repeat(64)}`,
      X402_RPC_URL_FILE: file,
    });
    expect(of('chain')?.state).to.equal('fail');
    expect(out).not.to.contain('very-secret');
  });

  it('says that the facilitator does not answer, without the key in its address', async () => {
    const { out, of } = await doctor({
      X402_NETWORK: 'base-sepolia',
      X402_PAY_TO: `0x${'1'.repeat(40)}`,
      X402_FACILITATOR_URL: 'http://127.0.0.1:1/very-secret',
      X402_RPC_URL: 'http://127.0.0.1:1/rpc',
    });
    expect(of('facilitator')).to.include({
      state: 'fail',
      found: 'it does not answer GET /supported',
    });
    expect(out).not.to.contain('very-secret');
  });

  it('names a wrong setting instead of ending', async () => {
    const { code, of, answer } = await doctor({ PORT: 'first' });
    expect(code).to.equal(2);
    expect(answer.checks.map(({ name }) => name)).to.deep.equal(['configuration']);
    expect(of('configuration')?.found).to.match(/^PORT must be/);
  });

  it('says once that the database does not answer', async () => {
    const { code, answer, of } = await doctor({ DATABASE_URL: 'postgres://x:y@127.0.0.1:1/z' });
    expect(code).to.equal(2);
    expect(of('database')?.found).to.contain('ECONNREFUSED');
    const failed = answer.checks.filter(({ found }) => found.includes('ECONNREFUSED'));
    expect(failed.map(({ name }) => name)).to.deep.equal(['database']);
  });

  it('sees a master key that others can read, and one that does not fit', async () => {
    await chmod(join(dataDir, 'master.key'), 0o644);
    expect((await doctor()).of('master key')?.found).to.contain('can be read by other users');
    await chmod(join(dataDir, 'master.key'), 0o600);
    const { of } = await doctor({ MASTER_KEY: '00'.repeat(32) });
    expect(of('master key')?.found).to.equal('MASTER_KEY is not the key of this database');
    expect(of('signing keys')?.state).to.equal('fail');
  });
});
