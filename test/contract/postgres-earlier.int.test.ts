import { expect } from 'chai';
import pg from 'pg';
import { createPostgresEventStore } from '../../infra/event-store/postgres/index.ts';
import { migrate } from '../../infra/schema/migrate.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { anEvent } from './event-store.ts';

/** The log as version 0.2.0 made it, with two events. */
const earlier = `
create schema event_log;
create table event_log.head (
  only_row boolean primary key default true check (only_row), position bigint not null
);
insert into event_log.head (position) values (2);
create table event_log.events (
  position bigint primary key,
  stream   text collate "C" not null,
  version  bigint not null,
  id       uuid not null,
  type     text collate "C" not null,
  data     text collate "C" not null,
  metadata text collate "C" not null,
  constraint events_stream_version unique (stream, version),
  constraint events_id unique (id),
  constraint events_data_object check (json_typeof(data::json) = 'object'),
  constraint events_metadata_object check (json_typeof(metadata::json) = 'object')
);
alter table event_log.events alter column metadata set storage external;
create function event_log.append(
  p_streams text, p_expected bigint[], p_counts int[],
  p_requests int[], p_nth int[], p_ids uuid[], p_types text, p_data text, p_metadata text
) returns table (outcome text, last_version bigint, last_position bigint)
language sql as 'select null::text, null::bigint, null::bigint';
insert into event_log.events values
  (1, 'a', 0, '8f4c2a10-0000-4000-8000-000000000001', 'Happened', '{"n":1}', '{"sealed":"${'x'.repeat(3_000)}"}'),
  (2, 'a', 1, '8f4c2a10-0000-4000-8000-000000000002', 'Happened', '{"n":2}', '{}');`;

describe('a log that an earlier version made', () => {
  it('goes on as it is: old events byte for byte, new ones behind them, also when it is opened again', async () => {
    const { url, drop } = await emptyDatabase();
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    const facts = async (text: string) => (await admin.query(text)).rows;
    try {
      await admin.query(earlier);
      const before = await facts('select * from event_log.events order by position');
      for (const expected of [1n, 2n]) {
        await migrate(url);
        const store = await createPostgresEventStore({ url });
        const event = anEvent({ metadata: `{"sealed":"${'y'.repeat(3_000)}"}` });
        expect(await store.append('a', expected, [event])).to.deep.equal({
          version: expected + 1n,
          position: expected + 2n,
        });
        expect((await store.readStream('a')).at(-1)).to.include(event);
        await store.close();
      }
      const rows = await facts('select * from event_log.events order by position');
      expect(rows.slice(0, 2)).to.deep.equal(before);
      expect(rows).to.have.length(4);
      const checks = await facts(
        "select conname from pg_constraint where conrelid = 'event_log.events'::regclass and contype = 'c'",
      );
      expect(checks).to.deep.equal([]);
      // The one of 13 arguments is for processes of the version before, which know no roots.
      const appends = await facts(
        "select pronargs from pg_proc where proname = 'append' order by pronargs",
      );
      expect(appends).to.deep.equal([{ pronargs: 13 }, { pronargs: 14 }]);
    } finally {
      await admin.end();
      await drop();
    }
  });
});
