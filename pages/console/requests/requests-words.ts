/** Texts of the page of requests, by language. */
import { inEachLanguage } from '../../../presenters/in-each-language.ts';
import { labels } from '../../../presenters/labels.ts';

export const requestsWords = inEachLanguage({
  en: {
    lead: 'The last requests with keys and UCANs of this account. Bodies and addresses are not logged.',
    caption: 'Requests, newest first',
    columns: {
      time: labels.time.en,
      operation: 'Operation',
      answer: 'Answer',
      key: 'Key',
      ms: 'ms',
      id: 'Request',
    },
    none: 'There are no such requests.',
    all: 'All requests',
    failed: 'Refused or failed',
    which: 'Which requests',
    next: 'Older requests',
  },
  de: {
    lead: 'Die letzten Anfragen mit Schlüsseln und UCANs dieses Kontos. Inhalte und Adressen werden nicht festgehalten.',
    caption: 'Anfragen, neueste zuerst',
    columns: {
      time: labels.time.de,
      operation: 'Operation',
      answer: 'Antwort',
      key: 'Schlüssel',
      ms: 'ms',
      id: 'Anfrage',
    },
    none: 'Keine Anfrage passt.',
    all: 'Alle Anfragen',
    failed: 'Abgelehnt oder fehlgeschlagen',
    which: 'Welche Anfragen',
    next: 'Ältere Anfragen',
  },
  fr: {
    lead: 'Les dernières requêtes avec les clés et UCAN de ce compte. Ni contenus ni adresses ne sont enregistrés.',
    caption: 'Requêtes, les plus récentes d’abord',
    columns: {
      time: labels.time.fr,
      operation: 'Opération',
      answer: 'Réponse',
      key: 'Clé',
      ms: 'ms',
      id: 'Requête',
    },
    none: 'Aucune requête ne correspond.',
    all: 'Toutes les requêtes',
    failed: 'Refusées ou en échec',
    which: 'Quelles requêtes',
    next: 'Requêtes plus anciennes',
  },
});
