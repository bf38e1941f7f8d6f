/** What every page of the console says, by language. */
import type { Language } from '../../postal/stationery.ts';

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
  'rejected',
  'policy_saved',
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
  back: string;
  done: Record<Done, string>;
};

export const frameWords: Record<Language, FrameWords> = {
  en: {
    console: 'Console',
    skip: 'Skip to the content',
    rooms: {
      letters: 'Letters',
      write: 'Write',
      wallet: 'Wallet',
      contracts: 'Contracts',
      limits: 'Limits',
      approvals: 'Approvals',
      keys: 'Keys',
      webhooks: 'Webhooks',
      requests: 'Requests',
      settings: 'Settings',
    },
    signOut: 'Sign out',
    test: 'Test account: nothing is printed, and the money is test money.',
    refused: 'This was not done',
    notFound: {
      title: 'There is no such page',
      detail: 'Check the address. Pages of other accounts are not shown.',
    },
    crossSite: {
      title: 'This form came from another site',
      detail: 'Nothing was done. Open the console and send the form there.',
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
      policy_saved: 'The policy was saved.',
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
    },
  },
  de: {
    console: 'Konsole',
    skip: 'Zum Inhalt springen',
    rooms: {
      letters: 'Briefe',
      write: 'Schreiben',
      wallet: 'Guthaben',
      contracts: 'Verträge',
      limits: 'Grenzen',
      approvals: 'Freigaben',
      keys: 'Schlüssel',
      webhooks: 'Webhooks',
      requests: 'Anfragen',
      settings: 'Einstellungen',
    },
    signOut: 'Abmelden',
    test: 'Testkonto: Nichts wird gedruckt, und das Geld ist Testgeld.',
    refused: 'Das wurde nicht ausgeführt',
    notFound: {
      title: 'Diese Seite gibt es nicht',
      detail: 'Prüfen Sie die Adresse. Seiten anderer Konten werden nicht gezeigt.',
    },
    crossSite: {
      title: 'Dieses Formular kam von einer fremden Seite',
      detail:
        'Es wurde nichts ausgeführt. Öffnen Sie die Konsole und senden Sie das Formular dort.',
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
      policy_saved: 'Die Regeln wurden gespeichert.',
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
    },
  },
  fr: {
    console: 'Console',
    skip: 'Aller au contenu',
    rooms: {
      letters: 'Lettres',
      write: 'Écrire',
      wallet: 'Solde',
      contracts: 'Contrats',
      limits: 'Limites',
      approvals: 'Approbations',
      keys: 'Clés',
      webhooks: 'Webhooks',
      requests: 'Requêtes',
      settings: 'Réglages',
    },
    signOut: 'Se déconnecter',
    test: 'Compte de test : rien n’est imprimé et l’argent est fictif.',
    refused: 'Cela n’a pas été fait',
    notFound: {
      title: 'Cette page n’existe pas',
      detail: 'Vérifiez l’adresse. Les pages d’autres comptes ne sont pas affichées.',
    },
    crossSite: {
      title: 'Ce formulaire vient d’un autre site',
      detail: 'Rien n’a été fait. Ouvrez la console et envoyez-y le formulaire.',
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
      policy_saved: 'Les règles ont été enregistrées.',
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
    },
  },
};
