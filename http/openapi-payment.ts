/** How the OpenAPI document describes payment by x402, of a service that takes it. */
import type { Json } from './openapi-schemas.ts';

/** A way to authenticate besides API keys. `payable`: for operations that take payment only. */
export type SecurityScheme = { name: string; for: 'payable' | 'authenticated'; scheme: Json };

export const ucanScheme: SecurityScheme = {
  name: 'ucan',
  for: 'authenticated',
  scheme: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'A UCAN, sent as `Authorization: Bearer ucan:<token>`. Send further proofs in the header `ucans`.',
  },
};

export const x402Schemes: readonly SecurityScheme[] = [
  {
    name: 'x402',
    for: 'payable',
    scheme: {
      type: 'apiKey',
      in: 'header',
      name: 'PAYMENT-SIGNATURE',
      description:
        'A payment by x402 (https://x402.org); it needs no account. Call the operation without a credential. The answer is 402, and its header `PAYMENT-REQUIRED` says what to pay. Sign one of the `accepts`, and repeat the call with the signed payment in this header, as JSON in base64. `GET /x402` has a program that does this.',
    },
  },
  {
    name: 'signInWithX',
    for: 'payable',
    scheme: {
      type: 'apiKey',
      in: 'header',
      name: 'SIGN-IN-WITH-X',
      description:
        'A challenge signed by the wallet of a payer. It acts for the account of that wallet, once. `GET /x402` has the challenge.',
    },
  },
];

const text = { type: 'string' };

export const paymentParameters: Json = {
  PaymentSignature: {
    name: 'PAYMENT-SIGNATURE',
    in: 'header',
    description: 'A signed payment of x402, version 2: JSON in base64.',
    schema: text,
  },
  XPaymentSignature: {
    name: 'X-PAYMENT-SIGNATURE',
    in: 'header',
    description: 'The same as `PAYMENT-SIGNATURE`, under another name.',
    schema: text,
  },
};

export const paymentHeaders: Json = {
  PaymentRequired: {
    description:
      'What to pay, as x402 version 2: JSON in base64 with `x402Version`, `error`, `resource` and `accepts`.',
    schema: text,
  },
  PaymentResponse: {
    description: 'The receipt for the payment in the request: JSON in base64.',
    schema: text,
  },
};

/** One way to pay, as version 1 of x402 writes it. */
const paymentRequirements: Json = {
  type: 'object',
  required: ['scheme', 'network', 'maxAmountRequired', 'payTo', 'asset'],
  properties: {
    scheme: { type: 'string', const: 'exact' },
    network: { type: 'string', description: 'Such as `base`.' },
    maxAmountRequired: {
      type: 'string',
      pattern: '^\\d+$',
      description: 'In the smallest unit of the asset: 1000000 is 1 USDC.',
    },
    resource: { type: 'string', format: 'uri', description: 'What the payment is for.' },
    description: text,
    mimeType: text,
    payTo: { type: 'string', description: 'The address that receives the payment.' },
    maxTimeoutSeconds: { type: 'integer' },
    asset: { type: 'string', description: 'The contract of the token.' },
    outputSchema: { type: ['object', 'null'] },
    extra: {
      type: ['object', 'null'],
      description: 'Name and version of the token, needed to sign.',
    },
  },
};

/** A 402: a problem document that says how to pay, where x402 can pay for the operation. */
export const paymentSchemas: Json = {
  PaymentRequirements: paymentRequirements,
  PaymentRequired: {
    description:
      'The operation needs a payment. If x402 can pay for it, `accepts` and the header `PAYMENT-REQUIRED` say how.',
    allOf: [
      { $ref: '#/components/schemas/Problem' },
      {
        type: 'object',
        properties: {
          x402Version: { type: 'integer', const: 1 },
          error: { type: 'string', description: 'Why it is not yet paid for.' },
          accepts: { type: 'array', items: { $ref: '#/components/schemas/PaymentRequirements' } },
        },
      },
    ],
  },
};

const demand = {
  x402Version: 1,
  error: 'payment required',
  accepts: [
    {
      scheme: 'exact',
      network: 'base',
      maxAmountRequired: '1630000',
      resource: 'https://letters.example/api/send',
      description: 'Send a letter',
      mimeType: 'application/json',
      payTo: '0x9b5d5c2b3c4e5f60718293a4b5c6d7e8f9012345',
      maxTimeoutSeconds: 120,
      asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
      extra: { name: 'USD Coin', version: '2' },
    },
  ],
};

type Answer = {
  headers: Json;
  content: Record<string, { examples?: Record<string, { value: Json }> }>;
};

/** The 402 of an operation that x402 can pay for, out of that of any other. */
export const payableAnswer = (problem: Json): Json => {
  const { headers, content, ...answer } = problem as Answer & Json;
  const [[type, { examples = {} }] = ['application/problem+json', {}]] = Object.entries(content);
  const shown = Object.entries(examples).map(([code, example]) => [
    code,
    code === 'payment_required' ? { ...example, value: { ...example.value, ...demand } } : example,
  ]);
  return {
    ...answer,
    headers: { ...headers, 'PAYMENT-REQUIRED': { $ref: '#/components/headers/PaymentRequired' } },
    content: {
      [type]: {
        schema: { $ref: '#/components/schemas/PaymentRequired' },
        examples: Object.fromEntries(shown),
      },
    },
  };
};
