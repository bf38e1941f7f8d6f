/** What the payer of an order reads: how it stands, and what comes next. No scripts. */
import { type Language, localeOf } from '../../postal/stationery.ts';
import type { OrderState } from '../../presenters/order.ts';
import { html } from '../html.ts';
import { layout } from '../layout.ts';
import { nothingPage } from '../nothing-page.ts';

type Words = {
  kind: string;
  titles: Record<OrderState['status'], string>;
  leads: Record<OrderState['status'], string>;
  /** Of a letter that was posted. */
  posted: string;
  /** Of a letter that is over before it was posted. */
  over: string;
  takenBack: string;
  pay: string;
  facts: { order: string; letter: string; amount: string; until: string; status: string };
  letter: Record<string, string>;
  nothing: { title: string; detail: string };
};

const words: Record<Language, Words> = {
  en: {
    kind: 'Order',
    titles: {
      awaiting_payment: 'Waiting for the payment',
      paid: 'Paid',
      queued: 'Paid: the letter is taken care of',
      credited: 'Paid, but the letter was not sent',
      expired: 'This order has expired',
    },
    leads: {
      awaiting_payment:
        'The letter goes as soon as the payment is confirmed, which may take some days with some banks. Load this page again to see how it stands.',
      paid: 'The payment has arrived and the letter is being queued. Load this page again in a moment.',
      queued:
        'The payment has arrived and the letter goes its way: printed, put into an envelope and posted. You get an e-mail when it is.',
      credited:
        'The payment has arrived, but the letter could not be sent as it was ordered. The money is kept as a credit of the sender; ask whoever sent you the link for it.',
      expired:
        'It was not paid in time, nothing was charged, and the letter will not be sent. Ask for a new link if you still want it.',
    },
    posted: 'The payment has arrived, and the letter was posted.',
    over: 'The letter was not posted. Its price went back to the sender, whom you can ask for it.',
    takenBack: 'The payment, or a part of it, was refunded or is disputed.',
    pay: 'Pay now',
    facts: {
      order: 'Order',
      letter: 'Letter',
      amount: 'Amount',
      until: 'Payable until',
      status: 'Status of the letter',
    },
    letter: {
      draft: 'waiting for the payment',
      queued: 'to be printed',
      processing: 'being printed',
      posted: 'posted',
      in_transit: 'on its way',
      delivered: 'delivered',
      cancelled: 'cancelled',
      failed: 'failed',
    },
    nothing: {
      title: 'Nothing here',
      detail:
        'This link opens no order. It may have been copied in part; open it again from where you got it.',
    },
  },
  de: {
    kind: 'Bestellung',
    titles: {
      awaiting_payment: 'Die Zahlung steht noch aus',
      paid: 'Bezahlt',
      queued: 'Bezahlt: Der Brief ist in Arbeit',
      credited: 'Bezahlt, aber der Brief wurde nicht versandt',
      expired: 'Diese Bestellung ist abgelaufen',
    },
    leads: {
      awaiting_payment:
        'Der Brief geht ab, sobald die Zahlung bestätigt ist; bei manchen Banken dauert das einige Tage. Laden Sie diese Seite erneut, um den Stand zu sehen.',
      paid: 'Die Zahlung ist da, und der Brief wird gerade aufgegeben. Laden Sie diese Seite gleich noch einmal.',
      queued:
        'Die Zahlung ist da, und der Brief geht seinen Weg: Er wird gedruckt, kuvertiert und zur Post gegeben. Dann bekommen Sie eine E-Mail.',
      credited:
        'Die Zahlung ist da, aber der Brief konnte nicht so versandt werden, wie er bestellt war. Das Geld ist dem Absender gutgeschrieben; wenden Sie sich an den, von dem Sie den Link haben.',
      expired:
        'Sie wurde nicht rechtzeitig bezahlt; es wurde nichts abgebucht, und der Brief wird nicht versandt. Bitten Sie um einen neuen Link, wenn Sie ihn noch möchten.',
    },
    posted: 'Die Zahlung ist da, und der Brief wurde zur Post gegeben.',
    over: 'Der Brief wurde nicht zur Post gegeben. Sein Preis ging an den Absender zurück; wenden Sie sich an ihn.',
    takenBack: 'Die Zahlung oder ein Teil davon wurde erstattet oder ist strittig.',
    pay: 'Jetzt bezahlen',
    facts: {
      order: 'Bestellung',
      letter: 'Brief',
      amount: 'Betrag',
      until: 'Zahlbar bis',
      status: 'Stand des Briefs',
    },
    letter: {
      draft: 'wartet auf die Zahlung',
      queued: 'wird bald gedruckt',
      processing: 'wird gedruckt',
      posted: 'zur Post gegeben',
      in_transit: 'unterwegs',
      delivered: 'zugestellt',
      cancelled: 'storniert',
      failed: 'gescheitert',
    },
    nothing: {
      title: 'Hier ist nichts',
      detail:
        'Dieser Link öffnet keine Bestellung. Vielleicht wurde er nur zum Teil kopiert; öffnen Sie ihn noch einmal dort, wo Sie ihn bekommen haben.',
    },
  },
  fr: {
    kind: 'Commande',
    titles: {
      awaiting_payment: 'En attente du paiement',
      paid: 'Payée',
      queued: 'Payée : la lettre est prise en charge',
      credited: 'Payée, mais la lettre n’a pas été envoyée',
      expired: 'Cette commande a expiré',
    },
    leads: {
      awaiting_payment:
        'La lettre part dès que le paiement est confirmé, ce qui prend quelques jours avec certaines banques. Rechargez cette page pour voir où en est la commande.',
      paid: 'Le paiement est arrivé et l’envoi est en cours de validation. Rechargez cette page dans un instant.',
      queued:
        'Le paiement est arrivé et la lettre suit son cours : imprimée, mise sous pli et postée. Vous recevrez alors un e-mail.',
      credited:
        'Le paiement est arrivé, mais la lettre n’a pas pu être envoyée telle qu’elle a été commandée. L’argent est porté au crédit de l’expéditeur ; adressez-vous à la personne qui vous a transmis le lien.',
      expired:
        'Elle n’a pas été payée à temps ; rien n’a été débité et la lettre ne sera pas envoyée. Demandez un nouveau lien si vous la souhaitez encore.',
    },
    posted: 'Le paiement est arrivé et la lettre a été postée.',
    over: 'La lettre n’a pas été postée. Son prix a été rendu à l’expéditeur ; adressez-vous à lui.',
    takenBack: 'Le paiement, ou une partie, a été remboursé ou est contesté.',
    pay: 'Payer',
    facts: {
      order: 'Commande',
      letter: 'Lettre',
      amount: 'Montant',
      until: 'À payer avant le',
      status: 'État de la lettre',
    },
    letter: {
      draft: 'en attente du paiement',
      queued: 'bientôt imprimée',
      processing: 'en cours d’impression',
      posted: 'postée',
      in_transit: 'en route',
      delivered: 'distribuée',
      cancelled: 'annulée',
      failed: 'échouée',
    },
    nothing: {
      title: 'Rien ici',
      detail:
        'Ce lien n’ouvre aucune commande. Il a peut-être été copié en partie ; ouvrez-le à nouveau là où vous l’avez reçu.',
    },
  },
};

const money = ({ amount, currency }: OrderState, language: Language): string =>
  new Intl.NumberFormat(localeOf(language, 'GB'), { style: 'currency', currency }).format(amount);

const moment = (at: string, language: Language): string =>
  new Intl.DateTimeFormat(localeOf(language, 'GB'), {
    dateStyle: 'long',
    timeStyle: 'long',
    timeZone: 'UTC',
  }).format(new Date(at));

const leadOf = ({ status, letter_status: letter }: OrderState, said: Words): string => {
  if (status !== 'queued') return said.leads[status];
  if (letter === 'cancelled' || letter === 'failed') return said.over;
  const isPosted = letter === 'posted' || letter === 'in_transit' || letter === 'delivered';
  return isPosted ? said.posted : said.leads.queued;
};

export const orderPage = (page: {
  order: OrderState;
  service: string;
  language: Language;
}): string => {
  const { order, service, language } = page;
  const said = words[language];
  const { facts } = said;
  const letter = order.status === 'credited' ? undefined : said.letter[order.letter_status ?? ''];
  const waiting = order.status === 'awaiting_payment';
  return layout({
    title: said.titles[order.status],
    language,
    stylesheet: '/audit/page.css',
    body: html`<main class="sheet">
<header class="head">
  <p class="kind">${said.kind} · ${service}</p>
  <h1>${said.titles[order.status]}</h1>
  <p class="lead" id="state" data-status="${order.status}">${leadOf(order, said)}</p>
</header>
${order.taken_back > 0 ? html`<p class="notice">${said.takenBack}</p>` : undefined}
${waiting && order.checkout_url ? html`<p><a class="button" href="${order.checkout_url}" rel="noreferrer">${said.pay}</a></p>` : undefined}
<dl class="facts">
<div><dt>${facts.amount}</dt><dd>${money(order, language)}</dd></div>
${waiting ? html`<div><dt>${facts.until}</dt><dd><time datetime="${order.expires_at}">${moment(order.expires_at, language)}</time></dd></div>` : undefined}
${letter ? html`<div><dt>${facts.status}</dt><dd>${letter}</dd></div>` : undefined}
<div><dt>${facts.order}</dt><dd>${order.order_id}</dd></div>
<div><dt>${facts.letter}</dt><dd>${order.letter_id}</dd></div>
</dl>
</main>`,
  });
};

export const orderNotFoundPage = (language: Language): string =>
  nothingPage(language, words[language].nothing);
