import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import type { EventStore } from '../../events/event-store.ts';
import { signJwt } from '../../identity/jwt.ts';
import { createResolver } from '../../identity/resolver.ts';
import { verifyCredential } from '../../identity/verify-credential.ts';
import { createIssuerAt } from '../../infra/identity/issuer-at.ts';
import { createContinuations } from '../../infra/identity/published-identity.ts';
import { LogDiffers, reissueCredentials } from '../../infra/identity/reissue.ts';
import { openServiceKeys } from '../../infra/identity/service-keys.ts';
import { createVerifyPorts } from '../../infra/identity/verify-ports.ts';
import { credentialPortsOf } from '../../operator/verify/credential-ports.ts';
import { createCredentialCheck } from '../../operator/verify/credentials.ts';
import { createFindings } from '../../operator/verify/findings.ts';
import {
  accountEvents,
  type CredentialWorld,
  createCredentialWorld,
  letterEvents,
} from '../support/credential-world.ts';
import { createTestKeyring } from '../support/keyring.ts';
import { leastOf, tookMs } from '../support/least-of.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';
import { eventually } from '../support/service-process.ts';

const clock = Date.now;

describe('the keys of the service', function () {
  this.timeout(180_000);
  let world: CredentialWorld;
  beforeEach(async () => {
    world = await createCredentialWorld();
  });
  afterEach(() => world.close());

  const issueAll = async (): Promise<void> => {
    const issuing = world.issuing();
    const head = await world.store.head();
    await eventually('all is issued', () => issuing.status().position === head);
    await issuing.stop();
  };
  const identityEvents = () => world.store.readStream('service-identity');
  const storedKeys = async (): Promise<string[]> => {
    const { rows } = await world.db.query<{ key_id: string }>(
      'select key_id from identity.private_keys order by 1',
    );
    return rows.map((row) => row.key_id);
  };

  it('are made once, however many processes start at the same time', async () => {
    // A second log in the same database: older than any identity.
    const store = createMemoryEventStore();
    const at = '2026-01-02T03:04:05.006Z';
    const metadata = JSON.stringify({ at, schema: 1, command: 'c', actor: 'a', prev: '' });
    await store.append('old-1', 'no-stream', [
      { id: randomUUID(), type: 'Old', data: '{}', metadata },
    ]);
    const before = await storedKeys();
    const keyring = createTestKeyring();
    const open = () =>
      openServiceKeys({
        store,
        handler: createCommandHandler({ store, dataKeys: createMemoryDataKeys(), clock }),
        db: world.db,
        keyring,
        clock,
        log: { warn: () => {}, error: () => {} },
        baseUrl: undefined,
        moves: true,
      });
    const opened = await Promise.all([open(), open(), open(), open()]);
    expect(await store.readAll({ after: 0n })).to.have.length(2);
    expect(new Set(opened.map((keys) => keys.identity().did)).size).to.equal(1);
    expect(await storedKeys()).to.have.length(before.length + 4);
    // They vouch for the credentials before them, too.
    expect(opened[0]?.identity().keys.map(({ validFrom }) => validFrom)).to.deep.equal([
      at,
      at,
      at,
      at,
    ]);
    await Promise.all(opened.map((keys) => keys.close()));
  });

  it('say under which name the service goes on after a move, except those that were revoked', async () => {
    const { did } = world.keys.identity();
    const credential = world.keys.activeKey('credential');
    const moved = await world.openKeys('https://letters.example');
    const continuations = createContinuations(moved, 'letters.example');
    const [former, ...others] = continuations().dids;
    expect([former?.did, others]).to.deep.equal([did, []]);
    const origins = continuations().origins.map(({ origin }) => origin);
    expect(origins).to.deep.equal(['letters.local']);
    await moved.revoke(credential.keyId, 0);
    expect(continuations().dids).to.deep.equal([]);
    await moved.close();
  });

  it('say under which did:key the service goes on after a rotation', async () => {
    const { did: before } = world.keys.identity();
    await world.keys.rotate(['credential']);
    const { did: after } = world.keys.identity();
    const [former, ...others] = createContinuations(world.keys, 'letters.local')().dids;
    expect([former?.did, others]).to.deep.equal([before, []]);
    const [, claims = ''] = former?.statement.split('.') ?? [];
    const said = JSON.parse(Buffer.from(claims, 'base64url').toString());
    expect(said).to.deep.equal({ iss: before, sub: after });
  });

  it('lie sealed in the database, and nowhere else', async () => {
    const { rows } = await world.db.query<{ sealed: string }>(
      'select sealed from identity.private_keys',
    );
    expect(rows).to.have.length(4);
    for (const { sealed } of rows) {
      // iv, seed and tag
      expect(Buffer.from(sealed, 'base64url')).to.have.length(12 + 32 + 16);
    }
    const events = JSON.stringify((await identityEvents()).map(({ data }) => data));
    for (const { sealed } of rows) expect(events).to.not.include(sealed);
  });

  it('say what is wrong when its root is another one', async () => {
    const failed = await openServiceKeys({
      ...world,
      keyring: createTestKeyring(),
      clock,
      log: { warn: () => {}, error: () => {} },
      baseUrl: undefined,
      moves: false,
    }).catch((error) => error);
    expect(failed).to.be.instanceOf(Error);
    expect(failed.message).to.match(
      /does not open: is the table identity.private_keys of the same backup as keys.roots\?$/,
    );
  });

  it('are followed by other processes within a second', async () => {
    const other = await world.openKeys();
    const rotate = async (): Promise<number> => {
      const before = other.identity();
      await world.keys.rotate(['ucan']);
      return tookMs(() => eventually('the other sees it', () => other.identity() !== before));
    };
    expect(await leastOf(1_000, rotate)).to.be.below(1_000);
    expect(other.activeKey('ucan')).to.deep.equal(world.keys.activeKey('ucan'));
    expect(other.signingKey('ucan').multikey).to.equal(world.keys.activeKey('ucan').publicKey);
    expect(new Set(other.ucanRoots().map(({ revoked }) => revoked))).to.deep.equal(
      new Set([false]),
    );
    await other.close();
  });

  it('are looked for one read at a time while the log does not answer, which is logged once', async () => {
    const store = createMemoryEventStore();
    const lines: string[] = [];
    let reads = 0;
    let away = Promise.withResolvers<never>();
    let isAway = false;
    const keys = await openServiceKeys({
      store: {
        ...store,
        readStream: (...asked) => {
          if (!isAway) return store.readStream(...asked);
          reads++;
          return away.promise;
        },
      },
      handler: createCommandHandler({ store, dataKeys: createMemoryDataKeys(), clock }),
      db: world.db,
      keyring: createTestKeyring(),
      clock,
      log: { warn: (_, text) => lines.push(text), error: (_, text) => lines.push(text) },
      baseUrl: undefined,
      moves: true,
    });
    try {
      isAway = true;
      await eventually('it is looked', () => reads === 1);
      await pause(1_200);
      expect([reads, lines]).to.deep.equal([1, []]);
      for (let times = 2; times <= 4; times++) {
        const before = away;
        away = Promise.withResolvers<never>();
        before.reject(new Error('the log is away'));
        await eventually('it is looked again', () => reads === times);
      }
      expect(lines).to.deep.equal(['the service keys cannot be read from the log']);
      isAway = false;
      away.reject(new Error('the log is away'));
      await eventually('the end is logged', () => lines.at(-1) === 'goes on again');
    } finally {
      keys.close();
    }
  });

  it('move with the address of the service only, and not with a command beside it', async () => {
    const beside = await world.openKeys('https://letters.example', false);
    expect(await identityEvents()).to.have.length(1);
    await beside.close();
    const moved = await world.openKeys('https://letters.example');
    expect(moved.identity()).to.include({ did: 'did:web:letters.example', reason: 'moved' });
    await moved.close();
    const again = await world.openKeys('https://letters.example');
    await again.close();
    expect(await identityEvents()).to.have.length(2);
  });

  const verifyAll = async (store: Pick<EventStore, 'readStream'> = world.store) => {
    const verify = createVerifyPorts({
      keys: world.keys,
      credentials: world.credentials,
      store,
      spendChallenge: async () => true,
      resolver: { resolve: () => Promise.reject(new Error('nobody else is asked')) },
      clock,
    });
    const stored = await world.credentials.range(0, 1_000);
    return Promise.all(stored.map(({ jwt }) => verifyCredential(jwt, verify())));
  };

  it('sign under the new one after a rotation, and what the old one signed stays valid', async () => {
    await world.append(...accountEvents());
    const before = world.keys.identity().did;
    await world.keys.rotate(['credential']);
    await world.append(...letterEvents());
    await issueAll();
    const verified = await verifyAll();
    expect(verified.map(({ valid }) => valid)).to.not.include(false);
    const after = world.keys.identity().did;
    expect(before).to.not.equal(after);
    expect(verified.map(({ issuer }) => issuer)).to.deep.equal([
      ...Array(3).fill(before),
      ...Array(7).fill(after),
    ]);
  });

  it('stay valid after a rotation for all events from a clock that was ahead, not only for the latest', async () => {
    const ahead = new Date(clock() + 600_000).toISOString();
    await world.append(...accountEvents().map((event) => ({ ...event, at: ahead })));
    await world.append(...letterEvents());
    await issueAll();
    await world.keys.rotate();
    const keys = world.keys.identity().keys.filter(({ state }) => state === 'retired');
    const credential = keys.find(({ purpose }) => purpose === 'credential');
    expect(credential?.validUntil).to.equal(ahead);
    await world.keys.rotate(['credential']);
    const second = world.keys.identity().keys.filter(({ purpose }) => purpose === 'credential')[1];
    expect(Date.parse(second?.validUntil ?? '')).to.be.at.most(clock());
  });

  it('after a revocation count above the trusted size only when the event in the store is theirs', async () => {
    await world.append(...accountEvents(), ...letterEvents());
    await issueAll();
    await world.keys.revoke(world.keys.activeKey('credential').keyId, 5);
    await world.append(...letterEvents('next'));
    await issueAll();
    expect((await verifyAll()).map(({ valid }) => valid)).to.not.include(false);

    const others = async (...[stream, options]: Parameters<EventStore['readStream']>) => {
      const events = await world.store.readStream(stream, options);
      return events.map((event) => ({ ...event, data: event.data.replace('{', '{"more":1,') }));
    };
    const size = 9;
    for (const readStream of [async () => [], others]) {
      const verified = await verifyAll({ readStream });
      expect(verified.map(({ valid }) => valid)).to.deep.equal([
        ...Array(5).fill(true),
        ...Array(size - 5).fill(false),
        ...Array(7).fill(true),
      ]);
      expect(verified[5]?.checks.find(({ ok }) => !ok)?.code).to.equal('key_revoked');
    }
  });

  it('of a did:web are told apart by their ids, before and after', async () => {
    await world.close();
    world = await createCredentialWorld({ baseUrl: 'https://letters.example:8443/post' });
    await world.append(...accountEvents());
    await world.keys.rotate(['credential']);
    const second = world.keys.activeKey('credential').keyId;
    await world.append(...letterEvents());
    await issueAll();
    await world.keys.revoke(second, 5);
    await world.append(...letterEvents('next'));
    await issueAll();
    const verified = await verifyAll({ readStream: async () => [] });
    expect(verified.map(({ valid }) => valid)).to.deep.equal([
      ...Array(5).fill(true),
      ...Array(5).fill(false),
      ...Array(7).fill(true),
    ]);
    const issuers = new Set(verified.map(({ issuer }) => issuer));
    expect([...issuers]).to.deep.equal(['did:web:letters.example%3A8443:post']);
  });

  it('of a did:web vouch under their own did:key only for credentials in the log', async () => {
    await world.close();
    world = await createCredentialWorld({ baseUrl: 'https://letters.example' });
    const key = world.keys.signingKey('credential');
    const credentialSubject = { letterId: 'x', status: 'delivered' };
    const header = { alg: 'EdDSA', kid: `${key.did}#${key.multikey}`, typ: 'JWT' };
    const payload = {
      iss: key.did,
      sub: `urn:uuid:${randomUUID()}`,
      jti: `urn:uuid:${randomUUID()}`,
      nbf: 1_700_000_000,
      vc: {
        '@context': ['https://www.w3.org/2018/credentials/v1'],
        type: ['VerifiableCredential', 'LetterEventCredential'],
        credentialSubject,
      },
    };
    const forged = signJwt(header, payload, (data) => key.sign(data));
    const verify = createVerifyPorts({
      ...world,
      spendChallenge: async () => true,
      resolver: createResolver({
        fetchDocument: () => Promise.reject(new Error('nobody else is asked')),
        own: () => undefined,
        clock,
      }),
      clock,
    });
    const failed = async () =>
      (await verifyCredential(forged, verify())).checks.flatMap(({ code }) => code ?? []);
    expect(await failed()).to.deep.equal(['not_in_log']);
    await world.keys.revoke(world.keys.activeKey('credential').keyId, 0);
    expect(await failed()).to.include('key_revoked');
  });

  const check = async () => {
    const findings = createFindings();
    const storage = { readDb: world.db, credentials: world.credentials };
    const keys = { serviceKeys: world.keys };
    const ports = credentialPortsOf({ clock, storage, keys });
    const credentials = await createCredentialCheck(ports, findings);
    await credentials.check(await world.store.readAll({ after: 0n, limit: 10_000 }));
    await credentials.finish();
    return { details: findings.list().map(({ detail }) => detail), totals: credentials.totals() };
  };

  const reissue = () =>
    reissueCredentials({
      store: world.store,
      db: world.db,
      clock,
      issuerAt: createIssuerAt(world.keys),
    });

  const fill = async (): Promise<void> => {
    await world.append(...accountEvents(), ...letterEvents());
    await world.keys.rotate();
    for (let n = 0; n < 60; n++) await world.append(...letterEvents(`letter${n}`));
    await issueAll();
    await world.append(...letterEvents('last'));
    await issueAll();
  };

  it('make the same bytes when everything is issued again', async () => {
    await fill();
    const before = await world.credentials.range(0, 1_000);
    const checkpoint = await world.credentials.checkpoint();
    expect(await reissue()).to.deep.equal({ credentials: before.length });
    expect(await world.credentials.range(0, 1_000)).to.deep.equal(before);
    expect(await world.credentials.checkpoint()).to.deep.equal(checkpoint);
    expect((await check()).details).to.deep.equal([]);
    // And once more, with a writer at work.
    const issuing = world.issuing();
    const [, { credentials }] = await Promise.all([
      world.append(...letterEvents('meanwhile')),
      reissue(),
    ]);
    expect(credentials).to.be.at.least(before.length);
    const head = await world.store.head();
    await eventually('it goes on', async () => (await world.writer.place()).position === head);
    await issuing.stop();
    expect((await check()).details).to.deep.equal([]);
  });

  it('are never used to put another log in the place of the one that was published', async () => {
    await fill();
    const change = (tile: string) =>
      world.db.query(
        `update identity.tiles set hashes = set_byte(hashes, 10, get_byte(hashes, 10) # 1) where ${tile}`,
      );
    await change('level = 1 and index = 0');
    await change('level = 0 and index = 1');
    const refused = await reissue().catch((error) => error);
    expect(refused).to.be.instanceOf(LogDiffers);
    expect((await check()).details.join()).to.include('tile 0/1');
  });

  it('let a check find a credential that was changed, is missing or was made for nothing', async () => {
    await fill();
    expect(await check()).to.deep.include({ details: [] });
    const change = (statement: string) => world.db.query(statement);
    await change(`update identity.issued set status = 'x' where log_index = 4`);
    const changed = (await check()).details;
    expect(changed).to.include('the credential of the event is not the one that issuing gives');
    await change(`update identity.issued set signature = sha512(signature) where log_index = 4`);
    await change(`update identity.checkpoints set note = replace(note, '— letters', '— litters')`);
    expect((await check()).details.join()).to.match(/checkpoint of \d+ credentials is not signed/);
    await change(`update identity.checkpoints set note = replace(note, '— litters', '— letters')`);
    await change('delete from identity.issued where log_index = 4');
    expect((await check()).details).to.include('the event has no credential in its place');
  });

  it('let a check find a credential that nobody finds by its hash', async () => {
    await fill();
    const stored = await world.credentials.range(0, 1_000);
    const latest = stored.at(-1);
    if (!latest) throw new Error('there is no credential');
    await world.db.query('update identity.issued set hash = sha256(hash) where log_index = $1', [
      latest.logIndex,
    ]);
    expect((await check()).details).to.deep.equal([
      'the credential of the event is stored under another hash',
    ]);
  });

  it('count events that are still without', async () => {
    await world.append(...accountEvents());
    await issueAll();
    await world.append(...letterEvents());
    expect(await check()).to.deep.equal({ details: [], totals: { checked: 3, waiting: 6 } });
  });
});
