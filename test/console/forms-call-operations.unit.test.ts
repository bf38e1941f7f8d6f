/** Which operation each form calls, and with what. A new form needs a row here. */
import { expect } from 'chai';
import type { CallInput } from '../../contract/call.ts';
import { refusalWords } from '../../pages/console/refusals/refusal-words.ts';
import { routes } from '../../pages/console/routes.ts';
import { noSessions, portalWith, sessionOf } from './portal-with.ts';

const session = sessionOf();

const portal = portalWith({
  passkeys: {
    asks: async () => false,
    ask: async () => ({ options: {}, ticket: '' }),
    askToRegister: async () => ({ options: {}, ticket: '' }),
    register: async (_answered, _of, makeKey) => (await makeKey('once')) !== undefined,
    confirm: async () => undefined,
  },
  sessions: { ...noSessions, find: async () => session },
});

const refusal = { status: 403, code: 'frozen', title: 'Frozen', detail: 'The key is frozen.' };

const once = { 'idempotency-key': 'form-1' };

const forms: Record<
  string,
  { fields: Record<string, string>; calls: [string, Partial<CallInput>] }
> = {
  '/letters': {
    fields: { text: 'invoice 42' },
    calls: ['list_letters', { query: { reference: 'invoice 42', limit: '100' } }],
  },
  '/letters/recipient': {
    fields: { to_name: 'Anna', to_line1: 'Ring 1', to_country: 'DE', to_company: ' ' },
    calls: [
      'search_letters',
      {
        body: {
          recipient: { name: 'Anna', line1: 'Ring 1', postal_code: '', city: '', country: 'DE' },
        },
      },
    ],
  },
  '/letters/{id}/cancel': {
    fields: { version: '"3"' },
    calls: ['cancel_letter', { params: { id: 'a' }, headers: { ...once, 'if-match': '"3"' } }],
  },
  '/letters/{id}/delete': {
    fields: { version: '"3"' },
    calls: ['delete_letter', { params: { id: 'a' }, headers: { ...once, 'if-match': '"3"' } }],
  },
  '/letters/{id}/again': { fields: {}, calls: ['get_letter', { params: { id: 'a' } }] },
  '/letters/{id}/change': {
    fields: { version: '"3"', to_name: 'Berta', to_line1: 'Ring 1', to_company: ' ' },
    calls: [
      'update_letter',
      {
        params: { id: 'a' },
        body: {
          to_name: 'Berta',
          to_company: null,
          to_line1: 'Ring 1',
          to_line2: null,
          to_postal_code: '',
          to_city: '',
          to_state: null,
          reference: null,
        },
        headers: { 'if-match': '"3"' },
      },
    ],
  },
  '/letters/{id}/audit-links': {
    fields: {},
    calls: ['create_audit_link', { params: { letter_id: 'a' }, headers: once }],
  },
  '/letters/{id}/audit-links/{link}/revoke': {
    fields: {},
    calls: ['revoke_audit_link', { params: { letter_id: 'a', id: 'b' } }],
  },
  '/letters/{id}/tracking-link/renew': {
    fields: {},
    calls: ['renew_tracking_link', { params: { letter_id: 'a' }, headers: once }],
  },
  '/letters/{id}/tracking-link/revoke': {
    fields: {},
    calls: ['revoke_tracking_link', { params: { letter_id: 'a' } }],
  },
  '/letters/{id}/send': {
    fields: { version: '"3"', seen_price: '4.49' },
    calls: [
      'send_letter',
      { body: { letter_id: 'a', max_total: 4.49 }, headers: { ...once, 'if-match': '"3"' } },
    ],
  },
  '/write': {
    fields: { do: 'send', seen_price: '1.50', to_name: 'Anna', color: 'true' },
    calls: [
      'send_letter',
      { body: { to_name: 'Anna', color: true, duplex: false, max_total: 1.5 }, headers: once },
    ],
  },
  '/keys': {
    fields: { label: 'office', scope: 'send', expires: '2027-01-31' },
    calls: [
      'create_key',
      {
        body: { label: 'office', scope: 'send', expires_at: '2027-01-31T23:59:59.999Z' },
        headers: once,
      },
    ],
  },
  '/wallet/top-up': {
    fields: { method: 'card', amount: '20.50', currency: 'EUR' },
    calls: ['top_up', { body: { method: 'card', amount: 20.5, currency: 'EUR' }, headers: once }],
  },
  '/wallet/refill': { fields: {}, calls: ['refill_test_wallet', {}] },
  '/limits/freeze': { fields: {}, calls: ['freeze_account', {}] },
  '/limits/unfreeze': {
    fields: { subject: 'key_1' },
    calls: ['unfreeze_key', { params: { id: 'key_1' } }],
  },
  '/limits/rules': { fields: { effect: 'deny' }, calls: ['get_policy', {}] },
  '/limits/end': {
    fields: { confirm: 'true', version: '"3"' },
    calls: ['delete_policy', { headers: { 'if-match': '"3"' } }],
  },
  '/limits/rules/remove': { fields: { id: 'rule-1' }, calls: ['get_policy', {}] },
  '/approvals/{id}/approve': { fields: {}, calls: ['approve_letter', { params: { id: 'a' } }] },
  '/approvals/{id}/reject': {
    fields: { reason: 'too dear' },
    calls: ['reject_letter', { params: { id: 'a' }, body: { reason: 'too dear' } }],
  },
  '/keys/ucans/revoke': {
    fields: { cid: 'bafkrei' },
    calls: ['revoke_ucan', { body: { cid: 'bafkrei' } }],
  },
  '/keys/{id}/freeze': { fields: {}, calls: ['freeze_key', { params: { id: 'a' } }] },
  '/keys/{id}/revoke': { fields: {}, calls: ['revoke_key', { params: { id: 'a' } }] },
  '/webhooks': {
    fields: { webhook_url: 'https://a.example', new_secret: 'true' },
    calls: [
      'update_settings',
      { body: { webhook_url: 'https://a.example', rotate_webhook_secret: true }, headers: once },
    ],
  },
  '/webhooks/resend-failed': {
    fields: { since: '2026-11-01' },
    calls: ['list_notifications', { query: { limit: '100' } }],
  },
  '/webhooks/test': { fields: {}, calls: ['test_webhook', { headers: once }] },
  '/webhooks/{id}/resend': {
    fields: {},
    calls: ['replay_notification', { params: { id: 'a' }, headers: once }],
  },
  '/webhooks/audit/{id}/test': {
    fields: {},
    calls: ['test_audit_webhook', { params: { id: 'a' }, headers: once }],
  },
  '/webhooks/audit/{id}/resend-failed': {
    fields: { since: '2026-11-01' },
    calls: ['list_audit_deliveries', { params: { id: 'a' }, query: { limit: '100' } }],
  },
  '/webhooks/audit/{id}/deliveries/{event}/resend': {
    fields: {},
    calls: ['replay_audit_delivery', { params: { id: 'a', event_id: 'c' }, headers: once }],
  },
  '/contracts': {
    fields: {
      committed_units: ' 51 ',
      period: 'month',
      time_zone: 'Europe/Berlin',
      confirm: 'true',
    },
    calls: [
      'create_contract',
      {
        body: { committed_units: 51, period: 'month', time_zone: 'Europe/Berlin' },
        headers: once,
      },
    ],
  },
  '/settings/exports': {
    fields: { documents: 'true' },
    calls: ['create_export', { body: { documents: true }, headers: once }],
  },
  '/settings/close': {
    fields: { confirm: ' acc ', do: 'close' },
    calls: ['close_account', { body: { confirm: 'acc', forfeit_balance: false } }],
  },
  '/settings/close/withdraw': { fields: {}, calls: ['withdraw_account_closure', {}] },
  '/settings/passkeys': {
    fields: { label: 'laptop', answer: '{}' },
    calls: [
      'create_key',
      {
        body: { label: 'Passkey: laptop', scope: 'full' },
        headers: { 'idempotency-key': 'once' },
      },
    ],
  },
  '/settings': {
    fields: { notification_email: '', language: 'de' },
    calls: ['update_settings', { body: { notification_email: null, language: 'de' } }],
  },
};

describe('a form of the console', () => {
  it('is in this list', () => {
    const posts = routes.filter(({ method }) => method === 'POST').map(({ path }) => path);
    expect(posts.sort()).to.deep.equal(Object.keys(forms).sort());
  });

  for (const [path, { fields, calls }] of Object.entries(forms)) {
    it(`${path} calls ${calls[0]}, and shows its refusal with its status`, async () => {
      const called: [string, Partial<CallInput>][] = [];
      const answer = await portal.serve({
        method: 'POST',
        path: path.replace('{id}', 'a').replace('{link}', 'b').replace('{event}', 'c'),
        query: new URLSearchParams(),
        form: new URLSearchParams({ ...fields, idempotency_key: 'form-1' }),
        file: undefined,
        headers: {},
        address: '192.0.2.1',
        session,
        call: async (name, input) => {
          called.push([name, input]);
          return { status: 403, headers: {}, body: JSON.stringify(refusal) };
        },
      });
      expect(called[0]).to.deep.equal(calls);
      expect(answer.status).to.equal(403);
      expect(answer.body).to.contain('data-code="frozen"');
      expect(answer.body).to.contain(refusalWords.en.frozen);
    });
  }
});
