import { expect } from 'chai';
import {
  createCommandStreams,
  sweepCommandStreams,
} from '../../infra/event-store/command-streams.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { freshDatabase } from '../support/postgres.ts';

describe('the streams that commands claimed', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: ReturnType<typeof createReadDb>;

  before(async () => {
    database = await freshDatabase();
    db = createReadDb({ url: database.url, max: 2, applicationName: 'test', onError: () => {} });
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  it('are known for 30 days', async () => {
    const { claim } = createCommandStreams(db);
    for (const id of ['old', 'recent'])
      expect(await claim(id, `letter-${id}`)).to.equal(`letter-${id}`);
    const age = (id: string, interval: string) =>
      db.query(
        'update commands.streams set claimed_at = now() - $2::interval where command_id = $1',
        [id, interval],
      );
    await age('old', '31 days');
    await age('recent', '29 days');
    expect(await claim('old', 'letter-other')).to.equal('letter-old');
    expect(await sweepCommandStreams(db)).to.equal(1);
    expect(await claim('recent', 'letter-other')).to.equal('letter-recent');
    expect(await claim('old', 'letter-other')).to.equal('letter-other');
  });
});
