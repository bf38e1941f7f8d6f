import { expect } from 'chai';
import type { AnyEvent } from '../../events/envelope.ts';
import type { MailEvent } from '../../events/mail.ts';
import { mails } from '../../projections/mails/project.ts';
import type { MailRow } from '../../projections/mails/query.ts';
import type { RowSource } from '../../projections/projection.ts';

const facts = { mailId: '00000000-0000-5000-8000-000000000001', accountId: 'acct_1' };
const data = { ...facts, kind: 'shipped', letterId: '00000000-0000-4000-8000-000000000002' };

const story: MailEvent[] = [
  { type: 'MailAttempted', data: { ...data, kind: 'shipped_number_follows', attempt: 1 } },
  { type: 'MailFailed', data: { ...data, code: 'greylisted', final: false } },
  { type: 'MailAttempted', data: { ...data, attempt: 2 } },
  { type: 'MailSent', data },
];
const at = (index: number): string => `2026-03-01T12:00:0${index}.000Z`;

const asEvents = (events: MailEvent[]): AnyEvent[] =>
  events.map((event, index) => ({
    ...event,
    stream: `mail-${facts.mailId}`,
    metadata: { at: at(index) },
  })) as AnyEvent[];

/** Projects in batches of the given sizes over rows that are kept between them. */
const projected = async (events: MailEvent[], sizes: number[]): Promise<MailRow | undefined> => {
  let rows: MailRow[] = [];
  const source: RowSource = {
    load: async () => new Map(rows.map((row) => [row.mail_id, row])) as never,
  };
  const all = asEvents(events);
  for (const size of sizes) {
    const [change] = await mails.project(source, all.splice(0, size));
    rows = structuredClone((change?.rows ?? []) as MailRow[]);
  }
  return rows[0];
};

describe('the read model of mails', () => {
  it('holds every attempt and how it ended, whatever the batches are', async () => {
    const row = await projected(story, [4]);
    expect(row).to.deep.equal({
      mail_id: facts.mailId,
      account_id: 'acct_1',
      letter_id: data.letterId,
      kind: 'shipped',
      state: 'sent',
      attempts: [
        { at: at(0), endedAt: at(1), state: 'failed', error: 'greylisted' },
        { at: at(2), endedAt: at(3), state: 'sent' },
      ],
    });
    expect(await projected(story, [1, 1, 1, 1])).to.deep.equal(row);
    expect(await projected(story, [2, 2])).to.deep.equal(row);
  });

  it('tells apart what is tried again, what is over and what has no reason any more', async () => {
    const [first, second] = story;
    if (!first || !second) return expect.fail('the story has a beginning');
    const failed = (code: string): MailEvent => ({
      type: 'MailFailed',
      data: { ...data, code, final: true },
    });
    const stateOf = async (...events: MailEvent[]) =>
      (await projected(events, [events.length]))?.state;
    expect(await stateOf(first)).to.equal('sending');
    expect(await stateOf(first, second)).to.equal('retrying');
    expect(await stateOf(first, failed('rejected'))).to.equal('failed');
    expect(await stateOf(first, second, failed('obsolete'))).to.equal('dropped');
    const confirmed = await projected(
      [first, failed('outcome_unknown'), { type: 'MailSent', data }],
      [3],
    );
    expect(confirmed?.state).to.equal('sent');
    expect(confirmed?.attempts).to.deep.equal([{ at: at(0), endedAt: at(2), state: 'sent' }]);
  });
});
