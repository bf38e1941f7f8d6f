import { expect } from 'chai';
import fc from 'fast-check';
import type { RecordedEvent } from '../../events/event-store.ts';
import { asPosition, type Position } from '../../events/position.ts';
import { createRecentEvents } from '../../infra/event-store/recent-events.ts';

/** An event of `chars` characters at a position. */
const eventAt = (position: bigint, chars = 10): RecordedEvent => ({
  id: `${position}`,
  stream: 's',
  version: 0n,
  type: 'Happened',
  data: 'x'.repeat(chars),
  metadata: '',
  position: asPosition(position),
});

const positionsOf = (events: RecordedEvent[] = []): bigint[] => events.map((one) => one.position);

describe('the recent of the log in memory', () => {
  it('gives everything after any place that it reaches, whatever was pushed twice or with a gap', () => {
    const stretch = fc.record({ gap: fc.nat(3), again: fc.nat(3), events: fc.nat(6) });
    fc.assert(
      fc.property(fc.array(stretch), fc.integer({ min: 1, max: 7 }), (stretches, limit) => {
        const recent = createRecentEvents({ maxEvents: 8, maxChars: 60 });
        // Every third position is an event.
        const between = (after: bigint, to: bigint): RecordedEvent[] => {
          const found: RecordedEvent[] = [];
          for (let at = after + 1n; at <= to; at++) if (at % 3n === 0n) found.push(eventAt(at));
          return found;
        };
        let end = 0n;
        for (const { gap, again, events } of stretches) {
          const from = end + BigInt(gap) - BigInt(again);
          const after = from < 0n ? 0n : from;
          const position = after + BigInt(events * 3);
          const batch = { after: asPosition(after), position: asPosition(position) };
          recent.push({ ...batch, events: between(after, position) });
          end = recent.end();
          for (let at = recent.start() as bigint; at < end; at++) {
            const read = recent.read(asPosition(at), limit);
            const all = between(at, end);
            expect(positionsOf(read?.events)).to.deep.equal(positionsOf(all).slice(0, limit));
            const last = all.length > limit ? all[limit - 1]?.position : end;
            expect(read?.position).to.equal(last);
          }
          expect(recent.read(asPosition(end), limit)).to.equal(undefined);
        }
      }),
    );
  });

  it('stays within its limits in events and characters, and forgets the oldest first', () => {
    const recent = createRecentEvents({ maxEvents: 100, maxChars: 1_000 });
    let after: Position = 0n;
    for (let n = 1n; n <= 5_000n; n++) {
      const position = asPosition(n * 7n);
      recent.push({ after, events: [eventAt(position, Number(n % 50n))], position });
      after = position;
      const held = recent.read(recent.start(), 5_000)?.events ?? [];
      expect(held.length).to.be.at.most(100);
      expect(held.reduce((sum, { data }) => sum + data.length, 0)).to.be.at.most(1_000);
      expect(held.at(-1)?.position).to.equal(position);
    }
    expect(recent.read(0n, 10)).to.equal(undefined);
    expect(recent.reaches(0n)).to.equal(false);
  });

  it('knows the places at which one may begin from those that somebody computed', () => {
    const recent = createRecentEvents();
    recent.begin(asPosition(100n));
    const events = [eventAt(150n), eventAt(190n)];
    recent.push({ after: asPosition(100n), events, position: asPosition(210n) });
    const places = [99n, 100n, 101n, 149n, 150n, 151n, 189n, 190n, 200n, 210n, 211n];
    expect(places.filter((place) => recent.isPlace(place))).to.deep.equal([100n, 150n, 190n, 210n]);
  });
});
