import { expect } from 'chai';
import { createAuditReader } from '../../infra/readers/audit-reader.ts';
import { auditedEvents, historyOf, letterId } from '../support/audit-history.ts';
import { queued } from '../support/letter-samples.ts';

const begin = Date.parse('2026-03-01T12:00:00.000Z');
const after = (seconds: number): string => new Date(begin + seconds * 1_000).toISOString();

/** A reader of a letter whose events have these times, in seconds. */
const readerOf = (times: number[]) => {
  const events = auditedEvents([
    queued(),
    { type: 'LetterProcessingStarted', data: { partner: 'p', jobId: 'j', source: 'partner' } },
    { type: 'LetterPosted', data: { source: 'partner' } },
    { type: 'LetterInTransit', data: { source: 'carrier' } },
    { type: 'LetterDelivered', data: { source: 'carrier', evidence: 'carrier_scan' } },
  ]);
  const stored = events.map(({ position, stored: event }, index) => ({
    ...event,
    position,
    metadata: JSON.stringify({ ...JSON.parse(event.metadata), at: after(times[index] ?? 0) }),
  }));
  return createAuditReader({
    store: {
      readStream: async (_: string, { from = 0n, limit = 1_000 }) =>
        stored.slice(Number(from), Number(from) + limit),
    } as never,
    credentials: {
      ofStream: async (_: string, { from = 1, limit = 1_000 }) =>
        events.slice(from - 1, from - 1 + limit).map(({ sequence, credential }) => ({
          sequence,
          jwt: credential?.jwt,
          logIndex: credential?.logIndex,
        })),
      checkpoint: async () => historyOf(events).history.checkpoint,
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
