/** The words of the pages for exports and for closing the account, by language. */
import type { BlockerCode } from '../../../contract/closure-blockers.ts';
import { inEachLanguage } from '../../../presenters/in-each-language.ts';
import { labels } from '../../../presenters/labels.ts';

export const dataWords = inEachLanguage({
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
      part: (number: number, parts: number): string =>
        parts === 1 ? 'Download the archive' : `Download part ${number} of ${parts}`,
      refresh: 'Look again',
      list: 'Exports of the account, newest first',
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
      confirmHint: (accountId: string) => `Type ${accountId} to confirm.`,
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
      refresh: 'Aktualisieren',
      list: 'Exporte des Kontos, neueste zuerst',
      back: 'Zurück zu Ihren Daten',
    },
    closing: {
      title: 'Das Konto schließen',
      lead: 'Senden und Ausgeben enden sofort. Nach einigen Tagen werden alle Daten des Kontos gelöscht. Bis dahin können Sie es zurücknehmen.',
      blockers: 'Das steht der Löschung im Weg',
      forfeit: 'Auf den Rest des Guthabens verzichten',
      code: 'Code aus der E-Mail',
      codeHint: 'Der Code geht an die bestätigte Adresse des Kontos.',
      mail: 'Einen Code senden',
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
      states: { making: 'en préparation', ready: 'prêt', failed: 'échec' },
      facts: {
        state: labels.state.fr,
        asked: 'Demandé',
        until: 'Gardé jusqu’au',
        letters: 'Lettres jusqu’ici',
        size: 'Taille',
      },
      part: (number, parts) =>
        parts === 1 ? 'Télécharger l’archive' : `Télécharger la partie ${number} sur ${parts}`,
      refresh: 'Actualiser',
      list: 'Exports du compte, les plus récents d’abord',
      back: 'Retour à vos données',
    },
    closing: {
      title: 'Fermer le compte',
      lead: 'Les envois et les dépenses cessent aussitôt. Après quelques jours, toutes les données du compte sont effacées. Jusque-là, vous pouvez revenir en arrière.',
      blockers: 'Ceci empêche l’effacement',
      forfeit: 'Renoncer au solde restant',
      code: 'Code reçu par e-mail',
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
});

/** Why an account cannot be erased yet. The amount stands behind the sentence. */
export const blockerWords = inEachLanguage<Record<BlockerCode, string>>({
  en: {
    letters_under_way:
      'Letters are accepted, in production, or not settled yet. Cancel them, or wait until they are posted.',
    approvals_pending:
      'Letters wait for approval. Cancel them, or wait until the time to decide is over.',
    payments_pending: 'Payments are not completed. Pay them, or wait until they expire.',
    dispute_open:
      'A card payment is disputed, and may still be decided. The erasure waits up to 120 days for it.',
    contract_active: 'A volume contract runs. Wait until its last period is settled.',
    balance_left:
      'Money is left in the wallet. Ask the operator to pay it out, give it up, or keep the account to spend it.',
    balance_owed: 'The wallet is below zero. Keep the account to top it up, or pay the operator.',
  },
  de: {
    letters_under_way:
      'Briefe sind angenommen, in Produktion oder noch nicht abgerechnet. Stornieren Sie sie, oder warten Sie, bis sie eingeliefert sind.',
    approvals_pending:
      'Briefe warten auf Freigabe. Stornieren Sie sie, oder warten Sie, bis die Frist abgelaufen ist.',
    payments_pending:
      'Zahlungen sind nicht abgeschlossen. Bezahlen Sie sie, oder warten Sie, bis sie ablaufen.',
    dispute_open:
      'Eine Kartenzahlung ist strittig, und es kann noch über sie entschieden werden. Die Löschung wartet bis zu 120 Tage darauf.',
    contract_active:
      'Ein Mengenvertrag läuft. Warten Sie, bis sein letzter Zeitraum abgerechnet ist.',
    balance_left:
      'Es ist noch Guthaben da. Bitten Sie den Betreiber, es auszuzahlen, verzichten Sie darauf, oder behalten Sie das Konto, um es auszugeben.',
    balance_owed:
      'Das Guthaben ist unter null. Behalten Sie das Konto, um es aufzuladen, oder bezahlen Sie den Betreiber.',
  },
  fr: {
    letters_under_way:
      'Des lettres sont acceptées, en production ou pas encore décomptées. Annulez-les ou attendez qu’elles soient postées.',
    approvals_pending:
      'Des lettres attendent une approbation. Annulez-les ou attendez que le délai soit écoulé.',
    payments_pending:
      'Des paiements ne sont pas terminés. Payez-les ou attendez qu’ils expirent.',
    dispute_open:
      'Un paiement par carte est contesté et peut encore être tranché. L’effacement l’attend jusqu’à 120 jours.',
    contract_active:
      'Un contrat de volume est en cours. Attendez que sa dernière période soit décomptée.',
    balance_left:
      'Il reste de l’argent sur le solde. Demandez à l’exploitant de le verser, renoncez-y, ou gardez le compte pour le dépenser.',
    balance_owed:
      'Le solde est négatif. Gardez le compte pour l’alimenter, ou payez l’exploitant.',
  },
});
