/** The words of a certificate, by language. Codes and times are the same in all of them. */
import type { Evidence } from '../events/letter.ts';
import { countedInFrench, numberOf } from '../ground/plural.ts';
import type { ProofLevel } from '../postal/services.ts';
import type { Language } from '../postal/stationery.ts';
import { labels } from './labels.ts';
import { statusNames } from './status-words.ts';

/** An evidence of delivery in English words. */
export const evidenceInEnglish = (evidence: Evidence): string => evidence.replaceAll('_', ' ');

const en = {
  titles: {
    sent: 'Proof of sending',
    delivered: 'Proof of sending and delivery',
    record: 'Record of a letter',
  },
  statement: (id: string, pages: number, service: string, course: readonly string[]) =>
    `${[`Letter ${id}, ${numberOf(pages, 'page')}, by ${service}`, ...course].join(', ')}.`,
  course: {
    queued: (at: string) => `was accepted at ${at}`,
    posted: (at: string) => `was posted at ${at}`,
    delivered: (at: string) => `was delivered at ${at}`,
    returned: (at: string) => `was reported as returned at ${at}`,
    cancelled: (at: string) => `was cancelled at ${at}`,
    failed: (at: string) => `could not be produced (${at})`,
  },
  /** The letter was posted, but nobody reported when. */
  postedUntimed: `was posted (${labels.timeUnknown.en})`,
  testLetter: labels.testLetter.en,
  sections: {
    sending: 'Sending',
    course: 'Course',
    document: 'Document',
    issuer: 'Issuer',
    verify: 'How to verify',
  },
  parties: { sender: labels.sender.en, recipient: labels.recipient.en },
  rows: {
    letter: 'Letter id',
    service: labels.service.en,
    carrier: 'Carrier',
    number: labels.trackingNumber.en,
    level: 'Level of proof',
    status: 'Status',
    accepted: statusNames.en.queued,
    posted: statusNames.en.posted,
    delivered: statusNames.en.delivered,
    returned: statusNames.en.returned,
    cancelled: statusNames.en.cancelled,
    failed: statusNames.en.failed,
    pages: labels.pages.en,
    commitment: 'Commitment',
    salt: 'Salt',
    issuedBy: 'Issued by',
    contact: labels.contact.en,
    did: 'Service DID',
    credentials: 'Credentials',
    checkpoint: 'Log checkpoint',
  },
  levels: {
    basic: 'basic',
    tracking: 'tracking',
    certified: 'certified',
    signature: 'signature',
    full_audit_trail: 'full audit trail',
  } satisfies Record<ProofLevel, string>,
  evidence: (evidence: Evidence) => `Evidence: ${evidenceInEnglish(evidence)}`,
  none: 'none',
  notSent: 'not sent',
  notReported: 'not reported',
  timeUnknown: labels.timeUnknown.en,
  notShown: 'not shown',
  signed: (count: number) => `${count} signed`,
  code: 'The code opens a page of this service that shows these facts without names and addresses, and verifies their signatures. It needs no account.',
  howToVerify:
    'Offline: the bundle on that page holds the signed history and a program that verifies it without a network. Content: commitment = base64url(sha256(salt ‖ content)), the salt as text, the content as it was given; of a text with line feeds as line ends and in NFC.',
  footer: (id: string, asOf: string) => `Letter ${id} · state as of ${asOf}`,
  testMark: 'TEST — nothing was printed or posted',
};

const de: typeof en = {
  titles: {
    sent: 'Nachweis der Absendung',
    delivered: 'Nachweis der Absendung und Zustellung',
    record: 'Auszug zu einem Brief',
  },
  statement: (id, pages, service, course) =>
    `${[`Brief ${id}, ${numberOf(pages, 'Seite', 'Seiten')}, als ${service}`, ...course].join(', ')}.`,
  course: {
    queued: (at) => `angenommen am ${at}`,
    posted: (at) => `eingeliefert am ${at}`,
    delivered: (at) => `zugestellt am ${at}`,
    returned: (at) => `als zurückgekommen gemeldet am ${at}`,
    cancelled: (at) => `storniert am ${at}`,
    failed: (at) => `konnte nicht hergestellt werden (${at})`,
  },
  postedUntimed: `eingeliefert (${labels.timeUnknown.de})`,
  testLetter: labels.testLetter.de,
  sections: {
    sending: 'Sendung',
    course: 'Verlauf',
    document: 'Dokument',
    issuer: 'Aussteller',
    verify: 'So wird geprüft',
  },
  parties: { sender: labels.sender.de, recipient: labels.recipient.de },
  rows: {
    letter: 'Brief',
    service: labels.service.de,
    carrier: 'Postunternehmen',
    number: labels.trackingNumber.de,
    level: 'Nachweisstufe',
    status: 'Status',
    accepted: statusNames.de.queued,
    posted: statusNames.de.posted,
    delivered: statusNames.de.delivered,
    returned: statusNames.de.returned,
    cancelled: statusNames.de.cancelled,
    failed: statusNames.de.failed,
    pages: labels.pages.de,
    commitment: 'Commitment',
    salt: 'Salt',
    issuedBy: 'Ausgestellt von',
    contact: labels.contact.de,
    did: 'DID des Dienstes',
    credentials: 'Nachweise',
    checkpoint: 'Prüfpunkt',
  },
  levels: {
    basic: 'einfach',
    tracking: 'Sendungsverfolgung',
    certified: 'bestätigt',
    signature: 'Unterschrift',
    full_audit_trail: 'lückenloser Verlauf',
  },
  evidence: (evidence) =>
    `Beleg: ${{ carrier_scan: 'Erfassung durch die Post', signature: 'Unterschrift', recipient_report: 'Meldung des Empfängers', simulated: 'simuliert' }[evidence]}`,
  none: 'keine',
  notSent: 'nicht abgesandt',
  notReported: 'nicht gemeldet',
  timeUnknown: labels.timeUnknown.de,
  notShown: 'nicht angegeben',
  signed: (count) => `${count} signiert`,
  code: 'Der Code öffnet eine Seite dieses Dienstes, die diese Angaben ohne Namen und Anschriften zeigt und ihre Signaturen prüft. Ein Konto ist nicht nötig.',
  howToVerify:
    'Ohne Netz: Das Paket auf dieser Seite enthält den signierten Verlauf und ein Programm, das ihn ohne Netz prüft. Inhalt: Commitment = base64url(sha256(Salt ‖ Inhalt)), das Salt als Text, der Inhalt wie eingereicht; ein Text mit Zeilenenden aus LF und in NFC.',
  footer: (id, asOf) => `Brief ${id} · Stand ${asOf}`,
  testMark: 'TEST — nichts wurde gedruckt oder verschickt',
};

const fr: typeof en = {
  titles: {
    sent: 'Preuve d’envoi',
    delivered: 'Preuve d’envoi et de distribution',
    record: 'Relevé d’une lettre',
  },
  statement: (id, pages, service, course) =>
    `${[`Lettre ${id}, ${numberOf(pages, 'page')}, en ${service}`, ...course].join(', ')}.`,
  course: {
    queued: (at) => `acceptée le ${at}`,
    posted: (at) => `postée le ${at}`,
    delivered: (at) => `distribuée le ${at}`,
    returned: (at) => `signalée comme retournée le ${at}`,
    cancelled: (at) => `annulée le ${at}`,
    failed: (at) => `n’a pas pu être produite (${at})`,
  },
  postedUntimed: `postée (${labels.timeUnknown.fr})`,
  testLetter: labels.testLetter.fr,
  sections: {
    sending: 'Envoi',
    course: 'Parcours',
    document: 'Document',
    issuer: 'Émetteur',
    verify: 'Comment vérifier',
  },
  parties: { sender: labels.sender.fr, recipient: labels.recipient.fr },
  rows: {
    letter: 'Lettre',
    service: labels.service.fr,
    carrier: 'Opérateur postal',
    number: labels.trackingNumber.fr,
    level: 'Niveau de preuve',
    status: 'État',
    accepted: statusNames.fr.queued,
    posted: statusNames.fr.posted,
    delivered: statusNames.fr.delivered,
    returned: statusNames.fr.returned,
    cancelled: statusNames.fr.cancelled,
    failed: statusNames.fr.failed,
    pages: labels.pages.fr,
    commitment: 'Engagement',
    salt: 'Sel',
    issuedBy: 'Établi par',
    contact: labels.contact.fr,
    did: 'DID du service',
    credentials: 'Attestations',
    checkpoint: 'Point de contrôle',
  },
  levels: {
    basic: 'simple',
    tracking: 'suivi',
    certified: 'certifié',
    signature: 'signature',
    full_audit_trail: 'historique complet',
  },
  evidence: (evidence) =>
    `Preuve : ${{ carrier_scan: 'enregistrement par l’opérateur', signature: 'signature', recipient_report: 'signalée par le destinataire', simulated: 'simulée' }[evidence]}`,
  none: 'aucun',
  notSent: 'non envoyée',
  notReported: 'non signalé',
  timeUnknown: labels.timeUnknown.fr,
  notShown: 'non indiqué',
  signed: countedInFrench('signée'),
  code: 'Le code ouvre une page de ce service qui montre ces faits sans noms ni adresses et vérifie leurs signatures. Aucun compte n’est nécessaire.',
  howToVerify:
    'Hors ligne : l’archive de cette page contient l’historique signé et un programme qui le vérifie sans réseau. Contenu : engagement = base64url(sha256(sel ‖ contenu)), le sel en texte, le contenu tel que fourni ; un texte avec LF en fin de ligne et en NFC.',
  footer: (id, asOf) => `Lettre ${id} · état au ${asOf}`,
  testMark: 'TEST — rien n’a été imprimé ni posté',
};

export type CertificateWords = typeof en;

export const certificateWords: Record<Language, typeof en> = { en, de, fr };
