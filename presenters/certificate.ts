/** The proof of a letter as a document for people: the same facts in the order in which they are read. */
import type { Static } from 'typebox';
import type { LetterStatus } from '../contract/letter-status.ts';
import { formatAddressLines } from '../postal/addresses/index.ts';
import { countries } from '../postal/countries.ts';
import { services } from '../postal/services.ts';
import type { Address, CountryCode, PageFormat, ServiceId } from '../postal/types.ts';
import type { LetterRecord } from '../projections/letters/query.ts';
import { erasedText } from './common.ts';
import type { LetterPersonal } from './letter.ts';
import type { Proof } from './proof.ts';

/** A line too long for its column is broken, wherever that has to be. */
export type CertificateRow = { label: string; lines: string[] };

export type Certificate = {
  title: string;
  letterId: string;
  /** Nothing was printed or posted: the certificate says so on every page. */
  test: boolean;
  pageFormat: PageFormat;
  /** The letter's last event, RFC 3339: what is printed held then. */
  stateAsOf: string;
  statement: string;
  sender: string[];
  recipient: string[];
  sections: { heading: string; rows: CertificateRow[] }[];
  howToVerify: string[];
  /** Where the proof is read again; the QR code. */
  verifyUrl: string;
};

const titles: Partial<Record<LetterStatus, string>> = {
  posted: 'Proof of sending',
  in_transit: 'Proof of sending',
  delivered: 'Proof of sending and delivery',
};

const inWords = (code: string): string => code.replaceAll('_', ' ');

const linesOf = (address: LetterPersonal['to'] | undefined): string[] =>
  address ? formatAddressLines(address as Address, { international: true }) : [erasedText];

const row = (label: string, ...lines: string[]): CertificateRow => ({ label, lines });

const letterRows = (proof: Static<typeof Proof>, record: LetterRecord): CertificateRow[] => {
  const { name, country } = services[record.doc.terms.service as ServiceId];
  return [
    row('Letter id', proof.letter_id),
    row('Service', `${name}, ${countries[country].name}`),
    row('Carrier', proof.carrier),
    row('Tracking number', proof.tracking_number ?? 'none'),
    row('Level of proof', inWords(proof.proof_level)),
  ];
};

const timeRows = (proof: Static<typeof Proof>, record: LetterRecord): CertificateRow[] => {
  const { timeline } = record.doc;
  const evidence = proof.evidence === null ? [] : [`Evidence: ${inWords(proof.evidence)}`];
  const others = (['returned', 'cancelled', 'failed'] as const).flatMap((status) =>
    timeline
      .filter((entry) => entry.status === status)
      .map(({ at }) => row(`${status.charAt(0).toUpperCase()}${status.slice(1)}`, at)),
  );
  return [
    row('Status', inWords(proof.status)),
    row('Accepted', proof.sent_at ?? 'not sent'),
    row('Posted', proof.posted_at ?? 'not reported'),
    row('Delivered', proof.delivered_at ?? 'not reported', ...evidence),
    ...others,
  ];
};

const documentRows = ({ document }: Static<typeof Proof>, erased: boolean): CertificateRow[] => [
  row('Pages', String(document.pages)),
  row('Commitment', document.commitment, document.algorithm),
  row('Salt', document.salt ?? (erased ? erasedText : 'not shown')),
];

const issuerRows = (proof: Static<typeof Proof>): CertificateRow[] => [
  row('Service DID', proof.service_did ?? 'none'),
  row('Credentials', `${proof.credentials.length} signed`),
  row('Log checkpoint', ...(proof.log?.checkpoint.trim().split(/\n+/) ?? ['none'])),
];

/** `baseUrl`: where the service is reached, without a slash at its end. */
export const presentCertificate = (
  proof: Static<typeof Proof>,
  record: LetterRecord,
  personal: LetterPersonal | undefined,
  baseUrl: string,
): Certificate => ({
  title: titles[proof.status] ?? 'Record of a letter',
  letterId: proof.letter_id,
  test: proof.test,
  pageFormat: countries[record.doc.terms.country as CountryCode].pageFormat,
  stateAsOf: record.doc.updatedAt,
  statement: proof.statement,
  sender: linesOf(personal?.from),
  recipient: linesOf(personal?.to),
  sections: [
    { heading: 'Sending', rows: letterRows(proof, record) },
    { heading: 'Course', rows: timeRows(proof, record) },
    { heading: 'Document', rows: documentRows(proof, personal === undefined) },
    { heading: 'Issuer', rows: issuerRows(proof) },
  ],
  howToVerify: [
    proof.how_to_verify,
    'The code leads to this proof as JSON, with its signed credentials; it asks for a key of the account that sent the letter.',
  ],
  verifyUrl: `${baseUrl}/api/proof/${proof.letter_id}`,
});
