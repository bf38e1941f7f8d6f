import { expect } from 'chai';
import { followLog } from '../../events/follow-log.ts';
import type { StoredCredential } from '../../identity/credential-log.ts';
import type { Message } from '../../reactors/publish/cloud-event.ts';
import { type Publisher, publishCredentials } from '../../reactors/publish/publish.ts';
import { createGate } from '../support/faulty-store.ts';
import { eventually } from '../support/service-process.ts';
import { createPublishing } from './publishing.ts';

const nowhere = { brokers: ['127.0.0.1:1'] };

/** A publication whose broker is `publish`. */
const publishingTo = (publish: Publisher['publish']) =>
  createPublishing(nowhere, { over: () => ({ publish, close: () => {} }) });

const idsOf = (messages: readonly Message[]): string[] =>
  messages.map(({ value }) => (JSON.parse(value) as { id: string }).id);

describe('publication', () => {
  it('moves its place only when all is acknowledged, and reads nothing ahead of a slow broker', async () => {
    const gate = createGate();
    const asked: string[][] = [];
    const publishing = publishingTo(async (messages) => {
      asked.push(idsOf(messages));
      await gate.pass();
    });
    await publishing.append(Array.from({ length: 1_200 }, (_, n) => `letter-${n}`));
    publishing.start();
    await gate.reached;
    expect(asked).to.deep.equal([publishing.ids.slice(0, 500)]);
    expect(publishing.saves).to.deep.equal([]);
    expect(publishing.status()).to.include({ state: 'running', position: 0n });
    expect(publishing.status()?.oldestAt).to.equal(Date.parse('2026-11-21T10:00:00.123Z'));
    gate.open();
    await eventually('everything is published', () => publishing.isDone());
    await publishing.stop();
    expect(asked.flat()).to.deep.equal(publishing.ids);
    expect(publishing.saves).to.have.length(3);
  });

  it('gives the same batch again when the broker did not take it', async () => {
    const asked: string[][] = [];
    const publishing = publishingTo(async (messages) => {
      asked.push(idsOf(messages));
      if (asked.length === 1) throw new Error('not today');
    });
    await publishing.append(['letter-1', 'letter-2']);
    publishing.start();
    await eventually('it says so', () => publishing.status()?.incident?.error === 'not today');
    expect(publishing.saves).to.deep.equal([]);
    await eventually('everything is published', () => publishing.isDone());
    await publishing.stop();
    expect(asked).to.deep.equal([publishing.ids, publishing.ids]);
  });

  it('stops visibly before an event that this version cannot read, with all before it published', async () => {
    const asked: string[][] = [];
    const publishing = publishingTo(async (messages) => void asked.push(idsOf(messages)));
    await publishing.append(['letter-1', 'letter-2']);
    const unknown = { type: 'LetterTeleported', data: '{}', metadata: '{"schema":1}' };
    await publishing.store.append('letter-3', 'no-stream', [
      { id: '0b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e11', ...unknown },
    ]);
    await publishing.append(['letter-1']);
    publishing.start();
    const incident = await eventually('it says so', () => publishing.status()?.incident);
    await publishing.stop();
    expect(incident.error).to.equal('unknown event type LetterTeleported');
    expect(asked[0]).to.deep.equal(publishing.ids.slice(0, 2));
    expect(publishing.saves).to.have.length(1);
  });
});

describe('publication of credentials', () => {
  const jwtOf = (n: number): string => {
    const payload = { jti: `urn:uuid:${n}`, vc: { credentialSubject: { occurredAt: n * 1_000 } } };
    return `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.x`;
  };
  const credential = (n: number): StoredCredential => ({
    logIndex: n,
    eventId: `${n}`,
    stream: 'letter-1',
    sequence: n + 1,
    accountId: 'acct_1',
    position: BigInt(100 + n * 10),
    jwt: jwtOf(n),
  });

  it('follows their log by its leaves, from the place it was at, and tells its place in the log of events', async () => {
    const log = Array.from({ length: 7 }, (_, n) => credential(n));
    const published: Message[] = [];
    let saved = 4n;
    const { consumer, store } = publishCredentials({
      publisher: { publish: async (messages) => void published.push(...messages), close: () => {} },
      logIdAt: () => 'the log',
      checkpoints: {
        read: async () => saved,
        save: async (_name, position) => {
          saved = position;
        },
      },
      baseUrl: 'https://letters.example',
      range: async (from, limit) => log.slice(from, from + limit),
    });
    const follower = followLog(consumer, { store, log: { warn: () => {}, error: () => {} } });
    await eventually('the rest is published', () => saved === 7n);
    await eventually('it tells its place', () => follower.status().position === 160n);
    log.push(credential(7));
    await eventually('what comes is published', () => saved === 8n);
    // The watch of consumers compares this with the head of the log of events.
    expect(follower.status()).to.include({ position: 170n, seen: 170n });
    await follower.stop();
    expect(idsOf(published)).to.deep.equal([4, 5, 6, 7].map((n) => `urn:uuid:${n}`));
    expect(JSON.parse(published[0]?.value ?? '')).to.include({
      type: 'letters.event_credential.v1',
      subject: 'letter-1',
      time: '1970-01-01T00:00:04.000Z',
      sequence: '0000000005',
      position: '140',
    });
    expect(JSON.parse(published[0]?.value ?? '').data).to.deep.equal({
      credential: jwtOf(4),
      logIndex: 4,
    });
  });
});
