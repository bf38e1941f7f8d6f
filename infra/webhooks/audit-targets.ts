import { randomUUID } from 'node:crypto';
import { type AuditSubscription, accountAggregate } from '../../commands/accounts/account.ts';
import { disableAuditWebhook } from '../../commands/accounts/audit-webhooks.ts';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import type { BoundTo } from '../../contract/bounds.ts';
import type { CredentialLog } from '../../identity/credential-log.ts';
import { issuedPayload } from '../../identity/event-credential.ts';
import { credentialBody } from '../../reactors/webhook-body.ts';
import type { DueMessage } from './messages.ts';
import type { Targets } from './targets.ts';

type Ports = {
  handler: CommandHandler;
  credentials: Pick<CredentialLog, 'byEventIds'>;
  clock: () => number;
  /** Sign with the webhook keys of the service: the current one, then those just retired. */
  signers: () => ((data: string) => Buffer)[];
  /** Whether something has ended that a webhook is bound to. */
  hasEnded: (boundTo: BoundTo) => Promise<boolean>;
  /** Records the proofs in bodies, by message id; returns the ones recorded first. */
  keepProofs: (proofs: Map<bigint, string>) => Promise<Map<bigint, string>>;
  /** Texts that prove that credentials are in the log, by log index; missing: not yet. */
  inclusionProofs: (logIndexes: number[]) => Promise<Map<number, string>>;
  /** The generation of the log in which the event at a position was appended. */
  logIdAt: (position: bigint) => string;
};

const isAlive = async (
  { clock, hasEnded }: Pick<Ports, 'clock' | 'hasEnded'>,
  { url, disabled, expiresAt, boundTo }: AuditSubscription,
): Promise<boolean> => {
  if (url === '' || disabled) return false;
  if (expiresAt !== undefined && Date.parse(expiresAt) <= clock()) return false;
  return boundTo === undefined || !(await hasEnded(boundTo));
};

/**
 * The proofs of messages, by message id; an empty text for none yet. The first attempt decides: a body is
 * the same at each.
 */
const proofsOf = async (
  { inclusionProofs, keepProofs }: Ports,
  messages: DueMessage[],
  credentials: ReadonlyMap<string, { logIndex: number }>,
): Promise<Map<bigint, string>> => {
  const kept = new Map<bigint, string>();
  const indexes = new Map<bigint, number>();
  for (const { messageId, eventId, proof } of messages) {
    const credential = credentials.get(eventId);
    if (proof !== null) kept.set(messageId, proof);
    else if (credential) indexes.set(messageId, credential.logIndex);
  }
  if (indexes.size === 0) return kept;
  const proofs = await inclusionProofs([...indexes.values()]);
  const fresh = [...indexes].map(
    ([messageId, index]) => [messageId, proofs.get(index) ?? ''] as const,
  );
  return new Map([...kept, ...(await keepProofs(new Map(fresh)))]);
};

type Issued = { jwt: string; sequence: number };

/** @param proof that the credential is in the log; empty: there was none yet */
export const auditBodyOf = (
  message: Pick<DueMessage, 'type' | 'eventId' | 'letterId' | 'at'>,
  { jwt, sequence }: Issued,
  proof: string,
  logId: string,
): string => {
  const { type, eventId, letterId, at } = message;
  const about = {
    type,
    eventId,
    letterId,
    at,
    sequence,
    jwt,
    inclusionProof: proof || null,
    logId,
  };
  return credentialBody(about, issuedPayload(jwt).vc.credentialSubject.status ?? null);
};

/** The audit webhooks of accounts: each event as its credential, once that has been issued. */
export const createAuditTargets = (ports: Ports): Targets => ({
  async resolve({ accountId, id }) {
    const { state } = await ports.handler.load(accountAggregate, accountId);
    const subscription = state.subscriptions.get(id);
    if (!subscription || !(await isAlive(ports, subscription))) return undefined;
    const { url, secret } = subscription;
    return { url, secrets: [secret], signers: ports.signers(), test: state.test };
  },
  webhookIdOf: ({ eventId }) => eventId,
  async bodies(messages) {
    const issued = await ports.credentials.byEventIds(messages.map(({ eventId }) => eventId));
    const byEvent = new Map(issued.map((credential) => [credential.eventId, credential]));
    const proofs = await proofsOf(ports, messages, byEvent);
    const bodies = new Map<string, string>();
    for (const message of messages) {
      const credential = byEvent.get(message.eventId);
      if (!credential) continue;
      const proof = proofs.get(message.messageId) ?? '';
      const logId = ports.logIdAt(credential.position);
      bodies.set(message.eventId, auditBodyOf(message, credential, proof, logId));
    }
    return bodies;
  },
  async disable({ accountId, id }, _target, reason) {
    const cause = { commandId: randomUUID(), actor: 'reactor:deliver' };
    await ports.handler.handle(accountAggregate, accountId, cause, (account) =>
      disableAuditWebhook(account, { type: 'DisableAuditWebhook', subscriptionId: id, reason }),
    );
  },
});
