/** JSON Schema of the event credentials: what `credentialSchema` of each leads to. It never changes. */
import { letterStatuses } from '../contract/letter-status.ts';
import { eventCredentialSchema } from './event-credential.ts';

export const eventCredentialSchemaName = 'event-credential.v1';

export const eventCredentialSchemaUrl = (baseUrl: string): string =>
  `${baseUrl}/schemas/${eventCredentialSchemaName}`;

const text = { type: 'string' };
const word = { type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,128}$' };
const digest = { type: 'string', pattern: '^sha-256:[A-Za-z0-9_-]{43}$' };

const subject = {
  type: 'object',
  required: [
    'id',
    'stream',
    'eventType',
    'sequence',
    'occurredAt',
    'eventHash',
    'previousCredentialHash',
    'logIndex',
  ],
  properties: {
    id: { type: 'string', pattern: '^urn:(uuid|letters):' },
    stream: text,
    eventType: { type: 'string', description: '`letter.posted`, `wallet.funds_reserved`, …' },
    sequence: { type: 'integer', minimum: 1 },
    occurredAt: { type: 'integer', description: 'Milliseconds since the epoch.' },
    account: text,
    test: { type: 'boolean' },
    letterId: text,
    status: { enum: letterStatuses, description: 'Of the letter, after the event.' },
    service: word,
    intent: word,
    country: word,
    recordCommitment: text,
    customer: { type: 'string', pattern: '^did:' },
    source: word,
    inferred: { const: true },
    evidence: word,
    outcome: word,
    eventHash: digest,
    previousCredentialHash: { anyOf: [digest, { type: 'null' }] },
    logIndex: { type: 'integer', minimum: 0 },
  },
  additionalProperties: false,
};

/** Of the credential as its data model has it: the claim `vc`, with `issuer`, `id` and `issuanceDate` of the JWT or without. */
export const eventCredentialJsonSchema = (baseUrl: string) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: eventCredentialSchemaUrl(baseUrl),
  title: 'EventCredential',
  description: `Version 1 of what this service says of an event. Credentials from before it was served name it ${eventCredentialSchema}.`,
  type: 'object',
  required: ['@context', 'type', 'credentialSubject', 'credentialSchema'],
  properties: {
    '@context': {
      type: 'array',
      prefixItems: [{ const: 'https://www.w3.org/2018/credentials/v1' }],
      minItems: 1,
      items: true,
    },
    type: {
      type: 'array',
      prefixItems: [
        { const: 'VerifiableCredential' },
        { enum: ['EventCredential', 'LetterEventCredential'] },
      ],
      minItems: 2,
      maxItems: 2,
    },
    credentialSubject: subject,
    credentialSchema: {
      type: 'object',
      required: ['id', 'type'],
      properties: { id: text, type: { const: 'JsonSchema' } },
    },
  },
});
