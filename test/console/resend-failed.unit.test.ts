/** Which messages the console sends when a person asks for all that the webhook did not get since a day. */
import { expect } from 'chai';
import type { Called } from '../../contract/call.ts';
import type { Visit } from '../../pages/console/visit.ts';
import { resendFailed, statusMessages } from '../../pages/console/webhooks/resend-failed.ts';

const message = (
  number: number,
  state: string | undefined,
  at = '2026-11-02T00:00:00.000Z',
  type = 'letter.posted',
) => ({
  id: `ntf_${number}`,
  type,
  created_at: at,
  channels: [
    { channel: 'email', state: 'delivered', attempts: [] },
    ...(state === undefined ? [] : [{ channel: 'webhook', state, attempts: [] }]),
  ],
});

const since = '2026-11-02T00:00:00.000Z';

const answer = (body: unknown, status = 200): Called => ({
  status,
  headers: {},
  body: JSON.stringify(body),
});

/** The messages that are sent again. `lists`: pages of messages, the newest first. */
const resent = async (lists: unknown[][], refusal?: object) => {
  const sent: { id: string | undefined; key: string | undefined }[] = [];
  const read: (string | undefined)[] = [];
  const call: Visit['call'] = async (name, { params, query, headers }) => {
    if (name === 'list_notifications') {
      const cursor = query?.cursor as string | undefined;
      read.push(cursor);
      const at = Number(cursor ?? 0);
      const next = at + 1 < lists.length ? String(at + 1) : null;
      return answer({ data: lists[at], next_cursor: next });
    }
    sent.push({ id: params?.id, key: headers?.['idempotency-key'] });
    return refusal ? answer(refusal, 409) : answer({}, 202);
  };
  const outcome = await resendFailed({ call } as Visit, statusMessages, since, 'form-1');
  return { outcome, sent, read };
};

describe('sending all missed messages', () => {
  it('sends those that were not delivered since the day, the oldest first, each once for the form, and no others', async () => {
    const before = message(9, 'failed', '2026-11-01T23:59:59.999Z');
    const { outcome, sent, read } = await resent([
      [message(1, 'failed'), message(2, 'delivered'), message(3, 'pending')],
      [message(6, undefined), message(7, undefined, since, 'webhook.disabled')],
      [message(8, 'cancelled'), message(4, 'failed'), before],
      [message(5, 'failed', '2026-11-01T00:00:00.000Z')],
    ]);
    expect(sent).to.deep.equal([
      { id: 'ntf_4', key: 'form-1:ntf_4' },
      { id: 'ntf_8', key: 'form-1:ntf_8' },
      { id: 'ntf_6', key: 'form-1:ntf_6' },
      { id: 'ntf_1', key: 'form-1:ntf_1' },
    ]);
    expect(read).to.deep.equal([undefined, '1', '2']);
    expect(outcome).to.include({ done: 'replayed_failed' });
  });

  it('sends 50 at a time, and says that others are left', async () => {
    const list = (from: number, size: number) =>
      Array.from({ length: size }, (_, index) => message(from + index, 'failed'));
    const exact = await resent([list(0, 50)]);
    expect([exact.sent.length, exact.outcome]).to.deep.equal([
      50,
      { done: 'replayed_failed', version: undefined },
    ]);
    const more = await resent([list(0, 30), list(30, 30)]);
    expect([more.sent.length, more.outcome]).to.deep.equal([
      50,
      { done: 'replayed_some', version: undefined },
    ]);
    expect([more.sent[0]?.id, more.sent[49]?.id]).to.deep.equal(['ntf_59', 'ntf_10']);
  });

  it('says that it read the newest 2,000 only where there are more since then', async () => {
    const read = Array.from({ length: 20 }, (_, index) => [message(index, 'delivered')]);
    const failed = await resent([...read, [message(20, 'failed')]]);
    expect(failed.sent).to.deep.equal([]);
    expect(failed.outcome).to.include({ done: 'replayed_newest' });
    const before = message(20, 'failed', '2026-11-01T00:00:00.000Z');
    const all = await resent([...read.slice(1), [before], [message(21, 'failed')]]);
    expect(all.outcome).to.include({ done: 'nothing_failed' });
  });

  it('says where nothing failed, and stops at a refusal', async () => {
    expect((await resent([[message(1, 'delivered')]])).outcome).to.include({
      done: 'nothing_failed',
    });
    const problem = { status: 409, code: 'webhook_not_set', title: '', detail: '' };
    const { outcome, sent } = await resent([[message(1, 'failed'), message(2, 'failed')]], problem);
    expect(outcome).to.deep.equal({ problem });
    expect(sent).to.have.length(1);
  });
});
