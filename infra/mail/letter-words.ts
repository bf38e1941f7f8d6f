/** The sentences of the mails about a letter, by language. Subjects never contain names. */
import { returnReasonWords } from '../../contract/return-reasons.ts';
import type { Evidence } from '../../events/letter.ts';
import type { Language } from '../../postal/stationery.ts';
import { labels } from '../../presenters/labels.ts';

/** Where a letter failed. */
export type FailureStage = 'render' | 'submit' | 'print';

const en = {
  /** A window of two days. */
  window: (earliest: string, latest: string) => `${earliest} to ${latest}`,
  facts: {
    to: 'To',
    service: labels.service.en,
    expected: labels.expectedDelivery.en,
    number: labels.trackingNumber.en,
    reference: 'Reference',
    refunded: 'Refunded',
    letter: labels.letter.en,
    order: labels.order.en,
    paid: 'Paid',
  },
  follow: (operator: string) => `Follow it at ${operator}`,
  /** The page that sender or payer may pass on. */
  recipientPage: 'Tracking page for the recipient',
  orderPage: 'See your order',
  test: 'TEST: this was a test letter; nothing was printed or posted.',
  onItsWay: (letter: string, operator: string) =>
    `Your ${letter} was handed to ${operator} and is on its way.`,
  letterTo: (name: string | undefined): string =>
    name === undefined ? 'letter' : `letter to ${name}`,
  shipped: 'Your letter was shipped',
  promise: {
    none: (operator: string) =>
      `${operator} does not track this service: there will be no tracking number and no confirmation of delivery.`,
    /** Refers to the delivery window among the facts. */
    expect: 'Expect it within the days below.',
    number: (operator: string) =>
      `You can follow it at ${operator}; it may take some hours until the first scan shows.`,
    later: (operator: string) =>
      `${operator} assigns the tracking number after posting. We will send it to you in a second e-mail within 1 to 24 hours.`,
    missing:
      'Its tracking number is not known yet. We will send it to you in a second e-mail as soon as it is.',
  },
  ready: {
    subject: 'Tracking for your letter',
    told: (letter: string, operator: string) =>
      `${operator} assigned the tracking number of your ${letter}.`,
  },
  late: {
    subject: 'Tracking for your letter is late',
    told: (operator: string) => [
      `We promised you a tracking number. After 24 hours ${operator} has not assigned one yet.`,
      'Your letter was handed over as we told you; only the number is missing. We will send it as soon as we have it. If it does not come, we cannot follow this letter.',
    ],
  },
  posted: 'Your letter was posted',
  delivered: {
    subject: 'Your letter was delivered',
    told: (letter: string) => `Your ${letter} was delivered.`,
  },
  evidence: {
    carrier_scan: (operator) => `${operator} scanned it as delivered.`,
    signature: (operator) => `${operator} reports that it was signed for.`,
    recipient_report: () => 'The recipient reported that it arrived.',
    simulated: () => 'The delivery was simulated.',
  } satisfies Record<Evidence, (operator: string) => string>,
  returned: {
    subject: 'Your letter came back',
    told: (letter: string, operator: string) =>
      `${operator} could not deliver your ${letter} and returned it.`,
    reason: (reason: string) => `Reason given: ${reason}.`,
    /** Reasons by their codes. A reason without words here is shown by its code. */
    reasons: returnReasonWords.en as Readonly<Record<string, string>>,
    advice: 'Check the address before you send it again.',
  },
  failed: {
    subject: 'Your letter could not be sent',
    told: (letter: string, detail: string) => `Your ${letter} was not posted: ${detail}`,
    /** Replaces the English detail; absent: the mail contains the detail itself. */
    stages: undefined as Readonly<Record<FailureStage, string>> | undefined,
  },
  cancelled: {
    subject: 'Your letter was cancelled',
    told: (letter: string) => `Your ${letter} was cancelled and will not be posted.`,
  },
  refunded: 'Its full price was refunded.',
  /** To the payer of an order: the money went back to the shop that ordered. */
  payer: {
    refunded: 'The shop has been refunded; please ask the shop to refund your card.',
    takenBack:
      'Your payment, or a part of it, was refunded or is disputed. If money is missing, please ask the shop.',
    returned: 'Please ask the shop what happens next.',
  },
};

/** German says "die Deutsche Post"; the other operators have no article. */
const declined = (operator: string) =>
  operator === 'Deutsche Post'
    ? {
        nominative: 'die Deutsche Post',
        dative: 'der Deutschen Post',
        accusative: 'die Deutsche Post',
      }
    : { nominative: operator, dative: operator, accusative: operator };

/** At the beginning of a sentence. */
const sentence = (operator: string): string =>
  declined(operator).nominative.replace(/^die /, 'Die ');

const de: typeof en = {
  window: (earliest, latest) => `${earliest} bis ${latest}`,
  facts: {
    to: 'An',
    service: labels.service.de,
    expected: labels.expectedDelivery.de,
    number: labels.trackingNumber.de,
    reference: 'Ihr Zeichen',
    refunded: 'Erstattet',
    letter: labels.letter.de,
    order: labels.order.de,
    paid: 'Bezahlt',
  },
  follow: (operator) => `Bei ${declined(operator).dative} verfolgen`,
  recipientPage: 'Seite zur Sendungsverfolgung für den Empfänger',
  orderPage: 'Bestellung ansehen',
  test: 'TEST: Das war ein Testbrief; nichts wurde gedruckt oder verschickt.',
  onItsWay: (letter, operator) =>
    `Ihr ${letter} wurde an ${declined(operator).accusative} übergeben und ist unterwegs.`,
  letterTo: (name) => (name === undefined ? 'Brief' : `Brief an ${name}`),
  shipped: 'Ihr Brief ist unterwegs',
  promise: {
    none: (operator) =>
      `${sentence(operator)} verfolgt Sendungen dieser Art nicht: Es gibt keine Sendungsnummer und keine Bestätigung der Zustellung.`,
    expect: 'Rechnen Sie mit dem Brief im unten genannten Zeitraum.',
    number: (operator) =>
      `Sie können ihn bei ${declined(operator).dative} verfolgen; bis zum ersten Eintrag können einige Stunden vergehen.`,
    later: (operator) =>
      `${sentence(operator)} vergibt die Sendungsnummer erst nach der Einlieferung. Wir senden sie Ihnen innerhalb von 1 bis 24 Stunden in einer zweiten E-Mail.`,
    missing:
      'Die Sendungsnummer ist noch nicht bekannt. Wir senden sie Ihnen in einer zweiten E-Mail, sobald wir sie haben.',
  },
  ready: {
    subject: 'Sendungsnummer Ihres Briefes',
    told: (letter, operator) =>
      `${sentence(operator)} hat die Sendungsnummer für Ihren ${letter} vergeben.`,
  },
  late: {
    subject: 'Die Sendungsnummer Ihres Briefes verspätet sich',
    told: (operator) => [
      `Wir hatten Ihnen eine Sendungsnummer angekündigt. ${sentence(operator)} hat nach 24 Stunden noch keine vergeben.`,
      'Ihr Brief wurde wie mitgeteilt übergeben; nur die Nummer fehlt. Wir senden sie, sobald wir sie haben. Kommt sie nicht, lässt sich dieser Brief nicht verfolgen.',
    ],
  },
  posted: 'Ihr Brief wurde eingeliefert',
  delivered: {
    subject: 'Ihr Brief wurde zugestellt',
    told: (letter) => `Ihr ${letter} wurde zugestellt.`,
  },
  evidence: {
    carrier_scan: (operator) => `${sentence(operator)} hat die Zustellung erfasst.`,
    signature: (operator) => `${sentence(operator)} meldet, dass der Empfang quittiert wurde.`,
    recipient_report: () => 'Der Empfänger hat den Eingang gemeldet.',
    simulated: () => 'Die Zustellung wurde simuliert.',
  },
  returned: {
    subject: 'Ihr Brief kam zurück',
    told: (letter, operator) =>
      `${sentence(operator)} konnte Ihren ${letter} nicht zustellen und hat ihn zurückgeschickt.`,
    reason: (reason) => `Angegebener Grund: ${reason}.`,
    reasons: returnReasonWords.de,
    advice: 'Prüfen Sie die Anschrift, bevor Sie ihn erneut senden.',
  },
  failed: {
    subject: 'Ihr Brief konnte nicht verschickt werden',
    told: (letter, detail) => `Ihr ${letter} wurde nicht verschickt: ${detail}`,
    stages: {
      render: 'Er ließ sich nicht für den Druck aufbereiten.',
      submit: 'Er ließ sich nicht an die Druckerei übergeben.',
      print: 'Die Druckerei konnte ihn nicht herstellen.',
    },
  },
  cancelled: {
    subject: 'Ihr Brief wurde storniert',
    told: (letter) => `Ihr ${letter} wurde storniert und wird nicht verschickt.`,
  },
  refunded: 'Der volle Preis wurde erstattet.',
  payer: {
    refunded:
      'Der Shop hat den Preis zurückbekommen; bitten Sie ihn um eine Erstattung auf Ihre Karte.',
    takenBack:
      'Ihre Zahlung oder ein Teil davon wurde erstattet oder ist strittig. Wenn Geld fehlt, wenden Sie sich bitte an den Shop.',
    returned: 'Bitte fragen Sie den Shop, wie es weitergeht.',
  },
};

const fr: typeof en = {
  window: (earliest, latest) => `du ${earliest} au ${latest}`,
  facts: {
    to: 'À',
    service: labels.service.fr,
    expected: labels.expectedDelivery.fr,
    number: labels.trackingNumber.fr,
    reference: 'Référence',
    refunded: 'Remboursé',
    letter: labels.letter.fr,
    order: labels.order.fr,
    paid: 'Payé',
  },
  follow: (operator) => `Suivre chez ${operator}`,
  recipientPage: 'Page de suivi pour le destinataire',
  orderPage: 'Voir votre commande',
  test: 'TEST : c’était une lettre de test ; rien n’a été imprimé ni posté.',
  onItsWay: (letter, operator) => `Votre ${letter} a été remise à ${operator} et est en route.`,
  letterTo: (name) => (name === undefined ? 'lettre' : `lettre à ${name}`),
  shipped: 'Votre lettre est en route',
  promise: {
    none: (operator) =>
      `${operator} ne suit pas ce type d’envoi : il n’y aura ni numéro de suivi ni confirmation de distribution.`,
    expect: 'Comptez sur les jours indiqués ci-dessous.',
    number: (operator) =>
      `Vous pouvez la suivre chez ${operator} ; le premier événement peut tarder quelques heures.`,
    later: (operator) =>
      `${operator} attribue le numéro de suivi après le dépôt. Nous vous l’enverrons dans un second e-mail sous 1 à 24 heures.`,
    missing:
      'Son numéro de suivi n’est pas encore connu. Nous vous l’enverrons dans un second e-mail dès que nous l’aurons.',
  },
  ready: {
    subject: 'Le suivi de votre lettre',
    told: (letter, operator) => `${operator} a attribué le numéro de suivi de votre ${letter}.`,
  },
  late: {
    subject: 'Le suivi de votre lettre a du retard',
    told: (operator) => [
      `Nous vous avions promis un numéro de suivi. Après 24 heures, ${operator} n’en a pas encore attribué.`,
      'Votre lettre a été remise comme annoncé ; seul le numéro manque. Nous l’enverrons dès que nous l’aurons. S’il ne vient pas, cette lettre ne pourra pas être suivie.',
    ],
  },
  posted: 'Votre lettre a été postée',
  delivered: {
    subject: 'Votre lettre a été distribuée',
    told: (letter) => `Votre ${letter} a été distribuée.`,
  },
  evidence: {
    carrier_scan: (operator) => `${operator} a enregistré la distribution.`,
    signature: (operator) => `${operator} indique qu’elle a été remise contre signature.`,
    recipient_report: () => 'Le destinataire a signalé son arrivée.',
    simulated: () => 'La distribution a été simulée.',
  },
  returned: {
    subject: 'Votre lettre est revenue',
    told: (letter, operator) =>
      `${operator} n’a pas pu distribuer votre ${letter} et l’a renvoyée.`,
    reason: (reason) => `Motif indiqué : ${reason}.`,
    reasons: returnReasonWords.fr,
    advice: 'Vérifiez l’adresse avant de l’envoyer à nouveau.',
  },
  failed: {
    subject: 'Votre lettre n’a pas pu être envoyée',
    told: (letter, detail) => `Votre ${letter} n’a pas été postée : ${detail}`,
    stages: {
      render: 'elle n’a pas pu être mise en page pour l’impression.',
      submit: 'elle n’a pas pu être remise à l’imprimeur.',
      print: 'l’imprimeur n’a pas pu la produire.',
    },
  },
  cancelled: {
    subject: 'Votre lettre a été annulée',
    told: (letter) => `Votre ${letter} a été annulée et ne sera pas postée.`,
  },
  refunded: 'Son prix entier a été remboursé.',
  payer: {
    refunded: 'La boutique a été remboursée ; demandez-lui de rembourser votre carte.',
    takenBack:
      'Votre paiement, ou une partie, a été remboursé ou est contesté. S’il manque de l’argent, adressez-vous à la boutique.',
    returned: 'Adressez-vous à la boutique pour la suite.',
  },
};

export type LetterWords = typeof en;

export const letterWords: Record<Language, typeof en> = { en, de, fr };
