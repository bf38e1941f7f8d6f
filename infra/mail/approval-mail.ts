/** The mail that asks an approver for a decision. It contains no text of callers, who can name its recipient. */
import type { MicroUsd } from '../../money/amounts.ts';
import { countries } from '../../postal/countries.ts';
import { fullNameOf, services } from '../../postal/services.ts';
import { type Language, localeOf } from '../../postal/stationery.ts';
import type { CountryCode, ServiceId } from '../../postal/types.ts';
import { dollarsIn } from './amount-words.ts';
import { layOutMail, type MailText } from './mail-layout.ts';

type Words = {
  subject: string;
  told(until: string): readonly string[];
  test: string;
  link: string;
  facts: Record<'price' | 'service' | 'country' | 'pages' | 'account' | 'approval', string>;
};

const words: Record<Language, Words> = {
  en: {
    subject: 'A letter waits for your approval',
    told: (until) => [
      `A policy of the account below lets this letter wait until you approve it. Without a decision it is not sent: the request expires on ${until}.`,
      'The link shows the letter with its recipient and price. Opening it decides nothing. Anyone who has the link can decide, so do not forward this e-mail.',
      'If you do not know this account, you need not do anything.',
    ],
    test: 'TEST: this is about a test account; nothing is printed.',
    link: 'Look at the letter and decide',
    facts: {
      price: 'Price',
      service: 'Service',
      country: 'Country',
      pages: 'Pages',
      account: 'Account',
      approval: 'Approval',
    },
  },
  de: {
    subject: 'Ein Brief wartet auf Ihre Freigabe',
    told: (until) => [
      `Nach einer Regel des unten genannten Kontos wartet dieser Brief auf Ihre Freigabe. Ohne Entscheidung wird er nicht verschickt: Die Anfrage läuft am ${until} ab.`,
      'Der Link zeigt den Brief mit Empfänger und Preis. Das Öffnen entscheidet nichts. Wer den Link hat, kann entscheiden; leiten Sie diese E-Mail deshalb nicht weiter.',
      'Wenn Sie dieses Konto nicht kennen, brauchen Sie nichts zu tun.',
    ],
    test: 'TEST: Es geht um ein Testkonto; gedruckt wird nichts.',
    link: 'Brief ansehen und entscheiden',
    facts: {
      price: 'Preis',
      service: 'Versandart',
      country: 'Land',
      pages: 'Seiten',
      account: 'Konto',
      approval: 'Freigabe',
    },
  },
  fr: {
    subject: 'Une lettre attend votre approbation',
    told: (until) => [
      `Selon une règle du compte ci-dessous, cette lettre attend votre approbation. Sans décision, elle n’est pas envoyée : la demande expire le ${until}.`,
      'Le lien montre la lettre, son destinataire et son prix. L’ouvrir ne décide de rien. Toute personne qui a le lien peut décider : ne transférez pas cet e-mail.',
      'Si vous ne connaissez pas ce compte, vous n’avez rien à faire.',
    ],
    test: 'TEST : il s’agit d’un compte de test ; rien n’est imprimé.',
    link: 'Voir la lettre et décider',
    facts: {
      price: 'Prix',
      service: 'Service',
      country: 'Pays',
      pages: 'Pages',
      account: 'Compte',
      approval: 'Approbation',
    },
  },
};

type ApprovalMail = {
  language?: Language | undefined;
  test: boolean;
  accountId: string;
  approvalId: string;
  priceMicro: MicroUsd;
  service: string;
  country: string;
  pages: number;
  /** RFC 3339. */
  expiresAt: string;
  /** With the token. */
  url: string;
};

/** The region's name in the language of the reader. */
const countryIn = (language: Language, country: string): string =>
  new Intl.DisplayNames([language], { type: 'region' }).of(country) ??
  countries[country as CountryCode].name;

export const approvalMail = (mail: ApprovalMail): MailText => {
  const { language = 'en', test, expiresAt } = mail;
  const { subject, told, link, facts, test: testNote } = words[language];
  const until = new Intl.DateTimeFormat(localeOf(language, 'GB'), {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(new Date(expiresAt));
  return layOutMail({
    language,
    subject: test ? `[TEST] ${subject}` : subject,
    paragraphs: [...told(`${until} UTC`), ...(test ? [testNote] : [])],
    facts: [
      [facts.price, dollarsIn(language, mail.priceMicro)],
      [facts.service, fullNameOf(services[mail.service as ServiceId])],
      [facts.country, countryIn(language, mail.country)],
      [facts.pages, String(mail.pages)],
      [facts.account, mail.accountId],
      [facts.approval, mail.approvalId],
    ],
    links: [{ label: link, url: mail.url }],
  });
};
