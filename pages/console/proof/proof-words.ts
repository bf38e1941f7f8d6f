/** Texts of the page with the proof of a letter, by language. */
import type { Language } from '../../../postal/stationery.ts';
import { inEachLanguage } from '../../../presenters/in-each-language.ts';
import { labels } from '../../../presenters/labels.ts';
import { statusNames } from '../../../presenters/status-words.ts';

export const proofWords = inEachLanguage({
  en: {
    title: labels.proofAndLinks.en,
    facts: {
      level: 'Kind of proof',
      sent: statusNames.en.queued,
      posted: statusNames.en.posted,
      delivered: statusNames.en.delivered,
      commitment: 'Fingerprint of the content',
      credentials: 'Signed credentials',
    },
    certificate: 'Download the certificate',
    bundle: 'Download the history with its verifier',
    bundleHint: 'The archive contains a program that verifies the history offline.',
    tracking: {
      title: 'Link for the recipient',
      detail: 'The page shows where the letter is. It shows no names and no addresses.',
      none: 'The link is revoked.',
      renew: 'Replace the link',
      revoke: 'Revoke the link',
    },
    audit: {
      title: 'Links for auditors',
      detail: 'The page shows the signed history. It shows no names and no addresses.',
      make: 'Make a link for 30 days',
      made: 'Copy this link now. It is not shown again.',
      none: 'No link is open.',
      caption: 'Open links',
      created: 'Made',
      expires: labels.expires.en,
      end: 'End',
      revoke: 'Revoke',
    },
    back: labels.backToLetter.en,
  },
  de: {
    title: labels.proofAndLinks.de,
    facts: {
      level: 'Art des Nachweises',
      sent: statusNames.de.queued,
      posted: statusNames.de.posted,
      delivered: statusNames.de.delivered,
      commitment: 'Fingerabdruck des Inhalts',
      credentials: 'Signierte Nachweise',
    },
    certificate: 'Bescheinigung herunterladen',
    bundle: 'Verlauf mit Prüfprogramm herunterladen',
    bundleHint: 'Das Archiv enthält ein Programm, das den Verlauf ohne Netz prüft.',
    tracking: {
      title: 'Link für den Empfänger',
      detail: 'Die Seite zeigt, wo der Brief ist. Sie zeigt keine Namen und keine Adressen.',
      none: 'Der Link ist widerrufen.',
      renew: 'Link ersetzen',
      revoke: 'Link widerrufen',
    },
    audit: {
      title: 'Links für Prüfer',
      detail: 'Die Seite zeigt den signierten Verlauf. Sie zeigt keine Namen und keine Adressen.',
      make: 'Link für 30 Tage anlegen',
      made: 'Kopieren Sie diesen Link jetzt. Er wird nicht noch einmal gezeigt.',
      none: 'Kein Link ist offen.',
      caption: 'Offene Links',
      created: 'Angelegt',
      expires: labels.expires.de,
      end: 'Ende',
      revoke: 'Widerrufen',
    },
    back: labels.backToLetter.de,
  },
  fr: {
    title: labels.proofAndLinks.fr,
    facts: {
      level: 'Type de preuve',
      sent: statusNames.fr.queued,
      posted: statusNames.fr.posted,
      delivered: statusNames.fr.delivered,
      commitment: 'Empreinte du contenu',
      credentials: 'Attestations signées',
    },
    certificate: 'Télécharger le certificat',
    bundle: 'Télécharger l’historique et son vérificateur',
    bundleHint: 'L’archive contient un programme qui vérifie l’historique hors ligne.',
    tracking: {
      title: 'Lien pour le destinataire',
      detail: 'La page montre où est la lettre. Elle ne montre ni noms ni adresses.',
      none: 'Le lien est révoqué.',
      renew: 'Remplacer le lien',
      revoke: 'Révoquer le lien',
    },
    audit: {
      title: 'Liens pour les auditeurs',
      detail: 'La page montre l’historique signé. Elle ne montre ni noms ni adresses.',
      make: 'Créer un lien pour 30 jours',
      made: 'Copiez ce lien maintenant. Il n’est pas affiché une seconde fois.',
      none: 'Aucun lien n’est ouvert.',
      caption: 'Liens ouverts',
      created: 'Créé',
      expires: labels.expires.fr,
      end: 'Fin',
      revoke: 'Révoquer',
    },
    back: labels.backToLetter.fr,
  },
});

export type ProofWords = (typeof proofWords)[Language];
