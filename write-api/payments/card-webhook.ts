import { RailUnavailable } from '../../commands/payments/rails.ts';
import { AppError } from '../../contract/errors.ts';
import { type AnyOperation, operation, type SignedRequest } from '../../contract/operation.ts';
import { Type } from '../../ground/type.ts';

const CardEvent = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 255 }),
    type: Type.String({ minLength: 1, maxLength: 255 }),
    data: Type.Object({ object: Type.Object({}, { additionalProperties: true }) }),
  },
  { additionalProperties: true, title: 'CardEvent', 'x-max-bytes': 256 * 1024 },
);

export type CardWebhookPorts = {
  /** @throws AppError webhook_signature_invalid */
  checkSignature: (request: SignedRequest) => void;
  /** Goes by what the provider says, now that it has told of something. Safe to repeat. */
  follow: (event: { type: string; data: { object: unknown } }) => Promise<void>;
};

/** Operations for the card provider. Absent without a provider. */
export const cardWebhookOperations = (ports: CardWebhookPorts | undefined): AnyOperation[] =>
  ports
    ? [
        operation({
          name: 'card_webhook',
          method: 'POST',
          path: '/webhooks/stripe',
          tag: 'Wallet',
          summary: 'Report a payment, a refund or a dispute (Stripe)',
          description:
            'For Stripe. The request is signed by `stripe-signature` over the raw body; it needs no API key. A repeated, late or unrelated event answers 200 and changes nothing.',
          access: 'public',
          checkSignature: ports.checkSignature,
          input: { body: CardEvent },
          responses: {
            200: {
              description: 'Taken',
              schema: Type.Named('CardEventTaken', { received: Type.Literal(true) }),
            },
          },
          errors: ['webhook_signature_invalid', 'payment_unavailable', 'conflict'],
          async handle({ body }) {
            await ports.follow(body).catch((error: unknown) => {
              if (!(error instanceof RailUnavailable)) throw error;
              throw new AppError(
                'payment_unavailable',
                'The card provider does not answer at the moment. Send the event again.',
                { cause: error, headers: { 'Retry-After': '30' } },
              );
            });
            return { body: { received: true as const } };
          },
        }),
      ]
    : [];
