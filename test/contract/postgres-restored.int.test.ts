import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { OtherLog, StoreUnavailable } from '../../events/event-store.ts';
import { asPosition } from '../../events/position.ts';
import { createPostgresEventStore } from '../../infra/event-store/postgres/index.ts';
import { createSubscribe } from '../../infra/event-store/postgres/subscribe.ts';
import { freshDatabase } from '../support/postgres.ts';
import { eventually } from '../support/service-process.ts';
import { readUntil, rejection, someEvents } from './event-store.ts';

describe('a PostgreSQL log that is restored while it is followed', function () {
  this.timeout(180_000);

  for (const lost of ['append', 'listen', 'read-log', '%'])
    it(`is refused when it lost what was read of it, and the connections letters-${lost} ended, by every follower`, async () => {
      const { url, drop } = await freshDatabase();
      const admin = new pg.Client({ connectionString: url });
      await admin.connect();
      const store = await createPostgresEventStore({ url });
      const events = someEvents(5);
      const { position } = await store.append('a', 'no-stream', events);
      await readUntil(store, events.at(-1)?.id ?? '', { after: 0n });
      const follow = () => store.subscribe({ after: position })[Symbol.asyncIterator]().next();
      const connected = async () => {
        const { rowCount } = await admin.query(`select from pg_stat_activity
        where datname = current_database() and application_name like 'letters-${lost}'`);
        return (rowCount ?? 0) > 0 ? true : undefined;
      };
      const waiting = rejection(follow());
      await eventually('a connection is open', connected);

      await admin.query(`begin; alter table event_log.events disable trigger user;
      delete from event_log.events where position > 2; update event_log.head set position = 2;
      alter table event_log.events enable trigger user; commit`);
      await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and application_name like 'letters-${lost}'`);
      await admin.end();

      expect(await waiting).to.be.instanceOf(OtherLog);
      expect(await rejection(follow())).to.be.instanceOf(OtherLog);
      await store.close();
      await drop();
    });

  for (const lost of ['append', '%'])
    it(`gets nothing from a process that follows nothing, once the connections letters-${lost} ended`, async () => {
      const { url, drop } = await freshDatabase();
      const admin = new pg.Client({ connectionString: url });
      await admin.connect();
      const store = await createPostgresEventStore({ url });
      await store.append('a', 'no-stream', someEvents(5));
      const endConnections = () =>
        admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
          and application_name like 'letters-${lost}'`);
      await endConnections();
      await store.append('a', 4n, someEvents(1));

      await admin.query(`begin; alter table event_log.events disable trigger user;
      delete from event_log.events where position > 2; update event_log.head set position = 2;
      alter table event_log.events enable trigger user; commit`);
      await endConnections();
      for (let n = 0; n < 2; n++) {
        const refused = await rejection(store.append('b', 'no-stream', someEvents(1)));
        expect(refused).to.be.instanceOf(StoreUnavailable);
        expect(refused).to.have.property('cause').that.is.instanceOf(OtherLog);
      }
      const { rowCount } = await admin.query('select from event_log.events');
      expect(rowCount).to.equal(2);
      await admin.end();
      await store.close();
      await drop();
    });

  it('is refused when its connections ended while one that listens was being made', async () => {
    const link = { losses: 0, checked: 0 };
    const lost = async () => {
      throw new OtherLog({ position: asPosition(5n), id: 'a' }, undefined);
    };
    const subscribe = createSubscribe({
      listener: { get: () => Promise.reject(new Error('terminating connection')) },
      sameLog: { keep: () => {}, check: lost },
      readAll: async () => [],
      link,
      nextWake: () => pause(1, false),
      knownHead: () => 0n,
    });
    const { signal } = new AbortController();
    const batches = subscribe(
      asPosition(5n),
      10,
      signal,
      () => expect.fail('the database answers'),
      () => {},
    );
    expect(await rejection(batches.next())).to.be.instanceOf(OtherLog);
  });
});
