/** The things that users do, each with its weight. */
import { randomUUID } from 'node:crypto';
import { dayMs } from '../../ground/day.ts';
import { letterTo } from '../support/client.ts';
import { countries, createPayments } from './payments.ts';
import { type Account, type Answer, keyOf, newKey, oneOf, type SoakRecord } from './record.ts';
import type { World } from './world.ts';

/** Returns the last answer, or nothing where there was nothing to do. */
type Doing = (account: Account) => Promise<Answer | undefined>;

const accountsAtFirst = 20;
/** The latest letters of an account are read, cancelled and deleted. */
const lettersKept = 30;

const reportSteps = [
  { status: 'posted' },
  { status: 'in_transit' },
  { status: 'delivered', evidence: 'carrier_scan' },
];

/** The print house reports the next step of a letter. */
const createReport = (world: World, record: SoakRecord) => {
  const reported = new Map<string, number>();
  const stepOf = (jobId: string): number => reported.get(jobId) ?? 0;
  return async (): Promise<undefined> => {
    const id = world.house.printed.findLast(
      (jobId) => stepOf(jobId) < reportSteps.length && Math.random() < 0.3,
    );
    if (id === undefined) return;
    const step = stepOf(id);
    const status = await world.report({ job_id: id, ...reportSteps[step] });
    if (status < 300) reported.set(id, step + 1);
    else if (status < 500) record.odd.push(`a report of ${id} was answered ${status}`);
  };
};

/** Accounts that come and go. */
const createAccounts = ({ call, accounts, closed }: SoakRecord) => ({
  async register(): Promise<Answer> {
    const email = `p${randomUUID().slice(0, 8)}@example.com`;
    const answer = await call('POST', '/auth/register', { email });
    const { account_id: id, api_key: key } = answer.body ?? {};
    if (id && key) accounts.push({ id, key, letters: [] });
    return answer;
  },

  async close(account: Account): Promise<Answer | undefined> {
    if (accounts.length <= accountsAtFirst) return undefined;
    accounts.splice(accounts.indexOf(account), 1);
    closed.add(account.key);
    const body = { confirm: account.id, forfeit_balance: true };
    return call('DELETE', '/api/account', body, keyOf(account));
  },
});

const createLetters = ({ call, acknowledged, deleted }: SoakRecord) => {
  const send = async (account: Account, more: object = {}): Promise<Answer> => {
    const content = `letter ${randomUUID()} ${'lorem ipsum '.repeat(Math.random() * 200)}`;
    const letter = letterTo(oneOf(countries), { content, ...more });
    const answer = await call('POST', '/api/send', letter, { ...keyOf(account), ...newKey() });
    const id = answer.body?.letter_id;
    if (answer.status !== 201 || !id) return answer;
    acknowledged.set(id, account.key);
    account.letters.push(id);
    if (account.letters.length > lettersKept) account.letters.shift();
    return answer;
  };

  const on =
    (work: (account: Account, id: string) => Promise<Answer>): Doing =>
    async (account) =>
      account.letters.length > 0 ? work(account, oneOf(account.letters)) : undefined;

  return {
    send,
    sendLater: (account: Account): Promise<Answer> => {
      const send_date = new Date(Date.now() + 5 * dayMs).toISOString().slice(0, 10);
      return send(account, { send_date });
    },
    read: (pathOf: (id: string) => string): Doing =>
      on((account, id) => call('GET', pathOf(id), undefined, keyOf(account))),
    cancel: on((account, id) =>
      call('POST', `/api/letters/${id}/cancel`, undefined, keyOf(account)),
    ),
    delete: on(async (account, id) => {
      const answer = await call('DELETE', `/api/letters/${id}`, undefined, keyOf(account));
      if (answer.status < 300) deleted.add(id);
      return answer;
    }),
  };
};

export const createDoings = (world: World, record: SoakRecord) => {
  const payments = createPayments(world, record);
  const accounts = createAccounts(record);
  const letters = createLetters(record);
  const { receiver } = world;
  const get =
    (path: string): Doing =>
    (account) =>
      record.call('GET', path, undefined, keyOf(account));
  const post =
    (path: string, body: object): Doing =>
    (account) =>
      record.call('POST', path, body, { ...keyOf(account), ...newKey() });
  const notify: Doing = (account) =>
    record.call('PUT', '/api/settings', { webhook_url: receiver.url }, keyOf(account));
  const html = { content: '<h1>Hi</h1>', content_type: 'html' };

  const doings: readonly [name: string, weight: number, Doing][] = [
    ['send', 30, (account) => letters.send(account)],
    ['send HTML', 1, (account) => letters.send(account, html)],
    ['draft', 2, (account) => letters.send(account, { draft: true })],
    ['send later', 2, letters.sendLater],
    ['cancel', 5, letters.cancel],
    ['delete', 1, letters.delete],
    ['report', 30, createReport(world, record)],
    ['send by x402', 6, payments.sendByX402],
    ['top up by USDC', 2, payments.byUsdc],
    ['top up by Lightning', 2, payments.byLightning],
    ['top up by card', 6, (account) => payments.byCard(account)],
    ['quote', 3, (account) => post('/api/quote', letterTo('DE'))(account)],
    ['offer', 2, (account) => post('/api/anp/offer', letterTo('FR'))(account)],
    ['read a letter', 8, letters.read((id) => `/api/letters/${id}`)],
    ['read a proof', 2, letters.read((id) => `/api/proof/${id}`)],
    ['read the history', 2, letters.read((id) => `/api/identity/audit/${id}`)],
    ['list', 4, get('/api/letters?limit=20')],
    ['balance', 3, get('/api/balance')],
    ['statement', 1, get('/api/balance/statement')],
    ['statistics', 1, get('/api/statistics')],
    ['export', 0.3, post('/api/exports', {})],
    ['notify', 1, notify],
    ['subscribe', 0.3, post('/api/identity/audit/subscribe', { url: receiver.url })],
    ['register', 1, accounts.register],
    ['key', 0.5, post('/auth/keys', { label: 'x', scope: 'send' })],
    ['close', 0.1, accounts.close],
  ];
  const total = doings.reduce((sum, [, weight]) => sum + weight, 0);

  return {
    /** Accounts with money. */
    async begin(): Promise<void> {
      for (let n = 0; n < accountsAtFirst; n++) await accounts.register();
      await Promise.all(record.accounts.map((account) => payments.byCard(account, 100)));
    },
    byChance(): { name: string; work: Doing } {
      let left = Math.random() * total;
      for (const [name, weight, work] of doings) {
        left -= weight;
        if (left < 0) return { name, work };
      }
      throw new Error('the weights do not add up');
    },
  };
};
