import { expect } from 'chai';
import fc from 'fast-check';
import { isCovered } from '../../identity/audit-history.ts';
import { createAuditReader } from '../../infra/readers/audit-reader.ts';
import { auditedEvents, historyOf, letterId } from '../support/audit-history.ts';
import { queued } from '../support/letter-samples.ts';

const begin = Date.parse('2026-03-01T12:00:00.000Z');
const after = (seconds: number): string => new Date(begin + seconds * 1_000).toISOString();

const events = auditedEvents([
  queued(),
  { type: 'LetterProcessingStarted', data: { partner: 'p', jobId: 'j', source: 'partner' } },
  { type: 'LetterPosted', data: { source: 'partner' } },
  { type: 'LetterInTransit', data: { source: 'carrier' } },
  { type: 'LetterDelivered', data: { source: 'carrier', evidence: 'carrier_scan' } },
]);

const { checkpoint } = historyOf(events).history;

/** How many of the events were appended, have their credential, and are covered by the checkpoint. */
type Growth = { appended: number; issued: number; covered: number };

const everything = { appended: events.length, issued: events.length, covered: events.length };

/** The size of a log that ends with the credential of an event. */
const sizeAfter = (last: (typeof events)[number] | undefined): number =>
  (last?.credential?.logIndex ?? -1) + 1;

/** A reader of a letter whose events have these times, in seconds. `grown`: what there is at each read. */
const readerOf = (times: number[], grown: () => Growth = () => everything) => {
  const stored = events.map(({ position, stored: event }, index) => ({
    ...event,
    position,
    metadata: JSON.stringify({ ...JSON.parse(event.metadata), at: after(times[index] ?? 0) }),
  }));
  return createAuditReader({
    store: {
      readStream: async (_: string, { from = 0n, limit = 1_000 }) =>
        stored.slice(0, grown().appended).slice(Number(from), Number(from) + limit),
    } as never,
    credentials: {
      ofStream: async (_: string, { from = 1, limit = 1_000 }) =>
        events
          .slice(0, grown().issued)
          .slice(from - 1, from - 1 + limit)
          .map(({ sequence, credential }) => ({
            sequence,
            jwt: credential?.jwt,
            logIndex: credential?.logIndex,
          })),
      async checkpoint() {
        const last = events[grown().covered - 1];
        return { ...checkpoint, size: sizeAfter(last) };
      },
    } as never,
    maxEvents: 100,
  });
};

describe('the history of a letter up to an instant', () => {
  it('ends before the first event beyond it, also where a clock was ahead', async () => {
    const reader = readerOf([0, 100, 300, 200, 400]);
    const until = async (seconds: number) => {
      const { history, record } =
        (await reader.readAudit(letterId, { until: { time: after(seconds) } })) ?? {};
      const sequences = history?.events.map(({ sequence }) => sequence);
      return [sequences, history?.complete, record?.status];
    };
    expect(await until(250)).to.deep.equal([[1, 2], true, 'processing']);
    expect(await until(300)).to.deep.equal([[1, 2, 3, 4], true, 'in_transit']);
  });
});

describe('the history of a letter that goes on while it is read', () => {
  const step = fc.record({ appended: fc.nat(2), issued: fc.nat(3), covered: fc.nat(3) });

  it('has each event that its checkpoint covers, and is complete only if all of them are covered', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const now = { appended: 1, issued: 0, covered: 0 };
        const waiting = steps.values();
        const reader = readerOf([], () => {
          const more = waiting.next().value ?? everything;
          now.appended = Math.min(events.length, now.appended + more.appended);
          now.issued = Math.min(now.appended, now.issued + more.issued);
          now.covered = Math.min(now.issued, now.covered + more.covered);
          return now;
        });
        const { history } = (await reader.readAudit(letterId, { patienceMs: 3 })) ?? {};
        const { events: read = [], complete } = history ?? {};
        const isUnder = (event: (typeof events)[number]) => isCovered(event, history?.checkpoint);
        expect(read.length).to.be.at.least(events.filter(isUnder).length);
        expect(complete).to.equal(read.every(isUnder));
      }),
    ));
});
