/** Texts of the page of contracts and accepted offers, by language. */
import type { Language } from '../../../postal/stationery.ts';
import { labels } from '../../../presenters/labels.ts';

type ContractsWords = {
  contracts: { caption: string; none: string };
  contractColumns: Record<
    'id' | 'state' | 'period' | 'committed' | 'used' | 'discount' | 'ends',
    string
  >;
  offers: { caption: string; none: string };
  offerColumns: Record<'id' | 'state' | 'service' | 'price' | 'left' | 'expires', string>;
  states: Record<'active' | 'fulfilled' | 'breached' | 'consumed' | 'expired', string>;
  periods: Record<'month' | 'quarter' | 'year', string>;
  amounts: Record<'discounts' | 'billed', string>;
  next: { contracts: string; offers: string };
};

export const contractsWords: Record<Language, ContractsWords> = {
  en: {
    contracts: { caption: 'Volume contracts', none: 'There are no volume contracts.' },
    contractColumns: {
      id: 'Contract',
      state: labels.state.en,
      period: 'Period',
      committed: 'Letters agreed',
      used: 'Letters sent',
      discount: 'Discount on printing',
      ends: 'Ends',
    },
    offers: { caption: 'Accepted offers', none: 'There are no accepted offers.' },
    offerColumns: {
      id: 'Commitment',
      state: labels.state.en,
      service: 'Service',
      price: 'Price of a letter',
      left: 'Letters left',
      expires: labels.expires.en,
    },
    states: {
      active: 'active',
      fulfilled: 'fulfilled',
      breached: 'breached',
      consumed: 'used up',
      expired: 'expired',
    },
    periods: { month: 'month', quarter: 'quarter', year: 'year' },
    amounts: { discounts: 'given so far:', billed: 'charged for missing letters:' },
    next: { contracts: 'Older contracts', offers: 'Older offers' },
  },
  de: {
    contracts: { caption: 'Mengenverträge', none: 'Es gibt keine Mengenverträge.' },
    contractColumns: {
      id: 'Vertrag',
      state: labels.state.de,
      period: 'Zeitraum',
      committed: 'Vereinbarte Briefe',
      used: 'Versandte Briefe',
      discount: 'Rabatt auf den Druck',
      ends: 'Endet',
    },
    offers: { caption: 'Angenommene Angebote', none: 'Es gibt keine angenommenen Angebote.' },
    offerColumns: {
      id: 'Zusage',
      state: labels.state.de,
      service: 'Produkt',
      price: 'Preis eines Briefs',
      left: 'Übrige Briefe',
      expires: labels.expires.de,
    },
    states: {
      active: 'gültig',
      fulfilled: 'erfüllt',
      breached: 'nicht erfüllt',
      consumed: 'verbraucht',
      expired: 'abgelaufen',
    },
    periods: { month: 'Monat', quarter: 'Quartal', year: 'Jahr' },
    amounts: { discounts: 'bisher gewährt:', billed: 'für fehlende Briefe berechnet:' },
    next: { contracts: 'Ältere Verträge', offers: 'Ältere Angebote' },
  },
  fr: {
    contracts: { caption: 'Contrats de volume', none: 'Il n’y a pas de contrat de volume.' },
    contractColumns: {
      id: 'Contrat',
      state: labels.state.fr,
      period: 'Période',
      committed: 'Lettres convenues',
      used: 'Lettres envoyées',
      discount: 'Remise sur l’impression',
      ends: 'Fin',
    },
    offers: { caption: 'Offres acceptées', none: 'Il n’y a pas d’offre acceptée.' },
    offerColumns: {
      id: 'Engagement',
      state: labels.state.fr,
      service: 'Service',
      price: 'Prix d’une lettre',
      left: 'Lettres restantes',
      expires: labels.expires.fr,
    },
    states: {
      active: 'en cours',
      fulfilled: 'rempli',
      breached: 'non rempli',
      consumed: 'épuisé',
      expired: 'expiré',
    },
    periods: { month: 'mois', quarter: 'trimestre', year: 'année' },
    amounts: { discounts: 'accordé à ce jour :', billed: 'facturé pour les lettres manquantes :' },
    next: { contracts: 'Contrats plus anciens', offers: 'Offres plus anciennes' },
  },
};
