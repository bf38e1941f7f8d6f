/** Webhooks for the write API: judging addresses, replays, the public key. */
import type { BoundTo } from '../../contract/bounds.ts';
import { AppError } from '../../contract/errors.ts';
import type { TransactionalDb } from '../../ground/db.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { webhookPublicKey } from '../../identity/service-document.ts';
import { notificationById } from '../../projections/notifications/query.ts';
import { laneOf } from '../../reactors/webhook-routes.ts';
import { OutboundError } from '../fetch/outbound-error.ts';
import type { SafeFetch } from '../fetch/safe-fetch.ts';
import type { CredentialStore } from '../identity/credential-store.ts';
import {
  type AuditReplay,
  listAuditDeliveries,
  replayAuditDelivery,
  replayAuditEvents,
} from './audit-deliveries.ts';
import { type ReplayKey, replayedBefore, replayMessage } from './replay.ts';

/** Refuses addresses that may not be called later. */
export const createAssertCallable =
  (outbound: Pick<SafeFetch, 'assertPublicHost'>) =>
  async (url: string, pointer: string): Promise<void> => {
    try {
      await outbound.assertPublicHost(url);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const detail = `${pointer.slice(1)} must not be called: ${error.message}.`;
      throw new AppError('url_not_allowed', detail, {
        errors: [{ pointer, code: error.code, detail }],
      });
    }
  };

/** The event that is delivered again; `subscriptionId`: to this audit webhook instead of the status webhook. */
type Replay = { accountId: string; eventId: string; subscriptionId?: string };

type IndexOf = (kind: string, value: string) => string;

/** The key of a replay, where there is one. It is good for one event and one webhook. */
const keyOf = (
  indexOf: IndexOf,
  { accountId, eventId, subscriptionId }: Replay,
  idempotencyKey: string | undefined,
): ReplayKey | undefined => {
  if (idempotencyKey === undefined) return undefined;
  const names = subscriptionId === undefined ? [accountId] : [accountId, 'audit'];
  const digest = indexOf('replay', [...names, idempotencyKey].join('\n'));
  const replayId = subscriptionId === undefined ? eventId : uuidv5(eventId, subscriptionId);
  return { digest, replayId };
};

/** How far the clocks may differ of processes that append events and sign checkpoints. */
const clocksDifferMs = 3_600_000;

/** A log index that no credential is before of an event that happened from this time on. */
const indexAt = async (
  credentials: Pick<CredentialStore, 'checkpointAt'>,
  since: string,
): Promise<number> => {
  const at = new Date(Math.max(0, Date.parse(since) - clocksDifferMs)).toISOString();
  return (await credentials.checkpointAt(at))?.size ?? 0;
};

export const createWebhookSettings = (ports: {
  db: TransactionalDb;
  credentials: Pick<CredentialStore, 'byEventIds' | 'ofAccountFrom' | 'checkpointAt'>;
  clock: () => number;
  indexOf: IndexOf;
  webhookKey: () => { publicKey: string };
  hasEnded: (boundTo: BoundTo) => Promise<boolean>;
}) => ({
  /** How the key was used for a replay before; undefined: it was not, or there is no key. */
  async replayedBefore(replay: Replay, idempotencyKey: string | undefined) {
    const key = keyOf(ports.indexOf, replay, idempotencyKey);
    return key === undefined ? undefined : replayedBefore(ports.db, replay.accountId, key);
  },
  async replayNotification(accountId: string, eventId: string, idempotencyKey: string | undefined) {
    const row = await notificationById(ports.db, accountId, eventId);
    if (!row) return 'unknown' as const;
    const { letter_id: letterId, status, type } = row;
    const message = {
      kind: 'status' as const,
      endpointId: accountId,
      accountId,
      eventId,
      position: row.position,
      lane: laneOf({ eventId, letterId: letterId ?? undefined, type }),
      type,
      ...(letterId === null ? {} : { letterId }),
      ...(status === null ? {} : { status }),
      at: row.created_at.toISOString(),
    };
    const key = keyOf(ports.indexOf, { accountId, eventId }, idempotencyKey);
    return replayMessage(ports.db, message, { key, now: ports.clock() });
  },
  listAuditDeliveries: (subscriptionId: string, page: { before?: bigint; limit: number }) =>
    listAuditDeliveries(ports.db, subscriptionId, { before: undefined, ...page }),
  replayAuditDelivery(replay: AuditReplay, idempotencyKey: string | undefined) {
    const key = keyOf(ports.indexOf, replay, idempotencyKey);
    return replayAuditDelivery(ports, replay, { key, now: ports.clock() });
  },
  /** @param from the log index to begin at, and the time of the first event (RFC 3339); at least one of them */
  async replayAuditEvents(
    webhook: Parameters<typeof replayAuditEvents>[1],
    { index, since }: { index: number | undefined; since: string | undefined },
  ) {
    const begin = index ?? (await indexAt(ports.credentials, since ?? ''));
    const from = { index: begin, since: since ?? '' };
    return replayAuditEvents(ports, webhook, from, ports.clock());
  },
  /** Whether an audit webhook ended with the credential that it came from. */
  async hasEnded({ expiresAt, boundTo }: { expiresAt?: string; boundTo?: BoundTo }) {
    if (expiresAt !== undefined && Date.parse(expiresAt) <= ports.clock()) return true;
    return boundTo !== undefined && ports.hasEnded(boundTo);
  },
  webhookPublicKey: (): string => webhookPublicKey(ports.webhookKey()),
});
