/** Texts of the sign-in page, by language. */
import { inEachLanguage } from '../../../presenters/in-each-language.ts';
import { labels } from '../../../presenters/labels.ts';

export const signInWords = inEachLanguage({
  en: {
    title: labels.signIn.en,
    lead: 'Paste an API key of your account. You can do here what the key can do.',
    key: 'API key',
    hint: 'The console keeps only a hash of the key. You are signed out after an hour without use, after 12 hours, and when the key ends.',
    button: labels.signIn.en,
    wrongKey: 'This API key is not valid. Check that it is complete, and that it was not revoked.',
    /** Why nobody can sign in at an address without https. */
    insecure: {
      title: 'The console needs https',
      detail:
        'Your key would travel in clear text, because this service has no https address. Ask the operator to set BASE_URL to one.',
    },
    languages: 'Language',
    /** A link by e-mail. */
    mail: {
      title: 'Sign in by e-mail',
      lead: 'You get a link that works once. Your address must be confirmed.',
      email: 'E-mail address of the account',
      button: 'Send a link',
      asked:
        'If this is the confirmed address of an account, a link is on its way to it. An account gets at most one link in 15 minutes.',
    },
    /** The page of a link that signs in once. */
    link: {
      title: 'Sign in with a link',
      lead: 'The link works once. It lets you do what the sender of the link allows.',
      code: 'Code of the link',
      hint: 'The part of the link after “#token=”. You can also paste the whole link.',
      used: 'This link is not valid. It was used, it has expired, or it was revoked. Ask for another one.',
    },
  },
  de: {
    title: labels.signIn.de,
    lead: 'Fügen Sie einen API-Schlüssel Ihres Kontos ein. Sie können hier, was der Schlüssel kann.',
    key: 'API-Schlüssel',
    hint: 'Die Konsole behält nur einen Hash des Schlüssels. Sie werden nach einer Stunde ohne Nutzung, nach 12 Stunden und beim Ende des Schlüssels abgemeldet.',
    button: labels.signIn.de,
    wrongKey:
      'Dieser API-Schlüssel gilt nicht. Prüfen Sie, ob er vollständig ist und nicht widerrufen wurde.',
    insecure: {
      title: 'Die Konsole braucht https',
      detail:
        'Ihr Schlüssel würde unverschlüsselt übertragen, weil dieser Dienst keine https-Adresse hat. Bitten Sie den Betreiber, BASE_URL auf eine zu setzen.',
    },
    languages: 'Sprache',
    mail: {
      title: 'Mit E-Mail anmelden',
      lead: 'Sie bekommen einen Link, der einmal gilt. Ihre Adresse muss bestätigt sein.',
      email: 'E-Mail-Adresse des Kontos',
      button: 'Link senden',
      asked:
        'Wenn das die bestätigte Adresse eines Kontos ist, ist ein Link unterwegs. Ein Konto bekommt höchstens einen Link in 15 Minuten.',
    },
    link: {
      title: 'Mit einem Link anmelden',
      lead: 'Der Link gilt einmal. Sie können damit, was der Absender des Links erlaubt.',
      code: 'Code des Links',
      hint: 'Der Teil des Links nach „#token=“. Sie können auch den ganzen Link einfügen.',
      used: 'Dieser Link gilt nicht. Er wurde benutzt, ist abgelaufen oder wurde widerrufen. Bitten Sie um einen neuen.',
    },
  },
  fr: {
    title: labels.signIn.fr,
    lead: 'Collez une clé API de votre compte. Vous pouvez faire ici ce que la clé permet.',
    key: 'Clé API',
    hint: 'La console ne garde qu’une empreinte de la clé. La session prend fin après une heure sans activité, après 12 heures et avec la clé.',
    button: labels.signIn.fr,
    wrongKey:
      'Cette clé API n’est pas valide. Vérifiez qu’elle est complète et qu’elle n’a pas été révoquée.',
    insecure: {
      title: 'La console a besoin de https',
      detail:
        'Votre clé circulerait en clair, car ce service n’a pas d’adresse https. Demandez à l’exploitant d’en donner une à BASE_URL.',
    },
    languages: 'Langue',
    mail: {
      title: 'Se connecter par e-mail',
      lead: 'Vous recevez un lien qui sert une fois. Votre adresse doit être confirmée.',
      email: 'Adresse e-mail du compte',
      button: 'Envoyer un lien',
      asked:
        'Si c’est l’adresse confirmée d’un compte, un lien est en route. Un compte reçoit au plus un lien toutes les 15 minutes.',
    },
    link: {
      title: 'Se connecter avec un lien',
      lead: 'Le lien sert une fois. Il permet ce que son expéditeur autorise.',
      code: 'Code du lien',
      hint: 'La partie du lien après « #token= ». Vous pouvez aussi coller le lien entier.',
      used: 'Ce lien n’est pas valable. Il a été utilisé, il a expiré ou il a été révoqué. Demandez-en un autre.',
    },
  },
});
