/** The words of the operator's sign-in page, by language. */
import { inEachLanguage } from '../../../presenters/in-each-language.ts';
import { labels } from '../../../presenters/labels.ts';

export const operatorSignInWords = inEachLanguage({
  en: {
    title: labels.signIn.en,
    lead: (service: string) =>
      `Sign in to look after ${service}. The session ends after an hour without use, and after 12 hours.`,
    insecure:
      'The console needs https: a session would travel in clear text. Set BASE_URL to an https address.',
    provider: 'Sign in with your organisation',
    link: 'Link or code',
    hint: 'Run: npm run operator -- console-link. The link works once, for 15 minutes.',
    button: labels.signIn.en,
    used: 'This link does not work. It was used, is older than 15 minutes, or is not whole.',
    languages: 'Language',
  },
  de: {
    title: labels.signIn.de,
    lead: (service) =>
      `Melden Sie sich an, um ${service} zu betreiben. Die Sitzung endet nach einer Stunde ohne Nutzung und nach 12 Stunden.`,
    insecure:
      'Die Konsole braucht https: Eine Sitzung würde unverschlüsselt übertragen. Setzen Sie BASE_URL auf eine https-Adresse.',
    provider: 'Mit Ihrer Organisation anmelden',
    link: 'Link oder Code',
    hint: 'Führen Sie aus: npm run operator -- console-link. Der Link gilt einmal, 15 Minuten lang.',
    button: labels.signIn.de,
    used: 'Dieser Link gilt nicht. Er wurde benutzt, ist älter als 15 Minuten oder unvollständig.',
    languages: 'Sprache',
  },
  fr: {
    title: labels.signIn.fr,
    lead: (service) =>
      `Connectez-vous pour exploiter ${service}. La session prend fin après une heure sans activité et après 12 heures.`,
    insecure:
      'La console a besoin de https : une session circulerait en clair. Donnez à BASE_URL une adresse https.',
    provider: 'Se connecter avec votre organisation',
    link: 'Lien ou code',
    hint: 'Exécutez : npm run operator -- console-link. Le lien sert une fois, pendant 15 minutes.',
    button: labels.signIn.fr,
    used: 'Ce lien n’est pas valable. Il a été utilisé, a plus de 15 minutes ou est incomplet.',
    languages: 'Langue',
  },
});
