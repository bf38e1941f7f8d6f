/** The list of accounts, and one account with its actions. */
import { type Html, html } from '../../html.ts';
import { selectField, textField } from '../form.ts';
import { money } from '../format.ts';
import { shownAs, shownFields } from '../shown-fields.ts';
import { statusIn } from '../status-badge.ts';
import { olderLink } from '../table.ts';
import { accountsWords } from './accounts-words.ts';
import type { AccountLine, AccountList, AccountView, KeyLine } from './desk.ts';
import { operatorFrameWords } from './operator-frame-words.ts';
import { buttonForm, facts, listTable, time } from './operator-parts.ts';
import type { OperatorVisit } from './operator-visit.ts';

type Page = Pick<OperatorVisit, 'at' | 'language'>;

const accountRow =
  ({ at, language }: Page) =>
  (one: AccountLine) => {
    const { kinds, states } = accountsWords[language];
    const confirmed = states[one.confirmed ? 'confirmed' : 'unconfirmed'];
    const standing = [one.erased ? states.erased : confirmed];
    if (one.blocked) standing.push(states.blocked);
    return [
      html`<a href="${at(`/accounts/${one.accountId}`)}"><code>${one.accountId}</code></a>`,
      operatorFrameWords[language].modes[one.mode],
      kinds[one.kind],
      time(one.createdAt, language),
      one.keys,
      standing.join(', '),
    ];
  };

export const accountsBody = (
  { accounts, older }: AccountList,
  blocked: boolean,
  page: Page,
): Html => {
  const { list } = accountsWords[page.language];
  const current = html` aria-current="true"`;
  return html`<ul class="choices">
<li><a href="${page.at('/accounts')}"${blocked ? html`` : current}>${list.all}</a></li>
<li><a href="${page.at('/accounts?blocked=true')}"${blocked ? current : html``}>${list.blocked}</a></li>
</ul>
${listTable(list.caption, list.columns, accounts.map(accountRow(page)), list.none)}
${olderLink(page, { path: '/accounts', cursor: older, name: 'before', query: blocked ? { blocked: 'true' } : {} }, list.next)}`;
};

const standingText = ({ blocked, erased }: AccountView, { language }: Page): string => {
  const words = accountsWords[language];
  if (erased) return words.states.erased;
  return blocked === undefined ? words.open : words.blockedFor(blocked);
};

const frozenText = ({ frozen }: AccountView, { language }: Page): string => {
  const { frozenSince, notFrozen } = accountsWords[language];
  return frozen.map(({ subject, since }) => frozenSince(subject, since)).join(', ') || notFrozen;
};

const lettersText = ({ letters }: AccountView, { language }: Page): string =>
  letters.map((one) => `${one.letters} ${statusIn(language, one.status)}`).join(', ') ||
  operatorFrameWords[language].nothing;

const accountFacts = (account: AccountView, page: Page): Html => {
  const { language } = page;
  const words = accountsWords[language];
  const { crypto, fiat } = account.available;
  return facts([
    { name: words.facts.account, value: html`<code>${account.accountId}</code>` },
    {
      name: words.facts.mode,
      value: operatorFrameWords[language].modes[account.test ? 'test' : 'live'],
    },
    { name: words.names[account.kind], value: account.name ?? words.erased },
    { name: words.facts.confirmed, value: time(account.confirmedAt, language) },
    { name: words.facts.standing, value: standingText(account, page) },
    { name: words.facts.frozen, value: frozenText(account, page) },
    {
      name: words.facts.available,
      value: words.available(money(crypto, language), money(fiat, language)),
    },
    { name: words.facts.letters, value: lettersText(account, page) },
    { name: words.facts.webhook, value: words.webhooks[account.webhook] },
  ]);
};

/** The block that the page showed, so that `unblock` ends no later one. Empty if the account was not blocked. */
const blockShown = ({ blocked = '' }: AccountView) => ({ blocked });

const freezeShown = ({ frozen }: AccountView) => ({
  frozen: frozen.find(({ subject }) => subject === 'account')?.since ?? '',
});

/** The quotas of an account, as the fields of a form show them. */
export const quotaFields = (own: Record<string, number | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(own).map(([name, quota]) => [
      name,
      quota === undefined ? 'default' : String(quota),
    ]),
  );

const quotasShown = ({ quotas }: AccountView): Record<string, string> =>
  quotaFields(Object.fromEntries(quotas.map(({ name, own }) => [name, own])));

const standingForms = (account: AccountView, { at, language }: Page): Html => {
  const { accountId, blocked } = account;
  const words = accountsWords[language].standing;
  const page = `/accounts/${accountId}`;
  const frozen = freezeShown(account);
  const freeze = frozen.frozen === '' ? 'freeze' : 'unfreeze';
  const button = (what: 'unblock' | 'freeze' | 'unfreeze', shown: Record<string, string>) =>
    buttonForm(
      at(`${page}/${what}`),
      { label: words[what], about: accountId, language },
      shownAs(shown),
    );
  return html`<h2>${words.title}</h2>
${
  blocked === undefined
    ? html`<form method="post" action="${at(`${page}/block`)}">
${textField({ name: 'reason', label: words.reason, required: true, hint: words.hint })}
<p><button class="button" type="submit">${words.block}</button></p>
</form>`
    : button('unblock', blockShown(account))
}
${button(freeze, frozen)}`;
};

const quotaForm = (account: AccountView, { at, language }: Page): Html => {
  const { accountId, quotas } = account;
  const words = accountsWords[language].quotas;
  const values = quotasShown(account);
  return html`<h2>${words.title}</h2>
<form method="post" action="${at(`/accounts/${accountId}/quotas`)}">
${shownFields(values)}
${quotas.map(({ name, usual }) =>
  textField({
    name,
    label: words.labels[name],
    value: values[name],
    required: true,
    hint: words.hint(usual),
  }),
)}
<p><button class="button" type="submit">${words.button}</button></p>
</form>`;
};

const creditForm = ({ accountId, test }: AccountView, { at, language }: Page): Html | undefined => {
  if (test) return undefined;
  const words = accountsWords[language].credit;
  return html`<h2>${words.title}</h2>
<form method="post" action="${at(`/accounts/${accountId}/credit`)}">
${textField({ name: 'amount', label: words.amount, required: true, hint: words.amountHint })}
${selectField({ name: 'bucket', label: words.bucket, value: 'fiat' }, [
  { value: 'fiat', label: 'fiat' },
  { value: 'crypto', label: 'crypto' },
])}
${textField({ name: 'reference', label: words.reference, required: true, hint: words.referenceHint })}
<p><button class="button" type="submit">${words.button}</button></p>
</form>`;
};

const keyRow =
  (accountId: string, { at, language }: Page) =>
  (key: KeyLine) => [
    key.label,
    html`<code>${key.prefix}…</code>`,
    key.scope,
    time(key.createdAt, language),
    time(key.expiresAt, language),
    buttonForm(at(`/accounts/${accountId}/keys/${key.keyId}/revoke`), {
      label: accountsWords[language].keys.revoke,
      about: key.label,
      language,
    }),
  ];

export const accountBody = (account: AccountView, page: Page): Html => {
  const { keys } = accountsWords[page.language];
  if (account.erased) return accountFacts(account, page);
  return html`${accountFacts(account, page)}
<h2>${keys.title}</h2>
${listTable(keys.caption, keys.columns, account.keys.map(keyRow(account.accountId, page)), keys.none)}
${standingForms(account, page)}
${quotaForm(account, page)}
${creditForm(account, page)}`;
};
