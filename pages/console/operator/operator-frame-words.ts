/** The words of every page of the operator's console, by language. */
import type { Language } from '../../../postal/stationery.ts';
import { labels } from '../../../presenters/labels.ts';
import type { OperatorRoom } from './operator-rooms.ts';

/** Results of forms. The list is closed, because the word comes from the address. */
export const doneWords = [
  'blocked',
  'unblocked',
  'frozen',
  'unfrozen',
  'quotas',
  'credited',
  'credited_before',
  'revoked',
  'returned',
  'delivered_again',
  'mail_again',
  'retried',
  'given_up',
  'replayed',
  'examined',
] as const;
export type Done = (typeof doneWords)[number];

type FrameWords = {
  operator: string;
  skip: string;
  rooms: Record<OperatorRoom, string>;
  signOut: string;
  signedInAs(operator: string): string;
  refused: { title: string; heading: string };
  missing: { title: string; detail: string };
  crossSite: string;
  modes: Record<'live' | 'test', string>;
  /** In a table where nothing is. */
  nothing: string;
  done: Record<Done, string>;
};

export const operatorFrameWords: Record<Language, FrameWords> = {
  en: {
    operator: 'Operator',
    skip: labels.skipToContent.en,
    rooms: {
      overview: 'Overview',
      search: 'Search',
      accounts: 'Accounts',
      production: 'Production',
      returned: labels.returnedMail.en,
      jobs: 'Jobs',
      system: 'System',
      checks: 'Checks',
      audit: 'Audit',
    },
    signOut: labels.signOut.en,
    signedInAs: (operator) => `Signed in as ${operator}`,
    refused: { title: 'Refused', heading: labels.notDone.en },
    missing: { title: labels.nothingHere.en, detail: 'There is no such page, account or letter.' },
    crossSite: 'This form came from another site. Nothing was done.',
    modes: { live: 'live', test: 'test' },
    nothing: 'none',
    done: {
      blocked: 'The account is blocked.',
      unblocked: 'The account is no longer blocked.',
      frozen: 'The account is frozen.',
      unfrozen: 'The account can spend again.',
      quotas: 'The quotas are set.',
      credited: 'The money was added.',
      credited_before: 'A credit with this reference was made before. Nothing was added.',
      revoked: 'The key is revoked.',
      returned: 'The letter is reported as returned.',
      delivered_again: 'The notification will be delivered again.',
      mail_again: 'The mail is sent again, unless that was already asked for today.',
      retried: 'The job runs again.',
      given_up: 'The job is given up.',
      replayed: 'The reactor reads its parked streams again.',
      examined: 'The doctor has looked at everything.',
    },
  },
  de: {
    operator: 'Betrieb',
    skip: labels.skipToContent.de,
    rooms: {
      overview: 'Übersicht',
      search: 'Suche',
      accounts: 'Konten',
      production: 'Produktion',
      returned: labels.returnedMail.de,
      jobs: 'Aufgaben',
      system: 'System',
      checks: 'Prüfungen',
      audit: 'Nachweise',
    },
    signOut: labels.signOut.de,
    signedInAs: (operator) => `Angemeldet als ${operator}`,
    refused: { title: 'Abgelehnt', heading: labels.notDone.de },
    missing: {
      title: labels.nothingHere.de,
      detail: 'Diese Seite, dieses Konto oder diesen Brief gibt es nicht.',
    },
    crossSite: 'Dieses Formular kam von einer fremden Seite. Es wurde nichts ausgeführt.',
    modes: { live: 'echt', test: 'Test' },
    nothing: 'nichts',
    done: {
      blocked: 'Das Konto ist gesperrt.',
      unblocked: 'Das Konto ist nicht mehr gesperrt.',
      frozen: 'Das Konto ist eingefroren.',
      unfrozen: 'Das Konto kann wieder Geld ausgeben.',
      quotas: 'Die Kontingente sind gesetzt.',
      credited: 'Das Geld wurde gutgeschrieben.',
      credited_before:
        'Eine Gutschrift mit dieser Referenz gab es schon. Es wurde nichts gutgeschrieben.',
      revoked: 'Der Schlüssel ist widerrufen.',
      returned: 'Der Brief ist als Rückläufer gemeldet.',
      delivered_again: 'Die Nachricht wird noch einmal zugestellt.',
      mail_again:
        'Die E-Mail wird noch einmal gesendet, außer wenn das heute schon verlangt wurde.',
      retried: 'Die Aufgabe läuft noch einmal.',
      given_up: 'Die Aufgabe ist aufgegeben.',
      replayed: 'Der Reaktor liest seine zurückgestellten Ströme noch einmal.',
      examined: 'Der Doktor hat alles geprüft.',
    },
  },
  fr: {
    operator: 'Exploitation',
    skip: labels.skipToContent.fr,
    rooms: {
      overview: 'Aperçu',
      search: 'Recherche',
      accounts: 'Comptes',
      production: 'Production',
      returned: labels.returnedMail.fr,
      jobs: 'Tâches',
      system: 'Système',
      checks: 'Contrôles',
      audit: 'Preuves',
    },
    signOut: labels.signOut.fr,
    signedInAs: (operator) => `Session de ${operator}`,
    refused: { title: 'Refusé', heading: labels.notDone.fr },
    missing: {
      title: labels.nothingHere.fr,
      detail: 'Cette page, ce compte ou cette lettre n’existe pas.',
    },
    crossSite: 'Ce formulaire vient d’un autre site. Rien n’a été fait.',
    modes: { live: 'réel', test: 'test' },
    nothing: 'rien',
    done: {
      blocked: 'Le compte est bloqué.',
      unblocked: 'Le compte n’est plus bloqué.',
      frozen: 'Le compte est gelé.',
      unfrozen: 'Le compte peut de nouveau dépenser.',
      quotas: 'Les quotas sont fixés.',
      credited: 'L’argent a été crédité.',
      credited_before: 'Un crédit avec cette référence existe déjà. Rien n’a été crédité.',
      revoked: 'La clé est révoquée.',
      returned: 'La lettre est signalée comme retournée.',
      delivered_again: 'Le message sera livré de nouveau.',
      mail_again: 'Le courriel est envoyé de nouveau, sauf si cela a déjà été demandé aujourd’hui.',
      retried: 'La tâche reprend.',
      given_up: 'La tâche est abandonnée.',
      replayed: 'Le réacteur relit ses flux mis de côté.',
      examined: 'Le docteur a tout examiné.',
    },
  },
};
