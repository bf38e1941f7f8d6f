/** Texts of the page of limits, by language. */
import type { Language } from '../../../postal/stationery.ts';
import { labels } from '../../../presenters/labels.ts';

export type LimitsWords = {
  frozen: {
    title: string;
    none: string;
    since: string;
    freeze: string;
    lift: string;
    hint: string;
  };
  account: string;
  budgets: { title: string; none: string; caption: string };
  columns: Record<'policy' | 'rule' | 'limit' | 'used' | 'reserved' | 'left' | 'resets', string>;
  policy: {
    title: string;
    none: string;
    caption: string;
    detail: string;
    remove: string;
    end: string;
    /** Why the last rule cannot be removed. */
    last: string;
  };
  ending: { title: string; lead: string; confirm: string; unconfirmed: string };
  about: string;
  effect: string;
  effects: Record<'allow' | 'alert' | 'hold' | 'deny', string>;
  all: string;
  add: string;
  addButton: string;
  name: string;
  country: string;
  anyCountry: string;
  above: string;
  most: string;
  mostHint: string;
  per: string;
  periods: Record<'hour' | 'day' | 'month' | 'rolling_24h' | 'total' | 'letter', string>;
  letters(count: number): string;
  /** Criteria of rules. */
  criteria: Record<
    'countries' | 'services' | 'intents' | 'contentTypes' | 'known' | 'unknown',
    string
  > & { recipients(count: number): string };
};

export const limitsWords: Record<Language, LimitsWords> = {
  en: {
    frozen: {
      title: 'Freeze',
      none: 'Nothing is frozen.',
      since: 'frozen since',
      freeze: 'Freeze the account',
      lift: 'Unfreeze',
      hint: 'All keys stop spending. Reading and cancelling go on.',
    },
    account: labels.account.en,
    budgets: {
      title: 'Budgets',
      none: 'There are no limits.',
      caption: 'Use of each limit',
    },
    columns: {
      policy: 'Policy of',
      rule: 'Rule',
      limit: 'Limit',
      used: 'Used',
      reserved: 'Reserved',
      left: 'Left',
      resets: 'Resets',
    },
    policy: {
      title: 'Policy of the account',
      none: 'The account has no policy: every letter is allowed.',
      caption: 'Rules',
      detail: 'Letters that no rule allows are denied.',
      remove: 'Remove the rule',
      end: 'Remove',
      last: 'This is the last rule. Without it the policy ends: every letter is allowed, and the approvers are removed. If you want that, end the policy. Otherwise add another rule first.',
    },
    ending: {
      title: 'End the policy',
      lead: 'Every letter is then allowed, and the approvers are removed. Limits of keys and UCANs stay.',
      confirm: 'Allow every letter',
      unconfirmed: 'Tick “Allow every letter” to end the policy.',
    },
    about: labels.letters.en,
    effect: 'Effect',
    effects: { allow: 'Allow', alert: 'Tell me', hold: 'Ask for approval', deny: 'Deny' },
    all: 'all letters',
    add: 'Add a rule',
    addButton: 'Add the rule',
    name: 'Name of the rule',
    country: labels.country.en,
    anyCountry: 'Every country',
    above: 'Only letters that cost more than (USD)',
    most: 'Limit (USD)',
    mostHint: 'Without a limit the rule applies to every letter that matches.',
    per: 'Limit for each',
    periods: {
      hour: 'hour',
      day: 'day',
      month: 'month',
      rolling_24h: '24 hours',
      total: 'all time',
      letter: 'letter',
    },
    letters: (count) => `${count} ${count === 1 ? 'letter' : 'letters'}`,
    criteria: {
      countries: 'countries',
      services: 'services',
      intents: 'intents',
      contentTypes: 'contents',
      known: 'recipients of earlier letters',
      unknown: 'new recipients',
      recipients: (count) => `${count} ${count === 1 ? 'recipient' : 'recipients'} on a list`,
    },
  },
  de: {
    frozen: {
      title: 'Sperre',
      none: 'Nichts ist gesperrt.',
      since: 'gesperrt seit',
      freeze: 'Konto sperren',
      lift: 'Sperre aufheben',
      hint: 'Kein Schlüssel gibt mehr Geld aus. Lesen und Stornieren geht weiter.',
    },
    account: labels.account.de,
    budgets: {
      title: 'Budgets',
      none: 'Es gibt keine Grenzen.',
      caption: 'Was von jeder Grenze übrig ist',
    },
    columns: {
      policy: 'Regeln von',
      rule: 'Regel',
      limit: 'Grenze',
      used: 'Verbraucht',
      reserved: 'Reserviert',
      left: 'Übrig',
      resets: 'Beginnt neu',
    },
    policy: {
      title: 'Regeln des Kontos',
      none: 'Das Konto hat keine Regeln: Jeder Brief ist erlaubt.',
      caption: 'Regeln',
      detail: 'Briefe, die keine Regel erlaubt, werden abgelehnt.',
      remove: 'Regel entfernen',
      end: 'Entfernen',
      last: 'Das ist die letzte Regel. Ohne sie ist jeder Brief erlaubt, und niemand ist mehr für Freigaben benannt. Wenn Sie das möchten, beenden Sie die Regeln. Sonst fügen Sie zuerst eine andere Regel hinzu.',
    },
    ending: {
      title: 'Regeln beenden',
      lead: 'Danach ist jeder Brief erlaubt, und niemand ist mehr für Freigaben benannt. Grenzen von Schlüsseln und UCANs bleiben.',
      confirm: 'Jeden Brief erlauben',
      unconfirmed: 'Kreuzen Sie „Jeden Brief erlauben“ an, um die Regeln zu beenden.',
    },
    about: labels.letters.de,
    effect: 'Wirkung',
    effects: {
      allow: 'Erlauben',
      alert: 'Benachrichtigen',
      hold: 'Freigabe verlangen',
      deny: 'Ablehnen',
    },
    all: 'alle Briefe',
    add: 'Eine Regel hinzufügen',
    addButton: 'Regel hinzufügen',
    name: 'Name der Regel',
    country: labels.country.de,
    anyCountry: 'Jedes Land',
    above: 'Nur Briefe, die mehr kosten als (USD)',
    most: 'Grenze (USD)',
    mostHint: 'Ohne Grenze gilt die Regel für jeden Brief, der passt.',
    per: 'Grenze je',
    periods: {
      hour: 'Stunde',
      day: 'Tag',
      month: 'Monat',
      rolling_24h: '24 Stunden',
      total: 'gesamte Zeit',
      letter: 'Brief',
    },
    letters: (count) => `${count} ${count === 1 ? 'Brief' : 'Briefe'}`,
    criteria: {
      countries: 'Länder',
      services: 'Versandarten',
      intents: 'Zwecke',
      contentTypes: 'Inhalte',
      known: 'Empfänger früherer Briefe',
      unknown: 'neue Empfänger',
      recipients: (count) => `${count} Empfänger auf einer Liste`,
    },
  },
  fr: {
    frozen: {
      title: 'Gel',
      none: 'Rien n’est gelé.',
      since: 'gelé depuis',
      freeze: 'Geler le compte',
      lift: 'Lever le gel',
      hint: 'Aucune clé ne dépense plus. La lecture et l’annulation restent possibles.',
    },
    account: labels.account.fr,
    budgets: {
      title: 'Budgets',
      none: 'Il n’y a aucune limite.',
      caption: 'Ce qui reste de chaque limite',
    },
    columns: {
      policy: 'Règles de',
      rule: 'Règle',
      limit: 'Limite',
      used: 'Utilisé',
      reserved: 'Réservé',
      left: 'Reste',
      resets: 'Recommence',
    },
    policy: {
      title: 'Règles du compte',
      none: 'Le compte n’a pas de règles : toute lettre est permise.',
      caption: 'Règles',
      detail: 'Les lettres qu’aucune règle ne permet sont refusées.',
      remove: 'Retirer la règle',
      end: 'Retirer',
      last: 'C’est la dernière règle. Sans elle, toute lettre est permise et plus personne n’est désigné pour approuver. Si c’est voulu, mettez fin aux règles. Sinon, ajoutez d’abord une autre règle.',
    },
    ending: {
      title: 'Mettre fin aux règles',
      lead: 'Toute lettre est alors permise, et plus personne n’est désigné pour approuver. Les limites des clés et des UCAN restent.',
      confirm: 'Permettre toute lettre',
      unconfirmed: 'Cochez « Permettre toute lettre » pour mettre fin aux règles.',
    },
    about: labels.letters.fr,
    effect: 'Effet',
    effects: {
      allow: 'Permettre',
      alert: 'Prévenir',
      hold: 'Demander une approbation',
      deny: 'Refuser',
    },
    all: 'toutes les lettres',
    add: 'Ajouter une règle',
    addButton: 'Ajouter la règle',
    name: 'Nom de la règle',
    country: labels.country.fr,
    anyCountry: 'Tous les pays',
    above: 'Seulement les lettres qui coûtent plus de (USD)',
    most: 'Limite (USD)',
    mostHint: 'Sans limite, la règle vaut pour chaque lettre qui correspond.',
    per: 'Limite par',
    periods: {
      hour: 'heure',
      day: 'jour',
      month: 'mois',
      rolling_24h: '24 heures',
      total: 'toute la durée',
      letter: 'lettre',
    },
    letters: (count) => `${count} ${count === 1 ? 'lettre' : 'lettres'}`,
    criteria: {
      countries: 'pays',
      services: 'services',
      intents: 'buts',
      contentTypes: 'contenus',
      known: 'destinataires de lettres précédentes',
      unknown: 'nouveaux destinataires',
      recipients: (count) =>
        `${count} ${count === 1 ? 'destinataire' : 'destinataires'} d’une liste`,
    },
  },
};
