/** Texts of the tracking page of a letter, by language. They name neither sender nor recipient. */
import type { Language } from '../../postal/stationery.ts';
import { labels } from '../../presenters/labels.ts';

/** How far a letter is, as far as its recipient is concerned. */
export type Progress = 'preparing' | 'under_way' | 'delivered' | 'returned' | 'stopped';

type Said = { title: string; lead: string };

export type TrackingWords = {
  kind: string;
  progress: Record<Progress, Said>;
  test: string;
  untracked(carrier: string): string;
  follow(carrier: string): string;
  facts: Record<'carrier' | 'number' | 'expected' | 'contact', string>;
  numberLater: string;
  way: string;
  events: Record<string, string>;
  window(earliest: string, latest: string): string;
  nothing: { title: string; detail: string };
};

const en: TrackingWords = {
  kind: 'Tracking',
  progress: {
    preparing: {
      title: 'The letter is being prepared',
      lead: 'It will be printed, put into an envelope and handed to the post.',
    },
    under_way: { title: 'The letter is on its way', lead: 'It was handed to the post.' },
    delivered: { title: 'The letter was delivered', lead: 'Its journey is complete.' },
    returned: {
      title: 'The letter came back',
      lead: 'The post could not deliver it and returned it. Please ask the sender what happens next.',
    },
    stopped: {
      title: 'The letter was not posted',
      lead: 'It was cancelled or could not be produced. Please ask the sender about it.',
    },
  },
  test: 'This is a test letter: nothing was printed or posted.',
  untracked: (carrier) =>
    `${carrier} does not track letters of this kind: there is no tracking number and no confirmation of delivery.`,
  follow: (carrier) => `Track it at ${carrier}`,
  facts: {
    carrier: 'Carrier',
    number: labels.trackingNumber.en,
    expected: 'Expected delivery',
    contact: labels.contact.en,
  },
  numberLater: 'not assigned yet',
  way: 'What happened so far',
  events: {
    queued: labels.accepted.en,
    processing: 'Printing began',
    posted: 'Handed to the post',
    in_transit: 'On its way',
    delivered: labels.delivered.en,
    returned: 'Returned',
    cancelled: 'Cancelled',
    failed: 'Could not be produced',
  },
  window: (earliest, latest) => `${earliest} to ${latest}`,
  nothing: {
    title: 'Nothing here',
    detail:
      'This link shows no letter. Part of it may be missing, or it has expired or been revoked. Ask the sender for a new one.',
  },
};

const de: TrackingWords = {
  kind: 'Sendungsverfolgung',
  progress: {
    preparing: {
      title: 'Der Brief wird vorbereitet',
      lead: 'Als Nächstes wird er gedruckt, kuvertiert und zur Post gegeben.',
    },
    under_way: { title: 'Der Brief ist unterwegs', lead: 'Er wurde zur Post gegeben.' },
    delivered: { title: 'Der Brief wurde zugestellt', lead: 'Sein Weg ist abgeschlossen.' },
    returned: {
      title: 'Der Brief kam zurück',
      lead: 'Die Post konnte ihn nicht zustellen und hat ihn zurückgeschickt. Bitte fragen Sie den Absender, wie es weitergeht.',
    },
    stopped: {
      title: 'Der Brief wurde nicht versandt',
      lead: 'Er wurde storniert oder ließ sich nicht herstellen. Bitte wenden Sie sich an den Absender.',
    },
  },
  test: 'Das ist ein Testbrief: Nichts wurde gedruckt oder verschickt.',
  untracked: (carrier) =>
    `Sendungen dieser Art lassen sich nicht verfolgen (${carrier}): Es gibt keine Sendungsnummer und keine Bestätigung der Zustellung.`,
  follow: (carrier) => `Beim Zusteller verfolgen (${carrier})`,
  facts: {
    carrier: 'Zusteller',
    number: labels.trackingNumber.de,
    expected: 'Voraussichtliche Zustellung',
    contact: labels.contact.de,
  },
  numberLater: 'noch nicht vergeben',
  way: 'Was bisher geschah',
  events: {
    queued: labels.accepted.de,
    processing: 'Druck begonnen',
    posted: 'Zur Post gegeben',
    in_transit: 'Unterwegs',
    delivered: labels.delivered.de,
    returned: 'Zurückgeschickt',
    cancelled: 'Storniert',
    failed: 'Konnte nicht hergestellt werden',
  },
  window: (earliest, latest) => `${earliest} bis ${latest}`,
  nothing: {
    title: 'Hier ist nichts',
    detail:
      'Dieser Link zeigt keinen Brief. Vielleicht wurde er nur zum Teil kopiert, ist abgelaufen oder wurde gesperrt; bitten Sie den Absender um einen neuen.',
  },
};

const fr: TrackingWords = {
  kind: 'Suivi',
  progress: {
    preparing: {
      title: 'La lettre est en préparation',
      lead: 'Elle sera ensuite imprimée, mise sous pli et remise à la poste.',
    },
    under_way: { title: 'La lettre est en route', lead: 'Elle a été remise à la poste.' },
    delivered: { title: 'La lettre a été distribuée', lead: 'Son trajet est terminé.' },
    returned: {
      title: 'La lettre est revenue',
      lead: 'La poste n’a pas pu la distribuer et l’a renvoyée. Adressez-vous à l’expéditeur pour la suite.',
    },
    stopped: {
      title: 'La lettre n’a pas été postée',
      lead: 'Elle a été annulée ou n’a pas pu être produite. Adressez-vous à l’expéditeur.',
    },
  },
  test: 'C’est une lettre de test : rien n’a été imprimé ni posté.',
  untracked: (carrier) =>
    `${carrier} ne suit pas les envois de ce type : il n’y a ni numéro de suivi ni confirmation de distribution.`,
  follow: (carrier) => `Suivre auprès de ${carrier}`,
  facts: {
    carrier: 'Transporteur',
    number: labels.trackingNumber.fr,
    expected: 'Distribution prévue',
    contact: labels.contact.fr,
  },
  numberLater: 'pas encore attribué',
  way: 'Ce qui s’est passé',
  events: {
    queued: labels.accepted.fr,
    processing: 'Impression commencée',
    posted: 'Remise à la poste',
    in_transit: 'En route',
    delivered: labels.delivered.fr,
    returned: 'Renvoyée',
    cancelled: 'Annulée',
    failed: 'N’a pas pu être produite',
  },
  window: (earliest, latest) => `du ${earliest} au ${latest}`,
  nothing: {
    title: 'Rien ici',
    detail:
      'Ce lien ne montre aucune lettre. Il a peut-être été copié en partie, a expiré ou a été révoqué ; demandez-en un nouveau à l’expéditeur.',
  },
};

export const trackingWords: Record<Language, TrackingWords> = { en, de, fr };
