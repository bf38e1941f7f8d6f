import { expect } from 'chai';
import type { Mail } from '../../commands/mails/mail.ts';
import type { AnyEvent } from '../../events/envelope.ts';
import { notificationOf } from '../../events/notifications.ts';
import type { TrackingClass } from '../../postal/types.ts';
import {
  courseOf,
  isStale,
  judgeLetterMail,
  judgeLink,
  type LetterCourse,
  type LetterMailKind,
  mailsOf,
  nextMailAttemptAt,
} from '../../reactors/mail-plan.ts';

const minute = 60_000;
const hour = 60 * minute;
const postedAt = Date.parse('2026-03-02T09:00:00.000Z');
const iso = (ms: number): string => new Date(ms).toISOString();

const event = (type: string, data: object = {}, version = 0n, atMs = postedAt): AnyEvent =>
  ({ type, data, id: `id-${version}`, version, metadata: { at: iso(atMs) } }) as AnyEvent;

/** A letter that was posted in version 2, with numbers at the given versions and moments. */
const letter = (
  tracking: TrackingClass,
  numbers: [version: bigint, atMs: number][] = [],
  ended = false,
): LetterCourse =>
  courseOf(
    tracking,
    [
      event('LetterPosted', {}, 2n),
      ...numbers.map(([version, atMs]) => event('TrackingNumberAssigned', {}, version, atMs)),
      ...(ended ? [event('LetterDelivered', {}, 9n)] : []),
    ].sort((a, b) => Number(a.version - b.version)),
  );

const mail = (status: 'sent' | 'attempting' | 'refused' | 'over', kind: string, more = {}): Mail =>
  ({
    status,
    facts: { mailId: 'm', accountId: 'a', kind },
    attempt: 1,
    firstAttemptAt: iso(postedAt),
    attemptedAt: iso(postedAt),
    refusedAt: iso(postedAt),
    code: 'rejected',
    requests: [],
    ...more,
  }) as Mail;

const none: Mail = { status: 'none' };
const withNumber = mail('sent', 'shipped');
const withoutNumber = mail('sent', 'shipped_number_follows');

const judge = (
  kind: LetterMailKind,
  course: LetterCourse,
  nowMs: number,
  more: { shipped?: Mail; cause?: { version: bigint; atMs: number } } = {},
) =>
  judgeLetterMail(
    kind,
    course,
    more.cause ?? { version: 2n, atMs: postedAt },
    more.shipped ?? none,
    nowMs,
  );

describe('which mail an event makes', () => {
  it('is said for every event that makes one', () => {
    expect(mailsOf(event('LetterPosted'))).to.deep.equal(['shipped', 'tracking_late']);
    expect(mailsOf(event('TrackingNumberAssigned'))).to.deep.equal(['tracking_ready']);
    expect(mailsOf(event('LetterDelivered'))).to.deep.equal(['delivered']);
    expect(mailsOf(event('LetterReturned'))).to.deep.equal(['returned']);
    expect(mailsOf(event('LetterFailed'))).to.deep.equal(['failed']);
    expect(mailsOf(event('LetterCancelled', { from: 'queued' }))).to.deep.equal(['cancelled']);
    for (const type of ['WebhookDisabled', 'AuditWebhookDisabled'] as const) {
      expect(mailsOf(event(type))).to.deep.equal(['webhook_disabled']);
    }
    expect(mailsOf(event('FundsCredited', { receipt: { method: 'operator' } }))).to.deep.equal([
      'wallet_credited',
    ]);
    expect(mailsOf(event('FundsChargedBack', { receipt: { id: 'dp_1' } }))).to.deep.equal([
      'wallet_charged_back',
    ]);
    const breached = (billMicro: number) =>
      mailsOf(event('VolumeContractPeriodBreached', { billMicro }));
    expect(breached(1)).to.deep.equal(['contract_breached']);
    expect(breached(0), 'nothing is charged').to.deep.equal([]);
    const order = { orderId: 'o', accountId: 'a', letterId: 'l' };
    const credited = (data: object) => mailsOf(event('OrderCredited', data));
    expect(credited({ ...order, reason: 'paid_late' })).to.deep.equal(['order_credited']);
    expect(credited({ ...order, reason: 'taken_back' })).to.deep.equal([]);
    // As version 1 of the event is read: it does not say whose order it was.
    expect(credited({ orderId: 'o', reason: 'paid_late' })).to.deep.equal([]);
  });

  it('is none for internal steps, drafts and test money', () => {
    for (const type of [
      'LetterDrafted',
      'LetterQueued',
      'LetterUpdated',
      'LetterProcessingStarted',
      'LetterInTransit',
      'LetterErased',
      'FundsReserved',
      'FundsRefunded',
      'MailSent',
    ]) {
      expect(mailsOf(event(type)), type).to.deep.equal([]);
    }
    expect(mailsOf(event('LetterCancelled', { from: 'draft' }))).to.deep.equal([]);
    expect(mailsOf(event('FundsCredited', { receipt: { method: 'test_grant' } }))).to.deep.equal(
      [],
    );
  });

  it('is not planned for money that left with a closed account, nor is a notification', () => {
    const left = event('FundsChargedBack', { receipt: { id: 'closure-1' } });
    expect(mailsOf(left)).to.deep.equal([]);
    expect(notificationOf(left)).to.equal(undefined);
  });

  it('is none for what happened more than two days before it could be sent', () => {
    expect(isStale('shipped', postedAt, postedAt + 48 * hour)).to.equal(false);
    expect(isStale('shipped', postedAt, postedAt + 48 * hour + 1)).to.equal(true);
    expect(isStale('tracking_late', postedAt, postedAt + 72 * hour)).to.equal(false);
    expect(isStale('recovery', postedAt, postedAt + hour + 1)).to.equal(true);
  });
});

describe('the confirmation of shipping', () => {
  it('goes at once where there is no tracking, or the number is known', () => {
    const sent = { send: true, as: 'shipped' };
    expect(judge('shipped', letter('none'), postedAt)).to.deep.equal(sent);
    expect(judge('shipped', letter('sync', [[1n, postedAt]]), postedAt)).to.deep.equal(sent);
    expect(judge('shipped', letter('async', [[1n, postedAt]]), postedAt)).to.deep.equal(sent);
  });

  it('waits up to ten minutes for a number that comes with posting', () => {
    expect(judge('shipped', letter('sync'), postedAt)).to.deep.equal({
      waitUntilMs: postedAt + minute / 2,
    });
    expect(judge('shipped', letter('sync'), postedAt + 2 * minute)).to.deep.equal({
      waitUntilMs: postedAt + 4 * minute,
    });
    const late = postedAt + 10 * minute;
    expect(judge('shipped', letter('sync'), late - 1)).to.deep.equal({ waitUntilMs: late });
    const follows = { send: true, as: 'shipped_number_follows' };
    expect(judge('shipped', letter('sync'), late)).to.deep.equal(follows);
  });

  it('goes at once and promises the number where the operator assigns it later', () => {
    const follows = { send: true, as: 'shipped_number_follows' };
    expect(judge('shipped', letter('async'), postedAt)).to.deep.equal(follows);
  });
});

describe('the second mail', () => {
  const assignedAt = postedAt + 20 * minute;
  const cause = { version: 3n, atMs: assignedAt };
  const numbered = (tracking: TrackingClass = 'async') => letter(tracking, [[3n, assignedAt]]);
  const ready = { send: true, as: 'tracking_ready' };

  it('goes when the number is there, an hour after the first at the earliest', () => {
    const more = { cause, shipped: withoutNumber };
    expect(judge('tracking_ready', numbered(), assignedAt, more)).to.deep.equal({
      waitUntilMs: postedAt + hour,
    });
    expect(judge('tracking_ready', numbered(), postedAt + hour, more)).to.deep.equal(ready);
    const late = letter('async', [[3n, postedAt + 30 * hour]]);
    const lateCause = { version: 3n, atMs: postedAt + 30 * hour };
    expect(
      judge('tracking_ready', late, postedAt + 30 * hour, { ...more, cause: lateCause }),
    ).to.deep.equal(ready);
  });

  it('of a service that is numbered at posting does not wait', () => {
    const more = { cause, shipped: withoutNumber };
    expect(judge('tracking_ready', numbered('sync'), assignedAt, more)).to.deep.equal(ready);
  });

  it('is not sent where the first one had the number', () => {
    expect(
      judge('tracking_ready', numbered(), assignedAt, { cause, shipped: withNumber }),
    ).to.equal('drop');
    const before = letter('async', [[1n, postedAt]]);
    expect(
      judge('tracking_ready', before, postedAt, {
        cause: { version: 1n, atMs: postedAt },
        shipped: withNumber,
      }),
    ).to.equal('drop');
  });

  it('tells a number that was corrected, and only the last one', () => {
    const course = letter('sync', [
      [1n, postedAt],
      [3n, assignedAt],
    ]);
    expect(judge('tracking_ready', course, assignedAt, { cause, shipped: withNumber }))
      .to.deep //
      .equal(ready);
    const again = letter('async', [
      [3n, assignedAt],
      [4n, assignedAt],
    ]);
    expect(
      judge('tracking_ready', again, postedAt + hour, { cause, shipped: withoutNumber }),
    ).to.equal('drop');
  });

  it('waits for the first one to end, and replaces one that never arrived', () => {
    for (const status of ['attempting', 'refused'] as const) {
      const shipped = mail(status, 'shipped_number_follows');
      expect(judge('tracking_ready', numbered(), assignedAt, { cause, shipped })).to.deep.equal({
        waitUntilMs: assignedAt + 5 * minute,
      });
    }
    const lost = mail('over', 'shipped');
    expect(judge('tracking_ready', numbered(), assignedAt, { cause, shipped: lost }))
      .to.deep //
      .equal(ready);
    expect(judge('tracking_ready', numbered(), assignedAt, { cause })).to.deep.equal({
      waitUntilMs: assignedAt + minute,
    });
    expect(judge('tracking_ready', numbered(), assignedAt + 15 * minute, { cause }))
      .to.deep //
      .equal(ready);
  });
});

describe('the mail about a late number', () => {
  const late = postedAt + 24 * hour;

  it('goes 24 hours after a confirmation that promised one', () => {
    const shipped = withoutNumber;
    expect(judge('tracking_late', letter('async'), late - 1, { shipped })).to.deep.equal({
      waitUntilMs: late,
    });
    expect(judge('tracking_late', letter('async'), late, { shipped })).to.deep.equal({
      send: true,
      as: 'tracking_late',
    });
    const unknown = mail('over', 'shipped_number_follows', { code: 'outcome_unknown' });
    expect(judge('tracking_late', letter('async'), late, { shipped: unknown })).to.have.property(
      'send',
    );
  });

  it('is not sent where there is a number, nothing was promised, or the letter arrived', () => {
    const numbered = letter('async', [[3n, late]]);
    expect(judge('tracking_late', numbered, late, { shipped: withoutNumber })).to.equal('drop');
    expect(judge('tracking_late', letter('async'), late, { shipped: withNumber })).to.equal('drop');
    expect(judge('tracking_late', letter('async'), late)).to.equal('drop');
    const rejected = mail('over', 'shipped_number_follows');
    expect(judge('tracking_late', letter('async'), late, { shipped: rejected })).to.equal('drop');
    const arrived = letter('async', [], true);
    expect(judge('tracking_late', arrived, late, { shipped: withoutNumber })).to.equal('drop');
  });
});

for (const kind of ['recovery', 'sign_in'] as const)
  describe(`a link (${kind})`, () => {
    it('goes at most every 15 minutes, also across the edge of a period', () => {
      const recent = mail('sent', kind);
      expect(judgeLink(kind, [none, none], postedAt)).to.have.property('send');
      expect(judgeLink(kind, [recent, none], postedAt + 15 * minute - 1)).to.equal('drop');
      expect(judgeLink(kind, [recent, none], postedAt + 15 * minute)).to.have.property('send');
    });
  });

describe('the attempts of a mail', () => {
  it('have growing pauses and end after a day, those of a recovery link after an hour', () => {
    const pauses = (kind: 'shipped' | 'recovery'): number[] => {
      const found: number[] = [];
      let at = postedAt;
      for (let attempt = 1; attempt < 50; attempt++) {
        const next = nextMailAttemptAt(kind, attempt, { firstMs: postedAt, refusedMs: at });
        if (next === undefined) return found;
        found.push((next - at) / minute);
        at = next;
      }
      return found;
    };
    expect(pauses('shipped')).to.deep.equal([1, 5, 15, 30, 60, 120, 240, 240, 240, 240, 240]);
    expect(pauses('recovery')).to.deep.equal([1, 5, 15, 30]);
  });
});
