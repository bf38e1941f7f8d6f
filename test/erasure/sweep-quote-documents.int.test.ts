import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openFileBlobStore } from '../../infra/blobs/file.ts';
import { createQuoteStore, sweepQuotes } from '../../infra/postgres/quotes.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { createSweepQuoteDocuments } from '../../reactors/sweep-quote-documents.ts';
import { freshDatabase } from '../support/postgres.ts';

const minuteMs = 60_000;
const going = () => new AbortController().signal;

describe('the sweep of documents of quotes', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-quotes-'));
  });
  after(() => rm(folder, { recursive: true }));

  const createSweeping = async () => {
    const blobs = await openFileBlobStore(join(folder, randomUUID()));
    let aheadMs = 0;
    const sweep = createSweepQuoteDocuments({
      blobs,
      clock: () => Date.now() + aheadMs,
      quoteMs: 15 * minuteMs,
    });
    return {
      blobs,
      sweep,
      keys: () => Array.fromAsync(blobs.list('')),
      pass(ms: number) {
        aheadMs += ms;
      },
    };
  };

  it('deletes them some minutes after their quotes expired, and not before', async () => {
    const { blobs, sweep, keys, pass } = await createSweeping();
    await blobs.put('quote-1', Buffer.from('sealed'));
    await blobs.put('quote-2', Buffer.from('sealed'));
    pass(19 * minuteMs);
    expect(await sweep(going())).to.equal(0);
    expect(await keys()).to.have.members(['quote-1', 'quote-2']);
    pass(2 * minuteMs);
    expect(await sweep(going())).to.equal(2);
    expect(await keys()).to.deep.equal([]);
    expect(await sweep(going())).to.equal(0);
  });

  it('leaves the documents of letters alone', async () => {
    const { blobs, sweep, keys, pass } = await createSweeping();
    const key = `${randomUUID()}-${randomUUID()}`;
    await blobs.put(key, Buffer.from('sealed'));
    pass(48 * 60 * minuteMs);
    expect(await sweep(going())).to.equal(0);
    expect(await keys()).to.deep.equal([key]);
  });

  it('ends early when the service stops', async () => {
    const { blobs, sweep, keys, pass } = await createSweeping();
    await blobs.put('quote-1', Buffer.from('sealed'));
    pass(60 * minuteMs);
    expect(await sweep(AbortSignal.abort())).to.equal(0);
    expect(await keys()).to.deep.equal(['quote-1']);
  });
});

describe('the sweep of quotes', () => {
  it('deletes them a day after they expired, so that until then they are known as expired', async () => {
    const { url, drop } = await freshDatabase();
    const db = createReadDb({ url, max: 1, applicationName: 'test', onError: () => {} });
    try {
      const store = createQuoteStore(db);
      const end = Date.parse('2026-11-03T09:15:00.000Z');
      await store.put('a', '{"a":1}', new Date(end).toISOString());
      await store.put('b', '{"b":1}', new Date(end + 1).toISOString());
      const dayMs = 24 * 60 * minuteMs;
      expect(await sweepQuotes(db, end + dayMs)).to.equal(0);
      expect(await store.get('a')).to.equal('{"a":1}');
      expect(await sweepQuotes(db, end + dayMs + 1)).to.equal(1);
      expect([await store.get('a'), await store.get('b')]).to.deep.equal([undefined, '{"b":1}']);
    } finally {
      await db.close();
      await drop();
    }
  });
});
