import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import {
  EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { expect } from 'chai';
import { rejection } from '../contract/event-store.ts';
import { type EventStoreDbServer, startEventStoreDbServer } from './eventstoredb-server.ts';

const happened = (n: number) => jsonEvent({ type: 'Happened', data: { n } });

describe('EventStoreDB stand-in server, used through the plain client', () => {
  let server: EventStoreDbServer;
  let client: EventStoreDBClient;

  beforeEach(async () => {
    server = await startEventStoreDbServer();
    client = EventStoreDBClient.connectionString(server.connectionString);
  });
  afterEach(async () => {
    await client.dispose();
    await server.close();
  });

  it('answers the batch call: appended, there already, wrong revision', async () => {
    const events = [happened(1), happened(2)];
    const options = { expectedRevision: NO_STREAM } as const;
    const first = await client.appendToStream('a', events, options);
    expect(first.nextExpectedRevision).to.equal(1n);
    expect(first.position?.commit).to.equal(server.log.stream('a')[1]?.position);
    const again = await client.appendToStream('a', events, options);
    expect(again).to.deep.equal(first);
    const error = await rejection(client.appendToStream('a', happened(3), options));
    expect(error).to.be.instanceOf(WrongExpectedVersionError).and.include({ actualVersion: 1n });
    expect(server.calls).to.include({ append: 0, batchAppend: 3 });
  });

  it('appends a duplicate for a known id at the right revision, as the real server does', async () => {
    const event = happened(1);
    await client.appendToStream('a', event, { expectedRevision: NO_STREAM });
    await client.appendToStream('a', event, { expectedRevision: 0n });
    expect(server.log.stream('a').map(({ id }) => id)).to.deep.equal([event.id, event.id]);
  });

  it('answers gossip, so that a client can discover it', async () => {
    const [, host] = /\/\/([^?]+)/.exec(server.connectionString) ?? [];
    const discovering = EventStoreDBClient.connectionString(`esdb+discover://${host}?tls=false`);
    const result = await discovering.appendToStream('a', happened(1));
    expect(result.success).to.equal(true);
    await discovering.dispose();
  });

  it('runs as a script that prints its connection string', async () => {
    const script = spawn(process.execPath, [
      `${import.meta.dirname}/eventstoredb-server.ts`,
      '--port',
      '0',
    ]);
    const [line] = await once(createInterface(script.stdout), 'line');
    const remote = EventStoreDBClient.connectionString(String(line));
    const result = await remote.appendToStream('a', happened(1));
    expect(result.nextExpectedRevision).to.equal(0n);
    await remote.dispose();
    const exit = once(script, 'exit');
    script.kill();
    expect((await exit)[0]).to.equal(0);
  });
});
