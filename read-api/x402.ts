import { type AnyOperation, operation } from '../contract/operation.ts';
import { paymentHeaders } from '../contract/payment-headers.ts';
import { Type } from '../ground/type.ts';
import { decimalOf, type MicroUsd } from '../money/amounts.ts';
import { OneOf } from '../presenters/common.ts';

const Method = Type.Object({
  method: Type.Literal('x402'),
  scheme: Type.Literal('exact'),
  versions: Type.Array(Type.Integer()),
  network: Type.String({ description: 'CAIP-2' }),
  network_name: Type.String({ description: 'The name in version 1 of x402.' }),
  testnet: Type.Boolean({
    description: 'Whether it is a test network, whose money is worth nothing.',
  }),
  asset: Type.String(),
  asset_name: Type.String(),
  pay_to: Type.String(),
  read_price: Type.Number({ description: 'USD; credited to the wallet of the payer.' }),
  headers: Type.Array(Type.String()),
});

const X402Status = Type.Named('X402Status', {
  status: OneOf(['available', 'unavailable']),
  methods: Type.Array(Method),
  quickstart: Type.Array(Type.String(), {
    description: 'Lines of a program that pays for a letter.',
  }),
  operations: Type.Array(Type.String(), { description: 'The operations that x402 can pay for.' }),
  sign_in: Type.Optional(
    Type.Unknown({
      description:
        'A challenge for the wallet. Sign it and send it as SIGN-IN-WITH-X. It permits, once, what its statement names: reading, or the request with `method` and `path`.',
    }),
  ),
});

const SignInQuery = Type.Exact({
  method: Type.Optional(OneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])),
  path: Type.Optional(
    Type.String({
      pattern: "^/[A-Za-z0-9._~!$&'()*+,;=:@%/-]{1,300}$",
      description: 'The path without its query.',
    }),
  ),
});

type X402Terms = {
  network: { network: string; nameV1: string; testnet: boolean; asset: string; assetName: string };
  payTo: string;
  readPriceMicro: MicroUsd;
};

const operations = [
  ...['POST /api/send', 'POST /api/quote', 'GET /api/services/{country}'],
  ...['GET /api/balance', 'GET /api/balance/statement', 'GET /api/statistics'],
  ...['POST /api/topup', 'GET /api/topup', 'GET /api/topup/{id}'],
  ...['GET /api/letters', 'GET /api/letters/counts', 'GET /api/letters/{id}'],
  ...['GET /api/letters/{id}/document.pdf', 'GET /api/letters/{id}/preview/{page}.png'],
  'GET /api/identity/audit/{id}',
  ...['GET /api/track/{id}', 'GET /api/proof/{id}'],
  ...['POST /api/letters/{id}/cancel', 'PATCH /api/letters/{id}', 'DELETE /api/letters/{id}'],
  'POST /api/anp/accept',
];

const methodOf = ({ network, payTo, readPriceMicro }: X402Terms) => ({
  method: 'x402' as const,
  scheme: 'exact' as const,
  versions: [2, 1],
  network: network.network,
  network_name: network.nameV1,
  testnet: network.testnet,
  asset: network.asset,
  asset_name: network.assetName,
  pay_to: payTo,
  read_price: decimalOf(readPriceMicro),
  headers: paymentHeaders.map((name) => name.toUpperCase()),
});

/**
 * How requests are paid one by one. `terms`: absent where they are not. `quickstart`: lines of a program
 * that pays for a letter.
 */
export const x402Operation = (
  baseUrl: string,
  terms:
    | (X402Terms & {
        quickstart: string[];
        challenge: (request: { method: string; path: string }) => unknown;
      })
    | undefined,
): AnyOperation =>
  operation({
    name: 'x402_status',
    method: 'GET',
    path: '/x402',
    tag: 'General',
    summary: 'Show whether and how requests can be paid by x402',
    access: 'public',
    description:
      'With `method` and `path`, the challenge in `sign_in` permits that one request. Without them, it permits reading.',
    input: { query: SignInQuery },
    responses: { 200: { description: 'Status, methods and quickstart', schema: X402Status } },
    errors: [],
    handle: ({ query }) => ({
      headers: { 'Cache-Control': 'no-store' },
      body: terms
        ? {
            status: 'available' as const,
            methods: [methodOf(terms)],
            quickstart: terms.quickstart,
            operations,
            sign_in: terms.challenge({
              method: query.method ?? 'GET',
              path: query.path ?? '/x402',
            }),
          }
        : {
            status: 'unavailable' as const,
            methods: [],
            quickstart: [
              'This server does not accept x402 payments.',
              `Get a key with POST ${baseUrl}/signup and send with it: Authorization: Bearer svc_live_…`,
            ],
            operations: [],
          },
    }),
  });
