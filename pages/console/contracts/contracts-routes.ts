/** `/console/contracts`: volume contracts and accepted offers. */
import type { Static } from 'typebox';
import { fullNameOf, services } from '../../../postal/services.ts';
import type { Language } from '../../../postal/stationery.ts';
import type { Commitment } from '../../../presenters/commitment.ts';
import type { Contract } from '../../../presenters/contract.ts';
import { type Html, html } from '../../html.ts';
import { moment, money, percent } from '../format.ts';
import { olderLink, stackTable } from '../table.ts';
import { ask, pageAt, type Visit } from '../visit.ts';
import { contractsWords } from './contracts-words.ts';

type Agreed = Static<typeof Contract>;
type Accepted = Static<typeof Commitment>;
type PageOf<T> = { data: T[]; next_cursor: string | null };

/** An amount below a figure; absent where it is zero. */
const amountNote = (label: string, amount: number, language: Language): Html | undefined =>
  amount === 0
    ? undefined
    : html`<br><span class="hint">${label} ${money(amount, language)}</span>`;

/** Over all periods, to the micro-dollar. */
const sumOf = ({ periods }: Agreed, name: 'discounts' | 'billed'): number =>
  Math.round(periods.reduce((sum, one) => sum + (one[name] ?? 0), 0) * 1e6) / 1e6;

const contractRow = (contract: Agreed, { language }: Visit): Html[] => {
  const { states, periods, amounts } = contractsWords[language];
  return [
    html`<code>${contract.contract_id}</code>`,
    html`${states[contract.state]}`,
    html`${periods[contract.period]}`,
    html`${contract.committed_units}`,
    html`${contract.units_used}${amountNote(amounts.billed, sumOf(contract, 'billed'), language)}`,
    html`${percent(contract.current_tier.discount, language)}${amountNote(amounts.discounts, sumOf(contract, 'discounts'), language)}`,
    moment(contract.ends_at, language),
  ];
};

const offerRow = (offer: Accepted, { language }: Visit): Html[] => {
  const { states } = contractsWords[language];
  return [
    html`<code>${offer.commitment_id}</code>`,
    html`${states[offer.state]}`,
    html`${fullNameOf(services[offer.service])} · ${offer.to_country}`,
    html`${money(offer.locked_price, language)}`,
    html`${offer.uses_left} / ${offer.quantity}`,
    moment(offer.expires_at, language),
  ];
};

export const contractsRoutes = [
  pageAt('/contracts', 'contracts', async (visit) => {
    const { language, query } = visit;
    const words = contractsWords[language];
    const cursorOf = (name: string): Record<string, string> => {
      const cursor = query.get(name);
      return cursor === null ? {} : { cursor };
    };
    const [contracts, offers] = await Promise.all([
      ask<PageOf<Agreed>>(visit, 'list_contracts', {
        query: { state: 'all', ...cursorOf('contracts') },
      }),
      ask<PageOf<Accepted>>(visit, 'list_commitments', { query: cursorOf('offers') }),
    ]);
    const older = (name: 'contracts' | 'offers', cursor: string | null) =>
      olderLink(visit, { path: '/contracts', cursor, name }, words.next[name]);
    const contractRows = contracts.data.map((one) => contractRow(one, visit));
    const offerRows = offers.data.map((one) => offerRow(one, visit));
    return {
      body: html`${contractRows.length === 0 ? html`<p>${words.contracts.none}</p>` : stackTable({ ...words.contracts, columns: words.contractColumns }, contractRows)}
${older('contracts', contracts.next_cursor)}
${offerRows.length === 0 ? html`<p>${words.offers.none}</p>` : stackTable({ ...words.offers, columns: words.offerColumns }, offerRows)}
${older('offers', offers.next_cursor)}`,
    };
  }),
];
