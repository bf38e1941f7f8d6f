/** The words of the operator's pages about letters and mails, by language. */
import type { Language } from '../../../postal/stationery.ts';
import { labels } from '../../../presenters/labels.ts';
import type { ChannelState, LetterState, MailState } from './desk.ts';

type OperatorLettersWords = {
  title: string;
  facts: Record<
    | 'letter'
    | 'account'
    | 'mode'
    | 'status'
    | 'service'
    | 'country'
    | 'pages'
    | 'price'
    | 'tracking'
    | 'expected',
    string
  >;
  states: Record<LetterState['kind'], (detail: string) => string>;
  period(from: string, to: string): string;
  history: string;
  progress: { title: string; caption: string; columns: readonly string[] };
  notifications: {
    title: string;
    caption: string;
    columns: readonly string[];
    none: string;
    again: string;
  };
  channels: Record<ChannelState, string>;
  attempts(count: number): string;
  mails: { title: string; caption: string; columns: readonly string[]; none: string };
  mailStates: Record<MailState, string>;
  approvals: { title: string; caption: string; columns: readonly string[]; none: string };
  returned: { title: string; reason: string; button: string };
  mail: Record<
    'title' | 'kind' | 'account' | 'letter' | 'state' | 'attempts' | 'last' | 'error' | 'again',
    string
  >;
};

const counted =
  (one: string, many: string) =>
  (count: number): string =>
    `${count} ${count === 1 ? one : many}`;

export const operatorLettersWords: Record<Language, OperatorLettersWords> = {
  en: {
    title: labels.letter.en,
    facts: {
      letter: labels.letter.en,
      account: labels.account.en,
      mode: 'Mode',
      status: 'Status',
      service: labels.service.en,
      country: labels.country.en,
      pages: labels.pages.en,
      price: labels.price.en,
      tracking: labels.trackingNumber.en,
      expected: 'Expected',
    },
    states: {
      held: (why) => `held for ${why}`,
      returned: () => 'returned',
      failed: (why) => why,
      cancellation: (state) => `cancellation ${state}`,
      deleted: () => 'deleted by its owner',
      erased: () => 'erased',
    },
    period: (from, to) => `${from} to ${to}`,
    history: 'History and credentials',
    progress: {
      title: 'Progress',
      caption: 'Steps of the letter',
      columns: ['Time', 'Status', 'Source', 'Note'],
    },
    notifications: {
      title: 'Notifications',
      caption: 'Messages about the letter',
      columns: ['Time', 'Type', 'Webhook', 'Mail', 'Again'],
      none: 'Nobody was notified.',
      again: 'Deliver again',
    },
    channels: {
      pending: 'pending',
      delivered: 'delivered',
      failed: 'failed',
      cancelled: 'cancelled',
    },
    attempts: counted('attempt', 'attempts'),
    mails: {
      title: 'Mails',
      caption: 'Mails about the letter',
      columns: ['Mail', 'Kind', 'State', labels.attempts.en, 'Last', 'Error'],
      none: 'No mail was sent.',
    },
    mailStates: {
      sending: 'sending',
      sent: 'sent',
      retrying: 'tried again',
      failed: 'failed',
      dropped: 'dropped',
    },
    approvals: {
      title: labels.approvals.en,
      caption: 'Approvals that the letter needed',
      columns: ['Approval', 'Status', 'Expires'],
      none: 'No approval was asked for.',
    },
    returned: {
      title: labels.returnedMail.en,
      reason: 'Why it came back',
      button: 'Report it as returned',
    },
    mail: {
      title: 'Mail',
      kind: 'Kind',
      account: labels.account.en,
      letter: labels.letter.en,
      state: labels.state.en,
      attempts: labels.attempts.en,
      last: 'Last',
      error: 'Error',
      again: labels.sendAgain.en,
    },
  },
  de: {
    title: labels.letter.de,
    facts: {
      letter: labels.letter.de,
      account: labels.account.de,
      mode: 'Modus',
      status: 'Stand',
      service: labels.service.de,
      country: labels.country.de,
      pages: labels.pages.de,
      price: labels.price.de,
      tracking: labels.trackingNumber.de,
      expected: 'Erwartet',
    },
    states: {
      held: (why) => `wartet auf ${why}`,
      returned: () => 'zurückgekommen',
      failed: (why) => why,
      cancellation: (state) => `Stornierung ${state}`,
      deleted: () => 'vom Besitzer gelöscht',
      erased: () => 'personenbezogene Daten gelöscht',
    },
    period: (from, to) => `${from} bis ${to}`,
    history: 'Verlauf und Nachweise',
    progress: {
      title: 'Verlauf',
      caption: 'Schritte des Briefs',
      columns: ['Zeit', 'Stand', 'Quelle', 'Hinweis'],
    },
    notifications: {
      title: 'Benachrichtigungen',
      caption: 'Nachrichten über den Brief',
      columns: ['Zeit', 'Art', 'Webhook', 'E-Mail', 'Noch einmal'],
      none: 'Niemand wurde benachrichtigt.',
      again: 'Noch einmal zustellen',
    },
    channels: {
      pending: 'wartet',
      delivered: 'zugestellt',
      failed: 'fehlgeschlagen',
      cancelled: 'abgebrochen',
    },
    attempts: counted('Versuch', 'Versuche'),
    mails: {
      title: 'E-Mails',
      caption: 'E-Mails über den Brief',
      columns: ['E-Mail', 'Art', 'Stand', labels.attempts.de, 'Zuletzt', 'Fehler'],
      none: 'Es wurde keine E-Mail gesendet.',
    },
    mailStates: {
      sending: 'wird gesendet',
      sent: 'gesendet',
      retrying: 'wird wiederholt',
      failed: 'fehlgeschlagen',
      dropped: 'nicht mehr nötig',
    },
    approvals: {
      title: labels.approvals.de,
      caption: 'Freigaben, die der Brief brauchte',
      columns: ['Freigabe', 'Stand', 'Läuft ab'],
      none: 'Es wurde keine Freigabe verlangt.',
    },
    returned: {
      title: labels.returnedMail.de,
      reason: 'Warum er zurückkam',
      button: 'Als Rückläufer melden',
    },
    mail: {
      title: 'E-Mail',
      kind: 'Art',
      account: labels.account.de,
      letter: labels.letter.de,
      state: labels.state.de,
      attempts: labels.attempts.de,
      last: 'Zuletzt',
      error: 'Fehler',
      again: labels.sendAgain.de,
    },
  },
  fr: {
    title: labels.letter.fr,
    facts: {
      letter: labels.letter.fr,
      account: labels.account.fr,
      mode: 'Mode',
      status: 'État',
      service: labels.service.fr,
      country: labels.country.fr,
      pages: labels.pages.fr,
      price: labels.price.fr,
      tracking: labels.trackingNumber.fr,
      expected: 'Attendue',
    },
    states: {
      held: (why) => `en attente de ${why}`,
      returned: () => 'retournée',
      failed: (why) => why,
      cancellation: (state) => `annulation ${state}`,
      deleted: () => 'supprimée par son titulaire',
      erased: () => 'données personnelles effacées',
    },
    period: (from, to) => `du ${from} au ${to}`,
    history: 'Historique et attestations',
    progress: {
      title: 'Suivi',
      caption: 'Étapes de la lettre',
      columns: ['Heure', 'État', 'Source', 'Note'],
    },
    notifications: {
      title: 'Notifications',
      caption: 'Messages au sujet de la lettre',
      columns: ['Heure', 'Type', 'Webhook', 'Courriel', 'De nouveau'],
      none: 'Personne n’a été averti.',
      again: 'Livrer de nouveau',
    },
    channels: {
      pending: 'en attente',
      delivered: 'livré',
      failed: 'échoué',
      cancelled: 'annulé',
    },
    attempts: counted('essai', 'essais'),
    mails: {
      title: 'Courriels',
      caption: 'Courriels au sujet de la lettre',
      columns: ['Courriel', 'Type', 'État', labels.attempts.fr, 'Dernier', 'Erreur'],
      none: 'Aucun courriel n’a été envoyé.',
    },
    mailStates: {
      sending: 'en cours d’envoi',
      sent: 'envoyé',
      retrying: 'nouvel essai prévu',
      failed: 'échoué',
      dropped: 'plus nécessaire',
    },
    approvals: {
      title: labels.approvals.fr,
      caption: 'Approbations que la lettre demandait',
      columns: ['Approbation', 'État', 'Expire'],
      none: 'Aucune approbation n’a été demandée.',
    },
    returned: {
      title: labels.returnedMail.fr,
      reason: 'Raison du retour',
      button: 'Signaler comme retournée',
    },
    mail: {
      title: 'Courriel',
      kind: 'Type',
      account: labels.account.fr,
      letter: labels.letter.fr,
      state: labels.state.fr,
      attempts: labels.attempts.fr,
      last: 'Dernier',
      error: 'Erreur',
      again: labels.sendAgain.fr,
    },
  },
};
