/** The words of the pages about read models, reactors and checks, by language. */
import { inEachLanguage } from '../../../presenters/in-each-language.ts';
import type { CheckLine, FollowerLine } from './desk.ts';

export const systemWords = inEachLanguage({
  en: {
    followers: {
      caption: 'Read models and reactors',
      columns: ['Name', 'Kind', 'State', 'Position', 'Behind', 'Failing', 'Why'],
    },
    kinds: { 'read model': 'read model', reactor: 'reactor' } satisfies Record<
      FollowerLine['kind'],
      string
    >,
    states: {
      running: 'running',
      'standing-by': 'standing by',
      rebuilding: 'rebuilding',
      halted: 'halted',
      stuck: 'stuck',
    } as Record<string, string>,
    lag: (events: string, seconds: number | undefined): string =>
      seconds === undefined ? events : `${events} (${seconds} s)`,
    since: 'since',
    unowned: (names: string) => `No process runs ${names}.`,
    parked: {
      title: 'Parked streams',
      caption: 'Streams with an event that a reactor cannot read or handle',
      columns: ['Stream', 'Reactor', 'Version', 'Event', 'Since', 'Error', 'Do'],
      none: 'No stream is parked.',
      replay: 'Replay',
    },
    checks: {
      runs: 'Last runs',
      runsCaption: 'Commands that protect the service',
      doctor: 'Doctor',
      doctorCaption: 'What the doctor found',
      columns: ['Check', 'State', 'Found', 'To do'],
      states: { ok: 'ok', warn: 'warning', fail: 'failed' } satisfies Record<
        CheckLine['state'],
        string
      >,
      never: 'The doctor has not looked yet.',
      last: 'It last looked at',
      run: 'Run the doctor now',
    },
  },
  de: {
    followers: {
      caption: 'Lesemodelle und Reaktoren',
      columns: ['Name', 'Art', 'Stand', 'Position', 'Rückstand', 'Fehler', 'Warum'],
    },
    kinds: { 'read model': 'Lesemodell', reactor: 'Reaktor' },
    states: {
      running: 'läuft',
      'standing-by': 'in Bereitschaft',
      rebuilding: 'wird neu gebaut',
      halted: 'angehalten',
      stuck: 'steht still',
    },
    lag: (events, seconds) => (seconds === undefined ? events : `${events} (${seconds} s)`),
    since: 'seit',
    unowned: (names) => `Kein Prozess betreibt ${names}.`,
    parked: {
      title: 'Zurückgestellte Ströme',
      caption: 'Ströme mit einem Ereignis, das ein Reaktor nicht lesen oder nicht verarbeiten kann',
      columns: ['Strom', 'Reaktor', 'Version', 'Ereignis', 'Seit', 'Fehler', 'Ausführen'],
      none: 'Kein Strom ist zurückgestellt.',
      replay: 'Noch einmal lesen',
    },
    checks: {
      runs: 'Letzte Läufe',
      runsCaption: 'Befehle, die den Dienst schützen',
      doctor: 'Doktor',
      doctorCaption: 'Was der Doktor fand',
      columns: ['Prüfung', 'Stand', 'Befund', 'Zu tun'],
      states: { ok: 'in Ordnung', warn: 'Warnung', fail: 'fehlgeschlagen' },
      never: 'Der Doktor hat noch nicht geprüft.',
      last: 'Zuletzt geprüft:',
      run: 'Doktor jetzt ausführen',
    },
  },
  fr: {
    followers: {
      caption: 'Modèles de lecture et réacteurs',
      columns: ['Nom', 'Type', 'État', 'Position', 'Retard', 'Échecs', 'Raison'],
    },
    kinds: { 'read model': 'modèle de lecture', reactor: 'réacteur' },
    states: {
      running: 'en marche',
      'standing-by': 'en veille',
      rebuilding: 'en reconstruction',
      halted: 'arrêté',
      stuck: 'bloqué',
    },
    lag: (events, seconds) => (seconds === undefined ? events : `${events} (${seconds} s)`),
    since: 'depuis',
    unowned: (names) => `Aucun processus n’exécute ${names}.`,
    parked: {
      title: 'Flux mis de côté',
      caption: 'Flux avec un événement qu’un réacteur ne peut ni lire ni traiter',
      columns: ['Flux', 'Réacteur', 'Version', 'Événement', 'Depuis', 'Erreur', 'Action'],
      none: 'Aucun flux n’est mis de côté.',
      replay: 'Relire',
    },
    checks: {
      runs: 'Dernières exécutions',
      runsCaption: 'Commandes qui protègent le service',
      doctor: 'Docteur',
      doctorCaption: 'Résultats du docteur',
      columns: ['Contrôle', 'État', 'Constat', 'À faire'],
      states: { ok: 'en ordre', warn: 'avertissement', fail: 'échec' },
      never: 'Le docteur n’a pas encore examiné le service.',
      last: 'Dernier examen :',
      run: 'Lancer le docteur',
    },
  },
});
