/** A request of each operation that takes an Idempotency-Key, and another valid request for the same key. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { PNG } from 'pngjs';
import { createRecoveryTokens } from '../../commands/accounts/recovery.ts';
import { type clientOf, letterTo, type NewKeyJson, type PageOf } from './client.ts';
import type { TestService } from './service.ts';
import { eventually } from './service-process.ts';

/** `method`: POST where it is absent. */
export type Asked = { method?: 'POST' | 'PUT'; path: string; body?: object; key?: string };
/** An operation without input has no other request. */
type TwoRequests = { first: Asked; other?: Asked };

type Client = ReturnType<typeof clientOf>;
type Account = Awaited<ReturnType<Client['register']>>;

/** The ingredients of the requests. */
export type World = {
  service: TestService;
  /** In test mode; `test` has a webhook. */
  test: Account;
  another: Account;
  live: Account;
  /** Where webhooks go. */
  hook: string;
};

const logo = (grey: number): string => {
  const png = new PNG({ width: 30, height: 10 });
  png.data.fill(grey);
  return `data:image/png;base64,${PNG.sync.write(png).toString('base64')}`;
};

/** Two requests with a body each, at one path. */
const bodies = (path: string, first: object, other: object, key?: string): TwoRequests => {
  const at = key === undefined ? { path } : { path, key };
  return { first: { ...at, body: first }, other: { ...at, body: other } };
};

/** Two requests without a body, at a path each. */
const paths = (first: string, other: string, { key }: Account): TwoRequests => ({
  first: { path: first, key },
  other: { path: other, key },
});

const newAddress = () => ({ email: `${randomUUID()}@example.com`, mode: 'test' });

const twoLetters = async (account: Account) => [
  (await account.send()).letter_id,
  (await account.send()).letter_id,
];

const twoOf = async <T>({ get }: Account, path: string): Promise<[T, T]> => {
  const found = await eventually(`two of ${path}`, async () => {
    const { data } = (await get<PageOf<T>>(path)).body;
    return data.length > 1 ? data : undefined;
  });
  return [found[0] as T, found[1] as T];
};

const sends = async ({ test }: World): Promise<TwoRequests[]> => {
  const { key } = test;
  const path = '/api/send';
  const draft = async () => (await test.send({ draft: true })).letter_id;
  const changed = letterTo('DE', { content: 'Other.' });
  const alone = async () => ({ letter_id: await draft() });
  const [capped, replaced, twice] = [await alone(), await alone(), await alone()];
  return [
    bodies(path, letterTo('DE'), changed, key),
    bodies(path, letterTo('DE', { draft: true }), letterTo('DE'), key),
    bodies(path, letterTo('DE'), await alone(), key),
    bodies(path, capped, { ...capped, max_total: 50 }, key),
    bodies(path, replaced, changed, key),
    bodies(path, twice, await alone(), key),
  ];
};

const delegations = ({ test }: World): TwoRequests => {
  const resource = `letters://${test.account.account_id}/`;
  const of = (ability: string) => ({
    audience: 'did:key:z6MknGc3ocHs3zdPiJbnaaqDi58NGb4pk1Sp9WxWufuXSdxf',
    capabilities: { [resource]: { [ability]: [{}] } },
  });
  return bodies('/api/identity/delegate', of('letters/read'), of('letters/send'), test.key);
};

const auditDeliveries = async ({ test, hook }: World): Promise<TwoRequests> => {
  const path = '/api/identity/audit/subscribe';
  const made = await test.post<{ id: string }>(path, { url: `${hook}/audit` });
  expect(made.status, made.text).to.equal(201);
  await twoLetters(test);
  const deliveries = `${path}/${made.body.id}/deliveries`;
  const [one, two] = await twoOf<{ event_id: string }>(test, deliveries);
  const replay = ({ event_id }: { event_id: string }) => `${deliveries}/${event_id}/replay`;
  return paths(replay(one), replay(two), test);
};

const auditTests = async ({ test, hook }: World): Promise<TwoRequests> => {
  const path = '/api/identity/audit/subscribe';
  const made = async (name: string) =>
    (await test.post<{ id: string }>(path, { url: `${hook}/${name}` })).body.id;
  const [one, two] = [await made('tested'), await made('tested-too')];
  return paths(`${path}/${one}/test`, `${path}/${two}/test`, test);
};

const notifications = async ({ test }: World): Promise<TwoRequests> => {
  await twoLetters(test);
  const path = '/api/notifications';
  const [one, two] = await twoOf<{ id: string }>(test, path);
  return paths(`${path}/${one.id}/replay`, `${path}/${two.id}/replay`, test);
};

const recoveries = ({ service, live, test, another }: World): TwoRequests[] => {
  const { derive } = service.service.foundation.keys;
  const tokenOf = ({ account }: Account) =>
    createRecoveryTokens(derive('recovery')).issue({
      accountId: account.account_id,
      recoveries: 0,
      expiresAtMs: Date.now() + 600_000,
    });
  const [token, second, third] = [tokenOf(live), tokenOf(test), tokenOf(another)];
  return [
    bodies('/auth/recover', { token }, { token, keep_keys: 'all' }),
    bodies('/auth/recover', { token: second }, { token: third }),
  ];
};

const ofLetters = async (
  { test }: World,
  pathOf: (letterId: string) => string,
): Promise<TwoRequests> => {
  const [one = '', two = ''] = await twoLetters(test);
  return paths(pathOf(one), pathOf(two), test);
};

const newKey = async ({ test }: World): Promise<NewKeyJson> =>
  (await test.post<NewKeyJson>('/auth/keys', { label: 'x', scope: 'send' })).body;

const acceptances = async ({ test }: World): Promise<TwoRequests> => {
  const wish = { intent: 'transactional', to_country: 'DE' };
  const { offer_id } = (await test.post<{ offer_id: string }>('/api/anp/offer', wish)).body;
  const tier = (name: string) => ({ offer_id, tier: name, payment_method: 'fiat' });
  return bodies('/api/anp/accept', tier('standard'), tier('premium'), test.key);
};

const contracts = ({ test }: World): TwoRequests => {
  const units = (count: number) => ({ committed_units: count, period: 'month' });
  return bodies('/api/anp/contracts', units(300), units(60), test.key);
};

const orders = ({ live }: World): TwoRequests => {
  const email = 'payer@example.com';
  const changed = letterTo('DE', { email, content: 'Other.' });
  return bodies('/api/orders', letterTo('DE', { email }), changed, live.key);
};

/** By the name of the operation. */
export const idempotentRequests: Record<
  string,
  (world: World) => TwoRequests | TwoRequests[] | Promise<TwoRequests | TwoRequests[]>
> = {
  register: () => bodies('/auth/register', newAddress(), newAddress()),
  signup: () => bodies('/signup', newAddress(), newAddress()),
  register_agent: () => {
    const agent = () => ({ agent_id: randomUUID(), agent_name: 'A', mode: 'test' });
    return bodies('/auth/agent', agent(), agent());
  },
  create_export: ({ test }) =>
    bodies('/api/exports', { documents: false }, { documents: true }, test.key),
  change_email: ({ test }) => {
    const to = (name: string) => ({ email: `${name}-${randomUUID()}@example.org` });
    return bodies('/auth/email', to('one'), to('two'), test.key);
  },
  create_key: ({ test }) => {
    const labelled = (label: string) => ({ label, scope: 'send' });
    return bodies('/auth/keys', labelled('one'), labelled('two'), test.key);
  },
  rotate_key: async (world) => {
    const path = `/auth/keys/${(await newKey(world)).id}/rotate`;
    return bodies(path, {}, { revoke_now: true }, world.test.key);
  },
  rotate_own_key: async (world) => {
    const { api_key } = await newKey(world);
    return bodies('/auth/keys/self/rotate', {}, { revoke_now: true }, api_key);
  },
  issue_ucan: ({ test }) =>
    bodies('/api/identity/ucan', { scope: 'read' }, { scope: 'send' }, test.key),
  create_console_link: ({ test }) =>
    bodies('/api/console-links', {}, { read_only: true }, test.key),
  delegate_ucan: delegations,
  send_letter: sends,
  cancel_letter: (world) => ofLetters(world, (id) => `/api/letters/${id}/cancel`),
  renew_tracking_link: (world) => ofLetters(world, (id) => `/api/letters/${id}/tracking-link`),
  create_audit_link: async (world) => {
    const pathOf = (id: string) => `/api/identity/audit/${id}/link`;
    const letters = await ofLetters(world, pathOf);
    const lasting = (seconds: number) => ({ expires_in: seconds });
    const { path, key } = (await ofLetters(world, pathOf)).first;
    return [letters, bodies(path, lasting(600), lasting(900), key)];
  },
  upload_logo: ({ test }) => bodies('/api/logos', { logo: logo(91) }, { logo: logo(92) }, test.key),
  subscribe_audit: ({ test, hook }) =>
    bodies(
      '/api/identity/audit/subscribe',
      { url: `${hook}/one` },
      { url: `${hook}/two` },
      test.key,
    ),
  update_settings: ({ test, hook }) => {
    const put = (body: object) => ({
      method: 'PUT' as const,
      path: '/api/settings',
      body,
      key: test.key,
    });
    const url = (name: string) => put({ webhook_url: `${hook}/${name}` });
    return [
      { first: url('one'), other: url('two') },
      { first: put({ rotate_webhook_secret: true }), other: url('three') },
      { first: put({ language: 'fr' }), other: put({ language: 'de' }) },
    ];
  },
  replay_audit_delivery: auditDeliveries,
  test_audit_webhook: auditTests,
  replay_notification: notifications,
  test_webhook: ({ test }) => ({ first: { path: '/api/webhook/test', key: test.key } }),
  accept_offer: acceptances,
  create_contract: contracts,
  create_order: orders,
  top_up: ({ live }) => {
    const card = (amount: number) => ({ method: 'card', amount });
    return bodies('/api/topup', card(20), card(30), live.key);
  },
  recover_account: recoveries,
};
