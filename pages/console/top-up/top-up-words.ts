/** Texts of the pages that top up a wallet, by language. */
import type { Language } from '../../../postal/stationery.ts';
import { labels } from '../../../presenters/labels.ts';

export type TopUpWords = {
  title: string;
  none: string;
  amount: string;
  method: string;
  methods: Record<'usdc' | 'lightning' | 'card', string>;
  currency: string;
  currencyHint: string;
  button: string;
  refill: string;
  refillHint: string;
  page: string;
  states: Record<'pending' | 'paid' | 'expired', string>;
  facts: Record<
    'amount' | 'state' | 'credited' | 'expires' | 'network' | 'asset' | 'to' | 'send' | 'sats',
    string
  >;
  exactly: string;
  invoice: string;
  code: string;
  pay(amount: string): string;
  refresh: string;
  back: string;
};

export const topUpWords: Record<Language, TopUpWords> = {
  en: {
    title: 'Top up',
    none: 'This service takes no payments into wallets. Ask the operator for a credit.',
    amount: 'Amount (USD)',
    method: 'Way to pay',
    methods: { usdc: 'USDC', lightning: 'Lightning', card: 'Card' },
    currency: 'Charge the card in',
    currencyHint: 'For cards only. The wallet is in US dollars.',
    button: 'Continue to the payment',
    refill: 'Fill up the test money',
    refillHint: 'Fills the wallet up to $100.00, once an hour.',
    page: 'Payment into the wallet',
    states: { pending: 'Waiting for the payment', paid: 'Paid', expired: 'Expired' },
    facts: {
      amount: labels.amount.en,
      state: labels.state.en,
      credited: 'Credited',
      expires: 'Pay until',
      network: 'Network',
      asset: 'Token',
      to: 'Send to',
      send: 'Send exactly',
      sats: 'Satoshi',
    },
    exactly: 'The amount identifies the payment: send exactly this amount.',
    invoice: 'Invoice',
    code: 'Invoice as a QR code',
    pay: (amount) => `Pay ${amount} by card`,
    refresh: 'Look again',
    back: 'Back to the wallet',
  },
  de: {
    title: 'Aufladen',
    none: 'Dieser Dienst nimmt keine Einzahlungen an. Bitten Sie den Betreiber um eine Gutschrift.',
    amount: 'Betrag (USD)',
    method: 'Zahlungsweg',
    methods: { usdc: 'USDC', lightning: 'Lightning', card: 'Karte' },
    currency: 'Karte belasten in',
    currencyHint: 'Nur bei Karten. Das Guthaben ist in US-Dollar.',
    button: 'Weiter zur Zahlung',
    refill: 'Testgeld auffüllen',
    refillHint: 'Füllt das Guthaben auf 100,00 $ auf, einmal in der Stunde.',
    page: 'Einzahlung auf das Guthaben',
    states: { pending: 'Wartet auf die Zahlung', paid: 'Bezahlt', expired: 'Abgelaufen' },
    facts: {
      amount: labels.amount.de,
      state: labels.state.de,
      credited: 'Gutgeschrieben',
      expires: 'Zu zahlen bis',
      network: 'Netz',
      asset: 'Token',
      to: 'Senden an',
      send: 'Genau senden',
      sats: 'Satoshi',
    },
    exactly: 'Am Betrag wird die Zahlung erkannt: Senden Sie genau diesen Betrag.',
    invoice: 'Rechnung',
    code: 'Rechnung als QR-Code',
    pay: (amount) => `${amount} mit Karte zahlen`,
    refresh: 'Noch einmal nachsehen',
    back: 'Zurück zum Guthaben',
  },
  fr: {
    title: 'Recharger',
    none: 'Ce service ne prend pas de versements. Demandez un crédit à l’exploitant.',
    amount: 'Montant (USD)',
    method: 'Moyen de paiement',
    methods: { usdc: 'USDC', lightning: 'Lightning', card: 'Carte' },
    currency: 'Débiter la carte en',
    currencyHint: 'Pour les cartes seulement. Le solde est en dollars américains.',
    button: 'Continuer vers le paiement',
    refill: 'Remettre de l’argent fictif',
    refillHint: 'Remplit le solde jusqu’à 100,00 $, une fois par heure.',
    page: 'Versement sur le solde',
    states: { pending: 'En attente du paiement', paid: 'Payé', expired: 'Expiré' },
    facts: {
      amount: labels.amount.fr,
      state: labels.state.fr,
      credited: 'Crédité',
      expires: 'À payer avant le',
      network: 'Réseau',
      asset: 'Jeton',
      to: 'Envoyer à',
      send: 'Envoyer exactement',
      sats: 'Satoshi',
    },
    exactly: 'Le montant identifie le paiement : envoyez exactement ce montant.',
    invoice: 'Facture',
    code: 'Facture sous forme de code QR',
    pay: (amount) => `Payer ${amount} par carte`,
    refresh: 'Regarder de nouveau',
    back: 'Retour au solde',
  },
};
