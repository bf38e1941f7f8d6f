/** The words of the operator's overview and search, by language. */
import type { Language } from '../../../postal/stationery.ts';
import type { BacklogStage, FoundKind, IncidentKind, WaitingUnit } from './desk.ts';

type OverviewWords = {
  incidents: { title: string; caption: string; columns: readonly string[]; none: string };
  incident: Record<IncidentKind, (subject: string) => string>;
  waiting: Record<WaitingUnit, (count: number) => string>;
  backlog: { title: string; columns: readonly string[]; none: string };
  stages: Record<BacklogStage, string>;
  search: { label: string; hint: string; button: string };
  found: { caption: string; columns: readonly string[]; none: string };
  kinds: Record<FoundKind, string>;
};

/** `1 letter waits`, `2 letters wait`. */
const counted =
  (one: string, many: string) =>
  (count: number): string =>
    `${count} ${count === 1 ? one : many}.`;

export const overviewWords: Record<Language, OverviewWords> = {
  en: {
    incidents: {
      title: 'Incidents',
      caption: 'Things that wait or fail now',
      columns: ['Incident', 'Since', 'Waiting', 'Detail'],
      none: 'Nothing waits and nothing fails.',
    },
    incident: {
      print_due: (partner) => `Letters are due and do not go to ${partner}`,
      print_down: (partner) => `The print house (${partner}) takes no letters`,
      read_model: (name) => `Read model ${name} has stopped`,
      reactor: (name) => `Reactor ${name} does not advance`,
      unowned: (name) => `No process runs reactor ${name}`,
      part: (name) => `${name} is degraded`,
      jobs: () => 'Jobs failed for good',
      webhooks: () => 'Webhooks fail',
      mails: () => 'Mails are not accepted',
      command: (name) => `Command ${name}`,
    },
    waiting: {
      letters: counted('letter waits', 'letters wait'),
      events: counted('event waits', 'events wait'),
      payments: counted('payment waits', 'payments wait'),
      jobs: counted('job failed for good', 'jobs failed for good'),
      webhooks: counted('webhook fails', 'webhooks fail'),
      mails: counted('mail waits', 'mails wait'),
    },
    backlog: {
      title: 'Letters that wait for printing',
      columns: ['Print partner', 'Stage', 'Letters', 'Oldest'],
      none: 'No letter waits.',
    },
    stages: { due: 'queued, and due', waiting_for_partner: 'not taken by the print house' },
    search: {
      label:
        'Find a letter, account, key, order, top-up, payment, contract, approval, mail or delivery',
      hint: 'An id, a tracking number, a reference or an e-mail address.',
      button: 'Find',
    },
    found: {
      caption: 'Search results',
      columns: ['Id', 'Kind', 'Note'],
      none: 'Nothing has this id, tracking number, reference or address.',
    },
    kinds: {
      letter: 'letter',
      account: 'account',
      order: 'order',
      'top-up': 'top-up',
      payment: 'payment',
      contract: 'contract',
      mail: 'mail',
      delivery: 'delivery',
      key: 'key',
      approval: 'approval',
      ucan: 'UCAN',
      offer: 'offer',
      export: 'export',
      transaction: 'transaction',
      quote: 'quote',
      logo: 'logo',
      'audit-webhook': 'audit webhook',
    },
  },
  de: {
    incidents: {
      title: 'Störungen',
      caption: 'Was jetzt wartet oder fehlschlägt',
      columns: ['Störung', 'Seit', 'Wartend', 'Einzelheiten'],
      none: 'Nichts wartet und nichts schlägt fehl.',
    },
    incident: {
      print_due: (partner) => `Briefe sind fällig und gehen nicht an ${partner}`,
      print_down: (partner) => `Die Druckerei (${partner}) nimmt keine Briefe an`,
      read_model: (name) => `Lesemodell ${name} steht`,
      reactor: (name) => `Reaktor ${name} kommt nicht voran`,
      unowned: (name) => `Kein Prozess betreibt den Reaktor ${name}`,
      part: (name) => `${name} ist gestört`,
      jobs: () => 'Aufgaben sind endgültig fehlgeschlagen',
      webhooks: () => 'Webhooks schlagen fehl',
      mails: () => 'E-Mails werden nicht angenommen',
      command: (name) => `Befehl ${name}`,
    },
    waiting: {
      letters: counted('Brief wartet', 'Briefe warten'),
      events: counted('Ereignis wartet', 'Ereignisse warten'),
      payments: counted('Zahlung wartet', 'Zahlungen warten'),
      jobs: counted('Aufgabe endgültig fehlgeschlagen', 'Aufgaben endgültig fehlgeschlagen'),
      webhooks: counted('Webhook schlägt fehl', 'Webhooks schlagen fehl'),
      mails: counted('E-Mail wartet', 'E-Mails warten'),
    },
    backlog: {
      title: 'Briefe, die auf den Druck warten',
      columns: ['Druckpartner', 'Stand', 'Briefe', 'Ältester'],
      none: 'Kein Brief wartet.',
    },
    stages: {
      due: 'angenommen und fällig',
      waiting_for_partner: 'nicht von der Druckerei angenommen',
    },
    search: {
      label:
        'Brief, Konto, Schlüssel, Bestellung, Aufladung, Zahlung, Vertrag, Freigabe, E-Mail oder Zustellung finden',
      hint: 'Eine Kennung, eine Sendungsnummer, eine Referenz oder eine E-Mail-Adresse.',
      button: 'Finden',
    },
    found: {
      caption: 'Suchergebnisse',
      columns: ['Kennung', 'Art', 'Hinweis'],
      none: 'Nichts hat diese Kennung, Sendungsnummer, Referenz oder Adresse.',
    },
    kinds: {
      letter: 'Brief',
      account: 'Konto',
      order: 'Bestellung',
      'top-up': 'Aufladung',
      payment: 'Zahlung',
      contract: 'Vertrag',
      mail: 'E-Mail',
      delivery: 'Zustellung',
      key: 'Schlüssel',
      approval: 'Freigabe',
      ucan: 'UCAN',
      offer: 'Angebot',
      export: 'Export',
      transaction: 'Buchung',
      quote: 'Preisangebot',
      logo: 'Logo',
      'audit-webhook': 'Nachweis-Webhook',
    },
  },
  fr: {
    incidents: {
      title: 'Incidents',
      caption: 'Ce qui attend ou échoue',
      columns: ['Incident', 'Depuis', 'En attente', 'Détail'],
      none: 'Rien n’attend et rien n’échoue.',
    },
    incident: {
      print_due: (partner) => `Des lettres sont prêtes et ne partent pas vers ${partner}`,
      print_down: (partner) => `L’imprimeur (${partner}) ne prend pas de lettres`,
      read_model: (name) => `Le modèle de lecture ${name} est arrêté`,
      reactor: (name) => `Le réacteur ${name} n’avance pas`,
      unowned: (name) => `Aucun processus n’exécute le réacteur ${name}`,
      part: (name) => `${name} est perturbé`,
      jobs: () => 'Des tâches ont échoué définitivement',
      webhooks: () => 'Des webhooks échouent',
      mails: () => 'Les courriels ne sont pas acceptés',
      command: (name) => `Commande ${name}`,
    },
    waiting: {
      letters: counted('lettre attend', 'lettres attendent'),
      events: counted('événement attend', 'événements attendent'),
      payments: counted('paiement attend', 'paiements attendent'),
      jobs: counted('tâche a échoué définitivement', 'tâches ont échoué définitivement'),
      webhooks: counted('webhook échoue', 'webhooks échouent'),
      mails: counted('courriel attend', 'courriels attendent'),
    },
    backlog: {
      title: 'Lettres qui attendent l’impression',
      columns: ['Imprimeur', 'Étape', 'Lettres', 'La plus ancienne'],
      none: 'Aucune lettre n’attend.',
    },
    stages: { due: 'en attente et prête', waiting_for_partner: 'pas encore prise par l’imprimeur' },
    search: {
      label:
        'Trouver une lettre, un compte, une clé, une commande, une recharge, un paiement, un contrat, une approbation, un courriel ou une livraison',
      hint: 'Un identifiant, un numéro de suivi, une référence ou une adresse e-mail.',
      button: 'Trouver',
    },
    found: {
      caption: 'Résultats',
      columns: ['Identifiant', 'Type', 'Note'],
      none: 'Rien n’a cet identifiant, ce numéro de suivi, cette référence ou cette adresse.',
    },
    kinds: {
      letter: 'lettre',
      account: 'compte',
      order: 'commande',
      'top-up': 'recharge',
      payment: 'paiement',
      contract: 'contrat',
      mail: 'courriel',
      delivery: 'livraison',
      key: 'clé',
      approval: 'approbation',
      ucan: 'UCAN',
      offer: 'offre',
      export: 'exportation',
      transaction: 'opération',
      quote: 'devis',
      logo: 'logo',
      'audit-webhook': 'webhook de preuves',
    },
  },
};
