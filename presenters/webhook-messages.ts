/** The messages that webhooks get, as the OpenAPI document describes them (specification, section 6). */
import { letterStatuses } from '../contract/letter-status.ts';
import { Type } from '../ground/type.ts';
import { LetterId, Nullable, OneOf, Timestamp } from './common.ts';

const LetterStatus = Nullable(OneOf(letterStatuses));

const StatusMessage = Type.Named('StatusMessage', {
  type: Type.String({
    description: 'What happened, such as `letter.posted`. Ignore types that you do not know.',
  }),
  timestamp: Timestamp,
  data: Type.Object({
    notification_id: Type.String(),
    letter_id: Nullable(LetterId),
    status: LetterStatus,
    approval_id: Type.Optional(
      Type.String({ description: 'Of the types `approval.…` and `policy_change.…`.' }),
    ),
    approval_url: Type.Optional(
      Type.String({ description: 'The page of the approval, without the token of an approver.' }),
    ),
    test: Type.Boolean({ description: 'Whether the account is a test account.' }),
  }),
});

const CredentialMessage = Type.Named('CredentialMessage', {
  type: Type.String({ description: '`letter.event.credential`, or `webhook.test`.' }),
  timestamp: Timestamp,
  data: Type.Object({
    letter_id: Nullable(LetterId),
    event_id: Type.String({ format: 'uuid' }),
    sequence: Type.Integer({ minimum: 1, description: 'Position of the event in its stream.' }),
    status: LetterStatus,
    credential: Type.String({ description: 'The Verifiable Credential of the event (JWT).' }),
    inclusion_proof: Nullable(
      Type.String({
        description: 'Text of C2SP tlog-proof. Null if no checkpoint covers the credential yet.',
      }),
    ),
    log_id: Type.String({
      description: 'Names the log. It changes when the service is restored from a backup.',
    }),
  }),
});

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: Type.String(),
});

const parametersOf = (signatures: string) => [
  header('webhook-id', 'The same at each attempt. Keep the ids that you have seen.'),
  header('webhook-timestamp', 'Time of the attempt, in seconds since 1970.'),
  header(
    'webhook-signature',
    `Signatures as in Standard Webhooks, separated by spaces: ${signatures}.`,
  ),
];

/** The service sends no credential; the signature proves that a message is its own. */
const security: object[] = [];

const responses = {
  200: { description: 'The message is stored. Any 2xx status counts.' },
  410: { description: 'The receiver is gone; the webhook is disabled.' },
};

const requestOf = (schema: object) => ({
  required: true,
  content: { 'application/json': { schema } },
});

/** The part `webhooks` of the OpenAPI document. */
export const webhookDocument = {
  status: {
    post: {
      operationId: 'status_webhook',
      tags: ['Notifications'],
      security,
      summary: 'Every notification of the account',
      description:
        'Goes to `webhook_url` of the settings. The guide to webhooks shows how to verify it.',
      parameters: parametersOf('`v1` by the secret of the webhook'),
      requestBody: requestOf(StatusMessage),
      responses,
    },
  },
  audit: {
    post: {
      operationId: 'audit_webhook',
      tags: ['Audit'],
      security,
      summary: 'The signed credential of each event of a letter',
      description:
        'Goes to the URL of an audit webhook. The guide to webhooks shows how to verify it.',
      parameters: parametersOf(
        '`v1` by the secret of the webhook, `v1a` by the key of the service',
      ),
      requestBody: requestOf(CredentialMessage),
      responses,
    },
  },
};
