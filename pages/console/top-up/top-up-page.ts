/** How money gets into the wallet: the form, and the payment to make. */

import type { Static } from 'typebox';
import { chargeCurrencies } from '../../../contract/charge-currency.ts';
import type { TopUpAnswer } from '../../../presenters/top-up.ts';
import { fact } from '../../fact.ts';
import { type Html, html } from '../../html.ts';
import { accountField, idempotencyField, selectField, textField, unsettledForm } from '../form.ts';
import { moment, money } from '../format.ts';
import { copyText, liveRegion } from '../live-parts.ts';
import { wrongFields } from '../refusals/problem-words.ts';
import { type Row, stackTable } from '../table.ts';
import type { Visit } from '../visit.ts';
import { qrSvg } from './qr-svg.ts';
import { type TopUpWords, topUpWords } from './top-up-words.ts';

export type TopUp = Static<typeof TopUpAnswer>;
export type TopUpMethod = TopUp['method'];

/** The part of the wallet page with which money is paid in; a test wallet is filled up instead. */
export const topUpPart = (methods: readonly TopUpMethod[], visit: Visit): Html => {
  const { at, form, language, session, problem } = visit;
  const words = topUpWords[language];
  if (session.caller.test) {
    return html`<form method="post" action="${at('/wallet/refill')}">${accountField(visit)}<p><button class="button" type="submit">${words.refill}</button></p></form>
<p class="hint">${words.refillHint}</p>`;
  }
  if (methods.length === 0) return html`<h2>${words.title}</h2><p>${words.none}</p>`;
  // Only a refused form shows its fields again.
  const typed = (name: string) => (problem ? (form.get(name) ?? undefined) : undefined);
  const wrong = wrongFields(problem, language);
  const ways = methods.map((value) => ({ value, label: words.methods[value] }));
  const currencies = chargeCurrencies.map((value) => ({ value, label: value }));
  return html`<h2>${words.title}</h2>
<form method="post" action="${at('/wallet/top-up')}">
${accountField(visit)}
${idempotencyField(unsettledForm(visit, '/wallet/top-up'))}
${textField({ name: 'amount', label: words.amount, value: typed('amount'), required: true, wrong: wrong.get('amount') })}
${selectField({ name: 'method', label: words.method, value: typed('method'), wrong: wrong.get('method') }, ways)}
${methods.includes('card') ? html`${selectField({ name: 'currency', label: words.currency, value: typed('currency'), wrong: wrong.get('currency') }, currencies)}<p class="hint">${words.currencyHint}</p>` : undefined}
<p><button class="button" type="submit">${words.button}</button></p>
</form>`;
};

/** The payments that were begun and have not arrived yet. Each leads to its page. */
export const awaitedPart = (
  topUps: readonly TopUp[],
  { at, language }: Visit,
): Html | undefined => {
  if (topUps.length === 0) return undefined;
  const { awaited, methods, method, facts } = topUpWords[language];
  const rows = topUps.map(
    (topUp): Row => [
      html`<a href="${at(`/wallet/top-ups/${topUp.topup_id}`)}">${money(topUp.amount, language)}</a>`,
      methods[topUp.method],
      moment(topUp.expires_at, language),
    ],
  );
  const columns = [facts.amount, method, facts.expires];
  return stackTable({ caption: awaited, columns }, rows, 'awaited');
};

/** The next step of the payer, by the way to pay. */
const toPay = (topUp: TopUp, { language }: Visit, words: TopUpWords): Html => {
  const { transfer, invoice, amount_sats: sats, checkout_url: checkout, charged } = topUp;
  const { facts } = words;
  if (transfer) {
    return html`<dl class="facts">
${fact(facts.send, html`<strong>${transfer.amount} USDC</strong>`)}
${fact(facts.to, copyText(transfer.pay_to, language))}
${fact(facts.network, html`<code>${transfer.network}</code>`)}
${fact(facts.asset, copyText(transfer.asset, language))}
</dl><p>${words.exactly}</p>`;
  }
  if (invoice !== undefined) {
    return html`<p>${qrSvg(`LIGHTNING:${invoice.toUpperCase()}`, words.code)}</p>
<dl class="facts">${fact(facts.sats, String(sats ?? ''))}${fact(words.invoice, copyText(invoice, language))}</dl>`;
  }
  const amount = money(charged?.amount ?? topUp.amount, language, charged?.currency ?? 'USD');
  return checkout === undefined
    ? html``
    : html`<p><a class="button" href="${checkout}" rel="noreferrer">${words.pay(amount)}</a></p>`;
};

export const topUpBody = (topUp: TopUp, visit: Visit): Html => {
  const { at, language } = visit;
  const words = topUpWords[language];
  const { facts } = words;
  const isPending = topUp.status === 'pending';
  const state = html`<dl class="facts">
${fact(facts.amount, money(topUp.amount, language))}
${fact(facts.state, html`<span id="state" data-status="${topUp.status}">${words.states[topUp.status]}</span>`)}
${fact(facts.credited, topUp.credited === null ? undefined : money(topUp.credited, language))}
${fact(facts.takenBack, topUp.taken_back ? money(topUp.taken_back, language) : undefined)}
${fact(facts.expires, isPending ? moment(topUp.expires_at, language) : undefined)}
</dl>`;
  return html`${liveRegion({ id: 'payment', isMoving: isPending }, state)}
${isPending ? toPay(topUp, visit, words) : undefined}
<p class="choices">
${isPending ? html`<a href="${at(`/wallet/top-ups/${topUp.topup_id}`)}">${words.refresh}</a>` : undefined}
<a href="${at('/wallet')}">${words.back}</a>
</p>`;
};
