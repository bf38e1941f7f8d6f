/** Texts of the tracking page of a letter, by language. They name neither sender nor recipient. */
import type { Language } from '../../postal/stationery.ts';
import { labels } from '../../presenters/labels.ts';

/** How far a letter is, as far as its recipient is concerned. */
export type Progress = 'preparing' | 'under_way' | 'delivered' | 'returned' | 'stopped';

type Said = { title: string; lead: string };

const en = {
  kind: 'Tracking',
  progress: {
    preparing: {
      title: 'The letter is being prepared',
      lead: 'It will be printed, put into an envelope and handed to the post.',
    },
    under_way: { title: 'The letter is on its way', lead: 'It was handed to the post.' },
    delivered: { title: labels.letterDelivered.en, lead: 'Its journey is complete.' },
    returned: {
      title: labels.letterReturned.en,
      lead: 'The post could not deliver it and returned it. Please ask the sender what happens next.',
    },
    stopped: {
      title: labels.letterNotPosted.en,
      lead: 'It was cancelled or could not be produced. Please ask the sender about it.',
    },
  } satisfies Record<Progress, Said>,
  test: labels.testLetter.en,
  untracked: (carrier: string) =>
    `${carrier} does not track letters of this kind: there is no tracking number and no confirmation of delivery.`,
  follow: (carrier: string) => `Track it at ${carrier}`,
  facts: {
    carrier: 'Carrier',
    number: labels.trackingNumber.en,
    expected: labels.expectedDelivery.en,
    contact: labels.contact.en,
  },
  numberLater: 'not assigned yet',
  way: 'What happened so far',
  window: (earliest: string, latest: string) => `${earliest} to ${latest}`,
  nothing: {
    title: labels.nothingHere.en,
    detail:
      'This link shows no letter. Part of it may be missing, or it has expired or been revoked. Ask the sender for a new one.',
  },
};

const de: typeof en = {
  kind: 'Sendungsverfolgung',
  progress: {
    preparing: {
      title: 'Der Brief wird vorbereitet',
      lead: 'Als Nächstes wird er gedruckt, kuvertiert und zur Post gegeben.',
    },
    under_way: { title: 'Der Brief ist unterwegs', lead: 'Er wurde zur Post gegeben.' },
    delivered: { title: labels.letterDelivered.de, lead: 'Sein Weg ist abgeschlossen.' },
    returned: {
      title: labels.letterReturned.de,
      lead: 'Die Post konnte ihn nicht zustellen und hat ihn zurückgeschickt. Bitte fragen Sie den Absender, wie es weitergeht.',
    },
    stopped: {
      title: labels.letterNotPosted.de,
      lead: 'Er wurde storniert oder ließ sich nicht herstellen. Bitte wenden Sie sich an den Absender.',
    },
  },
  test: labels.testLetter.de,
  untracked: (carrier) =>
    `Sendungen dieser Art lassen sich nicht verfolgen (${carrier}): Es gibt keine Sendungsnummer und keine Bestätigung der Zustellung.`,
  follow: (carrier) => `Beim Zusteller verfolgen (${carrier})`,
  facts: {
    carrier: 'Zusteller',
    number: labels.trackingNumber.de,
    expected: labels.expectedDelivery.de,
    contact: labels.contact.de,
  },
  numberLater: 'noch nicht vergeben',
  way: 'Was bisher geschah',
  window: (earliest, latest) => `${earliest} bis ${latest}`,
  nothing: {
    title: labels.nothingHere.de,
    detail:
      'Dieser Link zeigt keinen Brief. Vielleicht wurde er nur zum Teil kopiert, ist abgelaufen oder wurde widerrufen; bitten Sie den Absender um einen neuen.',
  },
};

const fr: typeof en = {
  kind: 'Suivi',
  progress: {
    preparing: {
      title: 'La lettre est en préparation',
      lead: 'Elle sera ensuite imprimée, mise sous pli et remise à la poste.',
    },
    under_way: { title: 'La lettre est en route', lead: 'Elle a été remise à la poste.' },
    delivered: { title: labels.letterDelivered.fr, lead: 'Son trajet est terminé.' },
    returned: {
      title: labels.letterReturned.fr,
      lead: 'La poste n’a pas pu la distribuer et l’a renvoyée. Adressez-vous à l’expéditeur pour la suite.',
    },
    stopped: {
      title: labels.letterNotPosted.fr,
      lead: 'Elle a été annulée ou n’a pas pu être produite. Adressez-vous à l’expéditeur.',
    },
  },
  test: labels.testLetter.fr,
  untracked: (carrier) =>
    `${carrier} ne suit pas les envois de ce type : il n’y a ni numéro de suivi ni confirmation de distribution.`,
  follow: (carrier) => `Suivre auprès de ${carrier}`,
  facts: {
    carrier: 'Transporteur',
    number: labels.trackingNumber.fr,
    expected: labels.expectedDelivery.fr,
    contact: labels.contact.fr,
  },
  numberLater: 'pas encore attribué',
  way: 'Ce qui s’est passé',
  window: (earliest, latest) => `du ${earliest} au ${latest}`,
  nothing: {
    title: labels.nothingHere.fr,
    detail:
      'Ce lien ne montre aucune lettre. Il a peut-être été copié en partie, a expiré ou a été révoqué ; demandez-en un nouveau à l’expéditeur.',
  },
};

export type TrackingWords = typeof en;

export const trackingWords: Record<Language, typeof en> = { en, de, fr };
