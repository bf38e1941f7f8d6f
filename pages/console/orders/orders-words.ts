/** Texts of the page of orders, by language. */
import { inEachLanguage } from '../../../presenters/in-each-language.ts';
import { labels } from '../../../presenters/labels.ts';
import type { OrderState } from '../../../presenters/order.ts';

export const ordersWords = inEachLanguage({
  en: {
    page: 'Orders',
    lead: 'Letters that others pay by card (POST /api/orders). To withdraw an order that nobody has paid, cancel its draft.',
    caption: 'Orders, newest first',
    columns: {
      placed: labels.time.en,
      order: labels.order.en,
      amount: labels.amount.en,
      letter: labels.letter.en,
      state: labels.state.en,
    },
    states: {
      awaiting_payment: 'Waits for payment',
      paid: 'Paid, not sent yet',
      queued: 'Paid and sent',
      credited: 'Paid, not sent',
      expired: 'Expired, nothing was charged',
    } satisfies Record<OrderState['status'], string>,
    takenBack: 'Refunded or disputed:',
    none: 'There are no such orders.',
    all: 'All',
    which: 'Which orders',
    next: 'Older orders',
  },
  de: {
    page: 'Bestellungen',
    lead: 'Briefe, die andere mit Karte bezahlen (POST /api/orders). Um eine Bestellung zurückzuziehen, die niemand bezahlt hat, stornieren Sie ihren Entwurf.',
    caption: 'Bestellungen, neueste zuerst',
    columns: {
      placed: labels.time.de,
      order: labels.order.de,
      amount: labels.amount.de,
      letter: labels.letter.de,
      state: labels.state.de,
    },
    states: {
      awaiting_payment: 'Wartet auf Zahlung',
      paid: 'Bezahlt, noch nicht versandt',
      queued: 'Bezahlt und versandt',
      credited: 'Bezahlt, nicht versandt',
      expired: 'Abgelaufen, es wurde nichts belastet',
    },
    takenBack: 'Erstattet oder angefochten:',
    none: 'Keine Bestellung passt.',
    all: 'Alle',
    which: 'Welche Bestellungen',
    next: 'Ältere Bestellungen',
  },
  fr: {
    page: 'Commandes',
    lead: 'Lettres que d’autres paient par carte (POST /api/orders). Pour retirer une commande que personne n’a payée, annulez son brouillon.',
    caption: 'Commandes, les plus récentes d’abord',
    columns: {
      placed: labels.time.fr,
      order: labels.order.fr,
      amount: labels.amount.fr,
      letter: labels.letter.fr,
      state: labels.state.fr,
    },
    states: {
      awaiting_payment: 'En attente de paiement',
      paid: 'Payée, pas encore envoyée',
      queued: 'Payée et envoyée',
      credited: 'Payée, non envoyée',
      expired: 'Expirée, rien n’a été débité',
    },
    takenBack: 'Remboursé ou contesté :',
    none: 'Aucune commande ne correspond.',
    all: 'Toutes',
    which: 'Quelles commandes',
    next: 'Commandes plus anciennes',
  },
});
