/** The proof of a letter as a document for people: the same facts in the order in which they are read. */
import type { Static } from 'typebox';
import type { Evidence } from '../events/letter.ts';
import { formatAddressLines } from '../postal/addresses/index.ts';
import { countries, countryIn } from '../postal/countries.ts';
import { services } from '../postal/services.ts';
import { formatDate, type Language, localeOf } from '../postal/stationery.ts';
import type { Address, CountryCode, PageFormat, ServiceId } from '../postal/types.ts';
import type { LetterRecord } from '../projections/letters/query.ts';
import { type CertificateWords, certificateWords } from './certificate-words.ts';
import { labels } from './labels.ts';
import { happenedAt, type LetterPersonal } from './letter.ts';
import type { Proof } from './proof.ts';
import { shownStatus, statusNames } from './status-words.ts';

/** A line too long for its column is broken, wherever that has to be. */
export type CertificateRow = { label: string; lines: string[] };

export type Certificate = {
  title: string;
  letterId: string;
  /** Nothing was printed or posted: the certificate says so on every page. */
  test: boolean;
  pageFormat: PageFormat;
  /** The letter's last event, RFC 3339: the printed facts held then. */
  stateAsOf: string;
  statement: string;
  sender: string[];
  recipient: string[];
  sections: { heading: string; rows: CertificateRow[] }[];
  howToVerify: string[];
  /** The page that verifies it; the QR code. */
  verifyUrl: string;
  /** At the foot of every page. */
  footer: string;
  words: Pick<CertificateWords, 'parties' | 'sections' | 'testMark'>;
};

/** The contents of a certificate, in addition to the facts of the proof. */
type CertificateIssue = {
  language: Language;
  /** The operator of the service, as configured. */
  service: { name: string; contact: string | undefined };
  /** The page that verifies it, for strangers. */
  verifyUrl: string;
};

type Facts = { proof: Static<typeof Proof>; record: LetterRecord; words: CertificateWords };

/** Both parties; the country is a line of its own if it is not the same for both. */
const partiesOf = (
  personal: LetterPersonal | undefined,
  language: Language,
): Pick<Certificate, 'sender' | 'recipient'> => {
  if (!personal) return { sender: [labels.erased[language]], recipient: [labels.erased[language]] };
  const { from, to } = personal;
  const options = { international: from.country !== to.country, language };
  return {
    sender: formatAddressLines(from as Address, options),
    recipient: formatAddressLines(to as Address, options),
  };
};

const row = (label: string, ...lines: string[]): CertificateRow => ({ label, lines });

const titleOf = ({ proof: { status }, words: { titles } }: Facts): string => {
  if (status === 'delivered') return titles.delivered;
  return status === 'posted' || status === 'in_transit' ? titles.sent : titles.record;
};

/** An instant where the letter was printed and posted. */
const localTime = (at: string, { record }: Facts, language: Language): string => {
  const { timeZone } = countries[record.doc.terms.country as CountryCode];
  const locale = localeOf(language, record.doc.terms.country as CountryCode);
  const format = { dateStyle: 'long', timeStyle: 'long', timeZone } as const;
  return formatDate(new Date(at), locale, format);
};

const namedZone = (at: string, facts: Facts, language: Language): string => {
  const { timeZone } = countries[facts.record.doc.terms.country as CountryCode];
  return `${localTime(at, facts, language)}, ${timeZone}`;
};

const statementIn = (facts: Facts, language: Language): string => {
  const { proof, record, words } = facts;
  if (language === 'en') return proof.statement;
  const statuses = ['queued', 'posted', 'delivered', 'returned', 'cancelled', 'failed'] as const;
  const course = statuses.flatMap((status) =>
    record.doc.timeline
      .filter((entry) => entry.status === status)
      .slice(-1)
      .map((entry) => {
        const at = happenedAt(entry);
        // Of these steps only the posting is ever inferred.
        return at === undefined
          ? words.postedUntimed
          : words.course[status](namedZone(at, facts, language));
      }),
  );
  const { name } = services[record.doc.terms.service as ServiceId];
  const said = words.statement(proof.letter_id, proof.document.pages, name, course);
  return proof.test ? `${said} ${words.testLetter}` : said;
};

/** The postal service of a letter, with its country. */
export const postalServiceOf = ({ doc }: LetterRecord, language: Language): string => {
  const { name, country } = services[doc.terms.service as ServiceId];
  return `${name}, ${countryIn(language, country)}`;
};

const letterRows = ({ proof, record, words }: Facts, language: Language): CertificateRow[] => [
  row(words.rows.letter, proof.letter_id),
  row(words.rows.service, postalServiceOf(record, language)),
  row(words.rows.carrier, proof.carrier),
  row(words.rows.number, proof.tracking_number ?? words.none),
  row(words.rows.level, words.levels[proof.proof_level]),
];

type Ending = { status: 'returned' | 'cancelled' | 'failed'; at: string | null };

/** The ends of a letter's course other than its delivery: certificates show them only where they happened. */
export const endingsOf = ({ doc }: LetterRecord): Ending[] =>
  (['returned', 'cancelled', 'failed'] as const).flatMap((status) =>
    doc.timeline
      .filter((entry) => entry.status === status)
      .map((entry) => ({ status, at: happenedAt(entry) ?? null })),
  );

/** The proof of the delivery, in words. */
export const evidenceOf = ({ doc }: LetterRecord, language: Language): string | undefined =>
  doc.evidence && certificateWords[language].evidence(doc.evidence as Evidence);

const timeRows = (facts: Facts, language: Language): CertificateRow[] => {
  const { proof, record, words } = facts;
  const times = (at: string | null, missing: string): string[] =>
    at === null ? [missing] : [`${localTime(at, facts, language)} (${at})`];
  const evidence = evidenceOf(record, language);
  const isPosted = record.doc.timeline.some(({ status }) => status === 'posted');
  const others = endingsOf(record).map(({ status, at }) =>
    row(words.rows[status], ...times(at, '')),
  );
  return [
    row(
      words.rows.status,
      statusNames[language][shownStatus(proof.status, record.doc.deliveryOutcome)],
    ),
    row(words.rows.accepted, ...times(proof.sent_at, words.notSent)),
    row(
      words.rows.posted,
      ...times(proof.posted_at, isPosted ? words.timeUnknown : words.notReported),
    ),
    row(
      words.rows.delivered,
      ...times(proof.delivered_at, words.notReported),
      ...(evidence ? [evidence] : []),
    ),
    ...others,
  ];
};

/** @param noSalt stands for the salt where the proof has none */
const documentRows = ({ proof: { document }, words }: Facts, noSalt: string): CertificateRow[] => [
  row(words.rows.pages, String(document.pages)),
  row(words.rows.commitment, document.commitment, document.algorithm),
  row(words.rows.salt, document.salt ?? noSalt),
];

const issuerRows = ({ proof, words }: Facts, { service }: CertificateIssue): CertificateRow[] => [
  row(words.rows.issuedBy, service.name),
  ...(service.contact === undefined ? [] : [row(words.rows.contact, service.contact)]),
  row(words.rows.did, proof.service_did ?? words.none),
  row(words.rows.credentials, words.signed(proof.credentials.length)),
  row(words.rows.checkpoint, ...(proof.log?.checkpoint.trim().split(/\n+/) ?? [words.none])),
];

export const presentCertificate = (
  proof: Static<typeof Proof>,
  record: LetterRecord,
  personal: LetterPersonal | undefined,
  issue: CertificateIssue,
): Certificate => {
  const { language, verifyUrl } = issue;
  const words = certificateWords[language];
  const facts = { proof, record, words };
  const { sections } = words;
  const noSalt = personal ? words.notShown : labels.erased[language];
  return {
    title: titleOf(facts),
    letterId: proof.letter_id,
    test: proof.test,
    pageFormat: countries[record.doc.terms.country as CountryCode].pageFormat,
    stateAsOf: record.doc.updatedAt,
    statement: statementIn(facts, language),
    ...partiesOf(personal, language),
    sections: [
      { heading: sections.sending, rows: letterRows(facts, language) },
      { heading: sections.course, rows: timeRows(facts, language) },
      { heading: sections.document, rows: documentRows(facts, noSalt) },
      { heading: sections.issuer, rows: issuerRows(facts, issue) },
    ],
    howToVerify: [words.code, words.howToVerify],
    verifyUrl,
    footer: words.footer(proof.letter_id, record.doc.updatedAt),
    words: { parties: words.parties, sections, testMark: words.testMark },
  };
};
