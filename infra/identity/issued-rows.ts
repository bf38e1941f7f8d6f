/** Rows of the table of credentials: their parts, or the whole JWT of one that cannot be derived from parts. */
import { hash } from 'node:crypto';
import type { Db } from '../../ground/db.ts';
import {
  type CredentialIssuerParts,
  type CredentialParts,
  partsOfCredential,
} from '../../identity/credential-parts.ts';
import { joined, split } from '../../projections/upsert.ts';
import type { NewCredential } from '../../reactors/issue-credentials.ts';

const textArray = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join()}}`;

export const hexArray = (bytes: readonly (Buffer | undefined)[]): string =>
  `{${bytes.map((one) => (one ? `"\\\\x${one.toString('hex')}"` : 'null')).join()}}`;

const plainArray = (values: readonly (string | number | bigint | boolean | undefined)[]): string =>
  `{${values.map((value) => value ?? 'null').join()}}`;

/** Stands for what the first credential of the stream shares, in the same batch. */
const asFirst = '=';

type Row = { credential: NewCredential; parts: CredentialParts | undefined };

/** The columns of a row as they are given, and the type of those that are given as an array. */
const given: [name: string, arrayOf?: string][] = [
  ['event_id', 'uuid'],
  ['stream', 'text'],
  ['sequence', 'bigint'],
  ['position', 'bigint'],
  ['account_id', 'text'],
  ['hash', 'bytea'],
  ['jwt'],
  ['occurred_at', 'bigint'],
  ['issuer', 'int'],
  ['signature', 'bytea'],
  ['event_hash', 'bytea'],
  ['event_type'],
  ['test', 'boolean'],
  ['status'],
  ['shared'],
  ['report'],
];

export const issuedParameters = given.length;

/**
 * Adds rows with the leaves behind `$1`. Their parameters begin at `$<first>`.
 * @param condition SQL on which they are added
 */
export const insertIssued = (into: string, first: number, condition: string): string => {
  const names = given.map(([name]) => name).join(', ');
  const parameters = given.map(([, type], n) =>
    type ? `$${first + n}::${type}[]` : split(`$${first + n}`),
  );
  return `insert into ${into} (log_index, ${names})
  select $1::bigint + nth - 1, event_id, stream, sequence, position, account_id, hash, nullif(jwt, ''), occurred_at,
    issuer, signature, event_hash, nullif(event_type, ''), test, nullif(status, ''),
    case when jwt <> '' or shared = '${asFirst}' then null
      when sequence > 1 and shared = (
        select f.shared from ${into} f where f.stream = given.stream and f.sequence = 1) then null
      else shared end, nullif(report, '')
  from unnest(${parameters.join(', ')}) with ordinality as given (${names}, nth)
  where ${condition}`;
};

/**
 * The part that each row shares with later rows of its stream, unless the first row of the batch has the
 * same.
 */
const sharedOf = (rows: readonly Row[]): string[] => {
  const firsts = new Map<string, string>();
  return rows.map(({ credential: { stream, sequence }, parts }) => {
    const shared = parts?.shared ?? '';
    if (parts && sequence === 1) firsts.set(stream, shared);
    else if (parts && firsts.get(stream) === shared) return asFirst;
    return shared;
  });
};

const nameOf = ({ header, did, schema }: CredentialIssuerParts): string =>
  `${header} ${did} ${schema}`;

/** Makes the parameters of rows. Numbers of issuers are kept. */
export const createIssuedRows = (db: Db) => {
  const numbers = new Map<string, number>();

  const numberOf = async (issuer: CredentialIssuerParts): Promise<number> => {
    const known = numbers.get(nameOf(issuer));
    if (known !== undefined) return known;
    const { header, did, schema } = issuer;
    // Changes nothing where the issuer is there, and answers with its number.
    const { rows } = await db.query<{ id: number }>(
      `insert into identity.issuers (header, did, schema) values ($1, $2, $3)
       on conflict (header, did, schema) do update set header = excluded.header returning id`,
      [header, did, schema],
    );
    const [added] = rows;
    if (!added) throw new Error('the issuer of credentials was not stored');
    numbers.set(nameOf(issuer), added.id);
    return added.id;
  };

  /** @param size leaf of the first of them */
  return async (batch: readonly NewCredential[], size: number): Promise<unknown[]> => {
    const rows = batch.map((credential, n): Row => {
      const parts = partsOfCredential({ ...credential, logIndex: size + n });
      return { credential, parts };
    });
    const issuers: (number | undefined)[] = [];
    for (const { parts } of rows) issuers.push(parts && (await numberOf(parts.issuer)));
    const each = <T>(pick: (row: Row) => T): T[] => rows.map(pick);
    return [
      plainArray(each(({ credential }) => credential.eventId)),
      textArray(each(({ credential }) => credential.stream)),
      plainArray(each(({ credential }) => credential.sequence)),
      plainArray(each(({ credential }) => credential.position)),
      textArray(each(({ credential }) => credential.accountId)),
      hexArray(each(({ credential }) => hash('sha256', credential.jwt, 'buffer'))),
      joined(each(({ credential, parts }) => (parts ? '' : credential.jwt))),
      plainArray(each(({ parts }) => parts?.occurredAt)),
      plainArray(issuers),
      hexArray(each(({ parts }) => parts?.signature)),
      hexArray(each(({ parts }) => parts?.eventHash)),
      joined(each(({ parts }) => parts?.eventType ?? '')),
      plainArray(each(({ parts }) => parts?.test)),
      joined(each(({ parts }) => parts?.status ?? '')),
      joined(sharedOf(rows)),
      joined(each(({ parts }) => parts?.report ?? '')),
    ];
  };
};
