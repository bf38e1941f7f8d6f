/** Texts of the page that writes a letter, by language. */
import type { Language } from '../../../postal/stationery.ts';
import { labels } from '../../../presenters/labels.ts';

export type WriteWords = {
  title: string;
  lead: string;
  to: string;
  from: string;
  letter: string;
  content: string;
  contentHint: string;
  file: string;
  fileHint: string;
  placement: string;
  placements: Record<'stamp' | 'in_document' | 'insert_page', string>;
  autoFix: string;
  asIs: string;
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
    title: labels.writeLetter.en,
    lead: 'Check first: you then see the price and the pages. Nothing is sent before you press “Send”.',
    to: labels.recipient.en,
    from: labels.sender.en,
    letter: labels.letter.en,
    content: 'Text',
    contentHint: 'Blank lines separate paragraphs. HTML is printed as HTML.',
    file: 'Or a PDF',
    fileHint:
      'The PDF is checked and kept as a draft. You see its pages and price before you send it.',
    placement: 'Address of a PDF',
    placements: {
      stamp: 'Print it onto the first page',
      in_document: 'It is in the document already',
      insert_page: 'Add a page in front',
    },
    autoFix: 'Make a PDF fit: scale or shift its pages',
    asIs: 'Accept the addresses as they are written',
    options: 'Options',
    service: labels.service.en,
    cheapest: 'The cheapest that fits',
    reference: labels.reference.en,
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
    warnings: labels.warnings.en,
  },
  de: {
    title: labels.writeLetter.de,
    lead: 'Prüfen Sie zuerst: Dann sehen Sie Preis und Seiten. Nichts wird gesendet, bevor Sie auf „Abschicken“ drücken.',
    to: labels.recipient.de,
    from: labels.sender.de,
    letter: labels.letter.de,
    content: 'Text',
    contentHint: 'Leerzeilen trennen Absätze. HTML wird als HTML gedruckt.',
    file: 'Oder eine PDF-Datei',
    fileHint:
      'Die PDF-Datei wird geprüft und als Entwurf behalten. Sie sehen Seiten und Preis, bevor Sie sie abschicken.',
    placement: 'Adresse einer PDF-Datei',
    placements: {
      stamp: 'Auf die erste Seite drucken',
      in_document: 'Sie steht schon im Dokument',
      insert_page: 'Eine Seite davor einfügen',
    },
    autoFix: 'Eine PDF-Datei einpassen: Seiten skalieren oder verschieben',
    asIs: 'Adressen annehmen, wie sie geschrieben sind',
    options: 'Optionen',
    service: labels.service.de,
    cheapest: 'Die günstigste, die passt',
    reference: labels.reference.de,
    sendDate: 'Senden am',
    color: 'In Farbe drucken',
    duplex: 'Beidseitig drucken',
    check: 'Preis und Seiten prüfen',
    draft: 'Als Entwurf behalten',
    send: (price) => `Für ${price} abschicken`,
    checked: 'Preis und Seiten',
    paper: (sheets, pages) => `${sheets} Blatt, ${pages} ${pages === 1 ? 'Seite' : 'Seiten'}`,
    page: (number) => `Seite ${number}`,
    warnings: labels.warnings.de,
  },
  fr: {
    title: labels.writeLetter.fr,
    lead: 'Vérifiez d’abord : vous voyez alors le prix et les pages. Rien n’est envoyé avant que vous appuyiez sur « Envoyer ».',
    to: labels.recipient.fr,
    from: labels.sender.fr,
    letter: labels.letter.fr,
    content: 'Texte',
    contentHint: 'Les lignes vides séparent les paragraphes. Le HTML est imprimé comme HTML.',
    file: 'Ou un PDF',
    fileHint:
      'Le PDF est vérifié et gardé comme brouillon. Vous voyez ses pages et son prix avant de l’envoyer.',
    placement: 'Adresse d’un PDF',
    placements: {
      stamp: 'L’imprimer sur la première page',
      in_document: 'Elle est déjà dans le document',
      insert_page: 'Ajouter une page devant',
    },
    autoFix: 'Ajuster un PDF : réduire ou décaler ses pages',
    asIs: 'Accepter les adresses telles qu’elles sont écrites',
    options: 'Options',
    service: labels.service.fr,
    cheapest: 'Le moins cher qui convient',
    reference: labels.reference.fr,
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
    warnings: labels.warnings.fr,
  },
};
