/** The words of the pages about production, returned mail and jobs, by language. */
import { inEachLanguage } from '../../../presenters/in-each-language.ts';
import { labels } from '../../../presenters/labels.ts';
import type { ProductionState } from './desk.ts';

export const workWords = inEachLanguage({
  en: {
    production: {
      caption: 'Letters in production by print partner and age',
      columns: ['Print partner', 'State', 'Age', 'Letters', 'Oldest'],
      none: 'No letter is in production.',
      oldest: 'The oldest letters in production',
    },
    ages: {
      'under 1 hour': 'under 1 hour',
      'under 1 day': 'under 1 day',
      'under 2 days': 'under 2 days',
      '2 days and more': '2 days and more',
    } as Record<string, string>,
    states: {
      waiting_for_partner: 'waiting for partner',
      with_partner: 'with partner',
      unknown: 'unknown',
    } satisfies Record<ProductionState, string>,
    letters: {
      columns: ['Letter', 'Account', 'Mode', 'Status', 'Service', 'Since', 'Note'],
      none: 'There is no such letter.',
    },
    returned: {
      lead: 'To report a letter as returned, find it by its id or tracking number.',
      caption: 'The newest letters that came back',
    },
    jobs: {
      lead: 'A job that is removed stays undone, for example an erasure.',
      caption: 'Jobs that failed',
      columns: ['Job', 'Task', labels.attempts.en, 'Since', 'Next attempt', 'Error', 'Do'],
      none: 'No job has failed.',
      attempts: (made: number, most: number) => `${made} of ${most}`,
      never: 'never',
      retry: 'Retry',
      giveUp: 'Give up',
      remove: 'Remove',
      /** The process stopped before it could record why. */
      unknown: 'not recorded',
    },
  },
  de: {
    production: {
      caption: 'Briefe in Produktion nach Druckpartner und Alter',
      columns: ['Druckpartner', 'Stand', 'Alter', 'Briefe', 'Ältester'],
      none: 'Kein Brief ist in Produktion.',
      oldest: 'Die ältesten Briefe in Produktion',
    },
    ages: {
      'under 1 hour': 'unter 1 Stunde',
      'under 1 day': 'unter 1 Tag',
      'under 2 days': 'unter 2 Tagen',
      '2 days and more': '2 Tage und mehr',
    },
    states: {
      waiting_for_partner: 'wartet auf die Druckerei',
      with_partner: 'bei der Druckerei',
      unknown: 'unbekannt',
    },
    letters: {
      columns: ['Brief', 'Konto', 'Modus', 'Stand', 'Versandart', 'Seit', 'Hinweis'],
      none: 'Kein Brief passt.',
    },
    returned: {
      lead: 'Um einen Rückläufer zu melden, suchen Sie den Brief mit seiner Kennung oder Sendungsnummer.',
      caption: 'Die neuesten Rückläufer',
    },
    jobs: {
      lead: 'Eine entfernte Aufgabe bleibt unerledigt, zum Beispiel eine Löschung.',
      caption: 'Fehlgeschlagene Aufgaben',
      columns: [
        'Aufgabe',
        'Art',
        labels.attempts.de,
        'Seit',
        'Nächster Versuch',
        'Fehler',
        'Ausführen',
      ],
      none: 'Keine Aufgabe ist fehlgeschlagen.',
      attempts: (made, most) => `${made} von ${most}`,
      never: 'nie',
      retry: 'Wiederholen',
      giveUp: 'Aufgeben',
      remove: 'Entfernen',
      unknown: 'nicht vermerkt',
    },
  },
  fr: {
    production: {
      caption: 'Lettres en production par imprimeur et par âge',
      columns: ['Imprimeur', 'État', 'Âge', 'Lettres', 'La plus ancienne'],
      none: 'Aucune lettre n’est en production.',
      oldest: 'Les lettres les plus anciennes en production',
    },
    ages: {
      'under 1 hour': 'moins d’une heure',
      'under 1 day': 'moins d’un jour',
      'under 2 days': 'moins de 2 jours',
      '2 days and more': '2 jours et plus',
    },
    states: {
      waiting_for_partner: 'attend l’imprimeur',
      with_partner: 'chez l’imprimeur',
      unknown: 'inconnu',
    },
    letters: {
      columns: ['Lettre', 'Compte', 'Mode', 'État', 'Service', 'Depuis', 'Note'],
      none: 'Aucune lettre ne correspond.',
    },
    returned: {
      lead: 'Pour signaler un retour, cherchez la lettre par son identifiant ou son numéro de suivi.',
      caption: 'Les retours les plus récents',
    },
    jobs: {
      lead: 'Une tâche retirée reste à faire, par exemple un effacement.',
      caption: 'Tâches en échec',
      columns: [
        'Tâche',
        'Type',
        labels.attempts.fr,
        'Depuis',
        'Prochaine tentative',
        'Erreur',
        'Action',
      ],
      none: 'Aucune tâche n’a échoué.',
      attempts: (made, most) => `${made} sur ${most}`,
      never: 'jamais',
      retry: 'Réessayer',
      giveUp: 'Abandonner',
      remove: 'Retirer',
      unknown: 'non notée',
    },
  },
});
