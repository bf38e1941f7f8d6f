/** One volume contract, with its periods. */

import { fact } from '../../fact.ts';
import { type Html, html } from '../../html.ts';
import { moment, money, percent } from '../format.ts';
import { figure, type Row, stackTable } from '../table.ts';
import type { Visit } from '../visit.ts';
import type { Agreed } from './contracts-page.ts';
import { contractsWords } from './contracts-words.ts';

const periodRow = (
  period: Agreed['periods'][number],
  { time_zone: zone }: Agreed,
  { language }: Visit,
): Row => {
  const { states } = contractsWords[language].contract;
  const amount = (shown: number | null) =>
    figure(shown === null ? undefined : money(shown, language));
  return [
    period.number,
    states[period.state],
    moment(period.starts_at, language, zone),
    moment(period.ends_at, language, zone),
    moment(period.settles_at, language, zone),
    figure(period.units),
    figure(period.shortfall),
    amount(period.discounts),
    amount(period.billed),
  ];
};

export const contractBody = (contract: Agreed, visit: Visit): Html => {
  const { at, language } = visit;
  const words = contractsWords[language];
  const { contract: shown, contractColumns: columns } = words;
  return html`<dl class="facts">
${fact(columns.id, html`<code>${contract.contract_id}</code>`)}
${fact(columns.state, words.states[contract.state])}
${fact(shown.agreed, contract.committed_units)}
${fact(columns.period, words.periods[contract.period])}
${fact(columns.discount, percent(contract.current_tier.discount, language))}
${fact(shown.starts, moment(contract.starts_at, language, contract.time_zone))}
${fact(shown.ends, moment(contract.ends_at, language, contract.time_zone))}
${fact(shown.zone, contract.time_zone)}
</dl>
<p>${shown.terms(contract.breach_terms.grace_days)}</p>
${stackTable(
  { caption: shown.caption, columns: shown.columns },
  contract.periods.map((period) => periodRow(period, contract, visit)),
)}
<p class="choices"><a href="${at('/contracts')}">${shown.back}</a></p>`;
};
