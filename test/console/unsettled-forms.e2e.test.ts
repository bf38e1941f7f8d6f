/** Forms whose answer was lost or not known: sent again, they do their work once. */
import { expect } from 'chai';
import type { PortalRequest } from '../../contract/portal.ts';
import { letterTo, type Sent, useService } from '../support/client.ts';
import { emptyWallet, portalWith, sessionOf } from './portal-with.ts';

type Answers = Record<string, { status?: number; body: unknown }>;

const session = sessionOf();
const portal = portalWith();

const problemOf = (status: number, code: string) => ({
  status,
  body: { status, code, title: code, detail: 'It is not known yet.' },
});
const unknown = problemOf(503, 'store_unavailable');
const inProgress = problemOf(409, 'idempotency_in_progress');
const limited = problemOf(429, 'rate_limited');
const refused = problemOf(422, 'validation_failed');

/** The keys in the forms of a page, by the path that a form is sent to. */
const keysIn = (page: string): Map<string, string> =>
  new Map(
    [...page.matchAll(/<form[^>]*action="\/console([^"]*)"[^>]*>(.*?)<\/form>/gs)].flatMap(
      ([, path = '', fields = '']): [string, string][] => {
        const key = /name="idempotency_key" value="([^"]*)"/.exec(fields)?.[1];
        return key === undefined ? [] : [[path, key]];
      },
    ),
  );

describe('a form of the console that may have been obeyed', () => {
  const api = useService();
  const letterId = '0193f3a0-0000-7000-8000-000000000001';
  let letter: object;
  let settings: object;
  let proof: object;
  before(async () => {
    const client = await api.register();
    const sent = await client.post<Sent>('/api/send', letterTo('DE'));
    const { letter_id: id } = sent.body;
    const abilities = { send: true, update: true, cancel: true, delete: true };
    const read = await client.get<object>(`/api/letters/${id}`);
    letter = { ...read.body, letter_id: letterId, abilities };
    const { body } = await client.get<object>('/api/settings');
    settings = { ...body, webhook_url: 'https://hooks.example.com/status' };
    const found = await client.get<object>(`/api/proof/${id}`);
    proof = { ...found.body, letter_id: letterId };
  });

  const list = (...data: unknown[]) => ({ body: { data, next_cursor: null } });
  const message = {
    id: 'ntf_1',
    type: 'letter.posted',
    created_at: '2026-01-02T03:04:05.000Z',
    channels: [{ channel: 'webhook', state: 'failed', next_attempt_at: null, attempts: [] }],
  };
  const hook = {
    id: 'aud_1',
    url: 'https://hooks.example.com/audit',
    events: null,
    letter_id: null,
    state: 'active',
  };
  const delivery = {
    event_id: 'evt_1',
    type: 'letter.posted',
    state: 'failed',
    created_at: '2026-01-02T03:04:05.000Z',
    next_attempt_at: null,
    attempts: [],
  };
  const lists: Answers = {
    list_keys: list(),
    list_ucans: list(),
    list_budgets: list(),
    list_letters: list(),
    list_approvals: list(),
    list_top_ups: list(),
    list_audit_links: list(),
    list_exports: list(),
    list_contracts: list(),
    list_commitments: list(),
    list_notifications: list(message),
    list_audit_subscriptions: list(hook),
    list_audit_deliveries: list(delivery),
    service_info: { body: { payment_methods: ['usdc', 'card'] } },
    get_tracking_link: { body: { url: 'https://letters.example/track/x' } },
    get_account_closure: { body: { status: 'open', blockers: [], proof: 'confirm' } },
    get_balance: { body: emptyWallet },
  };

  const forms: Record<string, { operation: string; fields?: Record<string, string> }> = {
    '/keys': { operation: 'create_key', fields: { label: 'agent', scope: 'send' } },
    '/wallet/top-up': { operation: 'top_up', fields: { amount: '10', method: 'usdc' } },
    '/contracts': {
      operation: 'create_contract',
      fields: { committed_units: '51', period: 'month', confirm: 'true' },
    },
    '/settings/exports': { operation: 'create_export' },
    [`/letters/${letterId}/send`]: { operation: 'send_letter', fields: { seen_price: '5' } },
    [`/letters/${letterId}/cancel`]: { operation: 'cancel_letter' },
    [`/letters/${letterId}/again`]: { operation: 'send_letter' },
    [`/letters/${letterId}/audit-links`]: { operation: 'create_audit_link' },
    [`/letters/${letterId}/tracking-link/renew`]: { operation: 'renew_tracking_link' },
    '/webhooks': {
      operation: 'update_settings',
      fields: { webhook_url: 'https://hooks.example.com/other', new_secret: 'true' },
    },
    '/webhooks/test': { operation: 'test_webhook' },
    '/webhooks/ntf_1/resend': { operation: 'replay_notification' },
    '/webhooks/resend-failed': {
      operation: 'replay_notification',
      fields: { since: '2026-01-01T00:00' },
    },
    '/webhooks/audit/aud_1/test': { operation: 'test_audit_webhook' },
    '/webhooks/audit/aud_1/deliveries/evt_1/resend': { operation: 'replay_audit_delivery' },
  };

  const sendTo = async (path: string, problem: Answers[string]): Promise<string> => {
    const { operation, fields = {} } = forms[path] ?? { operation: '' };
    const answers: Answers = {
      ...lists,
      get_letter: { body: letter },
      get_settings: { body: settings },
      get_proof: { body: proof },
      [operation]: problem,
    };
    const call: PortalRequest['call'] = async (name) => {
      const answer = answers[name];
      if (!answer) throw new Error(`${name} is not called`);
      return { status: answer.status ?? 200, headers: {}, body: JSON.stringify(answer.body) };
    };
    const answer = await portal.serve({
      method: 'POST',
      path,
      query: new URLSearchParams(),
      form: new URLSearchParams({ ...fields, idempotency_key: 'form-1' }),
      file: undefined,
      headers: {},
      address: '192.0.2.1',
      session,
      call,
    });
    expect(answer.status).to.equal(problem?.status);
    return String(answer.body);
  };

  for (const path of Object.keys(forms)) {
    const name = path.replace(letterId, '{id}');
    it(`goes on under its key, and no other form of the page does (${name})`, async () => {
      for (const problem of [unknown, inProgress, limited]) {
        const keys = keysIn(await sendTo(path, problem));
        expect(keys.get(path)).to.equal('form-1');
        const same = [...keys].filter(([, key]) => key === 'form-1');
        expect(same).to.have.length(1);
      }
    });

    it(`gets a new key once it was refused (${name})`, async () => {
      const keys = keysIn(await sendTo(path, refused));
      expect(keys.get(path)).to.match(/^[\da-f-]{36}$/);
    });
  }

  it('shows again what was chosen, so that it is the same request', async () => {
    const hooked = await sendTo('/webhooks', unknown);
    expect(hooked).to.match(/name="webhook_url"[^>]* value="https:\/\/hooks.example.com\/other"/);
    expect(hooked).to.match(/name="new_secret" value="true" checked/);
    const exported = await sendTo('/settings/exports', unknown);
    expect(exported).to.match(/name="documents" value="true">/);
    expect(await sendTo('/keys', unknown)).to.match(/name="label"[^>]* value="agent"/);
    expect(await sendTo('/contracts', unknown)).to.match(/name="committed_units"[^>]* value="51"/);
  });
});
