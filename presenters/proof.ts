/** Proof of sending and delivery (specification 4.5). Credentials and log proof join with identity. */
import Type, { type Static } from 'typebox';
import { letterStatuses } from '../contract/letter-status.ts';
import { intentClasses } from '../postal/intents.ts';
import { services } from '../postal/services.ts';
import type { Intent, ServiceId } from '../postal/types.ts';
import type { LetterRecord } from '../projections/letters/query.ts';
import { LetterId, Nullable, OneOf, Timestamp } from './common.ts';
import { type LetterPersonal, presentTracking } from './letter.ts';

export const Proof = Type.Object(
  {
    letter_id: LetterId,
    proof_level: Type.String(),
    statement: Type.String({ description: 'What is proved, in words.' }),
    status: OneOf(letterStatuses),
    sent_at: Nullable(Timestamp),
    posted_at: Nullable(Timestamp),
    delivered_at: Nullable(Timestamp),
    evidence: Nullable(Type.String()),
    carrier: Type.String(),
    tracking_number: Nullable(Type.String()),
    document: Type.Object({
      pages: Type.Integer(),
      commitment: Type.String(),
      algorithm: Type.String(),
      salt: Nullable(
        Type.String({ description: 'With it and the document anyone can compute the commitment.' }),
      ),
    }),
    credentials: Type.Array(Type.String(), { description: 'Signed credentials (JWT), if issued.' }),
    log: Nullable(Type.Object({ checkpoint: Type.String(), inclusion: Type.Array(Type.String()) })),
    service_did: Nullable(Type.String()),
    how_to_verify: Type.String(),
    test: Type.Boolean(),
  },
  { title: 'Proof' },
);

const howToVerify =
  'commitment = base64url(sha256(salt ‖ content)): both as UTF-8 text, the content as GET /api/letters/{id} shows it.';

const statementOf = (record: LetterRecord, times: Record<string, string | undefined>): string => {
  const service = services[record.doc.terms.service as ServiceId];
  const parts = [
    `Letter ${record.letterId}, ${record.doc.terms.pages} page(s), by ${service.name}`,
  ];
  if (times.queued) parts.push(`was accepted at ${times.queued}`);
  if (times.posted) parts.push(`was posted at ${times.posted}`);
  if (times.delivered) parts.push(`was delivered at ${times.delivered} (${record.doc.evidence})`);
  if (times.returned) parts.push(`was reported as returned at ${times.returned}`);
  if (times.cancelled) parts.push(`was cancelled at ${times.cancelled}`);
  if (times.failed) parts.push(`could not be produced (${times.failed})`);
  const test = record.doc.terms.test
    ? ' This is a test letter: nothing was printed or posted.'
    : '';
  return `${parts.join(', ')}.${test}`;
};

export const presentProof = (
  record: LetterRecord,
  personal: LetterPersonal | undefined,
): Static<typeof Proof> => {
  const { doc } = record;
  const times: Record<string, string | undefined> = {};
  for (const { status, at } of doc.timeline) times[status] = at;
  const { carrier, tracking_number } = presentTracking(doc);
  return {
    letter_id: record.letterId,
    proof_level: intentClasses[doc.terms.intent as Intent].proofLevel,
    statement: statementOf(record, times),
    status: record.status,
    sent_at: times.queued ?? null,
    posted_at: times.posted ?? null,
    delivered_at: times.delivered ?? null,
    evidence: doc.evidence ?? null,
    carrier,
    tracking_number,
    document: {
      pages: doc.terms.pages,
      commitment: doc.terms.commitment,
      algorithm: 'sha-256(salt ‖ content), base64url',
      salt: personal?.salt ?? null,
    },
    credentials: [],
    log: null,
    service_did: null,
    how_to_verify: howToVerify,
    test: doc.terms.test,
  };
};
