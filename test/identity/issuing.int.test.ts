import { hash } from 'node:crypto';
import { expect } from 'chai';
import { asPosition } from '../../events/position.ts';
import type { StoredCredential } from '../../identity/credential-log.ts';
import type { CredentialSubject } from '../../identity/event-credential.ts';
import { parseJwt } from '../../identity/jwt.ts';
import { publicKeyFromMultikey, verifySignature } from '../../identity/keys.ts';
import { emptyRoot, leafHash, nodeHash, verifyInclusion } from '../../identity/merkle.ts';
import { openCheckpoint } from '../../identity/note.ts';
import { cutCredentials } from '../../infra/identity/cut-log.ts';
import { renewCheckpoint } from '../../infra/identity/renew-checkpoint.ts';
import { LogMoved, type LogPlace } from '../../reactors/issue-credentials.ts';
import {
  accountEvents,
  accountId,
  type CredentialWorld,
  createCredentialWorld,
  letterEvents,
  letterId,
} from '../support/credential-world.ts';
import { eventually } from '../support/service-process.ts';
import { verifyConsistency } from '../support/verify-consistency.ts';

const subjectOf = ({ jwt }: StoredCredential): CredentialSubject =>
  (parseJwt(jwt, { maxBytes: 16_384 }).payload.vc as { credentialSubject: CredentialSubject })
    .credentialSubject;

const rootOf = (leaves: Buffer[]): Buffer => {
  if (leaves.length === 0) return emptyRoot;
  if (leaves.length === 1) return leaves[0] as Buffer;
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  return nodeHash(rootOf(leaves.slice(0, half)), rootOf(leaves.slice(half)));
};

describe('issuing credentials', function () {
  this.timeout(180_000);
  let world: CredentialWorld;

  beforeEach(async () => {
    world = await createCredentialWorld();
  });
  afterEach(() => world.close());

  const all = () => world.credentials.range(0, 100_000);

  /** Issues everything that is in the log, then stops. */
  const issueAll = async (): Promise<StoredCredential[]> => {
    const issuing = world.issuing();
    const head = await world.store.head();
    await eventually('every event has a credential', async () => {
      const { failing, position } = issuing.status();
      if (failing.length > 0) throw new Error(JSON.stringify(failing, (_, v) => String(v)));
      return position === head;
    });
    await issuing.stop();
    return all();
  };

  it('gives each event one credential, in the order of the log, chained per stream', async () => {
    await world.append(...accountEvents(), ...letterEvents());
    const credentials = await issueAll();
    const events = await world.store.readAll({ after: 0n });
    expect(credentials.map(({ eventId }) => eventId)).to.deep.equal(events.map(({ id }) => id));
    const last = new Map<string, string>();
    const key = publicKeyFromMultikey(world.keys.activeKey('credential').publicKey);
    for (const [n, credential] of credentials.entries()) {
      const { stream, jwt, sequence, position } = credential;
      const { signingInput, signature, header } = parseJwt(jwt, { maxBytes: 16_384 });
      expect(verifySignature(key, 'EdDSA', signingInput, signature)).to.equal(true);
      expect(header.kid).to.match(/^did:key:(z6Mk\w+)#\1$/);
      const subject = subjectOf(credential);
      expect(subject).to.include({ logIndex: n, stream, sequence });
      expect(subject.previousCredentialHash).to.equal(last.get(stream) ?? null);
      expect(position).to.equal(events[n]?.position);
      last.set(stream, `sha-256:${hash('sha256', jwt, 'base64url')}`);
    }
  });

  it('carries what later events of a letter do not say, and the DID of its owner', async () => {
    await world.append(accountEvents()[0] as never, ...letterEvents().slice(0, 3));
    await world.append(accountEvents()[1] as never, ...letterEvents().slice(3));
    await issueAll();
    const chain = (await world.credentials.ofStream(`letter-${letterId}`)).map(subjectOf);
    expect(chain.map(({ eventType, status }) => [eventType, status])).to.deep.equal([
      ['letter.queued', 'queued'],
      ['letter.processing_started', 'processing'],
      ['letter.tracking_number_assigned', 'processing'],
      ['letter.posted', 'posted'],
      ['letter.in_transit', 'in_transit'],
      ['letter.delivered', 'delivered'],
    ]);
    for (const subject of chain) {
      expect(subject).to.include({
        id: `urn:uuid:${letterId}`,
        letterId,
        account: accountId,
        test: false,
        service: 'de_einschreiben',
        intent: 'notice',
        country: 'DE',
        occurredAt: Date.parse('2026-11-21T10:00:00.123Z'),
      });
    }
    const did = 'did:key:z6MkjchhfUsD6mmvni8mCdXHw216Xrm9bQe2mBH1P5RDjVJG';
    const none = undefined;
    expect(chain.map(({ customer }) => customer)).to.deep.equal([none, none, none, did, did, did]);
    expect(chain[3]).to.include({ source: 'partner', inferred: true });
    expect(chain[5]).to.include({ source: 'carrier', evidence: 'signature' });
    const text = (await all()).map(({ jwt }) =>
      JSON.stringify(parseJwt(jwt, { maxBytes: 16_384 })),
    );
    expect(text.join()).to.not.match(/RR123456785DE|Berlin/);
  });

  it('gives an event of a type that it does not know a credential of its envelope', async () => {
    await world.append(...letterEvents(), {
      stream: `letter-${letterId}`,
      type: 'LetterLostAtSea',
      data: { status: 'lost', note: 'Captain Anna Müller says sorry' },
    });
    await world.append({ stream: 'chart-1', type: 'ChartDrawn', data: { drawnBy: 'Anna Müller' } });
    const credentials = await issueAll();
    const [lost, chart] = credentials.slice(-2).map(subjectOf);
    expect(lost).to.include({ eventType: 'letter.lost_at_sea', status: 'delivered', sequence: 7 });
    expect(JSON.stringify(lost)).to.not.include('Captain');
    expect(chart).to.include({ id: 'urn:letters:chart-1', eventType: 'chart.drawn' });
  });

  it('waits in sight at an event of a newer program, with a credential for all before it', async () => {
    await world.append(...accountEvents(), ...letterEvents());
    const before = await world.store.readAll({ after: 0n });
    const newer = { stream: 'chart-1', type: 'LetterPosted', data: {}, schema: 99 };
    await world.append(newer, ...letterEvents('other'));
    const issuing = world.issuing();
    try {
      await eventually('it comes to the event', () => {
        const { state, position } = issuing.status();
        return state === 'stuck' || position > (before.at(-1)?.position ?? 0n);
      });
      const { position, incident } = issuing.status();
      expect(position).to.equal(before.at(-1)?.position);
      expect(incident?.error).to.match(/by a newer version of this program; upgrade it to go on/);
    } finally {
      await issuing.stop();
    }
    expect((await all()).map(({ eventId }) => eventId)).to.deep.equal(before.map(({ id }) => id));
  });

  it('signs the checkpoint again at a start under another name, and one for a log that was cut', async () => {
    await world.append(...accountEvents(), ...letterEvents());
    const credentials = await issueAll();
    const before = await world.credentials.checkpoint();
    const key = world.keys.signingKey('log');
    const renew = async (origin: string) => {
      const sign = () => ({ origin, key });
      await renewCheckpoint({ db: world.db, clock: Date.now, sign });
      const checkpoint = await world.credentials.checkpoint();
      const { size, root } = openCheckpoint(checkpoint?.note ?? '', origin, [key.publicKey]);
      expect([size, root]).to.deep.equal([checkpoint?.size, checkpoint?.root]);
      return checkpoint;
    };
    expect(await renew('letters.local')).to.deep.equal(before);
    const moved = await renew('letters.example');
    expect({ ...moved, note: '' }).to.deep.equal({ ...before, note: '' });
    expect(await world.credentials.checkpoints()).to.have.length(1);

    const last = credentials.at(-4) as StoredCredential;
    await world.db.transaction((tx) =>
      cutCredentials(tx, last.logIndex + 1, asPosition(last.position)),
    );
    expect(await world.credentials.checkpoint()).to.equal(undefined);
    expect((await renew('letters.example'))?.size).to.equal(last.logIndex + 1);
  });

  it('proves every credential against a checkpoint that the log key signed', async () => {
    await world.append(...accountEvents(), ...letterEvents());
    const credentials = await issueAll();
    const first = await world.credentials.checkpoint();
    const more = Array.from({ length: 1_200 }, (_, n) => ({
      stream: `letter-${n}`,
      type: 'SendAbandoned',
      data: { accountId, attemptId: `a${n}` },
    }));
    await world.append(...more);
    const grown = await issueAll();
    const last = await world.credentials.checkpoint();
    if (!first || !last) throw new Error('no checkpoint');
    const logKey = publicKeyFromMultikey(world.keys.activeKey('log').publicKey);
    const leaves = grown.map(({ jwt }) => leafHash(jwt));
    for (const { note, size, root } of [first, last]) {
      expect(openCheckpoint(note, 'letters.local', [logKey])).to.deep.equal({
        origin: 'letters.local',
        size,
        root: rootOf(leaves.slice(0, size)),
      });
      expect(root).to.deep.equal(rootOf(leaves.slice(0, size)));
    }
    expect([first.size, last.size]).to.deep.equal([credentials.length, grown.length]);
    for (const index of [0, 5, 255, 256, 700, grown.length - 1]) {
      const path = await world.credentials.inclusion(index, last.size);
      const leaf = leaves[index] as Buffer;
      expect(verifyInclusion(leaf, index, last.size, path, last.root)).to.equal(true);
    }
    const proof = await world.credentials.consistency(first.size, last.size);
    expect(verifyConsistency(first.size, last.size, first.root, last.root, proof)).to.equal(true);
    const tile = await world.credentials.tile(0, 1, 256);
    expect(tile).to.deep.equal(Buffer.concat(leaves.slice(256, 512)));
    expect(await world.credentials.tile(0, Math.floor(grown.length / 256), 256)).to.equal(
      undefined,
    );
  });

  it('is not forked by two writers at once', async () => {
    const events = Array.from({ length: 30 }, (_, n) => letterEvents(`letter${n}`)).flat();
    await world.append(...accountEvents());
    const issuers = [world.issuing(), world.issuing(), world.issuing()];
    for (let n = 0; n < events.length; n += 7) {
      await world.append(...events.slice(n, n + 7));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const head = await world.store.head();
    await eventually('all are issued', async () => (await world.writer.place()).position === head);
    await Promise.all(issuers.map((issuer) => issuer.stop()));
    const stored = await all();
    const log = await world.store.readAll({ after: 0n, limit: 1_000 });
    expect(stored.map(({ eventId }) => eventId)).to.deep.equal(log.map(({ id }) => id));
    const checkpoint = await world.credentials.checkpoint();
    expect(checkpoint?.root).to.deep.equal(rootOf(stored.map(({ jwt }) => leafHash(jwt))));
  });

  it('refuses to write where the log is not', async () => {
    await world.append(...accountEvents());
    const [one] = await issueAll();
    if (!one) throw new Error('nothing was issued');
    const stale: LogPlace = { size: 0, position: 0n };
    const refused = await world.writer
      .append(stale, [{ ...one }], asPosition(1n))
      .catch((error) => error);
    expect(refused).to.be.instanceOf(LogMoved);
    expect(await all()).to.have.length(3);
  });

  it('issues the same bytes whether events come one by one or all at once', async () => {
    const events = [...accountEvents(), ...letterEvents(), ...letterEvents('other')];
    const issuing = world.issuing();
    for (const event of events) {
      await world.append(event);
      const head = await world.store.head();
      await eventually('it is issued', () => issuing.status().position === head);
    }
    await issuing.stop();
    const oneByOne = (await all()).map(({ jwt }) => jwt);
    await world.db.query(
      'truncate identity.issued, identity.tiles; update identity.log set size = 0, position = 0',
    );
    const atOnce = (await issueAll()).map(({ jwt }) => jwt);
    expect(atOnce).to.deep.equal(oneByOne);
  });

  it('goes on after the store of credentials failed, with nothing left out or doubled', async () => {
    await world.append(...accountEvents(), ...letterEvents());
    let failures = 0;
    const issuing = world.issuing({
      writer: {
        ...world.writer,
        async append(from, batch, position) {
          // The first is lost on its way, of the second only the answer.
          failures++;
          if (failures === 1) throw new Error('lost');
          await world.writer.append(from, batch, position);
          if (failures === 2) throw new Error('answer lost');
        },
      },
    });
    const head = await world.store.head();
    await eventually('it goes on', async () => (await world.writer.place()).position === head);
    await world.append(...letterEvents('next'));
    const end = await world.store.head();
    await eventually('it goes on', () => issuing.status().position === end);
    expect(issuing.status().failing).to.deep.equal([]);
    await issuing.stop();
    const log = await world.store.readAll({ after: 0n });
    expect((await all()).map(({ eventId }) => eventId)).to.deep.equal(log.map(({ id }) => id));
  });
});
