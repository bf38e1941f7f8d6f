/** Commands of a version that has not been started on the database yet. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { withFoundation } from '../support/foundation.ts';
import { runOperator } from '../support/operator.ts';
import { freshDatabase } from '../support/postgres.ts';

describe('an operator command before the first start of its version', function () {
  this.timeout(60_000);
  let dataDir = '';
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  const list = () => runOperator({ DATABASE_URL: database.url, DATA_DIR: dataDir }, ['accounts']);

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'letters-test-unfilled-'));
    database = await freshDatabase();
    await withFoundation({ dataDir, databaseUrl: database.url }, () => Promise.resolve());
  });
  afterEach(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('says that the service has to be started where a read model is missing', async () => {
    const { code, err } = await list();
    expect(err).to.match(/^The command needs read models that this version has not filled yet/);
    expect(err).to.contain('Start the service of this version first');
    expect(code).to.equal(1);
  });

  it('says the same where an earlier version filled a read model without a column', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client
      .query(`create view read_models.accounts as select 'acct_1' as account_id;
        insert into read_models.projections (name, version, generation) values ('accounts', 1, 1)`)
      .finally(() => client.end());
    const { code, err } = await list();
    expect(err).to.contain('Start the service of this version first');
    expect(err).to.not.contain('does not exist');
    expect(code).to.equal(1);
  });
});
