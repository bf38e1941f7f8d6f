/** The mails about the end of an account. They contain no text of callers. Pure. English where no language is named. */
import type { Language } from '../../postal/stationery.ts';
import { inEachLanguage } from '../../presenters/in-each-language.ts';
import { labels } from '../../presenters/labels.ts';
import { layOutMail, type MailText } from './mail-layout.ts';

type About = { accountId: string; test: boolean; language?: Language | undefined };

const words = inEachLanguage({
  en: {
    test: labels.testAccount.en,
    account: 'Account',
    code: {
      subject: 'The code to close your account',
      told: [
        'Someone with a key of the account below asks to erase it, with its letters, keys and settings. The code confirms this. It is valid for at least 15 minutes.',
        'If this was not you, give the code to nobody, and revoke the keys of the account: somebody else has one.',
      ],
      code: 'Code',
    },
    erased: {
      subject: 'Your account was erased',
      told: [
        'The personal data of the account below was erased: letters, drafts, logos, keys, webhooks and settings. This address is erased next, so this is the last message about the account.',
        'Amounts, times and ids stay, as the law on bookkeeping requires; with the name of the account, they are kept under keys that are destroyed when that time is over. The certificate is a signed credential. It contains nothing personal, and everyone can check it.',
      ],
      certificate: 'Certificate',
      check: 'Check it here',
    },
  },
  de: {
    test: labels.testAccount.de,
    account: 'Konto',
    code: {
      subject: 'Der Code zum Schließen Ihres Kontos',
      told: [
        'Jemand mit einem Schlüssel des unten genannten Kontos möchte es mit seinen Briefen, Schlüsseln und Einstellungen löschen. Der Code bestätigt das. Er gilt mindestens 15 Minuten.',
        'Wenn Sie das nicht waren, geben Sie den Code niemandem und widerrufen Sie die Schlüssel des Kontos: Jemand anderes hat einen.',
      ],
      code: 'Code',
    },
    erased: {
      subject: 'Ihr Konto wurde gelöscht',
      told: [
        'Die personenbezogenen Daten des unten genannten Kontos wurden gelöscht: Briefe, Entwürfe, Logos, Schlüssel, Webhooks und Einstellungen. Als Nächstes wird diese Adresse gelöscht; dies ist also die letzte Nachricht zu diesem Konto.',
        'Beträge, Zeiten und Kennungen bleiben, wie es die Aufbewahrungspflichten verlangen; mit dem Namen des Kontos liegen sie unter Schlüsseln, die nach Ablauf der Frist vernichtet werden. Die Bescheinigung ist ein signierter Nachweis. Sie enthält nichts Persönliches, und jeder kann sie prüfen.',
      ],
      certificate: 'Bescheinigung',
      check: 'Hier prüfen',
    },
  },
  fr: {
    test: labels.testAccount.fr,
    account: 'Compte',
    code: {
      subject: 'Le code pour fermer votre compte',
      told: [
        'Une personne qui possède une clé du compte ci-dessous demande de l’effacer, avec ses lettres, ses clés et ses réglages. Le code le confirme. Il est valable au moins 15 minutes.',
        'Si ce n’était pas vous, ne donnez le code à personne et révoquez les clés du compte : quelqu’un d’autre en possède une.',
      ],
      code: 'Code',
    },
    erased: {
      subject: 'Votre compte a été effacé',
      told: [
        'Les données personnelles du compte ci-dessous ont été effacées : lettres, brouillons, logos, clés, webhooks et réglages. Cette adresse est effacée ensuite ; ceci est donc le dernier message au sujet de ce compte.',
        'Les montants, les dates et les identifiants restent, comme l’exigent les règles comptables ; avec le nom du compte, ils sont conservés sous des clés qui sont détruites à la fin du délai. Le certificat est une attestation signée. Il ne contient rien de personnel, et chacun peut le vérifier.',
      ],
      certificate: 'Certificat',
      check: 'Vérifiez-le ici',
    },
  },
});

const wordsFor = ({ test, language = 'en' }: About) => ({
  language,
  own: words[language],
  testNote: test ? [words[language].test] : [],
});

export const closureCodeMail = (about: About & { code: string }): MailText => {
  const { language, own, testNote } = wordsFor(about);
  return layOutMail({
    language,
    subject: own.code.subject,
    test: about.test,
    paragraphs: [...own.code.told, ...testNote],
    facts: [
      [own.code.code, about.code],
      [own.account, about.accountId],
    ],
  });
};

/** @param about.certificate JWT of the credential @param about.url where it is shown and checked */
export const accountErasedMail = (
  about: About & { certificate: string; url: string },
): MailText => {
  const { language, own, testNote } = wordsFor(about);
  const { subject, told, certificate, check } = own.erased;
  return layOutMail({
    language,
    subject,
    test: about.test,
    paragraphs: [...told, ...testNote],
    facts: [
      [own.account, about.accountId],
      [certificate, about.certificate],
    ],
    links: [{ label: check, url: about.url }],
  });
};
