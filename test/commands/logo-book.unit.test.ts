import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import {
  evolve,
  expireLogo,
  initialState,
  type LogoBook,
  logoBookAggregate,
  logoEndsAt,
  uploadLogo,
  useLogo,
} from '../../commands/logos/logo-book.ts';
import type { EventStore } from '../../events/event-store.ts';
import { type LogoEvent, logosStream } from '../../events/logo.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

const dayMs = 86_400_000;
const start = Date.parse('2026-01-01T12:00:00.000Z');
const at = (days: number): string => new Date(start + days * dayMs).toISOString();
const data = {
  accountId: 'a',
  logoId: 'logo_1',
  requestId: 'r',
  requestHash: 'h',
  blob: 'logo-1',
  mediaType: 'image/png' as const,
  bytes: 10,
  width: 1,
  height: 1,
};
const given = (...events: [LogoEvent, number][]): LogoBook =>
  events.reduce((book, [event, days]) => evolve(book, event, at(days)), initialState());
const uploaded: LogoEvent = { type: 'LogoUploaded', data };
const used: LogoEvent = { type: 'LogoUsed', data: { accountId: 'a', logoId: 'logo_1' } };
const deleted = {
  type: 'LogoDeleted' as const,
  data: { accountId: 'a', logoId: 'logo_1', blob: 'logo-1' },
};
const use = (book: LogoBook, days: number) =>
  useLogo(book, { type: 'UseLogo', accountId: 'a', logoId: 'logo_1', now: at(days) });
const expire = (book: LogoBook, days: number, retentionDays = 30) =>
  expireLogo(book, {
    type: 'ExpireLogo',
    accountId: 'a',
    blob: 'logo-1',
    now: at(days),
    retentionDays,
  });

describe('a logo that nobody uses', () => {
  it('goes when the retention period is over, and not before', () => {
    const book = given([uploaded, 0]);
    expect(expire(book, 30.9)).to.deep.equal([]);
    expect(expire(book, 31)).to.deep.equal([deleted]);
    expect(expire(given([uploaded, 0], [deleted, 31]), 32)).to.deep.equal([]);
  });

  it('stays for another period when it is used, which is recorded once a day', () => {
    expect(use(given([uploaded, 0]), 0.9)).to.deep.equal([]);
    expect(use(given([uploaded, 0]), 1)).to.deep.equal([used]);
    const book = given([uploaded, 0], [used, 20]);
    expect(use(book, 20.5)).to.deep.equal([]);
    expect(expire(book, 50.9)).to.deep.equal([]);
    expect(expire(book, 51)).to.deep.equal([deleted]);
    expect(use(given(), 5)).to.deep.equal([]);
  });

  it('stays also when its last use was the day that was not recorded any more', () => {
    // Used at 20 and at 20.9: it lives 30 days after the later one.
    const book = given([uploaded, 0], [used, 20]);
    const logo = book.logos.get('logo_1');
    if (!logo) throw new Error('no logo');
    expect(logoEndsAt(logo, 30)).to.be.at.least(start + (20.9 + 30) * dayMs);
  });

  it('is used by uploading it again', () => {
    const again = { ...data, requestId: 's' };
    const book = given([uploaded, 0]);
    const events = uploadLogo(book, { type: 'UploadLogo', data: again, repeatable: true });
    expect(events).to.have.length(1);
    expect(expire(given([uploaded, 0], [events[0] as LogoEvent, 20]), 40)).to.deep.equal([]);
  });
});

describe('the logos of an account that uploads one again for each letter', () => {
  it('are read from their end on once they are in memory', async () => {
    const inner = createMemoryEventStore();
    const from: (bigint | undefined)[] = [];
    const store: EventStore = {
      ...inner,
      readStream(stream, range) {
        from.push(range?.from);
        return inner.readStream(stream, range);
      },
    };
    const dataKeys = createMemoryDataKeys();
    const handler = createCommandHandler({ store, dataKeys, clock: () => start });
    const upload = (requestId: string) =>
      handler.handle(logoBookAggregate, 'a', { commandId: requestId, actor: 'key' }, (book) =>
        uploadLogo(book, {
          type: 'UploadLogo',
          data: { ...data, requestId },
          repeatable: true,
        }),
      );
    for (let n = 0; n < 150; n++) await upload(randomUUID());
    from.length = 0;
    const requestId = randomUUID();
    await upload(requestId);
    const { state } = await handler.load(logoBookAggregate, 'a');
    expect([...state.logos.keys()]).to.deep.equal(['logo_1']);
    expect(from).to.deep.equal([151n]);
    const [last] = await inner.readStream(logosStream('a'), { from: 150n });
    expect(last?.id).to.equal(uuidv5(requestId, `${logosStream('a')}:0`));
  });
});
