/**
 * The mail that asks an approver for a decision on a letter or on a change of a policy. It contains no text of
 * callers, who can name its recipient.
 */
import { accountSubject } from '../../contract/frozen.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import { countryIn } from '../../postal/countries.ts';
import { fullNameOf, services } from '../../postal/services.ts';
import { formatDate, type Language, localeOf } from '../../postal/stationery.ts';
import type { ServiceId } from '../../postal/types.ts';
import { inEachLanguage } from '../../presenters/in-each-language.ts';
import { labels } from '../../presenters/labels.ts';
import { dollarsIn } from './amount-words.ts';
import { layOutMail, type MailText } from './mail-layout.ts';

type Said = { subject: string; told(until: string): readonly string[]; link: string };

const words = inEachLanguage({
  en: {
    letter: {
      subject: 'A letter waits for your approval',
      told: (until) => [
        `A policy of the account below lets this letter wait until you approve it. Without a decision it is not sent: the request expires on ${until}.`,
        'The link shows the letter with its recipient and price. Opening it decides nothing. Anyone who has the link can decide, so do not forward this e-mail.',
        'If you do not know this account, you need not do anything.',
      ],
      link: 'Look at the letter and decide',
    } satisfies Said,
    policy_change: {
      subject: 'A change of spending rules waits for your approval',
      told: (until) => [
        `Someone asks to change a policy of the account below, which says what may be sent and spent. Without your approval nothing changes: the request expires on ${until}.`,
        'The link shows the policy as it is and as it would be. Opening it decides nothing. Anyone who has the link can decide, so do not forward this e-mail.',
        'If you do not know this account, you need not do anything.',
      ],
      link: 'Look at the change and decide',
    } satisfies Said,
    test: 'TEST: this is about a test account; nothing is printed.',
    facts: {
      price: 'Price',
      service: 'Service',
      country: 'Country',
      pages: 'Pages',
      policy: labels.policyOf.en,
      account: 'Account',
      approval: 'Approval',
    },
    /** The policy of the account itself. */
    ofAccount: 'the whole account',
  },
  de: {
    letter: {
      subject: 'Ein Brief wartet auf Ihre Freigabe',
      told: (until) => [
        `Nach einer Regel des unten genannten Kontos wartet dieser Brief auf Ihre Freigabe. Ohne Entscheidung wird er nicht verschickt: Die Anfrage läuft am ${until} ab.`,
        'Der Link zeigt den Brief mit Empfänger und Preis. Das Öffnen entscheidet nichts. Wer den Link hat, kann entscheiden; leiten Sie diese E-Mail deshalb nicht weiter.',
        'Wenn Sie dieses Konto nicht kennen, brauchen Sie nichts zu tun.',
      ],
      link: 'Brief ansehen und entscheiden',
    },
    policy_change: {
      subject: 'Eine Änderung von Ausgaberegeln wartet auf Ihre Freigabe',
      told: (until) => [
        `Jemand möchte die Regeln des unten genannten Kontos ändern, die festlegen, was verschickt und ausgegeben werden darf. Ohne Ihre Freigabe ändert sich nichts: Die Anfrage läuft am ${until} ab.`,
        'Der Link zeigt die Regeln, wie sie sind und wie sie wären. Das Öffnen entscheidet nichts. Wer den Link hat, kann entscheiden; leiten Sie diese E-Mail deshalb nicht weiter.',
        'Wenn Sie dieses Konto nicht kennen, brauchen Sie nichts zu tun.',
      ],
      link: 'Änderung ansehen und entscheiden',
    },
    test: 'TEST: Es geht um ein Testkonto; gedruckt wird nichts.',
    facts: {
      price: 'Preis',
      service: 'Versandart',
      country: 'Land',
      pages: 'Seiten',
      policy: labels.policyOf.de,
      account: 'Konto',
      approval: 'Freigabe',
    },
    ofAccount: 'das ganze Konto',
  },
  fr: {
    letter: {
      subject: 'Une lettre attend votre approbation',
      told: (until) => [
        `Selon une règle du compte ci-dessous, cette lettre attend votre approbation. Sans décision, elle n’est pas envoyée : la demande expire le ${until}.`,
        'Le lien montre la lettre, son destinataire et son prix. L’ouvrir ne décide de rien. Toute personne qui a le lien peut décider : ne transférez pas cet e-mail.',
        'Si vous ne connaissez pas ce compte, vous n’avez rien à faire.',
      ],
      link: 'Voir la lettre et décider',
    },
    policy_change: {
      subject: 'Une modification des règles de dépense attend votre approbation',
      told: (until) => [
        `Quelqu’un demande de modifier les règles du compte ci-dessous, qui fixent ce qui peut être envoyé et dépensé. Sans votre approbation, rien ne change : la demande expire le ${until}.`,
        'Le lien montre les règles telles qu’elles sont et telles qu’elles seraient. L’ouvrir ne décide de rien. Toute personne qui a le lien peut décider : ne transférez pas cet e-mail.',
        'Si vous ne connaissez pas ce compte, vous n’avez rien à faire.',
      ],
      link: 'Voir la modification et décider',
    },
    test: 'TEST : il s’agit d’un compte de test ; rien n’est imprimé.',
    facts: {
      price: 'Prix',
      service: 'Service',
      country: 'Pays',
      pages: 'Pages',
      policy: labels.policyOf.fr,
      account: 'Compte',
      approval: 'Approbation',
    },
    ofAccount: 'tout le compte',
  },
});

type ApprovalMail = {
  language?: Language | undefined;
  test: boolean;
  accountId: string;
  approvalId: string;
  about:
    | { kind: 'letter'; priceMicro: MicroUsd; service: string; country: string; pages: number }
    /** `policy`: its subject. */
    | { kind: 'policy_change'; policy: string };
  /** RFC 3339. */
  expiresAt: string;
  /** With the token. */
  url: string;
};

const factsOf = ({ about, language = 'en' }: ApprovalMail): [string, string][] => {
  const { facts, ofAccount } = words[language];
  if (about.kind === 'policy_change') {
    return [[facts.policy, about.policy === accountSubject ? ofAccount : about.policy]];
  }
  return [
    [facts.price, dollarsIn(language, about.priceMicro)],
    [facts.service, fullNameOf(services[about.service as ServiceId])],
    [facts.country, countryIn(language, about.country)],
    [facts.pages, String(about.pages)],
  ];
};

export const approvalMail = (mail: ApprovalMail): MailText => {
  const { language = 'en', test, expiresAt, about } = mail;
  const { facts, test: testNote, ...said } = words[language];
  const { subject, told, link } = said[about.kind];
  const until = formatDate(new Date(expiresAt), localeOf(language, 'GB'), {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  return layOutMail({
    language,
    subject,
    test,
    paragraphs: [...told(`${until} UTC`), ...(test ? [testNote] : [])],
    facts: [...factsOf(mail), [facts.account, mail.accountId], [facts.approval, mail.approvalId]],
    links: [{ label: link, url: mail.url }],
  });
};
