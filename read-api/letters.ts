import Type, { type Static } from 'typebox';
import { AppError } from '../contract/errors.ts';
import { letterDeleted } from '../contract/letter-deleted.ts';
import { letterStatuses } from '../contract/letter-status.ts';
import { type AnyOperation, type Caller, operation } from '../contract/operation.ts';
import { letterCaveats } from '../contract/permits.ts';
import { toTimestamp } from '../ground/clock.ts';
import type { Db } from '../ground/db.ts';
import { numberOf } from '../ground/plural.ts';
import { assertPermitted } from '../identity/ucan/permits.ts';
import type { Limits } from '../limits/table.ts';
import { type CallerRef, callerRefOf } from '../limits/turn.ts';
import { languages } from '../postal/stationery.ts';
import { countryCodes, serviceIds } from '../postal/types.ts';
import { type Certificate, presentCertificate } from '../presenters/certificate.ts';
import {
  Cursor,
  LetterId,
  OneOf,
  Page,
  PageNumber,
  RowsPerPage,
  Timestamp,
  usualRows,
} from '../presenters/common.ts';
import { type LetterPersonal, presentLetter, presentTracked } from '../presenters/letter.ts';
import { LetterDetail, TrackedLetter } from '../presenters/letter-schemas.ts';
import { pageByTime, timePlaceOf } from '../presenters/paging.ts';
import { preferredOf } from '../presenters/preferred-language.ts';
import { type Attestation, Proof, presentProof } from '../presenters/proof.ts';
import { type LetterRecord, listLetters, placeInList } from '../projections/letters/query.ts';
import type { CertificateLinks } from './certificate-links.ts';

export type LetterReadPorts = {
  db: Db;
  limits: Limits;
  /** When production of a letter that is not produced will begin, RFC 3339: the day that it is dated. */
  expectedRelease: (record: LetterRecord) => string;
  /** Keyed digest under which a personal value is found again. */
  indexOf: (kind: string, value: string) => string;
  /** A letter by id, of any owner. Concurrent lookups are one query. */
  letterById: (letterId: string) => Promise<LetterRecord | undefined>;
  /** Opens the personal parts of letters; those whose data key is gone are left out. */
  openLetters: (records: LetterRecord[]) => Promise<Map<string, LetterPersonal>>;
  /** Opens one letter, with its text or HTML wherever that lies; undefined once it was erased. */
  openWhole: (record: LetterRecord) => Promise<LetterPersonal | undefined>;
  /**
   * A page of a letter as it is printed, as PNG with the zones drawn.
   * @throws AppError not_found without such a page, overloaded
   */
  preview: (
    letter: {
      letterId: string;
      terms: LetterRecord['doc']['terms'];
      personal: LetterPersonal;
      at: string;
      /** The caller that looks at it. */
      by: CallerRef;
    },
    page: number,
  ) => Promise<Buffer>;
  /** The whole letter as it is printed, as PDF. @throws AppError overloaded */
  render: (letter: Parameters<LetterReadPorts['preview']>[0]) => Promise<Buffer>;
  /** Credentials of a letter's events, and their place in the log. */
  attest: (letterId: string) => Promise<Attestation>;
  /** A certificate as PDF; the same one gives the same bytes. */
  renderCertificate: (certificate: Certificate, by: CallerRef) => Promise<Buffer>;
  certificateLinks: Pick<CertificateLinks, 'pathOf'>;
  /** As certificates name the service and its operator. */
  serviceName: { name: string; contact: string | undefined };
  /** Where the service is reached, without a slash at its end. */
  baseUrl: string;
};

const ListQuery = (limits: Limits) =>
  Type.Object(
    {
      status: Type.Optional(
        Type.Array(OneOf(letterStatuses), {
          maxItems: 8,
          description: 'Repeat it for several values.',
        }),
      ),
      delivery_outcome: Type.Optional(
        OneOf(
          ['delivered', 'returned'],
          'Only letters that were delivered, or that were returned.',
        ),
      ),
      reference: Type.Optional(Type.String({ minLength: 1, maxLength: limits.referenceChars })),
      created_after: Type.Optional(Timestamp),
      created_before: Type.Optional(Timestamp),
      country: Type.Optional(OneOf(countryCodes)),
      service: Type.Optional(OneOf(serviceIds)),
      limit: Type.Optional(RowsPerPage(limits)),
      cursor: Type.Optional(Cursor),
    },
    {
      additionalProperties: false,
      patternProperties: {
        [`^metadata\\[[A-Za-z0-9_.:-]{1,${limits.metadataKeyChars}}\\]$`]: {
          type: 'string',
          maxLength: limits.metadataValueChars,
          description: 'Only letters with this pair in their metadata.',
        },
      },
    },
  );

const metadataIn = (query: Static<ReturnType<typeof ListQuery>>): [string, string][] =>
  Object.entries(query as Record<string, unknown>)
    .filter(([name]) => name.startsWith('metadata['))
    .map(([name, value]) => [name.slice('metadata['.length, -1), String(value)]);

/** In UTC: the database does not know every offset that RFC 3339 allows. */
const utcOf = (time: string | undefined): string | undefined =>
  time === undefined ? undefined : toTimestamp(Date.parse(time));

/** Newest first, without deleted ones; a filter finds what it names and nothing that was erased. */
const listOperation = (ports: LetterReadPorts): AnyOperation =>
  operation({
    name: 'list_letters',
    method: 'GET',
    path: '/api/letters',
    tag: 'Letters',
    summary: 'List letters',
    description:
      'Newest first. Filter by metadata with `metadata[key]=value`. A returned letter keeps its status; `delivery_outcome=returned` lists the returned ones.',
    access: 'read',
    permit: { about: 'account' },
    payable: true,
    input: { query: ListQuery(ports.limits) },
    responses: { 200: { description: 'A page of letters', schema: Page(LetterDetail) } },
    errors: ['invalid_cursor'],
    async handle({ caller, query }) {
      const { status, country, service, reference, limit = usualRows(ports.limits) } = query;
      const metadata = metadataIn(query);
      const records = await listLetters(ports.db, {
        accountId: caller.accountId,
        status,
        country,
        service,
        deliveryOutcome: query.delivery_outcome,
        referenceHash: reference === undefined ? undefined : ports.indexOf('reference', reference),
        metadataHashes: metadata.map(([key, value]) =>
          ports.indexOf('metadata', `${key}\n${value}`),
        ),
        createdAfter: utcOf(query.created_after),
        createdBefore: utcOf(query.created_before),
        before: timePlaceOf(query.cursor),
        limit: limit + 1,
      });
      const personal = await ports.openLetters(records.slice(0, limit));
      const present = (record: LetterRecord) =>
        presentLetter(record, personal.get(record.letterId), { content: false });
      return { body: pageByTime(records, limit, placeInList, present) };
    },
  });

export const letterReadOperations = (ports: LetterReadPorts): AnyOperation[] => {
  /** @throws AppError letter_not_found, also for another account's letter */
  const own = async (letterId: string, caller: Caller): Promise<LetterRecord> => {
    const record = await ports.letterById(letterId);
    if (!record || record.accountId !== caller.accountId) {
      throw new AppError('letter_not_found', 'Your account has no letter with this id.');
    }
    assertPermitted(caller, { ...record.doc.terms, letterId });
    return record;
  };

  /** @throws AppError letter_not_found; letter_deleted where its owner deleted it */
  const ownKept = async (letterId: string, caller: Caller): Promise<LetterRecord> => {
    const record = await own(letterId, caller);
    if (record.doc.deleted) throw letterDeleted();
    return record;
  };

  const personalOf = async (record: LetterRecord) =>
    (await ports.openLetters([record])).get(record.letterId);

  /** A letter as it is, or will be, printed. @throws AppError letter_not_found, letter_deleted */
  const printedLetter = async (id: string, caller: Caller, address: string) => {
    const record = await own(id, caller);
    const { letterId, doc, version } = record;
    const personal = await personalOf(record);
    if (!personal) throw letterDeleted();
    const produced = doc.timeline.find(({ status }) => status === 'processing');
    const at = produced?.at ?? ports.expectedRelease(record);
    return {
      letter: { letterId, terms: doc.terms, personal, at, by: callerRefOf(caller, address) },
      version,
    };
  };

  const getLetter = operation({
    name: 'get_letter',
    method: 'GET',
    path: '/api/letters/{id}',
    tag: 'Letters',
    summary: 'Read a letter',
    description:
      'The answer contains addresses, content, price, status and history. Once the letter is deleted, the answer is 410.',
    access: 'read',
    permit: { about: 'letter-in-path', honours: letterCaveats },
    payable: true,
    input: { params: Type.Object({ id: LetterId }) },
    responses: { 200: { description: 'The letter', schema: LetterDetail } },
    errors: ['letter_not_found', 'letter_deleted'],
    async handle({ params, caller }) {
      const record = await ownKept(params.id, caller);
      const personal = await ports.openWhole(record);
      return { body: presentLetter(record, personal, { content: true }), version: record.version };
    },
  });

  const trackLetter = operation({
    name: 'track_letter',
    method: 'GET',
    path: '/api/track/{letter_id}',
    tag: 'Tracking and proof',
    summary: 'Track a letter',
    description:
      'The answer contains the status, the tracking number, the expected delivery and each step so far with its source.',
    access: 'read',
    permit: { about: 'letter-in-path', honours: letterCaveats },
    payable: true,
    input: { params: Type.Object({ letter_id: LetterId }) },
    responses: { 200: { description: 'The current tracking', schema: TrackedLetter } },
    errors: ['letter_not_found', 'letter_deleted'],
    async handle({ params, caller }) {
      const record = await ownKept(params.letter_id, caller);
      return { body: presentTracked(record), version: record.version };
    },
  });

  const getProof = operation({
    name: 'get_proof',
    method: 'GET',
    path: '/api/proof/{letter_id}',
    tag: 'Tracking and proof',
    summary: 'Proof of sending and delivery',
    description:
      '`Accept: application/pdf` returns a certificate with the same facts, in the `language` of the query, the language of `Accept-Language`, or the language of the letter. The code on it opens a page where every holder can read and verify it.',
    access: 'read',
    permit: { about: 'letter-in-path', honours: letterCaveats },
    payable: true,
    input: {
      params: Type.Object({ letter_id: LetterId }),
      query: Type.Object(
        { language: Type.Optional(OneOf(languages, 'Language of the certificate.')) },
        { additionalProperties: false },
      ),
    },
    responses: {
      200: {
        description: 'The facts and their proof',
        schema: Proof,
        produces: ['application/json', 'application/pdf'],
      },
    },
    errors: ['letter_not_found', 'audit_too_long'],
    async handle({ params, query, caller, address, accept, acceptLanguage }) {
      const record = await own(params.letter_id, caller);
      const { version } = record;
      const personal = await personalOf(record);
      const proof = presentProof(record, personal, await ports.attest(record.letterId));
      if (accept !== 'application/pdf') return { body: proof, version };
      const ofLetter = personal?.stationery?.language;
      const language = query.language ?? preferredOf(acceptLanguage) ?? ofLetter ?? 'en';
      const certificate = presentCertificate(proof, record, personal, {
        language,
        service: ports.serviceName,
        verifyUrl: ports.baseUrl + ports.certificateLinks.pathOf(record.letterId),
      });
      const headers = {
        'Content-Disposition': `inline; filename="proof-${record.letterId}.pdf"`,
        'Content-Language': language,
      };
      return {
        body: await ports.renderCertificate(certificate, callerRefOf(caller, address)),
        headers,
        version,
      };
    },
  });

  const previewLetter = operation({
    name: 'preview_letter',
    method: 'GET',
    path: '/api/letters/{id}/preview/{page}.png',
    tag: 'Letters',
    summary: 'Preview a page of a letter',
    description:
      'The page as printed, with the address window in blue, no-print zones in red, edges in yellow and folds dashed.',
    access: 'read',
    permit: { about: 'letter-in-path', honours: letterCaveats },
    payable: true,
    input: { params: Type.Object({ id: LetterId, page: PageNumber }) },
    responses: {
      200: { description: 'The page', schema: Type.String(), produces: ['image/png'] },
    },
    errors: [
      'letter_not_found',
      'letter_deleted',
      'not_found',
      'content_not_printable',
      'overloaded',
      'html_unavailable',
    ],
    async handle({ params, caller, address }) {
      const { letter, version } = await printedLetter(params.id, caller, address);
      const page = Number(params.page);
      const { pages } = letter.terms;
      if (page > pages) {
        throw new AppError(
          'not_found',
          `The letter has ${numberOf(pages, 'page')}, so there is no page ${page}.`,
        );
      }
      return { body: await ports.preview(letter, page), version };
    },
  });

  const getDocument = operation({
    name: 'get_letter_document',
    method: 'GET',
    path: '/api/letters/{id}/document.pdf',
    tag: 'Letters',
    summary: 'Get the letter as printed',
    description:
      'A PDF of all pages with sender, recipient and date, as they go into the envelope. If the letter has no `date`, it is dated with the day of production, or the day on which production is expected to start.',
    access: 'read',
    permit: { about: 'letter-in-path', honours: letterCaveats },
    payable: true,
    input: { params: Type.Object({ id: LetterId }) },
    responses: {
      200: { description: 'The letter', schema: Type.String(), produces: ['application/pdf'] },
    },
    errors: [
      'letter_not_found',
      'letter_deleted',
      'address_invalid',
      'content_not_printable',
      'overloaded',
      'html_unavailable',
      'store_unavailable',
    ],
    async handle({ params, caller, address }) {
      const { letter, version } = await printedLetter(params.id, caller, address);
      return { body: await ports.render(letter), version };
    },
  });

  return [listOperation(ports), getLetter, previewLetter, getDocument, trackLetter, getProof];
};
