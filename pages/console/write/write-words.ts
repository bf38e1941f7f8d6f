/** What the page on which a letter is written says, by language. */
import type { Language } from '../../../postal/stationery.ts';

export type WriteWords = {
  title: string;
  lead: string;
  to: string;
  from: string;
  letter: string;
  content: string;
  contentHint: string;
  options: string;
  service: string;
  cheapest: string;
  reference: string;
  sendDate: string;
  color: string;
  duplex: string;
  check: string;
  draft: string;
  send(price: string): string;
  checked: string;
  paper(sheets: number, pages: number): string;
  page(number: number): string;
  warnings: string;
};

export const writeWords: Record<Language, WriteWords> = {
  en: {
    title: 'Write a letter',
    lead: 'Check first: you then see the price and the pages. Nothing is sent before you press “Send”.',
    to: 'Recipient',
    from: 'Sender',
    letter: 'Letter',
    content: 'Text',
    contentHint: 'Blank lines separate paragraphs. HTML is printed as HTML.',
    options: 'Options',
    service: 'Service',
    cheapest: 'The cheapest that fits',
    reference: 'Reference',
    sendDate: 'Send on',
    color: 'Print in colour',
    duplex: 'Print on both sides',
    check: 'Check price and pages',
    draft: 'Keep as a draft',
    send: (price) => `Send for ${price}`,
    checked: 'Price and pages',
    paper: (sheets, pages) =>
      `${sheets} ${sheets === 1 ? 'sheet' : 'sheets'}, ${pages} ${pages === 1 ? 'page' : 'pages'}`,
    page: (number) => `Page ${number}`,
    warnings: 'Warnings',
  },
  de: {
    title: 'Einen Brief schreiben',
    lead: 'Prüfen Sie zuerst: Dann sehen Sie Preis und Seiten. Nichts wird gesendet, bevor Sie auf „Abschicken“ drücken.',
    to: 'Empfänger',
    from: 'Absender',
    letter: 'Brief',
    content: 'Text',
    contentHint: 'Leerzeilen trennen Absätze. HTML wird als HTML gedruckt.',
    options: 'Optionen',
    service: 'Versandart',
    cheapest: 'Die günstigste, die passt',
    reference: 'Referenz',
    sendDate: 'Senden am',
    color: 'In Farbe drucken',
    duplex: 'Beidseitig drucken',
    check: 'Preis und Seiten prüfen',
    draft: 'Als Entwurf behalten',
    send: (price) => `Für ${price} abschicken`,
    checked: 'Preis und Seiten',
    paper: (sheets, pages) => `${sheets} Blatt, ${pages} ${pages === 1 ? 'Seite' : 'Seiten'}`,
    page: (number) => `Seite ${number}`,
    warnings: 'Hinweise',
  },
  fr: {
    title: 'Écrire une lettre',
    lead: 'Vérifiez d’abord : vous voyez alors le prix et les pages. Rien n’est envoyé avant que vous appuyiez sur « Envoyer ».',
    to: 'Destinataire',
    from: 'Expéditeur',
    letter: 'Lettre',
    content: 'Texte',
    contentHint: 'Les lignes vides séparent les paragraphes. Le HTML est imprimé comme HTML.',
    options: 'Options',
    service: 'Service',
    cheapest: 'Le moins cher qui convient',
    reference: 'Référence',
    sendDate: 'Envoyer le',
    color: 'Imprimer en couleur',
    duplex: 'Imprimer recto verso',
    check: 'Vérifier le prix et les pages',
    draft: 'Garder comme brouillon',
    send: (price) => `Envoyer pour ${price}`,
    checked: 'Prix et pages',
    paper: (sheets, pages) =>
      `${sheets} ${sheets === 1 ? 'feuille' : 'feuilles'}, ${pages} ${pages === 1 ? 'page' : 'pages'}`,
    page: (number) => `Page ${number}`,
    warnings: 'Avertissements',
  },
};
