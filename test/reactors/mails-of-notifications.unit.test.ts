import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { decodeEvent } from '../../events/envelope.ts';
import { notificationOf } from '../../events/notifications.ts';
import { definitions } from '../../events/registry.ts';
import { mailIdsOf } from '../../projections/mails/query.ts';
import { mailsOf } from '../../reactors/mail-plan.ts';
import { mailIdOf } from '../../reactors/mail-subject.ts';
import { type Golden, goldenPath } from '../golden-events/golden.ts';

/** An event of every type. */
const events = Object.entries(definitions).map(([type, { version }]) => {
  const golden: Golden = JSON.parse(readFileSync(goldenPath(type, version), 'utf8'));
  return decodeEvent({ ...golden, stream: `golden-${type}`, version: 0n, position: 0n as const });
});

/** Notifications show it next to the confirmation of the letter, by the letter. */
const shownByLetter = 'tracking_';

describe('the mails of a notification', () => {
  it('are found for every event that makes mails and notifies the account', () => {
    const kinds = new Set<string>();
    for (const event of events) {
      const type = notificationOf(event);
      if (type === undefined) continue;
      const wanted = mailsOf(event).filter((kind) => !kind.startsWith(shownByLetter));
      const found = mailIdsOf([{ event_id: event.id, type }]);
      for (const kind of wanted) {
        kinds.add(kind);
        expect(found.get(mailIdOf(event.id, kind)), `${event.type}: ${kind}`).to.equal(event.id);
      }
    }
    expect([...kinds]).to.include.members(['shipped', 'delivered', 'returned', 'failed']);
    expect([...kinds]).to.include.members(['wallet_credited', 'webhook_disabled']);
    expect([...kinds]).to.include.members(['wallet_charged_back', 'order_credited']);
    expect([...kinds]).to.include('contract_breached');
  });

  it('are not looked up for events that make none', () => {
    const silent = events.flatMap((event) => {
      const type = notificationOf(event);
      const isMailed = mailsOf(event).length > 0;
      const makesSometimes = ['LetterCancelled', 'FundsCredited'].includes(event.type);
      return type === undefined || isMailed || makesSometimes ? [] : [{ event_id: event.id, type }];
    });
    expect(silent.length).to.be.greaterThan(5);
    expect(mailIdsOf(silent).size).to.equal(0);
  });
});
