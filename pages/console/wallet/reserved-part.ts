/** The letters for which money is reserved: those before production, and those that wait for approval. */
import type { Static } from 'typebox';
import type { Balance } from '../../../presenters/account.ts';
import { type Html, html } from '../../html.ts';
import type { Approval } from '../approvals/approvals-page.ts';
import { moment, money } from '../format.ts';
import type { Letter } from '../letter-shown.ts';
import { stackTable } from '../table.ts';
import type { Visit } from '../visit.ts';
import { walletWords } from './wallet-words.ts';

type HeldParts = Static<typeof Balance>['held_for'];

export type Reserved = { queued: readonly Letter[]; hasMore: boolean; held: readonly Approval[] };

type Row = { letterId: string; at: string; why: string; total: number };

const rowOf = ({ letterId, at: since, why, total }: Row, { at, language }: Visit): Html => {
  const { letter, reserved } = walletWords[language];
  const { columns } = reserved;
  return html`<tr>
<th scope="row" data-label="${columns.letter}"><a href="${at(`/letters/${letterId}`)}">${letter}</a> <span class="hint">${moment(since, language)}</span></th>
<td data-label="${columns.why}">${why}</td>
<td data-label="${columns.price}" class="number">${money(total, language)}</td>
</tr>`;
};

/** The purposes of the held money, with its sum. */
export const heldPart = (parts: HeldParts, held: number, { language }: Visit): Html | undefined => {
  if (parts.length === 0) return undefined;
  const { caption, columns, what, all } = walletWords[language].heldFor;
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  const rows = [
    ...parts.map((part) => ({ ...part, name: what[part.what] })),
    { name: all, count, amount: held },
  ].map(
    (row) => html`<tr>
<th scope="row" data-label="${columns.what}">${row.name}</th>
<td data-label="${columns.count}" class="number">${row.count.toLocaleString(language)}</td>
<td data-label="${columns.amount}" class="number">${money(row.amount, language)}</td>
</tr>`,
  );
  return stackTable(caption, [columns.what, columns.count, columns.amount], rows, 'held-for');
};

export const reservedPart = ({ queued, hasMore, held }: Reserved, visit: Visit): Html => {
  const { at, language } = visit;
  const words = walletWords[language].reserved;
  const rows: Row[] = [
    ...held.map(({ letter_id: letterId, requested_at: since, price }) => ({
      letterId,
      at: since,
      why: words.approval,
      total: price.total,
    })),
    ...queued.map(({ letter_id: letterId, created_at: since, price }) => ({
      letterId,
      at: since,
      why: words.queued,
      total: price.total,
    })),
  ];
  const { letter, why, price } = words.columns;
  const table = stackTable(
    words.caption,
    [letter, why, price],
    rows.map((row) => rowOf(row, visit)),
    'reserved',
  );
  return html`${rows.length === 0 ? html`<p>${words.none}</p>` : table}
<p class="choices">
${hasMore ? html`<a href="${at('/letters?status=queued')}">${words.all}</a>` : undefined}
<a href="${at('/contracts')}">${words.contracts}</a>
</p>`;
};
