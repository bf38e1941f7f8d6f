/** Texts that every page of the console has, by language. */
import type { Language } from '../../postal/stationery.ts';
import { labels } from '../../presenters/labels.ts';

export const rooms = [
  'letters',
  'write',
  'wallet',
  'contracts',
  'limits',
  'approvals',
  'keys',
  'webhooks',
  'requests',
  'settings',
] as const;
export type Room = (typeof rooms)[number];

/** Results of forms, which the next page reports. The list is closed, because the word comes from the address. */
export const doneWords = [
  'sent',
  'drafted',
  'refilled',
  'held',
  'approved',
  'approval_recorded',
  'change_approval_recorded',
  'change_rejected',
  'rejected',
  'policy_saved',
  'policy_ended',
  'frozen',
  'unfrozen',
  'changed',
  'deleted',
  'link_revoked',
  'link_renewed',
  'cancelled',
  'cancel_requested',
  'key_revoked',
  'ucan_revoked',
  'settings_saved',
  'passkey_registered',
  'replayed',
  'tested',
  'replayed_failed',
  'replayed_some',
  'nothing_failed',
  'closing',
  'closure_withdrawn',
] as const;
export type Done = (typeof doneWords)[number];

type FrameWords = {
  console: string;
  skip: string;
  rooms: Record<Room, string>;
  signOut: string;
  test: string;
  refused: string;
  notFound: { title: string; detail: string };
  crossSite: { title: string; detail: string };
  otherAccount: { title: string; detail: string };
  back: string;
  done: Record<Done, string>;
};

export const frameWords: Record<Language, FrameWords> = {
  en: {
    console: 'Console',
    skip: labels.skipToContent.en,
    rooms: {
      letters: labels.letters.en,
      write: 'Write',
      wallet: 'Wallet',
      contracts: 'Contracts',
      limits: 'Limits',
      approvals: labels.approvals.en,
      keys: 'Keys',
      webhooks: 'Webhooks',
      requests: 'Requests',
      settings: 'Settings',
    },
    signOut: labels.signOut.en,
    test: 'Test account: nothing is printed, and the money is test money.',
    refused: labels.notDone.en,
    notFound: {
      title: 'There is no such page',
      detail: 'Check the address. Pages of other accounts are not shown.',
    },
    crossSite: {
      title: 'This form came from another site',
      detail: 'Nothing was done. Open the console and send the form there.',
    },
    otherAccount: {
      title: 'This form belongs to another account',
      detail:
        'Nothing was done. This browser signed in to another account after the form was opened. Sign in to the account of the form, or open the form again for this account.',
    },
    back: 'Back to the letters',
    done: {
      sent: 'The letter was sent.',
      drafted: 'The letter was kept as a draft.',
      refilled: 'The test money was filled up.',
      held: 'The letter waits for approval.',
      approved: 'The letter was approved and sent.',
      approval_recorded: 'Your approval was recorded. The letter waits for another one.',
      rejected: 'The letter was rejected. It is a draft again.',
      change_approval_recorded: 'Your approval was recorded. The change waits for another one.',
      change_rejected: 'The change was rejected. The policy stays as it is.',
      policy_saved: 'The policy was saved.',
      policy_ended: 'The policy has ended: every letter is allowed.',
      frozen: 'It is frozen.',
      unfrozen: 'It is no longer frozen.',
      changed: 'The letter was changed.',
      deleted: 'The letter was deleted.',
      link_revoked: 'The link was revoked.',
      link_renewed: 'The link was replaced.',
      cancelled: 'The letter was cancelled.',
      cancel_requested: 'The print house was asked to stop the letter.',
      key_revoked: 'The key was revoked.',
      ucan_revoked: 'The UCAN was revoked.',
      settings_saved: 'The settings were saved.',
      passkey_registered: 'The passkey was registered.',
      replayed: 'The message will be sent again.',
      tested: 'The test message will be sent.',
      replayed_failed: 'The failed messages will be sent again.',
      replayed_some: '50 failed messages will be sent again. Send the form again for the others.',
      nothing_failed: 'No message failed since then.',
      closing: labels.accountIsClosing.en,
      closure_withdrawn: 'The account goes on.',
    },
  },
  de: {
    console: 'Konsole',
    skip: labels.skipToContent.de,
    rooms: {
      letters: labels.letters.de,
      write: 'Schreiben',
      wallet: 'Guthaben',
      contracts: 'Verträge',
      limits: 'Grenzen',
      approvals: labels.approvals.de,
      keys: 'Schlüssel',
      webhooks: 'Webhooks',
      requests: 'Anfragen',
      settings: 'Einstellungen',
    },
    signOut: labels.signOut.de,
    test: 'Testkonto: Nichts wird gedruckt, und das Geld ist Testgeld.',
    refused: labels.notDone.de,
    notFound: {
      title: 'Diese Seite gibt es nicht',
      detail: 'Prüfen Sie die Adresse. Seiten anderer Konten werden nicht gezeigt.',
    },
    crossSite: {
      title: 'Dieses Formular kam von einer fremden Seite',
      detail:
        'Es wurde nichts ausgeführt. Öffnen Sie die Konsole und senden Sie das Formular dort.',
    },
    otherAccount: {
      title: 'Dieses Formular gehört zu einem anderen Konto',
      detail:
        'Es wurde nichts ausgeführt. In diesem Browser wurde ein anderes Konto angemeldet, nachdem das Formular geöffnet war. Melden Sie sich beim Konto des Formulars an, oder öffnen Sie das Formular für dieses Konto neu.',
    },
    back: 'Zurück zu den Briefen',
    done: {
      sent: 'Der Brief wurde abgeschickt.',
      drafted: 'Der Brief wurde als Entwurf gespeichert.',
      refilled: 'Das Testgeld wurde aufgefüllt.',
      held: 'Der Brief wartet auf Freigabe.',
      approved: 'Der Brief wurde freigegeben und abgeschickt.',
      approval_recorded: 'Ihre Freigabe wurde vermerkt. Der Brief wartet auf eine weitere.',
      rejected: 'Der Brief wurde abgelehnt. Er ist wieder ein Entwurf.',
      change_approval_recorded:
        'Ihre Freigabe wurde vermerkt. Die Änderung wartet auf eine weitere.',
      change_rejected: 'Die Änderung wurde abgelehnt. Die Regeln bleiben, wie sie sind.',
      policy_saved: 'Die Regeln wurden gespeichert.',
      policy_ended: 'Die Regeln gelten nicht mehr: Jeder Brief ist erlaubt.',
      frozen: 'Die Sperre gilt.',
      unfrozen: 'Die Sperre ist aufgehoben.',
      changed: 'Der Brief wurde geändert.',
      deleted: 'Der Brief wurde gelöscht.',
      link_revoked: 'Der Link wurde widerrufen.',
      link_renewed: 'Der Link wurde ersetzt.',
      cancelled: 'Der Brief wurde storniert.',
      cancel_requested: 'Die Druckerei wurde gebeten, den Brief anzuhalten.',
      key_revoked: 'Der Schlüssel wurde widerrufen.',
      ucan_revoked: 'Die UCAN wurde widerrufen.',
      settings_saved: 'Die Einstellungen wurden gespeichert.',
      passkey_registered: 'Der Passkey wurde angelegt.',
      replayed: 'Die Nachricht wird noch einmal gesendet.',
      tested: 'Die Testnachricht wird gesendet.',
      replayed_failed: 'Die fehlgeschlagenen Nachrichten werden noch einmal gesendet.',
      replayed_some:
        '50 fehlgeschlagene Nachrichten werden noch einmal gesendet. Senden Sie das Formular für die übrigen noch einmal.',
      nothing_failed: 'Seitdem ist keine Nachricht fehlgeschlagen.',
      closing: labels.accountIsClosing.de,
      closure_withdrawn: 'Das Konto bleibt bestehen.',
    },
  },
  fr: {
    console: 'Console',
    skip: labels.skipToContent.fr,
    rooms: {
      letters: labels.letters.fr,
      write: 'Écrire',
      wallet: 'Solde',
      contracts: 'Contrats',
      limits: 'Limites',
      approvals: labels.approvals.fr,
      keys: 'Clés',
      webhooks: 'Webhooks',
      requests: 'Requêtes',
      settings: 'Réglages',
    },
    signOut: labels.signOut.fr,
    test: 'Compte de test : rien n’est imprimé et l’argent est fictif.',
    refused: labels.notDone.fr,
    notFound: {
      title: 'Cette page n’existe pas',
      detail: 'Vérifiez l’adresse. Les pages d’autres comptes ne sont pas affichées.',
    },
    crossSite: {
      title: 'Ce formulaire vient d’un autre site',
      detail: 'Rien n’a été fait. Ouvrez la console et envoyez-y le formulaire.',
    },
    otherAccount: {
      title: 'Ce formulaire appartient à un autre compte',
      detail:
        'Rien n’a été fait. Un autre compte s’est connecté dans ce navigateur après l’ouverture du formulaire. Connectez-vous au compte du formulaire, ou rouvrez le formulaire pour ce compte.',
    },
    back: 'Retour aux lettres',
    done: {
      sent: 'La lettre a été envoyée.',
      drafted: 'La lettre a été gardée comme brouillon.',
      refilled: 'L’argent fictif a été remis.',
      held: 'La lettre attend une approbation.',
      approved: 'La lettre a été approuvée et envoyée.',
      approval_recorded: 'Votre approbation est notée. La lettre en attend une autre.',
      rejected: 'La lettre a été refusée. Elle est de nouveau un brouillon.',
      change_approval_recorded: 'Votre approbation est notée. La modification en attend une autre.',
      change_rejected: 'La modification a été refusée. Les règles restent telles qu’elles sont.',
      policy_saved: 'Les règles ont été enregistrées.',
      policy_ended: 'Les règles ne s’appliquent plus : toute lettre est permise.',
      frozen: 'Le gel est en place.',
      unfrozen: 'Le gel est levé.',
      changed: 'La lettre a été modifiée.',
      deleted: 'La lettre a été supprimée.',
      link_revoked: 'Le lien a été révoqué.',
      link_renewed: 'Le lien a été remplacé.',
      cancelled: 'La lettre a été annulée.',
      cancel_requested: 'L’imprimeur a été prié d’arrêter la lettre.',
      key_revoked: 'La clé a été révoquée.',
      ucan_revoked: 'L’UCAN a été révoqué.',
      settings_saved: 'Les réglages ont été enregistrés.',
      passkey_registered: 'La clé d’accès a été enregistrée.',
      replayed: 'Le message sera envoyé de nouveau.',
      tested: 'Le message de test sera envoyé.',
      replayed_failed: 'Les messages échoués seront renvoyés.',
      replayed_some:
        '50 messages échoués seront renvoyés. Envoyez de nouveau le formulaire pour les autres.',
      nothing_failed: 'Aucun message n’a échoué depuis.',
      closing: labels.accountIsClosing.fr,
      closure_withdrawn: 'Le compte est conservé.',
    },
  },
};
