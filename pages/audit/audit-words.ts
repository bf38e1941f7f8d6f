/** Texts of the audit page of a letter, by language. */
import { counted, countedInFrench } from '../../ground/plural.ts';
import type { Language } from '../../postal/stationery.ts';
import { labels } from '../../presenters/labels.ts';
import { statusNames } from '../../presenters/status-words.ts';

export type Telling = { title: string; detail: string };

export type AuditWords = {
  title: string;
  kind: string;
  heading: string;
  lead: string;
  skip: string;
  audit: string;
  certificate: string;
  nothing: Telling;
  test: [string, string];
  incomplete: [string, string];
  verification: string;
  unchecked: string;
  bundle: string;
  offline: string;
  timeline: string;
  more(count: number): string;
  notSigned: string;
  notChecked: string;
  evidence: string;
  inferred: string;
  reportedTime: string;
  hashes: string;
  facts: Record<'letter' | 'state' | 'service' | 'country' | 'signer' | 'log' | 'made', string>;
  credentials(count: number): string;
  noCheckpoint: string;
  details: Record<'event' | 'credential' | 'before' | 'first' | 'place' | 'position', string>;
  actors: Record<string, string>;
  evidences: Record<string, string>;
  tellings: Record<string, Telling>;
  /** `letter.print_job_accepted` where the print house itself says that it has the letter. */
  confirmedJob: Telling;
  /** Texts of page.js, by the English text. `{name}` stands for a value. */
  script: Record<string, string>;
};

const en: AuditWords = {
  title: 'Audit of a letter',
  kind: 'Audit record',
  heading: 'History of a letter',
  lead: 'What happened to this letter, as it was recorded and signed at the time. Names, addresses and content are not part of this page.',
  skip: 'To the timeline',
  audit: 'Audit',
  certificate: 'Certificate',
  nothing: {
    title: labels.nothingHere.en,
    detail:
      'This link does not open an audit page. It may have expired, or part of it may be missing. Ask the person who gave it to you for a new one.',
  },
  test: ['Test letter.', 'Nothing was printed or posted.'],
  incomplete: [
    'Not complete yet.',
    'The latest events are still being signed; load the page again in a moment.',
  ],
  verification: 'Verification',
  unchecked: 'The signatures were not checked in this browser. Download the bundle to verify them.',
  bundle: 'Download the bundle',
  offline:
    'The bundle holds the records, the signatures, the proofs and a program that verifies them without a network. This page checks signatures against the keys that came with it; the bundle can be checked against keys that you fetched yourself.',
  timeline: 'Timeline',
  more: (count) =>
    count === 1 ? '1 more event is in the bundle.' : `${count} more events are in the bundle.`,
  notSigned: 'Not yet signed',
  notChecked: 'Not checked',
  evidence: 'Evidence:',
  inferred: 'Not reported by itself: it follows from a later report.',
  reportedTime: 'Reported time:',
  hashes: 'Hashes of event',
  facts: {
    letter: labels.letter.en,
    state: 'State',
    service: 'Sent as',
    country: labels.country.en,
    signer: 'Signed by',
    log: 'Log',
    made: 'Page made',
  },
  credentials: counted('credential'),
  noCheckpoint: 'no checkpoint yet',
  details: {
    event: 'Event',
    credential: 'Credential',
    before: 'Credential before',
    first: 'none, it is the first',
    place: 'Place in the log',
    position: 'Position',
  },
  actors: {
    api: labels.sender.en,
    partner: 'Print house',
    carrier: 'Postal operator',
    operator: 'Operator of the service',
    simulator: 'Simulator (test)',
    service: 'Service',
  },
  evidences: {
    carrier_scan: 'scan by the postal operator',
    signature: 'signature of the recipient',
    recipient_report: 'report by the recipient',
    simulated: 'simulated, nothing was delivered',
  },
  tellings: {
    'letter.drafted': {
      title: statusNames.en.draft,
      detail: 'The letter was written and kept as a draft.',
    },
    'letter.queued': { title: statusNames.en.queued, detail: 'The letter was accepted and paid.' },
    'letter.updated': { title: 'Changed', detail: 'The sender changed the letter.' },
    'letter.processing_started': {
      title: statusNames.en.processing,
      detail: 'Production of the letter began.',
    },
    'letter.posted': {
      title: statusNames.en.posted,
      detail: 'Printed, put into its envelope and handed to the postal operator.',
    },
    'letter.in_transit': {
      title: statusNames.en.in_transit,
      detail: 'The postal operator has the letter.',
    },
    'letter.delivered': { title: statusNames.en.delivered, detail: 'The letter was delivered.' },
    'letter.returned': {
      title: statusNames.en.returned,
      detail: 'The letter came back or was not delivered.',
    },
    'letter.tracking_number_assigned': {
      title: labels.trackingNumber.en,
      detail: 'The letter was given a tracking number.',
    },
    'letter.cancellation_requested': {
      title: 'Cancellation asked for',
      detail: 'The sender asked to stop the letter.',
    },
    'letter.cancellation_rejected': {
      title: 'Cancellation refused',
      detail: 'It was too late to stop the letter.',
    },
    'letter.cancelled': {
      title: statusNames.en.cancelled,
      detail: 'The letter was stopped before posting.',
    },
    'letter.failed': { title: statusNames.en.failed, detail: 'The letter could not be produced.' },
    'letter.erased': {
      title: 'Personal data erased',
      detail: 'Names, addresses and content were deleted for good.',
    },
    'letter.approval_requested': {
      title: 'Approval asked for',
      detail: 'The letter was paid and waited for approval.',
    },
    'letter.approval_given': {
      title: 'Approval given',
      detail: 'An approver approved the letter.',
    },
    'letter.approval_rejected': {
      title: 'Approval refused',
      detail: 'An approver rejected the letter. It stayed a draft.',
    },
    'letter.approval_expired': {
      title: 'Approval expired',
      detail: 'The letter was not approved in time. It stayed a draft.',
    },
    'letter.print_job_accepted': {
      title: 'Ready for the print house',
      detail: 'The pages were put into the folder from which the print house takes them.',
    },
    'letter.send_abandoned': {
      title: 'Attempt abandoned',
      detail: 'A request to send was not finished.',
    },
  },
  confirmedJob: {
    title: 'Taken by the print house',
    detail: 'The print house confirmed that it has the letter.',
  },
  script: {},
};

const de: AuditWords = {
  title: 'Prüfung eines Briefs',
  kind: 'Prüfprotokoll',
  heading: 'Verlauf eines Briefs',
  lead: 'Was mit diesem Brief geschah, so wie es zu seiner Zeit aufgezeichnet und signiert wurde. Namen, Adressen und Inhalt stehen nicht auf dieser Seite.',
  skip: 'Zum Verlauf',
  audit: 'Prüfung',
  certificate: 'Bescheinigung',
  nothing: {
    title: labels.nothingHere.de,
    detail:
      'Dieser Link öffnet keine Prüfseite. Er ist abgelaufen, oder ein Teil von ihm fehlt. Bitten Sie die Person um einen neuen, die ihn Ihnen gab.',
  },
  test: ['Testbrief.', 'Es wurde nichts gedruckt oder verschickt.'],
  incomplete: [
    'Noch nicht vollständig.',
    'Die letzten Ereignisse werden noch signiert. Laden Sie die Seite gleich noch einmal.',
  ],
  verification: 'Überprüfung',
  unchecked:
    'Die Signaturen wurden in diesem Browser nicht geprüft. Laden Sie das Paket herunter, um sie zu prüfen.',
  bundle: 'Paket herunterladen',
  offline:
    'Das Paket enthält die Einträge, die Signaturen, die Nachweise und ein Programm, das sie ohne Netz prüft. Diese Seite prüft Signaturen mit den Schlüsseln, die mit ihr kamen. Das Paket lässt sich mit Schlüsseln prüfen, die Sie selbst geholt haben.',
  timeline: 'Verlauf',
  more: (count) =>
    count === 1
      ? '1 weiteres Ereignis ist im Paket.'
      : `${count} weitere Ereignisse sind im Paket.`,
  notSigned: 'Noch nicht signiert',
  notChecked: 'Nicht geprüft',
  evidence: 'Beleg:',
  inferred: 'Nicht eigens gemeldet: Es folgt aus einer späteren Meldung.',
  reportedTime: 'Gemeldete Zeit:',
  hashes: 'Prüfsummen von Ereignis',
  facts: {
    letter: labels.letter.de,
    state: labels.state.de,
    service: 'Versendet als',
    country: labels.country.de,
    signer: 'Signiert von',
    log: 'Protokoll',
    made: 'Seite erstellt',
  },
  credentials: counted('Nachweis', 'Nachweise'),
  noCheckpoint: 'noch kein Prüfpunkt',
  details: {
    event: 'Ereignis',
    credential: 'Nachweis',
    before: 'Nachweis davor',
    first: 'keiner, er ist der erste',
    place: 'Stelle im Protokoll',
    position: 'Position',
  },
  actors: {
    api: labels.sender.de,
    partner: 'Druckerei',
    carrier: 'Postunternehmen',
    operator: 'Betreiber des Dienstes',
    simulator: 'Simulation (Test)',
    service: 'Dienst',
  },
  evidences: {
    carrier_scan: 'Erfassung durch das Postunternehmen',
    signature: 'Unterschrift des Empfängers',
    recipient_report: 'Meldung des Empfängers',
    simulated: 'simuliert, nichts wurde zugestellt',
  },
  tellings: {
    'letter.drafted': {
      title: statusNames.de.draft,
      detail: 'Der Brief wurde geschrieben und als Entwurf gespeichert.',
    },
    'letter.queued': {
      title: statusNames.de.queued,
      detail: 'Der Brief wurde angenommen und bezahlt.',
    },
    'letter.updated': { title: 'Geändert', detail: 'Der Absender änderte den Brief.' },
    'letter.processing_started': {
      title: statusNames.de.processing,
      detail: 'Die Produktion des Briefs begann.',
    },
    'letter.posted': {
      title: statusNames.de.posted,
      detail: 'Gedruckt, kuvertiert und dem Postunternehmen übergeben.',
    },
    'letter.in_transit': {
      title: statusNames.de.in_transit,
      detail: 'Das Postunternehmen hat den Brief.',
    },
    'letter.delivered': { title: statusNames.de.delivered, detail: 'Der Brief wurde zugestellt.' },
    'letter.returned': {
      title: statusNames.de.returned,
      detail: 'Der Brief kam zurück oder wurde nicht zugestellt.',
    },
    'letter.tracking_number_assigned': {
      title: labels.trackingNumber.de,
      detail: 'Der Brief bekam eine Sendungsnummer.',
    },
    'letter.cancellation_requested': {
      title: 'Stornierung verlangt',
      detail: 'Der Absender wollte den Brief stoppen.',
    },
    'letter.cancellation_rejected': {
      title: 'Stornierung abgelehnt',
      detail: 'Es war zu spät, den Brief zu stoppen.',
    },
    'letter.cancelled': {
      title: statusNames.de.cancelled,
      detail: 'Der Brief wurde vor der Einlieferung gestoppt.',
    },
    'letter.failed': {
      title: statusNames.de.failed,
      detail: 'Der Brief konnte nicht hergestellt werden.',
    },
    'letter.erased': {
      title: 'Personenbezogene Daten gelöscht',
      detail: 'Namen, Adressen und Inhalt wurden endgültig gelöscht.',
    },
    'letter.approval_requested': {
      title: 'Freigabe angefragt',
      detail: 'Der Brief wurde bezahlt und wartete auf Freigabe.',
    },
    'letter.approval_given': {
      title: 'Freigabe erteilt',
      detail: 'Eine berechtigte Person gab den Brief frei.',
    },
    'letter.approval_rejected': {
      title: 'Freigabe abgelehnt',
      detail: 'Der Brief wurde nicht freigegeben und blieb ein Entwurf.',
    },
    'letter.approval_expired': {
      title: 'Freigabe abgelaufen',
      detail: 'Der Brief wurde nicht rechtzeitig freigegeben und blieb ein Entwurf.',
    },
    'letter.print_job_accepted': {
      title: 'Bereit für die Druckerei',
      detail: 'Die Seiten wurden in den Ordner gelegt, aus dem die Druckerei sie holt.',
    },
    'letter.send_abandoned': {
      title: 'Versuch aufgegeben',
      detail: 'Ein Auftrag zum Versand wurde nicht abgeschlossen.',
    },
  },
  confirmedJob: {
    title: 'Von der Druckerei übernommen',
    detail: 'Die Druckerei bestätigte, dass sie den Brief hat.',
  },
  script: {
    Verified: 'Geprüft',
    'Verified, attested anew': 'Geprüft, neu bestätigt',
    'Signed, not in the log yet': 'Signiert, noch nicht im Protokoll',
    'Not checked': 'Nicht geprüft',
    'Does not verify: {reason}': 'Hält der Prüfung nicht stand: {reason}',
    'the check failed': 'die Prüfung scheiterte',
    'this page was not loaded over a secure connection':
      'diese Seite wurde nicht über eine sichere Verbindung geladen',
    'this browser cannot check Ed25519 signatures':
      'dieser Browser kann Ed25519-Signaturen nicht prüfen',
    'it is not well formed': 'er ist nicht wohlgeformt',
    'its key is no Ed25519 key': 'sein Schlüssel ist kein Ed25519-Schlüssel',
    'its key was not in use yet': 'sein Schlüssel war noch nicht im Einsatz',
    'its key was not in use any more': 'sein Schlüssel war nicht mehr im Einsatz',
    'it is not signed as it must be': 'er ist nicht signiert, wie er es sein muss',
    'the service has no such key': 'der Dienst hat keinen solchen Schlüssel',
    'its key is not one of its issuer': 'sein Schlüssel gehört nicht seinem Aussteller',
    'the signature is not one of its content': 'die Signatur passt nicht zu seinem Inhalt',
    'it is no credential of an event': 'er ist kein Nachweis eines Ereignisses',
    'its key was revoked': 'sein Schlüssel wurde widerrufen',
    'its proof is too long': 'sein Beweis ist zu lang',
    'its proof is too short': 'sein Beweis ist zu kurz',
    'the checkpoint is not one of the log': 'der Prüfpunkt gehört nicht zum Protokoll',
    'no key of the log signed the checkpoint':
      'kein Schlüssel des Protokolls hat den Prüfpunkt signiert',
    'it is about another letter': 'er handelt von einem anderen Brief',
    'it does not say what stands here': 'er sagt nicht, was hier steht',
    'it does not begin the history': 'der Verlauf beginnt nicht mit ihm',
    'it does not follow the one before': 'er folgt nicht auf den vorigen',
    'it is not in the log': 'er ist nicht im Protokoll',
    '{bad} of {count} records do not verify. Do not rely on this page.':
      '{bad} von {count} Einträgen halten der Prüfung nicht stand. Verlassen Sie sich nicht auf diese Seite.',
    'Not checked. Download the bundle to verify it.':
      'Nicht geprüft. Laden Sie das Paket herunter, um zu prüfen.',
    'Not checked: {why}. Download the bundle to verify it.':
      'Nicht geprüft: {why}. Laden Sie das Paket herunter, um zu prüfen.',
    '{count} records verify; {waiting} are not signed yet.':
      '{count} Einträge sind geprüft, {waiting} noch nicht signiert.',
    'The only record verifies: its signature and its place in the log were checked in this browser.':
      'Der einzige Eintrag ist geprüft: Signatur und Stelle im Protokoll, in diesem Browser.',
    'All {count} records verify: signatures, links and places in the log were checked in this browser.':
      'Alle {count} Einträge sind geprüft: Signaturen, Verkettung und Stellen im Protokoll, in diesem Browser.',
  },
};

const fr: AuditWords = {
  title: 'Vérification d’une lettre',
  kind: 'Registre',
  heading: 'Historique d’une lettre',
  lead: 'Ce qui est arrivé à cette lettre, tel que consigné et signé sur le moment. Les noms, les adresses et le contenu ne figurent pas sur cette page.',
  skip: 'Vers la chronologie',
  audit: 'Vérification',
  certificate: 'Certificat',
  nothing: {
    title: labels.nothingHere.fr,
    detail:
      'Ce lien n’ouvre aucune page de vérification. Il a peut-être expiré, ou une partie manque. Demandez-en un nouveau à la personne qui vous l’a donné.',
  },
  test: ['Lettre de test.', 'Rien n’a été imprimé ni posté.'],
  incomplete: [
    'Pas encore complet.',
    'Les derniers événements sont en cours de signature. Rechargez la page dans un instant.',
  ],
  verification: 'Vérification',
  unchecked:
    'Les signatures n’ont pas été vérifiées dans ce navigateur. Téléchargez l’archive pour les vérifier.',
  bundle: 'Télécharger l’archive',
  offline:
    'L’archive contient les enregistrements, les signatures, les preuves et un programme qui les vérifie sans réseau. Cette page vérifie les signatures avec les clés qu’elle contient. L’archive peut être vérifiée avec des clés que vous avez obtenues vous-même.',
  timeline: 'Chronologie',
  more: (count) =>
    count === 1
      ? '1 autre événement est dans l’archive.'
      : `${count} autres événements sont dans l’archive.`,
  notSigned: 'Pas encore signé',
  notChecked: 'Non vérifié',
  evidence: 'Preuve :',
  inferred: 'Non signalé en tant que tel : cela découle d’un signalement ultérieur.',
  reportedTime: 'Heure signalée :',
  hashes: 'Empreintes de l’événement',
  facts: {
    letter: labels.letter.fr,
    state: 'État',
    service: 'Envoyée en',
    country: labels.country.fr,
    signer: 'Signé par',
    log: 'Journal',
    made: 'Page établie',
  },
  credentials: countedInFrench('attestation'),
  noCheckpoint: 'pas encore de point de contrôle',
  details: {
    event: 'Événement',
    credential: 'Attestation',
    before: 'Attestation précédente',
    first: 'aucune, c’est la première',
    place: 'Place dans le journal',
    position: 'Position',
  },
  actors: {
    api: labels.sender.fr,
    partner: 'Imprimeur',
    carrier: 'Opérateur postal',
    operator: 'Exploitant du service',
    simulator: 'Simulateur (test)',
    service: 'Service',
  },
  evidences: {
    carrier_scan: 'scan de l’opérateur postal',
    signature: 'signature du destinataire',
    recipient_report: 'signalement du destinataire',
    simulated: 'simulé, rien n’a été distribué',
  },
  tellings: {
    'letter.drafted': {
      title: statusNames.fr.draft,
      detail: 'La lettre a été écrite et enregistrée comme brouillon.',
    },
    'letter.queued': { title: statusNames.fr.queued, detail: 'La lettre a été acceptée et payée.' },
    'letter.updated': { title: 'Modifiée', detail: 'L’expéditeur a modifié la lettre.' },
    'letter.processing_started': {
      title: statusNames.fr.processing,
      detail: 'La production de la lettre a commencé.',
    },
    'letter.posted': {
      title: statusNames.fr.posted,
      detail: 'Imprimée, mise sous pli et remise à l’opérateur postal.',
    },
    'letter.in_transit': {
      title: statusNames.fr.in_transit,
      detail: 'L’opérateur postal a la lettre.',
    },
    'letter.delivered': { title: statusNames.fr.delivered, detail: 'La lettre a été distribuée.' },
    'letter.returned': {
      title: statusNames.fr.returned,
      detail: 'La lettre est revenue ou n’a pas été distribuée.',
    },
    'letter.tracking_number_assigned': {
      title: labels.trackingNumber.fr,
      detail: 'La lettre a reçu un numéro de suivi.',
    },
    'letter.cancellation_requested': {
      title: 'Annulation demandée',
      detail: 'L’expéditeur a demandé d’arrêter la lettre.',
    },
    'letter.cancellation_rejected': {
      title: 'Annulation refusée',
      detail: 'Il était trop tard pour arrêter la lettre.',
    },
    'letter.cancelled': {
      title: statusNames.fr.cancelled,
      detail: 'La lettre a été arrêtée avant d’être postée.',
    },
    'letter.failed': {
      title: statusNames.fr.failed,
      detail: 'La lettre n’a pas pu être produite.',
    },
    'letter.erased': {
      title: 'Données personnelles effacées',
      detail: 'Les noms, les adresses et le contenu ont été effacés définitivement.',
    },
    'letter.approval_requested': {
      title: 'Approbation demandée',
      detail: 'La lettre a été payée et attendait une approbation.',
    },
    'letter.approval_given': {
      title: 'Approbation donnée',
      detail: 'Une personne habilitée a approuvé la lettre.',
    },
    'letter.approval_rejected': {
      title: 'Approbation refusée',
      detail: 'La lettre n’a pas été approuvée et est restée un brouillon.',
    },
    'letter.approval_expired': {
      title: 'Approbation expirée',
      detail: 'La lettre n’a pas été approuvée à temps et est restée un brouillon.',
    },
    'letter.print_job_accepted': {
      title: 'Prête pour l’imprimeur',
      detail: 'Les pages ont été mises dans le répertoire où l’imprimeur les prend.',
    },
    'letter.send_abandoned': {
      title: 'Tentative abandonnée',
      detail: 'Une demande d’envoi n’a pas été menée à terme.',
    },
  },
  confirmedJob: {
    title: 'Prise en charge par l’imprimeur',
    detail: 'L’imprimeur a confirmé qu’il a la lettre.',
  },
  script: {
    Verified: 'Vérifié',
    'Verified, attested anew': 'Vérifié, attesté de nouveau',
    'Signed, not in the log yet': 'Signé, pas encore dans le journal',
    'Not checked': 'Non vérifié',
    'Does not verify: {reason}': 'Ne résiste pas à la vérification : {reason}',
    'the check failed': 'la vérification a échoué',
    'this page was not loaded over a secure connection':
      'cette page n’a pas été chargée par une connexion sûre',
    'this browser cannot check Ed25519 signatures':
      'ce navigateur ne peut pas vérifier les signatures Ed25519',
    'it is not well formed': 'elle est mal formée',
    'its key is no Ed25519 key': 'sa clé n’est pas une clé Ed25519',
    'its key was not in use yet': 'sa clé n’était pas encore en service',
    'its key was not in use any more': 'sa clé n’était plus en service',
    'it is not signed as it must be': 'elle n’est pas signée comme elle doit l’être',
    'the service has no such key': 'le service n’a pas cette clé',
    'its key is not one of its issuer': 'sa clé n’est pas une clé de son émetteur',
    'the signature is not one of its content': 'la signature ne correspond pas à son contenu',
    'it is no credential of an event': 'ce n’est pas l’attestation d’un événement',
    'its key was revoked': 'sa clé a été révoquée',
    'its proof is too long': 'sa preuve est trop longue',
    'its proof is too short': 'sa preuve est trop courte',
    'the checkpoint is not one of the log': 'le point de contrôle n’est pas celui du journal',
    'no key of the log signed the checkpoint':
      'aucune clé du journal n’a signé le point de contrôle',
    'it is about another letter': 'elle concerne une autre lettre',
    'it does not say what stands here': 'elle ne dit pas ce qui figure ici',
    'it does not begin the history': 'l’historique ne commence pas par elle',
    'it does not follow the one before': 'elle ne suit pas la précédente',
    'it is not in the log': 'elle n’est pas dans le journal',
    '{bad} of {count} records do not verify. Do not rely on this page.':
      '{bad} enregistrements sur {count} ne résistent pas à la vérification. Ne vous fiez pas à cette page.',
    'Not checked. Download the bundle to verify it.':
      'Non vérifié. Téléchargez l’archive pour vérifier.',
    'Not checked: {why}. Download the bundle to verify it.':
      'Non vérifié : {why}. Téléchargez l’archive pour vérifier.',
    '{count} records verify; {waiting} are not signed yet.':
      '{count} enregistrements sont vérifiés, {waiting} ne sont pas encore signés.',
    'The only record verifies: its signature and its place in the log were checked in this browser.':
      'Le seul enregistrement est vérifié : signature et place dans le journal, dans ce navigateur.',
    'All {count} records verify: signatures, links and places in the log were checked in this browser.':
      'Les {count} enregistrements sont vérifiés : signatures, enchaînement et places dans le journal, dans ce navigateur.',
  },
};

export const auditWords: Record<Language, AuditWords> = { en, de, fr };
