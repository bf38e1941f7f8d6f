/** The letters for which money is reserved: those before production, and those that wait for approval. */
import type { Static } from 'typebox';
import type { Balance } from '../../../presenters/account.ts';
import { type Html, html } from '../../html.ts';
import type { Approval } from '../approvals/approvals-page.ts';
import { moment, money } from '../format.ts';
import type { Letter } from '../letter-shown.ts';
import { figure, type Row, stackTable } from '../table.ts';
import type { Visit } from '../visit.ts';
import { walletWords } from './wallet-words.ts';

type HeldParts = Static<typeof Balance>['held_for'];

export type Reserved = {
  queued: readonly Letter[];
  hasMore: boolean;
  held: readonly Approval[];
  hasMoreHeld: boolean;
};

type Reservation = { letterId: string; at: string; why: string; total: number };

const rowOf = ({ letterId, at: since, why, total }: Reservation, { at, language }: Visit): Row => {
  const { letter } = walletWords[language];
  return [
    html`<a href="${at(`/letters/${letterId}`)}">${letter}</a> <span class="hint">${moment(since, language)}</span>`,
    why,
    figure(money(total, language)),
  ];
};

/** The purposes of the held money, with its sum. */
export const heldPart = (parts: HeldParts, held: number, { language }: Visit): Html | undefined => {
  if (parts.length === 0) return undefined;
  const words = walletWords[language].heldFor;
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  const rows = [
    ...parts.map((part) => ({ ...part, name: words.what[part.what] })),
    { name: words.all, count, amount: held },
  ].map((row) => [
    row.name,
    figure(row.count.toLocaleString(language)),
    figure(money(row.amount, language)),
  ]);
  return stackTable(words, rows, 'held-for');
};

export const reservedPart = (
  { queued, hasMore, held, hasMoreHeld }: Reserved,
  visit: Visit,
): Html => {
  const { at, language } = visit;
  const words = walletWords[language].reserved;
  const rows: Reservation[] = [
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
  const cells = rows.map((row) => rowOf(row, visit));
  const table = stackTable(words, cells, 'reserved');
  return html`${rows.length === 0 ? html`<p>${words.none}</p>` : table}
<p class="choices">
${hasMoreHeld ? html`<a href="${at('/approvals')}">${words.allHeld}</a>` : undefined}
${hasMore ? html`<a href="${at('/letters?status=queued')}">${words.all}</a>` : undefined}
<a href="${at('/contracts')}">${words.contracts}</a>
</p>`;
};
