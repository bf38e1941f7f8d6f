/**
 * An event credential taken apart into what the tables of credentials do not say already. The view
 * `identity.credentials` puts it together again, with the same bytes. A credential of any other form is kept whole.
 */
import type { StoredCredential } from './credential-log.ts';

/** The signer: the first part of the JWT, and the issuer members of its payload. */
export type CredentialIssuerParts = { header: string; did: string; schema: string };

export type CredentialParts = {
  issuer: CredentialIssuerParts;
  signature: Buffer;
  eventHash: Buffer;
  /** Milliseconds since the epoch. */
  occurredAt: number;
  eventType: string;
  test: boolean | undefined;
  status: string | undefined;
  /** Members of the subject that later events of a stream repeat, as JSON with a comma before each. */
  shared: string;
  /** Likewise, of this event. */
  report: string;
};

/** ASCII that JSON does not escape. */
const text = '[ !#-\\[\\]-~]*';
const digest = '[A-Za-z0-9_-]{43}';
const members = (...names: string[]): string =>
  names.map((name) => `(?:,"${name}":"${text}")?`).join('');

/** The payload as `issueEventCredential` writes it. */
const payloadPattern = new RegExp(
  [
    `^\\{"iss":"(?<did>${text})","sub":"(?<sub>${text})","jti":"urn:uuid:(?<eventId>${text})","nbf":(?<nbf>\\d{1,12})`,
    ',"vc":\\{"@context":\\["https://www\\.w3\\.org/2018/credentials/v1",\\{"@vocab":"urn:letters:event#"\\}\\]',
    ',"type":\\["VerifiableCredential","(?<kind>EventCredential|LetterEventCredential)"\\]',
    `,"credentialSubject":\\{"id":"(?<id>${text})","stream":"(?<stream>${text})","eventType":"(?<eventType>${text})"`,
    `,"sequence":(?<sequence>\\d{1,15}),"occurredAt":(?<occurredAt>\\d{1,15})(?:,"account":"(?<account>${text})")?`,
    `(?:,"test":(?<test>true|false))?(?:,"letterId":"(?<letterId>${text})")?(?:,"status":"(?<status>${text})")?`,
    `(?<shared>${members('service', 'intent', 'country', 'recordCommitment', 'customer')})`,
    `(?<report>${members('source')}(?:,"inferred":true)?${members('evidence', 'outcome')})`,
    `,"eventHash":"sha-256:(?<eventHash>${digest})","previousCredentialHash":(?<previous>null|"sha-256:${digest}")`,
    `,"logIndex":(?<logIndex>\\d{1,15})\\},"credentialSchema":\\{"id":"(?<schema>${text})","type":"JsonSchema"\\}\\}\\}$`,
  ].join(''),
);

/** Canonical base64url: its unused last bits are zero, so no other text has the same bytes. */
const exactPattern = /^(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/;

/** Bytes of base64url; undefined where another text has the same bytes, or the length is another. */
const exactBytes = (encoded: string, length?: number): Buffer | undefined => {
  if (!exactPattern.test(encoded)) return undefined;
  const bytes = Buffer.from(encoded, 'base64url');
  return length === undefined || bytes.length === length ? bytes : undefined;
};

const letterPrefix = 'letter-';

type Groups = Record<string, string | undefined>;
type Row = Omit<StoredCredential, 'position'>;

/** Whether the payload says what follows from the columns of its row. */
const followsFrom = (groups: Groups, row: Row): boolean => {
  const { stream } = row;
  const letterId = stream.startsWith(letterPrefix) ? stream.slice(letterPrefix.length) : undefined;
  const id = letterId === undefined ? `urn:letters:${stream}` : `urn:uuid:${letterId}`;
  return (
    groups.id === id &&
    groups.sub === id &&
    groups.kind === (letterId === undefined ? 'EventCredential' : 'LetterEventCredential') &&
    groups.letterId === letterId &&
    groups.stream === stream &&
    groups.eventId === row.eventId &&
    groups.sequence === String(row.sequence) &&
    groups.account === (row.accountId === '' ? undefined : row.accountId) &&
    groups.logIndex === String(row.logIndex) &&
    groups.nbf === String(Math.floor(Number(groups.occurredAt) / 1_000)) &&
    groups.occurredAt === String(Number(groups.occurredAt)) &&
    (groups.previous === 'null') === (row.sequence === 1)
  );
};

/** Undefined for a credential that the view could not put together again. */
export const partsOfCredential = (row: Row): CredentialParts | undefined => {
  const [header = '', payload = '', signed = '', ...more] = row.jwt.split('.');
  const bytes = exactBytes(payload);
  const groups: Groups | undefined = bytes && payloadPattern.exec(bytes.toString('latin1'))?.groups;
  const signature = exactBytes(signed, 64);
  const eventHash = exactBytes(groups?.eventHash ?? '', 32);
  if (!groups || !signature || !eventHash || more.length > 0) return undefined;
  if (!followsFrom(groups, row)) return undefined;
  const { did = '', schema = '', occurredAt, eventType = '', test, status } = groups;
  return {
    issuer: { header, did, schema },
    signature,
    eventHash,
    occurredAt: Number(occurredAt),
    eventType,
    test: test === undefined ? undefined : test === 'true',
    status,
    shared: groups.shared ?? '',
    report: groups.report ?? '',
  };
};
