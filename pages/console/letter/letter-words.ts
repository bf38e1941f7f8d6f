/** Texts of the page of a letter, by language. */
import type { Language } from '../../../postal/stationery.ts';
import { inEachLanguage } from '../../../presenters/in-each-language.ts';
import { labels } from '../../../presenters/labels.ts';

export const letterWords = inEachLanguage({
  en: {
    title: labels.letter.en,
    facts: {
      id: 'Letter id',
      to: labels.recipient.en,
      from: labels.sender.en,
      service: labels.service.en,
      reference: labels.reference.en,
      sendDate: labels.sendDate.en,
      expected: labels.expectedDelivery.en,
      number: labels.trackingNumber.en,
      sheets: 'Paper',
      created: 'Created',
      cancellable: 'Can be cancelled until',
    },
    price: labels.price.en,
    lines: { postage: 'Postage', printing: 'Printing', handling: 'Handling', total: 'Total' },
    /** The discount of a volume contract, which the price of printing has already. */
    reducedBy: (amount: string, rate: string) => `after a discount of ${amount} (${rate})`,
    way: 'Progress',
    sources: {
      api: 'this service',
      partner: 'print house',
      carrier: 'carrier',
      operator: 'operator',
      simulator: 'simulator',
    } as Record<string, string>,
    inferred: 'inferred from a later report',
    pages: labels.pages.en,
    page: (number: number, of: number) => `Page ${number} of ${of}`,
    legend:
      'Blue: address window. Red: zones that must stay free. Yellow: margins that cannot be printed on. Dashed: folds.',
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
    deletion: {
      ofDraft:
        'The draft is erased for good, with its names, addresses and text. Nothing brings it back.',
      ofLetter:
        'The names, the addresses and the text of the letter are erased for good. Nothing brings them back. Its history, its price and its proof stay.',
      keep: 'Keep it',
    },
    proof: labels.proofAndLinks.en,
    held: {
      funds: 'This draft waits until its price is paid.',
      approval: 'This letter waits until a person approves it.',
    },
    toWallet: 'Go to the wallet',
    toApprovals: 'Go to the approvals',
    follow: 'Follow the letter at the carrier',
  },
  de: {
    title: labels.letter.de,
    facts: {
      id: 'Kennung des Briefs',
      to: labels.recipient.de,
      from: labels.sender.de,
      service: labels.service.de,
      reference: labels.reference.de,
      sendDate: labels.sendDate.de,
      expected: labels.expectedDelivery.de,
      number: labels.trackingNumber.de,
      sheets: 'Papier',
      created: 'Erstellt',
      cancellable: 'Stornierbar bis',
    },
    price: labels.price.de,
    lines: { postage: 'Porto', printing: 'Druck', handling: 'Bearbeitung', total: 'Summe' },
    reducedBy: (amount, rate) => `nach einem Rabatt von ${amount} (${rate})`,
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
    legend:
      'Blau: Adressfenster. Rot: freizuhaltende Zonen. Gelb: nicht bedruckbare Ränder. Gestrichelt: Falze.',
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
    deletion: {
      ofDraft:
        'Der Entwurf wird endgültig gelöscht, mit Namen, Adressen und Text. Nichts bringt ihn zurück.',
      ofLetter:
        'Namen, Adressen und Text des Briefes werden endgültig gelöscht. Nichts bringt sie zurück. Verlauf, Preis und Nachweis bleiben.',
      keep: 'Behalten',
    },
    proof: labels.proofAndLinks.de,
    held: {
      funds: 'Dieser Entwurf wartet, bis sein Preis bezahlt ist.',
      approval: 'Dieser Brief wartet, bis ein Mensch ihn freigibt.',
    },
    toWallet: 'Zum Guthaben',
    toApprovals: 'Zu den Freigaben',
    follow: 'Den Brief bei der Post verfolgen',
  },
  fr: {
    title: labels.letter.fr,
    facts: {
      id: 'Identifiant de la lettre',
      to: labels.recipient.fr,
      from: labels.sender.fr,
      service: labels.service.fr,
      reference: labels.reference.fr,
      sendDate: labels.sendDate.fr,
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
    reducedBy: (amount, rate) => `après une remise de ${amount} (${rate})`,
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
    legend:
      'Bleu : fenêtre d’adresse. Rouge : zones à laisser libres. Jaune : marges non imprimables. Pointillés : plis.',
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
    deletion: {
      ofDraft:
        'Le brouillon est effacé définitivement, avec ses noms, ses adresses et son texte. Rien ne le rétablit.',
      ofLetter:
        'Les noms, les adresses et le texte de la lettre sont effacés définitivement. Rien ne les rétablit. Son historique, son prix et sa preuve restent.',
      keep: 'Garder',
    },
    proof: labels.proofAndLinks.fr,
    held: {
      funds: 'Ce brouillon attend que son prix soit payé.',
      approval: 'Cette lettre attend qu’une personne l’approuve.',
    },
    toWallet: 'Aller au solde',
    toApprovals: 'Aller aux approbations',
    follow: 'Suivre la lettre auprès de la poste',
  },
});

export type LetterWords = (typeof letterWords)[Language];

/** Why a letter failed, by the code of the failure. Print houses have codes of their own. */
export const failureWords = inEachLanguage({
  en: {
    not_printable: 'The letter could no longer be printed as it is.',
    print_failure: 'The print house could not print the letter.',
    taken_by_print_house: 'The print house has the letter already.',
    test_failure: 'The failure was asked for as a test.',
  },
  de: {
    not_printable: 'Der Brief konnte so nicht mehr gedruckt werden.',
    print_failure: 'Die Druckerei konnte den Brief nicht drucken.',
    taken_by_print_house: 'Die Druckerei hat den Brief schon.',
    test_failure: 'Das Fehlschlagen war zum Testen gewünscht.',
  },
  fr: {
    not_printable: 'La lettre ne pouvait plus être imprimée telle quelle.',
    print_failure: 'L’imprimeur n’a pas pu imprimer la lettre.',
    taken_by_print_house: 'L’imprimeur a déjà la lettre.',
    test_failure: 'L’échec a été demandé à titre de test.',
  },
});
