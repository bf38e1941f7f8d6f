import { expect } from 'chai';
import fc from 'fast-check';
import {
  attemptDelaysMs,
  classify,
  healthAfter,
  isTimeToDisable,
  nextAttemptAt,
  retryAfterAt,
} from '../../reactors/delivery-schedule.ts';

const now = Date.UTC(2026, 10, 20);
const secondMs = 1_000;
const hourMs = 3_600 * secondMs;
const dayMs = 24 * hourMs;

describe('the delivery schedule', () => {
  it('is the published one', () => {
    const seconds = attemptDelaysMs.map((delayMs) => delayMs / secondMs);
    expect(seconds.slice(0, 4)).to.deep.equal([0, 5, 300, 1_800]);
    expect(seconds.slice(4).map((s) => s / 3_600)).to.deep.equal([2, 5, 10, 14, 20, 24]);
  });

  it('begins at once and ends after the tenth attempt', () => {
    expect(nextAttemptAt(0, now, 0.9)).to.equal(now);
    expect(nextAttemptAt(9, now, 0.5)).to.equal(now + 24 * hourMs);
    expect(nextAttemptAt(10, now, 0.5)).to.equal(undefined);
  });

  it('spreads each attempt by a tenth to either side', () => {
    expect(nextAttemptAt(2, now, 0)).to.equal(now + 270 * secondMs);
    expect(nextAttemptAt(2, now, 0.5)).to.equal(now + 300 * secondMs);
    expect(nextAttemptAt(2, now, 0.999_999)).to.be.closeTo(now + 330 * secondMs, 1);
  });

  it('waits for what the receiver asked, up to the step after the next', () => {
    const at = (notBefore: number) => nextAttemptAt(1, now, 0.5, notBefore);
    expect(at(now + 60 * secondMs)).to.equal(now + 60 * secondMs);
    expect(at(now + dayMs)).to.equal(now + 300 * secondMs);
    expect(at(now + 1)).to.equal(now + 5 * secondMs);
    expect(at(now - dayMs)).to.equal(now + 5 * secondMs);
    expect(nextAttemptAt(9, now, 0.5, now + 9 * dayMs)).to.equal(now + dayMs);
  });

  it('never goes back in time nor past the next two steps', () => {
    const inputs = [
      fc.nat(9),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    ] as const;
    fc.assert(
      fc.property(
        ...inputs,
        fc.integer({ min: -dayMs, max: 9 * dayMs }),
        (attempt, random, wish) => {
          const at = nextAttemptAt(attempt, now, random, now + wish) ?? Number.NaN;
          const delayMs = attemptDelaysMs[attempt] ?? 0;
          const following = attemptDelaysMs[attempt + 1] ?? 0;
          expect(at).to.be.at.least(now + Math.floor(delayMs * 0.9));
          expect(at).to.be.at.most(now + Math.max(Math.ceil(delayMs * 1.1), following));
        },
      ),
    );
  });
});

describe("an attempt's result", () => {
  const kind = (status: number) => classify({ status }, now).kind;

  it('delivers with any 2xx', () => {
    expect([200, 201, 202, 204, 299].map(kind)).to.deep.equal(Array(5).fill('delivered'));
  });

  it('disables with 410', () => {
    expect(kind(410)).to.equal('disable');
  });

  it('has failed with everything else, redirects included', () => {
    for (const status of [100, 199, 300, 301, 302, 307, 308, 400, 404, 409, 429, 500, 503, 599]) {
      expect(classify({ status }, now)).to.deep.equal({ kind: 'failed', code: `http_${status}` });
    }
    expect(classify({ error: 'timed_out' }, now)).to.deep.equal({
      kind: 'failed',
      code: 'timed_out',
    });
  });

  it('heeds Retry-After of 429 and 503 only', () => {
    const notBefore = (status: number) => {
      const outcome = classify({ status, retryAfter: '60' }, now);
      return outcome.kind === 'failed' ? outcome.notBefore : undefined;
    };
    expect([429, 503].map(notBefore)).to.deep.equal(Array(2).fill(now + 60 * secondMs));
    expect([500, 404, 301].map(notBefore)).to.deep.equal(Array(3).fill(undefined));
  });

  it('reads Retry-After in seconds or as a date, and nothing else', () => {
    expect(retryAfterAt(' 120 ', now)).to.equal(now + 120 * secondMs);
    expect(retryAfterAt('Fri, 20 Nov 2026 00:01:00 GMT', now)).to.equal(now + 60 * secondMs);
    for (const text of [
      undefined,
      '',
      '-1',
      '1.5',
      'soon',
      'May',
      '2026-11-20',
      'Fri, 20 Nov 2026 00:01:00',
      '9'.repeat(10),
    ]) {
      expect(retryAfterAt(text, now), text).to.equal(undefined);
    }
  });
});

describe('the health of an endpoint', () => {
  const failed = { kind: 'failed', code: 'http_500' } as const;
  const delivered = { kind: 'delivered' } as const;

  it('remembers the first failure after the last success', () => {
    const first = healthAfter({}, failed, now);
    expect(healthAfter(first, failed, now + dayMs)).to.deep.equal({ failingSince: now });
    expect(healthAfter(first, delivered, now + dayMs)).to.deep.equal({});
  });

  it('is lost after five days of failure, and not a moment earlier', () => {
    const health = healthAfter({}, failed, now);
    expect(isTimeToDisable(health, now + 5 * dayMs - 1)).to.equal(false);
    expect(isTimeToDisable(health, now + 5 * dayMs)).to.equal(true);
    expect(isTimeToDisable({}, now + 99 * dayMs)).to.equal(false);
  });
});
