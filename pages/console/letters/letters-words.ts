/** Texts of the list of letters, by language. */
import type { Language } from '../../../postal/stationery.ts';
import { labels } from '../../../presenters/labels.ts';

export type LettersWords = {
  counts: string;
  filter: string;
  search: string;
  searchHint: string;
  searchButton: string;
  byRecipient: Record<'title' | 'hint' | 'button' | 'legend', string>;
  status: string;
  country: string;
  from: string;
  until: string;
  madeBy: string;
  any: string;
  apply: string;
  reset: string;
  columns: Record<'recipient' | 'status' | 'service' | 'price' | 'created', string>;
  caption: string;
  none: string;
  write: string;
  statistics: string;
  next: string;
  first: string;
};

export const lettersWords: Record<Language, LettersWords> = {
  en: {
    counts: 'Letters by state',
    filter: 'Filter',
    search: 'Reference, tracking number or letter id',
    searchHint: 'The whole reference, as it was sent with the letter, or the whole number.',
    searchButton: 'Search',
    byRecipient: {
      title: 'Find letters to a recipient',
      hint: 'The whole name and address, as the letter has them. Upper case and spaces do not matter.',
      button: 'Find letters',
      legend: labels.recipient.en,
    },
    status: labels.state.en,
    country: labels.country.en,
    from: 'Created from',
    until: 'Created until',
    madeBy: 'Made by:',
    any: 'All',
    apply: 'Apply',
    reset: 'Show all letters',
    columns: {
      recipient: labels.recipient.en,
      status: labels.state.en,
      service: labels.service.en,
      price: labels.price.en,
      created: 'Created',
    },
    caption: 'Letters, newest first',
    none: 'No letter matches.',
    write: labels.writeLetter.en,
    statistics: labels.lettersPerDay.en,
    next: 'Older letters',
    first: 'Newest letters',
  },
  de: {
    counts: 'Briefe nach Stand',
    filter: 'Filter',
    search: 'Referenz, Sendungsnummer oder Kennung des Briefs',
    searchHint: 'Die ganze Referenz, wie sie mit dem Brief gesendet wurde, oder die ganze Nummer.',
    searchButton: 'Suchen',
    byRecipient: {
      title: 'Briefe an einen Empfänger finden',
      hint: 'Der ganze Name und die ganze Adresse, wie der Brief sie hat. Großbuchstaben und Leerzeichen spielen keine Rolle.',
      button: 'Briefe finden',
      legend: labels.recipient.de,
    },
    status: labels.state.de,
    country: labels.country.de,
    from: 'Erstellt ab',
    until: 'Erstellt bis',
    madeBy: 'Erstellt mit:',
    any: 'Alle',
    apply: 'Anwenden',
    reset: 'Alle Briefe zeigen',
    columns: {
      recipient: labels.recipient.de,
      status: labels.state.de,
      service: labels.service.de,
      price: labels.price.de,
      created: 'Erstellt',
    },
    caption: 'Briefe, neueste zuerst',
    none: 'Kein Brief passt.',
    write: labels.writeLetter.de,
    statistics: labels.lettersPerDay.de,
    next: 'Ältere Briefe',
    first: 'Neueste Briefe',
  },
  fr: {
    counts: 'Lettres par état',
    filter: 'Filtre',
    search: 'Référence, numéro de suivi ou identifiant de la lettre',
    searchHint: 'La référence entière, comme envoyée avec la lettre, ou le numéro entier.',
    searchButton: 'Chercher',
    byRecipient: {
      title: 'Trouver les lettres à un destinataire',
      hint: 'Le nom et l’adresse en entier, comme sur la lettre. Les majuscules et les espaces ne comptent pas.',
      button: 'Trouver les lettres',
      legend: labels.recipient.fr,
    },
    status: labels.state.fr,
    country: labels.country.fr,
    from: 'Créée à partir du',
    until: 'Créée jusqu’au',
    madeBy: 'Créées avec:',
    any: 'Tous',
    apply: 'Appliquer',
    reset: 'Afficher toutes les lettres',
    columns: {
      recipient: labels.recipient.fr,
      status: labels.state.fr,
      service: labels.service.fr,
      price: labels.price.fr,
      created: 'Créée',
    },
    caption: 'Lettres, les plus récentes d’abord',
    none: 'Aucune lettre ne correspond.',
    write: labels.writeLetter.fr,
    statistics: labels.lettersPerDay.fr,
    next: 'Lettres plus anciennes',
    first: 'Lettres les plus récentes',
  },
};
