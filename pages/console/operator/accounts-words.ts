/** The words of the operator's pages about accounts, by language. */
import type { Language } from '../../../postal/stationery.ts';
import { labels } from '../../../presenters/labels.ts';
import type { AccountView, QuotaName } from './desk.ts';

type AccountsWords = {
  title: string;
  list: { all: string; blocked: string; caption: string; columns: readonly string[]; none: string };
  states: Record<'confirmed' | 'unconfirmed' | 'blocked', string>;
  /** The label of an account's name, by its kind. */
  names: Record<AccountView['kind'], string>;
  kinds: Record<AccountView['kind'], string>;
  erased: string;
  facts: Record<
    'account' | 'mode' | 'confirmed' | 'standing' | 'frozen' | 'available' | 'letters' | 'webhook',
    string
  >;
  open: string;
  blockedFor(reason: string): string;
  frozenSince(subject: string, since: string): string;
  notFrozen: string;
  available(crypto: string, fiat: string): string;
  webhooks: Record<AccountView['webhook'], string>;
  keys: {
    title: string;
    caption: string;
    columns: readonly string[];
    none: string;
    revoke: string;
  };
  standing: {
    title: string;
    reason: string;
    hint: string;
    block: string;
    unblock: string;
    freeze: string;
    unfreeze: string;
  };
  quotas: {
    title: string;
    labels: Record<QuotaName, string>;
    hint(usual: number): string;
    button: string;
  };
  credit: {
    title: string;
    amount: string;
    amountHint: string;
    bucket: string;
    reference: string;
    referenceHint: string;
    button: string;
  };
};

export const accountsWords: Record<Language, AccountsWords> = {
  en: {
    title: labels.account.en,
    list: {
      all: 'All',
      blocked: 'Blocked',
      caption: 'The newest accounts',
      columns: ['Account', 'Mode', 'Kind', 'Registered', 'Keys', 'State'],
      none: 'There is no such account.',
    },
    states: { confirmed: 'confirmed', unconfirmed: 'not confirmed', blocked: 'blocked' },
    names: { email: 'E-mail', agent: 'Agent', wallet: 'Wallet' },
    kinds: { email: 'e-mail', agent: 'agent', wallet: 'wallet' },
    erased: '[erased]',
    facts: {
      account: labels.account.en,
      mode: 'Mode',
      confirmed: 'Address confirmed',
      standing: 'Standing',
      frozen: 'Frozen',
      available: 'Available',
      letters: labels.letters.en,
      webhook: 'Webhook',
    },
    open: 'open',
    blockedFor: (reason) => `blocked: ${reason}`,
    frozenSince: (subject, since) => `${subject} since ${since}`,
    notFrozen: 'no',
    available: (crypto, fiat) => `${crypto} crypto + ${fiat} fiat`,
    webhooks: { set: 'set', 'not set': 'not set', disabled: 'disabled' },
    keys: {
      title: 'Keys',
      caption: 'Keys that work',
      columns: ['Name', 'Begins with', 'Scope', 'Made', 'Expires', 'End'],
      none: 'No key works.',
      revoke: 'Revoke',
    },
    standing: {
      title: 'Standing',
      reason: 'Why it is blocked',
      hint: 'A blocked account can only read, cancel, delete and revoke.',
      block: 'Block the account',
      unblock: 'Unblock',
      freeze: 'Freeze spending',
      unfreeze: 'Unfreeze',
    },
    quotas: {
      title: 'Quotas',
      labels: {
        'live-letters': 'Live letters in 24 hours',
        'test-letters': 'Test letters in 24 hours',
        drafts: 'Drafts at once',
        bytes: 'Bytes of documents and logos',
      },
      hint: (usual) => `A whole number, or default for the limit of the service (${usual}).`,
      button: 'Set the quotas',
    },
    credit: {
      title: 'Credit',
      amount: 'Amount in USD',
      amountHint: 'Written like 25 or 25.00.',
      bucket: 'Bucket',
      reference: labels.reference.en,
      referenceHint: 'What the money is. It is added once per account and reference.',
      button: 'Add the money',
    },
  },
  de: {
    title: labels.account.de,
    list: {
      all: 'Alle',
      blocked: 'Gesperrte',
      caption: 'Die neuesten Konten',
      columns: ['Konto', 'Modus', 'Art', 'Angelegt', 'Schlüssel', 'Stand'],
      none: 'Es gibt kein solches Konto.',
    },
    states: { confirmed: 'bestätigt', unconfirmed: 'nicht bestätigt', blocked: 'gesperrt' },
    names: { email: 'E-Mail', agent: 'Agent', wallet: 'Wallet' },
    kinds: { email: 'E-Mail', agent: 'Agent', wallet: 'Wallet' },
    erased: '[gelöscht]',
    facts: {
      account: labels.account.de,
      mode: 'Modus',
      confirmed: 'Adresse bestätigt',
      standing: 'Stand',
      frozen: 'Eingefroren',
      available: 'Verfügbar',
      letters: labels.letters.de,
      webhook: 'Webhook',
    },
    open: 'offen',
    blockedFor: (reason) => `gesperrt: ${reason}`,
    frozenSince: (subject, since) => `${subject} seit ${since}`,
    notFrozen: 'nein',
    available: (crypto, fiat) => `${crypto} Krypto + ${fiat} Fiat`,
    webhooks: { set: 'eingerichtet', 'not set': 'nicht eingerichtet', disabled: 'abgeschaltet' },
    keys: {
      title: 'Schlüssel',
      caption: 'Gültige Schlüssel',
      columns: ['Name', 'Beginnt mit', 'Umfang', 'Erstellt', 'Läuft ab', 'Beenden'],
      none: 'Kein Schlüssel gilt.',
      revoke: 'Widerrufen',
    },
    standing: {
      title: 'Stand',
      reason: 'Grund der Sperre',
      hint: 'Ein gesperrtes Konto kann nur lesen, stornieren, löschen und widerrufen.',
      block: 'Konto sperren',
      unblock: 'Entsperren',
      freeze: 'Ausgaben einfrieren',
      unfreeze: 'Freigeben',
    },
    quotas: {
      title: 'Kontingente',
      labels: {
        'live-letters': 'Echte Briefe in 24 Stunden',
        'test-letters': 'Testbriefe in 24 Stunden',
        drafts: 'Entwürfe gleichzeitig',
        bytes: 'Bytes für Dokumente und Logos',
      },
      hint: (usual) => `Eine ganze Zahl, oder default für die Grenze des Dienstes (${usual}).`,
      button: 'Kontingente setzen',
    },
    credit: {
      title: 'Gutschrift',
      amount: 'Betrag in USD',
      amountHint: 'Geschrieben wie 25 oder 25.00.',
      bucket: 'Topf',
      reference: labels.reference.de,
      referenceHint: 'Wofür das Geld ist. Es wird je Konto und Referenz einmal gutgeschrieben.',
      button: 'Geld gutschreiben',
    },
  },
  fr: {
    title: labels.account.fr,
    list: {
      all: 'Tous',
      blocked: 'Bloqués',
      caption: 'Les comptes les plus récents',
      columns: ['Compte', 'Mode', 'Type', 'Créé', 'Clés', 'État'],
      none: 'Il n’y a pas de tel compte.',
    },
    states: { confirmed: 'confirmé', unconfirmed: 'non confirmé', blocked: 'bloqué' },
    names: { email: 'E-mail', agent: 'Agent', wallet: 'Portefeuille' },
    kinds: { email: 'e-mail', agent: 'agent', wallet: 'portefeuille' },
    erased: '[effacé]',
    facts: {
      account: labels.account.fr,
      mode: 'Mode',
      confirmed: 'Adresse confirmée',
      standing: 'État',
      frozen: 'Gelé',
      available: 'Disponible',
      letters: labels.letters.fr,
      webhook: 'Webhook',
    },
    open: 'ouvert',
    blockedFor: (reason) => `bloqué : ${reason}`,
    frozenSince: (subject, since) => `${subject} depuis ${since}`,
    notFrozen: 'non',
    available: (crypto, fiat) => `${crypto} crypto + ${fiat} fiat`,
    webhooks: { set: 'configuré', 'not set': 'non configuré', disabled: 'désactivé' },
    keys: {
      title: 'Clés',
      caption: 'Clés valables',
      columns: ['Nom', 'Commence par', 'Portée', 'Créée', 'Expire', 'Fin'],
      none: 'Aucune clé n’est valable.',
      revoke: 'Révoquer',
    },
    standing: {
      title: 'État',
      reason: 'Raison du blocage',
      hint: 'Un compte bloqué peut seulement lire, annuler, supprimer et révoquer.',
      block: 'Bloquer le compte',
      unblock: 'Débloquer',
      freeze: 'Geler les dépenses',
      unfreeze: 'Dégeler',
    },
    quotas: {
      title: 'Quotas',
      labels: {
        'live-letters': 'Lettres réelles en 24 heures',
        'test-letters': 'Lettres de test en 24 heures',
        drafts: 'Brouillons en même temps',
        bytes: 'Octets de documents et de logos',
      },
      hint: (usual) => `Un nombre entier, ou default pour la limite du service (${usual}).`,
      button: 'Fixer les quotas',
    },
    credit: {
      title: 'Crédit',
      amount: 'Montant en USD',
      amountHint: 'Écrit comme 25 ou 25.00.',
      bucket: 'Caisse',
      reference: labels.reference.fr,
      referenceHint: 'Origine de l’argent. Il est crédité une fois par compte et référence.',
      button: 'Créditer',
    },
  },
};
