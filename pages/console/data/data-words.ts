/** The words of the pages for exports and for closing the account, by language. */
import type { Language } from '../../../postal/stationery.ts';
import { labels } from '../../../presenters/labels.ts';

type DataWords = {
  title: string;
  exports: {
    title: string;
    lead: string;
    documents: string;
    button: string;
    page: string;
    states: Record<'making' | 'ready' | 'failed', string>;
    facts: Record<'state' | 'asked' | 'until' | 'letters' | 'size', string>;
    part(number: number, parts: number): string;
    refresh: string;
    keepAddress: string;
    back: string;
  };
  closing: {
    title: string;
    lead: string;
    blockers: string;
    forfeit: string;
    code: string;
    codeHint: string;
    mail: string;
    mailed: string;
    confirm: string;
    confirmHint(accountId: string): string;
    button: string;
    now: string;
    asked: string;
    erases: string;
    withdraw: string;
  };
};

export const dataWords: Record<Language, DataWords> = {
  en: {
    title: 'Your data',
    exports: {
      title: 'Export',
      lead: 'The archive contains the letters, the statement, the settings and the signed events of the account.',
      documents: 'With the letters as PDF',
      button: 'Make an export',
      page: 'Export',
      states: { making: 'is being made', ready: 'ready', failed: 'failed' },
      facts: {
        state: labels.state.en,
        asked: 'Requested',
        until: 'Kept until',
        letters: 'Letters so far',
        size: 'Size',
      },
      part: (number, parts) =>
        parts === 1 ? 'Download the archive' : `Download part ${number} of ${parts}`,
      refresh: 'Look again',
      keepAddress: 'Keep the address of this page: it leads back to the archive.',
      back: 'Back to your data',
    },
    closing: {
      title: 'Close the account',
      lead: 'Sending and spending end at once. After some days all data of the account is erased. Until then you can take it back.',
      blockers: 'This stands in the way of the erasure',
      forfeit: 'Give up what is left in the wallet',
      code: 'Code from the e-mail',
      codeHint: 'The code goes to the confirmed address of the account.',
      mail: 'Mail me a code',
      mailed: 'A code is on its way to the confirmed address. Enter it within 15 minutes.',
      confirm: 'Id of the account',
      confirmHint: (accountId) => `Type ${accountId} to confirm.`,
      button: 'Close the account',
      now: labels.accountIsClosing.en,
      asked: 'Requested',
      erases: 'Erased from',
      withdraw: 'Keep the account',
    },
  },
  de: {
    title: 'Ihre Daten',
    exports: {
      title: 'Export',
      lead: 'Das Archiv enthält die Briefe, den Kontoauszug, die Einstellungen und die signierten Ereignisse des Kontos.',
      documents: 'Mit den Briefen als PDF',
      button: 'Einen Export erstellen',
      page: 'Export',
      states: { making: 'wird erstellt', ready: 'fertig', failed: 'fehlgeschlagen' },
      facts: {
        state: labels.state.de,
        asked: 'Angefordert',
        until: 'Aufbewahrt bis',
        letters: 'Briefe bisher',
        size: 'Größe',
      },
      part: (number, parts) =>
        parts === 1 ? 'Archiv herunterladen' : `Teil ${number} von ${parts} herunterladen`,
      refresh: 'Noch einmal nachsehen',
      keepAddress: 'Bewahren Sie die Adresse dieser Seite auf: Sie führt zurück zum Archiv.',
      back: 'Zurück zu Ihren Daten',
    },
    closing: {
      title: 'Das Konto schließen',
      lead: 'Senden und Ausgeben enden sofort. Nach einigen Tagen werden alle Daten des Kontos gelöscht. Bis dahin können Sie es zurücknehmen.',
      blockers: 'Das steht der Löschung im Weg',
      forfeit: 'Auf den Rest des Guthabens verzichten',
      code: 'Code aus der E-Mail',
      codeHint: 'Der Code geht an die bestätigte Adresse des Kontos.',
      mail: 'Einen Code mailen',
      mailed:
        'Ein Code ist unterwegs an die bestätigte Adresse. Geben Sie ihn innerhalb von 15 Minuten ein.',
      confirm: 'Kennung des Kontos',
      confirmHint: (accountId) => `Geben Sie zur Bestätigung ${accountId} ein.`,
      button: 'Das Konto schließen',
      now: labels.accountIsClosing.de,
      asked: 'Angefordert',
      erases: 'Gelöscht ab',
      withdraw: 'Das Konto behalten',
    },
  },
  fr: {
    title: 'Vos données',
    exports: {
      title: 'Export',
      lead: 'L’archive contient les lettres, le relevé, les réglages et les événements signés du compte.',
      documents: 'Avec les lettres en PDF',
      button: 'Créer un export',
      page: 'Export',
      states: { making: 'en préparation', ready: 'prêt', failed: 'échoué' },
      facts: {
        state: labels.state.fr,
        asked: 'Demandé',
        until: 'Gardé jusqu’au',
        letters: 'Lettres jusqu’ici',
        size: 'Taille',
      },
      part: (number, parts) =>
        parts === 1 ? 'Télécharger l’archive' : `Télécharger la partie ${number} sur ${parts}`,
      refresh: 'Vérifier de nouveau',
      keepAddress: 'Gardez l’adresse de cette page : elle ramène à l’archive.',
      back: 'Retour à vos données',
    },
    closing: {
      title: 'Fermer le compte',
      lead: 'Les envois et les dépenses cessent aussitôt. Après quelques jours, toutes les données du compte sont effacées. Jusque-là, vous pouvez revenir en arrière.',
      blockers: 'Ceci empêche l’effacement',
      forfeit: 'Renoncer au solde restant',
      code: 'Code reçu par courriel',
      codeHint: 'Le code est envoyé à l’adresse confirmée du compte.',
      mail: 'M’envoyer un code',
      mailed:
        'Un code est en route vers l’adresse confirmée. Saisissez-le dans les 15 minutes.',
      confirm: 'Identifiant du compte',
      confirmHint: (accountId) => `Tapez ${accountId} pour confirmer.`,
      button: 'Fermer le compte',
      now: labels.accountIsClosing.fr,
      asked: 'Demandé',
      erases: 'Effacé à partir du',
      withdraw: 'Garder le compte',
    },
  },
};
