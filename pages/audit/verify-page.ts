/** The page for a stranger with a certificate in hand: its facts, and whether their signatures hold. */

import type { AuditHistory, PublishedIdentity } from '../../identity/audit-history.ts';
import { countries } from '../../postal/countries.ts';
import { formatDate, type Language, localeOf } from '../../postal/stationery.ts';
import type { CountryCode } from '../../postal/types.ts';
import type { endingsOf } from '../../presenters/certificate.ts';
import { certificateWords } from '../../presenters/certificate-words.ts';
import { inEachLanguage } from '../../presenters/in-each-language.ts';
import { labels } from '../../presenters/labels.ts';
import type { presentProof } from '../../presenters/proof.ts';
import { type ShownStatus, statusNames } from '../../presenters/status-words.ts';
import { fact } from '../fact.ts';
import { type Html, html } from '../html.ts';
import { layout } from '../layout.ts';
import { nothingPage } from '../nothing-page.ts';
import type { PageService } from '../sheet-page.ts';

const words = inEachLanguage({
  en: {
    kind: 'Certificate',
    title: 'Is this certificate genuine?',
    lead: 'Compare this page with the certificate in your hand. Names, addresses and content are not part of this page.',
    verification: 'Verification',
    good: (count: number) =>
      count === 1
        ? 'Genuine: this service signed the only record of this letter, and it is in its public log. Checked just now.'
        : `Genuine: this service signed the ${count} records of this letter, they are complete, and they are in its public log. Checked just now.`,
    /** The result if only some of the signatures were checked. */
    goodOf: (checked: number, count: number) =>
      `No error found: this service signed the latest ${checked} of the ${count} records of this letter, and they are in its public log. Checked just now. To verify the signatures of the earlier records, download the bundle.`,
    bad: 'Not genuine: the records of this letter cannot be verified. Do not rely on the certificate; ask the operator.',
    waiting: 'The latest records are still being signed. Load the page again in a moment.',
    bundle: 'Download the bundle',
    offline:
      'You do not need to trust this page. The bundle contains the records, their signatures and a program (Node.js) that verifies them offline, against keys that you download yourself from the DID document of the service.',
    facts: 'What the records show',
    nothing: {
      title: labels.nothingHere.en,
      detail:
        'This code opens no certificate. Part of it may be missing. Scan it again, or type the whole address.',
    },
  },
  de: {
    kind: 'Bescheinigung',
    title: 'Ist diese Bescheinigung echt?',
    lead: 'Vergleichen Sie diese Angaben mit der Bescheinigung, die Ihnen vorliegt. Namen, Anschriften und Inhalt stehen nicht auf dieser Seite.',
    verification: 'Prüfung',
    good: (count) =>
      count === 1
        ? 'Echt: Der einzige Eintrag zu diesem Brief ist von diesem Dienst signiert und steht in seinem öffentlichen Protokoll. Soeben geprüft.'
        : `Echt: Die ${count} Einträge zu diesem Brief sind von diesem Dienst signiert, lückenlos und stehen in seinem öffentlichen Protokoll. Soeben geprüft.`,
    goodOf: (checked, count) =>
      `Kein Fehler gefunden: Die letzten ${checked} der ${count} Einträge zu diesem Brief sind von diesem Dienst signiert und stehen in seinem öffentlichen Protokoll. Soeben geprüft. Um die Signaturen der früheren Einträge zu prüfen, laden Sie das Paket herunter.`,
    bad: 'Nicht echt: Die Einträge zu diesem Brief halten der Prüfung nicht stand. Verlassen Sie sich nicht auf die Bescheinigung; fragen Sie den Betreiber.',
    waiting: 'Die jüngsten Einträge werden noch signiert. Laden Sie die Seite gleich noch einmal.',
    bundle: 'Paket herunterladen',
    offline:
      'Sie müssen dieser Seite nicht vertrauen: Das Paket enthält die Einträge, ihre Signaturen und ein Programm (Node.js), das sie ohne Netz prüft, gegen Schlüssel, die Sie selbst aus dem DID-Dokument des Dienstes holen.',
    facts: 'Was die Einträge zeigen',
    nothing: {
      title: labels.nothingHere.de,
      detail:
        'Dieser Code öffnet keine Bescheinigung. Vielleicht wurde er nur zum Teil kopiert; scannen Sie ihn erneut oder geben Sie die ganze Adresse ein.',
    },
  },
  fr: {
    kind: 'Certificat',
    title: 'Ce certificat est-il authentique ?',
    lead: 'Comparez cette page avec le certificat que vous avez en main. Noms, adresses et contenu ne figurent pas sur cette page.',
    verification: 'Vérification',
    good: (count) =>
      count === 1
        ? 'Authentique : le seul enregistrement de cette lettre est signé par ce service et figure dans son journal public. Vérifié à l’instant.'
        : `Authentique : les ${count} enregistrements de cette lettre sont signés par ce service, sans lacune, et figurent dans son journal public. Vérifié à l’instant.`,
    goodOf: (checked, count) =>
      `Aucune erreur trouvée : les ${checked} derniers des ${count} enregistrements de cette lettre sont signés par ce service et figurent dans son journal public. Vérifié à l’instant. Pour vérifier les signatures des enregistrements précédents, téléchargez l’archive.`,
    bad: 'Non authentique : les enregistrements de cette lettre ne se vérifient pas. Ne vous fiez pas au certificat ; adressez-vous à l’exploitant.',
    waiting:
      'Les derniers enregistrements sont en cours de signature. Rechargez la page dans un instant.',
    bundle: 'Télécharger l’archive',
    offline:
      'Vous n’avez pas à vous fier à cette page : l’archive contient les enregistrements, leurs signatures et un programme (Node.js) qui les vérifie hors ligne, avec des clés que vous prenez vous-même dans le document DID du service.',
    facts: 'Ce que montrent les enregistrements',
    nothing: {
      title: labels.nothingHere.fr,
      detail:
        'Ce code n’ouvre aucun certificat. Il a peut-être été copié en partie ; scannez-le à nouveau ou saisissez l’adresse entière.',
    },
  },
});

type VerifyWords = (typeof words)[Language];

/** The result of the checks, and the number of records whose signatures were checked. */
export type Verified = { valid: boolean; signatures: number };

type VerifyPage = {
  proof: ReturnType<typeof presentProof>;
  state: ShownStatus;
  postalService: string;
  evidence: string | undefined;
  endings: ReturnType<typeof endingsOf>;
  timeZone: string;
  history: AuditHistory;
  identity: PublishedIdentity;
  service: PageService;
  /** Undefined while records wait for their signatures. */
  verified: Verified | undefined;
  bundleHref: string;
  language: Language;
};

const verdictOf = ({ verified, history }: VerifyPage, said: VerifyWords): Html => {
  if (!verified) return html`<p id="summary" data-state="unchecked">${said.waiting}</p>`;
  if (!verified.valid) return html`<p id="summary" data-state="bad">${said.bad}</p>`;
  const { signatures } = verified;
  const count = history.events.length;
  const text = signatures < count ? said.goodOf(signatures, count) : said.good(count);
  return html`<p id="summary" data-state="good">${text}</p>`;
};

const factsOf = (page: VerifyPage): Html => {
  const { proof, endings, timeZone, identity, service, language, history } = page;
  const { rows, none, levels, timeUnknown } = certificateWords[language];
  const zone = countries[timeZone as CountryCode].timeZone;
  const format = { dateStyle: 'long', timeStyle: 'long', timeZone: zone } as const;
  const inWords = (at: string): string =>
    formatDate(new Date(at), localeOf(language, timeZone as CountryCode), format);
  const time = (label: string, at: string | null, more?: string): Html =>
    fact(
      label,
      at === null
        ? undefined
        : html`<time datetime="${at}">${inWords(at)}</time><br>${at}${more && html`<br>${more}`}`,
    );
  const isPosted = history.events.some(({ name }) => name === 'letter.posted');
  const isPostedUntimed = isPosted && proof.posted_at === null;
  return html`<dl class="facts">
${fact(rows.letter, proof.letter_id)}
${fact(rows.service, page.postalService)}
${fact(rows.carrier, proof.carrier)}
${fact(rows.number, proof.tracking_number ?? none)}
${fact(rows.level, levels[proof.proof_level])}
${fact(rows.status, statusNames[language][page.state])}
${time(rows.accepted, proof.sent_at)}
${isPostedUntimed ? fact(rows.posted, timeUnknown) : time(rows.posted, proof.posted_at)}
${time(rows.delivered, proof.delivered_at, page.evidence)}
${endings.map(({ status, at }) => html`${time(rows[status], at)}`)}
${fact(rows.pages, String(proof.document.pages))}
${fact(rows.commitment, proof.document.commitment)}
${fact(rows.issuedBy, service.name)}
${fact(rows.contact, service.contact)}
${fact(rows.did, identity.did)}
${fact(rows.checkpoint, history.checkpoint ? `${identity.logOrigin}, ${history.checkpoint.size}` : undefined)}
</dl>`;
};

export const verifyPage = (page: VerifyPage): string => {
  const said = words[page.language];
  const { testLetter } = certificateWords[page.language];
  return layout({
    title: said.title,
    language: page.language,
    stylesheet: `${page.service.prefix}/audit/page.css`,
    body: html`<main class="sheet">
<header class="head">
  <p class="kind">${said.kind} · ${page.service.name}</p>
  <h1>${said.title}</h1>
  <p class="lead">${said.lead}</p>
</header>
${page.history.test ? html`<p class="notice"><strong>TEST.</strong> ${testLetter}</p>` : undefined}
<section aria-labelledby="check">
  <h2 id="check">${said.verification}</h2>
  ${verdictOf(page, said)}
  <p><a class="button" href="${page.bundleHref}" download>${said.bundle}</a></p>
  <p class="hint">${said.offline}</p>
</section>
<section aria-labelledby="facts">
  <h2 id="facts">${said.facts}</h2>
  ${factsOf(page)}
</section>
</main>`,
  });
};

export const verifyNotFoundPage = (language: Language, prefix: string): string =>
  nothingPage(language, prefix, words[language].nothing);
