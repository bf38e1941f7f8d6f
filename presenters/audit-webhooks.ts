/** Webhooks for signed event credentials, as callers see them (specification 4.9). */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import { Nullable, OneOf, Timestamp } from './common.ts';

export const AuditWebhook = Type.Named('AuditWebhook', {
  id: Type.String(),
  url: Type.String(),
  events: Nullable(Type.Array(Type.String(), { description: 'null: every event.' })),
  letter_id: Nullable(Type.String({ description: 'null: every letter.' })),
  created_at: Timestamp,
  state: OneOf(
    ['active', 'disabled', 'ended'],
    'disabled: it answered 410, or every attempt in five days failed; register it again. ended: the key or UCAN that registered it has ended.',
  ),
  disabled_reason: Nullable(OneOf(['gone', 'failing'])),
  disabled_at: Nullable(Timestamp),
  public_key: Type.String({
    description:
      'The current public key to verify the v1a signature: whpk_ and an Ed25519 key in base64. After a rotation, the previous key also signs for 7 days.',
  }),
});

export const AuditWebhooks = Type.Named('AuditWebhooks', { data: Type.Array(AuditWebhook) });

export const NewAuditWebhook = Type.Named('NewAuditWebhook', {
  ...AuditWebhook.properties,
  secret: Type.String({ description: 'The secret that signs the webhooks (v1). Shown once.' }),
});

export const RemovedAuditWebhooks = Type.Named('RemovedAuditWebhooks', {
  removed: Type.Array(Type.String({ description: 'Ids.' })),
});

type StoredWebhook = {
  subscriptionId: string;
  url: string;
  secret: string;
  events: string[] | undefined;
  letterId: string | undefined;
  createdAt: string;
  disabled: { reason: 'gone' | 'failing'; at: string } | undefined;
  ended: boolean;
};

const stateOf = ({ disabled, ended }: StoredWebhook): 'active' | 'disabled' | 'ended' => {
  if (ended) return 'ended';
  return disabled ? 'disabled' : 'active';
};

export const presentAuditWebhook = (
  stored: StoredWebhook,
  publicKey: string,
): Static<typeof AuditWebhook> => ({
  id: stored.subscriptionId,
  url: stored.url,
  events: stored.events ?? null,
  letter_id: stored.letterId ?? null,
  created_at: stored.createdAt,
  state: stateOf(stored),
  disabled_reason: stored.disabled?.reason ?? null,
  disabled_at: stored.disabled?.at ?? null,
  public_key: publicKey,
});

/** Newest first, out of the order in which they were made. */
export const presentAuditWebhooks = (
  stored: StoredWebhook[],
  publicKey: string,
): Static<typeof AuditWebhooks> => ({
  data: stored.toReversed().map((one) => presentAuditWebhook(one, publicKey)),
});

export const AuditDelivery = Type.Named('AuditDelivery', {
  event_id: Type.String({ description: 'Also used as the webhook-id.' }),
  letter_id: Nullable(Type.String()),
  type: Type.String({ description: 'Kind of event, such as letter.posted.' }),
  created_at: Timestamp,
  state: OneOf(['pending', 'delivered', 'failed', 'cancelled']),
  next_attempt_at: Nullable(Timestamp),
  attempts: Type.Array(
    Type.Object({
      at: Timestamp,
      status: Nullable(Type.Integer({ description: 'HTTP status of the answer.' })),
      error: Nullable(Type.String({ description: 'The error, if there was no answer.' })),
      duration_ms: Type.Integer(),
    }),
    { description: 'Oldest first. Of many, the latest 50.' },
  ),
});

/** One that waits for an earlier one of its letter has no time of its own. */
export const presentAuditDelivery = (row: {
  event_id: string;
  letter_id: string | null;
  type: string;
  at: string;
  state: 'due' | 'waiting' | 'delivered' | 'failed' | 'cancelled';
  next_at: Date;
  attempts: { at: string; status: number | null; error: string | null; duration_ms: number }[];
}): Static<typeof AuditDelivery> => ({
  event_id: row.event_id,
  letter_id: row.letter_id,
  type: row.type,
  created_at: row.at,
  state: row.state === 'due' || row.state === 'waiting' ? 'pending' : row.state,
  next_attempt_at: row.state === 'due' ? row.next_at.toISOString() : null,
  attempts: row.attempts.map((one) => ({ ...one, at: new Date(one.at).toISOString() })),
});

export const AuditMessage = Type.Named('AuditMessage', {
  event_id: Type.String(),
  type: Type.String({ description: 'Kind of event, such as letter.posted.' }),
  headers: Type.Object({ 'content-type': Type.String(), 'webhook-id': Type.String() }),
  body: Nullable(
    Type.String({
      description:
        'JSON, as the signatures cover it. Null until the first attempt: it decides which proof of inclusion the body has.',
    }),
  ),
});

export const presentAuditMessage = (
  eventId: string,
  { type, body }: { type: string; body: string | null },
): Static<typeof AuditMessage> => ({
  event_id: eventId,
  type,
  headers: { 'content-type': 'application/json', 'webhook-id': eventId },
  body,
});

export const ReplayedDelivery = Type.Named('ReplayedDelivery', {
  event_id: Type.String(),
  replayed: Type.Literal(true),
});

export const ReplayedEvents = Type.Named('ReplayedEvents', {
  replayed: Type.Integer({ minimum: 0, description: 'How many events are delivered again.' }),
  last_index: Nullable(
    Type.Integer({
      minimum: 0,
      description: 'Everything up to this log index is done. Null: no credential follows.',
    }),
  ),
  has_more: Type.Boolean({
    description: 'Whether more can follow: send `last_index` as `after_index`.',
  }),
});

export const presentReplayedEvents = ({
  replayed,
  lastIndex,
  hasMore,
}: {
  replayed: number;
  lastIndex: number | undefined;
  hasMore: boolean;
}): Static<typeof ReplayedEvents> => ({
  replayed,
  last_index: lastIndex ?? null,
  has_more: hasMore,
});

export const presentNewAuditWebhook = (
  stored: StoredWebhook,
  publicKey: string,
): Static<typeof NewAuditWebhook> => ({
  ...presentAuditWebhook(stored, publicKey),
  secret: stored.secret,
});
