/** Proof of sending and delivery (specification 4.5). */
import type { Static } from 'typebox';
import { letterStatuses } from '../contract/letter-status.ts';
import type { Evidence } from '../events/letter.ts';
import { numberOf } from '../ground/plural.ts';
import { Type } from '../ground/type.ts';
import { proofLevelOf } from '../postal/intents.ts';
import { proofLevels, services } from '../postal/services.ts';
import type { Intent, ServiceId } from '../postal/types.ts';
import type { LetterRecord } from '../projections/letters/query.ts';
import { evidenceInEnglish } from './certificate-words.ts';
import { LetterId, Nullable, OneOf, Timestamp } from './common.ts';
import { labels } from './labels.ts';
import { happenedAt, type LetterPersonal, presentTracking } from './letter.ts';

export const Proof = Type.Named('Proof', {
  letter_id: LetterId,
  proof_level: OneOf(
    proofLevels,
    'What the service of the letter proves, as far as its intent requires it.',
  ),
  statement: Type.String({ description: 'The facts in words.' }),
  status: OneOf(letterStatuses),
  sent_at: Nullable(Timestamp),
  posted_at: Nullable(
    Type.String({
      format: 'date-time',
      description: 'Null until the letter is posted, and where nobody reported when it was posted.',
    }),
  ),
  delivered_at: Nullable(Timestamp),
  returned_at: Nullable(
    Type.String({
      format: 'date-time',
      description: 'When the letter came back to its sender; `status` does not change.',
    }),
  ),
  evidence: Nullable(Type.String()),
  carrier: Type.String(),
  tracking_number: Nullable(Type.String()),
  document: Type.Object({
    pages: Type.Integer(),
    commitment: Type.String(),
    algorithm: Type.String(),
    salt: Nullable(
      Type.String({ description: 'Together with the document it gives the commitment.' }),
    ),
  }),
  credentials: Type.Array(Type.String(), { description: 'Signed credentials (JWT), if issued.' }),
  log: Nullable(
    Type.Object({
      checkpoint: Type.String({ description: 'Signed head of the log of credentials (C2SP).' }),
      inclusion: Type.Array(Nullable(Type.String()), {
        description:
          'For each credential its proof of inclusion (C2SP tlog-proof); null until the log covers it.',
      }),
    }),
  ),
  service_did: Nullable(Type.String()),
  how_to_verify: Type.String(),
  test: Type.Boolean(),
});

const howToVerify =
  'Signatures and history: GET /api/identity/audit/{letter_id} with Accept: application/zip returns a bundle with a program that verifies them offline. For a single credential use POST /api/identity/verify-vc. Content: commitment = base64url(sha256(salt ‖ content)), with the salt as text. The content is the bytes of the PDF as it was sent, or the text or HTML that GET /api/letters/{id} shows, in UTF-8. A text has line feeds as line ends and composed characters (NFC), however it was sent.';

/** By status that the letter had; null where its time is unknown. */
type Times = Partial<Record<string, string | null>>;

const statementOf = (record: LetterRecord, times: Times): string => {
  const service = services[record.doc.terms.service as ServiceId];
  const pages = numberOf(record.doc.terms.pages, 'page');
  const parts = [`Letter ${record.letterId}, ${pages}, by ${service.name}`];
  if (times.queued) parts.push(`was accepted at ${times.queued}`);
  if (times.posted !== undefined) {
    parts.push(
      times.posted === null
        ? `was posted (${labels.timeUnknown.en})`
        : `was posted at ${times.posted}`,
    );
  }
  if (times.delivered) {
    const evidence = evidenceInEnglish(record.doc.evidence as Evidence);
    parts.push(`was delivered at ${times.delivered} (${evidence})`);
  }
  if (times.returned) parts.push(`was reported as returned at ${times.returned}`);
  if (times.cancelled) parts.push(`was cancelled at ${times.cancelled}`);
  if (times.failed) parts.push(`could not be produced (${times.failed})`);
  const test = record.doc.terms.test
    ? ' This is a test letter: nothing was printed or posted.'
    : '';
  return `${parts.join(', ')}.${test}`;
};

/**
 * The identity part of a proof: credentials of the letter's events, their place in the log, and the signer.
 */
export type Attestation = Pick<Static<typeof Proof>, 'credentials' | 'log' | 'service_did'>;

const unattested: Attestation = { credentials: [], log: null, service_did: null };

export const presentProof = (
  record: LetterRecord,
  personal: LetterPersonal | undefined,
  attestation: Attestation = unattested,
): Static<typeof Proof> => {
  const { doc } = record;
  const times: Times = {};
  for (const entry of doc.timeline) times[entry.status] = happenedAt(entry) ?? null;
  const { carrier, tracking_number } = presentTracking(doc);
  return {
    letter_id: record.letterId,
    proof_level: proofLevelOf(doc.terms.intent as Intent, services[doc.terms.service as ServiceId]),
    statement: statementOf(record, times),
    status: record.status,
    sent_at: times.queued ?? null,
    posted_at: times.posted ?? null,
    delivered_at: times.delivered ?? null,
    returned_at: times.returned ?? null,
    evidence: doc.evidence ?? null,
    carrier,
    tracking_number,
    document: {
      pages: doc.terms.pages,
      commitment: doc.terms.commitment,
      algorithm: 'sha-256(salt ‖ content), base64url',
      salt: personal?.salt ?? null,
    },
    ...attestation,
    how_to_verify: howToVerify,
    test: doc.terms.test,
  };
};
