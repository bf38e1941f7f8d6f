/**
 * Every form, page and file of the console, the task that it is for, and the test that does the task by keyboard
 * in Chromium. `GET` with `?` at its end is a form that only looks. `keyboard-tasks.unit.test.ts` compares the
 * tables with the routes, and each test here compares its part with what it did.
 */
const browser = 'browser.e2e.test.ts';
const operatorBrowser = 'operator-browser.e2e.test.ts';
const operatorOidc = 'operator-oidc.e2e.test.ts';
const mailedLinks = 'mailed-links.e2e.test.ts';
const passkeys = 'passkeys.e2e.test.ts';

type TaskTest =
  | typeof browser
  | typeof operatorBrowser
  | typeof operatorOidc
  | typeof mailedLinks
  | typeof passkeys;

export type Tasks = Readonly<Record<string, readonly [task: string, test: TaskTest]>>;

/** Tasks of owners, of the people that they let in, and of auditors with an account. */
export const ownerTasks: Tasks = {
  'POST /sign-in': ['sign in with a key', browser],
  'POST /sign-in/link': ['sign in with a link', browser],
  'POST /sign-in/mail': ['ask for a link by e-mail', mailedLinks],
  'POST /sign-in/passkey': ['sign in with a passkey', passkeys],
  'POST /confirm': ['confirm a form with a passkey', passkeys],
  'POST /sign-out': ['sign out', browser],

  'GET /letters': ['look at the letters', browser],
  'GET /letters?': ['filter the letters', browser],
  'POST /letters': ['find a letter by its reference', browser],
  'GET /letters/recipient': ['find the letters to somebody', browser],
  'POST /letters/recipient': ['find the other letters to a recipient', browser],
  'GET /statistics': ['look at letters and spending per day', browser],
  'GET /statistics?': ['choose the days of the charts', browser],

  'GET /letters/{id}': ['look at a letter', browser],
  'GET /letters/{id}/document.pdf': ['download the letter', browser],
  'POST /letters/{id}/send': ['send a draft', browser],
  'POST /letters/{id}/cancel': ['cancel a letter', browser],
  'POST /letters/{id}/again': ['send a letter again as a new draft', browser],
  'GET /letters/{id}/delete': ['look at what a deletion erases', browser],
  'POST /letters/{id}/delete': ['delete a letter', browser],
  'GET /letters/{id}/change': ['look at what can be changed', browser],
  'POST /letters/{id}/change': ['change a letter', browser],
  'GET /letters/{id}/proof': ['look at the proof', browser],
  'GET /letters/{id}/certificate.pdf': ['download the certificate', browser],
  'GET /letters/{id}/history.zip': ['download the history', browser],
  'POST /letters/{id}/audit-links': ['make an audit link', browser],
  'POST /letters/{id}/audit-links/{link}/revoke': ['end an audit link', browser],
  'POST /letters/{id}/tracking-link/renew': ['replace the tracking link', browser],
  'POST /letters/{id}/tracking-link/revoke': ['end the tracking link', browser],

  'GET /write': ['begin a letter', browser],
  'POST /write': ['write a letter, see its price, send it or keep it', browser],

  'GET /wallet': ['look at the balance', browser],
  'GET /wallet/statement.csv': ['download the statement', browser],
  'GET /wallet/statement.csv?': ['choose the days of the statement', browser],
  'POST /wallet/refill': ['fill up test money', browser],
  'POST /wallet/top-up': ['pay money in', browser],
  'GET /wallet/top-ups/{topup_id}': ['look at a payment', browser],
  'GET /wallet/orders': ['look at the orders of others', browser],
  'GET /contracts': ['look at contracts and offers', browser],
  'POST /contracts': ['make a volume contract', browser],
  'GET /contracts/{contract_id}': ['look at a volume contract', browser],

  'GET /limits': ['look at the limits', browser],
  'POST /limits/rules': ['add a rule to the policy', browser],
  'POST /limits/rules/remove': ['remove a rule from the policy', browser],
  'POST /limits/end': ['end the policy', browser],
  'POST /limits/freeze': ['freeze the account', browser],
  'POST /limits/unfreeze': ['end a freeze', browser],
  'GET /approvals': ['look at what waits for approval', browser],
  'POST /approvals/{id}/approve': ['approve a letter or a change of a policy', browser],
  'POST /approvals/{id}/reject': ['reject a letter or a change of a policy', browser],

  'GET /keys': ['look at keys and UCANs', browser],
  'POST /keys': ['make a key', browser],
  'POST /keys/{id}/freeze': ['freeze a key', browser],
  'GET /keys/{id}/revoke': ['look at what ends with a key', browser],
  'POST /keys/{id}/revoke': ['revoke a key', browser],
  'GET /keys/ucans/revoke': ['look at what ends with a UCAN', browser],
  'POST /keys/ucans/revoke': ['revoke a UCAN', browser],

  'GET /webhooks': ['look at the webhooks', browser],
  'POST /webhooks': ['set the address of the webhook', browser],
  'POST /webhooks/test': ['send a test message', browser],
  'POST /webhooks/resend-failed': ['send all missed messages', browser],
  'GET /webhooks/{id}': ['look at a message', browser],
  'POST /webhooks/{id}/resend': ['send a message again', browser],
  'GET /webhooks/audit/{id}': ['look at an audit webhook', browser],
  'POST /webhooks/audit/{id}/test': ['send a test message to an audit webhook', browser],
  'POST /webhooks/audit/{id}/resend-failed': ['send all missed credentials', browser],
  'GET /webhooks/audit/{id}/deliveries/{event}': ['look at a delivery', browser],
  'POST /webhooks/audit/{id}/deliveries/{event}/resend': ['send a credential again', browser],
  'GET /requests': ['look at the requests', browser],

  'GET /settings': ['look at the settings', browser],
  'POST /settings': ['save the settings', browser],
  'POST /settings/passkeys': ['register a passkey', passkeys],
  'GET /settings/data': ['look at what happens to the data', browser],
  'POST /settings/exports': ['export all data', browser],
  'GET /settings/exports/{id}': ['look at an export', browser],
  'GET /settings/exports/{id}/part-{part}.zip': ['download an export', browser],
  'POST /settings/close': ['close the account', browser],
  'POST /settings/close/withdraw': ['keep the account', browser],
};

/** Tasks of operators, and of auditors without an account. */
export const operatorTasks: Tasks = {
  'POST /sign-in': ['sign in with a link', operatorBrowser],
  'GET /sign-in/provider': ['sign in with an identity provider', operatorOidc],
  'POST /sign-out': ['sign out', operatorBrowser],
  'GET ': ['look at incidents and at what waits', operatorBrowser],
  'GET /search': ['look for an id', operatorBrowser],
  'POST /search': ['find what an id is', operatorBrowser],

  'GET /accounts': ['look at the accounts', operatorBrowser],
  'GET /accounts/{id}': ['look at an account', operatorBrowser],
  'POST /accounts/{id}/block': ['block an account', operatorBrowser],
  'POST /accounts/{id}/unblock': ['unblock an account', operatorBrowser],
  'POST /accounts/{id}/freeze': ['freeze an account', operatorBrowser],
  'POST /accounts/{id}/unfreeze': ['end a freeze', operatorBrowser],
  'POST /accounts/{id}/quotas': ['set quotas', operatorBrowser],
  'POST /accounts/{id}/credit': ['add money', operatorBrowser],
  'POST /accounts/{id}/keys/{key}/revoke': ['revoke a key', operatorBrowser],
  'POST /accounts/{id}/deliveries/{notification}/again': [
    'deliver a notification again',
    operatorBrowser,
  ],

  'GET /letters/{id}': ['look at a letter', operatorBrowser],
  'POST /letters/{id}/returned': ['report a letter as returned', operatorBrowser],
  'GET /mails/{id}': ['look at a mail', operatorBrowser],
  'POST /mails/{id}/again': ['send a mail again', operatorBrowser],
  'GET /production': ['look at production', operatorBrowser],
  'GET /returned': ['look at returned mail', operatorBrowser],

  'GET /jobs': ['look at failed jobs', operatorBrowser],
  'POST /jobs/retry': ['run a job again', operatorBrowser],
  'POST /jobs/give-up': ['give a job up', operatorBrowser],
  'POST /jobs/remove': ['remove a job', operatorBrowser],
  'GET /system': ['look at read models and reactors', operatorBrowser],
  'POST /parked/replay': ['replay parked streams', operatorBrowser],
  'GET /checks': ['look at what checks found', operatorBrowser],
  'POST /checks/doctor': ['run the doctor', operatorBrowser],

  'GET /audit': ['choose a history', operatorBrowser],
  'POST /audit': ['open a history', operatorBrowser],
  'GET /audit/{id}': ['verify a history', operatorBrowser],
  'GET /audit/{id}/bundle.zip': ['download a history', operatorBrowser],
  'GET /audit/{id}/certificate': ['look at the certificate', operatorBrowser],
};

type Listed = { key: string; method: 'GET' | 'POST'; path: string };

/** The keys of a table as routes. */
export const listedIn = (tasks: Tasks): Listed[] =>
  Object.keys(tasks).map((key) => {
    const [method = '', path = ''] = key.split(' ');
    return { key, method: method === 'POST' ? 'POST' : 'GET', path };
  });

/** The keys of the tasks that a test does by keyboard. */
export const tasksOf = (tasks: Tasks, test: string): string[] =>
  Object.entries(tasks)
    .filter(([, [, where]]) => where === test)
    .map(([key]) => key);
