/** Texts of the page of the wallet, by language. */
import type { Language } from '../../../postal/stationery.ts';
import { labels } from '../../../presenters/labels.ts';

export type WalletWords = {
  available: string;
  held: string;
  crypto: string;
  fiat: string;
  storage: string;
  last: string;
  none: string;
  columns: Record<'time' | 'what' | 'amount' | 'after' | 'reference', string>;
  kinds: Record<string, string>;
  heldFor: {
    caption: string;
    columns: Record<'what' | 'count' | 'amount', string>;
    what: Record<'letters' | 'approvals' | 'offers' | 'orders' | 'contracts', string>;
    all: string;
  };
  reserved: {
    caption: string;
    none: string;
    columns: Record<'letter' | 'why' | 'price', string>;
    queued: string;
    approval: string;
    all: string;
    contracts: string;
  };
  statement: string;
  from: string;
  until: string;
  download: string;
  letter: string;
};

export const walletWords: Record<Language, WalletWords> = {
  en: {
    available: 'Available',
    held: 'Reserved for letters that are not in production yet',
    crypto: 'Paid in crypto',
    fiat: 'Paid in fiat money',
    storage: 'Stored documents and logos',
    last: 'The last ten transactions',
    none: 'There are no transactions yet.',
    columns: {
      time: labels.time.en,
      what: 'Kind',
      amount: labels.amount.en,
      after: 'Available after',
      reference: labels.reference.en,
    },
    kinds: {
      credit: 'Credit',
      charge_back: 'Charge-back',
      hold: 'Reserved',
      release: 'Released',
      refund: 'Refund',
    },
    heldFor: {
      caption: 'What the reserved money is for',
      columns: { what: 'For', count: 'Number', amount: labels.amount.en },
      what: {
        letters: 'Letters before production',
        approvals: 'Letters that wait for approval',
        offers: 'Letters before production, at the price of an accepted offer',
        orders: 'Orders that are paid',
        contracts: 'Charges of volume contracts',
      },
      all: 'All reserved money',
    },
    reserved: {
      caption: 'Letters for which money is reserved',
      none: 'No money is reserved for letters.',
      columns: { letter: labels.letter.en, why: 'Waits for', price: labels.price.en },
      queued: 'production',
      approval: 'approval',
      all: 'All letters that wait for production',
      contracts: 'Contracts and offers',
    },
    statement: 'Statement',
    from: 'From',
    until: 'To',
    download: 'Download as CSV',
    letter: labels.letter.en,
  },
  de: {
    available: 'Verfügbar',
    held: 'Reserviert für Briefe vor der Produktion',
    crypto: 'In Kryptowährung eingezahlt',
    fiat: 'In Währung eingezahlt',
    storage: 'Gespeicherte Dokumente und Logos',
    last: 'Die letzten zehn Buchungen',
    none: 'Es gibt noch keine Buchungen.',
    columns: {
      time: labels.time.de,
      what: 'Art',
      amount: labels.amount.de,
      after: 'Danach verfügbar',
      reference: labels.reference.de,
    },
    kinds: {
      credit: 'Gutschrift',
      charge_back: 'Rückbuchung',
      hold: 'Reserviert',
      release: 'Freigegeben',
      refund: 'Erstattung',
    },
    heldFor: {
      caption: 'Wofür Geld reserviert ist',
      columns: { what: 'Für', count: 'Anzahl', amount: labels.amount.de },
      what: {
        letters: 'Briefe vor der Produktion',
        approvals: 'Briefe, die auf Freigabe warten',
        offers: 'Briefe vor der Produktion, zum Preis eines angenommenen Angebots',
        orders: 'Bezahlte Bestellungen',
        contracts: 'Beträge aus Mengenverträgen',
      },
      all: 'Alles reservierte Geld',
    },
    reserved: {
      caption: 'Briefe, für die Geld reserviert ist',
      none: 'Für Briefe ist kein Geld reserviert.',
      columns: { letter: labels.letter.de, why: 'Wartet auf', price: labels.price.de },
      queued: 'Produktion',
      approval: 'Freigabe',
      all: 'Alle Briefe, die auf die Produktion warten',
      contracts: 'Verträge und Angebote',
    },
    statement: 'Kontoauszug',
    from: 'Von',
    until: 'Bis',
    download: 'Als CSV herunterladen',
    letter: labels.letter.de,
  },
  fr: {
    available: 'Disponible',
    held: 'Réservé pour des lettres pas encore en production',
    crypto: 'Versé en crypto',
    fiat: 'Versé en monnaie',
    storage: 'Documents et logos conservés',
    last: 'Les dix dernières opérations',
    none: 'Aucune opération pour l’instant.',
    columns: {
      time: labels.time.fr,
      what: 'Type',
      amount: labels.amount.fr,
      after: 'Disponible après',
      reference: labels.reference.fr,
    },
    kinds: {
      credit: 'Crédit',
      charge_back: 'Contre-passation',
      hold: 'Réservé',
      release: 'Libéré',
      refund: 'Remboursement',
    },
    heldFor: {
      caption: 'À quoi sert l’argent réservé',
      columns: { what: 'Pour', count: 'Nombre', amount: labels.amount.fr },
      what: {
        letters: 'Lettres avant la production',
        approvals: 'Lettres qui attendent une approbation',
        offers: 'Lettres avant la production, au prix d’une offre acceptée',
        orders: 'Commandes payées',
        contracts: 'Montants de contrats de volume',
      },
      all: 'Tout l’argent réservé',
    },
    reserved: {
      caption: 'Lettres pour lesquelles de l’argent est réservé',
      none: 'Aucun argent n’est réservé pour des lettres.',
      columns: { letter: labels.letter.fr, why: 'Attend', price: labels.price.fr },
      queued: 'la production',
      approval: 'une approbation',
      all: 'Toutes les lettres qui attendent la production',
      contracts: 'Contrats et offres',
    },
    statement: 'Relevé',
    from: 'Du',
    until: 'Au',
    download: 'Télécharger en CSV',
    letter: labels.letter.fr,
  },
};
