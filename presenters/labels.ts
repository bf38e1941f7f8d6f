/** The words that pages, mails and certificates share. A table of words of one page takes them from here. */
import { numberOf } from '../ground/plural.ts';
import type { Language } from '../postal/stationery.ts';
import { erasedText } from './common.ts';

/** The mark between a label and its value: French sets it off. */
export const colon = (language: Language): string => (language === 'fr' ? ' :' : ':');

/** Of a letter, which has one of each at least. */
export const sheetsAndPages: Record<Language, (sheets: number, pages: number) => string> = {
  en: (sheets, pages) => `${numberOf(sheets, 'sheet')}, ${numberOf(pages, 'page')}`,
  de: (sheets, pages) => `${sheets} Blatt, ${numberOf(pages, 'Seite', 'Seiten')}`,
  fr: (sheets, pages) => `${numberOf(sheets, 'feuille')}, ${numberOf(pages, 'page')}`,
};

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
  sendDate: { en: 'Send on', de: 'Senden am', fr: 'Envoyer le' },
  reference: { en: 'Reference', de: 'Referenz', fr: 'Référence' },
  pages: { en: 'Pages', de: 'Seiten', fr: 'Pages' },
  country: { en: 'Country', de: 'Land', fr: 'Pays' },
  order: { en: 'Order', de: 'Bestellung', fr: 'Commande' },
  contact: { en: 'Contact', de: 'Kontakt', fr: 'Contact' },
  time: { en: 'Time', de: 'Zeit', fr: 'Heure' },
  timeUnknown: { en: 'time not reported', de: 'Zeit nicht gemeldet', fr: 'heure non signalée' },
  signIn: { en: 'Sign in', de: 'Anmelden', fr: 'Se connecter' },
  linkIncomplete: {
    en: 'The link is not complete. Copy the whole link from the e-mail.',
    de: 'Der Link ist unvollständig; kopieren Sie den ganzen Link aus der E-Mail.',
    fr: 'Le lien est incomplet ; copiez le lien entier de l’e-mail.',
  },
  unreachable: {
    en: 'The service cannot be reached. Try again.',
    de: 'Der Dienst ist nicht erreichbar; versuchen Sie es noch einmal.',
    fr: 'Le service est injoignable ; réessayez.',
  },
  /** For refusals after which the same may succeed a little later. */
  tryLater: {
    en: 'That did not work. Try again in a minute.',
    de: 'Das ging nicht; versuchen Sie es in einer Minute noch einmal.',
    fr: 'Cela n’a pas fonctionné ; réessayez dans une minute.',
  },
  /** For refusals that have no words of their own. The code and the sentence of the service follow. */
  otherReason: {
    en: 'The service gave this reason:',
    de: 'Der Dienst gab diesen Grund an, auf Englisch:',
    fr: 'Le service a donné cette raison, en anglais :',
  },
  letterDelivered: {
    en: 'The letter was delivered',
    de: 'Der Brief wurde zugestellt',
    fr: 'La lettre a été distribuée',
  },
  letterReturned: {
    en: 'The letter came back',
    de: 'Der Brief kam zurück',
    fr: 'La lettre est revenue',
  },
  letterNotPosted: {
    en: 'The letter was not posted',
    de: 'Der Brief wurde nicht versandt',
    fr: 'La lettre n’a pas été postée',
  },
  testLetter: {
    en: 'This is a test letter: nothing was printed or posted.',
    de: 'Dies ist ein Testbrief: Nichts wurde gedruckt oder verschickt.',
    fr: 'Ceci est une lettre de test : rien n’a été imprimé ni posté.',
  },
  confirmAddress: {
    en: 'Confirm the address',
    de: 'Adresse bestätigen',
    fr: 'Confirmer l’adresse',
  },
  takeChangeBack: {
    en: 'Take the change back',
    de: 'Änderung zurücknehmen',
    fr: 'Annuler la modification',
  },
  getNewKey: {
    en: 'Get a new key',
    de: 'Neuen Schlüssel holen',
    fr: 'Obtenir une nouvelle clé',
  },
  expectedDelivery: {
    en: 'Expected delivery',
    de: 'Voraussichtliche Zustellung',
    fr: 'Distribution prévue',
  },
  testAccount: {
    en: 'TEST: this is about a test account; its money is not real.',
    de: 'TEST: Es geht um ein Testkonto; sein Geld ist nicht echt.',
    fr: 'TEST : il s’agit d’un compte de test ; son argent n’est pas réel.',
  },
  accountIsClosing: {
    en: 'The account is closing.',
    de: 'Das Konto wird geschlossen.',
    fr: 'Le compte est en cours de fermeture.',
  },
  lettersPerDay: {
    en: 'Letters and spending per day',
    de: 'Briefe und Ausgaben pro Tag',
    fr: 'Lettres et dépenses par jour',
  },
  notDone: {
    en: 'This was not done',
    de: 'Das wurde nicht ausgeführt',
    fr: 'Cela n’a pas été fait',
  },
  skipToContent: {
    en: 'Skip to the content',
    de: 'Zum Inhalt springen',
    fr: 'Aller au contenu',
  },
  signOut: {
    en: 'Sign out',
    de: 'Abmelden',
    fr: 'Se déconnecter',
  },
  backToLetter: {
    en: 'Back to the letter',
    de: 'Zurück zum Brief',
    fr: 'Retour à la lettre',
  },
  writeLetter: {
    en: 'Write a letter',
    de: 'Einen Brief schreiben',
    fr: 'Écrire une lettre',
  },
  changeLetter: {
    en: 'Change the letter',
    de: 'Brief ändern',
    fr: 'Modifier la lettre',
  },
  proofAndLinks: {
    en: 'Proof and links',
    de: 'Nachweis und Links',
    fr: 'Preuve et liens',
  },
  nothingHere: {
    en: 'Nothing here',
    de: 'Hier ist nichts',
    fr: 'Il n’y a rien ici',
  },
  approvals: {
    en: 'Approvals',
    de: 'Freigaben',
    fr: 'Approbations',
  },
  warnings: {
    en: 'Warnings',
    de: 'Hinweise',
    fr: 'Avertissements',
  },
  sendAgain: {
    en: 'Send again',
    de: 'Noch einmal senden',
    fr: 'Envoyer de nouveau',
  },
  requestedBy: {
    en: 'Asked for by',
    de: 'Angefragt von',
    fr: 'Demandé par',
  },
  returnedMail: {
    en: 'Returned mail',
    de: 'Rückläufer',
    fr: 'Retours',
  },
  /** In place of personal data that the service no longer has. */
  erased: {
    en: erasedText,
    de: '[gelöscht]',
    fr: '[effacé]',
  },
  reject: {
    en: 'Reject',
    de: 'Ablehnen',
    fr: 'Refuser',
  },
  policyOf: {
    en: 'Policy of',
    de: 'Regeln für',
    fr: 'Règles de',
  },
  attempts: {
    en: 'Attempts',
    de: 'Versuche',
    fr: 'Tentatives',
  },
} satisfies Record<string, Record<Language, string>>;
