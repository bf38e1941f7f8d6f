/** Events that are delivered again to an audit webhook, page by page. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { StoredCredential } from '../../identity/credential-log.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { replayAuditEvents } from '../../infra/webhooks/audit-deliveries.ts';
import { createWebhookSettings } from '../../infra/webhooks/webhook-settings.ts';
import { freshDatabase } from '../support/postgres.ts';

const accountId = 'acct_1';
const startMs = Date.parse('2026-03-01T00:00:00.000Z');

const credentialAt = (logIndex: number, eventType: string): StoredCredential => {
  const subject = { eventType, occurredAt: startMs + logIndex * 1_000, logIndex };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signature = Buffer.alloc(64).toString('base64url');
  return {
    logIndex,
    eventId: randomUUID(),
    stream: `letter-${randomUUID()}`,
    sequence: 1,
    position: BigInt(logIndex + 1),
    accountId,
    jwt: `${part({ alg: 'EdDSA' })}.${part({ vc: { credentialSubject: subject } })}.${signature}`,
  };
};

describe('events that are delivered again to an audit webhook', function () {
  this.timeout(120_000);
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let db: ReturnType<typeof createReadDb>;

  before(async () => {
    database = await freshDatabase();
    db = createReadDb({
      url: database.url,
      max: 2,
      applicationName: 'audit-replays',
      onError: () => {},
    });
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const replaying = (all: readonly StoredCredential[], subscriptionId: string) => {
    const credentials = {
      ofAccountFrom: async (_: string, { from, limit }: { from: number; limit: number }) =>
        all.filter(({ logIndex }) => logIndex >= from).slice(0, limit),
    };
    const webhook = { accountId, subscriptionId, events: ['letter.posted'], letterId: undefined };
    return (index: number, since = '') =>
      replayAuditEvents({ db, credentials }, webhook, { index, since }, startMs);
  };
  const delivered = async (subscriptionId: string) => {
    const { rows } = await db.query<{ event_id: string }>(
      'select event_id from deliveries.messages where endpoint_id = $1 order by message_id',
      [subscriptionId],
    );
    return rows.map(({ event_id }) => event_id);
  };

  it('are a hundred of those that it wants with each request, the oldest first, until none is left', async () => {
    const all = Array.from({ length: 500 }, (_, n) =>
      credentialAt(n * 3, n % 2 === 0 ? 'letter.posted' : 'letter.queued'),
    );
    const replay = replaying(all, 'aud_pages');
    const wanted = all.filter((_, n) => n % 2 === 0).map(({ eventId }) => eventId);
    const counts = [];
    for (let from = 0, more = true; more; ) {
      const { replayed, lastIndex = from, hasMore } = await replay(from);
      counts.push(replayed);
      [from, more] = [lastIndex + 1, hasMore];
      expect(await delivered('aud_pages')).to.deep.equal(
        wanted.slice(
          0,
          counts.reduce((sum, one) => sum + one, 0),
        ),
      );
    }
    expect(counts).to.deep.equal([100, 100, 50]);
    expect(await delivered('aud_pages')).to.deep.equal(wanted);
  });

  it('are looked for in a bounded number of credentials', async () => {
    const all = Array.from({ length: 4_100 }, (_, n) =>
      credentialAt(n, n === 4_050 ? 'letter.posted' : 'letter.queued'),
    );
    const replay = replaying(all, 'aud_rare');
    expect(await replay(0)).to.deep.equal({ replayed: 0, lastIndex: 1_999, hasMore: true });
    expect(await replay(2_000)).to.deep.equal({ replayed: 0, lastIndex: 3_999, hasMore: true });
    expect(await replay(4_000)).to.deep.equal({ replayed: 1, lastIndex: 4_099, hasMore: false });
  });

  it('are looked for from the checkpoint on that was signed an hour before the time', async () => {
    const all = Array.from({ length: 20 }, (_, n) => credentialAt(n, 'letter.posted'));
    const asked: string[] = [];
    const read: number[] = [];
    const { replayAuditEvents: replay } = createWebhookSettings({
      db,
      credentials: {
        byEventIds: async () => [],
        ofAccountFrom: async (_, { from }) => {
          read.push(from);
          return all.filter(({ logIndex }) => logIndex >= from);
        },
        async checkpointAt(at) {
          asked.push(at);
          return at < '2026-01-01' ? undefined : { size: 7, root: Buffer.alloc(32), note: '', at };
        },
      },
      clock: () => startMs,
      indexOf: () => '',
      webhookKey: () => ({ publicKey: '' }),
      hasEnded: async () => false,
    });
    const webhook = { accountId, subscriptionId: 'aud_checkpoint' };
    const wanted = { ...webhook, events: undefined, letterId: undefined };
    const since = '2026-03-01T00:00:10.000Z';
    expect((await replay(wanted, { index: undefined, since })).replayed).to.equal(10);
    expect((await replay(wanted, { index: 15, since })).replayed).to.equal(5);
    const first = { index: undefined, since: '0001-01-01T00:00:00.000Z' };
    expect((await replay(wanted, first)).replayed).to.equal(20);
    expect(read).to.deep.equal([7, 15, 0]);
    expect(asked).to.deep.equal(['2026-02-28T23:00:10.000Z', '1970-01-01T00:00:00.000Z']);
  });

  it('are those that happened since a time', async () => {
    const all = Array.from({ length: 20 }, (_, n) => credentialAt(n, 'letter.posted'));
    const replay = replaying(all, 'aud_since');
    const { replayed } = await replay(5, new Date(startMs + 15_000).toISOString());
    expect(replayed).to.equal(5);
    expect(await delivered('aud_since')).to.deep.equal(all.slice(15).map(({ eventId }) => eventId));
  });
});
