/** Texts of the page of a letter, by language. */
import type { Language } from '../../../postal/stationery.ts';
import { labels } from '../../../presenters/labels.ts';

export type LetterWords = {
  title: string;
  facts: Record<
    | 'id'
    | 'to'
    | 'from'
    | 'service'
    | 'reference'
    | 'expected'
    | 'number'
    | 'sheets'
    | 'created'
    | 'cancellable',
    string
  >;
  price: string;
  lines: Record<'postage' | 'printing' | 'handling' | 'total', string>;
  way: string;
  sources: Record<string, string>;
  inferred: string;
  pages: string;
  page(number: number, of: number): string;
  legend: string;
  download: string;
  failure: string;
  warnings: string;
  send: string;
  cancel: string;
  cancelHint: string;
  change: string;
  again: string;
  others: string;
  remove: string;
  removeHint: string;
  proof: string;
  held: Record<'funds' | 'approval', string>;
  toWallet: string;
  toApprovals: string;
  follow: string;
  sheetsOf(sheets: number, pages: number): string;
};

export const letterWords: Record<Language, LetterWords> = {
  en: {
    title: labels.letter.en,
    facts: {
      id: 'Letter id',
      to: labels.recipient.en,
      from: labels.sender.en,
      service: labels.service.en,
      reference: labels.reference.en,
      expected: labels.expectedDelivery.en,
      number: labels.trackingNumber.en,
      sheets: 'Paper',
      created: 'Created',
      cancellable: 'Can be cancelled until',
    },
    price: labels.price.en,
    lines: { postage: 'Postage', printing: 'Printing', handling: 'Handling', total: 'Total' },
    way: 'Progress',
    sources: {
      api: 'this service',
      partner: 'print house',
      carrier: 'carrier',
      operator: 'operator',
      simulator: 'simulator',
    },
    inferred: 'inferred from a later report',
    pages: labels.pages.en,
    page: (number, of) => `Page ${number} of ${of}`,
    legend: 'Address window blue, zones that must stay free red, folds dashed.',
    download: 'Download as PDF',
    failure: 'Why it failed',
    warnings: labels.warnings.en,
    send: 'Send this draft',
    cancel: 'Cancel the letter',
    cancelHint: 'The price goes back to your wallet unless the letter is printed already.',
    change: labels.changeLetter.en,
    again: 'Write it again as a draft',
    others: 'Letters to this recipient',
    remove: 'Delete the letter',
    removeHint: 'Deleting erases names, addresses and text for good. The history stays.',
    proof: labels.proofAndLinks.en,
    held: {
      funds: 'This draft waits until its price is paid.',
      approval: 'This letter waits until a person approves it.',
    },
    toWallet: 'Go to the wallet',
    toApprovals: 'Go to the approvals',
    follow: 'Follow the letter at the carrier',
    sheetsOf: (sheets, pages) =>
      `${sheets} ${sheets === 1 ? 'sheet' : 'sheets'}, ${pages} ${pages === 1 ? 'page' : 'pages'}`,
  },
  de: {
    title: labels.letter.de,
    facts: {
      id: 'Kennung des Briefs',
      to: labels.recipient.de,
      from: labels.sender.de,
      service: labels.service.de,
      reference: labels.reference.de,
      expected: labels.expectedDelivery.de,
      number: labels.trackingNumber.de,
      sheets: 'Papier',
      created: 'Erstellt',
      cancellable: 'Stornierbar bis',
    },
    price: labels.price.de,
    lines: { postage: 'Porto', printing: 'Druck', handling: 'Bearbeitung', total: 'Summe' },
    way: 'Verlauf',
    sources: {
      api: 'dieser Dienst',
      partner: 'Druckerei',
      carrier: 'Post',
      operator: 'Betreiber',
      simulator: 'Simulator',
    },
    inferred: 'aus einer späteren Meldung geschlossen',
    pages: labels.pages.de,
    page: (number, of) => `Seite ${number} von ${of}`,
    legend: 'Adressfenster blau, freizuhaltende Zonen rot, Falze gestrichelt.',
    download: 'Als PDF herunterladen',
    failure: 'Warum er fehlschlug',
    warnings: labels.warnings.de,
    send: 'Diesen Entwurf abschicken',
    cancel: 'Brief stornieren',
    cancelHint: 'Der Preis geht zurück auf Ihr Guthaben, außer der Brief ist schon gedruckt.',
    change: labels.changeLetter.de,
    again: 'Noch einmal als Entwurf anlegen',
    others: 'Briefe an diesen Empfänger',
    remove: 'Brief löschen',
    removeHint: 'Löschen entfernt Namen, Adressen und Text endgültig. Der Verlauf bleibt.',
    proof: labels.proofAndLinks.de,
    held: {
      funds: 'Dieser Entwurf wartet, bis sein Preis bezahlt ist.',
      approval: 'Dieser Brief wartet, bis ein Mensch ihn freigibt.',
    },
    toWallet: 'Zum Guthaben',
    toApprovals: 'Zu den Freigaben',
    follow: 'Den Brief bei der Post verfolgen',
    sheetsOf: (sheets, pages) => `${sheets} Blatt, ${pages} ${pages === 1 ? 'Seite' : 'Seiten'}`,
  },
  fr: {
    title: labels.letter.fr,
    facts: {
      id: 'Identifiant de la lettre',
      to: labels.recipient.fr,
      from: labels.sender.fr,
      service: labels.service.fr,
      reference: labels.reference.fr,
      expected: labels.expectedDelivery.fr,
      number: labels.trackingNumber.fr,
      sheets: 'Papier',
      created: 'Créée',
      cancellable: 'Annulable jusqu’au',
    },
    price: labels.price.fr,
    lines: {
      postage: 'Affranchissement',
      printing: 'Impression',
      handling: 'Traitement',
      total: 'Total',
    },
    way: 'Suivi',
    sources: {
      api: 'ce service',
      partner: 'imprimeur',
      carrier: 'poste',
      operator: 'exploitant',
      simulator: 'simulateur',
    },
    inferred: 'déduit d’un rapport ultérieur',
    pages: labels.pages.fr,
    page: (number, of) => `Page ${number} sur ${of}`,
    legend: 'Fenêtre d’adresse en bleu, zones à laisser libres en rouge, plis en pointillés.',
    download: 'Télécharger en PDF',
    failure: 'Raison de l’échec',
    warnings: labels.warnings.fr,
    send: 'Envoyer ce brouillon',
    cancel: 'Annuler la lettre',
    cancelHint: 'Le prix retourne sur votre solde, sauf si la lettre est déjà imprimée.',
    change: labels.changeLetter.fr,
    again: 'Refaire en brouillon',
    others: 'Lettres à ce destinataire',
    remove: 'Supprimer la lettre',
    removeHint: 'La suppression efface définitivement noms, adresses et texte. L’historique reste.',
    proof: labels.proofAndLinks.fr,
    held: {
      funds: 'Ce brouillon attend que son prix soit payé.',
      approval: 'Cette lettre attend qu’une personne l’approuve.',
    },
    toWallet: 'Aller au solde',
    toApprovals: 'Aller aux approbations',
    follow: 'Suivre la lettre auprès de la poste',
    sheetsOf: (sheets, pages) =>
      `${sheets} ${sheets === 1 ? 'feuille' : 'feuilles'}, ${pages} ${pages === 1 ? 'page' : 'pages'}`,
  },
};
