/** The page of an order for its payer: its state, and the next step. No scripts. */
import { liveFlow } from '../../contract/letter-status.ts';
import { formatDate, type Language, localeOf } from '../../postal/stationery.ts';
import type { OrderState } from '../../presenters/order.ts';
import { html } from '../html.ts';
import { nothingPage } from '../nothing-page.ts';
import { buttonTo, contactFact, type PageService, sheetPage } from '../sheet-page.ts';
import { type OrderCourse, orderWords } from './order-words.ts';

const money = ({ amount, currency }: OrderState, language: Language): string =>
  new Intl.NumberFormat(localeOf(language, 'GB'), { style: 'currency', currency }).format(amount);

/** To the minute: seconds are of no use to a payer. */
const moment = (at: string, language: Language): string => {
  const inUtc = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  const locale = localeOf(language, 'GB');
  return `${formatDate(new Date(at), locale, inUtc)} UTC`;
};

/** Undefined while the letter is not posted yet, or its order did not send it. */
const courseOf = (order: OrderState): OrderCourse | undefined => {
  if (order.status !== 'queued') return undefined;
  if (order.delivery_outcome === 'returned') return 'returned';
  switch (order.letter_status) {
    case 'posted':
    case 'in_transit':
      return 'posted';
    case 'delivered':
    case 'failed':
    case 'cancelled':
      return order.letter_status;
    default:
      return undefined;
  }
};

/** The letter of an order that did not send it: it was sent nevertheless, with other money. */
const wasSent = ({ letter_status: status }: OrderState): boolean =>
  (liveFlow as readonly (string | null)[]).includes(status);

type Words = (typeof orderWords)[Language];

/**
 * Replaces a lead that asks the payer to have the card refunded, or says that the shop has the money, once the payment was
 * refunded or disputed.
 */
const refundedLead = (order: OrderState, { refunded }: Words): string | undefined => {
  if (order.taken_back === 0) return undefined;
  const course = courseOf(order);
  if (course === 'failed' || course === 'cancelled') return refunded[course];
  if (order.status !== 'credited') return undefined;
  return wasSent(order) ? refunded.otherwise : refunded.credited;
};

const saidOf = (order: OrderState, words: Words): { title: string; lead: string } => {
  const { status } = order;
  const course = courseOf(order);
  if (course) return words.course[course];
  return (status === 'expired' || status === 'credited') && wasSent(order)
    ? words.otherwise[status]
    : words.order[status];
};

export const orderPage = (page: {
  order: OrderState;
  service: PageService;
  language: Language;
}): string => {
  const { order, service, language } = page;
  const words = orderWords[language];
  const { facts } = words;
  const course = courseOf(order);
  const { title, lead } = saidOf(order, words);
  const refunded = refundedLead(order, words);
  const unsentBecause = wasSent(order) ? null : order.credit_reason;
  const isPaidDraft = order.status === 'paid' && order.letter_status === 'draft';
  const letter =
    unsentBecause !== null || isPaidDraft
      ? undefined
      : words.letter[
          order.delivery_outcome === 'returned' ? 'returned' : (order.letter_status ?? '')
        ];
  const checkout = order.status === 'awaiting_payment' ? order.checkout_url : null;
  const { tracking_number: number, tracking_url: url } = order;
  return sheetPage({
    language,
    kind: words.kind,
    service,
    title,
    lead: html`<p class="lead" id="state" data-status="${course ?? order.status}">${refunded ?? lead}</p>`,
    body: [
      unsentBecause
        ? html`<p class="notice" id="reason">${words.reason[unsentBecause]}</p>`
        : undefined,
      order.taken_back > 0 && refunded === undefined
        ? html`<p class="notice">${words.takenBack}</p>`
        : undefined,
      checkout ? buttonTo(checkout, words.pay) : undefined,
      url ? buttonTo(url, words.follow) : undefined,
      html`<dl class="facts">
<div><dt>${facts.amount}</dt><dd>${money(order, language)}</dd></div>
${checkout ? html`<div><dt>${facts.until}</dt><dd><time datetime="${order.expires_at}">${moment(order.expires_at, language)}</time></dd></div>` : undefined}
${letter ? html`<div><dt>${facts.status}</dt><dd>${letter}</dd></div>` : undefined}
${number ? html`<div><dt>${facts.number}</dt><dd>${number}</dd></div>` : undefined}
<div><dt>${facts.order}</dt><dd>${order.order_id}</dd></div>
<div><dt>${facts.letter}</dt><dd>${order.letter_id}</dd></div>
${contactFact(service, facts.contact)}
</dl>`,
    ],
  });
};

export const orderNotFoundPage = (language: Language, prefix: string): string =>
  nothingPage(language, prefix, orderWords[language].nothing);
