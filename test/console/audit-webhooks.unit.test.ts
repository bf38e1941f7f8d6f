/** The forms on the pages of an audit webhook. */
import { expect } from 'chai';
import type { Visit } from '../../pages/console/visit.ts';
import {
  auditMessageBody,
  auditWebhookBody,
  type Delivery,
} from '../../pages/console/webhooks/audit-webhooks-page.ts';
import { markup } from '../../pages/html.ts';

const at = '2026-03-01T00:00:00.000Z';
const visit = {
  language: 'en',
  at: (path: string) => path,
  session: { caller: { accountId: 'acct_1' } },
} as Visit;
const delivery: Delivery = {
  event_id: '11111111-2222-4333-8444-555555555555',
  letter_id: null,
  type: 'letter.posted',
  created_at: at,
  state: 'cancelled',
  next_attempt_at: null,
  attempts: [],
};

const formsOf = (state: 'active' | 'disabled' | 'ended'): string[] => {
  const webhook = {
    id: 'aud_1',
    url: 'https://example.com/',
    events: null,
    letter_id: null,
    created_at: at,
    state,
    disabled_reason: null,
    disabled_at: null,
    public_key: '',
  };
  const shown = { deliveries: [delivery], nextCursor: null, problem: undefined };
  const headers = { 'content-type': 'application/json', 'webhook-id': delivery.event_id };
  const message = { event_id: delivery.event_id, type: delivery.type, headers, body: '{}' };
  const pages = [
    auditWebhookBody(webhook, shown, visit),
    auditMessageBody(webhook, message, visit),
  ];
  const actions = pages.flatMap((page) => [...markup(page).matchAll(/action="([^"]+)"/g)]);
  return actions.map(([, action = '']) => action);
};

describe('the pages of an audit webhook', () => {
  it('offer to send only while it is on', () => {
    const resend = `/webhooks/audit/aud_1/deliveries/${delivery.event_id}/resend`;
    expect(formsOf('active')).to.deep.equal([
      '/webhooks/audit/aud_1/test',
      '/webhooks/audit/aud_1/resend-failed',
      resend,
      resend,
    ]);
    expect(formsOf('disabled')).to.deep.equal([]);
    expect(formsOf('ended')).to.deep.equal([]);
  });
});
