/**
 * Examples for the OpenAPI document: each operation is called once against a service, and what was sent
 * and answered is kept. `RECORD_EXAMPLES=1` with the test of this name writes the file again.
 */
import { emailApprover } from '../../commands/guards/email-approver.ts';
import type { RecordedExample, RecordedExamples } from '../../http/openapi-examples.ts';
import { createCertificateLinks } from '../../read-api/certificate-links.ts';
import { approvalLinksOf } from '../../service/wings/approval-page.ts';
import { letterTo, until } from './client.ts';
import type { TestService } from './service.ts';

type Request = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  key?: string | undefined;
};

/** Keys and tokens are shown by their beginning, lists by theirs. */
const shorten = (value: unknown): unknown => {
  if (typeof value === 'string') {
    const hidden = value.replaceAll(/(svc_(?:test|live)_)\w{20,}|(whsec_)\S{20,}/g, '$1$2…');
    return hidden.length > 160 ? `${hidden.slice(0, 80)}…` : hidden;
  }
  if (Array.isArray(value)) return value.slice(0, 2).map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shorten(one)]));
};

const isText = (type: string): boolean => /^text\//.test(type);

type Call = <T = Record<string, string>>(name: string, request?: Request) => Promise<T>;

/** Letters that wait for approval: no key approves what it sent itself, nor what a key sent that it made. */
const recordApprovals = async (ports: {
  test: TestService;
  call: Call;
  account: { id: string; key: string | undefined };
  letter: unknown;
}): Promise<void> => {
  const { test, call, account, letter } = ports;
  const { key } = account;
  const sender = await call('create_key', { key, body: { label: 'agent', scope: 'send' } });
  const approver = await call('create_key', { key, body: { label: 'office', scope: 'full' } });
  // The example of this operation is another policy.
  const put = async (by: string | undefined, policy: object) => {
    const response = await fetch(`${test.url}/api/policy`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${by}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ time_zone: 'Europe/Berlin', ...policy }),
    });
    if (!response.ok) throw new Error(`the policy was refused: ${await response.text()}`);
    return (await response.json()) as { approval_id?: string };
  };
  const holdAll = (approvals?: object) =>
    put(key, {
      rules: [{ effect: 'allow' }, { id: 'ask', effect: 'hold' }],
      ...(approvals && { approvals }),
    });
  const held = async () =>
    (await call('send_letter', { key: sender.api_key, body: letter })).approval_id ?? '';
  await holdAll();
  const [first, second] = [await held(), await held()];
  await call('list_approvals', { key });
  await call('get_approval', { key, params: { id: first } });
  const by = (id: string) => ({ key: approver.api_key, params: { id } });
  await call('approve_letter', by(first));
  await call('reject_letter', { ...by(second), body: { reason: 'Send it by e-mail.' } });

  const askFor = async (dollars: number) => {
    const rules = [
      { effect: 'allow' },
      { id: 'ask', effect: 'hold', when: { price_above: dollars } },
    ];
    return (await put(sender.api_key, { rules, request_approval: true })).approval_id ?? '';
  };
  const change = await askFor(5);
  await call('list_policy_changes', { key });
  await call('get_policy_change', { key, params: { id: change } });
  await call('reject_policy_change', { ...by(change), body: { reason: 'Ask again next month.' } });
  await call('approve_policy_change', by(await askFor(4)));

  await holdAll({ quorum: 1, approvers: ['boss@example.com'] });
  const id = await held();
  const { foundation } = test.service;
  const token = approvalLinksOf(foundation).tokenOf(
    id,
    emailApprover(foundation.keys.indexOf, account.id, 'boss@example.com'),
  );
  await call('view_approval', { params: { id }, query: { token } });
  await call('view_approval_picture', { params: { id, page: '1' }, query: { token } });
  await call('decide_approval', { params: { id }, body: { token, decision: 'approve' } });
};

/** The account closes, and takes that back. */
const recordClosure = async (
  call: Call,
  { id, key }: { id: string; key: string | undefined },
): Promise<void> => {
  const { export_id: exported = '' } = await call('create_export', { key, body: {} });
  await call('get_export', { key, params: { id: exported } });
  await call('list_exports', { key });
  const { closure_id = '' } = await call('close_account', { key, body: { confirm: id } });
  await call('get_account_closure', { key });
  // A public operation waits for no write of the account.
  await until(() =>
    call('get_erasure', { params: { closure_id } }).then(
      () => true,
      () => false,
    ),
  );
  await call('withdraw_account_closure', { key });
};

export const recordExamples = async (test: TestService): Promise<RecordedExamples> => {
  const { operations } = test.service;
  const recorded: RecordedExamples = {};

  /** Calls an operation and keeps the example. @throws Error when it is refused */
  const call = async <T = Record<string, string>>(name: string, request: Request = {}) => {
    const { params = {}, query = {}, body, key } = request;
    const operation = operations.find((one) => one.name === name);
    if (!operation) throw new Error(`there is no operation ${name}`);
    const path = operation.path.replace(/\{(\w+)\}/g, (_, param) => params[param] ?? '');
    const search = new URLSearchParams(query).toString();
    const response = await fetch(`${test.url}${path}${search && `?${search}`}`, {
      method: operation.method,
      headers: {
        Accept: 'application/json, */*;q=0.1',
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${name} answered ${response.status}: ${text}`);
    const type = response.headers.get('content-type') ?? '';
    const isJson = type.includes('json');
    const answer: unknown = isJson ? JSON.parse(text) : text;
    const shown = isJson ? shorten(answer) : isText(type) ? text.slice(0, 160) : undefined;
    const example: RecordedExample = recorded[name] ?? {
      ...(request.params ? { params } : {}),
      ...(request.query ? { query } : {}),
      ...(body === undefined ? {} : { body: shorten(body) }),
      answers: {},
    };
    if (shown !== undefined) example.answers[response.status] = shown;
    recorded[name] = example;
    return answer as T;
  };

  for (const name of ['service_info', 'health', 'ready', 'metrics', 'x402_status', 'list_scopes'])
    await call(name);
  await call('list_errors');
  await call('search_reference', { query: { q: 'idempotency' } });
  await call('get_error', { params: { code: 'letter_not_found' } });
  recorded.openapi = { answers: { 200: { openapi: '3.1.1', info: { title: 'Letters' } } } };
  await call('list_message_schemas').then(({ data }) =>
    call('get_message_schema', {
      params: { name: (data as unknown as { name: string }[])[0]?.name ?? '' },
    }),
  );

  const account = await call('register', { body: { email: 'ada@example.com', mode: 'test' } });
  const key = account.api_key;
  await call('signup', { body: { email: 'grace@example.com', mode: 'test' } });
  const agentAccount = await call('register_agent', {
    body: { agent_id: 'invoice-bot', agent_name: 'Invoice bot', mode: 'test' },
  });
  const made = await call('create_key', { key, body: { label: 'office', scope: 'send' } });
  await call('list_keys', { key });
  const rotated = await call('rotate_key', {
    key,
    params: { id: made.id ?? '' },
    body: { revoke_now: true },
  });
  await call('revoke_key', { key, params: { id: rotated.id ?? '' } });
  // The token comes by mail only.
  recorded.recover_account = {
    body: { token: 'the part of the link behind #token=' },
    answers: {
      201: {
        ...(shorten(account) as object),
        ended_keys: [],
        left: {
          keys: [],
          webhook_url: null,
          notification_email: null,
          audit_webhooks: [],
          did: null,
          policies: [],
        },
      },
    },
  };

  // Tokens come by mail only.
  const mailed = 'the part of the link behind #token=';
  const webhook = { id: 'set_3q2-7wAAEjRWeJqrze8BIg', kind: 'webhook' };
  const confirmation = {
    account_id: account.account_id,
    mode: 'test',
    address: 'registered',
    email: 'ada@example.com',
    confirmed: false,
    keys: [],
    settings: [{ ...webhook, value: 'https://shop.example/hooks', undecided: true }],
    webhook_url: 'https://shop.example/hooks',
    audit_webhooks: [],
  };
  recorded.preview_confirmation = { body: { token: mailed }, answers: { 200: confirmation } };
  recorded.confirm_email = {
    body: { token: mailed, keep: [webhook.id] },
    answers: {
      200: {
        ...confirmation,
        confirmed: true,
        settings: [{ ...webhook, value: 'https://shop.example/hooks', undecided: false }],
        ended_keys: [],
        ended_settings: [],
        message: 'The address is confirmed.',
      },
    },
  };
  recorded.unsubscribe = {
    query: { token: mailed },
    answers: { 200: { unsubscribed: true, message: 'No more mails come from this account.' } },
  };
  recorded.change_email = {
    body: { email: 'ada.new@example.com' },
    answers: {
      202: {
        email: 'ada.new@example.com',
        confirmed: false,
        expires_at: '2026-11-24T09:00:00.000Z',
        message: 'A mail asks the address to confirm. Until then the account keeps its address.',
      },
    },
  };
  recorded.stop_email_change = {
    body: { token: mailed },
    answers: {
      200: {
        account_id: account.account_id,
        email: 'ada@example.com',
        message:
          'The account has this address again. A recovery link is on its way to it: with it you can end all keys.',
      },
    },
  };
  const spare = await call('create_key', { key, body: { label: 'spare', scope: 'send' } });
  const turned = await call('rotate_own_key', {
    key: spare.api_key,
    body: { revoke_now: false },
  });
  await call('revoke_own_key', { key: turned.api_key });
  await call('refill_test_wallet', { key });
  // No way to pay is set up here.
  const topUp = {
    topup_id: '6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e',
    method: 'card',
    amount: 20,
    currency: 'USD',
    status: 'pending',
    credited: null,
    expires_at: '2026-11-22T10:00:00.000Z',
    checkout_url: 'https://checkout.stripe.com/c/pay/cs_live_a1b2',
    charged: { amount: 17.25, currency: 'EUR' },
  };
  recorded.top_up = {
    body: { method: 'card', amount: 20, currency: 'EUR' },
    answers: { 201: topUp },
  };
  recorded.list_top_ups = {
    query: { status: 'pending' },
    answers: { 200: { data: [topUp], has_more: false, next_cursor: null } },
  };
  recorded.get_top_up = {
    params: { topup_id: topUp.topup_id },
    answers: { 200: { ...topUp, status: 'paid', credited: 20 } },
  };

  const ordered = {
    order_id: '2f0c9d1e-5b7a-5c3f-9a84-6d1e2b7c8f90',
    letter_id: topUp.topup_id,
    status: 'awaiting_payment',
    checkout_url: topUp.checkout_url,
    amount: 3.26,
    currency: 'EUR',
    expires_at: topUp.expires_at,
  };
  recorded.create_order = {
    body: { ...letterTo('DE'), email: 'payer@example.com', currency: 'EUR' },
    answers: { 201: ordered },
  };
  const queued = {
    ...ordered,
    status: 'queued',
    checkout_url: null,
    letter_status: 'queued',
    delivery_outcome: null,
    tracking_number: null,
    tracking_url: null,
    credit_reason: null,
    taken_back: 0,
    placed_at: '2026-03-01T12:00:00.000Z',
  };
  recorded.get_order = {
    params: { order_id: ordered.order_id },
    query: { secret: 'the part of the link behind secret=' },
    answers: { 200: queued },
  };
  recorded.list_orders = {
    query: { status: 'queued' },
    answers: { 200: { data: [queued], has_more: false, next_cursor: null } },
  };
  recorded.view_order = {
    params: { order_id: ordered.order_id },
    query: { secret: 'the part of the link behind secret=' },
    answers: { 200: '<!doctype html>' },
  };

  await call('list_services', { key, params: { country: 'DE' } });
  const letter = letterTo('DE', { reference: 'invoice-7', metadata: { customer: '42' } });
  const quote = await call('quote_letter', { key, body: letter });
  await call('preview_quote', { key, params: { quote_id: quote.quote_id ?? '', page: '1' } });
  await call('list_intent_classes');
  const wish = { intent: 'transactional', to_country: 'DE', pages: 1 };
  const offer = await call('negotiate_pricing', { key, body: wish });
  await call('verify_offer', { body: { jws: offer.jws } });
  const choice = { offer_id: offer.offer_id, tier: 'standard', payment_method: 'fiat' };
  const commitment = await call('accept_offer', { key, body: choice });
  await call('accept_offer', { key, body: choice });
  const { commitment_id = '' } = commitment;
  const committed = { key, params: { commitment_id } };
  await until(async () => (await call('get_commitment', committed).catch(() => 0)) !== 0);
  await call('list_commitments', { key, query: { limit: '1' } });
  await call('get_customer_profile', { key, params: { customer_did: account.account_id ?? '' } });
  const receiver = { webhook_url: 'https://shop.example/hooks' };
  await call('update_settings', { key, body: receiver });
  await call('get_settings', { key });

  const sent = await call('send_letter', { key, body: letter });
  const letter_id = sent.letter_id ?? '';
  const at = { key, params: { id: letter_id } };
  const of = { key, params: { letter_id } };
  await until(
    async () =>
      (
        await fetch(`${test.url}/api/letters/${letter_id}`, {
          headers: { Authorization: `Bearer ${key}` },
        })
      ).ok,
  );
  await call('send_letter', { key, body: { ...letter, dry_run: true } });
  await call('get_letter', at);
  await call('count_letters', { key });
  const recipient = {
    name: 'Anna Müller',
    line1: 'Hauptstraße 5',
    postal_code: '10827',
    city: 'Berlin',
    country: 'DE',
  };
  await call('search_letters', { key, body: { recipient } });
  await call('list_letters', { key, query: { status: 'queued', limit: '2' } });
  await call('update_letter', { ...at, body: { to_name: 'Berta Müller' } });
  for (const name of ['preview_letter', 'get_letter_document'])
    await call(name, { key, params: { id: letter_id, page: '1' } });
  await call('advance_test_letter', { ...at, body: { to: 'in_transit' } });
  await call('track_letter', of);
  await call('get_proof', of);
  const told = await call<{ data: { id: string }[] }>('list_notifications', {
    key,
    query: { letter_id, limit: '2' },
  });
  const notification = { key, params: { id: told.data[0]?.id ?? '' } };
  await call('get_notification', notification);
  await call('get_webhook_message', notification);
  await call('replay_notification', notification);
  await call('test_webhook', { key });
  const second = await call('send_letter', { key, body: letter });
  const other = { key, params: { id: second.letter_id ?? '' } };
  await call('cancel_letter', other);
  const third = await call('send_letter', { key, body: letter });
  const produced = { key, params: { id: third.letter_id ?? '' } };
  await call('advance_test_letter', { ...produced, body: { to: 'processing' } });
  await call('cancel_letter', produced);
  await call('delete_letter', other);
  await call('get_balance', { key });
  await call('get_statistics', { key, query: { from: '2026-11-23', to: '2026-11-24' } });
  await call('get_statement', { key, query: { from: '2026-01-01' } });
  const volume = { committed_units: 300, period: 'month', time_zone: 'Europe/Berlin' };
  const { contract_id = '' } = await call('create_contract', { key, body: volume });
  const contract = { key, params: { contract_id } };
  await until(async () => (await call('get_contract', contract).catch(() => 0)) !== 0);
  await call('list_contracts', { key, query: { limit: '1' } });
  await call('advance_test_contract', contract);

  await call('resolve_did', {
    params: { did: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK' },
  });
  const service = await call<{ didDocument: object }>('service_did');
  for (const name of ['did_json', 'did_json_under_path'])
    await call(name).catch((error: unknown) => {
      if (!String(error).includes('404')) throw error;
      recorded[name] = { answers: { 200: shorten(service.didDocument) } };
    });
  const listed = async () =>
    await call<{ data: { credential: string; id: string; event_id: string }[] }>(
      'list_credentials',
      {
        key,
        query: { letter_id, limit: '2' },
      },
    );
  await until(async () => (await listed()).data.length > 1);
  const [credential] = (await listed()).data;
  await call('get_audit', of);
  const black =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';
  const guarded = await call('create_key', { key, body: { label: 'agent', scope: 'send' } });
  const policy = {
    time_zone: 'Europe/Berlin',
    rules: [
      {
        id: 'germany',
        effect: 'allow',
        when: { countries: ['DE'] },
        limit: { amount: 20, per: 'day' },
      },
    ],
  };
  const ofAgent = { key, params: { id: guarded.id ?? '' } };
  await call('set_key_policy', { ...ofAgent, body: policy });
  await call('get_key_policy', ofAgent);
  await call('set_policy', { key, body: policy });
  await call('get_policy', { key });
  await call('list_budgets', { key });
  await recordApprovals({ test, call, account: { id: account.account_id ?? '', key }, letter });
  await call('delete_policy', { key });
  await call('delete_key_policy', ofAgent);
  await call('freeze_key', ofAgent);
  await call('list_frozen', { key });
  await call('unfreeze_key', ofAgent);
  await call('freeze_account', { key });
  await call('unfreeze_account', { key });
  await recordClosure(call, { id: account.account_id ?? '', key });

  const logo = { key, body: { logo: `data:image/png;base64,${black}` } };
  const { logo_id: id = '' } = await call('upload_logo', logo);
  await call('list_logos', { key });
  await call('delete_logo', { key, params: { id } });
  const link = await call('create_audit_link', { ...of, body: { expires_in: 86_400 } });
  const { searchParams } = new URL(link.url ?? '');
  const opened = { params: { letter_id }, query: { token: searchParams.get('token') ?? '' } };
  const { data: links } = await call<{ data: { id: string }[] }>('list_audit_links', of);
  await call('list_account_audit_links', { key });
  await call('view_audit', opened);
  await call('download_audit', opened);
  await call('revoke_audit_link', { key, params: { letter_id, id: links[0]?.id ?? '' } });
  await call('list_requests', { key });
  await call('create_console_link', { key, body: { read_only: true, expires_in: 3_600 } });
  const tracked = await call<{ url: string }>('get_tracking_link', of);
  const trackedBy = new URL(tracked.url).searchParams.get('token') ?? '';
  await call('view_tracking', { params: { letter_id }, query: { token: trackedBy } });
  await call('renew_tracking_link', of);
  await call('revoke_tracking_link', of);
  const certificates = createCertificateLinks(
    test.service.foundation.keys.derive('certificate-links'),
  );
  const page = new URL(certificates.pathOf(letter_id), test.url).searchParams;
  const certified = { params: { letter_id }, query: { token: page.get('token') ?? '' } };
  await call('view_certificate', certified);
  await call('download_certificate_bundle', certified);
  await call('verify_audit_program');
  await call('verify_audit_sha256');
  await call('log_checkpoint');
  await call('log_inclusion_proof', { query: { index: '0' } });
  await call('log_consistency_proof', { query: { first: '1', second: '2' } });
  await call('log_tile', { params: { tile: '0/000.p/2' } });
  const vc = credential?.credential ?? '';
  await call('verify_credential', { body: { credential: vc } });
  await call('create_presentation', { key, body: { credentials: [vc], challenge: 'c-1' } });

  const issued = await call('issue_ucan', { key, body: { scope: 'send', expires_in: 3_600 } });
  const agent = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';
  await call('delegate_ucan', { key, body: { audience: agent, scope: 'read', expires_in: 3_600 } });
  await call('verify_ucan', { body: { token: issued.token } });
  await call('list_ucans', { key });
  const ofUcan = { key, params: { cid: issued.cid ?? '' } };
  await call('set_ucan_policy', { ...ofUcan, body: policy });
  await call('get_ucan_policy', ofUcan);
  await call('delete_ucan_policy', ofUcan);
  await call('freeze_ucan', { key, body: { cid: issued.cid } });
  await call('unfreeze_ucan', { key, body: { cid: issued.cid } });
  await call('revoke_ucan', { key, body: { cid: issued.cid } });
  const subscription = { key, body: { url: 'https://audit.example/hooks' } };
  const subscribed = await call('subscribe_audit', subscription);
  await call('subscribe_audit', subscription);
  await call('list_audit_subscriptions', { key });
  const hook = { id: subscribed.id ?? '' };
  await call('list_audit_deliveries', { key, params: hook });
  await call('test_audit_webhook', { key, params: hook });
  // Nothing was delivered yet.
  const toldEvent = '6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e';
  recorded.replay_audit_events = {
    params: hook,
    body: { after_index: 18_250 },
    answers: { 202: { replayed: 42, last_index: 18_431, has_more: false } },
  };
  recorded.replay_audit_delivery = {
    params: { ...hook, event_id: toldEvent },
    answers: { 202: { event_id: toldEvent, replayed: true } },
  };
  recorded.get_audit_message = {
    params: { ...hook, event_id: toldEvent },
    answers: {
      200: {
        event_id: toldEvent,
        type: 'letter.posted',
        headers: { 'content-type': 'application/json', 'webhook-id': toldEvent },
        body: null,
      },
    },
  };
  await call('unsubscribe_audit', { key, body: { id: subscribed.id } });
  // The first call makes a DID, the second reads it, the third asks to replace one.
  const own = { key: agentAccount.api_key };
  await call('set_did', { ...own, body: {} });
  await call('set_did', { ...own, body: {} });
  await call('set_did', { key, body: { did: agent } });

  await call('get_evaluation', { query: { from: '2026-01-01', to: '2026-03-31', mode: 'test' } });
  await call('view_evaluation', { query: { country: 'DE' } });
  for (const name of ['mech_info', 'mech_tools', 'mech_health']) await call(name);
  const params = { action: 'send', ...letterTo('DE') };
  await call('mech_execute', { body: { tool: 'service_send_letter', params, request_id: 'r-1' } });
  // The answer to a change that waits is the same as that to a later look at it.
  const waiting = recorded.get_policy_change?.answers[200];
  for (const name of ['set_policy', 'set_key_policy', 'set_ucan_policy']) {
    const { answers } = recorded[name] ?? {};
    if (answers) answers[202] = waiting;
  }
  for (const name of ['delete_policy', 'delete_key_policy', 'delete_ucan_policy']) {
    const { answers } = recorded[name] ?? {};
    if (answers) answers[202] = { ...(waiting as object), after: null };
  }
  return recorded;
};
