/** The lists of volume contracts and of accepted offers, and the form that makes a contract. */
import type { Static } from 'typebox';
import { fullNameOf, services } from '../../../postal/services.ts';
import type { Language } from '../../../postal/stationery.ts';
import type { Commitment } from '../../../presenters/commitment.ts';
import { type Contract, offeredTiers } from '../../../presenters/contract.ts';
import { type Html, html } from '../../html.ts';
import {
  accountField,
  idempotencyField,
  selectField,
  textField,
  tickField,
  unsettledForm,
} from '../form.ts';
import { moment, money, percent } from '../format.ts';
import { wrongFields } from '../refusals/problem-words.ts';
import { figure, olderLink, type Row, stackTable, word } from '../table.ts';
import type { Visit } from '../visit.ts';
import { contractsWords } from './contracts-words.ts';

export type Agreed = Static<typeof Contract>;
type Accepted = Static<typeof Commitment>;
type PageOf<T> = { data: T[]; next_cursor: string | null };
export type Shown = { contracts: PageOf<Agreed>; offers: PageOf<Accepted> };

/** An amount below a figure; absent where it is zero. */
const amountNote = (label: string, amount: number, language: Language): Html | undefined =>
  amount === 0
    ? undefined
    : html`<br><span class="hint">${label} ${money(amount, language)}</span>`;

/** Over all periods, to the micro-dollar. */
const sumOf = ({ periods }: Agreed, name: 'discounts' | 'billed'): number =>
  Math.round(periods.reduce((sum, one) => sum + (one[name] ?? 0), 0) * 1e6) / 1e6;

const contractRow = (contract: Agreed, { at, language }: Visit): Row => {
  const { states, periods, amounts } = contractsWords[language];
  const { contract_id: id } = contract;
  return [
    html`<a href="${at(`/contracts/${id}`)}"><code>${id}</code></a>`,
    word(states[contract.state]),
    word(periods[contract.period]),
    figure(contract.committed_units),
    html`${contract.units_used}${amountNote(amounts.billed, sumOf(contract, 'billed'), language)}`,
    html`${percent(contract.current_tier.discount, language)}${amountNote(amounts.discounts, sumOf(contract, 'discounts'), language)}`,
    moment(contract.ends_at, language, contract.time_zone),
  ];
};

const offerRow = (offer: Accepted, { language }: Visit): Row => {
  const { states } = contractsWords[language];
  return [
    html`<code>${offer.commitment_id}</code>`,
    word(states[offer.state]),
    `${fullNameOf(services[offer.service])} · ${offer.to_country}`,
    figure(money(offer.locked_price, language)),
    figure(`${offer.uses_left} / ${offer.quantity}`),
    moment(offer.expires_at, language),
  ];
};

const tiersTable = (language: Language): Html => {
  const { caption, ...columns } = contractsWords[language].make.tiers;
  const rows = offeredTiers.map(
    ({ from, to, discount }): Row => [
      to === null ? `${from}+` : `${from}–${to}`,
      figure(percent(discount, language)),
    ],
  );
  return stackTable({ caption, columns }, rows, 'tiers');
};

/** Shows what was typed again after a refusal, except the confirmation. */
const makeForm = (visit: Visit): Html => {
  const { at, form, language, problem } = visit;
  const { make, periods } = contractsWords[language];
  const wrong = wrongFields(problem, language);
  const field = (name: string) => ({
    name,
    value: form.get(name) ?? undefined,
    wrong: wrong.get(name),
  });
  const choices = Object.entries(periods).map(([value, label]) => ({ value, label }));
  return html`<h2>${make.title}</h2>
<p>${make.lead}</p>
${tiersTable(language)}
<form method="post" action="${at('/contracts')}">
${accountField(visit)}
${idempotencyField(unsettledForm(visit, '/contracts'))}
${textField({ ...field('committed_units'), label: make.units, required: true })}
${selectField({ ...field('period'), label: make.period }, choices)}
${textField({ ...field('period_count'), label: make.count })}
${textField({ ...field('starts_at'), label: make.starts, type: 'date' })}
${textField({ ...field('time_zone'), label: make.zone, hint: make.zoneHint })}
${tickField('confirm', make.confirm, false, true)}
<p><button class="button" type="submit">${make.button}</button></p>
</form>`;
};

export const contractsBody = ({ contracts, offers }: Shown, visit: Visit): Html => {
  const words = contractsWords[visit.language];
  const older = (name: 'contracts' | 'offers', cursor: string | null) =>
    olderLink(visit, { path: '/contracts', cursor, name }, words.next[name]);
  const contractRows = contracts.data.map((one) => contractRow(one, visit));
  const offerRows = offers.data.map((one) => offerRow(one, visit));
  return html`${contractRows.length === 0 ? html`<p>${words.contracts.none}</p>` : stackTable({ ...words.contracts, columns: words.contractColumns }, contractRows)}
${older('contracts', contracts.next_cursor)}
${offerRows.length === 0 ? html`<p>${words.offers.none}</p>` : stackTable({ ...words.offers, columns: words.offerColumns }, offerRows)}
${older('offers', offers.next_cursor)}
${makeForm(visit)}`;
};
