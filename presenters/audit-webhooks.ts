/** Webhooks for signed event credentials, as callers see them (specification 4.9). */
import Type, { type Static } from 'typebox';
import { Nullable, Timestamp } from './common.ts';

export const AuditWebhook = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    events: Nullable(Type.Array(Type.String(), { description: 'null: every event.' })),
    letter_id: Nullable(Type.String({ description: 'null: every letter.' })),
    created_at: Timestamp,
  },
  { title: 'AuditWebhook' },
);

export const AuditWebhooks = Type.Object(
  { data: Type.Array(AuditWebhook) },
  { title: 'AuditWebhooks' },
);

export const NewAuditWebhook = Type.Object(
  {
    ...AuditWebhook.properties,
    secret: Type.String({ description: 'Signs the webhooks (v1). Shown once.' }),
    public_key: Type.String({
      description: 'Verifies the v1a signature: whpk_ and an Ed25519 key in base64.',
    }),
  },
  { title: 'NewAuditWebhook' },
);

export const RemovedAuditWebhooks = Type.Object(
  { removed: Type.Array(Type.String({ description: 'Ids.' })) },
  { title: 'RemovedAuditWebhooks' },
);

type StoredWebhook = {
  subscriptionId: string;
  url: string;
  secret: string;
  events: string[] | undefined;
  letterId: string | undefined;
  createdAt: string;
};

const presentAuditWebhook = (stored: StoredWebhook): Static<typeof AuditWebhook> => ({
  id: stored.subscriptionId,
  url: stored.url,
  events: stored.events ?? null,
  letter_id: stored.letterId ?? null,
  created_at: stored.createdAt,
});

/** Newest first, out of the order in which they were made. */
export const presentAuditWebhooks = (stored: StoredWebhook[]): Static<typeof AuditWebhooks> => ({
  data: stored.toReversed().map(presentAuditWebhook),
});

export const presentNewAuditWebhook = (
  stored: StoredWebhook,
  publicKey: string,
): Static<typeof NewAuditWebhook> => ({
  ...presentAuditWebhook(stored),
  secret: stored.secret,
  public_key: publicKey,
});
