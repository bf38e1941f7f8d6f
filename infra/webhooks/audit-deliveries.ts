/** The deliveries to one audit webhook, as its owner sees them, and how to repeat one. */

import { isLetterStream, letterIdIn } from '../../events/letter.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { allRows, type Db, oneRow, type TransactionalDb } from '../../ground/db.ts';
import type { CredentialLog, StoredCredential } from '../../identity/credential-log.ts';
import { issuedPayload } from '../../identity/event-credential.ts';
import { isWanted, type Message } from '../../reactors/webhook-routes.ts';
import { latestAttempts } from './channels.ts';
import { type Replayed, type ReplayKey, replayMessage } from './replay.ts';

type AuditDeliveryRow = {
  event_id: string;
  position: bigint;
  letter_id: string | null;
  type: string;
  lane: string;
  status: string | null;
  at: string;
  state: 'due' | 'waiting' | 'delivered' | 'failed' | 'cancelled';
  next_at: Date;
  attempts: { at: string; status: number | null; error: string | null; duration_ms: number }[];
};

const columns = `m.event_id, m.position, m.letter_id, m.type, m.lane, m.status, m.at, m.state, m.next_at`;

/** Newest first. */
export const listAuditDeliveries = (
  db: Db,
  subscriptionId: string,
  { before, limit }: { before: bigint | undefined; limit: number },
): Promise<AuditDeliveryRow[]> =>
  allRows(
    db,
    `select ${columns}, ${latestAttempts}
     from deliveries.messages m
     where m.kind = 'audit' and m.endpoint_id = $1 and ($2::bigint is null or m.position < $2)
     order by m.position desc limit $3`,
    [subscriptionId, before ?? null, limit],
  );

/** The event of a message to an audit webhook. `proof`: null before its first attempt. */
export const auditMessageOf = async (
  db: Db,
  subscriptionId: string,
  eventId: string,
): Promise<
  { type: string; letterId: string | null; at: string; proof: string | null } | undefined
> => {
  const { rows } = await db.query<{
    type: string;
    letterId: string | null;
    at: string;
    proof: string | null;
  }>(
    `select type, letter_id as "letterId", at, proof from deliveries.messages
     where kind = 'audit' and endpoint_id = $1 and event_id = $2::uuid`,
    [subscriptionId, eventId],
  );
  return rows[0];
};

/** An audit webhook; `events` and `letterId`: the wanted events, absent for all. */
type WantingWebhook = {
  accountId: string;
  subscriptionId: string;
  events: string[] | undefined;
  letterId: string | undefined;
};

/** An audit webhook and an event. */
export type AuditReplay = WantingWebhook & { eventId: string };

/** The message that was delivered or was to be. */
const knownMessage = async (
  db: Db,
  { accountId, subscriptionId, eventId }: AuditReplay,
): Promise<Message | undefined> => {
  const { rows } = await db.query<AuditDeliveryRow>(
    `select ${columns} from deliveries.messages m
     where m.kind = 'audit' and m.endpoint_id = $1 and m.event_id = $2::uuid`,
    [subscriptionId, eventId],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { position, lane, type, letter_id: letterId, status, at } = row;
  return {
    kind: 'audit',
    endpointId: subscriptionId,
    accountId,
    eventId,
    position,
    lane,
    type,
    at,
    ...(letterId === null ? {} : { letterId }),
    ...(status === null ? {} : { status }),
  };
};

/** The message about the event of a credential; undefined: it is of no letter of the account, or is not wanted. */
const messageAbout = (
  { accountId, subscriptionId, ...wanted }: WantingWebhook,
  credential: StoredCredential | undefined,
): Message | undefined => {
  if (credential?.accountId !== accountId || !isLetterStream(credential.stream)) return undefined;
  const letterId = letterIdIn(credential.stream);
  const { eventType: type, occurredAt } = issuedPayload(credential.jwt).vc.credentialSubject;
  if (!isWanted(wanted, { letterId, type })) return undefined;
  return {
    kind: 'audit',
    endpointId: subscriptionId,
    accountId,
    eventId: credential.eventId,
    position: credential.position,
    lane: letterId,
    letterId,
    type,
    at: toTimestamp(occurredAt),
  };
};

/** The message about an event that happened before there was the webhook, while it was disabled, or long ago. */
const missedMessage = async (
  { credentials }: Pick<Ports, 'credentials'>,
  { eventId, ...webhook }: AuditReplay,
): Promise<Message | undefined> => {
  const [credential] = await credentials.byEventIds([eventId]);
  return messageAbout(webhook, credential);
};

type Ports = { db: TransactionalDb; credentials: Pick<CredentialLog, 'byEventIds'> };

/** Events that one request delivers again, and credentials that it reads for them. */
const mostReplayed = 100;
const mostRead = 2_000;
const readAtOnce = 500;

/** Where events are delivered again from: a log index, and a time (RFC 3339). */
type AuditReplaysFrom = { index: number; since: string };

/** `lastIndex`: everything up to there is done; undefined: there is nothing from there on. */
type AuditReplays = { replayed: number; lastIndex: number | undefined; hasMore: boolean };

/** Delivers the events again that the webhook wants, the oldest first. */
export const replayAuditEvents = async (
  { db, credentials }: { db: TransactionalDb; credentials: Pick<CredentialLog, 'ofAccountFrom'> },
  webhook: WantingWebhook,
  { index, since }: AuditReplaysFrom,
  now: number,
): Promise<AuditReplays> => {
  let replayed = 0;
  let lastIndex: number | undefined;
  for (let read = 0; read < mostRead; read += readAtOnce) {
    const page = { from: lastIndex === undefined ? index : lastIndex + 1, limit: readAtOnce };
    const found = await credentials.ofAccountFrom(webhook.accountId, page);
    for (const credential of found) {
      const message = messageAbout(webhook, credential);
      if (message !== undefined && message.at >= since) {
        if (replayed === mostReplayed) return { replayed, lastIndex, hasMore: true };
        await replayMessage(db, message, { key: undefined, now });
        replayed += 1;
      }
      lastIndex = credential.logIndex;
    }
    if (found.length < readAtOnce) return { replayed, lastIndex, hasMore: false };
  }
  return { replayed, lastIndex, hasMore: true };
};

/** `unknown`: it is no event of a letter of the account that the webhook wants, or its credential is not issued yet. */
export const replayAuditDelivery = async (
  ports: Ports,
  replay: AuditReplay,
  options: { key: ReplayKey | undefined; now: number },
): Promise<Replayed | 'unknown'> => {
  const message = (await knownMessage(ports.db, replay)) ?? (await missedMessage(ports, replay));
  return message === undefined ? 'unknown' : replayMessage(ports.db, message, options);
};

/** For the operator: whose an audit webhook is, once the reactor has seen it. */
export const auditWebhookOwner = (
  db: Db,
  subscriptionId: string,
): Promise<{ account_id: string; active: boolean } | undefined> =>
  oneRow(
    db,
    "select account_id, active from deliveries.endpoints where kind = 'audit' and id = $1",
    [subscriptionId],
  );
