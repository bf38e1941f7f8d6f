/** Texts about passkeys in the console, by language. */
import { inEachLanguage } from '../../../presenters/in-each-language.ts';

export const passkeyWords = inEachLanguage({
  en: {
    title: 'Passkey',
    needsScript: 'A passkey needs JavaScript.',
    signIn: {
      lead: 'Use a passkey that you registered in the settings of the console.',
      button: 'Sign in with a passkey',
      wrong:
        'No passkey was used, or it is not known here or was revoked. Try again, or sign in with a key.',
    },
    register: {
      lead: 'A passkey signs you in without a key, and is asked for before money, keys, approvals and erasure. It is listed among the keys, where you can revoke it.',
      label: 'Name of the device',
      button: 'Register a passkey',
      wrong: 'The passkey was not registered. Try again.',
    },
    confirm: {
      title: 'Confirm with your passkey',
      lead: 'What you asked for needs your passkey. You are asked again after ten minutes.',
      button: 'Confirm',
      wrong:
        'No passkey was used, or it cannot confirm this for your account, or its key is frozen. Try again, or use another one.',
    },
  },
  de: {
    title: 'Passkey',
    needsScript: 'Ein Passkey braucht JavaScript.',
    signIn: {
      lead: 'Verwenden Sie einen Passkey, den Sie in den Einstellungen der Konsole angelegt haben.',
      button: 'Mit Passkey anmelden',
      wrong:
        'Es wurde kein Passkey verwendet, oder er ist hier nicht bekannt oder wurde widerrufen. Versuchen Sie es noch einmal, oder melden Sie sich mit einem Schlüssel an.',
    },
    register: {
      lead: 'Ein Passkey meldet Sie ohne Schlüssel an und wird vor Geld, Schlüsseln, Freigaben und Löschungen verlangt. Er steht bei den Schlüsseln; dort können Sie ihn widerrufen.',
      label: 'Name des Geräts',
      button: 'Passkey anlegen',
      wrong: 'Der Passkey wurde nicht angelegt. Versuchen Sie es noch einmal.',
    },
    confirm: {
      title: 'Mit Passkey bestätigen',
      lead: 'Dafür brauchen Sie Ihren Passkey. Nach zehn Minuten werden Sie wieder gefragt.',
      button: 'Bestätigen',
      wrong:
        'Es wurde kein Passkey verwendet, oder er kann dies für Ihr Konto nicht bestätigen, oder sein Schlüssel ist eingefroren. Versuchen Sie es noch einmal, oder verwenden Sie einen anderen.',
    },
  },
  fr: {
    title: 'Clé d’accès',
    needsScript: 'Une clé d’accès a besoin de JavaScript.',
    signIn: {
      lead: 'Utilisez une clé d’accès enregistrée dans les réglages de la console.',
      button: 'Se connecter avec une clé d’accès',
      wrong:
        'Aucune clé d’accès n’a été utilisée, ou elle est inconnue ici ou a été révoquée. Réessayez, ou connectez-vous avec une clé API.',
    },
    register: {
      lead: 'Une clé d’accès vous connecte sans clé API. Elle est demandée avant les opérations d’argent, de clés, d’approbation et d’effacement. Elle figure parmi les clés, où vous pouvez la révoquer.',
      label: 'Nom de l’appareil',
      button: 'Enregistrer une clé d’accès',
      wrong: 'La clé d’accès n’a pas été enregistrée. Réessayez.',
    },
    confirm: {
      title: 'Confirmer avec votre clé d’accès',
      lead: 'Cette action demande votre clé d’accès. Elle est redemandée après dix minutes.',
      button: 'Confirmer',
      wrong:
        'Aucune clé d’accès n’a été utilisée, ou elle ne peut pas confirmer cette demande pour votre compte, ou sa clé API est gelée. Réessayez, ou utilisez-en une autre.',
    },
  },
});
