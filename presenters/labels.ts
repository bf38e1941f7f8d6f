/** The words that pages, mails and certificates share. A table of words of one page takes them from here. */
import type { Language } from '../postal/stationery.ts';

export const labels = {
  state: { en: 'State', de: 'Stand', fr: 'État' },
  letter: { en: 'Letter', de: 'Brief', fr: 'Lettre' },
  letters: { en: 'Letters', de: 'Briefe', fr: 'Lettres' },
  account: { en: 'Account', de: 'Konto', fr: 'Compte' },
  service: { en: 'Service', de: 'Versandart', fr: 'Service' },
  expires: { en: 'Expires', de: 'Läuft ab', fr: 'Expire' },
  trackingNumber: { en: 'Tracking number', de: 'Sendungsnummer', fr: 'Numéro de suivi' },
  price: { en: 'Price', de: 'Preis', fr: 'Prix' },
  amount: { en: 'Amount', de: 'Betrag', fr: 'Montant' },
  recipient: { en: 'Recipient', de: 'Empfänger', fr: 'Destinataire' },
  sender: { en: 'Sender', de: 'Absender', fr: 'Expéditeur' },
  reference: { en: 'Reference', de: 'Referenz', fr: 'Référence' },
  pages: { en: 'Pages', de: 'Seiten', fr: 'Pages' },
  country: { en: 'Country', de: 'Land', fr: 'Pays' },
  order: { en: 'Order', de: 'Bestellung', fr: 'Commande' },
  contact: { en: 'Contact', de: 'Kontakt', fr: 'Contact' },
  time: { en: 'Time', de: 'Zeit', fr: 'Heure' },
  accepted: { en: 'Accepted', de: 'Angenommen', fr: 'Acceptée' },
  delivered: { en: 'Delivered', de: 'Zugestellt', fr: 'Distribuée' },
  signIn: { en: 'Sign in', de: 'Anmelden', fr: 'Se connecter' },
} as const satisfies Record<string, Record<Language, string>>;
