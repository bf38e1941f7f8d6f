import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type EventStore, StoreUnavailable } from '../../events/event-store.ts';
import { createEventStoreDb } from '../../infra/event-store/eventstoredb.ts';
import {
  type EventStoreDbServer,
  type ServerOptions,
  startEventStoreDbServer,
} from '../support/eventstoredb-server.ts';
import { anEvent, readUntil, rejection } from './event-store.ts';

const run = promisify(execFile);
const certificates = `${import.meta.dirname}/../support/certificates`;
const pem = (name: string) => readFileSync(`${certificates}/${name}.pem`, 'utf8');
const tls = { cert: pem('server'), key: pem('server-key'), ca: pem('ca') };
const users = { letters: { password: 'p@ss:word/?', readsAll: true }, poor: { password: 'poor' } };
const retry = { giveUpAfterMs: 3_000, minDelayMs: 10, maxDelayMs: 100 };

describe('connections to EventStoreDB', function () {
  this.timeout(180_000);
  const servers: EventStoreDbServer[] = [];
  const stores: EventStore[] = [];
  const warnings: string[] = [];

  const serve = async (options: ServerOptions = {}) => {
    const server = await startEventStoreDbServer(options);
    servers.push(server);
    return server;
  };
  const open = (connectionString: string) => {
    const line = (_: object, text: string) => void warnings.push(text);
    const log = { warn: line, error: line };
    const store = createEventStoreDb({ connectionString, retry, timeoutMs: 1_000, log });
    stores.push(store);
    return store;
  };
  const works = async (store: EventStore) => {
    const event = anEvent();
    await store.append(`s-${event.id}`, 'no-stream', [event]);
    const seen = await readUntil(store, event.id, { after: 0n });
    expect(seen.at(-1)?.id).to.equal(event.id);
  };

  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await Promise.all(servers.splice(0).map((server) => server.close()));
    warnings.splice(0);
  });

  it('trusts the authority of tlsCAFile, and sends a password with every character', async () => {
    const { port } = await serve({ tls, users });
    const password = encodeURIComponent(users.letters.password);
    await works(
      open(`esdb://letters:${password}@localhost:${port}?tlsCAFile=${certificates}/ca.pem`),
    );
  });

  it('does not trust a server that no known authority vouches for', async () => {
    const { port } = await serve({ tls, users });
    const error = await rejection(open(`esdb://letters:x@localhost:${port}`).head());
    expect(error)
      .to.be.instanceOf(StoreUnavailable)
      .and.have.property('message')
      .match(/certificate/);
  });

  for (const variable of ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS']) {
    it(`trusts what the machine trusts: the authority of ${variable}`, async () => {
      const { port } = await serve({ tls, users });
      const program = `
        const { createEventStoreDb } = await import('./infra/event-store/eventstoredb.ts');
        const store = createEventStoreDb({
          connectionString: 'esdb://letters:${encodeURIComponent(users.letters.password)}@localhost:${port}',
        });
        console.log(String(await store.head()));
        await store.close();`;
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
        cwd: `${import.meta.dirname}/../..`,
        env: { ...process.env, [variable]: `${certificates}/ca.pem` },
      });
      expect(stdout.trim()).to.equal('0');
    });
  }

  it('shows the certificate of a user', async () => {
    const { port } = await serve({ tls });
    const files = `userCertFile=${certificates}/user.pem&userKeyFile=${certificates}/user-key.pem`;
    const store = open(`esdb://localhost:${port}?tlsCAFile=${certificates}/ca.pem&${files}`);
    await works(store);
    expect(servers[0]?.certificates).to.include('letters');
    expect(servers[0]?.calls.batchAppend).to.equal(0);
  });

  const denials = [
    ['a wrong password', 'letters:wrong', /server does not know user "letters" with this password/],
    ['an unknown user', 'nobody:wrong', /server does not know user "nobody" with this password/],
  ] as const;
  for (const [what, login, message] of denials) {
    it(`says so of ${what}, at every call, and never the password`, async () => {
      const { port } = await serve({ tls, users });
      const store = open(`esdb://${login}@localhost:${port}?tlsCAFile=${certificates}/ca.pem`);
      const calls = [
        () => store.append('a', 'no-stream', [anEvent()]),
        () => store.readStream('a'),
        () => store.readAll({ after: 0n }),
        () => store.head(),
      ];
      for (const call of calls) {
        const error = await rejection(call());
        expect(error)
          .to.be.instanceOf(StoreUnavailable)
          .and.have.property('message')
          .match(message);
        expect(String(error)).not.to.include('wrong@').and.not.include('wrong:');
      }
    });
  }

  it('says which right a user lacks who may append and read streams but not the log', async () => {
    const { port } = await serve({ tls, users });
    const store = open(`esdb://poor:poor@localhost:${port}?tlsCAFile=${certificates}/ca.pem`);
    await store.append('a', 'no-stream', [anEvent()]);
    expect(await store.readStream('a')).to.have.length(1);
    const lacks = /user "poor" lacks a right: .*\$all.*readRoles/;
    for (const call of [() => store.head(), () => store.readAll({ after: 0n })]) {
      expect(await rejection(call()))
        .to.have.property('message')
        .match(lacks);
    }
  });

  it('tells a subscriber what a user may not, and goes on when the user may', async () => {
    const rights = { poor: { password: 'poor', readsAll: false } };
    const { port } = await serve({ tls, users: rights });
    const store = open(`esdb://poor:poor@localhost:${port}?tlsCAFile=${certificates}/ca.pem`);
    const event = anEvent();
    await store.append('a', 'no-stream', [event]);
    const told: string[] = [];
    const onIncident = (error: unknown) => {
      told.push(String(error));
      rights.poor.readsAll = true;
    };
    for await (const batch of store.subscribe({ after: 0n, onIncident })) {
      if (batch.events.some(({ id }) => id === event.id)) break;
    }
    expect(told[0]).to.match(/reading the log is refused: user "poor" lacks a right/);
  });

  it('says that nobody was named to a server that wants to know who calls', async () => {
    const server = await serve();
    server.faults.deniedAppends = 1;
    const error = await rejection(
      open(server.connectionString).append('a', 'no-stream', [anEvent()]),
    );
    expect(error)
      .to.have.property('message')
      .match(/wants to know who calls: give EVENTSTORE_URL/);
  });

  it('warns that a user and password are not sent without TLS', async () => {
    const { port } = await serve();
    await works(open(`esdb://letters:secret@127.0.0.1:${port}?tls=false`));
    expect(warnings.join())
      .to.match(/not sent/)
      .and.not.include('secret');
  });

  it('finds the leader of a cluster by any of several hosts, also when the first is down', async () => {
    const [leader, follower] = [await serve(), await serve()];
    follower.follow({ host: '127.0.0.1', port: leader.port });
    const hosts = `127.0.0.1:1,127.0.0.1:${follower.port}`;
    await works(open(`esdb://${hosts}?tls=false`));
    await works(open(`esdb+discover://${hosts}?tls=false`));
    await works(open(`kurrentdb+discover://127.0.0.1:${follower.port}?tls=false`));
    expect(leader.calls.append).to.be.at.least(3);
    expect(follower.log.all.some(({ stream }) => stream.startsWith('s-'))).to.equal(false);
  });

  for (const preference of ['leader', 'follower', 'random', 'readOnlyReplica']) {
    it(`works with nodePreference=${preference}`, async () => {
      const [leader, follower] = [await serve(), await serve()];
      follower.follow({ host: '127.0.0.1', port: leader.port });
      const hosts = `127.0.0.1:${leader.port},127.0.0.1:${follower.port}`;
      await works(open(`esdb://${hosts}?tls=false&nodePreference=${preference}`));
      expect(follower.log.all.some(({ stream }) => stream.startsWith('s-'))).to.equal(false);
    });
  }

  it('finds the new leader when the old one dies', async () => {
    const [old, next] = [await serve(), await serve()];
    next.follow({ host: '127.0.0.1', port: old.port });
    const store = open(`esdb://127.0.0.1:${old.port},127.0.0.1:${next.port}?tls=false`);
    await works(store);
    // It has what the old one had, as the majority of a cluster has.
    for (const { stream, ...event } of old.log.all) {
      if (!stream.startsWith('$')) next.log.append(stream, 'any', [event]);
    }
    next.follow();
    await old.close();
    await works(store);
    expect(next.calls.append).to.be.at.least(1);
  });
});
