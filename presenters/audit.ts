/** JSON of a letter's audit history (specification 4.9). */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import { type AuditedEvent, type AuditHistory, isCovered } from '../identity/audit-history.ts';
import { LetterId, Nullable } from './common.ts';
import { LetterDetail } from './letter-schemas.ts';

const Hash = Type.String({ description: '`sha-256:` and the digest, base64url.' });
const Path = Type.Array(Type.String({ description: 'base64' }));

export const Audit = Type.Named('Audit', {
  letter_id: LetterId,
  complete: Type.Boolean({
    description: 'Whether each event so far has a credential that the checkpoint covers.',
  }),
  events: Type.Array(
    Type.Object({
      sequence: Type.Integer(),
      type: Type.String({ description: '`letter.posted`' }),
      status: Type.String({ description: 'Status of the letter after the event.' }),
      occurred_at: Type.String({
        format: 'date-time',
        description: 'When the service recorded the event. RFC 3339, UTC, with milliseconds.',
      }),
      reported_at: Type.Optional(
        Type.String({
          format: 'date-time',
          description:
            'When it happened, as the print house or carrier reports it. Absent: the report names no other time.',
        }),
      ),
      source: Type.String(),
      position: Type.String({
        description: 'Position in the log of events, as in X-Log-Position.',
      }),
      event_hash: Hash,
      hash: Nullable(Hash),
      previous_hash: Nullable(Hash),
      log_index: Nullable(Type.Integer()),
      credential: Nullable(Type.String({ description: 'Null until the credential is issued.' })),
    }),
  ),
  has_more: Type.Boolean({ description: 'To continue, send the last sequence as `after`.' }),
  checkpoint: Nullable(Type.String({ description: 'Signed head of the log (C2SP).' })),
  inclusion: Type.Array(Nullable(Path), {
    description:
      'For each event the audit path of its credential at the size of the checkpoint. Null until the checkpoint covers it.',
  }),
  letter: Type.Optional(Nullable(LetterDetail)),
  as_of: Type.Optional(Type.String()),
  test: Type.Boolean(),
});

const presentEvent = (event: AuditedEvent) => ({
  sequence: event.sequence,
  type: event.name,
  status: event.status,
  occurred_at: event.occurredAt,
  ...(event.reportedAt === undefined ? {} : { reported_at: event.reportedAt }),
  source: event.source,
  position: String(event.position),
  event_hash: event.eventHash,
  hash: event.credential?.hash ?? null,
  previous_hash: event.credential?.previousHash ?? null,
  log_index: event.credential?.logIndex ?? null,
  credential: event.credential?.jwt ?? null,
});

/** `shown`: the events of this page. `asOf`: the letter as it was, null before there was one. */
export const presentAudit = (
  history: AuditHistory,
  shown: AuditedEvent[],
  paths: Map<number, Buffer[]>,
  asOf?: { at: string; letter: Static<typeof LetterDetail> | null },
): Static<typeof Audit> => {
  const { checkpoint, events } = history;
  const pathOf = (event: AuditedEvent): string[] | null =>
    isCovered(event, checkpoint) && event.credential
      ? (paths.get(event.credential.logIndex) ?? []).map((hash) => hash.toString('base64'))
      : null;
  return {
    letter_id: history.letterId,
    complete: history.complete,
    events: shown.map(presentEvent),
    has_more: shown.length > 0 && shown.at(-1) !== events.at(-1),
    checkpoint: checkpoint?.note ?? null,
    inclusion: shown.map(pathOf),
    as_of: asOf?.at,
    letter: asOf?.letter,
    test: history.test,
  };
};
