import { randomUUID } from 'node:crypto';
import { accountAggregate, unsubscribeAudit } from '../../commands/accounts/account.ts';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import type { CredentialLog } from '../../identity/credential-log.ts';
import { parseJwt } from '../../identity/jwt.ts';
import { credentialBody } from '../../reactors/webhook-body.ts';
import type { Targets } from './targets.ts';

const maxCredentialBytes = 64 * 1_024;

/** The letter's status after the event, as the credential says. */
const statusIn = (jwt: string): string | null => {
  const { vc } = parseJwt(jwt, { maxBytes: maxCredentialBytes }).payload as {
    vc?: { credentialSubject?: { status?: unknown } };
  };
  const status = vc?.credentialSubject?.status;
  return typeof status === 'string' ? status : null;
};

/** The audit webhooks of accounts: each event as its credential, once that has been issued. */
export const createAuditTargets = (ports: {
  handler: CommandHandler;
  credentials: Pick<CredentialLog, 'byEventIds'>;
  /** Signs with the webhook key of the service that is in force. */
  sign: (data: string) => Buffer;
  /** Texts that prove that credentials are in the log, by log index; missing: not yet. */
  inclusionProofs: (logIndexes: number[]) => Promise<Map<number, string>>;
}): Targets => ({
  async resolve({ accountId, id }) {
    const { state } = await ports.handler.load(accountAggregate, accountId);
    const subscription = state.subscriptions.get(id);
    if (!subscription || subscription.url === '') return undefined;
    const { url, secret } = subscription;
    return { url, secrets: [secret], sign: ports.sign, test: state.test };
  },
  webhookIdOf: ({ eventId }) => eventId,
  async bodies(messages) {
    const issued = await ports.credentials.byEventIds(messages.map(({ eventId }) => eventId));
    const byEvent = new Map(issued.map((credential) => [credential.eventId, credential]));
    const proofs = await ports.inclusionProofs(issued.map(({ logIndex }) => logIndex));
    const bodies = new Map<string, string>();
    for (const message of messages) {
      const credential = byEvent.get(message.eventId);
      if (!credential) continue;
      const { jwt, sequence, logIndex } = credential;
      const inclusionProof = proofs.get(logIndex) ?? null;
      const body = credentialBody({ ...message, sequence, jwt, inclusionProof }, statusIn(jwt));
      bodies.set(message.eventId, body);
    }
    return bodies;
  },
  async disable({ accountId, id }, _target, reason) {
    const cause = { commandId: randomUUID(), actor: 'reactor:deliver' };
    await ports.handler.handle(accountAggregate, accountId, cause, (account) =>
      unsubscribeAudit(account, { type: 'UnsubscribeAudit', subscriptionId: id, reason }),
    );
  },
});
