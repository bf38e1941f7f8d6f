/** The list of accounts, and one account with what can be done about it. */
import { type Html, html } from '../../html.ts';
import { selectField, textField } from '../form.ts';
import type { AccountLine, AccountView, KeyLine } from './desk.ts';
import { buttonForm, facts, listTable, time } from './operator-parts.ts';
import type { OperatorVisit } from './operator-visit.ts';

type At = Pick<OperatorVisit, 'at'>;

export const accountsBody = (
  accounts: readonly AccountLine[],
  blocked: boolean,
  { at }: At,
): Html => html`<ul class="choices">
<li><a href="${at('/accounts')}"${blocked ? html`` : html` aria-current="true"`}>All</a></li>
<li><a href="${at('/accounts?blocked=true')}"${blocked ? html` aria-current="true"` : html``}>Blocked</a></li>
</ul>
${listTable(
  'The newest accounts',
  ['Account', 'Mode', 'Kind', 'Registered', 'Keys', 'State'],
  accounts.map((one) => [
    html`<a href="${at(`/accounts/${one.accountId}`)}"><code>${one.accountId}</code></a>`,
    one.mode,
    one.kind,
    time(one.createdAt),
    one.keys,
    [one.confirmed ? 'confirmed' : 'not confirmed', ...(one.blocked ? ['blocked'] : [])].join(', '),
  ]),
)}`;

const accountFacts = (account: AccountView): Html =>
  facts([
    { name: 'Account', value: html`<code>${account.accountId}</code>` },
    { name: 'Mode', value: account.test ? 'test' : 'live' },
    {
      name: account.kind === 'agent' ? 'Agent' : account.kind === 'wallet' ? 'Wallet' : 'E-mail',
      value: account.name ?? '[erased]',
    },
    { name: 'Address confirmed', value: time(account.confirmedAt) },
    {
      name: 'Standing',
      value: account.blocked === undefined ? 'open' : `blocked: ${account.blocked}`,
    },
    {
      name: 'Frozen',
      value:
        account.frozen.map(({ subject, since }) => `${subject} since ${since}`).join(', ') || 'no',
    },
    {
      name: 'Available',
      value: `${account.available.crypto} crypto + ${account.available.fiat} fiat`,
    },
    {
      name: 'Letters',
      value:
        account.letters.map(({ status, letters }) => `${letters} ${status}`).join(', ') || 'none',
    },
    { name: 'Webhook', value: account.webhook },
  ]);

const standingForms = ({ accountId, blocked, frozen }: AccountView, at: At['at']): Html => {
  const page = `/accounts/${accountId}`;
  const freeze = frozen.some(({ subject }) => subject === 'account') ? 'unfreeze' : 'freeze';
  return html`<h2>Standing</h2>
${
  blocked === undefined
    ? html`<form method="post" action="${at(`${page}/block`)}">
${textField({ name: 'reason', label: 'Why it is blocked', required: true, hint: 'A blocked account can only read, cancel, delete and revoke.' })}
<p><button class="button" type="submit">Block the account</button></p>
</form>`
    : buttonForm(at(`${page}/unblock`), 'Unblock', accountId)
}
${buttonForm(at(`${page}/${freeze}`), freeze === 'freeze' ? 'Freeze spending' : 'Unfreeze', accountId)}`;
};

const quotaForm = ({ accountId, quotas }: AccountView, at: At['at']): Html => html`<h2>Quotas</h2>
<form method="post" action="${at(`/accounts/${accountId}/quotas`)}">
${quotas.map(({ name, label, own, usual }) =>
  textField({
    name,
    label,
    value: own === undefined ? 'default' : String(own),
    required: true,
    hint: `A whole number, or default for the limit of the service (${usual}).`,
  }),
)}
<p><button class="button" type="submit">Set the quotas</button></p>
</form>`;

const creditForm = ({ accountId, test }: AccountView, at: At['at']): Html | undefined =>
  test
    ? undefined
    : html`<h2>Credit</h2>
<form method="post" action="${at(`/accounts/${accountId}/credit`)}">
${textField({ name: 'amount', label: 'Amount in USD', required: true, hint: 'Written like 25 or 25.00.' })}
${selectField({ name: 'bucket', label: 'Bucket', value: 'fiat' }, [
  { value: 'fiat', label: 'fiat' },
  { value: 'crypto', label: 'crypto' },
])}
${textField({ name: 'reference', label: 'Reference', required: true, hint: 'What the money is. It is added once per account and reference.' })}
<p><button class="button" type="submit">Add the money</button></p>
</form>`;

const keyRow = (accountId: string, at: At['at']) => (key: KeyLine) => [
  key.label,
  html`<code>${key.prefix}…</code>`,
  key.scope,
  time(key.createdAt),
  time(key.expiresAt),
  buttonForm(at(`/accounts/${accountId}/keys/${key.keyId}/revoke`), 'Revoke', key.label),
];

export const accountBody = (account: AccountView, { at }: At): Html => html`${accountFacts(account)}
<h2>Keys</h2>
${listTable(
  'Keys that work',
  ['Name', 'Begins with', 'Scope', 'Made', 'Expires', 'End'],
  account.keys.map(keyRow(account.accountId, at)),
  'No key works.',
)}
${standingForms(account, at)}
${quotaForm(account, at)}
${creditForm(account, at)}`;
