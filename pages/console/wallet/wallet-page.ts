/** The wallet: its balance, its last entries, and the statement as a file. */

import type { Static } from 'typebox';
import type { Balance } from '../../../presenters/account.ts';
import { fact } from '../../fact.ts';
import { type Html, html } from '../../html.ts';
import { textField } from '../form.ts';
import { moment, money, size } from '../format.ts';
import { figure, type Row, stackTable } from '../table.ts';
import type { Visit } from '../visit.ts';
import { heldPart, type Reserved, reservedPart } from './reserved-part.ts';
import { type WalletWords, walletWords } from './wallet-words.ts';

export type Wallet = Static<typeof Balance>;
type Transaction = Wallet['transactions'][number];

const rowOf = (row: Transaction, { at, language }: Visit, words: WalletWords): Row => {
  const letter = row.letter_id;
  return [
    moment(row.created_at, language),
    words.kinds[row.type] ?? row.type,
    figure(money(row.amount, language)),
    figure(money(row.balance_after, language)),
    html`${letter ? html`<a href="${at(`/letters/${letter}`)}">${words.letter}</a> ` : undefined}${row.reference ?? undefined}`,
  ];
};

const table = (wallet: Wallet, visit: Visit, words: WalletWords): Html => {
  if (wallet.transactions.length === 0) return html`<p>${words.none}</p>`;
  const rows = wallet.transactions.map((row) => rowOf(row, visit, words));
  return stackTable({ caption: words.last, columns: words.columns }, rows);
};

export const walletBody = (
  wallet: Wallet,
  visit: Visit,
  {
    problem,
    topUp,
    reserved,
    takesOrders,
  }: {
    problem: Html | undefined;
    topUp: Html;
    reserved: Reserved | undefined;
    /** Others can pay its letters by card. */
    takesOrders: boolean;
  },
): Html => {
  const { at, language } = visit;
  const words = walletWords[language];
  const { used_bytes: used, quota_bytes: quota } = wallet.storage;
  return html`${problem}
<dl class="facts">
${fact(words.available, money(wallet.available, language))}
${fact(words.held, money(wallet.held, language))}
${fact(words.crypto, money(wallet.funding.crypto, language))}
${fact(words.fiat, money(wallet.funding.fiat, language))}
${fact(words.storage, `${size(used, language)} / ${size(quota, language)}`)}
</dl>
${topUp}
${heldPart(wallet.held_for, wallet.held, visit)}
${reserved && reservedPart(reserved, visit)}
${table(wallet, visit, words)}
${takesOrders ? html`<p><a href="${at('/wallet/orders')}">${words.orders}</a></p>` : undefined}
<h2>${words.statement}</h2>
<form class="row" method="get" action="${at('/wallet/statement.csv')}">
${textField({ name: 'from', label: words.from, type: 'date' })}
${textField({ name: 'to', label: words.until, type: 'date' })}
<p><button class="button" type="submit">${words.download}</button></p>
</form>`;
};
