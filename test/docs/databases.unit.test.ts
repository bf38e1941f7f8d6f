import { expect } from 'chai';
import { judgeDatabase } from '../../infra/postgres/check-database.ts';
import { guide } from './guides.ts';

const settings = {
  fsync: true,
  fullPageWrites: true,
  synchronousCommit: 'on',
  connectionLimit: 97,
  connections: 20,
  inRecovery: false,
  readOnly: false,
};

describe('the guides to databases', () => {
  it('name the oldest PostgreSQL that the service takes', () => {
    const [, named] = /PostgreSQL (\d+) or newer/.exec(guide('docs/operations.md')) ?? [];
    const oldest = Number(named) * 10_000;
    expect(judgeDatabase({ ...settings, version: oldest }, 24).state).to.equal('ok');
    expect(judgeDatabase({ ...settings, version: oldest - 1 }, 24).state).to.equal('fail');
  });

  it('agree on the order of backups with EventStoreDB: the log is never the older one', () => {
    const steps = guide('docs/eventstoredb.md')
      .split('\n## Backup\n')[1]
      ?.split('So, while the service runs:')[1]
      ?.matchAll(/^\d\. Back up (.*?)[,:]/gm);
    expect([...(steps ?? [])].map(([, what]) => what)).to.deep.equal([
      'PostgreSQL',
      'the log',
      'the two tables with keys once more',
    ]);
    expect(guide('docs/deployment.md').replaceAll(/\s+/g, ' ')).to.include(
      'With the log in EventStoreDB: first PostgreSQL, then the log, then the two tables with keys once more',
    );
  });
});
